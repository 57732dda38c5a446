/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * State of the RPC-over-RDMA layer, private to its files (rpcrdma_*.c).
 *
 * A Tagged segment or Read Request goes to rpcrdma_memory.c, which finds the offer that it accesses. A Send is
 * reassembled and decoded by rpcrdma_connection.c and finds or opens its transaction (rpcrdma_transactions.c); its
 * payload is decoded as soon as it is complete (rpcrdma_payload.c). The rule families see each step through the hooks
 * below.
 */
#ifndef IWARP_ENGINE_RPCRDMA_RPCRDMA_INTERNAL_H
#define IWARP_ENGINE_RPCRDMA_RPCRDMA_INTERNAL_H

#include "engine/rpcrdma/rpcrdma.h"

#include <assert.h>

/*
 * These marks ensure that a violation has a single finding: parts that look wrong only because of an error are not
 * judged again. A message marked misread has such an error in its header, lists or payload. A message marked faulty has
 * an error, but everything that does not depend on the error is judged. Errors that MPA, DDP and RDMAP report are not
 * reported here again (the verdict is muted meanwhile).
 */

enum {
    RPCRDMA_BODY_MAX = 1024, /* operations, items, values remembered per RPC message */
    RPCRDMA_PROCEDURES_MAX = 64,
    RPCRDMA_READ_CHUNKS_MAX = 256, /* different Positions in one Call */
    RPCRDMA_ANSWERED_MAX = 128,    /* answered transactions remembered per calling side */
    RPCRDMA_ORPHANS_MAX = 16,
    RPCRDMA_DEPTH_MAX = 64,  /* Reads without a Response, per requester */
    RPCRDMA_UNBOUND_MAX = 8, /* programs without a binding, reported once each */
    RPCRDMA_SEND_MAX =
        1024 * 1024, /* octets of a Send; the largest threshold that can be announced is a quarter of this */
    RPCRDMA_EARLY_OCTETS_MAX = 65536, /* of a Send that is kept until the ULP is known */
    RPCRDMA_UNDECIDED_MAX = 8,        /* unrecognised Sends before another ULP is assumed */
};

/* No capture point lags another by this much, however their clocks run. */
static const int64_t rpcrdma_far_ns = 50000000;

/* What one side announced in its startup frame (RFC 8797). */
struct rpcrdma_announced {
    bool frame_seen;                  /* the startup frame was captured */
    bool valid;                       /* the frame contains a valid block */
    uint32_t frame;                   /* frame number, with frame_seen */
    uint64_t end;                     /* stream offset after the frame */
    struct rpcrdma_private_data data; /* the defaults if not valid */
};

/* Transactions ordered by age; each transaction is in one queue. */
struct rpcrdma_queue {
    struct rpcrdma_transaction *oldest, *newest;
    unsigned n;
};

/* Transactions that one side called. */
struct rpcrdma_calls {
    struct rpcrdma_transaction **hash;  /* HASH_BUCKETS, by XID, the newest first; NULL before the first Call */
    struct rpcrdma_queue waiting, done; /* outstanding; answered and still remembered */
    unsigned outstanding;               /* waiting.n */
    uint64_t total, answered;
    /* The latest answers that came before their Calls (the direction lagged, or waits for missing packets). */
    struct rpcrdma_orphan {
        uint32_t xid;
        struct place place;
        bool alone;     /* no Call was certainly outstanding */
        uint64_t calls; /* Calls seen before the answer */
    } * orphan;         /* a ring of RPCRDMA_ORPHANS_MAX, in the arena; NULL: there were none */
    unsigned orphans;
    uint32_t newest_xid;
    bool scattered; /* XIDs are not consecutive */
    /*
     * Calls that were captured late, and whose operations are unknown: those before a stream offset, which is
     * UINT64_MAX until the other side shows how much it had received; and those captured before a frame.
     */
    uint64_t lagged_until;
    uint32_t lagged_frame;
};

/* Sends of one side that the capture lacks: rpcrdma_lacks.c. */
struct rpcrdma_lack {
    bool pending;    /* something is missing before the side's next part */
    bool open;       /* the next Send will show how many are missing */
    bool old;        /* the missing Sends are not outstanding Calls */
    bool numbered;   /* iWARP only: */
    uint32_t number; /* MSN of the latest Send that was seen */
    bool cut;        /* a part of a Send was missing; the MSN of the latest such Send follows */
    uint32_t cut_number;
    bool any;          /* at some time, a Send was missing, or may have been */
    bool beginning;    /* any number of Calls may be outstanding: sent before the capture, or not countable */
    bool untracked;    /* permanently: a Call was forgotten */
    uint32_t sends;    /* missing Sends that may be outstanding Calls, at most */
    uint32_t answered; /* Calls not seen that were answered since then */
    uint64_t unseen;   /* Calls not seen that were answered at any time */
};

