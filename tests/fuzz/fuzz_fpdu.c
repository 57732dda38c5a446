// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * FPDUs: reading in pieces gives the same as parsing all at once, and parsed FPDUs are encoded to the same octets.
 * Input: octet 0 flags (1: Markers), 1-2 phase of the first octet to the Marker grid, 3 seed of the piece sizes, then
 * the stream.
 */
#include "tests/fuzz/fuzz.h"
#include "wire/mpa_fpdu.h"
#include "wire/octets.h"

enum { CONTROL_LEN = 4, START = 100000 };

static struct mpa_fpdu_scratch scratch, piece_scratch;

static void copy_marker(void *ctx, uint8_t marker[4], uint64_t offset, unsigned index)
{
    const struct mpa_fpdu *fpdu = ctx;

    HOLDS(index < fpdu->n_markers && fpdu->markers[index].offset == offset);
    HOLDS(get_be16(marker + 2) == fpdu->markers[index].expected);
    put_be16(marker, fpdu->markers[index].reserved);
    put_be16(marker + 2, fpdu->markers[index].fpduptr);
}

static void encodes_back(const struct mpa_framing *framing, struct mpa_fpdu *fpdu)
{
    static uint8_t back[MPA_FPDU_OCTETS_MAX];
    struct mpa_fpdu_plan plan;

    mpa_fpdu_plan_init(&plan, framing, fpdu->offset, fpdu->ulpdu, fpdu->ulpdu_length, true);
    HOLDS(plan.pad_length == fpdu->pad_length);
    memcpy(plan.pad, fpdu->pad, fpdu->pad_length);
    plan.marker_hook = copy_marker;
    plan.hook_ctx = fpdu;
    plan.crc_fixed = true;
    plan.crc = fpdu->crc;
    HOLDS(mpa_fpdu_encode(&plan, back, sizeof back) == fpdu->length);
    HOLDS(memcmp(back, fpdu->octets, fpdu->length) == 0);
    plan.crc_fixed = false;
    HOLDS(mpa_fpdu_encode(&plan, back, sizeof back) == fpdu->length);
    HOLDS(memcmp(back, fpdu->octets, fpdu->length) == 0 || fpdu->crc != fpdu->crc_computed);
}

static void same(const struct mpa_fpdu *a, const struct mpa_fpdu *b)
{
    HOLDS(a->offset == b->offset && a->header == b->header && a->length == b->length);
    HOLDS(a->ulpdu_length == b->ulpdu_length && a->crc == b->crc && a->crc_computed == b->crc_computed);
    HOLDS(memcmp(a->octets, b->octets, a->length) == 0);
    HOLDS(memcmp(a->ulpdu, b->ulpdu, a->ulpdu_length) == 0);
    HOLDS(a->pad_length == b->pad_length && memcmp(a->pad, b->pad, a->pad_length) == 0);
    HOLDS(a->n_markers == b->n_markers);
    for (unsigned i = 0; i < a->n_markers; i++)
        HOLDS(a->markers[i].offset == b->markers[i].offset && a->markers[i].fpduptr == b->markers[i].fpduptr &&
              a->markers[i].reserved == b->markers[i].reserved && a->markers[i].expected == b->markers[i].expected);
}

static size_t piece_size(uint32_t *seed)
{
    *seed = *seed * 1664525 + 1013904223;
    switch (*seed >> 30) {
    case 0:
        return 1;
    case 1:
        return 1 + (*seed >> 20) % 8;
    case 2:
        return 1 + (*seed >> 12) % 600;
    default:
        return 1 + (*seed >> 12) % 3000;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mpa_framing framing;
    struct mpa_fpdu_reader reader;
    struct mpa_fpdu whole, pieced;
    const uint8_t *p = data + CONTROL_LEN;
    size_t n, at = 0, fed = 0, need;
    uint32_t seed;

    if (size < CONTROL_LEN)
        return 0;
    n = size - CONTROL_LEN;
    framing = (struct mpa_framing){.markers = data[0] & 1, .seq_start = START - get_be16(data + 1) % MPA_MARKER_PERIOD};
    seed = data[3];
    mpa_fpdu_reader_init(&reader, &framing, true, START, &piece_scratch);
    while (fed < n) {
        size_t piece = piece_size(&seed);
        uint8_t *copy;

        if (piece > n - fed)
            piece = n - fed;
        copy = malloc(piece); /* separate memory, so that out-of-bounds reads and reads after its end are detected */
        if (!copy)
            break;
        memcpy(copy, p + fed, piece);
        HOLDS(mpa_fpdu_reader_feed(&reader, START + fed, copy, piece));
        fed += piece;
        while (mpa_fpdu_reader_next(&reader, &pieced) == MPA_FPDU_OK) {
            HOLDS(mpa_fpdu_parse(&whole, &need, &framing, true, START + at, p + at, n - at, &scratch) == MPA_FPDU_OK);
            HOLDS(need == whole.length && whole.length == mpa_fpdu_octets(&framing, START + at, whole.ulpdu_length));
            same(&whole, &pieced);
            encodes_back(&framing, &whole);
            at += whole.length;
        }
        HOLDS(reader.offset == START + at && reader.n == fed - at);
        HOLDS(mpa_fpdu_reader_save(&reader));
        free(copy);
    }
    HOLDS(mpa_fpdu_parse(&whole, &need, &framing, true, START + at, p + at, n - at, &scratch) == MPA_FPDU_MORE);
    HOLDS(need > n - at && need <= MPA_FPDU_OCTETS_MAX);
    HOLDS(reader.capacity <= 2 * MPA_FPDU_OCTETS_MAX);
    mpa_fpdu_reader_free(&reader);
    return 0;
}
