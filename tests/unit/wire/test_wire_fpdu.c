// SPDX-License-Identifier: GPL-2.0-or-later
/* FPDUs one at a time: published and verified octets, parse after encode, sizes, recovery by Markers. */
#include "tests/unit/support/support.h"
#include "wire/crc32c.h"
#include "wire/mpa_fpdu.h"
#include "wire/octets.h"

#include <stdio.h>

static struct mpa_fpdu_scratch scratch;
static uint8_t stream[70000];
static uint8_t ulpdu[65535];

/*
 * Whole FPDUs, CRC included. The first two are RFC 5044 Figures 5 and 6; the others follow from RFC 5041, 5040 and
 * 6581, with independently computed CRCs.
 */
static const struct {
    const char *name;
    bool markers;
    uint64_t offset;
    const char *octets;
    uint16_t ulpdu_length;
    unsigned n_markers;
} vectors[] = {
    {"Figure 5", true, 0, "00000000 002a 4143 00000000 00000000 00000001 00000000 [24] 52239983", 42, 1},
    {"Figure 6", true, 0x1EC, "002a 4143 00000000 00000000 00000002 00000000 00000014 [24] 84925898", 42, 1},
    {"RTR Send", false, 0, "0012 4143 00000000 00000000 00000001 00000000 587be8c4", 18, 0},
    {"RTR Send, leading Marker", true, 0, "00000000 0012 4143 00000000 00000000 00000001 00000000 88c1d6fc", 18, 1},
    {"RTR Write", false, 0, "000e c140 00000000 [8] a30572ab", 14, 0},
    {"RTR Write, leading Marker", true, 0, "00000000 000e c140 00000000 [8] 77c9c755", 14, 1},
    {"RTR Read", false, 0, "002e 4141 00000000 00000001 00000001 00000000 [28] f2c6dd3d", 46, 0},
    {"RTR Read, leading Marker", true, 0, "00000000 002e 4141 00000000 00000001 00000001 00000000 [28] 8176377e", 46,
     1},
    {"zero-length Read Response", false, 0, "000e c142 00000000 [8] 6975d6ca", 14, 0},
    {"Terminate, LLP code 2", false, 0, "0016 4147 00000000 00000002 00000001 00000000 20020000 7fe42585", 22, 0},
    {"Terminate, LLP code 5", false, 0, "0016 4147 00000000 00000002 00000001 00000000 20050000 1680d5f1", 22, 0},
    {"Terminate, LLP code 6", false, 0, "0016 4147 00000000 00000002 00000001 00000000 20060000 6540fb1b", 22, 0},
    {"Terminate, LLP code 7", false, 0, "0016 4147 00000000 00000002 00000001 00000000 20070000 1bd2babe", 22, 0},
    {"Marker between PAD and CRC", true, 0, "00000000 01fa [506] 000001fc 1d8bafdb", 506, 2},
    {"ends on the grid", true, 0, "00000000 01f6 [502] 1b428104", 502, 1},
};

UNIT_TEST(vectors_decode)
{
    for (size_t i = 0; i < ARRAY_LENGTH(vectors); i++) {
        struct mpa_framing framing = {.markers = vectors[i].markers};
        struct mpa_fpdu fpdu;
        size_t need, n = octets_of(vectors[i].octets, stream, sizeof stream);

        print_message("%s\n", vectors[i].name);
        assert_int_equal(mpa_fpdu_parse(&fpdu, &need, &framing, true, vectors[i].offset, stream, n, &scratch),
                         MPA_FPDU_OK);
        assert_int_equal(fpdu.length, n);
        assert_int_equal(need, n);
        assert_int_equal(fpdu.ulpdu_length, vectors[i].ulpdu_length);
        assert_int_equal(fpdu.n_markers, vectors[i].n_markers);
        assert_int_equal(fpdu.crc, fpdu.crc_computed);
        for (unsigned m = 0; m < fpdu.n_markers; m++) {
            assert_int_equal(fpdu.markers[m].reserved, 0);
            assert_int_equal(fpdu.markers[m].fpduptr, fpdu.markers[m].expected);
        }
        for (size_t short_n = 0; short_n < n; short_n++) {
            assert_int_equal(mpa_fpdu_parse(&fpdu, &need, &framing, true, vectors[i].offset, stream, short_n, &scratch),
                             MPA_FPDU_MORE);
            assert_true(need > short_n && need <= n);
        }
    }
}

