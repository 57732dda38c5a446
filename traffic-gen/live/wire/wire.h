/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Our own TCP for the program: sockets of a separate host on a network interface. The kernel does not know this host,
 * so it neither answers for it nor resets its connections. At most one such host is open at a time. Its sockets are
 * descriptors that become readable (POLLIN) when an event has not been fetched: octets, FIN, RST, room to write after a
 * write that was cut short, the end of connecting, a connection to accept. Only the functions below may use them, from
 * any thread.
 */
#ifndef IWARP_TRAFFIC_LIVE_WIRE_WIRE_H
#define IWARP_TRAFFIC_LIVE_WIRE_WIRE_H

#include "traffic-gen/live/wire/host.h"

#include <sys/types.h>

struct wire_options {
    const char *interface; /* --wire */
    const char *address;   /* --wire-address: "10.9.0.2/24" */
    const char *gateway;   /* --wire-gateway; NULL: none */
    enum wire_fault fault; /* for a device that must fail a test */
};

/* False with *why, which the caller frees. */
bool wire_open(const struct wire_options *options, char **why);
/* Resets open connections. */
void wire_close(void);
bool wire_is_open(void);

/* -1 with errno. Connects in the background: see wire_status(). how NULL: defaults. */
int wire_connect(const struct endpoint *to, const struct wire_opening *how);
/* The meaning of that errno on our own connection, and advice. */
const char *wire_trouble(int error);
/* 0: connected; EINPROGRESS; else the error. */
int wire_status(int fd);
/* Listens at any address (all zero, or ip 0) or at its own; else -1 with EADDRNOTAVAIL. */
int wire_listen(const struct endpoint *at, uint16_t mss);
uint16_t wire_port(int fd); /* of a listener */
/* -1 with EAGAIN: none waits. */
int wire_accept(int fd);
void wire_ends(int fd, struct endpoint *ours, struct endpoint *theirs);
uint16_t wire_mss(int fd); /* largest segment */

/*
 * Like send() and recv() of a non-blocking socket: -1 with EAGAIN, ECONNRESET, ETIMEDOUT, EPIPE. Each write begins a
 * segment.
 */
ssize_t wire_send(int fd, const uint8_t *p, size_t n);
ssize_t wire_receive(int fd, uint8_t *p, size_t size);
bool wire_has_ended(int fd);  /* the peer has sent FIN or RST, read or not */
bool wire_has_failed(int fd); /* RST, or acknowledgements stopped */
int64_t wire_age(int fd);     /* ns since the peer's last octets, or since it opened */
uint64_t wire_unacknowledged(int fd);
void wire_cork(int fd, bool on);
void wire_set_window(int fd, unsigned octets);
void wire_finish(int fd);
/* Closes the descriptor; with RST, or after a FIN that may still be under way. */
void wire_end_socket(int fd, bool reset);

/* ---- functions that no other TCP has ---- */

/* For a listener: while on, connections are simultaneous opens. */
void wire_cross(int fd, bool on);
bool wire_has_crossed(int fd);
/* Our initial sequence number on a listener's next connections (NULL: any); our number on a connection. */
void wire_begin_at(int fd, const uint32_t *iss);
uint32_t wire_began_at(int fd);
/* While held, writes stay unsent in the stream, and nothing is retransmitted. */
void wire_hold(int fd, bool on);
/* Sends one segment now. */
bool wire_put_segment(int fd, const struct wire_put *put);
/* Sends ICMP: the path to us takes packets of at most mtu octets. */
bool wire_narrow(int fd, uint16_t mtu);

#endif
