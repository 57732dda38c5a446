// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One fault among good FPDUs gives one finding of its rule: with and without CRC and Markers, in either direction, for
 * any segmentation.
 */
#include "tests/unit/support/mpa_line.h"
#include "wire/crc32c.h"

#include <stdlib.h>
#include <sys/types.h>

enum { BIG = 70000 };

/* How the engine receives the octets. */
static const size_t pieces[] = {SIZE_MAX /* an FPDU a segment */, 0 /* all in one */, 1460, 100, 7};

struct scene {
    struct mpa_line *b;
    struct line_stream *s;
    unsigned side;
    size_t length;    /* of the faulty ULPDU */
    unsigned payload; /* random, zero, text */
    uint8_t ulpdu[BIG];
};

struct fault {
    const char *name;
    enum rule_id rule;
    void (*write)(struct scene *scene);
    unsigned crc, markers; /* 1: only without, 2: only with, 3: both */
    size_t length;         /* 0: several */
    bool at_start;         /* no good FPDU before it */
};

static size_t make(struct scene *scene, size_t length)
{
    size_t n = ulpdu_send(scene->b, scene->s, scene->ulpdu, length);

    if (scene->payload == 1)
        memset(scene->ulpdu + 18, 0, n - 18);
    if (scene->payload == 2)
        for (size_t i = 18; i < n; i++)
            scene->ulpdu[i] = (uint8_t) "The quick brown fox jumps over the lazy dog. "[(i - 18) % 45];
    return n;
}

static struct mpa_fpdu_plan plan(struct scene *scene)
{
    size_t n = make(scene, scene->length);

    return stream_plan(scene->s, scene->ulpdu, (uint16_t)n);
}

static void good(struct scene *scene, size_t length)
{
    size_t n = make(scene, length);

    stream_fpdu(scene->s, scene->ulpdu, n);
}

/* ---- faults ---- */

static void stray3(struct scene *scene)
{
    good(scene, scene->length);
    stream_put(scene->s, "\x01\x02\x03", 3);
}

/* Framing continues after octets that are not counted: the stream defines the grid. */
static void stray16(struct scene *scene)
{
    good(scene, scene->length);
    stream_put(scene->s, "0123456789abcdef", 16);
}

static void length_plus(struct scene *scene, unsigned more)
{
    struct mpa_fpdu_plan p = plan(scene);
    uint8_t pad = p.pad_length;

    p.ulpdu_length = (uint16_t)(p.ulpdu_length + more);
    p.pad_length = pad;
    stream_encode(scene->s, &p);
}

static void length_plus2(struct scene *scene)
{
    length_plus(scene, 2);
}

static void length_plus4(struct scene *scene)
{
    length_plus(scene, 4);
}

static void length_plus6(struct scene *scene)
{
    length_plus(scene, 6);
}

static void length_plus8(struct scene *scene)
{
    length_plus(scene, 8);
}

static void length_swapped(struct scene *scene)
{
    struct mpa_fpdu_plan p = plan(scene);

    p.ulpdu_length = (uint16_t)(p.ulpdu_length << 8 | p.ulpdu_length >> 8);
    stream_encode(scene->s, &p);
}

/* The CRC was right for the right length, which was damaged afterwards. */
static void length_damaged(struct scene *scene)
{
    struct mpa_fpdu_plan p = plan(scene);
    size_t at = scene->s->n;

    stream_encode(scene->s, &p);
    if (scene->s->framing.markers && (scene->s->base + at - scene->s->framing.seq_start) % 512 == 0)
        at += 4;
    put_be16(scene->s->octets + at, (uint16_t)(p.ulpdu_length + 6));
}

static void counts_marker(struct scene *scene)
{
    struct mpa_fpdu_plan p = plan(scene);
    uint64_t start = scene->s->base + scene->s->n, end = start + mpa_fpdu_octets(&p.framing, start, p.ulpdu_length);
    unsigned n = 0;

    for (uint64_t at = mpa_next_marker(&p.framing, start + 1); at < end; at += 512)
        n++;
    assert_true(n > 0);
    p.ulpdu_length = (uint16_t)(p.ulpdu_length + 4 * n);
    stream_encode(scene->s, &p);
}

