/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One connection in the plugin. The ddp_rdmap plugin, or engine/ib/ib_connections, delivers the events of the layers
 * below; the engine's RPC-over-RDMA layer and NFS binding judge them, and their events are recorded by Send, by Tagged
 * segment or packet, and by transaction, with the octets that RDMA operations moved, so that RPC messages can be
 * rebuilt. All of this happens on the first pass; later passes only read it. Memory is of file scope.
 */
#ifndef IWARP_PLUGINS_RPCRDMA_FLOW_H
#define IWARP_PLUGINS_RPCRDMA_FLOW_H

#include "plugins/border/rdmap_listener.h"
#include "plugins/common/judge.h"

#include "engine/nfs/rpcrdma_ulp.h"
#include "engine/rpcrdma/rpcrdma_record.h"
#include "engine/stack/stack_ib.h"

#include "wire/rpcrdma_private_data.h"

/* An RDMA operation that moved octets of a chunk segment. */
struct kept_operation {
    struct kept_operation *next; /* of the segment, in order of appearance */
    struct kept_offer *offer;
    uint64_t number; /* of the engine */
    bool read;
    uint32_t request_frame; /* Reads; 0: not seen */
    uint32_t first_frame, last_frame;
    uint64_t octets;
};

/* A chunk segment that a Call offers. */
struct kept_offer {
    struct rpcrdma_segment target;
    uint64_t start; /* octets of the chunk before it */
    uint64_t octets;
    struct kept_operation *operations, *last_operation;
};

/* Octets of a chunk that DDP segments moved, one after the other. */
struct kept_part {
    struct kept_part *next;
    uint64_t offset; /* in the chunk */
    uint32_t length, room;
    uint32_t head;    /* octets of the block before its own: for what precedes them in the message */
    uint8_t *block;   /* owned, and not of file scope: needed until the message is complete; NULL: now the message's */
    guint at_the_end; /* what frees it with the file */
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
};

/* Where octets of a whole RPC message come from. */
struct kept_piece {
    uint32_t from, length, have;    /* only the first `have` octets are available */
    const struct kept_chunk *chunk; /* NULL: not reduced */
    bool roundup;                   /* neither in a chunk nor inline */
};

/* A whole RPC message, before reduction. */
struct kept_rpc {
    bool reply;
    bool plain;            /* all of it is inline, in the Send; nothing else is known of it */
    uint32_t complete_in;  /* frame with its last octets; 0: not (yet) known */
    bool given_up;         /* its last octets never came: its Send shows as much as there is */
    const uint8_t *octets; /* NULL when plain */
    uint32_t length, have; /* octets from `have` on are missing */
    struct kept_piece *pieces;
    unsigned n_pieces;
    const struct kept_chunk *from;     /* Position-Zero Read chunk or Reply chunk; NULL: the rest was inline */
    const struct kept_chunk *unplaced; /* a chunk whose position is not known, or NULL */
};

enum { KEPT_OPERATIONS_MAX = 128 }; /* numbers beyond it are in no statistics */

/* There are half as many as Sends: without gaps between its members. */
struct kept_transaction {
    uint64_t number; /* of the connection, from 1 */
    uint32_t xid;
    enum rpcrdma_outcome outcome;
    uint32_t call_frame, answer_frame;
    int64_t call_time_ns;
    uint32_t program, version, procedure;
    uint32_t waiting_n;                            /* octets of `waiting` */
    uint64_t operations[KEPT_OPERATIONS_MAX / 64]; /* of a COMPOUND: a set of their numbers */
    struct kept_chunk *chunks;
    unsigned n_chunks, first_write, n_writes; /* Read chunks, Write chunks, Reply chunk */
    uint8_t side;                             /* that calls */
    bool reverse;
    bool known;            /* program, version and procedure are */
    struct kept_rpc *call; /* waits for its Read chunks until it is complete or given up */
    struct kept_transaction *next_waiting;
    const uint8_t *waiting; /* inline part of such a Call */
};

/* InfiniBand: the packets of a Send. */
struct kept_sent {
    const uint8_t *octets; /* of several, or of one that was held back; NULL: the payload of that in its frame */
    int64_t received_ns;
    uint32_t n;
    uint32_t first_in, last_in; /* frame of its first packet, and the one that completes it */
    uint32_t received_in;       /* the latest copy before it was acknowledged; 0: it was not sent again */
};

/* A Send. */
struct kept_message {
    struct kept_transaction *transaction; /* NULL: none */
    struct kept_rpc *rpc;                 /* dissected here; NULL: none, or in a later frame */
    uint32_t in_use;                      /* outstanding transactions of the caller, including this one */
    uint32_t granted;                     /* Calls: latest grant; 0: not known */
    uint32_t threshold;                   /* octets */
    uint32_t header_len;
    enum rpcrdma_kind kind;
    bool repeated; /* another Send of the same Call, or a second answer */
    bool reverse;  /* belongs to a transaction that the server calls */
    bool empty;    /* has no octets */
    bool negotiated;
    bool call_given_up; /* the Call that it answers was never complete */
    bool infiniband;
    struct kept_sent sent[]; /* InfiniBand: one; otherwise none */
};

static inline const struct kept_sent *kept_sent_of(const struct kept_message *message)
{
    static const struct kept_sent whole;

    return message->infiniband ? message->sent : &whole;
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
    struct kept_rpc *completes; /* the Call that it completes, or NULL */
    const struct kept_operation *operation;
};

