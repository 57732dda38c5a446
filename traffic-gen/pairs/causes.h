/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Why vectors fail: the verdict of each, and the fewest of its values that still fail. */
#ifndef IWARP_TRAFFIC_PAIRS_CAUSES_H
#define IWARP_TRAFFIC_PAIRS_CAUSES_H

#include "traffic-gen/pairs/vectors.h"

/* What was found of one failure; it explains others. */
struct cause {
    const struct subject *subject;
    int vector[COVERING_PARAMETERS_MAX]; /* that fails: these values, the others as usual */
    uint32_t parameters;                 /* empty: it fails as usual, too */
    char *failure, *text;                /* the rule, or the kind of death; "M=1,pd=257" */
};

/* An array of struct cause *, which it owns. */
GPtrArray *causes_new(void);

/*
 * What the engine saw the device break besides fails the vector, unless that is so with the usual values, too; of
 * several findings one that is not waived. usual: the result with the usual values; NULL: there is none.
 */
void causes_count_findings(const struct subject *subject, const struct case_result *usual, struct case_result *result);

/* What a failed result fails by: another failure is not the same one. NULL: it did not fail. */
const char *causes_failure(const struct case_result *result);

/*
 * Looks for the cause of a failure among those that are known, or asks the device, and adds it. NULL: the device is
 * dead by now, or we were stopped.
 */
const struct cause *causes_find(GPtrArray *causes, const struct run_options *options, const struct vector_case *vector,
                                const struct case_result *usual, const struct case_result *result);

#endif
