// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/support/mpa_line.h"

#include <stdlib.h>

static const int64_t millisecond = 1000000;

/* ---- making ---- */

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

struct mpa_line *line_new_streams(void)
{
    struct mpa_line *l = calloc(1, sizeof *l);
    const struct mpa_events events = {.ctx = l, .fpdu = on_fpdu, .skipped = on_skipped};
    struct mpa_options options;

    assert_non_null(l);
    mpa_options_init(&options);
    findings_begin(&l->seen, NULL);
    l->mpa = mpa_connection_new(&options, &events, &l->seen.verdict, NULL);
    assert_non_null(l->mpa);
    l->random = 1;
    l->stream = calloc(2, sizeof *l->stream);
    assert_non_null(l->stream);
    l->stream[0].msn = l->stream[1].msn = 1;
    return l;
}

void line_free(struct mpa_line *l)
{
    mpa_connection_free(l->mpa);
    free(l->stream);
    free(l);
}

/* ---- octets ---- */

void line_syns(struct mpa_line *l)
{
    for (uint8_t side = 0; side < 2; side++)
        mpa_connection_segment(
            l->mpa,
            &(struct tcp_segment){.frame = ++l->frame, .time_ns = l->now, .side = side, .flags = TCP_SYN, .mss = 1460},
            0, false, 0);
}

void line_give(struct mpa_line *l, unsigned side, size_t n)
{
    struct line_stream *s = &l->stream[side], *o = &l->stream[1 - side];
    struct octets_origin origin = {.frame = ++l->frame,
                                   .arrival = l->frame,
                                   .time_ns = l->now += millisecond,
                                   .acked_known = true,
                                   .acked = o->base + o->sent,
                                   .segment_start = true,
                                   .segment_end = true,
                                   .segment_length = (uint32_t)n};
    uint64_t at = s->base + s->sent;
    void *copy = malloc(n + 1); /* separate memory, so that a sanitizer sees uses after its end */

    assert_true(copy && s->sent + n <= s->n);
    memcpy(copy, s->octets + s->sent, n);
    mpa_connection_segment(l->mpa,
                           &(struct tcp_segment){.frame = origin.frame,
                                                 .time_ns = origin.time_ns,
                                                 .side = (uint8_t)side,
                                                 .flags = TCP_ACK,
                                                 .length = (uint32_t)n,
                                                 .captured = (uint32_t)n,
                                                 .payload = copy},
                           at, true, origin.acked);
    mpa_connection_octets(l->mpa, side, at, copy, n, &origin);
    s->sent += n;
    l->sent[side] = at + n;
    free(copy);
}

void line_flush(struct mpa_line *l, unsigned side, size_t size)
{
    struct line_stream *s = &l->stream[side];

    while (s->sent < s->n) {
        size_t left = s->n - s->sent;

        line_give(l, side, size == 0 || size > left ? left : size);
    }
}

void line_hole(struct mpa_line *l, unsigned side, size_t n)
{
    mpa_connection_hole(l->mpa, side, l->sent[side], l->sent[side] + n, HOLE_CAPTURE_LOSS, NULL);
    l->sent[side] += n;
    l->stream[side].sent += n;
}

void line_fin(struct mpa_line *l, unsigned side)
{
    mpa_connection_fin(l->mpa, side, l->sent[side], ++l->frame, l->now += millisecond);
}

void line_finish(struct mpa_line *l)
{
    mpa_connection_finish(l->mpa, l->now);
}

void stream_put(struct line_stream *s, const void *octets, size_t n)
{
    assert_true(s->n + n <= sizeof s->octets);
    memcpy(s->octets + s->n, octets, n);
    s->n += n;
}

void stream_startup(struct line_stream *s, enum mpa_startup_kind kind, uint8_t flags, uint8_t revision,
                    uint16_t pd_length)
{
    uint8_t frame[MPA_STARTUP_HEADER_LEN + 64] = {0};

    assert_true(pd_length <= sizeof frame - MPA_STARTUP_HEADER_LEN);
    memcpy(frame, kind == MPA_REQUEST ? "MPA ID Req Frame" : "MPA ID Rep Frame", MPA_KEY_LEN);
    frame[16] = flags;
    frame[17] = revision;
    put_be16(frame + 18, pd_length);
    stream_put(s, frame, MPA_STARTUP_HEADER_LEN + (size_t)pd_length);
    s->framing.seq_start = s->base + s->n;
}

void line_start(struct mpa_line *l, uint8_t request, uint8_t reply, uint8_t request_rev, uint8_t reply_rev,
                uint16_t request_pd, uint16_t reply_pd)
{
    bool zero = request_rev == 0 || reply_rev == 0;

    line_syns(l);
    stream_startup(&l->stream[0], MPA_REQUEST, request, request_rev, request_pd);
    line_flush(l, 0, 0);
    stream_startup(&l->stream[1], MPA_REPLY, reply, reply_rev, reply_pd);
    line_flush(l, 1, 0);
    l->stream[0].framing.markers = zero || reply & MPA_FLAG_M;
    l->stream[1].framing.markers = zero || request & MPA_FLAG_M;
    l->stream[0].crc = l->stream[1].crc = zero || (request | reply) & MPA_FLAG_C;
}

