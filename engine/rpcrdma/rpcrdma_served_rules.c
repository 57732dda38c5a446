// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The Read-Read transfer model of RFC 5666, which RFC 8166 dropped: a Reply offers server memory in its Read list, the
 * client reads the memory and sends RDMA_DONE (RFC 5666 sections 3.5 and 3.8). RFC 8166 section 4.3.1 forbids the list;
 * a client that reads the memory has not discarded the Reply.
 */
#include "engine/rpcrdma/rpcrdma_memory_state.h"
#include "wire/invariant.h"

static struct rpcrdma_owed *find_owed(struct rpcrdma_memory_state *state, uint32_t xid)
{
    for (unsigned i = 0; i < state->n_owed; i++) {
        if (state->odd->owed[i].xid == xid)
            return &state->odd->owed[i];
    }
    return NULL;
}

static void drop_owed(struct rpcrdma_memory_state *state, struct rpcrdma_owed *owed)
{
    *owed = state->odd->owed[--state->n_owed];
    INVARIANT(state->n_owed < RPCRDMA_OWED_MAX);
}

/* On InfiniBand the Reads of this memory may have been captured before the Reply. */
static void excuse_ahead(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_message *reply, uint32_t stag)
{
    unsigned n = rpcrdma_ring_used(rpcrdma->memory->aheads, RPCRDMA_STRAYS_MAX);

    for (unsigned i = 0; i < n; i++) {
        struct rpcrdma_ahead *ahead = &rpcrdma->memory->odd->ahead[i];

        if (ahead->place.frame == 0 || ahead->owner != reply->side || ahead->stag != stag ||
            !rpcrdma_call_may_precede(reply, &ahead->place))
            continue;
        rpcrdma_pending_excuse(rpcrdma, reply->side, ahead->place.frame);
        ahead->place.frame = 0;
    }
}

static void served_serve(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_served *served)
{
    struct rpcrdma_memory_state *state = rpcrdma->memory;

    if (!state->served)
        state->served = arena_zeroed(rpcrdma->arena, RPCRDMA_SERVED_MAX * sizeof *served);
    if (state->served)
        state->served[state->serves++ % RPCRDMA_SERVED_MAX] = *served;
    INVARIANT(rpcrdma_memory_is_sound(state));
}

void rpcrdma_served_reply(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_message *reply)
{
    struct rpcrdma_memory_state *state = rpcrdma->memory;

    for (uint32_t i = 0; i < reply->header.read.n; i++) {
        struct rpcrdma_read_segment segment = rpcrdma_read_segment_at(&reply->header, reply->p, i);

        served_serve(rpcrdma, &(struct rpcrdma_served){.area = rpcrdma_area_of(&segment.target),
                                                       .owner = reply->side,
                                                       .xid = reply->header.xid,
                                                       .frame = reply->place.frame});
        excuse_ahead(rpcrdma, reply, segment.target.handle);
    }
    if (!rpcrdma_by_rfc5666(rpcrdma) || !rpcrdma_memory_has_odd(rpcrdma))
        return;
    if (state->n_owed == RPCRDMA_OWED_MAX)
        drop_owed(state, &state->odd->owed[0]);
    state->odd->owed[state->n_owed++] = (struct rpcrdma_owed){.xid = reply->header.xid, .place = reply->place};
    INVARIANT(rpcrdma_memory_is_sound(state) && find_owed(state, reply->header.xid));
}

static const struct rpcrdma_served *find_served(const struct rpcrdma_memory_state *state,
                                                const struct rpcrdma_move *move)
{
    unsigned n = state->serves < RPCRDMA_SERVED_MAX ? state->serves : RPCRDMA_SERVED_MAX;
    struct rpcrdma_area area = rpcrdma_area_of_move(move);

    for (unsigned i = 0; i < n; i++) {
        if (state->served[i].owner == move->owner && rpcrdma_area_holds(&state->served[i].area, &area))
            return &state->served[i];
    }
    return NULL;
}

