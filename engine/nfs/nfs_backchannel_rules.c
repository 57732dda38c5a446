// SPDX-License-Identifier: GPL-2.0-or-later
/* Callbacks on the client's connection: RFC 8267 section 6.5, RFC 8167 sections 3.2 and 6. */
#include "engine/nfs/nfs_internal.h"
#include "wire/invariant.h"

enum {
    OPEN_DELEGATE_READ = 1,
    OPEN_DELEGATE_WRITE = 2,
};

static bool backchannel_is_callback(uint32_t program)
{
    return program >= NFS_PROGRAM_CALLBACK_FIRST && program <= NFS_PROGRAM_CALLBACK_LAST;
}

/* Whether the client has agreed to take Calls on this connection. */
static void judge_permission(struct nfs_look *look, const struct rpcrdma_message *message)
{
    struct nfs_connection *nfs = look->nfs;

    if (nfs->backchannel.agreed || nfs->sessions.back_asked > 0) {
        nfs_pass(look, RULE_BIDI_6_01);
        nfs_pass(look, RULE_BIDI_6_02);
        nfs_pass(look, RULE_BIDI_3_2_02);
        return;
    }
    if (!nfs_all_seen(nfs) || message->unsure) {
        nfs_inconclusive(look, RULE_BIDI_6_01, nfs_doubt(nfs, message->unsure, WHY_ORDER));
        nfs_inconclusive(look, RULE_BIDI_6_02, nfs_doubt(nfs, message->unsure, WHY_ORDER));
        nfs_inconclusive(look, RULE_BIDI_3_2_02, nfs_doubt(nfs, message->unsure, WHY_ORDER));
        return;
    }
    if (nfs->backchannel.reported_reverse)
        return;
    nfs->backchannel.reported_reverse = true;
    if (nfs->sessions.asked)
        nfs_fail(look, RULE_BIDI_3_2_02,
                 "expected CREATE_SESSION or BIND_CONN_TO_SESSION to set up a backchannel before a Call from the "
                 "server; found a session without a backchannel on this connection");
    else if (nfs->minors.later)
        nfs_fail(look, RULE_BIDI_6_02,
                 "expected CREATE_SESSION or BIND_CONN_TO_SESSION on this connection before a Call from the server; "
                 "found a Call from the server before any CREATE_SESSION or BIND_CONN_TO_SESSION");
    else if (nfs->minors.zero)
        nfs_fail(look, RULE_NFSULB_6_5_1_01,
                 "expected NFSv4.0 callbacks on a connection of their own; found a Call from the server");
    else
        /* Other programs may have their own way for the client to agree, but not before its first Call. */
        nfs_fail_as(look, RULE_BIDI_6_01, nfs->forward_calls == 0 ? SEVERITY_ERROR : SEVERITY_WARNING,
                    "expected the client to agree to take Calls before the server sends one; found a Call to program "
                    "%#x, procedure %u",
                    look->body->rpc.prog, look->body->rpc.proc);
}

static bool has_chunks(const struct rpcrdma_message *message)
{
    const struct rpcrdma_header *h = &message->header;

    return h->proc != RPCRDMA_MSG || h->read.n > 0 || h->write.n > 0 || h->has_reply;
}

/* The largest backchannel ca_maxrequestsize of all sessions created here, because the Call's session may be unknown. */
static uint32_t largest_request(const struct nfs_connection *nfs)
{
    uint32_t largest = 0;

    for (unsigned i = 0; i < nfs->sessions.n && i < NFS_SESSIONS_MAX; i++) {
        if (nfs->sessions.session[i].limits.back_maxrequest > largest)
            largest = nfs->sessions.session[i].limits.back_maxrequest;
    }
    return largest;
}

/* The smaller of the two thresholds. The client's ca_maxrequestsize must exceed it. */
static uint32_t smaller_threshold(const struct nfs_connection *nfs, bool *known)
{
    bool negotiated[2];
    uint32_t a = rpcrdma_connection_threshold(nfs->rpcrdma, 0, &negotiated[0]);
    uint32_t b = rpcrdma_connection_threshold(nfs->rpcrdma, 1, &negotiated[1]);

    *known = negotiated[0] && negotiated[1];
    return *known ? (a < b ? a : b) : RPCRDMA_INLINE_DEFAULT;
}

static void backchannel_judge_size(struct nfs_look *look, const struct rpcrdma_message *message)
{
    struct nfs_connection *nfs = look->nfs;
    uint32_t largest = largest_request(nfs), threshold;
    bool known;

    if (nfs->options.profile == PROFILE_RFC5666) /* RFC 5667 section 5.1 allows it */
        return;
    if (!has_chunks(message)) {
        nfs_pass(look, RULE_NFSULB_6_5_2_06);
        return;
    }
    threshold = smaller_threshold(nfs, &known);
    if (nfs->sessions.n == 0 || nfs->sessions.n > NFS_SESSIONS_MAX || !nfs_all_seen(nfs) || message->unsure)
        nfs_inconclusive(look, RULE_NFSULB_6_5_2_06,
                         nfs_doubt(nfs, message->unsure, nfs->sessions.n == 0 ? WHY_ELSEWHERE : WHY_MEMORY));
    else if (largest <= threshold)
        nfs_fail(
            look, RULE_NFSULB_6_5_2_06,
            "expected a Short message without chunks, as the client's backchannel ca_maxrequestsize of %u does not "
            "exceed the inline threshold of %u; found an %s%s",
            largest, threshold, rpcrdma_proc_name(message->header.proc),
            message->header.proc == RPCRDMA_MSG ? " with chunks" : "");
    else if (known)
        nfs_pass(look, RULE_NFSULB_6_5_2_06);
    else
        nfs_inconclusive(look, RULE_NFSULB_6_5_2_06, nfs_doubt(nfs, false, WHY_AGREED));
}

