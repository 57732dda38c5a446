// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Who may send when: RFC 5044 sections 7.1.2 and 7.1.3, RFC 6581 sections 4.3 and 9.3.
 *
 *   Initiator            Responder
 *     REQ  ------------>             REP not before all of REQ was received (7.1.2-03)
 *          <------------  REP
 *     first FPDU ------>             nothing between REQ and the receipt of all of REP (7.1.2-16)
 *          <------------  FPDUs      not before the first FPDU was received (7.1.2-23), which must be valid (-24)
 *
 * Only the ACK number of the segment that carried some octets shows what their sender had received by then: the capture
 * point may see the two directions in another order. ACK numbers of retransmissions are later than those of the first
 * sending, so they can hide a violation but not feign one. If the ACK number is unknown, the order in the capture
 * decides.
 */
#include "engine/mpa/mpa_startup_state.h"
#include "wire/invariant.h"

enum { FPDU_OCTETS_MIN = 8 };

enum timing { TIMELY, EARLY, OPEN };

bool mpa_order_new(struct mpa_connection *mpa)
{
    mpa->order = arena_zeroed(mpa->arena, sizeof *mpa->order);
    return mpa->order != NULL;
}

static void fail_two_requests(struct mpa_connection *mpa, enum rule_id rule)
{
    unsigned second = mpa->order->second_request;
    const struct startup_seen *b = &mpa->side[second].startup;

    mpa->order->two_requests_open = false;
    verdict_failed(
        mpa->verdict, rule, direction_of(mpa, second), &b->place, mpa->side[other_side(second)].startup.place.frame,
        rule == RULE_MPA_7_1_1_04
            ? "expected the key \"MPA ID Rep Frame\" in the answer to the MPA Request; found \"MPA ID Req Frame\""
            : "expected one MPA Initiator; found an MPA Request from each end");
}

/*
 * Two Requests. If the second was sent by an end that had received the first, and octets follow as after a Reply, it
 * was meant as a Reply and has the wrong key; in all other cases both ends were started as Initiators.
 */
static void judge_two_requests(struct mpa_connection *mpa, unsigned first, unsigned second)
{
    const struct startup_seen *a = &mpa->side[first].startup, *b = &mpa->side[second].startup;

    mpa->order->second_request = second;
    if (b->first.acked_known && b->first.acked >= a->end)
        mpa->order->two_requests_open = true;
    else
        fail_two_requests(mpa, RULE_MPA_7_1_2_32);
}

void mpa_order_octets(struct mpa_connection *mpa, unsigned side, uint64_t from, uint64_t to,
                      const struct octets_origin *origin)
{
    struct mpa_order_side *order = &mpa->order->side[side];

    if (mpa->order->two_requests_open && from >= mpa->side[side].startup.end)
        fail_two_requests(mpa, RULE_MPA_7_1_1_04);
    order->delivered = to;
    if (order->n_runs == ORDER_RUNS) {
        for (unsigned i = 1; i < ORDER_RUNS; i++)
            order->runs[i - 1] = order->runs[i];
        order->n_runs--;
    }
    order->runs[order->n_runs++] = (struct order_run){.from = from, .to = to, .origin = *origin};
    INVARIANT(order->n_runs <= ORDER_RUNS && from < to);
    INVARIANT(order->n_runs < 2 || order->runs[order->n_runs - 2].to <= from);
}

void mpa_order_conflict(struct mpa_connection *mpa, unsigned side)
{
    mpa->order->side[side].conflict = true;
}

/*
 * Without an ACK number the capture order counts, if the capture has the beginning of the peer's stream, and no hole in
 * it.
 */
static bool capture_shows_order(const struct mpa_connection *mpa, unsigned peer, const struct octets_origin *origin)
{
    return mpa->start_captured[peer] && mpa->start_frame[peer] < origin->frame && !mpa->side[peer].hole;
}

/* ---- the Reply, and octets before it ---- */

