// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Markers: wrong contents, displaced grids, missing or unwanted Markers. Each gives one finding, and no FPDU is lost.
 */
#include "tests/unit/support/mpa_line.h"
#include "wire/crc32c.h"

#include <sys/types.h>

enum { FPDUS = 14, MAX = 70000 };

static const size_t sizes[FPDUS] = {60, 300, 1442, 47, 24, 700, 1442, 33, 34, 35, 2000, 500, 18, 904};

/* Where a sender puts Markers. */
struct layout {
    bool (*marker_at)(const struct layout *layout, uint64_t offset, unsigned fpdu);
    uint64_t start; /* of Full Operation */
    uint64_t arg;
    void (*twist)(const struct layout *layout, uint8_t marker[4], uint64_t offset, uint64_t header, unsigned index);
};

/* Lays an FPDU out, octet by octet. */
static void lay(struct line_stream *s, const struct layout *layout, const uint8_t *ulpdu, size_t n, bool crc,
                unsigned fpdu)
{
    uint8_t bare[MAX], octets[MAX + 2000];
    size_t total = 2 + n + mpa_pad_length((uint16_t)n), out = 0;
    uint64_t at = s->base + s->n, header = 0;
    unsigned index = 0;

    memset(bare, 0, total + 4);
    put_be16(bare, (uint16_t)n);
    memcpy(bare + 2, ulpdu, n);
    for (size_t i = 0; i < total + 4; i++) {
        if (layout->marker_at(layout, at + out, fpdu)) {
            uint8_t marker[4] = {0};

            if (i > 0)
                put_be16(marker + 2, (uint16_t)(at + out - header));
            if (layout->twist)
                layout->twist(layout, marker, at + out, i > 0 ? header : 0, index);
            index++;
            memcpy(octets + out, marker, 4);
            out += 4;
        }
        if (i == 0)
            header = at + out;
        if (i == total && crc)
            put_le32(bare + total, crc32c(octets, out));
        octets[out++] = bare[i];
    }
    stream_put(s, octets, out);
}

/* ---- layouts ---- */

static bool regular(const struct layout *layout, uint64_t offset, unsigned fpdu)
{
    return (offset - layout->start) % 512 == 0;
}

static bool never(const struct layout *layout, uint64_t offset, unsigned fpdu)
{
    (void)layout, (void)offset, (void)fpdu;
    return false;
}

static bool first_only(const struct layout *layout, uint64_t offset, unsigned fpdu)
{
    return offset == layout->start;
}

static bool not_first(const struct layout *layout, uint64_t offset, unsigned fpdu)
{
    return offset != layout->start && regular(layout, offset, fpdu);
}

static bool all_but_one(const struct layout *layout, uint64_t offset, unsigned fpdu)
{
    return offset != layout->start + layout->arg && regular(layout, offset, fpdu);
}

static bool period_516(const struct layout *layout, uint64_t offset, unsigned fpdu)
{
    return (offset - layout->start) % 516 == 0;
}

/* The grid of absolute stream offsets; the first Marker is at the start. */
static bool other_phase(const struct layout *layout, uint64_t offset, unsigned fpdu)
{
    return offset == layout->start || (offset > layout->start + 8 && offset % 512 == layout->arg);
}

static bool shifted_from(const struct layout *layout, uint64_t offset, unsigned fpdu)
{
    if (offset < layout->start + layout->arg)
        return regular(layout, offset, fpdu);
    return (offset - layout->start) % 512 == 8;
}

/* ---- contents ---- */

static bool target(const struct layout *layout, uint64_t offset)
{
    return offset == layout->start + layout->arg;
}

static void swap(const struct layout *layout, uint8_t marker[4], uint64_t offset, uint64_t header, unsigned index)
{
    uint8_t t = marker[2];

    (void)header, (void)index;
    if (target(layout, offset))
        marker[2] = marker[3], marker[3] = t;
}

static void swap32(const struct layout *layout, uint8_t marker[4], uint64_t offset, uint64_t header, unsigned index)
{
    (void)header, (void)index;
    if (target(layout, offset))
        marker[0] = marker[3], marker[1] = marker[2], marker[2] = marker[3] = 0;
}

