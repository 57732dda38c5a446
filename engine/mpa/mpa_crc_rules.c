// SPDX-License-Identifier: GPL-2.0-or-later
/* RFC 5044 section 4.4: the CRC of an FPDU whose bounds are known, and what a wrong one was computed over. */
#include "engine/mpa/mpa_framing.h"

#include "wire/crc32c.h"

static uint32_t swap32(uint32_t v)
{
    return v << 24 | (v << 8 & 0xFF0000) | (v >> 8 & 0xFF00) | v >> 24;
}

/* CRC-32 of IEEE 802.3, reflected like CRC32c: the polynomial most easily used by mistake. */
static uint32_t crc32_ieee(const uint8_t *p, size_t n)
{
    uint32_t crc = ~UINT32_C(0);

    for (size_t i = 0; i < n; i++) {
        crc ^= p[i];
        for (unsigned bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (UINT32_C(0xEDB88320) & (0 - (crc & 1)));
    }
    return ~crc;
}

/* CRC32c of the octets before the CRC field without the Markers that `leave_out` names. */
enum { LEAVE_LEADING = 1, LEAVE_INTERIOR = 2, LEAVE_LAST = 4 /* the one between PAD and CRC */ };

struct layout {
    const uint8_t *p;
    size_t covered; /* octets before the CRC field */
    size_t header;  /* of ULPDU_Length */
    bool leading, interior, last;
};

static struct layout layout_of(const struct mpa_fpdu *fpdu)
{
    struct layout layout = {
        .p = fpdu->octets, .covered = fpdu->length - MPA_CRC_LEN, .header = (size_t)(fpdu->header - fpdu->offset)};

    for (unsigned i = 0; i < fpdu->n_markers; i++) {
        uint64_t at = fpdu->markers[i].offset - fpdu->offset;

        if (at < layout.header)
            layout.leading = true;
        else if (at + MPA_MARKER_LEN == layout.covered)
            layout.last = true;
        else
            layout.interior = true;
    }
    return layout;
}

static uint32_t crc_without(const struct mpa_fpdu *fpdu, const struct layout *layout, size_t from, size_t to,
                            unsigned leave_out)
{
    uint32_t crc = 0;

    for (unsigned i = 0; i < fpdu->n_markers; i++) {
        size_t at = (size_t)(fpdu->markers[i].offset - fpdu->offset);
        unsigned kind = at < layout->header                      ? LEAVE_LEADING
                        : at + MPA_MARKER_LEN == layout->covered ? LEAVE_LAST
                                                                 : LEAVE_INTERIOR;

        if (!(leave_out & kind) || at < from || at >= to)
            continue;
        crc = crc32c_extend(crc, layout->p + from, at - from);
        from = at + MPA_MARKER_LEN;
    }
    return from < to ? crc32c_extend(crc, layout->p + from, to - from) : crc;
}

/* With the Markers' contents as they should be. */
static uint32_t crc_with_due_markers(const struct mpa_fpdu *fpdu, const struct layout *layout)
{
    uint32_t crc = 0;
    size_t from = 0;

    for (unsigned i = 0; i < fpdu->n_markers; i++) {
        size_t at = (size_t)(fpdu->markers[i].offset - fpdu->offset);
        uint8_t marker[MPA_MARKER_LEN] = {0};

        if (at + MPA_MARKER_LEN > layout->covered)
            break;
        put_be16(marker + 2, fpdu->markers[i].expected);
        crc = crc32c_extend(crc, layout->p + from, at - from);
        crc = crc32c_extend(crc, marker, sizeof marker);
        from = at + MPA_MARKER_LEN;
    }
    return crc32c_extend(crc, layout->p + from, layout->covered - from);
}

static uint32_t crc_with_zero_pad(const struct mpa_fpdu *fpdu, const struct layout *layout)
{
    static const uint8_t zeros[3];

    if (layout->last) /* the PAD precedes a Marker: put together */
        return crc32c_extend(crc32c_extend(crc32c(layout->p, layout->covered - MPA_MARKER_LEN - fpdu->pad_length),
                                           zeros, fpdu->pad_length),
                             layout->p + layout->covered - MPA_MARKER_LEN, MPA_MARKER_LEN);
    return crc32c_extend(crc32c(layout->p, layout->covered - fpdu->pad_length), zeros, fpdu->pad_length);
}

struct cause {
    enum rule_id rule;
    const char *text;
    bool silent; /* another rule about the same octets is reported */
};

static bool pad_nonzero(const struct mpa_fpdu *fpdu)
{
    return (fpdu->pad[0] | fpdu->pad[1] | fpdu->pad[2]) != 0;
}

/* The CRC is elsewhere: before the PAD, or right after ULPDU_Length. */
static bool placed_elsewhere(const struct mpa_fpdu *fpdu, const struct layout *layout, struct cause *cause)
{
    const uint8_t *p = layout->p;
    size_t end = fpdu->length, header = layout->header, pad = fpdu->pad_length;

    if (!layout->last && pad > 0) {
        size_t at = layout->covered - pad;
        uint32_t crc = crc32c(p, at);
        static const uint8_t zeros[3];

        uint32_t field = get_le32(p + at);
        bool pad_after = true;

        for (size_t i = at + MPA_CRC_LEN; i < end; i++)
            pad_after &= p[i] == 0;
        if (pad_after && (field == crc || field == crc32c_extend(crc, zeros, pad))) {
            *cause = (struct cause){RULE_MPA_4_1_08, "it precedes the PAD", false};
            return true;
        }
    }
    if (end >= header + 2 + MPA_CRC_LEN) {
        size_t rest = header + 2 + MPA_CRC_LEN;
        uint32_t field = get_le32(p + header + 2);
        static const uint8_t zeros[MPA_CRC_LEN];

        if (field == crc32c_extend(crc32c(p, header + 2), p + rest, end - rest) ||
            field == crc32c(p + rest, end - rest) ||
            field == crc32c_extend(crc32c_extend(crc32c(p, header + 2), zeros, sizeof zeros), p + rest, end - rest)) {
            *cause = (struct cause){RULE_MPA_4_1_08, "it comes right after ULPDU_Length", false};
            return true;
        }
    }
    return false;
}

static bool wrong_coverage(const struct mpa_fpdu *fpdu, const struct layout *layout, struct cause *cause)
{
    const uint8_t *p = layout->p;
    size_t header = layout->header, covered = layout->covered, pad = fpdu->pad_length;
    uint32_t computed = fpdu->crc_computed, field = fpdu->crc;
    static const uint8_t zeros[2 * MPA_MARKER_LEN];
    const unsigned all = LEAVE_LEADING | LEAVE_INTERIOR | LEAVE_LAST;
    const struct {
        bool applies;
        uint32_t crc;
        struct cause cause;
    } variants[] = {
        {true, swap32(computed), {RULE_MPA_4_4_13, "its octets are in reverse order", false}},
        {layout->leading,
         crc_without(fpdu, layout, 0, covered, LEAVE_LEADING),
         {RULE_MPA_4_3_12, "the Marker before ULPDU_Length is not covered", false}},
        {layout->last,
         crc_without(fpdu, layout, 0, covered, LEAVE_LAST),
         {RULE_MPA_4_4_15, "the Marker between PAD and CRC is not covered", false}},
        {layout->interior,
         crc_without(fpdu, layout, 0, covered, LEAVE_INTERIOR),
         {RULE_MPA_4_3_13, "the Markers inside the FPDU are not covered", false}},
        {layout->interior && layout->last,
         crc_without(fpdu, layout, 0, covered, LEAVE_INTERIOR | LEAVE_LAST),
         {RULE_MPA_4_3_13, "the Markers inside the FPDU are not covered", false}},
        {layout->interior || layout->last,
         crc_without(fpdu, layout, 0, covered, all),
         {RULE_MPA_4_3_13, "no Marker is covered", false}},
        {true,
         crc32c_extend(computed, zeros, MPA_MARKER_LEN),
         {RULE_MPA_4_4_17, "the coverage extends past the PAD, over the CRC field or the Marker after it", false}},
        {true,
         crc32c_extend(computed, zeros, 2 * MPA_MARKER_LEN),
         {RULE_MPA_4_4_17, "the coverage includes the CRC field and the Marker after it", false}},
        {true,
         crc_without(fpdu, layout, header + 2, covered, 0),
         {RULE_MPA_4_4_14, "ULPDU_Length is not covered", false}},
        {true,
         crc_without(fpdu, layout, header + 2, covered, all),
         {RULE_MPA_4_4_14, "ULPDU_Length is not covered", false}},
        {pad > 0, crc_without(fpdu, layout, 0, covered - pad, 0), {RULE_MPA_4_4_14, "the PAD is not covered", false}},
        {fpdu->ulpdu_length > 0,
         crc32c(fpdu->ulpdu, fpdu->ulpdu_length),
         {RULE_MPA_4_4_14, "only the ULPDU is covered", false}},
        {pad_nonzero(fpdu), crc_with_zero_pad(fpdu, layout), {RULE_MPA_4_1_05, "", true}},
        {fpdu->n_markers > 0, crc_with_due_markers(fpdu, layout), {RULE_MPA_4_2_02, "", true}},
        {true, crc32_ieee(p, covered), {RULE_MPA_4_4_12, "it is a CRC-32 of IEEE 802.3", false}},
        {true,
         crc32c_extend(~UINT32_C(0), p, covered),
         {RULE_MPA_4_4_12, "the register was not preset to ones", false}},
        {true,
         ~crc32c_extend(~UINT32_C(0), p, covered),
         {RULE_MPA_4_4_12, "the register was neither preset to ones nor complemented", false}},
        {true, ~computed, {RULE_MPA_4_4_12, "it was not complemented", false}},
    };

    for (size_t i = 0; i < sizeof variants / sizeof variants[0]; i++)
        if (variants[i].applies && variants[i].crc == field) {
            *cause = variants[i].cause;
            return true;
        }
    return false;
}

bool mpa_crc_of_zero_pad(const struct mpa_fpdu *fpdu)
{
    struct layout layout = layout_of(fpdu);

    return pad_nonzero(fpdu) && crc_with_zero_pad(fpdu, &layout) == fpdu->crc;
}

bool mpa_crc_misplaced(const struct mpa_fpdu *fpdu)
{
    struct layout layout = layout_of(fpdu);
    struct cause cause;

    return !wrong_coverage(fpdu, &layout, &cause) && placed_elsewhere(fpdu, &layout, &cause);
}

bool mpa_crc_explained(const struct mpa_fpdu *fpdu)
{
    struct layout layout = layout_of(fpdu);
    struct cause cause;

    return fpdu->ulpdu_length > 0 && (wrong_coverage(fpdu, &layout, &cause) || placed_elsewhere(fpdu, &layout, &cause));
}

static bool revision_zero(const struct mpa_connection *mpa)
{
    return mpa->parameters.startup_seen &&
           (mpa->side[0].startup.frame.revision == 0 || mpa->side[1].startup.frame.revision == 0);
}

/*
 * C = 1 was only in what the peer sent with another key: that is no MPA frame and demands nothing. What follows it is
 * judged for being there at all.
 */
static bool asked_by_no_frame(const struct mpa_connection *mpa, unsigned side)
{
    const struct startup_seen *own = &mpa->side[side].startup, *peer = &mpa->side[1 - side].startup;

    return own->seen && !(own->frame.flags & MPA_FLAG_C) && peer->seen && peer->key_matches < MPA_KEY_LEN;
}

/* The field is all zeros or ones: no CRC was ever computed, or none from here on. Reported once. */
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
                       "expected the right CRC, %08x, as in the %llu FPDUs before; found %08x",
                       swap32(fpdu->crc_computed), (unsigned long long)s->good_crcs, swap32(fpdu->crc));
        return;
    }
    fs->no_crc_reported = true;
    if (asked_by_no_frame(mpa, side))
        return;
    verdict_failed(mpa->verdict, revision_zero(mpa) ? RULE_MPA_C_1_04 : RULE_MPA_7_1_1_15, direction, place, 0,
                   "expected the CRC %08x, as %s; found %08x in the first FPDU", swap32(fpdu->crc_computed),
                   revision_zero(mpa) ? "a startup frame has Rev 0" : "a startup frame has C = 1", swap32(fpdu->crc));
}

