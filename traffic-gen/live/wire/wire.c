// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A thread waits for frames and timers; a lock divides the work between it and the calls. The descriptor of a socket is
 * an eventfd, which is raised while an event has not been fetched.
 */
#include "traffic-gen/live/wire/wire.h"

#include "traffic-gen/live/wire/link.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { FRAMES_AT_ONCE = 256 };

struct own_socket {
    int fd;
    bool raised;
    struct wire_tcp *tcp; /* NULL: a listener */
    bool connecting;      /* and the result has not been fetched */
    bool wants_room;
    bool fin_told, error_told;
    uint16_t port;   /* of a listener */
    GQueue accepted; /* of a listener: struct own_socket */
};

static struct {
    GMutex lock;
    bool open, stopping;
    struct wire_link link;
    struct wire_host *host;
    GHashTable *sockets; /* descriptor -> struct own_socket */
    GHashTable *owners;  /* struct wire_tcp -> struct own_socket */
    int wake;            /* eventfd: timers have changed */
    GThread *thread;
    uint8_t *frame; /* WIRE_FRAME_ROOM */
} wire;

static int64_t wire_now_ns(void)
{
    return g_get_monotonic_time() * 1000;
}

/* ---- descriptors ---- */

static bool wire_has_room(const struct own_socket *socket)
{
    return socket->tcp->state == WIRE_OVER || wire_tcp_room(socket->tcp) > 0;
}

static bool has_news(const struct own_socket *socket)
{
    const struct wire_tcp *tcp = socket->tcp;

    if (!tcp)
        return socket->accepted.length > 0;
    return (socket->connecting && tcp->state != WIRE_SYN_SENT && tcp->state != WIRE_SYN_RECEIVED) ||
           wire_tcp_unread(tcp) > 0 || (tcp->peer_fin && !socket->fin_told) ||
           (tcp->state == WIRE_OVER && tcp->error != 0 && !socket->error_told) ||
           (socket->wants_room && wire_has_room(socket));
}

static void update(struct own_socket *socket)
{
    const bool news = has_news(socket);
    uint64_t count = 1;

    if (news == socket->raised)
        return;
    socket->raised = news;
    if ((news ? write(socket->fd, &count, sizeof count) : read(socket->fd, &count, sizeof count)) < 0)
        socket->raised = !news; /* cannot happen: it is 0 or 1 */
}

static struct own_socket *new_socket(struct wire_tcp *tcp)
{
    int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    struct own_socket *socket;

    if (fd < 0)
        return NULL;
    socket = g_new0(struct own_socket, 1);
    socket->fd = fd;
    socket->tcp = tcp;
    g_hash_table_insert(wire.sockets, GINT_TO_POINTER(fd), socket);
    if (tcp)
        g_hash_table_insert(wire.owners, tcp, socket);
    return socket;
}

static void free_socket(struct own_socket *socket, bool reset)
{
    struct own_socket *waiting;

    while ((waiting = g_queue_pop_head(&socket->accepted)))
        free_socket(waiting, true);
    if (socket->tcp) {
        g_hash_table_remove(wire.owners, socket->tcp);
        wire_host_release(wire.host, socket->tcp, !reset, wire_now_ns());
    } else {
        wire_host_unlisten(wire.host, socket->port);
    }
    g_hash_table_remove(wire.sockets, GINT_TO_POINTER(socket->fd));
    close(socket->fd);
    g_free(socket);
}

/* ---- events of the host; the lock is held ---- */

static void wire_on_send(void *ctx, const uint8_t *frame, size_t n)
{
    (void)ctx;
    wire_link_send(&wire.link, frame, n);
}

static void wire_on_changed(void *ctx, struct wire_tcp *tcp)
{
    struct own_socket *socket = g_hash_table_lookup(wire.owners, tcp);

    (void)ctx;
    if (socket)
        update(socket);
}

static struct own_socket *listener_of(uint16_t port)
{
    GHashTableIter iter;
    gpointer value;

    g_hash_table_iter_init(&iter, wire.sockets);
    while (g_hash_table_iter_next(&iter, NULL, &value)) {
        struct own_socket *each = value;

        if (!each->tcp && each->port == port)
            return each;
    }
    return NULL;
}

