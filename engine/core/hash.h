/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Hashes for tables and for telling requests apart: equal octets have equal hashes, others hardly ever. */
#ifndef IWARP_ENGINE_CORE_HASH_H
#define IWARP_ENGINE_CORE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { HASH_BUCKETS = 256 };

/* Goes on from `hash`, the hash of what came before, or 0. Depends on the machine's byte order: not to be stored. */
static inline uint64_t hash_octets(uint64_t hash, const uint8_t *p, size_t n)
{
    hash ^= UINT64_C(0x9e3779b97f4a7c15) ^ n;
    for (; n > 0; p += n < 8 ? n : 8, n -= n < 8 ? n : 8) {
        uint64_t word = 0;

        memcpy(&word, p, n < 8 ? n : 8);
        hash = (hash ^ word) * UINT64_C(0xff51afd7ed558ccd);
        hash ^= hash >> 32;
    }
    return hash;
}

/* The bucket, of HASH_BUCKETS, of an XID or STag. */
static inline unsigned hash_bucket(uint32_t number)
{
    return number * 0x9E3779B1u >> 24;
}

#endif
