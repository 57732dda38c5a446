// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * RDMA Reads: the fields that the Read Response takes from the Read Request. RFC 5040 sections 4.4, 5.2.
 *
 * DDP (ddp_tagged_rules.c) judges STag, opcode and TO within a Response, and Last = 0 where it should be 1: it knows
 * how many octets a Response has.
 */
#include "engine/ddp_rdmap/rdmap_answers.h"
#include "wire/invariant.h"

#include <inttypes.h>
#include <stdlib.h>

bool rdmap_read_new(struct rdmap_connection *rdmap)
{
    rdmap->read = arena_zeroed(rdmap->arena, sizeof *rdmap->read);
    return rdmap->read != NULL;
}

void rdmap_read_free(struct rdmap_connection *rdmap)
{
    if (!rdmap->read)
        return;
    for (unsigned side = 0; side < 2; side++)
        free(rdmap->read->side[side].overtaken);
}

/* ---- requests ---- */

bool rdmap_read_is_rtr(const struct rdmap_connection *rdmap, unsigned side, const struct rdmap_request *request)
{
    return rdmap->read->side[side].rtr && request->serial == 0;
}

void rdmap_read_request(struct rdmap_connection *rdmap, struct rdmap_step *step)
{
    const struct mpa_parameters *parameters = &rdmap->parameters;
    struct rdmap_answers *answers = &rdmap->read->side[step->side];

    if (step->fpdu->number == 0 && parameters->initiator_side == (int)step->side && step->request->serial == 0) {
        answers->first = !parameters->peer_to_peer;
        answers->rtr = parameters->peer_to_peer && step->operation->read.size == 0;
    }
    for (unsigned i = 0; i < RDMAP_RESTS_MAX; i++) /* the buffer is used again */
        if (answers->rest[i].stag == step->operation->read.sink_stag)
            answers->rest[i].to = answers->rest[i].from;
    rdmap_answers_request(rdmap, step);
}

/* ---- where the Response goes: 4.4 ---- */

static void fail_sink(struct rdmap_connection *rdmap, const struct rdmap_step *step, const struct place *place,
                      uint64_t to, bool empty)
{
    const struct rdmap_operation *operation = &step->request->operation;

    rdmap_fail_at_as(
        rdmap, place, RULE_RDMAP_4_4_03, empty ? SEVERITY_WARNING : SEVERITY_ERROR, operation->place.frame,
        "expected SinkSTag 0x%08x and SinkTO 0x%" PRIx64
        " of the Read Request in the first segment of the Response; found a Response to STag 0x%08x TO 0x%" PRIx64,
        operation->read.sink_stag, operation->read.sink_to, step->ddp->stag, to);
    step->message->faulty = true;
}

/* Segments in descending order begin elsewhere: the end shows whether the order is descending. */
static bool may_be_descending(const struct rdmap_step *step)
{
    const struct rdmap_read_request *read = &step->request->operation.read;

    return !step->ends && step->ddp->stag == read->sink_stag && step->ddp->to > read->sink_to &&
           step->ddp->to - read->sink_to < read->size;
}

static void read_judge_sink(struct rdmap_connection *rdmap, struct rdmap_step *step)
{
    const struct rdmap_read_request *read = &step->request->operation.read;
    const struct ddp_segment *ddp = step->ddp;

    if (ddp->stag == read->sink_stag && ddp->to == read->sink_to) {
        verdict_passed(rdmap->verdict, RULE_RDMAP_4_4_03);
        return;
    }
    if (may_be_descending(step))
        return;
    if (step->request->doubtful) {
        verdict_inconclusive(rdmap->verdict, RULE_RDMAP_4_4_03, LOST_OR(WHY_ORDER), step->fpdu->place.frame);
        return;
    }
    fail_sink(rdmap, step, &step->fpdu->place, ddp->to, step->ends && ddp->payload_len == 0);
    step->faulty = true;
}

/* The end of a Response that did not begin at SinkTO. Segments in another order (disordered) are DDP-5.3-04 anyway. */
static void judge_start(struct rdmap_connection *rdmap, struct rdmap_step *step)
{
    const struct rdmap_read_request *read = &step->request->operation.read;
    const struct ddp_message *m = step->message;

    if (m->start != read->sink_to && m->stag == read->sink_stag && m->segments > 1 && !m->disordered && !m->faulty)
        fail_sink(rdmap, step, &m->first, m->start, false);
}

