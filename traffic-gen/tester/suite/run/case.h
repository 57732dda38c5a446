/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One case: its needs, a single run, and several runs as one result. */
#ifndef IWARP_TRAFFIC_TESTER_SUITE_RUN_CASE_H
#define IWARP_TRAFFIC_TESTER_SUITE_RUN_CASE_H

#include "traffic-gen/tester/suite/run/run.h"

/* NULL: the case can run; else the reason, as far as is known before anything is sent. */
const char *case_cannot(const struct talk_run *run, const struct suite_case *row);
/* again: number of earlier attempts; waits grow with it. The caller frees the result. */
struct case_result *case_run(struct talk_run *run, const struct run_options *options, const struct chosen_case *chosen,
                             unsigned again);
/* Whether the result is about this rule, or about a rule that a case of this rule decides. */
void case_set_rule(struct case_result *result, enum rule_id rule);
/*
 * We were late by a large part of the waits: missing answers and other findings may be our fault. Results that depend
 * on them are inconclusive.
 */
bool case_was_late(const struct talk_run *run, const struct case_result *result);
void case_doubt_late(struct case_result *result);
/* The device died in the only run, which decides nothing; this run is followed by others. */
bool case_died_once(const struct case_result *result);
void case_restore_death(struct case_result *result);
/* Whether two of these runs (struct case_result *) had the same outcome. */
bool case_agree(const GPtrArray *runs);
/* Collects the runs of one case: the worst run decides. */
struct case_tally {
    struct case_result *worst; /* NULL: no run yet */
    unsigned n, counts[OUTCOMES];
    bool believed;           /* one run is enough evidence: for a death, or a breach of another rule */
    GPtrArray *observations; /* char *: for each rule those of the first run that had any; NULL: none */
    GHashTable *seen;        /* number of runs by rule (const struct rule *); NULL: no breach of a required rule */
};
void case_tally_add(struct case_tally *tally, struct case_result *result); /* takes ownership of the result */
struct case_result *case_tally_result(struct case_tally *tally); /* after at least one run; the caller frees it */
void case_tally_clear(struct case_tally *tally);

/*
 * Merges at least one run (struct case_result *, taken out of the array): the worst run decides. If the device died in
 * only one run, something else may be the cause: the case is inconclusive. A breach of another rule that only one run
 * saw is doubted. believed: one run is enough for both. The caller frees the result.
 */
struct case_result *case_merge(GPtrArray *runs, bool believed);

#endif
