// SPDX-License-Identifier: GPL-2.0-or-later
/* The MPA layer of one connection: life cycle, dispatch of the inputs, and which frame carried which octets. */
#include "engine/mpa/mpa_internal.h"
#include "wire/invariant.h"

#include <string.h>

enum {
    AFTER_REJECT_MAX = 64 << 10,
    RUNS_FIRST = 4,
    RUNS_MAX = 1 << 14, /* pieces of held octets whose frames are recorded separately */
};

static const int64_t second = 1000000000;

void mpa_options_init(struct mpa_options *options)
{
    *options = (struct mpa_options){
        .profile = PROFILE_IETF,
        .assume_markers_to_responder = UNKNOWN,
        .assume_markers_to_initiator = UNKNOWN,
        .assume_crc = UNKNOWN,
        .accept_midstream = true,
    };
}

static void fill_timers(struct mpa_options *options)
{
    struct {
        int64_t *timer;
        int64_t seconds;
    } defaults[] = {
        {&options->t_react, 2},  {&options->t_close, 5},  {&options->t_reply, 10},
        {&options->t_start, 60}, {&options->t_idle, 120},
    };

    for (size_t i = 0; i < sizeof defaults / sizeof defaults[0]; i++)
        if (*defaults[i].timer == 0)
            *defaults[i].timer = defaults[i].seconds * second;
}

struct mpa_connection *mpa_connection_new(const struct mpa_options *options, const struct mpa_events *events,
                                          struct verdict *verdict, struct arena *arena)
{
    struct mpa_connection *mpa = arena_enter(&arena, sizeof *mpa);

    if (!mpa)
        return NULL;
    mpa->arena = arena;
    for (unsigned side = 0; side < 2; side++)
        mpa->side[side].window.arena = arena;
    mpa->options = *options;
    fill_timers(&mpa->options);
    if (events)
        mpa->events = *events;
    mpa->verdict = verdict;
    mpa->parameters.initiator_side = -1;
    mpa->parameters.markers[0] = mpa->parameters.markers[1] = UNKNOWN;
    mpa->parameters.crc = UNKNOWN;
    if (!mpa_order_new(mpa) || (!verdict->off && (!mpa_reaction_new(mpa) || !mpa_tcp_new(mpa)))) {
        mpa_connection_free(mpa);
        return NULL;
    }
    return mpa;
}

void mpa_connection_free(struct mpa_connection *mpa)
{
    if (!mpa)
        return;
    mpa_reaction_free(mpa);
    mpa_tcp_free(mpa);
    for (unsigned side = 0; side < 2; side++) {
        mpa_window_free(&mpa->side[side].window);
        arena_drop(mpa->side[side].runs, mpa->side[side].runs_capacity * sizeof(struct origin_run));
    }
    arena_release(mpa->arena);
}

void mpa_connection_set_hosts(struct mpa_connection *mpa, const struct terminate_host host[2])
{
    mpa->host[0] = host[0];
    mpa->host[1] = host[1];
}

void mpa_connection_set_tcp(struct mpa_connection *mpa, struct tcp_pair *pair)
{
    mpa->tcp = pair;
}

enum mpa_phase mpa_connection_phase(const struct mpa_connection *mpa)
{
    return mpa->phase;
}

const struct mpa_parameters *mpa_connection_parameters(const struct mpa_connection *mpa)
{
    return &mpa->parameters;
}

bool mpa_connection_is_mpa(const struct mpa_connection *mpa)
{
    return mpa->phase == MPA_PHASE_STARTUP || mpa->phase == MPA_PHASE_FULL_OPERATION ||
           mpa->phase == MPA_PHASE_REJECTED;
}

/* ---- origins ---- */

static bool runs_are_in_order(const struct mpa_side *s)
{
    size_t n = s->n_runs;

    return n <= s->runs_capacity && n <= RUNS_MAX && (n < 1 || s->runs[n - 1].start < s->runs[n - 1].end) &&
           (n < 2 || s->runs[n - 2].end <= s->runs[n - 1].start);
}

/* Holds whenever no input is being handled. */
static bool mpa_side_is_sound(const struct mpa_side *s)
{
    return (s->state == SIDE_IGNORED || s->window.offset <= s->cursor) &&
           (s->window.n == 0 || mpa_window_end(&s->window) <= s->next) &&
           (s->framing || (s->state != SIDE_FPDUS && s->state != SIDE_LOST)) &&
           (s->cut_end == 0 || (s->state == SIDE_FPDUS && s->cut_end > s->cursor)) && (!s->gap_open || s->hole) &&
           s->good_crcs + s->bad_crcs <= s->fpdus && runs_are_in_order(s);
}

