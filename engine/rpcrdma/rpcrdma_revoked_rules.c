// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Memory of a completed RPC must be inaccessible to the responder before the upper layer gets the memory back (RFC 8166
 * section 4.4.1). A violation shows when an access comes long after the answer (itself an error of the responder) and
 * the requester does not refuse the access, but answers the RDMA Read, or continues after the RDMA Write. An access is
 * judged only if the requester must have processed the answer by then: after t_react, or after another exchange of the
 * requester, in which case the finding is a warning.
 */
#include "engine/rpcrdma/rpcrdma_memory_state.h"
#include "wire/invariant.h"

enum { GOES_ON = 2 }; /* messages of the requester after receiving an RDMA Write */

/* A Call that the owner sent after receiving the answer was itself answered. */
static bool exchanged_since(const struct rpcrdma_connection *rpcrdma, const struct rpcrdma_transaction *t)
{
    const struct rpcrdma_transaction *other = rpcrdma->side[t->side].calls.done.newest;

    for (; other && other != t; other = other->older) {
        if (other->number > t->number && other->call_received > t->answer.offset)
            return true;
    }
    return false;
}

void rpcrdma_revoked_access(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_move *move,
                            const struct rpcrdma_transaction *t)
{
    struct rpcrdma_memory_state *state = rpcrdma->memory;
    bool long_after = move->place.time_ns - t->answer.time_ns >= rpcrdma->options.t_react;

    if (rpcrdma_invalidated(rpcrdma, move)) /* another rule judges such accesses */
        return;
    if (rpcrdma_waits(t) || t->damage || t->spoilt || (!long_after && !exchanged_since(rpcrdma, t)) ||
        !rpcrdma_memory_has_odd(rpcrdma))
        return;
    state->odd->late[state->lates++ % RPCRDMA_LATES_MAX] =
        (struct rpcrdma_late){.open = true,
                              .read = move->kind != RDMA_WRITE,
                              .severity = long_after ? SEVERITY_ERROR : SEVERITY_WARNING,
                              .owner = move->owner,
                              .area = rpcrdma_area_of_move(move),
                              .xid = t->xid,
                              .answer = t->answer.frame,
                              .place = move->place};
    INVARIANT(rpcrdma_memory_is_sound(state) && !rpcrdma_waits(t));
}

static void revoked_report(struct rpcrdma_connection *rpcrdma, struct rpcrdma_late *late, const struct place *place)
{
    late->open = false;
    INVARIANT(late->severity >= SEVERITY_WARNING && late->area.from <= late->area.to);
    rpcrdma_fail_at_as(rpcrdma, place, RULE_RPCR_4_4_1_01, late->severity, late->place.frame,
                       "expected the memory of XID 0x%08x to be inaccessible after its answer in frame %u; found the "
                       "%s of STag 0x%08x in frame %u %s",
                       late->xid, late->answer, late->read ? "RDMA Read" : "RDMA Write", late->area.stag,
                       late->place.frame, late->read ? "answered" : "accepted");
}

void rpcrdma_revoked_response(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_move *move)
{
    unsigned n = rpcrdma_ring_used(rpcrdma->memory->lates, RPCRDMA_LATES_MAX);
    struct rpcrdma_area area = rpcrdma_area_of_move(move);

    for (unsigned i = 0; i < n; i++) {
        struct rpcrdma_late *late = &rpcrdma->memory->odd->late[i];

        if (late->open && late->read && late->owner == move->side && rpcrdma_area_meets(&late->area, &area))
            revoked_report(rpcrdma, late, &move->place);
    }
}

void rpcrdma_revoked_message(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_message *m)
{
    unsigned n = rpcrdma_ring_used(rpcrdma->memory->lates, RPCRDMA_LATES_MAX);

    for (unsigned i = 0; i < n; i++) {
        struct rpcrdma_late *late = &rpcrdma->memory->odd->late[i];

        if (!late->open || late->read || late->owner != m->side || m->received <= late->place.offset)
            continue;
        INVARIANT(late->messages < GOES_ON);
        if (++late->messages == GOES_ON)
            revoked_report(rpcrdma, late, &m->place);
        INVARIANT(late->open == (late->messages < GOES_ON));
    }
}

/* The requester had only one chance to refuse the access, and its message may have crossed with the access. */
void rpcrdma_revoked_finish(struct rpcrdma_connection *rpcrdma)
{
    unsigned n = rpcrdma_ring_used(rpcrdma->memory->lates, RPCRDMA_LATES_MAX);

    for (unsigned i = 0; i < n; i++) {
        struct rpcrdma_late *late = &rpcrdma->memory->odd->late[i];

        if (!late->open || late->messages == 0 || rpcrdma->side[late->owner].reset || rpcrdma->options.payload_only)
            continue;
        late->severity = SEVERITY_WARNING;
        revoked_report(rpcrdma, late, &late->place);
    }
}

void rpcrdma_revoked_refused(struct rpcrdma_connection *rpcrdma, unsigned side)
{
    unsigned n = rpcrdma_ring_used(rpcrdma->memory->lates, RPCRDMA_LATES_MAX);

    for (unsigned i = 0; i < n; i++) {
        if (!rpcrdma->memory->odd->late[i].open || rpcrdma->memory->odd->late[i].owner != side)
            continue;
        rpcrdma->memory->odd->late[i].open = false;
        rpcrdma_pass(rpcrdma, RULE_RPCR_4_4_1_01);
    }
}
