/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The groups of checks; each appends to the array. */
#ifndef IWARP_CONFORMANCE_STATS_ADVICE_INTERNAL_H
#define IWARP_CONFORMANCE_STATS_ADVICE_INTERNAL_H

#include "conformance/stats/advice.h"
#include "conformance/stats/units.h"

static inline uint64_t less(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

/* At most `most`. */
static inline uint64_t product_up_to(uint64_t a, uint64_t b, uint64_t most)
{
    return a != 0 && b > most / a ? most : a * b;
}

/* Takes ownership of the texts. */
void advice_add(GArray *array, const char *id, enum advice_rank rank, double share, gchar *what, gchar *figures,
                gchar *next);
static inline double share_of(uint64_t part, uint64_t whole)
{
    return whole == 0 ? 0 : (double)part / (double)whole;
}

/* A finding with this share, or a larger one, comes before all others. */
enum { ADVICE_FIRST = 2, ADVICE_LEFT_OUT = 3 };
#define STAT_SPAN_MAX (UINT64_MAX / 8)

/* Calls that are missing in the figures. */
struct left_out {
    bool lossy;       /* packets were not captured, or were cut */
    uint64_t untimed; /* Calls without a latency */
    uint64_t unread;  /* at least this many Calls or answers that could not be read */
    uint64_t most;    /* ns that all these may have taken, judged by the slowest Call; huge: unknown */
};
struct left_out advice_left_out(const struct statistics *statistics, const struct stat_calls *sums);

/* advice_carrier.c */
void advice_on_operations(GArray *array, const struct statistics *statistics, const struct stat_calls *sums);
void advice_on_carrier(GArray *array, const struct statistics *statistics);
void advice_on_gaps(GArray *array, const struct statistics *statistics);

#endif
