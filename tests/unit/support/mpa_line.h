/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A connection fed to the MPA layer by hand, octets in order: start-up frames and FPDUs from the wire encoders are
 * written to streams first and cut into segments later, with a clock and realistic ACK numbers.
 */
#ifndef IWARP_TESTS_UNIT_SUPPORT_MPA_LINE_H
#define IWARP_TESTS_UNIT_SUPPORT_MPA_LINE_H

#include "engine/mpa/mpa.h"
#include "tests/unit/support/findings.h"
#include "wire/mpa_fpdu.h"
#include "wire/mpa_startup.h"
#include "wire/octets.h"
#include "wire/rdmap.h"

enum { LINE_STREAM_MAX = 1 << 20 };

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
    struct mpa_connection *mpa;
    struct findings seen;
    uint32_t frame;
    int64_t now;
    uint64_t sent[2];           /* stream offset of the next octet */
    struct line_stream *stream; /* by side */
    unsigned fpdus[2], wrong_crcs[2], no_ddp;
    uint64_t ulpdu_octets[2], skipped[2];
    uint64_t random;
    bool version_zero; /* of DDP and RDMAP */
};

struct mpa_line *line_new_streams(void);
void line_free(struct mpa_line *l);
/* The capture loses the next n octets. */
void line_hole(struct mpa_line *l, unsigned side, size_t n);
void line_fin(struct mpa_line *l, unsigned side);
void line_finish(struct mpa_line *l);
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

/* ---- what is written to the streams ---- */

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
