// SPDX-License-Identifier: GPL-2.0-or-later
/* iwarp-gen play: writes conversations, conforming or with faults, to capture files. */
#include "support/output_file.h"
#include "traffic-gen/cli/command_scenario.h"
#include "traffic-gen/cli/packet_filter.h"
#include "traffic-gen/speak/bulk/bulk.h"
#include "traffic-gen/speak/say/carrier.h"
#include "traffic-gen/speak/sim/rc.h"
#include "traffic-gen/speak/sim/sim_trouble.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    CLIENTS_MAX = 250,
    MANY_DEFAULT = 1000,
    ULPDU_MIN = 64,
    ULPDU_DEFAULT = 1400,
};

struct play_options {
    char *output, *inject, *net, *size, *script, *memory, *transport, *filter;
    gint64 seed;
    gint mtu, snap_length, ulpdu, count, connections;
    gboolean ipv6, vlan, pcap, live, markers, no_crc;
    const struct carrier *carrier; /* from --transport */
    uint64_t octets;               /* from --size; 0: not given */
};

/* "200M": octets with an optional suffix. */
static bool parse_size(const char *text, uint64_t *size)
{
    static const char suffixes[] = "kMG";
    char *end;
    guint64 value = g_ascii_strtoull(text, &end, 10);
    const char *suffix = *end ? strchr(suffixes, *end) : NULL;

    if (!g_ascii_isdigit(*text) || (*end && (!suffix || end[1])) || value == 0)
        return false;
    for (long i = suffix ? suffix - suffixes : -1; i >= 0; i--) {
        if (value > INT64_MAX / 1000)
            return false;
        value *= 1000;
    }
    *size = value;
    return value <= INT64_MAX;
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
                                .connections = MANY_DEFAULT};

    if (options->connections != G_MININT)
        bulk.connections = (uint64_t)options->connections;
    if (bulk.connections < 1 || bulk.connections > BULK_CONNECTIONS_MAX)
        return command_fail("--connections: %d is not from 1 to %d", options->connections, BULK_CONNECTIONS_MAX);
    if (options->octets)
        bulk.size = options->octets;
    if (options->ulpdu < ULPDU_MIN || options->ulpdu > MPA_ULPDU_MAX)
        return command_fail("--ulpdu: %d is not from %d to %d", options->ulpdu, ULPDU_MIN, MPA_ULPDU_MAX);
    if (!scenario->play(file, &bulk))
        return command_fail("%s: %s", options->output, g_strerror(errno));
    return 0;
}

/* Plays one stage: the scenario with one fault, or none, appended to the file. */
static int play_stage(struct capture_file *file, const struct play_options *options,
                      const struct scenario_source *source, const struct fault *fault,
                      const struct sim_trouble *trouble, struct stage_place *place)
{
    struct stage *stage = stage_new(file, (uint64_t)options->seed, trouble, place);
    g_autofree char *error = NULL;
    const char *why = NULL;
    int status = COMMAND_DONE;

    stage->mtu = options->mtu ? (unsigned)options->mtu : scenario_source_mtu(source);
    stage->carrier = options->carrier;
    stage->ipv6 = options->ipv6;
    stage->vlan = options->vlan;
    stage->memory_folder = options->memory;
    /* All clients play the scenario at the same time, one of them with the fault. */
    for (stage->client = 0; stage->client < (unsigned)MAX(options->connections, 1) && !error; stage->client++) {
        scenario_source_play(source, stage->client == 0 ? fault : NULL, stage, &error);
    }
    if (error)
        status = command_fail("%s", error);
    else if (fault && !stage->deviated)
        status = command_fail_fault(source, fault);
    else if (!sim_run(stage->sim, &why))
        status = command_fail("%s: %s%s%s", options->output, why, errno ? ": " : "", errno ? g_strerror(errno) : "");
    stage_leave(stage, place);
    stage_free(stage);
    return status;
}

