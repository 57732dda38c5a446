// SPDX-License-Identifier: GPL-2.0-or-later
/* RFC 5044 section 4.4: the CRC of an FPDU whose bounds are known, and what a wrong CRC was computed over. */
#include "engine/mpa/mpa_framing.h"

#include "wire/crc32.h"
#include "wire/crc32c.h"
#include "wire/invariant.h"

#include <string.h>

static uint32_t swap32(uint32_t v)
{
    return v << 24 | (v << 8 & 0xFF0000) | (v >> 8 & 0xFF00) | v >> 24;
}

enum { LEAVE_LEADING = 1, LEAVE_INTERIOR = 2, LEAVE_LAST = 4 /* the Marker between PAD and CRC */, LEAVE_ALL = 7 };

static const uint8_t zero_words[2 * MPA_MARKER_LEN];

struct layout {
    const struct mpa_fpdu *fpdu;
    const uint8_t *p;
    size_t covered; /* octets before the CRC field */
    size_t header;  /* offset of ULPDU_Length */
    bool leading, interior, last;
    uint32_t of_ulpdu, not_preset; /* CRCs that several mistakes are compared with */
};

static struct layout crc_layout_of(const struct mpa_fpdu *fpdu)
{
    struct layout layout = {.fpdu = fpdu,
                            .p = fpdu->octets,
                            .covered = fpdu->length - MPA_CRC_LEN,
                            .header = (size_t)(fpdu->header - fpdu->offset)};

    for (unsigned i = 0; i < fpdu->n_markers; i++) {
        uint64_t at = fpdu->markers[i].offset - fpdu->offset;

        if (at < layout.header)
            layout.leading = true;
        else if (at + MPA_MARKER_LEN == layout.covered)
            layout.last = true;
        else
            layout.interior = true;
    }
    INVARIANT(layout.header < layout.covered && layout.covered < fpdu->length);
    return layout;
}

/* The CRC32c of the octets from `from` to the CRC field, without the Markers that `leave_out` selects. */
static uint32_t crc_without(const struct layout *layout, size_t from, unsigned leave_out)
{
    const struct mpa_fpdu *fpdu = layout->fpdu;
    size_t to = layout->covered;
    uint32_t crc = 0;

    for (unsigned i = 0; i < fpdu->n_markers; i++) {
        size_t at = (size_t)(fpdu->markers[i].offset - fpdu->offset);
        unsigned kind = at < layout->header                      ? LEAVE_LEADING
                        : at + MPA_MARKER_LEN == layout->covered ? LEAVE_LAST
                                                                 : LEAVE_INTERIOR;

        if (!(leave_out & kind) || at < from || at >= to)
            continue;
        INVARIANT(at + MPA_MARKER_LEN <= fpdu->length);
        crc = crc32c_extend(crc, layout->p + from, at - from);
        from = at + MPA_MARKER_LEN;
    }
    return from < to ? crc32c_extend(crc, layout->p + from, to - from) : crc;
}

struct cause {
    enum rule_id rule;
    const char *text;
    bool silent; /* another rule reports the same octets */
};

/* ---- the CRC field is elsewhere ---- */

static bool precedes_pad(const struct layout *layout)
{
    const struct mpa_fpdu *fpdu = layout->fpdu;
    const uint8_t *p = layout->p;
    size_t pad = fpdu->pad_length, at = layout->covered - pad;
    uint32_t field, crc;

    if (layout->last || pad == 0)
        return false;
    for (size_t i = at + MPA_CRC_LEN; i < fpdu->length; i++)
        if (p[i] != 0)
            return false;
    field = get_le32(p + at);
    crc = crc32c(p, at);
    return field == crc || field == crc32c_extend(crc, zero_words, pad);
}

/* A DDP header follows ULPDU_Length, and no header follows four octets later: so no CRC field is in between. */
static bool ulpdu_follows_length(const struct layout *layout)
{
    uint8_t later[MPA_LENGTH_LEN + DDP_TAGGED_HEADER_LEN];
    const uint8_t *header = layout->p + layout->header;

    if (layout->covered - layout->header < sizeof later || mpa_header_oddity(header, sizeof later) > 0)
        return false;
    memcpy(later, header, MPA_LENGTH_LEN);
    memcpy(later + MPA_LENGTH_LEN, header + MPA_LENGTH_LEN + MPA_CRC_LEN, sizeof later - MPA_LENGTH_LEN);
    return mpa_header_oddity(later, sizeof later) > 0;
}

static bool follows_length(const struct layout *layout)
{
    const uint8_t *p = layout->p;
    size_t at = layout->header + MPA_LENGTH_LEN, rest = at + MPA_CRC_LEN, end = layout->fpdu->length;
    uint32_t field, before;

    if (end < rest || ulpdu_follows_length(layout))
        return false;
    field = get_le32(p + at);
    before = crc32c(p, at);
    return field == crc32c_extend(before, p + rest, end - rest) || field == crc32c(p + rest, end - rest) ||
           field == crc32c_extend(crc32c_extend(before, zero_words, MPA_CRC_LEN), p + rest, end - rest);
}

