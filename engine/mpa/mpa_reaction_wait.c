// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Waiting for startup frames and for the rest of FPDUs that do not come (RFC 5044 section 7.1.2, rule 10), and for the
 * Reply. No RFC gives numbers: t_start, t_reply and t_idle are options.
 */
#include "engine/mpa/mpa_reaction.h"

static bool wait_is_over(const struct mpa_connection *mpa)
{
    for (unsigned side = 0; side < 2; side++)
        if (mpa->side[side].fin || mpa->side[side].reset)
            return true;
    return false;
}

/* The Initiator sent only its Request, which was acknowledged; there is no Reply. */
static bool waits_for_reply(const struct mpa_connection *mpa, unsigned waiter)
{
    const struct mpa_side *mine = &mpa->side[waiter], *theirs = &mpa->side[1 - waiter];

    return mine->startup.seen && mine->startup.frame.kind == MPA_REQUEST && mine->startup.missing == 0 &&
           !mine->startup.oversized && mine->startup.key_matches == MPA_KEY_LEN && !theirs->startup.seen &&
           mpa->reaction->close[1 - waiter].kind == CLOSE_NONE && !mpa->reaction->close_failed[1 - waiter] &&
           !theirs->bad_start_reported && mine->next <= mine->startup.end &&
           reaction_received(mpa, 1 - waiter, mine->startup.end);
}

static bool waits_for_frame(const struct mpa_connection *mpa, unsigned waiter)
{
    const struct mpa_side *theirs = &mpa->side[1 - waiter];

    if (mpa->phase == MPA_PHASE_FULL_OPERATION || mpa->phase == MPA_PHASE_REJECTED || wait_is_over(mpa) ||
        reaction_lost(mpa, 0) || reaction_lost(mpa, 1))
        return false;
    if (theirs->state == SIDE_STARTUP)
        return !theirs->startup.late && reaction_received(mpa, waiter, theirs->next);
    return waits_for_reply(mpa, waiter);
}

static bool waits_for_rest(const struct mpa_connection *mpa, unsigned waiter)
{
    const struct mpa_side *theirs = &mpa->side[1 - waiter];

    return theirs->state == SIDE_FPDUS && theirs->cursor < theirs->next && !wait_is_over(mpa) &&
           reaction_received(mpa, waiter, theirs->next) && !reaction_lost(mpa, 0) && !reaction_lost(mpa, 1);
}

static void check_frame(struct mpa_connection *mpa, unsigned waiter, const struct tcp_segment *segment)
{
    struct wait_watch *watch = &mpa->reaction->wait;
    struct place place;

    if (watch->frame_settled[waiter])
        return;
    if (!waits_for_frame(mpa, waiter)) {
        watch->frame_waiting[waiter] = false;
        return;
    }
    if (!watch->frame_waiting[waiter]) {
        const struct mpa_side *theirs = &mpa->side[1 - waiter], *mine = &mpa->side[waiter];
        const struct mpa_side *last = theirs->state == SIDE_STARTUP ? theirs : mine;

        watch->frame_waiting[waiter] = true;
        watch->frame_since[waiter] = last->last_time;
        watch->frame_number[waiter] = last->last_frame;
    }
    if (mpa->reaction->now - watch->frame_since[waiter] <= mpa->options.t_start || reaction_is_end(segment, waiter) ||
        (segment && segment->side != waiter && segment->length > 0))
        return;
    place = reaction_place(mpa, waiter);
    verdict_failed(mpa->verdict, RULE_MPA_7_1_2_41, direction_of(mpa, waiter), &place, watch->frame_number[waiter],
                   "expected the connection to be closed when the %s did not come within %g s of frame %u; found that "
                   "the connection was still open",
                   mpa->side[1 - waiter].state == SIDE_STARTUP ? "rest of a startup frame" : "Reply",
                   reaction_seconds(mpa->options.t_start), watch->frame_number[waiter]);
    watch->frame_settled[waiter] = true;
}