static int play_scenario(struct capture_file *file, const struct play_options *options,
                         const struct scenario_source *source, const GPtrArray *faults)
{
    struct sim_trouble trouble = {0};
    struct stage_place place = {0};
    g_autofree char *error = NULL;
    int status = COMMAND_DONE;

    if (options->net && !sim_trouble_parse(options->net, options->carrier == &carrier_roce, &trouble, &error))
        return command_fail("%s", error);
    if (!faults)
        return play_stage(file, options, source, NULL, &trouble, &place);
    for (unsigned i = 0; i < faults->len && status == COMMAND_DONE; i++)
        status = play_stage(file, options, source, faults->pdata[i], &trouble, &place);
    return status;
}

/* Octets of the capture with this count; 0 with *status. */
static uint64_t octets_of_count(const char *name, const struct play_options *options, unsigned count, int *status)
{
    struct play_options counted = *options;
    struct scenario_source source = {0};
    struct capture_file *file =
        capture_file_open("/dev/null", options->pcap ? CAPTURE_PCAP : CAPTURE_PCAPNG, (uint32_t)options->snap_length);
    g_autofree char *error = NULL;
    uint64_t octets = 0;

    counted.count = (gint)count;
    if (!file)
        *status = command_fail("/dev/null: %s", g_strerror(errno));
    else if (!scenario_source_load(&source, name, NULL, count, &error))
        *status = command_fail("%s", error);
    else
        *status = play_scenario(file, &counted, &source, NULL);
    if (file && *status == COMMAND_DONE)
        octets = capture_file_octets(file);
    if (file)
        capture_file_close(file);
    scenario_source_clear(&source);
    return octets;
}

/*
 * Converts --size to a count: captures of one round and of three show the size of a round, as the rounds of
 * `operations` alternate between two kinds.
 */
static int count_of_size(const char *name, struct play_options *options, struct scenario_source *source)
{
    int status = COMMAND_DONE;
    uint64_t one = octets_of_count(name, options, 1, &status), two_more = 0, count = 1;
    g_autofree char *error = NULL;

    if (status == COMMAND_DONE)
        two_more = octets_of_count(name, options, 3, &status) - one;
    if (status != COMMAND_DONE)
        return status;
    if (options->octets > one && two_more > 0 && options->octets <= UINT64_MAX / 4)
        count += (2 * (options->octets - one) + two_more / 2) / two_more;
    options->count = (gint)MIN(count, INT_MAX);
    scenario_source_clear(source);
    if (!scenario_source_load(source, name, NULL, (unsigned)options->count, &error))
        return command_fail("--size: %s", error);
    return COMMAND_DONE;
}

/* An incomplete capture is removed, but not a device or pipe. */
static void remove_capture(const char *path)
{
    if (g_file_test(path, G_FILE_TEST_IS_REGULAR))
        remove(path);
}

/* Options for some scenarios only. */
static int play_check_uses(const struct play_options *options, const struct scenario_source *source,
                           const struct bulk_scenario *bulk)
{
    static const char bulks[] = "the scenarios bulk, bulk-whole and nfs-bulk", others[] = "scenarios that are not bulk";
    static const char framed[] = "the scenarios bulk, bulk-whole and nfs-bulk; in others the script decides";
    const bool sized = bulk && !bulk->counted, counted = !bulk && source->counted;
    const struct command_only rows[] = {
        {options->size, sized || (counted && options->count == 0), "--size",
         "the scenarios bulk, bulk-whole and nfs-bulk, and those with a count (but not with --count)"},
        {options->ulpdu != ULPDU_DEFAULT, sized, "--ulpdu", bulks},
        {options->markers, sized, "--markers", framed},
        {options->no_crc, sized, "--no-crc", framed},
        {options->connections != G_MININT, !sized, "--connections",
         "scenarios other than bulk, bulk-whole and nfs-bulk"},
        {options->count != 0, counted, "--count",
         "the scenarios operations and nfs-metadata, and those with `repeat count`"},
        {options->script, source->scenario && source->scenario->script == options->script, "--script",
         "the scenario script"},
        {options->memory, source->work, "--memory", "scenarios of work"},
        {options->inject, !bulk, "--inject", others},
        {options->net, !bulk, "--net", others},
        {options->mtu != 0, !bulk, "--mtu", others},
        {options->transport, !bulk, "--transport", others},
    };

    return command_check_only(rows, G_N_ELEMENTS(rows));
}

