// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Full Operation (RFC 5044 section 4): extracts one FPDU after the other from the octets of a direction. The fast path
 * is short; anything unusual goes to the diagnosis or, after a loss, to the search for the next FPDU.
 */
#include "engine/mpa/mpa_framing.h"

#include "wire/invariant.h"

enum {
    WINDOW_MAX = 2 * MPA_FPDU_OCTETS_MAX, /* octets kept while a diagnosis waits */
    TRUSTED = 3,                          /* FPDUs in step, after which the end of a segment confirms an FPDU */
    PATIENCE = 8,                         /* a diagnosis is repeated when an eighth more octets have come */
};

/* ---- beginning ---- */

bool mpa_framing_prepare(struct mpa_connection *mpa, unsigned side)
{
    struct mpa_side *s = &mpa->side[side];

    if (!s->framing)
        s->framing = arena_zeroed(mpa->arena, sizeof *s->framing);
    if (!s->framing)
        return false;
    *s->framing = (struct mpa_framing_state){.period = MPA_MARKER_PERIOD};
    return true;
}

bool mpa_framing_begin(struct mpa_connection *mpa, unsigned side, uint64_t at)
{
    struct mpa_side *s = &mpa->side[side];

    if (!mpa_framing_prepare(mpa, side))
        return false;
    s->framing->framing = (struct mpa_framing){.markers = mpa->parameters.markers[side] == ON, .seq_start = at};
    s->framing->start = at;
    s->framing->start_known = s->framing->opening = true;
    s->framing->version_zero = mpa->parameters.startup_seen && mpa->parameters.revision == 0;
    s->cursor = at;
    s->state = SIDE_FPDUS;
    return true;
}

/* The first octets look more like a Marker and a header than like a header alone. */
static bool framing_marker_leads(const struct mpa_framing_state *fs, const uint8_t *p, size_t n,
                                 enum tristate negotiated)
{
    bool zero = get_be32(p) == 0;
    unsigned plain = mpa_octets_oddity(fs, p, n);
    unsigned marked = mpa_octets_oddity(fs, p + MPA_MARKER_LEN, n - MPA_MARKER_LEN);

    if (negotiated == ON)
        return zero || plain >= marked || plain > HEADER_ODD_MAX;
    return zero && marked <= HEADER_ODD_MAX;
}

/*
 * Decides from the first octets whether this direction has Markers. The result counts from here on (7.1.1, 4.3); it is
 * judged once certain. False: too few octets.
 */
static bool settle_markers(struct mpa_connection *mpa, unsigned side, bool last)
{
    struct mpa_side *s = &mpa->side[side];
    struct mpa_framing_state *fs = s->framing;
    size_t n = mpa_octets_from(s, s->cursor);
    enum tristate negotiated = mpa->parameters.markers[side];
    enum lone_word lone;
    bool found;

    if (n < MPA_MARKER_LEN + HEADER_VISIBLE_MIN && !last)
        return false;
    if (n < MPA_MARKER_LEN + HEADER_VISIBLE_MIN) { /* a Marker alone, or a fragment: undecidable */
        fs->opening = false;
        return true;
    }
    found = framing_marker_leads(fs, mpa_window_at(&s->window, s->cursor), n, negotiated);
    lone = negotiated == OFF && found && mpa_crc_binding(mpa) ? mpa_lone_word(mpa, side, s->cursor) : LONE_WORD_NO;
    if (lone == LONE_WORD_OPEN && !last)
        return false;
    fs->opening = false;
    if (lone == LONE_WORD_YES) { /* no Markers except this one */
        mpa_skip_lone_word(mpa, side);
        return true;
    }
    fs->framing.markers = found;
    if (negotiated == UNKNOWN) {
        mpa->parameters.markers[side] = found ? ON : OFF;
    } else if (found != (negotiated == ON)) {
        fs->leading_missing = !found;
        fs->unexpected_marker = found;
        s->faulty = true;
        fs->opening_place = mpa_place(mpa, side, s->cursor, s->cursor + MPA_MARKER_LEN);
    }
    INVARIANT(mpa->parameters.markers[side] != UNKNOWN && !(fs->leading_missing && fs->unexpected_marker));
    return true;
}

/* ---- FPDUs ---- */

static void framing_count_reads(struct mpa_connection *mpa, unsigned side, const struct ddp_segment *ddp)
{
    struct mpa_side *s = &mpa->side[side], *o = &mpa->side[1 - side];

    if (ddp->opcode == RDMAP_READ_REQUEST || ddp->opcode == RDMAP_ATOMIC_REQUEST)
        s->reads_outstanding++;
    else if ((ddp->opcode == RDMAP_READ_RESPONSE && ddp->last) || ddp->opcode == RDMAP_ATOMIC_RESPONSE)
        o->reads_outstanding -= o->reads_outstanding > 0;
}

