// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/live/play/session.h"

#include "traffic-gen/live/play/player.h"
#include "traffic-gen/live/play/rpc_tcp.h"
#include "traffic-gen/live/tcp/record.h"
#include "traffic-gen/live/verbs/verbs.h"
#include "traffic-gen/scenario/work.h"

#include <stdio.h>
#include <string.h>

enum { HEADERS = 40 /* IPv4 and TCP */, SHORTEST_MTU = 128 };

struct session {
    struct session_options options;
    struct live_loop *loop;
    struct live_listener *listener;
    GPtrArray *plans;        /* struct plan; NULL: work */
    const struct work *work; /* NULL: plans */
    unsigned n, next, running;
    unsigned mss; /* of the plans */
    struct capture_file *record;
    int64_t since; /* time of the last event */
    enum session_end end;
    char *why;
    struct nfs_client_place place; /* of the current client */
    uint8_t root[RPC_TCP_HANDLE_MAX];
};

/* One of the session's connections. */
struct part {
    struct session *session;
    unsigned index;
    struct live_socket *socket; /* either this or link */
    struct verbs_link *link;
    struct player *player; /* either this or an end, once connected */
    struct work_end *end;
    struct live_events inner; /* events of the end */
};

static void session_stop(struct session *session, enum session_end end, const char *why)
{
    if (session->why)
        return;
    session->end = end;
    session->why = g_strdup(why);
    live_stop(session->loop);
}

/* ---- ends of the stack ---- */

static void work_opened(void *ctx)
{
    work_end_start(ctx);
}

static void work_receive(void *ctx, const uint8_t *p, size_t n)
{
    work_end_receive(ctx, p, n);
}

static void work_receive_fin(void *ctx)
{
    work_end_receive_fin(ctx);
}

static void work_receive_reset(void *ctx)
{
    work_end_receive_reset(ctx);
}

static void work_room(void *ctx)
{
    work_end_room(ctx);
}

static void work_tick(void *ctx)
{
    work_end_tick(ctx);
}

static const struct work_connection *work_connection(const struct session *session, unsigned index)
{
    return &g_array_index(session->work->connections, struct work_connection, index);
}

/* ---- one connection ---- */

/* A path with less room than planned: both sides limit their segments to fit it. */
static bool fit_plans(struct session *session, unsigned mss)
{
    const struct session_options *o = &session->options;
    GPtrArray *plans;
    char *error = NULL;

    if (!session->plans || mss >= session->mss || session->next > 1)
        return true;
    plans = plan_make(o->source, o->faults, MAX(mss + HEADERS, SHORTEST_MTU), o->seed, &error);
    if (!plans) {
        session_stop(session, SESSION_NOT_BEGUN, error);
        g_free(error);
        return false;
    }
    g_ptr_array_unref(session->plans);
    session->plans = plans;
    session->mss = mss;
    return true;
}

static void part_opened(void *ctx)
{
    struct part *part = ctx;
    struct session *session = part->session;
    const struct stream *stream = part->link ? verbs_stream(part->link) : live_stream(part->socket);

    if (!fit_plans(session, stream->mss))
        return;
    if (session->plans) {
        part->player = player_new(session->plans->pdata[part->index], session->options.listens, part->socket,
                                  session->options.timeout_ns);
        player_events(part->player, &part->inner);
    } else {
        bool opener = !session->options.listens;
        enum role role = opener != work_connection(session, part->index)->responder_opens ? INITIATOR : RESPONDER;

        part->end = work_end_new(session->work, part->index, role, stream, NULL);
        if (role == INITIATOR && opener)
            work_end_settle(part->end, &session->place);
        part->inner = (struct live_events){.ctx = part->end,
                                           .opened = work_opened,
                                           .receive = work_receive,
                                           .receive_fin = work_receive_fin,
                                           .receive_reset = work_receive_reset,
                                           .room = work_room,
                                           .tick = work_tick};
    }
    part->inner.opened(part->inner.ctx);
}

static void part_receive(void *ctx, const uint8_t *p, size_t n)
{
    struct part *part = ctx;

    if (part->inner.receive)
        part->inner.receive(part->inner.ctx, p, n);
}

static void part_receive_fin(void *ctx)
{
    struct part *part = ctx;

    if (part->inner.receive_fin)
        part->inner.receive_fin(part->inner.ctx);
}

static void part_receive_reset(void *ctx)
{
    struct part *part = ctx;

    if (part->inner.receive_reset)
        part->inner.receive_reset(part->inner.ctx);
}

static void part_room(void *ctx)
{
    struct part *part = ctx;

    if (part->inner.room)
        part->inner.room(part->inner.ctx);
}

static void session_part_tick(void *ctx)
{
    struct part *part = ctx;

    if (part->inner.tick)
        part->inner.tick(part->inner.ctx);
}

