// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Finds MPA in the octet streams: the startup frames at the beginning of the streams, or after streaming-mode data (RFC
 * 5044 section 7.1), in either order of arrival at the capture point. Octets after a startup frame are held until the
 * other side's frame is known, or known to be lost.
 */
#define _GNU_SOURCE /* memmem() */
#include "engine/mpa/mpa_internal.h"

#include "engine/mpa/mpa_framing.h"
#include "wire/invariant.h"

#include <stdlib.h>
#include <string.h>

enum {
    LOOK_MAX = 1 << 20,   /* streaming-mode octets searched for a key, per side */
    HELD_MAX = 512 << 10, /* octets held after a startup frame while the other frame is awaited */
    UNCONFIRMED_MAX = 64 << 10,
    KEY_DAMAGED_MIN = 12, /* of 16 octets; with fewer, the protocol is another one */
};

static const char common_key[] = "MPA ID Re"; /* the common beginning of the keys of 7.1.1 */

static struct mpa_side *other_of(struct mpa_connection *mpa, unsigned side)
{
    return &mpa->side[1 - side];
}

static bool has_frame(const struct mpa_side *s)
{
    return s->startup.seen || s->startup.partial;
}

/* ---- negotiation ---- */

static enum tristate assumed(const struct mpa_connection *mpa, unsigned side)
{
    switch (direction_of(mpa, side)) {
    case DIR_TO_RESPONDER:
        return mpa->options.assume_markers_to_responder;
    case DIR_TO_INITIATOR:
        return mpa->options.assume_markers_to_initiator;
    case DIR_UNKNOWN:
        break;
    }
    return mpa->options.assume_markers_to_responder == mpa->options.assume_markers_to_initiator
               ? mpa->options.assume_markers_to_responder
               : UNKNOWN;
}

void mpa_assume(struct mpa_connection *mpa)
{
    for (unsigned side = 0; side < 2; side++)
        if (mpa->parameters.markers[side] == UNKNOWN)
            mpa->parameters.markers[side] = assumed(mpa, side);
    if (mpa->parameters.crc == UNKNOWN)
        mpa->parameters.crc = mpa->options.assume_crc;
}

/* 7.1.1: M in a frame governs what its receiver sends; C is ORed. A frame that was not seen is NULL. */
static void negotiate_framing(struct mpa_parameters *parameters, const struct mpa_startup *request,
                              const struct mpa_startup *reply)
{
    unsigned i = (unsigned)parameters->initiator_side, r = 1 - i;
    unsigned either = (request ? request->flags : 0u) | (reply ? reply->flags : 0u);

    if (request) /* A Rev 0 Reply uses Markers whatever was requested. */
        parameters->markers[r] = request->flags & MPA_FLAG_M ? ON : reply ? OFF : UNKNOWN;
    if (reply)
        parameters->markers[i] = reply->flags & MPA_FLAG_M ? ON : OFF;
    if (either & MPA_FLAG_C)
        parameters->crc = ON;
    else if (request)
        parameters->crc = reply ? OFF : UNKNOWN;
    /* With both frames, nothing stays unknown. */
    INVARIANT(!request || !reply ||
              (parameters->markers[i] != UNKNOWN && parameters->markers[r] != UNKNOWN && parameters->crc != UNKNOWN));
}

/* RFC 6581 section 9. */
static void negotiate_enhanced(struct mpa_parameters *parameters, const struct mpa_startup *request,
                               const struct mpa_startup *reply)
{
    if (!reply || !reply->has_enhanced)
        return;
    if (parameters->startup_seen && request->has_enhanced) {
        parameters->enhanced = true;
        parameters->peer_to_peer = request->enhanced.peer_to_peer && reply->enhanced.peer_to_peer;
        parameters->rtr = parameters->peer_to_peer ? request->enhanced.rtr & reply->enhanced.rtr : 0;
    }
    if (!parameters->rejected) {
        parameters->ird_ord_known = true;
        parameters->ird = reply->enhanced.ird;
        parameters->ord = reply->enhanced.ord;
    }
    INVARIANT(!parameters->peer_to_peer || parameters->enhanced);
    INVARIANT(parameters->rtr == 0 || parameters->peer_to_peer);
}

