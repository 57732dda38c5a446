// SPDX-License-Identifier: GPL-2.0-or-later
/* Which connection a packet belongs to; room for connections, and their end. */
#include "engine/ib/ib_connections_internal.h"

#include "engine/core/heap.h"
#include "wire/invariant.h"

#include <stdlib.h>

enum { MAX_CONNECTIONS_DEFAULT = 65536, BUCKETS_FIRST = 64 };
static const int64_t linger_default_ns = INT64_C(10) * 1000000000;

struct ib_arrival ib_arrival_of(const struct ib_datagram *datagram, const struct ib_packet *packet)
{
    return (struct ib_arrival){.source = datagram->source,
                               .destination = datagram->destination,
                               .packet = packet,
                               .frame = datagram->frame,
                               .time_ns = datagram->time_ns};
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
    INVARIANT((connections->n_buckets & (connections->n_buckets - 1)) == 0);
    INVARIANT(connections->options.max_connections > 0 && connections->options.max_unpaired > 0);
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
            ib_early_free(flow);
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
    ib_pair_close(connections, pair, IB_CONNECTION_ENDED, quiet_ns);
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

        INVARIANT(!flow || (flow->rival == pair && flow->rival_sender == sender && flow->pair != pair));
        if (flow && pair->heard[sender] >= flow->pair->heard[flow->sender] &&
            pair->heard[other_side(sender)] >= flow->pair->heard[other_side(flow->sender)])
            ib_pair_close(connections, flow->pair, IB_CONNECTION_REUSED, now_ns);
        INVARIANT(!pair->claimed[sender] || pair->claimed[sender]->pair != pair);
    }
}

static struct ib_connection *of_rival(struct ib_connections *connections, const struct flow *flow,
                                      const struct ib_arrival *arrival)
{
    struct pair *rival = flow->rival;

    ib_pair_deliver(connections, rival, flow->rival_sender, arrival->packet, arrival->frame, arrival->time_ns);
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
        flow = ib_flow_find(connections, &key); /* a rival may have taken the flow */
    if (!flow || !flow->pair)
        return ib_unpaired_packet(connections, &key, flow, arrival);
    if (flow->rival && is_of_rival(flow, arrival->packet))
        return of_rival(connections, flow, arrival);
    INVARIANT(flow->pair->flow[flow->sender] == flow);
    ib_pair_deliver(connections, flow->pair, flow->sender, arrival->packet, arrival->frame, arrival->time_ns);
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
        return packet->bth.qp == IB_QP_CM && (ib_cm_decode(&cm, packet->payload, packet->payload_captured) ||
                                              (packet->payload_captured < packet->payload_len &&
                                               ib_cm_decode_cut_reject(&cm, packet->payload, packet->payload_captured)))
                   ? ib_managed(connections, arrival, &cm)
                   : NULL;
    if (!packet->info || ib_service_of(packet->bth.opcode) != IB_RC)
        return NULL;
    flow = ib_flow_find(connections, &key);
    if (!flow || !connections_is_usual(flow))
        return place_packet(connections, flow, arrival);
    INVARIANT(flow->pair->flow[flow->sender] == flow);
    ib_pair_deliver(connections, flow->pair, flow->sender, packet, arrival->frame, arrival->time_ns);
    return &flow->pair->connection;
}

struct ib_connection *ib_connections_find(struct ib_connections *connections, const struct ib_arrival *arrival)
{
    const struct key key = {arrival->source, arrival->destination, arrival->packet->bth.qp};
    struct flow *flow = ib_flow_find(connections, &key);
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
            ib_same_address(&connection->address[side], &arrival->destination))
            return other_side(side);
    }
    return ib_same_address(&connection->address[1], &arrival->source);
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
        if (!flow->first->next || !ib_unpaired_settle(connections, flow, NULL)) {
            ib_unpaired_drop(connections, flow);
            forgotten++;
        }
    }
    INVARIANT((connections->unpaired == NULL) == (connections->n_unpaired == 0));
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
            ib_pair_close(connections, pair, IB_CONNECTION_EVICTED, now_ns);
    }
    INVARIANT((connections->oldest == NULL) == (connections->n_pairs == 0));
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
            INVARIANT(i < 32);
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
    INVARIANT((connections->newest == NULL) == (connections->n_pairs == 0));
    while (connections->oldest)
        ib_pair_close(connections, connections->oldest, IB_CONNECTION_CAPTURE, now_ns);
    /* One at a time: there may be many flows, and connections take more memory than flows. */
    while (connections->unpaired && (last = ib_unpaired_settle(connections, connections->unpaired, NULL)))
        ib_pair_close(connections, last, IB_CONNECTION_CAPTURE, now_ns);
    INVARIANT(!connections->oldest && !connections->newest && connections->n_pairs == 0);
    INVARIANT((connections->unpaired == NULL) == (connections->n_unpaired == 0));
}
