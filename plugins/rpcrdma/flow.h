/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One connection in the plugin: the ddp_rdmap plugin, or engine/ib_connections, tells what the layers below found, the
 * engine's RPC-over-RDMA layer and NFS binding judge it, and what they say is kept: per Send, per Tagged segment, per
 * transaction. The octets that RDMA operations move are kept, too, so that whole RPC messages can be shown wherever
 * they are asked for. This happens on the first pass only; afterwards all is read. Memory is of file scope.
 */
#ifndef IWARP_PLUGINS_RPCRDMA_FLOW_H
#define IWARP_PLUGINS_RPCRDMA_FLOW_H

#include "plugins/common/judge.h"
#include "plugins/rdmap_listener.h"

#include "engine/history.h"
#include "engine/stack_ib.h"

#include "wire/rpcrdma_private_data.h"

/* An RDMA operation that moved octets of a chunk segment. */
struct kept_operation {
    struct kept_operation *next; /* of the segment, in order of appearance */
    struct kept_offer *offer;
    uint64_t number; /* of RDMAP */
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

/* Octets of a chunk that one DDP segment moved. */
struct kept_part {
    struct kept_part *next;
    uint64_t offset; /* in the chunk */
    uint32_t length;
    const uint8_t *octets;
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
    uint32_t from, length, have;    /* of the octets, only the first `have` were captured */
    const struct kept_chunk *chunk; /* NULL: what was not taken out */
    bool roundup;                   /* in no chunk, and not inline */
};

/* A whole RPC message, as it was before any of it was put into chunks. */
struct kept_rpc {
    bool reply;
    bool plain;            /* all of it lies inline, in the Send */
    uint32_t complete_in;  /* frame that brought its last octets; 0: not (yet) known */
    bool given_up;         /* its last octets never came: it is shown, as far as it goes, with its Send */
    const uint8_t *octets; /* NULL when plain */
    uint32_t length, have; /* octets from `have` on are missing */
    struct kept_piece *pieces;
    unsigned n_pieces;
    const struct kept_chunk *from;     /* Position-Zero Read chunk or Reply chunk; NULL: the rest was inline */
    const struct kept_chunk *unplaced; /* a chunk that could not be put back, or NULL */
};

struct kept_transaction {
    uint64_t number; /* of the connection, from 1 */
    uint32_t xid;
    unsigned side; /* that calls */
    bool reverse;
    enum rpcrdma_outcome outcome;
    uint32_t call_frame, answer_frame;
    int64_t call_time_ns;
    bool known; /* program and so on */
    uint32_t program, version, procedure;
    struct kept_chunk *chunks;
    unsigned n_chunks, first_write, n_writes; /* Read chunks, Write chunks, Reply chunk */
    struct kept_rpc *call;                    /* waits for Read chunks while it is neither complete nor given up */
    struct kept_transaction *next_waiting;
    const uint8_t *waiting; /* inline part of such a Call */
    uint32_t waiting_n;
};

/* A Send. */
struct kept_message {
    enum rpcrdma_kind kind;
    struct kept_transaction *transaction; /* NULL: none */
    bool repeated;                        /* another Send of the same Call, or a second answer */
    bool reverse;                         /* belongs to a transaction that the server calls */
    uint32_t in_use;                      /* transactions outstanding on the caller's side, this one included */
    uint32_t granted;                     /* Calls: latest grant; 0: not known */
    uint32_t threshold;                   /* octets */
    bool negotiated;
    struct kept_rpc *rpc; /* to be shown here; NULL: none, or in a later frame */
    uint32_t header_len;
    bool call_given_up; /* what it answers never became complete */
    /* InfiniBand: a Send of several packets, or one that was taken up later than its last packet came. */
    const uint8_t *octets; /* NULL: they are those of the packet in the message's frame */
    uint32_t n;
    uint32_t first_in, last_in; /* frames of its packets */
};

/* What a Tagged segment or Read Request accesses. */
struct kept_move {
    struct kept_transaction *transaction;
    const struct kept_chunk *chunk;
    const struct kept_offer *offer;
    bool request;    /* a Read Request */
    uint64_t offset; /* in the chunk */
    uint64_t length;
    struct kept_rpc *completes; /* the Call that it makes complete, or NULL */
    const struct kept_operation *operation;
};

/* A DDP Segment, a packet of InfiniBand, or a startup frame. */
struct kept_segment {
    struct record record;
    struct kept_message *message;
    struct kept_move *move;
    /* InfiniBand: */
    uint8_t side; /* that sent it */
    int64_t time_ns;
    uint32_t own_frame;                 /* that its packet is in: before record.frame when it was held back */
    const struct kept_message *part_of; /* the Send that it is a part of, when that is known */
    struct kept_segment *next_in_frame; /* that was told of in the same frame */
    struct kept_segment *next_in_send, *next_untold;
};

/* What the private data of a side told: RFC 8797. */
struct kept_startup {
    uint32_t frame; /* 0: not seen */
    bool told;
    struct rpcrdma_private_data data;
};

struct rpcrdma_flow {
    uint32_t connection;
    bool infiniband;
    bool recognised;                /* as RPC-over-RDMA */
    struct judge judge;             /* its records: struct kept_segment */
    struct kept_startup startup[2]; /* by enum mpa_startup_kind */
    /* First pass only. */
    struct stack_options layers;
    struct endpoint endpoint[2]; /* by side; only the addresses matter */
    int64_t start_ns;
    wmem_map_t *operations;              /* number -> struct kept_operation */
    struct kept_transaction *waiting;    /* their Calls waited for Read chunks at some time */
    uint32_t outstanding[2], granted[2]; /* by the side that calls */
    struct stack_ib ib;
    struct kept_segment *open_send[2], *last_of_send[2]; /* by side: packets of the Send that is not complete */
    uint64_t repeats;                                    /* packets that repeat others, so far */
    struct kept_segment *untold, *last_untold; /* of frames that were shown before their connection was known */
};

void rpcrdma_flow_register(void);
/* First pass: the ddp_rdmap plugin tells of a new connection. False when memory is lacking. */
bool rpcrdma_flow_listen(struct rdmap_listener *listener, const packet_info *pinfo, bool always);
/* NULL when it is not known. */
struct rpcrdma_flow *rpcrdma_flow_find(uint32_t connection);
/* First pass: a connection of InfiniBand. always: it is RPC-over-RDMA, whatever it looks like. NULL: no memory. */
struct rpcrdma_flow *rpcrdma_flow_of_ib(const struct ib_connection *connection, bool always);
struct kept_segment *rpcrdma_flow_segment(const struct rpcrdma_flow *flow, const struct place *place);

/* ---- record.c: what the engine tells of messages and moves ---- */

void rpcrdma_record_message(struct rpcrdma_flow *flow, const struct rpcrdma_message *message);
void rpcrdma_record_payload(const struct rpcrdma_payload *payload);
/* The capture is at its end. */
void rpcrdma_record_finish(struct rpcrdma_flow *flow);
void rpcrdma_record_move(struct rpcrdma_flow *flow, const struct rpcrdma_move *move);

/* ---- rebuild.c ---- */

/* Whether all Read chunks of the Call were moved. */
bool rpcrdma_call_complete(const struct kept_transaction *kept, const struct rpcrdma_transaction *transaction);
/*
 * Puts the message together from its inline part p[0..n) and the chunks, as far as their octets are there. body tells
 * where items were taken out; it may be NULL or unknown.
 */
void rpcrdma_rebuild(struct kept_rpc *rpc, const struct kept_transaction *kept, const struct rpcrdma_body *body,
                     const uint8_t *p, uint32_t n);

#endif