static bool mpa_connection_add_run(struct arena *arena, struct mpa_side *s, uint64_t start, uint64_t end,
                                   const struct octets_origin *origin)
{
    if (s->n_runs == RUNS_MAX) { /* an endless series of tiny segments: the last ones count as one */
        s->runs[s->n_runs - 1].end = end;
        s->runs[s->n_runs - 1].origin.arrival = origin->arrival;
        s->runs[s->n_runs - 1].origin.time_ns = origin->time_ns;
        INVARIANT(runs_are_in_order(s));
        return true;
    }
    if (s->n_runs == s->runs_capacity)
        s->runs = arena_double(arena, s->runs, &s->runs_capacity, RUNS_FIRST, sizeof *s->runs);
    if (s->n_runs == s->runs_capacity)
        return false;
    s->runs[s->n_runs++] = (struct origin_run){.start = start, .end = end, .origin = *origin};
    INVARIANT(runs_are_in_order(s));
    return true;
}

/* Forgets the runs of octets that left the window. The last run stays: places at the window's end belong to it. */
static void prune_runs(struct mpa_side *s)
{
    size_t keep = 0;

    while (keep + 1 < s->n_runs && s->runs[keep].end <= s->window.offset)
        keep++;
    if (keep == 0)
        return;
    s->n_runs -= keep;
    if (s->n_runs == 1) /* the usual case */
        s->runs[0] = s->runs[keep];
    else
        memmove(s->runs, s->runs + keep, s->n_runs * sizeof *s->runs);
    INVARIANT(s->n_runs > 0 && (s->n_runs == 1 || s->runs[0].end > s->window.offset));
}

size_t mpa_run_of(const struct mpa_side *s, uint64_t at)
{
    size_t low = 0, high = s->n_runs;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (s->runs[middle].end <= at)
            low = middle + 1;
        else
            high = middle;
    }
    INVARIANT(low == s->n_runs || s->runs[low].end > at);
    INVARIANT(low == 0 || s->runs[low - 1].end <= at);
    return low;
}

/* The usual case: the window holds one segment, or the first run is wanted. NULL: `at` is beyond all runs. */
static inline const struct origin_run *run_of(const struct mpa_side *s, uint64_t at)
{
    size_t i;

    if (s->n_runs > 0 && at < s->runs[0].end)
        return s->runs;
    i = mpa_run_of(s, at);
    return i < s->n_runs ? &s->runs[i] : NULL;
}

const struct octets_origin *mpa_later_origin(const struct mpa_side *s, uint64_t at)
{
    static const struct octets_origin unknown;
    const struct origin_run *run = run_of(s, at);

    if (!run)
        return s->n_runs == 0 ? &unknown : &s->runs[s->n_runs - 1].origin;
    return &run->origin;
}

struct place mpa_place(const struct mpa_connection *mpa, unsigned side, uint64_t from, uint64_t to)
{
    const struct octets_origin *first = mpa_origin(mpa, side, from);
    const struct octets_origin *last = to > from ? mpa_origin(mpa, side, to - 1) : first;

    return (struct place){.frame = last->arrival,
                          .first_frame = first->frame,
                          .time_ns = last->time_ns,
                          .offset = from,
                          .side = (uint8_t)side};
}

bool mpa_segment_starts(const struct mpa_connection *mpa, unsigned side, uint64_t at)
{
    const struct mpa_side *s = &mpa->side[side];
    const struct origin_run *run = run_of(s, at);

    return run && run->start == at && run->origin.segment_start;
}

bool mpa_segment_ends(const struct mpa_connection *mpa, unsigned side, uint64_t at)
{
    const struct mpa_side *s = &mpa->side[side];
    const struct origin_run *run = at == 0 ? NULL : run_of(s, at - 1);

    return run && run->end == at && run->origin.segment_end;
}

/* ---- shared by the parts of the core ---- */

void mpa_set_phase(struct mpa_connection *mpa, enum mpa_phase phase, const struct place *place)
{
    INVARIANT(phase >= mpa->phase); /* phases only follow each other in this order */
    mpa->phase = phase;
    if (mpa->events.changed)
        mpa->events.changed(mpa->events.ctx, phase, &mpa->parameters, place);
}

void mpa_skipped(struct mpa_connection *mpa, unsigned side, uint64_t from, uint64_t to, const char *why)
{
    struct place place = mpa_place(mpa, side, from, to);

    if (to > from && mpa->events.skipped)
        mpa->events.skipped(mpa->events.ctx, side, from, to, why, &place);
}

