// SPDX-License-Identifier: GPL-2.0-or-later
/* Reactions: the hooks of the core, and the consequence of a fault. */
#include <stdio.h>

#include "engine/ddp_rdmap/rdmap_reaction.h"
#include "wire/invariant.h"

bool rdmap_reaction_new(struct rdmap_connection *rdmap)
{
    rdmap->reaction = arena_zeroed(rdmap->arena, sizeof *rdmap->reaction);
    return rdmap->reaction != NULL;
}

/* ---- settling ---- */

static bool watch_is_open(const struct fault_watch *watch)
{
    return watch->state == FAULT_WAITING && watch->kind != FAULT_NONE && watch->kind < FAULT_KINDS;
}

static void reaction_settle_open(struct rdmap_connection *rdmap, struct fault_watch *watch)
{
    INVARIANT(watch_is_open(watch));
    verdict_inconclusive(rdmap->verdict, rdmap_fault_info[watch->kind].ignored,
                         LOST_OR(rdmap->finished ? WHY_END : WHY_CAUSE), watch->place.frame);
    watch->state = FAULT_SETTLED;
}

/* The reactor has not reacted to the fault. */
static void settle_ignored(struct rdmap_connection *rdmap, struct fault_watch *watch, const struct place *place,
                           const char *found)
{
    const struct fault_info *info = &rdmap_fault_info[watch->kind];

    INVARIANT(watch_is_open(watch));
    rdmap_fail_at(rdmap, place, info->ignored, watch->place.frame,
                  "expected a Terminate and the end of the stream after %s in frame %u; found %s", info->what,
                  watch->place.frame, found);
    watch->state = FAULT_SETTLED;
}

static void settle_answered(struct rdmap_connection *rdmap, struct fault_watch *watch, const struct place *place,
                            uint32_t request)
{
    char found[64];

    snprintf(found, sizeof found, "that the request in frame %u was answered", request);
    settle_ignored(rdmap, watch, place, found);
}

static void settle_bare_close(struct rdmap_connection *rdmap, struct fault_watch *watch, const struct place *place,
                              bool reset)
{
    INVARIANT(watch_is_open(watch));
    if (watch->may_just_close && watch->later.frame == 0) {
        reaction_settle_open(rdmap, watch);
        return;
    }
    rdmap_fail_at(rdmap, place, RULE_RDMAP_6_2_1_01, watch->place.frame,
                  "expected a Terminate after %s in frame %u; found %s%s without a Terminate",
                  rdmap_fault_info[watch->kind].what, watch->place.frame,
                  watch->later.frame != 0 ? "other messages and " : "", reset ? "RST" : "FIN");
    watch->state = FAULT_SETTLED;
}

/* ---- the Terminate ---- */

static void reaction_judge_code(struct rdmap_connection *rdmap, struct rdmap_step *step,
                                const struct fault_watch *watch, const struct rdmap_terminate *terminate,
                                bool is_culprit_known)
{
    const struct fault_info *info = &rdmap_fault_info[watch->kind];
    enum fault_answer answer = rdmap_fault_answer(watch->kind, terminate);

    if (answer == ANSWER_RIGHT) {
        verdict_passed(rdmap->verdict, info->code);
    } else if (answer == ANSWER_ELSEWHERE || !is_culprit_known) {
        verdict_inconclusive(rdmap->verdict, info->code, WHY_CAUSE,
                             step->fpdu->place.frame); /* may be about another segment */
    } else {
        rdmap_fail_as(rdmap, step, info->code,
                      answer == ANSWER_TOLERATED ? SEVERITY_WARNING : rule_catalogue[info->code].severity,
                      watch->place.frame,
                      "expected a Terminate that reports %s in frame %u; found a Terminate that reports %u/%u with "
                      "code %02x (%s)",
                      info->what, watch->place.frame, terminate->layer, terminate->etype, terminate->code,
                      rdmap_terminate_code_name(terminate->layer, terminate->etype, terminate->code)
                          ? rdmap_terminate_code_name(terminate->layer, terminate->etype, terminate->code)
                          : "any");
    }
}

