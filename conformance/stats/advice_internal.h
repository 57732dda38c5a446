/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The groups of checks; each appends to the array. */
#ifndef IWARP_CONFORMANCE_STATS_ADVICE_INTERNAL_H
#define IWARP_CONFORMANCE_STATS_ADVICE_INTERNAL_H

#include "conformance/stats/advice.h"
#include "conformance/stats/units.h"

/* Takes ownership of the texts. */
void advice_add(GArray *array, const char *id, enum advice_rank rank, double share, gchar *what, gchar *figures,
                gchar *next);
static inline double share_of(uint64_t part, uint64_t whole)
{
    return whole == 0 ? 0 : (double)part / (double)whole;
}

/* advice_carrier.c */
void advice_on_operations(GArray *array, const struct statistics *statistics, const struct stat_calls *sums);
void advice_on_carrier(GArray *array, const struct statistics *statistics);
void advice_on_gaps(GArray *array, const struct statistics *statistics);

#endif