/* The latest part that a side has sent; the length of its longest Tagged part, in octets of payload. */
struct rpcrdma_tail {
    uint8_t kind; /* enum rdma_kind */
    bool last;
    uint32_t handle;
    uint64_t address; /* after the part */
    uint64_t longest;
};

/* One side as a sender. */
struct rpcrdma_side {
    struct rpcrdma_calls calls;
    struct rpcrdma_lack lack;
    struct rpcrdma_tail tail;
    struct rpcrdma_announced announced;
    uint8_t *send; /* a Send in several segments */
    uint32_t send_size, send_n;
    uint32_t send_there;         /* octets captured from the beginning of the Send */
    bool send_open, send_spoilt; /* spoilt: a segment is missing or out of place */
    uint64_t send_message;
    bool faulty;         /* a lower layer, or a rule about Sends, has found an error in what this side sent */
    bool accessed;       /* its memory was accessed before the first RPC-over-RDMA message that was seen (InfiniBand) */
    bool started, hole;  /* a part was seen; a part is missing, the beginning included */
    bool may_repeat;     /* Sends before its next Call may be missing: among them a copy of that Call */
    uint32_t lost_frame; /* the frame that shows the latest hole */
    int64_t lost_ns;     /* its time */
    int64_t sent_ns;     /* of its latest part that is certainly no copy (InfiniBand) */
    uint64_t end;        /* stream offset after the latest FPDU */
    uint64_t messages;   /* Sends treated as RPC-over-RDMA */
    bool fin, reset;
    struct place end_place;
};

/* RDMA Reads of one side: rpcrdma_depth_rules.c. */
struct rpcrdma_depth {
    uint64_t *open; /* operations, a ring of RPCRDMA_DEPTH_MAX; NULL: none so far */
    unsigned first, outstanding;
    struct rpcrdma_depth_limit {
        uint32_t most, frame; /* as agreed in that frame; 0: no limit */
        bool reported;
        bool doubtful; /* exceeded, unless a Response was captured late or not at all; the place follows */
        struct place place;
        uint64_t operation; /* of the Read beyond the limit */
    } connection, session;
};

struct rpcrdma_credit_state;    /* rpcrdma_credit_rules.c */
struct rpcrdma_threshold_state; /* rpcrdma_threshold_rules.c */
struct rpcrdma_resource_state;  /* rpcrdma_resource_rules.c */
struct rpcrdma_memory_state;    /* rpcrdma_memory_rules.c */
struct rpcrdma_reaction_state;  /* rpcrdma_reaction_rules.c */

/* Sends from before the connection was recognised, judged once it is recognised: rpcrdma_recognise.c. */
struct rpcrdma_early {
    struct rpcrdma_early_send {
        struct rpcrdma_message message;
        uint8_t *octets;
        bool muted;
        bool accessed[2]; /* after it, memory of that side was accessed, which it may offer */
    } * sends;            /* those that did not decide the kind, at most RPCRDMA_UNDECIDED_MAX */
    unsigned n;
};

/* Memory that Calls offer: rpcrdma_memory.c. */
struct rpcrdma_offers {
    struct rpcrdma_offer **of[2];    /* HASH_BUCKETS, by the owner of the memory (NULL: none was offered), and STag */
    struct rpcrdma_offer *recent[2]; /* by owner: the offer accessed last */
    unsigned n;
};

/* rpcrdma_transactions.c */
struct rpcrdma_pool {
    struct rpcrdma_transaction *spare; /* retired transactions, for reuse */
    struct rpcrdma_slab *slab;         /* holds the latest transactions */
    struct rpcrdma_buffers *buffers;   /* of answered transactions, for reuse */
};

/* rpcrdma_counts.c */
struct rpcrdma_tally {
    struct rpcrdma_counts counts;
    struct rpcrdma_procedure_count *procedures; /* counts.n, at most RPCRDMA_PROCEDURES_MAX, with room for: */
    unsigned size;
    struct rpcrdma_status_count *statuses; /* counts.n_statuses, at most RPCRDMA_STATUSES_MAX, with room for: */
    unsigned statuses_size;
};

/* Programs without a binding, each reported once: rpcrdma_call_rules.c. */
struct rpcrdma_unbound {
    uint32_t program[RPCRDMA_UNBOUND_MAX];
    unsigned n;
};