/* A Terminate reports the fault: judges whether it came in time, and whether any later request was served. */
static void settle_terminated(struct rdmap_connection *rdmap, struct rdmap_step *step, struct fault_watch *watch)
{
    struct verdict *v = rdmap->verdict;
    const struct fault_info *info = &rdmap_fault_info[watch->kind];
    enum rule_id drop = info->ddp ? RULE_DDP_7_1_20 : RULE_RDMAP_7_01;

    INVARIANT(watch_is_open(watch));
    if (info->ignored != info->code)
        verdict_passed(v, info->ignored);
    verdict_passed(v, RULE_RDMAP_6_2_1_01);
    if (watch->served.frame != 0)
        rdmap_fail_at(rdmap, &watch->served, drop, watch->place.frame,
                      "expected every segment after the one with %s in frame %u to be dropped; found an answer to the "
                      "request in frame %u",
                      info->what, watch->place.frame, watch->served_request);
    else if (watch->followed || !info->ddp)
        verdict_passed(v, drop);
    if (watch->late.frame != 0)
        rdmap_fail(rdmap, step, RULE_RDMAP_7_1_05, watch->place.frame,
                   "expected the Terminate at the earliest opportunity after %s in frame %u; found the Terminate %.3f "
                   "s later, after other messages (frame %u)",
                   info->what, watch->place.frame, (double)(step->fpdu->place.time_ns - watch->place.time_ns) / 1e9,
                   watch->late.frame);
    else
        verdict_passed(v, RULE_RDMAP_7_1_05);
    if (watch->faults_after && watch->firm)
        verdict_passed(v, RULE_RDMAP_7_1_10);
    watch->state = FAULT_SETTLED;
}

static bool is_the_fault(const struct fault_watch *watch, const struct rdmap_recent *culprit)
{
    return culprit && culprit->place.offset == watch->place.offset;
}

bool rdmap_reaction_expects(const struct rdmap_connection *rdmap, unsigned side, const struct rdmap_recent *culprit)
{
    const struct fault_watch *watch = &rdmap->reaction->fault[side];

    return watch->state == FAULT_WAITING && !rdmap_fault_info[watch->kind].served_only && is_the_fault(watch, culprit);
}

static void reaction_judge_terminate(struct rdmap_connection *rdmap, struct rdmap_step *step,
                                     const struct rdmap_terminate *terminate, const struct rdmap_recent *culprit)
{
    struct fault_watch *watch = &rdmap->reaction->fault[step->side];

    if (watch->state != FAULT_WAITING)
        return;
    if (step->acked_known && step->acked < watch->end) {
        reaction_settle_open(rdmap, watch);                 /* sent before the fault had arrived */
    } else if (rdmap_fault_info[watch->kind].served_only) { /* its code is judged like any Terminate's */
        if (is_the_fault(watch, culprit))
            verdict_passed(rdmap->verdict, rdmap_fault_info[watch->kind].ignored);
        watch->state = FAULT_SETTLED;
    } else if (is_the_fault(watch, culprit)) {
        reaction_judge_code(rdmap, step, watch, terminate, true);
        settle_terminated(rdmap, step, watch);
    } else if (!culprit && !terminate->d) {
        reaction_judge_code(rdmap, step, watch, terminate, false);
        if (rdmap_fault_answer(watch->kind, terminate) == ANSWER_RIGHT)
            settle_terminated(rdmap, step, watch);
        watch->state = FAULT_SETTLED;
    } else if (culprit && culprit->place.offset > watch->place.offset && watch->firm && culprit->faulty) {
        rdmap_fail(rdmap, step, RULE_RDMAP_7_1_10, watch->place.frame,
                   "expected a report of the first error, %s in frame %u; found a report of the segment in frame %u",
                   rdmap_fault_info[watch->kind].what, watch->place.frame, culprit->place.frame);
        watch->state = FAULT_SETTLED;
    } else {
        reaction_settle_open(rdmap, watch); /* about another segment, or an unknown one */
    }
    INVARIANT(watch->state == FAULT_SETTLED);
}

void rdmap_reaction_terminate(struct rdmap_connection *rdmap, struct rdmap_step *step,
                              const struct rdmap_terminate *terminate, const struct rdmap_recent *culprit)
{
    rdmap_odd_terminate(rdmap, step, terminate, culprit);
    rdmap_limits_terminate(rdmap, step, terminate, culprit);
    rdmap_atomic_terminate(rdmap, step, terminate);
    reaction_judge_terminate(rdmap, step, terminate, culprit);
}

