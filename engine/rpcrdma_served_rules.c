// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The Read-Read transfer model, which RFC 5666 has and RFC 8166 dropped: a Reply offers memory of the server's in its
 * Read list, the client reads it and says RDMA_DONE (RFC 5666 sections 3.5 and 3.8). Profile rfc5666 only.
 */
#include "engine/rpcrdma_memory_state.h"

static struct rpcrdma_owed *find_owed(struct rpcrdma_memory_state *state, uint32_t xid)
{
    for (unsigned i = 0; i < state->n_owed; i++) {
        if (state->owed[i].xid == xid)
            return &state->owed[i];
    }
    return NULL;
}

static void drop_owed(struct rpcrdma_memory_state *state, struct rpcrdma_owed *owed)
{
    *owed = state->owed[--state->n_owed];
}

void rpcrdma_served_reply(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_message *reply)
{
    struct rpcrdma_memory_state *state = rpcrdma->memory;

    for (uint32_t i = 0; i < reply->header.read.n; i++) {
        struct rpcrdma_read_segment segment = rpcrdma_read_segment_at(&reply->header, reply->p, i);

        state->served[state->serves++ % RPCRDMA_SERVED_MAX] = (struct rpcrdma_served){
            .area = rpcrdma_area_of(&segment.target), .owner = reply->side, .xid = reply->header.xid};
    }
    if (state->n_owed == RPCRDMA_OWED_MAX)
        drop_owed(state, &state->owed[0]);
    state->owed[state->n_owed++] = (struct rpcrdma_owed){.xid = reply->header.xid, .place = reply->place};
}

void rpcrdma_served_read(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_move *move)
{
    struct rpcrdma_memory_state *state = rpcrdma->memory;
    unsigned n = state->serves < RPCRDMA_SERVED_MAX ? state->serves : RPCRDMA_SERVED_MAX;
    struct rpcrdma_area area = rpcrdma_area_of_move(move);

    for (unsigned i = 0; i < n; i++) {
        struct rpcrdma_owed *owed;

        if (state->served[i].owner != move->owner || !rpcrdma_area_holds(&state->served[i].area, &area))
            continue;
        rpcrdma_pass(rpcrdma, RULE_RPCR0_3_8_01);
        owed = find_owed(state, state->served[i].xid);
        if (owed != NULL)
            owed->read = true;
        return;
    }
    if (state->serves > RPCRDMA_SERVED_MAX)
        rpcrdma_inconclusive(rpcrdma, RULE_RPCR0_3_8_01);
    else
        rpcrdma_fail_at(rpcrdma, &move->place, RULE_RPCR0_3_8_01, 0,
                        "expected an RDMA Read within the Read list of a Reply, found 0x%llx to 0x%llx of STag 0x%08x",
                        (unsigned long long)area.from, (unsigned long long)area.to, move->stag);
}

void rpcrdma_served_call(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_message *call)
{
    struct rpcrdma_memory_state *state = rpcrdma->memory;

    for (unsigned i = 0; i < state->n_owed; i++)
        state->owed[i].calls += state->owed[i].read && state->owed[i].place.side != call->side;
}

void rpcrdma_memory_done(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_message *done)
{
    struct rpcrdma_owed *owed = find_owed(rpcrdma->memory, done->header.xid);

    if (owed == NULL || owed->place.side == done->side)
        return;
    rpcrdma_pass(rpcrdma, RULE_RPCR0_3_5_01);
    drop_owed(rpcrdma->memory, owed);
}

/* The client may have gone before it came to that; but not one that went on with Calls. */
void rpcrdma_served_finish(struct rpcrdma_connection *rpcrdma)
{
    const struct rpcrdma_memory_state *state = rpcrdma->memory;

    for (unsigned i = 0; i < state->n_owed; i++) {
        const struct rpcrdma_owed *owed = &state->owed[i];

        if (!owed->read || owed->calls == 0 || !rpcrdma_whole(rpcrdma))
            rpcrdma_inconclusive(rpcrdma, RULE_RPCR0_3_5_01);
        else
            rpcrdma_fail_at(rpcrdma, &owed->place, RULE_RPCR0_3_5_01, 0,
                            "expected RDMA_DONE for XID 0x%08x once its Read chunks were read, found none, and %u "
                            "Calls",
                            owed->xid, owed->calls);
    }
}
