// SPDX-License-Identifier: GPL-2.0-or-later
/* A connection: events of the connection manager, in the order of states. */
#include "traffic-gen/live/verbs/verbs_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/epoll.h>

static const int64_t timeout_default_ns = INT64_C(10) * 1000000000;

/* ---- the end ---- */

void verbs_link_fail(struct verbs_link *link, char *why)
{
    if (link->why || !why)
        g_free(why);
    else
        link->why = why;
    link->state = VERBS_OVER;
}

/* Ends the link after a failed call of the connection manager. */
static void fail_with(struct verbs_link *link, const char *what)
{
    g_autofree char *trouble = verbs_trouble(what, errno);

    verbs_link_fail(link, link->accepted ? g_strdup(trouble)
                                         : g_strdup_printf("cannot connect to %s: %s", link->peer, trouble));
}

void verbs_link_disconnect(struct verbs_link *link)
{
    if (link->state >= VERBS_CLOSING)
        return;
    if (link->state < VERBS_UP) { /* only a peer that waits for an answer learns of the end */
        if (link->state < VERBS_CONNECTING && link->accepted)
            link->v->reject(link->id, NULL, 0);
        verbs_link_fail(link, NULL);
        return;
    }
    link->state = VERBS_CLOSING;
    link->deadline = live_now() + link->options.close_timeout_ns;
    link->v->disconnect(link->id); /* an error means that the peer did, and its event is under way */
}

void verbs_link_break(struct verbs_link *link, const char *why)
{
    if (!link->why)
        link->why = g_strdup(why);
    verbs_link_disconnect(link);
}

/* ---- the connection manager's events ---- */

static int link_timeout_ms(const struct verbs_link *link)
{
    return (int)CLAMP(link->options.connect_timeout_ns / 1000000, 1, G_MAXINT / 2);
}

static void open_it(struct verbs_link *link)
{
    struct ibv_device_attr attributes = {0};

    if (link->v->query_device(link->id->verbs, &attributes) != 0) {
        fail_with(link, "device");
        return;
    }
    link->state = VERBS_OPEN;
    link->stream.no_remote_invalidation = !verbs_has_windows(&attributes);
    if (link->events.opened && !link->forgotten)
        link->events.opened(link->events.ctx);
}

static void on_address(struct verbs_link *link, const struct rdma_cm_event *event)
{
    (void)event;
    if (link->v->resolve_route(link->id, link_timeout_ms(link)) != 0)
        fail_with(link, "route");
}

static void on_route(struct verbs_link *link, const struct rdma_cm_event *event)
{
    (void)event;
    open_it(link);
}

static void link_take_terms(struct verbs_link *link, const struct rdma_conn_param *terms)
{
    link->peer_ird = terms->responder_resources;
    link->peer_ord = terms->initiator_depth;
    link->peer_length = terms->private_data ? terms->private_data_len : 0;
    if (link->peer_length > 0)
        memcpy(link->peer_data, terms->private_data, link->peer_length);
}

void verbs_link_up(struct verbs_link *link)
{
    if (link->state != VERBS_CONNECTING)
        return;
    link->state = VERBS_UP;
    link->was_up = true;
    link->moved_at = live_now();
    if (link->qp)
        verbs_qp_established(link->qp);
}

/* The Responder has the Initiator's terms from its REQ. */
static void link_on_established(struct verbs_link *link, const struct rdma_cm_event *event)
{
    if (!link->accepted)
        link_take_terms(link, &event->param.conn);
    verbs_link_up(link);
}

/* Earlier completions are still in the queue. */
static void on_disconnected(struct verbs_link *link, const struct rdma_cm_event *event)
{
    (void)event;
    if (link->qp)
        verbs_qp_poll(link->qp);
    if (link->state == VERBS_UP) /* the peer disconnected and waits for an answer */
        link->v->disconnect(link->id);
    if (link->state == VERBS_OVER)
        return;
    link->orderly = !link->qp || !verbs_qp_is_broken(link->qp);
    verbs_link_fail(link, NULL);
}

