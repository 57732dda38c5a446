// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Requests on QN 1 and their answers: one answer each, in the order of the requests, not before the request. RFC 5040
 * sections 5.2, 5.5 (12), (20); RFC 7306 sections 5.2, 5.4, 7.
 *
 * In two cases only later messages show which rule was broken. An answer that overtakes an older request is out of
 * order if the older request is answered afterwards; if not, the missing answer is the finding. An answer without a
 * request was sent too early if a request with its fields follows and has no other answer; otherwise the answer has no
 * request at all.
 */
#include "engine/core/heap.h"
#include "engine/ddp_rdmap/rdmap_answers.h"
#include "engine/ddp_rdmap/rdmap_reaction.h"
#include "wire/invariant.h"

#include <stdlib.h>

#include <inttypes.h>

static struct rdmap_answers *answers_to(struct rdmap_connection *rdmap, unsigned requester)
{
    return &rdmap->read->side[requester];
}

static const char *answer_name_of(enum rdmap_operation_kind kind)
{
    return kind == RDMAP_OP_READ ? "RDMA Read" : "Atomic";
}

/* ---- answers in another order ---- */

static enum rule_id order_rule(enum rdmap_operation_kind older, enum rdmap_operation_kind younger)
{
    if (older == RDMAP_OP_READ)
        return younger == RDMAP_OP_READ ? RULE_RDMAP_5_2_2_08 : RULE_RDMAPX_7_12;
    return younger == RDMAP_OP_READ ? RULE_RDMAPX_7_08 : RULE_RDMAPX_5_2_2_13;
}

/* An answer that comes too early is a single fault, however many requests it overtakes. */
static void fail_order(struct rdmap_connection *rdmap, struct rdmap_answers *answers,
                       const struct rdmap_overtaken *overtaken, enum rdmap_operation_kind older)
{
    if (answers->misplaced.frame != 0 && answers->misplaced.offset == overtaken->by.offset)
        return;
    answers->misplaced = overtaken->by;
    rdmap_fail_at(rdmap, &overtaken->by, order_rule(older, overtaken->by_kind), overtaken->request_frame,
                  "expected the %s Response to the request in frame %u first; found the %s Response to the later "
                  "request in frame %u",
                  answer_name_of(older), overtaken->request_frame, answer_name_of(overtaken->by_kind),
                  overtaken->by_request_frame);
}

static struct rdmap_overtaken *overtaken_find(struct rdmap_answers *answers, uint64_t serial)
{
    for (unsigned i = 0; i < answers->n_overtaken; i++)
        if (answers->overtaken[i].request == serial)
            return &answers->overtaken[i];
    return NULL;
}

void rdmap_answers_overtake(struct rdmap_connection *rdmap, const struct rdmap_step *step)
{
    struct rdmap_answers *answers = answers_to(rdmap, other_side(step->side));
    struct rdmap_requests *requests = &rdmap->side[other_side(step->side)].requests;

    for (uint64_t serial = requests->head; serial < step->request->serial; serial++) {
        const struct rdmap_request *older = rdmap_request_at(requests, serial);
        struct rdmap_overtaken *overtaken;

        /* With wrong MSNs the order is unknown. */
        if (!older || older->answered || !older->known || older->begun || older->faulty || step->request->faulty ||
            overtaken_find(answers, serial))
            continue;
        if (older->doubtful) { /* its answer may be in a hole */
            verdict_inconclusive(rdmap->verdict, order_rule(older->operation.kind, step->request->operation.kind),
                                 LOST_OR(WHY_ORDER), step->fpdu->place.frame);
            continue;
        }
        if (!answers->overtaken)
            answers->overtaken = heap_zeroed(RDMAP_OVERTAKEN_MAX, sizeof *answers->overtaken);
        if (!answers->overtaken || answers->n_overtaken == RDMAP_OVERTAKEN_MAX)
            return;
        overtaken = &answers->overtaken[answers->n_overtaken++];
        INVARIANT(answers->n_overtaken <= RDMAP_OVERTAKEN_MAX);
        *overtaken = (struct rdmap_overtaken){
            .request = serial,
            .by_kind = step->request->operation.kind,
            .request_frame = older->operation.place.frame,
            .by_request_frame = step->request->operation.place.frame,
            .by = step->fpdu->place,
        };
        INVARIANT(overtaken_find(answers, serial) == overtaken); /* once only */
    }
}

enum { LATER_MAX = 16 /* number of requests after the answered one that are searched for both kinds */ };