/* ---- FPDUs ---- */

static struct ddp_segment untagged_segment(uint8_t opcode, uint32_t qn, uint32_t msn)
{
    return (struct ddp_segment){.last = true, .dv = 1, .rv = 1, .opcode = opcode, .qn = qn, .msn = msn};
}

static size_t fill(struct mpa_line *l, const struct ddp_segment *ddp, uint8_t *out, size_t n)
{
    size_t header = ddp_header_encode(ddp, out, 64);

    if (n < header)
        n = header;
    fill_random(&l->random, out + header, n - header);
    return n;
}

size_t ulpdu_send(struct mpa_line *l, struct line_stream *s, uint8_t *out, size_t n)
{
    struct ddp_segment ddp = untagged_segment(RDMAP_SEND, 0, s->msn++);

    ddp.dv = ddp.rv = !l->version_zero;
    return fill(l, &ddp, out, n);
}

size_t ulpdu_write(struct mpa_line *l, struct line_stream *s, uint8_t *out, size_t n)
{
    struct ddp_segment ddp = {
        .tagged = true, .last = true, .dv = 1, .rv = 1, .opcode = RDMAP_WRITE, .stag = 0x1234, .to = s->to};

    n = fill(l, &ddp, out, n);
    s->to += n - DDP_TAGGED_HEADER_LEN;
    return n;
}

size_t ulpdu_read_request(struct line_stream *s, uint8_t *out)
{
    struct ddp_segment ddp = untagged_segment(RDMAP_READ_REQUEST, DDP_QN_READ_REQUEST, s->msn++);

    size_t header = ddp_header_encode(&ddp, out, 64);

    memset(out + header, 0, RDMAP_READ_REQUEST_LEN);
    return header + RDMAP_READ_REQUEST_LEN;
}

struct mpa_fpdu_plan stream_plan(struct line_stream *s, const uint8_t *ulpdu, uint16_t length)
{
    struct mpa_fpdu_plan plan;

    mpa_fpdu_plan_init(&plan, &s->framing, s->base + s->n, ulpdu, length, s->crc);
    return plan;
}

size_t stream_encode(struct line_stream *s, const struct mpa_fpdu_plan *plan)
{
    size_t n = mpa_fpdu_encode(plan, s->octets + s->n, sizeof s->octets - s->n);

    assert_true(n > 0);
    s->n += n;
    return n;
}

size_t stream_fpdu(struct line_stream *s, const uint8_t *ulpdu, size_t length)
{
    struct mpa_fpdu_plan plan = stream_plan(s, ulpdu, (uint16_t)length);

    return stream_encode(s, &plan);
}

void stream_send(struct mpa_line *l, struct line_stream *s, size_t length)
{
    static uint8_t ulpdu[65536];

    stream_fpdu(s, ulpdu, ulpdu_send(l, s, ulpdu, length));
}

void stream_write(struct mpa_line *l, struct line_stream *s, size_t length)
{
    static uint8_t ulpdu[65536];

    stream_fpdu(s, ulpdu, ulpdu_write(l, s, ulpdu, length));
}

void line_traffic(struct mpa_line *l, unsigned rounds, size_t length)
{
    for (unsigned i = 0; i < rounds; i++)
        for (unsigned side = 0; side < 2; side++) {
            stream_send(l, &l->stream[side], length + i);
            line_flush(l, side, 0);
        }
}

/* ---- the outcome ---- */

bool framing_owns(enum rule_id rule)
{
    static const char *const prefixes[] = {"MPA-3-0",      "MPA-4.1-",    "MPA-4.2-",   "MPA-4.3-",
                                           "MPA-4.4-",     "MPA-7.1.1-0", "MPA-A.1-03", "MPA-C.1-04",
                                           "MPA-C.2.5-04", "MPA-7.2-03",  "MPA-7.1.1-1"};

    if (rule == RULE_MPA_3_16 || rule == RULE_MPA_3_03)
        return false;
    for (size_t i = 0; i < ARRAY_LENGTH(prefixes); i++)
        if (strncmp(rule_catalogue[rule].id, prefixes[i], strlen(prefixes[i])) == 0)
            return true;
    return false;
}

unsigned line_framing_findings(const struct mpa_line *l)
{
    unsigned n = 0;

    for (unsigned i = 0; i < l->seen.n && i < FINDINGS_MAX; i++)
        n += framing_owns(l->seen.finding[i].rule);
    return n;
}

void line_assert_clean(const struct mpa_line *l)
{
    if (line_framing_findings(l) != 0)
        findings_show(&l->seen, "expected none");
    assert_int_equal(line_framing_findings(l), 0);
}

void line_assert_only(const struct mpa_line *l, enum rule_id rule)
{
    unsigned hits = 0;

    for (unsigned i = 0; i < l->seen.n && i < FINDINGS_MAX; i++)
        hits += l->seen.finding[i].rule == rule;
    if (hits != 1 || line_framing_findings(l) != 1)
        findings_show(&l->seen, rule_catalogue[rule].id);
    assert_int_equal(hits, 1);
    assert_int_equal(line_framing_findings(l), 1);
}
