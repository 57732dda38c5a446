/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the parts of an RPC-over-RDMA end share: its life and sending (rpc_end.c), requester, responder, errors. */
#ifndef IWARP_TRAFFIC_ENDS_RPC_END_INTERNAL_H
#define IWARP_TRAFFIC_ENDS_RPC_END_INTERNAL_H

#include "traffic-gen/ends/rpc_end.h"
#include "traffic-gen/sim/random.h"
#include "wire/nfs.h"

/* Memory that is offered to the peer, or that a Read fills: adjacent segments. */
struct rpc_chunk {
    uint8_t *octets; /* owned by whoever made it */
    size_t n;
    struct rpcrdma_segment *segments;
    uint32_t n_segments;
};

/* This side's Call, from rpc_end_call() until its end. */
struct rpc_call {
    uint64_t cookie;
    uint32_t xid;
    struct rpc_end_message message; /* octets owned */
    struct rpc_end_how how;
    const struct nfs_procedure *procedure; /* NULL: not known */
    bool is_protected;                     /* by RPCSEC_GSS: its items cannot be seen */
    uint8_t *payload;                      /* of a Long Call */
    size_t payload_n;
    struct rpc_chunk body;                     /* Position-Zero Read chunk */
    struct rpc_chunk reads[RPC_END_ITEMS_MAX]; /* of the message's items; without segments: not reduced */
    struct rpc_chunk writes[RPC_END_ITEMS_MAX];
    unsigned n_writes;
    struct rpc_chunk reply;
};

/* A peer's Call in service, until its answer is posted. */
struct rpc_served {
    uint64_t id;
    struct rpcrdma_header header;
    uint8_t *octets; /* of the Send */
    size_t n;
    GArray *reads;   /* of struct rpcrdma_read_segment, by Position */
    GArray *offered; /* of struct rpcrdma_segment: those of all chunks */
    struct rpc_chunk sink;
    uint32_t sink_stag;
    unsigned reads_left;
    bool flushed; /* a Read could not be done */
    bool told;    /* the upper layer has it */
};

struct rpc_end {
    struct rpc_end_options options;
    struct rpc_end_events events;
    struct rpc_end_spoil spoil;
    struct random_source random;
    struct memory *memory;
    struct qp *qp;
    uint8_t private_data[8];
    bool up, over;
    uint32_t inline_out, inline_in; /* thresholds for what is sent and received */
    bool invalidates;               /* both ends set R: Replies may go by Send with Invalidate */
    /* Requester. */
    uint32_t granted;  /* by the peer */
    GQueue waiting;    /* struct rpc_call, for a credit */
    GHashTable *calls; /* XID -> struct rpc_call, in flight */
    /* Responder. */
    uint64_t next_id;
    GHashTable *served; /* id -> struct rpc_served */
};

/* What a completion is about, in the lowest bits of its cookie. */
enum { RPC_COOKIE_NONE, RPC_COOKIE_READ, RPC_COOKIE_ANSWER, RPC_COOKIE_BITS = 2 };

/* ---- rpc_end.c ---- */

bool rpc_end_post(struct rpc_end *end, struct qp_work *work);
/* Header and payload in a Send. invalidate: 0, or the STag. answer: it frees the Receive buffer of a Call. */
void rpc_end_send(struct rpc_end *end, struct rpcrdma_plan *plan, const uint8_t *payload, size_t n, uint32_t invalidate,
                  bool answer);

/* ---- rpc_end_chunks.c ---- */

/* Registers chunk->octets in so many segments. */
void rpc_chunk_offer(struct rpc_end *end, struct rpc_chunk *chunk, unsigned segments, unsigned rights);
/* Revokes access; the octets stay. */
void rpc_chunk_withdraw(struct rpc_end *end, struct rpc_chunk *chunk);
size_t rpc_read_list_size(uint32_t segments);
size_t rpc_write_chunk_size(uint32_t segments);
/* Items that are not in the message in order, and those after them, are left out. */
void rpc_message_check_items(struct rpc_end_message *message);
/* The message without the removed items. */
size_t rpc_message_reduced_size(const struct rpc_end_message *message, const bool *taken);
void rpc_message_reduce(const struct rpc_end_message *message, const bool *taken, uint8_t *out);

/* ---- rpc_end_binding.c ---- */

struct rpc_returned {
    uint64_t n; /* octets in the Write chunk */
    bool offered;
};

/* Whether every reduced item may be reduced (RFC 8267), and its length word is right. */
bool rpc_binding_allows(const struct rpc_end_message *call, const struct rpc_message *header);
/*
 * Puts the contents of Write chunks where they belong in the Reply p[0..n): *out is the whole; fill() appends the
 * octets of chunk k. False when they belong nowhere.
 */
bool rpc_binding_rebuild(const struct rpc_call *call, const uint8_t *p, size_t n, bool is_long,
                         const struct rpc_returned *returned, unsigned n_returned,
                         void (*fill)(void *ctx, unsigned k, GByteArray *to), void *ctx, struct rpc_end_message *out);

/* ---- rpc_end_call.c ---- */

void rpc_call_free(struct rpc_end *end, struct rpc_call *call);
void rpc_end_pump(struct rpc_end *end);
/* Reply and RDMA_ERROR: RPC_END_SERVE, or what to do instead. */
enum rpc_end_answer rpc_end_take_reply(struct rpc_end *end, const struct rpc_end_incoming *reply);
enum rpc_end_answer rpc_end_take_error(struct rpc_end *end, const struct rpc_end_incoming *error);
void rpc_end_lose_calls(struct rpc_end *end);

/* ---- rpc_end_serve.c ---- */

void rpc_served_free(struct rpc_end *end, struct rpc_served *served);
void rpc_end_serve(struct rpc_end *end, const struct rpc_end_incoming *call);
void rpc_end_read_done(struct rpc_end *end, uint64_t id, bool ok);

/* ---- rpc_end_errors.c ---- */

void rpc_end_receive(struct rpc_end *end, const struct qp_message *message);
enum rpc_end_answer rpc_end_decide(struct rpc_end *end, const struct rpc_end_incoming *incoming,
                                   enum rpc_end_answer due);
/* One of the answers but RPC_END_SERVE. */
void rpc_end_answer(struct rpc_end *end, const struct rpcrdma_header *call, enum rpc_end_answer answer);

#endif