static void order_judge_reply(struct mpa_connection *mpa, unsigned from, unsigned to)
{
    const struct startup_seen *request = &mpa->side[from].startup, *reply = &mpa->side[to].startup;
    struct verdict *v = mpa->verdict;
    bool received =
        reply->first.acked_known ? reply->first.acked >= request->end : reply->first.frame >= request->place.frame;

    if (mpa->order->reply_judged)
        return;
    mpa->order->reply_judged = true;
    mpa->order->reply_open = false;
    verdict_passed(v, RULE_MPA_7_1_2_14);
    verdict_passed(v, RULE_MPA_7_1_2_32);
    /* The length of the Request is unknown, or the Request is not the one that was answered. */
    if (request->oversized || request->partial || (request->start > 0 && mpa->side[from].hole))
        verdict_inconclusive(v, RULE_MPA_7_1_2_03, LOST_OR(WHY_UNREAD), reply->place.frame);
    else if (received)
        verdict_passed(v, RULE_MPA_7_1_2_03);
    else if (!mpa->start_captured[from]) /* the Reply may answer an earlier Request */
        verdict_inconclusive(v, RULE_MPA_7_1_2_03, WHY_LATE, reply->place.frame);
    else if (!reply->first.acked_known && !capture_shows_order(mpa, from, &reply->first))
        verdict_inconclusive(v, RULE_MPA_7_1_2_03, WHY_ACK, reply->place.frame);
    else if (reply->first.acked_known)
        verdict_failed(
            v, RULE_MPA_7_1_2_03, direction_of(mpa, to), &reply->place, request->place.frame,
            "expected the MPA Reply only after all %llu octets of the MPA Request had been received; found that the "
            "MPA Reply was sent after %llu octets of the MPA Request",
            (unsigned long long)(request->end - request->start),
            (unsigned long long)(reply->first.acked > request->start ? reply->first.acked - request->start : 0));
    else
        verdict_failed(v, RULE_MPA_7_1_2_03, direction_of(mpa, to), &reply->place, request->place.frame,
                       "expected the MPA Reply after the MPA Request; found the MPA Reply in frame %u, before frame "
                       "%u, which completes the Request",
                       reply->first.frame, request->place.frame);
}

/* The last delivered run that begins before `offset`, if still kept. */
static const struct order_run *order_run_before(const struct mpa_order_side *order, uint64_t offset)
{
    const struct order_run *run = NULL;

    for (unsigned i = 0; i < order->n_runs; i++)
        if (order->runs[i].from < offset)
            run = &order->runs[i];
    return run;
}

/*
 * The Responder's streaming data right before its Reply (7.1.3): sent after the Responder had received the Request, or,
 * a lesser fault, still in flight when the Initiator started MPA (7.1.5).
 */
static void judge_streaming(struct mpa_connection *mpa, unsigned from, unsigned to)
{
    const struct startup_seen *request = &mpa->side[from].startup, *reply = &mpa->side[to].startup;
    const struct order_run *run = order_run_before(&mpa->order->side[to], reply->start);
    struct verdict *v = mpa->verdict;
    struct place place;

    if (!run || mpa->side[to].hole)
        return;
    place = (struct place){.frame = run->origin.arrival,
                           .first_frame = run->origin.frame,
                           .time_ns = run->origin.time_ns,
                           .offset = run->from,
                           .side = (uint8_t)to};
    /* Octets acknowledged beyond the captured ones are not certainly the Request. */
    if (!run->origin.acked_known || !request->first.acked_known || run->origin.acked > mpa->side[from].next) {
        verdict_inconclusive(v, RULE_MPA_7_1_3_01, WHY_ACK, place.frame);
        verdict_inconclusive(v, RULE_MPA_7_1_5_01, WHY_ACK, place.frame);
    } else if (run->origin.acked >= request->end) {
        /* A retransmission carries a newer ACK number, which does not show when the octets were first sent. */
        if (run->origin.retransmitted || run->origin.frame > reply->first.frame)
            verdict_inconclusive(v, RULE_MPA_7_1_3_01, WHY_COPIES, place.frame);
        else
            verdict_failed(v, RULE_MPA_7_1_3_01, direction_of(mpa, to), &place, request->place.frame,
                           "expected the MPA Reply right after the MPA Request had been received; found %llu octets of "
                           "other data before the MPA Reply",
                           (unsigned long long)(reply->start - run->from));
    } else {
        verdict_passed(v, RULE_MPA_7_1_3_01);
        if (request->first.acked >= reply->start)
            verdict_passed(v, RULE_MPA_7_1_5_01);
        else if (request->first.retransmitted)
            verdict_inconclusive(v, RULE_MPA_7_1_5_01, WHY_COPIES, place.frame);
        else
            verdict_failed(v, RULE_MPA_7_1_5_01, direction_of(mpa, to), &place, request->place.frame,
                           "expected the MPA Request only after all of the peer's streaming data had been received; "
                           "found %llu octets of streaming data still in flight when the MPA Request was sent",
                           (unsigned long long)(reply->start - request->first.acked));
    }
}

