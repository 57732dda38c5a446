// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/check/check_share.h"

#include "conformance/check/check_watched.h"
#include "conformance/options/options.h"

/* ---- connections over TCP ---- */

static struct watched_span share_span_of(const struct connection *connection)
{
    return (struct watched_span){connection->start_frame, connection->end_frame, connection->start_ns,
                                 connection->end_ns};
}

static bool share_on_open(void *ctx, struct connection *connection)
{
    struct share *share = ctx;
    struct watched *watched = watched_new(share, connection->id, connection->start_frame);
    const struct stack_setup setup = {
        .options = &share->stack_options,
        .port = {connection->endpoint[0].port, connection->endpoint[1].port},
        .host = {{share->layouts, connection->endpoint[0]}, {share->layouts, connection->endpoint[1]}}};

    if (!watched)
        return false;
    watched->tcp = connection;
    watched->host.endpoint = connection->endpoint;
    if (!watched_stack(watched, &setup)) {
        watched_free(watched);
        return false;
    }
    connection->tcp = stack_pair(watched->host.stack);
    connection->host = watched;
    return true;
}

static void share_on_over(void *ctx, struct connection *connection)
{
    (void)ctx;
    watched_rest(connection->host);
}

static void share_on_close(void *ctx, struct connection *connection, enum connection_end why, int64_t now_ns)
{
    struct watched *watched = connection->host;
    struct watched_span span = share_span_of(connection);

    /* A connection that has shown nothing so far is opened anew by its next segment. */
    if (why == CONNECTION_EVICTED &&
        (tcp_pair_facts(connection->tcp, 0)->highest > 0 || tcp_pair_facts(connection->tcp, 1)->highest > 0))
        ((struct share *)ctx)->found.cut_short++;
    connection->tcp = NULL; /* freed with the rest */
    watched_close(watched, &span, now_ns);
}

static bool on_park(void *ctx, struct connection *connection)
{
    (void)ctx;
    return watched_park(connection->host);
}

static void on_unpark(void *ctx, struct connection *connection)
{
    (void)ctx;
    watched_unpark(connection->host);
}

/* The connection continues: later events are for the report of the next part. */
static void share_take_part(void *ctx, struct connection *connection)
{
    const struct share *share = ctx;
    const struct watched *watched = connection->host;
    struct watched_span span = share_span_of(connection);
    bool parked = connection->parked;

    if (!watched->active)
        return;
    connections_unpark(share->connections, connection);
    watched_part(connection->host, &span);
    if (parked) /* together they would exceed --memory-limit */
        connections_park_one(share->connections, connection);
}

/* ---- the share ---- */

/* The options for single kinds of guests. */
static void own_of_guests(struct share *share)
{
    unsigned n = 0;

    for (const struct guest_face *const *face = guest_faces; *face && n < ULP_KINDS_MAX - 1; face++)
        if ((*face)->own)
            share->own[n++] = (struct ulp_own){(*face)->kind, (*face)->own(share->options)};
    share->stack_options.own = share->own;
}

static void free_own_of_guests(struct share *share)
{
    for (unsigned i = 0; share->own[i].kind; i++)
        g_free((void *)share->own[i].own);
}

void share_pool_clear(struct share_pool *pool)
{
    counting_free(&pool->counting);
    arena_pool_free(&pool->arenas);
}

struct share *share_new(const struct share_setup *setup)
{
    struct share *share = g_new0(struct share, 1);
    struct connection_events events = {.ctx = share,
                                       .open = share_on_open,
                                       .over = share_on_over,
                                       .park = on_park,
                                       .unpark = on_unpark,
                                       .close = share_on_close};
    struct connections_options options = {.max_connections = UINT32_MAX, .next_id = setup->next_id};

    share->options = setup->options;
    stack_options_init(&share->stack_options, &setup->options->mpa);
    share->stack_options.rdmap.exclusive = setup->options->exclusive;
    share->stack_options.ulp.exclusive = setup->options->exclusive;
    own_of_guests(share);
    share->taps = watched_taps;
    if (setup->options->stats)
        watched_collect(&share->taps);
    share->capture = setup->capture;
    share->print = setup->print;
    share->layouts = setup->layouts;
    share->pool = setup->pool;
    share->lossy = setup->lossy;
    share->dropped = setup->dropped;
    share->numbers_apart = !setup->next_id;
    share->found.connections = g_ptr_array_new();
    share->found.strangers = g_ptr_array_new();
    share->found.opened = g_array_new(FALSE, FALSE, sizeof(uint64_t));
    share->next_id = setup->next_id;
    share->connections = connections_new(&options, &events);
    if (share->connections)
        return share;
    share_free(share);
    return NULL;
}

