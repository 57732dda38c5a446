// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A `flow` is one direction of a connection: from an address to a queue pair at another address. All flows are in a
 * hash table; flows without a counterpart are also in a list, with their packets so far. A third party can forge a
 * handshake that names a queue pair in use. So the connection that has the queue pair keeps it, and the new connection
 * becomes its rival: each packet goes to the connection with the nearer PSNs, and the old connection has ended once the
 * rival was heard from every side from which the old connection was heard.
 */
#include "engine/ib/ib_connections.h"

#include "engine/core/hash.h"
#include "engine/core/heap.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_CONNECTIONS_DEFAULT = 65536, BUCKETS_FIRST = 64 };
static const int64_t linger_default_ns = INT64_C(10) * 1000000000;

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

/* ---- the table of flows ---- */

static bool connections_same_address(const struct ib_address *a, const struct ib_address *b)
{
    return a->kind == b->kind && a->network == b->network && memcmp(a->octets, b->octets, sizeof a->octets) == 0;
}

static bool connections_same_key(const struct key *a, const struct key *b)
{
    return a->qp == b->qp && connections_same_address(&a->from, &b->from) && connections_same_address(&a->to, &b->to);
}

static uint64_t hash_address(uint64_t h, const struct ib_address *address)
{
    return hash_octets(h, address->octets, sizeof address->octets);
}

static size_t connections_bucket(const struct ib_connections *connections, uint64_t h, uint32_t number)
{
    h = (h ^ number) * UINT64_C(0x9E3779B97F4A7C15);
    return (size_t)(h ^ h >> 29) & (connections->n_buckets - 1);
}

static struct flow **flow_bucket(const struct ib_connections *connections, const struct key *key)
{
    uint64_t h = hash_address(hash_address(0, &key->from), &key->to);

    return &connections->buckets[connections_bucket(connections, h, key->qp)];
}

static struct id **id_bucket(const struct ib_connections *connections, const struct ib_address *address, uint32_t value)
{
    return &connections->ids[connections_bucket(connections, hash_address(0, address), value)];
}

static struct flow *find_flow(const struct ib_connections *connections, const struct key *key)
{
    struct flow *flow = *flow_bucket(connections, key);

    while (flow && !connections_same_key(&flow->key, key))
        flow = flow->chain;
    return flow;
}

/* The end with the ID `value` at `address`. */
static const struct id *find_id(const struct ib_connections *connections, const struct ib_address *address,
                                uint32_t value)
{
    const struct id *id = *id_bucket(connections, address, value);

    while (id && (id->value != value || !connections_same_address(&id->pair->connection.address[id->side], address)))
        id = id->chain;
    return id;
}

static void add_id(struct ib_connections *connections, struct pair *pair, unsigned side, uint32_t value)
{
    struct id *id = &pair->id[side], **first = id_bucket(connections, &pair->connection.address[side], value);

    *id = (struct id){*first, pair, side, value};
    *first = id;
    connections->n_ids++;
}

static void remove_id(struct ib_connections *connections, struct id *id)
{
    struct id **link;

    if (!id->pair)
        return;
    link = id_bucket(connections, &id->pair->connection.address[id->side], id->value);
    while (*link != id)
        link = &(*link)->chain;
    *link = id->chain;
    connections->n_ids--;
}

static void put_flow(struct ib_connections *connections, struct flow *flow)
{
    struct flow **first = flow_bucket(connections, &flow->key);

    flow->chain = *first;
    *first = flow;
}

static void connections_grow(struct ib_connections *connections)
{
    size_t old = connections->n_buckets;
    struct flow **flows = connections->buckets;
    struct id **ids = connections->ids;

    connections->buckets = heap_zeroed(2 * old, sizeof *flows);
    connections->ids = heap_zeroed(2 * old, sizeof *ids);
    if (!connections->buckets || !connections->ids) { /* the chains stay long */
        free(connections->buckets);
        free(connections->ids);
        connections->buckets = flows;
        connections->ids = ids;
        return;
    }
    connections->n_buckets = 2 * old;
    for (size_t i = 0; i < old; i++) {
        for (struct flow *flow = flows[i], *next; flow; flow = next) {
            next = flow->chain;
            put_flow(connections, flow);
        }
        for (struct id *id = ids[i], *next; id; id = next) {
            struct id **first = id_bucket(connections, &id->pair->connection.address[id->side], id->value);

            next = id->chain;
            id->chain = *first;
            *first = id;
        }
    }
    free(flows);
    free(ids);
}

static struct flow *add_flow(struct ib_connections *connections, const struct key *key)
{
    struct flow *flow = heap_zeroed(1, sizeof *flow);

