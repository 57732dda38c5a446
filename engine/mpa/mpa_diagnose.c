// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Names the broken rule when the octets at the cursor are not an acceptable FPDU. Hypotheses are tried in turn, those
 * that a CRC can prove first; a hypothesis counts when it makes the FPDU verify, or predicts the place of the next
 * FPDU. If no hypothesis explains the octets, that is one finding against 4.1, followed by a search for the next FPDU.
 *
 * Only what the octets prove is reported, and one fault gives one finding: the framing is set to what was found.
 */
#include "engine/mpa/mpa_diagnose.h"
#include "engine/mpa/mpa_startup_state.h"
#include "wire/invariant.h"

/* ---- reports ---- */

static const struct mpa_startup *diagnose_frame_of(const struct mpa_connection *mpa, bool request)
{
    unsigned initiator = (unsigned)mpa->parameters.initiator_side;

    INVARIANT(initiator < 2);
    return &mpa->side[request ? initiator : 1 - initiator].startup.frame;
}

void mpa_report_unmet(struct mpa_connection *mpa, unsigned side, const struct place *place, bool found_on)
{
    static const enum rule_id rules[2][2] = {
        /* no Markers found */ {RULE_MPA_7_1_1_08, RULE_MPA_7_1_1_09},
        /* a Marker found */ {RULE_MPA_7_1_1_10, RULE_MPA_7_1_1_11},
    };
    struct mpa_framing_state *fs = mpa->side[side].framing;
    bool initiator = mpa->parameters.initiator_side == (int)side;
    const struct mpa_startup *request, *reply, *governing;
    unsigned related;
    enum rule_id rule;

    if (fs->unmet)
        return;
    fs->unmet = mpa->side[side].negotiated_unmet = mpa->side[side].faulty = true;
    if (!mpa->parameters.startup_seen)
        return;
    request = diagnose_frame_of(mpa, true);
    reply = diagnose_frame_of(mpa, false);
    governing = initiator ? reply : request;
    related = mpa->side[1 - side].startup.place.frame;
    if (request->revision == 0 && reply->revision != 0)
        return; /* no agreement was possible */
    rule = request->revision >= 1 && reply->revision == 0 ? RULE_MPA_C_2_5_04 : rules[found_on][initiator];
    if (!found_on && rule != RULE_MPA_C_2_5_04 && !(governing->flags & MPA_FLAG_M))
        return; /* Rev 0 with M = 0: the fault is in the startup frame */
    verdict_failed(mpa->verdict, rule, direction_of(mpa, side), place, related,
                   "expected %s (%s has Rev %u, M = %u); found %s", found_on ? "no Markers" : "Markers",
                   initiator ? "the Reply" : "the Request", governing->revision, (governing->flags & MPA_FLAG_M) != 0,
                   found_on ? "a Marker" : "FPDUs without Markers");
}

/* ---- helpers ---- */

void mpa_diagnose_refresh(struct diagnosing *d)
{
    if (!d->fpdu || !d->fs->framing.markers || d->scratch_uses == mpa_scratch_uses())
        return;
    mpa_framing_parse(d->mpa, d->side, d->at, d->fpdu);
    d->scratch_uses = mpa_scratch_uses();
    INVARIANT(d->fpdu->offset == d->at && d->fpdu->length > 0);
}

bool mpa_diagnose_suspect(struct diagnosing *d, struct suspect *suspect, uint64_t start)
{
    suspect->start = start;
    suspect->header = mpa_header_of(d->s, start);
    if (mpa_octets_from(d->s, suspect->header) < MPA_LENGTH_LEN)
        return false;
    suspect->length = get_be16(mpa_window_at(&d->s->window, suspect->header));
    return true;
}

enum follow mpa_diagnose_next(struct diagnosing *d, uint64_t at)
{
    enum follow follow = mpa_follow(d->mpa, d->side, at);

    if (follow == FOLLOW_UNKNOWN && at + HEADER_VISIBLE_MIN > mpa_window_end(&d->s->window))
        d->unsure = true;
    return follow;
}

