// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What Atomics leave in memory, and what the next one on the same address returns: RFC 7306 sections 5.1, 5.2.1 (7), 7.
 *
 * A capture of one connection cannot exclude that the responder's CPU, another connection or another STag wrote the
 * address in between. Two values are compared only if nothing was seen on this connection that could have written it,
 * or have moved the responder's ULP to do so, from the first request up to the second answer; a contradiction is then a
 * note, once per address, and an error only where the memory is known to be used by this connection alone. Octets in
 * reverse order are always an error: no writer leaves them by chance.
 */
#include "engine/core/heap.h"
#include "engine/ddp_rdmap/rdmap_atomic_state.h"
#include "wire/atomic.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void rdmap_values_free(struct rdmap_atomic_state *state)
{
    for (unsigned side = 0; side < 2; side++) {
        free(state->shadow[side]);
        free(state->written[side]);
    }
}

/* ---- what may change memory ---- */

static void keep_write(struct rdmap_connection *rdmap, const struct rdmap_step *step)
{
    struct rdmap_atomic_state *state = rdmap->atomic;
    const struct rdmap_requests *requests = &rdmap->side[step->side].requests;
    const struct ddp_segment *ddp = step->ddp;
    struct rdmap_write_kept *kept;

    /* An Atomic under way may be performed before or after it. */
    if (!step->starts || !step->ends || step->faulty || ddp->payload_len < sizeof(uint64_t) ||
        rdmap_requests_open(requests) != 0 || !rdmap_requests_certain(requests))
        return;
    if (!state->written[step->side])
        state->written[step->side] = heap_zeroed(RDMAP_WRITES_KEPT, sizeof *kept);
    if (!state->written[step->side])
        return;
    kept = &state->written[step->side][state->n_written[step->side]++ % RDMAP_WRITES_KEPT];
    *kept = (struct rdmap_write_kept){.stag = ddp->stag,
                                      .to = ddp->to,
                                      .activity = state->activity[step->side],
                                      .length = (uint8_t)ddp->payload_len,
                                      .frame = step->fpdu->place.frame};
    memcpy(kept->octets, ddp->payload, ddp->payload_len);
}

void rdmap_values_segment(struct rdmap_connection *rdmap, const struct rdmap_step *step)
{
    struct rdmap_atomic_state *state = rdmap->atomic;

    if (!step->ddp || !step->sound) {
        rdmap_values_hole(rdmap);
        return;
    }
    switch (step->ddp->opcode) {
    case RDMAP_READ_REQUEST:
    case RDMAP_ATOMIC_REQUEST:
    case RDMAP_ATOMIC_RESPONSE:
    case RDMAP_TERMINATE:
        break;
    case RDMAP_READ_RESPONSE: /* writes where it arrives; its sender's ULP has no part in it */
        state->activity[step->side] += step->ddp->payload_len > 0;
        break;
    case RDMAP_WRITE:
        rdmap_values_hole(rdmap);
        if (step->ddp->payload_len <= RDMAP_WRITE_OCTETS && step->ddp->lacking == 0)
            keep_write(rdmap, step);
        break;
    default: /* either ULP may act on it, or be about to */
        rdmap_values_hole(rdmap);
        break;
    }
}

void rdmap_values_hole(struct rdmap_connection *rdmap)
{
    rdmap->atomic->activity[0]++;
    rdmap->atomic->activity[1]++;
}

void rdmap_values_request(struct rdmap_connection *rdmap, struct rdmap_step *step)
{
    struct rdmap_atomic_state *state = rdmap->atomic;
    const struct rdmap_atomic_request *atomic = &step->operation->atomic;
    unsigned side = step->side;

    /* Addresses of an unaligned Atomic overlap others; another STag may name the same memory. */
    if (step->faulty || (atomic->to & 7u) != 0 || (state->any[side] && state->last_stag[side] != atomic->stag))
        state->activity[side]++;
    state->any[side] = true;
    state->last_stag[side] = atomic->stag;
    step->request->activity = state->activity[side];
}

/* ---- mistakes by which values that do not fit are explained ---- */

struct pair {
    const struct rdmap_shadow *first;
    const struct rdmap_atomic_request *operation; /* the second */
    uint64_t original;                            /* of the second */
    bool pipelined;                               /* the second was sent before the first was answered */
};

static uint64_t applied(const struct rdmap_atomic_request *operation, uint64_t original)
{
    uint64_t after = original;

    rdmap_atomic_apply(operation, original, &after);
    return after;
}

/* Unchanged octets show nothing: read in reverse a CmpSwap mostly does not match. */
static bool in_reverse(const struct pair *pair)
{
    return pair->original != pair->first->original &&
           applied(&pair->first->operation, __builtin_bswap64(pair->first->original)) ==
               __builtin_bswap64(pair->original);
}

/* The second returned what it left; the first, if it did so too, seems to have left it already. */
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

/* 1 for success, 0 for failure in place of a value. */
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

static enum rule_id explain(const struct pair *pair)
{
    enum rule_id field = rdmap_atomic_overlooked(&pair->first->operation);
    bool second_adds = pair->operation->opcode == RDMAP_ATOMIC_FETCH_ADD;
    enum rule_id rule;