/* For later connections: rpcrdma_record.c. */
struct rpcrdma_recording {
    struct rpcrdma_across_record *record; /* NULL: nothing has been recorded */
    bool taken;
    bool refused; /* the owner refused access to memory of the Call with this XID: */
    bool late;    /* the same, but the access preceded the Call: */
    uint32_t refused_xid, late_xid;
    uint64_t last_send[2]; /* offset */
};

/* What is judged now: a message, or a Call whose answer never came. Both may be NULL. rpcrdma_subject.c. */
struct rpcrdma_judging {
    const struct rpcrdma_message *judged;
    const struct rpcrdma_transaction *silent;
};

/* On InfiniBand, the latest Call of a sender that repeats an XID: rpcrdma_xid_rules.c. */
struct rpcrdma_reuse {
    bool open;
    enum direction direction;
    struct place place; /* of a Call that repeats the XID of an earlier Call, */
    struct place call;
    struct place answer; /* which the caller may not have received by then: the answer to the earlier Call */
    uint32_t xid;
};

struct rpcrdma_connection {
    struct rpcrdma_options options; /* defaults filled in */
    struct rpcrdma_events events;
    struct verdict *verdict;
    struct arena *arena; /* held */
    struct rdma_terms terms;
    uint16_t port[2];
    enum { RPCRDMA_UNDECIDED, RPCRDMA_YES, RPCRDMA_NO } recognised;
    struct rpcrdma_early early;
    int client; /* side, or -1 */
    struct rpcrdma_side side[2];
    struct rpcrdma_offers offers;
    bool gaps_show_late; /* see struct rdma_part */
    bool close_unseen;   /* the snap length hides connection management: the connection may have been closed */
    struct rpcrdma_pending *pending; /* NULL: no finding has ever waited */
    struct rpcrdma_pool pool;
    uint64_t transactions;
    struct rpcrdma_tally tally;
    uint64_t answered_number[2]; /* by calling side: number of the newest transaction that was answered */
    bool finished, terminated;
    bool memory_lacking;
    struct rpcrdma_unbound unbound;
    struct rpcrdma_recording recording;
    enum rpcrdma_returns returns;
    struct rpcrdma_depth depth[2]; /* by requester */
    struct rpcrdma_reuse reuse[2]; /* by sender */
    struct rdma_closing closing;
    uint64_t received[2]; /* minimum offset up to which the side has received the other direction */
    bool lossy;           /* packets may be missing anywhere, without a trace */
    struct rpcrdma_judging subject;
    struct {
        int64_t time_ns; /* 0: none yet */
        uint32_t frame;
    } said;         /* the latest part of either side */
    unsigned holes; /* in both directions */
    /*
     * Owned by the rule families; created by their _new functions, NULL if not needed. This state and the tables above
     * are created once the connection is known to carry RPC-over-RDMA (rpcrdma_equip()). The thresholds exist from the
     * start, because the startup frames announce them.
     */
    struct rpcrdma_credit_state *credit;
    struct rpcrdma_threshold_state *threshold;
    struct rpcrdma_resource_state *resource;
    struct rpcrdma_memory_state *memory;
    struct rpcrdma_reaction_state *reaction;
};

/* ---- rpcrdma_lacks.c ---- */

/* Something that this side sent since that frame is missing: a Send, or a part of another message. */
static inline bool rpcrdma_lost_since(const struct rpcrdma_connection *rpcrdma, unsigned side, uint32_t frame)
{
    return rpcrdma->side[side].lost_frame >= frame;
}
/* Something is missing right before this part. True: Sends may be missing. */
bool rpcrdma_lacks_before(struct rpcrdma_connection *rpcrdma, const struct rdma_part *part);
/* Something is missing; the next Send will show whether Sends are. */
void rpcrdma_lacks_unknown(struct rpcrdma_connection *rpcrdma, unsigned side);
/* A Send of that side is missing, or was not understood. */
void rpcrdma_lacks_one(struct rpcrdma_connection *rpcrdma, unsigned side);
/* Everything before the capture is missing. */
void rpcrdma_lacks_beginning(struct rpcrdma_connection *rpcrdma, unsigned side);
/* A Call of that side was forgotten. */
void rpcrdma_lacks_track(struct rpcrdma_connection *rpcrdma, unsigned side);
/* A part of a Send; to be called after rpcrdma_lacks_before() if something is missing before the part. */
void rpcrdma_lacks_send(struct rpcrdma_connection *rpcrdma, const struct rdma_part *part);
/* answered: a Call that was not seen was answered. claimed: that Call was captured after all. */
void rpcrdma_lacks_answered(struct rpcrdma_connection *rpcrdma, unsigned caller);
void rpcrdma_lacks_claimed(struct rpcrdma_connection *rpcrdma, unsigned caller);
/* Neither side has sent anything for longer than any answer takes. */
void rpcrdma_lacks_quiet(struct rpcrdma_connection *rpcrdma);

