/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Combinations of values as cases of iwarp-gen test: drawn for a learned device and run as any other cases
 * (traffic-gen/tester/suite/run/run.h). Each failure is reduced to the fewest values that still fail.
 */
#ifndef IWARP_TRAFFIC_EXPLORE_PAIRS_PAIRS_RUN_H
#define IWARP_TRAFFIC_EXPLORE_PAIRS_PAIRS_RUN_H

#include "traffic-gen/tester/suite/run/run.h"

struct pairs_wish {
    unsigned strength;  /* number of parameters to combine: 1 to COVERING_STRENGTH_MAX */
    uint32_t seed;      /* the same seed gives the same vectors */
    char *const *names; /* names of models, separated by commas; NULL: all for such a device */
    /* Whether a waiver exists for the rule; NULL: there are no waivers. */
    bool (*waives)(const void *ctx, enum rule_id rule);
    const void *ctx;
    char *const *known; /* "startup/M=1": values that waivers name; NULL: none */
};

/* Whether such values exist; else *why, which the caller frees. */
bool pairs_values_good(const char *text, char **why);

/*
 * Checks before anything is sent. messages: the device is reached through an RDMA device of this host. False with *why:
 * the model does not exist or does not suit the device.
 */
bool pairs_names_good(char *const *names, enum suite_dut dut, bool messages, char **why);

struct pairs_run;

/* Call after learn_device(). NULL with *why, which the caller frees: nothing can be combined on this device. */
struct pairs_run *pairs_run_new(struct talk_run *run, const struct pairs_wish *wish, char **why);
void pairs_run_free(struct pairs_run *pairs);
/* struct chosen_case of the first round; valid while the run lives. */
const GArray *pairs_run_cases(const struct pairs_run *pairs);

/*
 * Like run_cases(), in rounds. Other findings about the device fail the vector, unless the usual values give them too;
 * then each failure is reduced (struct case_result, reduced) while the device lives. A failed vector shows nothing
 * about its other values: the next round tests them without the failing ones. The report lists combinations that remain
 * impossible (struct left_out).
 */
void pairs_run_all(struct pairs_run *pairs, const struct run_options *options, struct suite_report *report);

#endif
