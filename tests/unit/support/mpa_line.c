// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/support/mpa_line.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- making ---- */

static void on_segment(void *ctx, const struct tcp_segment *segment, uint64_t offset, bool known, uint64_t acked)
{
    mpa_connection_segment(((struct mpa_line *)ctx)->mpa, segment, offset, known, acked);
}

static void on_unsent_acked(void *ctx, const struct tcp_segment *segment, uint64_t offset, uint64_t acked)
{
    mpa_connection_unsent_acked(((struct mpa_line *)ctx)->mpa, segment, offset, acked);
}

static void on_octets(void *ctx, unsigned side, uint64_t offset, const uint8_t *p, size_t n,
                      const struct octets_origin *origin)
{
    mpa_connection_octets(((struct mpa_line *)ctx)->mpa, side, offset, p, n, origin);
}

static void on_hole(void *ctx, unsigned side, uint64_t from, uint64_t to, enum hole_cause cause,
                    const struct octets_origin *next)
{
    mpa_connection_hole(((struct mpa_line *)ctx)->mpa, side, from, to, cause, next);
}

static void on_conflict(void *ctx, unsigned side, uint64_t offset, uint8_t first, uint8_t repeated,
                        uint32_t first_frame, const struct tcp_segment *segment)
{
    mpa_connection_conflict(((struct mpa_line *)ctx)->mpa, side, offset, first, repeated, first_frame, segment);
}

static void on_fin(void *ctx, unsigned side, uint64_t offset, uint32_t frame, int64_t time_ns)
{
    mpa_connection_fin(((struct mpa_line *)ctx)->mpa, side, offset, frame, time_ns);
}

static void on_reset(void *ctx, unsigned side, uint32_t frame, int64_t time_ns)
{
    mpa_connection_reset(((struct mpa_line *)ctx)->mpa, side, frame, time_ns);
}

static void on_fpdu(void *ctx, const struct mpa_fpdu_event *event)
{
    struct mpa_line *l = ctx;

    l->fpdus[event->place.side]++;
    l->ulpdu_octets[event->place.side] += event->fpdu.ulpdu_length;
    l->wrong_crcs[event->place.side] += event->crc == MPA_CRC_WRONG;
    l->no_ddp += !event->has_ddp;
}

static void on_skipped(void *ctx, unsigned side, uint64_t from, uint64_t to, const char *why, const struct place *place)
{
    struct mpa_line *l = ctx;

    (void)why, (void)place;
    l->skipped[side] += to - from;
}

static struct mpa_line *begin(enum rule_profile profile, bool (*keeps)(enum rule_id rule))
{
    struct mpa_line *l = calloc(1, sizeof *l);
    const struct mpa_events events = {.ctx = l, .fpdu = on_fpdu, .skipped = on_skipped};
    struct mpa_options options;

    assert_non_null(l);
    mpa_options_init(&options);
    options.profile = profile;
    findings_begin(&l->seen, keeps);
    l->mpa = mpa_connection_new(&options, &events, &l->seen.verdict, NULL);
    assert_non_null(l->mpa);
    l->step = 1000;
    l->isn[I] = 1000;
    l->isn[R] = 700000;
    l->mss[I] = l->mss[R] = 1460;
    l->random = 1;
    for (unsigned side = 0; side < 2; side++)
        for (unsigned q = 0; q < 4; q++)
            l->msn[side][q] = 1;
    return l;
}

static bool about_tcp_or_reactions(enum rule_id rule)
{
    static const enum rule_id of_tcp[] = {
        RULE_MPA_1_2_04, RULE_MPA_3_03,   RULE_MPA_4_5_01,   RULE_MPA_4_5_02,   RULE_MPA_4_5_05,
        RULE_MPA_5_1_04, RULE_MPA_5_1_05, RULE_MPA_5_1_07,   RULE_MPA_7_1_5_03, RULE_MPA_7_2_01,
        RULE_MPA_A_1_05, RULE_MPA_A_3_04, RULE_MPA_A_5_1_01,
    };

    for (size_t i = 0; i < ARRAY_LENGTH(of_tcp); i++)
        if (of_tcp[i] == rule)
            return true;
    return !findings_no_reaction(rule);
}

struct mpa_line *line_new(void)
{
    struct mpa_line *l = begin(PROFILE_IETF, about_tcp_or_reactions);
    struct tcp_pair_events events = {.ctx = l,
                                     .segment = on_segment,
                                     .octets = on_octets,
                                     .hole = on_hole,
                                     .conflict = on_conflict,
                                     .fin = on_fin,
                                     .reset = on_reset,
                                     .unsent_acked = on_unsent_acked};

