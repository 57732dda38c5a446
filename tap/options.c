// SPDX-License-Identifier: GPL-2.0-or-later
#include "tap/options.h"

#include "tap/extcap.h"

#include <arpa/inet.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "Usage: iwarp-tap -w FILE [OPTION...]\n"
    "\n"
    "Records NFS over RDMA of this host's kernel, as client and server, on any adapter: a capture for iwarp-check\n"
    "and Wireshark. Ends with Ctrl-C.\n"
    "\n"
    "  -w, --write=FILE      the capture; -: standard output, for iwarp-check -\n"
    "      --peer=ADDRESS    record only connections with this peer; repeatable\n"
    "      --port=PORT       record only connections with this port at either end; repeatable\n"
    "      --filter=FILTER   the same in tcpdump's words: host ADDRESS, port PORT, or both with \"and\"\n"
    "      --headers         leave out file data\n"
    "  -s, --snap=N          record the first N octets of each packet; 0: all (default)\n"
    "  -c, --count=N         stop after N packets\n"
    "  -d, --duration=S      stop after S seconds\n"
    "  -C, --size=N          stop after N million octets\n"
    "  -Z, --user=USER       drop from root to USER (default: the caller of sudo, or nobody)\n"
    "      --child           also stop at the end of standard input, and report only errors\n"
    "  -h, --help, --version\n";

enum { FILTER_MAX = 256 };
enum {
    PEER = 256,
    PORT,
    FILTER,
    HEADERS,
    CHILD,
    VERSION,
    INTERFACES,
    INTERFACE,
    DLTS,
    CONFIG,
    VERIFIED_FILTER,
    CAPTURE,
    IGNORED
};

static const struct option names[] = {
    {"write", required_argument, NULL, 'w'},
    {"peer", required_argument, NULL, PEER},
    {"port", required_argument, NULL, PORT},
    {"headers", no_argument, NULL, HEADERS},
    {"snap", required_argument, NULL, 's'},
    {"count", required_argument, NULL, 'c'},
    {"duration", required_argument, NULL, 'd'},
    {"size", required_argument, NULL, 'C'},
    {"user", required_argument, NULL, 'Z'},
    {"help", no_argument, NULL, 'h'},
    {"version", no_argument, NULL, VERSION},
    {"filter", required_argument, NULL, FILTER},
    {"child", no_argument, NULL, CHILD},
    /* What Wireshark asks: extcap(4). */
    {"extcap-interfaces", no_argument, NULL, INTERFACES},
    {"extcap-version", required_argument, NULL, IGNORED},
    {"extcap-interface", required_argument, NULL, INTERFACE},
    {"extcap-dlts", no_argument, NULL, DLTS},
    {"extcap-config", no_argument, NULL, CONFIG},
    {"extcap-capture-filter", required_argument, NULL, VERIFIED_FILTER},
    {"capture", no_argument, NULL, CAPTURE},
    {"fifo", required_argument, NULL, 'w'},
    {NULL, 0, NULL, 0},
};

/* A decimal number from least to most. */
static bool take_number(const char *text, uint64_t least, uint64_t most, uint64_t *out)
{
    char *end;
    unsigned long long value;

    errno = 0;
    value = strtoull(text, &end, 10);
    if (errno != 0 || *text < '0' || *text > '9' || *end != '\0' || value < least || value > most)
        return false;
    *out = value;
    return true;
}

static bool take_peer(struct recorder_options *options, const char *text)
{
    struct endpoint *peer = &options->peer[options->n_peers];

    if (options->n_peers == RECORDER_FILTERS)
        return false;
    *peer = (struct endpoint){.ip = strchr(text, ':') ? 6 : 4};
    if (inet_pton(peer->ip == 6 ? AF_INET6 : AF_INET, text, peer->address) != 1)
        return false;
    options->n_peers++;
    return true;
}

static bool take_port(struct recorder_options *options, const char *text)
{
    uint64_t port;

    if (options->n_ports == RECORDER_FILTERS || !take_number(text, 1, UINT16_MAX, &port))
        return false;
    options->port[options->n_ports++] = (uint16_t)port;
    return true;
}

static bool take_primitive(struct recorder_options *options, const char *word, const char *value)
{
    if (word && value && strcmp(word, "host") == 0)
        return options->n_peers == 0 && take_peer(options, value);
    return word && value && strcmp(word, "port") == 0 && options->n_ports == 0 && take_port(options, value);
}

