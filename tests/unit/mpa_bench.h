/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A connection at the MPA layer, fed by hand: octets per side, cut into segments; collects findings and FPDUs. */
#ifndef IWARP_TESTS_UNIT_MPA_BENCH_H
#define IWARP_TESTS_UNIT_MPA_BENCH_H

#include "engine/mpa.h"
#include "tests/unit/support/support.h"
#include "wire/crc32c.h"
#include "wire/octets.h"

#include <stdio.h>
#include <stdlib.h>

enum { BENCH_FINDINGS = 64, BENCH_STREAM = 1 << 20 };

/* What one side sends, before it is cut into segments. */
struct stream {
    struct mpa_framing framing;
    bool crc;
    uint8_t octets[BENCH_STREAM];
    size_t n;      /* octets written */
    size_t sent;   /* octets given to the engine */
    uint64_t base; /* stream offset of octets[0] */
    uint32_t msn;
    uint64_t to;
};

struct bench {
    struct verdict verdict;
    struct rule_count counts[RULE_COUNT];
    struct mpa_connection *mpa;
    struct stream stream[2];
    struct finding findings[BENCH_FINDINGS];
    unsigned n_findings;
    unsigned fpdus[2], wrong_crcs[2], no_ddp;
    uint64_t ulpdu_octets[2], skipped[2];
    uint32_t frame;
    uint64_t random;
    bool version_zero; /* of DDP and RDMAP */
};

static inline void bench_finding(void *ctx, const struct finding *finding)
{
    struct bench *b = ctx;

    if (b->n_findings < BENCH_FINDINGS)
        b->findings[b->n_findings] = *finding;
    b->n_findings++;
}

static inline void bench_fpdu(void *ctx, const struct mpa_fpdu_event *event)
{
    struct bench *b = ctx;

    b->fpdus[event->place.side]++;
    b->ulpdu_octets[event->place.side] += event->fpdu.ulpdu_length;
    b->wrong_crcs[event->place.side] += event->crc == MPA_CRC_WRONG;
    b->no_ddp += !event->has_ddp;
}

static inline void bench_skipped(void *ctx, unsigned side, uint64_t from, uint64_t to, const char *why,
                                 const struct place *place)
{
    struct bench *b = ctx;

    (void)why, (void)place;
    b->skipped[side] += to - from;
}

static inline struct bench *bench_new(const struct mpa_options *options)
{
    struct bench *b = calloc(1, sizeof *b);
    struct mpa_events events = {.ctx = b, .fpdu = bench_fpdu, .skipped = bench_skipped};
    struct mpa_options defaults;

    assert_non_null(b);
    mpa_options_init(&defaults);
    b->verdict.counts = b->counts;
    b->verdict.finding = bench_finding;
    b->verdict.ctx = b;
    b->random = 1;
    b->mpa = mpa_connection_new(options ? options : &defaults, &events, &b->verdict);
    assert_non_null(b->mpa);
    b->stream[0].msn = b->stream[1].msn = 1;
    return b;
}

static inline void bench_free(struct bench *b)
{
    mpa_connection_free(b->mpa);
    free(b);
}

/* Both SYNs were captured. */
static inline void bench_syns(struct bench *b)
{
    for (uint8_t side = 0; side < 2; side++)
        mpa_connection_segment(b->mpa,
                               &(struct tcp_segment){.frame = ++b->frame, .side = side, .flags = TCP_SYN, .mss = 1460},
                               0, false, 0);
}

/* Gives n octets of a side's stream as one segment. */
static inline void bench_segment(struct bench *b, unsigned side, size_t n)
{
    struct stream *s = &b->stream[side], *o = &b->stream[1 - side];
    struct octets_origin origin = {.frame = ++b->frame,
                                   .time_ns = (int64_t)b->frame * 1000000,
                                   .acked_known = true,
                                   .acked = o->base + o->sent,
                                   .segment_start = true,
                                   .segment_end = true,
                                   .segment_length = (uint32_t)n};
    uint8_t *piece = malloc(n); /* its own memory, so that a sanitizer sees what outlives it */

    origin.arrival = origin.frame;
    assert_true(s->sent + n <= s->n);
    memcpy(piece, s->octets + s->sent, n);
    mpa_connection_segment(b->mpa,
                           &(struct tcp_segment){.frame = origin.frame,
                                                 .time_ns = origin.time_ns,
                                                 .side = (uint8_t)side,
                                                 .flags = TCP_ACK,
                                                 .length = (uint32_t)n,
                                                 .captured = (uint32_t)n,
                                                 .payload = piece},
                           s->base + s->sent, true, origin.acked);
    mpa_connection_octets(b->mpa, side, s->base + s->sent, piece, n, &origin);
    s->sent += n;
    free(piece);
}

