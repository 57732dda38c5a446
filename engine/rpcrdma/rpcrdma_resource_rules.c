// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Receive resources (RFC 8166 sections 3.3.1 and 3.3.3, RFC 8167 section 4.3, RFC 8797 section 4): a responder has a
 * Receive for every Call within its grant, a requester has one for every Reply, each as large as announced. If DDP ends
 * the connection because a Send within all limits found no buffer, or one too small, the rule is violated. If the
 * receiver continues after the Send has arrived, it conforms.
 */
#include "engine/core/heap.h"
#include "engine/rpcrdma/rpcrdma_internal.h"
#include "wire/invariant.h"

#include <stdlib.h>

enum { SENT_KEPT = 64 };

/* A Send for which the receiver had to be prepared. */
struct sent {
    uint64_t offset; /* of its last segment */
    uint32_t frame;
    uint32_t octets;
    uint64_t number; /* of a Call's transaction */
    struct rpcrdma_expected expected;
    bool call, reverse;
    bool invalidates; /* an STag that the receiver must be able to invalidate */
    bool size_only;   /* the receiver need not have a buffer, but any buffer must be large enough */
};

struct rpcrdma_resource_state {
    struct sent sent[2][SENT_KEPT]; /* rings, by sender */
    uint64_t n[2], taken[2];        /* Sends in total; Sends that are known to have been received */
};

bool rpcrdma_resource_new(struct rpcrdma_connection *rpcrdma)
{
    rpcrdma->resource = arena_zeroed(rpcrdma->arena, sizeof *rpcrdma->resource);
    return rpcrdma->resource != NULL;
}

static bool resource_is_sound(const struct rpcrdma_resource_state *state, unsigned sender)
{
    return state->taken[sender] <= state->n[sender];
}

static enum rule_id rule_of_number(const struct sent *sent)
{
    if (!sent->call)
        return sent->reverse ? RULE_BIDI_4_3_2_01 : RULE_RPCR_3_3_1_09;
    if (sent->expected.first)
        return sent->reverse ? RULE_BIDI_6_03 : RULE_RPCR_3_3_3_01;
    if (sent->reverse)
        return RULE_BIDI_4_3_1_01;
    return sent->expected.raised ? RULE_RPCR_3_3_1_08 : RULE_EXP_4_5_1_01;
}

/* RULE_COUNT: no announcement of the receiver covers the size of the Send. */
static enum rule_id rule_of_size(const struct rpcrdma_connection *rpcrdma, unsigned receiver, const struct sent *sent)
{
    const struct rpcrdma_announced *announced = &rpcrdma->side[receiver].announced;

    if (sent->octets <= RPCRDMA_INLINE_DEFAULT)
        return sent->call && sent->expected.first && !sent->reverse ? RULE_RPCR_3_3_3_01 : RULE_RPCR_3_3_3_05;
    return announced->valid && sent->octets <= announced->data.receive_size ? RULE_CMPD_4_12 : RULE_COUNT;
}

/* The receiver continued after these Sends: each found a buffer. */
static void resource_take(struct rpcrdma_connection *rpcrdma, unsigned receiver, const struct rpcrdma_message *m)
{
    struct rpcrdma_resource_state *state = rpcrdma->resource;
    unsigned sender = other_side(receiver);

    if (state->n[sender] > state->taken[sender] + SENT_KEPT)
        state->taken[sender] = state->n[sender] - SENT_KEPT;
    INVARIANT(resource_is_sound(state, sender) && state->n[sender] - state->taken[sender] <= SENT_KEPT);
    for (; state->taken[sender] < state->n[sender]; state->taken[sender]++) {
        const struct sent *sent = &state->sent[sender][state->taken[sender] % SENT_KEPT];
        enum rule_id number = rule_of_number(sent), size = rule_of_size(rpcrdma, receiver, sent);

        if (sent->offset >= m->received)
            return;
        /* On InfiniBand the Send may have been repeated after an RNR NAK, which is not a violation. */
        if (!sent->size_only)
            rpcrdma_pass(rpcrdma, number);
        if (sent->invalidates)
            rpcrdma_pass(rpcrdma, RULE_CMPD_3_2_03);
        if (size != RULE_COUNT && (size != number || sent->size_only))
            rpcrdma_pass(rpcrdma, size);
    }
    INVARIANT(state->taken[sender] == state->n[sender]);
}

void rpcrdma_resource_message(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_message *m)
{
    if ((rpcrdma_acked(rpcrdma, m) || !m->acked_known) && !rpcrdma->terminated)
        resource_take(rpcrdma, m->side, m);
}

/* Both sides support remote invalidation (RFC 8797 section 4.1), and the Call offers this STag. */
static bool may_invalidate(const struct rpcrdma_connection *rpcrdma, const struct rpcrdma_message *m)
{
    const struct rpcrdma_transaction *t = m->transaction;
    bool offered = false;

    for (unsigned i = 0; m->invalidates && i < t->n_offers && !offered; i++)
        offered = t->offers[i].target.handle == m->invalidate_stag;
    return offered && rpcrdma->side[0].announced.data.remote_invalidation &&
           rpcrdma->side[1].announced.data.remote_invalidation;
}

void rpcrdma_resource_expected(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_message *m,
                               struct rpcrdma_expected expected)
{
    struct rpcrdma_resource_state *state = rpcrdma->resource;