/* ---- how long it is: 4.4, 5.2.1 ---- */

/* A later request for exactly the received number of octets, with the same sink; NULL when there is none. */
static struct rdmap_request *later_of_size(struct rdmap_connection *rdmap, const struct rdmap_step *step)
{
    struct rdmap_requests *requests = &rdmap->side[other_side(step->side)].requests;
    const struct rdmap_read_request *read = &step->request->operation.read;
    uint64_t end = step->request->serial + RDMAP_SEARCH_MAX;

    for (uint64_t serial = step->request->serial + 1; serial < requests->tail && serial < end; serial++) {
        struct rdmap_request *later = rdmap_request_at(requests, serial);

        if (later && later->known && !later->answered && later->operation.kind == RDMAP_OP_READ &&
            later->operation.read.sink_stag == read->sink_stag && later->operation.read.sink_to == read->sink_to &&
            later->operation.read.size == step->message->octets)
            return later;
    }
    return NULL;
}

/*
 * The Response was taken for the answer to the oldest request with its sink, but its length is that of a later request.
 */
static void give_to(struct rdmap_connection *rdmap, struct rdmap_step *step, struct rdmap_request *later)
{
    struct rdmap_operation *from = &step->request->operation, *to = &later->operation;

    INVARIANT(later->serial > step->request->serial && !later->answered);
    to->octets = from->octets;
    to->first_answer = from->first_answer;
    to->last_answer = from->last_answer;
    to->answered = from->answered;
    later->begun = true;
    from->octets = 0;
    from->answered = false;
    step->request->begun = false;
    step->request = later;
    step->operation = to;
    step->message->request = later->serial;
    step->match = RDMAP_MATCH_LATER;
    rdmap_answers_overtake(rdmap, step);
}

static void fail_excess(struct rdmap_connection *rdmap, struct rdmap_step *step)
{
    const struct rdmap_operation *operation = &step->request->operation;

    if (operation->read.size == 0)
        rdmap_fail(rdmap, step, RULE_RDMAP_5_2_1_18, operation->place.frame,
                   "expected a zero-length Response to a Read Request with RDMARDSZ 0; found a Response of %" PRIu64
                   " octets",
                   step->message->octets);
    else
        rdmap_fail(rdmap, step, RULE_RDMAP_4_4_08, operation->place.frame,
                   "expected the %u octets of RDMARDSZ in the Read Response; found a Read Response of %" PRIu64
                   " octets",
                   operation->read.size, step->message->octets);
}

static void read_judge_size(struct rdmap_connection *rdmap, struct rdmap_step *step)
{
    struct rdmap_short_answer *shortened = &rdmap->read->side[other_side(step->side)].shortened;
    struct ddp_message *m = step->message;
    const struct rdmap_operation *operation;
    enum rule_id rule;
    bool unsure;

    if (m->octets != step->request->operation.read.size && !m->damaged && !m->faulty) {
        struct rdmap_request *later = later_of_size(rdmap, step);

        if (later)
            give_to(rdmap, step, later);
    }
    operation = &step->request->operation;
    rule = operation->read.size == 0 ? RULE_RDMAP_5_2_1_18 : RULE_RDMAP_4_4_08;
    /* If many requests have the same sink, the Response may answer a request that the capture lacks. */
    unsure = m->damaged || step->request->doubtful || rdmap->side[other_side(step->side)].requests.uncertain;
    if (m->damaged || (unsure && m->octets != operation->read.size)) {
        verdict_inconclusive(rdmap->verdict, rule, LOST_OR(WHY_READINGS), step->fpdu->place.frame);
    } else if (m->octets == operation->read.size) {
        verdict_passed(rdmap->verdict, rule);
    } else if (m->octets > operation->read.size && !m->faulty) {
        fail_excess(rdmap, step);
    } else if (!m->faulty) {
        *shortened = (struct rdmap_short_answer){
            .open = true,
            .octets = m->octets,
            .size = operation->read.size,
            .request_frame = operation->place.frame,
            .place = step->fpdu->place,
        };
        INVARIANT(m->octets < operation->read.size);
        m->faulty = step->faulty = true; /* for DDP: the rest is not a new message */
    }
}

