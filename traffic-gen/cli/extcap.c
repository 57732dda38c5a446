// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * "iWARP reference traffic" among Wireshark's capture interfaces: extcap(4). Wireshark asks for the interface, for the
 * options of its dialog, and then for packets into a pipe; `iwarp-gen play` makes them.
 */
#include "support/stderr_line.h"
#include "traffic-gen/cli/command.h"
#include "traffic-gen/cli/packet_filter.h"
#include "traffic-gen/scenario/scenario.h"
#include "traffic-gen/speak/faults/fault.h"

#include <locale.h>
#include <stdio.h>
#include <string.h>

#define INTERFACE        "iwarp-reference"
#define SCENARIO_DEFAULT "nfs3"

enum { EXIT_USAGE = 2, LINKTYPE_ETHERNET = 1 };

struct extcap_options {
    gboolean interfaces, dlts, config, capture, ipv6, vlan, at_once;
    char *version, *interface, *fifo, *filter, *scenario, *fault, *transport, *loss, *reorder, *dup, *resegment;
    gint64 seed;
    gint mtu;
};

/* The options of the dialog, in its order; `call` is the option for the value. */
static const struct argument {
    const char *call, *display, *tooltip, *more;
} arguments[] = {
    {"--scenario", "Conversation", "The scenario to play", "{type=selector}"},
    {"--fault", "Fault", "The rule to break; the conversation is then the fault's own", "{type=selector}"},
    {"--transport", "Transport", "RoCE has conversations and faults of RPC-over-RDMA and NFS", "{type=selector}"},
    {"--loss", "Loss", "Probability that a segment is lost and retransmitted",
     "{type=double}{range=0,0.5}{default=0}{group=Network}"},
    {"--reorder", "Reordering", "Probability that a segment is overtaken",
     "{type=double}{range=0,0.5}{default=0}{group=Network}"},
    {"--dup", "Duplication", "Probability that a segment is duplicated",
     "{type=double}{range=0,0.5}{default=0}{group=Network}"},
    {"--resegment", "Resegmentation", "Probability that a segment is cut differently",
     "{type=double}{range=0,0.5}{default=0}{group=Network}"},
    {"--mtu", "MTU", "MTU of the path, in octets", "{type=integer}{range=128,65535}{default=1500}{group=Network}"},
    {"--ipv6", "IPv6", "IPv6 instead of IPv4", "{type=boolflag}{default=false}{group=Network}"},
    {"--vlan", "VLAN tag", "Frames have a VLAN tag", "{type=boolflag}{default=false}{group=Network}"},
    {"--seed", "Seed", "Seed for all random choices: the same seed gives the same packets",
     "{type=integer}{range=0,2147483647}{default=1}"},
    {"--at-once", "All at once", "Write packets at once, instead of at their times", "{type=boolflag}{default=false}"},
};
enum { ARGUMENT_SCENARIO, ARGUMENT_FAULT, ARGUMENT_TRANSPORT };

/* Braces end a value in this notation. */
static void print_value(unsigned argument, const char *value, const char *text, bool is_default)
{
    g_autofree char *display = g_strdup_printf("%s%s%s", value, *text && *value ? ": " : "", text);

    g_strdelimit(display, "{}", ' ');
    printf("value {arg=%u}{value=%s}{display=%s}%s\n", argument, value, display, is_default ? "{default=true}" : "");
}

static void print_config(void)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(arguments); i++) {
        const struct argument *a = &arguments[i];

        printf("arg {number=%u}{call=%s}{display=%s}{tooltip=%s}%s\n", i, a->call, a->display, a->tooltip, a->more);
    }
    for (unsigned i = 0; scenario_at(i); i++) {
        const struct scenario *scenario = scenario_at(i);

        print_value(ARGUMENT_SCENARIO, scenario->name, scenario->summary,
                    strcmp(scenario->name, SCENARIO_DEFAULT) == 0);
    }
    print_value(ARGUMENT_FAULT, "none", "conforming traffic", true);
    for (unsigned i = 0; fault_at(i); i++)
        print_value(ARGUMENT_FAULT, fault_at(i)->id, fault_at(i)->summary, false);
    print_value(ARGUMENT_TRANSPORT, "iwarp", "MPA over TCP", true);
    print_value(ARGUMENT_TRANSPORT, "roce", "RoCE v2", false);
}

