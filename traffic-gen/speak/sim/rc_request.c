// SPDX-License-Identifier: GPL-2.0-or-later
/* Requests of a simulated queue pair: sending them, and handling the answers. */
#include "traffic-gen/speak/sim/rc_internal.h"

/* Opcodes for First, Middle, Last, Only of a kind of message. */
struct shapes {
    uint8_t first, middle, last, only;
};

static const struct shapes sends = {IB_SEND_FIRST, IB_SEND_MIDDLE, IB_SEND_LAST, IB_SEND_ONLY};
static const struct shapes invalidating = {IB_SEND_FIRST, IB_SEND_MIDDLE, IB_SEND_LAST_INVALIDATE,
                                           IB_SEND_ONLY_INVALIDATE};
static const struct shapes writes = {IB_WRITE_FIRST, IB_WRITE_MIDDLE, IB_WRITE_LAST, IB_WRITE_ONLY};

uint32_t rc_packets_of(const struct rc_connection *connection, size_t octets)
{
    size_t mtu = connection->options.mtu;

    return octets == 0 ? 1 : (uint32_t)((octets + mtu - 1) / mtu);
}

static struct rc_request *request_at(struct rc_end *end, unsigned index)
{
    return &g_array_index(end->requests, struct rc_request, index);
}

bool rc_all_done(const struct rc_end *end)
{
    return end->done == end->posted;
}

void rc_post(struct rc_connection *connection, unsigned side, unsigned index)
{
    struct rc_end *end = &connection->end[side];
    const struct rc_step *step = &rc_action(end, index)->step;
    struct rc_request request = {
        .action = index,
        .from = end->posted,
        .packets = rc_packets_of(connection, step->kind == RC_READ ? step->length : step->n),
    };

    g_array_append_val(end->requests, request);
    end->posted += request.packets;
    rc_pump(connection, side);
}

/* ---- sending ---- */

/* The request with this offset. */
static struct rc_request *request_find(struct rc_end *end, uint64_t offset)
{
    unsigned i = end->open;

    while (offset >= request_at(end, i)->from + request_at(end, i)->packets)
        i++;
    return request_at(end, i);
}

static void request_send_read(struct rc_connection *connection, unsigned side, struct rc_request *request,
                              const struct sim_how *how)
{
    struct rc_end *end = &connection->end[side];
    const struct rc_step *step = &rc_action(end, request->action)->step;
    uint32_t skip = request->got * connection->options.mtu;
    struct rc_packet *packet = rc_packet_new(connection, side, IB_READ_REQUEST, request->from + request->got);

    packet->wire.bth.ack_request = true;
    packet->wire.reth = (struct ib_reth){step->address + skip, step->rkey, step->length - skip};
    rc_depart(connection, side, packet, how);
}

static void request_send_part(struct rc_connection *connection, unsigned side, const struct rc_request *request,
                              uint64_t offset, const struct sim_how *how)
{
    struct rc_end *end = &connection->end[side];
    const struct rc_step *step = &rc_action(end, request->action)->step;
    uint32_t index = (uint32_t)(offset - request->from);
    bool first = index == 0, last = index == request->packets - 1;
    const struct shapes *shapes = step->kind == RC_WRITE ? &writes : step->invalidate ? &invalidating : &sends;
    struct rc_packet *packet = rc_packet_new(connection, side,
                                             (enum ib_operation)(first && last ? shapes->only
                                                                 : first       ? shapes->first
                                                                 : last        ? shapes->last
                                                                               : shapes->middle),
                                             offset);
    size_t at = (size_t)index * connection->options.mtu;

    packet->n = MIN(step->n - at, connection->options.mtu);
    packet->payload = g_memdup2(packet->n ? step->p + at : NULL, packet->n);
    packet->wire.reth = (struct ib_reth){step->address, step->rkey, (uint32_t)step->n};
    packet->wire.invalidate = step->rkey;
    packet->wire.bth.solicited = last && step->solicited;
    packet->wire.bth.ack_request = last || index % (RC_WINDOW / 2) == RC_WINDOW / 2 - 1;
    rc_depart(connection, side, packet, how);
}