void mpa_ignore(struct mpa_connection *mpa, unsigned side)
{
    struct mpa_side *s = &mpa->side[side];

    s->state = SIDE_IGNORED;
    s->cursor = mpa_window_end(&s->window);
    mpa_window_drop(&s->window, s->cursor);
    s->cut_end = 0;
    INVARIANT(s->window.n == 0);
}

/* ---- inputs ---- */

void mpa_connection_segment(struct mpa_connection *mpa, const struct tcp_segment *segment, uint64_t offset,
                            bool acked_known, uint64_t acked)
{
    if (segment->flags & TCP_SYN && !mpa->start_captured[segment->side]) {
        mpa->start_captured[segment->side] = true;
        mpa->start_frame[segment->side] = segment->frame;
    }
    if (mpa->phase == MPA_PHASE_NOT_MPA)
        return;
    if (segment->flags & TCP_RST)
        mpa->side[segment->side].rst_offset = offset;
    if (mpa->verdict->off)
        return;
    mpa_reaction_segment(mpa, segment, offset, acked_known, acked);
    mpa_tcp_segment(mpa, segment, offset, acked_known, acked);
}

/* Passes the side's new octets, from `offset` on, to the part of the core that handles the side's state. */
static void mpa_connection_work(struct mpa_connection *mpa, unsigned side, uint64_t offset,
                                const struct octets_origin *origin)
{
    struct mpa_side *s = &mpa->side[side];

    if (mpa->phase == MPA_PHASE_REJECTED) {
        s->state = SIDE_IGNORED;
        if (offset - s->startup.end < AFTER_REJECT_MAX)
            mpa_find_after_reject(mpa, side);
        else
            mpa_ignore(mpa, side);
    } else if (s->state == SIDE_FPDUS || s->state == SIDE_LOST) {
        mpa_framing_octets(mpa, side);
    } else {
        mpa_order_octets(mpa, side, offset, s->next, origin);
        if (s->state == SIDE_IGNORED)
            mpa_ignore(mpa, side);
        else
            mpa_find_octets(mpa, side);
    }
}

void mpa_connection_unsent_acked(struct mpa_connection *mpa, const struct tcp_segment *segment, uint64_t offset,
                                 uint64_t acked)
{
    if (mpa->phase != MPA_PHASE_NOT_MPA && !mpa->verdict->off)
        mpa_tcp_unsent_acked(mpa, segment, offset, acked);
}

void mpa_connection_octets(struct mpa_connection *mpa, unsigned side, uint64_t offset, const uint8_t *p, size_t n,
                           const struct octets_origin *origin)
{
    struct mpa_side *s = &mpa->side[side];

    s->last_time = origin->time_ns;
    s->last_frame = origin->arrival;
    if (mpa->phase == MPA_PHASE_NOT_MPA || n == 0)
        return;
    if (!s->any) {
        s->any = true;
        s->first_offset = s->cursor = s->next = offset;
        mpa_window_restart(&s->window, offset);
    }
    if (offset != s->next) /* the host skipped octets without an event */
        mpa_connection_hole(mpa, side, s->next, offset, HOLE_CAPTURE_LOSS, origin);
    s->next = offset + n;
    if (s->window.n == 0)
        s->n_runs = 0;
    if (!mpa_connection_add_run(mpa->arena, s, offset, offset + n, origin)) {
        mpa_ignore(mpa, side);
        return;
    }
    if (s->cut_end > 0) {
        size_t taken = mpa_cut_octets(mpa, side, offset, n);

        if (taken == n)
            return;
        offset += taken;
        p += taken;
        n -= taken;
    }
    if (!mpa_window_feed(&s->window, offset, p, n)) {
        mpa_ignore(mpa, side);
        return;
    }
    mpa_connection_work(mpa, side, offset, origin);
    INVARIANT(mpa_side_is_sound(s));
    prune_runs(s);
    if (!mpa_window_save(&s->window))
        mpa_ignore(mpa, side);
    INVARIANT(mpa_side_is_sound(s));
}

