// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ULPDU_Length, PAD or CRC fields that section 4.1 does not allow. If CRCs are generated, the FPDU's own CRC shows
 * where it ends. Otherwise the usual mistakes are tried: the right mistake predicts the place of the next FPDU.
 */
#include "engine/mpa/mpa_diagnose.h"

#include "wire/crc32c.h"
#include "wire/invariant.h"

static uint16_t length_swap16(uint16_t v)
{
    return (uint16_t)(v << 8 | v >> 8);
}

/* Number of Markers in [from, to), according to the framing in use. */
static unsigned markers_between(const struct mpa_framing_state *fs, uint64_t from, uint64_t to)
{
    struct mpa_shape shape;

    mpa_shape_grid(&shape, fs->framing.markers, fs->framing.seq_start, fs->period, from, to);
    return shape.n;
}

void mpa_report_length(struct diagnosing *d, const struct suspect *suspect, unsigned length, uint64_t end)
{
    const char *why = "";

    if (length == length_swap16(suspect->length))
        why = ": its octets are in reverse order";
    else if (suspect->length == length + MPA_LENGTH_LEN || suspect->length == length + MPA_CRC_LEN ||
             suspect->length == length + MPA_LENGTH_LEN + MPA_CRC_LEN || suspect->length == end - suspect->start)
        why = ": it includes header, PAD or CRC";
    mpa_fail(d->mpa, d->side, RULE_MPA_4_1_02, suspect->start, end,
             "expected ULPDU_Length %04x (%u octets of ULPDU); found ULPDU_Length %04x (%u)%s", length, length,
             suspect->length, suspect->length, why);
}

static void report_pad(struct diagnosing *d, const struct suspect *suspect, unsigned pad, uint64_t end)
{
    mpa_fail(d->mpa, d->side, RULE_MPA_4_1_04, suspect->start, end,
             "expected %u PAD octets after a ULPDU of %u octets; found %u PAD octets", mpa_pad_length(suspect->length),
             suspect->length, pad);
}

static void report_counted_markers(struct diagnosing *d, const struct suspect *suspect, unsigned length, uint64_t end)
{
    mpa_fail(d->mpa, d->side, RULE_MPA_4_1_03, suspect->start, end,
             "expected ULPDU_Length %u, without the Markers inside the FPDU; found ULPDU_Length %u, which includes the "
             "Markers",
             length, suspect->length);
}

static void report_no_crc(struct diagnosing *d, const struct suspect *suspect, uint64_t end)
{
    if (d->fs->no_field_reported)
        return;
    d->fs->no_field_reported = true;
    mpa_fail(d->mpa, d->side, RULE_MPA_4_1_09, suspect->start, end,
             "expected a CRC field of 4 octets after ULPDU and PAD (ULPDU_Length %u); found the %s right after ULPDU "
             "and PAD",
             suspect->length, end == mpa_window_end(&d->s->window) && d->s->fin ? "FIN" : "next FPDU");
}

/* ---- by CRC ---- */

/* The CRC32c of [start, end - 4) with ULPDU_Length replaced by `length`. */
static uint32_t crc_with_length(const struct diagnosing *d, const struct suspect *suspect, uint64_t end,
                                uint16_t length)
{
    const uint8_t *p = mpa_window_at(&d->s->window, suspect->start);
    size_t header = (size_t)(suspect->header - suspect->start), covered = (size_t)(end - suspect->start) - MPA_CRC_LEN;
    uint8_t field[MPA_LENGTH_LEN];

    put_be16(field, length);
    return crc32c_extend(crc32c_extend(crc32c(p, header), field, sizeof field), p + header + sizeof field,
                         covered - header - sizeof field);
}

/* The offset after a CRC that is right for the octets before it; 0 when there is none. */
static uint64_t scan_for_crc(const struct diagnosing *d, const struct suspect *suspect)
{
    size_t n = mpa_octets_from(d->s, suspect->start),
           from = (size_t)(suspect->header - suspect->start) + MPA_LENGTH_LEN, at;

    if (n > MPA_FPDU_OCTETS_MAX)
        n = MPA_FPDU_OCTETS_MAX;
    at = crc32c_find(mpa_window_at(&d->s->window, suspect->start), from, n);
    return at < n ? suspect->start + at + MPA_CRC_LEN : 0;
}

