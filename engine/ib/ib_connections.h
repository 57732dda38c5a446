/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The reliable connections in a RoCE or InfiniBand capture, and the assignment of packets to them. A packet names only
 * the queue pair that receives it. Connection management says which two queue pairs form a connection (wire/ib_cm.h).
 * If that exchange is missing, responses show it: an Acknowledge or Read response carries the PSN of a request in the
 * other direction. Until then packets are kept. A queue pair whose counterpart is still unknown at the limit, or at the
 * end, becomes a connection with one direction. Sans-I/O. Memory: max_connections, and IB_EARLY_LIMIT octets for each
 * queue pair without a counterpart, at most max_unpaired of them at a time; or what ib_connections_trim() leaves.
 */
#ifndef IWARP_ENGINE_IB_IB_CONNECTIONS_H
#define IWARP_ENGINE_IB_IB_CONNECTIONS_H

#include "engine/ib/ib_rc.h"
#include "engine/packet/addressed.h"
#include "engine/packet/kept.h"
#include "wire/ib_cm.h"

enum { IB_EARLY_LIMIT = 256 << 10, IB_UNPAIRED_MAX = 256 };

struct ib_arrival {
    struct ib_address source, destination;
    const struct ib_packet *packet; /* decoded, headers complete */
    uint32_t frame;
    int64_t time_ns;
};

/* packet: decoded from the datagram. */
struct ib_arrival ib_arrival_of(const struct ib_datagram *datagram, const struct ib_packet *packet);

/* Side 0 sent the ConnectRequest; if none was captured, side 0 sent the first packet seen. */
struct ib_connection {
    uint32_t id; /* from 1, in the order of discovery */
    struct ib_address address[2];
    uint32_t qp[2]; /* of each side; valid with qp_known */
    bool qp_known[2];
    bool request_seen, reply_seen, ready_seen; /* messages of connection management */
    bool rejected;
    uint16_t reject_reason;
    bool disconnected;      /* a side asked to disconnect */
    uint16_t port[2];       /* port of an IP service, by side; 0: unknown */
    uint8_t ird[2], ord[2]; /* by side, as announced; valid with request_seen and reply_seen */
    /*
     * Recorded by iwarp-tap, on the client or on the server: the numbers of the transport are invented
     * (wire/tap_mark.h), while the ports and the client's side are known.
     */
    bool tapped, by_client;
    unsigned client;
    uint32_t start_frame, end_frame;
    int64_t start_ns, end_ns;
    uint64_t packets;
    struct ib_rc *rc; /* owned by ib_connections */
    void *host;       /* owned by the host */
};

enum ib_connection_end { IB_CONNECTION_ENDED, IB_CONNECTION_REUSED, IB_CONNECTION_EVICTED, IB_CONNECTION_CAPTURE };

struct ib_connection_events {
    void *ctx;
    /*
     * A new connection, before its first event: the host sets *events. False: the host refuses it; its packets are
     * skipped.
     */
    bool (*open)(void *ctx, struct ib_connection *connection, struct ib_rc_events *events);
    /* A connection management message of this connection, sent by `side`; may be NULL. */
    void (*managed)(void *ctx, struct ib_connection *connection, unsigned side, const struct ib_cm *cm,
                    const struct place *place);
    /* Called once per open, after everything held was delivered. */
    void (*close)(void *ctx, struct ib_connection *connection, enum ib_connection_end why, int64_t now_ns);
    /*
     * max_unpaired was reached: the queue pair of a single packet, in that frame, was forgotten. NULL: such queue pairs
     * are judged.
     */
    void (*forgotten)(void *ctx, uint32_t frame);
};

/* Two queue pairs that form a connection, in either order. */
struct ib_qp_pair {
    uint32_t qp[2];
};

struct ib_connections_options {
    /* Known at a time; 0: 65536; UINT32_MAX: the caller uses ib_connections_trim(). */
    uint32_t max_connections;
    uint32_t max_unpaired;            /* queue pairs without counterpart; 0: IB_UNPAIRED_MAX. UINT32_MAX: likewise */
    int64_t linger_ns;                /* how long an ended connection stays known; 0: 10 s */
    uint32_t *next_id;                /* shared with other tables; NULL: the table has its own numbers */
    const struct ib_qp_pair *assumed; /* connections whose setup is not captured: n_assumed pairs; borrowed */
    unsigned n_assumed;
    struct ib_rc_options rc;
};

struct ib_connections;

/* Which of n tables gets a packet: the same for both directions, and different in each run. */
unsigned ib_connections_share(const struct ib_address *source, const struct ib_address *destination, unsigned n);

/* Copies options and events. NULL when out of memory. */
struct ib_connections *ib_connections_new(const struct ib_connections_options *options,
                                          const struct ib_connection_events *events);
/* Unless ib_connections_finish() was called before, open connections are not closed. */
void ib_connections_free(struct ib_connections *connections);
/* Delivers a packet. Returns its connection; NULL: none, or unknown so far. */
struct ib_connection *ib_connections_packet(struct ib_connections *connections, const struct ib_arrival *arrival);
/* The connection that a packet seems to belong to, without delivering it; NULL: none known. */
struct ib_connection *ib_connections_find(struct ib_connections *connections, const struct ib_arrival *arrival);
/* The side of the connection that sent the packet. */
unsigned ib_connection_sender(const struct ib_connection *connection, const struct ib_arrival *arrival);
/* Calls `each` for every open connection; `each` must not call functions of this file. */
void ib_connections_each(struct ib_connections *connections, void (*each)(void *ctx, struct ib_connection *connection),
                         void *ctx);
/* Advances to that time: closes connections that have ended and been quiet since. */
void ib_connections_reach(struct ib_connections *connections, int64_t now_ns);
/* Both are called after ib_connections_reach(). */
void ib_connections_kept(struct ib_connections *connections, const struct kept_visit *visit);
/*
 * Forgets queue pairs without a counterpart that have a single packet, and returns their number; the others are judged.
 */
uint32_t ib_connections_trim(struct ib_connections *connections, const struct kept_limits *limits, int64_t now_ns);
/*
 * Closes all connections in the order of their ids; remaining queue pairs without counterpart become connections here.
 */
void ib_connections_finish(struct ib_connections *connections, int64_t now_ns);

#endif