    if (!flow)
        return NULL;
    if (connections->n_flows >= connections->n_buckets || connections->n_ids >= connections->n_buckets)
        connections_grow(connections);
    flow->key = *key;
    flow->last = &flow->first;
    put_flow(connections, flow);
    connections->n_flows++;
    return flow;
}

static void free_early(struct flow *flow)
{
    for (struct early *early = flow->first, *next; early; early = next) {
        next = early->next;
        free(early);
    }
    flow->first = NULL;
    flow->last = &flow->first;
    flow->octets = 0;
}

static void remove_flow(struct ib_connections *connections, struct flow *flow)
{
    struct flow **link = flow_bucket(connections, &flow->key);

    while (*link != flow)
        link = &(*link)->chain;
    *link = flow->chain;
    connections->n_flows--;
    free_early(flow);
    free(flow);
}

/* ---- pairs ---- */

static void connections_unlink_pair(struct ib_connections *connections, struct pair *pair)
{
    *(pair == connections->oldest ? &connections->oldest : &pair->older->newer) = pair->newer;
    *(pair == connections->newest ? &connections->newest : &pair->newer->older) = pair->older;
}

static void link_newest(struct ib_connections *connections, struct pair *pair)
{
    pair->older = connections->newest;
    pair->newer = NULL;
    *(connections->newest ? &connections->newest->newer : &connections->oldest) = pair;
    connections->newest = pair;
}

/* From now on the flow belongs to the pair. */
static void connections_own(struct pair *pair, unsigned sender, struct flow *flow)
{
    flow->pair = pair;
    flow->sender = sender;
    pair->flow[sender] = flow;
    pair->connection.qp[other_side(sender)] = flow->key.qp;
    pair->connection.qp_known[other_side(sender)] = true;
}

static void withdraw_claim(struct pair *pair, unsigned sender)
{
    if (pair->claimed[sender])
        pair->claimed[sender]->rival = NULL;
    pair->claimed[sender] = NULL;
}

/* Claims the flow, unless another pair has a better claim. */
static void connections_claim(struct pair *pair, unsigned sender, struct flow *flow)
{
    if (flow->rival && (flow->rival->heard[0] || flow->rival->heard[1] || flow->rival->connection.reply_seen))
        return;
    if (flow->rival)
        withdraw_claim(flow->rival, flow->rival_sender);
    flow->rival = pair;
    flow->rival_sender = sender;
    pair->claimed[sender] = flow;
}

/* The flow's pair has ended: its rival, if any, takes the flow. */
static void leave_flow(struct ib_connections *connections, struct flow *flow)
{
    struct pair *rival = flow->rival;
    unsigned sender = flow->rival_sender;

    if (!rival) {
        remove_flow(connections, flow);
        return;
    }
    withdraw_claim(rival, sender);
    connections_own(rival, sender, flow);
}

static void close_pair(struct ib_connections *connections, struct pair *pair, enum ib_connection_end why,
                       int64_t now_ns)
{
    for (unsigned side = 0; side < 2; side++) {
        if (pair->flow[side])
            leave_flow(connections, pair->flow[side]);
        withdraw_claim(pair, side);
    }
    for (unsigned side = 0; side < 2; side++)
        remove_id(connections, &pair->id[side]);
    if (!pair->dead) {
        ib_rc_finish(pair->connection.rc);
        if (connections->events.close)
            connections->events.close(connections->events.ctx, &pair->connection, why, now_ns);
    }
    ib_rc_free(pair->connection.rc);
    connections_unlink_pair(connections, pair);
    connections->n_pairs--;
    free(pair);
}

static struct pair *open_pair(struct ib_connections *connections, const struct ib_address *first,
                              const struct ib_address *second, uint32_t frame, int64_t time_ns)
{
    uint32_t *next_id = connections->options.next_id ? connections->options.next_id : &connections->own_next_id;
    struct ib_rc_events events = {0};
    struct pair *pair;

    if (connections->oldest && connections->n_pairs >= connections->options.max_connections)
        close_pair(connections, connections->oldest, IB_CONNECTION_EVICTED, time_ns);
    pair = heap_zeroed(1, sizeof *pair);
    if (!pair)
        return NULL;
    pair->connection = (struct ib_connection){.id = (*next_id)++,
                                              .address = {*first, *second},
                                              .start_frame = frame,
                                              .end_frame = frame,
                                              .start_ns = time_ns,
                                              .end_ns = time_ns};
    link_newest(connections, pair);
    connections->n_pairs++;
    pair->connection.rc = ib_rc_new(&connections->options.rc);
    pair->dead = !pair->connection.rc || !connections->events.open(connections->events.ctx, &pair->connection, &events);
    if (!pair->dead)
        ib_rc_listen(pair->connection.rc, &events);
    return pair;
}

