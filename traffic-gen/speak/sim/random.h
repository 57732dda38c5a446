/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The only source of randomness of a simulated conversation: the same seed gives the same capture, octet for octet. */
#ifndef IWARP_TRAFFIC_SPEAK_SIM_RANDOM_H
#define IWARP_TRAFFIC_SPEAK_SIM_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

struct random_source {
    uint64_t state;
};

/* A 64-bit mixing generator with a Weyl sequence: small, seedable by any number, good enough for networks. */
static inline uint64_t random_next(struct random_source *random)
{
    uint64_t z = random->state += UINT64_C(0x9E3779B97F4A7C15);

    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

/* A number in [0, below); 0 when below is 0. */
static inline uint64_t random_below(struct random_source *random, uint64_t below)
{
    return below == 0 ? 0 : random_next(random) % below;
}

static inline bool random_chance(struct random_source *random, double probability)
{
    /* An event of probability 0 draws no number, so that a new kind of trouble at 0 changes no capture. */
    return probability > 0 && (double)(random_next(random) >> 11) * 0x1p-53 < probability;
}

#endif
