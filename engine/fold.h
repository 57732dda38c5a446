/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rule counts, folded: only the rules that a connection exercised, in two or three octets each. Kept for idle and ended
 * connections, where RULE_COUNT counts would take a hundred times as much.
 */
#ifndef IWARP_ENGINE_FOLD_H
#define IWARP_ENGINE_FOLD_H

#include "engine/verdict.h"

struct folded_counts; /* one block of memory, for free() */

/* NULL when memory is lacking. */
struct folded_counts *counts_fold(const struct rule_count counts[RULE_COUNT]);
/* Adds them to `counts`. */
void counts_unfold(const struct folded_counts *folded, struct rule_count counts[RULE_COUNT]);

#endif
