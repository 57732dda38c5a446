// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The segments of Calls by themselves: regions that end beyond 2^64 (RFC 8166 section 4.1.2), predictable STags and
 * memory that stays registered (section 8.1.2).
 *
 * An iWARP STag consists of an index of 24 bits and a key of 8 bits (RFC 5040 section 1.1): the same index with another
 * key is a new registration, and keys usually count up.
 */
#include "engine/rpcrdma/rpcrdma_memory_state.h"
#include "wire/invariant.h"

enum {
    PREDICTED = 32, /* consecutive STags with the same difference */
    KEPT = 4,       /* consecutive Calls, each after the previous answer, that offer the same region */
    KEY_BITS = 8,
};

static void handle_judge_end(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *call,
                             const struct rpcrdma_segment *segment)
{
    if (segment->length == 0)
        return;
    if (segment->offset <= UINT64_MAX - segment->length + 1) {
        rpcrdma_pass(rpcrdma, RULE_RPCR_4_1_2_17);
        return;
    }
    rpcrdma_fail_as(rpcrdma, call, RULE_RPCR_4_1_2_17, SEVERITY_NOTE, 0,
                    "expected a segment that ends within 2^64; found offset 0x%016llx and %u octets (STag 0x%08x)",
                    (unsigned long long)segment->offset, segment->length, segment->handle);
    if (call->transaction->fault == 0) /* only a note, but the responder may refuse the Call */
        call->transaction->fault = 1 + (uint32_t)RULE_RPCR_4_1_2_17;
}

/* Keys of the same index count separately, unless the STags are so small that they can only come from a counter. */
static bool predictable_step(uint32_t from, uint32_t to)
{
    return from >> KEY_BITS != to >> KEY_BITS || to >> KEY_BITS == 0;
}

static void judge_predictable(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *call, uint32_t stag)
{
    struct rpcrdma_handles *h = &rpcrdma->memory->handles[call->side];
    uint32_t difference = stag - h->last;

    if (h->predicted || (h->any && difference == 0))
        return;
    if (h->any && difference == h->difference && predictable_step(h->last, stag))
        h->run++;
    else
        h->run = 1;
    h->difference = h->any ? difference : 0;
    h->any = true;
    h->last = stag;
    INVARIANT(h->run > 0 && h->run < PREDICTED);
    if (h->run + 1 < PREDICTED) {
        if (h->run == 1)
            rpcrdma_pass(rpcrdma, RULE_RPCR_8_1_2_01);
        return;
    }
    h->predicted = true;
    INVARIANT(h->run + 1 == PREDICTED);
    rpcrdma_fail(rpcrdma, call, RULE_RPCR_8_1_2_01, 0,
                 "expected unpredictable STags; found %d STags in a row that differ by 0x%x, the last 0x%08x",
                 PREDICTED, difference, stag);
}

static void judge_kept(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *call,
                       const struct rpcrdma_offer *offer)
{
    struct rpcrdma_handles *h = &rpcrdma->memory->handles[call->side];
    const struct rpcrdma_transaction *latest = offer->transaction;
    unsigned n = 1, looked = 0;

    if (h->kept || offer->target.length == 0)
        return;
    for (const struct rpcrdma_offer *o = rpcrdma_offers_next(offer); o && n < KEPT && looked++ < RPCRDMA_LOOKED_MAX;
         o = rpcrdma_offers_next(o)) {
        if (o->target.offset != offer->target.offset || o->transaction == latest)
            continue;
        if (rpcrdma_waits(o->transaction) || o->transaction->answer_operation > latest->call_operation)
            break; /* both rules were reported */
        latest = o->transaction;
        n++;
    }
    INVARIANT(n >= 1 && n <= KEPT && latest->number <= offer->transaction->number);
    if (n < KEPT) {
        if (n == 1)
            rpcrdma_pass(rpcrdma, RULE_RPCR_8_1_2_02);
        return;
    }
    h->kept = true;
    rpcrdma_fail(rpcrdma, call, RULE_RPCR_8_1_2_02, latest->call.frame,
                 "expected memory to be registered anew for each RPC; found address 0x%llx of STag 0x%08x offered by "
                 "%d Calls, each sent after the previous one was answered",
                 (unsigned long long)offer->target.offset, offer->target.handle, KEPT);
}

void rpcrdma_handles_call(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *call)
{
    const struct rpcrdma_transaction *t = call->transaction;

    for (unsigned i = 0; i < t->n_offers; i++) {
        handle_judge_end(rpcrdma, call, &t->offers[i].target);
        if (t->repeats || t->misread)
            continue;
        judge_predictable(rpcrdma, call, t->offers[i].target.handle);
        judge_kept(rpcrdma, call, &t->offers[i]);
    }
}
