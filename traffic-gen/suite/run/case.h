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
/*
 * We were late ourselves by a part of what it waits: what it did not find as it should, and what it saw besides, may be
 * ours. What is left of it is inconclusive.
 */
bool case_was_late(const struct talk_run *run, const struct case_result *result);
void case_doubt_late(struct case_result *result);
/* In its only run the device died, which decides nothing; that run, to be followed by others. */
bool case_died_once(const struct case_result *result);
void case_restore_death(struct case_result *result);
/* Two of these runs (struct case_result *) had the same outcome. */
bool case_agree(const GPtrArray *runs);
/* Runs of one case as they come: the worst speaks for all. */
struct case_tally {
    struct case_result *worst; /* NULL: none yet */
    unsigned n, counts[OUTCOMES];
    bool believed;           /* what one run shows: a death, a breach of another rule */
    GPtrArray *observations; /* char *: of a rule those of the first run that had some; NULL: none */
    GHashTable *seen;        /* in how many runs, by the rule (const struct rule *); NULL: none was demanded */
};
void case_tally_add(struct case_tally *tally, struct case_result *result); /* which becomes the tally's */
struct case_result *case_tally_result(struct case_tally *tally);           /* at least one; the caller frees it */
void case_tally_clear(struct case_tally *tally);

/*
 * At least one run (struct case_result *, taken out of the array): the worst speaks for all. A device that died in one
 * run alone may have died of something else: the case is inconclusive. So may a breach of another rule that one run
 * alone has seen: it is doubted. believed: one run is enough for both. The caller frees it.
 */
struct case_result *case_merge(GPtrArray *runs, bool believed);

#endif
