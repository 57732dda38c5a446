/* SPDX-License-Identifier: GPL-2.0-or-later */
/* State of the MPA layer, shared by its files (mpa_*.c) only. */
#ifndef IWARP_ENGINE_MPA_MPA_INTERNAL_H
#define IWARP_ENGINE_MPA_MPA_INTERNAL_H

#include "engine/mpa/mpa.h"

struct mpa_framing_state; /* mpa_framing.h: state of framing and its diagnosis, per side */

enum { STARTUP_ROOM = MPA_STARTUP_HEADER_LEN + MPA_PRIVATE_DATA_MAX };

/* A startup frame as seen in one side's stream. */
struct startup_seen {
    bool seen; /* the frame is complete */
    /* Its 20 octets were seen: frame is valid as far as the header goes, even if seen is false. */
    bool header_seen;
    /* Private Data were (partly) lost by the capture: the frame is never judged, but its header is used. */
    bool partial;
    /* PD_Length above 512: judged when 512 octets of Private Data have come, or when no more octets follow. */
    bool oversized;
    bool late;   /* the key is not at the stream's first octet: it follows streaming-mode data */
    bool excess; /* octets after the frame are Private Data that PD_Length does not count: reported */
    /* Number of Private Data octets that PD_Length announces and that the sender never sent. */
    uint32_t missing;
    struct mpa_startup frame; /* its pointers point into octets */
    /* STARTUP_ROOM octets, as captured, the rest 0; owned by the arena; NULL before the frame is taken. */
    uint8_t *octets;
    uint64_t start;                   /* stream offset of the key */
    uint64_t end;                     /* FO: first octet after the frame */
    struct place place;               /* the captured frame that completed the startup frame */
    struct octets_origin first, last; /* origins of its first and last octet */
    uint8_t key_matches;              /* number of right octets in the key: 16, or 11..15 for a damaged key */
};

enum side_state {
    SIDE_STREAMING,   /* looking for a startup frame */
    SIDE_STARTUP,     /* a key was found, the frame is being collected */
    SIDE_WAITING,     /* startup frame complete; later octets are held until the other side's frame is known */
    SIDE_FPDUS,       /* Full Operation, in step */
    SIDE_LOST,        /* Full Operation, FPDU boundary unknown: resynchronising */
    SIDE_RECOGNISING, /* start missing: looking for an FPDU stream by structure and CRC */
    SIDE_IGNORED,     /* rejected, not MPA, or given up */
};

/*
 * The octets of a stream that are still needed, in the piece just delivered or, between calls, in a buffer
 * (mpa_window.c).
 */
struct mpa_window {
    uint64_t offset; /* stream offset of p[0] */
    const uint8_t *p;
    size_t n;
    uint8_t *buffer;
    size_t capacity;
    struct arena *arena; /* the connection's */
    bool buffered;       /* p points into buffer */
};

/* Where a run of octets came from: kept for octets not consumed yet. */
struct origin_run {
    uint64_t start, end; /* stream offsets of the first octet and past the last */
    struct octets_origin origin;
};

/* The latest FPDU, which a hole may follow. */
struct mpa_tail {
    uint64_t end; /* its end in the stream */
    bool goes_on; /* a Tagged segment, and not the last of its message; the rest describes it */
    uint8_t opcode;
    uint16_t payload_len;
    uint32_t stag;
    uint64_t to; /* TO after it */
};

