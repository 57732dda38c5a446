// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Missing octets are never a finding: holes, starts inside the connection, ends inside an FPDU. Other protocols are
 * never recognised as MPA.
 */
#include "tests/unit/support/mpa_line.h"

#include <sys/types.h>

static void write_some(struct mpa_line *b, unsigned side, unsigned count, unsigned payload)
{
    static uint8_t ulpdu[70000];
    struct line_stream *s = &b->stream[side];

    for (unsigned i = 0; i < count; i++) {
        size_t length = 18 + next_random(&b->random) % (i % 5 == 0 ? 5000 : 1425);
        size_t n = i % 3 == 0 ? ulpdu_write(b, s, ulpdu, length) : ulpdu_send(b, s, ulpdu, length);

        if (payload == 1)
            memset(ulpdu + 18, 0, n - 18);
        stream_fpdu(s, ulpdu, n);
    }
}

/* Random pieces, random holes; false when nothing was lost. */
static bool flush_with_holes(struct mpa_line *b, unsigned side, unsigned one_in)
{
    struct line_stream *s = &b->stream[side];
    bool lost = false;

    while (s->sent < s->n) {
        size_t n = 1 + next_random(&b->random) % 3000;

        if (n > s->n - s->sent)
            n = s->n - s->sent;
        if (next_random(&b->random) % one_in == 0) {
            line_hole(b, side, n);
            lost = true;
        } else {
            line_give(b, side, n);
        }
    }
    return lost;
}

UNIT_TEST(holes)
{
    unsigned found = 0, sent = 0;

    for (unsigned seed = 0; seed < 160; seed++) {
        struct mpa_line *b = line_new_streams();
        uint8_t flags[2] = {(seed & 1 ? MPA_FLAG_M : 0) | (seed & 2 ? MPA_FLAG_C : 0), seed & 4 ? MPA_FLAG_M : 0};

        b->random = seed + 1;
        line_start(b, flags[0], flags[1], 1, 1, 0, 0);
        stream_send(b, &b->stream[0], 40);
        line_flush(b, 0, 0);
        for (unsigned side = 0; side < 2; side++) {
            write_some(b, side, 40, seed >> 3 & 1);
            flush_with_holes(b, side, 12);
            line_fin(b, side);
        }
        line_finish(b);
        sent += 81;
        found += b->fpdus[0] + b->fpdus[1];
        if (line_framing_findings(b) != 0)
            print_message("seed %u:\n", seed);
        line_assert_clean(b);
        line_free(b);
    }
    print_message("found %u of %u FPDUs\n", found, sent);
    assert_true(found > sent / 2);
}

UNIT_TEST(inside)
{
    unsigned recognised = 0, found = 0;

    for (unsigned seed = 0; seed < 160; seed++) {
        struct mpa_line *b = line_new_streams();
        bool markers = seed & 1, crc = seed & 2;

        b->random = seed + 1;
        for (unsigned side = 0; side < 2; side++) {
            struct line_stream *s = &b->stream[side];

            s->base = 1000 * side;
            s->framing = (struct mpa_framing){.markers = markers, .seq_start = 0};
            s->crc = crc;
            s->msn = 100;
            for (unsigned i = 0; i < 30; i++) {
                size_t before = s->n;

                write_some(b, side, 1, seed >> 2 & 1);
                if (i == 0 && seed & 8) { /* the first segment seen begins inside an FPDU */
                    size_t gone = 1 + next_random(&b->random) % (s->n - before - 1);

                    memmove(s->octets, s->octets + gone, s->n - gone);
                    s->n -= gone;
                    s->base += gone;
                }
                if (!(seed & 16))
                    line_flush(b, side, 0);
            }
            line_flush(b, side, 1448);
        }
        line_finish(b);
        recognised += mpa_connection_is_mpa(b->mpa);
        found += b->fpdus[0] + b->fpdus[1];
        if (line_framing_findings(b) != 0 || !mpa_connection_is_mpa(b->mpa))
            print_message("seed %u (markers %d, crc %d): %u + %u FPDUs\n", seed, markers, crc, b->fpdus[0],
                          b->fpdus[1]);
        line_assert_clean(b);
        line_free(b);
    }
    print_message("recognised %u of 160, %u of %u FPDUs\n", recognised, found, 160 * 60);
    assert_int_equal(recognised, 160);
    assert_true(found > 160 * 60 * 9 / 10);
}

static void fill_text(uint8_t *p, size_t n, const char *text)
{
    size_t length = strlen(text);

    for (size_t i = 0; i < n; i++)
        p[i] = (uint8_t)text[i % length];
}