static bool ends_well(struct diagnosing *d, uint64_t at)
{
    return mpa_framing_ends_well(d->mpa, d->side, d->at, at);
}

static bool next_fits(struct diagnosing *d, uint64_t at)
{
    bool fits = mpa_diagnose_next(d, at) >= FOLLOW_MAYBE || ends_well(d, at);

    mpa_diagnose_refresh(d);
    return fits;
}

static bool diagnose_crc_right(const struct mpa_fpdu *fpdu)
{
    return fpdu->crc == fpdu->crc_computed;
}

static bool read_shape(struct diagnosing *d, const struct mpa_shape *shape, struct mpa_fpdu *fpdu)
{
    return mpa_shape_read(fpdu, shape, d->s, d->at);
}

/* ---- hypotheses about Markers ---- */

/* The FPDU's Markers are at their places; their contents are judged like any others. */
static bool accept_contents(struct diagnosing *d)
{
    struct mpa_fpdu fpdu;

    if (mpa_framing_parse(d->mpa, d->side, d->at, &fpdu) != MPA_FPDU_OK)
        return false;
    mpa_framing_accept(d->mpa, d->side, &fpdu, diagnose_crc_right(&fpdu) ? ACCEPT_PROVEN : 0);
    return true;
}

static const struct mpa_marker *first_wrong(const struct mpa_fpdu *fpdu, bool unlike_only)
{
    for (unsigned i = 0; i < fpdu->n_markers; i++) {
        const struct mpa_marker *marker = &fpdu->markers[i];

        if ((marker->reserved != 0 || marker->fpduptr != marker->expected) &&
            !(unlike_only && mpa_marker_like(marker, fpdu)))
            return marker;
    }
    return NULL;
}

/* Receivers read pointers without the low bits (4.2); so does this function. */
static bool markers_lead_right(const struct mpa_fpdu *fpdu)
{
    for (unsigned i = 0; i < fpdu->n_markers; i++)
        if (fpdu->markers[i].reserved != 0 || (fpdu->markers[i].fpduptr & ~3u) != (fpdu->markers[i].expected & ~3u))
            return false;
    return true;
}

/* Continues with Markers at `found` and every `period` octets from there. */
static void adopt_grid(struct diagnosing *d, uint64_t found)
{
    struct mpa_framing_state *fs = d->fs;
    uint64_t distance = found - fs->start;

    fs->framing.markers = true;
    if (!fs->start_known && d->mpa->parameters.midstream)
        d->mpa->parameters.markers[d->side] = ON;
    if (fs->start_known && distance % (MPA_MARKER_PERIOD + MPA_MARKER_LEN) == 0 && distance % MPA_MARKER_PERIOD != 0)
        fs->period = MPA_MARKER_PERIOD + MPA_MARKER_LEN;
    else
        fs->period = MPA_MARKER_PERIOD;
    /* The origin is before all octets to come, so that grid arithmetic never goes below 0. */
    fs->framing.seq_start = found - (found - d->at) / fs->period * fs->period;
    if (fs->framing.seq_start > d->at)
        fs->framing.seq_start =
            fs->framing.seq_start >= fs->period ? fs->framing.seq_start - fs->period : fs->framing.seq_start;
    INVARIANT(fs->framing.seq_start <= d->at || fs->framing.seq_start < fs->period);
}

/* The header at `header` is a flawless DDP header, either without the four octets at `at`, or (at 0) as it is. */
static bool diagnose_header_plausible(const struct diagnosing *d, uint64_t header, uint64_t at)
{
    uint8_t octets[HEADER_VISIBLE];
    size_t n = 0;

    for (uint64_t x = header; n < sizeof octets && x < mpa_window_end(&d->s->window); x++)
        if (at == 0 || x < at || x >= at + MPA_MARKER_LEN)
            octets[n++] = *mpa_window_at(&d->s->window, x);
    return n >= HEADER_VISIBLE_MIN && mpa_octets_oddity(d->fs, octets, n) == 0;
}

