// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The values that Atomics leave in memory, and that the next Atomic on the same address returns: RFC 7306 sections 5.1,
 * 5.2.1 (7), 7.
 *
 * A capture of one connection cannot exclude that the responder's CPU, another connection or another STag wrote the
 * address in between. Two values are compared only if, from the first request to the second answer, nothing was seen on
 * this connection that could have written the address, or made the responder's ULP write it; a contradiction is then a
 * note, once per address. Octets in reverse order are always an error: no writer leaves them by chance.
 *
 * If only this connection writes the memory (--exclusive), rdmap_atomic_memory.c knows the contents of an address,
 * whatever else is sent in between, and a contradiction is an error.
 */
#include "engine/core/heap.h"
#include "engine/ddp_rdmap/rdmap_atomic_state.h"
#include "wire/atomic.h"
#include "wire/invariant.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void rdmap_values_free(struct rdmap_atomic_state *state)
{
    for (unsigned side = 0; side < 2; side++)
        free(state->shadow[side]);
}

/* ---- what may change memory ---- */

static void keep_write(struct rdmap_connection *rdmap, const struct rdmap_step *step)
{
    struct rdmap_atomic_state *state = rdmap->atomic;
    const struct rdmap_requests *requests = &rdmap->side[step->side].requests;
    const struct ddp_segment *ddp = step->ddp;
    struct rdmap_write_kept *kept;

    /* An Atomic in flight may be performed before or after the Write. */
    if (!step->starts || !step->ends || step->faulty || ddp->payload_len < sizeof(uint64_t) ||
        rdmap_requests_open(requests) != 0 || !rdmap_requests_certain(requests))
        return;
    if (!state->written[step->side])
        state->written[step->side] = arena_zeroed(rdmap->arena, RDMAP_WRITES_KEPT * sizeof *kept);
    if (!state->written[step->side])
        return;
    kept = &state->written[step->side][state->n_written[step->side]++ % RDMAP_WRITES_KEPT];
    INVARIANT(ddp->payload_len <= sizeof kept->octets && ddp->lacking == 0);
    *kept = (struct rdmap_write_kept){.stag = ddp->stag,
                                      .to = ddp->to,
                                      .activity = state->activity[step->side],
                                      .length = (uint8_t)ddp->payload_len,
                                      .frame = step->fpdu->place.frame};
    memcpy(kept->octets, ddp->payload, ddp->payload_len);
    INVARIANT(kept->length >= sizeof(uint64_t) && kept->length == ddp->payload_len);
}

/* For exclusive memory: counts what may have changed any address. */
static void exclusive_segment(struct rdmap_connection *rdmap, const struct rdmap_step *step)
{
    bool writes = step->ddp->opcode == RDMAP_WRITE || step->ddp->opcode == RDMAP_READ_RESPONSE;

    if (writes && (step->faulty || step->fpdu->faulty || (step->message && step->message->faulty)))
        rdmap->atomic->activity[step->side]++;
    else
        rdmap_memory_segment(rdmap, step);
}

/* For memory with other writers. */
static void shared_segment(struct rdmap_connection *rdmap, const struct rdmap_step *step)
{
    switch (step->ddp->opcode) {
    case RDMAP_READ_REQUEST:
    case RDMAP_ATOMIC_REQUEST:
    case RDMAP_ATOMIC_RESPONSE:
    case RDMAP_TERMINATE:
        break;
    case RDMAP_READ_RESPONSE: /* writes at the side that receives it; the sender's ULP is not involved */
        rdmap->atomic->activity[step->side] += step->ddp->payload_len > 0;
        break;
    case RDMAP_WRITE:
        rdmap_values_hole(rdmap, step->side);
        if (step->ddp->payload_len <= RDMAP_WRITE_OCTETS && step->ddp->lacking == 0)
            keep_write(rdmap, step);
        break;
    default: /* either ULP may act on the message, or be about to */
        rdmap_values_hole(rdmap, step->side);
        break;
    }
}

void rdmap_values_segment(struct rdmap_connection *rdmap, const struct rdmap_step *step)
{
    if (step->info && step->info->invalidates && step->sound)
        rdmap_alignment_forget(rdmap, step->side, &step->ddp->stag);
    if (!step->ddp || !step->sound)
        rdmap_values_hole(rdmap, step->side);
    else if (rdmap->options.exclusive)
        exclusive_segment(rdmap, step);
    else
        shared_segment(rdmap, step);
}

