// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Segments cut by the snap length: their octets end early, but TCP knows how many there were. An FPDU whose
 * ULPDU_Length was captured is followed to its end by counting, without its content; its header, and Markers as far as
 * they were captured, are judged as usual. Its octets wait in the window, which takes no more octets until the FPDU's
 * end has passed. If the next ULPDU_Length is cut away, framing is lost until a segment begins with an FPDU.
 */
#include "engine/mpa/mpa_framing.h"
#include "wire/invariant.h"

enum { WHOLE_HEADER = MPA_LENGTH_LEN + DDP_UNTAGGED_HEADER_LEN };

/*
 * An FPDU begins at the cursor, as far as its header and the segments show: it fills a segment, or its header is
 * correct. segment_end: end of the cut segment.
 */
static bool begins_here(struct mpa_connection *mpa, unsigned side, uint64_t segment_end)
{
    struct mpa_side *s = &mpa->side[side];
    size_t seen = 0;
    unsigned odd = mpa_oddity_at(s, s->cursor, &seen);

    if (seen < MPA_LENGTH_LEN || s->framing->opening || s->framing->doubtful)
        return false;
    if (odd == 0)
        return true;
    return get_be16(mpa_window_at(&s->window, mpa_header_of(s, s->cursor))) >= DDP_TAGGED_HEADER_LEN &&
           mpa_segment_starts(mpa, side, s->cursor) && mpa_shape_claimed_end(s, s->cursor) == segment_end;
}

/* The FPDU at the cursor has passed: accepts it. */
static void accept(struct mpa_connection *mpa, unsigned side)
{
    struct mpa_side *s = &mpa->side[side];
    struct mpa_shape shape;
    struct mpa_fpdu fpdu;

    s->cut_end = 0;
    mpa_shape_init(&shape, s->framing, s->cursor, get_be16(mpa_window_at(&s->window, mpa_header_of(s, s->cursor))));
    mpa_shape_read_cut(&fpdu, &shape, s, s->cursor);
    INVARIANT(fpdu.cut < fpdu.length && fpdu.lacking <= fpdu.ulpdu_length);
    mpa_framing_accept(mpa, side, &fpdu, ACCEPT_CUT);
}

/*
 * Handles complete FPDUs before the cut one; FPDUs that waited for later octets are judged by the octets there are. If
 * the start of the stream is missing, an FPDU with a wrong CRC may not be one: whether there are Markers was a guess.
 */
static void settle_whole(struct mpa_connection *mpa, unsigned side)
{
    struct mpa_side *s = &mpa->side[side];
    struct mpa_fpdu fpdu;
    uint64_t before;

    do
        before = s->cursor;
    while (s->state == SIDE_FPDUS && mpa_framing_parse(mpa, side, s->cursor, &fpdu) == MPA_FPDU_OK &&
           (s->framing->start_known || fpdu.crc == fpdu.crc_computed || !mpa_crc_expected(mpa, side)) &&
           mpa_framing_step(mpa, side, true) && s->cursor != before);
}

bool mpa_cut_regain(struct mpa_connection *mpa, unsigned side)
{
    struct mpa_side *s = &mpa->side[side];
    const struct origin_run *last = s->n_runs > 0 ? &s->runs[s->n_runs - 1] : NULL;
    const uint8_t *header;
    size_t seen = 0;

    if (!last || !last->origin.segment_start || last->origin.segment_end || last->start < s->window.offset ||
        last->end - last->start >= last->origin.segment_length || mpa_oddity_at(s, last->start, &seen) != 0 ||
        seen < WHOLE_HEADER)
        return false;
    /* The first octets of an Untagged header may be anything; of a Tagged FPDU, the length must match the segment's. */
    header = mpa_window_at(&s->window, mpa_header_of(s, last->start));
    if (header[MPA_LENGTH_LEN] & 0x80 &&
        mpa_shape_claimed_end(s, last->start) != last->start + last->origin.segment_length)
        return false;
    s->cursor = last->start;
    s->state = SIDE_FPDUS;
    return true;
    INVARIANT(s->framing && s->cursor >= s->window.offset);
}

bool mpa_cut_hole(struct mpa_connection *mpa, unsigned side, uint64_t from, uint64_t to)
{
    struct mpa_side *s = &mpa->side[side];

    if (s->cut_end == 0) {
        settle_whole(mpa, side);
        if (s->state != SIDE_FPDUS || !begins_here(mpa, side, to))
            return false;
        s->cut_end = mpa_shape_claimed_end(s, s->cursor);
        if (s->cut_end <= from) { /* complete, and still not an FPDU */
            s->cut_end = 0;
            return false;
        }
    }
    INVARIANT(s->cut_end > from && s->cut_end > s->cursor);
    if (s->cut_end > to)
        return true;
    accept(mpa, side);
    if (s->cursor < to) { /* the start of the next FPDU was cut away */
        verdict_lose(mpa->verdict, WHY_CUT, s->last_frame);
        mpa_gap_open(s);
        mpa_framing_hole(mpa, side, s->cursor, to);
    } else {
        mpa_window_restart(&s->window, to);
    }
    INVARIANT(s->cut_end == 0 && s->window.offset >= to);
    return true;
}

size_t mpa_cut_octets(struct mpa_connection *mpa, unsigned side, uint64_t offset, size_t n)
{
    struct mpa_side *s = &mpa->side[side];

    if (s->cut_end > offset + n)
        return n;
    accept(mpa, side);
    mpa_window_restart(&s->window, s->cursor);
    INVARIANT(s->cursor >= offset && s->cursor - offset <= n && s->cut_end == 0);
    return (size_t)(s->cursor - offset);
}