UNIT_TEST(vectors_encode)
{
    for (size_t i = 0; i < ARRAY_LENGTH(vectors); i++) {
        struct mpa_framing framing = {.markers = vectors[i].markers};
        struct mpa_fpdu_plan plan;
        struct mpa_fpdu fpdu;
        uint8_t out[600], body[600];
        size_t need, n = octets_of(vectors[i].octets, stream, sizeof stream);

        print_message("%s\n", vectors[i].name);
        assert_int_equal(mpa_fpdu_parse(&fpdu, &need, &framing, true, vectors[i].offset, stream, n, &scratch),
                         MPA_FPDU_OK);
        memcpy(body, fpdu.ulpdu, fpdu.ulpdu_length);
        mpa_fpdu_plan_init(&plan, &framing, vectors[i].offset, body, fpdu.ulpdu_length, true);
        assert_int_equal(mpa_fpdu_encode(&plan, out, n - 1), 0);
        assert_int_equal(mpa_fpdu_encode(&plan, out, sizeof out), n);
        assert_memory_equal(out, stream, n);
    }
}

/* CRCs of wrong coverage must not result. */
UNIT_TEST(wrong_coverage_gives_other_crcs)
{
    uint8_t image[4];
    size_t n;

    n = octets_of("002a 4143 00000000 00000000 00000001 00000000 [24]", stream, sizeof stream);
    put_le32(image, crc32c(stream, n));
    assert_memory_equal(image, "\xB7\x24\x3E\xC3", 4); /* Figure 5 without its leading Marker */
    n = octets_of("002a 4143 00000000 00000000 00000002 00000000 [24]", stream, sizeof stream);
    put_le32(image, crc32c(stream, n));
    assert_memory_equal(image, "\x29\x0F\xBE\xDE", 4); /* Figure 6 without its Marker */
    n = octets_of("00000000 01fa [506]", stream, sizeof stream);
    put_le32(image, crc32c(stream, n));
    assert_memory_equal(image, "\x3E\x67\x25\x53", 4); /* without the Marker between PAD and CRC */
}

/* A Marker directly after the last octet is the next FPDU's leading Marker. */
UNIT_TEST(marker_on_the_end_belongs_to_the_next_fpdu)
{
    struct mpa_framing framing = {.markers = true};
    struct mpa_fpdu fpdu;
    size_t need, n = octets_of("00000000 01f6 [502] 1b428104 00000000 0012 4143 00000000 00000000 00000001 00000000 "
                               "88c1d6fc",
                               stream, sizeof stream);

    assert_int_equal(mpa_fpdu_parse(&fpdu, &need, &framing, true, 0, stream, n, &scratch), MPA_FPDU_OK);
    assert_int_equal(fpdu.length, 512);
    assert_int_equal(mpa_fpdu_parse(&fpdu, &need, &framing, true, 512, stream + 512, n - 512, &scratch), MPA_FPDU_OK);
    assert_int_equal(fpdu.offset, 512);
    assert_int_equal(fpdu.header, 516);
    assert_int_equal(fpdu.n_markers, 1);
    assert_int_equal(fpdu.markers[0].expected, 0);
    assert_int_equal(fpdu.crc, fpdu.crc_computed);
}

UNIT_TEST(pad_lengths)
{
    for (unsigned length = 0; length <= UINT16_MAX; length++) {
        unsigned pad = mpa_pad_length((uint16_t)length);

        assert_true(pad <= 3);
        assert_int_equal((MPA_LENGTH_LEN + length + pad) % 4, 0);
    }
}

UNIT_TEST(mulpdu_table)
{
    static const struct {
        unsigned emss, with, without;
    } cases[] = {
        {536, 522, 530},           {1448, 1430, 1442}, {1460, 1442, 1454}, {8948, 8870, 8942}, {8960, 8882, 8954},
        {128, 128, 128},           {0, 128, 128},      {3, 128, 128},      {139, 128, 130},    {65535, 64768, 64768},
        {UINT32_MAX, 64768, 64768}};

    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        assert_int_equal(mpa_mulpdu(cases[i].emss, true), cases[i].with);
        assert_int_equal(mpa_mulpdu(cases[i].emss, false), cases[i].without);
    }
    /* The promise of MULPDU: with the worst placement of Markers the FPDU still fits the EMSS. */
    for (unsigned emss = 160; emss < 9100; emss++)
        for (unsigned markers = 0; markers < 2; markers++) {
            struct mpa_framing framing = {.markers = markers};
            unsigned mulpdu = mpa_mulpdu(emss, markers);

            for (uint64_t offset = 0; offset < (markers ? 512 : 4); offset += 4)
                assert_true(mpa_fpdu_octets(&framing, offset, (uint16_t)mulpdu) <= emss);
        }
}

