// SPDX-License-Identifier: GPL-2.0-or-later
/* Packets of a simulated reliable connection, and their way past the tap. */
#include "traffic-gen/speak/sim/rc_internal.h"

enum { PKEY = 0xFFFF, EPHEMERAL = 0xC000 };

static const uint32_t cm_qkey = 0x80010000;

struct rc_packet *rc_packet_new(const struct rc_connection *connection, unsigned side, enum ib_operation operation,
                                uint64_t offset)
{
    struct rc_packet *packet = g_new0(struct rc_packet, 1);
    const struct ib_opcode_info *info = ib_opcode_info(operation);

    packet->offset = offset;
    packet->wire.info = info;
    packet->wire.headers = info->headers;
    packet->wire.bth = (struct ib_bth){
        .opcode = (uint8_t)operation,
        .pkey = PKEY,
        .qp = connection->options.qp[!side],
        .psn = (uint32_t)(connection->options.psn[info->response ? !side : side] + offset) & IB_PSN_MASK,
    };
    return packet;
}

struct rc_packet *rc_packet_of_mad(struct rc_connection *connection, unsigned side, const struct rc_mad *mad)
{
    struct rc_packet *packet = g_new0(struct rc_packet, 1);
    unsigned opcode = IB_UD << 5 | IB_SEND_ONLY;

    packet->wire.info = ib_opcode_info(opcode);
    packet->wire.headers = packet->wire.info->headers | IB_HAS_DETH;
    packet->wire.bth = (struct ib_bth){
        .opcode = (uint8_t)opcode,
        .pkey = PKEY,
        .qp = IB_QP_CM,
        .ack_request = true, /* as on Linux */
        .psn = connection->end[side].mad_psn++ & IB_PSN_MASK,
    };
    packet->wire.qkey = cm_qkey;
    packet->wire.source_qp = IB_QP_CM;
    packet->mad = g_memdup2(mad, sizeof *mad);
    packet->payload = g_memdup2(mad->octets, sizeof mad->octets);
    packet->n = sizeof mad->octets;
    return packet;
}

static void *rc_packet_copy(const void *p)
{
    const struct rc_packet *packet = p;
    struct rc_packet *copy = g_memdup2(packet, sizeof *packet);

    copy->payload = g_memdup2(packet->payload, packet->n);
    copy->mad = g_memdup2(packet->mad, packet->mad ? sizeof *packet->mad : 0);
    return copy;
}

static void rc_packet_free(void *p)
{
    struct rc_packet *packet = p;

    g_free(packet->payload);
    g_free(packet->mad);
    g_free(packet);
}

/* UDP source ports, by which routers spread flows: one for connection management, one for the queue pairs. */
static uint16_t source_port(const struct rc_connection *connection, bool is_mad)
{
    uint32_t x = (connection->options.qp[0] * 0x9E3779B1u) ^ (connection->options.qp[1] * 0x85EBCA6Bu) ^ is_mad;

    return (uint16_t)(EPHEMERAL | ((x >> 16 ^ x) & 0x3FFF));
}

static void packet_capture(struct rc_connection *connection, unsigned side, const struct rc_packet *packet)
{
    struct sim *sim = connection->sim;
    struct ib_packet wire = packet->wire;
    uint8_t headers[IB_HEADERS_MAX];
    struct frame_roce roce = {
        .side = side,
        .source_port = source_port(connection, packet->mad),
        .ip_id = packet->ip_id,
        .headers = headers,
        .payload = packet->payload,
        .payload_length = packet->n,
    };

    if (packet->uncaptured || random_chance(&sim->random, sim->trouble.capture_loss))
        return;
    wire.bth.pad = (uint8_t)(-packet->n & 3);
    roce.headers_length = ib_headers_encode(&wire, headers, sizeof headers);
    sim->write_failed |= !capture_file_packet(sim->file, sim->now, sim->frame,
                                              frame_encode_roce(&connection->options.path, &roce, sim->frame));
}

/* ---- the transport of the simulated network ---- */

static bool packet_is_stale(const struct event *event)
{
    const struct rc_connection *connection = event->connection;
    const struct rc_end *end = &connection->end[event->side];

    switch (event->kind) {
    case RC_EVENT_MAD:
        return event->generation != end->mad_generation;
    case RC_EVENT_TIMER:
        return event->generation != end->timer_generation;
    case RC_EVENT_ACK:
        return event->generation != end->ack_generation;
    default:
        return false;
    }
}

static void arrive(struct rc_connection *connection, unsigned side, const struct rc_packet *packet)
{
    if (packet->mad) {
        rc_managed(connection, side, packet->mad);
        return;
    }
    if (connection->end[side].broken || connection->end[side].gone)
        return;
    rc_establish(connection, side); /* the packet may overtake the ReadyToUse */
    if (packet->wire.info->response)
        rc_answered(connection, side, packet);
    else
        rc_requested(connection, side, packet);
}

static void packet_run(const struct event *event)
{
    struct rc_connection *connection = event->connection;

    switch (event->kind) {
    case EVENT_TAP:
        packet_capture(connection, event->side, event->packet);
        break;
    case EVENT_ARRIVE:
        arrive(connection, !event->side, event->packet);
        break;
    case RC_EVENT_START:
        connection->started = true;
        rc_run_script(connection, 0);
        rc_run_script(connection, 1);
        break;
    case RC_EVENT_SCRIPT:
        rc_run_script(connection, event->side);
        break;
    case RC_EVENT_MAD:
        rc_mad_timer(connection, event->side);
        break;
    case RC_EVENT_TIMER:
        rc_timer(connection, event->side);
        break;
    case RC_EVENT_ACK:
        rc_acknowledge(connection, event->side);
        break;
    case RC_EVENT_PUMP:
        rc_pump(connection, event->side);
        break;
    case RC_EVENT_LEAVE:
        rc_disconnect(connection, event->side);
        break;
    default:
        break;
    }
}

const struct sim_transport rc_transport = {
    .is_stale = packet_is_stale,
    .run = packet_run,
    .packet_copy = rc_packet_copy,
    .packet_free = rc_packet_free,
    .waits_for = rc_waits_for,
    .connection_free = rc_free,
};

void rc_depart(struct rc_connection *connection, unsigned side, struct rc_packet *packet, const struct sim_how *how)
{
    struct rc_end *end = &connection->end[side];

    packet->ip_id = end->ip_id++;
    packet->uncaptured = end->capture_off || (how && how->uncaptured);
    sim_travel(connection->sim, &end->lane,
               &(struct event){.transport = &rc_transport, .connection = connection, .side = side, .packet = packet},
               &(struct sim_travel){.troubled = !end->capture_off}, how);
    rc_packet_free(packet);
}