/* Queue pairs of clients have even numbers. */
static void connections_note_tap(struct ib_connection *connection, unsigned sender, const struct ib_packet *packet)
{
    const struct tap_mark *tap = &packet->tap;

    if (!connection->tapped && !connection->request_seen)
        connection->client = packet->bth.qp & 1 ? sender : other_side(sender);
    connection->tapped = true;
    connection->by_client = tap->by_client;
    connection->port[sender] = tap->source_port;
    connection->port[other_side(sender)] = tap->destination_port;
}

/* The middle packets of a message that a tap has left out of the file, as they have no octets. */
static void connections_fill_in(struct ib_rc *rc, unsigned sender, const struct ib_packet *packet, uint32_t frame,
                                int64_t time_ns)
{
    struct ib_packet whole = {.bth = packet->bth, .tap = packet->tap, .payload = packet->payload};

    if (!packet->info ||
        (packet->info->message != IB_MESSAGE_WRITE && packet->info->message != IB_MESSAGE_READ_RESPONSE) ||
        packet->info->first)
        return;
    whole.bth.opcode =
        packet->info->message == IB_MESSAGE_WRITE ? (uint8_t)IB_WRITE_MIDDLE : (uint8_t)IB_READ_RESPONSE_MIDDLE;
    whole.bth.pad = 0;
    whole.info = ib_opcode_info(whole.bth.opcode);
    whole.header_len = IB_BTH_LEN;
    whole.payload_len = IB_MTU_MAX;
    for (unsigned i = packet->tap.left_out; i > 0; i--) {
        whole.bth.psn = (packet->bth.psn - i) & IB_PSN_MASK;
        ib_rc_packet(rc, sender, &whole, frame, time_ns);
    }
}

static void deliver_early(struct ib_connections *connections, struct pair *pair, unsigned sender,
                          const struct ib_packet *packet, uint32_t frame, int64_t time_ns)
{
    struct ib_connection *connection = &pair->connection;

    if (packet->tap.tapped)
        connections_note_tap(connection, sender, packet);
    if (connections->newest != pair) {
        connections_unlink_pair(connections, pair);
        link_newest(connections, pair);
    }
    connection->end_frame = frame;
    connection->end_ns = time_ns;
    connection->packets++;
    pair->heard[sender] = true;
    if (pair->dead)
        return;
    if (packet->tap.left_out > 0)
        connections_fill_in(connection->rc, sender, packet, frame, time_ns);
    ib_rc_packet(connection->rc, sender, packet, frame, time_ns);
}

/* ---- flows without counterpart ---- */

static void forget_unpaired(struct ib_connections *connections, struct flow *flow)
{
    *(flow->older ? &flow->older->newer : &connections->unpaired) = flow->newer;
    *(flow->newer ? &flow->newer->older : &connections->newest_unpaired) = flow->older;
    flow->older = flow->newer = NULL;
    connections->n_unpaired--;
}

/* Delivers packets that came early in one or both flows, in the order of frames. */
static void connections_replay(struct ib_connections *connections, struct pair *pair)
{
    struct early *at[2] = {pair->flow[0] ? pair->flow[0]->first : NULL, pair->flow[1] ? pair->flow[1]->first : NULL};

    while (at[0] || at[1]) {
        unsigned sender = !at[0] || (at[1] && at[1]->frame < at[0]->frame) ? 1 : 0;

        deliver_early(connections, pair, sender, &at[sender]->packet, at[sender]->frame, at[sender]->time_ns);
        at[sender] = at[sender]->next;
    }
    for (unsigned side = 0; side < 2; side++)
        if (pair->flow[side])
            free_early(pair->flow[side]);
}

static bool connections_goes_on(const struct pair *pair)
{
    return (pair->heard[0] || pair->heard[1]) && !pair->dead && !pair->connection.disconnected;
}

/* Queue pair `qp` belongs to `side`: from now on, packets that the other side sends to it belong to this connection. */
static void set_qp(struct ib_connections *connections, struct pair *pair, unsigned side, uint32_t qp, int64_t now_ns)
{
    unsigned sender = other_side(side);
    const struct key key = {pair->connection.address[sender], pair->connection.address[side], qp};
    struct flow *flow = find_flow(connections, &key);

    if (flow && flow->pair == pair) { /* connected to itself, within a host: both directions look the same */
        pair->connection.qp[side] = qp;
        pair->connection.qp_known[side] = true;
        return;
    }
    if (flow && flow->pair) { /* the queue pair is used again, or a packet claims so */
        if (connections_goes_on(flow->pair)) {
            connections_claim(pair, sender, flow);
            return;
        }
        close_pair(connections, flow->pair, IB_CONNECTION_REUSED, now_ns);
        flow = NULL;
    }
    if (flow && !flow->pair)
        forget_unpaired(connections, flow);
    if (!flow)
        flow = add_flow(connections, &key);
    if (!flow)
        return;
    connections_own(pair, sender, flow);
    connections_replay(connections, pair);
}