void mpa_order_startup(struct mpa_connection *mpa, unsigned side)
{
    const struct startup_seen *mine = &mpa->side[side].startup, *theirs = &mpa->side[other_side(side)].startup;

    if (mine->frame.kind == MPA_REQUEST) {
        verdict_passed(mpa->verdict, RULE_MPA_7_1_2_01);
        if (theirs->seen && theirs->frame.kind == MPA_REQUEST)
            judge_two_requests(mpa, other_side(side), side);
        else if (theirs->seen && theirs->frame.kind == MPA_REPLY) { /* only the Reply proved the Request */
            order_judge_reply(mpa, side, other_side(side));
            judge_streaming(mpa, side, other_side(side));
        }
        return;
    }
    if (theirs->seen && theirs->frame.kind == MPA_REQUEST) {
        order_judge_reply(mpa, other_side(side), side);
        judge_streaming(mpa, other_side(side), side);
    } else {
        mpa->order->reply_open = true;
    }
    INVARIANT(!mpa->order->reply_open || !mpa->order->reply_judged);
}

/* ---- the first octets after a startup frame ---- */

/* The Initiator waits for all of the Reply. */
static enum timing initiator_timing(const struct mpa_connection *mpa, unsigned side, const struct octets_origin *origin)
{
    const struct startup_seen *reply = &mpa->side[other_side(side)].startup;

    if (reply->oversized || reply->partial)
        return OPEN;
    /* After octets that the capture lacks, this may be the Reply of a later connection at the same ports. */
    if (mpa->side[other_side(side)].hole && origin->acked_known && origin->acked < reply->start)
        return OPEN;
    if (origin->acked_known)
        return origin->acked >= reply->end ? TIMELY : EARLY;
    if (origin->frame >= reply->first.frame)
        return TIMELY;
    return capture_shows_order(mpa, other_side(side), origin) ? EARLY : OPEN;
}

/* The Responder waits for the Initiator's first FPDU. */
static enum timing responder_timing(const struct mpa_connection *mpa, unsigned side, const struct octets_origin *origin)
{
    const struct mpa_side *peer = &mpa->side[other_side(side)];

    if (peer->startup.oversized)
        return OPEN;
    if (!origin->acked_known && peer->fpdus > 0)
        return origin->frame >= peer->first_fpdu.frame ? TIMELY : OPEN;
    if (!origin->acked_known)
        return capture_shows_order(mpa, other_side(side), origin) ? EARLY : OPEN;
    if (peer->fpdus > 0 && origin->acked >= peer->first_fpdu_end)
        return TIMELY;
    if (origin->acked < peer->startup.end + FPDU_OCTETS_MIN)
        return EARLY;
    /*
     * The Responder had received something; only a complete stream of the Initiator shows whether that was a whole
     * FPDU.
     */
    return peer->fpdus == 0 || peer->hole ? OPEN : EARLY;
}

/* Whether the sender of these octets had received what it must wait for. */
static enum timing timing_of(const struct mpa_connection *mpa, unsigned side, const struct octets_origin *origin)
{
    return mpa->side[side].startup.frame.kind == MPA_REQUEST ? initiator_timing(mpa, side, origin)
                                                             : responder_timing(mpa, side, origin);
}

/* How many of the n octets from FO on were sent too early. */
static size_t early_octets(const struct mpa_connection *mpa, unsigned side, uint64_t from, size_t n)
{
    const struct mpa_side *s = &mpa->side[side];
    size_t early = 0;

    for (size_t i = 0; i < s->n_runs; i++) {
        uint64_t end = s->runs[i].end < from + n ? s->runs[i].end : from + n;

        if (end <= from + early)
            continue;
        if (timing_of(mpa, side, &s->runs[i].origin) != EARLY)
            break;
        early = (size_t)(end - from);
    }
    INVARIANT(early <= n);
    return early;
}