/* Options that do not exist on RoCE. */
static int check_roce(const struct play_options *options, const struct scenario_source *source, const GPtrArray *faults)
{
    for (unsigned i = 0; i < (faults ? faults->len : 1); i++) {
        g_autofree char *why = scenario_source_roce_refusal(source, faults ? faults->pdata[i] : NULL);

        if (why)
            return command_fail("%s", why);
    }
    if (options->mtu && rc_path_mtu((unsigned)options->mtu) == 0)
        return command_fail("--mtu: %d has no room for packets of the smallest path MTU of RoCE, 256 octets",
                            options->mtu);
    return COMMAND_DONE;
}

/* Checks the ranges of numbers, and the use of --size in this scenario. */
static int play_check_numbers(const char *name, struct play_options *options, struct scenario_source *source,
                              bool is_bulk)
{
    if (options->count < 0)
        return command_fail("--count: %d is negative", options->count);
    if (!is_bulk && options->connections != G_MININT &&
        (options->connections < 1 || options->connections > CLIENTS_MAX))
        return command_fail("--connections: %d is not from 1 to %d", options->connections, CLIENTS_MAX);
    if (options->snap_length < 0)
        return command_fail("--snaplen: %d is negative", options->snap_length);
    if (options->size && !parse_size(options->size, &options->octets))
        return command_fail("--size: '%s' is not a number of octets above 0 (200M, 64k)", options->size);
    return options->size && !is_bulk ? count_of_size(name, options, source) : COMMAND_DONE;
}

static int play_check(const char *name, struct play_options *options, struct scenario_source *source,
                      const GPtrArray *faults, const struct bulk_scenario *bulk)
{
    int status;

    if (!bulk && !source->scenario)
        return command_fail_no_scenario(name);
    if (!options->output)
        return command_fail("play needs -o FILE, the capture to write (-: standard output)");
    if (source->is_file && output_file_is(name, options->output))
        return command_fail("-o %s is the scenario itself; give another name", options->output);
    status = play_check_uses(options, source, bulk);
    if (status == COMMAND_DONE && options->carrier == &carrier_roce)
        status = check_roce(options, source, faults);
    if (status == COMMAND_DONE)
        status = command_check_faults(source, faults);
    if (status == COMMAND_DONE)
        status = command_check_mtu(options->mtu);
    return status == COMMAND_DONE ? play_check_numbers(name, options, source, bulk != NULL) : status;
}

static int play_checked(const char *name, struct play_options *options, struct scenario_source *source,
                        const GPtrArray *faults, struct bpf_program *filter)
{
    const struct bulk_scenario *bulk = bulk_find(name);
    int status = play_check(name, options, source, faults, bulk);
    struct capture_file *file;

    if (status != COMMAND_DONE)
        return status;
    file = capture_file_open(options->output, options->pcap ? CAPTURE_PCAP : CAPTURE_PCAPNG,
                             (uint32_t)options->snap_length);
    if (!file)
        return command_fail("%s: %s", options->output, g_strerror(errno));
    if (options->live)
        capture_file_set_live(file);
    if (options->filter)
        capture_file_set_filter(file, packet_filter_matches, filter);
    errno = 0;

    status = bulk ? play_bulk(file, options, bulk) : play_scenario(file, options, source, faults);

    if (!capture_file_close(file) && status == 0)
        status = command_fail("%s: %s", options->output, g_strerror(errno));
    if (status != 0)
        remove_capture(options->output);
    return status;
}

static int play_to_file(const char *name, struct play_options *options)
{
    struct scenario_source source = {0};
    GPtrArray *faults = NULL;
    char *error = NULL;
    struct bpf_program filter = {0};
    int status;

    if (scenario_source_load(&source, name, options->script, (unsigned)MAX(options->count, 0), &error) &&
        options->inject)
        faults = faults_of_list(options->inject, &error);
    if (!error && options->filter)
        packet_filter_compile(&filter, options->filter, &error);
    if (error)
        status = command_fail("%s", error);
    else
        status = play_checked(name, options, &source, faults, &filter);
    packet_filter_clear(&filter);
    g_free(error);
    if (faults)
        g_ptr_array_unref(faults);
    scenario_source_clear(&source);
    return status;
}