/* Makes a connection of a flow and its counterpart (NULL: none). */
static struct pair *connections_settle(struct ib_connections *connections, struct flow *flow, struct flow *counterpart)
{
    bool second = counterpart && counterpart->first->frame < flow->first->frame;
    struct flow *first = second ? counterpart : flow;
    struct pair *pair =
        open_pair(connections, &first->key.from, &first->key.to, first->first->frame, first->first->time_ns);

    if (!pair)
        return NULL;
    for (unsigned i = 0; i < 2; i++) {
        struct flow *one = i == 0 ? flow : counterpart;

        if (!one)
            continue;
        forget_unpaired(connections, one);
        connections_own(pair, one == first ? 0 : 1, one);
    }
    connections_replay(connections, pair);
    return pair;
}

static bool has_asked(const struct flow *flow, uint32_t psn)
{
    return flow->asks && ib_psn_distance(flow->request_first, psn) >= 0 &&
           (uint32_t)ib_psn_distance(flow->request_first, psn) < flow->request_n;
}

/* The only reverse path that awaits PSN; NULL when there is none, or more than one. */
static struct flow *connections_counterpart_of(const struct ib_connections *connections, const struct flow *flow,
                                               uint32_t psn)
{
    struct flow *found = NULL;

    for (struct flow *other = connections->unpaired; other; other = other->newer) {
        if (other == flow || !has_asked(other, psn) || !connections_same_address(&other->key.from, &flow->key.to) ||
            !connections_same_address(&other->key.to, &flow->key.from))
            continue;
        if (found)
            return NULL;
        found = other;
    }
    return found;
}

static bool are_assumed(const struct ib_connections_options *options, uint32_t a, uint32_t b)
{
    for (unsigned i = 0; i < options->n_assumed; i++) {
        const uint32_t *qp = options->assumed[i].qp;

        if ((qp[0] == a && qp[1] == b) || (qp[0] == b && qp[1] == a))
            return true;
    }
    return false;
}

/* The reverse path that the user has named; NULL: none was named, or it has not come yet. */
static struct flow *assumed_counterpart(const struct ib_connections *connections, const struct flow *flow)
{
    struct flow *other = connections->options.n_assumed > 0 ? connections->unpaired : NULL;

    while (other && (other == flow || !other->first || !connections_same_address(&other->key.from, &flow->key.to) ||
                     !connections_same_address(&other->key.to, &flow->key.from) ||
                     !are_assumed(&connections->options, flow->key.qp, other->key.qp)))
        other = other->newer;
    return other;
}

static bool connections_keep_early(struct flow *flow, const struct ib_arrival *arrival)
{
    size_t size = sizeof(struct early) + arrival->packet->payload_captured;
    struct early *early;

    if (flow->octets + size > IB_EARLY_LIMIT)
        return false;
    early = heap_get(size);
    if (!early)
        return false;
    *early = (struct early){.frame = arrival->frame, .time_ns = arrival->time_ns, .packet = *arrival->packet};
    if (arrival->packet->payload_captured > 0)
        memcpy(early->octets, arrival->packet->payload, arrival->packet->payload_captured);
    early->packet.payload = early->octets;
    early->packet.icrc = NULL;
    *flow->last = early;
    flow->last = &early->next;
    flow->octets += size;
    return true;
}

static void connections_note_request(struct flow *flow, const struct ib_packet *packet)
{
    /* A Read takes as many PSNs as its response has packets: at most one per 256 octets. */
    uint32_t n = packet->info->message == IB_MESSAGE_READ ? packet->reth.length / 256 + 1 : 1;
    int32_t ahead;

    if (!flow->asks) {
        flow->asks = true;
        flow->request_first = packet->bth.psn;
    }
    ahead = ib_psn_distance(flow->request_first, packet->bth.psn);
    if (ahead >= 0 && (uint32_t)ahead + n > flow->request_n)
        flow->request_n = (uint32_t)ahead + n;
}

/* Drops a flow: a single packet proves next to nothing. */
static void drop_unpaired(struct ib_connections *connections, struct flow *flow)
{
    forget_unpaired(connections, flow);
    remove_flow(connections, flow);
}

