/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the fewest values of a failing vector that still fail with all others as usual: delta debugging (Zeller and
 * Hildebrandt, IEEE Transactions on Software Engineering 28, 2002) over the parameters that differ.
 */
#ifndef IWARP_TRAFFIC_EXPLORE_PAIRS_REDUCE_H
#define IWARP_TRAFFIC_EXPLORE_PAIRS_REDUCE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Whether the vector with only these parameters (a set of 1 << index) not as usual fails like the whole vector. An
 * impossible vector does not fail.
 */
typedef bool reduce_test(void *ctx, uint32_t parameters);

/* A minimal set: every member is needed; empty: the usual values fail, too. whole: the parameters that differ. */
uint32_t reduce(uint32_t whole, reduce_test *fails, void *ctx);

#endif