/* ---- rpcrdma_depth_rules.c ---- */

void rpcrdma_depth_move(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_move *move);
void rpcrdma_depth_finish(struct rpcrdma_connection *rpcrdma);
/* Responses to Reads of that side may be missing. */
void rpcrdma_depth_skipped(struct rpcrdma_connection *rpcrdma, unsigned requester);

/* ---- rpcrdma_record.c ---- */

/* The Call is recorded with all its details. */
bool rpcrdma_is_recorded(const struct rpcrdma_transaction *t);
void rpcrdma_record_call(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_transaction *t);
struct rpcrdma_across_drop;
void rpcrdma_record_drop(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_across_drop *drop);
/* The client continued after an answer to which this rule applies. */
void rpcrdma_record_tolerated(struct rpcrdma_connection *rpcrdma, enum rule_id rule);
/* Records that the Call was cut off; the caller fills in *cut except `any` and `call`. */
struct rpcrdma_across_cut;
void rpcrdma_record_cut_off(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_transaction *t,
                            const struct rpcrdma_across_cut *cut);
void rpcrdma_record_stray(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_move *move);
void rpcrdma_record_response(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_move *move);
void rpcrdma_record_send(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_message *message);
/* A Send without octets was reported: a recall on another connection may explain it. */
void rpcrdma_record_empty(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_message *message);
void rpcrdma_record_refusal(struct rpcrdma_connection *rpcrdma, const struct rdma_refusal *refusal);

/* ---- findings (rpcrdma_connection.c) ---- */

/* rpcrdma_subject.c: what a finding at that place is about, given what is judged now. */
struct finding_subject rpcrdma_subject(const struct rpcrdma_connection *rpcrdma, const struct place *place);

/* Fails a rule at this message, and marks the message as faulty (if it is the Call, its transaction as malformed). */
void rpcrdma_fail_as(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *message, enum rule_id rule,
                     enum rule_severity severity, uint32_t related_frame, const char *format, ...)
    __attribute__((cold, format(printf, 6, 7)));
#define rpcrdma_fail(rpcrdma, message, rule, related_frame, ...)                                                       \
    rpcrdma_fail_as((rpcrdma), (message), (rule), rule_catalogue[rule].severity, (related_frame), __VA_ARGS__)
/* Fails a rule at a place in the direction of place->side; marks nothing. */
void rpcrdma_fail_at_as(struct rpcrdma_connection *rpcrdma, const struct place *place, enum rule_id rule,
                        enum rule_severity severity, uint32_t related_frame, const char *format, ...)
    __attribute__((cold, format(printf, 6, 7)));
#define rpcrdma_fail_at(rpcrdma, place, rule, related_frame, ...)                                                      \
    rpcrdma_fail_at_as((rpcrdma), (place), (rule), rule_catalogue[rule].severity, (related_frame), __VA_ARGS__)

/* Something that this side sent is missing. */
void rpcrdma_pending_hole(struct rpcrdma_connection *rpcrdma, unsigned side);
/* Nothing is missing before this part. */
void rpcrdma_pending_part(struct rpcrdma_connection *rpcrdma, const struct rdma_part *part);
void rpcrdma_pending_finish(struct rpcrdma_connection *rpcrdma);
/* A Call of that side, captured late, explains the finding in that frame. */
void rpcrdma_pending_excuse(struct rpcrdma_connection *rpcrdma, unsigned caller, uint32_t frame);
/* The answer in that frame may belong to this Call, which has the same XID, unless the Call gets another answer. */
void rpcrdma_pending_claim(struct rpcrdma_connection *rpcrdma, unsigned caller, uint32_t frame, uint32_t call_frame);
/* The answer to that Call, which was captured late, has come. */
void rpcrdma_pending_answered(struct rpcrdma_connection *rpcrdma, unsigned caller, uint32_t call_frame);
/* The owner refused an access to its memory: no missing Call of the owner can have offered that memory. */
void rpcrdma_pending_refused(struct rpcrdma_connection *rpcrdma, unsigned owner);

/* Entries of a ring of `size` that are in use after n insertions. */
static inline unsigned rpcrdma_ring_used(unsigned n, unsigned size)
{
    return n < size ? n : size;
}

static inline void rpcrdma_pass(struct rpcrdma_connection *rpcrdma, enum rule_id rule)
{
    verdict_passed(rpcrdma->verdict, rule);
}