static void find_negotiate(struct mpa_connection *mpa)
{
    struct mpa_parameters *parameters = &mpa->parameters;
    const struct mpa_side *initiator = &mpa->side[parameters->initiator_side];
    const struct mpa_side *responder = &mpa->side[1 - parameters->initiator_side];
    const struct mpa_startup *request = has_frame(initiator) ? &initiator->startup.frame : NULL;
    const struct mpa_startup *reply = has_frame(responder) ? &responder->startup.frame : NULL;

    INVARIANT(request || reply);
    INVARIANT(!request || !reply || request->kind != reply->kind);
    parameters->request_seen = request != NULL;
    parameters->reply_seen = reply != NULL;
    parameters->startup_seen = initiator->startup.seen && responder->startup.seen;
    for (unsigned side = 0; side < 2; side++)
        parameters->full_from[side] = mpa->side[side].startup.end;
    if (request)
        parameters->revision = request->revision;
    if (reply && (!request || reply->revision < request->revision))
        parameters->revision = reply->revision;
    if (reply)
        parameters->rejected = reply->flags & MPA_FLAG_R;
    negotiate_framing(parameters, request, reply);
    if (parameters->revision == 0) {
        /* Appendix C: an RDMAC end always uses Markers and CRCs, in both directions. */
        parameters->markers[0] = parameters->markers[1] = ON;
        parameters->crc = ON;
    }
    negotiate_enhanced(parameters, request, reply);
    mpa_assume(mpa);
    INVARIANT(!parameters->startup_seen || (request && reply && parameters->revision <= request->revision &&
                                            parameters->revision <= reply->revision));
    INVARIANT(!parameters->rejected || parameters->reply_seen);
}

/* ---- from startup to Full Operation ---- */

/* Begins Full Operation for a side whose own startup frame is complete. True when the side's state changed. */
static bool find_begin(struct mpa_connection *mpa, unsigned side, bool last)
{
    struct mpa_side *s = &mpa->side[side];
    uint64_t at = s->startup.end, end = mpa_window_end(&s->window);
    size_t skip = 0;

    if (s->state != SIDE_WAITING || s->window.n == 0 || end <= at)
        return false;
    mpa_window_drop(&s->window, at);
    if (at < s->window.offset) {
        /* The capture lost the first octets. FO, the grid's origin, is known nevertheless. */
        uint64_t first = s->window.offset;

        if (!mpa_framing_begin(mpa, side, at)) {
            mpa_ignore(mpa, side);
            return true;
        }
        mpa_framing_lose(mpa, side, first, first);
        return true;
    }
    if (mpa->parameters.startup_seen)
        skip = mpa_order_first_octets(mpa, side, s->window.p, s->window.n, last);
    if (skip == MPA_ORDER_MORE) {
        if (!last && s->window.n < HELD_MAX)
            return false;
        skip = 0;
    }
    if (skip > s->window.n)
        skip = s->window.n;
    mpa_skipped(mpa, side, at, at + skip, "octets between startup frame and first FPDU");
    if (!mpa_framing_begin(mpa, side, at + skip))
        mpa_ignore(mpa, side);
    INVARIANT(s->state == SIDE_FPDUS || s->state == SIDE_IGNORED);
    INVARIANT(s->state == SIDE_IGNORED || (s->cursor == at + skip && s->window.offset <= s->cursor));
    return true;
}

enum { FPDU_SEGMENTS = 8 }; /* an FPDU after a rejection must be complete within this many */

/* Looks for an FPDU that ends with this run of octets, and begins with this run or an earlier one. */
static void look_after_reject(struct mpa_connection *mpa, unsigned side, uint64_t from, size_t last)
{
    struct mpa_side *s = &mpa->side[side];
    uint64_t end = s->runs[last].end;

    if (mpa->verdict->off || end > mpa_window_end(&s->window))
        return;
    for (size_t i = last < FPDU_SEGMENTS ? 0 : last - FPDU_SEGMENTS + 1; i <= last; i++) {
        uint64_t start = s->runs[i].start > from ? s->runs[i].start : from;

        INVARIANT(start >= s->window.offset);
        if (s->runs[i].end > start)
            mpa_order_after_reject(mpa, side, start, mpa_window_at(&s->window, start), (size_t)(end - start),
                                   &s->runs[i].origin);
    }
}

