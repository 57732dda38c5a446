// SPDX-License-Identifier: GPL-2.0-or-later
/* Octets between FPDUs that belong to none, and unfinished FPDUs. */
#include "engine/mpa/mpa_diagnose.h"
#include "wire/invariant.h"

enum lone_word mpa_lone_word(struct mpa_connection *mpa, unsigned side, uint64_t at)
{
    const struct mpa_side *s = &mpa->side[side];
    uint64_t header = at + MPA_MARKER_LEN;
    struct mpa_shape shape = {.n = 0};
    struct mpa_fpdu fpdu;

    if (mpa_octets_from(s, header) < MPA_LENGTH_LEN)
        return LONE_WORD_OPEN;
    if (get_be32(mpa_window_at(&s->window, at)) != 0)
        return LONE_WORD_NO;
    mpa_shape_set_length(&shape, get_be16(mpa_window_at(&s->window, header)));
    if (!mpa_shape_read(&fpdu, &shape, &mpa->side[side], header))
        return mpa_oddity_at(s, header, NULL) <= HEADER_ODD_MAX ? LONE_WORD_OPEN : LONE_WORD_NO;
    return fpdu.crc == fpdu.crc_computed ? LONE_WORD_YES : LONE_WORD_NO;
}

void mpa_skip_lone_word(struct mpa_connection *mpa, unsigned side)
{
    struct mpa_side *s = &mpa->side[side];
    struct place place = mpa_place(mpa, side, s->cursor, s->cursor + MPA_MARKER_LEN);

    s->framing->framing.markers = false;
    mpa_report_unmet(mpa, side, &place, true);
    mpa_skipped(mpa, side, s->cursor, s->cursor + MPA_MARKER_LEN, "a Marker that should not be there");
    s->cursor += MPA_MARKER_LEN;
    INVARIANT(s->cursor <= mpa_window_end(&s->window));
}

bool mpa_try_lone_marker(struct diagnosing *d)
{
    struct mpa_framing_state *fs = d->fs;

    if (fs->framing.markers || mpa_octets_from(d->s, d->at) < MPA_MARKER_LEN ||
        get_be32(mpa_window_at(&d->s->window, d->at)) != 0)
        return false;
    if (!fs->start_known || (d->at - fs->start) % MPA_MARKER_PERIOD != 0)
        return false;
    if (mpa_crc_binding(d->mpa) && d->mpa->parameters.markers[d->side] == OFF &&
        mpa_lone_word(d->mpa, d->side, d->at) == LONE_WORD_YES) {
        mpa_skip_lone_word(d->mpa, d->side);
        return true;
    }
    if (mpa_diagnose_next(d, d->at + MPA_MARKER_LEN) < FOLLOW_MAYBE)
        return false;
    mpa_diagnose_found_marker(d, d->at, d->at + MPA_MARKER_LEN);
    fs->framing = (struct mpa_framing){.markers = true, .seq_start = fs->start};
    fs->period = MPA_MARKER_PERIOD;
    return true; /* the cursor stays: with Markers, the octets are an FPDU */
}

static void mpa_report_stray(struct mpa_connection *mpa, unsigned side, uint64_t from, uint64_t to)
{
    struct mpa_side *s = &mpa->side[side];
    char octets[3 * 16 + 1] = "";
    size_t n = mpa_octets_from(s, from);

    INVARIANT(to > from);
    if (s->startup.oversized || s->startup.missing > 0)
        return; /* the place of FO is in doubt, which is reported */
    for (size_t i = 0; i < n && i < 16 && from + i < to; i++) {
        static const char digits[] = "0123456789abcdef";
        uint8_t octet = *mpa_window_at(&s->window, from + i);

        octets[3 * i] = digits[octet >> 4];
        octets[3 * i + 1] = digits[octet & 15];
        octets[3 * i + 2] = ' ';
        octets[3 * i + 3] = '\0';
    }
    mpa_fail(mpa, side, RULE_MPA_4_1_01, from, to,
             "expected an FPDU right after the one before; found octets after an FPDU: %s%s", octets,
             to - from > 16 ? "..." : "");
}

