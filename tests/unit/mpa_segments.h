/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A connection as a capture shows it: TCP segments through tcp_pair into the MPA layer, with a clock. For rules that
 * need ACK numbers, silence, FIN and RST. Only findings of the rules that react or speak of TCP are looked at: a
 * stimulus is often a violation itself, which other tests judge.
 */
#ifndef IWARP_TESTS_UNIT_MPA_SEGMENTS_H
#define IWARP_TESTS_UNIT_MPA_SEGMENTS_H

#include "engine/mpa.h"
#include "tests/unit/support/support.h"
#include "wire/octets.h"
#include "wire/rdmap_terminate.h"

#include <stdio.h>
#include <stdlib.h>

enum { I = 0, R = 1, LINE_FINDINGS_MAX = 32 };

static const int64_t second = 1000000000, millisecond = 1000000;

struct line {
    struct tcp_pair *pair;
    struct mpa_connection *mpa;
    struct verdict verdict;
    struct rule_count counts[RULE_COUNT];
    struct finding findings[LINE_FINDINGS_MAX];
    unsigned n_findings;
    uint32_t frame, isn[2];
    int64_t now, step;
    uint64_t sent[2]; /* stream offset of the next octet */
    bool acked_fixed[2];
    uint64_t acked[2]; /* what a side acknowledges while acked_fixed; else all that the other side sent */
    uint16_t mss[2];
    bool fragmented, no_df;
    bool marked[2], crc;
    uint64_t grid[2];
    uint32_t msn[2][4];
    struct mpa_fpdu_plan last; /* of the FPDU made last, for those who change it */
};

static inline void line_finding(void *ctx, const struct finding *finding)
{
    struct line *l = ctx;

    if (l->n_findings < LINE_FINDINGS_MAX)
        l->findings[l->n_findings++] = *finding;
}

static inline void line_on_segment(void *ctx, const struct tcp_segment *segment, uint64_t offset, bool known,
                                   uint64_t acked)
{
    mpa_connection_segment(((struct line *)ctx)->mpa, segment, offset, known, acked);
}

static inline void line_on_octets(void *ctx, unsigned side, uint64_t offset, const uint8_t *p, size_t n,
                                  const struct octets_origin *origin)
{
    mpa_connection_octets(((struct line *)ctx)->mpa, side, offset, p, n, origin);
}

static inline void line_on_hole(void *ctx, unsigned side, uint64_t from, uint64_t to, enum hole_cause cause,
                                const struct octets_origin *next)
{
    mpa_connection_hole(((struct line *)ctx)->mpa, side, from, to, cause, next);
}

static inline void line_on_conflict(void *ctx, unsigned side, uint64_t offset, uint8_t first, uint8_t repeated,
                                    uint32_t first_frame, const struct tcp_segment *segment)
{
    mpa_connection_conflict(((struct line *)ctx)->mpa, side, offset, first, repeated, first_frame, segment);
}

static inline void line_on_fin(void *ctx, unsigned side, uint64_t offset, uint32_t frame, int64_t time_ns)
{
    mpa_connection_fin(((struct line *)ctx)->mpa, side, offset, frame, time_ns);
}

static inline void line_on_reset(void *ctx, unsigned side, uint32_t frame, int64_t time_ns)
{
    mpa_connection_reset(((struct line *)ctx)->mpa, side, frame, time_ns);
}

/* One segment at stream offset `offset`; nothing else is changed. */
static inline void line_segment(struct line *l, unsigned side, uint8_t flags, uint64_t offset, const void *p, size_t n)
{
    uint64_t acked = l->acked_fixed[side] ? l->acked[side] : l->sent[1 - side];
    uint8_t *copy = malloc(n + 1); /* its own memory, so that a sanitizer sees what outlives it */
    struct tcp_segment segment = {.frame = ++l->frame,
                                  .time_ns = l->now += l->step,
                                  .side = (uint8_t)side,
                                  .flags = flags,
                                  .sack_permitted = true,
                                  .df = !l->no_df && !l->fragmented,
                                  .fragmented = l->fragmented,
                                  .mss = flags & TCP_SYN ? l->mss[side] : 0,
                                  .window = 65535,
                                  .window_scale = flags & TCP_SYN ? 7 : 255,
                                  .seq = l->isn[side] + (flags & TCP_SYN ? 0 : 1 + (uint32_t)offset),
                                  .ack = flags & TCP_ACK ? l->isn[1 - side] + 1 + (uint32_t)acked : 0,
                                  .length = (uint32_t)n,
                                  .captured = (uint32_t)n,
                                  .payload = copy};

    assert_non_null(copy);
    if (n > 0)
        memcpy(copy, p, n);
    tcp_pair_segment(l->pair, &segment);
    free(copy);
}

