/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Full Operation: shared by framing, its diagnosis and the recognition of FPDU streams. */
#ifndef IWARP_ENGINE_MPA_MPA_FRAMING_H
#define IWARP_ENGINE_MPA_MPA_FRAMING_H

#include "engine/mpa/mpa_internal.h"
#include "wire/octets.h"

/* ---- mpa_header.c: do octets look like an FPDU with a DDP segment (RFC 5041, RFC 5040)? ---- */

enum {
    HEADER_ODD_MAX = 2,     /* the largest oddity that one fault of DDP or RDMAP can cause */
    HEADER_VISIBLE_MIN = 4, /* ULPDU_Length and both control octets: fewer octets prove nothing */
    HEADER_VISIBLE = 20,    /* ULPDU_Length and an untagged header */
};

/* How unlike a header the octets from ULPDU_Length on are, as far as n octets show; 0 for a correct header. */
unsigned mpa_header_oddity(const uint8_t *p, size_t n);
/* A correct header with at least HEADER_VISIBLE_MIN octets visible. */
bool mpa_header_plausible(const uint8_t *p, size_t n);
/* The ULPDU's length if its opcode fixes it (RFC 5040, RFC 7306: requests, Terminate, Immediate Data); else 0. */
unsigned mpa_fixed_ulpdu_length(const uint8_t *ulpdu, size_t n);

/* ---- per side ---- */

enum { WRONG_CRCS_USUAL = 16 /* in a row */ };
enum { RECENT_HEADERS = 32 /* FPDUs that can begin within one Marker interval: 512 / 20, and a few more */ };

struct mpa_framing_state {
    struct mpa_framing framing; /* in use */
    uint32_t period;            /* between Markers; 512 unless the sender was found to use another period */
    uint64_t start;             /* first octet of Full Operation; grid origin as negotiated */
    bool version_zero;          /* DDP and RDMAP version 0 was agreed on */
    bool start_known;           /* began after a startup frame, not recognised in the middle */

    /* What the first octets left undecided. */
    bool opening; /* no FPDU yet */
    /* Markers negotiated, none at `start`: no Markers at all (7.1.1), or only this one missing (4.3)? */
    bool leading_missing;
    bool unexpected_marker; /* Markers not negotiated, but the direction seems to begin with one */
    struct place opening_place;

    /* Deviations reported once; the framing continues as found. */
    bool unmet;             /* markers on/off contradicts the negotiation */
    bool missing_reported;  /* a Marker was missing; framing.markers is off until a Marker is seen again */
    bool grid_reported;     /* the grid is displaced */
    bool no_crc_reported;   /* 7.1.1-15, C.1-04 */
    bool stopped_reported;  /* 4.4-07 */
    bool stray_reported;    /* 4.1-01 without explanation */
    bool no_field_reported; /* FPDUs without CRC field (4.1-09): reported only once */
    bool no_field;          /* the last FPDU had no CRC field */

    /* The FPDU before the cursor, kept in the window while it is confirmed only by its header. */
    bool previous;
    uint64_t previous_start;

    uint64_t segment_fpdu; /* the last FPDU that began a TCP segment; valid when in_step > 0 */

    bool doubtful;    /* recognised, and whether there are Markers is a guess */
    uint64_t vouched; /* octets since then that confirm the guess */
    bool uncertain;   /* the cursor was computed over a hole and needs confirmation */
    bool after_resync;
    uint64_t in_step;     /* FPDUs since framing was (re)gained */
    uint64_t lost_from;   /* SIDE_LOST: where framing was lost, for the skipped event */
    uint64_t sought;      /* SIDE_LOST: all starts before this offset were refuted */
    uint64_t overtaken;   /* segments that begin before this offset do not begin with an FPDU of their own */
    unsigned grids_tried; /* mpa_diagnose_grid.c */
    uint64_t diagnose_at; /* offset at which a waiting diagnosis is repeated */

    /* Habits of this direction. */
    uint32_t zero_crc_fields, other_crc_fields;                         /* CRC fields while CRC is not used or wrong */
    enum { CRC_FIELD_NONE, CRC_FIELD_ZERO, CRC_FIELD_OTHER } crc_field; /* of the last FPDU, not yet counted */
    uint32_t wrong_crcs;                                                /* since the last right one; saturating */
    uint64_t last_end;                                                  /* end of the last FPDU */
    uint64_t last_marker; /* the last right Marker; valid when markers_right > 0 */
    uint64_t markers_right;
    uint64_t recent[RECENT_HEADERS]; /* offsets of ULPDU_Length of the last FPDUs, a ring */
    unsigned n_recent;
};

/*
 * Marks the side as faulty. A receiver has no reason to complain about fields that it must ignore: PAD, RESERVED, low
 * bits of FPDUPTR (4.1, 4.2).
 */
static inline void mpa_blame(struct mpa_connection *mpa, unsigned side, enum rule_id rule)
{
    mpa->side[side].faulty |= rule != RULE_MPA_4_1_05 && rule != RULE_MPA_4_2_02 && rule != RULE_MPA_4_2_05;
}