/* Removes the oldest unpaired flow; false: out of memory. */
static bool connections_make_room(struct ib_connections *connections)
{
    struct flow *oldest = connections->unpaired;
    uint32_t frame = oldest->first->frame;

    if (!connections->events.forgotten || oldest->first->next)
        return connections_settle(connections, oldest, NULL) != NULL;
    drop_unpaired(connections, oldest);
    connections->events.forgotten(connections->events.ctx, frame);
    return true;
}

static struct flow *new_unpaired(struct ib_connections *connections, const struct key *key)
{
    struct flow *flow;

    if (connections->n_unpaired >= connections->options.max_unpaired && !connections_make_room(connections))
        return NULL;
    flow = add_flow(connections, key);
    if (!flow)
        return NULL;
    flow->older = connections->newest_unpaired;
    *(flow->older ? &flow->older->newer : &connections->unpaired) = flow;
    connections->newest_unpaired = flow;
    connections->n_unpaired++;
    return flow;
}

static struct ib_connection *unpaired(struct ib_connections *connections, const struct key *key, struct flow *flow,
                                      const struct ib_arrival *arrival)
{
    struct flow *counterpart = NULL;
    struct pair *pair = NULL;

    if (!flow)
        flow = new_unpaired(connections, key);
    if (!flow || !connections_keep_early(flow, arrival)) {
        if (flow && flow->first)
            pair = connections_settle(connections, flow, NULL); /* the flow has waited long enough */
        if (pair) {
            deliver_early(connections, pair, flow->sender, arrival->packet, arrival->frame, arrival->time_ns);
            return &pair->connection;
        }
        if (flow && !flow->first) /* an unpaired flow always has a first packet */
            drop_unpaired(connections, flow);
        return NULL;
    }
    counterpart = assumed_counterpart(connections, flow);
    if (!arrival->packet->info->response)
        connections_note_request(flow, arrival->packet);
    else if (!counterpart)
        counterpart = connections_counterpart_of(connections, flow, arrival->packet->bth.psn);
    if (counterpart)
        pair = connections_settle(connections, flow, counterpart);
    return pair ? &pair->connection : NULL;
}

/* ---- connection management ---- */

/* The start of the connection was not captured, but the message names the queue pair that it is sent to. */
static struct pair *connection_of_queue_pair(const struct ib_connections *connections, const struct ib_arrival *arrival,
                                             uint32_t qp, unsigned *side)
{
    const struct flow *flow = find_flow(connections, &(struct key){arrival->source, arrival->destination, qp});

    if (!flow || !flow->pair)
        return NULL;
    *side = flow->sender;
    return flow->pair;
}

/* The connection that a message is about, and the side that sent it. */
static struct pair *connection_of_message(const struct ib_connections *connections, const struct ib_arrival *arrival,
                                          const struct ib_cm *cm, unsigned *side)
{
    const struct id *id;

    if (cm->attribute == IB_CM_REQUEST) {
        id = find_id(connections, &arrival->source, cm->local_id);
        *side = 0;
        return id && id->side == 0 && id->pair->connection.qp[0] == cm->qp ? id->pair : NULL;
    }
    id = find_id(connections, &arrival->destination, cm->remote_id);
    if (!id && cm->attribute == IB_CM_DISCONNECT_REQUEST)
        return connection_of_queue_pair(connections, arrival, cm->qp, side);
    if (!id)
        return NULL;
    *side = other_side(id->side);
    return connections_same_address(&id->pair->connection.address[*side], &arrival->source) ? id->pair : NULL;
}

static void connections_take_request(struct ib_connections *connections, struct pair *pair, const struct ib_cm *cm,
                                     int64_t now_ns)
{
    struct ib_ip_cm ip;
    uint16_t port;

    add_id(connections, pair, 0, cm->local_id);
    pair->connection.request_seen = true;
    pair->connection.ird[0] = cm->responder_resources;
    pair->connection.ord[0] = cm->initiator_depth;
    if (pair->connection.rc)
        ib_rc_ack_timeout(pair->connection.rc, ib_cm_timeout_ns(cm->path.ack_timeout), now_ns);
    if (ib_service_is_ip(cm->service, &port)) {
        pair->connection.port[1] = port;
        if (ib_ip_cm_decode(&ip, cm->private_data, cm->private_len))
            pair->connection.port[0] = ip.source_port;
    }
    if (pair->connection.rc) {
        ib_rc_start(pair->connection.rc, 1, cm->psn);
        ib_rc_rnr_retries(pair->connection.rc, 1, cm->path.rnr_retries);
        ib_rc_mtu(pair->connection.rc, ib_cm_mtu(cm->path_mtu));
    }
    set_qp(connections, pair, 0, cm->qp, now_ns);
}