void rdmap_values_hole(struct rdmap_connection *rdmap, unsigned side)
{
    rdmap->atomic->activity[side]++;
    if (!rdmap->options.exclusive) /* a ULP may have acted on the missing octets */
        rdmap->atomic->activity[other_side(side)]++;
}

void rdmap_values_request(struct rdmap_connection *rdmap, struct rdmap_step *step)
{
    struct rdmap_atomic_state *state = rdmap->atomic;
    const struct rdmap_atomic_request *atomic = &step->operation->atomic;
    unsigned side = step->side;
    bool plain = !step->faulty && (atomic->to & 7u) == 0, exclusive = rdmap->options.exclusive;

    /* Addresses of an unaligned Atomic overlap others; another STag may name the same memory. */
    if (!plain || (!exclusive && state->any[side] && state->last_stag[side] != atomic->stag))
        state->activity[side]++;
    state->any[side] = true;
    state->last_stag[side] = atomic->stag;
    step->request->activity = state->activity[side];
    if (exclusive && plain)
        rdmap_memory_request(rdmap, step);
}

/* ---- mistakes that explain values that do not fit ---- */

struct pair {
    const struct rdmap_shadow *first;
    const struct rdmap_atomic_request *operation; /* of the second Atomic */
    uint64_t original;                            /* returned by the second Atomic */
    bool pipelined;                               /* the second request was sent before the first was answered */
};

static uint64_t applied(const struct rdmap_atomic_request *operation, uint64_t original)
{
    uint64_t after = original;

    rdmap_atomic_apply(operation, original, &after);
    return after;
}

/* Unchanged octets prove nothing: read in reverse, a CmpSwap mostly does not match. */
static bool in_reverse(const struct pair *pair)
{
    return pair->original != pair->first->original &&
           applied(&pair->first->operation, __builtin_bswap64(pair->first->original)) ==
               __builtin_bswap64(pair->original);
}

/*
 * The second Atomic returned the value that it left, instead of the original value. If the first Atomic did so, too,
 * then pair->first->original is really the value that the first Atomic left.
 */
static bool returned_after(const struct pair *pair)
{
    return (pair->original == applied(pair->operation, pair->first->original) &&
            pair->original != pair->first->original) ||
           pair->original == applied(pair->operation, pair->first->after);
}

static bool in_other_order(const struct pair *pair)
{
    return pair->pipelined && applied(pair->operation, pair->original) == pair->first->original;
}

static enum rule_id mistake_of_add(const struct pair *pair)
{
    const struct rdmap_shadow *first = pair->first;

    if (first->operation.mask != 0 && pair->original == first->original + first->operation.data)
        return RULE_RDMAPX_5_1_1_02;
    if (first->operation.mask == 0 &&
        (pair->original == first->original || pair->original == (first->original ^ first->operation.data)))
        return RULE_RDMAPX_5_1_1_03;
    return RULE_RDMAPX_5_1_1_01;
}

static enum rule_id mistake_of_swap(const struct pair *pair)
{
    const struct rdmap_atomic_request *operation = &pair->first->operation;
    uint64_t original = pair->first->original;
    bool match = ((operation->compare_data ^ original) & operation->compare_mask) == 0;
    uint64_t swapped = (original & ~operation->mask) | (operation->data & operation->mask);

    if (!match)
        return pair->original == swapped ? RULE_RDMAPX_5_1_2_03 : RULE_RDMAPX_5_1_2_06;
    if (pair->original == original && operation->compare_data != original)
        return RULE_RDMAPX_5_1_2_01;
    if (operation->mask != UINT64_MAX &&
        (pair->original == operation->data ||
         pair->original == ((original & operation->mask) | (operation->data & ~operation->mask))))
        return RULE_RDMAPX_5_1_2_02;
    return RULE_RDMAPX_5_1_2_06;
}

/* Returned 1 for success or 0 for failure, instead of a value. */
static bool returned_success(const struct pair *pair)
{
    const struct rdmap_atomic_request *operation = pair->operation;
    bool match = ((operation->compare_data ^ pair->first->after) & operation->compare_mask) == 0;

    return operation->opcode == RDMAP_ATOMIC_CMP_SWAP && pair->original == match;
}

