/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How much tables of connections keep, for a host with several tables and one common limit: the host adds up the
 * contents of all tables, and sets their limits. A limit is just a frame or a size, so what is dropped does not depend
 * on which table keeps it.
 */
#ifndef IWARP_ENGINE_PACKET_KEPT_H
#define IWARP_ENGINE_PACKET_KEPT_H

#include <stddef.h>
#include <stdint.h>

/*
 * Visits everything that is kept besides connections, which the host knows. frame: when it was last heard; for entries
 * without a counterpart: when they were first heard.
 */
struct kept_visit {
    void *ctx;
    void (*ended)(void *ctx, uint32_t frame); /* the remains of a connection that was judged */
    void (*unpaired)(void *ctx, uint32_t frame);
    void (*held)(void *ctx, size_t octets); /* for one direction: octets that wait for missing ones */
};

/* What to drop: everything at or before these frames, and held octets of any direction that holds at least `held`. */
struct kept_limits {
    uint32_t connection, ended, unpaired; /* 0: nothing */
    size_t held;                          /* SIZE_MAX: nothing */
};

#endif
