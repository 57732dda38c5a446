// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Whether an FPDU begins at an octet. If CRCs are used (or generated anyway), the CRC proves the FPDU; otherwise a
 * correct DDP header makes it plausible, and a row of FPDUs, each where the previous one ends, makes it likely.
 */
#include "engine/mpa/mpa_framing.h"

enum { ROW_CERTAIN = 3, ROW_LIKELY = 2 };

uint64_t mpa_header_of(const struct mpa_side *s, uint64_t at)
{
    const struct mpa_framing_state *fs = s->framing;

    if (fs->framing.markers && at >= fs->framing.seq_start && (at - fs->framing.seq_start) % fs->period == 0)
        return at + MPA_MARKER_LEN;
    return at;
}

unsigned mpa_octets_oddity(const struct mpa_framing_state *fs, const uint8_t *p, size_t n)
{
    unsigned odd = mpa_header_oddity(p, n);

    /* RDMAC ends agree on version 0 (Appendix C); anywhere else it is odd. */
    if (fs->version_zero && n >= HEADER_VISIBLE_MIN && ((p[2] & 0x03) | (p[3] & 0xC0)) == 0 && odd > 0)
        odd--;
    return odd;
}

/* Collects the octets from ULPDU_Length on, without the Markers among them; at most HEADER_VISIBLE. */
static size_t gather_header(const struct mpa_side *s, uint64_t header, uint8_t out[HEADER_VISIBLE])
{
    const struct mpa_framing_state *fs = s->framing;
    uint64_t at = header, end = mpa_window_end(&s->window);
    size_t n = 0;

    while (n < HEADER_VISIBLE && at < end) {
        if (at > header && at >= fs->framing.seq_start && (at - fs->framing.seq_start) % fs->period == 0)
            at += MPA_MARKER_LEN;
        else
            out[n++] = *mpa_window_at(&s->window, at++);
    }
    return n;
}

unsigned mpa_oddity_at(const struct mpa_side *s, uint64_t at, size_t *seen)
{
    const struct mpa_framing_state *fs = s->framing;
    uint64_t header = mpa_header_of(s, at);
    size_t n = at < s->window.offset ? 0 : mpa_octets_from(s, header);
    uint8_t gathered[HEADER_VISIBLE];
    const uint8_t *p;

    if (n > HEADER_VISIBLE)
        n = HEADER_VISIBLE;
    if (n == 0) {
        p = gathered;
    } else if (fs->framing.markers && header >= fs->framing.seq_start &&
               fs->period - (header - fs->framing.seq_start) % fs->period < n) {
        n = gather_header(s, header, gathered);
        p = gathered;
    } else {
        p = mpa_window_at(&s->window, header);
    }
    if (seen)
        *seen = n;
    return n == 0 ? 0 : mpa_octets_oddity(fs, p, n);
}

enum follow mpa_follow(struct mpa_connection *mpa, unsigned side, uint64_t at)
{
    struct mpa_side *s = &mpa->side[side];
    struct mpa_fpdu fpdu;
    size_t seen;
    unsigned odd = mpa_oddity_at(s, at, &seen);

    if (odd > HEADER_ODD_MAX)
        return FOLLOW_NO;
    if (seen < HEADER_VISIBLE_MIN)
        return FOLLOW_UNKNOWN;
    if (mpa_framing_parse(mpa, side, at, &fpdu) != MPA_FPDU_OK)
        return odd == 0 ? FOLLOW_MAYBE : FOLLOW_UNKNOWN;
    if (fpdu.crc == fpdu.crc_computed)
        return FOLLOW_YES;
    if (odd > 0)
        return FOLLOW_NO;
    if (mpa->parameters.crc == ON)
        return FOLLOW_MAYBE;
    odd = mpa_oddity_at(s, at + fpdu.length, &seen);
    return odd <= HEADER_ODD_MAX ? FOLLOW_YES : FOLLOW_MAYBE;
}

/* Plausible FPDUs in a row from `at` on. */
struct row {
    unsigned count;
    bool contradicted; /* contradicted by the octets after them */
    bool clean_end;    /* the last one ends with the available octets, at the end of a segment */
};

static struct row look_along(struct mpa_connection *mpa, unsigned side, uint64_t at)
{
    struct mpa_side *s = &mpa->side[side];
    struct row row = {0};

    while (row.count < ROW_CERTAIN) {
        struct mpa_fpdu fpdu;
        size_t seen;
        unsigned odd = mpa_oddity_at(s, at, &seen);

        if (odd > (row.count == 0 ? 0 : 1)) {
            row.contradicted = true;
            break;
        }
        if (mpa_framing_parse(mpa, side, at, &fpdu) != MPA_FPDU_OK)
            break;
        if (fpdu.n_markers > 0 && !mpa_markers_right(&fpdu)) {
            row.contradicted = true;
            break;
        }
        at += fpdu.length;
        row.count++;
    }
    row.clean_end =
        !row.contradicted && row.count > 0 && at == mpa_window_end(&s->window) && mpa_segment_ends(mpa, side, at);
    return row;
}