/* With this ULPDU_Length, the PAD octets are zero (otherwise they belong to the ULPDU). */
static bool diagnose_length_fits(const struct diagnosing *d, const struct suspect *suspect, unsigned length)
{
    struct mpa_shape shape;
    struct mpa_fpdu fpdu;

    mpa_shape_init(&shape, d->fs, suspect->start, (uint16_t)length);
    return mpa_shape_read(&fpdu, &shape, d->s, suspect->start) && (fpdu.pad[0] | fpdu.pad[1] | fpdu.pad[2]) == 0;
}

/* Octets of ULPDU and PAD if the FPDU ends at `end`; false when there is no room for any. */
static bool body_of(const struct diagnosing *d, uint64_t start, uint64_t end, unsigned *body)
{
    uint64_t other = MPA_MARKER_LEN * markers_between(d->fs, start, end) + MPA_LENGTH_LEN + MPA_CRC_LEN;

    if (end < start + other || end - start - other > UINT16_MAX)
        return false;
    *body = (unsigned)(end - start - other);
    return true;
}

/* The likeliest real length of the ULPDU if the FPDU ends at `end`: PAD octets look like ULPDU. */
static unsigned likely_length(const struct diagnosing *d, const struct suspect *suspect, uint64_t end, unsigned both)
{
    unsigned sent = suspect->length;
    const unsigned guesses[] = {
        sent - MPA_LENGTH_LEN - MPA_CRC_LEN,
        sent - MPA_CRC_LEN,
        sent - MPA_LENGTH_LEN,
        sent - MPA_LENGTH_LEN - MPA_CRC_LEN - (both & 3),
        length_swap16(suspect->length),
    };
    uint64_t body = suspect->header + MPA_LENGTH_LEN;
    unsigned fixed = mpa_octets_from(d->s, body) > 0
                         ? mpa_fixed_ulpdu_length(mpa_window_at(&d->s->window, body), mpa_octets_from(d->s, body))
                         : 0;

    if (fixed != 0 && fixed + mpa_pad_length((uint16_t)fixed) == both)
        return fixed;
    if (sent == end - suspect->start) /* the whole FPDU was counted: L + 2 + 4 + PAD */
        for (unsigned pad = 0; pad < 4; pad++)
            if (both >= pad && mpa_pad_length((uint16_t)(both - pad)) == pad)
                return both - pad;
    for (size_t i = 0; i < sizeof guesses / sizeof guesses[0]; i++)
        if (guesses[i] <= UINT16_MAX && guesses[i] + mpa_pad_length((uint16_t)guesses[i]) == both &&
            diagnose_length_fits(d, suspect, guesses[i]))
            return guesses[i];
    return both;
}

/* The FPDU's CRC proves that it ends at `end`: finds the wrong field. */
static bool settle_end(struct diagnosing *d, const struct suspect *suspect, uint64_t end, bool length_corrected)
{
    unsigned markers = markers_between(d->fs, suspect->header, end), sent = suspect->length, body;
    struct mpa_shape shape;
    struct mpa_fpdu fpdu;

    if (!body_of(d, suspect->start, end, &body))
        return false;
    mpa_shape_init(&shape, d->fs, suspect->start, suspect->length);
    if (!length_corrected && body >= sent && body - sent < 8 && (body % 4 != 2 || body - sent >= 4)) {
        report_pad(d, suspect, body - sent, end);
        shape.pad = (uint8_t)(body - sent);
    } else {
        unsigned length = likely_length(d, suspect, end, body);
        unsigned less = MPA_MARKER_LEN * markers;
        INVARIANT(length <= body);

        if (markers > 0 && sent > less && sent - less + mpa_pad_length((uint16_t)(sent - less)) == body &&
            diagnose_length_fits(d, suspect, sent - less)) {
            length = sent - less;
            report_counted_markers(d, suspect, length, end);
        } else {
            mpa_report_length(d, suspect, length, end);
        }
        mpa_shape_set_length(&shape, (uint16_t)length);
        shape.pad = (uint8_t)(body - length);
    }
    INVARIANT(shape.pad < 8);
    if (!mpa_shape_read(&fpdu, &shape, d->s, suspect->start)) {
        d->s->cursor = end;
        INVARIANT(end > suspect->start);
        return true;
    }
    if (length_corrected)
        fpdu.crc_computed = fpdu.crc; /* right for what was intended; the length is what is reported */
    mpa_framing_accept(d->mpa, d->side, &fpdu, ACCEPT_PROVEN | ACCEPT_DEVIANT);
    return true;
}