/* A finding about octets [from, to) of a side. */
#define mpa_fail(mpa, fail_side, rule, from, to, ...)                                                                  \
    do {                                                                                                               \
        mpa_blame((mpa), (fail_side), (rule));                                                                         \
        struct place fail_place_ = mpa_place((mpa), (fail_side), (from), (to));                                        \
        verdict_failed((mpa)->verdict, (rule), direction_of((mpa), (fail_side)), &fail_place_, 0, __VA_ARGS__);        \
    } while (0)

static inline size_t mpa_octets_from(const struct mpa_side *s, uint64_t at)
{
    uint64_t end = mpa_window_end(&s->window);

    return at < end ? (size_t)(end - at) : 0;
}

/* True when the CRC field must be right: negotiated or assumed, not merely inferred. */
static inline bool mpa_crc_binding(const struct mpa_connection *mpa)
{
    return mpa->parameters.crc == ON && !mpa->crc_inferred;
}

/* The sender computes CRCs, obliged or not: a wrong CRC means that something is wrong. */
static inline bool mpa_crc_expected(const struct mpa_connection *mpa, unsigned side)
{
    return mpa_crc_binding(mpa) || (mpa->parameters.crc == ON && mpa->side[side].good_crcs > 0);
}

/* ---- mpa_shape.c: deviant FPDUs ---- */

struct mpa_shape {
    uint64_t at[MPA_FPDU_MARKERS_MAX]; /* positions of Markers, ascending, from the FPDU's start on */
    unsigned n;
    uint16_t length;  /* ULPDU octets */
    uint8_t pad, crc; /* number of octets of PAD and CRC field */
};

/* Markers on the grid in use, everything else according to ULPDU_Length. */
void mpa_shape_init(struct mpa_shape *shape, const struct mpa_framing_state *fs, uint64_t start, uint16_t length);
/* Markers on another grid; markers_on false: none. */
void mpa_shape_grid(struct mpa_shape *shape, bool markers_on, uint64_t origin, uint32_t period, uint64_t start,
                    uint64_t until);
void mpa_shape_set_length(struct mpa_shape *shape, uint16_t length);
void mpa_shape_remove(struct mpa_shape *shape, unsigned index);
uint64_t mpa_shape_end(const struct mpa_shape *shape, uint64_t start);
/*
 * Reads the FPDU from the window; false when the FPDU is not completely in it. crc_computed covers everything before
 * the CRC field.
 */
bool mpa_shape_read(struct mpa_fpdu *out, const struct mpa_shape *shape, struct mpa_side *s, uint64_t start);
/* How often this thread's scratch memory, which FPDUs with Markers borrow, was overwritten. */
unsigned mpa_scratch_uses(void);
/* Where the FPDU at `start` ends according to its ULPDU_Length, which must be in the window. */
uint64_t mpa_shape_claimed_end(const struct mpa_side *s, uint64_t start);
/* Reads an FPDU whose octets in the window end early (mpa_fpdu.cut). ULPDU_Length must be there. */
void mpa_shape_read_cut(struct mpa_fpdu *out, const struct mpa_shape *shape, struct mpa_side *s, uint64_t start);
/* mpa_diagnose_stray.c: 00000000 at `at` in a direction without Markers, followed by an FPDU that does not cover it. */
enum lone_word { LONE_WORD_NO, LONE_WORD_YES, LONE_WORD_OPEN /* too few octets */ };
enum lone_word mpa_lone_word(struct mpa_connection *mpa, unsigned side, uint64_t at);
/* With such a word at the cursor: reports it as a Marker that should not be there, and skips it. */
void mpa_skip_lone_word(struct mpa_connection *mpa, unsigned side);
/* Parses the FPDU at `at` according to the framing in use (any period). */
enum mpa_fpdu_status mpa_framing_parse(struct mpa_connection *mpa, unsigned side, uint64_t at, struct mpa_fpdu *out);

/* ---- mpa_follow.c: does an FPDU begin at an octet? ---- */

/* Offset of ULPDU_Length of the FPDU that starts at `at`: after its Marker, if one is due. */
uint64_t mpa_header_of(const struct mpa_side *s, uint64_t at);
/* mpa_header_oddity() of that FPDU for the version in use; *seen (may be NULL): number of header octets visible. */
unsigned mpa_oddity_at(const struct mpa_side *s, uint64_t at, size_t *seen);
unsigned mpa_octets_oddity(const struct mpa_framing_state *fs, const uint8_t *p, size_t n);

enum follow {
    FOLLOW_NO,      /* no header there */
    FOLLOW_UNKNOWN, /* too few octets */
    FOLLOW_MAYBE,   /* a correct header, but the FPDU is incomplete */
    FOLLOW_YES,     /* an FPDU proved by its CRC, or one that looks right and is not contradicted by later octets */
};
enum follow mpa_follow(struct mpa_connection *mpa, unsigned side, uint64_t at);

enum seek { SEEK_NONE, SEEK_PENDING, SEEK_FOUND };
/*
 * The first FPDU in [from, to) that proves itself: by its CRC if CRCs are used, else as part of a row of plausible
 * FPDUs. *at is its start; with PENDING, where more octets are needed.
 */