/* Reasons in InfiniBand's REJ (IBA volume 1, table 111) that a user can act on. iWARP has an errno instead. */
static const char *rejection(int status)
{
    static const struct {
        int status;
        const char *text;
    } rows[] = {
        {8, "nobody listens on this port"},
        {28, "the server refused the connection"},
        {-ECONNREFUSED, "nobody listens on this port, or the server refused the connection"},
        {-ECONNRESET, "the server refused the connection"},
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++) {
        if (rows[i].status == status)
            return rows[i].text;
    }
    return NULL;
}

static void on_rejected(struct verbs_link *link, const struct rdma_cm_event *event)
{
    const char *why = rejection(event->status);

    link->was_rejected = true;
    if (why)
        verbs_link_fail(link, g_strdup_printf("cannot connect to %s: %s", link->peer, why));
    else
        verbs_link_fail(link,
                        g_strdup_printf("cannot connect to %s: rejected with status %d", link->peer, event->status));
}

static void on_address_error(struct verbs_link *link, const struct rdma_cm_event *event)
{
    if (event->status == -ENODEV)
        verbs_link_fail(link,
                        g_strdup_printf("cannot connect to %s: no RDMA device on the way there (rdma link shows the "
                                        "devices and their network interfaces)",
                                        link->peer));
    else
        verbs_link_fail(link,
                        g_strdup_printf("cannot connect to %s: %s: %s", link->peer, link->v->event_str(event->event),
                                        g_strerror(event->status < 0 ? -event->status : event->status)));
}

static void on_removal(struct verbs_link *link, const struct rdma_cm_event *event)
{
    (void)event;
    if (link->qp)
        verbs_qp_break(link->qp, QP_LOCAL_ERROR, g_strdup("the RDMA device was removed"));
    verbs_link_fail(link, g_strdup("the RDMA device was removed"));
}

static const struct {
    enum rdma_cm_event_type type;
    enum verbs_state from, to; /* ignored in other states */
    void (*handle)(struct verbs_link *link, const struct rdma_cm_event *event);
} handlers[] = {
    {RDMA_CM_EVENT_ADDR_RESOLVED, VERBS_RESOLVING, VERBS_RESOLVING, on_address},
    {RDMA_CM_EVENT_ROUTE_RESOLVED, VERBS_RESOLVING, VERBS_RESOLVING, on_route},
    {RDMA_CM_EVENT_ESTABLISHED, VERBS_CONNECTING, VERBS_CONNECTING, link_on_established},
    {RDMA_CM_EVENT_DISCONNECTED, VERBS_CONNECTING, VERBS_CLOSING, on_disconnected},
    {RDMA_CM_EVENT_REJECTED, VERBS_CONNECTING, VERBS_CONNECTING, on_rejected},
    {RDMA_CM_EVENT_ADDR_ERROR, VERBS_RESOLVING, VERBS_CLOSING, on_address_error},
    {RDMA_CM_EVENT_ROUTE_ERROR, VERBS_RESOLVING, VERBS_CLOSING, on_address_error},
    {RDMA_CM_EVENT_UNREACHABLE, VERBS_RESOLVING, VERBS_CLOSING, on_address_error},
    {RDMA_CM_EVENT_CONNECT_ERROR, VERBS_RESOLVING, VERBS_CLOSING, on_address_error},
    {RDMA_CM_EVENT_DEVICE_REMOVAL, VERBS_RESOLVING, VERBS_CLOSING, on_removal},
};

static void handle(struct verbs_link *link, const struct rdma_cm_event *event)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(handlers); i++) {
        if (handlers[i].type == event->event && link->state >= handlers[i].from && link->state <= handlers[i].to) {
            handlers[i].handle(link, event);
            return;
        }
    }
}

