// SPDX-License-Identifier: GPL-2.0-or-later
/* The reader: octets in pieces give the same FPDUs as all at once, for any cuts. */
#include "tests/unit/support/support.h"
#include "wire/mpa_fpdu.h"

#include <stdlib.h>

enum { STREAM_OCTETS = 120000, FPDUS_MAX = 4000 };

struct fixture {
    struct mpa_framing framing;
    uint64_t start; /* stream offset of octets[0] */
    uint8_t *octets;
    size_t n;
    uint64_t offset[FPDUS_MAX];
    uint32_t crc[FPDUS_MAX];
    unsigned n_fpdus;
};

static struct mpa_fpdu_scratch scratch;
static struct fixture fixture;

static void build(bool markers, unsigned largest, uint64_t *seed)
{
    static uint8_t ulpdu[65535];

    fill_random(seed, ulpdu, sizeof ulpdu);
    fixture.framing = (struct mpa_framing){.markers = markers, .seq_start = next_random(seed) >> 1};
    fixture.start = fixture.framing.seq_start;
    fixture.n = 0;
    fixture.n_fpdus = 0;
    fixture.octets = malloc(STREAM_OCTETS + MPA_FPDU_OCTETS_MAX);
    assert_non_null(fixture.octets);
    while (fixture.n < STREAM_OCTETS && fixture.n_fpdus < FPDUS_MAX) {
        uint16_t length = (uint16_t)(next_random(seed) % (largest + 1));
        struct mpa_fpdu_plan plan;

        mpa_fpdu_plan_init(&plan, &fixture.framing, fixture.start + fixture.n, ulpdu, length, true);
        fixture.offset[fixture.n_fpdus++] = fixture.start + fixture.n;
        fixture.n += mpa_fpdu_encode(&plan, fixture.octets + fixture.n, MPA_FPDU_OCTETS_MAX);
    }
}

static void check_fpdu(const struct mpa_fpdu *fpdu, unsigned index)
{
    const uint8_t *there = fixture.octets + (fpdu->offset - fixture.start);

    assert_true(index < fixture.n_fpdus);
    assert_int_equal(fpdu->offset, fixture.offset[index]);
    assert_int_equal(fpdu->crc, fpdu->crc_computed);
    assert_memory_equal(fpdu->octets, there, fpdu->length);
    for (unsigned i = 0; i < fpdu->n_markers; i++)
        assert_int_equal(fpdu->markers[i].fpduptr, fpdu->markers[i].expected);
}

/* Feeds pieces of `piece` octets (0: random sizes up to 3000), each from separate memory that is freed. */
static void read_in_pieces(size_t piece, uint64_t *seed)
{
    struct mpa_fpdu_reader reader;
    unsigned index = 0;

    mpa_fpdu_reader_init(&reader, &fixture.framing, true, fixture.start, &scratch);
    for (size_t at = 0; at < fixture.n;) {
        size_t n = piece > 0 ? piece : 1 + next_random(seed) % 3000;
        struct mpa_fpdu fpdu;
        uint8_t *copy;

        if (n > fixture.n - at)
            n = fixture.n - at;
        copy = malloc(n);
        assert_non_null(copy);
        memcpy(copy, fixture.octets + at, n);
        assert_true(mpa_fpdu_reader_feed(&reader, fixture.start + at, copy, n));
        while (mpa_fpdu_reader_next(&reader, &fpdu) == MPA_FPDU_OK)
            check_fpdu(&fpdu, index++);
        at += n;
        assert_int_equal(reader.offset + reader.n, fixture.start + at);
        assert_true(mpa_fpdu_reader_save(&reader));
        if (reader.n > 0 && next_random(seed) % 64 == 0)
            assert_memory_equal(reader.p, fixture.octets + (reader.offset - fixture.start), reader.n);
        free(copy);
    }
    assert_int_equal(index, fixture.n_fpdus);
    assert_int_equal(reader.n, 0);
    assert_true(reader.capacity <= 2 * MPA_FPDU_OCTETS_MAX);
    mpa_fpdu_reader_free(&reader);
}

UNIT_TEST(pieces_of_any_size_give_the_same_fpdus)
{
    static const size_t pieces[] = {1, 2, 3, 4, 5, 7, 8, 13, 64, 127, 508, 511, 512, 513, 1448, 1460, 9000, 65536, 0};
    static const unsigned largest[] = {4, 70, 1400, 9000, 65535};
    uint64_t seed = 8;

    for (unsigned markers = 0; markers < 2; markers++)
        for (size_t l = 0; l < ARRAY_LENGTH(largest); l++) {
            build(markers, largest[l], &seed);
            for (size_t i = 0; i < ARRAY_LENGTH(pieces); i++)
                read_in_pieces(pieces[i], &seed);
            read_in_pieces(fixture.n, &seed);
            free(fixture.octets);
        }
}

static bool inside(const uint8_t *p, const uint8_t *piece, size_t n)
{
    return (uintptr_t)p >= (uintptr_t)piece && (uintptr_t)p < (uintptr_t)(piece + n);
}