/* One direction, named by the side that sends it. */
struct mpa_side {
    enum side_state state;
    struct startup_seen startup;
    struct mpa_window window; /* from the oldest octet that diagnosis may still need on */
    uint64_t cursor;          /* next octet to look at; window.offset <= cursor */
    /* > 0: the FPDU at the cursor was cut by the snap length, and ends at this offset (mpa_cut.c). */
    uint64_t cut_end;
    struct origin_run *runs; /* covers the window's octets, ascending */
    size_t n_runs;
    unsigned runs_capacity;
    struct mpa_framing_state *framing; /* from Full Operation on */
    bool start_looked_at, bad_start_reported;
    bool ended;            /* FIN, RST or the end has been judged */
    bool any;              /* octets or a hole were delivered */
    uint64_t first_offset; /* offset of the first octet delivered */
    uint64_t next;         /* offset after the last octet or hole delivered */
    uint64_t looked;       /* recognition: no FPDU starts before this offset */
    unsigned row;          /* recognition: plausible FPDUs seen in a row */
    uint64_t streamed;     /* octets searched in vain before a startup frame or FPDU stream was found */
    uint64_t fpdus;        /* number of complete FPDUs in step */
    uint64_t fpdu_octets;
    uint64_t good_crcs, bad_crcs;
    struct place first_fpdu; /* of the first FPDU; valid when fpdus > 0 */
    uint64_t first_fpdu_end;
    bool first_fpdu_bad;   /* its CRC is wrong while CRC is used */
    bool first_fpdu_known; /* no earlier octet of Full Operation is missing, so this FPDU really is the first */
    /* Messages of this direction may be missing: judgments about order and counts are then inconclusive. */
    bool hole;
    /*
     * Octets are missing after the last FPDU; the next FPDU may show that they belonged to no other message
     * (mpa_gap.c).
     */
    bool gap_open, hole_before;
    struct mpa_tail tail;
    bool fin, reset;
    uint64_t rst_offset; /* stream offset of the RST */
    uint64_t fin_offset;
    struct place end_place; /* of FIN or RST */
    bool faulty;            /* its framing broke a rule, so the receiver may complain */
    bool negotiated_unmet;  /* the framing found contradicts the negotiation; reported once, then accepted as found */
    /*
     * Unanswered RDMA Read (and Atomic) Requests of this side; counted by the core, including the FPDU passed to a
     * hook.
     */
    uint64_t reads_outstanding;
    int64_t last_time;
    uint32_t last_frame;
};

struct mpa_order_state;    /* mpa_order_rules.c */
struct mpa_reaction_state; /* mpa_reaction_rules.c */
struct mpa_tcp_state;      /* mpa_tcp_rules.c */

struct mpa_connection {
    struct mpa_options options;
    struct mpa_events events;
    struct verdict *verdict;
    struct tcp_pair *tcp;          /* NULL: facts unknown */
    struct terminate_host host[2]; /* of each side */
    enum mpa_phase phase;
    struct mpa_parameters parameters;
    struct mpa_side side[2];
    bool start_captured[2];  /* the stream is known from offset 0, because its SYN was seen, */
    uint32_t start_frame[2]; /* in this frame */
    bool finished;
    int64_t end_time;    /* of the capture or the connection; valid when finished */
    bool crc_inferred;   /* parameters.crc was inferred from the octets: the sender has no obligation */
    struct arena *arena; /* borrowed; holds the families' state for the life of the connection */
    /* Owned by the rule families; allocated by their _new. */
    struct mpa_order_state *order;
    struct mpa_reaction_state *reaction;
    struct mpa_tcp_state *tcp_rules;
};

/* ---- helpers (mpa_connection.c) ---- */

static inline int initiator_of(const struct mpa_connection *mpa)
{
    return mpa->parameters.initiator_side; /* -1 when unknown */
}

/* Whether the host passes on every segment, with its TCP facts. */
static inline bool mpa_sees_all(const struct mpa_connection *mpa)
{
    return mpa->tcp && !mpa->options.payload_only;
}

/* The direction of octets that `side` sends. */
static inline enum direction direction_of(const struct mpa_connection *mpa, unsigned side)
{
    if (mpa->parameters.initiator_side < 0)
        return DIR_UNKNOWN;
    return (unsigned)mpa->parameters.initiator_side == side ? DIR_TO_RESPONDER : DIR_TO_INITIATOR;
}

/* The FPDU is certainly the first of its direction, not merely the first one captured. */
static inline bool mpa_is_first(const struct mpa_connection *mpa, unsigned side, const struct mpa_fpdu_event *event)
{
    return event->number == 0 && mpa->side[side].first_fpdu_known;
}

/* mpa_window.c. feed: adds octets at stream offset `offset`; false when out of memory. */
bool mpa_window_feed(struct mpa_window *window, uint64_t offset, const uint8_t *p, size_t n);
void mpa_window_drop(struct mpa_window *window, uint64_t until); /* forgets octets before stream offset `until` */
bool mpa_window_save(struct mpa_window *window);                 /* call before the piece's memory becomes invalid */
void mpa_window_restart(struct mpa_window *window, uint64_t offset);
void mpa_window_free(struct mpa_window *window);

static inline uint64_t mpa_window_end(const struct mpa_window *window)
{
    return window->offset + window->n;
}

/* The octet at stream offset `at`, which must be in [offset, end]. */
static inline const uint8_t *mpa_window_at(const struct mpa_window *window, uint64_t at)
{
    return window->p + (at - window->offset);
}

/* Place of the octets [from, to) of a side, with frames from the origin runs. */
struct place mpa_place(const struct mpa_connection *mpa, unsigned side, uint64_t from, uint64_t to);
/*
 * mpa_gap.c. _open: octets are missing. _settle: the next FPDU shows what they were. mpa_tail_note(): called for every
 * FPDU.
 */