    l->pair = tcp_pair_new(NULL, &events, NULL);
    assert_non_null(l->pair);
    mpa_connection_set_tcp(l->mpa, l->pair);
    l->step = millisecond / 20;
    l->now = second;
    return l;
}

struct mpa_line *line_new_direct(enum rule_profile profile)
{
    struct mpa_line *l = begin(profile, NULL);

    line_syns(l);
    return l;
}

struct mpa_line *line_new_streams(void)
{
    struct mpa_line *l = begin(PROFILE_IETF, NULL);

    l->step = millisecond;
    l->stream = calloc(2, sizeof *l->stream);
    assert_non_null(l->stream);
    l->stream[0].msn = l->stream[1].msn = 1;
    return l;
}

void line_free(struct mpa_line *l)
{
    mpa_connection_free(l->mpa);
    tcp_pair_free(l->pair);
    free(l->stream);
    free(l);
}

/* ---- octets ---- */

static void *copy_of(const void *p, size_t n) /* separate memory, so that a sanitizer sees uses after its end */
{
    void *copy = malloc(n + 1);

    assert_non_null(copy);
    if (n > 0)
        memcpy(copy, p, n);
    return copy;
}

void line_segment(struct mpa_line *l, unsigned side, uint8_t flags, uint64_t offset, const void *p, size_t n)
{
    uint64_t acked = l->acked_fixed[side] ? l->acked[side] : l->sent[1 - side];
    void *copy = copy_of(p, n);
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

    tcp_pair_segment(l->pair, &segment);
    free(copy);
}

void line_handshake(struct mpa_line *l)
{
    line_segment(l, I, TCP_SYN, 0, NULL, 0);
    line_segment(l, R, TCP_SYN | TCP_ACK, 0, NULL, 0);
    line_segment(l, I, TCP_ACK, 0, NULL, 0);
}

void line_syns(struct mpa_line *l)
{
    for (uint8_t side = 0; side < 2; side++)
        mpa_connection_segment(
            l->mpa,
            &(struct tcp_segment){
                .frame = ++l->frame, .time_ns = l->now, .side = side, .flags = TCP_SYN, .mss = l->mss[side]},
            0, false, 0);
}

void line_say_acked(struct mpa_line *l, unsigned side, const void *p, size_t n, uint64_t acked)
{
    struct octets_origin origin = {.frame = ++l->frame,
                                   .arrival = l->frame,
                                   .time_ns = l->now += l->step,
                                   .acked_known = !l->acked_unknown,
                                   .acked = l->acked_unknown ? 0 : acked,
                                   .segment_start = true,
                                   .segment_end = true,
                                   .segment_length = (uint32_t)n};
    void *copy = copy_of(p, n);

    if (l->stream)
        mpa_connection_segment(l->mpa,
                               &(struct tcp_segment){.frame = origin.frame,
                                                     .time_ns = origin.time_ns,
                                                     .side = (uint8_t)side,
                                                     .flags = TCP_ACK,
                                                     .length = (uint32_t)n,
                                                     .captured = (uint32_t)n,
                                                     .payload = copy},
                               l->sent[side], true, origin.acked);
    mpa_connection_octets(l->mpa, side, l->sent[side], copy, n, &origin);
    l->sent[side] += n;
    free(copy);
}

void line_say(struct mpa_line *l, unsigned side, const void *p, size_t n)
{
    if (!l->pair) {
        line_say_acked(l, side, p, n, l->sent[1 - side]);
        return;
    }
    line_segment(l, side, TCP_ACK | TCP_PSH, l->sent[side], p, n);
    l->sent[side] += n;
}

void line_ack(struct mpa_line *l, unsigned side)
{
    line_segment(l, side, TCP_ACK, l->sent[side], NULL, 0);
}

void line_hole(struct mpa_line *l, unsigned side, size_t n)
{
    mpa_connection_hole(l->mpa, side, l->sent[side], l->sent[side] + n, HOLE_CAPTURE_LOSS, NULL);
    l->sent[side] += n;
    if (l->stream)
        l->stream[side].sent += n;
}

void line_wait(struct mpa_line *l, int64_t ns)
{
    l->now += ns;
}

void line_fin(struct mpa_line *l, unsigned side)
{
    if (!l->pair) {
        mpa_connection_fin(l->mpa, side, l->sent[side], ++l->frame, l->now += l->step);
        return;
    }
    line_segment(l, side, TCP_FIN | TCP_ACK, l->sent[side], NULL, 0);
    l->sent[side]++; /* only the other side's ACK may follow */
}