    state->sent[m->side][state->n[m->side]++ % SENT_KEPT] = (struct sent){
        .offset = m->place.offset,
        .frame = m->place.frame,
        .octets = m->n,
        .number = m->transaction->number,
        .expected = expected,
        .call = m->kind == RPCRDMA_KIND_CALL,
        .reverse = m->transaction->reverse,
        .invalidates = may_invalidate(rpcrdma, m),
    };
    INVARIANT(resource_is_sound(state, m->side) && state->n[m->side] > 0);
}

void rpcrdma_resource_sent(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_message *m)
{
    struct rpcrdma_resource_state *state = rpcrdma->resource;
    uint64_t n = state->n[m->side];

    if (n > 0 && state->sent[m->side][(n - 1) % SENT_KEPT].offset == m->place.offset)
        return;
    state->sent[m->side][state->n[m->side]++ % SENT_KEPT] =
        (struct sent){.offset = m->place.offset, .frame = m->place.frame, .octets = m->n, .size_only = true};
    INVARIANT(resource_is_sound(state, m->side) && state->n[m->side] > 0);
}

/* The Send to which a segment belongs: the first Send that ends at the segment or after it. */
static const struct sent *sent_at(const struct rpcrdma_resource_state *state, unsigned sender, uint64_t offset)
{
    const struct sent *found = NULL;
    uint64_t kept = state->n[sender] < SENT_KEPT ? state->n[sender] : SENT_KEPT;

    for (uint64_t i = 1; i <= kept; i++) {
        const struct sent *sent = &state->sent[sender][(state->n[sender] - i) % SENT_KEPT];

        if (sent->offset < offset)
            break;
        found = sent;
    }
    INVARIANT(!found || found->offset >= offset);
    /* If no earlier Send is known, this Send may have begun anywhere. */
    return found && (found->offset == offset || found->octets > 0) ? found : NULL;
}

/*
 * If nothing was announced, an administrator may have raised the limit above the default at both ends: the Send itself
 * was only a warning. Its refusal proves that the receiver has no larger buffer.
 */
static void judge_unraised(struct rpcrdma_connection *rpcrdma, const struct rdma_refusal *refusal,
                           const struct sent *sent)
{
    struct place place = refusal->place;

    place.side = (uint8_t)other_side(refusal->place.side & 1u);
    place.awaited = true;
    place.offset = sent->offset;
    rpcrdma_fail_at_as(rpcrdma, &place, RULE_RPCR_3_3_3_08, SEVERITY_ERROR, sent->frame,
                       "expected a Send of at most %u octets, the default inline threshold; found a Send of %u octets "
                       "in frame %u, for which the receiver had no buffer, as %s says",
                       (unsigned)RPCRDMA_INLINE_DEFAULT, (unsigned)sent->octets, sent->frame, refusal->name);
}

static void judge_buffer(struct rpcrdma_connection *rpcrdma, const struct rdma_refusal *refusal,
                         const struct sent *sent)
{
    bool too_long = refusal->cause == RDMA_REFUSED_TOO_LONG;
    unsigned receiver = refusal->place.side & 1u;
    enum rule_id rule = too_long ? rule_of_size(rpcrdma, receiver, sent) : rule_of_number(sent);

    if (rule == RULE_COUNT && too_long && !rpcrdma->side[receiver].announced.valid)
        judge_unraised(rpcrdma, refusal, sent);
    if (rule == RULE_COUNT || (sent->size_only && !too_long))
        return;
    /* On InfiniBand: the capture may lack the repeated Send. Sends arrive in order, so a later one would do as well. */
    if (sent->call && rpcrdma->answered_number[other_side(receiver)] >= sent->number)
        return;
    if (refusal->hasty)
        verdict_inconclusive(rpcrdma->verdict, rule, WHY_CAUSE, refusal->place.frame);
    else if (too_long)
        rpcrdma_fail_at(rpcrdma, &refusal->place, rule, sent->frame,
                        "expected a Receive for a Send of %u octets (frame %u); found %s, as the Send was too long",
                        (unsigned)sent->octets, sent->frame, refusal->name);
    else
        rpcrdma_fail_at(rpcrdma, &refusal->place, rule, sent->frame,
                        "expected a Receive for the %s in frame %u, which is within the granted credits; found %s for "
                        "lack of a buffer",
                        sent->call ? "Call" : "answer", sent->frame, refusal->name);
}

void rpcrdma_resource_refusal(struct rpcrdma_connection *rpcrdma, const struct rdma_refusal *refusal)
{
    const struct sent *sent;

    if (!refusal->culprit_found || !refusal->blames_send)
        return;
    sent = sent_at(rpcrdma->resource, other_side(refusal->place.side & 1u), refusal->culprit.offset);
    if (!sent)
        return;
    if (refusal->cause == RDMA_REFUSED_INVALIDATION && sent->invalidates)
        rpcrdma_fail_at(rpcrdma, &refusal->place, RULE_CMPD_3_2_03, sent->frame,
                        "expected an STag that can be invalidated remotely, as its owner announced support for it; "
                        "found %s, as the STag in frame %u cannot be invalidated remotely",
                        refusal->name, sent->frame);
    if (refusal->cause == RDMA_REFUSED_NO_RECEIVE || refusal->cause == RDMA_REFUSED_TOO_LONG)
        judge_buffer(rpcrdma, refusal, sent);
}