static void on_manager(struct live_watch *watch, uint32_t events)
{
    struct verbs_link *link = ((struct verbs_watch *)(void *)watch)->link;
    struct rdma_cm_event *event;

    (void)events;
    while (link->state != VERBS_OVER && link->v->get_cm_event(link->channel, &event) == 0) {
        uint8_t octets[VERBS_PRIVATE_MAX];
        struct rdma_cm_event copy = *event;

        if (copy.param.conn.private_data) {
            memcpy(octets, copy.param.conn.private_data, copy.param.conn.private_data_len);
            copy.param.conn.private_data = octets;
        }
        link->v->ack_cm_event(event); /* at once: an id with unacknowledged events cannot be destroyed */
        link->moved_at = live_now();
        handle(link, &copy);
    }
}

/* ---- connecting and accepting ---- */

void verbs_link_go(struct verbs_link *link, struct rdma_conn_param *terms)
{
    int status;

    if (link->state != VERBS_OPEN)
        return;
    link->state = VERBS_CONNECTING;
    status = link->accepted ? link->v->accept(link->id, terms) : link->v->connect(link->id, terms);
    if (status != 0)
        fail_with(link, link->accepted ? "accept" : "connection");
}

void verbs_link_reject(struct verbs_link *link, const uint8_t *p, uint8_t n)
{
    if (link->state == VERBS_OPEN && link->accepted)
        link->v->reject(link->id, p, n);
    verbs_link_fail(link, NULL);
}

/* ---- life ---- */

static int64_t link_stream_now(void *ctx)
{
    (void)ctx;
    return live_now();
}

static void link_release(struct verbs_link *link)
{
    if (link->qp)
        verbs_qp_release(link->qp);
    if (link->id)
        link->v->destroy_id(link->id);
    if (link->channel)
        link->v->destroy_event_channel(link->channel);
    live_part_leave(link->loop, &link->part);
    if (link->listener)
        verbs_listener_left(link->listener);
    g_free(link->why);
    g_free(link);
}

static void link_part_tick(void *owner, int64_t now)
{
    struct verbs_link *link = owner;
    bool down = link->state < VERBS_UP;

    if (link->state == VERBS_OVER)
        return;
    if ((down || link->state == VERBS_CLOSING) && now >= link->deadline) {
        verbs_link_fail(link, down ? g_strdup_printf("cannot connect to %s: no answer in time", link->peer)
                                   : g_strdup_printf("%s did not close in time", link->peer));
        return;
    }
    verbs_async_take(link);
    if (link->events.tick && !link->forgotten)
        link->events.tick(link->events.ctx);
}

static void link_part_end(void *owner)
{
    struct verbs_link *link = owner;

    verbs_link_disconnect(link);
    verbs_link_fail(link, NULL);
}

static bool link_part_bury(void *owner)
{
    struct verbs_link *link = owner;

    if (link->state != VERBS_OVER)
        return false;
    if (link->qp && !link->forgotten)
        verbs_qp_end(link->qp);
    if (link->events.closed && !link->forgotten)
        link->events.closed(link->events.ctx, link->why);
    link_release(link);
    return true;
}

static void link_part_free(void *owner)
{
    link_part_end(owner);
    link_release(owner);
}

struct verbs_link *verbs_link_new(const struct verbs_calls *v, struct live_loop *loop,
                                  const struct verbs_options *options)
{
    struct verbs_link *link = g_new0(struct verbs_link, 1);

    *link = (struct verbs_link){
        .part = {.tick = link_part_tick, .end = link_part_end, .bury = link_part_bury, .free = link_part_free},
        .v = v,
        .loop = loop,
        .options = *options,
        .stream = {.ctx = link, .provider = &verbs_provider, .now = link_stream_now},
        .manager = {.watch = {.fd = -1, .ready = on_manager}, .link = link},
        .completions = {.watch = {.fd = -1}, .link = link},
        .moved_at = live_now(),
    };
    if (link->options.connect_timeout_ns <= 0)
        link->options.connect_timeout_ns = timeout_default_ns;
    if (link->options.close_timeout_ns <= 0)
        link->options.close_timeout_ns = timeout_default_ns;
    link->deadline = link->moved_at + link->options.connect_timeout_ns;
    live_part_join(loop, &link->part, link);
    return link;
}