static void count_shape(struct mpa_connection *mpa, const struct mpa_framing_state *fs)
{
    struct verdict *v = mpa->verdict;

    VERDICT_PASSED(v, RULE_MPA_4_1_01, RULE_MPA_4_1_02, RULE_MPA_4_1_04, RULE_MPA_4_1_09, RULE_MPA_A_1_03);
    if (fs->framing.markers)
        verdict_passed(v, RULE_MPA_4_1_03);
}

/* Counts a cut FPDU: everything after its header is inconclusive. framed: the FPDU ends with a segment. */
static void count_cut(struct mpa_connection *mpa, const struct mpa_framing_state *fs, const struct mpa_fpdu *fpdu,
                      bool framed, uint32_t frame)
{
    struct verdict *v = mpa->verdict;

    if (framed) {
        verdict_passed(v, RULE_MPA_4_1_01);
        verdict_passed(v, RULE_MPA_4_1_02);
        verdict_passed(v, RULE_MPA_A_1_03);
    } else {
        verdict_inconclusive(v, RULE_MPA_4_1_01, WHY_CUT, frame);
    }
    verdict_inconclusive(v, RULE_MPA_4_1_04, WHY_CUT, frame);
    verdict_inconclusive(v, RULE_MPA_4_1_09, WHY_CUT, frame);
    if (fpdu->pad_length > 0)
        verdict_inconclusive(v, RULE_MPA_4_1_05, WHY_CUT, frame);
    if (fs->framing.markers)
        verdict_inconclusive(v, RULE_MPA_4_3_03, WHY_CUT, frame);
    if (mpa_crc_binding(mpa)) {
        verdict_inconclusive(v, RULE_MPA_4_4_07, WHY_CUT, frame);
        verdict_inconclusive(v, RULE_MPA_7_1_1_15, WHY_CUT, frame);
    }
}

/* The DDP segment of an FPDU; false when there is no DDP header, or the header was cut. */
static bool decode_ddp(struct ddp_segment *ddp, const struct mpa_fpdu *fpdu)
{
    if (!ddp_segment_decode(ddp, fpdu->ulpdu, fpdu->ulpdu_length))
        return false;
    if (fpdu->lacking == 0)
        return true;
    ddp->lacking = fpdu->lacking;
    return ddp->lacking <= ddp->payload_len;
}

/* 7.1.1-08..-11, C.2.5-04: the direction uses or omits Markers as negotiated. */
static void count_negotiated(struct mpa_connection *mpa, unsigned side)
{
    bool initiator = mpa->parameters.initiator_side == (int)side;
    const struct mpa_startup *request = &mpa->side[side].startup.frame, *reply = &mpa->side[1 - side].startup.frame;

    if (!mpa->parameters.startup_seen)
        return;
    INVARIANT(mpa->parameters.initiator_side >= 0 && reply->kind != request->kind);
    if (!initiator) {
        const struct mpa_startup *swap = request;
        request = reply;
        reply = swap;
    }
    if (request->revision >= 1 && reply->revision == 0)
        verdict_passed(mpa->verdict, RULE_MPA_C_2_5_04);
    else if (mpa->parameters.markers[side] == ON && (initiator ? reply : request)->flags & MPA_FLAG_M)
        verdict_passed(mpa->verdict, initiator ? RULE_MPA_7_1_1_09 : RULE_MPA_7_1_1_08);
    else if (mpa->parameters.markers[side] == OFF)
        verdict_passed(mpa->verdict, initiator ? RULE_MPA_7_1_1_11 : RULE_MPA_7_1_1_10);
}

/*
 * A guess about Markers is confirmed by a Marker with a right pointer or, if Markers would be visible, by correct
 * FPDUs.
 */
static void vouch(struct mpa_framing_state *fs, const struct mpa_fpdu *fpdu)
{
    bool interior = fpdu->n_markers > 0 && fpdu->markers[fpdu->n_markers - 1].offset > fpdu->header;

    if (fs->framing.markers)
        fs->doubtful = !(interior && mpa_markers_right(fpdu));
    else if (fpdu->crc == fpdu->crc_computed)
        fs->doubtful = fs->vouched + fpdu->length <= MPA_MARKER_PERIOD + MPA_MARKER_LEN;
    else if (fs->in_step >= TRUSTED) /* confirms the ends of earlier FPDUs, not its own */
        fs->doubtful = fs->vouched <= MPA_MARKER_PERIOD + MPA_MARKER_LEN;
    fs->vouched += fpdu->length;
    INVARIANT(fs->vouched >= fpdu->length);
}