/* At the latest part. */
static inline void rpcrdma_inconclusive(struct rpcrdma_connection *rpcrdma, enum rule_id rule, enum why why)
{
    verdict_inconclusive(rpcrdma->verdict, rule, why, rpcrdma->said.frame);
}

/* Why Calls of that side may be missing; `otherwise`: none is. unsure: see struct rpcrdma_message. */
enum why rpcrdma_calls_doubt(const struct rpcrdma_connection *rpcrdma, bool unsure, unsigned side, enum why otherwise);
/* Why the answer to this Call, or what came before it, may be missing; `otherwise`: nothing of the Call is. */
enum why rpcrdma_answer_doubt(const struct rpcrdma_transaction *t, bool unsure, enum why otherwise);

/* ---- state ---- */

/* The connection carries RPC-over-RDMA: creates all state. Without memory it is treated as another ULP's. */
void rpcrdma_equip(struct rpcrdma_connection *rpcrdma);
/* rpcrdma_recognise.c: whether the connection carries RPC-over-RDMA, given this Send and earlier ones. */
bool rpcrdma_recognise(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_message *message);
/* An RDMA operation before any Send: port and private data may decide, too. */
void rpcrdma_recognise_by_setup(struct rpcrdma_connection *rpcrdma);
void rpcrdma_early_keep(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_message *message);
void rpcrdma_early_free(struct rpcrdma_connection *rpcrdma);
/* Sets kind, has_rpc, rpc and transaction. */
void rpcrdma_classify(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *message);
/* Copies the chunk lists of a Reply into its transaction's chunks. */
void rpcrdma_take_returned(struct rpcrdma_transaction *transaction, const struct rpcrdma_message *reply);
/* rpcrdma_counts.c */
void rpcrdma_count(struct rpcrdma_connection *rpcrdma, struct rpcrdma_transaction *transaction);
/* The transaction's Reply is complete. */
void rpcrdma_count_statuses(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_transaction *transaction);

/* A Call that is late stays late. */
static inline void rpcrdma_damage(struct rpcrdma_transaction *t)
{
    if (t->damage == RPCRDMA_WHOLE)
        t->damage = RPCRDMA_DAMAGED;
}

/* A Call whose Position was wrong stays so. */
static inline void rpcrdma_misread(struct rpcrdma_transaction *t)
{
    if (t->misread == RPCRDMA_READ)
        t->misread = RPCRDMA_MISREAD;
}

/*
 * Whether it is known what the sender had received when it sent this message. A side that sends messages has received
 * the other side's startup frame, so lower ACK numbers are not trusted.
 */
static inline bool rpcrdma_acked(const struct rpcrdma_connection *rpcrdma, const struct rpcrdma_message *message)
{
    return message->acked_known && message->acked >= rpcrdma->side[other_side(message->side)].announced.end;
}
/* True with the RFC 5666 profile. */
static inline bool rpcrdma_by_rfc5666(const struct rpcrdma_connection *rpcrdma)
{
    return rpcrdma->options.profile == PROFILE_RFC5666;
}

/* ---- transactions (rpcrdma_transactions.c) ---- */

/* The newest transaction of this calling side with this XID, answered or not; NULL: none is remembered. */
struct rpcrdma_transaction *rpcrdma_find(const struct rpcrdma_connection *rpcrdma, unsigned side, uint32_t xid);
/* The same, but only an outstanding transaction. */
struct rpcrdma_transaction *rpcrdma_find_outstanding(const struct rpcrdma_connection *rpcrdma, unsigned side,
                                                     uint32_t xid);
/* The newest outstanding transaction before this one with the same calling side and XID; NULL: none. */
struct rpcrdma_transaction *rpcrdma_find_earlier(const struct rpcrdma_transaction *call);
/* For the core. open: NULL when out of memory; a forgotten transaction may become the new one. */
struct rpcrdma_transaction *rpcrdma_transaction_open(struct rpcrdma_connection *rpcrdma,
                                                     const struct rpcrdma_message *call);
/* An answer whose Call has not been seen yet. */
void rpcrdma_transaction_orphan(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_message *answer);
/* The answer in that frame may be for a Call that the capture lacks: its XID fits those of the caller at that time. */
bool rpcrdma_transaction_follows(const struct rpcrdma_connection *rpcrdma, unsigned caller, uint32_t frame);
/* Likewise, and the XID is the next one after that of the caller's newest Call. */
bool rpcrdma_transaction_succeeds(const struct rpcrdma_connection *rpcrdma, unsigned caller, uint32_t frame);
/*
 * The other side, having received this much, sent an answer or accessed memory in that frame; the Call comes later.
 */
