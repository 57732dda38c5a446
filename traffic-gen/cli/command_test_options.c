// SPDX-License-Identifier: GPL-2.0-or-later
/* The options of iwarp-gen test: allowed values and combinations, and their effect on a run. */
#include "traffic-gen/cli/command_test_options.h"

#include "traffic-gen/cli/command.h"
#include "traffic-gen/explore/pairs/covering.h"
#include "traffic-gen/explore/pairs/pairs_run.h"
#include "traffic-gen/live/verbs/verbs.h"
#include "traffic-gen/tester/suite/rpc/nfs_run.h"
#include "traffic-gen/tester/suite/rpc/rpc_port.h"
#include "traffic-gen/tester/suite/run/load.h"

#include <math.h>
#include <string.h>

enum { JOBS_MAX = 64, REPEAT_MAX = 1000, CONFIRM_MAX = 9 };

static const struct test_format formats[] = {
    {"text", suite_report_text}, {"json", suite_report_json}, {"junit", suite_report_junit},
    {"html", suite_report_page}, {"tap", suite_report_tap},
};

const struct test_format *test_format_find(const char *name)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(formats); i++) {
        if (strcmp(formats[i].name, name) == 0)
            return &formats[i];
    }
    return NULL;
}

static int test_options_numbers_fit(const struct test_options *options)
{
    const bool paces = !isnan(options->pace);
    const struct command_range ranges[] = {
        {"-j", options->jobs, 1, JOBS_MAX, NULL},
        {"--repeat", options->repeat, 1, REPEAT_MAX, NULL},
        {"--confirm", options->confirm, 1, CONFIRM_MAX, NULL},
        {"--load", options->load, 0, LOAD_MAX, NULL},
        {"--strength", options->strength, 0, COVERING_STRENGTH_MAX, NULL},
        {"--stop-after", options->stop_after, 0, INT16_MAX, NULL},
        {"--timeout", options->timeout, 0.01, 3600, " seconds"},
        {"--start-timeout", options->start_timeout, 0.01, 3600, " seconds"},
        {"--idle-timeout", options->idle_timeout, 0.01, 3600, " seconds"},
        {"--accept-timeout", options->accept_timeout, 0.01, 3600, " seconds"},
        {"--recover-timeout", options->recover_timeout, 0.01, 3600, " seconds"},
        {"--reset-timeout", options->reset_timeout, 0.01, 3600, " seconds"},
        {"--settle", options->settle, 0, 60, " seconds"},
        {"--connections-per-second", paces ? options->pace : 1, 0.01, 1000, NULL},
    };

    if (options->listen && (options->reuse || paces))
        return command_fail("%s: only for a Responder; an Initiator connects when it likes",
                            options->reuse ? "--reuse" : "--connections-per-second");
    return command_check_ranges(ranges, G_N_ELEMENTS(ranges));
}

/* The user's statements about the device's service. */
static const struct {
    const char *name;
    unsigned services;
} services[] = {{"none", 0},
                {"echo", NEED_ECHO | NEED_RECEIVES},
                {"rpc", NEED_RPC | NEED_RECEIVES},
                {"nfs", NEED_RPC | NEED_NFS | NEED_RECEIVES}};

static bool parse_service(const char *text, unsigned *out)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(services); i++) {
        if (strcmp(services[i].name, text) == 0) {
            *out = services[i].services;
            return true;
        }
    }
    return false;
}

char *test_service_names(const char *before, const char *last)
{
    GString *text = g_string_new(before);

    for (unsigned i = 0; i < G_N_ELEMENTS(services); i++)
        g_string_append_printf(text, "%s%s",
                               i == 0                           ? ""
                               : i + 1 < G_N_ELEMENTS(services) ? ", "
                                                                : last,
                               services[i].name);
    return g_string_free(text, FALSE);
}

/* Options about NFS, and the seed. False: *status is set. */
static bool take_nfs(const struct test_options *options, struct talk_run *run, int *status)
{
    struct nfs_run *nfs = run->nfs;
    guint64 port, seed = run->seed;

    nfs->export = options->export;
    nfs->mount_port = options->mount_port;
    nfs->wanted = options->nfs_version ? nfs_versions_parse(options->nfs_version) : 0;
    if (options->nfs_version && nfs->wanted == 0)
        *status = command_fail("--nfs-version: '%s' is not a list of 3, 4.0, 4.1, 4.2, 4 (comma-separated)",
                               options->nfs_version);
    else if (options->mount_port &&
             !g_ascii_string_to_unsigned(options->mount_port, 10, options->listen ? 0 : 1, UINT16_MAX, &port, NULL))
        *status = command_fail("--mount-port: '%s' is not a port", options->mount_port);
    else if (options->seed && !g_ascii_string_to_unsigned(options->seed, 10, 0, UINT32_MAX, &seed, NULL))
        *status = command_fail("--seed: '%s' is not from 0 to 4294967295", options->seed);
    else {
        run->seed = seed;
        return true;
    }
    return false;
}

/* Other connections: only one case at a time can be the cause of their errors. */
static int load_fits(const struct test_options *options, const char *address)
{
    if (options->load == 0)
        return COMMAND_DONE;
    if (options->listen || verbs_address(address))
        return command_fail("--load: needs a device at HOST:PORT, to which it can connect");
    if (options->jobs > 1)
        return command_fail("--load: needs one case at a time (-j 1), so that a failure has one possible cause");
    return COMMAND_DONE;
}