/* Field by field: clearing the event first would take a good part of an FPDU's cost. */
static void begin_event(struct mpa_connection *mpa, unsigned side, const struct mpa_fpdu *fpdu,
                        struct mpa_fpdu_event *event)
{
    struct mpa_side *s = &mpa->side[side];
    struct mpa_framing_state *fs = s->framing;
    const struct octets_origin *origin = mpa_origin(mpa, side, fpdu->offset + fpdu->length - 1);

    INVARIANT(fpdu->length > 0 && fpdu->offset >= s->window.offset);
    INVARIANT(fpdu->offset + fpdu->length - fpdu->cut <= mpa_window_end(&s->window));
    event->first = mpa_origin(mpa, side, fpdu->offset);
    event->last = origin;
    event->starts_segment = mpa_segment_starts(mpa, side, fpdu->offset);
    event->place = (struct place){.frame = origin->arrival,
                                  .first_frame = event->first->frame,
                                  .time_ns = origin->time_ns,
                                  .offset = fpdu->offset,
                                  .side = (uint8_t)side};
    event->direction = direction_of(mpa, side);
    event->number = s->fpdus;
    event->acked_known = origin->acked_known;
    event->acked = origin->acked;
    event->after_resync = fs->after_resync;
    event->within = false;
    event->skipped = fpdu->offset - (s->fpdus > 0 ? s->tail.end : s->startup.seen ? s->startup.end : fpdu->offset);
    if (fs->after_resync) {
        mpa_skipped(mpa, side, fs->lost_from, fpdu->offset, "no FPDU could be recognised");
        fs->after_resync = false;
    }
}

/* Judges whether the direction begins as negotiated. */
static void judge_opening(struct mpa_connection *mpa, unsigned side, const struct mpa_fpdu *fpdu, unsigned how)
{
    struct mpa_side *s = &mpa->side[side];
    struct mpa_framing_state *fs = s->framing;

    if (fs->unexpected_marker) {
        fs->unexpected_marker = false;
        mpa_report_unmet(mpa, side, &fs->opening_place, true);
    } else if (s->fpdus == 0 && fs->start_known && !fs->leading_missing && fpdu->offset == fs->start && !fs->unmet) {
        count_negotiated(mpa, side);
    }
    if (!fs->leading_missing || fs->framing.markers ||
        fpdu->offset + fpdu->length < fs->start + MPA_MARKER_PERIOD + MPA_MARKER_LEN)
        return;
    fs->leading_missing = false;
    if (how & ACCEPT_CUT) /* nor can the place of the next Marker be examined */
        verdict_failed(mpa->verdict, RULE_MPA_4_3_04, direction_of(mpa, side), &fs->opening_place, 0,
                       "expected the Marker 00000000 as the first octets of Full Operation; found an FPDU header");
    else /* The next Marker is missing, too: this direction has none. */
        mpa_report_unmet(mpa, side, &fs->opening_place, false);
}

/* Judges Markers, CRC and shape. */
static void judge_frame(struct mpa_connection *mpa, unsigned side, struct mpa_fpdu *fpdu, unsigned how,
                        struct mpa_fpdu_event *event)
{
    bool judged = !mpa->verdict->off;

    if (judged && !(how & ACCEPT_NO_MARKERS))
        mpa_judge_markers(mpa, side, fpdu, &event->place);
    if (how & (ACCEPT_NO_CRC | ACCEPT_CUT))
        event->crc = mpa->parameters.crc == OFF ? MPA_CRC_NOT_USED : MPA_CRC_UNKNOWN;
    else
        event->crc = mpa_judge_crc(mpa, side, fpdu, &event->place);
    if (!judged)
        return;
    if (how & ACCEPT_CUT)
        count_cut(mpa, mpa->side[side].framing, fpdu, mpa_segment_ends(mpa, side, fpdu->offset + fpdu->length),
                  event->place.frame);
    else if (!(how & ACCEPT_DEVIANT))
        count_shape(mpa, mpa->side[side].framing);
}

/* Whether there are Markers is a guess, and the header may have a Marker in it, although it was read without. */
static bool framing_may_hide_marker(const struct mpa_side *s, const struct mpa_fpdu *fpdu)
{
    uint64_t first = fpdu->header + MPA_MARKER_LEN, at;

    return s->framing->doubtful && !s->framing->framing.markers && fpdu->crc != fpdu->crc_computed &&
           fpdu->length > HEADER_VISIBLE &&
           mpa_find_marker(s, fpdu->header, first, fpdu->header + HEADER_VISIBLE, &at) &&
           (at - fpdu->header) % MPA_MARKER_LEN == 0;
}