enum seek mpa_seek(struct mpa_connection *mpa, unsigned side, uint64_t from, uint64_t to, bool last, uint64_t *at);

/* ---- mpa_framing.c ---- */

enum accept {
    ACCEPT_PROVEN = 1,     /* by its CRC or its Markers: earlier octets are no longer needed */
    ACCEPT_DEVIANT = 2,    /* its shape broke a rule, which was reported: shape rules do not pass */
    ACCEPT_NO_CRC = 4,     /* it has no CRC field */
    ACCEPT_NO_MARKERS = 8, /* its Markers have been judged already */
    ACCEPT_CUT = 16,       /* its last octets were not captured */
};
/* Accepts the FPDU: judges its contents, informs the hosts, moves the cursor past it. */
void mpa_framing_accept(struct mpa_connection *mpa, unsigned side, struct mpa_fpdu *fpdu, unsigned how);
/*
 * Handles one FPDU at the cursor, or one step of the search for it. False: more octets are needed; last: none follow.
 */
bool mpa_framing_step(struct mpa_connection *mpa, unsigned side, bool last);
/* Allocates a framing state for a direction whose beginning is missing; looks at no octet. */
bool mpa_framing_prepare(struct mpa_connection *mpa, unsigned side);
/*
 * FPDU [start, end) looks right as far as segments show: it ends with the last available octet, which ends a segment,
 * in a direction whose segments begin with FPDUs.
 */
bool mpa_framing_ends_well(struct mpa_connection *mpa, unsigned side, uint64_t start, uint64_t end);
/*
 * Framing is lost since stream octet `from`: the next FPDU is sought from `seek` on; with and without Markers when it
 * is uncertain whether there are any (SIDE_RECOGNISING).
 */
void mpa_framing_lose(struct mpa_connection *mpa, unsigned side, uint64_t from, uint64_t seek);

/* ---- mpa_cut.c ---- */

/* SIDE_LOST: continues at a cut segment if it begins with what can only be an FPDU. */
bool mpa_cut_regain(struct mpa_connection *mpa, unsigned side);

/* ---- mpa_diagnose.c ---- */

enum diagnosis {
    DIAGNOSIS_WAIT, /* more octets are needed */
    DIAGNOSIS_DONE, /* reported; cursor and framing are set to continue */
};
/*
 * The octets at the cursor are not an acceptable FPDU; fpdu: that FPDU if complete, else NULL. last: no more octets
 * follow.
 */
enum diagnosis mpa_diagnose(struct mpa_connection *mpa, unsigned side, const struct mpa_fpdu *fpdu, bool last);
/* Octets from `from` on are not FPDUs, and nothing explains why: reports 4.1, once, if the direction was in step. */
void mpa_report_unexplained(struct mpa_connection *mpa, unsigned side, uint64_t from);
/* Markers on or off, against the negotiation, at `place`; reported once. */
void mpa_report_unmet(struct mpa_connection *mpa, unsigned side, const struct place *place, bool found_on);

/* ---- rule families ---- */

/* mpa_crc_rules.c. The CRC is at another place in the FPDU (4.1), so PAD and ULPDU are misplaced, too. */
bool mpa_crc_misplaced(const struct mpa_fpdu *fpdu);
/* A known mistake in computing or placing the CRC explains why it is wrong, so the FPDU's bounds are right. */
bool mpa_crc_explained(const struct mpa_fpdu *fpdu);
/* The CRC was computed over zero PAD octets, but the PAD that was sent is not zero. */
bool mpa_crc_of_zero_pad(const struct mpa_fpdu *fpdu);

/* mpa_marker_rules.c: the Markers of an FPDU as parsed. False: a Marker is wrong. */
bool mpa_markers_right(const struct mpa_fpdu *fpdu);
bool mpa_marker_like(const struct mpa_marker *marker, const struct mpa_fpdu *fpdu);
/* First position in [from, to) of a Marker that points back to header; false when there is none. */
bool mpa_find_marker(const struct mpa_side *s, uint64_t header, uint64_t from, uint64_t to, uint64_t *at);
/* Markers are at `found` instead of `due`: reports the broken rule about the grid, once. */
void mpa_report_grid(struct mpa_connection *mpa, unsigned side, uint64_t due, uint64_t found, uint64_t header);
void mpa_report_missing_marker(struct mpa_connection *mpa, unsigned side, uint64_t due);

/* mpa_content_rules.c: 3-01, 3-05, 3-07, 4.1: other contents of an accepted FPDU. */
enum mpa_content {
    MPA_CONTENT_UNKNOWN,  /* nothing decodable */
    MPA_CONTENT_SEGMENT,  /* a DDP segment */
    MPA_CONTENT_SEGMENTS, /* several DDP segments: reported */
    MPA_CONTENT_FOREIGN,  /* something else: reported */
};
enum mpa_content mpa_judge_content(struct mpa_connection *mpa, unsigned side, const struct mpa_fpdu *fpdu,
                                   enum mpa_crc_verdict crc);

#endif
