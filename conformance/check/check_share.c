// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/check/check_share.h"

#include "conformance/check/check_watched.h"

/* ---- connections over TCP ---- */

static struct watched_span span_of(const struct connection *connection)
{
    return (struct watched_span){connection->start_frame, connection->end_frame, connection->start_ns,
                                 connection->end_ns};
}

static bool on_open(void *ctx, struct connection *connection)
{
    struct check *check = ctx;
    struct watched *watched = watched_new(check, connection->id);
    const struct stack_setup setup = {
        .options = &check->stack_options,
        .port = {connection->endpoint[0].port, connection->endpoint[1].port},
        .host = {{check->layouts, connection->endpoint[0]}, {check->layouts, connection->endpoint[1]}}};

    if (!watched)
        return false;
    watched->tcp = connection;
    watched->endpoint = connection->endpoint;
    if (!watched_stack(watched, &setup)) {
        watched_free(watched);
        return false;
    }
    connection->stack = watched->stack;
    connection->host = watched;
    return true;
}

static void on_close(void *ctx, struct connection *connection, enum connection_end why, int64_t now_ns)
{
    struct watched *watched = connection->host;
    struct watched_span span = span_of(connection);

    (void)ctx, (void)why;
    connection->stack = NULL; /* it goes with the rest */
    watched_close(watched, &span, now_ns);
}

/* It goes on: what comes is for the report of the next part. */
static void take_part(void *ctx, struct connection *connection)
{
    struct watched_span span = span_of(connection);

    (void)ctx;
    watched_part(connection->host, &span);
}

/* ---- the share ---- */

struct check *share_new(const struct share_setup *setup)
{
    struct check *check = g_new0(struct check, 1);
    struct connection_events events = {.ctx = check, .open = on_open, .close = on_close};
    struct connections_options options = {.max_connections = CONNECTIONS_MAX / setup->shares,
                                          .next_id = setup->next_id};

    check->options = setup->options;
    stack_options_init(&check->stack_options, &setup->options->mpa);
    check->stack_options.rdmap.exclusive = setup->options->exclusive;
    check->stack_options.tcp.limit = setup->options->memory_limit;
    check->stack_options.rpcrdma.assume_inline = setup->options->assume_inline;
    check->stack_options.rpcrdma.t_answer = setup->options->t_answer;
    check->capture = setup->capture;
    check->print = setup->print;
    check->layouts = setup->layouts;
    check->numbers_apart = !setup->next_id;
    check->found.connections = g_ptr_array_new();
    check->found.opened = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    check->next_id = setup->next_id;
    check->max_connections = options.max_connections;
    check->connections = connections_new(&options, &events);
    if (check->connections)
        return check;
    share_free(check);
    return NULL;
}

void share_segment(struct check *check, struct addressed_segment *segment)
{
    check->frame = segment->segment.frame;
    connections_segment(check->connections, segment);
}

void share_datagram(struct check *check, const struct ib_datagram *datagram)
{
    check->frame = datagram->frame;
    check->found.memory_lacking |= !check_ib_datagram(check, datagram);
}

void share_finish(struct check *check, int64_t last_ns)
{
    connections_finish(check->connections, last_ns);
    check_ib_finish(check, last_ns);
    check->found.memory_lacking |= check->counting.memory_lacking;
}

void share_dropped(struct check *check, uint64_t dropped)
{
    check->dropped = dropped;
}

void share_part(struct check *check)
{
    connections_each(check->connections, take_part, NULL);
    check_ib_part(check);
    check->found.memory_lacking |= check->counting.memory_lacking;
}

struct numbering {
    const GArray *frames;
    uint32_t before;
};

/* How many of the frames come before this one. */
static guint rank(const GArray *frames, uint32_t frame)
{
    guint low = 0, high = frames->len;

    while (low < high) {
        guint middle = low + (high - low) / 2;

        if (g_array_index(frames, uint32_t, middle) < frame)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void number_watched(void *ctx, struct watched *watched)
{
    const struct numbering *numbering = ctx;

    if (watched->id == 0)
        watched->id = numbering->before + 1 + rank(numbering->frames, watched->opened_frame);
}

static void number_open(void *ctx, struct connection *connection)
{
    number_watched(ctx, connection->host);
}

void share_number(struct check *check, const GArray *frames, uint32_t before)
{
    struct numbering numbering = {frames, before};

    for (guint i = 0; i < check->found.connections->len; i++) {
        struct report_connection *connection = g_ptr_array_index(check->found.connections, i);

        if (connection->id == 0)
            connection->id = before + 1 + rank(frames, connection->opened_frame);
    }
    connections_each(check->connections, number_open, &numbering);
    check_ib_each(check, number_watched, &numbering);
    g_array_set_size(check->found.opened, 0);
}

void share_taken(struct check *check)
{
    g_ptr_array_set_size(check->found.connections, 0);
    check->found.other_connections = 0;
    check->findings_kept = check->notes_kept = check->records = 0;
}

const struct share_found *share_result(const struct check *check)
{
    return &check->found;
}

void share_free(struct check *check)
{
    if (!check)
        return;
    if (check->connections)
        connections_free(check->connections);
    check_ib_free(check);
    counting_free(&check->counting);
    g_ptr_array_unref(check->found.connections);
    g_array_unref(check->found.opened);
    g_free(check);
}
