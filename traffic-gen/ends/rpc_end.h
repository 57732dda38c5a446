/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One end of an RPC-over-RDMA connection (RFC 8166, 8167, 8797): requester and responder at once, on a queue pair.
 * Credits, inline thresholds, chunks of every kind, errors answered as section 4.5 demands. The walker of wire/nfs.h
 * (RFC 8267) knows which items may be reduced; for other programs the caller says so.
 *
 * What the peer sends is bounded: a message by the inline threshold, Calls in service by the Receive buffers, which are
 * reposted when the answer is out, a Call's Read chunks by RPC_END_CALL_MAX and RPC_END_SEGMENTS_MAX.
 */
#ifndef IWARP_TRAFFIC_ENDS_RPC_END_H
#define IWARP_TRAFFIC_ENDS_RPC_END_H

#include "traffic-gen/ends/queue_pair.h"
#include "wire/rpc.h"
#include "wire/rpcrdma.h"
#include "wire/rpcrdma_private_data.h"

#include <glib.h>

enum {
    RPC_END_ITEMS_MAX = 16,
    RPC_END_CALL_MAX = 4 << 20,  /* octets of a Call that the peer may make, chunks included */
    RPC_END_SEGMENTS_MAX = 1024, /* in all chunks of a peer's Call */
};

/* Octets of an RPC message that may be moved by RDMA: the contents of a DDP-eligible item, without roundup. */
struct rpc_end_item {
    size_t at, n;
};

/* A whole RPC message, unreduced. */
struct rpc_end_message {
    uint8_t *p; /* g_malloc'd; the recipient frees it, unless said otherwise */
    size_t n;
    struct rpc_end_item items[RPC_END_ITEMS_MAX]; /* ascending */
    unsigned n_items;
};

/* How to send a Call; zero: as the sizes demand. */
struct rpc_end_how {
    bool long_call;    /* Position-Zero Read chunk whatever the size */
    bool keep_inline;  /* no Read chunks for items */
    bool reduce;       /* Read chunks for items whatever the size */
    unsigned segments; /* of each chunk; 0: 1 */
    size_t reply_max;  /* largest Reply expected, without what goes into Write chunks: offers a Reply chunk when that
                          does not fit inline */
    size_t results[RPC_END_ITEMS_MAX]; /* sizes of Write chunks for eligible results, in order; 0 ends, SIZE_MAX: empty
                                          chunk */
    bool urgent;                       /* ahead of all others, with the reserved credit */
};

enum rpc_end_result {
    RPC_END_REPLIED,
    RPC_END_ERR_VERS,
    RPC_END_ERR_CHUNK,
    RPC_END_LOST,    /* the connection is over */
    RPC_END_GARBAGE, /* a Reply whose chunks do not fit its results: a permanent error (section 6.1) */
    RPC_END_UNSENT,  /* the Transport header does not fit the inline threshold */
};

struct rpc_end_options {
    struct qp_options qp;             /* Receive buffers, and private data unless it has some, are set here */
    uint32_t send_size, receive_size; /* advertised in RFC 8797 private data; both 0: 1024, no private data */
    bool remote_invalidation;         /* not where the stream cannot */
    uint32_t credits;                 /* requested as requester, granted as responder; 0: 1 */
    bool keep_credit;                 /* one is reserved for health checks (RFC 8267 section 6.7.2) */
    bool backchannel_chunks;          /* a client that serves chunks in the reverse direction */
};

struct rpc_end_events {
    void *ctx;
    void (*established)(void *ctx, const struct mpa_end_terms *terms);
    /* reply is NULL unless RPC_END_REPLIED; borrowed. Its items are the eligible results. */
    void (*replied)(void *ctx, uint64_t cookie, enum rpc_end_result result, const struct rpc_end_message *reply);
    /*
     * A whole Call from the peer; borrowed. Its items are what came in Read chunks. Answered by rpc_end_reply() or
     * rpc_end_refuse() with this id, now or later.
     */
    void (*called)(void *ctx, uint64_t id, const struct rpc_end_message *call, const struct rpc_message *header);
    /* After the `replied` of every lost Call. */
    void (*ended)(void *ctx, bool orderly);
    /* As those of traffic-gen/ends/queue_pair.h. */
    void (*terminated)(void *ctx, bool ours, const struct rdmap_terminate *terminate);
    void (*failed)(void *ctx, enum mpa_end_error error);
    void (*broken)(void *ctx, enum qp_status status, const char *why);
};

