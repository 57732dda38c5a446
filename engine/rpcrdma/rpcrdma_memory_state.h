/* SPDX-License-Identifier: GPL-2.0-or-later */
/* State of the rules on offered memory: rpcrdma_access_rules.c, rpcrdma_memory_rules.c and others. */
#ifndef IWARP_ENGINE_RPCRDMA_RPCRDMA_MEMORY_STATE_H
#define IWARP_ENGINE_RPCRDMA_RPCRDMA_MEMORY_STATE_H

#include "engine/rpcrdma/rpcrdma_internal.h"

enum {
    RPCRDMA_STRAYS_MAX = 8,      /* RDMA Reads of memory that no Call has offered yet */
    RPCRDMA_UNWRITTEN_MAX = 8,   /* segments that a Reply claims are filled, but are not */
    RPCRDMA_ACCESSES_MAX = 64,   /* accesses remembered for a Terminate that blames one of them */
    RPCRDMA_SERVED_MAX = 64,     /* read segments of Replies */
    RPCRDMA_LOOKED_MAX = 1024,   /* offers of one STag that are searched */
    RPCRDMA_LATES_MAX = 4,       /* accesses to memory of completed RPCs */
    RPCRDMA_HASTY_MAX = 8,       /* Replies before the responses to their Reads */
    RPCRDMA_INVALIDATED_MAX = 8, /* STags invalidated by answers */
    RPCRDMA_OWED_MAX = 16,       /* Replies that still require an RDMA_DONE */
};

/* Octets [from, to) of one STag. */
struct rpcrdma_area {
    uint32_t stag;
    uint64_t from, to;
};

/* An RDMA Read of memory that nothing offers: the next Calls show whether the Read was early or simply wrong. */
struct rpcrdma_stray {
    struct rpcrdma_area area;
    unsigned owner;
    struct place place;
    bool acked_known;
    uint64_t acked;
    unsigned calls; /* of the owner, since the Read */
};

/*
 * On InfiniBand: an access to memory that the next Call offers; that Call may be a copy of one that the capture lacks.
 */
struct rpcrdma_ahead {
    uint32_t stag;
    struct place place; /* frame 0: unused */
    unsigned owner;
};

/* A returned segment that was not filled before the Reply: a late RDMA Write, or none, shows which rule is broken. */
struct rpcrdma_unwritten {
    struct rpcrdma_area area; /* as the Reply claims */
    unsigned owner;
    uint64_t transaction;
    uint32_t xid, call_frame;
    struct place place; /* of the Reply */
    enum rule_id rule;  /* to report if no RDMA Write comes */
    uint64_t moved;     /* octets of the area that were written */
    bool reported;
};

/* On InfiniBand: a Reply that was captured before the responses to the Reads of its Call. */
struct rpcrdma_hasty {
    bool open;
    bool proven; /* the responses were sent after the Reply */
    unsigned owner;
    struct rpcrdma_area area; /* from which the responses come */
    struct place place;       /* of the Reply */
    uint64_t operation;       /* of the Reply */
    uint32_t xid, call_frame;
    uint64_t asked, moved;
};

/* An STag that an answer has invalidated, and the first access to that STag since then. */
struct rpcrdma_invalidated {
    unsigned owner;
    uint32_t stag;
    struct place send; /* frame 0: unused */
    bool open, read;
    bool taken; /* a Read was answered */
    bool sure;  /* no missing Call may have offered the STag again */
    struct place access;
    uint64_t operation;
};

struct rpcrdma_access {
    struct rpcrdma_area area;
    uint64_t offset; /* stream offset of the FPDU of the access */
    uint32_t xid, frame;
    enum rdma_kind kind : 8;
    uint8_t side;
};

/* Memory that a Reply offers for reading. */
struct rpcrdma_served {
    struct rpcrdma_area area;
    unsigned owner;
    uint32_t xid, frame;
};

/* An RDMA_DONE that is still expected (RFC 5666). */
struct rpcrdma_owed {
    uint32_t xid;
    struct place place; /* of the Reply */
    bool read;          /* the memory of the Reply was read */
    unsigned calls;     /* that followed the Read */
};

/* An access to memory of a Call that was answered long ago; the owner is expected to refuse the access. */
struct rpcrdma_late {
    bool open, read;
    enum rule_severity severity;
    unsigned owner;
    struct rpcrdma_area area;
    uint32_t xid, answer; /* frame of the answer */
    struct place place;
    unsigned messages; /* of the owner, since it has received the access */
};

struct rpcrdma_handles {
    bool any;
    uint32_t last;        /* STag */
    uint32_t difference;  /* to the previous STag */
    unsigned run;         /* consecutive STags with this difference */
    bool predicted, kept; /* reported already */
};

/* State that most connections never need. */
struct rpcrdma_oddities {
    struct rpcrdma_stray stray[RPCRDMA_STRAYS_MAX];
    struct rpcrdma_ahead ahead[RPCRDMA_STRAYS_MAX]; /* a ring */
    struct rpcrdma_unwritten unwritten[RPCRDMA_UNWRITTEN_MAX];
    struct rpcrdma_owed owed[RPCRDMA_OWED_MAX];
    struct rpcrdma_late late[RPCRDMA_LATES_MAX];   /* a ring */
    struct rpcrdma_hasty hasty[RPCRDMA_HASTY_MAX]; /* a ring */
};