/* A packet of InfiniBand. */
struct kept_packet {
    int64_t time_ns;
    uint32_t own_frame;                 /* of the packet: before record.frame if it was held back */
    const struct kept_message *part_of; /* the Send that it belongs to, once known */
    bool of_send;
    struct kept_segment *next_in_frame; /* reported in the same frame */
    struct kept_segment *next_in_send, *next_untold;
};

/* A DDP Segment, a packet of InfiniBand, or a start-up frame. */
struct kept_segment {
    struct record record;
    struct kept_message *message;
    struct kept_move *move;
    struct kept_packet *packet; /* InfiniBand; NULL on iWARP */
    uint8_t side;               /* that sent it */
};

/* The private data of a side: RFC 8797. */
struct kept_startup {
    uint32_t frame; /* 0: not seen */
    bool told;
    struct rpcrdma_private_data data;
};

struct rpcrdma_flow {
    uint32_t connection;
    uint32_t tcp_stream;   /* as Wireshark numbers them */
    uint64_t transactions; /* so far */
    bool infiniband;
    bool recognised;                /* as RPC-over-RDMA */
    bool seems;                     /* InfiniBand: likewise, by a Send that was cut; it is only shown */
    struct judge judge;             /* its records: struct kept_segment */
    struct kept_startup startup[2]; /* by enum mpa_startup_kind */
    /* First pass only. */
    struct kept_segment *latest_segment;
    struct kept_move *spare_move; /* to be used next, or NULL */
    struct stack_options layers;
    struct rpcrdma_own rpcrdma;
    struct ulp_own own[2];       /* rpcrdma */
    struct endpoint endpoint[2]; /* by side; only the addresses matter */
    int64_t start_ns;
    struct rpcrdma_history_record *record; /* of a connection that has ended, until all have */
    wmem_map_t *operations;                /* number -> struct kept_operation */
    struct kept_transaction *waiting;      /* their Calls have waited for Read chunks */
    uint32_t outstanding[2], granted[2];   /* by the side that calls */
    struct stack_ib ib;
    struct ib_rc_events up;
    const uint32_t *now;                                 /* InfiniBand: the frame that is being dissected */
    uint32_t latest[2];                                  /* by side: frame of the request that was taken last */
    const struct remark *mark[2];                        /* by side: the latest finding at that time */
    struct kept_segment *open_send[2], *last_of_send[2]; /* by side: packets of the Send that is not complete */
    uint64_t repeats;                                    /* retransmissions so far */
    struct kept_answer *answers[2];                      /* by side: the latest ANSWERS_KEPT; NULL: there was none */
    unsigned n_answers[2];
    struct kept_segment *untold, *last_untold; /* of frames that were dissected before their connection was known */
};

void rpcrdma_flow_register(void);
/* First pass; NULL: it carries none so far. */
const struct rpcrdma_connection *rpcrdma_flow_connection(const struct rpcrdma_flow *flow);
/* First pass: begin() of struct rdmap_listener; always: the connection is RPC-over-RDMA, whatever it looks like. */
void rpcrdma_flow_listen(const struct rdmap_listeners *connection, struct rdmap_listener *listener, bool always);
/* Once the first pass is over, what connections prove about each other is in their records. */
void rpcrdma_flow_judge_ended(void);
/* NULL when it is not known. */
struct rpcrdma_flow *rpcrdma_flow_find(uint32_t connection);
/* Transactions of the connections in this TCP stream. */
uint64_t rpcrdma_flow_transactions(uint32_t tcp_stream);
/* First pass: a new connection of InfiniBand. always: it is RPC-over-RDMA, whatever it looks like. NULL when out of
 * memory. */
/* The connection is over: a struct rpcrdma_flow. */
void rpcrdma_flow_over(void *ctx);
struct rpcrdma_flow *rpcrdma_flow_of_ib(const struct ib_connection *connection, bool always);
const struct kept_segment *rpcrdma_flow_segment(const struct rpcrdma_flow *flow, const struct place *place);
/* What the Info column has of an RDMA operation on a chunk: struct rdmap_listener. */
const char *rpcrdma_move_brief(uint32_t connection, const struct place *place);
/* Findings at a frame of which nothing else is shown. */
void rpcrdma_draw_found(const struct remark *remarks, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree);
/* Findings at a frame that belong to no record in it; in draw.c. */
void rpcrdma_draw_bare(uint32_t connection, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree);
/* First pass: likewise, to be changed. */
struct kept_segment *rpcrdma_flow_change(struct rpcrdma_flow *flow, const struct place *place);

/* ---- record.c: the engine's events about messages and moves ---- */

void rpcrdma_record_message(struct rpcrdma_flow *flow, const struct rpcrdma_message *message);
void rpcrdma_record_payload(const struct rpcrdma_payload *payload);
/* The end of the capture. */
void rpcrdma_record_finish(struct rpcrdma_flow *flow);
void rpcrdma_record_move(struct rpcrdma_flow *flow, const struct rpcrdma_move *move);

/* ---- rebuild.c ---- */

/* Keeps a copy of octets that were moved, at this offset in the chunk. */
void rpcrdma_keep_part(struct kept_chunk *chunk, uint64_t offset, const uint8_t *p, uint32_t n);

/* Whether all Read chunks of the Call were moved. */
bool rpcrdma_call_complete(const struct kept_transaction *kept, const struct rpcrdma_transaction *transaction);
/*
 * Rebuilds the message from its inline part p[0..n) and the available octets of its chunks. body says where items were
 * reduced; it may be NULL or unknown.
 */
void rpcrdma_rebuild(struct kept_rpc *rpc, const struct kept_transaction *kept, const struct rpcrdma_body *body,
                     const uint8_t *p, uint32_t n);

#endif