/* The layout octet by octet, from the text of 4.1 to 4.4. Slow, and independent of wire/, for comparison. */
static size_t lay_out(const struct mpa_framing *framing, uint64_t offset, const uint8_t *body, uint16_t length,
                      uint8_t *out)
{
    size_t bare_n = 2u + length, n = 0, crc_at = 0;
    static uint8_t bare[65535 + 16];
    uint64_t header = offset;
    bool begun = false;

    bare[0] = (uint8_t)(length >> 8);
    bare[1] = (uint8_t)length;
    memcpy(bare + 2, body, length);
    while (bare_n % 4 != 0)
        bare[bare_n++] = 0;
    for (size_t i = 0; i < bare_n + 4; i++) {
        if (framing->markers && (offset + n - framing->seq_start) % 512 == 0) {
            uint64_t back = begun ? offset + n - header : 0;

            out[n++] = 0;
            out[n++] = 0;
            out[n++] = (uint8_t)(back >> 8);
            out[n++] = (uint8_t)back;
        }
        if (!begun) {
            begun = true;
            header = offset + n;
        }
        if (i == bare_n) {
            crc_at = n;
            put_le32(bare + bare_n, crc32c(out, crc_at));
        }
        out[n++] = bare[i];
    }
    return n;
}

static void check_one(const struct mpa_framing *framing, uint64_t offset, uint16_t length)
{
    static uint8_t expected[70000];
    struct mpa_fpdu_plan plan;
    struct mpa_fpdu fpdu;
    size_t need, n;

    mpa_fpdu_plan_init(&plan, framing, offset, ulpdu, length, true);
    n = mpa_fpdu_encode(&plan, stream, sizeof stream);
    assert_int_equal(n, lay_out(framing, offset, ulpdu, length, expected));
    assert_memory_equal(stream, expected, n);
    assert_true(n <= MPA_FPDU_OCTETS_MAX);
    assert_int_equal(mpa_fpdu_octets(framing, offset, length), n);
    assert_int_equal(mpa_fpdu_parse(&fpdu, &need, framing, true, offset, stream, n - 1, &scratch), MPA_FPDU_MORE);
    assert_int_equal(need, n);
    assert_int_equal(mpa_fpdu_parse(&fpdu, &need, framing, true, offset, stream, n, &scratch), MPA_FPDU_OK);
    assert_int_equal(fpdu.length, n);
    assert_int_equal(fpdu.ulpdu_length, length);
    assert_memory_equal(fpdu.ulpdu, ulpdu, length);
    assert_int_equal(fpdu.crc, fpdu.crc_computed);
    for (unsigned i = 0; i < fpdu.pad_length; i++)
        assert_int_equal(fpdu.pad[i], 0);
    for (unsigned i = 0; i < fpdu.n_markers; i++) {
        assert_int_equal((fpdu.markers[i].offset - framing->seq_start) % 512, 0);
        assert_int_equal(fpdu.markers[i].reserved, 0);
        assert_int_equal(fpdu.markers[i].fpduptr, fpdu.markers[i].expected);
    }
}

UNIT_TEST(every_length_makes_the_round_trip)
{
    uint64_t seed = 6;
    unsigned length;

    fill_random(&seed, ulpdu, sizeof ulpdu);
    for (length = 0; length <= 3000; length++) {
        struct mpa_framing framing = {.markers = true, .seq_start = next_random(&seed)};

        check_one(&(struct mpa_framing){.markers = false}, next_random(&seed), (uint16_t)length);
        for (unsigned i = 0; i < 4; i++) /* conforming: FPDUs begin at multiples of 4 from the grid's origin */
            check_one(&framing, framing.seq_start + next_random(&seed) % 128 * 4, (uint16_t)length);
        check_one(&framing, framing.seq_start, (uint16_t)length);
    }
    for (length = 3001; length <= 65535; length += length < 65000 ? 997 : 1) {
        struct mpa_framing framing = {.markers = true, .seq_start = next_random(&seed)};

        check_one(&(struct mpa_framing){.markers = false}, next_random(&seed), (uint16_t)length);
        if (length % 7 == 0 || length == 65535)
            check_one(&framing, framing.seq_start + next_random(&seed) % 128 * 4, (uint16_t)length);
    }
}

