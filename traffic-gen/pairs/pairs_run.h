/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Combinations of values as cases of iwarp-gen test: drawn for a device that has been learnt, run as any others
 * (traffic-gen/suite/run/run.h), and each failure reduced to the fewest values that still fail.
 */
#ifndef IWARP_TRAFFIC_PAIRS_PAIRS_RUN_H
#define IWARP_TRAFFIC_PAIRS_PAIRS_RUN_H

#include "traffic-gen/suite/run/run.h"

struct pairs_wish {
    unsigned strength;  /* how many parameters are combined: 1 to COVERING_STRENGTH_MAX */
    uint32_t seed;      /* the same: the same vectors */
    char *const *names; /* of models, each comma-separated; NULL: all that are for such a device */
    /* Whether a waiver is for the rule; NULL: there are none. */
    bool (*waives)(const void *ctx, enum rule_id rule);
    const void *ctx;
    char *const *known; /* "startup/M=1": what waivers say of values; NULL: nothing */
};

/* Whether there are such values; else *why, which the caller frees. */
bool pairs_values_good(const char *text, char **why);

/*
 * Before anything is sent. messages: the device is reached through an RDMA device of this host. False with *why: there
 * is no such model, or it is not for such a device.
 */
bool pairs_names_good(char *const *names, enum suite_dut dut, bool messages, char **why);

struct pairs_run;

/* After learn_device(). NULL with *why, which the caller frees: nothing can be combined on this device. */
struct pairs_run *pairs_run_new(struct talk_run *run, const struct pairs_wish *wish, char **why);
void pairs_run_free(struct pairs_run *pairs);
/* struct chosen_case, those that run first; as long as the run lives. */
const GArray *pairs_run_cases(const struct pairs_run *pairs);

/*
 * As run_cases(), in rounds. What else the engine saw the device break fails its vector, unless that is so with the
 * usual values, too; then each failure is reduced (struct case_result, reduced), as long as the device lives. A vector
 * that fails shows nothing of its other values: the next round has those, without what it was reduced to. What could
 * not be had without it is in the report (struct left_out).
 */
void pairs_run_all(struct pairs_run *pairs, const struct run_options *options, struct suite_report *report);

#endif
