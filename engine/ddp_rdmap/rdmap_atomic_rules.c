// SPDX-License-Identifier: GPL-2.0-or-later
/* Atomic Requests and Responses: header fields, identifier, alignment. RFC 7306 section 5; values:
 * rdmap_atomic_values.c */
#include "engine/ddp_rdmap/rdmap_answers.h"
#include "engine/ddp_rdmap/rdmap_atomic_state.h"
#include "wire/invariant.h"

#include <inttypes.h>

enum {
    WORD_OPCODE_HIGH = 0x20000000,
    WORD_OPCODE_LITTLE = 0x02000000
}; /* CmpSwap at the other end of the first word */

bool rdmap_atomic_new(struct rdmap_connection *rdmap)
{
    rdmap->atomic = arena_zeroed(rdmap->arena, sizeof *rdmap->atomic);
    return rdmap->atomic != NULL;
}

void rdmap_atomic_free(struct rdmap_connection *rdmap)
{
    if (rdmap->atomic)
        rdmap_values_free(rdmap->atomic);
}

/* ---- the header: 5.2.1 ---- */

static void judge_first_word(struct rdmap_connection *rdmap, struct rdmap_step *step,
                             const struct rdmap_atomic_request *atomic)
{
    uint32_t word = atomic->reserved << 4 | atomic->opcode;

    if (word == WORD_OPCODE_HIGH || word == WORD_OPCODE_LITTLE) {
        rdmap_fail(
            rdmap, step, RULE_RDMAPX_5_2_1_01, 0,
            "expected Reserved and AOpCode in the lowest 4 bits of the first word; found 0x%08x as the first word",
            word);
        return;
    }
    verdict_passed(rdmap->verdict, RULE_RDMAPX_5_2_1_01);
    if (atomic->reserved != 0)
        rdmap_blemish(rdmap, step, RULE_RDMAPX_5_2_1_02,
                      "expected Reserved 0; found Reserved 0x%07x (first word 0x%08x)", atomic->reserved, word);
    else
        verdict_passed(rdmap->verdict, RULE_RDMAPX_5_2_1_02);
    if (!rdmap_atomic_name(atomic->opcode))
        rdmap_fail(rdmap, step, RULE_RDMAPX_5_2_1_04, 0,
                   "expected AOpCode 0 (FetchAdd) or 2 (CmpSwap); found AOpCode %u%s", atomic->opcode,
                   atomic->opcode == RDMAP_ATOMIC_SWAP_RESERVED ? " (reserved)" : "");
    else
        verdict_passed(rdmap->verdict, RULE_RDMAPX_5_2_1_04);
}

static void judge_unused_operands(struct rdmap_connection *rdmap, struct rdmap_step *step,
                                  const struct rdmap_atomic_request *atomic)
{
    if (atomic->compare_data == 0)
        verdict_passed(rdmap->verdict, RULE_RDMAPX_5_2_1_12);
    else
        rdmap_blemish(rdmap, step, RULE_RDMAPX_5_2_1_12,
                      "expected Compare Data 0 in a FetchAdd; found Compare Data 0x%016" PRIx64, atomic->compare_data);
    if (atomic->compare_mask == UINT64_MAX)
        verdict_passed(rdmap->verdict, RULE_RDMAPX_5_2_1_14);
    else
        rdmap_blemish(rdmap, step, RULE_RDMAPX_5_2_1_14,
                      "expected Compare Mask 0x%016" PRIx64 " in a FetchAdd; found Compare Mask 0x%016" PRIx64,
                      UINT64_MAX, atomic->compare_mask);
}

/* ---- alignment: 5.1. The base of the buffer is not on the wire, so TO mod 8 is only a hint ---- */

static struct rdmap_atomic_stag *atomic_stag_of(struct rdmap_atomic_state *state, unsigned requester, uint32_t stag)
{
    struct rdmap_atomic_stag *oldest = &state->stag[requester][0];

    for (unsigned i = 0; i < RDMAP_ATOMIC_STAGS; i++) {
        struct rdmap_atomic_stag *entry = &state->stag[requester][i];

        if ((entry->added | entry->swapped) != 0 && entry->stag == stag)
            return entry;
        if (entry->used < oldest->used)
            oldest = entry;
    }
    *oldest = (struct rdmap_atomic_stag){.stag = stag};
    return oldest;
}

void rdmap_alignment_forget(struct rdmap_connection *rdmap, unsigned requester, const uint32_t *stag)
{
    struct rdmap_atomic_state *state = rdmap->atomic;

    state->forgotten[requester] = rdmap->side[requester].end;
    for (unsigned i = 0; i < RDMAP_ATOMIC_STAGS; i++) {
        struct rdmap_atomic_stag *entry = &state->stag[requester][i];

        if (!stag || entry->stag == *stag)
            entry->added = entry->swapped = 0;
    }
}