static void framing_judge_ulpdu(struct mpa_connection *mpa, unsigned side, const struct mpa_fpdu *fpdu,
                                struct mpa_fpdu_event *event)
{
    struct mpa_side *s = &mpa->side[side];
    enum mpa_content content = event->crc == MPA_CRC_WRONG && mpa_crc_misplaced(fpdu)
                                   ? MPA_CONTENT_UNKNOWN
                                   : mpa_judge_content(mpa, side, fpdu, event->crc);

    bool is_segment = content == MPA_CONTENT_SEGMENT || content == MPA_CONTENT_SEGMENTS;

    event->fpdu = *fpdu;
    if (!is_segment || fpdu->ulpdu_length < 2) /* no header is decoded */
        event->ddp = (struct ddp_segment){0};
    event->has_ddp = is_segment && decode_ddp(&event->ddp, fpdu);
    event->faulty = content == MPA_CONTENT_SEGMENTS || content == MPA_CONTENT_FOREIGN;
    if (fpdu->cut && !event->has_ddp) {
        s->hole = true; /* the FPDU may have been any message */
        verdict_lose(mpa->verdict, WHY_CUT, event->place.frame);
    }
    /* The grid was only a guess, which this FPDU does not confirm: the position of the ULPDU's octets is unknown. */
    if ((!s->framing->start_known && !mpa_markers_right(fpdu)) || framing_may_hide_marker(s, fpdu)) {
        event->has_ddp = false;
        event->faulty = true;
    }
    INVARIANT(!event->has_ddp ||
              (event->ddp.lacking <= event->ddp.payload_len && event->ddp.payload_len <= event->fpdu.ulpdu_length));
    INVARIANT(event->crc != MPA_CRC_VERIFIED || fpdu->crc == fpdu->crc_computed);
}

/* Counts what later FPDUs and the end of the connection are judged by. */
static void count_fpdu(struct mpa_connection *mpa, unsigned side, const struct mpa_fpdu_event *event)
{
    struct mpa_side *s = &mpa->side[side];

    if (s->fpdus++ == 0) {
        s->first_fpdu = event->place;
        s->first_fpdu_end = event->fpdu.offset + event->fpdu.length;
        s->first_fpdu_bad = event->crc == MPA_CRC_WRONG;
        s->first_fpdu_known = s->framing->start_known && !event->after_resync && !s->hole;
    }
    s->fpdu_octets += event->fpdu.length;
    s->good_crcs += event->crc == MPA_CRC_VERIFIED;
    s->bad_crcs += event->crc == MPA_CRC_WRONG;
    if (event->has_ddp)
        framing_count_reads(mpa, side, &event->ddp);
    INVARIANT(s->good_crcs + s->bad_crcs <= s->fpdus && s->fpdu_octets >= s->fpdus);
}

static void count_crc_field(struct mpa_framing_state *fs, const struct mpa_fpdu_event *event, unsigned how)
{
    if (event->crc == MPA_CRC_VERIFIED)
        fs->wrong_crcs = 0;
    else if (event->crc == MPA_CRC_WRONG && fs->wrong_crcs < WRONG_CRCS_USUAL)
        fs->wrong_crcs++;
    /* The previous FPDU and its CRC field were where they seemed to be. */
    if (fs->crc_field != CRC_FIELD_NONE && event->fpdu.offset == fs->last_end) {
        fs->zero_crc_fields += fs->crc_field == CRC_FIELD_ZERO;
        fs->other_crc_fields += fs->crc_field == CRC_FIELD_OTHER;
    }
    fs->crc_field = event->crc == MPA_CRC_VERIFIED || how & (ACCEPT_NO_CRC | ACCEPT_DEVIANT | ACCEPT_CUT)
                        ? CRC_FIELD_NONE
                    : event->fpdu.crc == 0 ? CRC_FIELD_ZERO
                                           : CRC_FIELD_OTHER;
    INVARIANT(fs->wrong_crcs <= WRONG_CRCS_USUAL);
    INVARIANT(event->crc != MPA_CRC_VERIFIED || fs->crc_field == CRC_FIELD_NONE);
}

