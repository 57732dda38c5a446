// SPDX-License-Identifier: GPL-2.0-or-later
/* Listening on RDMA devices: on all addresses of a name, with a limit on simultaneous connections. */
#include "traffic-gen/live/verbs/verbs_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/epoll.h>

enum { BACKLOG = 128, IDS_MAX = 8, ONLY_THIS_FAMILY = 2 /* RDMA_OPTION_ID_AFONLY */ };

struct verbs_listener {
    struct live_watch watch; /* the first member */
    struct live_part part;
    const struct verbs_calls *v;
    struct live_loop *loop;
    struct verbs_options options;
    struct rdma_event_channel *channel;
    struct rdma_cm_id *ids[IDS_MAX];
    unsigned n_ids, connections, connections_max;
    verbs_accept accept;
    void *ctx;
    uint16_t port;
    bool paused, over;
};

/* ---- requests ---- */

static bool listen_at_limit(const struct verbs_listener *listener)
{
    return listener->connections_max && listener->connections >= listener->connections_max;
}

static void listen_pause_listening(struct verbs_listener *listener, bool pause)
{
    if (listener->paused == pause || listener->watch.fd < 0)
        return;
    listener->paused = pause;
    live_watch_change(listener->loop, &listener->watch, pause ? 0 : EPOLLIN);
}

static void listen_accept_one(struct verbs_listener *listener, struct rdma_cm_id *id,
                              const struct rdma_conn_param *asked)
{
    struct verbs_link *link = verbs_link_new(listener->v, listener->loop, &listener->options);

    link->listener = listener;
    listener->connections++;
    if (!verbs_link_accept(link, id, asked))
        return;
    if (listener->accept(listener->ctx, link, &link->events))
        verbs_link_open(link);
    else
        verbs_forget(link);
}

static void listen_on_ready(struct live_watch *watch, uint32_t events)
{
    struct verbs_listener *listener = (struct verbs_listener *)(void *)watch;
    struct rdma_cm_event *event;

    (void)events;
    while (watch->fd >= 0 && !listen_at_limit(listener) && listener->v->get_cm_event(listener->channel, &event) == 0) {
        struct rdma_conn_param asked = event->param.conn;
        uint8_t octets[VERBS_PRIVATE_MAX];
        struct rdma_cm_id *id = event->event == RDMA_CM_EVENT_CONNECT_REQUEST ? event->id : NULL;

        if (id && asked.private_data) {
            memcpy(octets, asked.private_data, asked.private_data_len);
            asked.private_data = octets;
        }
        listener->v->ack_cm_event(event); /* an id with unacknowledged events cannot move to its own channel */
        if (id)
            listen_accept_one(listener, id, &asked);
    }
    if (watch->fd >= 0 && listen_at_limit(listener))
        listen_pause_listening(listener, true);
}

void verbs_listener_left(struct verbs_listener *listener)
{
    listener->connections--;
    if (!listen_at_limit(listener))
        listen_pause_listening(listener, false);
}

/* ---- life ---- */

static void listen_close_all(struct verbs_listener *listener)
{
    for (unsigned i = 0; i < listener->n_ids; i++)
        listener->v->destroy_id(listener->ids[i]);
    listener->n_ids = 0;
    listener->watch.fd = -1;
    if (listener->channel)
        listener->v->destroy_event_channel(listener->channel);
    listener->channel = NULL;
}

static void listen_part_tick(void *owner, int64_t now)
{
    (void)owner, (void)now;
}

void verbs_listener_close(struct verbs_listener *listener)
{
    for (GList *each = listener->loop->parts.head; each; each = each->next) {
        struct verbs_link *link = verbs_link_of(each);

        if (link && link->listener == listener)
            link->listener = NULL;
    }
    listen_close_all(listener);
    listener->over = true; /* the current event may be its own */
}

static void listen_part_end(void *owner)
{
    verbs_listener_close(owner);
}

static void listen_part_free(void *owner)
{
    struct verbs_listener *listener = owner;

    if (!listener->over)
        verbs_listener_close(listener);
    live_part_leave(listener->loop, &listener->part);
    g_free(listener);
}

static bool listen_part_bury(void *owner)
{
    struct verbs_listener *listener = owner;

    if (!listener->over)
        return false;
    listen_part_free(listener);
    return true;
}