/* Faults can shift FPDUs so that a Marker falls inside ULPDU_Length, PAD or CRC: it is then cut out there. */
UNIT_TEST(every_alignment_to_the_grid_is_well_defined)
{
    for (uint64_t offset = 0; offset < 512; offset++)
        for (unsigned length = 0; length < 24; length++)
            check_one(&(struct mpa_framing){.markers = true, .seq_start = 11}, offset, (uint16_t)length);
    for (unsigned length = 480; length < 530; length++)
        for (uint64_t offset = 0; offset < 16; offset++)
            check_one(&(struct mpa_framing){.markers = true, .seq_start = 8}, offset, (uint16_t)length);
}

/* Without Markers in between nothing is copied. */
UNIT_TEST(ulpdu_is_borrowed_where_it_lies)
{
    struct mpa_framing framing = {.markers = true};
    struct mpa_fpdu_plan plan;
    struct mpa_fpdu fpdu;
    size_t need, n;

    mpa_fpdu_plan_init(&plan, &framing, 0, ulpdu, 100, true);
    n = mpa_fpdu_encode(&plan, stream, sizeof stream);
    assert_int_equal(mpa_fpdu_parse(&fpdu, &need, &framing, true, 0, stream, n, &scratch), MPA_FPDU_OK);
    assert_ptr_equal(fpdu.ulpdu, stream + 6);
    framing.markers = false;
    mpa_fpdu_plan_init(&plan, &framing, 0, ulpdu, 4000, true);
    n = mpa_fpdu_encode(&plan, stream, sizeof stream);
    assert_int_equal(mpa_fpdu_parse(&fpdu, &need, &framing, false, 0, stream, n, NULL), MPA_FPDU_OK);
    assert_ptr_equal(fpdu.ulpdu, stream + 2);
    assert_int_equal(fpdu.crc_computed, 0);
}

static void spoil_second_marker(void *ctx, uint8_t marker[4], uint64_t offset, unsigned index)
{
    *(uint64_t *)ctx = offset;
    if (index == 1)
        marker[0] = 0x80;
}

UNIT_TEST(every_field_can_be_set)
{
    struct mpa_framing framing = {.markers = true};
    struct mpa_fpdu_plan plan;
    struct mpa_fpdu fpdu;
    uint64_t last_marker = 0;
    size_t need, n;

    mpa_fpdu_plan_init(&plan, &framing, 0, ulpdu, 601, true);
    plan.pad[0] = 0xAA;
    plan.marker_hook = spoil_second_marker;
    plan.hook_ctx = &last_marker;
    n = mpa_fpdu_encode(&plan, stream, sizeof stream);
    assert_int_equal(mpa_fpdu_parse(&fpdu, &need, &framing, true, 0, stream, n, &scratch), MPA_FPDU_OK);
    assert_int_equal(last_marker, 512);
    assert_int_equal(fpdu.n_markers, 2);
    assert_int_equal(fpdu.markers[1].reserved, 0x8000);
    assert_int_equal(fpdu.markers[1].expected, 508);
    assert_int_equal(fpdu.pad[0], 0xAA);
    assert_int_equal(fpdu.crc, fpdu.crc_computed); /* taken after the hook */

    framing.markers = false;
    mpa_fpdu_plan_init(&plan, &framing, 0, ulpdu, 10, true);
    plan.ulpdu_length = 12;
    assert_int_equal(mpa_fpdu_encode(&plan, stream, sizeof stream), 16);
    assert_int_equal(stream[1], 12);
    mpa_fpdu_plan_init(&plan, &framing, 0, ulpdu, 10, true);
    plan.crc_present = false;
    assert_int_equal(mpa_fpdu_encode(&plan, stream, sizeof stream), 12);
    plan.pad_length = 8;
    assert_int_equal(mpa_fpdu_encode(&plan, stream, sizeof stream), 20);
    plan.pad_length = 9;
    assert_int_equal(mpa_fpdu_encode(&plan, stream, sizeof stream), 0);
    mpa_fpdu_plan_init(&plan, &framing, 0, ulpdu, 10, false);
    plan.crc = 0x01020304;
    assert_int_equal(mpa_fpdu_encode(&plan, stream, sizeof stream), 16);
    assert_memory_equal(stream + 12, "\x04\x03\x02\x01", 4);
}

UNIT_TEST(next_marker_on_both_sides_of_the_origin)
{
    struct mpa_framing framing = {.markers = true, .seq_start = 11};

    /* RFC 5044 section 4.3's example: 11, 523, 1035. */
    assert_int_equal(mpa_next_marker(&framing, 11), 11);
    assert_int_equal(mpa_next_marker(&framing, 12), 523);
    assert_int_equal(mpa_next_marker(&framing, 523), 523);
    assert_int_equal(mpa_next_marker(&framing, 524), 1035);
    assert_int_equal(mpa_next_marker(&framing, 0), 11);
}
