/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Out-of-order octets that wait for the octets before them: pieces of segments, sorted by stream offset, never
 * overlapping, each with its origin. Bounded in octets and in number, so that hostile input costs little.
 */
#ifndef IWARP_ENGINE_TCP_TCP_HELD_H
#define IWARP_ENGINE_TCP_TCP_HELD_H

#include "engine/tcp/tcp_pair.h"

enum { TCP_HELD_PIECES_MAX = 8192 };

struct tcp_piece {
    uint64_t start;
    uint32_t length;   /* of sequence space */
    uint32_t captured; /* octets present, <= length: the snap length cut the rest */
    struct octets_origin origin;
    uint8_t octets[];
};

struct tcp_held {
    struct tcp_piece **pieces; /* [first, first + n) are in use */
    size_t first, n, capacity;
    size_t octets; /* memory taken by the pieces */
    size_t limit;
};

void tcp_held_init(struct tcp_held *held, size_t limit);
void tcp_held_free(struct tcp_held *held);

static inline bool tcp_held_empty(const struct tcp_held *held)
{
    return held->n == 0;
}

/* The piece with the lowest offset; there must be at least one piece. */
static inline const struct tcp_piece *tcp_held_first(const struct tcp_held *held)
{
    return held->pieces[held->first];
}

/* The first piece that ends after `at`, or NULL. */
const struct tcp_piece *tcp_held_after(const struct tcp_held *held, uint64_t at);

/*
 * Keeps a copy of a piece that overlaps no held piece. False when a bound is reached or out of memory; then nothing
 * has changed.
 */
bool tcp_held_add(struct tcp_held *held, uint64_t start, uint32_t length, const uint8_t *octets, uint32_t captured,
                  const struct octets_origin *origin);
/* Removes and returns the first piece; the caller frees it with free(). */
struct tcp_piece *tcp_held_take(struct tcp_held *held);
/* Drops everything from `end` on. */
void tcp_held_cut(struct tcp_held *held, uint64_t end);

#endif
