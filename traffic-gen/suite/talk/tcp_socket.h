/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Blocking TCP sockets: thin, so that cases can send and see everything that TCP allows. They are the kernel's, or,
 * once wire_open() has been called, our own (traffic-gen/live/wire/wire.h).
 */
#ifndef IWARP_TRAFFIC_SUITE_TALK_TCP_SOCKET_H
#define IWARP_TRAFFIC_SUITE_TALK_TCP_SOCKET_H

#include "wire/endpoint.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Set by a signal handler: every wait ends, here and in talks. */
extern volatile sig_atomic_t suite_stopped;

enum { TCP_STOP_SLICE_MS = 200 }; /* how soon that is noticed */

enum tcp_status { TCP_READ_NOTHING, TCP_READ_OCTETS, TCP_READ_FIN, TCP_READ_RESET };

/* What differs from the system's own; 0: nothing. */
struct tcp_wish {
    uint16_t mss;    /* of the SYN */
    unsigned window; /* octets taken without being read, about */
    /* Only of our own TCP: octets of the SYN. */
    const uint8_t *early;
    size_t n_early;
    bool has_iss; /* this initial sequence number */
    uint32_t iss;
};

/* A non-blocking socket, or -1 with errno and *why, which the caller frees. wish NULL: all as usual. */
int tcp_connect(const char *host, const char *port, const struct tcp_wish *wish, int64_t timeout_ns, char **why);
/* Of an open socket: what has been promised to the peer stays. */
void tcp_set_window(int fd, unsigned octets);
int tcp_listen(const char *host, const char *port, char **why);
/* The next connection; with `alive` one that its opener has not closed yet, preferably a fresh one. */
int tcp_accept(int listener, bool alive, int64_t timeout_ns, char **why);
/* Closes those that wait to be accepted. */
void tcp_drop_waiting(int listener);
/* The addresses of a connection. IPv4-mapped IPv6 is reported as IPv4. */
void tcp_ends(int fd, struct endpoint *ours, struct endpoint *theirs);
uint16_t tcp_port(int fd); /* of a listener */

/* Returns the octets accepted by `until` (g_get_monotonic_time() in ns). */
size_t tcp_write(int fd, const uint8_t *p, size_t n, int64_t until);
enum tcp_status tcp_read(int fd, uint8_t *p, size_t size, size_t *n);
/* Octets written that the peer's TCP has not acknowledged. */
uint64_t tcp_unacknowledged(int fd);
/* What is written while it is on leaves when it is turned off, in one segment as far as it fits. */
void tcp_cork(int fd, bool on);
void tcp_finish(int fd);
/* RST, and the socket is gone. */
void tcp_reset(int fd);
void tcp_close(int fd);
/* Something has come within ms: octets, FIN, RST. fin_read: the FIN was read, only an RST is news. */
bool tcp_wait(int fd, bool fin_read, int ms);

#endif
