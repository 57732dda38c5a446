/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One end of an RPC-over-RDMA connection (RFC 8166, 8167, 8797): requester and responder on one queue pair. It has
 * credits, inline thresholds and chunks of every kind, and answers errors as section 4.5 requires. The walker of
 * wire/nfs.h (RFC 8267) knows which items may be reduced; for other programs the caller supplies the items.
 *
 * The peer's use of memory is bounded: a message by the inline threshold, Calls in service by the Receive buffers,
 * which are reposted when the answer is sent, a Call's Read chunks by RPC_END_CALL_MAX and RPC_END_SEGMENTS_MAX.
 */
#ifndef IWARP_TRAFFIC_ENDS_STACK_RPC_END_H
#define IWARP_TRAFFIC_ENDS_STACK_RPC_END_H

#include "traffic-gen/ends/stack/queue_pair.h"
#include "wire/rpc.h"
#include "wire/rpcrdma.h"
#include "wire/rpcrdma_private_data.h"

#include <glib.h>

enum {
    RPC_END_ITEMS_MAX = 16,
    RPC_END_CALL_MAX = 4 << 20,  /* most octets of a peer's Call, chunks included */
    RPC_END_SEGMENTS_MAX = 1024, /* in all chunks of a peer's Call */
};

/* Octets of an RPC message that may move by RDMA: the contents of a DDP-eligible item, without roundup. */
struct rpc_end_item {
    size_t at, n;
};

/* A whole RPC message, unreduced. */
struct rpc_end_message {
    uint8_t *p; /* g_malloc'd; the recipient frees it unless stated otherwise */
    size_t n;
    struct rpc_end_item items[RPC_END_ITEMS_MAX]; /* ascending */
    unsigned n_items;
};

/* How to send a Call; zero: as its size requires. */
struct rpc_end_how {
    bool long_call;    /* uses a Position-Zero Read chunk for any size */
    bool keep_inline;  /* no Read chunks for items */
    bool reduce;       /* uses Read chunks for items of any size */
    unsigned segments; /* of each chunk; 0: 1 */
    size_t reply_max;  /* largest Reply expected, without results in Write chunks: if not inline, a Reply chunk is
                          offered */
    size_t results[RPC_END_ITEMS_MAX]; /* sizes of Write chunks for eligible results, in order; 0 ends, SIZE_MAX: empty
                                          chunk */
    bool urgent;                       /* ahead of all other Calls, with the reserved credit */
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
    struct qp_options qp;             /* rpc_end sets Receive buffers, and private data unless given */
    uint32_t send_size, receive_size; /* advertised in RFC 8797 private data; both 0: 1024, no private data */
    bool remote_invalidation;         /* ignored if the stream cannot do it */
    uint32_t credits;                 /* requested as requester, granted as responder; 0: 1 */
    bool keep_credit;                 /* reserves one for health checks (RFC 8267 section 6.7.2) */
    bool backchannel_chunks;          /* for a client that serves chunks in the reverse direction */
};

struct rpc_end_events {
    void *ctx;
    void (*established)(void *ctx, const struct mpa_end_terms *terms);
    /* reply is NULL unless RPC_END_REPLIED; borrowed. Its items are the eligible results. */
    void (*replied)(void *ctx, uint64_t cookie, enum rpc_end_result result, const struct rpc_end_message *reply);
    /*
     * A whole Call from the peer; borrowed. Its items are those that came in Read chunks. The caller answers with
     * rpc_end_reply() or rpc_end_refuse() and this id, now or later.
     */
    void (*called)(void *ctx, uint64_t id, const struct rpc_end_message *call, const struct rpc_message *header);
    /* Comes after `replied` for every lost Call. */
    void (*ended)(void *ctx, bool orderly);
    /* Like the events of traffic-gen/ends/stack/queue_pair.h. */
    void (*terminated)(void *ctx, bool ours, const struct rdmap_terminate *terminate);
    void (*failed)(void *ctx, enum mpa_end_error error);
    void (*broken)(void *ctx, enum qp_status status, const char *why);
};

struct rpc_end;

/* options and events are copied; stream is borrowed. Events may be NULL. */
struct rpc_end *rpc_end_new(const struct rpc_end_options *options, const struct stream *stream,
                            const struct rpc_end_events *events, uint64_t seed);
