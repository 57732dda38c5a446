// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE /* POLLRDHUP */
#include "traffic-gen/tester/suite/transport/tcp_socket.h"

#include "traffic-gen/live/wire/wire.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <linux/sockios.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BACKLOG = 64, MS = 1000000, STALE_MS = 250, ROOM_SLICE_US = 1000 };

volatile sig_atomic_t suite_stopped;

static void suite_stop(int number)
{
    (void)number;
    suite_stopped = 1;
}

void suite_stop_on_signals(void)
{
    const struct sigaction action = {.sa_handler = suite_stop, .sa_flags = (int)SA_RESETHAND};

    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

static int64_t socket_now_ns(void)
{
    return g_get_monotonic_time() * 1000;
}

static bool socket_wait_for(int fd, short events, int64_t until)
{
    struct pollfd poller = {.fd = fd, .events = events};
    int64_t left;

    while ((left = until - socket_now_ns()) >= 0 && !suite_stopped) {
        int ready = poll(&poller, 1, (int)MIN(left / MS + 1, TCP_STOP_SLICE_MS));

        if (ready > 0)
            return true;
        if (ready < 0 && errno != EINTR)
            return false;
    }
    return false;
}

static void tune(int fd)
{
    const int on = 1;

    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

union address {
    struct sockaddr any;
    struct sockaddr_in ipv4;
    struct sockaddr_in6 ipv6;
};

static uint16_t socket_port_of(const union address *address)
{
    return ntohs(address->any.sa_family == AF_INET6 ? address->ipv6.sin6_port : address->ipv4.sin_port);
}

static struct endpoint socket_endpoint_of(const union address *address)
{
    struct endpoint out = {.ip = 4, .port = socket_port_of(address)};

    if (address->any.sa_family != AF_INET6)
        memcpy(out.address, &address->ipv4.sin_addr, 4);
    else if (IN6_IS_ADDR_V4MAPPED(&address->ipv6.sin6_addr))
        memcpy(out.address, &address->ipv6.sin6_addr.s6_addr[12], 4);
    else {
        out.ip = 6;
        memcpy(out.address, &address->ipv6.sin6_addr, 16);
    }
    return out;
}

void tcp_set_window(int fd, unsigned octets)
{
    const int size = (int)octets;

    if (wire_is_open()) {
        wire_set_window(fd, octets);
        return;
    }
    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
}

static struct addrinfo *socket_resolve(const char *host, const char *port, int flags, char **why)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = flags};
    struct addrinfo *found = NULL;
    int error = getaddrinfo(host && *host ? host : NULL, port, &hints, &found);

    if (error != 0) {
        *why = g_strdup(gai_strerror(error));
        errno = EHOSTUNREACH;
    }
    return found;
}

static int connect_one(const struct addrinfo *address, const struct tcp_wish *wish, int64_t until, int *error)
{
    int fd = socket(address->ai_family, address->ai_socktype, address->ai_protocol), segment = wish->mss;
    socklen_t size = sizeof *error;

    *error = errno;
    if (fd < 0)
        return -1;
    tune(fd);
    if (wish->window > 0)
        tcp_set_window(fd, wish->window);
    if (wish->mss > 0)
        setsockopt(fd, IPPROTO_TCP, TCP_MAXSEG, &segment, sizeof segment);
    if (connect(fd, address->ai_addr, address->ai_addrlen) == 0)
        return fd;
    *error = errno;
    if (errno == EINPROGRESS) {
        if (!socket_wait_for(fd, POLLOUT, until))
            *error = ETIMEDOUT;
        else if (getsockopt(fd, SOL_SOCKET, SO_ERROR, error, &size) == 0 && *error == 0)
            return fd;
    }
    close(fd);
    return -1;
}

/* On our own TCP. */
static int connect_on_wire(const struct addrinfo *address, const struct tcp_wish *wish, int64_t until, int *error)
{
    const struct endpoint to = socket_endpoint_of((const union address *)(const void *)address->ai_addr);
    const struct wire_opening how = {wish->mss, wish->window, wish->early, wish->n_early, wish->has_iss, wish->iss};
    int fd = wire_connect(&to, &how);

    *error = errno;
    if (fd < 0)
        return -1;
    if (!socket_wait_for(fd, POLLIN, until))
        *error = ETIMEDOUT;
    else if ((*error = wire_status(fd)) == 0)
        return fd;
    wire_end_socket(fd, true);
    return -1;
}

