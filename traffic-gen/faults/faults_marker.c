// SPDX-License-Identifier: GPL-2.0-or-later
/* Markers: RFC 5044 sections 4.2 and 4.3, and their negotiation in 7.1.1. */
#include "traffic-gen/say/fault.h"
#include "traffic-gen/say/setups.h"
#include "wire/crc32c.h"
#include "wire/octets.h"

#include <string.h>

enum { TERMINATE_MARKER = 0x2003 };

/* ---- places ---- */

static unsigned count_interior(const struct fpdu_write *w)
{
    const struct mpa_framing *framing = &w->plan.framing;
    uint64_t end = w->plan.offset + mpa_fpdu_octets(framing, w->plan.offset, w->plan.ulpdu_length);
    unsigned n = 0;

    if (!framing->markers)
        return 0;
    for (uint64_t at = mpa_next_marker(framing, w->plan.offset + 1); at < end; at += MPA_MARKER_PERIOD)
        n++;
    return n;
}

static bool marker_inside(const struct fpdu_write *w)
{
    return count_interior(w) >= 1;
}

static bool marker_inside_only(const struct fpdu_write *w)
{
    return count_interior(w) == 1 && mpa_next_marker(&w->plan.framing, w->plan.offset) != w->plan.offset;
}

static bool two_markers_inside(const struct fpdu_write *w)
{
    return count_interior(w) >= 2 && mpa_next_marker(&w->plan.framing, w->plan.offset) != w->plan.offset;
}

static bool has_markers(const struct fpdu_write *w)
{
    return w->plan.framing.markers;
}

static bool has_no_markers(const struct fpdu_write *w)
{
    return !w->plan.framing.markers;
}

static bool is_rdmac(const struct fpdu_write *w)
{
    return w->conversation->version == 0 && w->conversation->setup.wish[INITIATOR].revision > 0;
}

static bool marker_leads(const struct fpdu_write *w)
{
    return w->plan.framing.markers && mpa_next_marker(&w->plan.framing, w->plan.offset) == w->plan.offset;
}

/* A short FPDU with a Marker inside, and others of the same period before it. */
static bool marker_inside_short(const struct fpdu_write *w)
{
    return marker_inside_only(w) && w->plan.ulpdu_length < 100;
}

/* Sequence numbers wrapped before the Marker inside this FPDU, and within the period before. */
static bool marker_after_wrap(const struct fpdu_write *w)
{
    uint64_t wrap = UINT64_C(0x100000000) - w->conversation->setup.isn[w->conversation->side[w->role]] - 1;

    return marker_inside(w) && mpa_next_marker(&w->plan.framing, w->plan.offset) >= wrap;
}

/* The header below sequence number 2^32, the Marker above. */
static bool wrap_before_marker(const struct fpdu_write *w)
{
    uint64_t wrap = UINT64_C(0x100000000) - w->conversation->setup.isn[w->conversation->side[w->role]] - 1;
    uint64_t marker = mpa_next_marker(&w->plan.framing, w->plan.offset + 1);

    return marker_inside(w) && w->plan.offset + MPA_MARKER_LEN < wrap && marker >= wrap;
}

/* ---- wrong contents: the encoder's hook changes the Marker before the CRC is taken ---- */

static void swap_pointer(void *ctx, uint8_t marker[4], uint64_t offset, unsigned index)
{
    uint8_t high = marker[2];

    (void)ctx, (void)offset, (void)index;
    marker[2] = marker[3];
    marker[3] = high;
}

static void set_reserved(void *ctx, uint8_t marker[4], uint64_t offset, unsigned index)
{
    (void)ctx, (void)offset, (void)index;
    marker[1] = 1;
}

static void set_low_bits(void *ctx, uint8_t marker[4], uint64_t offset, unsigned index)
{
    (void)ctx, (void)offset, (void)index;
    marker[3] |= 1;
}

static void add_four(void *ctx, uint8_t marker[4], uint64_t offset, unsigned index)
{
    (void)ctx, (void)offset, (void)index;
    put_be16(marker + 2, (uint16_t)(get_be16(marker + 2) + 4));
}