static void check_rest(struct mpa_connection *mpa, unsigned waiter, const struct tcp_segment *segment)
{
    struct wait_watch *watch = &mpa->reaction->wait;
    const struct mpa_side *theirs = &mpa->side[1 - waiter];
    struct place place;

    if (watch->rest_settled[waiter] || !waits_for_rest(mpa, waiter) ||
        mpa->reaction->now - theirs->last_time <= mpa->options.t_idle || reaction_is_end(segment, waiter) ||
        (segment && segment->side != waiter && segment->length > 0))
        return;
    place = reaction_place(mpa, waiter);
    verdict_failed(mpa->verdict, RULE_MPA_7_1_2_42, direction_of(mpa, waiter), &place, theirs->last_frame,
                   "expected the connection to be closed when the rest of an FPDU did not come within %g s of frame "
                   "%u; found that the connection was still open",
                   reaction_seconds(mpa->options.t_idle), theirs->last_frame);
    watch->rest_settled[waiter] = true;
}

void reaction_wait_startup(struct mpa_connection *mpa, unsigned side)
{
    const struct startup_seen *mine = &mpa->side[side].startup, *theirs = &mpa->side[1 - side].startup;

    if (mine->frame.kind == MPA_REPLY && !(mine->frame.flags & MPA_FLAG_R) && mine->missing == 0 && theirs->seen &&
        theirs->frame.kind == MPA_REQUEST)
        verdict_passed(mpa->verdict, RULE_MPA_7_1_2_10);
}

void reaction_wait_segment(struct mpa_connection *mpa, const struct tcp_segment *segment)
{
    const struct mpa_side *sides = mpa->side;

    /* No startup frame, and no rest of an FPDU, is awaited any more. */
    if (mpa->phase == MPA_PHASE_FULL_OPERATION && sides[0].cursor >= sides[0].next &&
        sides[1].cursor >= sides[1].next) {
        mpa->reaction->wait.frame_waiting[0] = mpa->reaction->wait.frame_waiting[1] = false;
        return;
    }
    for (unsigned waiter = 0; waiter < 2; waiter++) {
        check_frame(mpa, waiter, segment);
        check_rest(mpa, waiter, segment);
    }
}

void reaction_wait_end(struct mpa_connection *mpa, unsigned side)
{
    struct wait_watch *watch = &mpa->reaction->wait;
    const struct mpa_side *theirs = &mpa->side[1 - side];
    int64_t waited = mpa->reaction->now - watch->frame_since[side];

    if (watch->frame_waiting[side] && !watch->frame_settled[side] && !theirs->fin && !theirs->reset) {
        if (waited >= mpa->options.t_react)
            verdict_passed(mpa->verdict, RULE_MPA_7_1_2_41);
        if (waited >= mpa->options.t_reply && theirs->state != SIDE_STARTUP && waits_for_reply(mpa, side)) {
            struct place place = mpa->side[side].end_place;

            place.side = (uint8_t)(1 - side);
            place.awaited = true;
            place.offset = theirs->next;
            verdict_failed(mpa->verdict, RULE_MPA_7_1_2_10, direction_of(mpa, 1 - side), &place,
                           mpa->side[side].startup.place.frame,
                           "expected a Reply to the Request in frame %u; found no Reply to the MPA Request within %g "
                           "s, when the Initiator closed",
                           mpa->side[side].startup.place.frame, reaction_seconds(waited));
        }
    }
    watch->frame_waiting[side] = false;
    watch->frame_settled[0] = watch->frame_settled[1] = true;
    if (!watch->rest_settled[side] && theirs->state == SIDE_FPDUS && theirs->cursor < theirs->next && !theirs->fin &&
        !theirs->reset && !reaction_lost(mpa, 1 - side) &&
        mpa->reaction->now - theirs->last_time >= mpa->options.t_react)
        verdict_passed(mpa->verdict, RULE_MPA_7_1_2_42);
    watch->rest_settled[0] = watch->rest_settled[1] = true;
}

void reaction_wait_finish(struct mpa_connection *mpa)
{
    if (!reaction_sees_all(mpa))
        return;
    for (unsigned waiter = 0; waiter < 2; waiter++) {
        check_frame(mpa, waiter, NULL);
        check_rest(mpa, waiter, NULL);
        if (!mpa->reaction->wait.frame_settled[waiter] && mpa->reaction->wait.frame_waiting[waiter])
            verdict_inconclusive(mpa->verdict, RULE_MPA_7_1_2_41, reaction_doubt(mpa),
                                 mpa->side[other_side(waiter)].last_frame);
        if (!mpa->reaction->wait.rest_settled[waiter] && waits_for_rest(mpa, waiter))
            verdict_inconclusive(mpa->verdict, RULE_MPA_7_1_2_42, reaction_doubt(mpa),
                                 mpa->side[other_side(waiter)].last_frame);
    }
}