static void after_reject(struct mpa_connection *mpa, unsigned side)
{
    struct mpa_side *s = &mpa->side[side];
    uint64_t from = s->startup.end;

    if (s->state == SIDE_WAITING && s->window.n > 0) {
        if (from < s->window.offset)
            from = s->window.offset;
        for (size_t i = 0; i < s->n_runs; i++)
            look_after_reject(mpa, side, from, i);
        s->state = SIDE_IGNORED; /* the octets stay: an FPDU may have begun in the frame's segment */
    } else {
        mpa_ignore(mpa, side);
    }
}

void mpa_find_after_reject(struct mpa_connection *mpa, unsigned side)
{
    struct mpa_side *s = &mpa->side[side];

    if (s->n_runs == 0)
        return;
    look_after_reject(mpa, side, s->startup.end > s->window.offset ? s->startup.end : s->window.offset, s->n_runs - 1);
    if (s->n_runs >= FPDU_SEGMENTS)
        mpa_window_drop(&s->window, s->runs[s->n_runs - FPDU_SEGMENTS + 1].start);
    INVARIANT(s->n_runs < FPDU_SEGMENTS || s->window.offset >= s->runs[s->n_runs - FPDU_SEGMENTS + 1].start);
}

/* Both frames were seen, or the missing one is lost for good. */
static void start_operation(struct mpa_connection *mpa, const struct place *place)
{
    unsigned first = (unsigned)mpa->parameters.initiator_side;

    find_negotiate(mpa);
    if (mpa->parameters.startup_seen && !mpa->verdict->off)
        mpa_judge_negotiation(mpa);
    if (mpa->parameters.rejected) {
        mpa_set_phase(mpa, MPA_PHASE_REJECTED, place);
        after_reject(mpa, first);
        after_reject(mpa, 1 - first);
        return;
    }
    INVARIANT(first < 2 && !mpa->parameters.rejected);
    mpa_set_phase(mpa, MPA_PHASE_FULL_OPERATION, place);
    for (unsigned i = 0; i < 2; i++) {
        unsigned side = i == 0 ? first : 1 - first;
        struct mpa_side *s = &mpa->side[side];

        if (!has_frame(s)) {
            s->state = SIDE_RECOGNISING;
            if (mpa_recognise(mpa, side, false))
                mpa_framing_octets(mpa, side);
        } else if (find_begin(mpa, side, s->fin || s->reset) && s->state != SIDE_IGNORED) {
            mpa_framing_octets(mpa, side);
        }
    }
}

/* The capture lacks the other side's frame: continues with this side's frame alone. */
static void start_one_sided(struct mpa_connection *mpa, unsigned side)
{
    struct mpa_side *s = &mpa->side[side];

    if (mpa->phase != MPA_PHASE_STARTUP || !has_frame(s) || has_frame(other_of(mpa, side)))
        return;
    start_operation(mpa, &s->startup.place);
}

static void frame_complete(struct mpa_connection *mpa, unsigned side)
{
    struct mpa_side *s = &mpa->side[side], *o = other_of(mpa, side);
    struct startup_seen *startup = &s->startup;
    bool request = startup->frame.kind == MPA_REQUEST;
    struct mpa_startup_event event = {
        .frame = startup->frame, .place = startup->place, .length = startup->end - startup->start};

    if (mpa->parameters.initiator_side < 0)
        mpa->parameters.initiator_side = (int)(request ? side : 1 - side);
    mpa->parameters.request_seen |= request;
    mpa->parameters.reply_seen |= !request;
    if (!has_frame(o))
        mpa->parameters.revision = startup->frame.revision; /* find_negotiate() may never be called */
    event.direction = direction_of(mpa, side);
    s->state = SIDE_WAITING;
    s->cursor = startup->end;
    INVARIANT(mpa->parameters.initiator_side >= 0 && has_frame(s));
    INVARIANT(startup->end >= startup->start + MPA_STARTUP_HEADER_LEN && startup->octets);
    if (!startup->partial && mpa->events.startup)
        mpa->events.startup(mpa->events.ctx, &event);
    if (mpa->phase == MPA_PHASE_STREAMING)
        mpa_set_phase(mpa, MPA_PHASE_STARTUP, &startup->place);
    if (!startup->partial && !mpa->verdict->off) {
        mpa_judge_startup(mpa, side);
        mpa_order_startup(mpa, side);
        mpa_reaction_startup(mpa, side);
    }
    if (!has_frame(o)) {
        if (o->hole && o->state == SIDE_RECOGNISING)
            start_one_sided(mpa, side);
        return;
    }
    if (o->startup.frame.kind == startup->frame.kind) {
        /* 7.1.2: two Initiators (or two Responders) never enter Full Operation. */
        mpa_ignore(mpa, side);
        mpa_ignore(mpa, 1 - side);
        return;
    }
    start_operation(mpa, &startup->place);
}