struct rpcrdma_memory_state {
    uint64_t judged[2];            /* by sending side: operation that was already reported */
    uint64_t late_number[2];       /* by owner: transaction whose RDMA Writes after the Reply were already reported */
    struct rpcrdma_access *access; /* a ring; it grows up to RPCRDMA_ACCESSES_MAX */
    unsigned accesses, accesses_size;
    struct rpcrdma_oddities *odd; /* in the arena; NULL: all these counts are 0: */
    unsigned strays, aheads, unwrittens, n_owed, lates, hasties;
    struct rpcrdma_served *served; /* a ring of RPCRDMA_SERVED_MAX, in the arena; NULL: none */
    unsigned serves;
    struct rpcrdma_invalidated invalidated[RPCRDMA_INVALIDATED_MAX]; /* a ring */
    unsigned invalidateds;
    struct rpcrdma_handles handles[2];
};

/* Holds whenever no access is being judged: for the invariants. */
static inline bool rpcrdma_memory_is_sound(const struct rpcrdma_memory_state *state)
{
    return state->strays <= RPCRDMA_STRAYS_MAX && state->unwrittens <= RPCRDMA_UNWRITTEN_MAX &&
           state->n_owed <= RPCRDMA_OWED_MAX && state->accesses_size <= RPCRDMA_ACCESSES_MAX &&
           (state->access || state->accesses == 0) && (state->served || state->serves == 0) &&
           (state->odd || (state->strays == 0 && state->aheads == 0 && state->unwrittens == 0 && state->n_owed == 0 &&
                           state->lates == 0 && state->hasties == 0));
}

static inline struct rpcrdma_area rpcrdma_area_of(const struct rpcrdma_segment *segment)
{
    uint64_t room = UINT64_MAX - segment->offset;

    return (struct rpcrdma_area){.stag = segment->handle,
                                 .from = segment->offset,
                                 .to = segment->length > room ? UINT64_MAX : segment->offset + segment->length};
}

static inline struct rpcrdma_area rpcrdma_area_of_move(const struct rpcrdma_move *move)
{
    return (struct rpcrdma_area){.stag = move->stag,
                                 .from = move->to,
                                 .to = move->length > UINT64_MAX - move->to ? UINT64_MAX : move->to + move->length};
}

static inline bool rpcrdma_area_holds(const struct rpcrdma_area *area, const struct rpcrdma_area *other)
{
    return area->stag == other->stag && area->from <= other->from && other->to <= area->to;
}

static inline bool rpcrdma_area_meets(const struct rpcrdma_area *area, const struct rpcrdma_area *other)
{
    return area->stag == other->stag && area->from < other->to && other->from < area->to;
}

/* Creates state->odd before its first use; false: out of memory. */
bool rpcrdma_memory_has_odd(struct rpcrdma_connection *rpcrdma);

/* rpcrdma_access_rules.c */
void rpcrdma_access_call(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *call);
void rpcrdma_access_finish(struct rpcrdma_connection *rpcrdma);

/* rpcrdma_handle_rules.c: the STags and segments of a Call. */
void rpcrdma_handles_call(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *message);

/* The octets moved for this offer may belong to another Call that offers the same memory at the same time. */
bool rpcrdma_offer_shared(const struct rpcrdma_connection *rpcrdma, const struct rpcrdma_offer *offer);
/* A Reply claims that this segment was filled, but it was not; reported if no RDMA Write follows. */
void rpcrdma_memory_unwritten(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_message *reply,
                              const struct rpcrdma_offer *offer, uint64_t returned, enum rule_id rule);
/* For a Reply whose payload was decoded: judges whether the Read chunks of its Call were read. */
void rpcrdma_memory_pulled(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *reply);

/* rpcrdma_revoked_rules.c: an access to memory of an answered Call, and the owner's reaction. */
void rpcrdma_revoked_access(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_move *move,
                            const struct rpcrdma_transaction *transaction);
void rpcrdma_revoked_response(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_move *move);
void rpcrdma_revoked_message(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_message *message);
void rpcrdma_revoked_finish(struct rpcrdma_connection *rpcrdma);
void rpcrdma_revoked_refused(struct rpcrdma_connection *rpcrdma, unsigned side);

/* rpcrdma_hasty_rules.c: a Reply before responses from that memory; such a response; the end of the connection. */
void rpcrdma_hasty_fail(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_hasty *hasty);
void rpcrdma_hasty_keep(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_hasty *hasty);
void rpcrdma_hasty_response(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_move *move);
void rpcrdma_hasty_finish(struct rpcrdma_connection *rpcrdma);

/*
 * rpcrdma_invalidated_rules.c: an answer with Invalidate; a Call, whose STags become valid; an access to memory that no
 * Call offers; whether the memory was invalidated; a Response; a refusal by the owner; the end of the connection.
 */
void rpcrdma_invalidated_answer(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_message *answer);
void rpcrdma_invalidated_call(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_message *call);
void rpcrdma_invalidated_access(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_move *move);
bool rpcrdma_invalidated(const struct rpcrdma_connection *rpcrdma, const struct rpcrdma_move *move);
void rpcrdma_invalidated_response(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_move *move);
void rpcrdma_invalidated_refused(struct rpcrdma_connection *rpcrdma, unsigned owner);
void rpcrdma_invalidated_finish(struct rpcrdma_connection *rpcrdma);

/* rpcrdma_served_rules.c: the Read list of a Reply; a client's RDMA Read (true: judged); its Calls; RDMA_DONE. */
void rpcrdma_served_reply(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_message *reply);
bool rpcrdma_served_read(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_move *move);
void rpcrdma_served_call(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_message *call);
void rpcrdma_served_done(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_message *message);
void rpcrdma_served_finish(struct rpcrdma_connection *rpcrdma);

#endif