void mpa_gap_open(struct mpa_side *s);
void mpa_gap_settle(struct mpa_side *s, struct mpa_fpdu_event *event);
void mpa_tail_note(struct mpa_side *s, const struct mpa_fpdu_event *event);

/* Index in runs[] of the run that holds the octet at `at`, or n_runs. */
size_t mpa_run_of(const struct mpa_side *s, uint64_t at);
/* mpa_origin(), when the octet is not in the first run. */
const struct octets_origin *mpa_later_origin(const struct mpa_side *s, uint64_t at);

/*
 * The origin of the octet at stream offset `at` of a side, not consumed yet. Fast path: most windows hold one segment.
 */
static inline const struct octets_origin *mpa_origin(const struct mpa_connection *mpa, unsigned side, uint64_t at)
{
    const struct mpa_side *s = &mpa->side[side];

    return s->n_runs > 0 && at < s->runs[0].end ? &s->runs[0].origin : mpa_later_origin(s, at);
}

/* A TCP segment begins (ends) exactly at stream offset `at`, as far as the octets still held show. */
bool mpa_segment_starts(const struct mpa_connection *mpa, unsigned side, uint64_t at);
bool mpa_segment_ends(const struct mpa_connection *mpa, unsigned side, uint64_t at);

/*
 * ---- parts of the core ----
 */
/* mpa_find.c: octets of a side that is not in Full Operation yet. */
void mpa_find_octets(struct mpa_connection *mpa, unsigned side);
void mpa_find_hole(struct mpa_connection *mpa, unsigned side, uint64_t to);
void mpa_find_end(struct mpa_connection *mpa, unsigned side);          /* FIN, RST or the end: nothing follows */
void mpa_find_after_reject(struct mpa_connection *mpa, unsigned side); /* new octets after a rejection */
/* Applies --assume to unknown parameters. */
void mpa_assume(struct mpa_connection *mpa);
/* mpa_framing.c: Full Operation. */
bool mpa_framing_begin(struct mpa_connection *mpa, unsigned side, uint64_t at);
void mpa_framing_octets(struct mpa_connection *mpa, unsigned side);
void mpa_framing_hole(struct mpa_connection *mpa, unsigned side, uint64_t from, uint64_t to);
void mpa_framing_end(struct mpa_connection *mpa, unsigned side,
                     bool fin); /* fin: a graceful close, so no octets are missing */
/*
 * mpa_cut.c: Full Operation when the snap length cuts segments. Octets [from, to) were sent and not captured; false:
 * the caller must treat them as a hole.
 */
bool mpa_cut_hole(struct mpa_connection *mpa, unsigned side, uint64_t from, uint64_t to);
/* With cut_end > 0, n octets came at `offset`: returns how many of them belong to the cut FPDU. */
size_t mpa_cut_octets(struct mpa_connection *mpa, unsigned side, uint64_t offset, size_t n);
/* mpa_recognise.c: FPDU streams whose start is missing. True when this side's stream was recognised and is in step. */
bool mpa_recognise(struct mpa_connection *mpa, unsigned side, bool last);

void mpa_set_phase(struct mpa_connection *mpa, enum mpa_phase phase, const struct place *place);
/* Octets [from, to) belong to no FPDU. */
void mpa_skipped(struct mpa_connection *mpa, unsigned side, uint64_t from, uint64_t to, const char *why);
/* Ignores everything that this side sends from now on. */
void mpa_ignore(struct mpa_connection *mpa, unsigned side);

/*
 * ---- hooks, called by the core; one family per file ----
 *
 * A hook judges with verdict_passed/_failed/_inconclusive; it does not change phase or parameters.
 */

/*
 * mpa_startup_rules.c: a startup frame is complete, or known to stay incomplete: missing > 0 when its sender continued
 * or ended before PD_Length was reached; oversized: see struct startup_seen. Called for each frame, but not for partial
 * ones.
 */
void mpa_judge_startup(struct mpa_connection *mpa, unsigned side);
/* mpa_negotiation_rules.c: both frames are complete. Called once per startup. */
void mpa_judge_negotiation(struct mpa_connection *mpa);

/* mpa_order_rules.c: who may speak when (7.1.2, 7.1.3), decided by ACK numbers. */
bool mpa_order_new(struct mpa_connection *mpa);
void mpa_order_startup(struct mpa_connection *mpa, unsigned side);
/*
 * Octets [from, to) of `side` were delivered (in order, `from` new) while the side is not in Full Operation: streaming
 * data, pieces of a startup frame, octets held after the frame. Called before the core consumes them.
 */