/*
 * The first Marker that points back to this header. An MSN, MO or TO may look like a Marker: octets inside a good
 * header are not one when another Marker follows, or when the header is not good without them.
 */
static bool find_first_marker(const struct diagnosing *d, uint64_t header, uint64_t from, uint64_t until, uint64_t *at)
{
    uint64_t second;

    if (!mpa_find_marker(d->s, header, from, until, at))
        return false;
    if (*at >= header + HEADER_VISIBLE || !diagnose_header_plausible(d, header, 0))
        return true;
    if (mpa_find_marker(d->s, header, *at + MPA_MARKER_LEN, until, &second)) {
        if (second != *at + MPA_MARKER_PERIOD) /* otherwise the second Marker confirms the first */
            *at = second;
        return true;
    }
    return diagnose_header_plausible(d, header, *at);
}

/*
 * Markers that point back to this header are in other places: collects them into the shape. False when there are none.
 */
static bool displaced_shape(struct diagnosing *d, struct mpa_shape *shape, uint64_t *found)
{
    struct suspect suspect;
    uint64_t from, until, at;

    /* A displaced leading Marker cannot be recognised; the header is right at the cursor, or after a good Marker. */
    if (!mpa_diagnose_suspect(d, &suspect, d->at))
        return false;
    mpa_shape_set_length(shape, suspect.length);
    shape->n = 0;
    if (suspect.header > d->at)
        shape->at[shape->n++] = d->at;
    *found = 0;
    from = suspect.header + MPA_LENGTH_LEN + 2;
    for (;;) {
        until = mpa_shape_end(shape, d->at);
        if (shape->n == MPA_FPDU_MARKERS_MAX ||
            !(*found == 0 ? find_first_marker(d, suspect.header, from, until, &at)
                          : mpa_find_marker(d->s, suspect.header, from, until, &at)))
            break;
        if (*found == 0)
            *found = at;
        shape->at[shape->n++] = at;
        from = at + MPA_MARKER_PERIOD - 8; /* the next Marker is about an interval away */
    }
    INVARIANT(shape->n <= MPA_FPDU_MARKERS_MAX && (*found == 0 || *found > suspect.header));
    return *found != 0;
}

/* Reports Markers at `found` in a direction that should have none there according to the framing in use. */
void mpa_diagnose_found_marker(struct diagnosing *d, uint64_t found, uint64_t header)
{
    struct mpa_framing_state *fs = d->fs;
    uint64_t due = fs->start + (found - fs->start) / MPA_MARKER_PERIOD * MPA_MARKER_PERIOD;
    bool on_negotiated_grid = fs->start_known && (found - fs->start) % MPA_MARKER_PERIOD == 0;

    if (!fs->start_known)
        return; /* the first Marker seen fixes the grid */
    if (d->mpa->parameters.markers[d->side] == OFF) {
        struct place place = mpa_place(d->mpa, d->side, found, found + MPA_MARKER_LEN);

        mpa_report_unmet(d->mpa, d->side, &place, true);
    } else if (fs->leading_missing) {
        if (on_negotiated_grid) {
            d->fs->leading_missing = false;
            d->s->faulty = true;
            if (d->mpa->parameters.startup_seen)
                verdict_failed(
                    d->mpa->verdict, RULE_MPA_4_3_04, direction_of(d->mpa, d->side), &d->fs->opening_place, 0,
                    "expected the Marker 00000000 as the first octets of Full Operation; found an FPDU header, and "
                    "the first Marker 512 octets later");
        } else {
            fs->leading_missing = false;
            mpa_report_grid(d->mpa, d->side, due, found, header);
        }
    } else if (!on_negotiated_grid && !fs->missing_reported) {
        mpa_report_grid(d->mpa, d->side, due, found, header);
    }
    if (on_negotiated_grid)
        fs->missing_reported = false;
    INVARIANT(due <= found && found - due < MPA_MARKER_PERIOD);
}

