// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A handle named by a Send with Invalidate no longer gives access (RFC 8797 section 3.2). Requests of a queue pair are
 * carried out in order, so an access by the same sender after that Send must be refused; an Acknowledge for the access,
 * or the Response, shows that it was not. On iWARP the layer below judges this (RDMAP-1.2-02): a TCP acknowledgment
 * does not show what happened to the octets.
 */
#include "engine/rpcrdma/rpcrdma_memory_state.h"
#include "wire/invariant.h"

static struct rpcrdma_invalidated *invalidated_find(struct rpcrdma_memory_state *state, unsigned owner, uint32_t stag)
{
    unsigned n = state->invalidateds < RPCRDMA_INVALIDATED_MAX ? state->invalidateds : RPCRDMA_INVALIDATED_MAX;

    for (unsigned i = 0; i < n; i++) {
        struct rpcrdma_invalidated *entry = &state->invalidated[i];

        if (entry->send.frame != 0 && entry->owner == owner && entry->stag == stag)
            return entry;
    }
    return NULL;
}

void rpcrdma_invalidated_answer(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_message *answer)
{
    struct rpcrdma_memory_state *state = rpcrdma->memory;
    struct rpcrdma_invalidated *entry = invalidated_find(state, other_side(answer->side), answer->invalidate_stag);

    if (!entry)
        entry = &state->invalidated[state->invalidateds++ % RPCRDMA_INVALIDATED_MAX];
    if (!entry->open || entry->send.frame == 0)
        *entry = (struct rpcrdma_invalidated){
            .owner = other_side(answer->side), .stag = answer->invalidate_stag, .send = answer->place};
    INVARIANT(entry->send.frame != 0 || answer->place.frame == 0);
    INVARIANT(entry->open || (entry->stag == answer->invalidate_stag && entry->owner != answer->side));
}

/* A Call that offers the handle makes it valid again. */
void rpcrdma_invalidated_call(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_message *call)
{
    const struct rpcrdma_transaction *t = call->transaction;

    for (unsigned i = 0; i < t->n_offers; i++) {
        struct rpcrdma_invalidated *entry = invalidated_find(rpcrdma->memory, call->side, t->offers[i].target.handle);

        if (entry && (!entry->open || rpcrdma_call_may_precede(call, &entry->access)))
            entry->send.frame = 0;
    }
}

bool rpcrdma_invalidated(const struct rpcrdma_connection *rpcrdma, const struct rpcrdma_move *move)
{
    return invalidated_find(rpcrdma->memory, move->owner, move->stag) != NULL;
}

void rpcrdma_invalidated_access(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_move *move)
{
    struct rpcrdma_invalidated *entry = invalidated_find(rpcrdma->memory, move->owner, move->stag);

    if (entry && !entry->open) {
        entry->open = true;
        entry->sure = rpcrdma_calls_seen(rpcrdma, move->owner);
        entry->read = move->kind == RDMA_READ;
        entry->access = move->place;
        entry->operation = move->operation;
        INVARIANT(entry->owner == move->owner && !entry->taken);
    }
}

void rpcrdma_invalidated_response(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_move *move)
{
    struct rpcrdma_invalidated *entry = invalidated_find(rpcrdma->memory, move->side, move->stag);

    if (entry && entry->open && entry->read && entry->operation == move->operation)
        entry->taken = true;
}

void rpcrdma_invalidated_refused(struct rpcrdma_connection *rpcrdma, unsigned owner)
{
    for (unsigned i = 0; i < RPCRDMA_INVALIDATED_MAX; i++) {
        struct rpcrdma_invalidated *entry = &rpcrdma->memory->invalidated[i];

        if (entry->send.frame == 0 || !entry->open || entry->owner != owner)
            continue;
        entry->send.frame = 0;
        rpcrdma_pass(rpcrdma, RULE_CMPD_3_2_04);
    }
}

void rpcrdma_invalidated_finish(struct rpcrdma_connection *rpcrdma)
{
    bool whole = rpcrdma->gaps_show_late && !rpcrdma->lossy;

    for (unsigned i = 0; i < RPCRDMA_INVALIDATED_MAX; i++) {
        struct rpcrdma_invalidated *entry = &rpcrdma->memory->invalidated[i];
        bool taken = entry->taken || (!entry->read && rpcrdma->received[entry->owner] > entry->access.offset);

        if (entry->send.frame == 0 || !entry->open)
            continue;
        if (taken && whole && entry->sure)
            rpcrdma_fail_at(rpcrdma, &entry->access, RULE_CMPD_3_2_04, entry->send.frame,
                            "expected no access by STag 0x%08x, which the Send in frame %u has invalidated; found the "
                            "RDMA %s in frame %u %s",
                            entry->stag, entry->send.frame, entry->read ? "Read" : "Write", entry->access.frame,
                            entry->read ? "answered" : "acknowledged");
        else
            verdict_inconclusive(rpcrdma->verdict, RULE_CMPD_3_2_04, taken ? LOST_OR(WHY_ORDER) : WHY_ACK,
                                 entry->access.frame);
    }
}