static void session_part_free(struct part *part)
{
    if (part->player)
        player_free(part->player);
    if (part->end)
        work_end_free(part->end);
    g_free(part);
}

static void part_closed(void *ctx, const char *why)
{
    struct part *part = ctx;
    struct session *session = part->session;
    bool begun = part->link ? verbs_was_up(part->link) : part->player || part->end;

    if (part->player)
        why = player_closed(part->player, why);
    else if (part->end && work_end_trouble(part->end))
        why = work_end_trouble(part->end);
    if (why && session->n > 1) {
        g_autofree char *which = g_strdup_printf("connection %u: %s", part->index + 1, why);

        session_stop(session, begun ? SESSION_OTHERWISE : SESSION_NOT_BEGUN, which);
    } else if (why) {
        session_stop(session, begun ? SESSION_OTHERWISE : SESSION_NOT_BEGUN, why);
    }
    session->running--;
    session->since = live_now();
    session_part_free(part);
}

static struct part *part_new(struct session *session, struct live_events *events)
{
    struct part *part = g_new0(struct part, 1);

    part->session = session;
    part->index = session->next++;
    session->running++;
    *events = (struct live_events){.ctx = part,
                                   .opened = part_opened,
                                   .receive = part_receive,
                                   .receive_fin = part_receive_fin,
                                   .receive_reset = part_receive_reset,
                                   .room = part_room,
                                   .tick = session_part_tick,
                                   .closed = part_closed};
    return part;
}

/* ---- all connections ---- */

static bool begins_after(const struct session *session, unsigned index)
{
    if (session->plans)
        return ((const struct plan *)session->plans->pdata[index])->after;
    return !work_connection(session, index)->parallel;
}

static struct live_options live_options_of(const struct session *session)
{
    return (struct live_options){
        .mss = (uint16_t)session->mss,
        .connect_timeout_ns = session->options.timeout_ns,
        .close_timeout_ns = session->options.timeout_ns,
        .record = session->record,
    };
}

/* ---- NFS servers ---- */

static struct rpc_tcp_mount mount_of(const struct session *session, const struct work_nfs *nfs)
{
    const struct session_options *o = &session->options;
    bool ask = strcmp(o->mount_port, "rpcbind") == 0;

    return (struct rpc_tcp_mount){.host = o->host,
                                  .port = ask ? NULL : o->mount_port,
                                  .path = o->export ? o->export : "/",
                                  .version = nfs->client.version == 2 ? 1 : 3,
                                  .timeout_ns = o->timeout_ns};
}

/* Versions that need an initial handle, when MOUNT is not on the same connection. */
static const struct work_nfs *needs_mount(const struct session *session, unsigned index)
{
    const struct work_nfs *nfs = session->work ? &work_connection(session, index)->nfs : NULL;

    return nfs && nfs->on && nfs->client.version < 4 && session->options.mount_port ? nfs : NULL;
}

static bool settle_next(struct session *session)
{
    const struct work_nfs *nfs = needs_mount(session, session->next);
    struct rpc_tcp_mount mount;
    char *why = NULL;

    session->place = (struct nfs_client_place){.export = session->options.export,
                                               .seed = (uint64_t)g_get_real_time() + session->next,
                                               .first_delay_ns = session->options.first_delay_ns};
    if (!nfs)
        return true;
    mount = mount_of(session, nfs);
    if (!rpc_tcp_mount(&mount, session->root, &session->place.root_octets, &why)) {
        session_stop(session, SESSION_NOT_BEGUN, why);
        g_free(why);
        return false;
    }
    session->place.root = session->root;
    return true;
}

static void unmount_all(struct session *session)
{
    for (unsigned i = 0; i < session->next && !session->options.listens; i++) {
        const struct work_nfs *nfs = needs_mount(session, i);
        struct rpc_tcp_mount mount;
        char *why = NULL;

        if (!nfs)
            continue;
        mount = mount_of(session, nfs);
        if (!rpc_tcp_unmount(&mount, &why))
            session_stop(session, SESSION_OTHERWISE, why);
        g_free(why);
        return; /* UMNT covers all mounts of this client */
    }
}

static void connect_next(struct session *session)
{
    const struct live_options options = live_options_of(session);
    struct live_events events;
    struct part *part;
    GError *error = NULL;

    if (!settle_next(session))
        return;
    part = part_new(session, &events);
    if (session->options.on_device) {
        const struct verbs_options device = {.source = session->options.own_address,
                                             .connect_timeout_ns = options.connect_timeout_ns,
                                             .close_timeout_ns = options.close_timeout_ns};

        part->link =
            verbs_connect(session->loop, session->options.host, session->options.port, &device, &events, &error);
    } else {
        part->socket =
            live_connect(session->loop, session->options.host, session->options.port, &options, &events, &error);
    }
    if (part->socket || part->link)
        return;
    session_stop(session, SESSION_NOT_BEGUN, error->message);
    g_error_free(error);
    session->running--;
    session_part_free(part);
}

