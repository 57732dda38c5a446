/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rule counts, folded: only the rules that a connection exercised, in two or three octets each. Kept for idle and ended
 * connections, where RULE_COUNT counts would take a hundred times as much.
 */
#ifndef IWARP_ENGINE_FOLD_H
#define IWARP_ENGINE_FOLD_H

#include "engine/verdict.h"

struct folded_counts; /* for counts_free() */

/* NULL when memory is lacking. */
struct folded_counts *counts_fold(const struct rule_count counts[RULE_COUNT]);
/* folded may be NULL. */
void counts_free(struct folded_counts *folded);
/* All to 0. Cheaper than memset() where few are not. */
void counts_clear(struct rule_count counts[RULE_COUNT]);
/* Adds them to `counts`. */
void counts_unfold(const struct folded_counts *folded, struct rule_count counts[RULE_COUNT]);

/*
 * Most connections of a capture count the same: of those that do, all have one block. To begin with zero. The
 * connections of one pool must not be freed by several threads at a time.
 */
enum { FOLDED_POOL = 64 };

struct folded_pool {
    struct folded_counts *latest[FOLDED_POOL]; /* by a hash */
};

/* Takes `folded`; what it returns says the same. folded may be NULL. */
struct folded_counts *counts_pool(struct folded_pool *pool, struct folded_counts *folded);
void folded_pool_free(struct folded_pool *pool);

#endif
