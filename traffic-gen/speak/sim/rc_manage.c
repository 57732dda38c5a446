// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Connection management of a simulated reliable connection: each message is repeated until it is answered, and answered
 * each time it comes (InfiniBand Architecture Specification volume 1, section 12.9).
 */
#include "traffic-gen/speak/sim/rc_internal.h"

#include <string.h>

enum { PKEY = 0xFFFF, NO_LID = 0xFFFF, HOP_LIMIT = 64, RATE = 0x30, CM_TIMEOUT = 20, RETRIES = 6 };

static void put_gid(const struct rc_connection *connection, unsigned side, uint8_t gid[16])
{
    uint8_t address[16];
    size_t n = frame_address(&connection->options.path, side, address);

    memset(gid, 0, 16);
    if (n == 4)
        gid[10] = gid[11] = 0xFF;
    memcpy(gid + 16 - n, address, n);
}

/* The IP addressing header precedes the consumer's private data. */
static size_t put_ip(const struct rc_connection *connection, uint8_t *out, size_t size)
{
    const struct frame_path *path = &connection->options.path;
    struct ib_ip_cm ip = {.ip_version = path->ipv6 ? 6 : 4, .source_port = path->port[0]};
    uint8_t address[16];

    for (unsigned side = 0; side < 2; side++) {
        size_t n = frame_address(path, side, address);

        memcpy((side == 0 ? ip.source : ip.destination) + 16 - n, address, n);
    }
    return ib_ip_cm_encode(&ip, out, size);
}

static void manage_encode(const struct rc_connection *connection, unsigned side, uint8_t attribute, const uint8_t *p,
                          size_t n, struct rc_mad *mad)
{
    const struct rc_options *options = &connection->options;
    uint8_t private_data[IB_CM_PRIVATE_MAX];
    size_t at = attribute == IB_CM_REQUEST ? put_ip(connection, private_data, sizeof private_data) : 0;
    size_t room = attribute == IB_CM_REQUEST ? IB_CM_REQUEST_PRIVATE - IB_IP_CM_LEN
                  : attribute == IB_CM_REPLY ? IB_CM_REPLY_PRIVATE
                                             : 0;
    unsigned mtu_code = 1;
    struct ib_cm cm = {
        .attribute = attribute,
        .transaction = connection->transaction,
        .local_id = connection->id[side],
        .remote_id = attribute == IB_CM_REQUEST ? 0 : connection->id[!side],
        .service = ib_service_of_port(options->path.port[1]),
        .qp = attribute == IB_CM_DISCONNECT_REQUEST ? options->qp[!side] : options->qp[side],
        .psn = options->psn[!side],
        .responder_resources = options->reads[side],
        .initiator_depth = options->depth[side],
        .subject = attribute == IB_CM_REJECT ? 0 : 2,
        .reason = IB_CM_REJECT_CONSUMER,
        .private_data = private_data,
        .path = {.guid = UINT64_C(0x02005EFFFE100000) | options->path.host[side],
                 .pkey = PKEY,
                 .lid = {NO_LID, NO_LID},
                 .hop_limit = HOP_LIMIT,
                 .packet_rate = RATE,
                 .cm_timeout = CM_TIMEOUT,
                 .ack_timeout = RC_ACK_TIMEOUT,
                 .cm_retries = RC_CM_TRIES - 1,
                 .retries = RETRIES,
                 .rnr_retries = connection->end[!side].no_retries ? 0 : RETRIES},
    };

    while (ib_cm_mtu((uint8_t)mtu_code) < options->mtu)
        mtu_code++;
    cm.path_mtu = (uint8_t)mtu_code;
    put_gid(connection, side, cm.path.gid[0]);
    put_gid(connection, !side, cm.path.gid[1]);
    n = MIN(n, room);
    if (n > 0)
        memcpy(private_data + at, p, n);
    cm.private_len = (uint8_t)(at + n);
    mad->attribute = attribute;
    ib_cm_encode(&cm, mad->octets, sizeof mad->octets);
}

static void manage_say(struct rc_connection *connection, unsigned side, const struct rc_mad *mad,
                       const struct sim_how *how)
{
    rc_depart(connection, side, rc_packet_of_mad(connection, side, mad), how);
}

/* Sends an answer, which is not repeated by itself. */
static void manage_reply(struct rc_connection *connection, unsigned side, uint8_t attribute)
{
    struct rc_mad mad = {0};

    manage_encode(connection, side, attribute, NULL, 0, &mad);
    manage_say(connection, side, &mad, NULL);
}

