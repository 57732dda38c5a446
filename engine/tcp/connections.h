/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The TCP connections of a capture, and the assignment of segments to them. VLAN tags are not part of the key: the same
 * addresses and ports in two VLANs are one connection seen twice. A segment that cannot belong to the known connection
 * at its addresses opens a new connection (engine/tcp/tcp_boundary.h). Ended connections stay known for a while, so
 * that late retransmissions open nothing. Several tables may share the connections of a capture. The end of a
 * connection depends only on its own segments and on frame numbers, so findings do not depend on the table.
 */
#ifndef IWARP_ENGINE_TCP_CONNECTIONS_H
#define IWARP_ENGINE_TCP_CONNECTIONS_H

#include "engine/packet/addressed.h"
#include "engine/packet/kept.h"
#include "engine/tcp/tcp_boundary.h"
#include "wire/endpoint.h"

/* Side 0 sent the SYN; if no SYN was captured, it received the SYN-ACK; else it sent the first segment seen. */
struct connection {
    uint32_t id;                     /* from 1, in the order of first frames */
    struct endpoint endpoint[2];     /* by side */
    uint32_t start_frame, end_frame; /* first and last segment */
    int64_t start_ns, end_ns;
    uint64_t segments;
    struct tcp_pair *tcp; /* the host's; takes the segments */
    void *host;           /* likewise */
    bool parked;          /* the host has put aside the connection and tcp: call unpark() first */
};

enum connection_end {
    CONNECTION_CLOSED,    /* both FINs acknowledged, or RST, followed by silence */
    CONNECTION_REUSED,    /* a new connection took its addresses */
    CONNECTION_EVICTED,   /* too many connections: this connection was idle longest */
    CONNECTION_DISMISSED, /* connection_dismiss() */
    CONNECTION_CAPTURE,   /* the capture ends */
};

struct connection_events {
    void *ctx;
    /*
     * A new connection, before its first segment: the host sets connection->tcp. False: the host cannot take the
     * connection (no memory); its segments are ignored.
     */
    bool (*open)(void *ctx, struct connection *connection);
    /* Both directions have ended; hardly any segments will follow before close. May be NULL. */
    void (*over)(void *ctx, struct connection *connection);
    /*
     * park: the host puts the connection aside; nothing of the connection, not even tcp, is read before unpark().
     * False: the connection stays as it is. Both may be NULL.
     */
    bool (*park)(void *ctx, struct connection *connection);
    void (*unpark)(void *ctx, struct connection *connection);
    /* The host frees what it allocated for the connection, including tcp. Called once per open. */
    void (*close)(void *ctx, struct connection *connection, enum connection_end why, int64_t now_ns);
};

struct connections_options {
    /* Known at a time; 0: the default (65536); UINT32_MAX: the caller uses connections_trim(). */
    uint32_t max_connections;
    /* A closed connection is forgotten after this much silence, or after this many further frames of the capture. */
    int64_t linger_ns;      /* 0: the default (10 s) */
    uint32_t linger_frames; /* 0: the default (16384) */
    uint64_t seed;          /* seeds the hash; 0: random */
    /* Id of the next connection, shared by several tables; NULL: the table has its own ids. */
    uint32_t *next_id;
};

struct connections;

/* Which of n tables gets a segment: the same for both directions, and different in each run. */
unsigned connections_share(const struct addressed_segment *segment, unsigned n);

/* Copies options and events. NULL when out of memory. */
struct connections *connections_new(const struct connections_options *options, const struct connection_events *events);
/* Calls `visit` for each open connection, parked ones as well, in no particular order. */
void connections_each(struct connections *connections, void (*visit)(void *ctx, struct connection *connection),
                      void *ctx);
/* Clears the connection's parked state. */
void connections_unpark(const struct connections *connections, struct connection *connection);
/* Advances to that frame and time: closes connections that have ended by then. */
void connections_reach(struct connections *connections, uint32_t frame, int64_t now_ns);
/* Both are called after connections_reach(). */
void connections_kept(struct connections *connections, const struct kept_visit *visit);
void connections_trim(struct connections *connections, const struct kept_limits *limits, int64_t now_ns);
/* Parks the connection if possible. */
void connections_park_one(struct connections *connections, struct connection *connection);
/* Parks each connection that had no packet after frame `until`. */
void connections_park(struct connections *connections, uint32_t until);
/* Closes all open connections (CONNECTION_CAPTURE) in the order of ids. now_ns: time of the last packet. */
void connections_finish(struct connections *connections, int64_t now_ns);
/* Unless connections_finish() was called, closes no connection; the host frees what it allocated. */
void connections_free(struct connections *connections);

/*
 * Sets segment->segment.side and passes the segment on. Returns its connection, or NULL when the segment belongs to
 * none.
 */
struct connection *connections_segment(struct connections *connections, struct addressed_segment *segment);
/*
 * The host has no more interest in this connection (not MPA): its close event follows soon and its memory is freed;
 * further segments are ignored. May be called inside the events of connection->tcp.
 */
void connection_dismiss(struct connection *connection);

#endif