/* Sets where framing goes on, and how certain that place is. */
static void go_on_after(struct mpa_connection *mpa, unsigned side, const struct mpa_fpdu_event *event, unsigned how)
{
    const struct mpa_fpdu *fpdu = &event->fpdu;
    struct mpa_side *s = &mpa->side[side];
    struct mpa_framing_state *fs = s->framing;

    if (event->starts_segment)
        fs->segment_fpdu = fpdu->offset;
    fs->recent[fs->n_recent++ % RECENT_HEADERS] = fpdu->header;
    fs->last_end = fpdu->offset + fpdu->length;
    fs->in_step++;
    if (fs->doubtful)
        vouch(fs, fpdu);
    fs->uncertain = false;
    fs->no_field = how & ACCEPT_NO_CRC;
    fs->previous = !(how & (ACCEPT_PROVEN | ACCEPT_CUT));
    fs->previous_start = fpdu->offset;
    s->cursor = fs->last_end;
    INVARIANT(s->cursor > s->window.offset && s->cursor > fpdu->header && fs->in_step > 0);
}

/* Rules about the FPDU that need its place among the others, and its contents. */
static void judge_event(struct mpa_connection *mpa, unsigned side, struct mpa_fpdu_event *event)
{
    uint32_t errors;

    mpa_order_fpdu(mpa, side, event);
    errors = mpa->verdict->errors;
    mpa_judge_fpdu_content(mpa, side, event);
    event->faulty |= mpa->verdict->errors != errors;
}

void mpa_framing_accept(struct mpa_connection *mpa, unsigned side, struct mpa_fpdu *fpdu, unsigned how)
{
    bool judged = !mpa->verdict->off;
    struct mpa_fpdu_event event;

    begin_event(mpa, side, fpdu, &event);
    judge_opening(mpa, side, fpdu, how);
    judge_frame(mpa, side, fpdu, how, &event);
    framing_judge_ulpdu(mpa, side, fpdu, &event);
    if (mpa->side[side].gap_open)
        mpa_gap_settle(&mpa->side[side], &event);
    mpa_tail_note(&mpa->side[side], &event);
    count_crc_field(mpa->side[side].framing, &event, how);
    count_fpdu(mpa, side, &event);
    go_on_after(mpa, side, &event, how);

    INVARIANT(mpa->side[side].fpdus == event.number + 1);
    INVARIANT(event.first->frame == event.place.first_frame && event.last->arrival == event.place.frame);
    if (judged)
        judge_event(mpa, side, &event);
    if (mpa->events.fpdu)
        mpa->events.fpdu(mpa->events.ctx, &event);
    if (!judged)
        return;
    mpa_reaction_fpdu(mpa, side, &event);
    mpa_tcp_fpdu(mpa, side, &event);
}

bool mpa_framing_ends_well(struct mpa_connection *mpa, unsigned side, uint64_t start, uint64_t end)
{
    const struct mpa_side *s = &mpa->side[side];
    const struct mpa_framing_state *fs = s->framing;
    size_t run = mpa_run_of(s, start);

    /* A Marker at the end may have been sent ahead of the next FPDU (4.3). */
    if (fs->framing.markers && mpa_octets_from(s, end) == MPA_MARKER_LEN &&
        (end - fs->framing.seq_start) % fs->period == 0 && get_be32(mpa_window_at(&s->window, end)) == 0)
        end += MPA_MARKER_LEN;
    if (end != mpa_window_end(&s->window) || !mpa_segment_ends(mpa, side, end))
        return false;
    return run < s->n_runs && s->runs[run].origin.segment_start &&
           (s->runs[run].start == start || (fs->in_step > 0 && s->runs[run].start == fs->segment_fpdu));
}

void mpa_framing_lose(struct mpa_connection *mpa, unsigned side, uint64_t from, uint64_t seek)
{
    struct mpa_side *s = &mpa->side[side];
    struct mpa_framing_state *fs = s->framing;

    if (!fs->after_resync)
        fs->lost_from = from;
    fs->after_resync = true;
    fs->opening = false;
    fs->previous = false;
    fs->in_step = 0;
    fs->uncertain = false;
    s->cursor = fs->sought = seek;
    s->state = SIDE_LOST;
    if (fs->doubtful)
        mpa->parameters.markers[side] = UNKNOWN;
    if (mpa->parameters.markers[side] == UNKNOWN) {
        s->state = SIDE_RECOGNISING;
        s->looked = seek;
    }
    INVARIANT(s->state == SIDE_LOST || mpa->parameters.markers[side] == UNKNOWN);
    INVARIANT(fs->lost_from <= seek);
}

