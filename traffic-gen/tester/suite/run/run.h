/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs chosen cases against one device, in parallel if wished, each on its own connections, and checks after each
 * whether the device is alive. A death is attributed to the case; then the run ends, or continues after a command has
 * revived the device.
 */
#ifndef IWARP_TRAFFIC_TESTER_SUITE_RUN_RUN_H
#define IWARP_TRAFFIC_TESTER_SUITE_RUN_RUN_H

#include "traffic-gen/tester/suite/result/result.h"
#include "traffic-gen/tester/suite/talk/talk_run.h"

struct chosen_case {
    const struct suite *suite;
    const struct suite_case *row;
};

struct load;

struct run_options {
    unsigned jobs;   /* number of cases in parallel */
    unsigned repeat; /* runs of each case, at least 1 */
    /*
     * If each case runs once: a case that failed, or saw a breach of another rule, is repeated until two runs agree, at
     * most this often.
     */
    unsigned confirm;
    unsigned stop_after;     /* failures that end the run; 0: no limit */
    const char *address;     /* IWARP_DEVICE for the commands */
    const char *before_each; /* command before each case; NULL: none */
    const char *reset;       /* command that revives a dead device; NULL: none */
    int64_t t_reset;         /* for that command, and until the device answers */
    struct load *load;       /* on other connections; NULL: none. Then cases run one at a time */
    /* Called for each result, never in parallel: sets result->waived for a failure that does not count. May be NULL. */
    void (*judged)(void *ctx, struct case_result *result);
    /* Called about once a second with the results so far, to allow a killed run to resume. May be NULL. */
    void (*saved)(void *ctx, const struct suite_report *report);
    /* Called when a case begins, and when a case has a verdict. May be NULL; never in parallel. */
    void (*progress)(void *ctx, unsigned done, unsigned n, const char *id);
    void (*finished)(void *ctx, unsigned done, unsigned n, const struct case_result *result);
    void *ctx;
    const struct suite_report *earlier; /* of a run whose results are kept; NULL: none */
};

/* Whether the device is alive as learned; call before the first case. False with *why, which the caller frees. */
bool run_is_alive(struct talk_run *run, char **why);

/*
 * Puts a result for each case into report, in their order, with deaths and the final state of the device. The run ends
 * early when suite_stopped is set, stop_after is reached or the device stays dead: unfinished cases then have no
 * result.
 */
void run_cases(struct talk_run *run, const GArray *chosen /* struct chosen_case */, const struct run_options *options,
               struct suite_report *report);

#endif