/* The grid as negotiated, when the framing in use has no grid, or no longer has one. */
static bool negotiated_grid_shape(struct diagnosing *d, struct mpa_shape *shape)
{
    uint64_t header = d->at;

    if (d->fs->framing.markers || !d->fs->start_known)
        return false;
    mpa_shape_grid(shape, true, d->fs->start, MPA_MARKER_PERIOD, d->at, d->at + MPA_FPDU_OCTETS_MAX);
    if (shape->n > 0 && shape->at[0] == d->at)
        header += MPA_MARKER_LEN;
    if (mpa_octets_from(d->s, header) < MPA_LENGTH_LEN)
        return false;
    mpa_shape_set_length(shape, get_be16(mpa_window_at(&d->s->window, header)));
    return shape->n > 0 && shape->at[0] < mpa_shape_end(shape, d->at);
}

/*
 * An FPDU whose CRC is right although a Marker is not in its place: the Marker is displaced, or its contents are wrong.
 */
static bool try_markers_crc_right(struct diagnosing *d)
{
    const struct mpa_marker *wrong;
    struct mpa_shape shape;
    uint64_t found;
    struct mpa_fpdu fpdu;

    if (!d->fpdu || !diagnose_crc_right(d->fpdu))
        return false;
    wrong = first_wrong(d->fpdu, false);
    if (!wrong || !displaced_shape(d, &shape, &found) || !read_shape(d, &shape, &fpdu) ||
        fpdu.length != d->fpdu->length || !markers_lead_right(&fpdu))
        return accept_contents(d);
    mpa_report_grid(d->mpa, d->side, wrong->offset, found, d->fpdu->header);
    adopt_grid(d, found);
    mpa_framing_accept(d->mpa, d->side, &fpdu, ACCEPT_PROVEN | ACCEPT_NO_MARKERS | ACCEPT_DEVIANT);
    return true;
}

/*
 * Whether the FPDU is right under this shape: decided by its CRC or, when CRCs are not generated, by the octets after
 * it.
 */
static bool shape_fits(struct diagnosing *d, const struct mpa_shape *shape, struct mpa_fpdu *fpdu, bool by_crc)
{
    if (!read_shape(d, shape, fpdu))
        return false;
    if (by_crc)
        return diagnose_crc_right(fpdu);
    /* Looking at the next FPDU has overwritten the scratch memory. */
    return next_fits(d, d->at + fpdu->length) && read_shape(d, shape, fpdu);
}

/* The Marker due at `at` is present. */
static bool marker_right_at(const struct diagnosing *d, uint64_t at, uint64_t header)
{
    return mpa_octets_from(d->s, at) >= MPA_MARKER_LEN &&
           get_be32(mpa_window_at(&d->s->window, at)) == (at < header ? 0 : at - header);
}

static bool accept_without_marker(struct diagnosing *d, struct mpa_fpdu *fpdu, bool by_crc)
{
    mpa_framing_accept(d->mpa, d->side, fpdu, (by_crc ? ACCEPT_PROVEN : 0) | ACCEPT_DEVIANT);
    return true;
}

/* The leading Marker is missing: the header is at the cursor itself. */
static bool try_missing_lead(struct diagnosing *d, bool by_crc)
{
    const uint8_t *p = mpa_window_at(&d->s->window, d->at);
    size_t n = mpa_octets_from(d->s, d->at);
    struct mpa_shape shape;
    struct mpa_fpdu fpdu;

    if (mpa_header_of(d->s, d->at) == d->at || n < HEADER_VISIBLE_MIN ||
        mpa_octets_oddity(d->fs, p, n) > HEADER_ODD_MAX)
        return false;
    mpa_shape_init(&shape, d->fs, d->at, get_be16(p));
    mpa_shape_remove(&shape, 0);
    if (!shape_fits(d, &shape, &fpdu, by_crc))
        return false;
    mpa_report_missing_marker(d->mpa, d->side, d->at);
    d->fs->framing.markers = false;
    return accept_without_marker(d, &fpdu, by_crc);
}