    if (in_reverse(pair))
        return RULE_RDMAPX_5_1_1_10;
    if (in_other_order(pair))
        return RULE_RDMAPX_5_2_1_25;
    if (field != RULE_COUNT) /* not ignored as it should be */
        return field;
    rule = pair->first->operation.opcode == RDMAP_ATOMIC_FETCH_ADD ? mistake_of_add(pair) : mistake_of_swap(pair);
    if (rule != RULE_RDMAPX_5_1_1_01 && rule != RULE_RDMAPX_5_1_2_06)
        return rule;
    if (returned_after(pair))
        return second_adds ? RULE_RDMAPX_5_1_1_01 : RULE_RDMAPX_5_1_2_04;
    return returned_success(pair) ? RULE_RDMAPX_5_1_2_04 : rule;
}

/* ---- values that fit: which rules they show to be kept ---- */

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

static void pass(struct rdmap_connection *rdmap, const struct pair *pair)
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

/* ---- answers ---- */

static struct rdmap_shadow *shadow_of(struct rdmap_atomic_state *state, unsigned requester, uint32_t stag, uint64_t to)
{
    uint64_t hash = ((uint64_t)stag * 0x9E3779B97F4A7C15u) ^ ((to >> 3) * 0xC2B2AE3D27D4EB4Fu);

    if (!state->shadow[requester])
        state->shadow[requester] = heap_zeroed(RDMAP_SHADOWS, sizeof(struct rdmap_shadow));
    if (!state->shadow[requester])
        return NULL;
    return &state->shadow[requester][(hash >> 32) & (RDMAP_SHADOWS - 1)];
}

static enum rule_severity severity_of(const struct rdmap_connection *rdmap, enum rule_id rule)
{
    return rdmap->options.exclusive || rule == RULE_RDMAPX_5_1_1_10 ? rule_catalogue[rule].severity : SEVERITY_NOTE;
}

static void judge_pair(struct rdmap_connection *rdmap, struct rdmap_step *step, struct rdmap_shadow *shadow,
                       const struct pair *pair)
{
    enum rule_id rule;

    if (pair->original == shadow->after) {
        pass(rdmap, pair);
        return;
    }
    if (shadow->reported)
        return;
    shadow->reported = true;
    rule = explain(pair);
    rdmap_fail_as(rdmap, step, rule, severity_of(rdmap, rule), shadow->place.frame,
                  "expected the value 0x%016" PRIx64 " that the preceding %s on STag 0x%08x TO 0x%" PRIx64
                  " left (original 0x%016" PRIx64 "); found 0x%016" PRIx64 "%s",
                  shadow->after, rdmap_atomic_name(shadow->operation.opcode), shadow->stag, shadow->to,
                  shadow->original, pair->original,
                  severity_of(rdmap, rule) == SEVERITY_NOTE ? "; another writer may explain it" : "");
}

/* No Atomic before it: a Write may show the value. */
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
        for (unsigned octet = 0; octet < sizeof value; octet++)
            value = value << 8 | kept->octets[operation->to - kept->to + octet];
        if (response->original == value || response->original == __builtin_bswap64(value))
            verdict_passed(rdmap->verdict, RULE_RDMAPX_7_11);
        else
            rdmap_fail_as(rdmap, step, RULE_RDMAPX_7_11, severity_of(rdmap, RULE_RDMAPX_7_11), kept->frame,
                          "expected the octets of the preceding RDMA Write (0x%016" PRIx64
                          " or in reverse); found 0x%016" PRIx64 "%s",
                          value, response->original, rdmap->options.exclusive ? "" : "; another writer may explain it");
        return;
    }
}

void rdmap_values_response(struct rdmap_connection *rdmap, struct rdmap_step *step,
                           const struct rdmap_atomic_response *response)
{
    struct rdmap_atomic_state *state = rdmap->atomic;
    unsigned requester = other_side(step->side);
    const struct rdmap_request *request = step->request;
    const struct rdmap_atomic_request *operation = &request->operation.atomic;
    struct rdmap_shadow *shadow;
    bool same, reported;

    if (step->match != RDMAP_MATCH_HEAD || step->faulty || request->faulty || (operation->to & 7u) != 0) {
        state->activity[requester]++;
        return;
    }
    shadow = shadow_of(state, requester, operation->stag, operation->to);
    if (!shadow)
        return;
    /* Something that the responder had received, but that is yet to come in the capture, may have written it. */
    if (!step->acked_known || step->acked > rdmap->side[requester].end)
        state->activity[requester]++;
    same = shadow->valid && shadow->stag == operation->stag && shadow->to == operation->to;
    if (same && shadow->activity == state->activity[requester]) {
        struct pair pair = {.first = shadow,
                            .operation = operation,
                            .original = response->original,
                            .pipelined = request->serial < shadow->tail};

        judge_pair(rdmap, step, shadow, &pair);
    } else if (same) {
        verdict_inconclusive(rdmap->verdict, shadow->operation.opcode == RDMAP_ATOMIC_FETCH_ADD ? RULE_RDMAPX_5_1_1_01
                                                                                                : RULE_RDMAPX_5_1_2_06);
    }
    if (!same || shadow->activity != state->activity[requester])
        judge_written(rdmap, step, response);
    reported = same && shadow->reported;
    *shadow = (struct rdmap_shadow){
        .valid = true,
        .reported = reported,
        .stag = operation->stag,
        .to = operation->to,
        .activity = request->activity,
        .tail = rdmap->side[requester].requests.tail,
        .operation = *operation,
        .original = response->original,
        .after = applied(operation, response->original),
        .place = step->fpdu->place,
    };
}