static void fail_requester(struct rdmap_connection *rdmap, const struct rdmap_step *step,
                           struct rdmap_atomic_stag *entry, bool others)
{
    const struct rdmap_operation *operation = &step->request->operation;

    if ((operation->atomic.to & 7u) == 0 || (entry->reported && !others))
        return;
    entry->reported = true;
    rdmap_fail_at_as(rdmap, &operation->place, RULE_RDMAPX_5_1_1_04, others ? SEVERITY_WARNING : SEVERITY_NOTE,
                     step->fpdu->place.frame,
                     "expected a Remote TO for an address aligned to 8 octets; found TO 0x%" PRIx64 "%s",
                     operation->atomic.to,
                     others ? ", and other Atomics on this STag at TOs with another remainder"
                            : ", which the responder accepted as one");
}

/* added, swapped: the other remainders of answered FetchAdds and CmpSwaps. */
static enum rule_id alignment_rule(const struct rdmap_atomic_request *atomic, unsigned added, unsigned swapped)
{
    bool adds = atomic->opcode == RDMAP_ATOMIC_FETCH_ADD;

    if (adds && swapped == 0)
        return RULE_RDMAPX_5_1_1_05;
    return !adds && added == 0 ? RULE_RDMAPX_5_1_2_10 : RULE_RDMAPX_8_2_06;
}

/* Of two addresses with different remainders, at least one is not aligned. */
static void fail_responder(struct rdmap_connection *rdmap, const struct rdmap_step *step,
                           struct rdmap_atomic_stag *entry, unsigned added, unsigned swapped)
{
    const struct rdmap_atomic_request *atomic = &step->request->operation.atomic;

    if (entry->served)
        return;
    entry->served = true;
    rdmap_fail_at_as(rdmap, &step->fpdu->place, alignment_rule(atomic, added, swapped), SEVERITY_WARNING,
                     step->request->operation.place.frame,
                     "expected a Terminate for an Atomic on an address that is not aligned to 8 octets; found Atomic "
                     "Responses for TO 0x%" PRIx64 " of STag 0x%08x and for TOs of it with another remainder",
                     atomic->to, atomic->stag);
}

enum { ETYPE_REMOTE_OPERATION = 2 }; /* RFC 5040 section 4.8 */

void rdmap_atomic_terminate(struct rdmap_connection *rdmap, const struct rdmap_step *step,
                            const struct rdmap_terminate *terminate)
{
    unsigned requester = other_side(step->side);
    const struct rdmap_request *request = rdmap_request_oldest(&rdmap->side[requester].requests);
    const struct rdmap_atomic_stag *entry;
    unsigned bit;

    if (!request || !request->known || request->operation.kind != RDMAP_OP_ATOMIC ||
        terminate->layer != RDMAP_LAYER_RDMA || terminate->etype != ETYPE_REMOTE_OPERATION)
        return;
    entry = atomic_stag_of(rdmap->atomic, requester, request->operation.atomic.stag);
    bit = 1u << (request->operation.atomic.to & 7u);
    if (((entry->added | entry->swapped) & ~bit) != 0)
        verdict_passed(rdmap->verdict,
                       alignment_rule(&request->operation.atomic, entry->added & ~bit, entry->swapped & ~bit));
}

static void judge_answered_alignment(struct rdmap_connection *rdmap, struct rdmap_step *step)
{
    unsigned requester = other_side(step->side);
    const struct rdmap_atomic_request *atomic = &step->request->operation.atomic;
    struct rdmap_atomic_stag *entry = atomic_stag_of(rdmap->atomic, requester, atomic->stag);
    bool certain = !step->faulty && !step->request->doubtful &&
                   rdmap_requests_certain(&rdmap->side[requester].requests) &&
                   step->request->end > rdmap->atomic->forgotten[requester];
    unsigned bit = 1u << (atomic->to & 7u), added = certain ? entry->added & ~bit : 0,
             swapped = certain ? entry->swapped & ~bit : 0;

    entry->used = ++rdmap->atomic->clock;
    INVARIANT(entry->stag == atomic->stag);
    fail_requester(rdmap, step, entry, (added | swapped) != 0);
    if ((added | swapped) != 0)
        fail_responder(rdmap, step, entry, added, swapped);
    if (certain && atomic->opcode == RDMAP_ATOMIC_FETCH_ADD)
        entry->added |= (uint8_t)bit;
    else if (certain)
        entry->swapped |= (uint8_t)bit;
    INVARIANT(!certain || ((entry->added | entry->swapped) & bit));
}

/* For an unanswered request: a responder refuses unaligned addresses. */
static void judge_refused_alignment(struct rdmap_connection *rdmap, const struct rdmap_request *request)
{
    if ((request->operation.atomic.to & 7u) != 0)
        rdmap_fail_at(rdmap, &request->operation.place, RULE_RDMAPX_5_1_1_04, 0,
                      "expected a Remote TO for an address aligned to 8 octets; found TO 0x%" PRIx64,
                      request->operation.atomic.to);
}

/* ---- hooks ---- */

