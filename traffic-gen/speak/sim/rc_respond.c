// SPDX-License-Identifier: GPL-2.0-or-later
/* How a simulated queue pair handles the peer's requests: Acknowledges, NAKs, Read responses. */
#include "traffic-gen/speak/sim/rc_internal.h"

#include <string.h>

static struct rc_served *served_at(struct rc_end *end, unsigned index)
{
    return &g_array_index(end->served, struct rc_served, index);
}

static void put_aeth(const struct rc_end *end, struct rc_packet *packet, uint8_t syndrome)
{
    packet->wire.aeth = (struct ib_aeth){.syndrome = syndrome, .msn = end->msn & IB_PSN_MASK};
}

static void say_acknowledge(struct rc_connection *connection, unsigned side, uint64_t offset, uint8_t syndrome,
                            const struct sim_how *how)
{
    struct rc_packet *packet = rc_packet_new(connection, side, IB_ACKNOWLEDGE, offset);

    put_aeth(&connection->end[side], packet, syndrome);
    rc_depart(connection, side, packet, how);
}

/* Whether everything before it may be acknowledged: responses come first (section 9.7.5.1.2). */
static uint64_t acknowledgeable(struct rc_end *end)
{
    return end->to_answer < end->served->len ? served_at(end, end->to_answer)->from : end->expected;
}

void rc_acknowledge(struct rc_connection *connection, unsigned side)
{
    struct rc_end *end = &connection->end[side];
    uint64_t up_to = acknowledgeable(end);
    bool pending = end->ack_pending && up_to > 0 && !end->broken && !end->gone;

    end->ack_generation++;
    end->ack_pending = false;
    if (pending)
        say_acknowledge(connection, side, up_to - 1, RC_NO_CREDITS, NULL);
}

/* Acknowledges packets together that arrive within a short time. */
static void acknowledge_soon(struct rc_connection *connection, unsigned side)
{
    struct rc_end *end = &connection->end[side];

    if (end->ack_pending)
        return;
    end->ack_pending = true;
    rc_schedule(connection, (struct event){.time = connection->sim->now + RC_ACK_NS,
                                           .kind = RC_EVENT_ACK,
                                           .side = side,
                                           .generation = ++end->ack_generation});
}

void rc_say_sign(struct rc_connection *connection, unsigned side)
{
    struct rc_end *end = &connection->end[side];
    uint64_t up_to = acknowledgeable(end);

    if (up_to > 0)
        say_acknowledge(connection, side, up_to - 1, RC_NO_CREDITS, NULL);
}

/* ---- Reads ---- */

static void send_response(struct rc_connection *connection, unsigned side, const struct rc_served *read, uint32_t from,
                          uint32_t packets, const struct sim_how *how)
{
    size_t mtu = connection->options.mtu;

    for (uint32_t i = from; i < from + packets; i++) {
        bool first = i == from, last = i == from + packets - 1;
        struct rc_packet *packet = rc_packet_new(connection, side,
                                                 first && last ? IB_READ_RESPONSE_ONLY
                                                 : first       ? IB_READ_RESPONSE_FIRST
                                                 : last        ? IB_READ_RESPONSE_LAST
                                                               : IB_READ_RESPONSE_MIDDLE,
                                                 read->from + i);

        put_aeth(&connection->end[side], packet, RC_NO_CREDITS);
        packet->n = MIN(read->length - i * mtu, mtu);
        packet->payload = g_memdup2(packet->n ? read->octets + i * mtu : NULL, packet->n);
        rc_depart(connection, side, packet, first ? how : NULL);
    }
}

void rc_answer(struct rc_connection *connection, unsigned side, unsigned index)
{
    struct rc_end *end = &connection->end[side];
    const struct rc_action *action = rc_action(end, index);
    struct rc_served *read;

    if (end->to_answer == end->served->len) { /* there is no Read */
        rc_has_arrived(connection, side, index);
        return;
    }
    read = served_at(end, end->to_answer++);
    read->octets = g_malloc0(read->length + 1u);
    read->answer = index;
    if (action->step.n > 0)
        memcpy(read->octets, action->step.p, MIN(action->step.n, read->length));
    send_response(connection, side, read, 0, read->packets, &action->how);
    if (end->expected > read->from + read->packets)
        acknowledge_soon(connection, side);
    rc_start_timer(connection, !side);
}