/* Only FPDUs across a cut are gathered. */
UNIT_TEST(whole_fpdus_are_not_copied)
{
    struct mpa_fpdu_reader reader;
    struct mpa_fpdu fpdu;
    uint64_t seed = 9;
    unsigned gathered = 0, cuts = 0, seen = 0;

    build(false, 300, &seed);
    mpa_fpdu_reader_init(&reader, &fixture.framing, true, fixture.start, NULL);
    for (size_t at = 0, n; at < fixture.n; at += n) {
        n = fixture.n - at < 1448 ? fixture.n - at : 1448;
        assert_true(mpa_fpdu_reader_feed(&reader, fixture.start + at, fixture.octets + at, n));
        while (mpa_fpdu_reader_next(&reader, &fpdu) == MPA_FPDU_OK) {
            gathered += !inside(fpdu.octets, fixture.octets, fixture.n);
            seen++;
        }
        cuts++;
        assert_true(mpa_fpdu_reader_save(&reader));
    }
    assert_int_equal(seen, fixture.n_fpdus);
    assert_true(gathered < cuts);
    assert_true(reader.capacity <= 4096);
    mpa_fpdu_reader_free(&reader);
    free(fixture.octets);
}

UNIT_TEST(feed_wants_what_follows)
{
    static const uint8_t octets[64];
    struct mpa_framing framing = {.markers = false};
    struct mpa_fpdu_reader reader;
    struct mpa_fpdu fpdu;

    mpa_fpdu_reader_init(&reader, &framing, true, 100, NULL);
    assert_false(mpa_fpdu_reader_feed(&reader, 99, octets, 1));
    assert_false(mpa_fpdu_reader_feed(&reader, 101, octets, 1));
    assert_true(mpa_fpdu_reader_feed(&reader, 100, octets, 5));
    assert_int_equal(mpa_fpdu_reader_next(&reader, &fpdu), MPA_FPDU_MORE);
    assert_false(mpa_fpdu_reader_feed(&reader, 106, octets, 1));
    assert_true(mpa_fpdu_reader_feed(&reader, 105, octets, 0));
    assert_true(mpa_fpdu_reader_feed(&reader, 105, octets, 3));
    assert_int_equal(mpa_fpdu_reader_next(&reader, &fpdu), MPA_FPDU_OK);
    assert_int_equal(fpdu.length, 8);
    assert_int_equal(mpa_fpdu_reader_next(&reader, &fpdu), MPA_FPDU_MORE);
    mpa_fpdu_reader_free(&reader);
}

/* Feeding without reading gathers everything, so that p[0..n) can be searched for start-up frames. */
UNIT_TEST(feeding_alone_keeps_everything_together)
{
    struct mpa_framing framing = {.markers = false};
    struct mpa_fpdu_reader reader;
    uint8_t octets[5000];
    uint64_t seed = 10;

    fill_random(&seed, octets, sizeof octets);
    mpa_fpdu_reader_init(&reader, &framing, false, 0, NULL);
    for (size_t at = 0, n; at < sizeof octets; at += n) {
        n = 1 + next_random(&seed) % 50;
        if (n > sizeof octets - at)
            n = sizeof octets - at;
        assert_true(mpa_fpdu_reader_feed(&reader, at, octets + at, n));
        assert_int_equal(reader.n, at + n);
        assert_memory_equal(reader.p, octets, at + n);
    }
    mpa_fpdu_reader_restart(&reader, 9000);
    assert_true(mpa_fpdu_reader_feed(&reader, 9000, octets, 10));
    assert_int_equal(reader.n, 10);
    mpa_fpdu_reader_free(&reader);
}

/* Any order of calls keeps the unread octets: read and remaining octets add up to those fed. */
UNIT_TEST(any_order_of_calls_loses_nothing)
{
    uint64_t seed = 11;

    for (unsigned round = 0; round < 60; round++) {
        struct mpa_fpdu_reader reader;
        size_t at = 0;

        build(round % 2, round % 3 == 0 ? 40 : 2500, &seed);
        mpa_fpdu_reader_init(&reader, &fixture.framing, true, fixture.start, &scratch);
        while (at < fixture.n) {
            size_t n = 1 + next_random(&seed) % 2000;
            struct mpa_fpdu fpdu;

            switch (next_random(&seed) % 4) {
            case 0:
            case 1:
                n = n < fixture.n - at ? n : fixture.n - at;
                assert_true(mpa_fpdu_reader_feed(&reader, fixture.start + at, fixture.octets + at, n));
                at += n;
                break;
            case 2:
                if (mpa_fpdu_reader_next(&reader, &fpdu) == MPA_FPDU_OK)
                    assert_memory_equal(fpdu.octets, fixture.octets + (fpdu.offset - fixture.start), fpdu.length);
                break;
            default:
                assert_true(mpa_fpdu_reader_save(&reader));
                assert_int_equal(reader.rest_n, 0);
            }
            assert_int_equal(reader.offset + reader.n + reader.rest_n, fixture.start + at);
            if (reader.n > 0 && next_random(&seed) % 16 == 0)
                assert_memory_equal(reader.p, fixture.octets + (reader.offset - fixture.start), reader.n);
        }
        mpa_fpdu_reader_free(&reader);
        free(fixture.octets);
    }
}
