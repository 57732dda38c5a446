/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Connections of InfiniBand and RoCE in the plugin. Wireshark's InfiniBand dissector passes on payload and private
 * data, but no Acknowledges, no Atomics, no connection management without private data, and no packets cut by the snap
 * length. Therefore each of its frames is decapsulated again on the first pass, as iwarp-check does it; the packets go
 * to engine/ib_connections, and from there to a stack for each connection. What the stack reported in a frame is looked
 * up by the frame's number. Memory is of file scope.
 */
#ifndef IWARP_PLUGINS_RPCRDMA_IB_FLOW_H
#define IWARP_PLUGINS_RPCRDMA_IB_FLOW_H

#include "plugins/rpcrdma/flow.h"

/* A frame with a packet of a known connection. */
struct ib_frame {
    struct rpcrdma_flow *flow;
    uint8_t side; /* that sent the packet */
    struct kept_segment
        *segments;   /* reported in this frame, in order: its own packet, and those that were held until it came */
    bool repeated;   /* a retransmission */
    uint32_t copies; /* then: the frame of the latest copy before it; 0: it is not near */
    uint32_t psn;
    const struct ib_opcode_info *info; /* of its own packet */
    const struct ib_opcode_info *cut;  /* of a packet cut by the snap length; NULL: it is complete */
    uint32_t qp;
    uint32_t payload_at, payload_captured, payload_len; /* cut: of the payload, in the frame; at 0: it is not there */
    bool waits;                                         /* out of order: its own packet was not reported when it came */
    uint32_t taken_in; /* the later frame in which its own packet was reported; 0: in this one, or never */
};

/* First pass; a second call for the same frame has no effect. always: a new connection is RPC-over-RDMA. */
void rpcrdma_ib_feed(const packet_info *pinfo, bool always);
/* For each frame of any protocol: the last one determines the time of the end of the capture. */
void rpcrdma_ib_clock(const packet_info *pinfo);
/* NULL: its packet belongs to no known connection. */
const struct ib_frame *rpcrdma_ib_frame(uint32_t number);

/* Called by flow.c: a new segment of the flow. */
void rpcrdma_ib_keep(struct rpcrdma_flow *flow, struct kept_segment *segment);
/* A packet of a Send, before the engine reports the Send. */
void rpcrdma_ib_open_send(struct rpcrdma_flow *flow, struct kept_segment *segment, bool first);
void rpcrdma_ib_close_send(struct rpcrdma_flow *flow, const struct rpcrdma_message *message);
/* A message, or a move that completes a Call. */
void rpcrdma_ib_note_untold(struct rpcrdma_flow *flow, struct kept_segment *segment);
/* The next segment with an RPC message whose frame was dissected before its connection was known; NULL: there are no
 * more. */
const struct kept_segment *rpcrdma_ib_next_untold(struct rpcrdma_flow *flow);

void rpcrdma_ib_flow_register(void);

#endif
