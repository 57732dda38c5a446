// SPDX-License-Identifier: GPL-2.0-or-later
/* Flows without counterpart: their packets wait until one is found. */
#include "engine/ib/ib_connections_internal.h"

#include "engine/core/heap.h"
#include "wire/invariant.h"

static bool unpaired_is_sound(const struct ib_connections *connections)
{
    return (connections->unpaired == NULL) == (connections->n_unpaired == 0) &&
           (connections->newest_unpaired == NULL) == (connections->n_unpaired == 0) &&
           connections->n_unpaired <= connections->n_flows;
}

static void unpaired_forget(struct ib_connections *connections, struct flow *flow)
{
    *(flow->older ? &flow->older->newer : &connections->unpaired) = flow->newer;
    *(flow->newer ? &flow->newer->older : &connections->newest_unpaired) = flow->older;
    flow->older = flow->newer = NULL;
    connections->n_unpaired--;
    INVARIANT(unpaired_is_sound(connections) && !flow->rival);
}

/* Delivers packets that came early in one or both flows, in the order of frames. */
static void unpaired_replay(struct ib_connections *connections, struct pair *pair)
{
    struct early *at[2] = {pair->flow[0] ? pair->flow[0]->first : NULL, pair->flow[1] ? pair->flow[1]->first : NULL};

    while (at[0] || at[1]) {
        unsigned sender = !at[0] || (at[1] && at[1]->frame < at[0]->frame) ? 1 : 0;

        ib_pair_deliver(connections, pair, sender, &at[sender]->packet, at[sender]->frame, at[sender]->time_ns);
        at[sender] = at[sender]->next;
    }
    for (unsigned side = 0; side < 2; side++)
        if (pair->flow[side])
            ib_early_free(pair->flow[side]);
    INVARIANT((!pair->flow[0] || !pair->flow[0]->first) && (!pair->flow[1] || !pair->flow[1]->first));
}

static bool unpaired_goes_on(const struct pair *pair)
{
    return (pair->heard[0] || pair->heard[1]) && !pair->dead && !pair->connection.disconnected;
}

/* Queue pair `qp` belongs to `side`: from now on, packets that the other side sends to it belong to this connection. */
void ib_pair_set_qp(struct ib_connections *connections, struct pair *pair, unsigned side, uint32_t qp, int64_t now_ns)
{
    unsigned sender = other_side(side);
    const struct key key = {pair->connection.address[sender], pair->connection.address[side], qp};
    struct flow *flow = ib_flow_find(connections, &key);

    /* The queue pair is used again, or a packet claims so. A rival of the pair that ends may take over the flow. */
    while (flow && flow->pair && flow->pair != pair) {
        if (unpaired_goes_on(flow->pair)) {
            ib_pair_claim(pair, sender, flow);
            return;
        }
        ib_pair_close(connections, flow->pair, IB_CONNECTION_REUSED, now_ns);
        flow = ib_flow_find(connections, &key);
    }
    if (flow && flow->pair == pair) { /* connected to itself, within a host: both directions look the same */
        pair->connection.qp[side] = qp;
        pair->connection.qp_known[side] = true;
        return;
    }
    if (flow)
        unpaired_forget(connections, flow);
    else
        flow = ib_flow_add(connections, &key);
    if (!flow)
        return;
    ib_pair_own(pair, sender, flow);
    unpaired_replay(connections, pair);
}

/* Makes a connection of a flow and its counterpart (NULL: none). */
struct pair *ib_unpaired_settle(struct ib_connections *connections, struct flow *flow, struct flow *counterpart)
{
    bool second = counterpart && counterpart->first->frame < flow->first->frame;
    struct flow *first = second ? counterpart : flow;
    struct pair *pair =
        ib_pair_open(connections, &first->key.from, &first->key.to, first->first->frame, first->first->time_ns);

    INVARIANT(flow->first && !flow->pair && counterpart != flow);
    INVARIANT(!counterpart || (counterpart->first && !counterpart->pair));
    if (!pair)
        return NULL;
    for (unsigned i = 0; i < 2; i++) {
        struct flow *one = i == 0 ? flow : counterpart;

        if (!one)
            continue;
        unpaired_forget(connections, one);
        ib_pair_own(pair, one == first ? 0 : 1, one);
    }
    unpaired_replay(connections, pair);
    INVARIANT(pair->flow[0] == first && (!counterpart || pair->flow[1]));
    return pair;
}

