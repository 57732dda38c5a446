/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * RPC-over-RDMA on InfiniBand and RoCE: the results of the stack are looked up by frame number. Memory is of file
 * scope.
 */
#ifndef IWARP_PLUGINS_RPCRDMA_IB_FLOW_H
#define IWARP_PLUGINS_RPCRDMA_IB_FLOW_H

#include "plugins/rpcrdma/flow.h"

/* First pass: events of the transport, before the stack is given them. */
void rpcrdma_ib_on_part(struct rpcrdma_flow *flow, const struct ib_rc_part *part);
void rpcrdma_ib_on_hole(struct rpcrdma_flow *flow, const struct verdict *verdict, const struct ib_rc_hole *hole);
/* The event, which the stack does not learn. */
void rpcrdma_ib_on_sent_again(struct rpcrdma_flow *flow, const struct place *place);
/*
 * The first segment that was reported in this frame: the frame's own packet, or a packet that was held until it came.
 */
const struct kept_segment *rpcrdma_ib_segments(uint32_t number);

/* Called by flow.c: a new segment of the flow, at this place. */
void rpcrdma_ib_keep(struct kept_segment *segment, const struct place *place);
/* A packet of a Send, before the engine reports the Send. */
void rpcrdma_ib_open_send(struct rpcrdma_flow *flow, struct kept_segment *segment, bool first);
void rpcrdma_ib_close_send(struct rpcrdma_flow *flow, const struct rpcrdma_message *message);
/* A message, or a move that completes a Call, at this place. */
void rpcrdma_ib_note_untold(struct rpcrdma_flow *flow, const struct place *place);
/* NULL: no more. */
const struct kept_untold *rpcrdma_ib_next_untold(struct rpcrdma_flow *flow);

void rpcrdma_ib_flow_register(void);

#endif