int tcp_connect(const char *host, const char *port, const struct tcp_wish *wish, int64_t timeout_ns, char **why)
{
    struct addrinfo *addresses = socket_resolve(host, port, 0, why);
    int64_t until = socket_now_ns() + timeout_ns;
    int fd = -1, error = 0;

    if (!addresses)
        return -1;
    for (const struct addrinfo *address = addresses; address && fd < 0; address = address->ai_next)
        fd = (wire_is_open() ? connect_on_wire : connect_one)(address, wish ? wish : &(struct tcp_wish){0}, until,
                                                              &error);
    freeaddrinfo(addresses);
    if (fd < 0) {
        *why = g_strdup(wire_is_open() ? wire_trouble(error) : g_strerror(error));
        errno = error;
    }
    return fd;
}

static int listen_on_wire(const char *host, const char *port, char **why)
{
    struct addrinfo *addresses = socket_resolve(host, port, AI_PASSIVE, why);
    int fd = -1, error = 0;

    if (!addresses)
        return -1;
    for (const struct addrinfo *address = addresses; address && fd < 0; address = address->ai_next) {
        const struct endpoint at = socket_endpoint_of((const union address *)(const void *)address->ai_addr);

        fd = wire_listen(&at, 0);
        error = errno;
    }
    freeaddrinfo(addresses);
    if (fd < 0)
        *why = g_strdup_printf("cannot listen: %s",
                               error == EADDRNOTAVAIL ? "with --wire only at --wire-address" : g_strerror(error));
    return fd;
}

int tcp_listen(const char *host, const char *port, char **why)
{
    if (wire_is_open())
        return listen_on_wire(host, port, why);

    struct addrinfo *addresses = socket_resolve(host, port, AI_PASSIVE, why);
    const int on = 1;
    int fd = -1, error = 0;

    if (!addresses)
        return -1;
    for (const struct addrinfo *address = addresses; address && fd < 0; address = address->ai_next) {
        fd = socket(address->ai_family, address->ai_socktype, address->ai_protocol);
        if (fd >= 0) {
            setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
            tune(fd);
        }
        if (fd >= 0 && (bind(fd, address->ai_addr, address->ai_addrlen) != 0 || listen(fd, BACKLOG) != 0)) {
            error = errno;
            close(fd);
            fd = -1;
        } else if (fd < 0) {
            error = errno;
        }
    }
    freeaddrinfo(addresses);
    if (fd < 0)
        *why = g_strdup_printf("cannot listen: %s", g_strerror(error));
    return fd;
}

/* A connection that the peer gave up while it was queued is useless. */
static bool socket_is_alive(int fd)
{
    struct pollfd poller = {.fd = fd, .events = POLLRDHUP};

    if (wire_is_open())
        return !wire_has_ended(fd);
    return poll(&poller, 1, 0) == 0;
}

/* The peer has waited so long that it may give up at any moment. */
static bool socket_is_stale(int fd)
{
    struct tcp_info info = {0};
    socklen_t size = sizeof info;

    if (wire_is_open())
        return wire_age(fd) > STALE_MS * MS;
    return getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size) == 0 && info.tcpi_last_data_recv > STALE_MS;
}

static int socket_accept_one(int listener)
{
    int fd;

    if (wire_is_open())
        return wire_accept(listener);
    fd = accept(listener, NULL, NULL);
    if (fd >= 0)
        tune(fd);
    return fd;
}

/* Prefers a connection that has not waited long. */
static int freshest(int listener, int fd)
{
    int next;

    while (socket_is_stale(fd) && (next = socket_accept_one(listener)) >= 0) {
        tcp_close(fd);
        fd = next;
    }
    return fd;
}

