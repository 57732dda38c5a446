// SPDX-License-Identifier: GPL-2.0-or-later
/* RDMA_ERROR: who sends it, why, and what it says about the Call (RFC 8166 section 4.5). */
#include "engine/rpcrdma/rpcrdma_reaction.h"

static unsigned client_side(const struct rpcrdma_connection *rpcrdma)
{
    return rpcrdma->client < 0 ? 2 : (unsigned)rpcrdma->client;
}

/* The other side sent a message with this XID that may have been a Call. */
static bool answers_unclear(const struct rpcrdma_connection *rpcrdma, const struct rpcrdma_message *m)
{
    const struct rpcrdma_reaction_state *state = rpcrdma->reaction;
    unsigned side = other_side(m->side);

    for (unsigned i = 0; i < state->n_unclear[side] && i < RPCRDMA_UNCLEAR_MAX; i++) {
        if (state->unclear[side][i] == m->header.xid)
            return true;
    }
    return false;
}

/* The RDMA_ERROR answers no known Call. */
static void error_judge_stray(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *m)
{
    unsigned caller = other_side(m->side);
    bool client = client_side(rpcrdma) == m->side, old = rpcrdma_by_rfc5666(rpcrdma);
    enum rule_id rule = client ? RULE_RPCR_4_2_4_07 : RULE_RPCR_4_5_04;

    if (rpcrdma->client < 0 || m->unsure || !rpcrdma_calls_seen(rpcrdma, caller) || answers_unclear(rpcrdma, m)) {
        rpcrdma_inconclusive(rpcrdma, rule, rpcrdma_calls_doubt(rpcrdma, m->unsure, caller, WHY_READINGS));
        return;
    }
    if (!client) {
        rpcrdma_fail(rpcrdma, m, rule, 0,
                     "expected an RDMA_ERROR to have the XID of an outstanding Call (outstanding: %u); found an "
                     "RDMA_ERROR with XID 0x%08x",
                     rpcrdma->side[caller].calls.outstanding, m->header.xid);
        for (struct rpcrdma_transaction *t = NULL; (t = rpcrdma_next_outstanding(rpcrdma, caller, t));)
            t->ambiguous |= t->fault != 0; /* the error was meant for one of these */
    } else if (old)                        /* RFC 5666 section 4.2 allows either side to send it */
        rpcrdma_fail_as(
            rpcrdma, m, rule, SEVERITY_NOTE, 0,
            "expected no RDMA_ERROR from the requester; found an RDMA_ERROR from the requester with XID 0x%08x",
            m->header.xid);
    else
        rpcrdma_fail(
            rpcrdma, m, rule, 0,
            "expected no RDMA_ERROR from the requester; found an RDMA_ERROR from the requester with XID 0x%08x",
            m->header.xid);
}

/* ---- the content of the error ---- */

static bool judge_kind(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *m)
{
    const struct rpcrdma_transaction *t = m->transaction;
    uint32_t wanted = t->open->call_header.vers == RPCRDMA_VERSION ? RPCRDMA_ERR_CHUNK : RPCRDMA_ERR_VERS;

    if (m->header.err == wanted) {
        rpcrdma_pass(rpcrdma, RULE_RPCR_4_5_07);
        return true;
    }
    rpcrdma_fail(rpcrdma, m, RULE_RPCR_4_5_07, t->call.frame,
                 "expected %s in answer to a Call with rdma_vers %u; found %s in answer to rdma_vers %u",
                 rpcrdma_err_name(wanted), t->open->call_header.vers, rpcrdma_err_name(m->header.err),
                 t->open->call_header.vers);
    return false;
}