void mpa_report_unexplained(struct mpa_connection *mpa, unsigned side, uint64_t from)
{
    struct mpa_side *s = &mpa->side[side];
    struct mpa_framing_state *fs = s->framing;
    /* The capture may lack a Reply that was a rejection. */
    bool proven = (fs->start_known && mpa->parameters.startup_seen) || s->good_crcs > 0 || fs->markers_right > 0;

    if (fs->stray_reported)
        return;
    fs->stray_reported = true;
    if (mpa->verdict->missing == WHY_NONE)
        verdict_lose(mpa->verdict, WHY_LOWER, s->last_frame);
    if (proven && (fs->in_step > 0 || !s->hole))
        mpa_report_stray(mpa, side, from, mpa_window_end(&s->window));
    else /* perhaps the stream never was MPA, or the hole hides the explanation */
        verdict_inconclusive(mpa->verdict, RULE_MPA_4_1_01, LOST_OR(WHY_READINGS),
                             mpa_place(mpa, side, from, from + 1).frame);
}

/* The header at the cursor looks right, as far as the octets before `until` show. */
static bool header_fine(struct diagnosing *d, struct suspect *suspect, uint64_t until)
{
    size_t seen;
    unsigned odd = mpa_oddity_at(d->s, d->at, &seen);

    if (!mpa_diagnose_suspect(d, suspect, d->at) || until < suspect->header + HEADER_VISIBLE_MIN)
        return false;
    if (seen > until - suspect->header)
        odd =
            mpa_octets_oddity(d->fs, mpa_window_at(&d->s->window, suspect->header), (size_t)(until - suspect->header));
    return odd <= HEADER_ODD_MAX;
}

/* The FPDU at the cursor is shorter than it announced: a new FPDU begins at `next`. */
static bool settle_unfinished(struct diagnosing *d, const struct suspect *suspect, uint64_t next)
{
    unsigned fixed = 0;
    uint64_t body = suspect->header + MPA_LENGTH_LEN;
    struct mpa_shape shape;
    struct mpa_fpdu fpdu;

    if (mpa_try_corrected_end(d, suspect, next))
        return true;
    if (mpa_octets_from(d->s, body) > 0)
        fixed = mpa_fixed_ulpdu_length(mpa_window_at(&d->s->window, body), mpa_octets_from(d->s, body));
    mpa_shape_init(&shape, d->fs, d->at, (uint16_t)(fixed != 0 ? fixed : suspect->length));
    if (fixed != 0 && fixed != suspect->length && mpa_shape_end(&shape, d->at) == next &&
        mpa_shape_read(&fpdu, &shape, d->s, d->at)) {
        mpa_report_length(d, suspect, fixed, next);
        mpa_framing_accept(d->mpa, d->side, &fpdu, ACCEPT_DEVIANT | ACCEPT_PROVEN);
        return true;
    }
    mpa_fail(d->mpa, d->side, RULE_MPA_A_1_03, d->at, next,
             "expected the FPDU begun at stream octet %llu (ULPDU_Length %u) to be completed; found a new FPDU %llu "
             "octets after the start of an incomplete FPDU",
             (unsigned long long)d->at, suspect->length, (unsigned long long)(next - d->at));
    mpa_skipped(d->mpa, d->side, d->at, next, "FPDU not completed by its sender");
    d->s->cursor = next;
    d->fs->previous = false;
    INVARIANT(next > d->at && next <= mpa_window_end(&d->s->window));
    return true;
}

bool mpa_try_next_fpdu(struct diagnosing *d)
{
    struct suspect suspect;
    bool fine;
    uint64_t next, end = d->fpdu ? d->at + d->fpdu->length : UINT64_MAX;

    if (d->unsure && !d->last)
        return false;
    if (mpa_seek(d->mpa, d->side, d->at + 1, mpa_window_end(&d->s->window), d->last && !d->strict, &next) != SEEK_FOUND)
        return false;
    fine = header_fine(d, &suspect, next);
    if (fine && next < end)
        return settle_unfinished(d, &suspect, next);
    if (fine) {
        /*
         * Complete by its length, and the next FPDU is further on: the length is too small, or there are stray octets.
         */
        if (mpa_try_corrected_end(d, &suspect, next))
            return true;
        mpa_diagnose_refresh(d);
        if (mpa_crc_expected(d->mpa, d->side) || mpa_markers_right(d->fpdu)) {
            mpa_framing_accept(d->mpa, d->side, d->fpdu, ACCEPT_PROVEN);
            return true;
        }
    }
    mpa_report_stray(d->mpa, d->side, d->at, next);
    mpa_skipped(d->mpa, d->side, d->at, next, "no FPDU");
    d->s->cursor = next;
    d->fs->previous = false;
    return true;
}