static void order_fail_early(struct mpa_connection *mpa, unsigned side, uint64_t from, size_t early, bool lone_marker)
{
    const struct startup_seen *peer = &mpa->side[other_side(side)].startup;
    struct place place = mpa_place(mpa, side, from, from + (early > 0 ? early : 1));
    const struct octets_origin *origin = mpa_origin(mpa, side, from);
    bool initiator = mpa->side[side].startup.frame.kind == MPA_REQUEST;
    uint64_t awaited = initiator ? peer->start : peer->end;
    uint64_t arrived = origin->acked_known && origin->acked > awaited ? origin->acked - awaited : 0;
    enum direction direction = direction_of(mpa, side);

    if (initiator && arrived == 0)
        verdict_failed(mpa->verdict, RULE_MPA_7_1_2_16, direction, &place, peer->seen ? peer->place.frame : 0,
                       "expected the Initiator to wait for the MPA Reply; found that the Initiator sent an FPDU before "
                       "any of the Reply had arrived");
    else if (initiator)
        verdict_failed(mpa->verdict, RULE_MPA_7_1_2_16, direction, &place, peer->seen ? peer->place.frame : 0,
                       "expected the Initiator to wait for the whole MPA Reply; found that the Initiator sent an FPDU "
                       "when %llu octets of the Reply had arrived",
                       (unsigned long long)arrived);
    else if (lone_marker)
        verdict_failed(mpa->verdict, RULE_MPA_7_1_2_25, direction, &place, peer->place.frame,
                       "expected the Responder to send no Marker before the Initiator's first FPDU had arrived; found "
                       "Marker 00 00 00 00 before the Initiator's first FPDU");
    else if (arrived == 0)
        verdict_failed(mpa->verdict, RULE_MPA_7_1_2_23, direction, &place, peer->place.frame,
                       "expected the Responder to wait for the Initiator's first FPDU; found that the Responder sent "
                       "an FPDU before anything after the MPA Request had arrived");
    else
        verdict_failed(mpa->verdict, RULE_MPA_7_1_2_23, direction, &place, peer->place.frame,
                       "expected the Responder to wait for the Initiator's first FPDU; found that the Responder sent "
                       "an FPDU when only %llu octets after the MPA Request had arrived",
                       (unsigned long long)arrived);
}

static void pass_timing(struct mpa_connection *mpa, unsigned side)
{
    if (mpa->side[side].startup.frame.kind == MPA_REQUEST) {
        verdict_passed(mpa->verdict, RULE_MPA_7_1_2_16);
        return;
    }
    verdict_passed(mpa->verdict, RULE_MPA_7_1_2_23);
    if (mpa->parameters.markers[side] == ON)
        verdict_passed(mpa->verdict, RULE_MPA_7_1_2_25);
}

/* Judges when the octets at `from`, which count as an FPDU, were sent. */
static void judge_timing(struct mpa_connection *mpa, unsigned side, uint64_t from, size_t early, bool lone_marker)
{
    struct mpa_order_state *order = mpa->order;

    if (order->side[side].early_judged)
        return;
    order->side[side].early_judged = true;
    if (early > 0) {
        order->side[side].early = true;
        order_fail_early(mpa, side, from, early, lone_marker);
        return;
    }
    INVARIANT(order->side[side].early_judged && !order->side[side].early);
    switch (timing_of(mpa, side, mpa_origin(mpa, side, from))) {
    case TIMELY:
    case EARLY: /* early_octets() has excluded this */
        pass_timing(mpa, side);
        break;
    case OPEN:
        if (mpa->side[side].startup.frame.kind == MPA_REPLY && !mpa->side[other_side(side)].hole &&
            mpa->side[other_side(side)].fpdus == 0 && mpa_origin(mpa, side, from)->acked_known) {
            order->first_open = true;
            order->first_acked = mpa_origin(mpa, side, from)->acked;
            order->first_place = mpa_place(mpa, side, from, from + 1);
        } else {
            verdict_inconclusive(
                mpa->verdict, mpa->side[side].startup.frame.kind == MPA_REQUEST ? RULE_MPA_7_1_2_16 : RULE_MPA_7_1_2_23,
                mpa_origin(mpa, side, from)->acked_known ? LOST_OR(WHY_ORDER) : WHY_ACK,
                mpa_place(mpa, side, from, from + 1).frame);
        }
        break;
    }
}

