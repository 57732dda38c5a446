// SPDX-License-Identifier: GPL-2.0-or-later
/* Segments cut by the snap length: FPDUs are counted, and judged as far as they were captured. */
#include "tests/unit/support/mpa_line.h"

#include <stdlib.h>

/* Gives n octets of a side's stream as one segment, of which the first `there` were captured. */
static void cut_segment(struct mpa_line *b, unsigned side, size_t n, size_t there)
{
    struct line_stream *s = &b->stream[side], *o = &b->stream[1 - side];
    struct octets_origin origin = {.frame = ++b->frame,
                                   .arrival = b->frame,
                                   .time_ns = (int64_t)b->frame * 1000000,
                                   .acked_known = true,
                                   .acked = o->base + o->sent,
                                   .segment_start = true,
                                   .segment_end = there >= n,
                                   .segment_length = (uint32_t)n};
    uint64_t from = s->base + s->sent;
    uint8_t *piece = malloc(there + 1);

    assert_true(s->sent + n <= s->n && there <= n);
    memcpy(piece, s->octets + s->sent, there);
    if (there > 0)
        mpa_connection_octets(b->mpa, side, from, piece, there, &origin);
    origin.segment_start = there == 0;
    origin.segment_end = true;
    if (there < n)
        mpa_connection_hole(b->mpa, side, from + there, from + n, HOLE_SNAP_LENGTH, &origin);
    s->sent += n;
    b->sent[side] = from + n;
    free(piece);
}

/* Sends the unsent octets in segments of `size` octets, of which at most `there` were captured. */
static void cut_flush(struct mpa_line *b, unsigned side, size_t size, size_t there)
{
    struct line_stream *s = &b->stream[side];

    while (s->sent < s->n) {
        size_t n = s->n - s->sent;

        n = size != 0 && size < n ? size : n;
        cut_segment(b, side, n, there < n ? there : n);
    }
}

#define assert_findings(b, count)                                                                                      \
    do {                                                                                                               \
        findings_show(&b->seen, __func__);                                                                             \
        assert_int_equal((b)->seen.n, count);                                                                          \
    } while (0)

static const uint8_t all_flags[] = {0, MPA_FLAG_M, MPA_FLAG_C, MPA_FLAG_M | MPA_FLAG_C};

UNIT_TEST(one_fpdu_in_each_segment)
{
    for (size_t f = 0; f < ARRAY_LENGTH(all_flags); f++)
        for (size_t there = 26; there < 700; there += 37) {
            struct mpa_line *b = line_new_streams();

            line_start(b, all_flags[f], all_flags[f], 1, 1, 0, 0);
            for (unsigned i = 0; i < 40; i++) {
                stream_send(b, &b->stream[0], 40 + 35 * i);
                cut_flush(b, 0, 0, there);
                stream_write(b, &b->stream[1], 30 + 31 * i);
                cut_flush(b, 1, 0, there);
            }
            line_fin(b, 0);
            line_fin(b, 1);
            line_finish(b);
            assert_findings(b, 0);
            assert_int_equal(b->fpdus[0], 40);
            assert_int_equal(b->fpdus[1], 40);
            assert_int_equal(b->no_ddp, 0);
            assert_int_equal(b->skipped[0] + b->skipped[1], 0);
            line_free(b);
        }
}

/* The FPDU's end, and the next one's header, are in the captured part of a later segment. */
UNIT_TEST(an_fpdu_over_several_segments)
{
    for (size_t f = 0; f < ARRAY_LENGTH(all_flags); f++) {
        struct mpa_line *b = line_new_streams();
        struct line_stream *s = &b->stream[0];
        size_t first;

        line_start(b, all_flags[f], all_flags[f], 1, 1, 0, 0);
        stream_send(b, s, 5000);
        first = s->n - s->sent;
        stream_send(b, s, 300); /* begins where the other ends, 40 octets into a segment */
        cut_segment(b, 0, first / 2, 62);
        assert_int_equal(b->fpdus[0], 0);
        cut_segment(b, 0, first - first / 2 - 40, 62);
        assert_int_equal(b->fpdus[0], 0);
        cut_flush(b, 0, 0, 40 + 62);
        assert_int_equal(b->fpdus[0], 2);
        line_fin(b, 0);
        line_finish(b);
        assert_findings(b, 0);
        assert_int_equal(b->ulpdu_octets[0], 5000 + 300);
        line_free(b);
    }
}

/* The header of the second of three FPDUs in a segment was cut away; the next segment begins with an FPDU again. */
UNIT_TEST(several_fpdus_in_a_segment)
{
    for (size_t f = 0; f < ARRAY_LENGTH(all_flags); f++) {
        struct mpa_line *b = line_new_streams();
        struct line_stream *s = &b->stream[0];

        line_start(b, all_flags[f], all_flags[f], 1, 1, 0, 0);
        stream_send(b, s, 100);
        cut_flush(b, 0, 0, 62);
        for (unsigned i = 0; i < 3; i++)
            stream_send(b, s, 200);
        cut_flush(b, 0, 0, 62);
        assert_int_equal(b->fpdus[0], 2);
        for (unsigned i = 0; i < 5; i++) {
            stream_write(b, s, 400);
            cut_flush(b, 0, 0, 62);
        }
        line_finish(b);
        assert_findings(b, 0);
        assert_int_equal(b->fpdus[0], 7);
        assert_true(b->skipped[0] > 0);
        line_free(b);
    }
}

