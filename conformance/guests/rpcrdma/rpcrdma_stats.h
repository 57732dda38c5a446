/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls in statistics: their names, and the causes of slow Calls. */
#ifndef IWARP_CONFORMANCE_GUESTS_RPCRDMA_RPCRDMA_STATS_H
#define IWARP_CONFORMANCE_GUESTS_RPCRDMA_RPCRDMA_STATS_H

#include "conformance/stats/stat_guest.h"

extern const struct stat_guest rpcrdma_stat_guest;

/* rpcrdma_advice.c */
void rpcrdma_advice_on_credits(GArray *array, const struct statistics *statistics, const struct stat_calls *sums);
void rpcrdma_advice_on_time(GArray *array, const struct statistics *statistics, const struct stat_calls *sums);
void rpcrdma_advice_on_calls(GArray *array, const struct statistics *statistics, const struct stat_calls *sums);

#endif
