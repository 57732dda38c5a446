/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the rules of startup, negotiation, order and RTR remember about one connection: shared by mpa_startup_rules.c,
 * mpa_negotiation_rules.c, mpa_order_rules.c, mpa_boundary_rules.c, mpa_version_rules.c, mpa_read_rules.c,
 * mpa_terminate_rules.c and mpa_rtr_rules.c, and by no others.
 */
#ifndef IWARP_ENGINE_MPA_MPA_STARTUP_STATE_H
#define IWARP_ENGINE_MPA_MPA_STARTUP_STATE_H

#include "engine/mpa/mpa_internal.h"

/* Octets delivered before Full Operation, and what their sender had received when it sent them. */
struct order_run {
    uint64_t from, to;
    struct octets_origin origin;
};

enum { ORDER_RUNS = 8 };

struct mpa_order_side {
    /* The last few runs of octets before Full Operation, oldest first. */
    struct order_run runs[ORDER_RUNS];
    unsigned n_runs;
    uint64_t delivered; /* end of the newest run */
    /* The frame's enhanced data is not what it seems (9-01, 9-02): the rules that compare both frames ignore it. */
    bool enhanced_unusable;
    bool boundary_judged;    /* FO of this side is settled */
    bool early_judged;       /* so is the moment of its first FPDU */
    bool early;              /* and it was too early */
    bool proof_after_reject; /* an FPDU after R = 1 was found */
    bool conflict;           /* octets of this side were sent again with other contents */
};

/* The first FPDU of the Initiator where A = 1 asks for an RTR; settled by what follows where it is none. */
enum rtr_suspect { RTR_SETTLED, RTR_MALFORMED, RTR_OTHER };

struct mpa_rtr_state {
    enum rtr_suspect suspect;
    enum mpa_rtr kind;                 /* of the RTR, or the one that RTR_MALFORMED resembles; 0 none */
    struct place place;                /* of the first FPDU */
    char found[112];                   /* it, in words */
    bool send_msn_open, read_msn_open; /* the next message on QN 0 / QN 1 shows whether the RTR's MSN counted */
    bool response_open;                /* a Read RTR waits for its zero-length Read Response */
    bool read_without_slot;            /* it was sent although REP.IRD is 0 */
    bool early_seen;                   /* the Responder's first Read Response passed the capture point before any */
    struct ddp_segment early;          /* FPDU of the Initiator: this one; without its payload */
    bool terminated;                   /* a Terminate was seen, from either end */
    uint32_t sink_stag;
    uint64_t sink_to;
    uint64_t responder_fpdus_since;
};

struct mpa_version_state {
    bool seen[2];
    uint8_t first[2];              /* DV = RV of its first FPDU */
    uint8_t last[2];               /* DV = RV of the newest FPDU of a side */
    bool wrong[2];                 /* it was reported */
    bool right_seen[2];            /* an FPDU with the negotiated version was seen */
    bool mixed[2];                 /* the newest FPDU had DV and RV apart: */
    uint8_t mixed_last[2];         /* DV << 4 | RV */
    bool mixed_revisions_reported; /* C.2-01 */
    bool start_reported;           /* 7.1.2-01, C-01 */
};

struct mpa_reads_state {
    uint64_t outstanding[2]; /* Requests of a side without Response */
    uint64_t early[2];       /* Responses to Requests of a side that the capture point has not seen yet */
    bool over[2];            /* above the limit since the last report */
    bool given_up;           /* a damaged FPDU makes the count meaningless */
};

struct mpa_order_state {
    struct mpa_order_side side[2];
    /* The Reply came before the Request was complete in the capture: judged when it is, or at the end. */
    bool reply_open;
    bool reply_judged;
    /* Two Requests, the second sent by an end that had the first: what follows shows which rule was broken. */
    bool two_requests_open;
    unsigned second_request;
    /* The Responder's first octets, sent after it had received something of the Initiator whose first FPDU is not known
     * yet. */
    bool first_open;
    uint64_t first_acked;
    struct place first_place;
    bool settled; /* nothing is left to judge about the order */
    struct mpa_rtr_state rtr;
    struct mpa_version_state version;
    struct mpa_reads_state reads;
};

