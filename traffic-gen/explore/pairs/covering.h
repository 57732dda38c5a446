/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Covering arrays: few vectors in which every combination of values of any t parameters occurs that the constraints
 * allow. A greedy generator (as AETG, IEEE Transactions on Software Engineering 23, 1997), deterministic by its seed;
 * it knows nothing about the parameters' meaning or about devices.
 */
#ifndef IWARP_TRAFFIC_EXPLORE_PAIRS_COVERING_H
#define IWARP_TRAFFIC_EXPLORE_PAIRS_COVERING_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    COVERING_PARAMETERS_MAX = 16,
    COVERING_VALUES_MAX = 16,
    COVERING_STRENGTH_MAX = 3,
    COVERING_OPEN = -1 /* for a parameter without a value yet */
};

/* Values count from 0. ctx is passed to both functions. */
struct covering_problem {
    unsigned n;            /* number of parameters */
    const unsigned *sizes; /* number of values of each, at least one */
    /* Whether the chosen values allow the vector, in which some parameters may be COVERING_OPEN. */
    bool (*allowed)(const void *ctx, const int *vector);
    /*
     * A value that the device refuses without looking at others: a vector has at most one, and counts only for
     * combinations that include it. NULL: there are none.
     */
    bool (*refused)(const void *ctx, unsigned parameter, int value);
    const void *ctx;
};

/*
 * Returns an array of int, n for each vector, which the caller frees. first: a first vector, which is allowed; NULL:
 * any. covered: vectors whose combinations need no further vector; NULL: none. strength: 1 to COVERING_STRENGTH_MAX,
 * and at most n.
 */
GArray *covering_make(const struct covering_problem *problem, unsigned strength, const GArray *covered,
                      const int *first, uint32_t seed);

/* Number of possible combinations that none of these vectors has. */
size_t covering_open(const struct covering_problem *problem, unsigned strength, const GArray *covered);

/* Whether a vector with these values, the others COVERING_OPEN, can exist. */
bool covering_possible(const struct covering_problem *problem, const int *vector);

#endif
