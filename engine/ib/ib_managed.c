// SPDX-License-Identifier: GPL-2.0-or-later
/* What connection management says of connections. */
#include "engine/ib/ib_connections_internal.h"
#include "wire/invariant.h"

/* The start of the connection was not captured, but the message names the queue pair that it is sent to. */
static struct pair *connection_of_queue_pair(const struct ib_connections *connections, const struct ib_arrival *arrival,
                                             uint32_t qp, unsigned *side)
{
    const struct flow *flow = ib_flow_find(connections, &(struct key){arrival->source, arrival->destination, qp});

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
        id = ib_id_find(connections, &arrival->source, cm->local_id);
        *side = 0;
        return id && id->side == 0 && id->pair->connection.qp[0] == cm->qp ? id->pair : NULL;
    }
    id = ib_id_find(connections, &arrival->destination, cm->remote_id);
    if (!id && cm->attribute == IB_CM_DISCONNECT_REQUEST)
        return connection_of_queue_pair(connections, arrival, cm->qp, side);
    if (!id)
        return NULL;
    *side = other_side(id->side);
    return ib_same_address(&id->pair->connection.address[*side], &arrival->source) ? id->pair : NULL;
}

static void managed_take_request(struct ib_connections *connections, struct pair *pair, const struct ib_cm *cm,
                                 int64_t now_ns)
{
    struct ib_ip_cm ip;
    uint16_t port;

    ib_id_add(connections, pair, 0, cm->local_id);
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
        if (cm->path.pkey != 0)
            ib_rc_partition(pair->connection.rc, cm->path.pkey);
    }
    ib_pair_set_qp(connections, pair, 0, cm->qp, now_ns);
    INVARIANT(pair->id[0].pair == pair && pair->id[0].side == 0);
}

static void managed_take_reply(struct ib_connections *connections, struct pair *pair, const struct ib_cm *cm,
                               int64_t now_ns)
{
    ib_id_add(connections, pair, 1, cm->local_id);
    pair->connection.reply_seen = true;
    pair->connection.ird[1] = cm->responder_resources;
    pair->connection.ord[1] = cm->initiator_depth;
    if (pair->connection.rc) {
        ib_rc_start(pair->connection.rc, 0, cm->psn);
        ib_rc_rnr_retries(pair->connection.rc, 0, cm->path.rnr_retries);
    }
    ib_pair_set_qp(connections, pair, 1, cm->qp, now_ns);
    INVARIANT(pair->id[1].pair == pair && pair->connection.request_seen);
}

/* The request was cut, too, and has made no connection. */
static struct pair *managed_open_rejected(struct ib_connections *connections, const struct ib_arrival *arrival,
                                          const struct ib_cm *cm)
{
    struct pair *pair =
        ib_pair_open(connections, &arrival->destination, &arrival->source, arrival->frame, arrival->time_ns);

    if (pair)
        ib_id_add(connections, pair, 0, cm->remote_id);
    return pair;
}

struct ib_connection *ib_managed(struct ib_connections *connections, const struct ib_arrival *arrival,
                                 const struct ib_cm *cm)
{
    struct place place = {.frame = arrival->frame, .first_frame = arrival->frame, .time_ns = arrival->time_ns};
    unsigned side = 0;
    struct pair *pair = connection_of_message(connections, arrival, cm, &side);

    if (cm->attribute == IB_CM_REQUEST && !pair) {
        pair = ib_pair_open(connections, &arrival->source, &arrival->destination, arrival->frame, arrival->time_ns);
        side = 0;
        if (pair)
            managed_take_request(connections, pair, cm, arrival->time_ns);
    } else if (pair && cm->attribute == IB_CM_REPLY && side == 1 && !pair->connection.reply_seen) {
        managed_take_reply(connections, pair, cm, arrival->time_ns);
    } else if (!pair && cm->attribute == IB_CM_REJECT && !cm->private_data) {
        pair = managed_open_rejected(connections, arrival, cm);
        side = 1;
    }
    if (!pair)
        return NULL;
    if (arrival->packet->tap.tapped)
        ib_pair_note_tap(&pair->connection, side, arrival->packet);
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
    INVARIANT(side < 2 && (!pair->connection.reply_seen || pair->connection.request_seen));
    INVARIANT(pair->connection.end_frame == arrival->frame && pair->connection.packets > 0);
    if (pair->connection.rc && pair->connection.disconnected)
        ib_rc_disconnect(pair->connection.rc, arrival->time_ns);
    if (!pair->dead && connections->events.managed)
        connections->events.managed(connections->events.ctx, &pair->connection, side, cm, &place);
    return &pair->connection;
}
