// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A Reply before the responses to the RDMA Reads of its Call (RFC 8166 section 2.3.2), on InfiniBand. A capture may
 * lack responses without a trace, and its directions may be out of step: responses that were not captured before the
 * Reply prove nothing. Responses after the Reply do prove a violation, provided that the responder has not requested
 * them again: either the requester had acknowledged the Reply before it sent them, or they come later than the skew
 * between the directions explains.
 */
#include "engine/rpcrdma/rpcrdma_memory_state.h"
#include "wire/invariant.h"

void rpcrdma_hasty_fail(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_hasty *hasty)
{
    rpcrdma_fail_at(rpcrdma, &hasty->place, RULE_RPCR_2_3_2_03, hasty->call_frame,
                    "expected the Reply after the Responses to the RDMA Reads of its Call (XID 0x%08x); found the "
                    "Reply when only %llu of %llu octets of STag 0x%08x had been read",
                    hasty->xid, (unsigned long long)hasty->moved, (unsigned long long)hasty->asked, hasty->area.stag);
}

static void hasty_settle(struct rpcrdma_connection *rpcrdma, struct rpcrdma_hasty *hasty)
{
    /* The responder cannot have requested the data again in a hole. */
    bool whole = !rpcrdma_lost_since(rpcrdma, hasty->place.side, hasty->call_frame) && !rpcrdma->lossy;

    if (!hasty->open)
        return;
    hasty->open = false;
    if (hasty->proven && whole)
        rpcrdma_hasty_fail(rpcrdma, hasty);
    else
        verdict_inconclusive(rpcrdma->verdict, RULE_RPCR_2_3_2_03, whole ? WHY_ORDER : LOST_OR(WHY_HOLE),
                             hasty->place.frame);
    INVARIANT(hasty->moved < hasty->asked && hasty->area.from <= hasty->area.to);
}

void rpcrdma_hasty_keep(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_hasty *hasty)
{
    struct rpcrdma_hasty *kept;

    if (!rpcrdma_memory_has_odd(rpcrdma))
        return;
    kept = &rpcrdma->memory->odd->hasty[rpcrdma->memory->hasties++ % RPCRDMA_HASTY_MAX];
    hasty_settle(rpcrdma, kept);
    *kept = *hasty;
    INVARIANT(kept->open && kept->moved < kept->asked && rpcrdma_memory_is_sound(rpcrdma->memory));
}

void rpcrdma_hasty_response(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_move *move)
{
    struct rpcrdma_memory_state *state = rpcrdma->memory;
    struct rpcrdma_area area = rpcrdma_area_of_move(move);
    unsigned n = rpcrdma_ring_used(state->hasties, RPCRDMA_HASTY_MAX);

    for (unsigned i = 0; i < n; i++) {
        struct rpcrdma_hasty *hasty = &state->odd->hasty[i];

        /* A later Read, such as one for another Call that offers the same memory, is a different operation. */
        if (!hasty->open || hasty->owner != move->side || move->operation >= hasty->operation ||
            !rpcrdma_area_meets(&hasty->area, &area))
            continue;
        hasty->proven |=
            move->received > hasty->place.offset || move->place.time_ns - hasty->place.time_ns >= move->skew_ns;
        INVARIANT(hasty->moved < hasty->asked && hasty->owner == move->side);
        if (move->asked_again) {
            hasty->proven = false;
            hasty_settle(rpcrdma, hasty);
        }
    }
}

void rpcrdma_hasty_finish(struct rpcrdma_connection *rpcrdma)
{
    unsigned n = rpcrdma_ring_used(rpcrdma->memory->hasties, RPCRDMA_HASTY_MAX);

    for (unsigned i = 0; i < n; i++)
        hasty_settle(rpcrdma, &rpcrdma->memory->odd->hasty[i]);
}
