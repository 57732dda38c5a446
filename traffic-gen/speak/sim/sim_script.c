// SPDX-License-Identifier: GPL-2.0-or-later
/* The script of each side: its actions in turn. */
#include "traffic-gen/speak/sim/sim_tcp_internal.h"

static bool sim_script_gate_open(const struct sim_connection *connection, unsigned side, const struct action *action)
{
    const struct end *end = &connection->end[side];

    return end->established && end->rcv_nxt >= action->how.received &&
           (!action->how.acked || end->snd_una == end->snd_nxt);
}

/* Whether the action may run now; schedules another try when only time is missing. */
static bool sim_script_is_due(struct sim_connection *connection, unsigned side, struct action *action)
{
    if (!action->gate_open) {
        if (!sim_script_gate_open(connection, side, action))
            return false;
        action->gate_open = true;
        action->ready_at = connection->sim->now + action->how.delay_ns + (action->how.received ? APPLICATION_NS : 0);
        if (action->ready_at > connection->sim->now)
            sim_tcp_schedule(connection,
                             (struct event){.time = action->ready_at, .kind = EVENT_APPLICATION, .side = side});
    }
    return connection->sim->now >= action->ready_at;
}

static void send_raw(struct sim_connection *connection, unsigned side, const struct action *action)
{
    const struct sim_raw *raw = &action->raw;
    struct packet *packet =
        sim_packet_new(connection, side, raw->flags ? raw->flags : SEG_ACK, raw->offset, (uint32_t)raw->n);

    packet->is_raw = true;
    packet->raw = g_memdup2(raw->p, raw->n);
    packet->ack += (uint32_t)raw->ack_delta;
    if (raw->zero_window)
        packet->window = 0;
    sim_depart(connection, side, packet, &action->how, true);
    if (raw->flags & SEG_RST)
        connection->end[side].dead = true;
}

void sim_finish_if_over(struct sim_connection *connection)
{
    if (connection->life.over)
        return;
    for (unsigned side = 0; side < 2; side++) {
        const struct end *end = &connection->end[side];

        if (!end->dead && (!end->fin_sent || end->snd_una < end->snd_nxt))
            return;
    }
    sim_life_end(connection->sim, &connection->life);
}

/*
 * Sends as much as the peer has room for, if that is worth a segment: else it waits, and probes when nothing is in
 * flight. Returns the end of the octets sent.
 */
static uint64_t room_up_to(struct sim_connection *connection, unsigned side, uint64_t from, uint64_t to)
{
    struct end *end = &connection->end[side];

    end->blocked = false;
    if (connection->sim->trouble.window == 0 || to <= end->snd_limit)
        return to;
    if (end->snd_limit >= from + sim_worthwhile(connection, side))
        return end->snd_limit;
    end->blocked = true;
    if (end->first_unacked == end->sent->len)
        sim_start_rto(connection, side);
    return from;
}

/* False: the rest waits for room. The action is the previous one. */
static bool write_out(struct sim_connection *connection, unsigned side, struct action *action)
{
    struct end *end = &connection->end[side];
    struct sim *sim = connection->sim;
    double joining = sim->trouble.segment_max ? 0.5 : sim->trouble.resegment;
    uint64_t from = action->from, to = action->to, sent;
    unsigned first = end->next_action - 1;

    /* Now and then the sender joins ready octets, like Nagle's algorithm and segmentation offload. */
    while (end->next_action < end->script->len && random_chance(&sim->random, joining)) {
        struct action *next = &g_array_index(end->script, struct action, end->next_action);

        if (next->kind != SIM_WRITE || next->how.delay_ns || !sim_script_gate_open(connection, side, next))
            break;
        to = next->to;
        end->next_action++;
    }
    sent = room_up_to(connection, side, from, to);
    if (sent > from)
        sim_send_new(connection, side, from, sent, false, &action->how);
    if (sent == to)
        return true;
    /* Sends the rest of the last joined write and all later writes again. */
    end->next_action--;
    while (end->next_action > first && sent <= g_array_index(end->script, struct action, end->next_action).from)
        end->next_action--;
    g_array_index(end->script, struct action, end->next_action).from = sent;
    return false;
}

void sim_run_script(struct sim_connection *connection, unsigned side)
{
    struct end *end = &connection->end[side];

    while (end->next_action < end->script->len) {
        struct action *action = &g_array_index(end->script, struct action, end->next_action);

        if (end->dead && action->kind != SIM_RAW && action->kind != SIM_CAPTURING) {
            end->next_action++;
            continue;
        }
        if (!sim_script_is_due(connection, side, action))
            return;
        end->next_action++;
        switch (action->kind) {
        case SIM_WRITE:
            if (!write_out(connection, side, action))
                return;
            break;
        case SIM_FIN:
            end->fin_sent = true;
            sim_send_new(connection, side, end->snd_nxt, end->snd_nxt, true, &action->how);
            break;
        case SIM_RESET:
            sim_depart(connection, side, sim_packet_new(connection, side, SEG_RST | SEG_ACK, end->snd_nxt, 0),
                       &action->how, true);
            end->dead = true;
            break;
        case SIM_CAPTURING:
            connection->uncaptured = !action->on;
            break;
        case SIM_RAW:
            send_raw(connection, side, action);
            break;
        }
    }
}