enum rule_id rdmap_atomic_overlooked(const struct rdmap_atomic_request *atomic)
{
    if (atomic->reserved != 0)
        return RULE_RDMAPX_5_2_1_03;
    if (atomic->opcode != RDMAP_ATOMIC_FETCH_ADD)
        return RULE_COUNT;
    return atomic->compare_data != 0            ? RULE_RDMAPX_5_2_1_13
           : atomic->compare_mask != UINT64_MAX ? RULE_RDMAPX_5_2_1_15
                                                : RULE_COUNT;
}

static enum rule_id values_explain(const struct pair *pair)
{
    enum rule_id field = rdmap_atomic_overlooked(&pair->first->operation);
    bool second_adds = pair->operation->opcode == RDMAP_ATOMIC_FETCH_ADD;
    enum rule_id rule;

    if (in_reverse(pair))
        return RULE_RDMAPX_5_1_1_10;
    if (in_other_order(pair))
        return RULE_RDMAPX_5_2_1_25;
    if (field != RULE_COUNT) /* the responder did not ignore the field */
        return field;
    rule = pair->first->operation.opcode == RDMAP_ATOMIC_FETCH_ADD ? mistake_of_add(pair) : mistake_of_swap(pair);
    if (rule != RULE_RDMAPX_5_1_1_01 && rule != RULE_RDMAPX_5_1_2_06)
        return rule;
    if (returned_after(pair))
        return second_adds ? RULE_RDMAPX_5_1_1_01 : RULE_RDMAPX_5_1_2_04;
    return returned_success(pair) ? RULE_RDMAPX_5_1_2_04 : rule;
}

/* ---- values that fit, and the rules that they exercise ---- */

static void pass_add(struct verdict *v, const struct rdmap_shadow *first)
{
    verdict_passed(v, RULE_RDMAPX_5_1_1_01);
    if (first->operation.mask == 0 && first->operation.data != 0)
        verdict_passed(v, RULE_RDMAPX_5_1_1_03);
    else if (first->after != first->original + first->operation.data)
        verdict_passed(v, RULE_RDMAPX_5_1_1_02);
}

static void pass_swap(struct verdict *v, const struct rdmap_shadow *first)
{
    const struct rdmap_atomic_request *operation = &first->operation;
    bool match = ((operation->compare_data ^ first->original) & operation->compare_mask) == 0;

    verdict_passed(v, RULE_RDMAPX_5_1_2_06);
    if (!match)
        verdict_passed(v, RULE_RDMAPX_5_1_2_03);
    else if (operation->compare_data != first->original)
        verdict_passed(v, RULE_RDMAPX_5_1_2_01);
    if (match && first->after != operation->data)
        verdict_passed(v, RULE_RDMAPX_5_1_2_02);
}

static void values_pass(struct rdmap_connection *rdmap, const struct pair *pair)
{
    struct verdict *v = rdmap->verdict;

    if (pair->first->operation.opcode == RDMAP_ATOMIC_FETCH_ADD)
        pass_add(v, pair->first);
    else
        pass_swap(v, pair->first);
    if (pair->operation->opcode == RDMAP_ATOMIC_CMP_SWAP)
        verdict_passed(v, RULE_RDMAPX_5_1_2_04);
    if (!in_reverse(pair))
        verdict_passed(v, RULE_RDMAPX_5_1_1_10);
    if (pair->pipelined && !in_other_order(pair))
        verdict_passed(v, RULE_RDMAPX_5_2_1_25);
}

/* ---- findings ---- */

struct doubt {
    enum rule_severity severity;
    const char *text; /* possible explanation of the value */
};

static struct doubt doubt_of(const struct rdmap_connection *rdmap, const struct rdmap_step *step,
                             const struct rdmap_shadow *shadow, enum rule_id rule, uint64_t found)
{
    if (rdmap->options.exclusive && rdmap_memory_elsewhere(rdmap->atomic, other_side(step->side), shadow->stag, found))
        return (struct doubt){SEVERITY_NOTE, ", as another STag has, which may name the same memory"};
    if (rdmap->options.exclusive || rule == RULE_RDMAPX_5_1_1_10)
        return (struct doubt){rule_catalogue[rule].severity, ""};
    return (struct doubt){SEVERITY_NOTE, "; another writer may explain it"};
}