struct verbs_link *verbs_link_of(GList *part)
{
    return ((struct live_part *)(void *)part)->bury == link_part_bury ? part->data : NULL;
}

/* False with errno. */
static bool open_channel(struct verbs_link *link)
{
    link->channel = link->v->create_event_channel();
    if (!link->channel)
        return false;
    link->manager.watch.fd = link->channel->fd;
    return fcntl(link->channel->fd, F_SETFL, fcntl(link->channel->fd, F_GETFL) | O_NONBLOCK) == 0 &&
           live_watch(link->loop, &link->manager.watch, EPOLLIN);
}

static void set_peer(struct verbs_link *link)
{
    const struct sockaddr *address = &link->id->route.addr.dst_addr;

    live_name(address, address->sa_family == AF_INET6 ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in),
              link->peer);
}

bool verbs_link_accept(struct verbs_link *link, struct rdma_cm_id *id, const struct rdma_conn_param *asked)
{
    link->accepted = true;
    link->id = id;
    link_take_terms(link, asked);
    set_peer(link);
    id->context = link;
    if (!open_channel(link) || link->v->migrate_id(id, link->channel) != 0)
        fail_with(link, "connection");
    return link->state != VERBS_OVER;
}

void verbs_link_open(struct verbs_link *link)
{
    open_it(link);
}

struct verbs_link *verbs_connect(struct live_loop *loop, const char *host, const char *port,
                                 const struct verbs_options *options, const struct live_events *events, GError **error)
{
    const struct verbs_calls *v = verbs_possible(error) ? verbs_calls(error) : NULL;
    struct addrinfo *peer = v ? live_resolve(host, port, false, error) : NULL, *source = NULL;
    struct verbs_link *link;

    if (!peer)
        return NULL;
    if (options->source && !(source = live_resolve(options->source, "0", false, error))) {
        freeaddrinfo(peer);
        return NULL;
    }
    link = verbs_link_new(v, loop, options);
    link->events = *events;
    live_name(peer->ai_addr, peer->ai_addrlen, link->peer);
    if (!open_channel(link) || v->create_id(link->channel, &link->id, link, RDMA_PS_TCP) != 0 ||
        v->resolve_addr(link->id, source ? source->ai_addr : NULL, peer->ai_addr, link_timeout_ms(link)) != 0)
        fail_with(link, source ? "address, or that of this side" : "address");
    freeaddrinfo(peer);
    if (source)
        freeaddrinfo(source);
    return link;
}

const struct stream *verbs_stream(struct verbs_link *link)
{
    return &link->stream;
}

const char *verbs_peer_name(const struct verbs_link *link)
{
    return link->peer;
}

const char *verbs_own_name(struct verbs_link *link)
{
    const struct sockaddr *address = &link->id->route.addr.src_addr;

    live_name(address, address->sa_family == AF_INET6 ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in),
              link->own);
    return link->own;
}

const char *verbs_device_name(const struct verbs_link *link)
{
    return link->id && link->id->verbs ? link->id->verbs->device->name : NULL;
}

bool verbs_was_up(const struct verbs_link *link)
{
    return link->was_up;
}

bool verbs_was_rejected(const struct verbs_link *link)
{
    return link->was_rejected;
}

int64_t verbs_moved_at(const struct verbs_link *link)
{
    return link->moved_at;
}

void verbs_forget(struct verbs_link *link)
{
    link->forgotten = true;
    link_part_end(link);
}