struct rpc_end;

/* options and events are copied; stream is borrowed. Events that are NULL are left out. */
struct rpc_end *rpc_end_new(const struct rpc_end_options *options, const struct stream *stream,
                            const struct rpc_end_events *events, uint64_t seed);
/* Its events go to this context from here on; nothing spoils it any more. */
void rpc_end_hand_over(struct rpc_end *end, void *ctx);
/* Not from within an event. Calls are dropped without an event. */
void rpc_end_free(struct rpc_end *end);
/* Started, fed and closed through this: qp_start(), qp_receive(), qp_tick(), qp_close() ... */
struct qp *rpc_end_qp(struct rpc_end *end);
struct memory *rpc_end_memory(struct rpc_end *end);

/*
 * The message begins with its XID, which no other Call in flight may have; borrowed. Waits for a credit if necessary.
 * `replied` comes once, perhaps from within.
 */
void rpc_end_call(struct rpc_end *end, const struct rpc_end_message *call, const struct rpc_end_how *how,
                  uint64_t cookie);
/*
 * items: eligible results, empty ones included: the k-th goes into the k-th Write chunk (section 4.3.2.1, RFC
 * 8267 section 6.4.1). Takes ownership of the message's octets, and clears it.
 */
void rpc_end_reply(struct rpc_end *end, uint64_t id, struct rpc_end_message *reply);
/* Success to a NULL Call, PROC_UNAVAIL to any other: of a client that is called back and knows nothing else. */
void rpc_end_answer_null(struct rpc_end *end, uint64_t id, const struct rpc_message *header);
/* ERR_CHUNK instead of a Reply. */
void rpc_end_refuse(struct rpc_end *end, uint64_t id);
/* Octets that a Reply may have, inline or in the Reply chunk, and in the Write chunks together. 0: no such Call. */
size_t rpc_end_room(const struct rpc_end *end, uint64_t id);
/* Calls sent and not answered. */
uint32_t rpc_end_outstanding(const struct rpc_end *end);

/*
 * Fills in the eligible items of an NFS message: a Call, or a Reply to that Call. False, without items, when the
 * message cannot be decoded or its program is unknown.
 */
bool rpc_end_find_items(struct rpc_end_message *message, const struct rpc_end_message *call);

/* ---- faults ---- */

/* What to do with a message from the peer. */
enum rpc_end_answer {
    RPC_END_SERVE,        /* Call: executed; Reply or RDMA_ERROR: ends its Call */
    RPC_END_DISCARD,      /* silently */
    RPC_END_SAY_VERS,     /* RDMA_ERROR, ERR_VERS */
    RPC_END_SAY_CHUNK,    /* RDMA_ERROR, ERR_CHUNK */
    RPC_END_SAY_GARBAGE,  /* MSG_ACCEPTED, GARBAGE_ARGS */
    RPC_END_SAY_UNAVAIL,  /* MSG_ACCEPTED, PROG_UNAVAIL */
    RPC_END_SAY_MISMATCH, /* MSG_DENIED, RPC_MISMATCH */
    RPC_END_HANG_UP,      /* FIN; not a conforming answer */
    RPC_END_RESET,        /* RST; neither is this */
};

/* A message of the peer. */
struct rpc_end_incoming {
    const uint8_t *p; /* the Send, only while it is received: NULL, 0 when its Read chunks had to be fetched first */
    size_t n;
    const struct rpcrdma_header *header;
    bool call; /* else a Reply */
};

/*
 * Makes the end break a rule: each function may be NULL. header: the Transport header before it is encoded, whose
 * arrays may be replaced. octets: the Send as encoded. work: what is given to the queue pair; false: left out. decide:
 * instead of the answer that is due; asked again about a Call when its Read chunks are there. peer: what was understood
 * of the private data p[0..n).
 */
struct rpc_end_spoil {
    void *ctx;
    void (*header)(void *ctx, struct rpcrdma_plan *plan);
    void (*octets)(void *ctx, GByteArray *octets);
    bool (*work)(void *ctx, struct qp_work *work);
    enum rpc_end_answer (*decide)(void *ctx, const struct rpc_end_incoming *incoming, enum rpc_end_answer due);
    void (*peer)(void *ctx, struct rpcrdma_private_data *peer, const uint8_t *p, size_t n);
};
/* Copied; NULL ends it. */
void rpc_end_set_spoil(struct rpc_end *end, const struct rpc_end_spoil *spoil);

#endif
