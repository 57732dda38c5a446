/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A connection fed to the MPA layer by hand: start-up frames and FPDUs from the wire encoders, with a clock and
 * realistic ACK numbers. There are three ways to feed it:
 *
 *   line_new()          TCP segments through tcp_pair, as in a capture: for rules that need ACKs, silence, FIN and RST.
 *                       Only findings about TCP and reactions are recorded, as a stimulus is often a violation.
 *   line_new_direct()   octets in order, straight to MPA.
 *   line_new_streams()  the same from streams that are written first and cut into segments later.
 */
#ifndef IWARP_TESTS_UNIT_SUPPORT_MPA_LINE_H
#define IWARP_TESTS_UNIT_SUPPORT_MPA_LINE_H

#include "engine/mpa/mpa.h"
#include "tests/unit/support/findings.h"
#include "tests/unit/support/segments.h"
#include "wire/mpa_fpdu.h"
#include "wire/mpa_startup.h"
#include "wire/octets.h"
#include "wire/rdmap_terminate.h"

enum { I = 0, R = 1 }; /* the sides: Initiator, Responder */

enum { LINE_FPDU_MAX = 8192, LINE_STREAM_MAX = 1 << 20 };

static const int64_t second = 1000000000, millisecond = 1000000;

/* What one side sends, before it is cut into segments. */
struct line_stream {
    struct mpa_framing framing;
    bool crc;
    uint8_t octets[LINE_STREAM_MAX];
    size_t n;      /* octets written */
    size_t sent;   /* octets given to the engine */
    uint64_t base; /* stream offset of octets[0] */
    uint32_t msn;
    uint64_t to;
};

struct mpa_line {
    struct tcp_pair *pair; /* NULL unless made by line_new() */
    struct mpa_connection *mpa;
    struct findings seen;
    uint32_t frame, isn[2];
    int64_t now, step;
    uint64_t sent[2]; /* stream offset of the next octet */
    bool acked_unknown;
    bool acked_fixed[2];
    uint64_t acked[2]; /* fixed acknowledgment of a side while acked_fixed; else everything that the other side sent */
    uint16_t mss[2];
    bool fragmented, no_df;
    bool marked[2], crc;       /* how FPDUs are framed */
    uint64_t grid[2];          /* Marker grid of a side */
    uint32_t msn[2][4];        /* next one, by queue */
    struct mpa_fpdu_plan last; /* of the latest FPDU, for tests that change it */
    /* line_new_streams() */
    struct line_stream *stream; /* by side */
    unsigned fpdus[2], wrong_crcs[2], no_ddp;
    uint64_t ulpdu_octets[2], skipped[2];
    uint64_t random;
    bool version_zero; /* of DDP and RDMAP */
};

struct mpa_line *line_new(void);
/* The SYNs were captured. */
struct mpa_line *line_new_direct(enum rule_profile profile);
struct mpa_line *line_new_streams(void);
void line_free(struct mpa_line *l);

/* ---- octets ---- */

/* line_new() only: one segment at stream offset `offset`; does not change anything else. */
void line_segment(struct mpa_line *l, unsigned side, uint8_t flags, uint64_t offset, const void *p, size_t n);
void line_handshake(struct mpa_line *l);
void line_say(struct mpa_line *l, unsigned side, const void *p, size_t n);
/* line_new_direct(): one segment whose sender had received `acked` octets of the other side. */
void line_say_acked(struct mpa_line *l, unsigned side, const void *p, size_t n, uint64_t acked);
void line_ack(struct mpa_line *l, unsigned side);
/* The capture loses the next n octets. */
void line_hole(struct mpa_line *l, unsigned side, size_t n);
void line_wait(struct mpa_line *l, int64_t ns);
void line_fin(struct mpa_line *l, unsigned side);
void line_reset(struct mpa_line *l, unsigned side);
void line_finish(struct mpa_line *l);
/* Both sides close, `first` before the other, and the capture ends. */
void line_close(struct mpa_line *l, unsigned first);

/* ---- startup frames ---- */

struct startup_frame {
    uint8_t octets[1100];
    size_t n;
};

/* flags and revision as given; n octets of private data (NULL: zeros), enhanced data included. */
struct startup_frame startup_frame(enum mpa_startup_kind kind, uint8_t flags, uint8_t revision, const void *pd,
                                   uint16_t n);
struct startup_frame startup_enhanced(enum mpa_startup_kind kind, uint8_t flags, bool a, uint8_t rtr, uint16_t ird,
                                      uint16_t ord);
