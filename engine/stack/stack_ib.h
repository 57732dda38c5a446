/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A connection of InfiniBand or RoCE into a stack that begins with the upper layer: what engine/ib/ib_connections gives
 * goes up in the language of engine/rdma/rdma.h.
 */
#ifndef IWARP_ENGINE_STACK_STACK_IB_H
#define IWARP_ENGINE_STACK_STACK_IB_H

#include "engine/ib/ib_connections.h"
#include "engine/stack/stack.h"

/* The host's, one for each connection; it outlives what it is given to. */
struct stack_ib {
    struct stack *stack;
    const struct ib_connection *connection;
    bool asked[2]; /* by side: it asked for the end, as its request or the reply to it shows */
};

/* For ib_connection_events: what open gives to the connection, and the two others. */
struct ib_rc_events stack_ib_events(struct stack_ib *ib);
void stack_ib_managed(struct stack_ib *ib, unsigned side, const struct ib_cm *cm, const struct place *place);
void stack_ib_finish(struct stack_ib *ib, int64_t now_ns);

#endif
