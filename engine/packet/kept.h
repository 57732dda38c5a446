/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How much several tables of connections keep, under one common limit: the host adds up the contents of all tables, and
 * sets the limits of each. Limits are just frames or sizes, so what is dropped does not depend on the table that keeps
 * it.
 */
#ifndef IWARP_ENGINE_PACKET_KEPT_H
#define IWARP_ENGINE_PACKET_KEPT_H

#include <stddef.h>
#include <stdint.h>

/*
 * Visits everything that is kept except connections, which the host knows. frame: when the entry was last heard; for
 * entries without a counterpart: when they were first heard.
 */
struct kept_visit {
    void *ctx;
    void (*ended)(void *ctx, uint32_t frame); /* what remains of a connection that was judged */
    void (*unpaired)(void *ctx, uint32_t frame);
    void (*held)(void *ctx, size_t octets); /* for one direction: octets that wait for missing octets */
};

/*
 * What to drop: everything at or before these frames, and the held octets of any direction that holds at least `held`.
 */
struct kept_limits {
    uint32_t connection, ended, unpaired; /* 0: nothing */
    size_t held;                          /* SIZE_MAX: nothing */
};

#endif