/* ---- collecting a frame ---- */

static bool plausible_request_or_reply(const uint8_t *header)
{
    return header[17] <= 2 && (header[18] << 8 | header[19]) <= MPA_PRIVATE_DATA_MAX &&
           (header[16] & 0x07) == 0; /* a well-known implementation's extension sets 0x08 */
}

/*
 * A key after other data does not prove MPA: it may be the text of the RFC. It counts if it was sent as a unit, in a
 * frame that fills its segment, or if the other side has the matching frame.
 */
static bool confirmed(struct mpa_connection *mpa, unsigned side, size_t need)
{
    struct mpa_side *s = &mpa->side[side], *o = other_of(mpa, side);
    const struct startup_seen *theirs = &o->startup;

    if (!s->startup.late)
        return true;
    if (theirs->header_seen && theirs->frame.kind != s->startup.frame.kind)
        return true;
    return s->startup.frame.kind == MPA_REQUEST && mpa_segment_starts(mpa, side, s->startup.start) &&
           mpa_segment_ends(mpa, side, s->startup.start + need);
}

/* The sender of an incomplete frame continued with FPDUs although PD_Length announced more octets. */
static bool went_on(struct mpa_connection *mpa, unsigned side)
{
    struct mpa_side *s = &mpa->side[side];
    const struct startup_seen *theirs = &other_of(mpa, side)->startup;
    const struct origin_run *run = s->n_runs > 0 ? &s->runs[s->n_runs - 1] : NULL;
    bool request = s->startup.frame.kind == MPA_REQUEST;

    if (!run || !theirs->seen || !run->origin.acked_known || run->start < s->startup.start + MPA_STARTUP_HEADER_LEN)
        return false;
    if (request ? run->origin.acked < theirs->end : run->origin.acked <= theirs->end)
        return false;
    INVARIANT(run->start >= s->window.offset && run->end <= mpa_window_end(&s->window));
    return mpa_header_plausible(mpa_window_at(&s->window, run->start), (size_t)(run->end - run->start));
}

/* Keeps the frame's octets, as many as were captured. */
static bool find_keep_octets(struct mpa_connection *mpa, struct mpa_side *s, size_t have)
{
    struct startup_seen *startup = &s->startup;
    size_t kept = have < STARTUP_ROOM ? have : STARTUP_ROOM;

    if (!startup->octets)
        startup->octets = arena_zeroed(mpa->arena, STARTUP_ROOM);
    if (!startup->octets)
        return false;
    INVARIANT(startup->start >= s->window.offset && startup->start + kept <= mpa_window_end(&s->window));
    memcpy(startup->octets, mpa_window_at(&s->window, startup->start), kept);
    memset(startup->octets + kept, 0, STARTUP_ROOM - kept);
    return true;
}

/* A damaged key must not hide the rest of the frame, which is decoded with the intended key. */
static void decode_frame(struct startup_seen *startup, size_t length)
{
    uint8_t key[MPA_KEY_LEN], meant[MPA_STARTUP_HEADER_LEN];
    size_t need;

    memcpy(key, startup->octets, sizeof key);
    mpa_startup_encode(&(struct mpa_startup){.kind = startup->frame.kind}, meant, sizeof meant);
    memcpy(startup->octets, meant, sizeof key);
    mpa_startup_decode(&startup->frame, &need, startup->octets, length);
    memcpy(startup->octets, key, sizeof key);
}

