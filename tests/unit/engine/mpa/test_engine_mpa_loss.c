// SPDX-License-Identifier: GPL-2.0-or-later
/* Losses of the capture, or another order than at the ends, cause no findings. */
#include "tests/unit/support/mpa_line.h"

#define assert_no_finding(b)                                                                                           \
    do {                                                                                                               \
        findings_show(&b->seen, __func__);                                                                             \
        assert_int_equal((b)->seen.n, 0);                                                                              \
    } while (0)

/* The first octets of Full Operation are missing, but not the start-up frames: FO and the grid are known. */
UNIT_TEST(finds_the_grid_after_a_hole_at_its_origin)
{
    static const uint8_t flags[] = {0, MPA_FLAG_M, MPA_FLAG_C, MPA_FLAG_M | MPA_FLAG_C};
    static const size_t holes[] = {1, 4, 300, 512, 516, 1000, 1300};

    for (size_t f = 0; f < ARRAY_LENGTH(flags); f++)
        for (size_t h = 0; h < ARRAY_LENGTH(holes); h++) {
            struct mpa_line *b = line_new_streams();

            line_start(b, flags[f], flags[f], 1, 1, 0, 0);
            for (unsigned i = 0; i < 12; i++)
                stream_send(b, &b->stream[0], 400 + 17 * i);
            line_hole(b, 0, holes[h]);
            line_flush(b, 0, 700);
            stream_send(b, &b->stream[1], 100);
            line_flush(b, 1, 0);
            line_fin(b, 0);
            line_fin(b, 1);
            line_finish(b);
            assert_no_finding(b);
            assert_true(b->fpdus[0] >= 6);
            line_free(b);
        }
}

/* The capture's first FPDU is too short for a Marker; Markers in this direction show later. */
UNIT_TEST(learns_of_markers_after_the_first_fpdu)
{
    for (unsigned seed = 1; seed <= 300; seed++) {
        struct mpa_line *b = line_new_streams();

        b->random = seed;
        for (unsigned side = 0; side < 2; side++) {
            struct line_stream *s = &b->stream[side];

            s->base = 5000;
            s->crc = true;
            s->framing = (struct mpa_framing){.markers = true, .seq_start = 5000 - 400};
            stream_send(b, s, 83);
            line_flush(b, side, 0);
            for (unsigned i = 0; i < 6; i++)
                stream_write(b, s, 1014);
            line_flush(b, side, seed % 3 == 0 ? 0 : seed % 3 == 1 ? 1032 : 700);
        }
        line_finish(b);
        assert_no_finding(b);
        assert_int_equal(b->fpdus[0], 7);
        assert_int_equal(b->fpdus[1], 7);
        line_free(b);
    }
}

/* Zero octets with a Marker can also be read without it, and a segment ends where that reading does. */
UNIT_TEST(does_not_take_a_guess_for_a_fact)
{
    for (unsigned crc = 0; crc < 2; crc++) {
        struct mpa_line *b = line_new_streams();
        struct line_stream *s = &b->stream[1];
        uint8_t ulpdu[471] = {0};
        struct ddp_segment ddp = {
            .tagged = true, .last = true, .dv = 1, .rv = 1, .opcode = RDMAP_READ_RESPONSE, .stag = 0x777, .to = 5};

        b->stream[0].base = s->base = 5000;
        b->stream[0].crc = s->crc = crc;
        for (unsigned i = 0; i < 4; i++)
            stream_send(b, &b->stream[0], 46);
        line_flush(b, 0, 52);
        s->framing = (struct mpa_framing){.markers = true, .seq_start = 5000 - 360};
        ddp_header_encode(&ddp, ulpdu, sizeof ulpdu);
        stream_fpdu(s, ulpdu, sizeof ulpdu);
        line_give(b, 1, 89);
        line_give(b, 1, 480 - 89);
        line_give(b, 1, 4);
        for (unsigned i = 0; i < 10; i++)
            stream_send(b, s, 300 + 40 * i);
        line_flush(b, 1, 500);
        line_finish(b);
        assert_no_finding(b);
        assert_true(b->fpdus[1] >= 8);
        line_free(b);
    }
}

/* FPDUs too short for a Marker come first; the one that reaches the next Marker confirms nothing. */
UNIT_TEST(waits_for_what_markers_would_move)
{
    struct mpa_line *b = line_new_streams();
    struct line_stream *s = &b->stream[1];
    static const uint8_t crc[] = {0xed, 0x12, 0x41, 0x43}; /* which looks like a header */
    struct mpa_fpdu_plan plan;
    uint8_t ulpdu[338];

    for (unsigned side = 0; side < 2; side++)
        b->stream[side].base = 5000;
    for (unsigned i = 0; i < 4; i++)
        stream_send(b, &b->stream[0], 46);
    line_flush(b, 0, 52);
    s->framing = (struct mpa_framing){.markers = true, .seq_start = 5000 - 112};
    stream_fpdu(s, ulpdu, ulpdu_read_request(s, ulpdu));
    stream_fpdu(s, ulpdu, ulpdu_read_request(s, ulpdu));
    line_flush(b, 1, 52);
    stream_send(b, s, 158);
    line_flush(b, 1, 0);
    memset(ulpdu, 0, sizeof ulpdu);
    ddp_header_encode(&(struct ddp_segment){.tagged = true, .last = true, .dv = 1, .rv = 1, .opcode = RDMAP_WRITE},
                      ulpdu, sizeof ulpdu);
    plan = stream_plan(s, ulpdu, sizeof ulpdu);
    plan.crc = get_le32(crc);
    stream_encode(s, &plan);
    line_give(b, 1, s->n - s->sent);
    for (unsigned i = 0; i < 10; i++) {
        stream_send(b, s, 173 + 90 * i);
        line_flush(b, 1, 0);
    }
    line_finish(b);
    assert_no_finding(b);
    assert_true(b->fpdus[1] >= 11);
    line_free(b);
}

/* The Request is lost, and so whether the Responder has Markers; its first FPDU is lost, too. */
UNIT_TEST(learns_of_markers_after_a_hole)
{
    for (unsigned variant = 0; variant < 4; variant++) {
        bool markers = variant & 1, crc = variant & 2;
        struct mpa_line *b = line_new_streams();
        struct line_stream *s = &b->stream[1];

        line_syns(b);
        line_hole(b, 0, 20);
        stream_startup(s, MPA_REPLY, crc ? MPA_FLAG_C : 0, 1, 0);
        s->framing.markers = markers;
        s->crc = crc;
        line_flush(b, 1, 0);
        for (unsigned i = 0; i < 14; i++)
            stream_send(b, s, 900 - 50 * i);
        line_hole(b, 1, 300);
        line_flush(b, 1, 1448);
        line_finish(b);
        assert_no_finding(b);
        assert_true(b->fpdus[1] >= 8);
        line_free(b);
    }
}