/* All Markers inside the FPDU are missing, and all later ones. */
static bool try_missing_all(struct diagnosing *d, const struct mpa_shape *shape, uint64_t header, bool by_crc)
{
    unsigned leading = shape->at[0] < header ? 1 : 0;
    struct mpa_shape reduced;
    struct mpa_fpdu fpdu;

    if (marker_right_at(d, shape->at[leading], header))
        return false;
    reduced = *shape;
    reduced.n = leading;
    if (!shape_fits(d, &reduced, &fpdu, by_crc))
        return false;
    mpa_report_missing_marker(d->mpa, d->side, shape->at[leading]);
    d->fs->framing.markers = false;
    return accept_without_marker(d, &fpdu, by_crc);
}

/* One of the first `inside` Markers is missing: the first one not found, or others would be wrong, too. */
static bool try_missing_one(struct diagnosing *d, const struct mpa_shape *shape, uint64_t header, unsigned inside,
                            bool by_crc)
{
    struct mpa_shape reduced;
    struct mpa_fpdu fpdu;
    unsigned i = 0;

    while (i < inside && (shape->at[i] < header || marker_right_at(d, shape->at[i], header)))
        i++;
    if (i == inside)
        return false;
    reduced = *shape;
    mpa_shape_remove(&reduced, i);
    if (!shape_fits(d, &reduced, &fpdu, by_crc) || !mpa_markers_right(&fpdu))
        return false;
    mpa_report_missing_marker(d->mpa, d->side, shape->at[i]);
    d->fs->missing_reported = false; /* the grid continues: the next missing Marker is another fault */
    return accept_without_marker(d, &fpdu, by_crc);
}

static bool try_missing(struct diagnosing *d, bool by_crc)
{
    struct mpa_shape shape;
    struct suspect suspect;
    unsigned inside = 0;
    uint64_t end;

    if (!d->fs->framing.markers)
        return false;
    if (try_missing_lead(d, by_crc))
        return true;
    if (!mpa_diagnose_suspect(d, &suspect, d->at))
        return false;
    mpa_shape_init(&shape, d->fs, d->at, suspect.length);
    end = mpa_shape_end(&shape, d->at);
    while (inside < shape.n && shape.at[inside] < end)
        inside++;
    if (inside == 0 || shape.at[inside - 1] < suspect.header)
        return false;
    return try_missing_all(d, &shape, suspect.header, by_crc) ||
           try_missing_one(d, &shape, suspect.header, inside, by_crc);
}

/* Markers in a direction that has none according to the framing in use. */
static bool try_unexpected(struct diagnosing *d, bool by_crc)
{
    struct mpa_shape shape;
    struct mpa_fpdu fpdu;

    if (!negotiated_grid_shape(d, &shape) || !shape_fits(d, &shape, &fpdu, by_crc) || !mpa_markers_right(&fpdu))
        return false;
    INVARIANT(fpdu.n_markers > 0);
    mpa_diagnose_found_marker(d, fpdu.markers[0].offset, fpdu.header);
    d->fs->framing = (struct mpa_framing){.markers = true, .seq_start = d->fs->start};
    d->fs->period = MPA_MARKER_PERIOD;
    mpa_framing_accept(d->mpa, d->side, &fpdu, ACCEPT_PROVEN);
    return true;
}

/*
 * The first Marker is missing and the rest is as negotiated: MPA-4.3-04. Tried before other grids that explain as much.
 */
static bool try_leading_missing(struct diagnosing *d)
{
    return d->fs->leading_missing && mpa_crc_expected(d->mpa, d->side) && try_unexpected(d, true);
}

