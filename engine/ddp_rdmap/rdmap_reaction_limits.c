// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Requests within the depth that both sides negotiated (RFC 5040 sections 5.2.2 and 6.1, RFC 7306 section 5.2.2), and
 * Atomic Operations: a Responder supports all or none (RFC 7306 section 1.1).
 */
#include "engine/ddp_rdmap/rdmap_reaction.h"
#include "wire/invariant.h"

enum { NOT_NEGOTIATED = 0x3FFF };

/* How many requests of this side its peer accepts at a time; false when not negotiated. */
static bool depth_of(const struct rdmap_connection *rdmap, unsigned requester, unsigned *depth)
{
    const struct mpa_parameters *parameters = &rdmap->parameters;

    if (!parameters->ird_ord_known || parameters->initiator_side < 0)
        return false;
    *depth = (unsigned)parameters->initiator_side == requester ? parameters->ird : parameters->ord;
    return *depth != NOT_NEGOTIATED;
}

/* ---- requests and answers ---- */

static void note_atomic(struct rdmap_connection *rdmap, struct rdmap_step *step)
{
    struct rdmap_reaction_state *state = rdmap->reaction;
    unsigned requester = other_side(step->side);
    const struct rdmap_atomic_request *atomic;

    if (step->match != RDMAP_MATCH_HEAD || !step->operation || step->operation->kind != RDMAP_OP_ATOMIC)
        return;
    atomic = &step->operation->atomic;
    if (!rdmap_atomic_name(atomic->opcode))
        return;
    INVARIANT(atomic->opcode < 32);
    if (state->atomics_answered[requester] & ~(1u << atomic->opcode))
        verdict_passed(rdmap->verdict, RULE_RDMAPX_1_1_01);
    state->atomics_answered[requester] |= 1u << atomic->opcode;
}

void rdmap_limits_segment(struct rdmap_connection *rdmap, struct rdmap_step *step)
{
    switch (step->ddp->opcode) {
    case RDMAP_READ_REQUEST:
    case RDMAP_ATOMIC_REQUEST:
        if (step->request)
            rdmap->reaction->atomics_asked[step->side] |= step->ddp->opcode == RDMAP_ATOMIC_REQUEST;
        break;
    case RDMAP_READ_RESPONSE:
        if (step->ends && step->ddp->payload_len == 0 && step->match == RDMAP_MATCH_HEAD && step->operation &&
            step->operation->read.size == 0)
            verdict_passed(rdmap->verdict, RULE_RDMAP_5_2_1_17);
        break;
    case RDMAP_ATOMIC_RESPONSE:
        note_atomic(rdmap, step);
        break;
    default:
        break;
    }
}

/* ---- Terminates about requests ---- */

static void judge_no_buffer(struct rdmap_connection *rdmap, struct rdmap_step *step)
{
    unsigned requester = other_side(step->side), depth;
    const enum rule_id rule = RULE_RDMAPX_5_2_2_09;
    uint64_t peak = rdmap->side[requester].requests.peak;

    if (!depth_of(rdmap, requester, &depth))
        return;
    if (!rdmap_requests_certain(&rdmap->side[requester].requests) || rdmap->side[requester].hole || peak > depth)
        verdict_inconclusive(rdmap->verdict, rule, peak > depth ? WHY_CAUSE : LOST_OR(WHY_ORDER),
                             step->fpdu->place.frame);
    else
        rdmap_fail(rdmap, step, rule, 0,
                   "expected buffers on QN 1 for the %u requests that were negotiated; found a Terminate for lack of a "
                   "buffer with %llu requests in flight",
                   depth, (unsigned long long)peak);
}