void rdmap_read_settle(struct rdmap_connection *rdmap, unsigned side, struct rdmap_step *step)
{
    struct rdmap_short_answer *shortened = &rdmap->read->side[other_side(side)].shortened;

    if (!shortened->open)
        return;
    INVARIANT(shortened->octets < shortened->size);
    shortened->open = false;
    if (step && step->stray && step->ddp->opcode == RDMAP_READ_RESPONSE)
        rdmap_fail_at(rdmap, &shortened->place, RULE_DDP_4_1_05, step->fpdu->place.frame,
                      "expected Last = 0 in a segment with %" PRIu64
                      " of %u octets of a Read Response; found Last = 1, and more of the Read Response afterwards",
                      shortened->octets, shortened->size);
    else
        rdmap_fail_at(rdmap, &shortened->place, RULE_RDMAP_4_4_08, shortened->request_frame,
                      "expected the %u octets of RDMARDSZ in the Read Response; found a Read Response of %" PRIu64
                      " octets",
                      shortened->size, shortened->octets);
}

/* ---- hooks ---- */

void rdmap_read_response(struct rdmap_connection *rdmap, struct rdmap_step *step)
{
    bool judged = step->request && step->request->known && !step->request->faulty &&
                  step->request->operation.kind == RDMAP_OP_READ;

    if (step->starts) {
        bool answers = rdmap_answers_first(rdmap, step, 0);

        if (!answers && step->match != RDMAP_MATCH_UNSOLICITED)
            verdict_inconclusive(rdmap->verdict, RULE_RDMAP_4_4_03, LOST_OR(WHY_ORDER), step->fpdu->place.frame);
        judged = judged && answers;
        if (judged && !rdmap_read_is_rtr(rdmap, other_side(step->side), step->request))
            read_judge_sink(rdmap, step);
    }
    if (!judged || !step->ends)
        return;
    if (rdmap_read_is_rtr(rdmap, other_side(step->side), step->request)) {
        if (step->message->octets == 0 && !step->message->damaged) /* else MPA2-9.2-24 */
            verdict_passed(rdmap->verdict, RULE_RDMAP_5_2_1_18);
        return;
    }
    judge_start(rdmap, step);
    read_judge_size(rdmap, step);
    if (!step->message->damaged)
        rdmap_answers_complete(rdmap, step);
}

/*
 * DDP has reported the interruption (DDP-4.1-04) and retires the request. If both Responses then continue, segment by
 * segment, that is the same fault.
 */
void rdmap_read_broken_off(struct rdmap_connection *rdmap, unsigned side, struct rdmap_request *request)
{
    struct rdmap_answers *answers = &rdmap->read->side[other_side(side)];
    const struct rdmap_operation *operation = &request->operation;

    if (operation->octets < operation->read.size)
        answers->rest[answers->n_rests++ % RDMAP_RESTS_MAX] =
            (struct rdmap_rest){.stag = operation->read.sink_stag,
                                .from = operation->read.sink_to + operation->octets,
                                .to = operation->read.sink_to + operation->read.size};
}

bool rdmap_read_resumes(const struct rdmap_connection *rdmap, const struct rdmap_step *step)
{
    unsigned requester = other_side(step->side);
    const struct rdmap_answers *answers = &rdmap->read->side[requester];
    const struct ddp_segment *ddp = step->ddp;

    if (ddp->opcode != RDMAP_READ_RESPONSE)
        return false;
    for (unsigned i = 0; i < RDMAP_RESTS_MAX && i < answers->n_rests; i++)
        if (answers->rest[i].stag == ddp->stag &&
            ddp->to - answers->rest[i].from < answers->rest[i].to - answers->rest[i].from)
            return !rdmap_read_is_asked_for(&rdmap->side[requester].requests, ddp);
    return false;
}

void rdmap_read_finish(struct rdmap_connection *rdmap, int64_t time_ns)
{
    (void)time_ns;
    rdmap_read_settle(rdmap, 0, NULL);
    rdmap_read_settle(rdmap, 1, NULL);
    rdmap_answers_finish(rdmap);
}