static void reserved(const struct layout *layout, uint8_t marker[4], uint64_t offset, uint64_t header, unsigned index)
{
    (void)header, (void)index;
    if (target(layout, offset))
        marker[1] = 1;
}

static void low_bits(const struct layout *layout, uint8_t marker[4], uint64_t offset, uint64_t header, unsigned index)
{
    (void)header, (void)index;
    if (target(layout, offset))
        marker[3] |= 2;
}

static void plus_4(const struct layout *layout, uint8_t marker[4], uint64_t offset, uint64_t header, unsigned index)
{
    (void)header, (void)index;
    if (target(layout, offset))
        put_be16(marker + 2, (uint16_t)(get_be16(marker + 2) + 4));
}

static void zero(const struct layout *layout, uint8_t marker[4], uint64_t offset, uint64_t header, unsigned index)
{
    (void)header, (void)index;
    if (target(layout, offset))
        memset(marker, 0, 4);
}

static void to_previous(const struct layout *layout, uint8_t marker[4], uint64_t offset, uint64_t header,
                        unsigned index)
{
    (void)header, (void)index;
    if (target(layout, offset))
        put_be16(marker + 2, 512);
}

/* To the FPDU that began at octet 4 of Full Operation, or at octet `first` of this interval. */
static void to_first(const struct layout *layout, uint8_t marker[4], uint64_t offset, uint64_t header, unsigned index)
{
    (void)header, (void)index;
    if (target(layout, offset))
        put_be16(marker + 2, 508);
}

struct fault {
    const char *name;
    enum rule_id rule;
    bool (*marker_at)(const struct layout *layout, uint64_t offset, unsigned fpdu);
    uint64_t arg;
    void (*twist)(const struct layout *layout, uint8_t marker[4], uint64_t offset, uint64_t header, unsigned index);
    bool wanted;   /* Markers are negotiated */
    unsigned role; /* 1: of the Initiator only, 2: of the Responder only, 3: both */
};

/* With these sizes: 512 is in the third FPDU, and so are 1024 and 1536; 2560 precedes no FPDU. */
static const struct fault faults[] = {
    {"right", RULE_COUNT, regular, 0, NULL, true, 3},
    {"none, none wanted", RULE_COUNT, never, 0, NULL, false, 3},
    {"none from the Initiator", RULE_MPA_7_1_1_09, never, 0, NULL, true, 1},
    {"none from the Responder", RULE_MPA_7_1_1_08, never, 0, NULL, true, 2},
    {"unwanted from the Initiator", RULE_MPA_7_1_1_11, regular, 0, NULL, false, 1},
    {"unwanted from the Responder", RULE_MPA_7_1_1_10, regular, 0, NULL, false, 2},
    {"unwanted, not leading", RULE_MPA_7_1_1_11, not_first, 0, NULL, false, 1},
    {"first only", RULE_MPA_4_3_03, first_only, 0, NULL, true, 3},
    {"not first", RULE_MPA_4_3_04, not_first, 0, NULL, true, 3},
    {"one missing", RULE_MPA_4_3_03, all_but_one, 1024, NULL, true, 3},
    {"another missing", RULE_MPA_4_3_03, all_but_one, 2560, NULL, true, 3},
    {"period 516", RULE_MPA_4_3_06, period_516, 0, NULL, true, 3},
    {"absolute grid", RULE_MPA_4_3_06, other_phase, 0, NULL, true, 3},
    {"shifted later", RULE_MPA_4_3_06, shifted_from, 1600, NULL, true, 3},
    {"swapped", RULE_MPA_4_2_01, regular, 512, swap, true, 3},
    {"swapped as a word", RULE_MPA_4_2_01, regular, 512, swap32, true, 3},
    {"reserved", RULE_MPA_4_2_02, regular, 1024, reserved, true, 3},
    {"reserved, first", RULE_MPA_4_2_02, regular, 0, reserved, true, 3},
    {"low bits", RULE_MPA_4_2_05, regular, 1024, low_bits, true, 3},
    {"first not zero", RULE_MPA_4_3_05, regular, 0, plus_4, true, 3},
    {"4 too large", RULE_MPA_4_3_09, regular, 512, plus_4, true, 3},
    {"interior zero", RULE_MPA_4_3_11, regular, 512, zero, true, 3},
    {"to the Marker before", RULE_MPA_4_3_14, regular, 1024, to_previous, true, 3},
    {"to the first FPDU", RULE_MPA_4_3_15, regular, 512, to_first, true, 3},
};

