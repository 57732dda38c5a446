// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/live/play/endpoint.h"

#include "support/stderr_line.h"
#include "traffic-gen/live/tcp/record.h"
#include "traffic-gen/live/verbs/verbs.h"

#include <stdio.h>

enum { READS = 16 };

/* RFC 5044 section 7.1.2 asks for a reasonable time; a retransmission of the peer's TCP fits into it. */
static const int64_t rest_default_ns = INT64_C(60) * 1000000000;

struct mpa_end_wish endpoint_wish(const struct endpoint_options *options, enum mpa_end_role role, bool crc_default)
{
    const unsigned all = MPA_RTR_SEND | MPA_RTR_WRITE | MPA_RTR_READ;

    return (struct mpa_end_wish){
        .role = role,
        .revision = (uint8_t)options->revision,
        .markers = options->markers,
        .crc = options->crc == ENDPOINT_CRC_DEFAULT ? crc_default : options->crc == ENDPOINT_CRC_ON,
        .enhanced = !options->plain,
        .enhanced_data = {.peer_to_peer = options->peer_to_peer,
                          .rtr = (uint8_t)(role == MPA_END_RESPONDER || options->peer_to_peer ? all : 0),
                          .ird = READS,
                          .ord = READS},
        .t_startup = options->t_startup,
        .t_rest = options->t_rest > 0 ? options->t_rest : rest_default_ns,
    };
}

/* ---- one connection ---- */

struct holder {
    const struct endpoint_kind *kind;
    const struct endpoint_options *options;
    struct live_socket *socket; /* either this or link */
    struct verbs_link *link;
    void *endpoint; /* NULL: not open yet */
    struct qp *qp;
    int64_t patience_ns; /* how long a peer may be idle; 0: unlimited */
    int64_t moved_at;    /* when octets came, or the peer's TCP acknowledged some */
    size_t unacknowledged;
    bool reached; /* a connection was established */
    char *trouble;
    void *owner;
    void (*over)(void *owner, struct holder *holder, const char *why);
};

static const char *endpoint_name_of(const struct holder *holder)
{
    return holder->link ? verbs_peer_name(holder->link) : live_peer_name(holder->socket);
}

static void endpoint_on_opened(void *ctx)
{
    struct holder *holder = ctx;

    holder->endpoint =
        holder->kind->make(holder->options, holder->link ? verbs_stream(holder->link) : live_stream(holder->socket));
    holder->qp = holder->kind->qp(holder->endpoint);
    holder->moved_at = live_now();
    qp_start(holder->qp);
}

static void endpoint_on_receive(void *ctx, const uint8_t *p, size_t n)
{
    struct holder *holder = ctx;

    holder->moved_at = live_now();
    qp_receive(holder->qp, p, n);
}

static void endpoint_on_fin(void *ctx)
{
    qp_receive_fin(((struct holder *)ctx)->qp);
}

static void endpoint_on_reset(void *ctx)
{
    qp_receive_reset(((struct holder *)ctx)->qp);
}

static void endpoint_on_room(void *ctx)
{
    qp_pump(((struct holder *)ctx)->qp);
}

static void lose_patience(struct holder *holder)
{
    size_t unacknowledged = holder->link ? 0 : live_unacknowledged(holder->socket);
    int64_t now = live_now();

    if (holder->link)
        holder->moved_at = MAX(holder->moved_at, verbs_moved_at(holder->link));
    if (unacknowledged != holder->unacknowledged)
        holder->moved_at = now;
    holder->unacknowledged = unacknowledged;
    if (now - holder->moved_at < holder->patience_ns || holder->trouble)
        return;
    holder->trouble = g_strdup_printf("timed out: the peer did nothing for %.3g s", (double)holder->patience_ns / 1e9);
    qp_close(holder->qp, true);
}

static void endpoint_on_tick(void *ctx)
{
    struct holder *holder = ctx;

    if (!holder->endpoint)
        return;
    if (holder->patience_ns > 0)
        lose_patience(holder);
    qp_tick(holder->qp);
    if (holder->kind->tick)
        holder->kind->tick(holder->endpoint);
}