static void start_timer(struct rc_connection *connection, unsigned side)
{
    struct rc_end *end = &connection->end[side];

    rc_schedule(connection, (struct event){.time = connection->sim->now + RC_CM_NS,
                                           .kind = RC_EVENT_MAD,
                                           .side = side,
                                           .generation = ++end->mad_generation});
}

/* A repeated request gets the rejection again. */
static void stop_asking(struct rc_end *end)
{
    if (end->asks.attribute != IB_CM_REJECT)
        end->asks.attribute = 0;
    end->mad_generation++;
}

/* Ends the connection for this side: the rest of its script is left out. */
static void manage_leave(struct rc_connection *connection, unsigned side)
{
    struct rc_end *end = &connection->end[side];

    if (end->gone)
        return;
    end->gone = true;
    stop_asking(end);
    end->timer_generation++;
    end->ack_generation++;
    rc_run_script(connection, side);
    rc_finish_if_over(connection);
}

void rc_manage(struct rc_connection *connection, unsigned side, unsigned index)
{
    static const uint8_t attributes[] = {[RC_REQUEST] = IB_CM_REQUEST,
                                         [RC_REPLY] = IB_CM_REPLY,
                                         [RC_REJECT] = IB_CM_REJECT,
                                         [RC_END] = IB_CM_DISCONNECT_REQUEST};
    struct rc_end *end = &connection->end[side];
    const struct rc_action *action = rc_action(end, index);

    if (action->step.kind == RC_END) {
        rc_acknowledge(connection, side);
        end->broken = true;
        end->timer_generation++;
    }
    manage_encode(connection, side, attributes[action->step.kind], action->step.p, action->step.n, &end->asks);
    end->asks.carries = true;
    end->asks.action = index;
    end->tries = 1;
    manage_say(connection, side, &end->asks, &action->how);
    start_timer(connection, side);
    if (action->step.kind == RC_REJECT)
        manage_leave(connection, side);
}

void rc_mad_timer(struct rc_connection *connection, unsigned side)
{
    struct rc_end *end = &connection->end[side];

    if (end->asks.attribute == 0)
        return;
    if (++end->tries > RC_CM_TRIES) {
        manage_leave(connection, side);
        return;
    }
    manage_say(connection, side, &end->asks, NULL);
    start_timer(connection, side);
}

void rc_establish(struct rc_connection *connection, unsigned side)
{
    struct rc_end *end = &connection->end[side];

    end->established = true;
    if (end->asks.attribute == IB_CM_REQUEST || end->asks.attribute == IB_CM_REPLY)
        stop_asking(end);
}

void rc_disconnect(struct rc_connection *connection, unsigned side)
{
    manage_reply(connection, side, IB_CM_DISCONNECT_REPLY);
    manage_leave(connection, side);
}

/* The script decides when this side answers the disconnect. */
static void hear_disconnect(struct rc_connection *connection, unsigned side)
{
    struct rc_end *end = &connection->end[side];
    int64_t delay_ns = 0;

    for (unsigned i = end->next_action; i < end->script->len; i++)
        if (rc_action(end, i)->step.kind == RC_END)
            delay_ns = rc_action(end, i)->how.delay_ns;
    if (end->gone || delay_ns == 0) {
        rc_disconnect(connection, side);
        return;
    }
    end->broken = true;
    if (!end->leaving)
        rc_schedule(connection,
                    (struct event){.time = connection->sim->now + delay_ns, .kind = RC_EVENT_LEAVE, .side = side});
    end->leaving = true;
}

void rc_managed(struct rc_connection *connection, unsigned side, const struct rc_mad *mad)
{
    struct rc_end *end = &connection->end[side];

    switch (mad->attribute) {
    case IB_CM_REQUEST:
        if (end->asks.attribute == IB_CM_REPLY || end->asks.attribute == IB_CM_REJECT)
            manage_say(connection, side, &end->asks, NULL);
        break;
    case IB_CM_REPLY:
        if (end->gone)
            break;
        rc_establish(connection, side);
        manage_reply(connection, side, IB_CM_READY);
        break;
    case IB_CM_READY:
        rc_establish(connection, side);
        break;
    case IB_CM_REJECT:
    case IB_CM_DISCONNECT_REPLY:
        manage_leave(connection, side);
        break;
    case IB_CM_DISCONNECT_REQUEST:
        hear_disconnect(connection, side);
        break;
    default:
        break;
    }
    if (mad->carries && !rc_action(&connection->end[!side], mad->action)->arrived)
        rc_has_arrived(connection, !side, mad->action);
    rc_run_script(connection, side);
}