/* Changes the context of its events; faults are removed. */
void rpc_end_hand_over(struct rpc_end *end, void *ctx);
/* Must not be called from an event. Calls are dropped without an event. */
void rpc_end_free(struct rpc_end *end);
/* The queue pair, to start, feed and close the end: qp_start(), qp_receive(), qp_tick(), qp_close() ... */
struct qp *rpc_end_qp(struct rpc_end *end);
struct memory *rpc_end_memory(struct rpc_end *end);

/*
 * Sends a Call. The message begins with its XID, which no other Call in flight may have; borrowed. Waits for a credit
 * if necessary. `replied` comes once, perhaps before this returns.
 */
void rpc_end_call(struct rpc_end *end, const struct rpc_end_message *call, const struct rpc_end_how *how,
                  uint64_t cookie);
/*
 * Answers a Call. items: eligible results, including empty ones: the k-th goes into the k-th Write chunk (section
 * 4.3.2.1, RFC 8267 section 6.4.1). Takes ownership of the message's octets, and clears it.
 */
void rpc_end_reply(struct rpc_end *end, uint64_t id, struct rpc_end_message *reply);
/* Answers a NULL Call with success and any other with PROC_UNAVAIL: for a client without callback services. */
void rpc_end_answer_null(struct rpc_end *end, uint64_t id, const struct rpc_message *header);
/* Sends ERR_CHUNK instead of a Reply. */
void rpc_end_refuse(struct rpc_end *end, uint64_t id);
/* Most octets of a Reply, inline or in the Reply chunk, plus the Write chunks. 0: no such Call. */
size_t rpc_end_room(const struct rpc_end *end, uint64_t id);
/* Number of Calls sent and not answered. */
uint32_t rpc_end_outstanding(const struct rpc_end *end);

/*
 * Finds the eligible items of an NFS message: a Call, or a Reply to that Call. False, without items, when the message
 * cannot be decoded or its program is unknown.
 */
bool rpc_end_find_items(struct rpc_end_message *message, const struct rpc_end_message *call);

/* ---- faults ---- */

/* What to do with a message from the peer. */
enum rpc_end_answer {
    RPC_END_SERVE,        /* executes a Call; ends the Call of a Reply or RDMA_ERROR */
    RPC_END_DISCARD,      /* silently */
    RPC_END_SAY_VERS,     /* RDMA_ERROR, ERR_VERS */
    RPC_END_SAY_CHUNK,    /* RDMA_ERROR, ERR_CHUNK */
    RPC_END_SAY_GARBAGE,  /* MSG_ACCEPTED, GARBAGE_ARGS */
    RPC_END_SAY_UNAVAIL,  /* MSG_ACCEPTED, PROG_UNAVAIL */
    RPC_END_SAY_MISMATCH, /* MSG_DENIED, RPC_MISMATCH */
    RPC_END_HANG_UP,      /* sends FIN; not a conforming answer */
    RPC_END_RESET,        /* sends RST; not a conforming answer */
};

/* A message from the peer. */
struct rpc_end_incoming {
    const uint8_t *p; /* the Send, only during its reception: NULL, 0 if Read chunks were fetched first */
    size_t n;
    const struct rpcrdma_header *header;
    bool call; /* else a Reply */
};

/*
 * Hooks that make the end break a rule; each may be NULL. header: the Transport header before it is encoded, whose
 * arrays may be replaced. octets: the Send as encoded. work: given to the queue pair; false leaves it out. decide:
 * replaces the answer that is due; called again for a Call when its Read chunks have come. peer: the values understood
 * from the private data p[0..n).
 */
struct rpc_end_spoil {
    void *ctx;
    void (*header)(void *ctx, struct rpcrdma_plan *plan);
    void (*octets)(void *ctx, GByteArray *octets);
    bool (*work)(void *ctx, struct qp_work *work);
    enum rpc_end_answer (*decide)(void *ctx, const struct rpc_end_incoming *incoming, enum rpc_end_answer due);
    void (*peer)(void *ctx, struct rpcrdma_private_data *peer, const uint8_t *p, size_t n);
};
/* Copied; NULL removes the hooks. */
void rpc_end_set_spoil(struct rpc_end *end, const struct rpc_end_spoil *spoil);

#endif