static void find_take_frame(struct mpa_connection *mpa, unsigned side, size_t have)
{
    struct mpa_side *s = &mpa->side[side];
    struct startup_seen *startup = &s->startup;
    size_t length = MPA_STARTUP_HEADER_LEN + (size_t)startup->frame.pd_length;

    if (!find_keep_octets(mpa, s, have)) {
        mpa_ignore(mpa, side);
        return;
    }
    if (startup->frame.pd_length > MPA_PRIVATE_DATA_MAX)
        startup->oversized = true;
    else
        decode_frame(startup, length);
    if (have < length) { /* octets that are missing are zero in the window */
        startup->frame.private_data = startup->frame.ulp_data = NULL;
        startup->frame.ulp_length = 0;
        startup->frame.has_enhanced &= have >= MPA_STARTUP_HEADER_LEN + MPA_ENHANCED_LEN;
    }
    startup->missing = have < length && !startup->oversized && !startup->partial ? (uint32_t)(length - have) : 0;
    startup->end = startup->start + (startup->missing > 0 ? have : length);
    startup->seen = !startup->partial;
    startup->first = *mpa_origin(mpa, side, startup->start);
    startup->last = *mpa_origin(mpa, side, startup->start + (have < length ? have : length) - 1);
    startup->place = mpa_place(mpa, side, startup->start, startup->start + (have < length ? have : length));
    INVARIANT(startup->missing <= startup->frame.pd_length);
    INVARIANT(startup->first.frame == startup->place.first_frame);
    frame_complete(mpa, side);
}

/* The key does not begin a frame: the search continues after its first octet. */
static void drop_key(struct mpa_side *s)
{
    s->startup.header_seen = false;
    s->state = SIDE_STREAMING;
    s->cursor = s->startup.start + 1;
    INVARIANT(s->cursor > s->window.offset);
}

/* Reads the 20 octets of the header. False: they are not a header. */
static bool read_header(struct mpa_connection *mpa, unsigned side)
{
    struct startup_seen *startup = &mpa->side[side].startup;
    const uint8_t *p = mpa_window_at(&mpa->side[side].window, startup->start);

    /* A whole key at the start of a segment is accepted, whatever follows. */
    if (startup->late && !plausible_request_or_reply(p) && !mpa_segment_starts(mpa, side, startup->start))
        return false;
    startup->header_seen = true;
    startup->frame.flags = p[16];
    startup->frame.revision = p[17];
    startup->frame.pd_length = (uint16_t)(p[18] << 8 | p[19]);
    INVARIANT(mpa_octets_from(&mpa->side[side], startup->start) >= MPA_STARTUP_HEADER_LEN);
    return true;
}

/* SIDE_STARTUP: a key is at startup.start. True when the state changed. */
static bool find_collect(struct mpa_connection *mpa, unsigned side, bool last)
{
    struct mpa_side *s = &mpa->side[side];
    struct startup_seen *startup = &s->startup;
    uint64_t end = mpa_window_end(&s->window);
    size_t have = (size_t)(end - startup->start), need;

    INVARIANT(startup->start >= s->window.offset && startup->start <= end);
    if (have < MPA_STARTUP_HEADER_LEN)
        return false;
    if (!startup->header_seen && !read_header(mpa, side)) {
        drop_key(s);
        return true;
    }
    need = MPA_STARTUP_HEADER_LEN + (size_t)startup->frame.pd_length;
    /* Even if the latest octets complete the frame: they may be an FPDU that PD_Length takes for Private Data. */
    if (s->n_runs > 0 && s->runs[s->n_runs - 1].start < startup->start + need && went_on(mpa, side)) {
        find_take_frame(mpa, side, (size_t)(s->runs[s->n_runs - 1].start - startup->start));
        return true;
    }
    if (have < need && !(startup->frame.pd_length > MPA_PRIVATE_DATA_MAX && !startup->late)) {
        if (!last || startup->late || s->hole)
            return false;
        find_take_frame(mpa, side, have);
        return true;
    }
    if (!confirmed(mpa, side, need)) {
        if (have < UNCONFIRMED_MAX && !last)
            return false;
        drop_key(s);
        return true;
    }
    find_take_frame(mpa, side, have < need ? have : need);
    return true;
}

/* ---- looking for a key ---- */

static void found_key(struct mpa_connection *mpa, unsigned side, uint64_t at, enum mpa_startup_kind kind,
                      unsigned matches, bool late)
{
    struct mpa_side *s = &mpa->side[side];

    s->startup = (struct startup_seen){.start = at,
                                       .key_matches = (uint8_t)matches,
                                       .late = late,
                                       .frame = {.kind = kind},
                                       .octets = s->startup.octets};
    s->state = SIDE_STARTUP;
    mpa_window_drop(&s->window, at);
    INVARIANT(s->window.offset == at && s->window.n >= MPA_KEY_LEN);
    INVARIANT(matches >= KEY_DAMAGED_MIN - 1 && matches <= MPA_KEY_LEN);
}

