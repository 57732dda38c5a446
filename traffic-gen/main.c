// SPDX-License-Identifier: GPL-2.0-or-later
/* iwarp-gen: writes conversations, conforming or with one fault, to capture files. */
#include "traffic-gen/bulk.h"
#include "traffic-gen/fault.h"
#include "traffic-gen/scenario.h"
#include "traffic-gen/scenario_file.h"
#include "traffic-gen/script.h"
#include "traffic-gen/work.h"

#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXIT_USAGE = 2, MTU_MIN = 128, MTU_MAX = 65535, ULPDU_MIN = 64 };

struct play_options {
    char *output, *inject, *net, *size, *script;
    gint64 seed;
    gint mtu, snap_length, ulpdu, count, connections;
    gboolean ipv6, vlan, pcap, markers, no_crc;
};

static int fail(const char *format, ...) G_GNUC_PRINTF(1, 2);

static int fail(const char *format, ...)
{
    va_list ap;

    va_start(ap, format);
    fputs("iwarp-gen: ", stderr);
    vfprintf(stderr, format, ap);
    fputc('\n', stderr);
    va_end(ap);
    return EXIT_USAGE;
}

/* "loss=0.02,reorder=0.1": each a probability. */
static bool parse_net(const char *text, struct sim_trouble *trouble)
{
    const struct {
        const char *name;
        double *value;
    } keys[] = {
        {"loss", &trouble->loss},           {"reorder", &trouble->reorder},           {"dup", &trouble->dup},
        {"resegment", &trouble->resegment}, {"capture-loss", &trouble->capture_loss},
    };
    char **parts = g_strsplit(text, ",", -1);
    bool good = true;

    for (unsigned i = 0; parts[i] && good; i++) {
        char *value = strchr(parts[i], '=');
        bool known = false;

        if (value)
            *value++ = '\0';
        for (unsigned k = 0; value && k < G_N_ELEMENTS(keys); k++) {
            char *end;

            if (strcmp(keys[k].name, parts[i]) != 0)
                continue;
            *keys[k].value = g_ascii_strtod(value, &end);
            known = end != value && *end == '\0' && *keys[k].value >= 0 && *keys[k].value <= 0.5;
        }
        if (!known) {
            fail("--net: '%s' is not loss, reorder, dup, resegment or capture-loss with a probability from 0 to 0.5",
                 parts[i]);
            good = false;
        }
    }
    g_strfreev(parts);
    return good;
}

/* "200M": octets with an optional suffix. */
static bool parse_size(const char *text, uint64_t *size)
{
    static const char suffixes[] = "kMG";
    char *end;
    guint64 value = g_ascii_strtoull(text, &end, 10);
    const char *suffix = *end ? strchr(suffixes, *end) : NULL;

    if (end == text || (*end && (!suffix || end[1])) || value == 0)
        return false;
    for (long i = suffix ? suffix - suffixes : -1; i >= 0; i--)
        value *= 1000;
    *size = value;
    return true;
}

/* Written as they are made, unlike scenarios. */
static const struct bulk_scenario {
    const char *name, *summary;
    bool (*play)(struct capture_file *file, const struct bulk_options *options);
} bulk_scenarios[] = {
    {"bulk", "one connection of --size octets with RDMA Writes of --ulpdu octets, for measurements", bulk_play},
    {"nfs-bulk", "one connection of --size octets with NFSv3 READs and WRITEs of 1 MiB, for measurements",
     bulk_nfs_play},
    {"many", "--connections short connections, one in twenty left open, for measurements", bulk_many_play},
};

static const struct bulk_scenario *bulk_find(const char *name)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(bulk_scenarios); i++) {
        if (strcmp(bulk_scenarios[i].name, name) == 0)
            return &bulk_scenarios[i];
    }
    return NULL;
}

static int play_bulk(struct capture_file *file, const struct play_options *options,
                     const struct bulk_scenario *scenario)
{
    struct bulk_options bulk = {.size = 200 * 1000 * 1000,
                                .ulpdu = (unsigned)options->ulpdu,
                                .markers = options->markers,
                                .no_crc = options->no_crc,
                                .ipv6 = options->ipv6,
                                .vlan = options->vlan,
                                .connections = (uint64_t)options->connections};

    if (options->connections < 1 || options->connections > BULK_CONNECTIONS_MAX)
        return fail("--connections: %d is not from 1 to %d", options->connections, BULK_CONNECTIONS_MAX);
    if (options->size && !parse_size(options->size, &bulk.size))
        return fail("--size: '%s' is not a number of octets (200M, 64k)", options->size);
    if (options->ulpdu < ULPDU_MIN || options->ulpdu > MPA_ULPDU_MAX)
        return fail("--ulpdu: %d is not from %d to %d", options->ulpdu, ULPDU_MIN, MPA_ULPDU_MAX);
    if (!scenario->play(file, &bulk))
        return fail("%s: %s", options->output, g_strerror(errno));
    return 0;
}

