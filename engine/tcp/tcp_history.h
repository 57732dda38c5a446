/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The last octets of a stream, kept to compare retransmissions with (RFC 5044 section 7.1.5: what is sent again is the
 * same). A ring; a hole in the stream empties it. What was acknowledged is hardly ever sent again: of that only a
 * little is kept, so that a connection with little in flight stays in the processor's cache.
 */
#ifndef IWARP_ENGINE_TCP_TCP_HISTORY_H
#define IWARP_ENGINE_TCP_TCP_HISTORY_H

#include "engine/core/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TCP_HISTORY_RUNS = 128 };

struct tcp_history {
    uint8_t *octets;        /* grow with the stream, so that a connection that says little costs little */
    size_t capacity, limit; /* powers of two; capacity 0: nothing yet */
    uint64_t start, end;    /* stream offsets kept */
    /* Which frame brought what: a ring of the latest runs, those of the octets kept, as far as TCP_HISTORY_RUNS go. */
    struct tcp_history_run {
        uint32_t end; /* the lower half: the runs that are kept are never 2^31 octets apart */
        uint32_t frame;
    } * runs;
    uint32_t runs_capacity;
    uint32_t n_runs; /* since it last grew or was emptied, and those that were there then */
    struct arena *arena;
};

/* limit is rounded up to a power of two. Allocates nothing; arena: the connection's, for what is short. */
void tcp_history_init(struct tcp_history *history, size_t limit, struct arena *arena);
void tcp_history_free(struct tcp_history *history);
/*
 * Octets at stream offset `at`; an `at` other than the end so far starts anew. acked: the receiver has what is before
 * it. Without memory less is kept.
 */
void tcp_history_append(struct tcp_history *history, uint64_t at, const uint8_t *p, size_t n, uint64_t acked,
                        uint32_t frame);

struct tcp_difference {
    uint64_t offset;
    uint8_t first, repeated;
    uint32_t first_frame; /* 0 unknown */
};
/* Compares the octets at [at, at + n) with what is kept of them; true and *out at the first difference. */
bool tcp_history_differs(const struct tcp_history *history, uint64_t at, const uint8_t *p, size_t n,
                         struct tcp_difference *out);

#endif