static bool zero_marker(const uint8_t *p, size_t n)
{
    return n >= MPA_MARKER_LEN && (p[0] | p[1] | p[2] | p[3]) == 0;
}

size_t mpa_order_first_octets(struct mpa_connection *mpa, unsigned side, const uint8_t *p, size_t n, bool last)
{
    const struct startup_seen *seen = &mpa->side[side].startup;
    struct mpa_order_side *order = &mpa->order->side[side];
    uint64_t from = seen->end;
    bool responder = seen->frame.kind == MPA_REPLY;
    size_t early;
    struct boundary b;

    if (order->boundary_judged || n == 0)
        return 0;
    early = early_octets(mpa, side, from, n);
    /* A Marker alone, in a direction that will have Markers, followed by no octets or only by later ones. */
    if (responder && early == MPA_MARKER_LEN && zero_marker(p, n) && mpa->parameters.markers[side] == ON) {
        if (n == MPA_MARKER_LEN && !last)
            return MPA_ORDER_MORE;
        mpa_boundary_passed(mpa, side);
        judge_timing(mpa, side, from, early, true);
        return 0;
    }
    b = mpa_boundary_classify(mpa, side, p, n, early, last);
    if (b.what == BOUNDARY_MORE)
        return MPA_ORDER_MORE;
    if (b.what == BOUNDARY_FPDU) {
        mpa_boundary_passed(mpa, side);
        judge_timing(mpa, side, from, early, false);
        return 0;
    }
    order->boundary_judged = true;
    b.before_reply = !responder && early > 0;
    INVARIANT(b.count <= n);
    mpa_boundary_report(mpa, side, &b, p, n);
    /* The octets after the stray ones have a timing of their own. */
    if (n > b.count && mpa_fpdu_likeness(p + b.count, n - b.count) == FPDU_CONVINCING)
        judge_timing(mpa, side, from + b.count, early > b.count ? early - b.count : 0, false);
    return b.count;
}

/*
 * 7.1.2-23: an FPDU of the Initiator of which the Responder had received some octets when it sent its own first FPDU.
 */
static void judge_received_part(struct mpa_connection *mpa, unsigned side, const struct mpa_fpdu_event *event)
{
    struct mpa_order_state *order = mpa->order;

    if (!order->first_open)
        return;
    order->first_open = false;
    if (mpa->side[side].hole || event->after_resync)
        verdict_inconclusive(mpa->verdict, RULE_MPA_7_1_2_23, LOST_OR(WHY_HOLE), event->place.frame);
    else if (order->first_acked >= event->fpdu.offset + event->fpdu.length)
        pass_timing(mpa, other_side(side));
    else
        verdict_failed(mpa->verdict, RULE_MPA_7_1_2_23, direction_of(mpa, other_side(side)), &order->first_place,
                       event->place.frame,
                       "expected the Responder to wait for the Initiator's first FPDU (%u octets); found that the "
                       "Responder sent an FPDU when %llu octets of the Initiator's first had arrived",
                       event->fpdu.length, (unsigned long long)(order->first_acked - event->fpdu.offset));
}