static void on_accepted(void *ctx, uint16_t port, struct wire_tcp *tcp)
{
    struct own_socket *listener = listener_of(port), *socket = listener ? new_socket(tcp) : NULL;

    (void)ctx;
    if (!socket) {
        wire_host_release(wire.host, tcp, false, wire_now_ns());
        return;
    }
    g_queue_push_tail(&listener->accepted, socket);
    update(listener);
    update(socket);
}

/* ---- the thread ---- */

static int wait_ms(void)
{
    const int64_t due = wire_host_due(wire.host), left = due == INT64_MAX ? due : due - wire_now_ns();

    return due == INT64_MAX ? -1 : (int)CLAMP(left / 1000000 + 1, 0, 1000);
}

static void take_frames(void)
{
    bool sums_due;
    size_t n;

    for (unsigned i = 0; i < FRAMES_AT_ONCE && (n = wire_link_receive(&wire.link, wire.frame, &sums_due)) > 0; i++)
        wire_host_input(wire.host, wire.frame, n, sums_due, wire_now_ns());
}

static gpointer wire_run(gpointer unused)
{
    struct pollfd pollers[] = {{.fd = wire.link.fd, .events = POLLIN}, {.fd = wire.wake, .events = POLLIN}};
    sigset_t all;
    uint64_t count;
    int wait;

    /* The program's other threads handle signals. */
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
    for (;;) {
        g_mutex_lock(&wire.lock);
        if (wire.stopping)
            break;
        take_frames();
        wire_host_tick(wire.host, wire_now_ns());
        wait = wait_ms();
        g_mutex_unlock(&wire.lock);
        poll(pollers, G_N_ELEMENTS(pollers), wait);
        if (pollers[1].revents && read(wire.wake, &count, sizeof count) < 0)
            continue;
        /* An interface that was removed reports this forever. */
        if (pollers[0].revents & (POLLERR | POLLHUP | POLLNVAL))
            g_usleep(10000);
    }
    g_mutex_unlock(&wire.lock);
    return unused;
}

static void wire_wake(void)
{
    const uint64_t one = 1;

    if (write(wire.wake, &one, sizeof one) < 0)
        return; /* full, which wakes too */
}

/* ---- opening and closing ---- */

bool wire_open(const struct wire_options *options, char **why)
{
    const struct wire_host_events events = {.send = wire_on_send, .changed = wire_on_changed, .accepted = on_accepted};
    struct wire_place place;

    if (!wire_place_parse(options->address, options->gateway, &place, why) ||
        !wire_link_open(options->interface, place.self.mac, &wire.link, why))
        return false;
    place.mtu = wire.link.mtu;
    place.fault = options->fault;
    wire.sockets = g_hash_table_new(NULL, NULL);
    wire.owners = g_hash_table_new(NULL, NULL);
    wire.host = wire_host_new(&place, &events);
    wire.frame = g_malloc(WIRE_FRAME_ROOM);
    wire.wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    wire.stopping = false;
    wire.open = true;
    wire_host_announce(wire.host);
    wire.thread = g_thread_new("wire", wire_run, NULL);
    return true;
}

void wire_close(void)
{
    if (!wire.open)
        return;
    g_mutex_lock(&wire.lock);
    wire.stopping = true;
    wire_wake();
    g_mutex_unlock(&wire.lock);
    g_thread_join(wire.thread);
    while (g_hash_table_size(wire.sockets) > 0) {
        GHashTableIter iter;
        gpointer value;

        g_hash_table_iter_init(&iter, wire.sockets);
        g_hash_table_iter_next(&iter, NULL, &value);
        free_socket(value, true);
    }
    wire_host_free(wire.host);
    g_hash_table_unref(wire.sockets);
    g_hash_table_unref(wire.owners);
    g_free(wire.frame);
    close(wire.wake);
    wire_link_close(&wire.link);
    wire.open = false;
}

bool wire_is_open(void)
{
    return wire.open;
}

/* ---- sockets ---- */

/* Takes the lock if the socket is ours; else NULL. */
static struct own_socket *lock_socket(int fd)
{
    struct own_socket *socket;

    if (!wire.open)
        return NULL;
    g_mutex_lock(&wire.lock);
    socket = g_hash_table_lookup(wire.sockets, GINT_TO_POINTER(fd));
    if (!socket)
        g_mutex_unlock(&wire.lock);
    return socket;
}

