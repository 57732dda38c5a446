/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Errors and reactions to errors: RDMA_ERROR messages, answers to wrong Calls, silence where silence is required. */
#ifndef IWARP_ENGINE_RPCRDMA_RPCRDMA_REACTION_H
#define IWARP_ENGINE_RPCRDMA_RPCRDMA_REACTION_H

#include "engine/rpcrdma/rpcrdma_internal.h"
#include "engine/rpcrdma/rpcrdma_record.h"

/* The answer required for a Call that broke a rule: kinds of answers, as sets. */
struct rpcrdma_demand {
    enum rule_id broken, rule;
    unsigned accepted; /* passes */
    unsigned open;     /* inconclusive */
    const char *expected;
};

/* rpcrdma_reaction_rules.c. demand_for: NULL: the Call broke no rule that demands an answer. */
const struct rpcrdma_demand *rpcrdma_demand_for(const struct rpcrdma_transaction *t);
/* A reduced argument is not DDP-eligible (RFC 8166 section 6.1). */
bool rpcrdma_reduced_ineligible(const struct rpcrdma_transaction *t);

/*
 * rpcrdma_unanswered_rules.c: Calls without an answer. close: side is the first to close; how: "RST", "FIN" or "a
 * Terminate"; explained: the reason is not a Call.
 */
void rpcrdma_unanswered_close(struct rpcrdma_connection *rpcrdma, unsigned side, const struct place *place,
                              const char *how, bool reset, bool explained);
/* A Reply answered this Call. */
void rpcrdma_unanswered_served(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_transaction *transaction);
const uint64_t *rpcrdma_unanswered_shapes(const struct rpcrdma_connection *rpcrdma, unsigned caller);
void rpcrdma_unanswered_finish(struct rpcrdma_connection *rpcrdma, int64_t time_ns);

/* rpcrdma_tolerance_rules.c: every message, before its transaction is closed; the end of the connection. */
void rpcrdma_tolerance_message(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_message *message);
void rpcrdma_tolerance_end(struct rpcrdma_connection *rpcrdma, unsigned side, bool reset, const struct place *place);

/* rpcrdma_rpc_rules.c: the RPC header of the Reply to a Call. */
void rpcrdma_rpc_reply(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *message);

/* rpcrdma_program_rules.c: the accepted Reply to a Call whose header was read: whether the Call can be carried out. */
void rpcrdma_program_reply(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *message,
                           const struct rpc_message *reply);

/* rpcrdma_error_rules.c: an RDMA_ERROR, before its transaction is closed; a Reply after an RDMA_ERROR. */
void rpcrdma_error_message(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *message);

/*
 * rpcrdma_accept_rules.c: the answer to a sound Call. form_rule: the rule that requires this Call to be served despite
 * its form; RULE_COUNT: the form is ordinary. untouched: none of its chunks was accessed.
 */
bool rpcrdma_untouched(const struct rpcrdma_transaction *t);
enum rule_id rpcrdma_form_rule(const struct rpcrdma_connection *rpcrdma, const struct rpcrdma_transaction *t);
void rpcrdma_accept_answer(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *message);

/* rpcrdma_discard_rules.c: messages that the receiver must silently discard, and its reaction. */
enum { RPCRDMA_DISCARDS_MAX = 8, RPCRDMA_UNCLEAR_MAX = 8 };

struct rpcrdma_discard {
    bool open;
    enum rule_id rule;
    uint32_t xid;
    bool has_xid;
    struct place place; /* of the message to discard; place.side sent it */
};

/* The largest chunk lists of Calls that a Reply answered. */
struct rpcrdma_served_most {
    unsigned writes;   /* chunks in a Write list */
    unsigned segments; /* in a chunk */
};

/* An answer that the client must tolerate: the latest message of the server. */
struct rpcrdma_tolerance {
    bool open;
    enum rule_id rule;
    uint32_t xid;
    struct place place;
};

struct rpcrdma_reaction_state {
    struct rpcrdma_discard discard[2][RPCRDMA_DISCARDS_MAX]; /* by the side that must discard the message */
    unsigned next[2];
    /* The latest XIDs of messages that may have been Calls or Replies, by sending side. */
    uint32_t unclear[2][RPCRDMA_UNCLEAR_MAX];
    unsigned n_unclear[2];
    int64_t spoke_ns[2];                       /* time of a side's latest message */
    bool closed;                               /* a side has begun to close the connection */
    struct rpcrdma_served_most served[2];      /* by calling side */
    uint64_t shapes[2][RPCRDMA_ACROSS_SHAPES]; /* by calling side: shapes of the Calls that a Reply answered */
    struct rpcrdma_tolerance tolerance;
    bool stalled[2]; /* by calling side: it was reported that answers have stopped */
};

/* Before all other rules: judges whether the message reacts to a message that should have been discarded. */
void rpcrdma_discard_judge(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *message);
/* After all other rules: notes whether the message itself must be discarded. */
void rpcrdma_discard_open(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_message *message);
void rpcrdma_discard_skipped(struct rpcrdma_connection *rpcrdma, enum why why);
/*
 * The side closes or sends a Terminate; culprit: the segment of the other side that caused it, NULL: unknown. True:
 * there was a message to discard.
 */
bool rpcrdma_discard_end(struct rpcrdma_connection *rpcrdma, unsigned side, const struct place *place,
                         const struct place *culprit);
void rpcrdma_discard_finish(struct rpcrdma_connection *rpcrdma);

#endif
