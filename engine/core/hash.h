/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hashes for tables, and for telling requests apart: equal octets have equal hashes, and different octets almost never
 * do.
 */
#ifndef IWARP_ENGINE_CORE_HASH_H
#define IWARP_ENGINE_CORE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { HASH_BUCKETS = 256 };

static inline uint64_t hash_word(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * UINT64_C(0xff51afd7ed558ccd);
    return hash ^ hash >> 32;
}

/*
 * Continues from `hash`, the hash of the preceding octets, or 0. Depends on the machine's byte order: do not store it.
 */
static inline uint64_t hash_octets(uint64_t hash, const uint8_t *p, size_t n)
{
    uint64_t word;

    hash ^= UINT64_C(0x9e3779b97f4a7c15) ^ n;
    for (; n >= sizeof word; p += sizeof word, n -= sizeof word) {
        memcpy(&word, p, sizeof word); /* with a size known to the compiler: one instruction */
        hash = hash_word(hash, word);
    }
    if (n > 0) {
        word = 0;
        memcpy(&word, p, n);
        hash = hash_word(hash, word);
    }
    return hash;
}

/* Different in each run, so that an attacker cannot choose numbers that share a bucket. The multiplier is odd. */
extern uint32_t hash_multiplier;
extern uint64_t hash_seed;

/* The bucket, of HASH_BUCKETS, for an XID or STag. */
static inline unsigned hash_bucket(uint32_t number)
{
    return number * hash_multiplier >> 24;
}

#endif
