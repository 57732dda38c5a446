// SPDX-License-Identifier: GPL-2.0-or-later
/* Listening: on all addresses of a name, with a limit on simultaneous connections. */
#include "traffic-gen/live/tcp/calls.h"
#include "traffic-gen/live/tcp/internal.h"

#include <errno.h>
#include <sys/epoll.h>

enum { FDS_MAX = 8, ACCEPTS_AT_ONCE = 64 };

struct listening {
    struct live_watch watch;
    struct live_listener *listener;
};

struct live_listener {
    struct live_loop *loop;
    GList link;
    struct listening places[FDS_MAX];
    unsigned n_places;
    unsigned connections, connections_max;
    struct live_options options;
    live_accept accept;
    void *ctx;
    uint16_t port;
    bool paused; /* not watched: at the limit, or out of descriptors */
};

static void listener_pause_listening(struct live_listener *listener, bool pause)
{
    if (listener->paused == pause)
        return;
    listener->paused = pause;
    for (unsigned i = 0; i < listener->n_places; i++)
        live_watch_change(listener->loop, &listener->places[i].watch, pause ? 0 : EPOLLIN);
}

static bool listener_at_limit(const struct live_listener *listener)
{
    return listener->connections_max && listener->connections >= listener->connections_max;
}

static void listener_accept_one(struct live_listener *listener, int fd)
{
    struct live_socket *socket = live_socket_new(listener->loop, &listener->options);

    socket->watch.fd = fd;
    socket->listener = listener;
    listener->connections++;
    live_socket_open(socket, true);
    if (!listener->accept(listener->ctx, socket, &socket->events))
        live_forget(socket);
}

static void listener_on_ready(struct live_watch *watch, uint32_t events)
{
    struct listening *place = (struct listening *)(void *)watch;
    struct live_listener *listener = place->listener;

    (void)events;
    for (unsigned i = 0; i < ACCEPTS_AT_ONCE && watch->fd >= 0 && !listener_at_limit(listener); i++) {
        int fd = calls_accept(watch->fd);

        if (fd >= 0) {
            listener_accept_one(listener, fd);
            continue;
        }
        if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)
            listener_pause_listening(listener, true);
        if (errno != ECONNABORTED && errno != EINTR)
            return;
    }
    if (listener_at_limit(listener))
        listener_pause_listening(listener, true);
}

void live_listener_tick(struct live_listener *listener)
{
    if (listener->paused && !listener_at_limit(listener))
        listener_pause_listening(listener, false);
}

void live_listener_left(struct live_listener *listener)
{
    listener->connections--;
    live_listener_tick(listener);
}

/* ---- life ---- */

static bool listener_listen_at(struct live_listener *listener, const struct addrinfo *address)
{
    struct listening *place = &listener->places[listener->n_places];
    int fd = calls_listen(address, listener->options.mss, &listener->port);

    if (fd < 0)
        return false;
    *place = (struct listening){.watch = {.fd = fd, .ready = listener_on_ready}, .listener = listener};
    if (!live_watch(listener->loop, &place->watch, EPOLLIN)) {
        int kept = errno;

        calls_close(fd, false);
        errno = kept;
        return false;
    }
    listener->n_places++;
    return true;
}

struct live_listener *live_listen(struct live_loop *loop, const char *host, const char *port, unsigned connections_max,
                                  const struct live_options *options, live_accept accept, void *ctx, GError **error)
{
    struct addrinfo *addresses = live_resolve(host, port, true, error);
    struct live_listener *listener;
    int trouble = 0;

    if (!addresses)
        return NULL;
    listener = g_new0(struct live_listener, 1);
    listener->loop = loop;
    listener->connections_max = connections_max;
    listener->options = *options;
    listener->accept = accept;
    listener->ctx = ctx;
    listener->link.data = listener;
    g_queue_push_tail_link(&loop->listeners, &listener->link);
    /* An address that this host lacks, such as IPv6, does not matter if another works. */
    for (const struct addrinfo *a = addresses; a && listener->n_places < FDS_MAX && trouble != EADDRINUSE;
         a = a->ai_next)
        trouble = listener_listen_at(listener, a) ? 0 : errno;
    freeaddrinfo(addresses);
    if (listener->n_places > 0 && trouble != EADDRINUSE)
        return listener;
    live_listener_close(listener);
    g_set_error(error, live_error(), trouble, "cannot listen on %s:%s: %s", host, port, g_strerror(trouble));
    return NULL;
}

uint16_t live_listener_port(const struct live_listener *listener)
{
    return listener->port;
}

void live_listener_record(struct live_listener *listener, struct capture_file *file)
{
    listener->options.record = file;
}

void live_listener_close(struct live_listener *listener)
{
    struct live_loop *loop = listener->loop;

    for (unsigned i = 0; i < listener->n_places; i++) {
        calls_close(listener->places[i].watch.fd, false);
        listener->places[i].watch.fd = -1;
    }
    for (GList *link = loop->sockets.head; link; link = link->next) {
        struct live_socket *accepted = link->data;

        if (accepted->listener == listener)
            accepted->listener = NULL;
    }
    g_queue_unlink(&loop->listeners, &listener->link);
    g_queue_push_tail_link(&loop->closed_listeners, &listener->link); /* the current event may be its own */
}

void live_listener_free(struct live_listener *listener)
{
    g_queue_unlink(&listener->loop->closed_listeners, &listener->link);
    g_free(listener);
}