void line_say_frame(struct mpa_line *l, unsigned side, struct startup_frame frame);
/* Framing of FPDUs from here on; the grids begin at the present ends of the streams. */
void line_framing(struct mpa_line *l, bool markers_i, bool markers_r, bool crc);
/* I requests and R replies, after the TCP handshake with line_new(); FPDUs are framed as negotiated. */
void line_startup(struct mpa_line *l, struct startup_frame request, struct startup_frame reply);
/* Revision 1, with CRC. */
void line_plain_start(struct mpa_line *l);
/* line_new() and the start. */
struct mpa_line *line_started(uint8_t request_flags, uint8_t reply_flags);

/* ---- FPDUs ---- */

/* Writes an FPDU for the end of the side's stream to out[0..LINE_FPDU_MAX), without sending it. Returns its octets. */
size_t line_make(struct mpa_line *l, unsigned side, struct ddp_segment segment, const void *payload, size_t n,
                 uint8_t *out);
size_t line_make_send(struct mpa_line *l, unsigned side, size_t n, uint8_t *out);
size_t line_make_read(struct mpa_line *l, unsigned side, uint32_t stag, uint64_t to, uint32_t size, uint8_t *out);
void line_ulpdu(struct mpa_line *l, unsigned side, const void *ulpdu, uint16_t n);
void line_ulpdu_acked(struct mpa_line *l, unsigned side, const void *ulpdu, uint16_t n, uint64_t acked);
void line_message(struct mpa_line *l, unsigned side, struct ddp_segment segment, const void *payload, size_t n);
void line_send(struct mpa_line *l, unsigned side, size_t n);
void line_write(struct mpa_line *l, unsigned side, size_t n);
void line_read(struct mpa_line *l, unsigned side, uint32_t stag, uint64_t to, uint32_t size);
void line_response(struct mpa_line *l, unsigned side, uint32_t stag, uint64_t to, size_t size);
/* Layer, error type and code as in the Terminate's first 16 bits; the header of `about` enclosed unless NULL. */
void line_terminate_about(struct mpa_line *l, unsigned side, uint16_t what, const struct ddp_segment *about);
void line_terminate(struct mpa_line *l, unsigned side, uint16_t what);
/* The Terminate Control word as given, and this many zero octets after it. */
void line_terminate_control(struct mpa_line *l, unsigned side, uint32_t control, size_t zeros);
/* An FPDU with its last CRC octet wrong. */
void line_spoiled(struct mpa_line *l, unsigned side, uint8_t *fpdu, size_t n);

/* ---- the outcome ---- */

/* Like findings_expect(), for either side; frees l. */
void line_expect_named(struct mpa_line *l, const char *outcome, const char *name);
/* The same for case `index` of a table. */
void line_expect_case(struct mpa_line *l, const char *outcome, unsigned index);
#define line_expect(l, outcome) line_expect_named((l), (outcome), __func__)

/* ---- mpa_streams.c: lines of line_new_streams() ---- */

void line_syns(struct mpa_line *l);
/* The next n octets of a side's stream as one segment. */
void line_give(struct mpa_line *l, unsigned side, size_t n);
/* All unsent octets, in segments of `size` octets (0: one segment). */
void line_flush(struct mpa_line *l, unsigned side, size_t size);
/*
 * Start-up, with SYNs. Side 0 is the Initiator. The other side's M decides about Markers of a direction; 0 puts Markers
 * both ways.
 */
void line_start(struct mpa_line *l, uint8_t request, uint8_t reply, uint8_t request_rev, uint8_t reply_rev,
                uint16_t request_pd, uint16_t reply_pd);
/* Some rounds of Sends both ways, each FPDU in its own segment. */
void line_traffic(struct mpa_line *l, unsigned rounds, size_t length);

void stream_put(struct line_stream *s, const void *octets, size_t n);
void stream_startup(struct line_stream *s, enum mpa_startup_kind kind, uint8_t flags, uint8_t revision,
                    uint16_t pd_length);
struct mpa_fpdu_plan stream_plan(struct line_stream *s, const uint8_t *ulpdu, uint16_t length);
/* Return the octets written. */
size_t stream_encode(struct line_stream *s, const struct mpa_fpdu_plan *plan);
size_t stream_fpdu(struct line_stream *s, const uint8_t *ulpdu, size_t length);
void stream_send(struct mpa_line *l, struct line_stream *s, size_t length);
void stream_write(struct mpa_line *l, struct line_stream *s, size_t length);
/* ULPDUs of n octets, random payload included. */
size_t ulpdu_send(struct mpa_line *l, struct line_stream *s, uint8_t *out, size_t n);
size_t ulpdu_write(struct mpa_line *l, struct line_stream *s, uint8_t *out, size_t n);
size_t ulpdu_read_request(struct line_stream *s, uint8_t *out);

/* Findings of the framing's own rules; other families have their own tests. */
bool framing_owns(enum rule_id rule);
unsigned line_framing_findings(const struct mpa_line *l);
void line_assert_clean(const struct mpa_line *l);
void line_assert_only(const struct mpa_line *l, enum rule_id rule);

#endif