/* ---- other segments ---- */

bool rdmap_reaction_serves_fault(struct rdmap_connection *rdmap, const struct rdmap_step *step, uint32_t identifier)
{
    struct fault_watch *watch = rdmap->reaction ? &rdmap->reaction->fault[step->side] : NULL;
    const struct rdmap_side *requester = &rdmap->side[other_side(step->side)];
    bool fits;

    if (!watch || watch->state != FAULT_WAITING || requester->hole || (step->acked_known && step->acked < watch->end))
        return false;
    if (step->ddp->opcode == RDMAP_READ_RESPONSE)
        fits = watch->is_read && step->ddp->stag == watch->sink_stag && step->ddp->to == watch->sink_to;
    else
        fits = watch->is_atomic && identifier == watch->sink_stag;
    if (!fits && !(watch->read_queue && rdmap_requests_open(&requester->requests) == 0))
        return false;
    settle_answered(rdmap, watch, &step->fpdu->place, watch->place.frame);
    return true;
}

void rdmap_reaction_asked_late(struct rdmap_connection *rdmap, unsigned side)
{
    struct fault_watch *watch = &rdmap->reaction->fault[side];

    if (watch->state == FAULT_WAITING && (watch->kind == FAULT_READ_RESPONSE || watch->kind == FAULT_ATOMIC_RESPONSE))
        reaction_settle_open(rdmap, watch);
}

/* An answer to a request after the fault counts as service; an answer to the fault itself is reported. */
static void watch_answer(struct rdmap_connection *rdmap, const struct rdmap_step *step, struct fault_watch *watch)
{
    const struct rdmap_request *request = step->request;

    if (!request || !request->known || step->match != RDMAP_MATCH_HEAD)
        return;
    if (request->end == watch->end) {
        settle_answered(rdmap, watch, &step->fpdu->place, watch->place.frame);
    } else if (request->end > watch->end && watch->firm && watch->served.frame == 0) {
        watch->served = step->fpdu->place;
        watch->served_request = request->operation.place.frame;
    }
}

/* What the reactor sends while its reaction is due. */
static void watch_reactor(struct rdmap_connection *rdmap, struct rdmap_step *step)
{
    struct fault_watch *watch = &rdmap->reaction->fault[step->side];

    if (watch->state != FAULT_WAITING || !step->message || reaction_is_terminate(step))
        return;
    if (step->ddp->opcode == RDMAP_READ_RESPONSE || step->ddp->opcode == RDMAP_ATOMIC_RESPONSE) {
        watch_answer(rdmap, step, watch);
        return;
    }
    if (!reaction_after(step, watch->end) || !step->starts)
        return;
    watch->received = true;
    if (watch->later.frame == 0) {
        watch->later = step->fpdu->place;
        watch->later_end = reaction_end_of(step);
    } else if (watch->turn_end != 0 && watch->went_on.frame == 0 && reaction_after(step, watch->turn_end)) {
        watch->went_on = step->fpdu->place;
    }
    if (watch->late.frame == 0 && step->fpdu->place.time_ns - watch->place.time_ns > rdmap->options.t_react)
        watch->late = step->fpdu->place;
    INVARIANT(watch->went_on.frame == 0 || watch->turn_end != 0);
    INVARIANT(watch->turn_end == 0 || watch->later.frame != 0);
}

/* Notes what the segment may look like to a receiver that checks less than it should. */
static void reaction_note_request(struct rdmap_connection *rdmap, const struct rdmap_step *step,
                                  struct fault_watch *watch)
{
    const struct rdmap_requests *requests = &rdmap->side[step->side].requests;
    const struct ddp_segment *ddp = step->ddp;
    struct rdmap_read_request read;
    struct rdmap_atomic_request atomic;

