/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files of RPC-over-RDMA; what other layers call. */
#ifndef IWARP_PLUGINS_RPCRDMA_RPCRDMA_PLUGIN_H
#define IWARP_PLUGINS_RPCRDMA_RPCRDMA_PLUGIN_H

#include "plugins/common/passed.h"
#include "plugins/rpcrdma/fields.h"
#include "plugins/rpcrdma/flow.h"

#include <epan/tap.h>

void rpcrdma_plugin_register(void);
void rpcrdma_plugin_handoff(void);
void rpcrdma_payload_handoff(void);
void rpcrdma_tap_register(void);
void rpcrdma_tap_handoff(void);
void rpcrdma_ib_register(void);
void rpcrdma_private_data_register(void);
void rpcrdma_ib_handoff(void);

/* ---- for the layers below ---- */

/* Whether the user has not disabled the layer. */
bool rpcrdma_is_enabled(void);
/*
 * Whether the user has assigned one of the ports to this protocol ("Decode As"). The registered port alone is not
 * enough evidence for judging: messages on it are only shown as RPC-over-RDMA.
 */
bool rpcrdma_is_chosen(const uint16_t port[2]);
/* Whether the connection is known to carry RPC-over-RDMA. */
bool rpcrdma_knows(const struct connection *connection);

enum rpcrdma_segment_answer {
    RPCRDMA_SEGMENT_FOREIGN, /* the upper layer is unknown */
    RPCRDMA_SEGMENT_OURS,    /* the upper layer is known: only Sends are offered to other dissectors */
    RPCRDMA_SEGMENT_SHOWN,   /* as above, and the payload of this segment was drawn */
};

/*
 * For each segment of a known connection, after the RDMAP tree, and before the payload is offered to any dissector; the
 * tvb holds the DDP payload.
 */
enum rpcrdma_segment_answer rpcrdma_call_segment(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree,
                                                 const struct passed *about);
/*
 * Text for the Info column if nothing else is shown for the Tagged segment without a tree; NULL: the segment must be
 * dissected. Valid until the next call.
 */
const char *rpcrdma_move_brief(const struct connection *connection, const struct place *place);
/* Draws findings at a frame that belong to no record in it. */
void rpcrdma_draw_bare(const struct connection *connection, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree);
/* Draws the block of RFC 8797, if there is one among these octets of private data, in the start-up frame's tree. */
void rpcrdma_draw_private_data(proto_tree *tree, tvbuff_t *tvb, int at, int length);
/* For each start-up frame; the tvb holds the private data of the upper layer, and may be empty. */
void rpcrdma_call_startup(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, const struct passed *about);

/* InfiniBand: whether the layer follows a connection that begins, and whether the user has chosen it for all payload.
 */
bool rpcrdma_ib_is_wanted(void);
bool rpcrdma_ib_is_forced(void);
/* The protocol of Wireshark's own that must not be asked about this payload; -1: all may be asked. */
int rpcrdma_ib_replaces(tvbuff_t *tvb);
/* Whether rpcrdma_ib_call() shows anything in a frame of RPC-over-RDMA whose payload Wireshark has not passed on. */
bool rpcrdma_ib_has_rest(const struct ib_frame *frame, uint32_t number);
/* True: the payload was shown. */
bool rpcrdma_ib_call(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, const struct ib_payload *payload);
/* For a ConnectRequest or ConnectReply; the tvb holds the private data. True: they were shown. */
bool rpcrdma_ib_call_private_data(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree,
                                  const struct ib_payload *payload);
/* Wireshark's table of payload dissectors: the user's choice by "Decode As". */
#define IB_DECODE_AS_TABLE "infiniband"

/* Shared by the functions that draw a Send, a Tagged segment or a start-up frame. */
struct rpcrdma_canvas {
    const struct rpcrdma_flow *flow;
    const struct kept_segment *segment; /* the record of the segment, or NULL */
    const struct kept_message *message; /* Sends; NULL: not an RPC-over-RDMA message */
    struct rpcrdma_header header;       /* Sends */
    const uint8_t *p;                   /* the octets of the Send */
    uint32_t n;
    tvbuff_t *tvb;
    packet_info *pinfo;
    proto_tree *root; /* the tree for protocols */
    proto_item *item;
    proto_tree *tree; /* below the protocol's item */
    uint8_t side;     /* InfiniBand, without a segment: the sender */
    bool more;        /* of a Send that was cut: it continues in later packets */
    bool against;     /* InfiniBand: sent by the receiver of the packet in this frame */
};

/* draw.c */
void rpcrdma_draw_message(struct rpcrdma_canvas *canvas);
/* A Send without octets, by which a client returns credits (RFC 8881 section 20.8.3). */
void rpcrdma_draw_empty(struct rpcrdma_canvas *canvas);
/*
 * A Send of which the engine made no message: its header was cut by the snap length, or is not a header. certain: the
 * connection is RPC-over-RDMA; if not, the octets must look like a header.
 */