void rpcrdma_calls_lag(struct rpcrdma_connection *rpcrdma, unsigned caller, uint64_t acked, uint32_t frame);
/*
 * On InfiniBand: the other side's action at `place` may have followed this Call, although it was captured earlier: the
 * captured Call is a copy of a missing one, or was captured late.
 */
bool rpcrdma_call_may_precede(const struct rpcrdma_message *call, const struct place *place);
void rpcrdma_transaction_close(struct rpcrdma_connection *rpcrdma, struct rpcrdma_transaction *transaction,
                               const struct rpcrdma_message *answer, enum rpcrdma_outcome outcome);
/* State that only an outstanding Call needs: as many as were outstanding at a time, not as many as were answered. */
extern const struct rpcrdma_open rpcrdma_closed; /* of an answered Call: all zero */

struct rpcrdma_buffers {
    struct rpcrdma_open open; /* what transaction->open points to */
    struct rpcrdma_buffers *next;
    struct rpcrdma_content {
        uint8_t *octets;
        uint64_t size;
        bool cut; /* some of the octets were not captured or not kept */
    } content[2]; /* of the Position-Zero Read chunk; of the Reply chunk */
};

/* NULL: the Call is answered. */
static inline struct rpcrdma_buffers *rpcrdma_buffers_of(const struct rpcrdma_transaction *transaction)
{
    static_assert(offsetof(struct rpcrdma_buffers, open) == 0, "one pointer to both");
    return transaction->open == &rpcrdma_closed ? NULL : (struct rpcrdma_buffers *)transaction->open;
}

/* Holds whenever no rule is looking at the transaction: for the invariants. */
static inline bool rpcrdma_transaction_is_sound(const struct rpcrdma_transaction *t)
{
    return t->number > 0 && t->n_chunks <= t->chunks_size && t->n_offers <= t->offers_size &&
           t->position_zero < (int)t->n_chunks && t->reply_chunk < (int)t->n_chunks &&
           t->first_write + t->n_writes <= t->n_chunks && (t->n_chunks > 0 || t->n_offers == 0) &&
           (t->open != &rpcrdma_closed) == rpcrdma_waits(t) && t->fault <= RULE_COUNT;
}

/* For the body of a Reply. */
static inline bool rpcrdma_body_succeeded(const struct rpcrdma_body *body)
{
    return body->known && body->rpc.reply_stat == RPC_MSG_ACCEPTED && body->rpc.accept_stat == RPC_SUCCESS;
}

/* One of the transaction's bodies, to be filled in; the transaction is outstanding. */
struct rpcrdma_body *rpcrdma_body_of(struct rpcrdma_transaction *transaction, bool reply);
/*
 * Octets that `side` sent before the offset `end` are missing; sends: these octets may contain Sends. Octets that the
 * other side had received before it sent a Call do not concern this Call.
 */
void rpcrdma_transactions_lose(struct rpcrdma_connection *rpcrdma, unsigned side, bool sends, uint64_t end);
/*
 * The other side has accessed memory of `owner`, and nothing says for which Call: octets that this access should have
 * moved are not held against the outstanding Calls.
 */
void rpcrdma_transactions_astray(struct rpcrdma_connection *rpcrdma, unsigned owner);
void rpcrdma_transactions_free(struct rpcrdma_connection *rpcrdma);

/* ---- memory (rpcrdma_memory.c) ---- */

void rpcrdma_ranges_add(struct rpcrdma_ranges *ranges, uint64_t from, uint64_t to);
/* octets: how many are covered. prefix: how many are covered from 0 on without a gap. */
uint64_t rpcrdma_ranges_octets(const struct rpcrdma_ranges *ranges);
uint64_t rpcrdma_ranges_prefix(const struct rpcrdma_ranges *ranges);
bool rpcrdma_ranges_cover(const struct rpcrdma_ranges *ranges, uint64_t from, uint64_t to);
/* Offers of `owner` with this STag, outstanding or answered (see offer->transaction->outcome), the newest first. */
struct rpcrdma_offer *rpcrdma_offers_of(const struct rpcrdma_connection *rpcrdma, unsigned owner, uint32_t stag);
static inline struct rpcrdma_offer *rpcrdma_offers_next(const struct rpcrdma_offer *offer)
{
    for (struct rpcrdma_offer *o = offer->next; o; o = o->next) {
        if (o->target.handle == offer->target.handle)
            return o;
    }
    return NULL;
}
/* For the core: take the chunk lists of a Call; forget them. */
void rpcrdma_offers_take(struct rpcrdma_connection *rpcrdma, struct rpcrdma_transaction *transaction,
                         const struct rpcrdma_message *call);