static void add_four_to_leading(void *ctx, uint8_t marker[4], uint64_t offset, unsigned index)
{
    (void)ctx, (void)offset;
    if (index == 0)
        marker[3] = 4;
}

static void clear(void *ctx, uint8_t marker[4], uint64_t offset, unsigned index)
{
    (void)ctx, (void)offset, (void)index;
    memset(marker, 0, 4);
}

static void point_to_previous_fpdu(void *ctx, uint8_t marker[4], uint64_t offset, unsigned index)
{
    (void)ctx, (void)offset;
    if (index == 0)
        put_be16(marker + 2, 508); /* the FPDU that ended here filled the period behind its own Marker */
}

static void point_to_previous_marker(void *ctx, uint8_t marker[4], uint64_t offset, unsigned index)
{
    (void)ctx, (void)offset;
    if (index > 0)
        put_be16(marker + 2, MPA_MARKER_PERIOD);
}

/* The first FPDU of the interval begins right behind the Marker before. */
static void point_to_first_of_interval(void *ctx, uint8_t marker[4], uint64_t offset, unsigned index)
{
    (void)ctx, (void)offset, (void)index;
    put_be16(marker + 2, MPA_MARKER_PERIOD - MPA_MARKER_LEN);
}

#define WITH_HOOK(name, hook)                                                                                          \
    static void name(struct fpdu_write *w)                                                                             \
    {                                                                                                                  \
        w->plan.marker_hook = hook;                                                                                    \
    }

WITH_HOOK(pointer_swapped, swap_pointer)
WITH_HOOK(reserved_set, set_reserved)
WITH_HOOK(low_bits_set, set_low_bits)
WITH_HOOK(pointer_plus_four, add_four)
WITH_HOOK(leading_pointer_four, add_four_to_leading)
WITH_HOOK(marker_cleared, clear)
WITH_HOOK(pointer_to_previous_fpdu, point_to_previous_fpdu)
WITH_HOOK(pointer_to_previous_marker, point_to_previous_marker)
WITH_HOOK(pointer_to_first, point_to_first_of_interval)

/* ---- wrong places ---- */

/* The FPDU anew with Markers at the stream offsets in at[0..n); pointers and CRC are right for these places. */
static void place_markers(struct fpdu_write *w, const uint64_t *at, unsigned n)
{
    struct mpa_fpdu_plan plan = w->plan;
    g_autofree uint8_t *plain = g_malloc(MPA_FPDU_OCTETS_MAX);
    uint64_t position = w->plan.offset, header = position;
    unsigned next = 0;

    plan.framing.markers = false;

    size_t length = mpa_fpdu_encode(&plan, plain, MPA_FPDU_OCTETS_MAX) - MPA_CRC_LEN;

    g_byte_array_set_size(w->octets, 0);
    for (size_t i = 0; i < length; i++) {
        if (next < n && at[next] == position) {
            uint8_t marker[4] = {0};

            if (i == 0)
                header += MPA_MARKER_LEN;
            else
                put_be16(marker + 2, (uint16_t)(position - header) & 0xFFFC); /* as 4.2 wants it, wherever it stands */
            g_byte_array_append(w->octets, marker, sizeof marker);
            position += MPA_MARKER_LEN;
            next++;
        }
        g_byte_array_append(w->octets, plain + i, 1);
        position++;
    }

    uint8_t crc[MPA_CRC_LEN];

    put_le32(crc, crc32c(w->octets->data, w->octets->len));
    g_byte_array_append(w->octets, crc, sizeof crc);
}

static void no_interior_markers(struct fpdu_write *w)
{
    uint64_t first = mpa_next_marker(&w->plan.framing, w->plan.offset);

    place_markers(w, &first, first == w->plan.offset ? 1 : 0);
}

static void unchanged(struct fpdu_write *w)
{
    (void)w;
}