UNIT_TEST(other_protocols)
{
    enum { OCTETS = 300000 };
    static uint8_t octets[OCTETS];

    for (unsigned kind = 0; kind < 9; kind++)
        for (unsigned start = 0; start < 2; start++)
            for (unsigned size = 0; size < 3; size++) {
                struct mpa_line *b = line_new_streams();

                b->random = kind + 1;
                fill_random(&b->random, octets, sizeof octets);
                switch (kind) {
                case 1:
                    memset(octets, 0, sizeof octets);
                    break;
                case 2:
                    fill_text(
                        octets, sizeof octets,
                        "GET / HTTP/1.1\r\nHost: example\r\nThe key \"MPA ID Req Frame\" begins it, MPA ID Rep Frame "
                        "answers.\r\n\r\n");
                    break;
                case 3:
                    for (size_t i = 0; i < sizeof octets / 4; i++)
                        put_be32(octets + 4 * i, (uint32_t)(4 * i));
                    break;
                case 4:
                    memset(octets, 0xFF, sizeof octets);
                    break;
                case 5: /* records of a length field and zeros */
                    memset(octets, 0, sizeof octets);
                    for (size_t i = 0; i + 64 <= sizeof octets; i += 64)
                        put_be16(octets + i, 58);
                    break;
                case 6:
                    for (size_t i = 0; i < sizeof octets; i++)
                        octets[i] = (uint8_t)i;
                    break;
                case 7: /* TLS records */
                    for (size_t i = 0; i + 1405 <= sizeof octets; i += 1405)
                        memcpy(octets + i, "\x17\x03\x03\x05\x78", 5);
                    break;
                case 8: /* RPC records */
                    for (size_t i = 0; i + 128 <= sizeof octets; i += 128) {
                        put_be32(octets + i, 0x80000000u | 124);
                        put_be32(octets + i + 4, (uint32_t)i);
                        put_be32(octets + i + 8, 0);
                    }
                    break;
                default:
                    break;
                }
                if (start)
                    line_syns(b);
                for (unsigned side = 0; side < 2; side++) {
                    stream_put(&b->stream[side], octets, sizeof octets);
                    line_flush(b, side, size == 0 ? 1448 : size == 1 ? 100 : 64);
                }
                line_finish(b);
                if (mpa_connection_is_mpa(b->mpa) || b->seen.n != 0)
                    print_message("kind %u, start %u, size %u\n", kind, start, size);
                assert_false(mpa_connection_is_mpa(b->mpa));
                assert_int_equal(b->seen.n, 0);
                line_free(b);
            }
}

UNIT_TEST(ends)
{
    struct mpa_line *b;

    for (unsigned crc = 0; crc < 2; crc++) {
        b = line_new_streams();
        line_start(b, crc ? MPA_FLAG_C : 0, 0, 1, 1, 0, 0);
        line_traffic(b, 2, 60);
        stream_send(b, &b->stream[0], 42);
        b->stream[0].n -= 28;
        line_flush(b, 0, 0);
        line_fin(b, 0);
        line_finish(b);
        line_assert_only(b, RULE_MPA_7_2_03);
        line_free(b);

        /* A reset may come at any time, as may the end of the capture. */
        b = line_new_streams();
        line_start(b, crc ? MPA_FLAG_C : 0, 0, 1, 1, 0, 0);
        line_traffic(b, 2, 60);
        stream_send(b, &b->stream[0], 42);
        b->stream[0].n -= 28;
        line_flush(b, 0, 0);
        if (crc)
            mpa_connection_reset(b->mpa, 0, ++b->frame, 0);
        line_finish(b);
        line_assert_clean(b);
        line_free(b);
    }
    for (unsigned marker = 0; marker < 3; marker++) { /* the stream ends on the grid */
        b = line_new_streams();
        line_start(b, MPA_FLAG_M, MPA_FLAG_M, 1, 1, 0, 0);
        stream_send(b, &b->stream[0], 506 - 4);
        assert_int_equal(b->stream[0].n - 20, 512);
        if (marker > 0)
            stream_put(&b->stream[0], "\0\0\0\0", 4);
        line_flush(b, 0, 0);
        if (marker < 2)
            line_fin(b, 0);
        line_finish(b);
        if (marker == 1)
            line_assert_only(b, RULE_MPA_4_3_18);
        else
            line_assert_clean(b);
        assert_int_equal(rule_counts_of(&b->seen.counts, RULE_MPA_4_3_18).passed, marker == 0);
        line_free(b);
    }
}

