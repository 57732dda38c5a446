/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * RPC-over-RDMA on InfiniBand and RoCE: the rdma_ib plugin delivers the events of the transport, and each connection
 * has a stack of its own. The results of the stack are looked up by frame number. Memory is of file scope.
 */
#ifndef IWARP_PLUGINS_RPCRDMA_IB_FLOW_H
#define IWARP_PLUGINS_RPCRDMA_IB_FLOW_H

#include "plugins/border/ib_listener.h"
#include "plugins/rpcrdma/flow.h"

/* First pass: a new connection. always: it is taken for RPC-over-RDMA in any case. payload: see struct ib_listener. */
void rpcrdma_ib_listen(struct ib_listeners *listeners, bool always, dissector_handle_t payload);
/* NULL: unknown. */
struct rpcrdma_flow *rpcrdma_ib_find(uint32_t connection);
/*
 * The first segment that was reported in this frame: the frame's own packet, or a packet that was held until it came.
 */
const struct kept_segment *rpcrdma_ib_segments(uint32_t number);

/* Called by flow.c: a new segment of the flow. */
void rpcrdma_ib_keep(struct kept_segment *segment);
/* A packet of a Send, before the engine reports the Send. */
void rpcrdma_ib_open_send(struct rpcrdma_flow *flow, struct kept_segment *segment, bool first);
void rpcrdma_ib_close_send(struct rpcrdma_flow *flow, const struct rpcrdma_message *message);
/* A message, or a move that completes a Call. */
void rpcrdma_ib_note_untold(struct rpcrdma_flow *flow, struct kept_segment *segment);
/* The next segment with an RPC message whose frame was dissected before its connection was known; NULL: no more. */
const struct kept_segment *rpcrdma_ib_next_untold(struct rpcrdma_flow *flow);

void rpcrdma_ib_flow_register(void);

#endif