static inline struct line *line_new(void)
{
    struct line *l = calloc(1, sizeof *l);
    struct mpa_options options;
    struct tcp_pair_events events = {.ctx = l,
                                     .segment = line_on_segment,
                                     .octets = line_on_octets,
                                     .hole = line_on_hole,
                                     .conflict = line_on_conflict,
                                     .fin = line_on_fin,
                                     .reset = line_on_reset};

    assert_non_null(l);
    mpa_options_init(&options);
    l->verdict.counts = l->counts;
    l->verdict.finding = line_finding;
    l->verdict.ctx = l;
    l->mpa = mpa_connection_new(&options, NULL, &l->verdict);
    l->pair = tcp_pair_new(NULL, &events);
    assert_non_null(l->mpa);
    assert_non_null(l->pair);
    mpa_connection_set_tcp(l->mpa, l->pair);
    l->isn[I] = 1000;
    l->isn[R] = 700000;
    l->mss[I] = l->mss[R] = 1460;
    l->step = millisecond / 20;
    l->now = second;
    for (unsigned side = 0; side < 2; side++)
        for (unsigned q = 0; q < 4; q++)
            l->msn[side][q] = 1;
    return l;
}

static inline void line_handshake(struct line *l)
{
    line_segment(l, I, TCP_SYN, 0, NULL, 0);
    line_segment(l, R, TCP_SYN | TCP_ACK, 0, NULL, 0);
    line_segment(l, I, TCP_ACK, 0, NULL, 0);
}

static inline void line_say(struct line *l, unsigned side, const void *p, size_t n)
{
    line_segment(l, side, TCP_ACK | TCP_PSH, l->sent[side], p, n);
    l->sent[side] += n;
}

static inline void line_ack(struct line *l, unsigned side)
{
    line_segment(l, side, TCP_ACK, l->sent[side], NULL, 0);
}

static inline void line_wait(struct line *l, int64_t ns)
{
    l->now += ns;
}

static inline void line_fin(struct line *l, unsigned side)
{
    line_segment(l, side, TCP_FIN | TCP_ACK, l->sent[side], NULL, 0);
    l->sent[side]++; /* nothing may follow, but the other side's ACK */
}

static inline void line_reset(struct line *l, unsigned side)
{
    line_segment(l, side, TCP_RST | TCP_ACK, l->sent[side], NULL, 0);
}

/* ---- startup frames ---- */

struct line_frame {
    uint8_t octets[1100];
    size_t n;
};

static inline struct line_frame line_plain(enum mpa_startup_kind kind, uint8_t flags, uint8_t revision,
                                           uint16_t pd_length)
{
    struct line_frame f = {.n = MPA_STARTUP_HEADER_LEN + (size_t)pd_length};

    memcpy(f.octets, kind == MPA_REQUEST ? "MPA ID Req Frame" : "MPA ID Rep Frame", MPA_KEY_LEN);
    f.octets[16] = flags;
    f.octets[17] = revision;
    put_be16(f.octets + 18, pd_length);
    return f;
}

static inline struct line_frame line_enhanced(enum mpa_startup_kind kind, uint8_t flags, bool a, uint8_t rtr,
                                              uint16_t ird, uint16_t ord)
{
    struct line_frame f = line_plain(kind, flags | MPA_FLAG_S, 2, 4);

    put_be16(f.octets + 20, (uint16_t)((a ? 0x8000 : 0) | (rtr & MPA_RTR_SEND ? 0x4000 : 0) | ird));
    put_be16(f.octets + 22, (uint16_t)((rtr & MPA_RTR_WRITE ? 0x8000 : 0) | (rtr & MPA_RTR_READ ? 0x4000 : 0) | ord));
    return f;
}

