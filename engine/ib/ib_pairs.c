// SPDX-License-Identifier: GPL-2.0-or-later
/* Connections: two flows that belong together, and the flows that they claim. */
#include "engine/ib/ib_connections_internal.h"

#include "engine/core/heap.h"
#include "wire/invariant.h"

#include <stdlib.h>

static void pairs_unlink(struct ib_connections *connections, struct pair *pair)
{
    *(pair == connections->oldest ? &connections->oldest : &pair->older->newer) = pair->newer;
    *(pair == connections->newest ? &connections->newest : &pair->newer->older) = pair->older;
    INVARIANT((connections->oldest == NULL) == (connections->newest == NULL));
    INVARIANT(!connections->oldest || (!connections->oldest->older && !connections->newest->newer));
}

static void pairs_link_newest(struct ib_connections *connections, struct pair *pair)
{
    pair->older = connections->newest;
    pair->newer = NULL;
    *(connections->newest ? &connections->newest->newer : &connections->oldest) = pair;
    connections->newest = pair;
    INVARIANT(!pair->older || pair->older->newer == pair);
    INVARIANT(connections->oldest && !connections->oldest->older);
}

/* From now on the flow belongs to the pair. */
void ib_pair_own(struct pair *pair, unsigned sender, struct flow *flow)
{
    INVARIANT(!pair->flow[sender] && !pair->claimed[sender]); /* the flow that it had would be lost */
    flow->pair = pair;
    flow->sender = sender;
    pair->flow[sender] = flow;
    pair->connection.qp[other_side(sender)] = flow->key.qp;
    pair->connection.qp_known[other_side(sender)] = true;
    INVARIANT(!flow->rival);
}

static void withdraw_claim(struct pair *pair, unsigned sender)
{
    if (pair->claimed[sender])
        pair->claimed[sender]->rival = NULL;
    pair->claimed[sender] = NULL;
}

/* Claims the flow, unless another pair has a better claim. */
void ib_pair_claim(struct pair *pair, unsigned sender, struct flow *flow)
{
    if (flow->rival && (flow->rival->heard[0] || flow->rival->heard[1] || flow->rival->connection.reply_seen))
        return;
    if (flow->rival)
        withdraw_claim(flow->rival, flow->rival_sender);
    flow->rival = pair;
    flow->rival_sender = sender;
    pair->claimed[sender] = flow;
    INVARIANT(flow->pair && flow->pair != pair);
    INVARIANT(!pair->flow[sender]);
}

/* The flow's pair has ended: its rival, if any, takes the flow. */
static void leave_flow(struct ib_connections *connections, struct flow *flow)
{
    struct pair *rival = flow->rival;
    unsigned sender = flow->rival_sender;

    if (!rival) {
        ib_flow_remove(connections, flow);
        return;
    }
    withdraw_claim(rival, sender);
    ib_pair_own(rival, sender, flow);
    INVARIANT(flow->pair == rival && !flow->rival && !rival->claimed[sender]);
}

void ib_pair_close(struct ib_connections *connections, struct pair *pair, enum ib_connection_end why, int64_t now_ns)
{
    for (unsigned side = 0; side < 2; side++) {
        if (pair->flow[side])
            leave_flow(connections, pair->flow[side]);
        withdraw_claim(pair, side);
    }
    INVARIANT(!pair->claimed[0] && !pair->claimed[1]);
    for (unsigned side = 0; side < 2; side++)
        ib_id_remove(connections, &pair->id[side]);
    if (!pair->dead) {
        ib_rc_finish(pair->connection.rc);
        if (connections->events.close)
            connections->events.close(connections->events.ctx, &pair->connection, why, now_ns);
    }
    ib_rc_free(pair->connection.rc);
    pairs_unlink(connections, pair);
    connections->n_pairs--;
    INVARIANT((connections->oldest == NULL) == (connections->n_pairs == 0));
    free(pair);
}

struct pair *ib_pair_open(struct ib_connections *connections, const struct ib_address *first,
                          const struct ib_address *second, uint32_t frame, int64_t time_ns)
{
    uint32_t *next_id = connections->options.next_id ? connections->options.next_id : &connections->own_next_id;
    struct ib_rc_events events = {0};
    struct pair *pair;

    if (connections->oldest && connections->n_pairs >= connections->options.max_connections)
        ib_pair_close(connections, connections->oldest, IB_CONNECTION_EVICTED, time_ns);
    pair = heap_zeroed(1, sizeof *pair);
    if (!pair)
        return NULL;
    pair->connection = (struct ib_connection){.id = (*next_id)++,
                                              .address = {*first, *second},
                                              .start_frame = frame,
                                              .end_frame = frame,
                                              .start_ns = time_ns,
                                              .end_ns = time_ns};
    pairs_link_newest(connections, pair);
    connections->n_pairs++;
    pair->connection.rc = ib_rc_new(&connections->options.rc);
    pair->dead = !pair->connection.rc || !connections->events.open(connections->events.ctx, &pair->connection, &events);
    if (!pair->dead)
        ib_rc_listen(pair->connection.rc, &events);
    INVARIANT(connections->n_pairs <= connections->options.max_connections && connections->newest == pair);
    INVARIANT(pair->dead || pair->connection.rc);
    return pair;
}

/* Queue pairs of clients have even numbers. */
void ib_pair_note_tap(struct ib_connection *connection, unsigned sender, const struct ib_packet *packet)
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
static void pairs_fill_in(struct ib_rc *rc, unsigned sender, const struct ib_packet *packet, uint32_t frame,
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
        INVARIANT(whole.info && !whole.info->first && !whole.info->last);
        ib_rc_packet(rc, sender, &whole, frame, time_ns);
    }
}

void ib_pair_deliver(struct ib_connections *connections, struct pair *pair, unsigned sender,
                     const struct ib_packet *packet, uint32_t frame, int64_t time_ns)
{
    struct ib_connection *connection = &pair->connection;

    if (packet->tap.tapped)
        ib_pair_note_tap(connection, sender, packet);
    if (connections->newest != pair) {
        pairs_unlink(connections, pair);
        pairs_link_newest(connections, pair);
    }
    connection->end_frame = frame;
    connection->end_ns = time_ns;
    connection->packets++;
    pair->heard[sender] = true;
    INVARIANT(connections->newest == pair && connection->packets > 0);
    if (pair->dead)
        return;
    if (packet->tap.left_out > 0)
        pairs_fill_in(connection->rc, sender, packet, frame, time_ns);
    ib_rc_packet(connection->rc, sender, packet, frame, time_ns);
}
