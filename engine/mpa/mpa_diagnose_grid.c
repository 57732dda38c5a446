// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Markers on a grid other than that of RFC 5044 section 4.3: shifted, or with another period. An FPDU proves another
 * grid when its CRC is right and each Marker points back to its header on that grid only. Then the whole direction
 * follows that grid, and one finding says so.
 */
#include "engine/mpa/mpa_diagnose.h"
#include "wire/invariant.h"

enum {
    WORD = 4, /* FPDUs and Markers are multiples of this length */
    PERIOD_MIN = 32,
    PERIOD_MAX = 2048,
    NEAR = 32,
    TRIES_MAX = 32, /* per direction: after this many failures, there is no other grid */
};

/* The framing in use has no Marker there. */
static bool grid_is_elsewhere(const struct mpa_framing_state *fs, uint64_t at)
{
    return !fs->framing.markers || at < fs->framing.seq_start || (at - fs->framing.seq_start) % fs->period != 0;
}

/*
 * All Markers before the end of the FPDU have the right contents, and at least `wanted` of them are evidence: not just
 * zeros at places where the regular grid has Markers, too. Cheap, so it comes before the CRC.
 */
static bool markers_fit(const struct diagnosing *d, const struct mpa_shape *shape, uint64_t header, unsigned wanted)
{
    uint64_t end = mpa_shape_end(shape, d->at);
    unsigned pointing = 0;

    if (end > mpa_window_end(&d->s->window))
        return false;
    for (unsigned i = 0; i < shape->n && shape->at[i] < end; i++) {
        uint64_t at = shape->at[i];

        if (get_be32(mpa_window_at(&d->s->window, at)) != (at < header ? 0 : at - header))
            return false;
        pointing += grid_is_elsewhere(d->fs, at) && (at > header || (at - d->fs->start) % MPA_MARKER_PERIOD != 0);
    }
    return pointing >= wanted;
}

/* `found` is the first Marker out of place: where one is due after the last right one. */
static uint64_t due_instead(const struct mpa_framing_state *fs, const struct mpa_fpdu *fpdu, uint64_t found)
{
    uint64_t due = fs->markers_right > 0 ? fs->last_marker + MPA_MARKER_PERIOD
                                         : fs->start + (found - fs->start) / MPA_MARKER_PERIOD * MPA_MARKER_PERIOD;

    for (unsigned i = 0; i < fpdu->n_markers && fpdu->markers[i].offset < found; i++)
        due = fpdu->markers[i].offset + MPA_MARKER_PERIOD;
    return due;
}

static bool try_grid(struct diagnosing *d, uint64_t origin, uint32_t period, unsigned wanted)
{
    struct mpa_framing_state *fs = d->fs;
    struct mpa_shape shape;
    struct mpa_fpdu fpdu;
    uint64_t header = d->at, found = d->at, due;

    mpa_shape_grid(&shape, true, origin, period, d->at, d->at + MPA_FPDU_OCTETS_MAX);
    if (shape.n > 0 && shape.at[0] == d->at)
        header += MPA_MARKER_LEN;
    if (mpa_octets_from(d->s, header) < MPA_LENGTH_LEN)
        return false;
    mpa_shape_set_length(&shape, get_be16(mpa_window_at(&d->s->window, header)));
    if (!markers_fit(d, &shape, header, wanted) || !mpa_shape_read(&fpdu, &shape, d->s, d->at) ||
        fpdu.crc != fpdu.crc_computed)
        return false;
    for (unsigned i = fpdu.n_markers; i-- > 0;)
        if (grid_is_elsewhere(fs, fpdu.markers[i].offset))
            found = fpdu.markers[i].offset;
    INVARIANT(found >= d->at && found < d->at + fpdu.length);
    due = due_instead(fs, &fpdu, found);
    if (!fs->missing_reported)
        mpa_report_grid(d->mpa, d->side, due, found, fpdu.header);
    fs->leading_missing = false;
    fs->grid_reported = true;
    fs->framing = (struct mpa_framing){.markers = true, .seq_start = origin};
    if (origin > d->at && origin >= period) /* before all octets to come */
        fs->framing.seq_start = origin - period;
    fs->period = period;
    INVARIANT(fs->framing.seq_start <= d->at || fs->framing.seq_start < period);
    INVARIANT(period % WORD == 0 && period >= PERIOD_MIN && period <= PERIOD_MAX);
    mpa_framing_accept(d->mpa, d->side, &fpdu, ACCEPT_PROVEN | ACCEPT_NO_MARKERS | ACCEPT_DEVIANT);
    return true;
}

/*
 * A counting mistake, or a multiple. A single Marker out of place is not another period: after a right first Marker the
 * rest may be on a shifted grid.
 */
static bool grid_is_usual(uint32_t period)
{
    return (period >= MPA_MARKER_PERIOD - NEAR && period <= MPA_MARKER_PERIOD + NEAR) || period % 128 == 0;
}

/* Tries other intervals from the start on; the longest first, because shorter ones would have shown earlier. */
static bool try_periods(struct diagnosing *d)
{
    for (uint32_t period = PERIOD_MAX; period >= PERIOD_MIN; period -= WORD)
        if (period != MPA_MARKER_PERIOD && try_grid(d, d->fs->start, period, grid_is_usual(period) ? 1 : 2))
            return true;
    return false;
}

static bool try_shifts(struct diagnosing *d)
{
    for (uint32_t shift = WORD; shift < MPA_MARKER_PERIOD; shift += WORD)
        if (try_grid(d, d->fs->start + shift, MPA_MARKER_PERIOD, 1))
            return true;
    return false;
}

bool mpa_try_other_grid(struct diagnosing *d)
{
    struct mpa_framing_state *fs = d->fs;

    if (!fs->start_known || d->mpa->parameters.markers[d->side] != ON || !mpa_crc_expected(d->mpa, d->side) ||
        fs->grids_tried >= TRIES_MAX)
        return false;
    fs->grids_tried++;
    INVARIANT(fs->grids_tried <= TRIES_MAX);
    return fs->markers_right > 0 ? try_periods(d) || try_shifts(d) : try_shifts(d) || try_periods(d);
}
