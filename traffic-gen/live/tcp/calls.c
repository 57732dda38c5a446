// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE /* accept4 */
#include "traffic-gen/live/tcp/calls.h"

#include "traffic-gen/live/tcp/internal.h"
#include "traffic-gen/live/wire/wire.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BACKLOG = 1024, TIMESTAMPS_LEN = 12 };

union address {
    struct sockaddr any;
    struct sockaddr_in ipv4;
    struct sockaddr_in6 ipv6;
};

static struct endpoint calls_endpoint_of(const struct sockaddr *address)
{
    const union address *known = (const union address *)(const void *)address;
    struct endpoint out = {.ip = address->sa_family == AF_INET6 ? 6 : 4};

    if (out.ip == 6) {
        out.port = ntohs(known->ipv6.sin6_port);
        memcpy(out.address, &known->ipv6.sin6_addr, 16);
    } else {
        out.port = ntohs(known->ipv4.sin_port);
        memcpy(out.address, &known->ipv4.sin_addr, 4);
    }
    return out;
}

static socklen_t calls_address_of(const struct endpoint *endpoint, struct sockaddr_storage *out)
{
    union address address = {0};

    if (endpoint->ip == 6) {
        address.ipv6.sin6_family = AF_INET6;
        address.ipv6.sin6_port = htons(endpoint->port);
        memcpy(&address.ipv6.sin6_addr, endpoint->address, 16);
    } else {
        address.ipv4.sin_family = AF_INET;
        address.ipv4.sin_port = htons(endpoint->port);
        memcpy(&address.ipv4.sin_addr, endpoint->address, 4);
    }
    memset(out, 0, sizeof *out);
    memcpy(out, &address, sizeof address);
    return endpoint->ip == 6 ? sizeof address.ipv6 : sizeof address.ipv4;
}

static void limit_mss(int fd, unsigned mss)
{
    const int limit = (int)mss + TIMESTAMPS_LEN; /* Linux allows 88 to 32767 */

    if (mss)
        setsockopt(fd, IPPROTO_TCP, TCP_MAXSEG, &limit, sizeof limit);
}

static int close_with_error(int fd)
{
    int kept = errno;

    close(fd);
    errno = kept;
    return -1;
}

int calls_connect(const struct addrinfo *address, uint16_t mss)
{
    int fd;

    if (wire_is_open()) {
        const struct endpoint to = calls_endpoint_of(address->ai_addr);

        return wire_connect(&to, &(struct wire_opening){.mss = mss});
    }
    fd = socket(address->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    limit_mss(fd, mss);
    if (connect(fd, address->ai_addr, address->ai_addrlen) != 0 && errno != EINPROGRESS)
        return close_with_error(fd);
    return fd;
}

int calls_outcome(int fd)
{
    int error = 0;
    socklen_t n = sizeof error;

    if (wire_is_open())
        return wire_status(fd);
    getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &n);
    return error;
}

/* Chooses a port for 0 once, for all addresses. */
static void calls_set_port(struct sockaddr *address, uint16_t port)
{
    if (address->sa_family == AF_INET6)
        ((struct sockaddr_in6 *)(void *)address)->sin6_port = htons(port);
    else
        ((struct sockaddr_in *)(void *)address)->sin_port = htons(port);
}

static uint16_t calls_port_of(int fd)
{
    union address address = {0};
    socklen_t n = sizeof address;

    return getsockname(fd, &address.any, &n) == 0 ? calls_endpoint_of(&address.any).port : 0;
}

int calls_listen(const struct addrinfo *address, uint16_t mss, uint16_t *port)
{
    const int on = 1;
    int fd;

    if (*port)
        calls_set_port(address->ai_addr, *port);
    if (wire_is_open()) {
        const struct endpoint at = calls_endpoint_of(address->ai_addr);

        fd = wire_listen(&at, mss);
        if (fd >= 0)
            *port = wire_port(fd);
        return fd;
    }
    fd = socket(address->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (address->ai_family == AF_INET6)
        setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
    limit_mss(fd, mss);
    if (bind(fd, address->ai_addr, address->ai_addrlen) != 0 || listen(fd, BACKLOG) != 0)
        return close_with_error(fd);
    *port = calls_port_of(fd);
    return fd;
}

int calls_accept(int fd)
{
    return wire_is_open() ? wire_accept(fd) : accept4(fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

struct calls_ends calls_ends(int fd)
{
    struct calls_ends ends = {.own_n = sizeof ends.own, .peer_n = sizeof ends.peer};
    struct endpoint own, peer;

    if (wire_is_open()) {
        wire_ends(fd, &own, &peer);
        ends.own_n = calls_address_of(&own, &ends.own);
        ends.peer_n = calls_address_of(&peer, &ends.peer);
        return ends;
    }
    getsockname(fd, (struct sockaddr *)&ends.own, &ends.own_n);
    if (getpeername(fd, (struct sockaddr *)&ends.peer, &ends.peer_n) != 0)
        ends.peer_n = 0;
    return ends;
}

/* MSG_EOR: the next write starts a new segment, so that each FPDU does (RFC 5044 section 5.1). */
ssize_t calls_send(int fd, const uint8_t *p, size_t n)
{
    return wire_is_open() ? wire_send(fd, p, n) : send(fd, p, n, MSG_NOSIGNAL | MSG_DONTWAIT | MSG_EOR);
}

ssize_t calls_receive(int fd, uint8_t *p, size_t size)
{
    return wire_is_open() ? wire_receive(fd, p, size) : recv(fd, p, size, MSG_DONTWAIT);
}

void calls_finish(int fd)
{
    if (wire_is_open())
        wire_finish(fd);
    else
        shutdown(fd, SHUT_WR);
}

void calls_close(int fd, bool reset)
{
    const struct linger now = {.l_onoff = 1};

    if (wire_is_open()) {
        wire_end_socket(fd, reset);
        return;
    }
    if (reset)
        setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
    close(fd);
}

uint16_t calls_mss(int fd)
{
    socklen_t n = sizeof(int);
    int mss = 0;

    if (wire_is_open())
        return wire_mss(fd);
    return getsockopt(fd, IPPROTO_TCP, TCP_MAXSEG, &mss, &n) == 0 && mss > 0 ? (uint16_t)MIN(mss, UINT16_MAX) : 0;
}
