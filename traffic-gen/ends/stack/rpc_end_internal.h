/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the parts of an RPC-over-RDMA end: its life and sending (rpc_end.c), requester, responder, errors. */
#ifndef IWARP_TRAFFIC_ENDS_STACK_RPC_END_INTERNAL_H
#define IWARP_TRAFFIC_ENDS_STACK_RPC_END_INTERNAL_H

#include "traffic-gen/ends/stack/rpc_end.h"
#include "traffic-gen/speak/sim/random.h"
#include "wire/nfs.h"

/* Memory offered to the peer, or filled by a Read: adjacent segments. */
struct rpc_chunk {
    uint8_t *octets; /* owned by its creator */
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
    const struct nfs_procedure *procedure; /* NULL: unknown */
    bool is_protected;                     /* by RPCSEC_GSS: its items are hidden */
    uint8_t *payload;                      /* of a Long Call */
    size_t payload_n;
    struct rpc_chunk body;                     /* Position-Zero Read chunk */
    struct rpc_chunk reads[RPC_END_ITEMS_MAX]; /* for the message's items; without segments: not reduced */
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
    GArray *offered; /* of struct rpcrdma_segment, from all chunks */
    struct rpc_chunk sink;
    uint32_t sink_stag;
    unsigned reads_left;
    bool flushed; /* a Read failed */
    bool told;    /* the upper layer has received it */
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
    uint32_t inline_out, inline_in; /* thresholds for sending and receiving */
    bool invalidates;               /* both ends set R: Replies may use Send with Invalidate */
    /* Requester. */
    uint32_t granted;  /* by the peer */
    GQueue waiting;    /* struct rpc_call, waiting for a credit */
    GHashTable *calls; /* XID -> struct rpc_call, in flight */
    /* Responder. */
    uint64_t next_id;
    GHashTable *served; /* id -> struct rpc_served */
};

/* The kind of work that a completion belongs to, in the lowest bits of its cookie. */
enum { RPC_COOKIE_NONE, RPC_COOKIE_READ, RPC_COOKIE_ANSWER, RPC_COOKIE_BITS = 2 };

/* ---- rpc_end.c ---- */

bool rpc_end_post(struct rpc_end *end, struct qp_work *work);
/* Sends header and payload. invalidate: 0, or the STag. answer: frees the Receive buffer of a Call. */
void rpc_end_send(struct rpc_end *end, struct rpcrdma_plan *plan, const uint8_t *payload, size_t n, uint32_t invalidate,
                  bool answer);

/* ---- rpc_end_chunks.c ---- */

/* Registers chunk->octets in this many segments. */
void rpc_chunk_offer(struct rpc_end *end, struct rpc_chunk *chunk, unsigned segments, unsigned rights);
/* Ends access; the octets stay. */
void rpc_chunk_withdraw(struct rpc_end *end, struct rpc_chunk *chunk);
size_t rpc_read_list_size(uint32_t segments);
size_t rpc_write_chunk_size(uint32_t segments);
/* Drops items that are out of order in the message, and all items after them. */
void rpc_message_check_items(struct rpc_end_message *message);
/* The message without the removed items. */
size_t rpc_message_reduced_size(const struct rpc_end_message *message, const bool *taken);
void rpc_message_reduce(const struct rpc_end_message *message, const bool *taken, uint8_t *out);

/* ---- rpc_end_binding.c ---- */

struct rpc_returned {
    uint64_t n; /* octets in the Write chunk */
    bool offered;
};

/* Whether every reduced item may be reduced (RFC 8267) and has a right length word. */
bool rpc_binding_allows(const struct rpc_end_message *call, const struct rpc_message *header);
/*
 * Inserts the contents of Write chunks into the Reply p[0..n): *out is the whole; fill() appends the octets of chunk k.
 * False when they do not belong there.
 */
bool rpc_binding_rebuild(const struct rpc_call *call, const uint8_t *p, size_t n, bool is_long,
                         const struct rpc_returned *returned, unsigned n_returned,
                         void (*fill)(void *ctx, unsigned k, GByteArray *to), void *ctx, struct rpc_end_message *out);

/* ---- rpc_end_call.c ---- */

void rpc_call_free(struct rpc_end *end, struct rpc_call *call);
void rpc_end_pump(struct rpc_end *end);
/* Handles Reply and RDMA_ERROR: returns RPC_END_SERVE, or another answer. */
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
/* Sends any of the answers except RPC_END_SERVE. */
void rpc_end_answer(struct rpc_end *end, const struct rpcrdma_header *call, enum rpc_end_answer answer);

#endif
