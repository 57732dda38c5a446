/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The transport below the stack: one TCP connection, of a simulated network or of a live socket, and a clock. The stack
 * does no I/O: it is handed received octets, and writes through these functions. A connection of an RDMA device has its
 * own queue pairs instead: then only provider, ctx and now are set.
 */
#ifndef IWARP_TRAFFIC_ENDS_STACK_STREAM_H
#define IWARP_TRAFFIC_ENDS_STACK_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct stream_piece {
    const uint8_t *p;
    size_t n;
};

struct qp_provider; /* traffic-gen/ends/stack/queue_pair.h */

struct stream {
    void *ctx;
    const struct qp_provider *provider; /* makes the queue pairs; NULL: the software's, on the functions below */
    /* One write, which starts a TCP segment if the transport can do that. Accepts all octets and copies them. */
    void (*write)(void *ctx, const uint8_t *p, size_t n);
    /* Octets that may be written now without queueing; 0: wait until the transport calls back. */
    size_t (*room)(void *ctx);
    /* Sends FIN after the octets written, or RST at once. */
    void (*close)(void *ctx, bool reset);
    int64_t (*now)(void *ctx); /* nanoseconds */
    /* Octets written that the peer's TCP has not acknowledged; NULL: not known. */
    uint64_t (*unacknowledged)(void *ctx);
    /* A device without Send with Invalidate from peers: it must not be announced (RFC 8797). */
    bool no_remote_invalidation;
    uint16_t mss; /* of the connection: FPDUs are cut to fit one segment (RFC 5044 section 5.1) */
    /* Room in the current segment for the next write: see write_pieces. NULL: each write has a whole segment. */
    uint16_t (*segment_room)(void *ctx);
    /*
     * The same in pieces, without a copy to join them; NULL: only write exists. more: another write follows at once; if
     * this write is short, both may share a segment, such as the end of one message and the beginning of the next.
     */
    void (*write_pieces)(void *ctx, const struct stream_piece *pieces, unsigned n, bool more);
};

#endif