static bool placed_elsewhere(const struct layout *layout, struct cause *cause)
{
    if (precedes_pad(layout))
        *cause = (struct cause){RULE_MPA_4_1_08, "it precedes the PAD", false};
    else if (follows_length(layout))
        *cause = (struct cause){RULE_MPA_4_1_08, "it comes right after ULPDU_Length", false};
    else
        return false;
    return true;
}

/*
 * ---- the CRC field is in its place, but was computed differently ----
 *
 * If the sender left out the last octets, extending the field over them gives the CRC of all octets, without another
 * pass over the earlier ones.
 */

static bool is_reversed(const struct layout *layout)
{
    return layout->fpdu->crc == swap32(layout->fpdu->crc_computed);
}

static bool lacks_leading(const struct layout *layout)
{
    return layout->leading && layout->fpdu->crc == crc_without(layout, 0, LEAVE_LEADING);
}

/* all: the CRC including the Marker between PAD and CRC. */
static bool lacks_last_of(const struct layout *layout, uint32_t all)
{
    return layout->last &&
           crc32c_extend(layout->fpdu->crc, layout->p + layout->covered - MPA_MARKER_LEN, MPA_MARKER_LEN) == all;
}

static bool lacks_last(const struct layout *layout)
{
    return lacks_last_of(layout, layout->fpdu->crc_computed);
}

static bool lacks_interior(const struct layout *layout)
{
    uint32_t crc;

    if (!layout->interior)
        return false;
    crc = crc_without(layout, 0, LEAVE_INTERIOR);
    return layout->fpdu->crc == crc || lacks_last_of(layout, crc);
}

static bool lacks_markers(const struct layout *layout)
{
    return layout->leading && (layout->interior || layout->last) &&
           layout->fpdu->crc == crc_without(layout, 0, LEAVE_ALL);
}

static bool has_one_word_more(const struct layout *layout)
{
    return layout->fpdu->crc == crc32c_extend(layout->fpdu->crc_computed, zero_words, MPA_MARKER_LEN);
}

static bool has_two_words_more(const struct layout *layout)
{
    return layout->fpdu->crc == crc32c_extend(layout->fpdu->crc_computed, zero_words, sizeof zero_words);
}

/* The PAD is covered, Markers may or may not be. */
static bool lacks_length(const struct layout *layout)
{
    const struct mpa_fpdu *fpdu = layout->fpdu;

    return fpdu->crc == crc32c_extend(layout->of_ulpdu, fpdu->pad, fpdu->pad_length) ||
           ((layout->interior || layout->last) && fpdu->crc == crc_without(layout, layout->header + MPA_LENGTH_LEN, 0));
}

static bool lacks_pad(const struct layout *layout)
{
    const struct mpa_fpdu *fpdu = layout->fpdu;
    size_t pad = fpdu->pad_length;

    return pad > 0 && crc32c_extend(fpdu->crc, layout->p + layout->covered - pad, pad) == fpdu->crc_computed;
}

static bool is_of_ulpdu(const struct layout *layout)
{
    return layout->fpdu->ulpdu_length > 0 && layout->fpdu->crc == layout->of_ulpdu;
}

static bool has_zero_pad(const struct layout *layout)
{
    size_t pad = layout->fpdu->pad_length, after = layout->last ? MPA_MARKER_LEN : 0;
    uint32_t crc;

    if ((layout->fpdu->pad[0] | layout->fpdu->pad[1] | layout->fpdu->pad[2]) == 0)
        return false;
    crc = crc32c_extend(crc32c(layout->p, layout->covered - after - pad), zero_words, pad);
    return layout->fpdu->crc == crc32c_extend(crc, layout->p + layout->covered - after, after);
}

/* The Markers' contents are right. */
static bool has_due_markers(const struct layout *layout)
{
    const struct mpa_fpdu *fpdu = layout->fpdu;
    bool others = false;
    uint32_t crc = 0;
    size_t from = 0;

    for (unsigned i = 0; i < fpdu->n_markers; i++)
        others |= fpdu->markers[i].reserved != 0 || fpdu->markers[i].fpduptr != fpdu->markers[i].expected;
    for (unsigned i = 0; others && i < fpdu->n_markers; i++) {
        size_t at = (size_t)(fpdu->markers[i].offset - fpdu->offset);
        uint8_t marker[MPA_MARKER_LEN] = {0};

        if (at + MPA_MARKER_LEN > layout->covered)
            break;
        put_be16(marker + 2, fpdu->markers[i].expected);
        crc = crc32c_extend(crc, layout->p + from, at - from);
        crc = crc32c_extend(crc, marker, sizeof marker);
        from = at + MPA_MARKER_LEN;
    }
    return others && fpdu->crc == crc32c_extend(crc, layout->p + from, layout->covered - from);
}