/* Without CRCs: decides by the row of plausible FPDUs, and by the segments that they fill. */
static enum seek try_row(struct mpa_connection *mpa, unsigned side, uint64_t at, bool last)
{
    struct row row = look_along(mpa, side, at);

    if (row.count == ROW_CERTAIN || (row.count == ROW_LIKELY && !row.contradicted))
        return SEEK_FOUND;
    if (row.contradicted || row.count == 0)
        return SEEK_NONE;
    if ((row.clean_end || last) && mpa_segment_starts(mpa, side, at))
        return SEEK_FOUND;
    return last ? SEEK_NONE : SEEK_PENDING;
}

static enum seek follow_try_start(struct mpa_connection *mpa, unsigned side, uint64_t at, bool last)
{
    struct mpa_fpdu fpdu;
    size_t seen;
    unsigned odd = mpa_oddity_at(&mpa->side[side], at, &seen);

    if (odd > (mpa->parameters.crc == ON ? HEADER_ODD_MAX : 0))
        return SEEK_NONE;
    if (seen < HEADER_VISIBLE_MIN)
        return last ? SEEK_NONE : SEEK_PENDING;
    if (mpa_framing_parse(mpa, side, at, &fpdu) != MPA_FPDU_OK)
        return odd == 0 && !last ? SEEK_PENDING : SEEK_NONE;
    if (fpdu.crc == fpdu.crc_computed)
        return SEEK_FOUND;
    return mpa_crc_expected(mpa, side) ? SEEK_NONE : try_row(mpa, side, at, last);
}

/* A Marker is among the first octets from here, so they are not a whole header. */
static bool near_marker(const struct mpa_framing_state *fs, uint64_t header)
{
    return fs->framing.markers && header >= fs->framing.seq_start &&
           fs->period - (header - fs->framing.seq_start) % fs->period < HEADER_VISIBLE_MIN;
}

/* Quickly rejects nearly every octet, by versions, reserved bits, and a length too short for a header. */
static bool may_start(const struct mpa_side *s, uint64_t x)
{
    uint64_t header = mpa_header_of(s, x);
    const uint8_t *p;

    if (mpa_octets_from(s, header) < HEADER_VISIBLE_MIN || near_marker(s->framing, header))
        return true;
    p = mpa_window_at(&s->window, header);
    return (p[0] != 0 || p[1] >= DDP_TAGGED_HEADER_LEN) && (p[2] & 0x02) == 0 && (p[3] & 0x80) == 0;
}

/*
 * Segments that begin at x hold one FPDU with a right CRC and nothing else: an FPDU, however wrong its header is. Fewer
 * than HEADER_VISIBLE_MIN octets cannot hold an FPDU.
 */
static bool fills_segments(struct mpa_connection *mpa, unsigned side, uint64_t x)
{
    struct mpa_side *s = &mpa->side[side];
    struct mpa_fpdu fpdu;

    return mpa->parameters.crc == ON && mpa_octets_from(s, mpa_header_of(s, x)) >= HEADER_VISIBLE_MIN &&
           mpa_segment_ends(mpa, side, mpa_shape_claimed_end(s, x)) &&
           mpa_framing_parse(mpa, side, x, &fpdu) == MPA_FPDU_OK && fpdu.crc == fpdu.crc_computed;
}

/* The first start of a segment from x on; the end of the window when there is none. */
static uint64_t segment_from(const struct mpa_side *s, uint64_t x)
{
    size_t run = mpa_run_of(s, x);

    while (run < s->n_runs && (s->runs[run].start < x || !s->runs[run].origin.segment_start))
        run++;
    return run < s->n_runs ? s->runs[run].start : mpa_window_end(&s->window);
}

enum seek mpa_seek(struct mpa_connection *mpa, unsigned side, uint64_t from, uint64_t to, bool last, uint64_t *at)
{
    struct mpa_side *s = &mpa->side[side];
    uint64_t end = mpa_window_end(&s->window), pending = 0, segment;
    bool waiting = false;

    if (to > end)
        to = end;
    if (from < s->window.offset)
        from = s->window.offset;
    segment = segment_from(s, from);
    for (uint64_t x = from; x < to; x++) {
        bool starts = x == segment;

        if (starts)
            segment = segment_from(s, x + 1);
        if (starts && fills_segments(mpa, side, x)) {
            *at = x;
            return SEEK_FOUND;
        }
        /* While a start waits for more octets, only starts of segments may replace it. */
        if (!may_start(s, x) || (waiting && !starts))
            continue;
        switch (follow_try_start(mpa, side, x, last)) {
        case SEEK_FOUND:
            *at = x;
            return SEEK_FOUND;
        case SEEK_PENDING:
            if (!waiting)
                pending = x;
            waiting = true;
            break;
        case SEEK_NONE:
            break;
        }
    }
    *at = waiting ? pending : to;
    return waiting ? SEEK_PENDING : SEEK_NONE;
}