/* All stream offsets first + period * k that this FPDU reaches, and its own first octet where lead is set. */
static void place_grid(struct fpdu_write *w, bool lead, uint64_t first, unsigned period)
{
    uint64_t at[MPA_FPDU_MARKERS_MAX + 1];
    struct mpa_framing none = {.markers = false};
    uint64_t end = w->plan.offset + mpa_fpdu_octets(&none, w->plan.offset, w->plan.ulpdu_length) - MPA_CRC_LEN;
    unsigned n = 0;

    if (lead)
        at[n++] = w->plan.offset;
    for (uint64_t position = first; position < end + n * (uint64_t)MPA_MARKER_LEN && n < MPA_FPDU_MARKERS_MAX;
         position += period) {
        if (position >= w->plan.offset + lead)
            at[n++] = position;
    }
    place_markers(w, at, n);
}

static void first_marker_missing(struct fpdu_write *w)
{
    place_grid(w, false, w->plan.framing.seq_start + MPA_MARKER_PERIOD, MPA_MARKER_PERIOD);
}

static void period_516(struct fpdu_write *w)
{
    place_grid(w, false, w->plan.framing.seq_start, MPA_MARKER_PERIOD + MPA_MARKER_LEN);
}

static void period_256(struct fpdu_write *w)
{
    place_grid(w, false, w->plan.framing.seq_start, MPA_MARKER_PERIOD / 2);
}

static void period_500(struct fpdu_write *w)
{
    place_grid(w, false, w->plan.framing.seq_start, MPA_MARKER_PERIOD - 12);
}

static void eight_octets_late(struct fpdu_write *w)
{
    place_grid(w, false, w->plan.framing.seq_start + 8, MPA_MARKER_PERIOD);
}

static void one_octet_late(struct fpdu_write *w)
{
    uint64_t first = mpa_next_marker(&w->plan.framing, w->plan.offset);
    bool lead = first == w->plan.offset;

    place_grid(w, lead, first + (lead ? MPA_MARKER_PERIOD : 0) + 1, MPA_MARKER_PERIOD);
}

/* The grid of the other direction. */
static void grid_of_other_direction(struct fpdu_write *w)
{
    const struct mpa_framing *other = &w->conversation->framing[w->role == INITIATOR ? RESPONDER : INITIATOR];
    bool lead = mpa_next_marker(&w->plan.framing, w->plan.offset) == w->plan.offset;

    place_grid(w, lead, mpa_next_marker(other, w->plan.offset + 8), MPA_MARKER_PERIOD);
}

static void unmarked(struct fpdu_write *w)
{
    w->plan.framing.markers = w->conversation->framing[w->role].markers = false;
}

static void marked(struct fpdu_write *w)
{
    w->plan.framing.markers = w->conversation->framing[w->role].markers = true;
}

/* A Marker behind the last FPDU, and nothing behind the Marker. */
static void play_trailing_marker(struct stage *stage)
{
    struct conversation *c = conversation_new(stage, &setup_rev1_markers);
    static const uint8_t marker[MPA_MARKER_LEN];

    say_startup(c);
    say_send(c, INITIATOR, 502 - DDP_UNTAGGED_HEADER_LEN);
    say_send(c, RESPONDER, 100);
    say_octets(c, INITIATOR, marker, sizeof marker);
    say_close(c, INITIATOR);
}

/* 00000000 in front of the first FPDU, which does not cover it, and no other Markers. */
static void play_word_in_front(struct stage *stage)
{
    struct conversation *c = conversation_new(stage, &setup_rev1);
    static const uint8_t word[MPA_MARKER_LEN];

    say_startup(c);
    cork(c, INITIATOR);
    say_octets(c, INITIATOR, word, sizeof word);
    say_send(c, INITIATOR, 100);
    uncork(c, INITIATOR);
    say_send(c, RESPONDER, 100);
    say_traffic(c);
    say_close(c, INITIATOR);
}

static void other_private_data(struct conversation_setup *setup)
{
    setup->wish[RESPONDER].ulp_length = 120; /* so that the two grids differ */
}