enum first_look { FIRST_NOT_A_KEY, FIRST_KEY, FIRST_WAIT };

/*
 * Looks at the first octets of a stream, where a startup frame is due. Damaged keys count only here, on the side that
 * speaks first, or in answer to a Request.
 */
static enum first_look look_at_start(struct mpa_connection *mpa, unsigned side, bool last)
{
    struct mpa_side *s = &mpa->side[side], *o = other_of(mpa, side);
    const uint8_t *p = s->window.p;
    size_t n = s->window.n < MPA_KEY_LEN ? s->window.n : MPA_KEY_LEN;
    unsigned request = mpa_startup_key_matches(MPA_REQUEST, p, n);
    unsigned reply = mpa_startup_key_matches(MPA_REPLY, p, n);
    bool answer = o->startup.header_seen && o->startup.frame.kind == MPA_REQUEST && !o->startup.late;
    unsigned best = request > reply ? request : reply;
    /* More like a Reply's key: a Reply whose Request the capture lacks, or shows later. */
    enum mpa_startup_kind likelier = reply > request ? MPA_REPLY : MPA_REQUEST;

    if (n < MPA_KEY_LEN)
        return !last && n - best <= MPA_KEY_LEN - KEY_DAMAGED_MIN ? FIRST_WAIT : FIRST_NOT_A_KEY;
    if (best < MPA_KEY_LEN) {
        if (best < KEY_DAMAGED_MIN || !mpa->start_captured[side] || (!answer && o->any))
            return FIRST_NOT_A_KEY;
        if (answer) {
            likelier = MPA_REPLY;
            best = reply;
        }
    }
    found_key(mpa, side, s->window.offset, likelier, best, false);
    return FIRST_KEY;
}

/* The octets at `at`, where a Reply is due, are not a Reply. */
static void report_bad_reply(struct mpa_connection *mpa, unsigned side, uint64_t at)
{
    struct mpa_side *s = &mpa->side[side], *o = other_of(mpa, side);
    const struct octets_origin *origin = mpa_origin(mpa, side, at);
    struct place place;

    if (mpa->verdict->off || s->bad_start_reported || s->hole || !o->startup.seen ||
        o->startup.frame.kind != MPA_REQUEST || !origin->acked_known || origin->acked < o->startup.end)
        return;
    s->bad_start_reported = true;
    place = mpa_place(mpa, side, at, mpa_window_end(&s->window));
    mpa_reaction_bad_startup(mpa, side, &place);
}

/*
 * Searches for a key in streaming-mode data. True when one was found; else s->cursor moves past octets that need not be
 * kept.
 */
static bool search_key(struct mpa_connection *mpa, unsigned side)
{
    struct mpa_side *s = &mpa->side[side];
    uint64_t end = mpa_window_end(&s->window);

    INVARIANT(s->cursor >= s->window.offset && s->cursor <= end);
    while (end - s->cursor >= MPA_KEY_LEN) {
        const uint8_t *p = mpa_window_at(&s->window, s->cursor);
        const uint8_t *hit = memmem(p, (size_t)(end - s->cursor), common_key, sizeof common_key - 1);
        size_t left;

        if (!hit) {
            s->cursor = end - (MPA_KEY_LEN - 1);
            return false;
        }
        s->cursor += (uint64_t)(hit - p);
        left = (size_t)(end - s->cursor);
        if (left < MPA_KEY_LEN)
            return false;
        for (enum mpa_startup_kind kind = MPA_REQUEST; kind <= MPA_REPLY; kind++)
            if (mpa_startup_key_matches(kind, hit, left) == MPA_KEY_LEN) {
                found_key(mpa, side, s->cursor, kind, MPA_KEY_LEN, true);
                return true;
            }
        s->cursor++;
    }
    return false;
}

/* True when this side's stream may begin inside an MPA connection, or with FPDUs. */
static bool start_may_be_lost(const struct mpa_connection *mpa, unsigned side)
{
    const struct mpa_side *s = &mpa->side[side];

    return s->hole || !mpa->start_captured[side] || mpa->phase == MPA_PHASE_FULL_OPERATION;
}