static void pads(struct scene *scene, int more)
{
    struct mpa_fpdu_plan p = plan(scene);

    p.pad_length = (uint8_t)(p.pad_length + more);
    stream_encode(scene->s, &p);
}

static void no_pad(struct scene *scene)
{
    pads(scene, -(int)mpa_pad_length((uint16_t)scene->length));
}

static void pad_plus1(struct scene *scene)
{
    pads(scene, 1);
}

static void pad_nonzero(struct scene *scene)
{
    struct mpa_fpdu_plan p = plan(scene);

    p.pad[0] = 5;
    stream_encode(scene->s, &p);
}

static void no_crc(struct scene *scene)
{
    struct mpa_fpdu_plan p = plan(scene);

    p.crc_present = false;
    stream_encode(scene->s, &p);
}

/* Its sender never has a CRC field: one fault in all, not one for each FPDU. */
static void no_crcs(struct scene *scene)
{
    for (unsigned i = 0; i < 4; i++)
        no_crc(scene);
}

/* The octets of a Marker in another order. */
static void reorder_marker(void *ctx, uint8_t marker[4], uint64_t offset, unsigned index)
{
    const uint8_t *order = ctx;
    uint8_t octets[4];

    (void)offset, (void)index;
    memcpy(octets, marker, sizeof octets);
    for (unsigned i = 0; i < 4; i++)
        marker[i] = octets[order[i]];
}

static void marker_in_order(struct scene *scene, const uint8_t order[4])
{
    struct mpa_fpdu_plan p = plan(scene);

    p.marker_hook = reorder_marker;
    p.hook_ctx = (void *)(uintptr_t)order;
    stream_encode(scene->s, &p);
}

static void marker_pointer_swapped(struct scene *scene)
{
    marker_in_order(scene, (const uint8_t[]){0, 1, 3, 2});
}

static void marker_fields_swapped(struct scene *scene)
{
    marker_in_order(scene, (const uint8_t[]){2, 3, 0, 1});
}

static void marker_little_endian(struct scene *scene)
{
    marker_in_order(scene, (const uint8_t[]){3, 2, 1, 0});
}

static void crc_before_pad(struct scene *scene)
{
    struct mpa_fpdu_plan p = plan(scene);
    uint8_t *q, crc[4];
    size_t at = scene->s->n, n = stream_encode(scene->s, &p), pad = p.pad_length;

    q = scene->s->octets + at;
    memcpy(crc, q + n - 4, 4);
    memmove(q + n - 4 - pad, crc, 4);
    memset(q + n - pad, 0, pad);
}

static void crc_after_length(struct scene *scene)
{
    struct mpa_fpdu_plan p = plan(scene);
    uint8_t *q, crc[4];
    size_t at = scene->s->n, n = stream_encode(scene->s, &p);

    q = scene->s->octets + at;
    memcpy(crc, q + n - 4, 4);
    memmove(q + 6, q + 2, n - 6);
    memcpy(q + 2, crc, 4);
}

static void short_ulpdu(struct scene *scene)
{
    static const uint8_t ulpdu[5] = {0xC1, 0x40, 1, 2, 3};

    stream_fpdu(scene->s, ulpdu, sizeof ulpdu);
}

static void empty_ulpdu(struct scene *scene)
{
    stream_fpdu(scene->s, scene->ulpdu, 0);
}

static void too_long(struct scene *scene)
{
    scene->length = 64769;
    good(scene, 64769);
}

static void two_read_requests(struct scene *scene)
{
    size_t n = ulpdu_read_request(scene->s, scene->ulpdu);

    n += ulpdu_read_request(scene->s, scene->ulpdu + n);
    stream_fpdu(scene->s, scene->ulpdu, n);
}

static void split_ulpdu(struct scene *scene)
{
    make(scene, 400);
    stream_fpdu(scene->s, scene->ulpdu, 200);
    stream_fpdu(scene->s, scene->ulpdu + 200, 200);
}

static void crc_xor(struct scene *scene)
{
    struct mpa_fpdu_plan p = plan(scene);

    stream_encode(scene->s, &p);
    scene->s->octets[scene->s->n - 1] ^= 0x40;
}

