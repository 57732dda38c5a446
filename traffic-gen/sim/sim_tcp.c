// SPDX-License-Identifier: GPL-2.0-or-later
/* The life of the simulation, and what the authors of scripts call. */
#include "traffic-gen/sim/sim_tcp_internal.h"

static void start(struct sim_connection *connection)
{
    connection->started = true;
    sim_send_syn(connection, 0);
    sim_start_rto(connection, 0);
}

bool sim_run(struct sim *sim, const char **why)
{
    while (sim->heap->len && !sim->write_failed) {
        struct event event = sim_take_first(sim);
        struct sim_connection *connection = event.connection;
        struct end *end = &connection->end[event.side];

        if ((event.kind == EVENT_RTO && event.generation != end->rto_generation) ||
            (event.kind == EVENT_ACK && event.generation != end->ack_generation))
            continue; /* overtaken by events: does not move the clock */
        sim->now = event.time;
        switch (event.kind) {
        case EVENT_START:
            start(connection);
            break;
        case EVENT_TAP:
            sim_capture(connection, event.side, event.packet);
            break;
        case EVENT_ARRIVE:
            sim_arrive(connection, event.side, event.packet);
            break;
        case EVENT_RTO:
            sim_retransmission_timer(connection, event.side);
            break;
        case EVENT_ACK:
            sim_send_ack(connection, event.side);
            break;
        case EVENT_APPLICATION:
            sim_run_script(connection, event.side);
            break;
        case EVENT_READ:
            sim_read(connection, event.side);
            break;
        }
        sim_packet_free(event.packet);
    }
    if (sim->write_failed) {
        *why = "the capture file cannot be written";
        return false;
    }
    for (unsigned i = 0; i < sim->connections->len; i++) {
        const struct sim_connection *connection = g_ptr_array_index(sim->connections, i);

        for (unsigned side = 0; side < 2; side++) {
            if (connection->end[side].next_action < connection->end[side].script->len) {
                *why = side == 0 ? "the connecting side waits for something that never comes"
                                 : "the accepting side waits for something that never comes";
                return false;
            }
        }
    }
    return true;
}

/* ---- life, and the script's authors ---- */

struct sim *sim_new(struct capture_file *file, int64_t start_ns, uint64_t seed, const struct sim_trouble *trouble)
{
    struct sim *sim = g_new0(struct sim, 1);

    sim->file = file;
    sim->now = start_ns;
    sim->random.state = seed;
    if (trouble)
        sim->trouble = *trouble;
    sim->heap = g_array_new(FALSE, FALSE, sizeof(struct event));
    sim->connections = g_ptr_array_new();
    sim->frame = g_malloc(FRAME_MAX);
    sim->fragment[0] = g_malloc(FRAME_MAX);
    sim->fragment[1] = g_malloc(FRAME_MAX);
    return sim;
}

static void connection_free(struct sim_connection *connection)
{
    for (unsigned side = 0; side < 2; side++) {
        struct end *end = &connection->end[side];

        for (unsigned i = 0; i < end->script->len; i++)
            g_free((void *)g_array_index(end->script, struct action, i).raw.p);
        g_byte_array_unref(end->stream);
        g_array_unref(end->script);
        g_array_unref(end->sent);
        g_array_unref(end->beyond);
    }
    g_ptr_array_unref(connection->after);
    g_free(connection);
}

void sim_free(struct sim *sim)
{
    for (unsigned i = 0; i < sim->heap->len; i++)
        sim_packet_free(g_array_index(sim->heap, struct event, i).packet);
    for (unsigned i = 0; i < sim->connections->len; i++)
        connection_free(g_ptr_array_index(sim->connections, i));
    g_array_unref(sim->heap);
    g_ptr_array_unref(sim->connections);
    g_free(sim->frame);
    g_free(sim->fragment[0]);
    g_free(sim->fragment[1]);
    g_free(sim);
}

int64_t sim_now(const struct sim *sim)
{
    return sim->now;
}

struct sim_connection *sim_connect(struct sim *sim, const struct sim_connection_options *options)
{
    struct sim_connection *connection = g_new0(struct sim_connection, 1);

    connection->sim = sim;
    connection->options = *options;
    connection->after = g_ptr_array_new();
    for (unsigned side = 0; side < 2; side++) {
        struct end *end = &connection->end[side];

        end->stream = g_byte_array_new();
        end->script = g_array_new(FALSE, TRUE, sizeof(struct action));
        end->sent = g_array_new(FALSE, TRUE, sizeof(struct sent));
        end->beyond = g_array_new(FALSE, TRUE, sizeof(struct range));
        end->ip_id = (uint16_t)(options->isn[side] >> 8 | 1);
    }
    g_ptr_array_add(sim->connections, connection);
    sim_schedule(sim,
                 (struct event){.time = sim->now + options->delay_ns, .kind = EVENT_START, .connection = connection});
    return connection;
}

void sim_connect_after(struct sim_connection *connection, struct sim_connection *before)
{
    struct sim *sim = connection->sim;
    GArray *heap = sim->heap;

    /* Before the run the heap holds start events only, in an order that removing one may disturb: rebuild it. */
    GArray *old = g_array_copy(heap);

    g_array_set_size(heap, 0);
    for (unsigned i = 0; i < old->len; i++) {
        if (g_array_index(old, struct event, i).connection != connection)
            sim_schedule(sim, g_array_index(old, struct event, i));
    }
    g_array_unref(old);
    connection->before = before;
    g_ptr_array_add(before->after, connection);
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

static void append(struct sim_connection *connection, unsigned side, struct action action, const struct sim_how *how)
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
    append(connection, side, action, how);
}

void sim_fin(struct sim_connection *connection, unsigned side, const struct sim_how *how)
{
    connection->end[side].fin_scripted = true;
    append(connection, side, (struct action){.kind = SIM_FIN}, how);
}

void sim_reset(struct sim_connection *connection, unsigned side, const struct sim_how *how)
{
    append(connection, side, (struct action){.kind = SIM_RESET}, how);
}

void sim_capturing(struct sim_connection *connection, unsigned side, bool on, const struct sim_how *how)
{
    append(connection, side, (struct action){.kind = SIM_CAPTURING, .on = on}, how);
}

void sim_raw(struct sim_connection *connection, unsigned side, const struct sim_raw *raw, const struct sim_how *how)
{
    struct action action = {.kind = SIM_RAW, .raw = *raw};

    action.raw.p = g_memdup2(raw->p, raw->n);
    append(connection, side, action, how);
}

/* ---- what was scripted ---- */

unsigned sim_n_steps(const struct sim_connection *connection, unsigned side)
{
    return connection->end[side].script->len;
}

struct sim_step sim_step(const struct sim_connection *connection, unsigned side, unsigned index)
{
    const struct action *action = &g_array_index(connection->end[side].script, struct action, index);

    return (struct sim_step){action->kind, action->how, action->from, action->to, action->raw};
}

const struct sim_connection *sim_before(const struct sim_connection *connection)
{
    return connection->before;
}

const struct sim_connection_options *sim_options(const struct sim_connection *connection)
{
    return &connection->options;
}