static void endpoint_on_closed(void *ctx, const char *why)
{
    struct holder *holder = ctx;

    holder->reached = holder->link ? verbs_was_up(holder->link) : holder->endpoint != NULL;
    if (holder->endpoint && holder->kind->trouble && holder->kind->trouble(holder->endpoint))
        why = holder->kind->trouble(holder->endpoint);
    if (holder->trouble)
        why = holder->trouble;
    holder->over(holder->owner, holder, why);
    if (holder->endpoint)
        holder->kind->free(holder->endpoint);
    g_free(holder->trouble);
    g_free(holder);
}

static struct live_events endpoint_events_of(struct holder *holder)
{
    return (struct live_events){.ctx = holder,
                                .opened = endpoint_on_opened,
                                .receive = endpoint_on_receive,
                                .receive_fin = endpoint_on_fin,
                                .receive_reset = endpoint_on_reset,
                                .room = endpoint_on_room,
                                .tick = endpoint_on_tick,
                                .closed = endpoint_on_closed};
}

/* ---- server ---- */

struct server {
    const struct serve_options *options;
    struct live_loop *loop;
    struct live_listener *listener; /* either this or the device's listener; NULL: accepts no more connections */
    struct verbs_listener *verbs_listener;
    GHashTable *holders;
    unsigned accepted;
};

static void server_over(void *owner, struct holder *holder, const char *why)
{
    struct server *server = owner;

    if (server->options->endpoint.verbose)
        stderr_line("iwarp-gen", "%s: %s", endpoint_name_of(holder), why ? why : "closed");
    g_hash_table_remove(server->holders, holder);
    if (!server->listener && !server->verbs_listener && g_hash_table_size(server->holders) == 0)
        live_stop(server->loop);
}

static void endpoint_stop_listening(struct server *server)
{
    if (server->listener)
        live_listener_close(server->listener);
    if (server->verbs_listener)
        verbs_listener_close(server->verbs_listener);
    server->listener = NULL;
    server->verbs_listener = NULL;
}

/* Either socket or link is NULL. */
static bool accept_any(struct server *server, struct live_socket *socket, struct verbs_link *link,
                       struct live_events *events)
{
    struct holder *holder = g_new0(struct holder, 1);

    *holder = (struct holder){.kind = server->options->kind,
                              .options = &server->options->endpoint,
                              .socket = socket,
                              .link = link,
                              .owner = server,
                              .over = server_over};
    *events = endpoint_events_of(holder);
    g_hash_table_add(server->holders, holder);
    if (server->options->endpoint.verbose)
        stderr_line("iwarp-gen", "%s: connected", endpoint_name_of(holder));
    if (++server->accepted == server->options->connections)
        endpoint_stop_listening(server);
    return true;
}

static bool endpoint_on_accept(void *ctx, struct live_socket *socket, struct live_events *events)
{
    return accept_any(ctx, socket, NULL, events);
}

static bool on_accept_link(void *ctx, struct verbs_link *link, struct live_events *events)
{
    return accept_any(ctx, NULL, link, events);
}

/* After a signal all connections are closed in order, and reset if the peer does not close too. */
static void endpoint_close_all(struct server *server)
{
    const int64_t patience_ns = 1000000000;
    GHashTableIter iter;
    gpointer key;

    endpoint_stop_listening(server);
    g_hash_table_iter_init(&iter, server->holders);
    while (g_hash_table_iter_next(&iter, &key, NULL)) {
        struct holder *holder = key;

        if (holder->qp)
            qp_close(holder->qp, false);
    }
    if (g_hash_table_size(server->holders) > 0)
        live_run(server->loop, live_now() + patience_ns);
    live_loop_end(server->loop);
}

