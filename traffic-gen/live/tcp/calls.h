/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The TCP functions of the live transport: the kernel's, or our own after wire_open(). Descriptors are watched the same
 * way; those of our own TCP become readable for any event (traffic-gen/live/wire/wire.h).
 */
#ifndef IWARP_TRAFFIC_LIVE_TCP_CALLS_H
#define IWARP_TRAFFIC_LIVE_TCP_CALLS_H

#include "wire/endpoint.h"

#include <netdb.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct calls_ends {
    struct sockaddr_storage own, peer;
    socklen_t own_n, peer_n;
};

/* -1 with errno. mss 0: the system's. */
int calls_connect(const struct addrinfo *address, uint16_t mss);
/* For a connection in progress: 0, EINPROGRESS, or the error. */
int calls_outcome(int fd);
/* *port: 0 is replaced by the one chosen. */
int calls_listen(const struct addrinfo *address, uint16_t mss, uint16_t *port);
int calls_accept(int fd);
struct calls_ends calls_ends(int fd);

/* Ends a segment after each write. */
ssize_t calls_send(int fd, const uint8_t *p, size_t n);
ssize_t calls_receive(int fd, uint8_t *p, size_t size);
void calls_finish(int fd);
void calls_close(int fd, bool reset);
uint16_t calls_mss(int fd); /* 0: unknown */

#endif