/* Packets in flight: a Read counts as one, however long its response is. */
static uint64_t request_in_flight(struct rc_end *end)
{
    uint64_t packets = end->next - end->done;

    for (unsigned i = end->open; i < end->requests->len; i++) {
        const struct rc_request *request = request_at(end, i);

        if (request->from + request->packets > end->next)
            break;
        if (rc_action(end, request->action)->step.kind == RC_READ)
            packets -= request->packets - request->got - 1;
    }
    return packets;
}

/* A Read beyond the peer's limit waits, and so do later requests. */
static bool request_may_send(struct rc_connection *connection, unsigned side, const struct rc_request *request)
{
    struct rc_end *end = &connection->end[side];
    /* The accepting side knows the other's limit: its depth is what it plans to use. */
    unsigned depth = side == 1 ? connection->options.depth[side]
                               : MIN(connection->options.depth[side], connection->options.reads[!side]);

    if (request_in_flight(end) >= RC_WINDOW)
        return false;
    return request->sent || rc_action(end, request->action)->step.kind != RC_READ || end->reads < MAX(depth, 1);
}

static void send_next(struct rc_connection *connection, unsigned side, struct rc_request *request)
{
    struct rc_end *end = &connection->end[side];
    const bool read = rc_action(end, request->action)->step.kind == RC_READ;
    struct sim_how how = rc_action(end, request->action)->how;
    /* Deliberate trouble hits its first packet, once. */
    const struct sim_how *befalls = request->sent ? NULL : &how;

    if (read) {
        end->reads += !request->sent;
        request_send_read(connection, side, request, befalls);
    } else {
        request_send_part(connection, side, request, end->next, befalls);
    }
    request->sent = true;
    end->next = read ? request->from + request->packets : end->next + 1;
}

void rc_pump(struct rc_connection *connection, unsigned side)
{
    struct rc_end *end = &connection->end[side];
    bool idle = end->next == end->done;

    if (end->broken || end->gone)
        return;
    if (connection->sim->now < end->not_before) {
        rc_schedule(connection, (struct event){.time = end->not_before, .kind = RC_EVENT_PUMP, .side = side});
        return;
    }
    while (end->next < end->posted) {
        struct rc_request *request = request_find(end, end->next);

        if (!request_may_send(connection, side, request))
            break;
        send_next(connection, side, request);
    }
    if (idle && end->next > end->done)
        rc_start_timer(connection, side);
}

/* ---- answers ---- */

void rc_start_timer(struct rc_connection *connection, unsigned side)
{
    const struct sim_trouble *trouble = &connection->sim->trouble;

    rc_schedule(connection, (struct event){.time = connection->sim->now + rc_timeout_ns +
                                                   4 * (trouble->delay_ns + trouble->jitter_ns),
                                           .kind = RC_EVENT_TIMER,
                                           .side = side,
                                           .generation = ++connection->end[side].timer_generation});
}

/* Sends everything again from the first unfinished request on. */
static void go_back(struct rc_connection *connection, unsigned side)
{
    struct rc_end *end = &connection->end[side];

    if (end->went_back)
        return;
    end->went_back = true;
    end->again = end->next;
    end->next = end->done;
    rc_pump(connection, side);
}

/* A response is missing. Responses under way at the first retransmission say nothing new. */
static void miss_response(struct rc_connection *connection, unsigned side)
{
    if (connection->end[side].done >= connection->end[side].again)
        go_back(connection, side);
}