/* The FPDU may end at `end`, with a CRC that was taken before a usual mistake was made in ULPDU_Length. */
static bool try_corrected_length(struct diagnosing *d, const struct suspect *suspect, uint64_t end)
{
    uint64_t least = suspect->header + MPA_LENGTH_LEN + MPA_CRC_LEN + 1;
    unsigned body;

    if (end < least || end > mpa_window_end(&d->s->window) || !body_of(d, suspect->start, end, &body))
        return false;
    for (unsigned pad = 0; pad < 4 && pad <= body; pad++) {
        unsigned length = body - pad;

        if (length > UINT16_MAX || mpa_pad_length((uint16_t)length) != pad || length == suspect->length)
            continue;
        if (crc_with_length(d, suspect, end, (uint16_t)length) == get_le32(mpa_window_at(&d->s->window, end - 4)))
            return true;
    }
    return false;
}

bool mpa_try_end_by_crc(struct diagnosing *d)
{
    struct suspect suspect;
    uint64_t end;

    if (!mpa_diagnose_suspect(d, &suspect, d->at))
        return false;
    end = scan_for_crc(d, &suspect);
    if (end == 0 || (d->fpdu && end == d->at + d->fpdu->length))
        return false;
    return settle_end(d, &suspect, end, false);
}

/*
 * No PAD: the CRC is right after the ULPDU, and the next FPDU right after the CRC. (A CRC before the PAD looks the
 * same, but zero octets follow it.)
 */
bool mpa_try_no_pad(struct diagnosing *d)
{
    struct suspect suspect;
    struct mpa_shape shape;
    struct mpa_fpdu fpdu;
    uint64_t end;
    bool zero = true;

    if (!mpa_diagnose_suspect(d, &suspect, d->at) || mpa_pad_length(suspect.length) == 0)
        return false;
    mpa_shape_init(&shape, d->fs, suspect.start, suspect.length);
    shape.pad = 0;
    end = mpa_shape_end(&shape, suspect.start);
    if (!mpa_shape_read(&fpdu, &shape, d->s, suspect.start) || fpdu.crc != fpdu.crc_computed)
        return false;
    for (uint64_t x = end; x < end + mpa_pad_length(suspect.length); x++) {
        if (x >= mpa_window_end(&d->s->window)) {
            d->unsure = true;
            return false;
        }
        zero &= *mpa_window_at(&d->s->window, x) == 0;
    }
    if (zero && !mpa_segment_starts(d->mpa, d->side, end))
        return false;
    return settle_end(d, &suspect, end, false);
}

bool mpa_try_corrected_end(struct diagnosing *d, const struct suspect *suspect, uint64_t end)
{
    if (!try_corrected_length(d, suspect, end))
        return false;
    return settle_end(d, suspect, end, true);
}

/* ---- by what follows ---- */

enum mistake { NO_CRC_FIELD, LENGTH, COUNTED_MARKERS, PAD };

struct candidate {
    enum mistake mistake;
    unsigned value; /* the right length, or the number of PAD octets sent */
    struct mpa_shape shape;
    uint64_t end;
};

/*
 * Whether CRC fields of this direction are zero while CRCs are not generated; then a zero word is strong evidence of
 * one.
 */
static bool crc_fields_are_zero(const struct diagnosing *d, const struct suspect *suspect)
{
    unsigned last = suspect->start == d->fs->last_end ? d->fs->crc_field : CRC_FIELD_NONE;
    const struct mpa_framing_state *other = d->mpa->side[1 - d->side].framing;

    if (d->fs->zero_crc_fields + d->fs->other_crc_fields > 0 || last != CRC_FIELD_NONE)
        return d->fs->other_crc_fields == 0 && last != CRC_FIELD_OTHER;
    return other && other->zero_crc_fields > 0 && other->other_crc_fields == 0;
}

static bool zero_word_before(const struct diagnosing *d, uint64_t end)
{
    return end >= d->s->window.offset + MPA_CRC_LEN && end <= mpa_window_end(&d->s->window) &&
           get_be32(mpa_window_at(&d->s->window, end - MPA_CRC_LEN)) == 0;
}

/* The octets before a CRC field that ends at `end` are zero, and the octet before them is not: PAD. */
static bool pad_precedes(const struct diagnosing *d, uint64_t end, unsigned pad)
{
    const struct mpa_window *window = &d->s->window;

    if (pad == 0 || end < window->offset + MPA_CRC_LEN + pad + 1 || end > mpa_window_end(window))
        return false;
    for (unsigned i = 1; i <= pad; i++)
        if (*mpa_window_at(window, end - MPA_CRC_LEN - i) != 0)
            return false;
    return *mpa_window_at(window, end - MPA_CRC_LEN - pad - 1) != 0;
}

