// SPDX-License-Identifier: GPL-2.0-or-later
/* The life of a connection, and the functions for scripts. */
#include "traffic-gen/speak/sim/sim_tcp_internal.h"

static bool tcp_is_stale(const struct event *event)
{
    const struct sim_connection *connection = event->connection;
    const struct end *end = &connection->end[event->side];

    return (event->kind == EVENT_RTO && event->generation != end->rto_generation) ||
           (event->kind == EVENT_ACK && event->generation != end->ack_generation);
}

static void run_event(const struct event *event)
{
    struct sim_connection *connection = event->connection;

    switch (event->kind) {
    case EVENT_START:
        connection->started = true;
        sim_send_syn(connection, 0);
        sim_start_rto(connection, 0);
        break;
    case EVENT_TAP:
        sim_capture(connection, event->side, event->packet);
        break;
    case EVENT_ARRIVE:
        sim_arrive(connection, event->side, event->packet);
        break;
    case EVENT_RTO:
        sim_retransmission_timer(connection, event->side);
        break;
    case EVENT_ACK:
        sim_send_ack(connection, event->side);
        break;
    case EVENT_APPLICATION:
        sim_run_script(connection, event->side);
        break;
    case EVENT_READ:
        sim_read(connection, event->side);
        break;
    default:
        break;
    }
}

static const char *tcp_waits_for(const void *p)
{
    const struct sim_connection *connection = p;

    if (connection->end[0].next_action < connection->end[0].script->len)
        return "the connecting side waits for something that never comes";
    return connection->end[1].next_action < connection->end[1].script->len
               ? "the accepting side waits for something that never comes"
               : NULL;
}

static void tcp_packet_free(void *p)
{
    struct packet *packet = p;

    g_free(packet->raw);
    g_free(packet);
}

static void *tcp_packet_copy(const void *p)
{
    const struct packet *packet = p;
    struct packet *copy = g_memdup2(packet, sizeof *packet);

    copy->raw = packet->raw ? g_memdup2(packet->raw, packet->length) : NULL;
    return copy;
}

/* ---- life ---- */

static void tcp_connection_free(void *p)
{
    struct sim_connection *connection = p;

    for (unsigned side = 0; side < 2; side++) {
        struct end *end = &connection->end[side];

        for (unsigned i = 0; i < end->script->len; i++)
            g_free((void *)g_array_index(end->script, struct action, i).raw.p);
        g_byte_array_unref(end->stream);
        g_array_unref(end->script);
        g_array_unref(end->sent);
        g_array_unref(end->beyond);
    }
    g_array_unref(connection->life.after);
    g_free(connection);
}

const struct sim_transport sim_tcp = {
    .is_stale = tcp_is_stale,
    .run = run_event,
    .packet_copy = tcp_packet_copy,
    .packet_free = tcp_packet_free,
    .waits_for = tcp_waits_for,
    .connection_free = tcp_connection_free,
};

void sim_tcp_schedule(struct sim_connection *connection, struct event event)
{
    event.transport = &sim_tcp;
    event.connection = connection;
    sim_schedule(connection->sim, event);
}

struct sim_connection *sim_connect(struct sim *sim, const struct sim_connection_options *options)
{
    struct sim_connection *connection = g_new0(struct sim_connection, 1);

    connection->sim = sim;
    connection->options = *options;
    connection->life.after = g_array_new(FALSE, FALSE, sizeof(struct event));
    for (unsigned side = 0; side < 2; side++) {
        struct end *end = &connection->end[side];

        end->stream = g_byte_array_new();
        end->script = g_array_new(FALSE, TRUE, sizeof(struct action));
        end->sent = g_array_new(FALSE, TRUE, sizeof(struct sent));
        end->beyond = g_array_new(FALSE, TRUE, sizeof(struct range));
        end->ip_id = (uint16_t)(options->isn[side] >> 8 | 1);
    }
    sim_add(sim, &sim_tcp, connection);
    sim_tcp_schedule(connection, (struct event){.time = sim->now + options->delay_ns, .kind = EVENT_START});
    return connection;
}

struct sim_life *sim_life(struct sim_connection *connection)
{
    return &connection->life;
}

void sim_connect_after(struct sim_connection *connection, struct sim_life *before)
{
    connection->follows = true;
    sim_life_after(connection->sim, before,
                   &(struct event){.time = connection->options.delay_ns,
                                   .kind = EVENT_START,
                                   .transport = &sim_tcp,
                                   .connection = connection});
}

uint64_t sim_written(const struct sim_connection *connection, unsigned side)
{
    return connection->end[side].stream->len;
}

const uint8_t *sim_stream(const struct sim_connection *connection, unsigned side)
{
    return connection->end[side].stream->data;
}

uint64_t sim_all_of_peer(const struct sim_connection *connection, unsigned side)
{
    const struct end *peer = &connection->end[!side];

    return peer->stream->len + peer->fin_scripted;
}

static void tcp_append(struct sim_connection *connection, unsigned side, struct action action,
                       const struct sim_how *how)
{
    if (how)
        action.how = *how;
    g_array_append_val(connection->end[side].script, action);
}

void sim_write(struct sim_connection *connection, unsigned side, const uint8_t *p, size_t n, const struct sim_how *how)
{
    GByteArray *stream = connection->end[side].stream;
    struct action action = {.kind = SIM_WRITE, .from = stream->len, .to = stream->len + n};

    if (n == 0)
        return;
    g_byte_array_append(stream, p, (guint)n);
    tcp_append(connection, side, action, how);
}

void sim_fin(struct sim_connection *connection, unsigned side, const struct sim_how *how)
{
    connection->end[side].fin_scripted = true;
    tcp_append(connection, side, (struct action){.kind = SIM_FIN}, how);
}

void sim_reset(struct sim_connection *connection, unsigned side, const struct sim_how *how)
{
    tcp_append(connection, side, (struct action){.kind = SIM_RESET}, how);
}

void sim_capturing(struct sim_connection *connection, unsigned side, bool on, const struct sim_how *how)
{
    tcp_append(connection, side, (struct action){.kind = SIM_CAPTURING, .on = on}, how);
}

void sim_raw(struct sim_connection *connection, unsigned side, const struct sim_raw *raw, const struct sim_how *how)
{
    struct action action = {.kind = SIM_RAW, .raw = *raw};

    action.raw.p = g_memdup2(raw->p, raw->n);
    tcp_append(connection, side, action, how);
}

/* ---- scripted so far ---- */

unsigned sim_n_steps(const struct sim_connection *connection, unsigned side)
{
    return connection->end[side].script->len;
}

struct sim_step sim_step(const struct sim_connection *connection, unsigned side, unsigned index)
{
    const struct action *action = &g_array_index(connection->end[side].script, struct action, index);

    return (struct sim_step){action->kind, action->how, action->from, action->to, action->raw};
}

bool sim_follows(const struct sim_connection *connection)
{
    return connection->follows;
}