static bool try_displaced(struct diagnosing *d, bool by_crc)
{
    struct mpa_shape shape;
    struct mpa_fpdu fpdu;
    uint64_t found;

    if (!displaced_shape(d, &shape, &found) || !shape_fits(d, &shape, &fpdu, by_crc))
        return false;
    if (d->fs->framing.markers && (found - d->fs->framing.seq_start) % d->fs->period == 0)
        return false; /* the Marker is in its place */
    if (d->fs->framing.markers)
        mpa_report_grid(d->mpa, d->side, mpa_next_marker(&d->fs->framing, d->at), found, fpdu.header);
    else
        mpa_diagnose_found_marker(d, found, fpdu.header);
    adopt_grid(d, found);
    mpa_framing_accept(d->mpa, d->side, &fpdu, ACCEPT_PROVEN | ACCEPT_NO_MARKERS | ACCEPT_DEVIANT);
    return true;
}

/*
 * If the start of the direction is unknown, a Marker before this FPDU's header may be the first one seen, and fix the
 * grid.
 */
static bool try_first_marker(struct diagnosing *d, bool by_crc)
{
    struct mpa_shape shape;
    struct mpa_fpdu fpdu;
    uint64_t header = d->at + MPA_MARKER_LEN;

    if (d->fs->start_known || d->fs->framing.markers || mpa_octets_from(d->s, header) < HEADER_VISIBLE_MIN ||
        get_be32(mpa_window_at(&d->s->window, d->at)) != 0)
        return false;
    mpa_shape_grid(&shape, true, d->at, MPA_MARKER_PERIOD, d->at, d->at + MPA_FPDU_OCTETS_MAX);
    mpa_shape_set_length(&shape, get_be16(mpa_window_at(&d->s->window, header)));
    if (!shape_fits(d, &shape, &fpdu, by_crc) || !mpa_markers_right(&fpdu))
        return false;
    adopt_grid(d, d->at);
    mpa_framing_accept(d->mpa, d->side, &fpdu, ACCEPT_PROVEN);
    return true;
}

static bool try_markers_by_crc(struct diagnosing *d)
{
    return try_first_marker(d, true) || try_missing(d, true) || try_unexpected(d, true) || try_displaced(d, true);
}

static bool try_markers_by_looks(struct diagnosing *d)
{
    if (mpa_crc_expected(d->mpa, d->side))
        return false;
    if (try_first_marker(d, false) || try_unexpected(d, false) || try_displaced(d, false))
        return true;
    mpa_diagnose_refresh(d);
    if (d->fpdu && !first_wrong(d->fpdu, true) && first_wrong(d->fpdu, false) && next_fits(d, d->at + d->fpdu->length))
        return accept_contents(d);
    if (try_missing(d, false))
        return true;
    mpa_diagnose_refresh(d);
    /* Garbage where a Marker is due, in an otherwise right FPDU. */
    if (d->fpdu && first_wrong(d->fpdu, false) && next_fits(d, d->at + d->fpdu->length))
        return accept_contents(d);
    return false;
}

/* ---- hypotheses about values, and the rest ---- */

static bool try_crc_explained(struct diagnosing *d)
{
    return d->fpdu && mpa_crc_explained(d->fpdu) && accept_contents(d);
}

/* The bounds are right, so the CRC is wrong. */
static bool try_wrong_crc(struct diagnosing *d)
{
    uint64_t end;

    if (!d->fpdu || !mpa_crc_expected(d->mpa, d->side) || mpa_oddity_at(d->s, d->at, NULL) > HEADER_ODD_MAX)
        return false;
    end = d->at + d->fpdu->length;
    if (mpa_oddity_at(d->s, end, NULL) > HEADER_ODD_MAX)
        return false;
    if (mpa_octets_from(d->s, end) < HEADER_VISIBLE_MIN && !ends_well(d, end) && !d->last) {
        d->unsure = true;
        return false;
    }
    return accept_contents(d);
}

/* A regular FPDU without a proper ULPDU: length 0, too short, or no DDP header (3). */
static bool try_odd_ulpdu(struct diagnosing *d)
{
    if (!d->fpdu || first_wrong(d->fpdu, false))
        return false;
    if (!diagnose_crc_right(d->fpdu) && mpa_crc_expected(d->mpa, d->side))
        return false;
    /*
     * Zero octets look like a series of empty FPDUs: the next FPDU must be visible, or the segments must confirm the
     * end.
     */
    return next_fits(d, d->at + d->fpdu->length) && accept_contents(d);
}

