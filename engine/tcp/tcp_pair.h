/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One TCP connection: turns captured segments into the octet streams of both sides (RFC 9293).
 *
 * Reassembly by ranges with 64-bit stream offsets: offset 0 is the first octet after the SYN, or the first octet seen
 * when the capture starts inside the connection. Handles out-of-order segments, retransmissions with other boundaries,
 * overlaps, wrap, keep-alives, zero-window probes, half-close and RST. Octets are delivered in order and never twice;
 * the first arrival wins, and repeats that differ are reported. A hole is given up when the other side acknowledges
 * octets beyond the hole that the capture does not have (lost by the capture, not by the network), when the bound on
 * held octets is reached, or at the end. Segments that their receiver does not accept are counted, and otherwise
 * ignored (engine/tcp/tcp_accept.h).
 *
 * Sans-I/O. Memory: at most `limit` octets of out-of-order data per side, plus a fixed amount.
 */
#ifndef IWARP_ENGINE_TCP_TCP_PAIR_H
#define IWARP_ENGINE_TCP_TCP_PAIR_H

#include "engine/core/arena.h"
#include "engine/packet/addressed.h"
#include "engine/tcp/tcp_accept.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is known about the segment that carried some octets. */
struct octets_origin {
    uint32_t frame;   /* the frame that carried the octets */
    uint32_t arrival; /* frame whose arrival made them deliverable in order: >= frame */
    /*
     * When the receiver had the octets in order: the time of `frame`, if only the capture lost the octets before them.
     */
    int64_t time_ns;
    bool acked_known;
    /* How far the sender of these octets had received the OTHER side's stream (ACK number). */
    uint64_t acked;
    bool segment_start; /* the first octet is the first of its TCP segment */
    bool segment_end;   /* the last octet is the last of its TCP segment */
    /* The segment repeats earlier sequence space, or came out of order: these look alike. */
    bool retransmitted;
    uint32_t segment_length; /* payload octets of the segment on the wire */
};

enum hole_cause { HOLE_CAPTURE_LOSS, HOLE_SNAP_LENGTH, HOLE_MEMORY_LIMIT, HOLE_END };

/* What the pair reports; any member may be NULL. side: the sender. */
struct tcp_pair_events {
    void *ctx;
    /*
     * Every segment, even without payload, before its octets are delivered. offset (of the first payload octet) and
     * acked are unwrapped; anything before the start of the capture is cut off. tcp_pair_facts() still gives the state
     * before this segment, except for the contents of its SYN.
     */
    void (*segment)(void *ctx, const struct tcp_segment *segment, uint64_t offset, bool acked_known, uint64_t acked);
    /* A segment that is refused because it acknowledges octets that were never sent; the rest as for `segment`. */
    void (*unsent_acked)(void *ctx, const struct tcp_segment *segment, uint64_t offset, uint64_t acked);
    void (*octets)(void *ctx, unsigned side, uint64_t offset, const uint8_t *p, size_t n,
                   const struct octets_origin *origin);
    /*
     * Octets [from, to) will never come; called in stream order. next: origin of the octets after the hole
     * (HOLE_SNAP_LENGTH: the segment that was cut); NULL when nothing after the hole is known.
     */
    void (*hole)(void *ctx, unsigned side, uint64_t from, uint64_t to, enum hole_cause cause,
                 const struct octets_origin *next);
    /*
     * A repeat differs from the first copy: offset, first and repeated octet of the first difference, once per segment.
     * first_frame is 0 when no longer known.
     */
    void (*conflict)(void *ctx, unsigned side, uint64_t offset, uint8_t first, uint8_t repeated, uint32_t first_frame,
                     const struct tcp_segment *segment);
    void (*fin)(void *ctx, unsigned side, uint64_t offset, uint32_t frame,
                int64_t time_ns); /* after all octets before it */
    void (*reset)(void *ctx, unsigned side, uint32_t frame, int64_t time_ns);
};

enum tcp_pair_state {
    TCP_PAIR_OPEN,
    TCP_PAIR_CLOSED, /* both FINs acknowledged, or RST */
};

struct tcp_pair_options {
    size_t limit;   /* octets held out of order per side; 0 means TCP_PAIR_LIMIT_DEFAULT */
    size_t history; /* octets kept per side to compare retransmissions with; 0 means TCP_PAIR_HISTORY_DEFAULT */
    /* A segment beyond a gap gives up the gap at once: for hosts that never get the missing segment later. */
    bool eager_holes;
    bool at_once; /* no segment waits for later ones: what is in doubt is taken */
};

enum { TCP_PAIR_LIMIT_DEFAULT = 4 << 20, TCP_PAIR_HISTORY_DEFAULT = 64 << 10 };

struct tcp_pair;

/* Copies events and options. Returns NULL when out of memory. */
struct tcp_pair *tcp_pair_new(const struct tcp_pair_options *options, const struct tcp_pair_events *events,
                              struct arena *arena);
/* Calls no events. */
void tcp_pair_free(struct tcp_pair *pair);
void tcp_pair_segment(struct tcp_pair *pair, const struct tcp_segment *segment);
/* Takes or refuses segments that wait for later ones, according to those that have come (engine/packet/dispute.h). */
void tcp_pair_settle(struct tcp_pair *pair);
/* Memory taken by octets of this side that wait for earlier octets. */
size_t tcp_pair_held(const struct tcp_pair *pair, unsigned side);
/* Frees room: gives up the missing octets, and delivers the octets that wait for them. */
void tcp_pair_stop_waiting(struct tcp_pair *pair, unsigned side);
/* End of the capture: gives up missing octets and delivers the held octets. */
void tcp_pair_finish(struct tcp_pair *pair);
enum tcp_pair_state tcp_pair_state(const struct tcp_pair *pair);
/*
 * Whether `segment` cannot belong to this connection: a SYN with another ISN after data or after the end. The caller
 * then finishes this pair and opens a new pair (reused 4-tuple).
 */
bool tcp_pair_is_reuse(const struct tcp_pair *pair, const struct tcp_segment *segment);

/* Facts for the layers above. */
struct tcp_side_facts {
    bool syn_seen;
    bool based;   /* isn is known, or guessed from the other side's first acknowledgment */
    uint32_t isn; /* sequence number of stream offset 0, i.e. SYN + 1, or of the first octet seen */
    uint16_t mss; /* from its SYN: how much the OTHER side may send; 0 unknown */
    bool sack_permitted;
    uint64_t next;    /* first stream offset not delivered yet */
    uint64_t highest; /* end of the octets known to have been sent */
    bool acked_known;
    uint64_t acked;           /* highest offset of this side acknowledged by the other */
    uint32_t largest_segment; /* payload octets; far above MSS: TSO/GRO capture */
    bool fin;
    uint32_t refused[REFUSALS]; /* segments that no receiver accepts */
};
const struct tcp_side_facts *tcp_pair_facts(const struct tcp_pair *pair, unsigned side);

/* Segments wait until it is clear which of them count (tcp_accept.h). */
bool tcp_pair_is_disputed(const struct tcp_pair *pair);

/* Whether a receiver looks at the segment, judging by checksum and flags; otherwise it is counted. */
bool tcp_pair_is_intact(struct tcp_pair *pair, const struct tcp_segment *segment);

#endif
