/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A host with one address, without I/O of its own: frames and the time go in, frames come out. It finds its neighbours
 * (ARP, or Neighbor Discovery), answers their questions, and has TCP connections.
 */
#ifndef IWARP_TRAFFIC_LIVE_WIRE_HOST_H
#define IWARP_TRAFFIC_LIVE_WIRE_HOST_H

#include "traffic-gen/live/wire/tcp.h"

/* Its addresses and its route. */
struct wire_place {
    struct wire_self self;
    unsigned prefix;     /* bits of the address that its link shares */
    uint8_t gateway[16]; /* for all other addresses */
    bool has_gateway;
    unsigned mtu; /* octets of an IP packet */
    enum wire_fault fault;
};

struct wire_host;

struct wire_host_events {
    void (*send)(void *ctx, const uint8_t *frame, size_t n);
    void (*changed)(void *ctx, struct wire_tcp *tcp); /* octets came, or a timer expired */
    /* A peer has opened a connection to that port. */
    void (*accepted)(void *ctx, uint16_t port, struct wire_tcp *tcp);
    void *ctx;
};

struct wire_host *wire_host_new(const struct wire_place *place, const struct wire_host_events *events);
void wire_host_free(struct wire_host *host);
/* "10.9.0.2/24", "2001:db8::2/64", and a gateway or NULL. False with *why, which the caller frees. mtu is not set. */
bool wire_place_parse(const char *address, const char *gateway, struct wire_place *out, char **why);
/* Announces the address to the neighbours. */
void wire_host_announce(struct wire_host *host);

/* Changes frame. sums_due: wire_packet_parse(). */
void wire_host_input(struct wire_host *host, uint8_t *frame, size_t n, bool sums_due, int64_t now);
void wire_host_tick(struct wire_host *host, int64_t now);
int64_t wire_host_due(const struct wire_host *host); /* time of the next tick; INT64_MAX: not before input */

/* How a connection is opened; 0, NULL: defaults. */
struct wire_opening {
    uint16_t mss;         /* of the SYN */
    unsigned limit;       /* of the window */
    const uint8_t *early; /* octets in the SYN, see wire_tcp_connect() */
    size_t n_early;
    bool has_iss; /* uses this initial sequence number; otherwise random */
    uint32_t iss;
};

/* NULL with errno: no route. The connection begins at once. how NULL: defaults. */
struct wire_tcp *wire_host_connect(struct wire_host *host, const struct endpoint *to, const struct wire_opening *how,
                                   int64_t now);
/* Listens at our address, or any (all zero, or ip 0); port 0: chosen. Returns the port; 0 with errno. */
uint16_t wire_host_listen(struct wire_host *host, const struct endpoint *at, uint16_t mss, unsigned limit);
void wire_host_unlisten(struct wire_host *host, uint16_t port);
/* While on, a connection to that port becomes a simultaneous open: wire_tcp_cross(). */
void wire_host_cross(struct wire_host *host, uint16_t port, bool on);
/* Our initial sequence number on later connections to that port; NULL: any. */
void wire_host_begin_at(struct wire_host *host, uint16_t port, const uint32_t *iss);
/* The owner no longer needs it: resets it unless closed in both directions, or `orderly`: then it may end by itself. */
void wire_host_release(struct wire_host *host, struct wire_tcp *tcp, bool orderly, int64_t now);

void wire_host_ends(const struct wire_tcp *tcp, struct endpoint *ours, struct endpoint *theirs);
/* Tells the peer about its last packet that the path to us takes at most `mtu` octets. */
bool wire_host_narrow(struct wire_host *host, const struct wire_tcp *tcp, uint16_t mtu);

#endif