/* Gives what is written and not sent yet, in segments of `size` octets (0: one segment). */
static inline void bench_flush(struct bench *b, unsigned side, size_t size)
{
    struct stream *s = &b->stream[side];

    while (s->sent < s->n) {
        size_t left = s->n - s->sent;

        bench_segment(b, side, size == 0 || size > left ? left : size);
    }
}

/* The next n octets of the stream are lost by the capture. */
static inline void bench_hole(struct bench *b, unsigned side, size_t n)
{
    struct stream *s = &b->stream[side];

    mpa_connection_hole(b->mpa, side, s->base + s->sent, s->base + s->sent + n, HOLE_CAPTURE_LOSS, NULL);
    s->sent += n;
}

static inline void bench_fin(struct bench *b, unsigned side)
{
    struct stream *s = &b->stream[side];

    ++b->frame;
    mpa_connection_fin(b->mpa, side, s->base + s->sent, b->frame, (int64_t)b->frame * 1000000);
}

static inline void bench_finish(struct bench *b)
{
    mpa_connection_finish(b->mpa, (int64_t)b->frame * 1000000);
}

static inline void stream_put(struct stream *s, const void *octets, size_t n)
{
    assert_true(s->n + n <= sizeof s->octets);
    memcpy(s->octets + s->n, octets, n);
    s->n += n;
}

static inline void stream_startup(struct stream *s, enum mpa_startup_kind kind, uint8_t flags, uint8_t revision,
                                  uint16_t pd_length)
{
    uint8_t octets[MPA_STARTUP_HEADER_LEN + MPA_PRIVATE_DATA_MAX] = {0};
    struct mpa_startup frame = {.kind = kind, .flags = flags, .revision = revision, .pd_length = pd_length};
    size_t n = mpa_startup_encode(&frame, octets, sizeof octets);

    assert_true(n >= MPA_STARTUP_HEADER_LEN);
    stream_put(s, octets, MPA_STARTUP_HEADER_LEN + pd_length);
    s->framing.seq_start = s->base + s->n;
}

/* Side 0 is the Initiator. Markers of a direction are what the other side's M says; rev 0 puts them both ways. */
static inline void bench_start(struct bench *b, uint8_t request, uint8_t reply, uint8_t request_rev, uint8_t reply_rev,
                               uint16_t request_pd, uint16_t reply_pd)
{
    bool zero = request_rev == 0 || reply_rev == 0;

    bench_syns(b);
    stream_startup(&b->stream[0], MPA_REQUEST, request, request_rev, request_pd);
    bench_flush(b, 0, 0);
    stream_startup(&b->stream[1], MPA_REPLY, reply, reply_rev, reply_pd);
    bench_flush(b, 1, 0);
    b->stream[0].framing.markers = zero || reply & MPA_FLAG_M;
    b->stream[1].framing.markers = zero || request & MPA_FLAG_M;
    b->stream[0].crc = b->stream[1].crc = zero || (request | reply) & MPA_FLAG_C;
}

/* ULPDUs: n octets with a DDP header of the version 1 (or 0). The payload is random, from the bench. */
static inline size_t ulpdu_send(struct bench *b, struct stream *s, uint8_t *out, size_t n)
{
    struct ddp_segment ddp = {
        .last = true, .dv = !b->version_zero, .rv = !b->version_zero, .opcode = RDMAP_SEND, .msn = s->msn++};
    size_t header = ddp_header_encode(&ddp, out, 64);

    if (n < header)
        n = header;
    fill_random(&b->random, out + header, n - header);
    return n;
}