static void fail_pair(struct rdmap_connection *rdmap, struct rdmap_step *step, struct rdmap_shadow *shadow,
                      const struct pair *pair)
{
    enum rule_id rule;
    struct doubt doubt;

    if (shadow->reported)
        return;
    shadow->reported = true;
    rule = values_explain(pair);
    doubt = doubt_of(rdmap, step, shadow, rule, pair->original);
    rdmap_fail_as(rdmap, step, rule, doubt.severity, shadow->place.frame,
                  "expected the value 0x%016" PRIx64 " that the preceding %s on STag 0x%08x TO 0x%" PRIx64
                  " left (original 0x%016" PRIx64 "); found the value 0x%016" PRIx64 "%s",
                  shadow->after, rdmap_atomic_name(shadow->operation.opcode), shadow->stag, shadow->to,
                  shadow->original, pair->original, doubt.text);
}

/* There was no earlier Atomic: a Write may show the value. */
static void judge_written(struct rdmap_connection *rdmap, struct rdmap_step *step,
                          const struct rdmap_atomic_response *response)
{
    const struct rdmap_atomic_state *state = rdmap->atomic;
    unsigned requester = other_side(step->side);
    const struct rdmap_atomic_request *operation = &step->request->operation.atomic;

    for (unsigned i = 1; i <= RDMAP_WRITES_KEPT && i <= state->n_written[requester]; i++) {
        const struct rdmap_write_kept *kept =
            &state->written[requester][(state->n_written[requester] - i) % RDMAP_WRITES_KEPT];
        uint64_t value = 0;

        if (kept->activity != state->activity[requester] || kept->stag != operation->stag || operation->to < kept->to ||
            operation->to - kept->to > kept->length - sizeof value)
            continue;
        INVARIANT(operation->to - kept->to + sizeof value <= kept->length);
        for (unsigned octet = 0; octet < sizeof value; octet++)
            value = value << 8 | kept->octets[operation->to - kept->to + octet];
        if (response->original == value || response->original == __builtin_bswap64(value))
            verdict_passed(rdmap->verdict, RULE_RDMAPX_7_11);
        else
            rdmap_fail_as(rdmap, step, RULE_RDMAPX_7_11, SEVERITY_NOTE, kept->frame,
                          "expected the octets of the preceding RDMA Write (0x%016" PRIx64
                          " or in reverse); found the value 0x%016" PRIx64 "; another writer may explain it",
                          value, response->original);
        return;
    }
}

/* ---- exclusive memory ---- */

static void fail_memory(struct rdmap_connection *rdmap, struct rdmap_step *step, struct rdmap_shadow *shadow,
                        enum rule_id rule, uint64_t found)
{
    const struct rdmap_memory_word *memory = &shadow->memory;
    struct doubt doubt = doubt_of(rdmap, step, shadow, rule, found);

    if (shadow->reported)
        return;
    shadow->reported = true;
    rdmap_fail_as(rdmap, step, rule, doubt.severity, memory->frame,
                  "expected the octets that the %s in frame %u shows at STag 0x%08x TO 0x%" PRIx64 " (0x%016" PRIx64
                  " or in reverse); found the value 0x%016" PRIx64 "%s",
                  memory->source == RDMAP_MEMORY_WRITE ? "RDMA Write" : "RDMA Read Response", memory->frame,
                  shadow->stag, shadow->to, rdmap_memory_value(rdmap->atomic, other_side(step->side), memory), found,
                  doubt.text);
}

void rdmap_values_read_differs(struct rdmap_connection *rdmap, struct rdmap_step *step, struct rdmap_shadow *shadow,
                               uint64_t found)
{
    static const struct rdmap_atomic_request no_change = {.opcode = RDMAP_ATOMIC_FETCH_ADD, .compare_mask = UINT64_MAX};

    if (shadow->memory.source == RDMAP_MEMORY_ATOMIC)
        fail_pair(rdmap, step, shadow, &(struct pair){.first = shadow, .operation = &no_change, .original = found});
    else
        fail_memory(rdmap, step, shadow, RULE_RDMAP_5_5_13, found);
}

