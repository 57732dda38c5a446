// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the capture does not hold is never a finding: holes, starts inside the connection, ends inside an FPDU. And what
 * is not MPA is never taken for it.
 */
#include "mpa_bench.h"

static void write_some(struct bench *b, unsigned side, unsigned count, unsigned payload)
{
    static uint8_t ulpdu[70000];
    struct stream *s = &b->stream[side];

    for (unsigned i = 0; i < count; i++) {
        size_t length = 18 + next_random(&b->random) % (i % 5 == 0 ? 5000 : 1425);
        size_t n = i % 3 == 0 ? ulpdu_write(b, s, ulpdu, length) : ulpdu_send(b, s, ulpdu, length);

        if (payload == 1)
            memset(ulpdu + 18, 0, n - 18);
        stream_fpdu(s, ulpdu, n);
    }
}

/* Random pieces, random holes; false when nothing was lost. */
static bool flush_with_holes(struct bench *b, unsigned side, unsigned one_in)
{
    struct stream *s = &b->stream[side];
    bool lost = false;

    while (s->sent < s->n) {
        size_t n = 1 + next_random(&b->random) % 3000;

        if (n > s->n - s->sent)
            n = s->n - s->sent;
        if (next_random(&b->random) % one_in == 0) {
            bench_hole(b, side, n);
            lost = true;
        } else {
            bench_segment(b, side, n);
        }
    }
    return lost;
}

static void holes(void **state)
{
    unsigned found = 0, sent = 0;

    (void)state;
    for (unsigned seed = 0; seed < 160; seed++) {
        struct bench *b = bench_new(NULL);
        uint8_t flags[2] = {(seed & 1 ? MPA_FLAG_M : 0) | (seed & 2 ? MPA_FLAG_C : 0), seed & 4 ? MPA_FLAG_M : 0};

        b->random = seed + 1;
        bench_start(b, flags[0], flags[1], 1, 1, 0, 0);
        stream_send(b, &b->stream[0], 40);
        bench_flush(b, 0, 0);
        for (unsigned side = 0; side < 2; side++) {
            write_some(b, side, 40, seed >> 3 & 1);
            flush_with_holes(b, side, 12);
            bench_fin(b, side);
        }
        bench_finish(b);
        sent += 81;
        found += b->fpdus[0] + b->fpdus[1];
        if (bench_count(b) != 0)
            print_message("seed %u:\n", seed);
        bench_assert_clean(b);
        bench_free(b);
    }
    print_message("found %u of %u FPDUs\n", found, sent);
    assert_true(found > sent / 2);
}