static bool is_crc32(const struct layout *layout)
{
    return layout->fpdu->crc == crc32_extend(0, layout->p, layout->covered);
}

static bool is_not_preset(const struct layout *layout)
{
    return layout->fpdu->crc == layout->not_preset;
}

static bool is_bare_remainder(const struct layout *layout)
{
    return layout->fpdu->crc == ~layout->not_preset;
}

static bool is_not_complemented(const struct layout *layout)
{
    return layout->fpdu->crc == ~layout->fpdu->crc_computed;
}

struct mistake {
    bool (*explains)(const struct layout *layout);
    struct cause cause;
};

static bool find_mistake(const struct layout *layout, const struct mistake *mistakes, size_t n, struct cause *cause)
{
    for (size_t i = 0; i < n; i++)
        if (mistakes[i].explains(layout)) {
            *cause = mistakes[i].cause;
            return true;
        }
    return false;
}

static bool wrong_coverage(struct layout *layout, struct cause *cause)
{
    /* Mistakes that the last octets alone reveal. */
    static const struct mistake cheap[] = {
        {is_reversed, {RULE_MPA_4_4_13, "its octets are in reverse order", false}},
        {lacks_last, {RULE_MPA_4_4_15, "the Marker between PAD and CRC is not covered", false}},
        {has_one_word_more,
         {RULE_MPA_4_4_17, "the coverage extends past the PAD, over the CRC field or the Marker after it", false}},
        {has_two_words_more, {RULE_MPA_4_4_17, "the coverage includes the CRC field and the Marker after it", false}},
        {lacks_pad, {RULE_MPA_4_4_14, "the PAD is not covered", false}},
        {is_not_complemented, {RULE_MPA_4_4_12, "it was not complemented", false}},
    };
    static const struct mistake others[] = {
        {lacks_leading, {RULE_MPA_4_3_12, "the Marker before ULPDU_Length is not covered", false}},
        {lacks_interior, {RULE_MPA_4_3_13, "the Markers inside the FPDU are not covered", false}},
        {lacks_markers, {RULE_MPA_4_3_13, "no Marker is covered", false}},
        {lacks_length, {RULE_MPA_4_4_14, "ULPDU_Length is not covered", false}},
        {is_of_ulpdu, {RULE_MPA_4_4_14, "only the ULPDU is covered", false}},
        {has_zero_pad, {RULE_MPA_4_1_05, "", true}},
        {has_due_markers, {RULE_MPA_4_2_02, "", true}},
        {is_not_preset, {RULE_MPA_4_4_12, "the register was not preset to ones", false}},
        {is_bare_remainder, {RULE_MPA_4_4_12, "the register was neither preset to ones nor complemented", false}},
        {is_crc32, {RULE_MPA_4_4_12, "it is a CRC-32 of IEEE 802.3", false}},
    };

    if (find_mistake(layout, cheap, sizeof cheap / sizeof cheap[0], cause))
        return true;
    layout->of_ulpdu = crc32c(layout->fpdu->ulpdu, layout->fpdu->ulpdu_length);
    layout->not_preset = crc32c_extend(~UINT32_C(0), layout->p, layout->covered);
    return find_mistake(layout, others, sizeof others / sizeof others[0], cause);
}

bool mpa_crc_of_zero_pad(const struct mpa_fpdu *fpdu)
{
    struct layout layout = crc_layout_of(fpdu);

    return has_zero_pad(&layout);
}

bool mpa_crc_misplaced(const struct mpa_fpdu *fpdu)
{
    struct layout layout = crc_layout_of(fpdu);
    struct cause cause;

    return placed_elsewhere(&layout, &cause) && !wrong_coverage(&layout, &cause);
}

bool mpa_crc_explained(const struct mpa_fpdu *fpdu)
{
    struct layout layout = crc_layout_of(fpdu);
    struct cause cause;

    return fpdu->ulpdu_length > 0 && (wrong_coverage(&layout, &cause) || placed_elsewhere(&layout, &cause));
}

static bool revision_zero(const struct mpa_connection *mpa)
{
    return mpa->parameters.startup_seen &&
           (mpa->side[0].startup.frame.revision == 0 || mpa->side[1].startup.frame.revision == 0);
}

/*
 * C = 1 was only in octets that the peer sent with another key, which are not an MPA frame and demand nothing. FPDUs
 * after them are judged for having been sent at all.
 */
