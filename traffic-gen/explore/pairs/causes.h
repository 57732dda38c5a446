/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Why vectors fail: the verdict of each, and the fewest of its values that still fail. */
#ifndef IWARP_TRAFFIC_EXPLORE_PAIRS_CAUSES_H
#define IWARP_TRAFFIC_EXPLORE_PAIRS_CAUSES_H

#include "traffic-gen/explore/pairs/vectors.h"

/* A cause found for one failure, which explains others. */
struct cause {
    const struct subject *subject;
    int vector[COVERING_PARAMETERS_MAX]; /* fails with these values and the usual others */
    uint32_t parameters;                 /* empty: also fails with the usual values */
    char *failure, *text;                /* the rule, or the kind of death; "M=1,pd=257" */
};

/* An array of struct cause *, which it owns. */
GPtrArray *causes_new(void);

/*
 * Another finding about the device fails the vector, unless the usual values give it too; of several findings, one
 * without a waiver counts. usual: the result with the usual values; NULL: none.
 */
void causes_count_findings(const struct subject *subject, const struct case_result *usual, struct case_result *result);

/* Identifies the failure of a result, to tell failures apart. NULL: it did not fail. */
const char *causes_failure(const struct case_result *result);

/*
 * Finds the cause of a failure among the known causes, or by asking the device, and adds it. NULL: the device is dead,
 * or the run was stopped.
 */
const struct cause *causes_find(GPtrArray *causes, const struct run_options *options, const struct vector_case *vector,
                                const struct case_result *usual, const struct case_result *result);

#endif