/* Programs that only a server offers: the client cannot have agreed to serve them. */
static void backchannel_judge_program(struct nfs_look *look, const struct rpcrdma_message *message)
{
    struct nfs_connection *nfs = look->nfs;
    uint32_t program = look->body->rpc.prog;

    if (program != NFS_PROGRAM && program != NFS_PROGRAM_MOUNT && program != NFS_PROGRAM_ACL &&
        program != NFS_PROGRAM_RPCBIND)
        return;
    if (nfs->forward_calls == 0) /* the server opened the connection: RPCR-2.2.3-01 */
        return;
    if (!nfs_all_seen(nfs) || message->unsure)
        nfs_inconclusive(look, RULE_BIDI_6_01, nfs_doubt(nfs, message->unsure, WHY_ORDER));
    else if (!nfs->backchannel.reported_program)
        nfs_fail(look, RULE_BIDI_6_01,
                 "expected Calls from the server to a program of the client, such as its callback program; found a "
                 "Call to %s, procedure %u",
                 nfs_program_name(program) ? nfs_program_name(program) : "rpcbind", look->body->rpc.proc);
    nfs->backchannel.reported_program = true;
}

void nfs_backchannel_message(struct nfs_look *look, const struct rpcrdma_message *message)
{
    if (message->misread || look->t->misread || look->t->repeats)
        return;
    /* The program of a Long Call is still unknown, but with sessions the caller here is the NFS server. */
    if (look->body->known && !backchannel_is_callback(look->body->rpc.prog)) {
        backchannel_judge_program(look, message);
        return;
    }
    if (look->body->known)
        judge_permission(look, message);
    if (look->body->known ? look->exchange->minor > 0 : look->nfs->minors.later)
        backchannel_judge_size(look, message);
}

void nfs_backchannel_finish(struct nfs_connection *nfs)
{
    if (nfs->minors.zero && !nfs->minors.later && !nfs->backchannel.reported_reverse && nfs_all_seen(nfs))
        verdict_passed(nfs->verdict, RULE_NFSULB_6_5_1_01);
}

void nfs_backchannel_reply(struct nfs_look *look)
{
    uint32_t most = look->exchange->limits.back_maxresponse;
    const struct rpcrdma_body *body = look->body;

    if (!nfs_understood(body) || !body->procedure->callback || look->exchange->minor < 1)
        return;
    if (most == 0)
        nfs_inconclusive(look, RULE_NFSULB_6_5_2_02, nfs_doubt(look->nfs, false, WHY_ELSEWHERE));
    else if (body->unreduced > most)
        nfs_fail(
            look, RULE_NFSULB_6_5_2_02,
            "expected a Reply of at most %u octets, the backchannel's ca_maxresponsesize; found a Reply of %llu octets",
            most, (unsigned long long)body->unreduced);
    else
        nfs_pass(look, RULE_NFSULB_6_5_2_02);
}

/* Counts delegations that were returned or ended with their session. */
static void note_returned(struct nfs_connection *nfs, const struct rpcrdma_body *body)
{
    for (unsigned i = 0; i < body->n_operations; i++) {
        const struct nfs_operation *operation = &body->operations[i];

        if (!operation->has_status || operation->status != 0)
            continue;
        if (operation->op == NFS_OP_DELEGRETURN && nfs->backchannel.delegations > 0)
            nfs->backchannel.delegations--;
        else if (operation->op == NFS_OP_DESTROY_SESSION)
            nfs->backchannel.delegations = 0;
    }
    INVARIANT(nfs->backchannel.delegated || nfs->backchannel.delegations == 0);
}

bool nfs_connection_delegated(const struct nfs_connection *nfs, unsigned *left)
{
    *left = nfs->backchannel.delegations;
    return nfs->backchannel.agreed && nfs->backchannel.delegated;
}

void nfs_delegation_reply(struct nfs_look *look)
{
    struct nfs_connection *nfs = look->nfs;
    const struct nfs_value *value;
    unsigned i = 0;

    if (look->exchange->minor < 1)
        return;
    note_returned(nfs, look->body);
    while ((value = rpcrdma_value(look->body, NFS_MARK_DELEGATION, NFS_OP_OPEN, &i))) {
        if (value->value != OPEN_DELEGATE_READ && value->value != OPEN_DELEGATE_WRITE)
            continue;
        nfs->backchannel.delegations++;
        nfs->backchannel.delegated = true;
        INVARIANT(nfs->backchannel.delegations > 0);
        if (nfs->backchannel.agreed)
            nfs_pass(look, RULE_BIDI_3_2_03);
        else if (!nfs_all_seen(nfs) || look->exchange->limits.fore_maxresponse == 0 || nfs->sessions.back_asked > 0)
            nfs_inconclusive(look, RULE_BIDI_3_2_03,
                             nfs_doubt(nfs, false, WHY_ELSEWHERE)); /* the session was created on another connection */
        else if (!nfs->backchannel.reported_delegation) {
            nfs->backchannel.reported_delegation = true;
            nfs_fail(look, RULE_BIDI_3_2_03,
                     "expected no delegation without a backchannel; found a %s delegation in a session created without "
                     "a backchannel",
                     value->value == OPEN_DELEGATE_READ ? "read" : "write");
        }
    }
}
