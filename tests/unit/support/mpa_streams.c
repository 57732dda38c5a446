// SPDX-License-Identifier: GPL-2.0-or-later
/* Lines whose octets are written to streams first, for tests of the framing. */
#include "tests/unit/support/mpa_line.h"

void line_give(struct mpa_line *l, unsigned side, size_t n)
{
    struct line_stream *s = &l->stream[side], *o = &l->stream[1 - side];

    assert_true(s->sent + n <= s->n);
    l->sent[side] = s->base + s->sent;
    line_say_acked(l, side, s->octets + s->sent, n, o->base + o->sent);
    s->sent += n;
}

void line_flush(struct mpa_line *l, unsigned side, size_t size)
{
    struct line_stream *s = &l->stream[side];

    while (s->sent < s->n) {
        size_t left = s->n - s->sent;

        line_give(l, side, size == 0 || size > left ? left : size);
    }
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
    struct startup_frame frame = startup_frame(kind, flags, revision, NULL, pd_length);

    stream_put(s, frame.octets, frame.n);
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
    struct ddp_segment ddp = tagged_segment(RDMAP_WRITE, 0x1234, s->to);

    n = fill(l, &ddp, out, n);
    s->to += n - DDP_TAGGED_HEADER_LEN;
    return n;
}

size_t ulpdu_read_request(struct line_stream *s, uint8_t *out)
{
    struct ddp_segment ddp = untagged_segment(RDMAP_READ_REQUEST, DDP_QN_READ_REQUEST, s->msn++);

    return segment_octets(out, 64, &ddp, NULL, RDMAP_READ_REQUEST_LEN);
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
