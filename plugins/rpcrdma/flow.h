/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * RPC-over-RDMA of one connection, on iWARP, InfiniBand or RoCE: the events of the engine are recorded by Send, by
 * Tagged segment or packet, and by transaction, with the octets that RDMA operations moved, so that RPC messages can be
 * rebuilt. This happens on the first pass; later passes only read. Memory is of file scope.
 */
#ifndef IWARP_PLUGINS_RPCRDMA_FLOW_H
#define IWARP_PLUGINS_RPCRDMA_FLOW_H

#include "plugins/common/connection.h"
#include "plugins/common/judge.h"

#include "engine/ib/ib_rc.h"
#include "engine/rpcrdma/rpcrdma_record.h"
#include "engine/stack/rpcrdma_ulp.h"

#include "wire/rpcrdma_private_data.h"

/* An RDMA operation that moved octets of a chunk segment. */
struct kept_operation {
    struct kept_operation *next; /* of the segment, in order of appearance */
    struct kept_offer *offer;
    uint64_t number; /* numbered by the engine */
    bool read;
    uint32_t request_frame; /* Reads; 0: not seen */
    uint32_t first_frame, last_frame;
    uint64_t octets;
};

/* A chunk segment that a Call offers. */
struct kept_offer {
    struct rpcrdma_segment target;
    uint64_t start; /* octets of the chunk before this segment */
    uint64_t octets;
    struct kept_operation *operations, *last_operation;
};

/* Consecutive octets of a chunk that DDP segments moved. */
struct kept_part {
    struct kept_part *next;
    uint64_t offset; /* in the chunk */
    uint32_t length, room;
    uint32_t head;    /* octets of the block before the part's own: room for the octets before it in the message */
    uint8_t *block;   /* owned, not of file scope: needed until the message is complete; NULL: the message's now */
    guint at_the_end; /* the callback that frees it with the file */
};

struct kept_chunk {
    enum rpcrdma_chunk_kind kind;
    uint32_t position, number;
    uint32_t n;
    struct kept_offer *offers;
    uint64_t length; /* offered */
    uint64_t octets; /* moved */
    bool has_returned;
    uint64_t returned; /* by the Reply's lists */
    struct kept_part *parts, *last_part;
    wmem_array_t *frames; /* uint32_t, of the segments that moved octets; NULL: none did */
};

/* Source of octets of a whole RPC message. */
struct kept_piece {
    uint32_t from, length, have;    /* only the first `have` octets are available */
    const struct kept_chunk *chunk; /* NULL: not reduced */
    bool roundup;                   /* neither in a chunk nor inline */
};

/* A whole RPC message, before reduction. */
struct kept_rpc {
    bool reply;
    bool plain;            /* the whole message is inline, in the Send; nothing else is known about it */
    uint32_t complete_in;  /* the last octets never came: the Send shows everything available */
    bool given_up;         /* the last octets never came: the Send shows as much as there is */
    const uint8_t *octets; /* NULL when plain */
    uint32_t length, have; /* octets from `have` on are missing */
    struct kept_piece *pieces;
    unsigned n_pieces;
    uint32_t waiting_n;                /* octets of `waiting` */
    const uint8_t *waiting;            /* of a Call with Read chunks: the inline part, or NULL */
    const struct kept_chunk *from;     /* Position-Zero Read chunk or Reply chunk; NULL: the rest was inline */
    const struct kept_chunk *unplaced; /* a chunk whose position is unknown, or NULL */
};

enum { KEPT_OPERATIONS_MAX = 128 }; /* larger numbers are in no statistics */

/* There are half as many as Sends: members are ordered without gaps. */
struct kept_transaction {
    uint64_t number; /* of the connection, from 1 */
    int64_t call_time_ns;
    uint64_t operations[KEPT_OPERATIONS_MAX / 64]; /* of a COMPOUND: the set of operation numbers */
    struct kept_chunk *chunks;
    struct kept_rpc *call; /* waits for its Read chunks until it is complete or given up */
    uint32_t xid, program, version, procedure;
    uint32_t call_frame, answer_frame;
    uint32_t copy_of;                         /* frame of the Call of which this one is a copy; 0: none */
    uint32_t refused_in;                      /* the frame in which an RDMA operation was refused; 0: none was */
    uint16_t n_chunks, first_write, n_writes; /* Read chunks, Write chunks, Reply chunk */
    enum rpcrdma_outcome outcome : 8;
    unsigned side : 1; /* the caller */
    bool reverse : 1;
    bool copy_answered : 1; /* another copy of the Call was answered */
    bool known : 1;         /* program, version and procedure are known */
};