/* The same for a connection, not a listener. */
static struct own_socket *lock_connection(int fd)
{
    struct own_socket *socket = lock_socket(fd);

    if (socket && !socket->tcp) {
        g_mutex_unlock(&wire.lock);
        socket = NULL;
    }
    if (!socket)
        errno = EBADF;
    return socket;
}

static void unlock(struct own_socket *socket)
{
    if (socket)
        update(socket);
    wire_wake();
    g_mutex_unlock(&wire.lock);
}

int wire_connect(const struct endpoint *to, const struct wire_opening *how)
{
    struct own_socket *socket = NULL;
    struct wire_tcp *tcp;
    int fd = -1;

    g_mutex_lock(&wire.lock);
    tcp = wire_host_connect(wire.host, to, how, wire_now_ns());
    if (tcp && !(socket = new_socket(tcp)))
        wire_host_release(wire.host, tcp, false, wire_now_ns());
    if (socket) {
        socket->connecting = true;
        fd = socket->fd;
    }
    unlock(socket);
    return fd;
}

const char *wire_trouble(int error)
{
    switch (error) {
    case ENETUNREACH:
        return "it is not in the network of --wire-address; name the gateway with --wire-gateway";
    case EAFNOSUPPORT:
        return "it and --wire-address have different versions of IP";
    case EADDRNOTAVAIL:
        return "it is --wire-address itself";
    default:
        return g_strerror(error);
    }
}

int wire_status(int fd)
{
    struct own_socket *socket = lock_connection(fd);
    int status;

    if (!socket)
        return EBADF;
    if (socket->tcp->state == WIRE_SYN_SENT || socket->tcp->state == WIRE_SYN_RECEIVED) {
        status = EINPROGRESS;
    } else {
        socket->connecting = false;
        status = socket->tcp->state == WIRE_OVER ? socket->tcp->error : 0;
    }
    unlock(socket);
    return status;
}

int wire_listen(const struct endpoint *at, uint16_t mss)
{
    struct own_socket *socket = NULL;
    uint16_t port;
    int fd = -1;

    g_mutex_lock(&wire.lock);
    port = wire_host_listen(wire.host, at, mss, 0);
    if (port != 0 && !(socket = new_socket(NULL)))
        wire_host_unlisten(wire.host, port);
    if (socket) {
        socket->port = port;
        fd = socket->fd;
    }
    unlock(socket);
    return fd;
}

uint16_t wire_port(int fd)
{
    struct own_socket *socket = lock_socket(fd);
    uint16_t port = 0;

    if (!socket)
        return 0;
    port = socket->port;
    unlock(socket);
    return port;
}

void wire_cross(int fd, bool on)
{
    struct own_socket *socket = lock_socket(fd);

    if (!socket)
        return;
    wire_host_cross(wire.host, socket->port, on);
    unlock(socket);
}

bool wire_has_crossed(int fd)
{
    struct own_socket *socket = lock_connection(fd);
    bool crossed = false;

    if (!socket)
        return false;
    crossed = socket->tcp->crossed;
    unlock(socket);
    return crossed;
}

void wire_begin_at(int fd, const uint32_t *iss)
{
    struct own_socket *socket = lock_socket(fd);

    if (!socket)
        return;
    wire_host_begin_at(wire.host, socket->port, iss);
    unlock(socket);
}

uint32_t wire_began_at(int fd)
{
    struct own_socket *socket = lock_connection(fd);
    uint32_t iss = 0;

    if (!socket)
        return 0;
    iss = socket->tcp->iss;
    unlock(socket);
    return iss;
}

int wire_accept(int fd)
{
    struct own_socket *listener = lock_socket(fd), *accepted = NULL;

    if (listener)
        accepted = g_queue_pop_head(&listener->accepted);
    fd = accepted ? accepted->fd : -1;
    if (listener)
        unlock(listener);
    errno = EAGAIN;
    return fd;
}

void wire_ends(int fd, struct endpoint *ours, struct endpoint *theirs)
{
    struct own_socket *socket = lock_connection(fd);

    *ours = *theirs = (struct endpoint){.ip = 4};
    if (!socket)
        return;
    wire_host_ends(socket->tcp, ours, theirs);
    unlock(socket);
}

uint16_t wire_mss(int fd)
{
    struct own_socket *socket = lock_connection(fd);
    uint16_t mss = 0;

    if (!socket)
        return 0;
    mss = socket->tcp->mss;
    unlock(socket);
    return mss;
}

