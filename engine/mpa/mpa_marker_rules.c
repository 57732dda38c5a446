// SPDX-License-Identifier: GPL-2.0-or-later
/* RFC 5044 sections 4.2 and 4.3: contents and positions of Markers. */
#include "engine/mpa/mpa_framing.h"
#include "wire/invariant.h"

#include <string.h>

static uint16_t marker_swap16(uint16_t v)
{
    return (uint16_t)(v << 8 | v >> 8);
}

static bool right(const struct mpa_marker *marker)
{
    return marker->reserved == 0 && marker->fpduptr == marker->expected;
}

bool mpa_markers_right(const struct mpa_fpdu *fpdu)
{
    for (unsigned i = 0; i < fpdu->n_markers; i++)
        if (!right(&fpdu->markers[i]))
            return false;
    return true;
}

/* The octets of FPDUPTR or of the whole Marker are reversed, or its two fields are swapped. */
static bool marker_swapped(const struct mpa_marker *marker)
{
    uint16_t twisted = marker_swap16(marker->expected);

    return marker->expected != 0 &&
           ((marker->reserved == 0 && marker->fpduptr == twisted) ||
            (marker->fpduptr == 0 && (marker->reserved == twisted || marker->reserved == marker->expected)));
}

/* The octets look like a Marker, even a wrong one, rather than like ULPDU. */
bool mpa_marker_like(const struct mpa_marker *marker, const struct mpa_fpdu *fpdu)
{
    if (right(marker) || marker_swapped(marker) || marker->fpduptr == marker->expected)
        return true;
    return marker->reserved == 0 && marker->fpduptr <= fpdu->length + MPA_MARKER_PERIOD;
}

bool mpa_find_marker(const struct mpa_side *s, uint64_t header, uint64_t from, uint64_t to, uint64_t *at)
{
    uint64_t end = mpa_window_end(&s->window);

    if (from < header + MPA_MARKER_LEN)
        from = header + MPA_MARKER_LEN;
    if (to > header + UINT16_MAX)
        to = header + UINT16_MAX;
    if (to + MPA_MARKER_LEN > end + 1)
        to = end + 1 > MPA_MARKER_LEN ? end + 1 - MPA_MARKER_LEN : 0;
    for (uint64_t x = from; x < to; x++) {
        const uint8_t *p = mpa_window_at(&s->window, x), *zero = *p == 0 ? p : memchr(p, 0, (size_t)(to - x));
        uint32_t octets;

        if (!zero) /* the high octet of RESERVED */
            return false;
        x += (uint64_t)(zero - p);
        INVARIANT(x >= header + MPA_MARKER_LEN && x + MPA_MARKER_LEN <= end);
        octets = get_be32(zero);
        /* Off the 4-octet grid, senders may or may not clear the two least significant bits. */
        if (octets == x - header || (octets == ((x - header) & ~UINT64_C(3)) && octets != 0)) {
            *at = x;
            return true;
        }
    }
    return false;
}

/* ---- contents ---- */

/* FPDUPTR points to an FPDU of the same Marker interval that ended before the Marker. */
static bool points_to_earlier(const struct mpa_framing_state *fs, const struct mpa_marker *marker)
{
    unsigned pointer = marker->fpduptr & ~3u;
    uint64_t target = marker->offset - pointer;
    unsigned n = fs->n_recent < RECENT_HEADERS ? fs->n_recent : RECENT_HEADERS;

    if (pointer == 0 || pointer > MPA_MARKER_PERIOD || pointer > marker->offset)
        return false;
    for (unsigned i = 0; i < n; i++)
        if (fs->recent[i] == target)
            return true;
    return false;
}

/* The rule broken by an FPDUPTR that points elsewhere, apart from its low bits. */
static enum rule_id pointer_rule(const struct mpa_framing_state *fs, const struct mpa_fpdu *fpdu, unsigned i)
{
    const struct mpa_marker *marker = &fpdu->markers[i];
    bool leading = marker->offset < fpdu->header;
    bool earlier_interior = i > 0 && fpdu->markers[i - 1].offset > fpdu->header;

    if (marker->fpduptr == marker_swap16(marker->expected))
        return RULE_MPA_4_2_01;
    if (leading)
        return marker->offset == fs->start && fs->start_known ? RULE_MPA_4_3_05 : RULE_MPA_4_3_10;
    if (marker->fpduptr < 4)
        return RULE_MPA_4_3_11;
    if (earlier_interior && (marker->fpduptr & ~3u) == fs->period)
        return RULE_MPA_4_3_14;
    if (points_to_earlier(fs, marker))
        return RULE_MPA_4_3_15;
    return RULE_MPA_4_3_09;
}