void line_reset(struct mpa_line *l, unsigned side)
{
    line_segment(l, side, TCP_RST | TCP_ACK, l->sent[side], NULL, 0);
}

void line_finish(struct mpa_line *l)
{
    if (l->pair)
        tcp_pair_finish(l->pair);
    mpa_connection_finish(l->mpa, l->now);
}

void line_close(struct mpa_line *l, unsigned first)
{
    line_fin(l, first);
    line_fin(l, 1 - first);
    if (l->pair)
        line_ack(l, first);
    line_finish(l);
}

/* ---- startup frames ---- */

struct startup_frame startup_frame(enum mpa_startup_kind kind, uint8_t flags, uint8_t revision, const void *pd,
                                   uint16_t n)
{
    struct startup_frame f = {.n = MPA_STARTUP_HEADER_LEN + (size_t)n};

    memcpy(f.octets, kind == MPA_REQUEST ? "MPA ID Req Frame" : "MPA ID Rep Frame", MPA_KEY_LEN);
    f.octets[16] = flags;
    f.octets[17] = revision;
    put_be16(f.octets + 18, n);
    if (pd && n > 0)
        memcpy(f.octets + MPA_STARTUP_HEADER_LEN, pd, n);
    return f;
}

struct startup_frame startup_enhanced(enum mpa_startup_kind kind, uint8_t flags, bool a, uint8_t rtr, uint16_t ird,
                                      uint16_t ord)
{
    uint8_t pd[4];

    put_be16(pd, (uint16_t)((a ? 0x8000 : 0) | (rtr & MPA_RTR_SEND ? 0x4000 : 0) | ird));
    put_be16(pd + 2, (uint16_t)((rtr & MPA_RTR_WRITE ? 0x8000 : 0) | (rtr & MPA_RTR_READ ? 0x4000 : 0) | ord));
    return startup_frame(kind, flags | MPA_FLAG_S, 2, pd, sizeof pd);
}

void line_say_frame(struct mpa_line *l, unsigned side, struct startup_frame frame)
{
    line_say(l, side, frame.octets, frame.n);
}

void line_framing(struct mpa_line *l, bool markers_i, bool markers_r, bool crc)
{
    l->marked[I] = markers_i;
    l->marked[R] = markers_r;
    l->crc = crc;
    l->grid[I] = l->sent[I];
    l->grid[R] = l->sent[R];
}

void line_startup(struct mpa_line *l, struct startup_frame request, struct startup_frame reply)
{
    uint8_t m_req = request.octets[16] & MPA_FLAG_M, m_rep = reply.octets[16] & MPA_FLAG_M;
    bool rdmac = request.octets[17] == 0 || reply.octets[17] == 0;

    if (l->pair)
        line_handshake(l);
    line_say_frame(l, I, request);
    line_say_frame(l, R, reply);
    line_framing(l, m_rep || rdmac, m_req || rdmac,
                 ((request.octets[16] | reply.octets[16]) & MPA_FLAG_C) != 0 || rdmac);
}

void line_plain_start(struct mpa_line *l)
{
    line_startup(l, startup_frame(MPA_REQUEST, MPA_FLAG_C, 1, NULL, 0),
                 startup_frame(MPA_REPLY, MPA_FLAG_C, 1, NULL, 0));
}

struct mpa_line *line_started(uint8_t request_flags, uint8_t reply_flags)
{
    struct mpa_line *l = line_new();

    line_startup(l, startup_frame(MPA_REQUEST, request_flags, 1, NULL, 0),
                 startup_frame(MPA_REPLY, reply_flags, 1, NULL, 0));
    return l;
}

/* ---- FPDUs ---- */

static size_t make_ulpdu(struct mpa_line *l, unsigned side, const void *ulpdu, size_t n, uint8_t *out)
{
    struct mpa_framing framing = {.markers = l->marked[side], .seq_start = l->grid[side]};
    size_t length;

    mpa_fpdu_plan_init(&l->last, &framing, l->sent[side], ulpdu, (uint16_t)n, l->crc);
    length = mpa_fpdu_encode(&l->last, out, LINE_FPDU_MAX);
    assert_true(length > 0);
    return length;
}

size_t line_make(struct mpa_line *l, unsigned side, struct ddp_segment segment, const void *payload, size_t n,
                 uint8_t *out)
{
    static uint8_t ulpdu[LINE_FPDU_MAX];

    return make_ulpdu(l, side, ulpdu, segment_octets(ulpdu, sizeof ulpdu, &segment, payload, n), out);
}