static void inside(void **state)
{
    unsigned recognised = 0, found = 0;

    (void)state;
    for (unsigned seed = 0; seed < 160; seed++) {
        struct bench *b = bench_new(NULL);
        bool markers = seed & 1, crc = seed & 2;

        b->random = seed + 1;
        for (unsigned side = 0; side < 2; side++) {
            struct stream *s = &b->stream[side];

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
                    bench_flush(b, side, 0);
            }
            bench_flush(b, side, 1448);
        }
        bench_finish(b);
        recognised += mpa_connection_is_mpa(b->mpa);
        found += b->fpdus[0] + b->fpdus[1];
        if (bench_count(b) != 0 || !mpa_connection_is_mpa(b->mpa))
            print_message("seed %u (markers %d, crc %d): %u + %u FPDUs\n", seed, markers, crc, b->fpdus[0],
                          b->fpdus[1]);
        bench_assert_clean(b);
        bench_free(b);
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

static void other_protocols(void **state)
{
    enum { OCTETS = 300000 };
    static uint8_t octets[OCTETS];

    (void)state;
    for (unsigned kind = 0; kind < 9; kind++)
        for (unsigned start = 0; start < 2; start++)
            for (unsigned size = 0; size < 3; size++) {
                struct bench *b = bench_new(NULL);

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
                    bench_syns(b);
                for (unsigned side = 0; side < 2; side++) {
                    stream_put(&b->stream[side], octets, sizeof octets);
                    bench_flush(b, side, size == 0 ? 1448 : size == 1 ? 100 : 64);
                }
                bench_finish(b);
                if (mpa_connection_is_mpa(b->mpa) || b->n_findings != 0)
                    print_message("kind %u, start %u, size %u\n", kind, start, size);
                assert_false(mpa_connection_is_mpa(b->mpa));
                assert_int_equal(b->n_findings, 0);
                bench_free(b);
            }
}

static void ends(void **state)
{
    struct bench *b;

    (void)state;
    for (unsigned crc = 0; crc < 2; crc++) {
        b = bench_new(NULL);
        bench_start(b, crc ? MPA_FLAG_C : 0, 0, 1, 1, 0, 0);
        bench_traffic(b, 2, 60);
        stream_send(b, &b->stream[0], 42);
        b->stream[0].n -= 28;
        bench_flush(b, 0, 0);
        bench_fin(b, 0);
        bench_finish(b);
        bench_assert_only(b, RULE_MPA_7_2_03);
        bench_free(b);

        /* A reset may come at any time, and so may the end of the capture. */
        b = bench_new(NULL);
        bench_start(b, crc ? MPA_FLAG_C : 0, 0, 1, 1, 0, 0);
        bench_traffic(b, 2, 60);
        stream_send(b, &b->stream[0], 42);
        b->stream[0].n -= 28;
        bench_flush(b, 0, 0);
        if (crc)
            mpa_connection_reset(b->mpa, 0, ++b->frame, 0);
        bench_finish(b);
        bench_assert_clean(b);
        bench_free(b);
    }
    for (unsigned marker = 0; marker < 3; marker++) { /* the stream ends on the grid */
        b = bench_new(NULL);
        bench_start(b, MPA_FLAG_M, MPA_FLAG_M, 1, 1, 0, 0);
        stream_send(b, &b->stream[0], 506 - 4);
        assert_int_equal(b->stream[0].n - 20, 512);
        if (marker > 0)
            stream_put(&b->stream[0], "\0\0\0\0", 4);
        bench_flush(b, 0, 0);
        if (marker < 2)
            bench_fin(b, 0);
        bench_finish(b);
        if (marker == 1)
            bench_assert_only(b, RULE_MPA_4_3_18);
        else
            bench_assert_clean(b);
        assert_int_equal(b->verdict.counts[RULE_MPA_4_3_18].passed, marker == 0);
        bench_free(b);
    }
}

/* Startup frames cut anywhere, in either order at the tap, or behind other data. */
static void startup_anywhere(void **state)
{
    (void)state;
    for (unsigned piece = 1; piece < 40; piece += 3)
        for (unsigned variant = 0; variant < 4; variant++) {
            struct bench *b = bench_new(NULL);
            unsigned first = variant & 1; /* the Reply reaches the tap first */
            size_t streamed = variant & 2 ? 700 : 0;

            bench_syns(b);
            for (unsigned side = 0; side < 2; side++) {
                if (streamed > 0) {
                    fill_text(b->stream[side].octets, streamed, "login: MPA ID R");
                    b->stream[side].n = streamed;
                    bench_flush(b, side, piece * 10);
                }
                stream_startup(&b->stream[side], side == 0 ? MPA_REQUEST : MPA_REPLY, MPA_FLAG_M | MPA_FLAG_C, 1, 37);
                b->stream[side].framing.markers = b->stream[side].crc = true;
            }
            bench_flush(b, first, piece);
            bench_flush(b, 1 - first, piece);
            bench_traffic(b, 5, 500);
            bench_fin(b, 0);
            bench_fin(b, 1);
            bench_finish(b);
            assert_true(mpa_connection_is_mpa(b->mpa));
            assert_int_equal(b->fpdus[0], 5);
            assert_int_equal(b->fpdus[1], 5);
            bench_assert_clean(b);
            bench_free(b);
        }
}

/* One startup frame, or both, lost by the capture. */
static void startup_lost(void **state)
{
    (void)state;
    for (unsigned lost = 1; lost < 4; lost++)
        for (unsigned flags = 0; flags < 4; flags++) {
            struct bench *b = bench_new(NULL);
            uint8_t f = (flags & 1 ? MPA_FLAG_M : 0) | (flags & 2 ? MPA_FLAG_C : 0);

            bench_syns(b);
            for (unsigned side = 0; side < 2; side++) {
                stream_startup(&b->stream[side], side == 0 ? MPA_REQUEST : MPA_REPLY, f, 1, 10);
                b->stream[side].framing.markers = flags & 1;
                b->stream[side].crc = flags & 2;
                if (lost & 1u << side)
                    bench_hole(b, side, b->stream[side].n);
                else
                    bench_flush(b, side, 0);
            }
            bench_traffic(b, 6, 600);
            bench_fin(b, 0);
            bench_fin(b, 1);
            bench_finish(b);
            if (bench_count(b) != 0 || b->fpdus[0] < 5 || b->fpdus[1] < 5)
                print_message("lost %u, flags %u: %u + %u FPDUs\n", lost, flags, b->fpdus[0], b->fpdus[1]);
            assert_true(b->fpdus[0] >= 5 && b->fpdus[1] >= 5);
            bench_assert_clean(b);
            bench_free(b);
        }
}

/* Revision 0 in the Reply wants Markers both ways (Figure 16). */
static void rdmac_without_markers(void **state)
{
    struct bench *b = bench_new(NULL);

    (void)state;
    b->version_zero = true;
    bench_start(b, MPA_FLAG_C, MPA_FLAG_M | MPA_FLAG_C, 1, 0, 0, 0);
    b->stream[1].framing.markers = false;
    bench_traffic(b, 12, 100);
    bench_fin(b, 1);
    bench_finish(b);
    bench_assert_only(b, RULE_MPA_C_2_5_04);
    bench_free(b);
}

/* All FPDUs of a direction lack the CRC field: that is one fault, told once, and no FPDU is lost. */
static void never_a_crc_field(void **state)
{
    (void)state;
    for (unsigned crc = 0; crc < 2; crc++)
        for (unsigned size = 0; size < 3; size++) {
            struct bench *b = bench_new(NULL);
            struct stream *s = &b->stream[0];
            uint8_t ulpdu[2000];
            unsigned wrong = 0;

            bench_start(b, crc ? MPA_FLAG_C : 0, 0, 1, 1, 0, 0);
            for (unsigned i = 0; i < 8; i++) {
                struct mpa_fpdu_plan plan = stream_plan(s, ulpdu, (uint16_t)ulpdu_send(b, s, ulpdu, 60 + 33 * i));

                plan.crc_present = false;
                stream_encode(s, &plan);
                if (size == 0)
                    bench_flush(b, 0, 0);
            }
            bench_flush(b, 0, size == 1 ? 0 : 100);
            bench_fin(b, 0);
            bench_finish(b);
            for (unsigned i = 0; i < b->n_findings && i < BENCH_FINDINGS; i++)
                wrong += bench_owned(b->findings[i].rule) && b->findings[i].rule != RULE_MPA_4_1_09;
            if (wrong > 0 || b->fpdus[0] != 8)
                bench_print(b);
            assert_int_equal(wrong, 0);
            assert_int_equal(b->fpdus[0], 8);
            assert_int_equal(b->verdict.counts[RULE_MPA_4_1_09].failed, 1);
            bench_free(b);
        }
}

/* Faults of the layers above are no faults of MPA, and do not lead its framing astray. */
static void odd_segments(void **state)
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

    (void)state;
    for (size_t i = 0; i < ARRAY_LENGTH(odd); i++)
        for (unsigned flags = 0; flags < 4; flags++)
            for (size_t q = 0; q < ARRAY_LENGTH(pieces); q++)
                for (unsigned every = 0; every < 2; every++) {
                    struct bench *b = bench_new(NULL);
                    struct stream *s = &b->stream[0];
                    uint8_t f = (flags & 1 ? MPA_FLAG_M : 0) | (flags & 2 ? MPA_FLAG_C : 0), ulpdu[2000];
                    unsigned count = 12;

                    bench_start(b, f, f, 1, 1, 0, 0);
                    for (unsigned k = 0; k < count; k++) {
                        size_t n = ulpdu_send(b, s, ulpdu, 30 + 97 * k);

                        if (every || k == 5) {
                            /* Long enough that nothing but the header is odd. */
                            memset(ulpdu, 0, 18);
                            ddp_header_encode(&odd[i], ulpdu, sizeof ulpdu);
                        }
                        stream_fpdu(s, ulpdu, n);
                        if (pieces[q] == SIZE_MAX)
                            bench_flush(b, 0, 0);
                    }
                    bench_flush(b, 0, pieces[q] == SIZE_MAX ? 0 : pieces[q]);
                    bench_fin(b, 0);
                    bench_finish(b);
                    if (bench_count(b) != 0 || b->fpdus[0] != count)
                        print_message("segment %zu, flags %u, piece %zd, every %u: %u FPDUs\n", i, flags,
                                      (ssize_t)pieces[q], every, b->fpdus[0]);
                    bench_assert_clean(b);
                    assert_int_equal(b->fpdus[0], count);
                    bench_free(b);
                }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(holes),
        cmocka_unit_test(inside),
        cmocka_unit_test(other_protocols),
        cmocka_unit_test(ends),
        cmocka_unit_test(startup_anywhere),
        cmocka_unit_test(startup_lost),
        cmocka_unit_test(rdmac_without_markers),
        cmocka_unit_test(never_a_crc_field),
        cmocka_unit_test(odd_segments),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
