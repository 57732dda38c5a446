/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the stack runs on: one TCP connection, of a simulated network or of a live socket, and a clock. The stack does
 * no I/O: it is handed what was received, and writes through these functions. Or a connection of an RDMA device, which
 * has queue pairs of its own: then only provider, ctx and now are there.
 */
#ifndef IWARP_TRAFFIC_ENDS_STREAM_H
#define IWARP_TRAFFIC_ENDS_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct stream_piece {
    const uint8_t *p;
    size_t n;
};

struct qp_provider; /* traffic-gen/ends/queue_pair.h */

struct stream {
    void *ctx;
    const struct qp_provider *provider; /* of the queue pairs; NULL: the software's, on the functions below */
    /* One write: starts a TCP segment where the transport can do that. All of it is accepted; the octets are copied. */
    void (*write)(void *ctx, const uint8_t *p, size_t n);
    /* Octets that may be written now without piling up; 0: wait until the transport calls back. */
    size_t (*room)(void *ctx);
    /* FIN after what was written, or RST at once. */
    void (*close)(void *ctx, bool reset);
    int64_t (*now)(void *ctx); /* nanoseconds */
    /* Of a device that lets no peer end a region by Send with Invalidate: it is not to be announced (RFC 8797). */
    bool no_remote_invalidation;
    uint16_t mss; /* of the connection: FPDUs are cut to fit one segment (RFC 5044 section 5.1) */
    /* NULL: each write has a whole segment. Else what is left for the next one: see write_pieces. */
    uint16_t (*segment_room)(void *ctx);
    /*
     * NULL: only write exists. Else the same in pieces, without a copy to join them. more: another write follows at
     * once; if this one is short, both may share a segment, such as the rest of one message and the beginning of the
     * next.
     */
    void (*write_pieces)(void *ctx, const struct stream_piece *pieces, unsigned n, bool more);
};

#endif
