// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Versions and procedures that a program lacks cannot be carried out: RFC 5531 section 9 has PROG_MISMATCH and
 * PROC_UNAVAIL for them. Programs: RFC 1094, 1813, 1833, 7530, 8881, and for NLM, NSM and NFSACL the X/Open and common
 * definitions with the additions that are known of implementations.
 */
#include "engine/rpcrdma/rpcrdma_reaction.h"

enum { VERSIONS_MAX = 5, NONE = -1, CALLBACK_VERSION_MAX = 4, CALLBACK_LAST = 1 };

static const struct program {
    uint32_t number;
    enum rule_severity severity; /* an error where an RFC defines all its versions */
    int16_t last[VERSIONS_MAX];  /* procedure of each version; NONE: no such version */
} programs[] = {
    {NFS_PROGRAM, SEVERITY_ERROR, {NONE, NONE, 17, 21, 1}},
    {NFS_PROGRAM_MOUNT, SEVERITY_WARNING, {NONE, 7, 7, 5, NONE}},
    {NFS_PROGRAM_NLM, SEVERITY_WARNING, {NONE, 23, 23, 23, 23}},
    {NFS_PROGRAM_NSM, SEVERITY_WARNING, {NONE, 6, NONE, NONE, NONE}},
    {NFS_PROGRAM_ACL, SEVERITY_WARNING, {NONE, NONE, 5, 3, NONE}},
    {NFS_PROGRAM_RPCBIND, SEVERITY_ERROR, {NONE, NONE, 5, 8, 12}},
};

static const struct program *find(uint32_t number)
{
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        if (programs[i].number == number)
            return &programs[i];
    }
    return NULL;
}

static bool has_version(const struct program *program, uint32_t version)
{
    return version < VERSIONS_MAX && program->last[version] != NONE;
}

bool rpcrdma_program_versions(uint32_t number, uint32_t *low, uint32_t *high)
{
    const struct program *program = find(number);

    if (!program)
        return false;
    for (*low = 0; !has_version(program, *low);)
        ++*low;
    for (*high = VERSIONS_MAX - 1; !has_version(program, *high);)
        --*high;
    return true;
}

/* What the server carried out is certainly this Call, as the client wrote it. */
static bool certain(const struct rpcrdma_transaction *t)
{
    const struct rpc_message *call = &t->call_body.rpc;

    /* RPCSEC_GSS context control may have any procedure. */
    return !t->damaged && !t->misread &&
           (call->cred.flavor != RPC_AUTH_GSS || (call->has_gss && call->gss_proc == RPC_GSS_DATA));
}

/* RULE_COUNT: the program has this version and procedure, or is not known well enough. */
static enum rule_id lacking(const struct rpcrdma_transaction *t, enum rule_severity *severity)
{
    const struct rpc_message *call = &t->call_body.rpc;
    const struct program *program = find(call->prog);

    *severity = SEVERITY_WARNING; /* the numbers of callback programs are the client's choice */
    if (t->reverse && call->prog >= NFS_PROGRAM_CALLBACK_FIRST && call->prog <= NFS_PROGRAM_CALLBACK_LAST) {
        if (call->vers == 0 || call->vers > CALLBACK_VERSION_MAX)
            return RULE_RPC_9_07;
        return call->proc > CALLBACK_LAST ? RULE_RPC_9_08 : RULE_COUNT;
    }
    if (!program)
        return RULE_COUNT;
    *severity = program->severity;
    if (!has_version(program, call->vers))
        return RULE_RPC_9_07;
    return call->proc > (uint32_t)program->last[call->vers] ? RULE_RPC_9_08 : RULE_COUNT;
}

void rpcrdma_program_reply(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *m,
                           const struct rpc_message *reply)
{
    const struct rpcrdma_transaction *t = m->transaction;
    const struct rpc_message *call = &t->call_body.rpc;
    enum rule_severity severity;
    enum rule_id rule = lacking(t, &severity);

    if (rule == RULE_COUNT)
        return;
    if (reply->accept_stat != RPC_SUCCESS)
        rpcrdma_pass(rpcrdma, rule);
    else if (!certain(t))
        rpcrdma_inconclusive(rpcrdma, rule);
    else if (rule == RULE_RPC_9_07)
        rpcrdma_fail_as(rpcrdma, m, rule, severity, t->call.frame,
                        "expected PROG_MISMATCH for the Call in frame %u, as program %u has no version %u; found "
                        "SUCCESS",
                        t->call.frame, call->prog, call->vers);
    else
        rpcrdma_fail_as(rpcrdma, m, rule, severity, t->call.frame,
                        "expected PROC_UNAVAIL for the Call in frame %u, as version %u of program %u has no procedure "
                        "%u; found SUCCESS",
                        t->call.frame, call->vers, call->prog, call->proc);
}