static void crc_swapped(struct scene *scene)
{
    struct mpa_fpdu_plan p = plan(scene);
    uint8_t *q, t;

    stream_encode(scene->s, &p);
    q = scene->s->octets + scene->s->n - 4;
    t = q[0], q[0] = q[3], q[3] = t, t = q[1], q[1] = q[2], q[2] = t;
}

static void crc_zero(struct scene *scene)
{
    struct mpa_fpdu_plan p = plan(scene);

    stream_encode(scene->s, &p);
    memset(scene->s->octets + scene->s->n - 4, 0, 4);
}

static void crc_of_ulpdu(struct scene *scene)
{
    struct mpa_fpdu_plan p = plan(scene);

    stream_encode(scene->s, &p);
    put_le32(scene->s->octets + scene->s->n - 4, crc32c(p.ulpdu, p.ulpdu_octets));
}

static void payload_damaged(struct scene *scene)
{
    struct mpa_fpdu_plan p = plan(scene);
    size_t at = scene->s->n;

    stream_encode(scene->s, &p);
    scene->s->octets[at + 30] ^= 4;
}

/* An FPDU begins and begins again, with a segment's end between. */
static void abandoned(struct scene *scene)
{
    struct mpa_fpdu_plan p = plan(scene);
    struct line_stream *s = scene->s;

    stream_encode(s, &p);
    s->n -= 40;
    line_flush(scene->b, scene->side, 0);
}

static const struct fault faults[] = {
    {"stray 3", RULE_MPA_4_1_01, stray3, 3, 3, 0, false},
    {"stray 16", RULE_MPA_4_1_01, stray16, 3, 3, 0, false},
    {"length + 2", RULE_MPA_4_1_02, length_plus2, 3, 3, 0, false},
    {"length + 4", RULE_MPA_4_1_02, length_plus4, 3, 3, 0, false},
    {"length + 6", RULE_MPA_4_1_02, length_plus6, 3, 3, 0, false},
    {"length + 8", RULE_MPA_4_1_02, length_plus8, 3, 1, 0, false},
    {"length swapped", RULE_MPA_4_1_02, length_swapped, 3, 3, 0, false},
    {"length damaged", RULE_MPA_4_1_02, length_damaged, 2, 3, 0, false},
    {"counts markers", RULE_MPA_4_1_03, counts_marker, 3, 2, 1000, false},
    {"no pad", RULE_MPA_4_1_04, no_pad, 3, 3, 43, false},
    {"no pad 2", RULE_MPA_4_1_04, no_pad, 3, 3, 48, false},
    {"pad + 1", RULE_MPA_4_1_04, pad_plus1, 3, 3, 0, false},
    {"pad nonzero", RULE_MPA_4_1_05, pad_nonzero, 3, 3, 43, false},
    {"no crc", RULE_MPA_4_1_09, no_crc, 3, 3, 0, false},
    {"no crcs", RULE_MPA_4_1_09, no_crcs, 3, 3, 0, false},
    {"marker pointer swapped", RULE_MPA_4_2_01, marker_pointer_swapped, 3, 2, 513, false},
    {"marker fields swapped", RULE_MPA_4_2_01, marker_fields_swapped, 3, 2, 513, false},
    {"marker little-endian", RULE_MPA_4_2_01, marker_little_endian, 3, 2, 513, false},
    {"crc before pad", RULE_MPA_4_1_08, crc_before_pad, 2, 1, 43, false},
    {"crc after length", RULE_MPA_4_1_08, crc_after_length, 2, 1, 0, false},
    {"short ulpdu", RULE_MPA_4_1_12, short_ulpdu, 3, 3, 0, false},
    {"empty ulpdu", RULE_MPA_3_07, empty_ulpdu, 3, 3, 0, false},
    {"too long", RULE_MPA_3_05, too_long, 3, 3, 64769, false},
    {"two read requests", RULE_MPA_3_01, two_read_requests, 3, 3, 92, false},
    {"split", RULE_MPA_3_01, split_ulpdu, 3, 3, 400, false},
    {"crc xor", RULE_MPA_4_4_12, crc_xor, 2, 3, 0, false},
    {"crc swapped", RULE_MPA_4_4_13, crc_swapped, 2, 3, 0, false},
    {"crc stopped", RULE_MPA_4_4_07, crc_zero, 2, 3, 0, false},
    {"crc never", RULE_MPA_7_1_1_15, crc_zero, 2, 3, 0, true},
    {"crc of ulpdu", RULE_MPA_4_4_14, crc_of_ulpdu, 2, 3, 0, false},
    {"payload damaged", RULE_MPA_4_4_12, payload_damaged, 2, 3, 0, false},
    {"abandoned", RULE_MPA_A_1_03, abandoned, 3, 3, 0, false},
};