void rc_timer(struct rc_connection *connection, unsigned side)
{
    struct rc_end *end = &connection->end[side];
    const struct rc_end *peer = &connection->end[!side];

    if (end->broken || end->gone || rc_all_done(end))
        return;
    /* The peer has everything, but its answer takes time: restarts the timer. */
    if ((peer->expected >= end->next && peer->to_answer < peer->served->len) || peer->refusing)
        return;
    if (++end->timeouts > RC_TIMEOUTS_MAX) { /* the peer has disappeared */
        end->broken = true;
        rc_run_script(connection, side);
        return;
    }
    end->went_back = false;
    go_back(connection, side);
    rc_start_timer(connection, side);
}

/* Finishes requests before that offset, unless a Read lacks octets. False: one does. */
static bool finish_before(struct rc_connection *connection, unsigned side, uint64_t offset)
{
    struct rc_end *end = &connection->end[side];
    uint64_t before = end->done;
    bool whole = true;

    while (end->open < end->requests->len) {
        struct rc_request *request = request_at(end, end->open);

        if (rc_action(end, request->action)->step.kind == RC_READ) {
            end->done = request->from + request->got;
            if (request->got < request->packets) {
                whole = offset <= end->done;
                break;
            }
            end->reads--;
        } else {
            end->done = MAX(end->done, MIN(offset, request->from + request->packets));
            if (end->done < request->from + request->packets)
                break;
        }
        end->open++;
    }
    end->next = MAX(end->next, end->done);
    if (end->done > before) {
        end->went_back = false;
        end->timeouts = 0;
        if (end->done < end->next)
            rc_start_timer(connection, side);
        else
            end->timer_generation++;
    }
    return whole;
}

static void request_take_response(struct rc_connection *connection, unsigned side, const struct rc_packet *packet)
{
    struct rc_end *end = &connection->end[side];
    struct rc_request *request;

    /* Earlier requests have arrived (section 9.7.5.1.2). */
    if (packet->offset < end->done || !finish_before(connection, side, packet->offset) ||
        end->open == end->requests->len || packet->offset != end->done) {
        if (packet->offset > end->done)
            miss_response(connection, side);
        return;
    }
    request = request_at(end, end->open);
    request->got++;
    if (request->got == request->packets) {
        const struct rc_end *peer = &connection->end[!side];

        for (unsigned i = 0; i < peer->served->len; i++) {
            const struct rc_served *served = &g_array_index(peer->served, struct rc_served, i);

            if (served->from == request->from)
                rc_has_arrived(connection, !side, served->answer);
        }
    }
    finish_before(connection, side, packet->offset + 1);
}

static void take_nak(struct rc_connection *connection, unsigned side, const struct rc_packet *packet)
{
    struct rc_end *end = &connection->end[side];
    bool whole = finish_before(connection, side, packet->offset);

    switch (ib_aeth_kind(packet->wire.aeth.syndrome)) {
    case IB_AETH_RNR_NAK:
        if (end->no_retries) {
            end->broken = true;
            end->timer_generation++;
            break;
        }
        end->not_before = connection->sim->now + RC_RNR_NS;
        end->went_back = false;
        go_back(connection, side);
        break;
    case IB_AETH_NAK:
        if ((packet->wire.aeth.syndrome & 0x1F) != IB_NAK_SEQUENCE) {
            end->broken = true;
            end->timer_generation++;
        } else if (whole && packet->offset == end->done) {
            go_back(connection, side);
        }
        break;
    case IB_AETH_ACK:
    case IB_AETH_RESERVED:
        break;
    }
}

void rc_answered(struct rc_connection *connection, unsigned side, const struct rc_packet *packet)
{
    if (packet->wire.info->message == IB_MESSAGE_READ_RESPONSE)
        request_take_response(connection, side, packet);
    else if (ib_aeth_kind(packet->wire.aeth.syndrome) != IB_AETH_ACK)
        take_nak(connection, side, packet);
    else if (packet->offset >= connection->end[side].done && !finish_before(connection, side, packet->offset + 1))
        miss_response(connection, side);
    rc_pump(connection, side);
    rc_run_script(connection, side);
}