/* InfiniBand: a Send of several packets, or one that was held back or sent again. */
struct kept_sent {
    const uint8_t *octets; /* NULL: the payload of its frame */
    int64_t received_ns;
    uint32_t n;
    uint32_t first_in, last_in; /* frame of the first packet, and the frame that completes the Send */
    uint32_t received_in;       /* the latest copy before the acknowledgment; 0: the Send was not sent again */
};

/* A Send. */
struct kept_message {
    struct kept_transaction *transaction; /* NULL: none */
    struct kept_rpc *rpc;                 /* dissected here; NULL: none, or in a later frame */
    struct kept_sent *sent;               /* NULL: the Send is the payload of its frame, and was sent once */
    uint32_t in_use;                      /* outstanding transactions of the caller, including this one */
    uint32_t granted;                     /* Calls: latest grant; 0: unknown */
    uint32_t threshold;                   /* octets */
    uint32_t header_len;
    enum rpcrdma_kind kind : 8;
    bool repeated; /* another Send of the same Call, or a second answer */
    bool reverse;  /* belongs to a transaction that the server calls */
    bool empty;    /* has no octets */
    bool negotiated;
    bool call_given_up; /* the answered Call was never complete */
};

static inline const struct kept_sent *kept_sent_of(const struct kept_message *message)
{
    static const struct kept_sent whole;

    return message->sent ? message->sent : &whole;
}

/* InfiniBand: answers that may be sent again. */
enum { ANSWERS_KEPT = 64 };
struct kept_answer {
    uint64_t offset;
    struct kept_message *message; /* NULL: none */
};

/* What a Tagged segment or Read Request accesses. */
struct kept_move {
    struct kept_transaction *transaction;
    const struct kept_chunk *chunk;
    const struct kept_offer *offer;
    bool request;    /* a Read Request */
    uint64_t offset; /* in the chunk */
    uint64_t length;
    struct kept_rpc *completes; /* the Call that the move completes, or NULL */
    const struct kept_operation *operation;
};

/* Members that few packets of InfiniBand have. */
struct kept_packet {
    struct kept_segment *next_in_frame; /* reported in the same frame */
    struct kept_segment *next_in_send;
    const struct kept_message *part_of; /* the Send of several packets to which the packet belongs, once known */
    uint32_t held_from;                 /* the packet was held back: its own frame; 0: it was not */
};

/* InfiniBand: a segment with an RPC message whose frame was dissected before its connection was known. */
struct kept_untold {
    struct kept_untold *next;
    const struct kept_segment *segment;
    int64_t time_ns;
};

/* A DDP Segment, a packet of InfiniBand, or a start-up frame. */
struct kept_segment {
    struct record record;
    struct kept_message *message;
    struct kept_move *move;
    struct kept_packet *packet; /* InfiniBand: shared and empty unless something is in it; NULL on iWARP */
    uint8_t side;               /* the sender */
    bool of_send;               /* InfiniBand: a packet of a Send */
    uint32_t refused_in;        /* the frame in which the receiver refused it; 0: it did not */
};

/* The frame of the segment; on InfiniBand it may be earlier than the frame of the record. */
static inline uint32_t kept_own_frame(const struct kept_segment *segment)
{
    return segment->packet && segment->packet->held_from != 0 ? segment->packet->held_from : segment->record.frame;
}

/* The private data of a side: RFC 8797. */
struct kept_startup {
    uint32_t frame; /* 0: not seen */
    bool told;
    struct rpcrdma_private_data data;
};