static const size_t lengths[] = {42, 43, 45, 513, 1442};

static unsigned failures;

static void flush(struct scene *scene, size_t piece)
{
    if (piece == SIZE_MAX)
        line_flush(scene->b, scene->side, 0);
}

static void stage(const struct fault *fault, size_t length, unsigned side, bool crc, bool markers, size_t piece,
                  unsigned payload)
{
    uint8_t m = markers ? MPA_FLAG_M : 0, c = crc ? MPA_FLAG_C : 0;
    struct scene *scene = calloc(1, sizeof *scene);
    struct mpa_line *b = line_new_streams();
    unsigned hits = 0;

    *scene = (struct scene){.b = b, .s = &b->stream[side], .side = side, .length = length, .payload = payload};
    b->random = length * 31 + side * 7 + payload;
    line_start(b, m | c, m | c, 1, 1, 4, 8);
    line_traffic(b, fault->at_start ? 0 : 1, 60);
    if (!fault->at_start)
        for (size_t i = 0; i < 4; i++) {
            good(scene, 100 + 37 * i);
            flush(scene, piece);
        }
    fault->write(scene);
    flush(scene, piece);
    for (size_t i = 0; i < 5 && !(fault->at_start && i > 0); i++) {
        good(scene, 700 - 61 * i);
        flush(scene, piece);
    }
    line_flush(b, side, piece == SIZE_MAX ? 0 : piece);
    line_fin(b, side);
    line_finish(b);
    for (unsigned i = 0; i < b->seen.n && i < FINDINGS_MAX; i++)
        hits += b->seen.finding[i].rule == fault->rule;
    if (hits != 1 || line_framing_findings(b) != 1) {
        if (failures++ < 4000) {
            print_message("%s, %zu octets, side %u, crc %d, markers %d, piece %zd, payload %u:\n", fault->name, length,
                          side, crc, markers, (ssize_t)piece, payload);
            findings_show(&b->seen, __func__);
        }
    }
    line_free(b);
    free(scene);
}

UNIT_TEST(each_fault_gives_its_finding)
{
    failures = 0;
    for (size_t f = 0; f < ARRAY_LENGTH(faults); f++)
        for (unsigned variant = 0; variant < 2 * 2 * 2 * ARRAY_LENGTH(pieces) * 3; variant++) {
            const struct fault *fault = &faults[f];
            bool crc = variant & 1, markers = variant & 2;
            unsigned side = variant >> 2 & 1, rest = variant >> 3;

            if (!(fault->crc & (crc ? 2 : 1)) || !(fault->markers & (markers ? 2 : 1)))
                continue;
            /* Among zero octets a missing CRC field and a length 4 too large look the same. */
            if (!crc && rest / ARRAY_LENGTH(pieces) == 1 &&
                (fault->write == length_plus4 || fault->write == length_plus6))
                continue;
            for (size_t l = 0; l < ARRAY_LENGTH(lengths); l++) {
                size_t length = fault->length != 0 ? fault->length : lengths[l];

                /* They also look like a Marker that is counted in, or two PAD octets in ULPDU. */
                if (markers && fault->write == length_plus4 && length > 484 && length < 1000)
                    continue;
                if (fault->write == length_plus2 &&
                    (length % 4 == 0 || length % 4 == 3 || rest / ARRAY_LENGTH(pieces) == 1))
                    continue;
                if (fault->length != 0 && l > 0)
                    break;
                stage(fault, length, side, crc, markers, pieces[rest % ARRAY_LENGTH(pieces)],
                      rest / ARRAY_LENGTH(pieces));
            }
        }
    assert_int_equal(failures, 0);
}
