/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * State of the rules about startup, negotiation, order and RTR of one connection: shared only by mpa_startup_rules.c,
 * mpa_negotiation_rules.c, mpa_order_rules.c, mpa_boundary_rules.c, mpa_version_rules.c, mpa_read_rules.c,
 * mpa_terminate_rules.c and mpa_rtr_rules.c.
 */
#ifndef IWARP_ENGINE_MPA_MPA_STARTUP_STATE_H
#define IWARP_ENGINE_MPA_MPA_STARTUP_STATE_H

#include "engine/mpa/mpa_internal.h"

/* Octets delivered before Full Operation, with what their sender had received when it sent them. */
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
    /* The frame's enhanced data is misplaced or swapped (9-01, 9-02): rules that compare both frames ignore it. */
    bool enhanced_unusable;
    bool boundary_judged;    /* FO of this side was judged */
    bool early_judged;       /* the timing of its first FPDU was judged */
    bool early;              /* that FPDU was sent too early */
    bool proof_after_reject; /* an FPDU after R = 1 was found */
    bool conflict;           /* octets of this side were retransmitted with other contents */
};

/* The Initiator's first FPDU when A = 1 asks for an RTR; if it is not an RTR, later FPDUs settle it. */
enum rtr_suspect { RTR_SETTLED, RTR_MALFORMED, RTR_OTHER };

struct mpa_rtr_state {
    enum rtr_suspect suspect;
    enum mpa_rtr kind;                 /* of the RTR, or of the type that RTR_MALFORMED resembles; 0: none */
    struct place place;                /* of the first FPDU */
    char found[112];                   /* description of that FPDU */
    bool send_msn_open, read_msn_open; /* the next message on QN 0 / QN 1 shows whether the RTR's MSN counted */
    bool response_open;                /* a Read RTR waits for its zero-length Read Response */
    bool read_without_slot;            /* a Read RTR was sent although REP.IRD is 0 */
    /* The Responder's first Read Response passed the capture point before any FPDU of the Initiator. */
    bool early_seen;
    struct ddp_segment early; /* that Response, without its payload */
    bool terminated;          /* a Terminate was seen, from either end */
    uint32_t sink_stag;
    uint64_t sink_to;
    uint64_t responder_fpdus_since;
};

struct mpa_version_state {
    bool seen[2];
    uint8_t first[2];              /* by side: DV = RV of its first FPDU */
    uint8_t last[2];               /* by side: DV = RV of its newest FPDU */
    bool wrong[2];                 /* a wrong version was reported */
    bool right_seen[2];            /* an FPDU with the negotiated version was seen */
    bool mixed[2];                 /* DV and RV of the newest FPDU differ */
    uint8_t mixed_last[2];         /* then: DV << 4 | RV */
    bool mixed_revisions_reported; /* C.2-01 */
    bool start_reported;           /* 7.1.2-01, C-01 */
};

struct mpa_reads_state {
    uint64_t outstanding[2]; /* by side: Requests without Response */
    uint64_t early[2];       /* by side: Responses to Requests that the capture point has not seen yet */
    uint64_t early_until[2]; /* by side: these Requests begin before this offset */
    bool over[2];            /* above the limit, which was reported */
    bool given_up;           /* a damaged FPDU makes the count meaningless */
};

struct mpa_order_state {
    struct mpa_order_side side[2];
    /*
     * The Reply came before the Request was complete in the capture: judged when the Request is complete, or at the
     * end.
     */
    bool reply_open;
    bool reply_judged;
    /* Two Requests, the second sent by an end that had the first: later octets show which rule was broken. */
    bool two_requests_open;
    unsigned second_request;
    /*
     * The Responder sent its first octets after it had received part of the Initiator's stream, whose first FPDU is not
     * known yet.
     */
    bool first_open;
    uint64_t first_acked;
    struct place first_place;
    bool settled; /* the order is completely judged */
    struct mpa_rtr_state rtr;
    struct mpa_version_state version;
    struct mpa_reads_state reads;
};

/* ---- shared by these files ---- */

/* The side that sent the Request; the side that sent the Reply. -1 when not seen. */
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

/* mpa_boundary_rules.c: the octets after a startup frame. */
enum boundary_octets {
    BOUNDARY_MORE,      /* too few octets */
    BOUNDARY_FPDU,      /* an FPDU, or octets that may be one */
    BOUNDARY_FRAME,     /* another startup frame */
    BOUNDARY_TRAILER,   /* CRC32c of the frame, or the rest of a frame with a Marker in it */
    BOUNDARY_EXCESS,    /* more Private Data than PD_Length says */
    BOUNDARY_STREAMING, /* other octets, in segments of their own */
};

struct boundary {
    enum boundary_octets what;
    size_t count;        /* number of octets that belong to no FPDU */
    bool before_reply;   /* sent by an Initiator that had not received the Reply */
    const char *trailer; /* describes them, for BOUNDARY_TRAILER */
};

/* Whether p is the start of an FPDU, with or without a leading Marker, by CRC or by a DDP header that makes sense. */
enum fpdu_likeness { FPDU_NO, FPDU_TOO_SHORT, FPDU_CONVINCING };
enum fpdu_likeness mpa_fpdu_likeness(const uint8_t *p, size_t n);
/* mpa_header.c: the same for the DDP header alone, after the ULPDU_Length at p, whatever its value. */
enum fpdu_likeness mpa_header_likeness(const uint8_t *p, size_t n);
/* p[0..n) is certainly a complete FPDU, at a place where other octets would be just as legal. */
bool mpa_fpdu_proven(const uint8_t *p, size_t n);

/*
 * p[0..n) are the octets at FO; the first `early` octets were sent before an FPDU was allowed. last: no more octets
 * will come.
 */
struct boundary mpa_boundary_classify(const struct mpa_connection *mpa, unsigned side, const uint8_t *p, size_t n,
                                      size_t early, bool last);
void mpa_boundary_report(struct mpa_connection *mpa, unsigned side, const struct boundary *b, const uint8_t *p,
                         size_t n);
/* p[0..n) is the key of a startup frame, or the beginning of one, of at least 4 octets. */
bool mpa_is_startup(const uint8_t *p, size_t n);
/*
 * Before that frame, the startup may have been rejected in an uncaptured Reply from the peer of `side`. Then the ULP
 * may use the connection as it likes (RFC 5044 section 7.1.2), even for another startup.
 */
bool mpa_may_be_rejected(const struct mpa_connection *mpa, unsigned side, uint32_t frame);
/* FO of this side is where PD_Length says. */
void mpa_boundary_passed(struct mpa_connection *mpa, unsigned side);

/* mpa_version_rules.c: DDP and RDMAP versions (section 3, Appendix C). */
void mpa_judge_versions(struct mpa_connection *mpa, unsigned side, const struct mpa_fpdu_event *event);
/* mpa_read_rules.c: IRD and ORD in use (RFC 6581 section 9.1). */
void mpa_judge_reads(struct mpa_connection *mpa, unsigned side, const struct mpa_fpdu_event *event);
/* mpa_terminate_rules.c: MPA's error codes. */
void mpa_judge_terminate(struct mpa_connection *mpa, unsigned side, const struct mpa_fpdu_event *event);

#endif