/* The low bits are set in addition to another error, unless FPDUPTR is swapped, slightly off, or arbitrary. */
static bool low_bits_too(const struct mpa_marker *marker, const struct mpa_fpdu *fpdu)
{
    unsigned wrong_by =
        marker->fpduptr > marker->expected ? marker->fpduptr - marker->expected : marker->expected - marker->fpduptr;

    return (marker->fpduptr & 3) != 0 && wrong_by > 3 && marker->fpduptr != marker_swap16(marker->expected) &&
           marker->fpduptr <= fpdu->length + MPA_MARKER_PERIOD;
}

static void fail_content(struct mpa_connection *mpa, unsigned side, const struct mpa_marker *marker, enum rule_id rule)
{
    mpa_fail(mpa, side, rule, marker->offset, marker->offset + MPA_MARKER_LEN,
             "expected Marker 0000%04x (%s); found Marker %04x%04x", marker->expected,
             marker->expected == 0 ? "between FPDUs: an FPDU header follows"
                                   : "octets since the ULPDU_Length of the FPDU that contains it",
             marker->reserved, marker->fpduptr);
}

/* Judges each field separately, unless one error explains both. */
static void judge_content(struct mpa_connection *mpa, unsigned side, const struct mpa_fpdu *fpdu, unsigned i)
{
    const struct mpa_marker *marker = &fpdu->markers[i];
    bool elsewhere = (marker->fpduptr & ~3u) != marker->expected;
    bool negative = marker->reserved == UINT16_MAX && elsewhere; /* a negative number of 32 bits */

    if (marker_swapped(marker)) {
        fail_content(mpa, side, marker, RULE_MPA_4_2_01);
        return;
    }
    if (marker->reserved != 0 && !negative)
        fail_content(mpa, side, marker, RULE_MPA_4_2_02);
    if (elsewhere)
        fail_content(mpa, side, marker, pointer_rule(mpa->side[side].framing, fpdu, i));
    if (elsewhere ? low_bits_too(marker, fpdu) : marker->fpduptr != marker->expected)
        fail_content(mpa, side, marker, RULE_MPA_4_2_05);
}

/* Stream offset at which the sequence numbers of this side wrap to 0; 0 when unknown. */
static uint64_t marker_wrap_of(const struct mpa_connection *mpa, unsigned side)
{
    const struct tcp_side_facts *facts = mpa->tcp ? tcp_pair_facts(mpa->tcp, side) : NULL;

    return facts ? (UINT64_C(1) << 32) - facts->isn : 0;
}

static void count_grid(struct mpa_connection *mpa, unsigned side, const struct mpa_marker *marker)
{
    const struct mpa_framing_state *fs = mpa->side[side].framing;
    const struct mpa_framing_state *other = mpa->side[1 - side].framing;
    struct verdict *v = mpa->verdict;
    uint64_t wrap = marker_wrap_of(mpa, side);

    verdict_passed(v, RULE_MPA_4_3_03);
    verdict_passed(v, RULE_MPA_4_3_06);
    if (wrap != 0 && fs->start <= wrap && marker->offset + MPA_MARKER_LEN > wrap)
        verdict_passed(v, RULE_MPA_4_3_08);
    if (other && other->start_known && fs->start_known && (other->start - fs->start) % fs->period != 0)
        verdict_passed(v, RULE_MPA_4_3_17);
}

static void marker_count_right(struct mpa_connection *mpa, unsigned side, const struct mpa_fpdu *fpdu, unsigned i)
{
    const struct mpa_marker *marker = &fpdu->markers[i];
    const struct mpa_framing_state *fs = mpa->side[side].framing;
    struct verdict *v = mpa->verdict;

    verdict_passed(v, RULE_MPA_4_2_01);
    verdict_passed(v, RULE_MPA_4_2_02);
    verdict_passed(v, RULE_MPA_4_2_05);
    if (!fs->grid_reported)
        count_grid(mpa, side, marker);
    if (marker->offset < fpdu->header) {
        if (marker->offset == fs->start && fs->start_known) {
            verdict_passed(v, RULE_MPA_4_3_04);
            verdict_passed(v, RULE_MPA_4_3_05);
        } else {
            verdict_passed(v, RULE_MPA_4_3_10);
        }
        return;
    }
    verdict_passed(v, RULE_MPA_4_3_09);
    verdict_passed(v, RULE_MPA_4_3_11);
    if (i > 0 && fpdu->markers[i - 1].offset > fpdu->header)
        verdict_passed(v, RULE_MPA_4_3_14);
    /* The rule was exercised: a wrong sender could have pointed to an FPDU that ended in the same interval. */
    if (fs->last_end > 0 && fs->last_end <= fpdu->offset && marker->offset - fs->last_end < fs->period && i == 0)
        verdict_passed(v, RULE_MPA_4_3_15);
}

