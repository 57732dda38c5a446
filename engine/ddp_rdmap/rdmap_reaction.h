/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reactions of the DDP and RDMAP layers: a side must answer a faulty segment from its peer with a Terminate, but not a
 * merely odd one.
 *
 *   rdmap_reaction_rules.c     the hooks; the consequence of a fault: Terminate, service, close, silence
 *   rdmap_reaction_faults.c    segments that a capture proves to be faulty, and the Terminates that answer them
 *   rdmap_reaction_odd.c       segments that look wrong and must be accepted
 *   rdmap_reaction_limits.c    requests within the negotiated depth; all Atomic Operations or none
 *   rdmap_reaction_security.c  predictable STags; TLS on top of RDMAP
 *
 * The "reactor" is the side that must react; its peer sent the fault. A capture does not show what the ULP registered,
 * advertised and posted: faults that depend on that (invalid STag, bounds, no buffer) are left to active tests.
 */
#ifndef IWARP_ENGINE_DDP_RDMAP_RDMAP_REACTION_H
#define IWARP_ENGINE_DDP_RDMAP_RDMAP_REACTION_H

#include "engine/ddp_rdmap/rdmap_internal.h"
#include "engine/terminate/terminate_layout.h"

enum fault_kind {
    FAULT_NONE,
    FAULT_SHORT,
    FAULT_DV_TAGGED,
    FAULT_DV_UNTAGGED,
    FAULT_QN,
    FAULT_QN_ATOMIC, /* QN 3, which only Atomic Responses use */
    FAULT_MSN_REPEATED,
    FAULT_MSN_FAR,
    FAULT_MSN_GAP, /* QN 1, here and below: there may be a buffer, but no message may be delivered from it */
    FAULT_MO,
    FAULT_MO_READ,
    FAULT_TO_WRAP,
    FAULT_OPCODE_TAGGED,
    FAULT_OPCODE_UNTAGGED,
    FAULT_OPCODE_READ_QUEUE,
    FAULT_OPCODE_EXTENSION, /* opcodes of RFC 7306 */
    FAULT_RV_TAGGED,
    FAULT_RV_UNTAGGED,
    FAULT_RV_READ,
    FAULT_RV_EXTENSION,
    FAULT_READ_LENGTH,
    FAULT_READ_WRAP,
    FAULT_READ_RESPONSE,
    FAULT_IMMEDIATE_LENGTH,
    FAULT_ATOMIC_LENGTH,
    FAULT_ATOMIC_OPCODE,
    FAULT_ATOMIC_RESPONSE,
    FAULT_INVALIDATED_WRITE,
    FAULT_INVALIDATED_READ,
    FAULT_KINDS
};

enum fault_answer {
    ANSWER_RIGHT,     /* the code of this fault, or a code that another check of the segment may give */
    ANSWER_TOLERATED, /* less fitting: a warning */
    ANSWER_WRONG,
    ANSWER_ELSEWHERE, /* wrong by itself: judged by the rules for Terminates (rdmap_terminate_*.c) */
};

struct fault_info {
    const char *what;
    enum rule_id ignored; /* fails when the reactor does not react */
    enum rule_id code;    /* fails when the Terminate has a wrong code */
    bool ddp;             /* DDP finds it at once, whatever L is */
    bool served_only;     /* the reactor may wait for a missing message: only an answer to the segment is wrong */
};

enum fault_state { FAULT_UNSEEN, FAULT_WAITING, FAULT_SETTLED };

/* A fault, and what its receiver has done since then. */
struct fault_watch {
    enum fault_state state;
    enum fault_kind kind;
    struct place place;  /* the faulty segment */
    uint64_t end;        /* end of its FPDU in the peer's stream */
    bool firm;           /* detected as soon as it arrives; else when its message is complete */
    bool may_just_close; /* its receiver need not, or must not, answer with a Terminate */
    /*
     * How its receiver may have read the segment, whatever its header says: as a request whose answer goes to a sink.
     */
    bool is_read, is_atomic;
    uint32_t sink_stag; /* or the identifier of an Atomic */
    uint64_t sink_to;
    bool read_queue; /* on QN 1, with nothing open before it: any answer is an answer to this segment */
    uint32_t msn;
    bool followed;             /* the peer sent requests after the fault */
    bool faults_after;         /* the peer sent further faults */
    bool received, peer_ended; /* the reactor has acknowledged the fault; the peer closed */
    struct place served;       /* answer to a later request; frame 0: none */
    uint32_t served_request;   /* frame of the later request */
    struct place later;        /* first message begun after the fault was received, other than answers; frame 0: none */
    uint64_t later_end;        /* end of that message in the reactor's stream */
    uint64_t turn_end;         /* end of a message that the peer sent after receiving `later`; 0: none */
    struct place went_on;      /* a message that the reactor sent after receiving that one; frame 0: none */
    struct place late;         /* first message like `later` after the time limit for a reaction; frame 0: none */
};

enum odd_kind {
    ODD_RSVD,
    ODD_RDMAP_RSV,
    ODD_WORD,
    ODD_WORD_EXTENSION,
    ODD_ZERO_TAGGED,
    ODD_ATOMIC_RESERVED,
    ODD_COMPARE_DATA,
    ODD_COMPARE_MASK,
    ODD_TERMINATE_RESERVED,
    ODD_TERMINATE,
    ODD_KINDS
};

struct odd_watch {
    unsigned pending; /* set of 1 << enum odd_kind */
    unsigned settled; /* the subset after which the reactor continued */
    uint64_t end[ODD_KINDS];
};