static void respond_take_read(struct rc_connection *connection, unsigned side, const struct rc_packet *packet)
{
    struct rc_end *end = &connection->end[side];
    struct rc_served read = {
        .from = packet->offset,
        .packets = rc_packets_of(connection, packet->wire.reth.length),
        .length = packet->wire.reth.length,
    };

    g_array_append_val(end->served, read);
    end->expected += read.packets;
}

/* A Read that was already served, or a part of it: its response was lost. */
static void serve_again(struct rc_connection *connection, unsigned side, const struct rc_packet *packet)
{
    struct rc_end *end = &connection->end[side];

    for (unsigned i = end->to_answer; i-- > 0;) {
        const struct rc_served *read = served_at(end, i);

        if (packet->offset >= read->from && packet->offset < read->from + read->packets) {
            uint32_t skip = (uint32_t)(packet->offset - read->from);

            send_response(connection, side, read, skip, read->packets - skip, NULL);
            return;
        }
    }
}

/* ---- requests ---- */

/* The peer's action for this packet. */
static unsigned action_of(const struct rc_end *peer, uint64_t offset)
{
    unsigned low = 0, high = peer->requests->len;

    while (high - low > 1) {
        unsigned middle = (low + high) / 2;

        if (g_array_index(peer->requests, struct rc_request, middle).from <= offset)
            low = middle;
        else
            high = middle;
    }
    return g_array_index(peer->requests, struct rc_request, low).action;
}

void rc_say_nak(struct rc_connection *connection, unsigned side, unsigned index)
{
    struct rc_end *end = &connection->end[side];
    const struct rc_action *action = rc_action(end, index);

    if (!end->refusing)
        return;
    say_acknowledge(connection, side, end->expected,
                    (uint8_t)(action->step.not_ready ? IB_AETH_RNR_NAK << 5 | RC_RNR_CODE
                                                     : IB_AETH_NAK << 5 | (unsigned)action->step.nak),
                    &action->how);
    end->broken = true;
    end->timer_generation++;
}

/* True when no Receive is available now. */
static bool not_ready(struct rc_connection *connection, const struct rc_packet *packet)
{
    return packet->wire.info->message == IB_MESSAGE_SEND && packet->wire.info->first &&
           random_chance(&connection->sim->random, connection->sim->trouble.not_ready);
}

/* It came before, and its answer may have been lost. */
static void requested_again(struct rc_connection *connection, unsigned side, const struct rc_packet *packet)
{
    if (packet->wire.info->message == IB_MESSAGE_READ)
        serve_again(connection, side, packet);
    else if (packet->wire.bth.ack_request)
        acknowledge_soon(connection, side);
}

/* Handles the expected request; false: it is refused. */
static bool respond_take_request(struct rc_connection *connection, unsigned side, const struct rc_packet *packet)
{
    struct rc_end *end = &connection->end[side];

    if (not_ready(connection, packet)) {
        say_acknowledge(connection, side, end->expected, IB_AETH_RNR_NAK << 5 | RC_RNR_CODE, NULL);
        end->nak_sent = true;
        return false;
    }
    end->nak_sent = false;
    end->msn += packet->wire.info->last;
    if (packet->wire.info->message == IB_MESSAGE_READ) {
        respond_take_read(connection, side, packet);
    } else {
        end->expected++;
        if (packet->wire.bth.ack_request)
            acknowledge_soon(connection, side);
    }
    return true;
}

void rc_requested(struct rc_connection *connection, unsigned side, const struct rc_packet *packet)
{
    struct rc_end *end = &connection->end[side];
    unsigned action = action_of(&connection->end[!side], packet->offset);
    bool refused;

    if (end->refusing)
        return;
    if (packet->offset > end->expected) {
        if (!end->nak_sent)
            say_acknowledge(connection, side, end->expected, IB_AETH_NAK << 5 | IB_NAK_SEQUENCE, NULL);
        end->nak_sent = true;
        return;
    }
    if (packet->offset < end->expected) {
        requested_again(connection, side, packet);
        return;
    }
    refused = rc_action(&connection->end[!side], action)->refused;
    end->refusing |= refused;
    if (!refused && !respond_take_request(connection, side, packet))
        return;
    if (refused || packet->wire.info->last)
        rc_has_arrived(connection, !side, action);
    rc_run_script(connection, side);
}
