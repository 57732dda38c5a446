/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the parts of the live transport: the loop (loop.c), connections (socket.c), listeners (listener.c). */
#ifndef IWARP_TRAFFIC_LIVE_TCP_INTERNAL_H
#define IWARP_TRAFFIC_LIVE_TCP_INTERNAL_H

#include "traffic-gen/live/tcp/live.h"
#include "traffic-gen/live/tcp/record.h"

#include <netdb.h>

enum { LIVE_RECEIVE = 256 * 1024, LIVE_NAME = 80 };

/* A source watched by epoll; the first member of its structure. */
struct live_watch {
    int fd;
    void (*ready)(struct live_watch *watch, uint32_t events);
};

/* Another object on the loop: a connection or listener of an RDMA device. Embedded; data of link: its owner. */
struct live_part {
    GList link; /* of loop->parts */
    void (*tick)(void *owner, int64_t now);
    void (*end)(void *owner);  /* at once */
    bool (*bury)(void *owner); /* if it is over: calls `closed`, and frees it */
    void (*free)(void *owner); /* without events */
};

struct live_loop {
    int epoll, wake; /* wake: an eventfd that live_stop() writes to */
    volatile int stopped;
    struct live_watch wake_watch;
    GQueue sockets;   /* struct live_socket */
    GQueue listeners; /* struct live_listener */
    GQueue closed_listeners;
    GQueue parts; /* struct live_part */
    int64_t next_tick;
    uint8_t *buffer; /* LIVE_RECEIVE octets */
};

void live_part_join(struct live_loop *loop, struct live_part *part, void *owner);
void live_part_leave(struct live_loop *loop, struct live_part *part);
bool live_watch(struct live_loop *loop, struct live_watch *watch, uint32_t events);
void live_watch_change(struct live_loop *loop, struct live_watch *watch, uint32_t events);
/* Starts watching; also stops and closes: fd becomes -1. */
void live_watch_end(struct live_loop *loop, struct live_watch *watch);

/* Octets written but not yet accepted by the kernel: mostly one FPDU. */
struct live_chunk {
    struct live_chunk *next;
    size_t n, done;
    uint8_t octets[];
};

struct live_socket {
    struct live_watch watch; /* fd -1: closed */
    struct live_loop *loop;
    GList link; /* of loop->sockets */
    struct live_options options;
    struct live_events events;
    struct stream stream;
    struct live_listener *listener; /* the listener that accepted it; NULL: none, or freed */
    struct record *record;
    char peer[LIVE_NAME];
    struct addrinfo *addresses, *next_address; /* remaining addresses to connect to; NULL: connected, or accepted */
    int64_t connect_deadline;
    struct live_chunk *first, **last;
    size_t piled;
    size_t shared; /* octets of a segment that the next write continues */
    unsigned ticks;
    uint32_t interest;
    uint64_t written;      /* octets taken by TCP */
    uint64_t acked_base;   /* tcpi_bytes_acked before the first octet */
    int64_t closing_since; /* time of FIN, or of the last octet accepted after it */
    bool open;
    bool starved; /* room was 0 */
    bool fin_wanted, fin_sent, peer_fin;
    bool over;      /* `closed` is due in the loop's next turn */
    bool forgotten; /* gets no events */
    bool fresh;     /* `opened` is due */
    bool broken;    /* sending failed: an apparent FIN of the peer is its RST */
    char *why;
};

struct live_socket *live_socket_new(struct live_loop *loop, const struct live_options *options);
/* The TCP connection is established. */
void live_socket_open(struct live_socket *socket, bool accepted);
void live_socket_tick(struct live_socket *socket, int64_t now);
void live_socket_end(struct live_socket *socket); /* sends RST if it is still open */
/* Calls `closed` and frees the socket when it is over. */
bool live_socket_bury(struct live_socket *socket);
void live_socket_free(struct live_socket *socket);

void live_listener_free(struct live_listener *listener); /* after it was closed */
void live_listener_tick(struct live_listener *listener);
/* A connection from this listener has ended. */
void live_listener_left(struct live_listener *listener);

/* "192.0.2.1:7174", "[2001:db8::1]:7174". */
void live_name(const struct sockaddr *address, socklen_t n, char name[LIVE_NAME]);
/* NULL with an error. */
struct addrinfo *live_resolve(const char *host, const char *port, bool passive, GError **error);
GQuark live_error(void);

#endif