static bool asked_by_no_frame(const struct mpa_connection *mpa, unsigned side)
{
    const struct startup_seen *own = &mpa->side[side].startup, *peer = &mpa->side[1 - side].startup;

    return own->seen && !(own->frame.flags & MPA_FLAG_C) && peer->seen && peer->key_matches < MPA_KEY_LEN;
}

/* The field is all zeros or ones: from here on, no CRC is computed. Reported once. */
static void report_not_computed(struct mpa_connection *mpa, unsigned side, const struct mpa_fpdu *fpdu,
                                const struct place *place)
{
    struct mpa_side *s = &mpa->side[side];
    struct mpa_framing_state *fs = s->framing;
    enum direction direction = direction_of(mpa, side);

    if (fs->stopped_reported)
        return;
    if (s->good_crcs > 0) {
        fs->stopped_reported = true;
        verdict_failed(mpa->verdict, RULE_MPA_4_4_07, direction, place, 0,
                       "expected the right CRC, %08x, as in the %llu FPDUs before; found CRC %08x",
                       swap32(fpdu->crc_computed), (unsigned long long)s->good_crcs, swap32(fpdu->crc));
        return;
    }
    fs->no_crc_reported = true;
    if (asked_by_no_frame(mpa, side))
        return;
    verdict_failed(mpa->verdict, revision_zero(mpa) ? RULE_MPA_C_1_04 : RULE_MPA_7_1_1_15, direction, place, 0,
                   "expected the CRC %08x, as %s; found CRC %08x in the first FPDU", swap32(fpdu->crc_computed),
                   revision_zero(mpa) ? "a startup frame has Rev 0" : "a startup frame has C = 1", swap32(fpdu->crc));
}

static void crc_report(struct mpa_connection *mpa, unsigned side, const struct mpa_fpdu *fpdu,
                       const struct place *place)
{
    const struct mpa_side *s = &mpa->side[side];
    struct layout layout = crc_layout_of(fpdu);
    struct cause cause = {RULE_MPA_4_4_12, NULL, false};

    if (s->framing->no_crc_reported && s->good_crcs == 0)
        return;
    if ((fpdu->crc == 0 || fpdu->crc == UINT32_MAX) && !placed_elsewhere(&layout, &cause)) {
        report_not_computed(mpa, side, fpdu, place);
        return;
    }
    if (!cause.text && !wrong_coverage(&layout, &cause))
        placed_elsewhere(&layout, &cause);
    if (cause.silent)
        return;
    verdict_failed(mpa->verdict, cause.rule, direction_of(mpa, side), place, 0,
                   "expected the CRC octets %08x; found CRC octets %08x%s%s", swap32(fpdu->crc_computed),
                   swap32(fpdu->crc), cause.text ? ": " : "", cause.text ? cause.text : "");
}

static void crc_count_right(struct mpa_connection *mpa, unsigned side, const struct mpa_fpdu *fpdu)
{
    struct verdict *v = mpa->verdict;
    const struct mpa_framing_state *fs = mpa->side[side].framing;

    VERDICT_PASSED(v, RULE_MPA_4_1_08, RULE_MPA_4_4_07, RULE_MPA_4_4_12, RULE_MPA_4_4_13, RULE_MPA_4_4_14,
                   RULE_MPA_4_4_17, revision_zero(mpa) ? RULE_MPA_C_1_04 : RULE_MPA_7_1_1_15);
    if (fs->framing.markers) {
        uint64_t crc = fpdu->offset + fpdu->length - MPA_CRC_LEN;

        for (unsigned i = 0; i < fpdu->n_markers; i++) {
            uint64_t at = fpdu->markers[i].offset;

            verdict_passed(v, at < fpdu->header            ? RULE_MPA_4_3_12
                              : at + MPA_MARKER_LEN == crc ? RULE_MPA_4_4_15
                                                           : RULE_MPA_4_3_13);
        }
    }
}

enum mpa_crc_verdict mpa_judge_crc(struct mpa_connection *mpa, unsigned side, const struct mpa_fpdu *fpdu,
                                   const struct place *place)
{
    bool good = fpdu->crc == fpdu->crc_computed;

    switch (mpa->parameters.crc) {
    case OFF:
        return MPA_CRC_NOT_USED;
    case UNKNOWN:
        return MPA_CRC_UNKNOWN;
    case ON:
        break;
    }
    if (mpa->verdict->off)
        return good ? MPA_CRC_VERIFIED : MPA_CRC_WRONG;
    if (!mpa_crc_binding(mpa)) {
        if (!good)
            verdict_inconclusive(mpa->verdict, RULE_MPA_4_4_12, LOST_OR(WHY_AGREED), place->frame);
    } else if (good) {
        crc_count_right(mpa, side, fpdu);
    } else {
        crc_report(mpa, side, fpdu, place);
    }
    return good ? MPA_CRC_VERIFIED : MPA_CRC_WRONG;
}