int tcp_accept(int listener, bool alive, int64_t timeout_ns, char **why)
{
    int64_t until = socket_now_ns() + timeout_ns;

    for (;;) {
        int fd = socket_accept_one(listener);

        if (fd >= 0) {
            if (alive)
                fd = freshest(listener, fd);
            if (!alive || socket_is_alive(fd))
                return fd;
            tcp_close(fd);
        } else if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR && errno != ECONNABORTED) {
            *why = g_strdup(g_strerror(errno));
            return -1;
        } else if (!socket_wait_for(listener, POLLIN, until)) {
            *why = g_strdup_printf("the device did not connect within %.1f s", (double)timeout_ns / 1e9);
            errno = ETIMEDOUT;
            return -1;
        }
    }
}

void tcp_drop_waiting(int listener)
{
    int fd;

    while ((fd = accept(listener, NULL, NULL)) >= 0)
        close(fd);
}

void tcp_ends(int fd, struct endpoint *ours, struct endpoint *theirs)
{
    union address here = {0}, there = {0};
    socklen_t here_size = sizeof here, there_size = sizeof there;

    if (wire_is_open()) {
        wire_ends(fd, ours, theirs);
        return;
    }
    getsockname(fd, &here.any, &here_size);
    getpeername(fd, &there.any, &there_size);
    *ours = socket_endpoint_of(&here);
    *theirs = socket_endpoint_of(&there);
}

uint16_t tcp_port(int fd)
{
    union address address = {0};
    socklen_t size = sizeof address;

    if (wire_is_open())
        return wire_port(fd);
    return getsockname(fd, &address.any, &size) == 0 ? socket_port_of(&address) : 0;
}

/* The peer's acknowledgements make room. */
static size_t write_on_wire(int fd, const uint8_t *p, size_t n, int64_t until)
{
    size_t sent = 0;

    while (sent < n) {
        ssize_t now = wire_send(fd, p + sent, n - sent);

        if (now > 0)
            sent += (size_t)now;
        else if (errno != EAGAIN || socket_now_ns() >= until || suite_stopped)
            break;
        else
            g_usleep(ROOM_SLICE_US);
    }
    return sent;
}

size_t tcp_write(int fd, const uint8_t *p, size_t n, int64_t until)
{
    size_t sent = 0;

    if (wire_is_open())
        return write_on_wire(fd, p, n, until);
    while (sent < n) {
        ssize_t now = send(fd, p + sent, n - sent, MSG_NOSIGNAL);

        if (now > 0)
            sent += (size_t)now;
        else if (errno == EINTR)
            continue;
        else if ((errno != EAGAIN && errno != EWOULDBLOCK) || !socket_wait_for(fd, POLLOUT, until))
            break;
    }
    return sent;
}

enum tcp_status tcp_read(int fd, uint8_t *p, size_t size, size_t *n)
{
    ssize_t got = wire_is_open() ? wire_receive(fd, p, size) : recv(fd, p, size, 0);

    if (got > 0) {
        *n = (size_t)got;
        return TCP_READ_OCTETS;
    }
    if (got == 0)
        return TCP_READ_FIN;
    return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR ? TCP_READ_NOTHING : TCP_READ_RESET;
}

uint64_t tcp_unacknowledged(int fd)
{
    int waiting = 0;

    if (wire_is_open())
        return wire_unacknowledged(fd);
    return ioctl(fd, SIOCOUTQ, &waiting) == 0 && waiting > 0 ? (uint64_t)waiting : 0;
}

void tcp_cork(int fd, bool on)
{
    const int value = on;

    if (wire_is_open())
        wire_cork(fd, on);
    else
        setsockopt(fd, IPPROTO_TCP, TCP_CORK, &value, sizeof value);
}

void tcp_finish(int fd)
{
    if (wire_is_open())
        wire_finish(fd);
    else
        shutdown(fd, SHUT_WR);
}

void tcp_reset(int fd)
{
    const struct linger now = {.l_onoff = 1};

    if (wire_is_open()) {
        wire_end_socket(fd, true);
        return;
    }
    setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
    close(fd);
}

void tcp_close(int fd)
{
    if (wire_is_open())
        wire_end_socket(fd, false);
    else
        close(fd);
}

bool tcp_wait(int fd, bool fin_read, int ms)
{
    struct pollfd poller = {.fd = fd, .events = fin_read && !wire_is_open() ? 0 : POLLIN};

    return poll(&poller, 1, ms) > 0;
}
