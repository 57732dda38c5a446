/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The last octets of a stream, for comparison with retransmissions (RFC 5044 section 7.1.5: a retransmission has the
 * same content). A ring; a hole in the stream empties it. Acknowledged octets are hardly ever sent again, so few of
 * them are kept: a connection with little in flight stays in the processor's cache.
 */
#ifndef IWARP_ENGINE_TCP_TCP_HISTORY_H
#define IWARP_ENGINE_TCP_TCP_HISTORY_H

#include "engine/core/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TCP_HISTORY_RUNS = 128 };

struct tcp_history {
    uint8_t *octets;        /* grows with the stream, so that a connection that sends little costs little */
    size_t capacity, limit; /* powers of two; capacity 0: nothing allocated yet */
    uint64_t start, end;    /* stream offsets kept */
    /*
     * Which frame brought which octets: a ring of the latest runs, for the octets that are kept, at most
     * TCP_HISTORY_RUNS.
     */
    struct tcp_history_run {
        uint32_t end; /* the lower half of the offset: kept runs are never 2^31 octets apart */
        uint32_t frame;
    } * runs;
    uint32_t runs_capacity;
    uint32_t n_runs; /* runs added since the ring last grew or was emptied, plus the runs it held then */
    struct arena *arena;
};

/* Rounds limit up to a power of two. Allocates nothing. arena: the connection's, for short histories. */
void tcp_history_init(struct tcp_history *history, size_t limit, struct arena *arena);
void tcp_history_free(struct tcp_history *history);
/*
 * Appends octets at stream offset `at`; an `at` other than the current end starts anew. acked: the receiver has all
 * octets before this offset. When out of memory, keeps less.
 */
void tcp_history_append(struct tcp_history *history, uint64_t at, const uint8_t *p, size_t n, uint64_t acked,
                        uint32_t frame);

struct tcp_difference {
    uint64_t offset;
    uint8_t first, repeated;
    uint32_t first_frame; /* 0 unknown */
};
/* Compares the octets at [at, at + n) with the kept ones; true and *out at the first difference. */
bool tcp_history_differs(const struct tcp_history *history, uint64_t at, const uint8_t *p, size_t n,
                         struct tcp_difference *out);

#endif