void mpa_order_octets(struct mpa_connection *mpa, unsigned side, uint64_t from, uint64_t to,
                      const struct octets_origin *origin);
/*
 * Octets p[0..n) of `side` are at FO and not consumed yet; both startup frames are complete, REP.R = 0. Called before
 * the side's framing is set up. Returns how many of the octets belong to no FPDU (excess Private Data, streaming data,
 * a second startup frame, ...): these are reported already; the core emits `skipped` for them and begins Full Operation
 * (FO, Marker grid) after them. Usually 0. MPA_ORDER_MORE: too few octets, call again with more; never when `last` is
 * set (a hole, FIN or the end follows).
 */
#define MPA_ORDER_MORE SIZE_MAX
size_t mpa_order_first_octets(struct mpa_connection *mpa, unsigned side, const uint8_t *p, size_t n, bool last);
/* REP.R = 1: the octets after the startup frame of `side`, as delivered (only the first 64 KiB). */
void mpa_order_after_reject(struct mpa_connection *mpa, unsigned side, uint64_t offset, const uint8_t *p, size_t n,
                            const struct octets_origin *origin);
void mpa_order_fpdu(struct mpa_connection *mpa, unsigned side, const struct mpa_fpdu_event *event);
/* Octets of `side` were sent again with other contents. */
void mpa_order_conflict(struct mpa_connection *mpa, unsigned side);
void mpa_order_finish(struct mpa_connection *mpa);

/* mpa_rtr_rules.c: RTR, IRD/ORD use, Terminates of the establishment (RFC 6581 section 9), DDP/RDMAP versions. */
void mpa_judge_fpdu_content(struct mpa_connection *mpa, unsigned side, const struct mpa_fpdu_event *event);
void mpa_judge_content_finish(struct mpa_connection *mpa);

/* mpa_marker_rules.c, mpa_crc_rules.c: an FPDU in step, before its event is emitted. */
void mpa_judge_markers(struct mpa_connection *mpa, unsigned side, const struct mpa_fpdu *fpdu,
                       const struct place *place);
enum mpa_crc_verdict mpa_judge_crc(struct mpa_connection *mpa, unsigned side, const struct mpa_fpdu *fpdu,
                                   const struct place *place);

/* mpa_reaction_rules.c: stimuli in the capture, and the answers to them. */
bool mpa_reaction_new(struct mpa_connection *mpa);
void mpa_reaction_free(struct mpa_connection *mpa);
void mpa_reaction_startup(struct mpa_connection *mpa, unsigned side);
void mpa_reaction_bad_startup(struct mpa_connection *mpa, unsigned side,
                              const struct place *place); /* not even a startup frame */
void mpa_reaction_fpdu(struct mpa_connection *mpa, unsigned side, const struct mpa_fpdu_event *event);
void mpa_reaction_segment(struct mpa_connection *mpa, const struct tcp_segment *segment, uint64_t offset,
                          bool acked_known, uint64_t acked);
void mpa_reaction_conflict(struct mpa_connection *mpa, unsigned side, uint64_t offset,
                           /* A repeat that differs from `offset` on. */
                           const struct tcp_segment *segment);
void mpa_reaction_end(struct mpa_connection *mpa, unsigned side, bool reset); /* FIN or RST sent by side */
void mpa_reaction_finish(struct mpa_connection *mpa, int64_t time_ns);

/* mpa_tcp_rules.c: TCP's own conduct, segmentation, close. */
bool mpa_tcp_new(struct mpa_connection *mpa);
void mpa_tcp_free(struct mpa_connection *mpa);
/* The segment acknowledges octets that were never sent; no receiver accepts it. */
void mpa_tcp_unsent_acked(struct mpa_connection *mpa, const struct tcp_segment *segment, uint64_t offset,
                          uint64_t acked);
void mpa_tcp_segment(struct mpa_connection *mpa, const struct tcp_segment *segment, uint64_t offset, bool acked_known,
                     uint64_t acked);
void mpa_tcp_conflict(struct mpa_connection *mpa, unsigned side, uint64_t offset, uint8_t first, uint8_t repeated,
                      uint32_t first_frame, const struct tcp_segment *segment);
void mpa_tcp_fpdu(struct mpa_connection *mpa, unsigned side, const struct mpa_fpdu_event *event);
void mpa_tcp_end(struct mpa_connection *mpa, unsigned side, bool reset);
void mpa_tcp_finish(struct mpa_connection *mpa);

#endif