/* Start-up frames cut anywhere, in either order at the tap, or after other data. */
UNIT_TEST(startup_anywhere)
{
    for (unsigned piece = 1; piece < 40; piece += 3)
        for (unsigned variant = 0; variant < 4; variant++) {
            struct mpa_line *b = line_new_streams();
            unsigned first = variant & 1; /* the Reply reaches the tap first */
            size_t streamed = variant & 2 ? 700 : 0;

            line_syns(b);
            for (unsigned side = 0; side < 2; side++) {
                if (streamed > 0) {
                    fill_text(b->stream[side].octets, streamed, "login: MPA ID R");
                    b->stream[side].n = streamed;
                    line_flush(b, side, piece * 10);
                }
                stream_startup(&b->stream[side], side == 0 ? MPA_REQUEST : MPA_REPLY, MPA_FLAG_M | MPA_FLAG_C, 1, 37);
                b->stream[side].framing.markers = b->stream[side].crc = true;
            }
            line_flush(b, first, piece);
            line_flush(b, 1 - first, piece);
            line_traffic(b, 5, 500);
            line_fin(b, 0);
            line_fin(b, 1);
            line_finish(b);
            assert_true(mpa_connection_is_mpa(b->mpa));
            assert_int_equal(b->fpdus[0], 5);
            assert_int_equal(b->fpdus[1], 5);
            line_assert_clean(b);
            line_free(b);
        }
}

/* The capture loses one start-up frame, or both. */
UNIT_TEST(startup_lost)
{
    for (unsigned lost = 1; lost < 4; lost++)
        for (unsigned flags = 0; flags < 4; flags++) {
            struct mpa_line *b = line_new_streams();
            uint8_t f = (flags & 1 ? MPA_FLAG_M : 0) | (flags & 2 ? MPA_FLAG_C : 0);

            line_syns(b);
            for (unsigned side = 0; side < 2; side++) {
                stream_startup(&b->stream[side], side == 0 ? MPA_REQUEST : MPA_REPLY, f, 1, 10);
                b->stream[side].framing.markers = flags & 1;
                b->stream[side].crc = flags & 2;
                if (lost & 1u << side)
                    line_hole(b, side, b->stream[side].n);
                else
                    line_flush(b, side, 0);
            }
            line_traffic(b, 6, 600);
            line_fin(b, 0);
            line_fin(b, 1);
            line_finish(b);
            if (line_framing_findings(b) != 0 || b->fpdus[0] < 5 || b->fpdus[1] < 5)
                print_message("lost %u, flags %u: %u + %u FPDUs\n", lost, flags, b->fpdus[0], b->fpdus[1]);
            assert_true(b->fpdus[0] >= 5 && b->fpdus[1] >= 5);
            line_assert_clean(b);
            line_free(b);
        }
}

/* Revision 0 in the Reply wants Markers both ways (Figure 16). */
UNIT_TEST(rdmac_without_markers)
{
    struct mpa_line *b = line_new_streams();

    b->version_zero = true;
    line_start(b, MPA_FLAG_C, MPA_FLAG_M | MPA_FLAG_C, 1, 0, 0, 0);
    b->stream[1].framing.markers = false;
    line_traffic(b, 12, 100);
    line_fin(b, 1);
    line_finish(b);
    line_assert_only(b, RULE_MPA_C_2_5_04);
    line_free(b);
}

/* All FPDUs of a direction lack the CRC field: this is one fault, reported once, and no FPDU is lost. */
UNIT_TEST(never_a_crc_field)
{
    for (unsigned crc = 0; crc < 2; crc++)
        for (unsigned size = 0; size < 3; size++) {
            struct mpa_line *b = line_new_streams();
            struct line_stream *s = &b->stream[0];
            uint8_t ulpdu[2000];
            unsigned wrong = 0;

            line_start(b, crc ? MPA_FLAG_C : 0, 0, 1, 1, 0, 0);
            for (unsigned i = 0; i < 8; i++) {
                struct mpa_fpdu_plan plan = stream_plan(s, ulpdu, (uint16_t)ulpdu_send(b, s, ulpdu, 60 + 33 * i));

                plan.crc_present = false;
                stream_encode(s, &plan);
                if (size == 0)
                    line_flush(b, 0, 0);
            }
            line_flush(b, 0, size == 1 ? 0 : 100);
            line_fin(b, 0);
            line_finish(b);
            for (unsigned i = 0; i < b->seen.n && i < FINDINGS_MAX; i++)
                wrong += framing_owns(b->seen.finding[i].rule) && b->seen.finding[i].rule != RULE_MPA_4_1_09;
            if (wrong > 0 || b->fpdus[0] != 8)
                findings_show(&b->seen, __func__);
            assert_int_equal(wrong, 0);
            assert_int_equal(b->fpdus[0], 8);
            assert_int_equal(rule_counts_of(&b->seen.counts, RULE_MPA_4_1_09).failed, 1);
            line_free(b);
        }
}