void rdmap_atomic_request(struct rdmap_connection *rdmap, struct rdmap_step *step)
{
    const struct rdmap_atomic_request *atomic = &step->operation->atomic;

    judge_first_word(rdmap, step, atomic);
    if (atomic->opcode == RDMAP_ATOMIC_FETCH_ADD && !step->faulty)
        judge_unused_operands(rdmap, step, atomic);
    if ((atomic->to & 7u) == 0)
        verdict_passed(rdmap->verdict, RULE_RDMAPX_5_1_1_04);
    rdmap_answers_request(rdmap, step);
    rdmap_values_request(rdmap, step);
}

void rdmap_atomic_response(struct rdmap_connection *rdmap, struct rdmap_step *step,
                           const struct rdmap_atomic_response *response)
{
    const struct rdmap_request *request = step->request;

    if (!rdmap_answers_first(rdmap, step, response->identifier)) {
        if (step->match != RDMAP_MATCH_UNSOLICITED)
            verdict_inconclusive(rdmap->verdict, RULE_RDMAPX_5_2_2_02, LOST_OR(WHY_ORDER), step->fpdu->place.frame);
        return;
    }
    if (request->operation.kind != RDMAP_OP_ATOMIC)
        return;
    if (response->identifier == request->operation.atomic.identifier)
        verdict_passed(rdmap->verdict, RULE_RDMAPX_5_2_2_02);
    else if (!request->faulty)
        rdmap_fail(rdmap, step, RULE_RDMAPX_5_2_2_02, request->operation.place.frame,
                   "expected the Request Identifier 0x%08x of the Atomic Request; found Request Identifier 0x%08x",
                   request->operation.atomic.identifier, response->identifier);
    rdmap_answers_complete(rdmap, step);
    if (!request->faulty)
        judge_answered_alignment(rdmap, step);
    rdmap_values_response(rdmap, step, response);
}

void rdmap_atomic_finish(struct rdmap_connection *rdmap, int64_t time_ns)
{
    (void)time_ns;
    for (unsigned side = 0; side < 2; side++) {
        struct rdmap_requests *requests = &rdmap->side[side].requests;

        for (uint64_t serial = requests->head; serial < requests->tail; serial++) {
            const struct rdmap_request *request = rdmap_request_at(requests, serial);

            if (request->known && !request->answered && !request->faulty && request->operation.kind == RDMAP_OP_ATOMIC)
                judge_refused_alignment(rdmap, request);
        }
    }
}

/* An unanswered Atomic of that side whose 8 octets overlap [to, to + length) of the STag. */
static const struct rdmap_request *open_atomic_on(struct rdmap_requests *requests, uint32_t stag, uint64_t to,
                                                  uint64_t length)
{
    uint64_t end =
        requests->tail - requests->head > RDMAP_SEARCH_MAX ? requests->head + RDMAP_SEARCH_MAX : requests->tail;

    for (uint64_t i = requests->head; i < end; i++) {
        const struct rdmap_request *request = rdmap_request_at(requests, i);
        const struct rdmap_atomic_request *atomic = &request->operation.atomic;

        if (request->known && !request->answered && request->operation.kind == RDMAP_OP_ATOMIC &&
            atomic->stag == stag && (atomic->to - to < length || to - atomic->to < sizeof(uint64_t)))
            return request;
    }
    return NULL;
}

/* RFC 7306 section 5: the two operations are not atomic with respect to each other. */
static void judge_mixed(struct rdmap_connection *rdmap, struct rdmap_step *step, uint32_t stag, uint64_t to,
                        uint64_t length)
{
    const struct rdmap_request *open = open_atomic_on(&rdmap->side[step->side].requests, stag, to, length);

    if (!open || length == 0)
        verdict_passed(rdmap->verdict, RULE_RDMAPX_5_06);
    else if (!rdmap->atomic->mixed[step->side])
        rdmap_blemish(rdmap, step, RULE_RDMAPX_5_06,
                      "expected no other operation on 0x%llx of STag 0x%08x while an Atomic on it is open; found %s at "
                      "the place of an open Atomic",
                      (unsigned long long)open->operation.atomic.to, stag, step->info->name);
    rdmap->atomic->mixed[step->side] |= open && length > 0;
}

void rdmap_atomic_beside(struct rdmap_connection *rdmap, struct rdmap_step *step)
{
    const struct rdmap_request *request = step->request;

    if (!rdmap->atomic->any[step->side] || !step->ddp || !step->sound || step->faulty)
        return;
    if (step->ddp->opcode == RDMAP_WRITE)
        judge_mixed(rdmap, step, step->ddp->stag, step->ddp->to, step->ddp->payload_len);
    else if (step->ddp->opcode == RDMAP_READ_REQUEST && request && request->operation.kind == RDMAP_OP_READ)
        judge_mixed(rdmap, step, request->operation.read.source_stag, request->operation.read.source_to,
                    request->operation.read.size);
}