/* SIDE_LOST. True when an FPDU was found. */
static bool resynchronise(struct mpa_connection *mpa, unsigned side, bool last)
{
    struct mpa_side *s = &mpa->side[side];
    struct mpa_framing_state *fs = s->framing;
    uint64_t end = mpa_window_end(&s->window), at;

    if (mpa_cut_regain(mpa, side))
        return true;
    if (!last && end < fs->diagnose_at)
        return false;
    fs->diagnose_at = 0;
    INVARIANT(fs->sought <= end);
    switch (mpa_seek(mpa, side, fs->sought, end, last, &at)) {
    case SEEK_FOUND:
        s->cursor = at;
        INVARIANT(at >= s->window.offset && at < end);
        s->state = SIDE_FPDUS;
        return true;
    case SEEK_PENDING:
        fs->sought = at;
        INVARIANT(at >= s->window.offset && at < end);
        fs->diagnose_at = end + 1 + (end - at) / PATIENCE;
        if (mpa_octets_from(s, at) > WINDOW_MAX / 2)
            fs->sought = at + 1;
        break;
    case SEEK_NONE:
        /* The last octets may begin a header. */
        fs->sought = end - fs->sought > HEADER_VISIBLE_MIN - 1 ? end - (HEADER_VISIBLE_MIN - 1) : fs->sought;
        break;
    }
    s->cursor = fs->sought;
    INVARIANT(s->cursor >= s->window.offset);
    return false;
}

/*
 * Inside an incomplete FPDU, a segment begins with a CRC-proven FPDU: the length of the incomplete one cannot be right.
 */
static bool overtaken(struct mpa_connection *mpa, unsigned side)
{
    struct mpa_side *s = &mpa->side[side];
    struct mpa_framing_state *fs = s->framing;
    struct mpa_fpdu inner;

    if (fs->overtaken <= s->cursor)
        fs->overtaken = s->cursor + 1;
    for (size_t i = mpa_run_of(s, fs->overtaken); i < s->n_runs; i++) {
        uint64_t at = s->runs[i].start;

        if (at < fs->overtaken || !s->runs[i].origin.segment_start)
            continue;
        fs->overtaken = at;
        INVARIANT(fs->overtaken > s->cursor);
        if (mpa_octets_from(s, at) < HEADER_VISIBLE)
            return false;
        if (mpa_oddity_at(s, at, NULL) > 0)
            continue;
        if (mpa_framing_parse(mpa, side, at, &inner) != MPA_FPDU_OK)
            return false;
        if (inner.crc == inner.crc_computed)
            return true;
    }
    return false;
}

/*
 * Without a CRC: Markers, header and PAD must be right, and later octets must not contradict. If nothing follows yet,
 * segments must confirm the end, or octets to come may still show that ULPDU_Length was wrong.
 */
enum looks { LOOKS_WRONG, LOOKS_OPEN, LOOKS_RIGHT };

static enum looks framing_look_at(struct mpa_connection *mpa, unsigned side, const struct mpa_fpdu *fpdu, bool last)
{
    struct mpa_side *s = &mpa->side[side];
    uint64_t end = fpdu->offset + fpdu->length;
    size_t seen;

    if (s->framing->no_field || mpa_crc_expected(mpa, side))
        return LOOKS_WRONG;
    if (!mpa_markers_right(fpdu) || mpa_oddity_at(s, fpdu->offset, NULL) > HEADER_ODD_MAX ||
        mpa_oddity_at(s, end, &seen) > HEADER_ODD_MAX)
        return LOOKS_WRONG;
    if (seen >= HEADER_VISIBLE_MIN || last)
        return LOOKS_RIGHT;
    if (s->framing->uncertain)
        return mpa_oddity_at(s, fpdu->offset, NULL) == 0 ? LOOKS_RIGHT : LOOKS_WRONG;
    if (mpa_framing_ends_well(mpa, side, fpdu->offset, end))
        return LOOKS_RIGHT;
    /* In a direction that does not align FPDUs, the end of a segment is weaker evidence. */
    return s->framing->in_step >= TRUSTED && end == mpa_window_end(&s->window) && mpa_segment_ends(mpa, side, end) &&
                   mpa_oddity_at(s, fpdu->offset, NULL) == 0 && (fpdu->pad[0] | fpdu->pad[1] | fpdu->pad[2]) == 0
               ? LOOKS_RIGHT
               : LOOKS_OPEN;
}

/* Not an FPDU yet: octets to come may complete one, or settle the diagnosis. */
static bool may_grow(struct mpa_connection *mpa, unsigned side)
{
    struct mpa_side *s = &mpa->side[side];

    return mpa_oddity_at(s, s->cursor, NULL) <= (s->framing->doubtful ? 0 : HEADER_ODD_MAX) && !overtaken(mpa, side);
}

/*
 * If the cursor was computed over a hole, or the framing guessed, and neither is confirmed, seeks the next FPDU
 * instead. False: neither is the case.
 */
