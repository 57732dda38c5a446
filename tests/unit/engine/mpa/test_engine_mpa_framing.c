// SPDX-License-Identifier: GPL-2.0-or-later
/* Conforming streams give all their FPDUs and no finding, for any segmentation. */
#include "tests/unit/support/mpa_line.h"

static const size_t lengths[] = {14,  15,  16,  17,   18,   19,   42,   46,   47,   48,   49,    50,
                                 484, 500, 502, 503,  504,  505,  506,  507,  508,  509,  510,   511,
                                 512, 513, 514, 1000, 1018, 1022, 1024, 1400, 1442, 4096, 20000, 64768};

static void conforming(uint8_t request, uint8_t reply, size_t piece)
{
    struct mpa_line *b = line_new_streams();

    line_start(b, request, reply, 1, 1, 0, 0);
    for (unsigned i = 0; i < ARRAY_LENGTH(lengths); i++)
        for (unsigned side = 0; side < 2; side++) {
            struct line_stream *s = &b->stream[side];

            if (lengths[i] < 18)
                stream_write(b, s, lengths[i]);
            else
                stream_send(b, s, lengths[i]);
            if (piece == 0 || i % 4 == 3)
                line_flush(b, side, piece);
        }
    line_flush(b, 0, piece);
    line_flush(b, 1, piece);
    line_fin(b, 0);
    line_fin(b, 1);
    line_finish(b);
    line_assert_clean(b);
    assert_int_equal(b->fpdus[0], ARRAY_LENGTH(lengths));
    assert_int_equal(b->fpdus[1], ARRAY_LENGTH(lengths));
    assert_int_equal(b->skipped[0] + b->skipped[1], 0);
    assert_int_equal(rule_counts_of(&b->seen.counts, RULE_MPA_7_2_03).passed, 2);
    line_free(b);
}

UNIT_TEST(gives_every_fpdu_of_a_conforming_stream)
{
    static const size_t pieces[] = {0, 1, 3, 7, 100, 511, 512, 513, 1460, 8960, 65536};
    static const uint8_t flags[] = {0, MPA_FLAG_M, MPA_FLAG_C, MPA_FLAG_M | MPA_FLAG_C};

    for (size_t i = 0; i < ARRAY_LENGTH(pieces); i++)
        for (size_t q = 0; q < ARRAY_LENGTH(flags); q++)
            for (size_t r = 0; r < ARRAY_LENGTH(flags); r++)
                conforming(flags[q], flags[r], pieces[i]);
}

/* If CRCs are not used, the CRC field may look like the header of the next FPDU. */
UNIT_TEST(takes_no_crc_field_for_a_header)
{
    static const uint8_t header_like[] = {0x0e, 0x00, 0x41, 0x43};
    struct mpa_line *b = line_new_streams();
    struct line_stream *s = &b->stream[0];
    uint8_t ulpdu[200];
    struct mpa_fpdu_plan plan;

    line_start(b, 0, 0, 1, 1, 0, 0);
    stream_send(b, s, 100);
    plan = stream_plan(s, ulpdu, (uint16_t)ulpdu_send(b, s, ulpdu, 144));
    plan.crc_fixed = true;
    plan.crc = get_le32(header_like);
    stream_encode(s, &plan);
    stream_send(b, s, 100);
    stream_send(b, s, 100);
    /* The cut leaves three octets of the next header. */
    line_give(b, 0, s->n - s->sent - 2 * 108 + 3);
    line_flush(b, 0, 0);
    line_finish(b);
    line_assert_clean(b);
    assert_int_equal(b->fpdus[0], 4);
    line_free(b);
}
