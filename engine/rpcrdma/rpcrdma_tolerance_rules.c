// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Answers that a client must tolerate: an RDMA_ERROR ends only its own RPC (RFC 8267 section 6.6), and the client
 * ignores the Write list of a Reply without bulk data, whatever it contains. The client's reaction shows only if the
 * client ends the connection at once. Since there may be other reasons, engine/across/across.c has the last word.
 */
#include "engine/rpcrdma/rpcrdma_reaction.h"
#include "wire/invariant.h"

void rpcrdma_tolerate(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_message *m, enum rule_id rule)
{
    const struct rpcrdma_transaction *t = m->transaction;

    if (!t || t->reverse || t->damage == RPCRDMA_LATE || t->ambiguous || (int)t->side != rpcrdma->client)
        return;
    rpcrdma->reaction->tolerance =
        (struct rpcrdma_tolerance){.open = true, .rule = rule, .xid = m->header.xid, .place = m->place};
    INVARIANT(rule < RULE_COUNT && rpcrdma->client >= 0);
}

static bool tolerance_is_nfs4(const struct rpcrdma_body *call)
{
    return call->known && nfs_is_version(&call->rpc, 4);
}

/* With any Write list; rpcrdma_pairing_rules.c judges whether the list is correct. */
static bool failed_without_data(const struct rpcrdma_transaction *t)
{
    unsigned i = 0;
    const struct nfs_value *status = rpcrdma_value(&t->open->reply_body, NFS_MARK_STATUS, 0, &i);

    return rpcrdma_waits(t) && t->n_writes > 0 && t->open->octets_written == 0 && status && status->value != 0;
}

void rpcrdma_tolerance_message(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_message *m)
{
    struct rpcrdma_tolerance *tolerance = &rpcrdma->reaction->tolerance;

    if (tolerance->open && m->place.side != tolerance->place.side && m->received > tolerance->place.offset) {
        rpcrdma_pass(rpcrdma, tolerance->rule);
        rpcrdma_record_tolerated(rpcrdma, tolerance->rule);
        tolerance->open = false;
    } else if (m->place.side == tolerance->place.side && m->place.offset != tolerance->place.offset) {
        tolerance->open = false; /* the client's next action may be a reaction to this message */
    }
    if (m->kind == RPCRDMA_KIND_ERROR && m->transaction && tolerance_is_nfs4(&m->transaction->open->call_body) &&
        rpcrdma_waits(m->transaction))
        rpcrdma_tolerate(rpcrdma, m, RULE_NFSULB_6_6_03);
    else if (m->kind == RPCRDMA_KIND_REPLY && m->transaction && failed_without_data(m->transaction))
        rpcrdma_tolerate(rpcrdma, m, RULE_EXP_3_9_03);
}

/* The end is known to be the client's reaction. */
static bool is_prompt(const struct rpcrdma_connection *rpcrdma, const struct place *end)
{
    const struct rpcrdma_tolerance *tolerance = &rpcrdma->reaction->tolerance;

    return !rpcrdma_hole_since(rpcrdma, 0, tolerance->place.frame) &&
           !rpcrdma_hole_since(rpcrdma, 1, tolerance->place.frame) && !rpcrdma->closing.missing[end->side] &&
           !rpcrdma->closing.forgotten && rpcrdma->closing.acked > tolerance->place.offset &&
           end->time_ns - tolerance->place.time_ns < rpcrdma->options.t_react;
}

void rpcrdma_tolerance_end(struct rpcrdma_connection *rpcrdma, unsigned side, bool reset, const struct place *place)
{
    struct rpcrdma_tolerance *tolerance = &rpcrdma->reaction->tolerance;
    struct rpcrdma_across_drop drop = {
        .any = true, .closed = !reset, .rule = tolerance->rule, .place = *place, .culprit = tolerance->place};
    bool prompt = is_prompt(rpcrdma, place);

    if (!tolerance->open || (int)side != rpcrdma->client)
        return;
    tolerance->open = false;
    /* A client that cannot mount because of an RDMA_ERROR also closes. */
    if (prompt && (reset || tolerance->rule == RULE_EXP_3_9_03))
        rpcrdma_record_drop(rpcrdma, &drop);
    else if (reset)
        verdict_inconclusive(rpcrdma->verdict, tolerance->rule, LOST_OR(WHY_CAUSE), place->frame);
    if (reset && prompt)
        rpcrdma_fail_at_as(
            rpcrdma, place, tolerance->rule, SEVERITY_NOTE, tolerance->place.frame,
            "expected the client to go on after the %s with XID 0x%08x in frame %u; found RST from the client",
            tolerance->rule == RULE_NFSULB_6_6_03 ? "RDMA_ERROR" : "Reply", tolerance->xid, tolerance->place.frame);
    else if (!reset && rpcrdma->side[side].calls.outstanding == 0) /* a client that has finished closes like this */
        rpcrdma_pass(rpcrdma, tolerance->rule);
}
