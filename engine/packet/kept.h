/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What tables of connections keep, for a host that has several of them and one limit for all: the host adds up what
 * all tables keep, and says where they draw the line. A line is a frame or a size and nothing else, so what goes does
 * not depend on which table keeps it.
 */
#ifndef IWARP_ENGINE_PACKET_KEPT_H
#define IWARP_ENGINE_PACKET_KEPT_H

#include <stddef.h>
#include <stdint.h>

/* Visits what is kept besides connections, which the host knows. frame: when it was heard last; of what has no
 * counterpart so far: when it was heard first. */
struct kept_visit {
    void *ctx;
    void (*ended)(void *ctx, uint32_t frame); /* what remains of one that was judged */
    void (*unpaired)(void *ctx, uint32_t frame);
    void (*held)(void *ctx, size_t octets); /* of one direction: what waits for something missing */
};

/* What is to go: everything at or before these frames, and the waiting of whoever holds so much or more. */
struct kept_limits {
    uint32_t connection, ended, unpaired; /* 0: nothing */
    size_t held;                          /* SIZE_MAX: nothing */
};

#endif
