/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The upper layer of the Calls in the statistics: the names of its rows, and the causes of slow Calls. */
#ifndef IWARP_CONFORMANCE_STATS_STAT_GUEST_H
#define IWARP_CONFORMANCE_STATS_STAT_GUEST_H

#include "conformance/stats/statistics.h"

#include <glib.h>

struct stat_guest {
    /* The name of a row; g_free() it. */
    gchar *(*label)(const struct stat_key *key);
    /* Rows of operations are shown below the row of their procedure. */
    bool (*contains)(const struct stat_key *procedure, const struct stat_key *operation);
    /* These append to the array of struct advice; sums: of all Calls of the client. */
    void (*on_credits)(GArray *array, const struct statistics *statistics, const struct stat_calls *sums);
    void (*on_time)(GArray *array, const struct statistics *statistics, const struct stat_calls *sums);
    void (*on_calls)(GArray *array, const struct statistics *statistics, const struct stat_calls *sums);
};

/* conformance/guests/guests.c */
extern const struct stat_guest *const stat_guest;

#endif