/* Faults of upper layers are not faults of MPA, and do not disturb its framing. */
UNIT_TEST(odd_segments)
{
    static const struct ddp_segment odd[] = {
        {.last = true, .dv = 2, .rv = 1, .opcode = RDMAP_SEND, .msn = 9},
        {.last = true, .dv = 3, .rv = 3, .opcode = RDMAP_SEND, .msn = 9},
        {.last = true, .dv = 1, .rv = 2, .opcode = RDMAP_SEND, .msn = 9},
        {.last = true, .dv = 0, .rv = 0, .opcode = RDMAP_SEND, .msn = 9},
        {.last = true, .dv = 1, .rv = 0, .opcode = RDMAP_SEND, .msn = 9},
        {.last = true, .dv = 1, .rv = 1, .rsvd = 15, .opcode = RDMAP_SEND, .msn = 9},
        {.last = true, .dv = 1, .rv = 1, .rdmap_rsv = 3, .opcode = RDMAP_SEND, .msn = 9},
        {.last = true, .dv = 1, .rv = 1, .opcode = 15, .msn = 9},
        {.last = true, .dv = 1, .rv = 1, .opcode = 12, .msn = 9},
        {.last = true, .dv = 1, .rv = 1, .opcode = RDMAP_SEND, .qn = 7, .msn = 9},
        {.last = true, .dv = 1, .rv = 1, .opcode = RDMAP_SEND, .qn = 1, .msn = 9},
        {.last = true, .dv = 1, .rv = 1, .opcode = RDMAP_SEND, .msn = 0},
        {.last = true, .dv = 1, .rv = 1, .opcode = RDMAP_SEND, .msn = 9, .stag = 0x1234},
        {.last = true, .dv = 1, .rv = 1, .opcode = RDMAP_SEND, .msn = 9, .mo = 0xFFFFFFFF},
        {.last = true, .dv = 1, .rv = 1, .opcode = RDMAP_WRITE, .qn = 0x1234, .msn = 0},
        {.last = true, .dv = 1, .rv = 1, .opcode = RDMAP_READ_RESPONSE, .qn = 0x1234, .msn = 0},
        {.tagged = true, .last = true, .dv = 1, .rv = 1, .opcode = RDMAP_SEND, .stag = 1},
        {.tagged = true, .last = true, .dv = 1, .rv = 1, .opcode = RDMAP_READ_REQUEST, .stag = 1},
        {.tagged = true, .last = true, .dv = 1, .rv = 1, .opcode = 14, .stag = 1},
        {.tagged = true, .last = true, .dv = 2, .rv = 1, .opcode = RDMAP_WRITE, .stag = 1},
        {.tagged = true, .last = true, .dv = 1, .rv = 1, .rsvd = 1, .opcode = RDMAP_WRITE, .stag = 1},
        {.tagged = false, .last = true, .dv = 1, .rv = 1, .opcode = RDMAP_TERMINATE, .msn = 1},
    };
    static const size_t pieces[] = {SIZE_MAX, 0, 1460, 100, 7};

    for (size_t i = 0; i < ARRAY_LENGTH(odd); i++)
        for (unsigned flags = 0; flags < 4; flags++)
            for (size_t q = 0; q < ARRAY_LENGTH(pieces); q++)
                for (unsigned every = 0; every < 2; every++) {
                    struct mpa_line *b = line_new_streams();
                    struct line_stream *s = &b->stream[0];
                    uint8_t f = (flags & 1 ? MPA_FLAG_M : 0) | (flags & 2 ? MPA_FLAG_C : 0), ulpdu[2000];
                    unsigned count = 12;

                    line_start(b, f, f, 1, 1, 0, 0);
                    for (unsigned k = 0; k < count; k++) {
                        size_t n = ulpdu_send(b, s, ulpdu, 30 + 97 * k);

                        if (every || k == 5) {
                            /* Long enough that only the header is odd. */
                            memset(ulpdu, 0, 18);
                            ddp_header_encode(&odd[i], ulpdu, sizeof ulpdu);
                        }
                        stream_fpdu(s, ulpdu, n);
                        if (pieces[q] == SIZE_MAX)
                            line_flush(b, 0, 0);
                    }
                    line_flush(b, 0, pieces[q] == SIZE_MAX ? 0 : pieces[q]);
                    line_fin(b, 0);
                    line_finish(b);
                    if (line_framing_findings(b) != 0 || b->fpdus[0] != count)
                        print_message("segment %zu, flags %u, piece %zd, every %u: %u FPDUs\n", i, flags,
                                      (ssize_t)pieces[q], every, b->fpdus[0]);
                    line_assert_clean(b);
                    assert_int_equal(b->fpdus[0], count);
                    line_free(b);
                }
}
