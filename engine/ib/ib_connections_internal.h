/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A `flow` is one direction of a connection: from an address to a queue pair at another address. All flows are in a
 * hash table; flows without a counterpart are also in a list, with their packets so far. A third party can forge a
 * handshake that names a queue pair in use. So the connection that has the queue pair keeps it, and the new connection
 * becomes its rival: each packet goes to the connection with the nearer PSNs, and the old connection has ended once the
 * rival was heard from every side from which the old connection was heard.
 */
#ifndef IWARP_ENGINE_IB_IB_CONNECTIONS_INTERNAL_H
#define IWARP_ENGINE_IB_IB_CONNECTIONS_INTERNAL_H

#include "engine/ib/ib_connections.h"

#include <string.h>

struct key {
    struct ib_address from, to;
    uint32_t qp;
};

struct early {
    struct early *next;
    uint32_t frame;
    int64_t time_ns;
    struct ib_packet packet;
    uint8_t octets[];
};

struct pair;

struct flow {
    struct key key;
    struct flow *chain; /* in its bucket */
    struct pair *pair;  /* NULL: without counterpart */
    struct pair *rival; /* a new connection that claims this flow, or NULL */
    unsigned sender;    /* side of `pair` */
    unsigned rival_sender;
    /* The rest is for flows without counterpart. */
    struct flow *older, *newer;
    struct early *first, **last;
    size_t octets;
    bool asks; /* requests were seen, with these PSNs: */
    uint32_t request_first, request_n;
};

/* The ID that connection management uses for one end of a connection. */
struct id {
    struct id *chain;
    struct pair *pair; /* NULL: not in the table */
    unsigned side;
    uint32_t value;
};

struct pair {
    struct ib_connection connection; /* first: a connection is its pair */
    struct pair *older, *newer;      /* ordered by their last packet */
    struct flow *flow[2];            /* by sender; NULL: unknown */
    struct flow *claimed[2];         /* by sender: flows of other pairs that this pair claims; NULL: none */
    struct id id[2];
    bool heard[2]; /* by sender: packets came */
    bool dead;     /* the host refused the pair */
};

struct ib_connections {
    struct ib_connections_options options;
    struct ib_connection_events events;
    struct flow **buckets;
    struct id **ids; /* has n_buckets buckets, too */
    size_t n_buckets, n_flows, n_ids;
    struct pair *oldest, *newest;
    uint32_t n_pairs;
    struct flow *unpaired, *newest_unpaired; /* ordered from oldest to newest */
    unsigned n_unpaired;
    uint32_t own_next_id;
};

static inline bool ib_same_address(const struct ib_address *a, const struct ib_address *b)
{
    return a->kind == b->kind && a->network == b->network && memcmp(a->octets, b->octets, sizeof a->octets) == 0;
}

/* ---- the tables of flows and IDs: ib_flows.c ---- */

/* NULL: none. */
struct flow *ib_flow_find(const struct ib_connections *connections, const struct key *key);
/* NULL: memory is lacking. */
struct flow *ib_flow_add(struct ib_connections *connections, const struct key *key);
/* Frees the flow with its early packets. */
void ib_flow_remove(struct ib_connections *connections, struct flow *flow);
void ib_early_free(struct flow *flow);
/* The end with the ID `value` at `address`; NULL: none. */
const struct id *ib_id_find(const struct ib_connections *connections, const struct ib_address *address, uint32_t value);
void ib_id_add(struct ib_connections *connections, struct pair *pair, unsigned side, uint32_t value);
void ib_id_remove(struct ib_connections *connections, struct id *id);

/* ---- pairs: ib_pairs.c ---- */

/* Closes the oldest pair if there are too many. NULL: memory is lacking. */
struct pair *ib_pair_open(struct ib_connections *connections, const struct ib_address *first,
                          const struct ib_address *second, uint32_t frame, int64_t time_ns);
/* The pair's flows go to its rivals, if any. Frees the pair. */
void ib_pair_close(struct ib_connections *connections, struct pair *pair, enum ib_connection_end why, int64_t now_ns);
/* From now on the flow belongs to the pair. */
void ib_pair_own(struct pair *pair, unsigned sender, struct flow *flow);
/* Claims the flow, unless another pair has a better claim. */
void ib_pair_claim(struct pair *pair, unsigned sender, struct flow *flow);
void ib_pair_note_tap(struct ib_connection *connection, unsigned sender, const struct ib_packet *packet);
/* Hands a packet to the connection. */
void ib_pair_deliver(struct ib_connections *connections, struct pair *pair, unsigned sender,
                     const struct ib_packet *packet, uint32_t frame, int64_t time_ns);

/* ---- flows without counterpart: ib_unpaired.c ---- */

/* Queue pair `qp` belongs to `side`: from now on, packets that the other side sends to it belong to this connection. */
void ib_pair_set_qp(struct ib_connections *connections, struct pair *pair, unsigned side, uint32_t qp, int64_t now_ns);
/* A packet of such a flow (NULL: its first). Returns the connection, once it is known. */
struct ib_connection *ib_unpaired_packet(struct ib_connections *connections, const struct key *key, struct flow *flow,
                                         const struct ib_arrival *arrival);
/* Makes a connection of a flow and its counterpart (NULL: none). NULL: memory is lacking. */
struct pair *ib_unpaired_settle(struct ib_connections *connections, struct flow *flow, struct flow *counterpart);
/* Drops a flow: a single packet proves next to nothing. */
void ib_unpaired_drop(struct ib_connections *connections, struct flow *flow);

/* ---- connection management: ib_managed.c ---- */

/* The connection that the message is about; NULL: none. */
struct ib_connection *ib_managed(struct ib_connections *connections, const struct ib_arrival *arrival,
                                 const struct ib_cm *cm);

#endif