static inline void line_startup(struct line *l, struct line_frame request, struct line_frame reply)
{
    line_handshake(l);
    line_say(l, I, request.octets, request.n);
    line_say(l, R, reply.octets, reply.n);
    l->marked[I] = reply.octets[16] & MPA_FLAG_M;
    l->marked[R] = request.octets[16] & MPA_FLAG_M;
    l->crc = (request.octets[16] | reply.octets[16]) & MPA_FLAG_C;
    l->grid[I] = l->sent[I];
    l->grid[R] = l->sent[R];
}

static inline struct line *line_started(uint8_t request_flags, uint8_t reply_flags)
{
    struct line *l = line_new();

    line_startup(l, line_plain(MPA_REQUEST, request_flags, 1, 0), line_plain(MPA_REPLY, reply_flags, 1, 0));
    return l;
}

/* ---- FPDUs ---- */

enum { LINE_FPDU_MAX = 8192 };

/* The FPDU of a DDP segment with n octets of payload (NULL: zeros), as it would stand at the stream's end. */
static inline size_t line_make(struct line *l, unsigned side, struct ddp_segment segment, const void *payload, size_t n,
                               uint8_t *out)
{
    static uint8_t ulpdu[LINE_FPDU_MAX];
    struct mpa_framing framing = {.markers = l->marked[side], .seq_start = l->grid[side]};
    size_t header;

    segment.dv = segment.rv = 1;
    header = ddp_header_encode(&segment, ulpdu, sizeof ulpdu);
    memset(ulpdu + header, 0, n);
    if (payload)
        memcpy(ulpdu + header, payload, n);
    mpa_fpdu_plan_init(&l->last, &framing, l->sent[side], ulpdu, (uint16_t)(header + n), l->crc);
    return mpa_fpdu_encode(&l->last, out, LINE_FPDU_MAX);
}

static inline struct ddp_segment line_untagged(struct line *l, unsigned side, uint8_t opcode, uint32_t qn)
{
    return (struct ddp_segment){.last = true, .opcode = opcode, .qn = qn, .msn = l->msn[side][qn]++};
}

static inline size_t line_make_send(struct line *l, unsigned side, size_t n, uint8_t *out)
{
    return line_make(l, side, line_untagged(l, side, RDMAP_SEND, 0), NULL, n, out);
}

static inline void line_send(struct line *l, unsigned side, size_t n)
{
    uint8_t fpdu[LINE_FPDU_MAX];

    line_say(l, side, fpdu, line_make_send(l, side, n, fpdu));
}

static inline size_t line_make_read(struct line *l, unsigned side, uint32_t stag, uint32_t size, uint8_t *out)
{
    struct rdmap_read_request request = {.sink_stag = stag, .size = size, .source_stag = 0x77};
    uint8_t payload[RDMAP_READ_REQUEST_LEN];

    rdmap_read_request_encode(&request, payload, sizeof payload);
    return line_make(l, side, line_untagged(l, side, RDMAP_READ_REQUEST, 1), payload, sizeof payload, out);
}

static inline void line_read(struct line *l, unsigned side, uint32_t stag, uint32_t size)
{
    uint8_t fpdu[LINE_FPDU_MAX];

    line_say(l, side, fpdu, line_make_read(l, side, stag, size, fpdu));
}

static inline void line_response(struct line *l, unsigned side, uint32_t stag, uint32_t size)
{
    uint8_t fpdu[LINE_FPDU_MAX];
    struct ddp_segment segment = {.tagged = true, .last = true, .opcode = RDMAP_READ_RESPONSE, .stag = stag};

    line_say(l, side, fpdu, line_make(l, side, segment, NULL, size, fpdu));
}

static inline void line_write(struct line *l, unsigned side, size_t n)
{
    uint8_t fpdu[LINE_FPDU_MAX];
    struct ddp_segment segment = {.tagged = true, .last = true, .opcode = RDMAP_WRITE, .stag = 0x5};

    line_say(l, side, fpdu, line_make(l, side, segment, NULL, n, fpdu));
}

/* An FPDU with its last CRC octet wrong. */
static inline void line_spoiled(struct line *l, unsigned side, uint8_t *fpdu, size_t n)
{
    fpdu[n - 1] ^= 0x40;
    line_say(l, side, fpdu, n);
}

