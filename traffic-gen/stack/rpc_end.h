/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One end of an RPC-over-RDMA connection (RFC 8166, 8167, 8797): requester and responder at once, on a queue pair.
 * Credits, inline thresholds, chunks of every kind, errors answered as section 4.5 demands.
 */
#ifndef IWARP_TRAFFIC_STACK_RPC_END_H
#define IWARP_TRAFFIC_STACK_RPC_END_H

#include "traffic-gen/stack/queue_pair.h"
#include "wire/rpc.h"
#include "wire/rpcrdma.h"

enum { RPC_END_ITEMS_MAX = 16 };

/* Octets of an RPC message that may be moved by RDMA: the contents of a DDP-eligible item, without roundup. */
struct rpc_end_item {
    size_t at, n;
};

/* An RPC message in whole, unreduced. */
struct rpc_end_message {
    uint8_t *p; /* g_malloc'd; whoever is given it frees it, unless said otherwise */
    size_t n;
    struct rpc_end_item items[RPC_END_ITEMS_MAX]; /* ascending */
    unsigned n_items;
};

/* How a Call is to be sent; zero: as the sizes demand. */
struct rpc_end_how {
    bool long_call;                    /* Position-Zero Read chunk whatever the size */
    bool keep_inline;                  /* no Read chunks for items */
    unsigned segments;                 /* of each chunk; 0: 1 */
    size_t reply_max;                  /* largest Reply expected: a Reply chunk when that does not fit inline */
    size_t results[RPC_END_ITEMS_MAX]; /* sizes of Write chunks for eligible results, in order; 0 ends, SIZE_MAX: empty
                                          chunk */
    bool many_writes;                  /* more than one Write chunk is wanted (RFC 8267 section 6.4.2) */
};

enum rpc_end_result { RPC_END_REPLIED, RPC_END_ERR_VERS, RPC_END_ERR_CHUNK, RPC_END_LOST };

struct rpc_end_options {
    struct qp_options qp;             /* its mpa.private_data is made here */
    uint32_t send_size, receive_size; /* told in RFC 8797 private data; 0: no private data, 1024 */
    bool remote_invalidation;
    uint32_t credits;        /* requested as requester, granted as responder */
    bool backchannel_chunks; /* a client that serves chunks in the reverse direction */
};

struct rpc_end_events {
    void *ctx;
    void (*established)(void *ctx, const struct mpa_end_terms *terms);
    /* reply is NULL unless RPC_END_REPLIED; borrowed. */
    void (*replied)(void *ctx, uint64_t cookie, enum rpc_end_result result, const struct rpc_end_message *reply);
    /* A Call of the peer, whole; borrowed. Answered by rpc_end_reply() with this id, now or later. */
    void (*called)(void *ctx, uint64_t id, const struct rpc_end_message *call, const struct rpc_message *header);
    void (*ended)(void *ctx, bool orderly);
};

struct rpc_end;

struct rpc_end *rpc_end_new(const struct rpc_end_options *options, const struct stream *stream,
                            const struct rpc_end_events *events, uint64_t seed);
void rpc_end_free(struct rpc_end *end);
struct qp *rpc_end_qp(struct rpc_end *end);

/* The message begins with its XID. Waits for a credit when it must. */
void rpc_end_call(struct rpc_end *end, const struct rpc_end_message *call, const struct rpc_end_how *how,
                  uint64_t cookie);
/* items: eligible results, for Write chunks in order. Takes the message's octets over. */
void rpc_end_reply(struct rpc_end *end, uint64_t id, struct rpc_end_message *reply);
/* ERR_CHUNK in the place of a Reply. */
void rpc_end_refuse(struct rpc_end *end, uint64_t id);
uint32_t rpc_end_outstanding(const struct rpc_end *end);

#endif