/* CRC and PAD stay open, octets before the cut do not. */
UNIT_TEST(what_was_cut_is_inconclusive)
{
    struct mpa_line *b = line_new_streams();

    line_start(b, MPA_FLAG_C, MPA_FLAG_C, 1, 1, 0, 0);
    stream_send(b, &b->stream[0], 101);
    cut_flush(b, 0, 0, 62);
    assert_int_equal(rule_counts_of(&b->seen.counts, RULE_MPA_7_1_1_15).inconclusive, 1);
    assert_int_equal(rule_counts_of(&b->seen.counts, RULE_MPA_7_1_1_15).passed, 0);
    assert_int_equal(rule_counts_of(&b->seen.counts, RULE_MPA_4_1_05).inconclusive, 1);
    assert_int_equal(rule_counts_of(&b->seen.counts, RULE_MPA_4_1_04).inconclusive, 1);
    assert_int_equal(rule_counts_of(&b->seen.counts, RULE_MPA_4_1_01).passed, 1); /* the FPDU ends with its segment */
    assert_int_equal(rule_counts_of(&b->seen.counts, RULE_MPA_3_01).passed, 1);
    assert_int_equal(b->wrong_crcs[0], 0);
    line_finish(b);
    assert_findings(b, 0);
    line_free(b);
}

/* A captured Marker is judged, whatever is cut after it. */
UNIT_TEST(markers_that_are_there_are_judged)
{
    struct mpa_line *b = line_new_streams();
    struct line_stream *s = &b->stream[0];

    line_start(b, MPA_FLAG_M, MPA_FLAG_M, 1, 1, 0, 0);
    stream_send(b, s, 1000);
    put_be16(s->octets + s->sent, 1); /* RESERVED of the leading Marker */
    cut_flush(b, 0, 0, 62);
    assert_int_equal(b->fpdus[0], 1);
    assert_findings(b, 1);
    assert_int_equal(b->seen.finding[0].rule, RULE_MPA_4_2_02);
    line_free(b);
}

/* The stream ends inside an FPDU, or the snap length leaves nothing: no findings. */
UNIT_TEST(ends_and_nothing)
{
    struct mpa_line *b = line_new_streams();

    line_start(b, MPA_FLAG_C, MPA_FLAG_C, 1, 1, 0, 0);
    stream_send(b, &b->stream[0], 3000);
    cut_segment(b, 0, 1000, 62);
    line_fin(b, 0);
    line_finish(b);
    assert_findings(b, 0);
    assert_int_equal(b->fpdus[0], 0);
    line_free(b);

    b = line_new_streams();
    line_start(b, MPA_FLAG_C, MPA_FLAG_C, 1, 1, 0, 0);
    for (unsigned there = 0; there < 24; there++) {
        stream_send(b, &b->stream[0], 300);
        cut_flush(b, 0, 0, there);
    }
    line_fin(b, 0);
    line_finish(b);
    assert_findings(b, 0);
    line_free(b);
}

/* The other side's late Request ends the connection as MPA while an FPDU waits for its end. */
UNIT_TEST(ignored_inside_an_fpdu)
{
    struct mpa_line *b = line_new_streams();
    struct line_stream *s = &b->stream[0];

    line_syns(b);
    stream_startup(&b->stream[1], MPA_REPLY, MPA_FLAG_C, 1, 0);
    line_hole(b, 1, b->stream[1].n);
    stream_startup(s, MPA_REQUEST, MPA_FLAG_C, 1, 0);
    line_flush(b, 0, 0);
    s->crc = true;
    stream_send(b, s, 60);
    cut_flush(b, 0, 0, LINE_STREAM_MAX);
    assert_int_equal(b->fpdus[0], 1);
    stream_send(b, s, 3000);
    cut_segment(b, 0, 1000, 62);
    stream_startup(&b->stream[1], MPA_REQUEST, MPA_FLAG_C, 1, 0);
    line_flush(b, 1, 0);
    cut_flush(b, 0, 0, LINE_STREAM_MAX);
    line_fin(b, 0);
    line_finish(b);
    assert_int_equal(b->fpdus[0], 1);
    line_free(b);
}

/* Any cuts, any sizes, with holes in between: no finding, and never more FPDUs than were sent. */
UNIT_TEST(at_random)
{
    for (unsigned seed = 1; seed <= 400; seed++) {
        struct mpa_line *b = line_new_streams();
        uint8_t flags = all_flags[seed % 4];

        b->random = seed;
        line_start(b, flags, flags, 1, 1, 0, 0);
        stream_send(b, &b->stream[0], 60);
        cut_flush(b, 0, 0, 62);
        for (unsigned i = 0; i < 30; i++) {
            uint64_t dice = next_random(&b->random);
            struct line_stream *s = &b->stream[dice & 1];

            for (unsigned k = 0; k <= (dice >> 1) % 3; k++)
                stream_send(b, s, 18 + (dice >> 8) % 2000);
            if ((dice >> 20) % 8 == 0) {
                line_hole(b, dice & 1, s->n - s->sent);
                continue;
            }
            cut_flush(b, dice & 1, (dice >> 24) % 3 == 0 ? 700 : 0, 30 + (dice >> 32) % 600);
        }
        line_fin(b, 0);
        line_fin(b, 1);
        line_finish(b);
        assert_findings(b, 0);
        line_free(b);
    }
}
