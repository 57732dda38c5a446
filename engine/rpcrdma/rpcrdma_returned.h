/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by rpcrdma_reply_rules.c, rpcrdma_returned_rules.c and rpcrdma_pairing_rules.c. */
#ifndef IWARP_ENGINE_RPCRDMA_RPCRDMA_RETURNED_H
#define IWARP_ENGINE_RPCRDMA_RPCRDMA_RETURNED_H

#include "engine/rpcrdma/rpcrdma_memory_state.h"

/* ---- rpcrdma_reply_rules.c ---- */

/* The chunks of this Reply can be judged: neither the Reply nor its Call has a finding, and the Call is certain. */
bool rpcrdma_returned_judged(const struct rpcrdma_message *reply);
/* The Call is an NFSv4 COMPOUND, for which RFC 8267 section 6.4.1 holds. */
bool rpcrdma_returned_compound(const struct rpcrdma_transaction *t);

/* ---- rpcrdma_returned_rules.c ---- */

/* A Write chunk or Reply chunk as returned, and the octets moved into it. */
struct rpcrdma_returned {
    const struct rpcrdma_message *reply;
    const struct rpcrdma_transaction *t;
    const struct rpcrdma_chunk_state *chunk; /* chunk->returned octets of chunk->length */
    struct rpcrdma_chunk from;               /* in the Reply */
    uint64_t moved;                          /* octets that RDMA Writes placed in it */
    bool lost;                               /* moved is unknown */
    bool unchanged, all_or_nothing;          /* all segments have the offered length; each has that length or 0 */
};

struct rpcrdma_returned rpcrdma_returned_take(const struct rpcrdma_message *reply,
                                              const struct rpcrdma_chunk_state *chunk,
                                              const struct rpcrdma_chunk *from);
/* The number of octets moved is known exactly. */
bool rpcrdma_returned_known(const struct rpcrdma_connection *rpcrdma, const struct rpcrdma_returned *r);
/* These functions report findings; false: a finding was reported, or nothing can be judged. */
bool rpcrdma_returned_contiguous(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *reply,
                                 const struct rpcrdma_returned *r);
bool rpcrdma_returned_moved(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *reply,
                            const struct rpcrdma_returned *r);
void rpcrdma_returned_reply(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *reply);

#endif