/* Combinations are not cases of the suites. */
static int strength_fits(const struct test_options *options, const char *address, enum suite_dut dut)
{
    const struct {
        const char *name;
        bool given;
    } others[] = {
        {"--rules", options->rules != NULL}, {"--skip", options->skip != NULL}, {"--soak", options->soak != NULL}};
    g_autofree char *why = NULL;

    if (options->strength == 0)
        return COMMAND_DONE;
    for (unsigned i = 0; i < G_N_ELEMENTS(others); i++) {
        if (others[i].given)
            return command_fail("--strength: not with %s; --suite chooses what to combine (iwarp-gen list pairs)",
                                others[i].name);
    }
    return pairs_names_good(options->suites, dut, verbs_address(address) != NULL, &why) ? COMMAND_DONE
                                                                                        : command_fail("%s", why);
}

int test_options_fit(const struct test_options *options, const char *address, enum suite_dut dut)
{
    int status = strength_fits(options, address, dut);

    return status == COMMAND_DONE ? load_fits(options, address) : status;
}

bool test_options_soak(const struct test_options *options, int64_t *out, int *status)
{
    static const struct {
        const char *unit;
        double seconds;
    } units[] = {{"", 1}, {"s", 1}, {"m", 60}, {"h", 3600}, {"d", 86400}};
    char *end;
    double number;

    if (!options->soak)
        return true;
    if (options->resume || options->repeat > 1) {
        *status = command_fail("--soak: not with %s; it runs each case as often as there is time for",
                               options->resume ? "--resume" : "--repeat");
        return false;
    }
    number = g_ascii_strtod(options->soak, &end);
    for (unsigned i = 0; i < G_N_ELEMENTS(units) && number > 0 && end > options->soak; i++) {
        if (strcmp(end, units[i].unit) == 0 && number * units[i].seconds <= 366 * 86400.0) {
            *out = command_nanoseconds(number * units[i].seconds);
            return true;
        }
    }
    *status = command_fail("--soak: '%s' is not a duration such as 90s, 30m or 12h", options->soak);
    return false;
}

/* Options that change octets, and so cannot be used with an RDMA device of this host. */
static const char *option_of_octets(const struct test_options *options)
{
    const struct {
        const char *name;
        bool given;
    } given[] = {{"mpa", options->mpa != NULL},
                 {"advert", options->advert != NULL},
                 {"default-configuration", options->default_configuration}};

    for (unsigned i = 0; i < G_N_ELEMENTS(given); i++) {
        if (given[i].given)
            return given[i].name;
    }
    return NULL;
}

/* A socket, or the RDMA device for "rdma:HOST:PORT". False: *status. */
static bool test_options_take_port(const struct test_options *options, const char *address, struct talk_run *run,
                                   int *status)
{
    const char *wrong = option_of_octets(options);
    g_autoptr(GError) error = NULL;

    if (!verbs_address(address)) {
        if (!options->capture)
            return true;
        *status = command_fail("--capture: only with rdma:HOST:PORT; at HOST:PORT --write-capture records every octet");
        return false;
    }
    if (!options->service)
        run->services = NEED_RPC | NEED_NFS | NEED_RECEIVES;
    run->rpc_port = &rpc_port_verbs;
    if (wrong)
        *status = command_fail("--%s: not for a device at rdma:HOST:PORT, as an RDMA device makes the octets", wrong);
    else if (options->record)
        *status =
            command_fail("--write-capture: the octets of an RDMA device are not visible here; capture them beside the "
                         "run, and name the file with --capture");
    else if (!(run->services & NEED_RPC))
        *status = command_fail("--service: a device at rdma:HOST:PORT is tested for rpc or nfs");
    else if (options->listen && options->jobs > 1)
        *status = command_fail("-j: a device that connects to rdma:HOST:PORT is tested one case at a time");
    else if (!verbs_possible(&error))
        *status = command_fail("%s: %s", address, error->message);
    else
        return true;
    return false;
}

static bool test_options_take_advert(const char *advert, struct talk_run *run)
{
    bool none;

    run->asks = strcmp(advert, "send") == 0;
    run->lab = strcmp(advert, "LAB1") == 0;
    none = run->asks || strcmp(advert, "none") == 0;
    run->given.fields |= STARTUP_DATA;
    run->given.terms.words = none ? PRIVATE_DATA_NONE : PRIVATE_DATA_ADVERT;
    return none || run->lab || strcmp(advert, "IWT1") == 0;
}

/* Checks options with a few values, and --mpa. */
static int test_options_take_words(const struct test_options *options, struct talk_run *run)
{
    g_autoptr(GError) error = NULL;

    if (!test_format_find(options->format))
        return command_fail("--format: '%s' is not text, json, junit, html or tap", options->format);
    if (options->service && !parse_service(options->service, &run->services)) {
        g_autofree char *names = test_service_names(NULL, " or ");

        return command_fail("--service: '%s' is not %s", options->service, names);
    }
    if (options->advert && !test_options_take_advert(options->advert, run))
        return command_fail("--advert: '%s' is not IWT1, LAB1, send or none", options->advert);
    run->full_transcript = g_strcmp0(options->transcript, "full") == 0;
    if (options->transcript && !run->full_transcript && strcmp(options->transcript, "short") != 0)
        return command_fail("--transcript: '%s' is not short or full", options->transcript);
    if (options->mpa && !startup_parse(&run->given, options->mpa, &error))
        return command_fail("%s", error->message);
    return COMMAND_DONE;
}

bool test_options_take(const struct test_options *options, const char *address, struct talk_run *run, int *status)
{
    *status = test_options_take_words(options, run);
    if (*status == COMMAND_DONE)
        *status = test_options_numbers_fit(options);
    if (*status != COMMAND_DONE)
        return false;
    run->seed = g_random_int();
    run->nfs = nfs_run_new();
    return take_nfs(options, run, status) && test_options_take_port(options, address, run, status);
}
