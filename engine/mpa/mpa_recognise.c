// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Recognises FPDU streams without their startup frames, by structure and CRC, with and without Markers. Other protocols
 * must never be taken for MPA, so one plausible header proves nothing: proof takes valid CRCs, Markers that point to
 * their header, or a row of plausible FPDUs, each where the previous FPDU ends. Once one direction was recognised, or a
 * startup frame of the other side was seen, less proof is required.
 */
#include "engine/mpa/mpa_framing.h"
#include "wire/invariant.h"

enum {
    LOOK_MAX = 512 << 10,               /* octets of one side searched in vain */
    INSIDE_MAX = 96 << 10,              /* of these, octets searched one by one, not only at starts of segments */
    KEEP_MAX = 2 * MPA_FPDU_OCTETS_MAX, /* octets kept while one plausible start waits for more */
    WALK_MAX = 8,
    STARTS_MAX = 64, /* later starts of segments tried while one start waits */
    ROW_SURE = 4,    /* plausible FPDUs in a row, without CRC or Markers */
    ROW_OF_SEGMENTS = 3,
};

/* The evidence for an FPDU stream that starts at some octet. */
struct tally {
    unsigned plausible, crcs, markers;
    uint32_t zero_crc_fields;
    bool contradicted;
    bool whole_segments; /* the FPDUs fill segments */
};

static bool msn_follows(const struct ddp_segment *ddp, uint32_t msn[4], bool seen[4])
{
    bool follows;

    if (ddp->tagged || ddp->qn > 3)
        return true;
    follows = !seen[ddp->qn] || ddp->msn == msn[ddp->qn] || ddp->msn == msn[ddp->qn] + 1;
    seen[ddp->qn] = true;
    msn[ddp->qn] = ddp->msn;
    return follows;
}

/* The octets that remain of the header without its Markers are a DDP header. */
static bool header_left(const struct mpa_framing_state *fs, const struct mpa_fpdu *fpdu)
{
    uint8_t header[HEADER_VISIBLE];
    size_t n = HEADER_VISIBLE - MPA_LENGTH_LEN;

    if (fpdu->n_markers == 0 || fpdu->ulpdu_length < n)
        return true;
    put_be16(header, fpdu->ulpdu_length);
    for (size_t i = 0; i < n; i++)
        header[MPA_LENGTH_LEN + i] = fpdu->ulpdu[i];
    return mpa_octets_oddity(fs, header, sizeof header) == 0;
}

/* A whole FPDU is consistent: its Markers, its DDP segment, and its MSN with earlier ones. */
static bool recognise_consistent(struct mpa_side *s, const struct mpa_fpdu *fpdu, uint32_t msn[4], bool seen[4])
{
    struct ddp_segment ddp;

    if (fpdu->n_markers > 0 && !mpa_markers_right(fpdu))
        return false;
    if (!ddp_segment_decode(&ddp, fpdu->ulpdu, fpdu->ulpdu_length) || !msn_follows(&ddp, msn, seen))
        return false;
    if (fpdu->crc != fpdu->crc_computed &&
        mpa_header_oddity(mpa_window_at(&s->window, fpdu->header), MPA_LENGTH_LEN) > 0)
        return false;
    return header_left(s->framing, fpdu);
}

static struct tally recognise_walk(struct mpa_connection *mpa, unsigned side, uint64_t start)
{
    struct mpa_side *s = &mpa->side[side];
    struct tally tally = {0};
    uint32_t msn[4] = {0};
    bool seen[4] = {false};
    uint64_t at = start;

    for (unsigned i = 0; i < WALK_MAX && mpa_octets_from(s, at) > 0; i++) {
        struct mpa_fpdu fpdu;

        if (mpa_follow(mpa, side, at) == FOLLOW_NO) {
            tally.contradicted = true;
            break;
        }
        if (mpa_framing_parse(mpa, side, at, &fpdu) != MPA_FPDU_OK)
            break;
        if (!recognise_consistent(s, &fpdu, msn, seen)) {
            tally.contradicted = true;
            break;
        }
        /* Inside the header, an MSN or TO can look like a Marker: it counts when there are others 512 octets away. */
        for (unsigned m = 0; m < fpdu.n_markers; m++)
            tally.markers += fpdu.markers[m].expected != 0 && (fpdu.markers[m].expected >= HEADER_VISIBLE || m > 0);
        tally.plausible++;
        tally.crcs += fpdu.crc == fpdu.crc_computed;
        tally.zero_crc_fields += fpdu.crc == 0;
        at += fpdu.length;
        tally.whole_segments = mpa_segment_starts(mpa, side, start) && mpa_segment_ends(mpa, side, at);
    }
    INVARIANT(tally.crcs <= tally.plausible && tally.zero_crc_fields <= tally.plausible && tally.plausible <= WALK_MAX);
    return tally;
}