/* Chooses a port for 0 once, for all addresses. */
static void listen_set_port(struct sockaddr *address, uint16_t port)
{
    if (address->sa_family == AF_INET6)
        ((struct sockaddr_in6 *)(void *)address)->sin6_port = htons(port);
    else
        ((struct sockaddr_in *)(void *)address)->sin_port = htons(port);
}

static uint16_t listen_port_of(const struct rdma_cm_id *id)
{
    const struct sockaddr *address = &id->route.addr.src_addr;

    return ntohs(address->sa_family == AF_INET6 ? id->route.addr.src_sin6.sin6_port : id->route.addr.src_sin.sin_port);
}

/* False with errno. */
static bool verbs_listen_at(struct verbs_listener *listener, const struct addrinfo *address)
{
    const struct verbs_calls *v = listener->v;
    struct rdma_cm_id *id;
    int only = ONLY_THIS_FAMILY, kept;

    if (v->create_id(listener->channel, &id, listener, RDMA_PS_TCP) != 0)
        return false;
    if (listener->port)
        listen_set_port(address->ai_addr, listener->port);
    if (address->ai_family == AF_INET6) /* otherwise it would take IPv4's port, too */
        v->set_option(id, RDMA_OPTION_ID, RDMA_OPTION_ID_AFONLY, &only, sizeof only);
    if (v->bind_addr(id, address->ai_addr) == 0 && v->listen(id, BACKLOG) == 0) {
        listener->ids[listener->n_ids++] = id;
        listener->port = listen_port_of(id);
        return true;
    }
    kept = errno;
    v->destroy_id(id);
    errno = kept;
    return false;
}

/* False with errno. An address without a device does not matter if another works. */
static bool listen_at_all(struct verbs_listener *listener, const struct addrinfo *addresses)
{
    int trouble = EADDRNOTAVAIL;

    listener->channel = listener->v->create_event_channel();
    if (!listener->channel)
        return false;
    listener->watch.fd = listener->channel->fd;
    fcntl(listener->watch.fd, F_SETFL, fcntl(listener->watch.fd, F_GETFL) | O_NONBLOCK);
    for (const struct addrinfo *a = addresses; a && listener->n_ids < IDS_MAX; a = a->ai_next) {
        if (!verbs_listen_at(listener, a))
            trouble = errno;
        if (trouble == EADDRINUSE)
            break;
    }
    errno = trouble;
    return listener->n_ids > 0 && trouble != EADDRINUSE && live_watch(listener->loop, &listener->watch, EPOLLIN);
}

struct verbs_listener *verbs_listen(struct live_loop *loop, const char *host, const char *port,
                                    unsigned connections_max, const struct verbs_options *options, verbs_accept accept,
                                    void *ctx, GError **error)
{
    const struct verbs_calls *v = verbs_possible(error) ? verbs_calls(error) : NULL;
    struct addrinfo *addresses = v ? live_resolve(host, port, true, error) : NULL;
    struct verbs_listener *listener;

    if (!addresses)
        return NULL;
    listener = g_new0(struct verbs_listener, 1);
    *listener = (struct verbs_listener){
        .watch = {.fd = -1, .ready = listen_on_ready},
        .part = {.tick = listen_part_tick, .end = listen_part_end, .bury = listen_part_bury, .free = listen_part_free},
        .v = v,
        .loop = loop,
        .options = *options,
        .connections_max = connections_max,
        .accept = accept,
        .ctx = ctx,
    };
    live_part_join(loop, &listener->part, listener);
    if (listen_at_all(listener, addresses)) {
        freeaddrinfo(addresses);
        return listener;
    }
    if (errno == ENODEV || errno == EADDRNOTAVAIL) {
        g_set_error(
            error, live_error(), errno,
            "cannot listen on rdma:%s:%s: no RDMA device has this address (rdma link shows the devices and their "
            "network interfaces)",
            host, port);
    } else {
        g_autofree char *why = verbs_trouble("cannot listen", errno);

        g_set_error(error, live_error(), errno, "rdma:%s:%s: %s", host, port, why);
    }
    freeaddrinfo(addresses);
    listen_part_free(listener);
    return NULL;
}

uint16_t verbs_listener_port(const struct verbs_listener *listener)
{
    return listener->port;
}
