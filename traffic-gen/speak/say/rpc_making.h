/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An RPC-over-RDMA message while it is made: shared by the files that make Calls, Replies and others from words. */
#ifndef IWARP_TRAFFIC_SPEAK_SAY_RPC_MAKING_H
#define IWARP_TRAFFIC_SPEAK_SAY_RPC_MAKING_H

#include "traffic-gen/speak/say/rpc.h"
#include "traffic-gen/speak/say/words.h"

/* Octets of `whole` that travel in a chunk. */
struct rpc_taken {
    size_t at, n;
};

/* An RDMA Write that a Reply needs. */
struct rpc_placed {
    struct rpcrdma_segment target;
    const uint8_t *p;
    uint32_t n;
};

struct rpc_making {
    struct rpc *rpc;
    struct conversation *c;
    enum role role; /* the sender */
    struct words *words;
    unsigned threshold;
    struct rpc_exchange *exchange;
    struct rpc_side *side;

    struct rpc_message header; /* of the RPC message */
    uint32_t cred_flavor;
    struct rpcrdma_plan plan;
    struct rpcrdma_read_segment reads[RPC_READS_MAX];
    struct rpc_chunk writes[RPC_CHUNKS_MAX];
    struct rpcrdma_write_plan write_plans[RPC_CHUNKS_MAX];
    struct rpc_chunk reply;
    struct rpcrdma_write_plan reply_plan;
    GByteArray *payload; /* follows the header; NULL: nothing */

    struct rpc_taken taken[RPC_CHUNKS_MAX];
    unsigned n_taken;
    struct rpc_placed placed[RPC_CHUNKS_MAX * RPC_SEGMENTS_MAX];
    unsigned n_placed;
};

/* Parses "4096+100+rest" for total octets; NULL: one segment with all. Returns the number of segments. */
unsigned rpc_parse_sizes(const struct words *words, const char *text, uint32_t total, uint32_t *out, unsigned max);

/* Applies rpc.FIELD words to m->header. */
void rpc_change_header(struct rpc_making *m);
/* Builds m->side->whole: the RPC header and the body, wrapped as the GSS service requires. */
void rpc_put_together(struct rpc_making *m);
/* Carries out `read`, `reduce`, `keep`, `pad`, `keep-pad`: Read chunks for eligible items. */
void rpc_reduce(struct rpc_making *m);
/* Takes an item out of the stream. */
void rpc_take(struct rpc_making *m, const struct nfs_body_item *item);

/* Applies @mOFFSET, insert@mOFFSET, remove@mOFFSET to the octets of m->side->whole. */
void rpc_change_message(struct rpc_making *m);

/* Applies the words about the Transport header and the Send, encodes and sends. */
void rpc_change_plan(struct rpc_making *m);
void rpc_say(struct rpc_making *m);

/* ---- verbs ---- */

void rpc_say_call(struct rpc_making *m);
void rpc_say_again(struct rpc_making *m);
void rpc_say_reply(struct rpc_making *m);
/* Chooses a Call of `caller` by of=N or back=N; NULL: none. */
struct rpc_exchange *rpc_choose(struct rpc_making *m, enum role caller);

static inline enum role rpc_peer(enum role role)
{
    return role == INITIATOR ? RESPONDER : INITIATOR;
}

#endif
