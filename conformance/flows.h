/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The connections of a capture: each segment goes to its connection's tcp_pair. VLAN tags are no part of the key: the
 * same addresses and ports in two VLANs are one connection seen twice.
 *
 * A SYN that cannot belong to the connection known at its addresses opens a new one (reused 4-tuple). Connections that
 * ended stay known for a while, so that a late retransmission opens nothing.
 */
#ifndef IWARP_CONFORMANCE_FLOWS_H
#define IWARP_CONFORMANCE_FLOWS_H

#include "conformance/decap.h"
#include "engine/tcp_pair.h"

/* One connection. Side 0 sent the SYN; without a SYN, received the SYN-ACK; else sent the first segment seen. */
struct flow {
    uint32_t id;                     /* from 1, in the order of first frames */
    struct endpoint endpoint[2];     /* by side */
    uint32_t start_frame, end_frame; /* first and last segment */
    int64_t start_ns, end_ns;
    uint64_t segments;
    const struct tcp_pair *tcp; /* valid until `close` returns */
    void *consumer;             /* the host's */
};

enum flow_end {
    FLOW_END_CLOSED,    /* both FINs acknowledged, or RST, and quiet since */
    FLOW_END_REUSED,    /* a new connection took its addresses */
    FLOW_END_EVICTED,   /* too many connections: the one that was idle longest */
    FLOW_END_DISMISSED, /* flow_dismiss() */
    FLOW_END_CAPTURE,   /* the capture ends */
};

struct flow_events {
    void *ctx;
    /*
     * A new connection, before its first segment: the host sets flow->consumer and what the pair is to tell. False: the
     * host cannot take it (no memory); its segments are passed over.
     */
    bool (*open)(void *ctx, struct flow *flow, struct tcp_pair_events *events);
    /* The pair was created; called once after open, for mpa_connection_set_tcp(). May be NULL. */
    void (*opened)(void *ctx, struct flow *flow);
    /* After the pair has told everything (tcp_pair_finish); the host judges and frees the consumer. Called once per
     * open. */
    void (*close)(void *ctx, struct flow *flow, enum flow_end why, int64_t now_ns);
};

struct flows_options {
    struct tcp_pair_options tcp;
    uint32_t max_connections; /* known at one time; 0 takes the default (65536) */
    int64_t linger_ns; /* a closed connection that is quiet for so long is done with; 0 takes the default (10 s) */
    uint64_t seed;     /* of the hash; 0 takes a random one */
    uint32_t *next_id; /* of the next connection, where several tables share their numbers; NULL: numbers of its own */
};

struct flows;

/* Which of n tables a segment belongs to: the same for both directions, and in every run. */
unsigned flows_share(const struct addressed_segment *segment, unsigned n);

/* Options and events are copied. NULL when memory is lacking. */
struct flows *flows_new(const struct flows_options *options, const struct flow_events *events);
/* Tells of each connection that is open, in no particular order; `tell` must not call anything here. */
void flows_each(struct flows *flows, void (*tell)(void *ctx, struct flow *flow), void *ctx);
/* Closes what is open (FLOW_END_CAPTURE), in the order of ids. now_ns: time of the last packet. */
void flows_finish(struct flows *flows, int64_t now_ns);
/* Without flows_finish before: closes nothing, so consumers are the host's to free. */
void flows_free(struct flows *flows);

/* Sets segment->segment.side and hands it on. Returns the connection, or NULL when it belongs to none. */
struct flow *flows_segment(struct flows *flows, struct addressed_segment *segment);
/*
 * The host has no interest in this connection any more (not MPA): its close is called soon and the memory freed, its
 * further segments are passed over. May be called inside the pair's events.
 */
void flow_dismiss(struct flow *flow);

#endif