static void extcap_add_trouble(GString *net, const char *name, const char *value)
{
    if (value && g_ascii_strtod(value, NULL) != 0)
        g_string_append_printf(net, "%s%s=%s", net->len ? "," : "", name, value);
}

static void add_argument(GPtrArray *line, bool wanted, char *text)
{
    if (wanted)
        g_ptr_array_add(line, text);
    else
        g_free(text);
}

/* The command line that makes the packets. */
static int extcap_capture(const struct extcap_options *options)
{
    const bool wants_fault = options->fault && strcmp(options->fault, "none") != 0;
    const struct fault *fault = wants_fault ? fault_find(options->fault) : NULL;
    g_autoptr(GPtrArray) line = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GString) net = g_string_new(NULL);

    if (wants_fault && !fault) {
        stderr_line("iwarp-extcap", "no fault '%s'; iwarp-gen list faults names them", options->fault);
        return EXIT_USAGE;
    }
    extcap_add_trouble(net, "loss", options->loss);
    extcap_add_trouble(net, "reorder", options->reorder);
    extcap_add_trouble(net, "dup", options->dup);
    extcap_add_trouble(net, "resegment", options->resegment);
    g_ptr_array_add(line, g_strdup("iwarp-gen play"));
    if (fault) {
        g_ptr_array_add(line, g_strdup(fault->scenario));
        g_ptr_array_add(line, g_strdup_printf("--inject=%s", fault->id));
    } else {
        g_ptr_array_add(line, g_strdup(options->scenario ? options->scenario : SCENARIO_DEFAULT));
    }
    g_ptr_array_add(line, g_strdup_printf("--output=%s", options->fifo));
    g_ptr_array_add(line, g_strdup_printf("--seed=%" G_GINT64_FORMAT, options->seed));
    add_argument(line, options->mtu != 0 && options->mtu != 1500, g_strdup_printf("--mtu=%d", options->mtu));
    add_argument(line, net->len > 0, g_strdup_printf("--net=%s", net->str));
    add_argument(line, options->transport != NULL, g_strdup_printf("--transport=%s", options->transport));
    add_argument(line, options->ipv6, g_strdup("--ipv6"));
    add_argument(line, options->vlan, g_strdup("--vlan"));
    add_argument(line, options->filter && *options->filter, g_strconcat("--filter=", options->filter, NULL));
    add_argument(line, !options->at_once, g_strdup("--live"));

    int argc = (int)line->len;

    g_ptr_array_add(line, NULL);
    /* The option parser removes elements from its array, so it gets a copy; the original owns the strings. */
    g_autofree char **argv = g_memdup2(line->pdata, sizeof(char *) * line->len);

    return command_play(argc, argv);
}

/* While the user types a filter, Wireshark calls without a pipe to check it: the output is the error. */
static int verify(const char *filter)
{
    struct bpf_program program = {0};
    g_autofree char *error = NULL;
    bool good = packet_filter_compile(&program, filter, &error);

    packet_filter_clear(&program);
    if (!good)
        puts(error);
    return good ? 0 : EXIT_USAGE;
}

