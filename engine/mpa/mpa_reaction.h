/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reactions: when one side sends a stimulus, the other side is expected to react; later events meet this expectation,
 * break it or leave it open. One file per family of stimuli:
 *
 *   mpa_reaction_rules.c      the hooks, the clock, what both directions acknowledged
 *   mpa_reaction_close.c      startup frames whose receiver must close
 *   mpa_reaction_establish.c  Replies that the Initiator must answer with a Terminate; RTR (RFC 6581)
 *   mpa_reaction_wait.c       waiting for startup frames and FPDUs that do not come
 *   mpa_reaction_error.c      FPDUs with a wrong CRC or Marker
 *   mpa_reaction_accept.c     odd, but correct: the receiver must continue
 *   mpa_reaction_read.c       Read and Atomic Requests and their Responses, which show what a receiver has processed
 *
 * The "reactor" is the side that is expected to react; its peer sent the stimulus. An expectation begins when the
 * reactor has acknowledged the stimulus, so loss on the way is never held against the reactor. Deadlines count only if
 * the host passes on every TCP segment; otherwise a close could go unseen.
 */
#ifndef IWARP_ENGINE_MPA_MPA_REACTION_H
#define IWARP_ENGINE_MPA_MPA_REACTION_H

#include "engine/mpa/mpa_internal.h"
#include "wire/rdmap_terminate.h"

#define RULE_NONE RULE_COUNT

/* Place of a stimulus in the peer's stream. */
struct stimulus {
    uint64_t offset, end;
    uint32_t frame;
};

/* ---- mpa_reaction_close.c ---- */

enum close_kind {
    CLOSE_NONE,
    CLOSE_KEY_REQUEST,
    CLOSE_KEY_REPLY,
    CLOSE_GARBAGE_REPLY, /* not even similar to a startup frame */
    CLOSE_REVISION_REQUEST,
    CLOSE_REVISION_REPLY,
    CLOSE_LONG_REQUEST,
    CLOSE_LONG_REPLY,
    CLOSE_SHORT_REQUEST,
    CLOSE_SHORT_REPLY,
    CLOSE_ENHANCED_REQUEST,
    CLOSE_ENHANCED_REPLY,
    CLOSE_TWO_REQUESTS,
    CLOSE_RDMAC_REQUEST,
    CLOSE_KINDS
};

struct close_watch {
    enum close_kind kind;
    struct stimulus at;
    uint8_t revision; /* the stimulus's */
    bool started;
    int64_t due;
    struct place overdue; /* where the connection was still open at that time; frame 0: it was not */
};

/* ---- mpa_reaction_establish.c ---- */

enum establish_flag {
    ESTABLISH_NO_RTR = 1,          /* A = 1 in both, but no common RTR type */
    ESTABLISH_ORD = 2,             /* REP.ORD above REQ.IRD */
    ESTABLISH_MODEL = 4,           /* REP.A differs from REQ.A */
    ESTABLISH_NOT_NEGOTIATED = 8,  /* 0x3FFF not answered by 0x3FFF */
    ESTABLISH_BITS_WITHOUT_A = 16, /* REP.A = 0 with types that the Request offered */
    ESTABLISH_UNENHANCED = 32,     /* S = 0 in answer to S = 1, A = 1 */
    ESTABLISH_UNASKED = 64,        /* S = 1 in answer to Rev 1 */
    ESTABLISH_FATAL = ESTABLISH_NO_RTR | ESTABLISH_ORD | ESTABLISH_MODEL | ESTABLISH_NOT_NEGOTIATED,
};

struct establish_watch {
    unsigned flags; /* flags not settled yet */
    struct stimulus at;
    bool started, terminated;
    bool no_types; /* the Reply names no RTR type at all: its own fault (MPA2-9.2-11), which explains a close */
    int64_t due;
    uint32_t terminate_frame;
    /* The reaction of the Responder. */
    unsigned rtr; /* enum mpa_rtr of the RTR that was sent and must be accepted; 0: none, or settled */
    struct stimulus rtr_at;
    bool rtr_started;
    int64_t rtr_due;
};

/* ---- mpa_reaction_wait.c ---- */

struct wait_watch {
    bool frame_waiting[2]; /* by the side that waits for a startup frame (or for the rest of one) */
    int64_t frame_since[2];
    uint32_t frame_number[2];
    bool frame_settled[2];
    bool rest_settled[2]; /* likewise for the rest of an FPDU */
};

/* ---- mpa_reaction_error.c ---- */

enum error_state { ERROR_NONE, ERROR_SENT, ERROR_RECEIVED, ERROR_TERMINATED, ERROR_SETTLED };
enum error_kind { ERROR_CRC, ERROR_LENGTH, ERROR_CRC_ZERO_PAD, ERROR_CRC_ZERO_RESERVED, ERROR_MARKER };