/*
 * After this many wrong CRCs in a row, the sender evidently computes them wrong: an FPDU followed by another FPDU at
 * its end is then accepted, and no other cause is sought, which would cost as much as hundreds of right FPDUs.
 */
static bool wrong_crcs_are_usual(const struct diagnosing *d)
{
    return d->fpdu && !d->fs->no_field && d->fs->wrong_crcs >= WRONG_CRCS_USUAL && !diagnose_crc_right(d->fpdu) &&
           mpa_markers_right(d->fpdu);
}

static bool try_rest(struct diagnosing *d)
{
    if (!d->last)
        return false;
    if (d->fpdu && mpa_oddity_at(d->s, d->at, NULL) <= HEADER_ODD_MAX)
        return accept_contents(d);
    return false;
}

/* Another startup frame after an uncaptured rejection: this startup was never accepted, and no FPDU was due. */
static bool is_another_startup(const struct diagnosing *d)
{
    const struct startup_seen *seen = &d->s->startup;

    return seen->seen && seen->frame.kind == MPA_REQUEST && d->at == seen->end &&
           mpa_is_startup(mpa_window_at(&d->s->window, d->at), mpa_octets_from(d->s, d->at)) &&
           mpa_may_be_rejected(d->mpa, d->side, mpa_place(d->mpa, d->side, d->at, d->at).frame);
}

/* Tries the fault of the preceding FPDUs before any other. */
static bool try_usual(struct diagnosing *d)
{
    return (wrong_crcs_are_usual(d) && try_wrong_crc(d)) || (d->fs->no_field && mpa_try_no_field(d));
}

enum diagnosis mpa_diagnose(struct mpa_connection *mpa, unsigned side, const struct mpa_fpdu *fpdu, bool last)
{
    static bool (*const hypotheses[])(struct diagnosing *) = {
        try_leading_missing, mpa_try_other_grid, try_markers_crc_right,

        mpa_try_no_pad,      try_crc_explained,  try_markers_by_crc,
        mpa_try_end_by_crc,  try_wrong_crc,      try_markers_by_looks,
        mpa_try_lone_marker, mpa_try_lengths,    try_odd_ulpdu,
        mpa_try_next_fpdu,   try_rest,
    };
    struct mpa_side *s = &mpa->side[side];
    struct mpa_fpdu copy;
    struct diagnosing d = {.mpa = mpa,
                           .side = side,
                           .s = s,
                           .fs = s->framing,
                           .at = s->cursor,
                           .last = last,
                           .strict = last && !fpdu,
                           .scratch_uses = mpa_scratch_uses()};
    bool header_fine;

    if (fpdu) {
        copy = *fpdu;
        d.fpdu = &copy;
    }
    if (is_another_startup(&d)) {
        mpa_ignore(mpa, side);
        return DIAGNOSIS_DONE;
    }
    if (try_usual(&d))
        return DIAGNOSIS_DONE;
    if (d.unsure && !last)
        return DIAGNOSIS_WAIT;
    for (size_t i = 0; i < sizeof hypotheses / sizeof hypotheses[0]; i++) {
        if (hypotheses[i](&d))
            return DIAGNOSIS_DONE;
        mpa_diagnose_refresh(&d);
    }
    if (!last)
        return DIAGNOSIS_WAIT;
    header_fine = mpa_oddity_at(s, d.at, NULL) <= HEADER_ODD_MAX;
    if (header_fine) /* a good beginning whose rest never came: judged at the end */
        return DIAGNOSIS_WAIT;
    mpa_report_unexplained(mpa, side, d.at);
    mpa_framing_lose(mpa, side, d.at, d.at);
    return DIAGNOSIS_DONE;
}
