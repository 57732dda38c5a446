/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Combinations of values as cases of iwarp-gen test: drawn for a device that has been learnt, run as any others
 * (suite/run/run.h), and each failure reduced to the fewest values that still fail.
 */
#ifndef IWARP_TRAFFIC_PAIRS_PAIRS_RUN_H
#define IWARP_TRAFFIC_PAIRS_PAIRS_RUN_H

#include "traffic-gen/suite/run/run.h"

struct pairs_wish {
    unsigned strength;  /* how many parameters are combined: 1 to COVERING_STRENGTH_MAX */
    uint32_t seed;      /* the same: the same vectors */
    char *const *names; /* of models, each comma-separated; NULL: all that are for such a device */
};

/* Before anything is sent. False with *why: there is no such model, or it is not for a device in this role. */
bool pairs_names_good(char *const *names, enum suite_dut dut, char **why);

struct pairs_run;

/* After learn_device(). NULL with *why, which the caller frees: nothing can be combined on this device. */
struct pairs_run *pairs_run_new(struct talk_run *run, const struct pairs_wish *wish, char **why);
void pairs_run_free(struct pairs_run *pairs);
/* struct chosen_case; as long as the run lives. */
const GArray *pairs_run_cases(const struct pairs_run *pairs);

/*
 * After run_cases() with the same options. What else the engine saw the device break fails its vector, unless that is
 * so with the usual values, too; then each failure is reduced (struct case_result, reduced), as long as the device
 * lives.
 */
void pairs_run_reduce(struct pairs_run *pairs, const struct run_options *options, struct suite_report *report);

#endif