struct rpcrdma_flow {
    struct connection *connection;
    struct rpcrdma_flow *next; /* the previous flow of the file */
    uint64_t transactions;     /* so far */
    bool infiniband;
    bool recognised;                /* as RPC-over-RDMA */
    bool seems;                     /* InfiniBand: recognised by a Send that was cut; only shown, not judged */
    struct judge judge;             /* its records: struct kept_segment */
    struct kept_startup startup[2]; /* by enum mpa_startup_kind */
    /* First pass only. */
    struct kept_segment *latest_segment;
    struct kept_move *spare_move;         /* for the next move, or NULL */
    struct rpcrdma_across_record *record; /* of a connection that has ended; kept until all connections have */
    wmem_map_t *operations;               /* number -> struct kept_operation */
    struct kept_waiting {                 /* Calls that have waited for Read chunks */
        struct kept_waiting *next;
        struct kept_transaction *transaction;
    } * waiting;
    uint32_t outstanding[2], granted[2];                 /* by the calling side */
    bool copied;                                         /* a Call was sent again */
    const uint32_t *now;                                 /* InfiniBand: the current frame */
    uint32_t latest[2];                                  /* by side: frame of the latest request */
    const struct remark *mark[2];                        /* by side: the latest finding at that time */
    struct kept_segment *open_send[2], *last_of_send[2]; /* by side: packets of the incomplete Send */
    uint64_t repeats;                                    /* retransmissions so far */
    struct kept_answer *answers[2];                      /* by side: the latest ANSWERS_KEPT; NULL: none */
    unsigned n_answers[2];
    struct kept_untold *untold, *last_untold;
};

void rpcrdma_flow_register(void);
/* First pass. NULL: the connection carries no RPC-over-RDMA so far. */
const struct rpcrdma_connection *rpcrdma_flow_connection(const struct rpcrdma_flow *flow);
/* The setup of a connection's stack. always: the connection is treated as RPC-over-RDMA in any case. */
const struct ulp_own *rpcrdma_flow_own(bool always);
/* First pass: a connection that may carry RPC-over-RDMA. now: on InfiniBand, the current frame; otherwise NULL. */
struct rpcrdma_flow *rpcrdma_flow_begin(struct connection *connection, const uint32_t *now);
/* First pass: the taps of struct stack_taps. */
void rpcrdma_flow_on_startup(struct rpcrdma_flow *flow, const struct mpa_startup_event *event);
void rpcrdma_flow_on_segment(struct rpcrdma_flow *flow, const struct rdmap_segment_event *event);
void rpcrdma_flow_on_terminate(struct rpcrdma_flow *flow, const struct rdmap_terminate_event *event);
void rpcrdma_flow_on_part(struct rpcrdma_flow *flow, const struct rdma_part *part);
void rpcrdma_flow_on_refusal(struct rpcrdma_flow *flow, const struct rdma_refusal *refusal);
void rpcrdma_flow_on_private_data(struct rpcrdma_flow *flow, const struct rdma_private_data *data);
/* First pass: the stack was finished, at the end of the connection or of the capture. */
void rpcrdma_flow_finish(struct rpcrdma_flow *flow, int64_t time_ns);
/* After the first pass, when all connections have ended: judges what connections prove about each other. */
void rpcrdma_flow_judge_ended(void);
void rpcrdma_flow_file_opened(void);
/* Transactions of the connections in this TCP stream, or of the connection with this number on InfiniBand. */
uint64_t rpcrdma_flow_transactions(bool infiniband, uint32_t stream);
const struct kept_segment *rpcrdma_flow_segment(const struct rpcrdma_flow *flow, const struct place *place);
/* Draws findings at a frame of which nothing else is shown. */
void rpcrdma_draw_found(const struct remark *remarks, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree);
/* First pass: the same segment, which may be changed. */
struct kept_segment *rpcrdma_flow_change(struct rpcrdma_flow *flow, const struct place *place);

/* ---- record.c: the engine's events about messages and moves ---- */

void rpcrdma_record_message(struct rpcrdma_flow *flow, const struct rpcrdma_message *message);
void rpcrdma_record_payload(const struct rpcrdma_payload *payload);
/* The end of the capture. */
void rpcrdma_record_finish(struct rpcrdma_flow *flow);
void rpcrdma_record_move(struct rpcrdma_flow *flow, const struct rpcrdma_move *move);

/* ---- rebuild.c ---- */

/* Keeps a copy of the octets that were moved to this offset in the chunk. */
void rpcrdma_keep_part(struct kept_chunk *chunk, uint64_t offset, const uint8_t *p, uint32_t n);

/* Whether all Read chunks of the Call were moved. */
bool rpcrdma_call_complete(const struct kept_transaction *kept, const struct rpcrdma_transaction *transaction);
/*
 * Rebuilds the message from its inline part p[0..n) and the available octets of its chunks. body says where items were
 * reduced; body may be NULL or unknown.
 */
void rpcrdma_rebuild(struct kept_rpc *rpc, const struct kept_transaction *kept, const struct rpcrdma_body *body,
                     const uint8_t *p, uint32_t n);

#endif