static const struct fault faults[] = {
    {.id = "MPA-4.2-01",
     .scenario = "marker-walk",
     .summary = "FPDUPTR with its octets swapped",
     .index = 2,
     .where = marker_inside_only,
     .fpdu = pointer_swapped,
     .aftermath = TERMINATED,
     .terminate = TERMINATE_MARKER},
    {.id = "MPA-4.2-02",
     .scenario = "marker-walk",
     .summary = "RESERVED is 1, covered by the CRC",
     .index = 2,
     .where = marker_inside_only,
     .fpdu = reserved_set},
    {.id = "MPA-4.2-05",
     .scenario = "marker-walk",
     .summary = "lowest bit of FPDUPTR set",
     .index = 2,
     .where = marker_inside_only,
     .fpdu = low_bits_set},
    {.id = "MPA-4.3-03",
     .scenario = "marker-walk",
     .summary = "no Markers inside a long FPDU",
     .index = 2,
     .where = two_markers_inside,
     .fpdu_octets = no_interior_markers,
     .aftermath = TERMINATED},
    {.id = "MPA-4.3-04",
     .scenario = "jumbo-markers",
     .summary = "no Marker before the first FPDU, the next one at its place",
     .fpdu_octets = first_marker_missing,
     .where = marker_leads,
     .aftermath = CLOSED},
    {.id = "MPA-4.3-05",
     .scenario = "markers",
     .summary = "the first Marker is 00000004",
     .where = marker_leads,
     .fpdu = leading_pointer_four},
    {.id = "MPA-4.3-06",
     .scenario = "jumbo-markers",
     .summary = "second Marker 516 octets behind the first",
     .where = marker_inside,
     .fpdu_octets = period_516,
     .aftermath = CLOSED},
    {.id = "MPA-4.3-06/period-516",
     .scenario = "jumbo-markers",
     .summary = "all Markers 516 octets apart",
     .fpdu_octets = period_516,
     .persistent = true},
    {.id = "MPA-4.3-06/period-256",
     .scenario = "jumbo-markers",
     .summary = "all Markers 256 octets apart",
     .fpdu_octets = period_256,
     .persistent = true},
    {.id = "MPA-4.3-06/period-500",
     .scenario = "marker-walk",
     .summary = "all Markers 500 octets apart",
     .fpdu_octets = period_500,
     .persistent = true},
    {.id = "MPA-4.3-06/late",
     .scenario = "jumbo-markers",
     .summary = "the first Marker, and all that follow, 8 octets late",
     .fpdu_octets = eight_octets_late,
     .persistent = true},
    {.id = "MPA-4.3-08",
     .scenario = "wrap",
     .summary = "the Marker after the wrap of sequence numbers stands one octet late",
     .index = 1,
     .where = marker_after_wrap,
     .fpdu_octets = one_octet_late,
     .aftermath = TERMINATED,
     .terminate = TERMINATE_MARKER},
    {.id = "MPA-4.3-09",
     .scenario = "marker-walk",
     .summary = "FPDUPTR too large by 4",
     .index = 2,
     .where = marker_inside_only,
     .fpdu = pointer_plus_four,
     .aftermath = TERMINATED,
     .terminate = TERMINATE_MARKER},
    {.id = "MPA-4.3-10",
     .scenario = "marker-walk",
     .summary = "Marker between FPDUs points back to the one that ended",
     .index = 1,
     .where = marker_leads,
     .fpdu = pointer_to_previous_fpdu,
     .aftermath = TERMINATED,
     .terminate = TERMINATE_MARKER},
    {.id = "MPA-4.3-11",
     .scenario = "marker-walk",
     .summary = "Marker inside an FPDU is zero",
     .index = 2,
     .where = marker_inside_only,
     .fpdu = marker_cleared,
     .aftermath = TERMINATED,
     .terminate = TERMINATE_MARKER},
    {.id = "MPA-4.3-14",
     .scenario = "marker-walk",
     .summary = "second Marker of an FPDU points to the Marker before it",
     .index = 2,
     .where = two_markers_inside,
     .fpdu = pointer_to_previous_marker,
     .aftermath = TERMINATED,
     .terminate = TERMINATE_MARKER},
    {.id = "MPA-4.3-15",
     .scenario = "marker-walk",
     .summary = "Marker points to the first FPDU of the interval",
     .index = 5,
     .where = marker_inside_short,
     .fpdu = pointer_to_first,
     .aftermath = TERMINATED,
     .terminate = TERMINATE_MARKER},
    {.id = "MPA-4.3-17",
     .scenario = "jumbo-markers",
     .summary = "the Responder's second Marker stands on the Initiator's grid",
     .role = RESPONDER,
     .index = 1,
     .setup = other_private_data,
     .where = two_markers_inside,
     .fpdu_octets = grid_of_other_direction,
     .aftermath = TERMINATED,
     .terminate = TERMINATE_MARKER},
    {.id = "MPA-4.2-03",
     .scenario = "marker-walk",
     .summary = "the receiver answers nonzero RESERVED with a Terminate",
     .also = "MPA-4.2-02",
     .index = 2,
     .where = marker_inside_only,
     .fpdu = reserved_set,
     .aftermath = TERMINATED,
     .terminate = TERMINATE_MARKER},
    {
        .id = "MPA-4.2-03+ok",
        .scenario = "marker-walk",
        .summary = "the receiver goes on after nonzero RESERVED",
        .also = "MPA-4.2-02",
        .index = 2,
        .where = marker_inside_only,
        .fpdu = reserved_set,
    },
    {.id = "MPA-4.2-06",
     .scenario = "marker-walk",
     .summary = "the receiver answers low bits of FPDUPTR with a Terminate",
     .also = "MPA-4.2-05",
     .index = 2,
     .where = marker_inside_only,
     .fpdu = low_bits_set,
     .aftermath = TERMINATED,
     .terminate = TERMINATE_MARKER},
    {
        .id = "MPA-4.2-06+ok",
        .scenario = "marker-walk",
        .summary = "the receiver goes on after low bits of FPDUPTR",
        .also = "MPA-4.2-05",
        .index = 2,
        .where = marker_inside_only,
        .fpdu = low_bits_set,
    },
    {.id = "MPA-4.3-07",
     .scenario = "wrap",
     .summary = "the receiver complains of a Marker behind the wrap of sequence numbers",
     .where = wrap_before_marker,
     .fpdu = unchanged,
     .aftermath = TERMINATED,
     .terminate = TERMINATE_MARKER},
    {.id = "MPA-4.3-18",
     .scenario = "ends-on-grid",
     .summary = "a Marker behind the last FPDU",
     .play = play_trailing_marker},
    {.id = "MPA-7.1.1-08",
     .scenario = "markers-to-initiator",
     .summary = "Request with M = 1, the Responder sends no Markers",
     .role = RESPONDER,
     .where = has_markers,
     .fpdu = unmarked,
     .aftermath = TERMINATED,
     .more = 2},
    {.id = "MPA-7.1.1-09",
     .scenario = "markers-to-responder",
     .summary = "Reply with M = 1, the Initiator sends no Markers",
     .where = has_markers,
     .fpdu = unmarked,
     .aftermath = CLOSED,
     .more = 9},
    {.id = "MPA-7.1.1-10",
     .scenario = "markers-to-responder",
     .summary = "Request with M = 0, the Responder sends Markers",
     .role = RESPONDER,
     .where = has_no_markers,
     .fpdu = marked,
     .aftermath = TERMINATED,
     .more = 1},
    {.id = "MPA-7.1.1-11",
     .scenario = "markers-to-initiator",
     .summary = "Reply with M = 0, the Initiator sends Markers",
     .where = has_no_markers,
     .fpdu = marked,
     .aftermath = CLOSED,
     .more = 1},
    {.id = "MPA-7.1.1-11/word",
     .scenario = "rev1",
     .summary = "Reply with M = 0, a lone 00000000 in front of the Initiator's first FPDU",
     .play = play_word_in_front},
    {.id = "MPA-C.2.5-04",
     .scenario = "permissive",
     .summary = "Reply of revision 0, the Initiator goes on without Markers as its Request had asked for",
     .where = is_rdmac,
     .fpdu = unmarked,
     .aftermath = CLOSED,
     .more = 3},
};

const struct fault_table marker_faults = {faults, sizeof faults / sizeof faults[0]};