void mpa_judge_markers(struct mpa_connection *mpa, unsigned side, const struct mpa_fpdu *fpdu,
                       const struct place *place)
{
    struct mpa_framing_state *fs = mpa->side[side].framing;

    (void)place;
    for (unsigned i = 0; i < fpdu->n_markers; i++) {
        if (!right(&fpdu->markers[i])) {
            judge_content(mpa, side, fpdu, i);
            continue;
        }
        marker_count_right(mpa, side, fpdu, i);
        fs->last_marker = fpdu->markers[i].offset;
        fs->markers_right++;
        INVARIANT(fs->last_marker >= fpdu->offset && fs->last_marker < fpdu->offset + fpdu->length);
    }
}

/* ---- the grid ---- */

/* `early`: also before the side's first FPDU, as its startup frame determines where that will be. False: unknown. */
static bool grid_start(const struct mpa_side *side, bool early, uint64_t *start)
{
    if (side->framing && side->framing->start_known)
        *start = side->framing->start;
    else if (early && !side->framing && side->startup.seen)
        *start = side->startup.end;
    else
        return false;
    return true;
}

static enum rule_id grid_rule(const struct mpa_connection *mpa, unsigned side, uint64_t found)
{
    const struct mpa_framing_state *fs = mpa->side[side].framing;
    uint64_t wrap = marker_wrap_of(mpa, side), others;

    if (!fs->start_known)
        return RULE_MPA_4_3_06;
    if (wrap != 0 && fs->markers_right > 0 && fs->last_marker < wrap && found + MPA_MARKER_LEN > wrap)
        return RULE_MPA_4_3_08;
    if ((found - fs->start) % (MPA_MARKER_PERIOD + MPA_MARKER_LEN) == 0) /* 512 octets of FPDUs between Markers */
        return RULE_MPA_4_3_06;
    if (grid_start(&mpa->side[1 - side], fs->markers_right == 0, &others) &&
        (found - fs->start) % MPA_MARKER_PERIOD != 0) {
        const struct tcp_side_facts *mine = mpa->tcp ? tcp_pair_facts(mpa->tcp, side) : NULL;
        const struct tcp_side_facts *theirs = mpa->tcp ? tcp_pair_facts(mpa->tcp, 1 - side) : NULL;

        if ((found - others) % MPA_MARKER_PERIOD == 0)
            return RULE_MPA_4_3_17;
        if (mine && theirs && (mine->isn + found - theirs->isn - others) % MPA_MARKER_PERIOD == 0)
            return RULE_MPA_4_3_17;
    }
    return RULE_MPA_4_3_06;
}

void mpa_report_grid(struct mpa_connection *mpa, unsigned side, uint64_t due, uint64_t found, uint64_t header)
{
    struct mpa_framing_state *fs = mpa->side[side].framing;
    enum rule_id rule = grid_rule(mpa, side, found);

    if (fs->grid_reported)
        return;
    fs->grid_reported = true;
    mpa->side[side].faulty = true;
    if (!mpa->parameters.startup_seen || !fs->start_known) {
        verdict_inconclusive(mpa->verdict, rule, LOST_OR(WHY_LATE),
                             mpa_place(mpa, side, found, found + MPA_MARKER_LEN).frame);
        return;
    }
    mpa_fail(mpa, side, rule, found, found + MPA_MARKER_LEN,
             "expected a Marker at octet %llu of Full Operation (a multiple of 512); found a Marker at octet %llu "
             "(%llu octets %s)",
             (unsigned long long)(due - fs->start), (unsigned long long)(found - fs->start),
             (unsigned long long)(found < header ? header - found : found - header),
             found < header ? "before ULPDU_Length" : "after the ULPDU_Length that it points to");
}

void mpa_report_missing_marker(struct mpa_connection *mpa, unsigned side, uint64_t due)
{
    struct mpa_framing_state *fs = mpa->side[side].framing;
    uint64_t end = mpa_window_end(&mpa->side[side].window);

    if (fs->missing_reported)
        return;
    fs->missing_reported = true;
    if (fs->unmet && mpa->parameters.markers[side] == OFF) /* no Marker is due: that is reported already */
        return;
    if (!fs->start_known && fs->markers_right < 2) { /* the grid is a guess */
        verdict_inconclusive(mpa->verdict, RULE_MPA_4_3_03, LOST_OR(WHY_LATE), mpa_place(mpa, side, due, end).frame);
        return;
    }
    mpa_fail(
        mpa, side, RULE_MPA_4_3_03, due, due + MPA_MARKER_LEN < end ? due + MPA_MARKER_LEN : end,
        "expected a Marker at octet %llu of Full Operation (a multiple of 512); found FPDU octets in place of a Marker",
        (unsigned long long)(due - fs->start));
}
