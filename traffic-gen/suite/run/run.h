/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs chosen cases against one device, several at a time if wished, each on its own connections, and checks after each
 * whether the device is alive. A death is blamed on the case; the run then ends, or continues with a device that a
 * command has revived.
 */
#ifndef IWARP_TRAFFIC_SUITE_RUN_RUN_H
#define IWARP_TRAFFIC_SUITE_RUN_RUN_H

#include "traffic-gen/suite/result/result.h"
#include "traffic-gen/suite/talk/talk_internal.h"

struct chosen_case {
    const struct suite *suite;
    const struct suite_case *row;
};

struct load;

struct run_options {
    unsigned jobs;   /* cases at the same time */
    unsigned repeat; /* runs of each case, at least 1 */
    /* With one run of each: a case that failed, or saw a breach of another rule, runs again until two agree, at most so
     * often. */
    unsigned confirm;
    unsigned stop_after;     /* failures that end the run; 0: none does */
    const char *address;     /* IWARP_DEVICE of the commands */
    const char *before_each; /* command before each case; NULL: none */
    const char *reset;       /* command that revives a dead device; NULL: none */
    int64_t t_reset;         /* for that command, and until the device answers */
    struct load *load;       /* on other connections; NULL: none. One case at a time */
    /* Called for each result, never two at a time: sets result->waived of a failure that does not count. May be NULL.
     */
    void (*judged)(void *ctx, struct case_result *result);
    /* What has finished so far, about once a second: for whoever wants to resume a run that was killed. May be NULL. */
    void (*saved)(void *ctx, const struct suite_report *report);
    /* A case begins; one has a verdict. May be NULL; never two at a time. */
    void (*progress)(void *ctx, unsigned done, unsigned n, const char *id);
    void (*finished)(void *ctx, unsigned done, unsigned n, const struct case_result *result);
    void *ctx;
    const struct suite_report *earlier; /* of a run whose results are taken over; NULL: none */
};

/*
 * Whether the device is alive as it was learnt; called before the first case. False with *why, which the caller frees.
 */
bool run_is_alive(struct talk_run *run, char **why);

/*
 * Puts a result for each case into report, in their order, with deaths and the state of the device at the end. The run
 * ends early once suite_stopped is set, stop_after is reached or the device is dead for good: cases unfinished by then
 * have no result.
 */
void run_cases(struct talk_run *run, const GArray *chosen /* struct chosen_case */, const struct run_options *options,
               struct suite_report *report);

#endif