/* 7.1.2-24: an FPDU that the Responder sent after receiving an invalid first FPDU. The first one decides. */
static void judge_after_invalid(struct mpa_connection *mpa, unsigned side, const struct mpa_fpdu_event *event)
{
    struct mpa_order_state *order = mpa->order;
    const struct mpa_side *peer = &mpa->side[other_side(side)];
    const struct octets_origin *origin;

    if (peer->fpdus == 0)
        return;
    order->settled = !order->first_open;
    INVARIANT(!order->settled || !order->first_open);
    if (order->side[side].early || peer->hole || (event->has_ddp && event->ddp.opcode == RDMAP_TERMINATE))
        return; /* section 8 asks for a Terminate */
    origin = event->first;
    if (!peer->first_fpdu_bad)
        verdict_passed(mpa->verdict, RULE_MPA_7_1_2_24);
    else if (!origin->acked_known || origin->acked < peer->first_fpdu_end || origin->acked > peer->next ||
             order->side[other_side(side)].conflict)
        verdict_inconclusive(mpa->verdict, RULE_MPA_7_1_2_24, origin->acked_known ? WHY_ORDER : WHY_ACK,
                             event->place.frame);
    else
        verdict_failed(mpa->verdict, RULE_MPA_7_1_2_24, direction_of(mpa, side), &event->place, peer->first_fpdu.frame,
                       "expected no FPDU but a Terminate after the Initiator's invalid first FPDU; found an FPDU with "
                       "opcode %u after the Initiator's invalid first FPDU",
                       event->has_ddp ? event->ddp.opcode : 0);
}

void mpa_order_fpdu(struct mpa_connection *mpa, unsigned side, const struct mpa_fpdu_event *event)
{
    if (mpa->order->settled || !mpa->parameters.startup_seen)
        return;
    if (mpa->side[side].startup.frame.kind == MPA_REQUEST)
        judge_received_part(mpa, side, event);
    else
        judge_after_invalid(mpa, side, event);
}

/* The side may have sent another startup frame, not captured, which its peer had received before these octets. */
static bool startup_missed(const struct mpa_side *s, const struct octets_origin *origin)
{
    return s->hole || (origin->acked_known && origin->acked > (s->any ? s->next : 0));
}

void mpa_order_after_reject(struct mpa_connection *mpa, unsigned side, uint64_t offset, const uint8_t *p, size_t n,
                            const struct octets_origin *origin)
{
    struct mpa_order_side *order = &mpa->order->side[side];
    const struct startup_seen *seen = &mpa->side[side].startup, *peer = &mpa->side[other_side(side)].startup;
    bool initiator = seen->frame.kind == MPA_REQUEST;
    struct place place = {.frame = origin->arrival,
                          .first_frame = origin->frame,
                          .time_ns = origin->time_ns,
                          .offset = offset,
                          .side = (uint8_t)side};

    /* Octets after the Request that were sent before the rejection was known: judged as if there were no rejection. */
    if (initiator && offset == seen->end && !order->boundary_judged && timing_of(mpa, side, origin) == EARLY) {
        struct boundary b = mpa_boundary_classify(mpa, side, p, n, n, true);

        order->boundary_judged = order->proof_after_reject = true;
        b.before_reply = true;
        if (b.what == BOUNDARY_FPDU)
            judge_timing(mpa, side, offset, n, false);
        else
            mpa_boundary_report(mpa, side, &b, p, n);
        return;
    }
    /*
     * The connection may be used for other purposes (7.1.2), including another startup, after which FPDUs are legal. A
     * hole may hide such a startup.
     */
    if (mpa_is_startup(p, n))
        mpa->order->side[0].proof_after_reject = mpa->order->side[1].proof_after_reject = true;
    if (mpa->side[side].hole || startup_missed(&mpa->side[other_side(side)], origin))
        order->proof_after_reject = true;
    if (order->proof_after_reject || !mpa_fpdu_proven(p, n))
        return;
    order->proof_after_reject = true;
    verdict_failed(mpa->verdict, initiator ? RULE_MPA_7_1_2_19 : RULE_MPA_7_1_2_07, direction_of(mpa, side), &place,
                   initiator ? peer->place.frame : seen->place.frame,
                   "expected no FPDU after an MPA Reply with R = 1; found an FPDU (%02x %02x %02x %02x ...) after an "
                   "MPA Reply with R = 1",
                   p[0], p[1], p[2], p[3]);
}

/* ---- the end ---- */