static void take_reply(struct ib_connections *connections, struct pair *pair, const struct ib_cm *cm, int64_t now_ns)
{
    add_id(connections, pair, 1, cm->local_id);
    pair->connection.reply_seen = true;
    pair->connection.ird[1] = cm->responder_resources;
    pair->connection.ord[1] = cm->initiator_depth;
    if (pair->connection.rc) {
        ib_rc_start(pair->connection.rc, 0, cm->psn);
        ib_rc_rnr_retries(pair->connection.rc, 0, cm->path.rnr_retries);
    }
    set_qp(connections, pair, 1, cm->qp, now_ns);
}

static struct ib_connection *management(struct ib_connections *connections, const struct ib_arrival *arrival,
                                        const struct ib_cm *cm)
{
    struct place place = {.frame = arrival->frame, .first_frame = arrival->frame, .time_ns = arrival->time_ns};
    unsigned side = 0;
    struct pair *pair = connection_of_message(connections, arrival, cm, &side);

    if (cm->attribute == IB_CM_REQUEST && !pair) {
        pair = open_pair(connections, &arrival->source, &arrival->destination, arrival->frame, arrival->time_ns);
        side = 0;
        if (pair)
            connections_take_request(connections, pair, cm, arrival->time_ns);
    } else if (pair && cm->attribute == IB_CM_REPLY && side == 1 && !pair->connection.reply_seen) {
        take_reply(connections, pair, cm, arrival->time_ns);
    }
    if (!pair)
        return NULL;
    if (arrival->packet->tap.tapped)
        connections_note_tap(&pair->connection, side, arrival->packet);
    pair->connection.ready_seen |= cm->attribute == IB_CM_READY;
    if (cm->attribute == IB_CM_REJECT) {
        pair->connection.rejected = true;
        pair->connection.reject_reason = cm->reason;
    }
    pair->connection.disconnected |=
        cm->attribute == IB_CM_DISCONNECT_REQUEST || cm->attribute == IB_CM_DISCONNECT_REPLY;
    pair->connection.end_frame = arrival->frame;
    pair->connection.end_ns = arrival->time_ns;
    pair->connection.packets++;
    place.side = (uint8_t)side;
    if (pair->connection.rc && pair->connection.disconnected)
        ib_rc_disconnect(pair->connection.rc, arrival->time_ns);
    if (!pair->dead && connections->events.managed)
        connections->events.managed(connections->events.ctx, &pair->connection, side, cm, &place);
    return &pair->connection;
}

struct ib_arrival ib_arrival_of(const struct ib_datagram *datagram, const struct ib_packet *packet)
{
    return (struct ib_arrival){.source = datagram->source,
                               .destination = datagram->destination,
                               .packet = packet,
                               .frame = datagram->frame,
                               .time_ns = datagram->time_ns};
}

unsigned ib_connections_share(const struct ib_address *source, const struct ib_address *destination, unsigned n)
{
    uint64_t h = hash_address(hash_seed, source) + hash_address(hash_seed, destination);

    return (unsigned)((h ^ h >> 32) % n);
}

/* ---- the whole table ---- */

struct ib_connections *ib_connections_new(const struct ib_connections_options *options,
                                          const struct ib_connection_events *events)
{
    struct ib_connections *connections = heap_zeroed(1, sizeof *connections);

    if (!connections)
        return NULL;
    connections->options = *options;
    if (connections->options.max_connections == 0)
        connections->options.max_connections = MAX_CONNECTIONS_DEFAULT;
    if (connections->options.max_unpaired == 0)
        connections->options.max_unpaired = IB_UNPAIRED_MAX;
    if (connections->options.linger_ns == 0)
        connections->options.linger_ns = linger_default_ns;
    connections->events = *events;
    connections->own_next_id = 1;
    connections->n_buckets = BUCKETS_FIRST;
    connections->buckets = heap_zeroed(connections->n_buckets, sizeof *connections->buckets);
    connections->ids = heap_zeroed(connections->n_buckets, sizeof *connections->ids);
    if (!connections->buckets || !connections->ids) {
        ib_connections_free(connections);
        return NULL;
    }
    return connections;
}

void ib_connections_free(struct ib_connections *connections)
{
    if (!connections)
        return;
    for (struct pair *pair = connections->oldest, *newer; pair; pair = newer) {
        newer = pair->newer;
        ib_rc_free(pair->connection.rc);
        free(pair);
    }
    for (size_t i = 0; connections->buckets && i < connections->n_buckets; i++) {
        for (struct flow *flow = connections->buckets[i], *next; flow; flow = next) {
            next = flow->chain;
            free_early(flow);
            free(flow);
        }
    }
    free(connections->buckets);
    free(connections->ids);
    free(connections);
}

