/* SPDX-License-Identifier: GPL-2.0-or-later */
/* TCP sockets for a thread that waits: thin, so that tests can say and see everything that TCP lets through. */
#ifndef IWARP_TRAFFIC_SUITE_TCP_SOCKET_H
#define IWARP_TRAFFIC_SUITE_TCP_SOCKET_H

#include "wire/endpoint.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Set (by a signal handler): no wait goes on, here and in talks. */
extern volatile sig_atomic_t suite_stopped;

enum { TCP_STOP_SLICE_MS = 200 }; /* how soon that is noticed */

enum tcp_status { TCP_READ_NOTHING, TCP_READ_OCTETS, TCP_READ_FIN, TCP_READ_RESET };

/* A socket that does not block, or -1 with errno and *why, the caller's to free. mss 0: the system's. */
int tcp_connect(const char *host, const char *port, uint16_t mss, int64_t timeout_ns, char **why);
int tcp_listen(const char *host, const char *port, char **why);
/* The next connection; with `alive` one that its opener has not closed yet, and of several that wait a fresh one. */
int tcp_accept(int listener, bool alive, int64_t timeout_ns, char **why);
/* Ends those that wait to be accepted. */
void tcp_drop_waiting(int listener);
/* Of a connection. IPv4 within IPv6 is told as IPv4. */
void tcp_ends(int fd, struct endpoint *ours, struct endpoint *theirs);
uint16_t tcp_port(int fd); /* of a listener */

/* Octets that were taken until `until` (g_get_monotonic_time() in ns). */
size_t tcp_write(int fd, const uint8_t *p, size_t n, int64_t until);
enum tcp_status tcp_read(int fd, uint8_t *p, size_t size, size_t *n);
/* Octets written that the peer's TCP has not acknowledged. */
uint64_t tcp_unacknowledged(int fd);
/* What is written while it is on leaves together, as far as a segment holds it, when it is turned off. */
void tcp_cork(int fd, bool on);
void tcp_finish(int fd);
/* RST, and the socket is gone. */
void tcp_reset(int fd);

#endif