/* A Request that never got a Reply: octets held after it can only have been sent too early. */
static void order_judge_unanswered(struct mpa_connection *mpa, unsigned side)
{
    struct mpa_side *s = &mpa->side[side];
    const struct mpa_side *peer = &mpa->side[other_side(side)];
    struct mpa_order_side *order = &mpa->order->side[side];
    uint64_t from = s->startup.end, end = mpa_window_end(&s->window);
    const struct octets_origin *origin;
    struct boundary b;
    size_t n;

    if (order->boundary_judged || s->startup.oversized)
        return;
    if (s->window.n == 0 || end <= from || s->window.offset > from) {
        if (!s->hole && order->delivered <= from && s->next <= from)
            mpa_boundary_passed(mpa, side);
        return;
    }
    n = (size_t)(end - from);
    origin = mpa_origin(mpa, side, from);
    /* An uncaptured Reply would have been acknowledged; a Reply captured before its Request is not recognised. */
    if (peer->hole || s->hole || !mpa->start_captured[other_side(side)] || !origin->acked_known ||
        origin->acked > mpa->order->side[other_side(side)].delivered ||
        origin->acked >= peer->startup.start + MPA_STARTUP_HEADER_LEN) {
        verdict_inconclusive(mpa->verdict, RULE_MPA_7_1_2_16, LOST_OR(origin->acked_known ? WHY_ORDER : WHY_ACK),
                             origin->frame);
        return;
    }
    b = mpa_boundary_classify(mpa, side, mpa_window_at(&s->window, from), n, n, true);
    b.before_reply = true;
    order->boundary_judged = true;
    if (b.what == BOUNDARY_FPDU)
        judge_timing(mpa, side, from, n, false);
    else
        mpa_boundary_report(mpa, side, &b, mpa_window_at(&s->window, from), n);
}

static void judge_unsolicited(struct mpa_connection *mpa, unsigned side)
{
    const struct mpa_side *peer = &mpa->side[other_side(side)];
    const struct startup_seen *reply = &mpa->side[side].startup;

    /* A Reply that acknowledges octets beyond the captured octets answers an uncaptured Request. */
    bool missed = !reply->first.acked_known || reply->first.acked > (peer->any ? peer->next : 0);

    if (!mpa->start_captured[0] || !mpa->start_captured[1] || peer->hole || peer->startup.partial || missed) {
        verdict_inconclusive(mpa->verdict, RULE_MPA_7_1_2_14,
                             LOST_OR(mpa->start_captured[0] && mpa->start_captured[1] ? WHY_ORDER : WHY_LATE),
                             reply->place.frame);
        return;
    }
    if (peer->startup.header_seen) /* a Request was in flight */
        verdict_failed(mpa->verdict, RULE_MPA_7_1_2_03, direction_of(mpa, side), &reply->place, 0,
                       "expected the MPA Reply after a complete MPA Request; found an MPA Reply after only a part of "
                       "the MPA Request");
    else
        verdict_failed(mpa->verdict, RULE_MPA_7_1_2_14, direction_of(mpa, side), &reply->place, 0,
                       "expected an MPA Reply only in answer to an MPA Request; found an MPA Reply without a Request");
}

void mpa_order_finish(struct mpa_connection *mpa)
{
    struct mpa_order_state *order = mpa->order;
    int from = requester(mpa), to = replier(mpa);

    if (order->two_requests_open)
        fail_two_requests(mpa, RULE_MPA_7_1_2_32);
    if (order->first_open)
        verdict_inconclusive(mpa->verdict, RULE_MPA_7_1_2_23, WHY_END, order->first_place.frame);
    if (to >= 0 && from < 0)
        judge_unsolicited(mpa, (unsigned)to);
    if (from >= 0 && to < 0 && !mpa->side[other_side((unsigned)from)].startup.seen)
        order_judge_unanswered(mpa, (unsigned)from);
    if (from < 0 || to < 0)
        return;
    /* Startup frames with nothing after them end where they should. */
    for (unsigned side = 0; side < 2; side++)
        if (!mpa->side[side].hole && mpa->side[side].next <= mpa->side[side].startup.end)
            mpa_boundary_passed(mpa, side);
    if (!mpa->parameters.rejected)
        return;
    if (!order->side[to].proof_after_reject)
        verdict_passed(mpa->verdict, RULE_MPA_7_1_2_07);
    if (!order->side[from].proof_after_reject)
        verdict_passed(mpa->verdict, RULE_MPA_7_1_2_19);
}
