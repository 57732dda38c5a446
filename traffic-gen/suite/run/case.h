/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One case: what it needs, one run of it, several runs as one result. */
#ifndef IWARP_TRAFFIC_SUITE_RUN_CASE_H
#define IWARP_TRAFFIC_SUITE_RUN_CASE_H

#include "traffic-gen/suite/run/run.h"

/* NULL: it can run; else why not, as far as is known before anything is sent. */
const char *case_cannot(const struct talk_run *run, const struct suite_case *row);
/* again: how often it has been tried before, to wait the longer. The caller frees it. */
struct case_result *case_run(struct talk_run *run, const struct run_options *options, const struct chosen_case *chosen,
                             unsigned again);
/* The result is about that rule, with those that a case of it decides. */
void case_set_rule(struct case_result *result, enum rule_id rule);
/* Two of these runs (struct case_result *) had the same outcome. */
bool case_agree(const GPtrArray *runs);
/* Runs of one case as they come: the worst speaks for all. */
struct case_tally {
    struct case_result *worst; /* NULL: none yet */
    unsigned n, counts[OUTCOMES];
};
void case_tally_add(struct case_tally *tally, struct case_result *result); /* which becomes the tally's */
struct case_result *case_tally_result(struct case_tally *tally);           /* at least one; the caller frees it */

/* At least one run (struct case_result *, taken out of the array): the worst speaks for all. The caller frees it. */
struct case_result *case_merge(GPtrArray *runs);

#endif