/*
 * The order passes only if there was a choice: a later request of that kind was open, and the answer did not overtake
 * it.
 */
static void pass_order(struct rdmap_connection *rdmap, const struct rdmap_step *step)
{
    struct rdmap_requests *requests = &rdmap->side[other_side(step->side)].requests;
    bool read = false, atomic = false;

    for (unsigned i = 1; i <= LATER_MAX && !(read && atomic); i++) {
        const struct rdmap_request *later = rdmap_request_at(requests, step->request->serial + i);
        bool *seen = later && later->operation.kind == RDMAP_OP_READ ? &read : &atomic;

        if (!later)
            return;
        if (!later->known || later->answered || *seen)
            continue;
        *seen = true;
        verdict_passed(rdmap->verdict, order_rule(step->request->operation.kind, later->operation.kind));
    }
}

/* ---- answers without a request ---- */

static enum rule_id surplus_rule(enum rdmap_operation_kind kind)
{
    return kind == RDMAP_OP_READ ? RULE_RDMAP_5_2_01 : RULE_RDMAPX_5_2_2_04;
}

static void fail_surplus(struct rdmap_connection *rdmap, struct rdmap_early *early)
{
    if (!early->open)
        return;
    early->open = false;
    if (early->kind == RDMAP_OP_READ)
        rdmap_fail_at(rdmap, &early->place, RULE_RDMAP_5_2_01, 0,
                      "expected RDMA Read Responses to open Read Requests only; found an RDMA Read Response to STag "
                      "0x%08x TO 0x%" PRIx64 " for which no request is open",
                      early->stag, early->to);
    else
        rdmap_fail_at(rdmap, &early->place, RULE_RDMAPX_5_2_2_04, 0,
                      "expected Atomic Responses to open Atomic Requests only; found an Atomic Response with Original "
                      "Request Identifier 0x%08x when no request is open",
                      early->identifier);
}

static bool answer_fits(const struct rdmap_early *early, const struct rdmap_operation *operation)
{
    if (early->kind != operation->kind)
        return false;
    return early->kind == RDMAP_OP_READ
               ? operation->read.sink_stag == early->stag && operation->read.sink_to == early->to
               : operation->atomic.identifier == early->identifier;
}

/* The request will get no other answer: the earlier answer was meant for it. */
static void answer_fail_early(struct rdmap_connection *rdmap, unsigned requester, struct rdmap_early *early)
{
    struct rdmap_requests *requests = &rdmap->side[requester].requests;
    struct rdmap_request *request = rdmap_request_at(requests, early->request);
    enum rule_id rule = early->kind == RDMAP_OP_READ ? RULE_RDMAP_5_5_12 : RULE_RDMAPX_5_4_04;

    INVARIANT(early->open && early->matched);
    early->open = false;
    if (early->acked_known)
        rdmap_fail_at(rdmap, &early->place, rule, request ? request->operation.place.frame : 0,
                      "expected the %s Response only after its request; found that the Response was sent before any of "
                      "the request had been received",
                      answer_name_of(early->kind));
    else
        verdict_inconclusive(rdmap->verdict, rule, WHY_ACK, early->place.frame);
    if (request && !request->answered) {
        request->operation.answered = true;
        rdmap_requests_retire(requests, request, early->place.time_ns);
    }
}

/* The answer has the fields of a request that its own sender has open, so it comes from the wrong end. */
static bool travels_along(struct rdmap_connection *rdmap, const struct rdmap_step *step,
                          const struct rdmap_early *early)
{
    struct rdmap_requests *own = &rdmap->side[step->side].requests;
    uint64_t end = own->tail - own->head > RDMAP_SEARCH_MAX ? own->head + RDMAP_SEARCH_MAX : own->tail;

    for (uint64_t serial = own->head; serial < end; serial++) {
        const struct rdmap_request *request = rdmap_request_at(own, serial);

        if (request->known && !request->answered && answer_fits(early, &request->operation))
            return true;
    }
    return false;
}