static bool has_asked(const struct flow *flow, uint32_t psn)
{
    return flow->asks && ib_psn_distance(flow->request_first, psn) >= 0 &&
           (uint32_t)ib_psn_distance(flow->request_first, psn) < flow->request_n;
}

/* The only reverse path that awaits PSN; NULL when there is none, or more than one. */
static struct flow *unpaired_counterpart_of(const struct ib_connections *connections, const struct flow *flow,
                                            uint32_t psn)
{
    struct flow *found = NULL;

    for (struct flow *other = connections->unpaired; other; other = other->newer) {
        if (other == flow || !has_asked(other, psn) || !ib_same_address(&other->key.from, &flow->key.to) ||
            !ib_same_address(&other->key.to, &flow->key.from))
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

    while (other && (other == flow || !other->first || !ib_same_address(&other->key.from, &flow->key.to) ||
                     !ib_same_address(&other->key.to, &flow->key.from) ||
                     !are_assumed(&connections->options, flow->key.qp, other->key.qp)))
        other = other->newer;
    return other;
}

static bool unpaired_keep(struct flow *flow, const struct ib_arrival *arrival)
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
    INVARIANT(flow->octets <= IB_EARLY_LIMIT && !*flow->last && !flow->pair);
    return true;
}

static void unpaired_note_request(struct flow *flow, const struct ib_packet *packet)
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
    INVARIANT(flow->asks && flow->request_n > 0);
}

/* Drops a flow: a single packet proves next to nothing. */
void ib_unpaired_drop(struct ib_connections *connections, struct flow *flow)
{
    unpaired_forget(connections, flow);
    ib_flow_remove(connections, flow);
    INVARIANT(unpaired_is_sound(connections));
}

/* Removes the oldest unpaired flow; false: out of memory. */
static bool unpaired_make_room(struct ib_connections *connections)
{
    struct flow *oldest = connections->unpaired;
    uint32_t frame = oldest->first->frame;

    INVARIANT(!oldest->older && !oldest->pair);
    if (!connections->events.forgotten || oldest->first->next)
        return ib_unpaired_settle(connections, oldest, NULL) != NULL;
    ib_unpaired_drop(connections, oldest);
    connections->events.forgotten(connections->events.ctx, frame);
    return true;
}

static struct flow *new_unpaired(struct ib_connections *connections, const struct key *key)
{
    struct flow *flow;

    if (connections->n_unpaired >= connections->options.max_unpaired && !unpaired_make_room(connections))
        return NULL;
    flow = ib_flow_add(connections, key);
    if (!flow)
        return NULL;
    flow->older = connections->newest_unpaired;
    *(flow->older ? &flow->older->newer : &connections->unpaired) = flow;
    connections->newest_unpaired = flow;
    connections->n_unpaired++;
    INVARIANT(unpaired_is_sound(connections) && connections->n_unpaired <= connections->options.max_unpaired);
    INVARIANT(!flow->older || flow->older->newer == flow);
    return flow;
}

struct ib_connection *ib_unpaired_packet(struct ib_connections *connections, const struct key *key, struct flow *flow,
                                         const struct ib_arrival *arrival)
{
    struct flow *counterpart = NULL;
    struct pair *pair = NULL;

    if (!flow)
        flow = new_unpaired(connections, key);
    if (!flow || !unpaired_keep(flow, arrival)) {
        if (flow && flow->first)
            pair = ib_unpaired_settle(connections, flow, NULL); /* the flow has waited long enough */
        if (pair) {
            ib_pair_deliver(connections, pair, flow->sender, arrival->packet, arrival->frame, arrival->time_ns);
            return &pair->connection;
        }
        if (flow && !flow->first) /* an unpaired flow always has a first packet */
            ib_unpaired_drop(connections, flow);
        return NULL;
    }
    counterpart = assumed_counterpart(connections, flow);
    if (!arrival->packet->info->response)
        unpaired_note_request(flow, arrival->packet);
    else if (!counterpart)
        counterpart = unpaired_counterpart_of(connections, flow, arrival->packet->bth.psn);
    if (counterpart)
        pair = ib_unpaired_settle(connections, flow, counterpart);
    INVARIANT(pair || !flow->pair);
    return pair ? &pair->connection : NULL;
}
