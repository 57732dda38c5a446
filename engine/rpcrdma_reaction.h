/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Errors and what they draw: RDMA_ERROR messages, answers to wrong Calls, silence where silence is demanded. */
#ifndef IWARP_ENGINE_RPCRDMA_REACTION_H
#define IWARP_ENGINE_RPCRDMA_REACTION_H

#include "engine/rpcrdma_internal.h"

/* What a Call that broke a rule is owed: kinds of answers, as sets. */
struct rpcrdma_demand {
    enum rule_id broken, rule;
    unsigned accepted; /* passes */
    unsigned open;     /* says nothing */
    const char *expected;
};

/* rpcrdma_reaction_rules.c. demand_for: NULL when the Call broke no rule that says. */
const struct rpcrdma_demand *rpcrdma_demand_for(const struct rpcrdma_transaction *t);
/* An argument was reduced that is not DDP-eligible (RFC 8166 section 6.1). */
bool rpcrdma_reduced_ineligible(const struct rpcrdma_transaction *t);

/*
 * rpcrdma_unanswered_rules.c: Calls without an answer. close: side is the first to close; how: "RST", "FIN" or
 * "a Terminate"; explained: something else than a Call is why.
 */
void rpcrdma_unanswered_close(struct rpcrdma_connection *rpcrdma, unsigned side, const struct place *place,
                              const char *how, bool reset, bool explained);
/* This Call was answered by a Reply. */
void rpcrdma_unanswered_served(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_transaction *transaction);
void rpcrdma_unanswered_finish(struct rpcrdma_connection *rpcrdma, int64_t time_ns);

/* rpcrdma_rpc_rules.c: the RPC header of the Reply to a Call. */
void rpcrdma_rpc_reply(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *message);

/* rpcrdma_error_rules.c: an RDMA_ERROR, before its transaction is closed; and a Reply behind one. */
void rpcrdma_error_message(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *message);

/*
 * rpcrdma_accept_rules.c: the answer to a sound Call. form_rule: which rule has this Call served in spite of its form;
 * RULE_COUNT: there is nothing special about it. untouched: none of its chunks was accessed.
 */
bool rpcrdma_untouched(const struct rpcrdma_transaction *t);
enum rule_id rpcrdma_form_rule(const struct rpcrdma_connection *rpcrdma, const struct rpcrdma_transaction *t);
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

/* The most that Calls had which were answered by a Reply. */
struct rpcrdma_served_most {
    unsigned writes;   /* chunks in a Write list */
    unsigned segments; /* in a chunk */
};

struct rpcrdma_reaction_state {
    struct rpcrdma_discard discard[2][RPCRDMA_DISCARDS_MAX]; /* by the side that is to discard it */
    unsigned next[2];
    /* XIDs of messages that may have been Calls or Replies, the latest of them: by the side that sent them. */
    uint32_t unclear[2][RPCRDMA_UNCLEAR_MAX];
    unsigned n_unclear[2];
    int64_t spoke_ns[2];                  /* time of a side's latest message */
    bool closed;                          /* somebody has begun to close */
    struct rpcrdma_served_most served[2]; /* by calling side */
    bool stalled[2];                      /* by calling side: that nothing was answered any more was told */
};

/* Before anything else is asked of a message: does it take up what was to be discarded? */
void rpcrdma_discard_judge(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *message);
/* At last: is it to be discarded itself? */
void rpcrdma_discard_open(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_message *message);
void rpcrdma_discard_skipped(struct rpcrdma_connection *rpcrdma);
/*
 * Side closes, or sends a Terminate; accused: the segment of the other side that it accuses, NULL: none that is known.
 * True: there was something that it was to discard.
 */
bool rpcrdma_discard_end(struct rpcrdma_connection *rpcrdma, unsigned side, const struct place *place,
                         const struct place *accused);
void rpcrdma_discard_finish(struct rpcrdma_connection *rpcrdma);

#endif