struct error_watch {
    enum error_state state;
    enum error_kind kind;
    struct stimulus at;
    bool first;          /* the Initiator's first FPDU */
    bool own_c0;         /* the reactor had declared C = 0 */
    bool marker_doubt;   /* its Markers contradict it, too: code 3 is as good as code 2 */
    bool is_request;     /* it contains a Read or Atomic Request */
    bool requests_after; /* correct requests followed */
    bool heard;          /* the reactor has sent something since, so its direction is captured */
    bool peer_ended;     /* the peer's FIN came first: a close is no longer an answer */
    int64_t due;
    uint32_t terminate_frame;
    uint8_t header[DDP_UNTAGGED_HEADER_LEN]; /* the beginning of its ULPDU */
    uint8_t header_len;
};

/* ---- mpa_reaction_accept.c ---- */

enum accept_kind { /* from the most specific to the least */
                   ACCEPT_PAD,
                   ACCEPT_RESERVED,
                   ACCEPT_LOW_BITS,
                   ACCEPT_WRAP,
                   ACCEPT_FIRST_CRC_UNUSED,
                   ACCEPT_SWITCHING,
                   ACCEPT_CRC_UNUSED,
                   ACCEPT_OUT_OF_ORDER,
                   ACCEPT_UNALIGNED,
                   ACCEPT_ANY,
                   ACCEPT_KINDS
};

struct accept_watch {
    unsigned pending; /* set of 1 << enum accept_kind */
    bool faulty;      /* the peer did something that the reactor may rightly complain about */
    bool crc_unused_settled;
    uint64_t repeated_end; /* end of the octets that the peer retransmitted before its first FPDU */
    bool switching_noted;
    unsigned crcs_computed;
    uint64_t last_end; /* end of the peer's last FPDU */
    struct {
        uint32_t count;
        struct stimulus at; /* the latest one */
        int64_t time_ns;
    } of[ACCEPT_KINDS];
};

/* ---- mpa_reaction_read.c ---- */

enum { READS_FIRST = 4, READS_KEPT = 64 };

struct read_kept {
    struct stimulus at;
    bool atomic;
    uint32_t identifier; /* of an Atomic Request */
    uint32_t stag, size; /* of a Read Request */
    uint64_t to;
    bool wrong_crc;   /* the Request came in an FPDU with a wrong CRC */
    bool after_wrong; /* the Request came after such an FPDU */
    bool first;       /* in the Initiator's first FPDU */
    bool answered;    /* a Response was seen, but not its last segment */
};

/* A Read Response, or a segment of one, or an Atomic Response. */
struct read_answer {
    bool atomic, last;
    uint32_t identifier;   /* for an Atomic */
    uint32_t stag, octets; /* for a Read */
    uint64_t to;
};

/* Read and Atomic Requests of one side that are not answered yet, oldest first. */
struct read_ring {
    unsigned first, n, capacity;
    struct read_kept *kept; /* grows up to READS_KEPT */
    bool last_is_read;      /* the last FPDU of this side was a Read Request */
    bool skipped;           /* Requests were forgotten before they were answered */
    /* A Response of the other side to a Request that had not been completely received. */
    struct {
        bool open;
        bool lost; /* there were several at a time, so whether a Request was answered is uncertain */
        struct read_answer answer;
        uint64_t acked;
        struct place place;
    } early;
};

/* ---- shared ---- */

struct mpa_reaction_state {
    int64_t now;
    uint32_t frame;
    uint8_t frame_side;  /* the side that sent this frame */
    bool acked_known[2]; /* by the side that acknowledges */
    uint64_t acked[2];   /* offset in the other side's stream */
    bool terminated[2];  /* by the side that sent a Terminate */
    bool ended[2];
    struct close_watch close[2]; /* here and below: by reactor */
    bool close_failed[2];
    struct establish_watch establish;
    struct wait_watch wait;
    struct error_watch error[2];
    uint64_t conflict_from[2], conflict_to[2]; /* by sender: the latest octets that came in two versions */
    struct accept_watch accept[2];
    struct read_ring *reads[2]; /* by the side that sends the Requests; NULL until the first Request */
    uint64_t reads_peak[2];
    bool reads_limit_reached[2];
    uint32_t requests[2];      /* number of messages on QN 1 */
    bool responder_understood; /* MPA-7.1.2-12 is settled */
    /* A later Read Request was answered before the one in the Initiator's first FPDU; frame 0: no. */
    struct {
        struct read_kept first;
        struct place place; /* of the answer to the later Request */
        uint32_t later_frame;
    } passed_over;
};