void mpa_connection_hole(struct mpa_connection *mpa, unsigned side, uint64_t from, uint64_t to, enum hole_cause cause,
                         const struct octets_origin *next)
{
    struct mpa_side *s = &mpa->side[side];

    if (mpa->phase == MPA_PHASE_NOT_MPA)
        return;
    s->any = true;
    s->next = to;
    if (cause == HOLE_SNAP_LENGTH && s->state == SIDE_FPDUS && next) {
        s->n_runs = s->window.n == 0 ? 0 : s->n_runs;
        if (mpa_connection_add_run(mpa->arena, s, from, to, next) && mpa_cut_hole(mpa, side, from, to)) {
            mpa_window_save(&s->window);
            return;
        }
    }
    verdict_lose(mpa->verdict,
                 cause == HOLE_SNAP_LENGTH    ? WHY_CUT
                 : cause == HOLE_MEMORY_LIMIT ? WHY_MEMORY
                                              : WHY_HOLE,
                 next ? next->frame : s->last_frame);
    mpa_gap_open(s);
    if (s->state == SIDE_FPDUS || s->state == SIDE_LOST)
        mpa_framing_hole(mpa, side, from, to);
    else if (s->state != SIDE_IGNORED)
        mpa_find_hole(mpa, side, to);
    else
        mpa_ignore(mpa, side);
    s->n_runs = s->window.n == 0 ? 0 : s->n_runs;
    mpa_window_save(&s->window);
    INVARIANT(mpa_side_is_sound(s));
}

void mpa_connection_conflict(struct mpa_connection *mpa, unsigned side, uint64_t offset, uint8_t first,
                             uint8_t repeated, uint32_t first_frame, const struct tcp_segment *segment)
{
    if (mpa->phase == MPA_PHASE_NOT_MPA || mpa->verdict->off)
        return;
    mpa_order_conflict(mpa, side);
    mpa_reaction_conflict(mpa, side, offset, segment);
    mpa_tcp_conflict(mpa, side, offset, first, repeated, first_frame, segment);
}

static void judge_end(struct mpa_connection *mpa, unsigned side, bool reset)
{
    if (mpa->verdict->off)
        return;
    mpa_reaction_end(mpa, side, reset);
    mpa_tcp_end(mpa, side, reset);
}

static void end_of_side(struct mpa_connection *mpa, unsigned side, bool fin)
{
    struct mpa_side *s = &mpa->side[side];

    if (s->state == SIDE_FPDUS || s->state == SIDE_LOST)
        mpa_framing_end(mpa, side, fin);
    else if (s->state != SIDE_IGNORED)
        mpa_find_end(mpa, side);
    /* Finding an end may have put the other side, or this one, in step. */
    for (unsigned i = 0; i < 2; i++)
        mpa_window_save(&mpa->side[i].window);
}

void mpa_connection_fin(struct mpa_connection *mpa, unsigned side, uint64_t offset, uint32_t frame, int64_t time_ns)
{
    struct mpa_side *s = &mpa->side[side];

    if (mpa->phase == MPA_PHASE_NOT_MPA || s->fin || s->reset)
        return;
    s->fin = true;
    s->fin_offset = offset;
    s->end_place = (struct place){
        .frame = frame, .first_frame = frame, .time_ns = time_ns, .offset = offset, .side = (uint8_t)side};
    end_of_side(mpa, side, true);
    judge_end(mpa, side, false);
    INVARIANT(mpa_side_is_sound(s));
}

void mpa_connection_reset(struct mpa_connection *mpa, unsigned side, uint32_t frame, int64_t time_ns)
{
    struct mpa_side *s = &mpa->side[side];

    if (mpa->phase == MPA_PHASE_NOT_MPA || s->reset)
        return;
    s->reset = true;
    s->end_place = (struct place){
        .frame = frame, .first_frame = frame, .time_ns = time_ns, .offset = s->next, .side = (uint8_t)side};
    /* The RST overtook octets, or they were not captured; one of them may be a Terminate. */
    if (s->any && s->rst_offset > s->next) {
        s->hole = true;
        verdict_lose(mpa->verdict, WHY_HOLE, frame);
        mpa_skipped(mpa, side, s->next, s->rst_offset, "octets before the RST");
    }
    end_of_side(mpa, side, false);
    judge_end(mpa, side, true);
    INVARIANT(mpa_side_is_sound(s));
}

void mpa_connection_finish(struct mpa_connection *mpa, int64_t time_ns)
{
    if (mpa->finished)
        return;
    mpa->finished = true;
    mpa->end_time = time_ns;
    if (mpa->phase != MPA_PHASE_NOT_MPA)
        for (unsigned side = 0; side < 2; side++)
            end_of_side(mpa, side, false);
    INVARIANT(mpa_side_is_sound(&mpa->side[0]) && mpa_side_is_sound(&mpa->side[1]));
    if (!mpa_connection_is_mpa(mpa) || mpa->verdict->off)
        return;
    mpa_order_finish(mpa);
    mpa_judge_content_finish(mpa);
    mpa_reaction_finish(mpa, time_ns);
    mpa_tcp_finish(mpa);
}