static unsigned fixed_length(const struct diagnosing *d, const struct suspect *suspect)
{
    uint64_t body = suspect->header + MPA_LENGTH_LEN;
    size_t n = mpa_octets_from(d->s, body);

    return n == 0 ? 0 : mpa_fixed_ulpdu_length(mpa_window_at(&d->s->window, body), n);
}

static bool extra_pad_zero(const struct diagnosing *d, const struct suspect *suspect, const struct candidate *candidate)
{
    uint64_t from = candidate->end - MPA_CRC_LEN - candidate->value;

    if (crc_fields_are_zero(d, suspect) && !zero_word_before(d, candidate->end))
        return false;
    for (uint64_t x = from; x < candidate->end - MPA_CRC_LEN; x++)
        if (*mpa_window_at(&d->s->window, x) != 0)
            return false;
    return true;
}

/*
 * Whether, apart from the position of the next FPDU, this mistake is likelier than the others that end at the same
 * octet.
 */
static bool credible(struct diagnosing *d, const struct suspect *suspect, const struct candidate *candidate)
{
    unsigned fixed = fixed_length(d, suspect);

    switch (candidate->mistake) {
    case NO_CRC_FIELD:
        if (fixed != 0)
            return fixed == suspect->length;
        /* A zero word there is a CRC field like the others', unless the octets before it are all zero, too. */
        return !(crc_fields_are_zero(d, suspect) && zero_word_before(d, candidate->end) &&
                 !zero_word_before(d, candidate->end - MPA_CRC_LEN));
    case LENGTH:
        return (fixed == 0 || fixed == candidate->value) && diagnose_length_fits(d, suspect, candidate->value);
    case COUNTED_MARKERS:
        /* The PAD octets may show that the length was too large by another amount. */
        if (!diagnose_length_fits(d, suspect, candidate->value))
            return false;
        return !pad_precedes(d, candidate->end, mpa_pad_length((uint16_t)(suspect->length - 6u))) ||
               candidate->value + mpa_pad_length((uint16_t)candidate->value) !=
                   suspect->length - 6u + mpa_pad_length((uint16_t)(suspect->length - 6u));
    case PAD:
        return (fixed == 0 || fixed == suspect->length) &&
               (candidate->value <= mpa_pad_length(suspect->length) || extra_pad_zero(d, suspect, candidate));
    }
    return false;
}

static void length_settle(struct diagnosing *d, const struct suspect *suspect, const struct candidate *candidate)
{
    struct mpa_fpdu fpdu;

    switch (candidate->mistake) {
    case NO_CRC_FIELD:
        report_no_crc(d, suspect, candidate->end);
        break;
    case LENGTH:
        mpa_report_length(d, suspect, candidate->value, candidate->end);
        break;
    case COUNTED_MARKERS:
        report_counted_markers(d, suspect, candidate->value, candidate->end);
        break;
    case PAD:
        report_pad(d, suspect, candidate->value, candidate->end);
        break;
    }
    if (suspect->start == d->at && mpa_shape_read(&fpdu, &candidate->shape, d->s, suspect->start)) {
        mpa_framing_accept(d->mpa, d->side, &fpdu,
                           ACCEPT_DEVIANT | ACCEPT_PROVEN | (candidate->mistake == NO_CRC_FIELD ? ACCEPT_NO_CRC : 0));
    } else { /* the FPDU was delivered already, with its ULPDU_Length */
        d->s->cursor = candidate->end;
        d->fs->previous = false;
        INVARIANT(d->s->cursor > suspect->start);
    }
}

/* Sets the FPDU's shape and end for this mistake. False: there is no such shape. */
static bool shape_candidate(const struct diagnosing *d, const struct suspect *suspect, struct candidate *candidate)
{
    unsigned value = candidate->value;
    bool of_length = candidate->mistake == LENGTH || candidate->mistake == COUNTED_MARKERS;
    uint64_t usual;

    if (of_length && (value == 0 || value > UINT16_MAX || value == suspect->length))
        return false;
    mpa_shape_init(&candidate->shape, d->fs, suspect->start, suspect->length);
    usual = mpa_shape_end(&candidate->shape, suspect->start);
    if (of_length)
        mpa_shape_set_length(&candidate->shape, (uint16_t)value);
    else if (candidate->mistake == PAD)
        candidate->shape.pad = (uint8_t)value;
    else
        candidate->shape.crc = 0;
    candidate->end = mpa_shape_end(&candidate->shape, suspect->start);
    if (candidate->mistake == COUNTED_MARKERS &&
        markers_between(d->fs, suspect->header, candidate->end) * MPA_MARKER_LEN != suspect->length - value)
        return false;
    INVARIANT(candidate->end > suspect->header);
    return candidate->end != usual;
}

