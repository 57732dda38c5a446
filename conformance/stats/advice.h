/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What slowed a connection, in words, with supporting figures and next steps, and what is unknown and why. */
#ifndef IWARP_CONFORMANCE_STATS_ADVICE_H
#define IWARP_CONFORMANCE_STATS_ADVICE_H

#include "conformance/stats/statistics.h"

#include <glib.h>

/* Problems come first. */
enum advice_rank { ADVICE_PROBLEM, ADVICE_NOTABLE, ADVICE_FACT, ADVICE_UNKNOWN };

struct advice {
    const char *id; /* "credit-limit": for programs */
    enum advice_rank rank;
    double share;   /* of the time or of the octets, 0 to 1: the order within a rank */
    gchar *what;    /* a sentence */
    gchar *figures; /* the figures that support the sentence */
    gchar *next;    /* what to do; NULL: nothing */
};

/* An array of struct advice, the most important first; free it with g_array_unref(). Never empty. */
GArray *advice_of(const struct statistics *statistics);
/* "problem", "notable", "fact", "unknown" */
const char *advice_rank_name(enum advice_rank rank);

#endif
