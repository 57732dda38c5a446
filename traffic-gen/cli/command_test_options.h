/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options of iwarp-gen test. Functions report errors on standard error. */
#ifndef IWARP_TRAFFIC_CLI_COMMAND_TEST_OPTIONS_H
#define IWARP_TRAFFIC_CLI_COMMAND_TEST_OPTIONS_H

#include "traffic-gen/cli/command_wire.h"
#include "traffic-gen/tester/suite/result/result.h"
#include "traffic-gen/tester/suite/talk/talk_run.h"

/* As given; NULL, 0 or NaN: not given. */
struct test_options {
    gboolean listen;
    char **suites, **rules, **skip, **waivers;
    char *before_each, *reset, *resume, *format, *output, *record, *service, *advert, *mpa, *device;
    char *export, *mount_port, *nfs_version, *seed, *transcript, *capture, *device_info, *soak;
    double timeout, start_timeout, idle_timeout, accept_timeout, recover_timeout, settle, reset_timeout, pace;
    gint jobs, repeat, stop_after, confirm, load, strength;
    gboolean default_configuration, strict_waivers, accept_given, reuse, capture_filter;
    struct command_wire wire;
};

/* A format of reports; NULL: unknown name. */
struct test_format {
    const char *name;
    void (*write)(const struct suite_report *report, FILE *out);
};
const struct test_format *test_format_find(const char *name);

/* "BEFOREnone, echo, rpcLASTnfs"; g_free() it. */
char *test_service_names(const char *before, const char *last);

/* Whether --strength and --load are compatible with other options and this device; else an exit status. */
int test_options_fit(const struct test_options *options, const char *address, enum suite_dut dut);
/* Checks the other options for the run. False: *status. */
bool test_options_take(const struct test_options *options, const char *address, struct talk_run *run, int *status);
/* --soak in nanoseconds: "90", "90s", "30m", "12h". False: *status. */
bool test_options_soak(const struct test_options *options, int64_t *out, int *status);

#endif