bool rpcrdma_served_read(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_move *move)
{
    struct rpcrdma_memory_state *state = rpcrdma->memory;
    const struct rpcrdma_served *served = find_served(state, move);
    struct rpcrdma_area area = rpcrdma_area_of_move(move);

    if (!rpcrdma_by_rfc5666(rpcrdma)) {
        if (served)
            rpcrdma_fail_at(rpcrdma, &move->place, RULE_RPCR_4_3_1_04, served->frame,
                            "expected the Reply in frame %u to be discarded for its Read list; found an RDMA Read of "
                            "the Read list of the Reply, STag 0x%08x",
                            served->frame, move->stag);
        return served != NULL;
    }
    if (served) {
        struct rpcrdma_owed *owed = find_owed(state, served->xid);

        rpcrdma_pass(rpcrdma, RULE_RPCR0_3_8_01);
        if (owed)
            owed->read = true;
        return true;
    }
    if (state->serves > RPCRDMA_SERVED_MAX)
        rpcrdma_inconclusive(rpcrdma, RULE_RPCR0_3_8_01, WHY_MEMORY);
    else
        rpcrdma_fail_at(rpcrdma, &move->place, RULE_RPCR0_3_8_01, 0,
                        "expected an RDMA Read within the Read list of a Reply; found an RDMA Read of 0x%llx to 0x%llx "
                        "of STag 0x%08x",
                        (unsigned long long)area.from, (unsigned long long)area.to, move->stag);
    return true;
}

void rpcrdma_served_call(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_message *call)
{
    struct rpcrdma_memory_state *state = rpcrdma->memory;

    for (unsigned i = 0; i < state->n_owed; i++)
        state->odd->owed[i].calls += state->odd->owed[i].read && state->odd->owed[i].place.side != call->side;
}

void rpcrdma_served_done(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_message *done)
{
    struct rpcrdma_owed *owed = find_owed(rpcrdma->memory, done->header.xid);

    if (!owed || owed->place.side == done->side)
        return;
    rpcrdma_pass(rpcrdma, RULE_RPCR0_3_5_01);
    drop_owed(rpcrdma->memory, owed);
    INVARIANT(rpcrdma_memory_is_sound(rpcrdma->memory));
}

/* The client closed the connection first. */
static bool client_closed(const struct rpcrdma_connection *rpcrdma, const struct rpcrdma_owed *owed)
{
    const struct rpcrdma_side *server = &rpcrdma->side[owed->place.side],
                              *client = &rpcrdma->side[1 - owed->place.side];

    return client->fin && !server->reset && (!server->fin || client->end_place.time_ns < server->end_place.time_ns);
}

/*
 * On InfiniBand a capture does not show that the last packets are missing. If other packets have been missing since the
 * Reply, the last ones may be, too.
 */
static bool done_may_be_lost(const struct rpcrdma_connection *rpcrdma, const struct rpcrdma_owed *owed)
{
    unsigned client = 1 - owed->place.side;

    return rpcrdma_hole_since(rpcrdma, client, owed->place.frame) ||
           (rpcrdma->gaps_show_late && owed->calls == 0 &&
            rpcrdma_hole_since(rpcrdma, owed->place.side, owed->place.frame));
}

/*
 * The connection may have broken before the client could send RDMA_DONE, but not if the client sent more Calls or
 * closed the connection.
 */
void rpcrdma_served_finish(struct rpcrdma_connection *rpcrdma)
{
    const struct rpcrdma_memory_state *state = rpcrdma->memory;

    for (unsigned i = 0; i < state->n_owed; i++) {
        const struct rpcrdma_owed *owed = &state->odd->owed[i];

        if (!owed->read || done_may_be_lost(rpcrdma, owed) || (owed->calls == 0 && !client_closed(rpcrdma, owed)))
            verdict_inconclusive(rpcrdma->verdict, RULE_RPCR0_3_5_01,
                                 done_may_be_lost(rpcrdma, owed) ? LOST_OR(WHY_HOLE) : WHY_END, owed->place.frame);
        else
            rpcrdma_fail_at(rpcrdma, &owed->place, RULE_RPCR0_3_5_01, 0,
                            "expected RDMA_DONE for XID 0x%08x once its Read chunks were read; found no RDMA_DONE "
                            "before %u later Calls",
                            owed->xid, owed->calls);
    }
}