static void error_judge_version(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *m)
{
    const struct rpcrdma_transaction *t = m->transaction;

    if (m->header.vers == t->open->call_header.vers)
        rpcrdma_pass(rpcrdma, RULE_RPCR_4_5_05);
    else if (!rpcrdma_by_rfc5666(rpcrdma) ||
             m->header.err != RPCRDMA_ERR_VERS) /* RFC 5666 section 4.2: any valid version */
        rpcrdma_fail(rpcrdma, m, RULE_RPCR_4_5_05, t->call.frame,
                     "expected the Call's rdma_vers %u in the RDMA_ERROR; found rdma_vers %u in the RDMA_ERROR",
                     t->open->call_header.vers, m->header.vers);
}

static void error_judge_range(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *m)
{
    const struct rpcrdma_transaction *t = m->transaction;
    uint32_t low = m->header.vers_low, high = m->header.vers_high, vers = t->open->call_header.vers;

    if (m->header.err != RPCRDMA_ERR_VERS || low > high) /* RPCR-4.1.2-14 */
        return;
    if (low <= RPCRDMA_VERSION && RPCRDMA_VERSION <= high && !(low <= vers && vers <= high))
        rpcrdma_pass(rpcrdma, RULE_RPCR_4_5_1_02);
    else
        rpcrdma_fail(rpcrdma, m, RULE_RPCR_4_5_1_02, t->call.frame,
                     "expected a range of supported versions that includes 1, but not the rejected %u; found a range "
                     "of %u to %u",
                     vers, low, high);
}

/* nfs_refusal_rules.c judges refusals of sound Calls of the forward direction. */
static void judge_cause(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_transaction *t)
{
    if (t->open->call_header.status != RPCRDMA_OK || t->fault != 0)
        rpcrdma_pass(rpcrdma, RULE_RPCR_4_5_12);
    else if (t->reverse)
        verdict_inconclusive(rpcrdma->verdict, RULE_RPCR_4_5_12, WHY_CAUSE, t->call.frame);
}

/* ---- hook ---- */

static void reply_after_error(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *m)
{
    const struct rpcrdma_transaction *t = m->transaction;

    if (m->unsure || t->damage == RPCRDMA_LATE || rpcrdma_hole_since(rpcrdma, t->side, t->answer.frame)) {
        rpcrdma_inconclusive(rpcrdma, RULE_RPCR_4_5_09, rpcrdma_answer_doubt(t, m->unsure, LOST_OR(WHY_UNREAD)));
        return;
    }
    rpcrdma_fail(rpcrdma, m, RULE_RPCR_4_5_09, t->answer.frame,
                 "expected no Reply to XID 0x%08x after the RDMA_ERROR in frame %u; found a Reply after the RDMA_ERROR",
                 t->xid, t->answer.frame);
}

void rpcrdma_error_message(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *m)
{
    const struct rpcrdma_transaction *t = m->transaction;

    if (m->misread)
        return;
    if (m->kind == RPCRDMA_KIND_REPLY) {
        if (!m->faulty && t && t->outcome == RPCRDMA_FAILED)
            reply_after_error(rpcrdma, m);
        return;
    }
    if (m->kind != RPCRDMA_KIND_ERROR)
        return;
    if (!t) {
        if (!m->faulty)
            error_judge_stray(rpcrdma, m);
        return;
    }
    /* rpcrdma_xid_rules.c judges a second answer; error kinds that RFC 5666 leaves open are not judged. */
    if (!rpcrdma_waits(t) || t->damage == RPCRDMA_LATE || m->header.status != RPCRDMA_OK)
        return;
    rpcrdma_pass(rpcrdma, RULE_RPCR_4_5_04);
    rpcrdma_pass(rpcrdma, RULE_RPCR_4_5_09);
    if (client_side(rpcrdma) == m->side || t->reverse)
        rpcrdma_pass(rpcrdma, RULE_RPCR_4_2_4_07);
    error_judge_version(rpcrdma, m);
    if (judge_kind(rpcrdma, m))
        error_judge_range(rpcrdma, m);
    if (!m->faulty)
        judge_cause(rpcrdma, t);
}