/* layer, error type and code as in the Terminate's first 16 bits; the header of `about` enclosed when not NULL. */
static inline void line_terminate_about(struct line *l, unsigned side, uint16_t what, const struct ddp_segment *about)
{
    struct rdmap_terminate terminate = {
        .layer = (uint8_t)(what >> 12), .etype = (what >> 8) & 0x0F, .code = what & 0xFF};
    uint8_t payload[RDMAP_TERMINATE_LEN_MAX], fpdu[LINE_FPDU_MAX];

    if (about) {
        terminate.m = terminate.d = terminate.has_length = terminate.has_ddp = true;
        terminate.ddp = *about;
        terminate.ddp.dv = terminate.ddp.rv = 1;
        terminate.segment_length = 46;
    }
    line_say(l, side, fpdu,
             line_make(l, side, line_untagged(l, side, RDMAP_TERMINATE, 2), payload,
                       rdmap_terminate_encode(&terminate, payload, sizeof payload), fpdu));
}

static inline void line_terminate(struct line *l, unsigned side, uint16_t what)
{
    line_terminate_about(l, side, what, NULL);
}

/* ---- the outcome ---- */

static inline bool line_looks_at(enum rule_id rule)
{
    static const enum rule_id of_tcp[] = {
        RULE_MPA_1_2_04,   RULE_MPA_3_03,   RULE_MPA_4_5_05, RULE_MPA_5_1_04, RULE_MPA_5_1_05,   RULE_MPA_5_1_07,
        RULE_MPA_7_1_5_03, RULE_MPA_7_2_01, RULE_MPA_A_1_05, RULE_MPA_A_3_04, RULE_MPA_A_5_1_01,
    };

    for (size_t i = 0; i < ARRAY_LENGTH(of_tcp); i++)
        if (of_tcp[i] == rule)
            return true;
    return rule_catalogue[rule].observe == OBSERVE_REACTION;
}

static inline void line_finish(struct line *l)
{
    tcp_pair_finish(l->pair);
    mpa_connection_finish(l->mpa, l->now);
}

/* Both sides close, `first` before the other, and the capture ends. */
static inline void line_close(struct line *l, unsigned first)
{
    line_fin(l, first);
    line_fin(l, 1 - first);
    line_ack(l, first);
    line_finish(l);
}

/* Rules with a prefix: '+' passed, '?' inconclusive, none failed (once). Failures are complete, the others not. Frees
 * l. */
static inline void line_expect_named(struct line *l, const char *outcome, const char *name)
{
    char copy[256], *rest = copy;
    unsigned wanted = 0, found = 0;

    snprintf(copy, sizeof copy, "%s", outcome);
    for (char *word = strtok_r(rest, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        char kind = *word == '+' || *word == '?' ? *word : '!';
        const struct rule *rule = rule_find(word + (kind != '!'));
        const struct rule_count *count;

        assert_non_null(rule);
        count = &l->verdict.counts[rule_number(rule)];
        wanted += kind == '!';
        if ((kind == '!' && count->failed != 1) || (kind == '+' && count->passed == 0) ||
            (kind == '?' && count->inconclusive == 0)) {
            for (unsigned i = 0; i < l->n_findings; i++)
                print_message("%s: %s frame %u: %s\n", name, rule_catalogue[l->findings[i].rule].id,
                              l->findings[i].place.frame, l->findings[i].message);
            fail_msg("%s: %s: passed %u failed %u inconclusive %u", name, word, count->passed, count->failed,
                     count->inconclusive);
        }
    }
    for (unsigned i = 0; i < l->n_findings; i++)
        found += line_looks_at(l->findings[i].rule);
    if (found != wanted) {
        for (unsigned i = 0; i < l->n_findings; i++)
            print_message("%s: %s frame %u: %s\n", name, rule_catalogue[l->findings[i].rule].id,
                          l->findings[i].place.frame, l->findings[i].message);
        fail_msg("%s: %u findings instead of %u", name, found, wanted);
    }
    mpa_connection_free(l->mpa);
    tcp_pair_free(l->pair);
    free(l);
}

#define line_expect(l, outcome) line_expect_named((l), (outcome), __func__)

#endif