void rpcrdma_offers_drop(struct rpcrdma_connection *rpcrdma, struct rpcrdma_transaction *transaction);
/* A Tagged segment or Read Request: finds the offer, records what was moved, keeps content where needed. */
void rpcrdma_move(struct rpcrdma_connection *rpcrdma, struct rpcrdma_move *move);
/* The words of the chunk's segments are in another order: `count` is the sum of other words than the lengths. */
bool rpcrdma_chunk_disordered(const struct rpcrdma_transaction *transaction, const struct rpcrdma_chunk_state *chunk,
                              uint64_t count);
/* A chunk of this length may hold a whole item of `count` octets, with or without roundup (RFC 8166 section 3.4.5.2).
 */
static inline bool rpcrdma_chunk_holds(uint64_t length, uint32_t count)
{
    return length == count || length == xdr_padded(count);
}
/* Octets of a chunk moved so far, counted from its beginning up to the first gap. */
uint64_t rpcrdma_chunk_prefix(const struct rpcrdma_transaction *transaction, const struct rpcrdma_chunk_state *chunk);
/* Octets of a chunk moved so far, with or without gaps; *lost: the number is not exact. */
uint64_t rpcrdma_chunk_moved(const struct rpcrdma_transaction *transaction, const struct rpcrdma_chunk_state *chunk,
                             bool *lost);

/* ---- payloads (rpcrdma_payload.c) ---- */

/* Decodes the payload p[0..n) of a Call or Reply into its body, trying one reduction after another until one fits. */
/* rpc: the RPC header, if it was already decoded; else NULL. */
void rpcrdma_payload_decode(struct rpcrdma_transaction *transaction, bool reply, const uint8_t *p, uint64_t n,
                            const struct rpc_message *rpc);
void rpcrdma_body_free(struct rpcrdma_body *body);

/*
 * ---- hooks: the core calls them, one family per file ----
 * A _new function returns false when out of memory. The order within a message: header, threshold; then by kind
 * xid, credit, [with the payload: chunk]; at last reaction, events.
 */

/* rpcrdma_header_rules.c: each Send, with its header decoded, kind and has_rpc set; may mark the message faulty. */
void rpcrdma_header_message(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *message);

/* rpcrdma_threshold_rules.c: RFC 8797 blocks, lengths of Sends, remote invalidation. */
bool rpcrdma_threshold_new(struct rpcrdma_connection *rpcrdma);
/* side[].announced is filled in already; status from rpcrdma_private_data_find(). */
void rpcrdma_threshold_private_data(struct rpcrdma_connection *rpcrdma, const struct rdma_private_data *data,
                                    enum rpcrdma_private_data_status status);
void rpcrdma_threshold_message(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *message);
/* The length of a Send, after everything else was judged: the cause of an excess may already have been reported. */
void rpcrdma_threshold_length(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *message);
void rpcrdma_threshold_move(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_move *move);
/* Limits were agreed by a separate protocol, not in the startup frames. */
bool rpcrdma_threshold_configured(const struct rpcrdma_connection *rpcrdma);
/* rpcrdma_ccp_rules.c: limits of RFC 5666 section 6. NULL when out of memory; freed by free(). */
struct rpcrdma_ccp;
struct rpcrdma_ccp *rpcrdma_ccp_new(struct arena *arena);
bool rpcrdma_ccp_agreed(const struct rpcrdma_ccp *ccp);
void rpcrdma_ccp_message(struct rpcrdma_connection *rpcrdma, struct rpcrdma_ccp *ccp, struct rpcrdma_message *message);
void rpcrdma_ccp_move(struct rpcrdma_connection *rpcrdma, struct rpcrdma_ccp *ccp, const struct rpcrdma_move *move);

/*
 * rpcrdma_xid_rules.c: Calls, Replies and errors against the table. before: the transaction of the same side and XID
 * that was outstanding when this Call arrived, or NULL. For Replies and errors, message->transaction is the answered
 * one (outstanding or answered before), or NULL.
 */
void rpcrdma_xid_call(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *message,
                      struct rpcrdma_transaction *before);
void rpcrdma_xid_answer(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *message);
/* `side` had not received the other side's message at that offset when it sent its latest messages. */
void rpcrdma_xid_missed(struct rpcrdma_connection *rpcrdma, unsigned side, uint64_t offset);

/* rpcrdma_credit_rules.c: after xid; a Call's transaction is already open (side[].calls.outstanding counts it). */
bool rpcrdma_credit_new(struct rpcrdma_connection *rpcrdma);
void rpcrdma_credit_call(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *message);
/* Before the transaction is closed. */
void rpcrdma_credit_answer(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *message);
/* Another copy of the Call was answered: this one no longer holds a credit. */
void rpcrdma_credit_settled(struct rpcrdma_connection *rpcrdma, struct rpcrdma_transaction *transaction);
void rpcrdma_credit_skipped(struct rpcrdma_connection *rpcrdma, unsigned side);
/* RDMA_DONE, which uses a credit according to RFC 5666; rpcrdma_threshold_message() sees it, too. */
void rpcrdma_credit_done(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *message);