static void find_give_up(struct mpa_connection *mpa)
{
    struct place place = mpa_place(mpa, 0, mpa->side[0].cursor, mpa->side[0].cursor);

    mpa_ignore(mpa, 0);
    mpa_ignore(mpa, 1);
    mpa_set_phase(mpa, MPA_PHASE_NOT_MPA, &place);
    INVARIANT(mpa->side[0].state == SIDE_IGNORED && mpa->side[1].state == SIDE_IGNORED);
}

/* Counts octets searched in vain, and gives up when there are too many. */
static void count_streamed(struct mpa_connection *mpa, unsigned side, uint64_t octets)
{
    struct mpa_side *s = &mpa->side[side], *o = other_of(mpa, side);

    s->streamed += octets;
    if (s->streamed < LOOK_MAX)
        return;
    if (mpa->phase == MPA_PHASE_STREAMING && (o->streamed >= LOOK_MAX || !has_frame(o)))
        find_give_up(mpa);
    else if (mpa->phase != MPA_PHASE_STREAMING)
        mpa_ignore(mpa, side);
}

/* SIDE_STREAMING and SIDE_RECOGNISING. True when the state changed. */
static bool find_look(struct mpa_connection *mpa, unsigned side, bool last)
{
    struct mpa_side *s = &mpa->side[side];
    struct mpa_side *o = other_of(mpa, side);
    uint64_t kept;

    if (!s->start_looked_at) {
        enum first_look found = look_at_start(mpa, side, last);

        if (found == FIRST_WAIT)
            return false;
        s->start_looked_at = true;
        if (found == FIRST_KEY)
            return true;
        if (mpa->options.accept_midstream || mpa->phase == MPA_PHASE_FULL_OPERATION)
            s->state = SIDE_RECOGNISING;
    }
    report_bad_reply(mpa, side, s->cursor);
    if (search_key(mpa, side))
        return true;
    if (o->state == SIDE_WAITING && start_may_be_lost(mpa, side)) {
        start_one_sided(mpa, 1 - side);
        if (s->state != SIDE_STREAMING && s->state != SIDE_RECOGNISING)
            return true;
    }
    if (s->state == SIDE_RECOGNISING)
        return mpa_recognise(mpa, side, last);
    kept = mpa_window_end(&s->window) - s->cursor;
    INVARIANT(kept <= s->window.n);
    count_streamed(mpa, side, s->window.n - kept);
    mpa_window_drop(&s->window, s->cursor);
    return false;
}

/* SIDE_WAITING. True when the state changed. */
static bool await_other(struct mpa_connection *mpa, unsigned side)
{
    struct mpa_side *s = &mpa->side[side];

    if (mpa->phase == MPA_PHASE_FULL_OPERATION)
        return find_begin(mpa, side, false);
    if (s->window.n > 0 && mpa_window_end(&s->window) > s->startup.end + HELD_MAX) {
        start_one_sided(mpa, side);
        if (s->state == SIDE_WAITING)
            mpa_ignore(mpa, side);
    }
    return false;
}

/* True when the state changed and another step is needed. */
static bool find_step(struct mpa_connection *mpa, unsigned side)
{
    struct mpa_side *s = &mpa->side[side];

    switch (s->state) {
    case SIDE_STREAMING:
    case SIDE_RECOGNISING:
        return s->window.n > 0 && find_look(mpa, side, false);
    case SIDE_STARTUP:
        return find_collect(mpa, side, false);
    case SIDE_WAITING:
        return await_other(mpa, side);
    case SIDE_FPDUS:
    case SIDE_LOST:
        mpa_framing_octets(mpa, side);
        break;
    case SIDE_IGNORED:
        if (mpa->phase != MPA_PHASE_REJECTED)
            mpa_ignore(mpa, side);
        break;
    }
    return false;
}

void mpa_find_octets(struct mpa_connection *mpa, unsigned side)
{
    struct mpa_side *s = &mpa->side[side];

    while (find_step(mpa, side))
        continue;
    /* A frame after other data waits for the other side's frame, which may have come now. */
    if (other_of(mpa, side)->state == SIDE_STARTUP && s->startup.header_seen && other_of(mpa, side)->startup.late)
        if (find_collect(mpa, 1 - side, false))
            mpa_find_octets(mpa, 1 - side);
}

/* Only Private Data is lost up to `to`: the header has all that Full Operation needs. */
static bool private_data_lost(const struct mpa_side *s, uint64_t to)
{
    return s->state == SIDE_STARTUP && s->startup.header_seen && !s->startup.late &&
           to <= s->startup.start + MPA_STARTUP_HEADER_LEN + s->startup.frame.pd_length;
}