/* An FPDU in the form that the rule families need. */
struct reaction_fpdu {
    const struct mpa_fpdu_event *event;
    unsigned side;
    bool acked_known; /* the ACK number in the segment of its first octet */
    uint64_t acked;
    bool is_terminate;
    struct rdmap_terminate terminate;
};

/* Why the reaction cannot be judged. */
static inline enum why reaction_doubt(const struct mpa_connection *mpa)
{
    return LOST_OR(mpa->finished ? WHY_END : WHY_CAUSE);
}
/* The current frame and time, in the stream of `side`. */
struct place reaction_place(const struct mpa_connection *mpa, unsigned side);
/* The reactor has acknowledged the peer's octets up to `end`. */
bool reaction_received(const struct mpa_connection *mpa, unsigned reactor, uint64_t end);
/* The host passes on every segment, so silence and deadlines are meaningful. */
bool reaction_sees_all(const struct mpa_connection *mpa);
/* The capture lacks something that the reactor sent. */
bool reaction_lost(const struct mpa_connection *mpa, unsigned reactor);
/* The segment ends the reactor's stream; the end hooks decide what that means. */
bool reaction_is_end(const struct tcp_segment *segment, unsigned reactor);
double reaction_seconds(int64_t ns);
/* When the FPDU was sent, its sender had received the peer's octets up to `end` (also true when unknown). */
bool reaction_after(const struct reaction_fpdu *fpdu, uint64_t end);
/* A Terminate with layer LLP, error type MPA. */
bool reaction_is_mpa_error(const struct rdmap_terminate *terminate);

void reaction_read_finish(struct mpa_connection *mpa);
void reaction_read_free(struct read_ring *ring);
/* segment is NULL when called from finish. */
void reaction_close_startup(struct mpa_connection *mpa, unsigned side);
void reaction_close_bad_reply(struct mpa_connection *mpa, unsigned side, const struct place *place);
void reaction_close_fpdu(struct mpa_connection *mpa, const struct reaction_fpdu *fpdu);
void reaction_close_segment(struct mpa_connection *mpa, const struct tcp_segment *segment);
void reaction_close_end(struct mpa_connection *mpa, unsigned side, bool reset);
void reaction_close_finish(struct mpa_connection *mpa);

void reaction_establish_startup(struct mpa_connection *mpa, unsigned side);
void reaction_establish_fpdu(struct mpa_connection *mpa, const struct reaction_fpdu *fpdu);
void reaction_establish_segment(struct mpa_connection *mpa, const struct tcp_segment *segment);
void reaction_establish_end(struct mpa_connection *mpa, unsigned side, bool reset);
void reaction_establish_finish(struct mpa_connection *mpa);

void reaction_wait_startup(struct mpa_connection *mpa, unsigned side);
void reaction_wait_segment(struct mpa_connection *mpa, const struct tcp_segment *segment);
void reaction_wait_end(struct mpa_connection *mpa, unsigned side);
void reaction_wait_finish(struct mpa_connection *mpa);

void reaction_error_fpdu(struct mpa_connection *mpa, const struct reaction_fpdu *fpdu);
void reaction_error_segment(struct mpa_connection *mpa, const struct tcp_segment *segment, uint64_t offset);
/* The segment repeats octets; from `offset` on they differ from the first copy. */
void reaction_error_repaired(struct mpa_connection *mpa, unsigned side, uint64_t offset,
                             const struct tcp_segment *segment);
void reaction_error_end(struct mpa_connection *mpa, unsigned side, bool reset);
void reaction_error_finish(struct mpa_connection *mpa);
/*
 * ULPDU_Length contradicts the octets, although CRCs are used: at that length the CRC is wrong. Also true for a CRC
 * that is itself wrong.
 */
bool reaction_is_error(const struct mpa_connection *mpa, const struct mpa_fpdu_event *event);
/* The FPDU contains a Read or Atomic Request, or a segment of one. */
bool reaction_is_request(const struct mpa_fpdu_event *event);
/* The reactor answered a request in the faulty FPDU, or after it. */
void reaction_error_answered(struct mpa_connection *mpa, const struct reaction_fpdu *fpdu,
                             const struct read_kept *request);

void reaction_accept_fpdu(struct mpa_connection *mpa, const struct reaction_fpdu *fpdu);
void reaction_accept_segment(struct mpa_connection *mpa, const struct tcp_segment *segment, uint64_t offset);
void reaction_accept_finish(struct mpa_connection *mpa);

void reaction_read_fpdu(struct mpa_connection *mpa, const struct reaction_fpdu *fpdu);

#endif