/* The refused Atomic Request, if known. */
static void judge_refused_atomic(struct rdmap_connection *rdmap, struct rdmap_step *step,
                                 const struct rdmap_terminate *terminate)
{
    struct rdmap_reaction_state *state = rdmap->reaction;
    unsigned requester = other_side(step->side);
    const struct rdmap_request *request = rdmap_open_request(rdmap, requester, terminate->ddp.msn);
    const struct rdmap_atomic_request *atomic;

    if (!request || request->operation.kind != RDMAP_OP_ATOMIC || request->faulty ||
        rdmap_overlooked_field(rdmap, requester, &terminate->ddp) != RULE_COUNT)
        return;
    atomic = &request->operation.atomic;
    if (terminate->code == 6 && rdmap_atomic_name(atomic->opcode) && state->atomics_answered[requester] != 0)
        rdmap_fail(rdmap, step, RULE_RDMAPX_1_1_01, request->operation.place.frame,
                   "expected every Atomic Operation to be supported, as one was answered; found %s in frame %u refused "
                   "as unexpected",
                   rdmap_atomic_name(atomic->opcode), request->operation.place.frame);
}

/* The Requester had no buffer for an Atomic Response, though it had asked for the Response. */
static void judge_refused_response(struct rdmap_connection *rdmap, struct rdmap_step *step,
                                   const struct rdmap_recent *culprit)
{
    if (!culprit || culprit->faulty || rdmap->reaction->fault[step->side].state != FAULT_UNSEEN ||
        rdmap->side[step->side].hole || !rdmap_requests_certain(&rdmap->side[step->side].requests))
        verdict_inconclusive(rdmap->verdict, RULE_RDMAPX_5_2_2_10, LOST_OR(WHY_CAUSE), step->fpdu->place.frame);
    else
        rdmap_fail(rdmap, step, RULE_RDMAPX_5_2_2_10, culprit->place.frame,
                   "expected a buffer on QN 3 for the Atomic Response in frame %u, which was requested; found a "
                   "Terminate for lack of a buffer",
                   culprit->place.frame);
}

void rdmap_limits_terminate(struct rdmap_connection *rdmap, struct rdmap_step *step,
                            const struct rdmap_terminate *terminate, const struct rdmap_recent *culprit)
{
    const struct ddp_segment *ddp = &terminate->ddp;
    bool no_buffer = rdmap_terminate_is(terminate, RDMAP_LAYER_DDP, 2) && terminate->code == 2;

    if (!terminate->has_ddp || ddp->tagged)
        return;
    if (ddp->qn == DDP_QN_ATOMIC_RESPONSE && ddp->opcode == RDMAP_ATOMIC_RESPONSE && no_buffer)
        judge_refused_response(rdmap, step, culprit);
    if (ddp->qn != DDP_QN_READ_REQUEST)
        return;
    /* Read Requests are judged with the negotiation: MPA2-9.1-03, MPA2-9.1-14. */
    if (no_buffer && ddp->opcode == RDMAP_ATOMIC_REQUEST)
        judge_no_buffer(rdmap, step);
    if (ddp->opcode == RDMAP_ATOMIC_REQUEST && rdmap_terminate_is(terminate, RDMAP_LAYER_RDMA, 2))
        judge_refused_atomic(rdmap, step, terminate);
}

void rdmap_limits_finish(struct rdmap_connection *rdmap)
{
    struct rdmap_reaction_state *state = rdmap->reaction;

    for (unsigned requester = 0; requester < 2; requester++) {
        struct rdmap_requests *requests = &rdmap->side[requester].requests;
        unsigned depth;

        if (state->atomics_answered[requester] != 0 && !rdmap->side[requester].terminated)
            verdict_passed(rdmap->verdict, RULE_RDMAPX_5_2_2_10);
        if (!depth_of(rdmap, requester, &depth) || depth == 0 || requests->peak != depth ||
            rdmap->side[other_side(requester)].terminated)
            continue;
        if (!state->atomics_asked[requester])
            continue;
        if (rdmap_requests_certain(requests) && rdmap_requests_open(requests) == 0)
            verdict_passed(rdmap->verdict, RULE_RDMAPX_5_2_2_09);
        else
            verdict_inconclusive(rdmap->verdict, RULE_RDMAPX_5_2_2_09, LOST_OR(WHY_END),
                                 rdmap->side[requester].last.frame);
    }
}