static bool drop_guess(struct mpa_connection *mpa, unsigned side)
{
    struct mpa_side *s = &mpa->side[side];
    struct mpa_framing_state *fs = s->framing;
    bool over_hole = fs->uncertain;

    if (!over_hole && !fs->doubtful)
        return false;
    mpa_framing_lose(mpa, side, s->cursor, s->cursor);
    if (!over_hole && fs->vouched == 0) /* this start led to nothing */
        s->looked++;
    return true;
}

/* The octets at the cursor are not an FPDU, but the framing in use is right. False: more octets are needed. */
static bool framing_explain(struct mpa_connection *mpa, unsigned side, struct mpa_fpdu *fpdu, bool last)
{
    struct mpa_side *s = &mpa->side[side];
    struct mpa_framing_state *fs = s->framing;

    if (!last && mpa_window_end(&s->window) < fs->diagnose_at)
        return false;
    if (mpa_diagnose(mpa, side, fpdu, last) == DIAGNOSIS_DONE) {
        fs->diagnose_at = 0;
        return true;
    }
    fs->diagnose_at = mpa_window_end(&s->window) + 1 + mpa_octets_from(s, s->cursor) / PATIENCE;
    if (mpa_octets_from(s, s->cursor) <= WINDOW_MAX)
        return false;
    mpa_report_unexplained(mpa, side, s->cursor);
    mpa_framing_lose(mpa, side, s->cursor, s->cursor);
    return true;
}

bool mpa_framing_step(struct mpa_connection *mpa, unsigned side, bool last)
{
    struct mpa_side *s = &mpa->side[side];
    struct mpa_framing_state *fs = s->framing;
    struct mpa_fpdu fpdu;
    enum looks looks;
    bool complete, proven;

    if (s->state == SIDE_LOST)
        return resynchronise(mpa, side, last);
    if (fs->opening && !settle_markers(mpa, side, last))
        return false;
    complete = mpa_framing_parse(mpa, side, s->cursor, &fpdu) == MPA_FPDU_OK;
    if (complete && fpdu.crc == fpdu.crc_computed && mpa_markers_right(&fpdu)) {
        mpa_framing_accept(mpa, side, &fpdu, ACCEPT_PROVEN);
        return true;
    }
    if (!complete && !last && may_grow(mpa, side))
        return false;
    looks = complete ? framing_look_at(mpa, side, &fpdu, last) : LOOKS_WRONG;
    if (looks == LOOKS_OPEN) /* nothing to diagnose: a random CRC field can look like a header */
        return false;
    if (looks == LOOKS_RIGHT) {
        proven = fpdu.n_markers > 0 && fpdu.markers[fpdu.n_markers - 1].expected != 0;
        mpa_framing_accept(mpa, side, &fpdu, proven ? ACCEPT_PROVEN : 0);
        return true;
    }
    return drop_guess(mpa, side) || framing_explain(mpa, side, complete ? &fpdu : NULL, last);
}

static void framing_run(struct mpa_connection *mpa, unsigned side, bool last)
{
    struct mpa_side *s = &mpa->side[side];
    uint64_t keep;

    while ((s->state == SIDE_FPDUS || s->state == SIDE_LOST) && mpa_window_end(&s->window) > s->cursor &&
           mpa_framing_step(mpa, side, last))
        continue;
    keep = s->state == SIDE_FPDUS && s->framing->previous ? s->framing->previous_start : s->cursor;
    INVARIANT(keep <= s->cursor);
    mpa_window_drop(&s->window, keep);
    INVARIANT(s->state == SIDE_IGNORED || s->window.offset <= s->cursor);
}

void mpa_framing_octets(struct mpa_connection *mpa, unsigned side)
{
    do
        framing_run(mpa, side, false);
    while (mpa->side[side].state == SIDE_RECOGNISING && mpa_recognise(mpa, side, false));
}

/* ---- holes and ends ---- */

/* Lost octets can hide anything, so these rules are inconclusive. */
static void count_hole(struct mpa_connection *mpa, unsigned side)
{
    struct verdict *v = mpa->verdict;
    enum why why = LOST_OR(WHY_HOLE);
    uint32_t frame = mpa->side[side].last_frame;

    verdict_inconclusive(v, RULE_MPA_4_1_01, why, frame);
    if (mpa->side[side].framing->framing.markers)
        verdict_inconclusive(v, RULE_MPA_4_3_03, why, frame);
    if (mpa_crc_binding(mpa)) {
        verdict_inconclusive(v, RULE_MPA_4_4_07, why, frame);
        verdict_inconclusive(v, RULE_MPA_7_1_1_15, why, frame);
    }
}

