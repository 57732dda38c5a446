// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A server cannot carry out versions and procedures that a program lacks; RFC 5531 section 9 answers them with
 * PROG_MISMATCH and PROC_UNAVAIL.
 */
#include "engine/rpcrdma/rpcrdma_reaction.h"

/* The server certainly carried out this Call, as the client wrote it. */
static bool certain(const struct rpcrdma_transaction *t)
{
    const struct rpc_message *call = &t->open->call_body.rpc;

    /* RPCSEC_GSS context control may have any procedure. */
    return !t->damage && !t->misread &&
           (call->cred.flavor != RPC_AUTH_GSS || (call->has_gss && call->gss_proc == RPC_GSS_DATA));
}

/* RULE_COUNT: the program has this version and procedure, or too little is known about the program. */
static enum rule_id program_lacking(const struct rpcrdma_transaction *t, enum rule_severity *severity)
{
    static const enum rule_id rules[] = {
        [NFS_LACKS_NOTHING] = RULE_COUNT, [NFS_LACKS_VERSION] = RULE_RPC_9_07, [NFS_LACKS_PROCEDURE] = RULE_RPC_9_08};
    bool by_rfc;
    enum nfs_lack lack = nfs_program_lacks(&t->open->call_body.rpc, t->reverse, &by_rfc);

    *severity = by_rfc ? SEVERITY_ERROR : SEVERITY_WARNING;
    return rules[lack];
}

void rpcrdma_program_reply(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *m,
                           const struct rpc_message *reply)
{
    const struct rpcrdma_transaction *t = m->transaction;
    const struct rpc_message *call = &t->open->call_body.rpc;
    enum rule_severity severity;
    enum rule_id rule = program_lacking(t, &severity);

    if (rule == RULE_COUNT)
        return;
    if (reply->accept_stat != RPC_SUCCESS)
        rpcrdma_pass(rpcrdma, rule);
    else if (!certain(t))
        rpcrdma_inconclusive(rpcrdma, rule, rpcrdma_answer_doubt(t, false, WHY_UNREAD));
    else if (rule == RULE_RPC_9_07)
        rpcrdma_fail_as(rpcrdma, m, rule, severity, t->call.frame,
                        "expected PROG_MISMATCH for the Call in frame %u, as program %u has no version %u; found "
                        "SUCCESS in answer to version %u",
                        t->call.frame, call->prog, call->vers, call->vers);
    else
        rpcrdma_fail_as(rpcrdma, m, rule, severity, t->call.frame,
                        "expected PROC_UNAVAIL for the Call in frame %u, as version %u of program %u has no procedure "
                        "%u; found SUCCESS in answer to procedure %u",
                        t->call.frame, call->vers, call->prog, call->proc, call->proc);
}