/* Full Operation only waited for octets. True if it began before the hole, and continues after the hole. */
static bool begin_before_hole(struct mpa_connection *mpa, unsigned side, uint64_t to)
{
    struct mpa_side *s = &mpa->side[side];

    find_begin(mpa, side, true);
    if (s->state != SIDE_FPDUS && s->state != SIDE_LOST)
        return false;
    mpa_framing_octets(mpa, side);
    mpa_framing_hole(mpa, side, mpa_window_end(&s->window), to);
    return true;
}

void mpa_find_hole(struct mpa_connection *mpa, unsigned side, uint64_t to)
{
    struct mpa_side *s = &mpa->side[side];

    if (private_data_lost(s, to)) {
        s->startup.partial = true;
        find_take_frame(mpa, side, (size_t)(mpa_window_end(&s->window) - s->startup.start));
        mpa_window_restart(&s->window, to);
        return;
    }
    if (s->state == SIDE_STARTUP) {
        s->startup = (struct startup_seen){.octets = s->startup.octets};
        s->state = SIDE_STREAMING;
    }
    if (s->state == SIDE_WAITING && mpa->phase != MPA_PHASE_FULL_OPERATION) {
        if (s->window.n > 0 && mpa_window_end(&s->window) > s->startup.end) {
            /* Held octets cannot be joined over the hole. */
            mpa_skipped(mpa, side, s->startup.end, to, "octets missing before Full Operation was seen");
        }
    } else if (s->state == SIDE_WAITING && begin_before_hole(mpa, side, to)) {
        return;
    }
    if (s->state == SIDE_STREAMING || s->state == SIDE_RECOGNISING) {
        s->start_looked_at = true;
        s->state = mpa->options.accept_midstream ? SIDE_RECOGNISING : SIDE_STREAMING;
    }
    mpa_window_restart(&s->window, to);
    if (s->cursor < to)
        s->cursor = to;
    INVARIANT(s->window.n == 0 && s->cursor >= s->window.offset);
}

/* The octets after this side's frame acknowledge nothing uncaptured: the other end really was silent. */
static bool nothing_missed(const struct mpa_connection *mpa, unsigned side)
{
    const struct octets_origin *origin = mpa_origin(mpa, side, mpa->side[side].startup.end);
    const struct mpa_side *o = &mpa->side[1 - side];

    return !o->hole && mpa->start_captured[1 - side] && origin->acked_known && origin->acked <= (o->any ? o->next : 0);
}

/* This side continued after its frame, so the other side's frame was lost. */
static bool counterpart_lost(const struct mpa_connection *mpa, unsigned side)
{
    const struct mpa_side *s = &mpa->side[side], *o = &mpa->side[1 - side];

    return mpa_window_end(&s->window) > s->startup.end && s->window.n > 0 && (o->hole || !o->any) &&
           !nothing_missed(mpa, side);
}

void mpa_find_end(struct mpa_connection *mpa, unsigned side)
{
    struct mpa_side *s = &mpa->side[side];
    bool over = s->fin || s->reset;

    if (s->state == SIDE_STARTUP && (over || mpa->finished || mpa->side[1 - side].fin || mpa->side[1 - side].reset))
        find_collect(mpa, side, true);
    if ((s->state == SIDE_STREAMING || s->state == SIDE_RECOGNISING) && s->window.n > 0 && find_look(mpa, side, true))
        mpa_find_octets(mpa, side);
    if (mpa->finished && s->state == SIDE_WAITING && mpa->phase == MPA_PHASE_STARTUP && counterpart_lost(mpa, side))
        start_one_sided(mpa, side);
    if (s->state == SIDE_WAITING && mpa->phase == MPA_PHASE_FULL_OPERATION && find_begin(mpa, side, true) &&
        s->state != SIDE_IGNORED)
        mpa_framing_octets(mpa, side);
    if (s->state == SIDE_FPDUS || s->state == SIDE_LOST)
        mpa_framing_end(mpa, side, s->fin);
    else if (s->state == SIDE_RECOGNISING && s->fpdus > 0)
        mpa_skipped(mpa, side, s->tail.end, mpa_window_end(&s->window), "no FPDU could be recognised");
}
