// SPDX-License-Identifier: GPL-2.0-or-later
/* What RFC 5531 section 9 demands of the headers of RPC Replies on any transport. Calls: rpcrdma_call_rules.c. */
#include "engine/rpcrdma_reaction.h"

enum { RPCVERS_AT = 8 };

/* The Call has an rpcvers other than 2, so nothing else in it can be read. */
static bool other_version(const struct rpcrdma_transaction *t)
{
    return t->call_body.rpc.status == RPC_BAD_VALUE && t->call_body.rpc.fault_at == RPCVERS_AT;
}

static bool holds(const struct rpc_message *reply, uint32_t version)
{
    return reply->low <= version && version <= reply->high;
}

static void judge_mismatch(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *m,
                           const struct rpc_message *reply)
{
    const struct rpcrdma_transaction *t = m->transaction;
    uint32_t version = t->call_body.rpc.rpcvers;

    if (reply->reply_stat != RPC_MSG_DENIED || reply->reject_stat != RPC_MISMATCH) {
        rpcrdma_fail(rpcrdma, m, RULE_RPC_9_02, t->call.frame,
                     "expected RPC_MISMATCH in answer to the Call with rpcvers %u in frame %u; found %s", version,
                     t->call.frame,
                     reply->reply_stat == RPC_MSG_DENIED ? "AUTH_ERROR" : rpc_accept_stat_name(reply->accept_stat));
        return;
    }
    rpcrdma_pass(rpcrdma, RULE_RPC_9_02);
    if (holds(reply, RPC_VERSION) && !holds(reply, version))
        rpcrdma_pass(rpcrdma, RULE_RPC_9_03);
    else
        rpcrdma_fail(rpcrdma, m, RULE_RPC_9_03, t->call.frame,
                     "expected a range of supported rpcvers that includes 2, but not the rejected %u; found %u to %u",
                     version, reply->low, reply->high);
}

static void judge_denied(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *m, const struct rpc_message *reply)
{
    const struct rpcrdma_transaction *t = m->transaction;

    if (reply->reject_stat == RPC_MISMATCH)
        rpcrdma_fail(rpcrdma, m, RULE_RPC_9_04, t->call.frame,
                     "expected no RPC_MISMATCH for the Call in frame %u, whose rpcvers is 2; found one, with %u to %u "
                     "supported",
                     t->call.frame, reply->low, reply->high);
    else if (reply->auth_stat == 0)
        rpcrdma_fail(rpcrdma, m, RULE_RPC_9_06, t->call.frame, "expected a reason for the AUTH_ERROR; found AUTH_OK");
    else
        rpcrdma_pass(rpcrdma, RULE_RPC_9_06);
}

/* Versions from low to high are supported, and the Call's is not among them. */
static void judge_program(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *m,
                          const struct rpc_message *reply)
{
    const struct rpcrdma_transaction *t = m->transaction;
    uint32_t version = t->call_body.rpc.vers;

    if (reply->low <= reply->high && !holds(reply, version))
        rpcrdma_pass(rpcrdma, RULE_RPC_9_03);
    else
        rpcrdma_fail(
            rpcrdma, m, RULE_RPC_9_03, t->call.frame,
            "expected the range of supported versions of program %u, without the rejected version %u; found %u to %u",
            t->call_body.rpc.prog, version, reply->low, reply->high);
}

void rpcrdma_rpc_reply(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *m)
{
    const struct rpcrdma_transaction *t = m->transaction;
    const struct rpc_message *reply = m->has_rpc ? &m->rpc : &t->reply_body.rpc;

    if ((!m->has_rpc && !t->reply_body.known) || reply->status != RPC_OK || reply->type != RPC_REPLY)
        return;
    if (other_version(t)) {
        judge_mismatch(rpcrdma, m, reply);
        return;
    }
    if (!t->call_body.known)
        return;
    if (reply->reply_stat == RPC_MSG_DENIED) {
        judge_denied(rpcrdma, m, reply);
        return;
    }
    rpcrdma_pass(rpcrdma, RULE_RPC_9_04);
    if (reply->accept_stat == RPC_PROG_MISMATCH)
        judge_program(rpcrdma, m, reply);
}