static bool try_candidate(struct diagnosing *d, const struct suspect *suspect, enum mistake mistake, unsigned value)
{
    struct candidate candidate = {.mistake = mistake, .value = value};
    uint64_t window_end = mpa_window_end(&d->s->window);
    enum follow follow;

    if (!shape_candidate(d, suspect, &candidate) || candidate.end > window_end ||
        candidate.end < suspect->header + HEADER_VISIBLE_MIN)
        return false;
    follow = mpa_diagnose_next(d, candidate.end);
    /*
     * Exactly the CRC field is missing before the FIN. In a direction that had CRC fields, the FIN is too early:
     * MPA-7.2-03
     */
    if (candidate.end == window_end && d->last && d->s->fin && mistake == NO_CRC_FIELD &&
        (d->s->fpdus == 0 || d->fs->no_field))
        follow = FOLLOW_YES;
    if (follow < (d->strict ? FOLLOW_YES : FOLLOW_MAYBE) || !credible(d, suspect, &candidate))
        return false;
    if (mpa_crc_expected(d->mpa, d->side) && suspect->start == d->at &&
        mpa_try_corrected_end(d, suspect, candidate.end))
        return true; /* there is a CRC field, which decides */
    length_settle(d, suspect, &candidate);
    return true;
}

/* The usual mistakes in ULPDU_Length: it includes other fields, or its octets are in reverse order. */
static bool try_usual_lengths(struct diagnosing *d, const struct suspect *suspect)
{
    unsigned sent = suspect->length;
    const unsigned lengths[] = {
        fixed_length(d, suspect),
        sent - MPA_LENGTH_LEN - MPA_CRC_LEN,
        sent - MPA_CRC_LEN,
        sent - MPA_LENGTH_LEN,
        sent - mpa_pad_length(suspect->length),
        sent - MPA_LENGTH_LEN - MPA_CRC_LEN - 1,
        sent - 8,
        sent - 9,
        length_swap16(suspect->length),
    };

    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++)
        if (lengths[i] >= DDP_TAGGED_HEADER_LEN && try_candidate(d, suspect, LENGTH, lengths[i]))
            return true;
    return false;
}

static bool try_suspect(struct diagnosing *d, uint64_t start)
{
    struct suspect suspect;
    struct mpa_shape shape;
    unsigned sent, markers;

    if (!mpa_diagnose_suspect(d, &suspect, start))
        return false;
    if (mpa_header_oddity(mpa_window_at(&d->s->window, suspect.header), MPA_LENGTH_LEN) > HEADER_ODD_MAX)
        return false;
    sent = suspect.length;
    if (try_candidate(d, &suspect, NO_CRC_FIELD, 0))
        return true;
    if (mpa_crc_expected(d->mpa, d->side)) /* the CRC would have shown the mistake */
        return false;
    mpa_shape_init(&shape, d->fs, start, suspect.length);
    markers = markers_between(d->fs, suspect.header, mpa_shape_end(&shape, start));
    for (unsigned k = markers; k > 0; k--)
        if (sent > MPA_MARKER_LEN * k && try_candidate(d, &suspect, COUNTED_MARKERS, sent - MPA_MARKER_LEN * k))
            return true;
    if (try_usual_lengths(d, &suspect))
        return true;
    for (unsigned count = 0; count < 8; count++)
        if (count != mpa_pad_length(suspect.length) && try_candidate(d, &suspect, PAD, count))
            return true;
    return false;
}

bool mpa_try_no_field(struct diagnosing *d)
{
    struct suspect suspect;

    return mpa_diagnose_suspect(d, &suspect, d->at) && mpa_oddity_at(d->s, d->at, NULL) <= HEADER_ODD_MAX &&
           try_candidate(d, &suspect, NO_CRC_FIELD, 0);
}

bool mpa_try_lengths(struct diagnosing *d)
{
    struct suspect suspect;
    bool header_fine = mpa_diagnose_suspect(d, &suspect, d->at) && mpa_oddity_at(d->s, d->at, NULL) <= HEADER_ODD_MAX;

    if (header_fine)
        return try_suspect(d, d->at);
    return d->fs->previous && d->fs->previous_start >= d->s->window.offset && try_suspect(d, d->fs->previous_start);
}