/* rpcrdma_credit_patterns.c: whether a value depends on the number of Calls in flight. Initially all zero. */
struct rpcrdma_pattern {
    uint64_t sum;           /* of value and number, while the sum does not change */
    uint32_t n, changes;    /* messages with this sum; changes of the number within them */
    uint32_t rises;         /* upward changes among these */
    uint32_t value, steady; /* messages with this value */
    uint32_t steady_changes;
    uint32_t in_flight;
    bool reported;
};
void rpcrdma_pattern_judge(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *message,
                           struct rpcrdma_pattern *pattern, uint32_t in_flight, enum rule_id rule, const char *what,
                           const char *of);

/* rpcrdma_resource_rules.c: Receives. The credit rules report the Sends for which the receiver must be prepared. */
struct rpcrdma_expected {
    bool first;  /* a Call before any grant */
    bool raised; /* a Call allowed only by the latest grant, which is higher than the one before */
};
bool rpcrdma_resource_new(struct rpcrdma_connection *rpcrdma);
void rpcrdma_resource_message(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_message *message);
void rpcrdma_resource_expected(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_message *message,
                               struct rpcrdma_expected expected);
/* Called with any message, after all other hooks. */
void rpcrdma_resource_sent(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_message *message);
void rpcrdma_resource_refusal(struct rpcrdma_connection *rpcrdma, const struct rdma_refusal *refusal);

/* rpcrdma_memory_rules.c, rpcrdma_access_rules.c (_move): operations against offers, after the move was recorded. */
bool rpcrdma_memory_new(struct rpcrdma_connection *rpcrdma);
void rpcrdma_memory_free(struct rpcrdma_connection *rpcrdma);
void rpcrdma_memory_call(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *message);
void rpcrdma_memory_move(struct rpcrdma_connection *rpcrdma, struct rpcrdma_move *move);
/* A Reply or error that ends its transaction, before it is closed. */
void rpcrdma_memory_answer(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *message);
void rpcrdma_memory_refusal(struct rpcrdma_connection *rpcrdma, const struct rdma_refusal *refusal);
void rpcrdma_memory_finish(struct rpcrdma_connection *rpcrdma);

/*
 * rpcrdma_call_rules.c: a Call's Read list by itself; then, once its payload is decoded, Positions, eligibility and
 * lengths. message is NULL if the payload was completed after the Call's Send (Long Call). rpcrdma_reply_rules.c: a
 * Reply's header against the Call's (returned chunks), before its payload is decoded. rpcrdma_result_rules.c: the shape
 * of its payload; then rpcrdma_reply_rules.c again: what is in which chunk. message->transaction is still outstanding.
 * A later hook does not report again what an earlier one reported.
 */
void rpcrdma_call_lists(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *message);
/* The Call was answered: rpcrdma_position_rules.c. */
void rpcrdma_position_unread(struct rpcrdma_connection *rpcrdma, struct rpcrdma_transaction *t);
void rpcrdma_call_payload(struct rpcrdma_connection *rpcrdma, struct rpcrdma_transaction *transaction,
                          struct rpcrdma_message *message);
void rpcrdma_call_move(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_move *move);
void rpcrdma_reply_header(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *message);
void rpcrdma_result_payload(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *message);
void rpcrdma_reply_payload(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *message);

/* rpcrdma_reaction_rules.c: stimuli and reactions to them; every message, after all other hooks but before closing. */
bool rpcrdma_reaction_new(struct rpcrdma_connection *rpcrdma);
/* rpcrdma_tolerance_rules.c: by this rule the client must continue after the answer, the latest one to it. */
void rpcrdma_tolerate(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_message *message, enum rule_id rule);
/* First: after header and threshold, before the transaction is looked up. Message: the last of all hooks. */
void rpcrdma_reaction_first(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *message);
void rpcrdma_reaction_message(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *message);
void rpcrdma_reaction_refusal(struct rpcrdma_connection *rpcrdma, const struct rdma_refusal *refusal);
void rpcrdma_reaction_skipped(struct rpcrdma_connection *rpcrdma);
void rpcrdma_reaction_end(struct rpcrdma_connection *rpcrdma, unsigned side, bool reset, const struct place *place);
void rpcrdma_reaction_finish(struct rpcrdma_connection *rpcrdma, int64_t time_ns);

#endif
