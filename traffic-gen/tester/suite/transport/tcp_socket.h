/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Blocking TCP sockets: a thin layer, so that cases can send and see everything that TCP allows. They belong to the
 * kernel or, after wire_open(), to our own TCP (traffic-gen/live/wire/wire.h).
 */
#ifndef IWARP_TRAFFIC_TESTER_SUITE_TRANSPORT_TCP_SOCKET_H
#define IWARP_TRAFFIC_TESTER_SUITE_TRANSPORT_TCP_SOCKET_H

#include "wire/endpoint.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Set by a signal handler: every wait ends, here and in talks. */
extern volatile sig_atomic_t suite_stopped;
/* From here on SIGINT or SIGTERM sets it; a second one ends the process. */
void suite_stop_on_signals(void);

enum { TCP_STOP_SLICE_MS = 200 }; /* longest time until the signal is noticed */

enum tcp_status { TCP_READ_NOTHING, TCP_READ_OCTETS, TCP_READ_FIN, TCP_READ_RESET };

/* Differences from the system's defaults; 0: none. */
struct tcp_wish {
    uint16_t mss;    /* of the SYN */
    unsigned window; /* about how many octets are accepted without being read */
    /* Only with our own TCP: octets of the SYN. */
    const uint8_t *early;
    size_t n_early;
    bool has_iss; /* this initial sequence number */
    uint32_t iss;
};

/* A non-blocking socket, or -1 with errno and *why, which the caller frees. wish NULL: defaults. */
int tcp_connect(const char *host, const char *port, const struct tcp_wish *wish, int64_t timeout_ns, char **why);
/* For an open socket: room already promised to the peer stays. */
void tcp_set_window(int fd, unsigned octets);
int tcp_listen(const char *host, const char *port, char **why);
/* Accepts the next connection; `alive` wants one that the peer has not closed yet, preferably a fresh one. */
int tcp_accept(int listener, bool alive, int64_t timeout_ns, char **why);
/* Closes the queued connections. */
void tcp_drop_waiting(int listener);
/* The addresses of a connection. IPv4-mapped IPv6 is reported as IPv4. */
void tcp_ends(int fd, struct endpoint *ours, struct endpoint *theirs);
uint16_t tcp_port(int fd); /* of a listener */

/* Returns the number of octets accepted by `until` (g_get_monotonic_time() in ns). */
size_t tcp_write(int fd, const uint8_t *p, size_t n, int64_t until);
enum tcp_status tcp_read(int fd, uint8_t *p, size_t size, size_t *n);
/* Octets written that the peer's TCP has not acknowledged. */
uint64_t tcp_unacknowledged(int fd);
/* While on, writes are collected; they leave when it is turned off, in one segment if they fit. */
void tcp_cork(int fd, bool on);
void tcp_finish(int fd);
/* Sends RST and closes the socket. */
void tcp_reset(int fd);
void tcp_close(int fd);
/* Whether something has come within ms: octets, FIN, RST. fin_read: the FIN was read, so only an RST is new. */
bool tcp_wait(int fd, bool fin_read, int ms);

#endif