static unsigned failures;

static void stage(const struct fault *fault, unsigned side, bool crc, size_t piece, unsigned payload)
{
    uint8_t m = fault->wanted ? MPA_FLAG_M : 0, c = crc ? MPA_FLAG_C : 0, ulpdu[MAX];
    struct mpa_line *b = line_new_streams();
    struct line_stream *s = &b->stream[side], *o = &b->stream[1 - side];
    struct layout layout = {.marker_at = fault->marker_at, .arg = fault->arg, .twist = fault->twist};
    unsigned hits = 0;

    /* The other side decides about the direction's Markers. */
    line_start(b, side == 1 ? m | c : c, side == 0 ? m | c : c, 1, 1, 4, 12);
    if (side == 1) {
        stream_send(b, o, 50);
        line_flush(b, 0, 0);
    }
    layout.start = s->base + s->n;
    if (fault->marker_at == other_phase)
        layout.arg = 100;
    for (unsigned i = 0; i < FPDUS; i++) {
        size_t n = ulpdu_send(b, s, ulpdu, sizes[i]);

        if (payload == 1)
            memset(ulpdu + 18, 0, n - 18);
        lay(s, &layout, ulpdu, n, crc, i);
        if (piece == SIZE_MAX)
            line_flush(b, side, 0);
    }
    line_flush(b, side, piece == SIZE_MAX ? 0 : piece);
    line_fin(b, side);
    line_finish(b);
    for (unsigned i = 0; i < b->seen.n && i < FINDINGS_MAX; i++)
        hits += b->seen.finding[i].rule == fault->rule;
    if (hits != (fault->rule != RULE_COUNT) || line_framing_findings(b) != hits || b->fpdus[side] != FPDUS) {
        failures++;
        print_message("%s, side %u, crc %d, piece %zd, payload %u: %u FPDUs\n", fault->name, side, crc, (ssize_t)piece,
                      payload, b->fpdus[side]);
        findings_show(&b->seen, __func__);
    }
    line_free(b);
}

UNIT_TEST(markers)
{
    static const size_t pieces[] = {SIZE_MAX, 0, 1460, 100, 7};

    failures = 0;
    for (size_t f = 0; f < ARRAY_LENGTH(faults); f++)
        for (unsigned side = 0; side < 2; side++)
            for (unsigned crc = 0; crc < 2; crc++)
                for (size_t i = 0; i < ARRAY_LENGTH(pieces); i++)
                    for (unsigned payload = 0; payload < 2; payload++)
                        if (faults[f].role & 1u << side)
                            stage(&faults[f], side, crc, pieces[i], payload);
    assert_int_equal(failures, 0);
}

/* RESERVED is ignored (4.2), and a right CRC is proof: an odd Marker and header need no further evidence. */
UNIT_TEST(crc_proves_an_odd_one)
{
    struct layout layout = {.marker_at = regular, .twist = reserved};
    uint8_t ulpdu[MAX];

    (void)state;
    for (unsigned nth = 0; nth < 2; nth++) { /* the first FPDU, then the second */
        struct mpa_line *b = line_new_streams();
        struct line_stream *s = &b->stream[1];

        line_start(b, MPA_FLAG_M | MPA_FLAG_C, MPA_FLAG_C, 1, 1, 0, 0);
        stream_send(b, &b->stream[0], 50);
        line_flush(b, 0, 0);
        layout.start = s->base + s->n;
        layout.arg = nth * 2 * MPA_MARKER_PERIOD;
        for (unsigned i = 0; i <= nth; i++) {
            size_t n = ulpdu_send(b, s, ulpdu, nth == 0 ? 100 : 600);

            if (i == nth)
                ulpdu[6] = 1; /* QN */
            lay(s, &layout, ulpdu, n, true, i);
            line_flush(b, 1, 0);
            assert_int_equal(b->fpdus[1], i + 1);
        }
        line_free(b);
    }
}