    if (!ddp)
        return;
    watch->msn = ddp->msn;
    watch->read_queue = !ddp->tagged && ddp->qn == DDP_QN_READ_REQUEST && !step->request &&
                        rdmap->side[step->side].from_start && requests->head == requests->tail &&
                        !requests->uncertain && requests->overdrawn == 0;
    if (ddp->opcode == RDMAP_ATOMIC_REQUEST) {
        watch->is_atomic = rdmap_atomic_request_decode(&atomic, ddp->payload, ddp->payload_len);
        watch->sink_stag = watch->is_atomic ? atomic.identifier : 0;
    } else if (ddp->opcode == RDMAP_READ_REQUEST || watch->read_queue) {
        watch->is_read = rdmap_read_request_decode(&read, ddp->payload, ddp->payload_len);
        watch->sink_stag = watch->is_read ? read.sink_stag : 0;
        watch->sink_to = watch->is_read ? read.sink_to : 0;
    }
    INVARIANT(!watch->is_read || !watch->is_atomic);
}

/* The gap in the MSNs is filled: requests that waited may be served. */
static bool reaction_fills_gap(const struct fault_watch *watch, const struct rdmap_step *step)
{
    return watch->kind == FAULT_MSN_GAP && step->ddp && !step->ddp->tagged && step->ddp->qn == DDP_QN_READ_REQUEST &&
           (int32_t)(step->ddp->msn - watch->msn) < 0;
}

/*
 * The receiver of a Terminate may tear down the LLP Stream at once (RFC 5040 section 6.2.1), even if the Terminate is
 * on another queue. The Responder sends no FPDU, not even a Terminate, before it has validated one (RFC 5044 section
 * 7.1.2 (4)).
 */
static bool may_just_close(const struct rdmap_connection *rdmap, const struct rdmap_step *step)
{
    bool first = step->fpdu->number == 0 && (int)step->side == rdmap->parameters.initiator_side;

    return (first && step->fpdu->faulty) || (step->ddp && step->ddp->opcode == RDMAP_TERMINATE);
}

static void watch_peer(struct rdmap_connection *rdmap, struct rdmap_step *step)
{
    unsigned reactor = other_side(step->side);
    struct fault_watch *watch = &rdmap->reaction->fault[reactor];
    enum fault_kind kind = rdmap_fault_of(rdmap, step);

    /* A fault that depends on an answer gives way to a fault that must be reported. */
    if (watch->state == FAULT_WAITING && rdmap_fault_info[watch->kind].served_only &&
        ((kind != FAULT_NONE && !rdmap_fault_info[kind].served_only) || reaction_fills_gap(watch, step))) {
        reaction_settle_open(rdmap, watch);
        watch->state = FAULT_UNSEEN;
    }
    if (watch->state == FAULT_WAITING) {
        watch->followed |= step->ddp && step->ddp->opcode == RDMAP_READ_REQUEST;
        watch->faults_after |= kind != FAULT_NONE;
        if (watch->turn_end == 0 && watch->later.frame != 0 && step->message && step->starts &&
            reaction_after(step, watch->later_end))
            watch->turn_end = reaction_end_of(step);
        return;
    }
    if (kind == FAULT_NONE || watch->state == FAULT_SETTLED)
        return;
    *watch = (struct fault_watch){
        .state = FAULT_WAITING,
        .kind = kind,
        .place = step->fpdu->place,
        .end = reaction_end_of(step),
        .may_just_close = may_just_close(rdmap, step),
        .firm = (rdmap_fault_info[kind].ddp || step->ends) && !rdmap_fault_info[kind].served_only,
    };
    INVARIANT(watch_is_open(watch) && rdmap_fault_info[kind].what && watch->end > step->fpdu->fpdu.offset);
    reaction_note_request(rdmap, step, watch);
    /* A side that has ended, or was terminated, need not react; or the capture has already shown its reaction. */
    if (reaction_acked(&rdmap->side[reactor], watch->end) || rdmap->side[reactor].terminated ||
        rdmap->side[reactor].fin || rdmap->side[reactor].reset || rdmap->side[step->side].terminated)
        reaction_settle_open(rdmap, watch);
}

void rdmap_reaction_segment(struct rdmap_connection *rdmap, struct rdmap_step *step)
{
    watch_peer(rdmap, step);
    if (!step->ddp)
        return;
    watch_reactor(rdmap, step);
    if (step->message) {
        rdmap_fault_readvertise(rdmap, step);
        rdmap_limits_segment(rdmap, step);
        rdmap_security_segment(rdmap, step);
    }
    rdmap_odd_segment(rdmap, step);
}