static void report(struct mpa_connection *mpa, unsigned side, const struct mpa_fpdu *fpdu, const struct place *place)
{
    const struct mpa_side *s = &mpa->side[side];
    struct layout layout = layout_of(fpdu);
    struct cause cause = {RULE_MPA_4_4_12, NULL, false};

    if (s->framing->no_crc_reported && s->good_crcs == 0)
        return;
    if ((fpdu->crc == 0 || fpdu->crc == UINT32_MAX) && !placed_elsewhere(fpdu, &layout, &cause)) {
        report_not_computed(mpa, side, fpdu, place);
        return;
    }
    if (!cause.text && !wrong_coverage(fpdu, &layout, &cause))
        placed_elsewhere(fpdu, &layout, &cause);
    if (cause.silent)
        return;
    verdict_failed(mpa->verdict, cause.rule, direction_of(mpa, side), place, 0,
                   "expected the CRC octets %08x; found %08x%s%s", swap32(fpdu->crc_computed), swap32(fpdu->crc),
                   cause.text ? ": " : "", cause.text ? cause.text : "");
}

static void count_right(struct mpa_connection *mpa, unsigned side, const struct mpa_fpdu *fpdu)
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
    if (!mpa_crc_binding(mpa)) {
        if (!good)
            verdict_inconclusive(mpa->verdict, RULE_MPA_4_4_12);
    } else if (good) {
        count_right(mpa, side, fpdu);
    } else {
        report(mpa, side, fpdu, place);
    }
    return good ? MPA_CRC_VERIFIED : MPA_CRC_WRONG;
}