int command_play(int argc, char **argv)
{
    static const struct command_usage usage = {
        "SCENARIO|FILE -o FILE",
        "Writes a conversation, conforming or with faults, from SYN to FIN to a capture file.",
        "Scenarios: iwarp-gen list scenarios; their language: iwarp-scenario(5). Faults: iwarp-gen list faults.",
    };
    struct play_options options = {.seed = 1, .ulpdu = ULPDU_DEFAULT, .connections = G_MININT};
    const GOptionEntry entries[] = {
        {"output", 'o', 0, G_OPTION_ARG_FILENAME, &options.output, "capture to write (-: standard output)", "FILE"},
        {"inject", 0, 0, G_OPTION_ARG_STRING, &options.inject, "break these rules, each in its own conversation",
         "ID[,ID...]"},
        {"seed", 0, 0, G_OPTION_ARG_INT64, &options.seed, "seed for all random choices (default 1)", "N"},
        {"connections", 0, 0, G_OPTION_ARG_INT, &options.connections,
         "clients that play in parallel (default 1; many: 1000)", "N"},
        COMMAND_GROUP("Network"),
        {"transport", 0, 0, G_OPTION_ARG_STRING, &options.transport,
         "iwarp (default), or roce (RoCE v2), for RPC-over-RDMA and NFS", "NAME"},
        {"mtu", 0, 0, G_OPTION_ARG_INT, &options.mtu, "MTU of the path (default 1500)", "N"},
        {"net", 0, 0, G_OPTION_ARG_STRING, &options.net,
         "trouble: loss=P, reorder=P, dup=P, resegment=P, capture-loss=P (P: 0 to 0.5), delay=MS, jitter=MS, "
         "window=OCTETS, tso=OCTETS; roce: rnr=P instead of resegment, window and tso",
         "LIST"},
        {"ipv6", 0, 0, G_OPTION_ARG_NONE, &options.ipv6, "IPv6 instead of IPv4", NULL},
        {"vlan", 0, 0, G_OPTION_ARG_NONE, &options.vlan, "with a VLAN tag", NULL},
        COMMAND_GROUP("Capture file"),
        {"pcap", 0, 0, G_OPTION_ARG_NONE, &options.pcap, "pcap instead of pcapng", NULL},
        {"snaplen", 0, 0, G_OPTION_ARG_INT, &options.snap_length, "cut packets at N octets", "N"},
        {"filter", 0, 0, G_OPTION_ARG_STRING, &options.filter, "only packets that match (pcap-filter(7))", "FILTER"},
        {"live", 0, 0, G_OPTION_ARG_NONE, &options.live, "write each packet at its time, the first one now", NULL},
        COMMAND_GROUP("For some scenarios"),
        {"script", 0, 0, G_OPTION_ARG_STRING, &options.script, "script: the statements (iwarp-scenario(5))", "TEXT"},
        {"count", 0, 0, G_OPTION_ARG_INT, &options.count,
         "operations: how many (default 1000); nfs-metadata: rounds (1)", "N"},
        {"size", 0, 0, G_OPTION_ARG_STRING, &options.size,
         "bulk, bulk-whole, nfs-bulk, nfs-metadata: size of the capture (bulk: 200M)", "N[kMG]"},
        {"ulpdu", 0, 0, G_OPTION_ARG_INT, &options.ulpdu, "bulk, bulk-whole, nfs-bulk: ULPDU_Length (default 1400)",
         "N"},
        {"markers", 0, 0, G_OPTION_ARG_NONE, &options.markers, "bulk, bulk-whole, nfs-bulk: with Markers", NULL},
        {"no-crc", 0, 0, G_OPTION_ARG_NONE, &options.no_crc, "bulk, bulk-whole, nfs-bulk: without CRC", NULL},
        {"memory", 0, 0, G_OPTION_ARG_FILENAME, &options.memory,
         "scenarios of work: write the memory of both ends there at the end", "DIRECTORY"},
        G_OPTION_ENTRY_NULL,
    };
    int status;

    if (command_parse(&usage, entries, &argc, &argv, 1, 1, &status)) {
        options.carrier = options.transport ? carrier_find(options.transport) : &carrier_mpa;
        status = options.carrier ? play_to_file(argv[1], &options)
                                 : command_fail("--transport: '%s' is neither iwarp nor roce", options.transport);
    }
    command_clear(entries);
    return status;
}