/* host ADDRESS, port PORT, or both with "and" between: what pcap-filter(7) has for connections. */
static bool take_filter(struct recorder_options *options, const char *text)
{
    static const char space[] = " ";
    char words[FILTER_MAX], *rest = NULL;
    const char *word, *joint;

    if (strlen(text) >= sizeof words)
        return false;
    memcpy(words, text, strlen(text) + 1);
    word = strtok_r(words, space, &rest);
    for (;;) {
        if (!take_primitive(options, word, strtok_r(NULL, space, &rest)))
            return false;
        joint = strtok_r(NULL, space, &rest);
        if (!joint)
            return true;
        if (strcmp(joint, "and") != 0 && strcmp(joint, "&&") != 0)
            return false;
        word = strtok_r(NULL, space, &rest);
    }
}

static bool take_option(struct tap_options *out, int name, const char *value)
{
    uint64_t number = 0;

    switch (name) {
    case 'w':
        out->file = value;
        return *value != '\0';
    case 'Z':
        out->user = value;
        return *value != '\0';
    case PEER:
        return take_peer(&out->recorder, value);
    case PORT:
        return take_port(&out->recorder, value);
    case VERIFIED_FILTER:
        out->asked = true;
        return take_filter(&out->recorder, value);
    case FILTER:
        return take_filter(&out->recorder, value);
    case INTERFACE:
        return extcap_is_interface(value);
    case IGNORED:
        return true;
    case HEADERS:
        out->recorder.headers = true;
        return true;
    case CHILD:
        out->child = out->quiet = true;
        return true;
    case CAPTURE:
        out->quiet = out->now = true; /* Wireshark would show messages only at the end */
        return true;
    case 's':
        if (!take_number(value, 0, UINT32_MAX, &number))
            return false;
        out->recorder.snap = (uint32_t)number;
        return true;
    case 'c':
        return take_number(value, 1, UINT64_MAX, &out->packets);
    case 'C':
        if (!take_number(value, 1, UINT64_MAX / 1000000, &number))
            return false;
        out->octets = number * 1000000;
        return true;
    default:
        if (!take_number(value, 1, 1000000000, &number))
            return false;
        out->duration_ns = (int64_t)number * 1000000000;
        return true;
    }
}

static const char *name_of(int name)
{
    for (const struct option *option = names; option->name; option++)
        if (option->val == name)
            return option->name;
    return "";
}

/* One option of the command line. */
static enum tap_parsed parse_option(struct tap_options *out, int name, const char *word, char *why, size_t size)
{
    switch (name) {
    case 'h':
        fputs(help, stdout);
        return TAP_DONE;
    case VERSION:
        puts("iwarp-tap " IWARP_KIT_VERSION);
        return TAP_DONE;
    case INTERFACES:
        extcap_say_interfaces();
        return TAP_DONE;
    case DLTS:
        extcap_say_link_type();
        return TAP_DONE;
    case CONFIG:
        extcap_say_dialog();
        return TAP_DONE;
    default:
        break;
    }
    if (name == '?' || name == ':') {
        (void)snprintf(why, size, "%s %s (see --help)", name == '?' ? "unknown option" : "a value is missing after",
                       word);
        return TAP_WRONG;
    }
    if (take_option(out, name, optarg))
        return TAP_RUN;
    (void)snprintf(why, size, "--%s: unusable value \"%s\"", name_of(name), optarg);
    if (name == FILTER || name == VERIFIED_FILTER)
        (void)snprintf(why, size, "filter \"%s\": not host ADDRESS, port PORT, or both with \"and\"", optarg);
    if (name == VERIFIED_FILTER) /* Wireshark shows what the standard output has, while the user types */
        puts(why);
    return TAP_WRONG;
}

enum tap_parsed tap_options_parse(struct tap_options *out, int argc, char **argv, char *why, size_t size)
{
    enum tap_parsed parsed = TAP_RUN;
    int name;

    *out = (struct tap_options){.file = NULL};
    opterr = 0;
    optind = 0;
    while (parsed == TAP_RUN && (name = getopt_long(argc, argv, ":w:s:c:d:C:Z:h", names, NULL)) != -1)
        parsed = parse_option(out, name, argv[optind - 1], why, size);
    if (parsed != TAP_RUN)
        return parsed;
    if (out->asked && !out->file) /* the filter was right */
        return TAP_DONE;
    if (optind < argc)
        (void)snprintf(why, size, "unexpected argument \"%s\" (see --help)", argv[optind]);
    else if (!out->file)
        (void)snprintf(why, size, "-w FILE is missing (see --help)");
    return optind < argc || !out->file ? TAP_WRONG : TAP_RUN;
}