/* Returns the port; 0 with an error. */
static uint16_t listen_on(struct server *server, GError **error)
{
    const struct serve_options *o = server->options;

    if (o->on_devices) {
        server->verbs_listener = verbs_listen(server->loop, o->host, o->port, o->connections_max,
                                              &(struct verbs_options){0}, on_accept_link, server, error);
        return server->verbs_listener ? verbs_listener_port(server->verbs_listener) : 0;
    }
    server->listener = live_listen(server->loop, o->host, o->port, o->connections_max, &(struct live_options){0},
                                   endpoint_on_accept, server, error);
    return server->listener ? live_listener_port(server->listener) : 0;
}

/* Creates the capture file after the listener: if the address is in use, an older file stays. */
static bool serve_in(struct server *server, char **why)
{
    const struct serve_options *options = server->options;
    struct capture_file *file;
    GError *error = NULL;
    uint16_t port = listen_on(server, &error);

    if (error) {
        *why = g_strdup(error->message);
        g_error_free(error);
        return false;
    }
    file = record_create(options->record, why);
    if (options->record && !file)
        return false;
    if (server->listener)
        live_listener_record(server->listener, file);
    fprintf(stderr, "iwarp-gen: %s listening on %sport %u\n", options->kind->name, options->on_devices ? "RDMA " : "",
            port);
    live_stop_on_signals(server->loop);
    live_run(server->loop, INT64_MAX);
    endpoint_close_all(server);
    return record_finish(options->record, file, why);
}

bool serve(const struct serve_options *options, char **why)
{
    const struct endpoint_kind *kind = options->kind;
    struct server server = {.options = options, .loop = live_loop_new(), .holders = g_hash_table_new(NULL, NULL)};
    bool good = !kind->open || kind->open(&options->endpoint, why);

    if (good) {
        good = (!kind->listen || kind->listen(server.loop, options->host, why)) && serve_in(&server, why);
        live_loop_end(server.loop); /* no events after this, so close() may free everything */
        if (kind->close)
            kind->close();
    }
    live_loop_free(server.loop);
    g_hash_table_unref(server.holders);
    return good;
}

/* ---- client ---- */

struct client {
    enum client_end end;
    char *why;
    bool over;
};

static void client_over(void *owner, struct holder *holder, const char *why)
{
    struct client *client = owner;

    client->over = true;
    client->end = !why ? CLIENT_DONE : holder->reached ? CLIENT_FAILED : CLIENT_NOT_CONNECTED;
    client->why = g_strdup(why);
}

enum client_end client_run(const char *host, const char *port, const struct endpoint_kind *kind,
                           const struct endpoint_options *options, int64_t timeout_ns, const char *record, char **why)
{
    struct capture_file *file = record_create(record, why);
    const struct live_options live = {.record = file, .connect_timeout_ns = timeout_ns, .close_timeout_ns = timeout_ns};
    const struct verbs_options verbs = {.connect_timeout_ns = timeout_ns, .close_timeout_ns = timeout_ns};
    struct client client = {.end = CLIENT_NOT_CONNECTED};
    struct holder *holder;
    struct live_loop *loop;
    struct live_events events;
    GError *error = NULL;

    if (record && !file)
        return CLIENT_NOT_CONNECTED;
    holder = g_new0(struct holder, 1);
    loop = live_loop_new();
    events = endpoint_events_of(holder);
    *holder = (struct holder){.kind = kind,
                              .options = options,
                              .owner = &client,
                              .over = client_over,
                              .patience_ns = timeout_ns + options->first_delay_ns};
    if (options->on_device)
        holder->link = verbs_connect(loop, host, port, &verbs, &events, &error);
    else
        holder->socket = live_connect(loop, host, port, &live, &events, &error);
    if (holder->socket || holder->link) {
        live_stop_on_signals(loop);
        live_run(loop, INT64_MAX);
        if (!client.over) { /* by a signal */
            live_loop_end(loop);
            client.end = CLIENT_FAILED;
            g_free(client.why);
            client.why = g_strdup(CLIENT_STOPPED);
        }
        *why = client.why;
    } else {
        *why = g_strdup(error->message);
        g_error_free(error);
        g_free(holder);
    }
    live_loop_free(loop);
    return record_finish(record, file, why) ? client.end : CLIENT_NOT_CONNECTED;
}