static void unsolicited(struct rdmap_connection *rdmap, struct rdmap_step *step, uint32_t identifier)
{
    struct rdmap_early *early = &answers_to(rdmap, other_side(step->side))->early;
    const struct ddp_segment *ddp = step->ddp;

    fail_surplus(rdmap, early);
    *early = (struct rdmap_early){
        .open = true,
        .kind = ddp->opcode == RDMAP_READ_RESPONSE ? RDMAP_OP_READ : RDMAP_OP_ATOMIC,
        .stag = ddp->stag,
        .to = ddp->to,
        .identifier = identifier,
        .acked_known = step->acked_known,
        .place = step->fpdu->place,
    };
    if (step->faulty) { /* that fault may be the cause */
        early->open = false;
    } else if (travels_along(rdmap, step, early)) {
        early->open = false;
        if (early->kind == RDMAP_OP_READ)
            rdmap_fail(rdmap, step, RULE_RDMAP_5_2_2_01, 0,
                       "expected an RDMA Read Response from the other end; found an RDMA Read Response to STag 0x%08x "
                       "TO 0x%" PRIx64 " from the end that sent the request",
                       ddp->stag, ddp->to);
        else
            rdmap_fail(rdmap, step, RULE_RDMAPX_5_2_2_04, 0,
                       "expected an Atomic Response from the other end; found an Atomic Response with identifier "
                       "0x%08x from the end that sent the request",
                       identifier);
    }
    step->faulty = true;
    if (step->message)
        step->message->faulty = true;
}

void rdmap_answers_segment(struct rdmap_connection *rdmap, const struct rdmap_step *step)
{
    struct rdmap_answers *answers = answers_to(rdmap, other_side(step->side));

    answers->other_acked_known = step->acked_known;
    answers->other_acked = step->acked;
}

void rdmap_answers_request(struct rdmap_connection *rdmap, struct rdmap_step *step)
{
    struct rdmap_early *early = &answers_to(rdmap, step->side)->early;

    if (early->open && !early->matched && answer_fits(early, &step->request->operation)) {
        early->matched = true;
        rdmap_reaction_asked_late(rdmap, step->side);
        early->request = step->request->serial;
        INVARIANT(early->request < rdmap->side[step->side].requests.tail);
    }
}

/* An answer with a request came: settles an earlier answer that had none. */
static void settle_early(struct rdmap_connection *rdmap, struct rdmap_step *step, struct rdmap_answers *answers)
{
    unsigned requester = other_side(step->side);
    struct rdmap_early *early = &answers->early;

    if (!early->open)
        return;
    if (early->matched && early->request < step->request->serial && step->match == RDMAP_MATCH_LATER) {
        answer_fail_early(rdmap, requester, early);
        if (step->request->serial == rdmap->side[requester].requests.head)
            step->match = RDMAP_MATCH_HEAD;
    } else if (!early->matched || early->request == step->request->serial) {
        fail_surplus(rdmap, early);
    }
}

/* ---- every answer ---- */

bool rdmap_answers_first(struct rdmap_connection *rdmap, struct rdmap_step *step, uint32_t identifier)
{
    struct rdmap_answers *answers = answers_to(rdmap, other_side(step->side));
    struct rdmap_overtaken *overtaken;

    if (step->match == RDMAP_MATCH_UNSOLICITED) {
        unsolicited(rdmap, step, identifier);
        return false;
    }
    if (!step->request || !step->request->known) {
        verdict_inconclusive(rdmap->verdict,
                             surplus_rule(step->ddp->opcode == RDMAP_READ_RESPONSE ? RDMAP_OP_READ : RDMAP_OP_ATOMIC),
                             LOST_OR(WHY_ORDER), step->fpdu->place.frame);
        return false;
    }
    settle_early(rdmap, step, answers);
    overtaken = overtaken_find(answers, step->request->serial);
    if (overtaken) {
        fail_order(rdmap, answers, overtaken, step->request->operation.kind);
        *overtaken = answers->overtaken[--answers->n_overtaken];
        INVARIANT(answers->n_overtaken < RDMAP_OVERTAKEN_MAX);
    }
    if (step->match == RDMAP_MATCH_LATER)
        rdmap_answers_overtake(rdmap, step);
    else
        pass_order(rdmap, step);
    return true;
}

void rdmap_answers_complete(struct rdmap_connection *rdmap, const struct rdmap_step *step)
{
    bool is_read = step->request->operation.kind == RDMAP_OP_READ;

    verdict_passed(rdmap->verdict, surplus_rule(step->request->operation.kind));
    if (is_read)
        verdict_passed(rdmap->verdict, RULE_RDMAP_5_2_2_01);
    verdict_passed(rdmap->verdict, is_read ? RULE_RDMAP_5_2_1_14 : RULE_RDMAPX_5_2_1_26);
    if (step->acked_known && step->acked >= step->request->end)
        verdict_passed(rdmap->verdict, is_read ? RULE_RDMAP_5_5_12 : RULE_RDMAPX_5_4_04);
}

/* ---- the end ---- */