/* CRCs, Markers or a long row are proof, even if later octets contradict. */
static bool proves_itself(const struct tally *tally, bool known)
{
    if (tally->crcs >= 2 || tally->markers >= 2 || tally->plausible >= ROW_SURE)
        return true;
    return tally->crcs >= 1 && (tally->markers >= 1 || known || tally->whole_segments);
}

static bool proves(struct mpa_connection *mpa, unsigned side, const struct tally *tally, bool last)
{
    bool known = mpa->phase == MPA_PHASE_FULL_OPERATION;

    if (mpa->side[side].framing->version_zero && tally->crcs == 0)
        return false;
    if (proves_itself(tally, known))
        return true;
    if (tally->contradicted || tally->plausible == 0)
        return false;
    if (mpa->parameters.crc == ON && tally->crcs == 0) /* the other direction has CRCs, so the CRC must decide */
        return false;
    if (tally->plausible >= ROW_OF_SEGMENTS && tally->whole_segments)
        return true;
    if (known)
        return tally->plausible >= 2 || tally->whole_segments || last;
    /* Both directions count together. */
    return tally->whole_segments && mpa->side[1 - side].row > 0 &&
           tally->plausible + mpa->side[1 - side].row >= ROW_SURE;
}

/* Judges one start with the framing in the side's framing state. */
static enum seek recognise_judge(struct mpa_connection *mpa, unsigned side, uint64_t start, bool last,
                                 struct tally *best)
{
    struct tally tally = recognise_walk(mpa, side, start);

    if (proves(mpa, side, &tally, last)) {
        *best = tally;
        return SEEK_FOUND;
    }
    if (tally.contradicted || last)
        return SEEK_NONE;
    if (tally.whole_segments && tally.plausible > mpa->side[side].row)
        mpa->side[side].row = tally.plausible;
    INVARIANT(mpa->side[side].row <= WALK_MAX);
    return SEEK_PENDING;
}

static void set_grid(struct mpa_framing_state *fs, bool markers, uint64_t origin, uint64_t start)
{
    fs->framing.markers = markers;
    fs->framing.seq_start = origin;
    while (markers && fs->framing.seq_start > start && fs->framing.seq_start >= MPA_MARKER_PERIOD)
        fs->framing.seq_start -= MPA_MARKER_PERIOD;
    INVARIANT(!markers || fs->framing.seq_start <= start || fs->framing.seq_start < MPA_MARKER_PERIOD);
}

/*
 * Without startup frames, version 0 means an old RDMAC connection (Appendix C), which always has Markers and CRCs. p: n
 * octets of an FPDU or of the Marker before it.
 */
static bool version_zero(const uint8_t *p, size_t n)
{
    if (get_be32(p) == 0 && n >= MPA_MARKER_LEN + HEADER_VISIBLE_MIN)
        p += MPA_MARKER_LEN;
    return ((p[2] & 0x03) | (p[3] & 0xC0)) == 0;
}

/* Tries grids given by octets in the FPDU that point back to its header like a Marker. */
static enum seek try_grids(struct mpa_connection *mpa, unsigned side, uint64_t start, bool last, struct tally *best)
{
    struct mpa_side *s = &mpa->side[side];
    uint64_t until = start + MPA_LENGTH_LEN + get_be16(mpa_window_at(&s->window, start)) + MPA_CRC_LEN;
    enum seek result = SEEK_NONE;
    uint64_t found, grid = 0;
    struct tally tally;

    if (until > start + MPA_MARKER_PERIOD + 1) /* search only the first Marker */
        until = start + MPA_MARKER_PERIOD + 1;
    for (uint64_t from = start + MPA_MARKER_LEN; mpa_find_marker(s, start, from, until, &found); from = found + 1) {
        enum seek one;

        /* ULPDU can look like a Marker, too; a Marker's distance is a multiple of 4 octets. */
        if ((found - start) % MPA_MARKER_LEN != 0)
            continue;
        set_grid(s->framing, true, found, start);
        one = recognise_judge(mpa, side, start, last, &tally);
        if (one == SEEK_PENDING)
            result = one;
        if (one != SEEK_FOUND)
            continue;
        if (grid != 0) /* two grids are possible so far */
            return last ? SEEK_NONE : SEEK_PENDING;
        grid = found;
        *best = tally;
    }
    if (grid == 0)
        return result;
    set_grid(s->framing, true, grid, start);
    return SEEK_FOUND;
}