static struct ddp_segment next_untagged(struct mpa_line *l, unsigned side, uint8_t opcode, uint32_t qn)
{
    return untagged_segment(opcode, qn, l->msn[side][qn]++);
}

size_t line_make_send(struct mpa_line *l, unsigned side, size_t n, uint8_t *out)
{
    return line_make(l, side, next_untagged(l, side, RDMAP_SEND, 0), NULL, n, out);
}

size_t line_make_read(struct mpa_line *l, unsigned side, uint32_t stag, uint64_t to, uint32_t size, uint8_t *out)
{
    struct rdmap_read_request request = {.sink_stag = stag, .sink_to = to, .size = size, .source_stag = 0x77};
    uint8_t payload[RDMAP_READ_REQUEST_LEN];

    rdmap_read_request_encode(&request, payload, sizeof payload);
    return line_make(l, side, next_untagged(l, side, RDMAP_READ_REQUEST, 1), payload, sizeof payload, out);
}

void line_ulpdu_acked(struct mpa_line *l, unsigned side, const void *ulpdu, uint16_t n, uint64_t acked)
{
    uint8_t fpdu[LINE_FPDU_MAX];

    line_say_acked(l, side, fpdu, make_ulpdu(l, side, ulpdu, n, fpdu), acked);
}

void line_ulpdu(struct mpa_line *l, unsigned side, const void *ulpdu, uint16_t n)
{
    uint8_t fpdu[LINE_FPDU_MAX];

    line_say(l, side, fpdu, make_ulpdu(l, side, ulpdu, n, fpdu));
}

void line_message(struct mpa_line *l, unsigned side, struct ddp_segment segment, const void *payload, size_t n)
{
    uint8_t fpdu[LINE_FPDU_MAX];

    line_say(l, side, fpdu, line_make(l, side, segment, payload, n, fpdu));
}

void line_send(struct mpa_line *l, unsigned side, size_t n)
{
    line_message(l, side, next_untagged(l, side, RDMAP_SEND, 0), NULL, n);
}

void line_write(struct mpa_line *l, unsigned side, size_t n)
{
    line_message(l, side, tagged_segment(RDMAP_WRITE, 0x5, 0), NULL, n);
}

void line_read(struct mpa_line *l, unsigned side, uint32_t stag, uint64_t to, uint32_t size)
{
    uint8_t fpdu[LINE_FPDU_MAX];

    line_say(l, side, fpdu, line_make_read(l, side, stag, to, size, fpdu));
}

void line_response(struct mpa_line *l, unsigned side, uint32_t stag, uint64_t to, size_t size)
{
    line_message(l, side, tagged_segment(RDMAP_READ_RESPONSE, stag, to), NULL, size);
}

void line_terminate_about(struct mpa_line *l, unsigned side, uint16_t what, const struct ddp_segment *about)
{
    struct rdmap_terminate terminate = {
        .layer = (uint8_t)(what >> 12), .etype = (what >> 8) & 0x0F, .code = what & 0xFF};
    uint8_t payload[RDMAP_TERMINATE_LEN_MAX];

    if (about) {
        terminate.m = terminate.d = terminate.has_length = terminate.has_ddp = true;
        terminate.ddp = *about;
        terminate.ddp.dv = terminate.ddp.rv = 1;
        terminate.segment_length = 46;
    }
    line_message(l, side, next_untagged(l, side, RDMAP_TERMINATE, 2), payload,
                 rdmap_terminate_encode(&terminate, payload, sizeof payload));
}

void line_terminate(struct mpa_line *l, unsigned side, uint16_t what)
{
    line_terminate_about(l, side, what, NULL);
}

void line_terminate_control(struct mpa_line *l, unsigned side, uint32_t control, size_t zeros)
{
    uint8_t payload[64] = {0};

    put_be32(payload, control);
    line_message(l, side, next_untagged(l, side, RDMAP_TERMINATE, 2), payload, 4 + zeros);
}

void line_spoiled(struct mpa_line *l, unsigned side, uint8_t *fpdu, size_t n)
{
    fpdu[n - 1] ^= 0x40;
    line_say(l, side, fpdu, n);
}

/* ---- the outcome ---- */

void line_expect_named(struct mpa_line *l, const char *outcome, const char *name)
{
    findings_expect(&l->seen, -1, outcome, name);
    line_free(l);
}

void line_expect_case(struct mpa_line *l, const char *outcome, unsigned index)
{
    char name[300];

    snprintf(name, sizeof name, "case %u (%s)", index, outcome);
    line_expect_named(l, outcome, name);
}