ssize_t wire_send(int fd, const uint8_t *p, size_t n)
{
    struct own_socket *socket = lock_connection(fd);
    ssize_t sent = -1;
    int error = EAGAIN;

    if (!socket)
        return -1;
    if (socket->tcp->state == WIRE_OVER)
        error = socket->tcp->error ? socket->tcp->error : EPIPE;
    else
        sent = (ssize_t)wire_tcp_write(socket->tcp, p, n, wire_now_ns());
    socket->wants_room = sent >= 0 && (size_t)sent < n;
    if (sent == 0)
        sent = -1;
    unlock(socket);
    errno = error;
    return sent;
}

ssize_t wire_receive(int fd, uint8_t *p, size_t size)
{
    struct own_socket *socket = lock_connection(fd);
    struct wire_tcp *tcp;
    ssize_t got = -1;
    int error = EAGAIN;

    if (!socket)
        return -1;
    tcp = socket->tcp;
    /* Octets before an RST can still be read, as with Linux: a device may send a Terminate and reset at once. */
    if (wire_tcp_unread(tcp) > 0) {
        got = (ssize_t)wire_tcp_read(tcp, p, size, wire_now_ns());
    } else if (tcp->state == WIRE_OVER && tcp->error != 0) {
        error = tcp->error;
        socket->error_told = true;
    } else if (tcp->peer_fin) {
        got = 0;
        socket->fin_told = true;
    }
    unlock(socket);
    errno = error;
    return got;
}

uint64_t wire_unacknowledged(int fd)
{
    struct own_socket *socket = lock_connection(fd);
    uint64_t n = 0;

    if (!socket)
        return 0;
    n = wire_tcp_unacknowledged(socket->tcp);
    unlock(socket);
    return n;
}

bool wire_has_ended(int fd)
{
    struct own_socket *socket = lock_connection(fd);
    bool ended;

    if (!socket)
        return true;
    ended = socket->tcp->peer_fin || socket->tcp->state == WIRE_OVER;
    unlock(socket);
    return ended;
}

bool wire_has_failed(int fd)
{
    struct own_socket *socket = lock_connection(fd);
    bool failed;

    if (!socket)
        return false;
    failed = socket->tcp->state == WIRE_OVER && socket->tcp->error != 0;
    unlock(socket);
    return failed;
}

int64_t wire_age(int fd)
{
    struct own_socket *socket = lock_connection(fd);
    int64_t age;

    if (!socket)
        return 0;
    age = wire_now_ns() - socket->tcp->heard;
    unlock(socket);
    return age;
}

void wire_cork(int fd, bool on)
{
    struct own_socket *socket = lock_connection(fd);

    if (!socket)
        return;
    wire_tcp_cork(socket->tcp, on, wire_now_ns());
    unlock(socket);
}

void wire_set_window(int fd, unsigned octets)
{
    struct own_socket *socket = lock_connection(fd);

    if (!socket)
        return;
    wire_tcp_set_limit(socket->tcp, octets, wire_now_ns());
    unlock(socket);
}

void wire_finish(int fd)
{
    struct own_socket *socket = lock_connection(fd);

    if (!socket)
        return;
    wire_tcp_finish(socket->tcp, wire_now_ns());
    unlock(socket);
}

void wire_end_socket(int fd, bool reset)
{
    struct own_socket *socket = lock_socket(fd);

    if (!socket)
        return;
    free_socket(socket, reset);
    unlock(NULL);
}

/* ---- functions that no other TCP has ---- */

void wire_hold(int fd, bool on)
{
    struct own_socket *socket = lock_connection(fd);

    if (!socket)
        return;
    wire_tcp_hold(socket->tcp, on, wire_now_ns());
    unlock(socket);
}

bool wire_put_segment(int fd, const struct wire_put *put)
{
    struct own_socket *socket = lock_connection(fd);
    bool done;

    if (!socket)
        return false;
    done = wire_tcp_put(socket->tcp, put);
    unlock(socket);
    return done;
}

bool wire_narrow(int fd, uint16_t mtu)
{
    struct own_socket *socket = lock_connection(fd);
    bool done;

    if (!socket)
        return false;
    done = wire_host_narrow(wire.host, socket->tcp, mtu);
    unlock(socket);
    return done;
}
