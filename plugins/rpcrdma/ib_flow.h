/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Connections of InfiniBand and RoCE in the plugin. Wireshark's own dissector of InfiniBand passes on payload and
 * private data, but no Acknowledges, no Atomics, no connection management without private data and nothing of what the
 * snap length cut. So each of its frames is taken apart here once more, on the first pass, as iwarp-check does it; the
 * packets go to engine/ib_connections and from there into a stack for each connection. What that told in a frame is
 * found again by the frame's number. Memory is of file scope.
 */
#ifndef IWARP_PLUGINS_RPCRDMA_IB_FLOW_H
#define IWARP_PLUGINS_RPCRDMA_IB_FLOW_H

#include "plugins/rpcrdma/flow.h"

/* A frame with a packet of a connection that is watched. */
struct ib_frame {
    struct rpcrdma_flow *flow;
    uint8_t side;                  /* that sent the packet */
    struct kept_segment *segments; /* told of in this frame, in order: its own packet, and those that waited for it */
    bool repeated;                 /* its octets came before */
    const struct ib_opcode_info *cut; /* what was cut by the snap length, and to which queue pair; NULL: nothing */
    uint32_t qp;
    uint32_t taken_in; /* its own packet was told of in that later frame; 0: in this one, or never */
};

/* First pass; again for the same frame does nothing. always: its connection is RPC-over-RDMA, if it is a new one. */
void rpcrdma_ib_feed(const packet_info *pinfo, bool always);
/* Each frame, of whatever protocol: the time of the last one is the end of the capture. */
void rpcrdma_ib_clock(const packet_info *pinfo);
/* NULL: its packet belongs to no connection that is known. */
const struct ib_frame *rpcrdma_ib_frame(uint32_t number);

/* For flow.c: a segment of the flow is kept. */
void rpcrdma_ib_keep(struct rpcrdma_flow *flow, struct kept_segment *segment);
/* A packet of a Send, before the engine knows whether it makes it complete. */
void rpcrdma_ib_open_send(struct rpcrdma_flow *flow, struct kept_segment *segment, bool first);
void rpcrdma_ib_close_send(struct rpcrdma_flow *flow, const struct rpcrdma_message *message);
/* A message, or a move that makes a Call complete. */
void rpcrdma_ib_note_untold(struct rpcrdma_flow *flow, struct kept_segment *segment);
/* The next segment with an RPC message whose frame was shown before its connection was known; NULL: none is left. */
const struct kept_segment *rpcrdma_ib_next_untold(struct rpcrdma_flow *flow);

void rpcrdma_ib_flow_register(void);

#endif