static void values_judge_memory(struct rdmap_connection *rdmap, struct rdmap_step *step, struct rdmap_shadow *shadow,
                                const struct pair *pair)
{
    static const enum rule_id of_operation[] = {
        [RDMAP_ATOMIC_FETCH_ADD] = RULE_RDMAPX_5_1_1_01, [RDMAP_ATOMIC_CMP_SWAP] = RULE_RDMAPX_5_1_2_04};
    enum rdmap_memory_source source = shadow->memory.source;
    enum rule_id rule = source == RDMAP_MEMORY_WRITE ? RULE_RDMAPX_7_11 : of_operation[pair->operation->opcode];
    bool right = rdmap_memory_fits(rdmap->atomic, other_side(step->side), &shadow->memory, pair->original);

    if (source == RDMAP_MEMORY_ATOMIC && right)
        values_pass(rdmap, pair);
    else if (source == RDMAP_MEMORY_ATOMIC)
        fail_pair(rdmap, step, shadow, pair);
    else if (right)
        verdict_passed(rdmap->verdict, rule);
    else
        fail_memory(rdmap, step, shadow, rule, pair->original);
}

/* ---- answers ---- */

static bool is_comparable(const struct rdmap_connection *rdmap, const struct rdmap_step *step,
                          const struct rdmap_shadow *shadow)
{
    if (rdmap->options.exclusive)
        return rdmap_memory_comparable(rdmap, step, shadow);
    return shadow->valid && shadow->activity == rdmap->atomic->activity[other_side(step->side)];
}

static void judge_value(struct rdmap_connection *rdmap, struct rdmap_step *step, struct rdmap_shadow *shadow,
                        const struct rdmap_atomic_response *response)
{
    bool exclusive = rdmap->options.exclusive, comparable = is_comparable(rdmap, step, shadow);
    struct pair pair = {.first = shadow,
                        .operation = &step->request->operation.atomic,
                        .original = response->original,
                        .pipelined = step->request->serial < shadow->tail};

    if (comparable && exclusive)
        values_judge_memory(rdmap, step, shadow, &pair);
    else if (comparable) {
        if (pair.original == shadow->after)
            values_pass(rdmap, &pair);
        else
            fail_pair(rdmap, step, shadow, &pair);
    } else if (shadow->valid)
        verdict_inconclusive(rdmap->verdict,
                             shadow->operation.opcode == RDMAP_ATOMIC_FETCH_ADD ? RULE_RDMAPX_5_1_1_01
                                                                                : RULE_RDMAPX_5_1_2_06,
                             LOST_OR(WHY_READINGS), step->fpdu->place.frame);
    if (!comparable && !exclusive)
        judge_written(rdmap, step, response);
}

void rdmap_values_response(struct rdmap_connection *rdmap, struct rdmap_step *step,
                           const struct rdmap_atomic_response *response)
{
    struct rdmap_atomic_state *state = rdmap->atomic;
    unsigned requester = other_side(step->side);
    const struct rdmap_request *request = step->request;
    const struct rdmap_atomic_request *operation = &request->operation.atomic;
    bool exclusive = rdmap->options.exclusive;
    struct rdmap_shadow *shadow;

    if (step->match != RDMAP_MATCH_HEAD || step->faulty || request->faulty || (operation->to & 7u) != 0) {
        state->activity[requester]++;
        return;
    }
    shadow = rdmap_shadow_of(state, requester, operation->stag, operation->to, !exclusive);
    if (!shadow)
        return;
    /* The responder may have received a message, still to come in the capture, that wrote the address. */
    if (!exclusive && (!step->acked_known || step->acked > rdmap->side[requester].end))
        state->activity[requester]++;
    judge_value(rdmap, step, shadow, response);
    shadow->valid = true;
    shadow->activity = request->activity;
    shadow->tail = rdmap->side[requester].requests.tail;
    shadow->operation = *operation;
    shadow->original = response->original;
    shadow->after = applied(operation, response->original);
    shadow->place = step->fpdu->place;
    if (exclusive)
        rdmap_memory_answered(rdmap, step, shadow, shadow->after);
    INVARIANT(shadow->to == operation->to && shadow->stag == operation->stag);
}