/* Tries the Marker 00000000 before an FPDU. */
static enum seek try_marker(struct mpa_connection *mpa, unsigned side, uint64_t start, bool last, struct tally *best)
{
    struct mpa_side *s = &mpa->side[side];
    const uint8_t *p = mpa_window_at(&s->window, start);
    size_t n = mpa_octets_from(s, start);

    if (mpa->parameters.markers[side] == OFF || get_be32(p) != 0)
        return SEEK_NONE;
    if (n < MPA_MARKER_LEN + HEADER_VISIBLE_MIN)
        return last ? SEEK_NONE : SEEK_PENDING;
    if (mpa_octets_oddity(s->framing, p + MPA_MARKER_LEN, n - MPA_MARKER_LEN) != 0)
        return SEEK_NONE;
    set_grid(s->framing, true, start, start);
    return recognise_judge(mpa, side, start, last, best);
}

/* Where CRCs are used, a CRC proves an FPDU that fills a segment, whatever its header says. */
static bool proved_by_crc(struct mpa_connection *mpa, unsigned side, uint64_t start, struct tally *best)
{
    struct mpa_fpdu fpdu;

    if (mpa->phase != MPA_PHASE_FULL_OPERATION || mpa->parameters.crc != ON || !mpa_segment_starts(mpa, side, start) ||
        mpa_framing_parse(mpa, side, start, &fpdu) != MPA_FPDU_OK || fpdu.crc != fpdu.crc_computed ||
        !mpa_segment_ends(mpa, side, start + fpdu.length))
        return false;
    *best = (struct tally){.plausible = 1, .crcs = 1, .whole_segments = true};
    return true;
}

/* Tries an FPDU, or its Marker, at `start`; without Markers first. */
static enum seek recognise_try_start(struct mpa_connection *mpa, unsigned side, uint64_t start, bool last,
                                     struct tally *best)
{
    struct mpa_side *s = &mpa->side[side];
    struct mpa_framing_state *fs = s->framing;
    const uint8_t *p = mpa_window_at(&s->window, start);
    size_t n = mpa_octets_from(s, start);
    enum seek plain, marked;

    if (n < HEADER_VISIBLE_MIN)
        return last ? SEEK_NONE : SEEK_PENDING;
    fs->version_zero = version_zero(p, n);
    /* Even if Markers are known to be used: the first FPDUs seen may have none. */
    set_grid(fs, false, 0, start);
    if (mpa_octets_oddity(fs, p, n < HEADER_VISIBLE ? n : HEADER_VISIBLE) != 0)
        return proved_by_crc(mpa, side, start, best) ? SEEK_FOUND : try_marker(mpa, side, start, last, best);
    plain = recognise_judge(mpa, side, start, last, best);
    if (plain == SEEK_FOUND || mpa->parameters.markers[side] == OFF)
        return plain;
    marked = try_grids(mpa, side, start, last, best);
    return marked == SEEK_NONE ? plain : marked;
}

/* The next octet from x on where an FPDU may start: a start of a segment, or (everywhere) any octet. */
static uint64_t next_start(const struct mpa_side *s, uint64_t x, bool everywhere)
{
    size_t run;

    if (everywhere || x == s->first_offset)
        return x;
    run = mpa_run_of(s, x);
    if (run < s->n_runs && s->runs[run].start < x)
        run++;
    while (run < s->n_runs && !s->runs[run].origin.segment_start && s->runs[run].start != s->first_offset)
        run++;
    return run < s->n_runs ? s->runs[run].start : mpa_window_end(&s->window);
}

/* The first start that proves itself; with PENDING, the first one that waits for more octets. */
static enum seek recognise_search(struct mpa_connection *mpa, unsigned side, bool last, uint64_t *at,
                                  struct tally *best)
{
    struct mpa_side *s = &mpa->side[side];
    uint64_t end = mpa_window_end(&s->window), from = s->looked > s->window.offset ? s->looked : s->window.offset;
    bool everywhere = (!mpa->start_captured[side] || s->hole) && s->streamed < INSIDE_MAX;
    unsigned starts = 0; /* counted from the waiting one on */