/*
 * Closes a connection that has ended and been quiet for the linger time. The time of closing does not depend on when
 * this is noticed.
 */
static inline bool connections_retire(struct ib_connections *connections, struct pair *pair, int64_t now_ns)
{
    int64_t quiet_ns = pair->connection.end_ns + connections->options.linger_ns;

    if (!(pair->connection.disconnected || pair->connection.rejected) || now_ns <= quiet_ns)
        return false;
    close_pair(connections, pair, IB_CONNECTION_ENDED, quiet_ns);
    return true;
}

/* ---- rivals ---- */

static bool is_of_rival(const struct flow *flow, const struct ib_packet *packet)
{
    return !flow->rival->dead && ib_rc_distance(flow->rival->connection.rc, flow->rival_sender, packet) <
                                     ib_rc_distance(flow->pair->connection.rc, flow->sender, packet);
}

/* A pair that was heard from as many sides as the pair whose flow it claims is real, and the other pair has ended. */
static void settle_rivals(struct ib_connections *connections, struct pair *pair, int64_t now_ns)
{
    for (unsigned sender = 0; sender < 2; sender++) {
        const struct flow *flow = pair->claimed[sender];

        if (flow && pair->heard[sender] >= flow->pair->heard[flow->sender] &&
            pair->heard[other_side(sender)] >= flow->pair->heard[other_side(flow->sender)])
            close_pair(connections, flow->pair, IB_CONNECTION_REUSED, now_ns);
    }
}

static struct ib_connection *of_rival(struct ib_connections *connections, const struct flow *flow,
                                      const struct ib_arrival *arrival)
{
    struct pair *rival = flow->rival;

    deliver_early(connections, rival, flow->rival_sender, arrival->packet, arrival->frame, arrival->time_ns);
    settle_rivals(connections, rival, arrival->time_ns);
    return &rival->connection;
}

/* The flow's connection continues, and no other pair claims its flows or has its flows claimed. */
static bool connections_is_usual(const struct flow *flow)
{
    const struct pair *pair = flow->pair;

    return pair && !flow->rival && !pair->claimed[0] && !pair->claimed[1] && !pair->connection.disconnected &&
           !pair->connection.rejected;
}

/* The connection of a packet in the general case. flow: the packet's path; NULL: not known yet. */
static __attribute__((noinline)) struct ib_connection *place_packet(struct ib_connections *connections,
                                                                    struct flow *flow, const struct ib_arrival *arrival)
{
    const struct key key = {arrival->source, arrival->destination, arrival->packet->bth.qp};

    if (flow && flow->pair && connections_retire(connections, flow->pair, arrival->time_ns))
        flow = find_flow(connections, &key); /* a rival may have taken the flow */
    if (!flow || !flow->pair)
        return unpaired(connections, &key, flow, arrival);
    if (flow->rival && is_of_rival(flow, arrival->packet))
        return of_rival(connections, flow, arrival);
    deliver_early(connections, flow->pair, flow->sender, arrival->packet, arrival->frame, arrival->time_ns);
    settle_rivals(connections, flow->pair, arrival->time_ns);
    return &flow->pair->connection;
}

struct ib_connection *ib_connections_packet(struct ib_connections *connections, const struct ib_arrival *arrival)
{
    const struct ib_packet *packet = arrival->packet;
    const struct key key = {arrival->source, arrival->destination, packet->bth.qp};
    struct flow *flow;
    struct ib_cm cm;

    if (connections->oldest)
        connections_retire(connections, connections->oldest, arrival->time_ns);
    if (packet->headers & IB_HAS_DETH)
        return packet->bth.qp == IB_QP_CM && ib_cm_decode(&cm, packet->payload, packet->payload_captured)
                   ? management(connections, arrival, &cm)
                   : NULL;
    if (!packet->info || ib_service_of(packet->bth.opcode) != IB_RC)
        return NULL;
    flow = find_flow(connections, &key);
    if (!flow || !connections_is_usual(flow))
        return place_packet(connections, flow, arrival);
    deliver_early(connections, flow->pair, flow->sender, packet, arrival->frame, arrival->time_ns);
    return &flow->pair->connection;
}

struct ib_connection *ib_connections_find(struct ib_connections *connections, const struct ib_arrival *arrival)
{
    const struct key key = {arrival->source, arrival->destination, arrival->packet->bth.qp};
    struct flow *flow = find_flow(connections, &key);
    struct pair *pair = flow ? flow->pair : NULL;

    if (pair && flow->rival && arrival->packet->info && is_of_rival(flow, arrival->packet))
        pair = flow->rival;
    return pair && !pair->dead ? &pair->connection : NULL;
}