void share_segment(struct share *share, struct addressed_segment *segment)
{
    share->frame = segment->segment.frame;
    connections_segment(share->connections, segment);
}

void share_datagram(struct share *share, const struct ib_datagram *datagram)
{
    share->frame = datagram->frame;
    share->found.memory_lacking |= !check_ib_datagram(share, datagram);
}

void share_reach(struct share *share, uint32_t frame, int64_t now_ns)
{
    share->frame = frame;
    connections_reach(share->connections, frame, now_ns);
    check_ib_reach(share, now_ns);
}

static void share_visit_connection(void *ctx, struct connection *connection)
{
    const struct share_visit *visit = ctx;
    const struct watched *watched = connection->host;

    visit->connection(visit->others.ctx, connection->end_frame, watched_size(watched), watched->parked != NULL);
}

void share_kept(struct share *share, const struct share_visit *visit, struct share_listed *listed)
{
    connections_each(share->connections, share_visit_connection, (void *)visit);
    connections_kept(share->connections, &visit->others);
    check_ib_kept(share, visit);
    listed->findings += share->listed.findings;
    listed->notes += share->listed.notes;
    listed->records += share->listed.records;
    listed->strangers += share->listed.strangers;
    listed->octets += share->listed.octets;
}

void share_park(struct share *share, uint32_t until)
{
    connections_park(share->connections, until);
}

void share_trim(struct share *share, const struct kept_limits *limits, const struct share_listed *listed,
                int64_t now_ns)
{
    share->all_listed = *listed;
    connections_trim(share->connections, limits, now_ns);
    check_ib_trim(share, limits, now_ns);
}

void share_finish(struct share *share, int64_t last_ns)
{
    connections_finish(share->connections, last_ns);
    check_ib_finish(share, last_ns);
    share->found.memory_lacking |= share->pool->counting.memory_lacking;
}

void share_dropped(struct share *share, uint64_t dropped)
{
    share->dropped = dropped;
}

void share_part(struct share *share)
{
    connections_each(share->connections, share_take_part, share);
    check_ib_part(share);
    share->found.memory_lacking |= share->pool->counting.memory_lacking;
}

struct numbering {
    const GArray *opened;
    uint32_t before;
};

/* The number of connections opened before this connection. */
static guint rank(const GArray *opened, uint64_t at)
{
    guint low = 0, high = opened->len;

    while (low < high) {
        guint middle = low + (high - low) / 2;

        if (g_array_index(opened, uint64_t, middle) < at)
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
        watched->id = numbering->before + 1 + rank(numbering->opened, watched->opened);
}

static void number_open(void *ctx, struct connection *connection)
{
    number_watched(ctx, connection->host);
}

void share_number(struct share *share, const GArray *opened, uint32_t before)
{
    struct numbering numbering = {opened, before};

    for (guint i = 0; i < share->found.connections->len; i++) {
        struct report_connection *connection = g_ptr_array_index(share->found.connections, i);

        if (connection->id == 0)
            connection->id = before + 1 + rank(opened, connection->opened);
    }
    connections_each(share->connections, number_open, &numbering);
    check_ib_each(share, number_watched, &numbering);
    g_array_set_size(share->found.opened, 0);
}

void share_taken(struct share *share)
{
    g_ptr_array_set_size(share->found.connections, 0);
    g_ptr_array_set_size(share->found.strangers, 0);
    share->found.other_connections = 0;
    share->found.wrong_icrcs = share->found.cut_short = share->found.given_up = 0;
    share->found.strangers_left_out = 0;
    report_rest_clear(&share->found.rest);
    share->listed = share->all_listed = (struct share_listed){0};
}

const struct share_found *share_result(const struct share *share)
{
    return &share->found;
}

struct report_rest *share_rest(struct share *share)
{
    return &share->found.rest;
}

void share_free(struct share *share)
{
    if (!share)
        return;
    if (share->connections)
        connections_free(share->connections);
    check_ib_free(share);
    free_own_of_guests(share);
    g_ptr_array_unref(share->found.connections);
    g_ptr_array_unref(share->found.strangers);
    g_array_unref(share->found.opened);
    report_rest_clear(&share->found.rest);
    g_free(share);
}