static bool accept_next(void *ctx, struct live_socket *socket, struct live_events *events)
{
    struct session *session = ctx;

    if (session->next == session->n)
        return false;
    part_new(session, events)->socket = socket;
    return true;
}

static bool record_session(struct session *session)
{
    session->record = record_create(session->options.record, &session->why);
    if (!session->options.record || session->record)
        return true;
    session->end = SESSION_NOT_BEGUN;
    return false;
}

/* Creates the capture file after the listener: if the address is in use, an older file stays. */
static bool session_begin(struct session *session)
{
    const struct live_options options = live_options_of(session);
    GError *error = NULL;

    if (!session->options.listens)
        return record_session(session);
    session->listener = live_listen(session->loop, session->options.host, session->options.port, 0, &options,
                                    accept_next, session, &error);
    if (!session->listener) {
        session_stop(session, SESSION_NOT_BEGUN, error->message);
        g_error_free(error);
        return false;
    }
    if (!record_session(session))
        return false;
    live_listener_record(session->listener, session->record);
    fprintf(stderr, "iwarp-gen: listening on port %u\n", live_listener_port(session->listener));
    return true;
}

static bool may_connect(const struct session *session)
{
    return !session->options.listens && session->next < session->n &&
           (session->running == 0 || !begins_after(session, session->next));
}

/* The peer, which opens the connections, has opened one but not the next. */
static bool is_late(const struct session *session)
{
    return session->options.listens && session->next > 0 && session->next < session->n && session->running == 0 &&
           live_now() - session->since > session->options.timeout_ns;
}

static void session_run(struct session *session)
{
    const int64_t step_ns = 20000000;

    session->since = live_now();
    while (!session->why && (session->running > 0 || session->next < session->n)) {
        if (may_connect(session))
            connect_next(session);
        if (session->why)
            return;
        live_run(session->loop,
                 session->running && session->next == session->n ? live_now() + 50 * step_ns : live_now() + step_ns);
        if (live_stopped(session->loop))
            session_stop(session, SESSION_OTHERWISE, "stopped");
        if (is_late(session))
            session_stop(session, SESSION_OTHERWISE, "timed out: the peer did not open the next connection");
    }
}

/* The smallest MSS of all connections: the listening socket has one for all. */
static unsigned mss_of(const struct session *session)
{
    unsigned mss = 0;

    for (unsigned i = 0; i < session->n; i++) {
        unsigned of_this =
            session->plans ? ((const struct plan *)session->plans->pdata[i])->mss : work_connection(session, i)->mss;

        if (of_this && (mss == 0 || of_this < mss))
            mss = of_this;
    }
    return mss;
}

static bool is_nfs_work(const struct session *session)
{
    for (guint i = 0; session->work && i < session->work->connections->len; i++) {
        if (!work_connection(session, i)->nfs.on || work_connection(session, i)->responder_opens)
            return false;
    }
    return session->work;
}

static bool session_prepare(struct session *session)
{
    const struct session_options *o = &session->options;
    unsigned mtu = o->mtu ? o->mtu : scenario_source_mtu(o->source);

    session->work = o->source->work;
    if (session->work && o->faults) {
        session->why = g_strdup("faults cannot be injected into the work of real ends");
        return false;
    }
    if (!session->work)
        session->plans = plan_make(o->source, o->faults, mtu, o->seed, &session->why);
    if (session->why)
        return false;
    if (session->options.on_device && !is_nfs_work(session)) {
        session->why =
            g_strdup("an RDMA device plays NFS clients only (stack-nfs3, stack-nfs42, mount-nfs41 ... ): other "
                     "scenarios need layers below its operations");
        return false;
    }
    session->n = session->work ? session->work->connections->len : session->plans->len;
    session->mss = mss_of(session);
    if (session->work && session->mss == 0)
        session->mss = mtu - HEADERS;
    return true;
}

enum session_end session_play(const struct session_options *options, char **why)
{
    struct session session = {.options = *options};

    if (!session_prepare(&session)) {
        *why = session.why;
        if (session.plans)
            g_ptr_array_unref(session.plans);
        return SESSION_NOT_BEGUN;
    }
    session.loop = live_loop_new();
    live_stop_on_signals(session.loop);
    if (session_begin(&session))
        session_run(&session);
    live_loop_end(session.loop);
    live_loop_free(session.loop);
    unmount_all(&session);
    if (!record_finish(session.options.record, session.record, &session.why))
        session.end = SESSION_NOT_BEGUN;
    if (session.plans)
        g_ptr_array_unref(session.plans);
    *why = session.why;
    return session.end;
}