void rdmap_reaction_skipped(struct rdmap_connection *rdmap, unsigned side)
{
    rdmap_fault_hole(rdmap, side);
}

/* ---- ends ---- */

/* The peer has acknowledged more of the reactor's stream than the capture has: a Terminate or FIN is missing. */
static bool reaction_is_missing(const struct rdmap_connection *rdmap, unsigned reactor)
{
    const struct rdmap_side *s = &rdmap->side[reactor];

    return s->hole || reaction_acked(&rdmap->side[other_side(reactor)], s->end + s->fin + 1);
}

/*
 * The reactor closes, or the peer resets the connection, or the capture ends: judges whether the reactor had enough
 * time, and did nothing. Earlier messages prove little: they may already have been in flight.
 */
static void judge_inaction(struct rdmap_connection *rdmap, unsigned reactor, int64_t time_ns)
{
    struct fault_watch *watch = &rdmap->reaction->fault[reactor];
    const struct rdmap_side *s = &rdmap->side[reactor], *peer = &rdmap->side[other_side(reactor)];
    bool ended = s->fin || s->reset || peer->reset; /* until then, a Terminate may come */
    struct place place = watch->place;

    if (rdmap_fault_info[watch->kind].served_only) {
        reaction_settle_open(rdmap, watch);
    } else if (watch->served.frame != 0 && ended && !s->hole && !peer->hole) {
        settle_answered(rdmap, watch, &watch->served, watch->served_request);
    } else if (watch->went_on.frame != 0 && ended && !s->hole && !peer->hole) {
        settle_ignored(rdmap, watch, &watch->went_on,
                       "further messages in both directions and the end of the connection");
    } else if (reaction_is_missing(rdmap, reactor) || !watch->received ||
               time_ns - watch->place.time_ns <= rdmap->options.t_react ||
               (watch->late.frame == 0 && rdmap->options.payload_only)) {
        reaction_settle_open(rdmap, watch);
    } else if (watch->late.frame != 0) {
        settle_ignored(rdmap, watch, &watch->late, "that the connection went on with another message");
    } else {
        /* Silence has no frame, so the finding gets the fault's frame. */
        place.side = (uint8_t)reactor;
        place.awaited = true;
        place.offset = s->end;
        settle_ignored(rdmap, watch, &place, "no reaction");
    }
    INVARIANT(watch->state == FAULT_SETTLED);
}

void rdmap_reaction_end(struct rdmap_connection *rdmap, unsigned side, bool reset, const struct place *place)
{
    struct fault_watch *mine = &rdmap->reaction->fault[side], *theirs = &rdmap->reaction->fault[other_side(side)];

    if (mine->state == FAULT_WAITING) {
        mine->received |= reaction_acked(&rdmap->side[side], mine->end);
        if (!mine->received || rdmap->side[side].hole || mine->served.frame != 0 || mine->went_on.frame != 0 ||
            (mine->peer_ended && mine->later.frame == 0) || rdmap_fault_info[mine->kind].served_only ||
            (mine->later.frame != 0 && place->time_ns - mine->place.time_ns > rdmap->options.t_react))
            judge_inaction(rdmap, side, place->time_ns);
        else
            settle_bare_close(rdmap, mine, place, reset);
    }
    INVARIANT(mine->state != FAULT_WAITING);
    if (theirs->state == FAULT_WAITING) {
        theirs->peer_ended = true;
        theirs->received |= reaction_acked(&rdmap->side[other_side(side)], theirs->end);
        if (reset)
            judge_inaction(rdmap, other_side(side), place->time_ns);
    }
    rdmap_odd_settle(rdmap, side, true);
    if (reset)
        rdmap_odd_settle(rdmap, other_side(side), true);
}

void rdmap_reaction_finish(struct rdmap_connection *rdmap, int64_t time_ns)
{
    for (unsigned side = 0; side < 2; side++) {
        struct fault_watch *watch = &rdmap->reaction->fault[side];

        if (watch->state == FAULT_WAITING) {
            watch->received |= reaction_acked(&rdmap->side[side], watch->end);
            judge_inaction(rdmap, side, time_ns);
        }
        INVARIANT(watch->state != FAULT_WAITING);
        rdmap_odd_settle(rdmap, side, false);
    }
    rdmap_limits_finish(rdmap);
}