void mpa_framing_hole(struct mpa_connection *mpa, unsigned side, uint64_t from, uint64_t to)
{
    struct mpa_side *s = &mpa->side[side];
    struct mpa_framing_state *fs = s->framing;
    uint64_t start = s->cursor, header = mpa_header_of(s, start), end;
    size_t seen;
    bool in_fpdu = s->state == SIDE_FPDUS && start < from && !fs->opening && mpa_oddity_at(s, start, &seen) == 0 &&
                   seen >= MPA_LENGTH_LEN;

    count_hole(mpa, side);
    s->cut_end = 0;
    fs->previous = false;
    fs->opening = false;
    fs->diagnose_at = 0;
    if (in_fpdu) {
        struct mpa_shape shape;

        mpa_shape_init(&shape, fs, start, get_be16(mpa_window_at(&s->window, header)));
        end = mpa_shape_end(&shape, start);
        INVARIANT(end > header);
    }
    mpa_window_restart(&s->window, to);
    if (in_fpdu && end >= to) {
        /* The FPDU is damaged, but its header still says where the next FPDU starts. */
        mpa_skipped(mpa, side, start, end, "FPDU not captured completely");
        s->cursor = end;
        fs->in_step = 0;
        fs->uncertain = true;
        INVARIANT(s->cursor >= s->window.offset);
        return;
    }
    mpa_framing_lose(mpa, side, start < from ? start : from, to);
    INVARIANT(s->window.n == 0 && s->state != SIDE_FPDUS);
}

/* 4.3-18: the stream ends on the grid. The Marker there would belong to the next FPDU, so none is due. */
static bool judge_end_on_grid(struct mpa_connection *mpa, unsigned side)
{
    struct mpa_side *s = &mpa->side[side];
    struct mpa_framing_state *fs = s->framing;
    size_t left = mpa_octets_from(s, s->cursor);

    if (!fs->framing.markers || (s->cursor - fs->framing.seq_start) % fs->period != 0)
        return false;
    if (s->cursor == fs->start && fs->start_known) /* nothing but the first Marker: the order rules judge it */
        return left == 0 || (left == MPA_MARKER_LEN && get_be32(mpa_window_at(&s->window, s->cursor)) == 0);
    if (fs->in_step == 0)
        return false;
    if (left == 0) {
        verdict_passed(mpa->verdict, RULE_MPA_4_3_18);
        return true;
    }
    if (left != MPA_MARKER_LEN || get_be32(mpa_window_at(&s->window, s->cursor)) != 0)
        return false;
    mpa_fail(mpa, side, RULE_MPA_4_3_18, s->cursor, s->cursor + left,
             "expected no Marker after the last FPDU; found Marker 00000000 after the last FPDU");
    return true;
}

void mpa_framing_end(struct mpa_connection *mpa, unsigned side, bool fin)
{
    struct mpa_side *s = &mpa->side[side];
    struct mpa_framing_state *fs = s->framing;
    uint64_t end = mpa_window_end(&s->window);
    bool on_grid = fin && judge_end_on_grid(mpa, side);

    if (s->ended)
        return;
    s->ended = true;
    if (s->cut_end > 0) { /* the direction ends inside an FPDU that was captured in part */
        if (fin)
            verdict_inconclusive(mpa->verdict, RULE_MPA_7_2_03, WHY_CUT, s->end_place.frame);
        mpa_framing_lose(mpa, side, s->cursor, s->next);
        mpa_window_restart(&s->window, s->next);
        s->cut_end = 0;
        INVARIANT(s->state != SIDE_FPDUS && s->window.n == 0);
        return;
    }
    if (!on_grid && mpa_octets_from(s, s->cursor) > 0) {
        framing_run(mpa, side, true);
        on_grid = fin && judge_end_on_grid(mpa, side);
    }
    if (s->state != SIDE_FPDUS && !on_grid)
        mpa_skipped(mpa, side, fs->after_resync ? fs->lost_from : s->cursor, end, "no FPDU could be recognised");
    if (fs->leading_missing) { /* octet 512, which could have held the next Marker, never came */
        fs->leading_missing = false;
        mpa_report_unmet(mpa, side, &fs->opening_place, false);
    }
    if (!fin || s->state != SIDE_FPDUS || (fs->in_step == 0 && !fs->start_known))
        return;
    if (s->cursor == end || on_grid) {
        verdict_passed(mpa->verdict, RULE_MPA_7_2_03);
    } else if (s->cursor < end && !fs->uncertain && !fs->opening) {
        struct place place = s->end_place;

        place.offset = s->cursor;
        verdict_failed(
            mpa->verdict, RULE_MPA_7_2_03, direction_of(mpa, side), &place, mpa_origin(mpa, side, s->cursor)->frame,
            "expected the FIN after a complete FPDU; found a FIN %zu octets into an FPDU", (size_t)(end - s->cursor));
    }
}
