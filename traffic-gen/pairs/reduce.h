/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The fewest values of a failing vector that still fail, all others being as usual: delta debugging (Zeller and
 * Hildebrandt, IEEE Transactions on Software Engineering 28, 2002) over the parameters that differ.
 */
#ifndef IWARP_TRAFFIC_PAIRS_REDUCE_H
#define IWARP_TRAFFIC_PAIRS_REDUCE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Whether the vector with only these parameters (a set of 1 << index) not as usual fails as the whole does. A set that
 * no vector can have does not fail.
 */
typedef bool reduce_test(void *ctx, uint32_t parameters);

/* The set, of which none can be left out; empty: it fails as usual, too. whole: those that differ, and fail. */
uint32_t reduce(uint32_t whole, reduce_test *fails, void *ctx);

#endif