static enum rule_id unanswered_rule(const struct rdmap_operation *operation)
{
    if (operation->kind == RDMAP_OP_ATOMIC)
        return RULE_RDMAPX_5_2_1_26;
    return operation->read.size == 0 ? RULE_RDMAP_5_2_1_18 : RULE_RDMAP_5_2_1_14;
}

/* A graceful end, as far as visible. A Terminate explains all unanswered requests. */
static bool graceful(const struct rdmap_connection *rdmap)
{
    const struct rdmap_side *s = rdmap->side;

    return s[0].fin && s[1].fin && !s[0].reset && !s[1].reset && !s[0].terminated && !s[1].terminated;
}

static void answer_judge_unanswered(struct rdmap_connection *rdmap, unsigned requester,
                                    const struct rdmap_request *request, bool certain)
{
    const struct rdmap_answers *answers = answers_to(rdmap, requester);
    enum rule_id rule = unanswered_rule(&request->operation);
    /* The responder had received the request, continued with other messages, and was the one to end the connection. */
    bool went_on = answers->other_acked_known && answers->other_acked >= request->end;
    bool closed_first = !answers->closed_first;

    if (!certain) {
        verdict_inconclusive(rdmap->verdict, rule, LOST_OR(WHY_END), request->operation.place.frame);
        return;
    }
    rdmap_fail_at_as(rdmap, &request->operation.place, rule, went_on && closed_first ? SEVERITY_ERROR : SEVERITY_NOTE,
                     0, "expected an %s Response; found no Response by the end of the connection%s",
                     answer_name_of(request->operation.kind), went_on ? ", but other messages from the responder" : "");
}

/*
 * A later request was served, so this request was skipped and can no longer be answered in order, whatever the ULP
 * wanted.
 */
static void judge_skipped(struct rdmap_connection *rdmap, const struct rdmap_request *request,
                          const struct rdmap_overtaken *overtaken, bool certain)
{
    enum rule_id rule = unanswered_rule(&request->operation);

    if (certain)
        rdmap_fail_at(rdmap, &request->operation.place, rule, overtaken->by.frame,
                      "expected an %s Response; found no Response by the end of the connection, but the %s Response to "
                      "the later request in frame %u",
                      answer_name_of(request->operation.kind), answer_name_of(overtaken->by_kind),
                      overtaken->by_request_frame);
    else
        verdict_inconclusive(rdmap->verdict, rule, LOST_OR(WHY_ORDER), request->operation.place.frame);
}

static void answer_finish_side(struct rdmap_connection *rdmap, unsigned requester)
{
    struct rdmap_requests *requests = &rdmap->side[requester].requests;
    struct rdmap_answers *answers = answers_to(rdmap, requester);
    bool certain = rdmap_requests_certain(requests);
    bool reported = false; /* a close may leave many requests unanswered: only the oldest is reported */

    if (answers->early.open && answers->early.matched)
        answer_fail_early(rdmap, requester, &answers->early);
    fail_surplus(rdmap, &answers->early);
    INVARIANT(!answers->early.open);
    for (uint64_t serial = requests->head; serial < requests->tail && !reported; serial++) {
        const struct rdmap_request *request = rdmap_request_at(requests, serial);
        struct rdmap_overtaken *overtaken;

        if (!request->known || request->answered || request->begun || request->faulty ||
            rdmap_read_is_rtr(rdmap, requester, request))
            continue;
        overtaken = overtaken_find(answers, serial);
        if (overtaken && serial == 0 && answers->first) /* MPA-7.1.2-12, if never answered */
            continue;
        reported = graceful(rdmap);
        if (reported && overtaken)
            judge_skipped(rdmap, request, overtaken, certain && !request->doubtful);
        else if (reported)
            answer_judge_unanswered(rdmap, requester, request, certain && !request->doubtful);
        else if (overtaken)
            fail_order(rdmap, answers, overtaken, request->operation.kind);
    }
}

void rdmap_answers_hole(struct rdmap_connection *rdmap, unsigned side)
{
    struct rdmap_early *early = &answers_to(rdmap, side)->early;

    if (early->open && !early->matched) { /* its request may be in the hole */
        early->open = false;
        verdict_inconclusive(rdmap->verdict, surplus_rule(early->kind), LOST_OR(WHY_HOLE), early->place.frame);
    }
}

void rdmap_answers_finish(struct rdmap_connection *rdmap)
{
    answer_finish_side(rdmap, 0);
    answer_finish_side(rdmap, 1);
}
