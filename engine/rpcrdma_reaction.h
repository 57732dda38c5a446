/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Errors and what they draw: RDMA_ERROR messages, answers to wrong Calls, silence where silence is demanded. */
#ifndef IWARP_ENGINE_RPCRDMA_REACTION_H
#define IWARP_ENGINE_RPCRDMA_REACTION_H

#include "engine/rpcrdma_internal.h"

/* rpcrdma_error_rules.c: an RDMA_ERROR, before its transaction is closed; and a Reply behind one. */
void rpcrdma_error_message(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *message);

/* rpcrdma_accept_rules.c: the answer to a sound Call. */
void rpcrdma_accept_answer(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *message);

/* rpcrdma_discard_rules.c: messages that the receiver is to discard without a word, and what it does. */
enum { RPCRDMA_DISCARDS_MAX = 8, RPCRDMA_UNCLEAR_MAX = 8 };

struct rpcrdma_discard {
    bool open;
    enum rule_id rule;
    uint32_t xid;
    bool has_xid;
    struct place place; /* of what is to be discarded; place.side sent it */
};

struct rpcrdma_reaction_state {
    struct rpcrdma_discard discard[2][RPCRDMA_DISCARDS_MAX]; /* by the side that is to discard it */
    unsigned next[2];
    /* XIDs of messages that may have been Calls or Replies, the latest of them: by the side that sent them. */
    uint32_t unclear[2][RPCRDMA_UNCLEAR_MAX];
    unsigned n_unclear[2];
    int64_t spoke_ns[2]; /* time of a side's latest message */
    bool closed;         /* somebody has begun to close */
};

/* Before anything else is asked of a message: does it take up what was to be discarded? */
void rpcrdma_discard_judge(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *message);
/* At last: is it to be discarded itself? */
void rpcrdma_discard_open(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_message *message);
void rpcrdma_discard_skipped(struct rpcrdma_connection *rpcrdma);
/* Side closes, or sends a Terminate; accused: the segment of the other side that it accuses, NULL: none that is known.
 */
void rpcrdma_discard_end(struct rpcrdma_connection *rpcrdma, unsigned side, const struct place *place,
                         const struct place *accused);
void rpcrdma_discard_finish(struct rpcrdma_connection *rpcrdma);

#endif