static int extcap_answer(const struct extcap_options *options)
{
    if (options->interfaces) {
        printf("extcap {version=%s}{help=file:///usr/share/doc/iwarp-kit-doc/docs/wireshark.md}\n", IWARP_KIT_VERSION);
        printf("interface {value=%s}{display=iWARP reference traffic}\n", INTERFACE);
        return 0;
    }
    if (!options->interface || strcmp(options->interface, INTERFACE) != 0) {
        fprintf(stderr,
                "Wireshark starts this program for its interface \"iWARP reference traffic\" (%s); by hand, use "
                "iwarp-gen play\n",
                INTERFACE);
        return EXIT_USAGE;
    }
    if (options->dlts) {
        printf("dlt {number=%d}{name=EN10MB}{display=Ethernet}\n", LINKTYPE_ETHERNET);
        return 0;
    }
    if (options->config) {
        print_config();
        return 0;
    }
    if (options->capture && options->fifo)
        return extcap_capture(options);
    if (options->capture && options->filter)
        return verify(options->filter);
    fputs("--capture needs --fifo\n", stderr);
    return EXIT_USAGE;
}

int main(int argc, char **argv)
{
    struct extcap_options o = {.seed = 1};
    const GOptionEntry entries[] = {
        {"extcap-interfaces", 0, 0, G_OPTION_ARG_NONE, &o.interfaces, "list the interfaces", NULL},
        {"extcap-version", 0, 0, G_OPTION_ARG_STRING, &o.version, "version of Wireshark", "VERSION"},
        {"extcap-interface", 0, 0, G_OPTION_ARG_STRING, &o.interface, "the interface", "NAME"},
        {"extcap-dlts", 0, 0, G_OPTION_ARG_NONE, &o.dlts, "its link type", NULL},
        {"extcap-config", 0, 0, G_OPTION_ARG_NONE, &o.config, "list the options of the dialog", NULL},
        {"extcap-capture-filter", 0, 0, G_OPTION_ARG_STRING, &o.filter, "only packets that match", "FILTER"},
        {"capture", 0, 0, G_OPTION_ARG_NONE, &o.capture, "write packets", NULL},
        {"fifo", 0, 0, G_OPTION_ARG_FILENAME, &o.fifo, "write to this pipe", "FILE"},
        {"scenario", 0, 0, G_OPTION_ARG_STRING, &o.scenario, "scenario of iwarp-gen", "NAME"},
        {"fault", 0, 0, G_OPTION_ARG_STRING, &o.fault, "fault of iwarp-gen, or none", "ID"},
        {"transport", 0, 0, G_OPTION_ARG_STRING, &o.transport, "the transport", "iwarp|roce"},
        {"loss", 0, 0, G_OPTION_ARG_STRING, &o.loss, "probability", "P"},
        {"reorder", 0, 0, G_OPTION_ARG_STRING, &o.reorder, "probability", "P"},
        {"dup", 0, 0, G_OPTION_ARG_STRING, &o.dup, "probability", "P"},
        {"resegment", 0, 0, G_OPTION_ARG_STRING, &o.resegment, "probability", "P"},
        {"mtu", 0, 0, G_OPTION_ARG_INT, &o.mtu, "MTU of the path", "N"},
        {"ipv6", 0, 0, G_OPTION_ARG_NONE, &o.ipv6, "IPv6 instead of IPv4", NULL},
        {"vlan", 0, 0, G_OPTION_ARG_NONE, &o.vlan, "with a VLAN tag", NULL},
        {"seed", 0, 0, G_OPTION_ARG_INT64, &o.seed, "seed for all random choices", "N"},
        {"at-once", 0, 0, G_OPTION_ARG_NONE, &o.at_once, "write packets at once", NULL},
        G_OPTION_ENTRY_NULL,
    };
    static const struct command_usage usage = {
        "--extcap-interfaces | --extcap-interface=NAME --extcap-config | ... --capture --fifo=FILE",
        "Reference traffic as a capture interface of Wireshark: extcap(4).",
        NULL,
    };
    int status;

    setlocale(LC_ALL, "");
    if (command_parse(&usage, entries, &argc, &argv, 0, 0, &status))
        status = extcap_answer(&o);
    command_clear(entries);
    return status;
}