static inline size_t ulpdu_write(struct bench *b, struct stream *s, uint8_t *out, size_t n)
{
    struct ddp_segment ddp = {
        .tagged = true, .last = true, .dv = 1, .rv = 1, .opcode = RDMAP_WRITE, .stag = 0x1234, .to = s->to};
    size_t header = ddp_header_encode(&ddp, out, 64);

    if (n < header)
        n = header;
    s->to += n - header;
    fill_random(&b->random, out + header, n - header);
    return n;
}

static inline size_t ulpdu_read_request(struct stream *s, uint8_t *out)
{
    struct ddp_segment ddp = {
        .last = true, .dv = 1, .rv = 1, .opcode = RDMAP_READ_REQUEST, .qn = DDP_QN_READ_REQUEST, .msn = s->msn++};
    size_t header = ddp_header_encode(&ddp, out, 64);

    memset(out + header, 0, 28);
    return header + 28;
}

static inline struct mpa_fpdu_plan stream_plan(struct stream *s, const uint8_t *ulpdu, uint16_t length)
{
    struct mpa_fpdu_plan plan;

    mpa_fpdu_plan_init(&plan, &s->framing, s->base + s->n, ulpdu, length, s->crc);
    return plan;
}

/* Returns the octets written. */
static inline size_t stream_encode(struct stream *s, const struct mpa_fpdu_plan *plan)
{
    size_t n = mpa_fpdu_encode(plan, s->octets + s->n, sizeof s->octets - s->n);

    assert_true(n > 0);
    s->n += n;
    return n;
}

static inline size_t stream_fpdu(struct stream *s, const uint8_t *ulpdu, size_t length)
{
    struct mpa_fpdu_plan plan = stream_plan(s, ulpdu, (uint16_t)length);

    return stream_encode(s, &plan);
}

static inline void stream_send(struct bench *b, struct stream *s, size_t length)
{
    static uint8_t ulpdu[65536];

    stream_fpdu(s, ulpdu, ulpdu_send(b, s, ulpdu, length));
}

static inline void stream_write(struct bench *b, struct stream *s, size_t length)
{
    static uint8_t ulpdu[65536];

    stream_fpdu(s, ulpdu, ulpdu_write(b, s, ulpdu, length));
}

/* Some rounds of traffic both ways, FPDU by FPDU in own segments. */
static inline void bench_traffic(struct bench *b, unsigned rounds, size_t length)
{
    for (unsigned i = 0; i < rounds; i++)
        for (unsigned side = 0; side < 2; side++) {
            stream_send(b, &b->stream[side], length + i);
            bench_flush(b, side, 0);
        }
}

static inline void bench_print(const struct bench *b)
{
    for (unsigned i = 0; i < b->n_findings && i < BENCH_FINDINGS; i++)
        print_message("  %s frame %u: %s\n", rule_catalogue[b->findings[i].rule].id, b->findings[i].place.frame,
                      b->findings[i].message);
}

/* Only findings of the rules that the framing owns count; the other families have tests of their own. */
static inline bool bench_owned(enum rule_id rule)
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

static inline unsigned bench_count(const struct bench *b)
{
    unsigned n = 0;

    for (unsigned i = 0; i < b->n_findings && i < BENCH_FINDINGS; i++)
        n += bench_owned(b->findings[i].rule);
    return n;
}

#define bench_assert_clean(b)                                                                                          \
    do {                                                                                                               \
        if (bench_count(b) != 0)                                                                                       \
            bench_print(b);                                                                                            \
        assert_int_equal(bench_count(b), 0);                                                                           \
    } while (0)

/* Exactly one finding, of this rule. */
#define bench_assert_only(b, rule_id)                                                                                  \
    do {                                                                                                               \
        unsigned hits_ = 0;                                                                                            \
        for (unsigned i_ = 0; i_ < (b)->n_findings && i_ < BENCH_FINDINGS; i_++)                                       \
            hits_ += (b)->findings[i_].rule == (rule_id);                                                              \
        if (hits_ != 1 || bench_count(b) != 1) {                                                                       \
            print_message("wanted one %s, found:\n", rule_catalogue[rule_id].id);                                      \
            bench_print(b);                                                                                            \
        }                                                                                                              \
        assert_int_equal(hits_, 1);                                                                                    \
        assert_int_equal(bench_count(b), 1);                                                                           \
    } while (0)

#endif