bool rpcrdma_is_unrecorded(struct rpcrdma_canvas *canvas, bool certain);
/* To be called after rpcrdma_is_unrecorded(); canvas->message is NULL. */
void rpcrdma_draw_unrecorded(struct rpcrdma_canvas *canvas);
void rpcrdma_draw_remarks(struct rpcrdma_canvas *canvas);
void rpcrdma_draw_refused(const struct rpcrdma_canvas *canvas);
/* Adds a generated link to a frame, unless frame is 0. */
void rpcrdma_link(proto_tree *tree, int field, tvbuff_t *tvb, uint32_t frame);
void rpcrdma_number(proto_tree *tree, int field, tvbuff_t *tvb, uint64_t number);

/* For an answer to this Call: the time from the Call until the answer was received. */
int64_t rpcrdma_response_ns(const struct rpcrdma_canvas *canvas);
/* "NFS v3 READ"; call only if the procedure is known. */
const char *rpcrdma_procedure_name(wmem_allocator_t *pool, const struct kept_transaction *t);

/* builtin.c: adds the fields of the built-in dissector (plugins/common/builtin.h). */
void rpcrdma_builtin_message(const struct rpcrdma_canvas *canvas);
/* For a message that was reassembled here, and for a part of a message that is reassembled in `frame` (0: unknown). */
void rpcrdma_builtin_rebuilt(const struct rpcrdma_canvas *canvas, tvbuff_t *message, const struct kept_rpc *rpc);
void rpcrdma_builtin_rebuilt_in(const struct rpcrdma_canvas *canvas, uint32_t frame);
/* InfiniBand: for a Send, which may have several packets. */
void rpcrdma_builtin_sent(const struct rpcrdma_canvas *canvas);
void rpcrdma_builtin_move(const struct rpcrdma_canvas *canvas, const struct kept_move *move);
void rpcrdma_builtin_handoff(void);

/* draw_lists.c */
void rpcrdma_draw_lists(struct rpcrdma_canvas *canvas);
void rpcrdma_draw_operation(struct rpcrdma_canvas *canvas, proto_tree *tree, const struct kept_operation *operation);
/* "Read chunk at Position 148", "Write chunk 2", "Reply chunk" */
const char *rpcrdma_chunk_name(wmem_allocator_t *pool, const struct kept_chunk *chunk);
/* The same, put before `at`: see plugins/common/text_before.h. */
char *rpcrdma_chunk_name_before(char *at, const struct kept_chunk *chunk);

/* draw_moves.c */
/* True when the octets of the segment were drawn. */
bool rpcrdma_draw_move(struct rpcrdma_canvas *canvas);
void rpcrdma_draw_startup(struct rpcrdma_canvas *canvas, enum mpa_startup_kind kind);
/* InfiniBand: a packet of a Send that is dissected with its last packet. Returns true. */
bool rpcrdma_draw_part(struct rpcrdma_canvas *canvas);
/* InfiniBand: a packet that is dissected in a later frame. */
void rpcrdma_draw_waiting(struct rpcrdma_canvas *canvas, uint32_t frame);
/* InfiniBand: a retransmission. */
void rpcrdma_draw_repeated(struct rpcrdma_canvas *canvas, uint32_t copies, bool begins_send);

/* payload.c: passes the RPC message to its dissector. */
void rpcrdma_show_rpc(struct rpcrdma_canvas *canvas, const struct kept_rpc *rpc, bool reverse);
/*
 * Passes a Call to that dissector without drawing it, as if in the frame of its Send: Replies cannot be dissected
 * without their Calls.
 */
void rpcrdma_tell_rpc(struct rpcrdma_canvas *canvas, const struct kept_transaction *transaction);
/* The same for the RPC message of the canvas's segment, which came at that time. */
void rpcrdma_tell_segment(struct rpcrdma_canvas *canvas, int64_t time_ns);
/* Passes the captured part of the RPC message after the header. */
void rpcrdma_show_beginning(struct rpcrdma_canvas *canvas);
/* Shows the rest of a Send without an RPC message. */
void rpcrdma_show_rest(struct rpcrdma_canvas *canvas);

/* tap.c: queues a Send for the statistics. */
void rpcrdma_tap(struct rpcrdma_canvas *canvas);
/* Queues the RPC message of the canvas's Send or segment for "Follow". */
void rpcrdma_tap_rpc(const struct rpcrdma_canvas *canvas, tvbuff_t *message);
/* The packet belongs to this transaction, for Follow and Conversation Filter. */
void rpcrdma_tap_belongs(const struct rpcrdma_canvas *canvas, const struct kept_transaction *t);

/* ---- for followers: sub-streams are transactions, 0: all of them ---- */

#define RPCRDMA_FOLLOW "rpcrdma_follow" /* the tap */

/* The transaction of a drawn packet; 0: none. */
unsigned rpcrdma_follow_transaction(packet_info *pinfo);
/* False: 0, or Wireshark's number for "not used". */
bool rpcrdma_follow_is_one(unsigned transaction);
/* The listener of the tap; follow_info_t as its tapdata. */
tap_packet_status rpcrdma_follow_packet(void *tapdata, packet_info *pinfo, epan_dissect_t *edt, const void *data,
                                        tap_flags_t flags);
/* The transaction with this number of a connection with so many; if there is none, and `before`, the last. */
bool rpcrdma_follow_find(uint64_t transactions, unsigned number, bool before, unsigned *found);

#endif
