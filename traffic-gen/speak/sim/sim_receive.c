// SPDX-License-Identifier: GPL-2.0-or-later
/* How an end of the simulated TCP handles arriving segments. */
#include "traffic-gen/speak/sim/sim_tcp_internal.h"

/* Adds [from, to) to the received ranges; true when rcv_nxt moved. */
static bool receive_range(struct end *end, uint64_t from, uint64_t to)
{
    GArray *beyond = end->beyond;
    uint64_t before = end->rcv_nxt;

    if (from > end->rcv_nxt) {
        struct range range = {from, to};
        unsigned i = 0;

        while (i < beyond->len && g_array_index(beyond, struct range, i).from < from)
            i++;
        g_array_insert_val(beyond, i, range);
    } else if (to > end->rcv_nxt) {
        end->rcv_nxt = to;
    }
    while (beyond->len && g_array_index(beyond, struct range, 0).from <= end->rcv_nxt) {
        end->rcv_nxt = MAX(end->rcv_nxt, g_array_index(beyond, struct range, 0).to);
        g_array_remove_index(beyond, 0);
    }
    return end->rcv_nxt > before;
}

static void sim_receive_take_ack(struct sim_connection *connection, unsigned side, uint64_t acked)
{
    struct end *end = &connection->end[side];

    end->snd_una = acked;
    end->duplicate_acks = end->backoff = 0;
    while (end->first_unacked < end->sent->len) {
        const struct sent *sent = &g_array_index(end->sent, struct sent, end->first_unacked);

        if (sent->offset + sent->length + sent->fin > acked)
            break;
        end->first_unacked++;
    }
    end->rto_generation++;
    if (end->first_unacked < end->sent->len) {
        sim_start_rto(connection, side);
        if (acked < end->recover)
            sim_retransmit_first(connection, side);
    }
    sim_finish_if_over(connection);
}

/* Marks side's segments up to `acked` as acknowledged. */
static void receive_ack(struct sim_connection *connection, unsigned side, uint64_t acked, uint16_t window, bool pure)
{
    struct end *end = &connection->end[side];

    if (acked > end->snd_nxt)
        return;
    /* An acknowledgement with a new window is not a duplicate (RFC 5681 section 2). */
    pure = pure && (connection->sim->trouble.window == 0 || window == end->peer_window);
    end->peer_window = window;
    end->snd_limit = MAX(end->snd_limit, acked + ((uint64_t)window << WINDOW_SCALE));
    if (acked > end->snd_una) {
        sim_receive_take_ack(connection, side, acked);
    } else if (pure && acked == end->snd_una && end->first_unacked < end->sent->len &&
               ++end->duplicate_acks == DUPLICATE_ACKS) {
        end->recover = end->snd_nxt;
        sim_retransmit_first(connection, side);
    }
}

static void establish(struct end *end)
{
    if (end->established)
        return;
    end->established = true;
    end->backoff = 0;
    end->rto_generation++;
}

static void arrive_handshake(struct sim_connection *connection, unsigned receiver, const struct packet *packet)
{
    struct end *end = &connection->end[receiver];

    end->snd_limit = MAX(end->snd_limit, packet->window); /* not scaled in a SYN */
    if (receiver == 1) {
        /* A SYN, perhaps repeated: answers it, and repeats the answer until it is acknowledged. */
        sim_send_syn(connection, 1);
        if (!end->established)
            sim_start_rto(connection, 1);
    } else if (packet->flags & SEG_ACK) {
        establish(end);
        sim_send_ack(connection, 0);
        sim_run_script(connection, 0);
    }
}

static void sim_receive_take_octets(struct end *end, const struct packet *packet)
{
    if (packet->length || packet->fin) {
        bool in_order = packet->offset == end->rcv_nxt && end->beyond->len == 0;

        receive_range(end, packet->offset, packet->offset + packet->length + packet->fin);
        end->ack_pending = true;
        if (!in_order || packet->fin || ++end->unacked_segments >= 2)
            end->ack_now = true;
    }
    if (packet->probe)
        end->ack_pending = end->ack_now = true;
}

/* With a limited window, the application reads after a while. */
static void read_soon(struct sim_connection *connection, unsigned side)
{
    struct end *end = &connection->end[side];

    if (connection->sim->trouble.window == 0 || end->rcv_nxt <= end->read || end->reading)
        return;
    end->reading = true;
    sim_tcp_schedule(connection, (struct event){.time = connection->sim->now + READ_MIN_NS +
                                                        (int64_t)random_below(&connection->sim->random, READ_SPAN_NS),
                                                .kind = EVENT_READ,
                                                .side = side});
}

static void sim_receive_acknowledge(struct sim_connection *connection, unsigned side)
{
    const struct end *end = &connection->end[side];

    if (end->ack_pending && end->ack_now) {
        sim_send_ack(connection, side);
    } else if (end->ack_pending) {
        sim_tcp_schedule(connection, (struct event){.time = connection->sim->now + DELAYED_ACK_NS,
                                                    .kind = EVENT_ACK,
                                                    .side = side,
                                                    .generation = end->ack_generation});
    }
}

void sim_arrive(struct sim_connection *connection, unsigned sender, const struct packet *packet)
{
    unsigned receiver = !sender;
    struct end *end = &connection->end[receiver];

    if (end->dead)
        return;
    if (packet->flags & SEG_RST) {
        end->dead = true;
        sim_run_script(connection, receiver);
        sim_finish_if_over(connection);
        return;
    }
    if (packet->flags & SEG_SYN) {
        arrive_handshake(connection, receiver, packet);
        return;
    }
    if (!end->established && receiver == 0)
        return;
    establish(end);
    receive_ack(connection, receiver, packet->acked, packet->window, packet->length == 0 && !packet->fin);
    sim_receive_take_octets(end, packet);
    read_soon(connection, receiver);
    sim_run_script(connection, receiver);
    sim_receive_acknowledge(connection, receiver);
}

void sim_read(struct sim_connection *connection, unsigned side)
{
    struct end *end = &connection->end[side];
    uint32_t window = connection->sim->trouble.window;

    end->reading = false;
    end->read = end->rcv_nxt;
    /* Whether to advertise the window, RFC 9293 section 3.8.6.2.2: two segments, or half of the buffer. */
    if (!end->dead && end->read + window >= end->advertised + MIN(window / 2, 2u * connection->options.mss[side]))
        sim_send_ack(connection, side);
}

void sim_retransmission_timer(struct sim_connection *connection, unsigned side)
{
    struct end *end = &connection->end[side];

    if (end->dead)
        return;
    if (end->backoff < RTO_BACKOFF_MAX)
        end->backoff++;
    if (!end->established) {
        sim_send_syn(connection, side);
    } else if (end->blocked && end->first_unacked == end->sent->len) {
        sim_send_probe(connection, side);
    } else {
        end->recover = end->snd_nxt;
        sim_retransmit_first(connection, side);
    }
    sim_start_rto(connection, side);
}