static int play_scenario(struct capture_file *file, const struct play_options *options, const struct scenario *scenario,
                         const struct scenario_file *yaml, const struct fault *fault)
{
    struct sim_trouble trouble = {0};

    if (options->net && !parse_net(options->net, &trouble))
        return EXIT_USAGE;

    struct stage *stage = stage_new(file, (uint64_t)options->seed, &trouble);
    const char *why = NULL;
    int status = 0;

    stage->mtu = scenario->mtu ? scenario->mtu : 1500;
    if (yaml && scenario_file_mtu(yaml))
        stage->mtu = scenario_file_mtu(yaml);
    if (options->mtu)
        stage->mtu = (unsigned)options->mtu;
    stage->ipv6 = options->ipv6;
    stage->vlan = options->vlan;
    stage->fault = fault;
    stage->count = options->count > 0 ? (unsigned)options->count : 0;
    if (fault && (fault->play || fault->script)) {
        stage->fault_done = true;
        if (fault->play)
            fault->play(stage);
        else
            script_play(stage, fault->script);
    } else if (yaml && scenario_file_work(yaml)) {
        g_autofree char *error = NULL;

        if (!work_play(scenario_file_work(yaml), stage, &error))
            status = fail("%s", error);
    } else if (yaml) {
        scenario_file_play(yaml, stage);
    } else if (scenario->script) {
        script_play(stage, scenario->script);
    } else {
        scenario->play(stage);
    }
    if (status == 0 && fault && !stage->fault_done)
        status =
            fail("scenario %s has no place for fault %s (made for %s)", scenario->name, fault->id, fault->scenario);
    else if (status == 0 && !sim_run(stage->sim, &why))
        status = fail("%s: %s%s%s", options->output, why, errno ? ": " : "", errno ? g_strerror(errno) : "");
    stage_free(stage);
    return status;
}

/* Half a capture is worse than none; devices and pipes are not ours to remove. */
static void remove_capture(const char *path)
{
    if (g_file_test(path, G_FILE_TEST_IS_REGULAR))
        remove(path);
}

/* A script that cannot be read ends the program while its capture is being written. */
static const char *unfinished;

static void remove_unfinished(void)
{
    if (unfinished)
        remove_capture(unfinished);
}

/* A scenario in YAML, its own or the one of a file; NULL with *error when it is not right, without when it is none. */
static struct scenario_file *load_yaml(const char *name, const struct scenario *scenario, char **error)
{
    g_autofree char *place = NULL;

    *error = NULL;
    if (!scenario)
        return scenario_file_load(name, error);
    if (!scenario->yaml)
        return NULL;
    place = g_strdup_printf("%s.yaml", scenario->name);
    return scenario_file_parse(place, scenario->yaml, strlen(scenario->yaml), error);
}

static bool names_file(const char *name)
{
    return g_str_has_suffix(name, ".yaml") || g_str_has_suffix(name, ".yml");
}

static int play_checked(const char *name, const struct play_options *options, const struct scenario *scenario,
                        const struct scenario_file *yaml)
{
    const struct bulk_scenario *bulk = bulk_find(name);
    const struct fault *fault = options->inject ? fault_find(options->inject) : NULL;

    if (!bulk && !scenario)
        return fail("no scenario '%s' (see: iwarp-gen list scenarios)", name);
    if (!options->output)
        return fail("play needs -o FILE");
    if (options->inject && !fault)
        return fail("no fault '%s' (see: iwarp-gen list faults)", options->inject);
    if (fault && (bulk || ((fault->play || fault->script) && strcmp(fault->scenario, name) != 0)))
        return fail("fault %s belongs to scenario %s", fault->id, fault->scenario);
    if (options->mtu && (options->mtu < MTU_MIN || options->mtu > MTU_MAX))
        return fail("--mtu: %d is not from %d to %d", options->mtu, MTU_MIN, MTU_MAX);
    if (options->count < 0)
        return fail("--count: %d is negative", options->count);
    if (options->snap_length < 0)
        return fail("--snaplen: %d is negative", options->snap_length);

    struct capture_file *file = capture_file_open(options->output, options->pcap ? CAPTURE_PCAP : CAPTURE_PCAPNG,
                                                  (uint32_t)options->snap_length);

    if (!file)
        return fail("%s: %s", options->output, g_strerror(errno));
    errno = 0;
    unfinished = options->output;

    int status = bulk ? play_bulk(file, options, bulk) : play_scenario(file, options, scenario, yaml, fault);

    if (!capture_file_close(file) && status == 0)
        status = fail("%s: %s", options->output, g_strerror(errno));
    unfinished = NULL;
    if (status != 0)
        remove_capture(options->output);
    return status;
}

