/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Templates of statements, with choices between braces:
 *
 *   {a|b|}     one of the texts, which may have choices themselves
 *   {2-9}      a number; {n} is the last one again, {<n} one that is not larger
 *   {len}      a length of payload, mostly small
 *   {cut}      the last number as the sizes of one to five segments; {cut+700}: of 700 octets more
 *   {any}      any number of 64 bits
 *   {version}  the caller's
 *   {slot}     the caller's
 */
#ifndef IWARP_TRAFFIC_EXPLORE_SIMULATE_PHRASE_H
#define IWARP_TRAFFIC_EXPLORE_SIMULATE_PHRASE_H

#include "traffic-gen/speak/sim/random.h"

#include <glib.h>

struct phrasing {
    struct random_source random;
    uint64_t n;          /* the last number */
    const char *version; /* "nfs41"; NULL: not used */
    unsigned slot;
};

void phrase_append(GString *out, struct phrasing *phrasing, const char *template);
/* "100+20+3": the octets in one to five parts, in random places. */
void phrase_append_cut(GString *out, struct phrasing *phrasing, uint64_t octets);
/* A length of payload, at least 1. */
uint64_t phrase_length(struct phrasing *phrasing);

/* From 0 to below - 1. */
static inline unsigned phrase_below(struct phrasing *phrasing, unsigned below)
{
    return (unsigned)random_below(&phrasing->random, below);
}

static inline bool phrase_chance(struct phrasing *phrasing, double probability)
{
    return random_chance(&phrasing->random, probability);
}

#endif
