/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Connects an InfiniBand or RoCE connection to a stack that begins with the upper layer: translates
 * engine/ib/ib_connections events into those of engine/rdma/rdma.h.
 */
#ifndef IWARP_ENGINE_STACK_STACK_IB_H
#define IWARP_ENGINE_STACK_STACK_IB_H

#include "engine/ib/ib_connections.h"
#include "engine/stack/stack.h"

/* Owned by the host, one per connection; outlives the connection's events. */
struct stack_ib {
    struct stack *stack;
    const struct ib_connection *connection;
    bool introduced; /* for a tap: the stack has the ports and roles, so connection management is not needed */
    bool asked[2];   /* by side: it asked to disconnect, as its request or the reply to it shows */
};

/* For ib_connection_events: the events that open returns for the connection, and the handlers of the other two. */
struct ib_rc_events stack_ib_events(struct stack_ib *ib);
void stack_ib_managed(struct stack_ib *ib, unsigned side, const struct ib_cm *cm, const struct place *place);
void stack_ib_finish(struct stack_ib *ib, int64_t now_ns);

#endif