    *at = end;
    for (uint64_t x = next_start(s, from, everywhere); x < end; x = next_start(s, x + 1, everywhere)) {
        enum seek found = recognise_try_start(mpa, side, x, last, best);

        if (found == SEEK_FOUND) {
            *at = x;
            INVARIANT(x >= from && x >= s->window.offset);
            return found;
        }
        if (found == SEEK_PENDING && starts == 0) {
            *at = x;
            everywhere = false;
            starts = 1;
        } else if (starts > 0 && ++starts > STARTS_MAX) {
            break;
        }
    }
    return starts > 0 ? SEEK_PENDING : SEEK_NONE;
}

static void recognise_settle(struct mpa_connection *mpa, unsigned side, uint64_t at, const struct tally *tally)
{
    struct mpa_side *s = &mpa->side[side];
    struct mpa_framing_state *fs = s->framing;
    struct mpa_parameters *parameters = &mpa->parameters;
    struct place place = mpa_place(mpa, side, at, at);

    /* The framing that the search tried last is the right one. */
    fs->start = fs->framing.markers ? fs->framing.seq_start : at;
    if (parameters->markers[side] != (fs->framing.markers ? ON : OFF))
        fs->doubtful = tally->markers == 0;
    if (parameters->markers[side] == UNKNOWN)
        parameters->markers[side] = fs->framing.markers ? ON : OFF;
    if (s->fpdus > 0 || s->hole) { /* not the first FPDUs of this direction: octets before them are missing */
        fs->after_resync = true;
        fs->lost_from = at;
    }
    if (parameters->crc == UNKNOWN && (tally->crcs > 0 || tally->zero_crc_fields > 0)) {
        parameters->crc = tally->crcs > 0 ? ON : OFF;
        mpa->crc_inferred = true;
    }
    s->cursor = at;
    s->state = SIDE_FPDUS;
    if (at > s->window.offset)
        mpa_skipped(mpa, side, s->window.offset, at, "before the first FPDU that could be recognised");
    if (mpa->phase != MPA_PHASE_FULL_OPERATION) {
        parameters->midstream = true;
        mpa_set_phase(mpa, MPA_PHASE_FULL_OPERATION, &place);
    }
    INVARIANT(mpa->phase == MPA_PHASE_FULL_OPERATION && parameters->markers[side] != UNKNOWN);
    INVARIANT(s->cursor >= s->window.offset && s->cursor < mpa_window_end(&s->window));
}

bool mpa_recognise(struct mpa_connection *mpa, unsigned side, bool last)
{
    struct mpa_side *s = &mpa->side[side], *o = &mpa->side[1 - side];
    bool was_known = mpa->phase == MPA_PHASE_FULL_OPERATION;
    struct tally tally = {0};
    uint64_t at, keep;
    enum seek found;

    if (s->window.n == 0 || !mpa_framing_prepare(mpa, side))
        return false;
    if (!was_known)
        mpa_assume(mpa);
    found = recognise_search(mpa, side, last, &at, &tally);
    if (found == SEEK_FOUND) {
        recognise_settle(mpa, side, at, &tally);
        /* The other direction may have waited for this recognition. */
        if (!was_known && o->state == SIDE_RECOGNISING && o->window.n > 0 && mpa_recognise(mpa, 1 - side, false))
            mpa_framing_octets(mpa, 1 - side);
        return true;
    }
    s->looked = at;
    keep = s->looked;
    if (found == SEEK_PENDING && mpa_octets_from(s, at) > KEEP_MAX)
        keep = s->looked = at + 1;
    if (mpa->phase != MPA_PHASE_FULL_OPERATION && s->cursor < keep)
        keep = s->cursor; /* the search for a startup frame has not reached these octets yet */
    if (s->cursor < keep)
        s->cursor = keep;
    INVARIANT(keep <= mpa_window_end(&s->window) + 1);
    s->streamed += keep > s->window.offset ? keep - s->window.offset : 0;
    mpa_window_drop(&s->window, keep);
    INVARIANT(s->window.offset <= s->cursor);
    if (s->streamed > LOOK_MAX && mpa->phase != MPA_PHASE_FULL_OPERATION)
        s->state = SIDE_STREAMING;
    return false;
}