static int play(const char *name, const struct play_options *options)
{
    const struct scenario given = {.name = "script", .script = options->script}, file = {.name = name};
    const struct scenario *scenario = options->script && strcmp(name, given.name) == 0 ? &given : scenario_find(name);
    struct scenario_file *yaml = NULL;
    char *error = NULL;
    int status;

    if (scenario || names_file(name))
        yaml = load_yaml(name, scenario, &error);
    if (error) {
        status = fail("%s", error);
        g_free(error);
        return status;
    }
    status = play_checked(name, options, yaml && !scenario ? &file : scenario, yaml);
    scenario_file_free(yaml);
    return status;
}

static int list(const char *what)
{
    if (strcmp(what, "scenarios") == 0) {
        const struct scenario *scenario;

        for (unsigned i = 0; (scenario = scenario_at(i)); i++)
            printf("%s\t%s\n", scenario->name, scenario->summary);
        for (unsigned i = 0; i < G_N_ELEMENTS(bulk_scenarios); i++)
            printf("%s\t%s\n", bulk_scenarios[i].name, bulk_scenarios[i].summary);
        return 0;
    }
    if (strcmp(what, "faults") == 0) {
        const struct fault *fault;

        for (unsigned i = 0; (fault = fault_at(i)); i++)
            printf("%s\t%s\t%s\t%s\n", fault->id, fault->scenario, fault->also ? fault->also : "-", fault->summary);
        return 0;
    }
    return fail("list: '%s' is neither scenarios nor faults", what);
}

int main(int argc, char **argv)
{
    struct play_options options = {.seed = 1, .ulpdu = 1400, .connections = 1000};
    const GOptionEntry entries[] = {
        {"output", 'o', 0, G_OPTION_ARG_FILENAME, &options.output, "capture to write (-: standard output)", "FILE"},
        {"inject", 0, 0, G_OPTION_ARG_STRING, &options.inject, "break this rule", "ID"},
        {"script", 0, 0, G_OPTION_ARG_STRING, &options.script, "script: what is said (traffic-gen/script.h)", "TEXT"},
        {"seed", 0, 0, G_OPTION_ARG_INT64, &options.seed, "of everything random (default 1)", "N"},
        {"mtu", 0, 0, G_OPTION_ARG_INT, &options.mtu, "of the path (default 1500)", "N"},
        {"net", 0, 0, G_OPTION_ARG_STRING, &options.net,
         "trouble: loss=, reorder=, dup=, resegment=, capture-loss=, each a probability", "LIST"},
        {"ipv6", 0, 0, G_OPTION_ARG_NONE, &options.ipv6, "IPv6 instead of IPv4", NULL},
        {"vlan", 0, 0, G_OPTION_ARG_NONE, &options.vlan, "with a VLAN tag", NULL},
        {"pcap", 0, 0, G_OPTION_ARG_NONE, &options.pcap, "write pcap instead of pcapng", NULL},
        {"snaplen", 0, 0, G_OPTION_ARG_INT, &options.snap_length, "cut packets at N octets", "N"},
        {"size", 0, 0, G_OPTION_ARG_STRING, &options.size, "bulk, nfs-bulk: size of the capture (default 200M)",
         "N[kMG]"},
        {"ulpdu", 0, 0, G_OPTION_ARG_INT, &options.ulpdu, "bulk, nfs-bulk: ULPDU_Length (default 1400)", "N"},
        {"count", 0, 0, G_OPTION_ARG_INT, &options.count, "operations: how many (default 1000)", "N"},
        {"connections", 0, 0, G_OPTION_ARG_INT, &options.connections, "many: how many (default 1000)", "N"},
        {"markers", 0, 0, G_OPTION_ARG_NONE, &options.markers, "bulk, nfs-bulk: with Markers", NULL},
        {"no-crc", 0, 0, G_OPTION_ARG_NONE, &options.no_crc, "bulk, nfs-bulk: without CRC", NULL},
        G_OPTION_ENTRY_NULL,
    };

    setlocale(LC_ALL, "");
    atexit(remove_unfinished);

    GOptionContext *context = g_option_context_new("play SCENARIO|FILE.yaml -o FILE | list scenarios|faults");
    GError *error = NULL;
    int status;

    g_option_context_set_summary(context,
                                 "Writes iWARP conversations, conforming or with one fault, to capture files.");
    g_option_context_add_main_entries(context, entries, NULL);
    if (!g_option_context_parse(context, &argc, &argv, &error)) {
        status = fail("%s", error->message);
        g_error_free(error);
    } else if (argc == 3 && strcmp(argv[1], "play") == 0) {
        status = play(argv[2], &options);
    } else if (argc == 3 && strcmp(argv[1], "list") == 0) {
        status = list(argv[2]);
    } else {
        status = fail("expected 'play SCENARIO -o FILE' or 'list scenarios|faults' (see: iwarp-gen --help)");
    }
    g_option_context_free(context);
    g_free(options.output);
    g_free(options.inject);
    g_free(options.net);
    g_free(options.script);
    g_free(options.size);
    if (fflush(stdout) != 0 && status == 0)
        status = fail("standard output: %s", g_strerror(errno));
    return status;
}
