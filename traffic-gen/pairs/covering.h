/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Covering arrays: few vectors of values in which every combination of values of any t parameters occurs that the
 * constraints allow. A greedy generator (as AETG, IEEE Transactions on Software Engineering 23, 1997), deterministic by
 * its seed; it knows neither what the parameters mean nor devices.
 */
#ifndef IWARP_TRAFFIC_PAIRS_COVERING_H
#define IWARP_TRAFFIC_PAIRS_COVERING_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    COVERING_PARAMETERS_MAX = 16,
    COVERING_VALUES_MAX = 16,
    COVERING_STRENGTH_MAX = 3,
    COVERING_OPEN = -1 /* of a parameter that has no value yet */
};

/* Values are from 0 on. ctx is handed to both functions. */
struct covering_problem {
    unsigned n;            /* parameters */
    const unsigned *sizes; /* values of each, at least one */
    /* Nothing that is chosen by now forbids the vector, in which some parameters may be COVERING_OPEN. */
    bool (*allowed)(const void *ctx, const int *vector);
    /*
     * A value that is refused as such, so that nothing else of its vector is looked at: a vector has at most one, and
     * counts for no combination without it. NULL: there are none.
     */
    bool (*refused)(const void *ctx, unsigned parameter, int value);
    const void *ctx;
};

/*
 * An array of int, n for each vector, which the caller frees. first: the first of them, which is allowed; NULL: any.
 * covered: vectors of the same form, whose combinations need no other one; NULL: there are none. strength: 1 to
 * COVERING_STRENGTH_MAX, and at most n.
 */
GArray *covering_make(const struct covering_problem *problem, unsigned strength, const GArray *covered,
                      const int *first, uint32_t seed);

/* Combinations that are possible, and in none of these vectors. */
size_t covering_open(const struct covering_problem *problem, unsigned strength, const GArray *covered);

/* Whether a vector with these values, others COVERING_OPEN, can exist at all. */
bool covering_possible(const struct covering_problem *problem, const int *vector);

#endif