enum { INVALIDATED_MAX = 8, SINKS_WANTED = 16 };

/* MSNs of one queue as counted by its receiver. */
struct msn_track {
    bool known, open;
    uint32_t next, open_msn;
    uint32_t complete; /* number of complete messages */
};

struct rdmap_reaction_state {
    struct fault_watch fault[2]; /* here and below: by reactor */
    struct odd_watch odd[2];
    struct msn_track msn[2][DDP_QUEUES]; /* by sender */
    bool started[2];
    struct {
        uint32_t stag;
        uint64_t end;
        uint32_t frame;
    } invalidated[2][INVALIDATED_MAX]; /* by the side that sent the Send with Invalidate */
    unsigned n_invalidated[2];
    /* rdmap_reaction_limits.c, by requester */
    unsigned atomics_answered[2]; /* set of 1 << AOpCode */
    bool atomics_asked[2];
    /* rdmap_reaction_security.c, by side */
    unsigned n_sinks[2];
    uint32_t last_sink[2], sink_stride[2], highest_sink[2];
    bool sinks_regular[2], sink_entries[2], sinks_reported[2], first_send_seen[2];
};

/* ---- shared ---- */

static inline bool reaction_acked(const struct rdmap_side *reactor, uint64_t end)
{
    return reactor->acked_known && reactor->acked >= end;
}

/* When the segment was sent, its sender had received the peer's octets up to `end`. */
static inline bool reaction_after(const struct rdmap_step *step, uint64_t end)
{
    return step->acked_known && step->acked >= end;
}

static inline uint64_t reaction_end_of(const struct rdmap_step *step)
{
    return step->fpdu->fpdu.offset + step->fpdu->fpdu.length;
}

/* A whole Terminate, which the terminate hook has already seen. */
static inline bool reaction_is_terminate(const struct rdmap_step *step)
{
    return step->message && step->ddp->opcode == RDMAP_TERMINATE;
}

/* ---- rdmap_reaction_rules.c ---- */

/*
 * The first segment of an answer that no open request asked for. True (and reported) when it answers a segment that its
 * sender should have rejected instead. identifier: of an Atomic Response.
 */
bool rdmap_reaction_serves_fault(struct rdmap_connection *rdmap, const struct rdmap_step *step, uint32_t identifier);
/* The answer without a request, which `side` should have reported, fits a request that `side` sent afterwards. */
void rdmap_reaction_asked_late(struct rdmap_connection *rdmap, unsigned side);

/* ---- rdmap_reaction_faults.c ---- */

extern const struct fault_info rdmap_fault_info[FAULT_KINDS];

/* The fault that the segment certainly has; also tracks the state that later segments are judged by. */
enum fault_kind rdmap_fault_of(struct rdmap_connection *rdmap, struct rdmap_step *step);
/* A message of the reactor: STags that its peer invalidated may be advertised anew. */
void rdmap_fault_readvertise(struct rdmap_connection *rdmap, const struct rdmap_step *step);
void rdmap_fault_hole(struct rdmap_connection *rdmap, unsigned side);
enum fault_answer rdmap_fault_answer(enum fault_kind kind, const struct rdmap_terminate *terminate);

/* ---- rdmap_reaction_odd.c ---- */

void rdmap_odd_segment(struct rdmap_connection *rdmap, struct rdmap_step *step);
void rdmap_odd_terminate(struct rdmap_connection *rdmap, struct rdmap_step *step,
                         const struct rdmap_terminate *terminate, const struct rdmap_recent *culprit);
/* The reactor or its peer closed, or the capture ended. */
void rdmap_odd_settle(struct rdmap_connection *rdmap, unsigned reactor, bool closed);

/* ---- rdmap_reaction_limits.c ---- */

void rdmap_limits_segment(struct rdmap_connection *rdmap, struct rdmap_step *step);
void rdmap_limits_terminate(struct rdmap_connection *rdmap, struct rdmap_step *step,
                            const struct rdmap_terminate *terminate, const struct rdmap_recent *culprit);
void rdmap_limits_finish(struct rdmap_connection *rdmap);

/* ---- rdmap_reaction_security.c ---- */

void rdmap_security_segment(struct rdmap_connection *rdmap, struct rdmap_step *step);

/* ---- rules about Terminates (rdmap_terminate_*.c, rdmap_reaction_*.c) ---- */

/* rdmap_terminate_culprit.c: terminate->has_ddp is set; culprit: the segment at fault, NULL when not kept. */
void rdmap_terminate_judge_culprit(struct rdmap_connection *rdmap, struct rdmap_step *step,
                                   const struct rdmap_terminate *terminate, const struct rdmap_recent *culprit);

static inline bool rdmap_terminate_is(const struct rdmap_terminate *terminate, unsigned layer, unsigned etype)
{
    return terminate->layer == layer && terminate->etype == etype;
}

/* rdmap_reaction_rules.c: whether `side` must report this segment; the Terminate's code is then judged there. */
bool rdmap_reaction_expects(const struct rdmap_connection *rdmap, unsigned side, const struct rdmap_recent *culprit);

/* The request on QN 1 of `side` with this MSN that is not completely answered; NULL when unknown. */
struct rdmap_request *rdmap_open_request(struct rdmap_connection *rdmap, unsigned side, uint32_t msn);

/* The rule about a wrong field in this segment of `side` that its receiver must ignore; RULE_COUNT: none. */
enum rule_id rdmap_overlooked_field(struct rdmap_connection *rdmap, unsigned side, const struct ddp_segment *ddp);

#endif
