// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * RNR NAKs: a Send found no Receive (InfiniBand Architecture Specification volume 1, section 9.7.5.2.8). Its sender
 * waits as long as the NAK says and retransmits, as often as the other side's REQ or REP allows. The Send is refused
 * only when the retries are used up, or when the connection ends first. A capture may lack the Acknowledge of the
 * retransmission; so any later request from the sender counts as a sign that the Send was received. A request to
 * disconnect may be captured before requests that were sent, and acknowledged, shortly before it.
 */
#include "engine/ib/ib_rc_internal.h"
#include "wire/invariant.h"

enum { RNR_WITHOUT_END = 7 };

/* Clearly too early, with a margin for inexact clocks and captures. */
static bool is_hasty(const struct ib_not_ready *not_ready, int64_t time_ns)
{
    enum { MARGIN = 8 };
    int64_t wait_ns = not_ready->resumes_ns - not_ready->place.time_ns;

    return time_ns < not_ready->resumes_ns - wait_ns / MARGIN;
}

void ib_not_ready_request(struct ib_requests *requests, uint64_t offset, int64_t time_ns)
{
    struct ib_not_ready *not_ready = &requests->not_ready;

    if (not_ready->ended && time_ns - not_ready->ended_ns >= ib_skew_ns)
        return;
    if (not_ready->waiting && offset == not_ready->offset)
        not_ready->hasty |= is_hasty(not_ready, time_ns);
    if (not_ready->waiting && (offset == not_ready->offset || (offset > not_ready->offset && /* was in flight */
                                                               time_ns >= not_ready->resumes_ns)))
        not_ready->again = true;
    INVARIANT(!not_ready->waiting || not_ready->naks > 0);
}

static uint64_t holes_of(const struct ib_rc *rc)
{
    return rc->counts.holes[0] + rc->counts.holes[1];
}

void ib_not_ready_nak(struct ib_rc *rc, unsigned side, uint64_t offset, uint8_t syndrome, const struct place *place)
{
    struct ib_not_ready *not_ready = &rc->side[side].not_ready;
    bool same = not_ready->waiting && not_ready->offset == offset;

    if (same && !not_ready->again) /* a copy of the NAK */
        return;
    *not_ready = (struct ib_not_ready){.waiting = true,
                                       .offset = offset,
                                       .resumes_ns = place->time_ns + ib_rnr_timer_ns(syndrome),
                                       .hasty = same && not_ready->hasty,
                                       .naks = same ? not_ready->naks + 1 : 1,
                                       .holes = holes_of(rc),
                                       .place = *place};
    INVARIANT(not_ready->naks > 0);
}

static bool retries_used_up(const struct ib_requests *requests)
{
    return requests->rnr_retries_known && requests->rnr_retries != RNR_WITHOUT_END &&
           requests->not_ready.naks > requests->rnr_retries;
}

void ib_not_ready_end(struct ib_requests *requests, int64_t way_ns, int64_t time_ns)
{
    struct ib_not_ready *not_ready = &requests->not_ready;

    not_ready->ended = true;
    not_ready->ended_ns = time_ns;
    /* A side that does not wait for the time to repeat the Send ends the connection for a reason of its own. */
    if (not_ready->waiting && !retries_used_up(requests))
        not_ready->hasty |= is_hasty(not_ready, time_ns - way_ns);
}

/*
 * `side` sent a request that the other side, which was alive, neither acknowledged nor refused: the answer is missing
 * in the capture, and perhaps more.
 */
static bool owed_an_answer(const struct ib_rc *rc, unsigned side, int64_t until_ns)
{
    const struct ib_requests *requests = &rc->side[side];
    const struct place *latest = &requests->recent[requests->messages % IB_RC_RECENT].latest;
    bool refused = requests->not_ready.waiting && !requests->not_ready.again;

    return requests->messages > 0 && !refused && !(requests->acked_known && requests->acked >= requests->next) &&
           until_ns - latest->time_ns >= ib_rc_skew(rc);
}

/*
 * The connection ended before the Send was received. Holes since the NAK may hide the repeated Send, or its reception.
 */
static bool ended_untaken(const struct ib_rc *rc, unsigned side)
{
    const struct ib_not_ready *not_ready = &rc->side[side].not_ready;

    return rc->disconnected && not_ready->holes == holes_of(rc) &&
           !owed_an_answer(rc, other_side(side), not_ready->ended_ns);
}

bool ib_not_ready_final(const struct ib_rc *rc, unsigned side)
{
    const struct ib_requests *requests = &rc->side[side];
    const struct ib_not_ready *not_ready = &requests->not_ready;

    if (!not_ready->waiting || not_ready->again)
        return false;
    return ended_untaken(rc, side) || retries_used_up(requests);
}