/*
 * Identifies the sender by the destination queue pair, because both ends may have the same address; while the queue
 * pair is unknown, by the source.
 */
unsigned ib_connection_sender(const struct ib_connection *connection, const struct ib_arrival *arrival)
{
    for (unsigned side = 0; side < 2; side++) {
        if (connection->qp_known[side] && connection->qp[side] == arrival->packet->bth.qp &&
            connections_same_address(&connection->address[side], &arrival->destination))
            return other_side(side);
    }
    return connections_same_address(&connection->address[1], &arrival->source);
}

void ib_connections_each(struct ib_connections *connections, void (*each)(void *ctx, struct ib_connection *connection),
                         void *ctx)
{
    for (struct pair *pair = connections->oldest; pair; pair = pair->newer)
        if (!pair->dead)
            each(ctx, &pair->connection);
}

/* ---- room in several tables ---- */

void ib_connections_reach(struct ib_connections *connections, int64_t now_ns)
{
    for (struct pair *pair = connections->oldest, *newer; pair; pair = newer) {
        newer = pair->newer;
        connections_retire(connections, pair, now_ns);
    }
}

void ib_connections_kept(struct ib_connections *connections, const struct kept_visit *visit)
{
    for (const struct pair *pair = connections->oldest; pair; pair = pair->newer) {
        for (unsigned side = 0; !pair->dead && side < 2; side++)
            if (ib_rc_held(pair->connection.rc, side) > 0)
                visit->held(visit->ctx, ib_rc_held(pair->connection.rc, side));
    }
    for (const struct flow *flow = connections->unpaired; flow; flow = flow->newer) {
        visit->unpaired(visit->ctx, flow->first->frame);
        visit->held(visit->ctx, flow->octets);
    }
}

static uint32_t trim_unpaired(struct ib_connections *connections, const struct kept_limits *limits)
{
    uint32_t forgotten = 0;

    for (struct flow *flow = connections->unpaired, *newer; flow; flow = newer) {
        newer = flow->newer;
        if (flow->first->frame > limits->unpaired && flow->octets < limits->held)
            continue;
        if (!flow->first->next || !connections_settle(connections, flow, NULL)) {
            drop_unpaired(connections, flow);
            forgotten++;
        }
    }
    return forgotten;
}

uint32_t ib_connections_trim(struct ib_connections *connections, const struct kept_limits *limits, int64_t now_ns)
{
    uint32_t forgotten = trim_unpaired(connections, limits);

    for (struct pair *pair = connections->oldest, *newer; pair; pair = newer) {
        newer = pair->newer;
        for (unsigned side = 0; !pair->dead && side < 2; side++)
            if (ib_rc_held(pair->connection.rc, side) >= limits->held)
                ib_rc_stop_waiting(pair->connection.rc, side);
        if (pair->connection.end_frame <= limits->connection)
            close_pair(connections, pair, IB_CONNECTION_EVICTED, now_ns);
    }
    return forgotten;
}

/* ---- the end ---- */

/* Merges two lists (linked by `newer`) in ascending order of ids. */
static struct pair *merge(struct pair *a, struct pair *b)
{
    struct pair *first = NULL, **last = &first;

    while (a && b) {
        struct pair **lower = a->connection.id < b->connection.id ? &a : &b;

        *last = *lower;
        last = &(*lower)->newer;
        *lower = (*lower)->newer;
    }
    *last = a ? a : b;
    return first;
}

/* Sorts the list by id, without allocating memory. */
static struct pair *connections_sort(struct pair *list)
{
    struct pair *runs[32] = {NULL}; /* run i has 2^i pairs */

    while (list) {
        struct pair *run = list;
        unsigned i = 0;

        list = list->newer;
        run->newer = NULL;
        for (; runs[i]; i++) {
            run = merge(runs[i], run);
            runs[i] = NULL;
        }
        runs[i] = run;
    }
    for (unsigned i = 0; i < 32; i++)
        list = merge(list, runs[i]);
    return list;
}

void ib_connections_finish(struct ib_connections *connections, int64_t now_ns)
{
    struct pair *older = NULL, *last;

    /* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): a pair leaves the list before it is freed */
    connections->oldest = connections_sort(connections->oldest);
    for (struct pair *pair = connections->oldest; pair; pair = pair->newer) {
        pair->older = older;
        older = pair;
    }
    connections->newest = older;
    while (connections->oldest)
        close_pair(connections, connections->oldest, IB_CONNECTION_CAPTURE, now_ns);
    /* One at a time: there may be many flows, and connections take more memory than flows. */
    while (connections->unpaired && (last = connections_settle(connections, connections->unpaired, NULL)))
        close_pair(connections, last, IB_CONNECTION_CAPTURE, now_ns);
}
