/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Folded rule counts: only the rules that a connection exercised, in two or three octets each. For idle and ended
 * connections, because RULE_COUNTERS counts would take forty times as much.
 */
#ifndef IWARP_ENGINE_CORE_FOLD_H
#define IWARP_ENGINE_CORE_FOLD_H

#include "engine/core/verdict.h"

struct folded_counts; /* for counts_free() */

/*
 * Most connections of a capture have equal counts, and share one block. Initialise to zero. Only one thread at a time
 * may free connections of a pool.
 */
enum { FOLDED_POOL_BITS = 6, FOLDED_POOL = 1 << FOLDED_POOL_BITS };

struct folded_pool {
    struct folded_counts *latest[FOLDED_POOL]; /* indexed by a hash */
};

/* No rule was counted. */
bool counts_empty(const struct rule_counts *counts);
/*
 * Folds the counts, which are 0 afterwards, and adds them to `before`, which the function takes over and which may be
 * NULL. NULL when out of memory: all counts are lost. pool may be NULL.
 */
struct folded_counts *counts_fold(struct folded_pool *pool, struct rule_counts *counts, struct folded_counts *before);
/* folded may be NULL. */
void counts_free(struct folded_counts *folded);
void folded_pool_free(struct folded_pool *pool);

/* Number of findings of a rule, or whether there are any. folded may be NULL, here and below. */
uint32_t folded_failed(const struct folded_counts *folded, size_t rule);
bool folded_any_failed(const struct folded_counts *folded);
/* Adds the folded counts to `counts`. */
void counts_unfold(const struct folded_counts *folded, struct rule_counts *counts);

/* Sums many folded counts; shared blocks are unfolded only once. Initialise all other members to zero. */
enum { COUNTS_SUM_BITS = 10, COUNTS_SUM = 1 << COUNTS_SUM_BITS }; /* each thread has a pool of such blocks */

struct counts_sum {
    struct rule_counts *counts;
    struct {
        const struct folded_counts *folded;
        uint32_t times;
    } latest[COUNTS_SUM];
};

void counts_sum_add(struct counts_sum *sum, const struct folded_counts *folded);
/* Completes `counts`; until then, folded counts that were added must not be freed. */
void counts_sum_end(struct counts_sum *sum);

#endif
