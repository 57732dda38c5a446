// SPDX-License-Identifier: GPL-2.0-or-later
/* What RFC 5531 section 9 requires of the headers of RPC Replies on any transport. Calls: rpcrdma_call_rules.c. */
#include "engine/rpcrdma/rpcrdma_reaction.h"

enum { RPCVERS_AT = 8, AUTH_STAT_MAX = 14 /* RPCSEC_GSS_CTXPROBLEM */ };

/* The Call has an rpcvers other than 2, so nothing else in it can be read. */
static bool other_version(const struct rpcrdma_transaction *t)
{
    const struct rpc_message *call = &t->open->call_body.rpc;

    return call->status == RPC_BAD_VALUE && call->type == RPC_CALL && call->fault_at == RPCVERS_AT;
}

static bool rpc_holds(const struct rpc_message *reply, uint32_t version)
{
    return reply->low <= version && version <= reply->high;
}

/*
 * The flaw of a range of versions, NULL: none. The server supports both ends of the range (RFC 5531 section 9), so the
 * rejected version is not one of them. It may be between them if a server supports, say, versions 2 and 4. The versions
 * known to exist are known_low to known_high.
 */
static const char *flaw(const struct rpc_message *reply, uint32_t rejected, bool known, uint32_t known_low,
                        uint32_t known_high, enum rule_severity *severity)
{
    *severity = SEVERITY_ERROR;
    if (reply->low > reply->high)
        return "the lowest and then the highest supported version";
    if (rejected == reply->low || rejected == reply->high)
        return "a range that neither begins nor ends with the rejected version";
    *severity = SEVERITY_WARNING;
    if (known && (reply->low < known_low || reply->high > known_high))
        return "a range of versions that exist";
    *severity = SEVERITY_NOTE;
    return rpc_holds(reply, rejected) ? "a range without the version that was rejected" : NULL;
}

static void rpc_judge_range(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *m,
                            const struct rpc_message *reply, uint32_t rejected, bool known, uint32_t known_low,
                            uint32_t known_high)
{
    enum rule_severity severity;
    const char *expected = flaw(reply, rejected, known, known_low, known_high, &severity);

    if (!expected)
        rpcrdma_pass(rpcrdma, RULE_RPC_9_03);
    else
        rpcrdma_fail_as(rpcrdma, m, RULE_RPC_9_03, severity, m->transaction->call.frame,
                        "expected %s in answer to version %u; found a range of versions from %u to %u", expected,
                        rejected, reply->low, reply->high);
}

static void judge_mismatch(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *m,
                           const struct rpc_message *reply)
{
    const struct rpcrdma_transaction *t = m->transaction;
    uint32_t version = t->open->call_body.rpc.rpcvers;

    if (reply->reply_stat != RPC_MSG_DENIED || reply->reject_stat != RPC_MISMATCH) {
        rpcrdma_fail(
            rpcrdma, m, RULE_RPC_9_02, t->call.frame,
            "expected RPC_MISMATCH in answer to the Call with rpcvers %u in frame %u; found %s in answer to rpcvers %u",
            version, t->call.frame,
            reply->reply_stat == RPC_MSG_DENIED ? "AUTH_ERROR" : rpc_accept_stat_name(reply->accept_stat), version);
        return;
    }
    rpcrdma_pass(rpcrdma, RULE_RPC_9_02);
    rpc_judge_range(rpcrdma, m, reply, version, true, RPC_VERSION, RPC_VERSION);
}

static void judge_denied(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *m, const struct rpc_message *reply)
{
    const struct rpcrdma_transaction *t = m->transaction;

    if (reply->reject_stat == RPC_MISMATCH)
        rpcrdma_fail(rpcrdma, m, RULE_RPC_9_04, t->call.frame,
                     "expected no RPC_MISMATCH for the Call in frame %u, whose rpcvers is 2; found an RPC_MISMATCH, "
                     "with %u to %u supported",
                     t->call.frame, reply->low, reply->high);
    else if (reply->auth_stat == 0)
        rpcrdma_fail(rpcrdma, m, RULE_RPC_9_06, t->call.frame,
                     "expected a reason for the AUTH_ERROR; found AUTH_OK in an AUTH_ERROR");
    else if (reply->auth_stat > AUTH_STAT_MAX) /* more values may be assigned: section 13.5 */
        rpcrdma_fail_as(
            rpcrdma, m, RULE_RPC_9_06, SEVERITY_WARNING, t->call.frame,
            "expected a reason for the AUTH_ERROR that is assigned, 1 to %u; found reason %u for the AUTH_ERROR",
            (unsigned)AUTH_STAT_MAX, reply->auth_stat);
    else
        rpcrdma_pass(rpcrdma, RULE_RPC_9_06);
}

/* Versions from low to high are supported; the version of the Call must not be. */
static void rpc_judge_program(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *m,
                              const struct rpc_message *reply)
{
    const struct rpc_message *call = &m->transaction->open->call_body.rpc;
    uint32_t low = 0, high = 0;
    bool known = nfs_program_versions(call->prog, &low, &high);

    rpc_judge_range(rpcrdma, m, reply, call->vers, known, low, high);
}

void rpcrdma_rpc_reply(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *m)
{
    const struct rpcrdma_transaction *t = m->transaction;
    const struct rpc_message *reply = m->has_rpc ? &m->rpc : &t->open->reply_body.rpc;

    if ((!m->has_rpc && !t->open->reply_body.known) || reply->status != RPC_OK || reply->type != RPC_REPLY)
        return;
    if (other_version(t)) {
        judge_mismatch(rpcrdma, m, reply);
        return;
    }
    if (!t->open->call_body.known)
        return;
    if (reply->reply_stat == RPC_MSG_DENIED) {
        judge_denied(rpcrdma, m, reply);
        return;
    }
    rpcrdma_pass(rpcrdma, RULE_RPC_9_04);
    if (reply->accept_stat == RPC_PROG_MISMATCH)
        rpc_judge_program(rpcrdma, m, reply);
    rpcrdma_program_reply(rpcrdma, m, reply);
}