/* ---- shared by these files ---- */

/* The side that sent the Request, the Reply; -1 when not seen. */
static inline int requester(const struct mpa_connection *mpa)
{
    for (int side = 0; side < 2; side++)
        if (mpa->side[side].startup.seen && mpa->side[side].startup.frame.kind == MPA_REQUEST)
            return side;
    return -1;
}

static inline int replier(const struct mpa_connection *mpa)
{
    for (int side = 0; side < 2; side++)
        if (mpa->side[side].startup.seen && mpa->side[side].startup.frame.kind == MPA_REPLY)
            return side;
    return -1;
}

/* mpa_boundary_rules.c: what follows a startup frame. */
enum boundary_octets {
    BOUNDARY_MORE,      /* too few octets */
    BOUNDARY_FPDU,      /* an FPDU, or nothing that contradicts one */
    BOUNDARY_FRAME,     /* another startup frame */
    BOUNDARY_TRAILER,   /* CRC32c of the frame, or the rest of a frame with a Marker in it */
    BOUNDARY_EXCESS,    /* more Private Data than PD_Length says */
    BOUNDARY_STREAMING, /* other octets, in segments of their own */
};

struct boundary {
    enum boundary_octets what;
    size_t count;        /* octets that belong to no FPDU */
    bool before_reply;   /* sent by an Initiator that had not received the Reply */
    const char *trailer; /* what they are, for BOUNDARY_TRAILER */
};

/* Is there the start of an FPDU at p, with or without a leading Marker? By CRC, or by a DDP header that makes sense. */
enum fpdu_likeness { FPDU_NO, FPDU_TOO_SHORT, FPDU_CONVINCING };
enum fpdu_likeness mpa_fpdu_likeness(const uint8_t *p, size_t n);
/* mpa_header.c: the same of the DDP header alone, after the ULPDU_Length at p, whatever that says. */
enum fpdu_likeness mpa_header_likeness(const uint8_t *p, size_t n);
/* Is it beyond doubt a complete one, where other octets would be just as legal? */
bool mpa_fpdu_proven(const uint8_t *p, size_t n);

/* p[0..n) at FO; the first `early` octets were sent before an FPDU was allowed. last: no more octets will come. */
struct boundary mpa_boundary_classify(const struct mpa_connection *mpa, unsigned side, const uint8_t *p, size_t n,
                                      size_t early, bool last);
void mpa_boundary_report(struct mpa_connection *mpa, unsigned side, const struct boundary *b, const uint8_t *p,
                         size_t n);
/* p[0..n) is the key of a startup frame, or as much of it as there is, from 4 octets on. */
bool mpa_is_startup(const uint8_t *p, size_t n);
/*
 * The startup may have been rejected, after which the connection is the ULP's again (RFC 5044 section 7.1.2), for
 * another startup, too: the capture may lack a Reply of the peer of `side`.
 */
bool mpa_may_be_rejected(const struct mpa_connection *mpa, unsigned side);
/* FO of this side is where PD_Length says. */
void mpa_boundary_passed(struct mpa_connection *mpa, unsigned side);

/* mpa_version_rules.c: DDP and RDMAP versions (section 3, Appendix C). */
void mpa_judge_versions(struct mpa_connection *mpa, unsigned side, const struct mpa_fpdu_event *event);
/* mpa_read_rules.c: IRD and ORD in use (RFC 6581 section 9.1). */
void mpa_judge_reads(struct mpa_connection *mpa, unsigned side, const struct mpa_fpdu_event *event);
/* mpa_terminate_rules.c: error codes of MPA. */
void mpa_judge_terminate(struct mpa_connection *mpa, unsigned side, const struct mpa_fpdu_event *event);

#endif
