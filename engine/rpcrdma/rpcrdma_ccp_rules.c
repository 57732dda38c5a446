// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The Connection Configuration Protocol (RFC 5666 section 6, program 100417), which RFC 8166 removed: with the RFC 5666
 * profile its limits apply, otherwise its use is a note. The arguments and results have three words each:
 *
 *   Call   maxcall_sendsize, maxreply_sendsize, maxrdmaread
 *   Reply  maxcall_sendsize, align,             maxrdmaread
 */
#include "engine/core/words.h"
#include "engine/rpcrdma/rpcrdma_internal.h"
#include "wire/invariant.h"

enum { CCP_PROGRAM = 100417, CCP_VERSION = 1, CCP_CONF_RDMA = 1, CCP_WORDS = 3 };

struct rpcrdma_ccp {
    bool asked, agreed; /* a Call was seen; a Reply was seen */
    unsigned client;    /* the side that sent the Call */
    uint32_t maxcall, maxreply;
    uint32_t client_reads, server_reads; /* maxrdmaread of the Call, of the Reply */
    uint32_t reading[2];                 /* RDMA Reads that a side has requested and that have no answer yet */
    bool reads_reported;
    uint64_t agreed_at; /* stream offset of the Reply */
    uint32_t asked_frame, agreed_frame;
};

struct rpcrdma_ccp *rpcrdma_ccp_new(struct arena *arena)
{
    return arena_zeroed(arena, sizeof(struct rpcrdma_ccp));
}

bool rpcrdma_ccp_agreed(const struct rpcrdma_ccp *ccp)
{
    return ccp->agreed;
}

/* The three words of arguments or results. */
static bool words(const struct rpcrdma_message *m, uint32_t out[CCP_WORDS])
{
    uint32_t from = m->header.header_len + m->rpc.header_len;
    struct xdr x;

    if (m->lacking > 0 || from > m->n)
        return false;
    x = xdr_begin(m->p + from, m->n - from);
    return xdr_u32(&x, &out[0]) && xdr_u32(&x, &out[1]) && xdr_u32(&x, &out[2]);
}

static bool conf_rdma(const struct rpc_message *call)
{
    return call->prog == CCP_PROGRAM && call->vers == CCP_VERSION && call->proc == CCP_CONF_RDMA;
}

static void note_call(struct rpcrdma_connection *rpcrdma, struct rpcrdma_ccp *ccp, struct rpcrdma_message *m)
{
    uint32_t w[CCP_WORDS];

    if (m->rpc.cred.flavor == RPC_AUTH_NONE)
        rpcrdma_fail(rpcrdma, m, RULE_RPCR0_11_02, 0,
                     "expected a security flavor that protects CONF_RDMA; found AUTH_NONE");
    else
        rpcrdma_pass(rpcrdma, RULE_RPCR0_11_02);
    if (!conf_rdma(&m->rpc) || rpc_gss_protects(&m->rpc) || !words(m, w))
        return;
    ccp->asked = true;
    ccp->agreed = false;
    ccp->client = m->side;
    ccp->maxreply = w[1];
    ccp->client_reads = w[2];
    ccp->asked_frame = m->place.frame;
    INVARIANT(ccp->client < 2);
}

static void note_reply(struct rpcrdma_ccp *ccp, const struct rpcrdma_message *m)
{
    uint32_t w[CCP_WORDS];

    if (!ccp->asked || !m->has_rpc || m->rpc.status != RPC_OK || m->rpc.type != RPC_REPLY ||
        m->rpc.reply_stat != RPC_MSG_ACCEPTED || m->rpc.accept_stat != RPC_SUCCESS || !words(m, w))
        return;
    ccp->agreed = true;
    ccp->maxcall = w[0];
    ccp->server_reads = w[2];
    ccp->agreed_at = m->place.offset;
    ccp->agreed_frame = m->place.frame;
    INVARIANT(ccp->asked && ccp->client < 2);
}

static void ccp_judge_call(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_ccp *ccp, struct rpcrdma_message *m)
{
    uint32_t n = m->n - m->header.header_len;

    if (!ccp->agreed || m->side != ccp->client || m->unsure ||
        (rpcrdma_acked(rpcrdma, m) && m->acked <= ccp->agreed_at))
        return;
    if (!m->has_rpc || n <= ccp->maxcall)
        rpcrdma_pass(rpcrdma, RULE_RPCR0_6_2_01);
    else
        rpcrdma_fail(rpcrdma, m, RULE_RPCR0_6_2_01, ccp->agreed_frame,
                     "expected an inline Call of at most %u octets, the server's maxcall_sendsize; found an inline "
                     "Call of %u octets",
                     (unsigned)ccp->maxcall, (unsigned)n);
    if (ccp->server_reads > 0 || m->header.read.n == 0)
        rpcrdma_pass(rpcrdma, RULE_RPCR0_6_2_04);
    else if (!m->faulty)
        rpcrdma_fail(rpcrdma, m, RULE_RPCR0_6_2_04, ccp->agreed_frame,
                     "expected no Read list, as the server's maxrdmaread is 0; found a Read list of %u segment%s",
                     (unsigned)m->header.read.n, plural(m->header.read.n));
}

static void ccp_judge_reply(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_ccp *ccp,
                            struct rpcrdma_message *m)
{
    uint32_t n = m->n - m->header.header_len;

    if (!ccp->agreed || m->side == ccp->client)
        return;
    if (!m->has_rpc || n <= ccp->maxreply)
        rpcrdma_pass(rpcrdma, RULE_RPCR0_6_2_02);
    else
        rpcrdma_fail(rpcrdma, m, RULE_RPCR0_6_2_02, ccp->asked_frame,
                     "expected an inline Reply of at most %u octets, the client's maxreply_sendsize; found an inline "
                     "Reply of %u octets",
                     (unsigned)ccp->maxreply, (unsigned)n);
}

void rpcrdma_ccp_message(struct rpcrdma_connection *rpcrdma, struct rpcrdma_ccp *ccp, struct rpcrdma_message *m)
{
    bool call = m->kind == RPCRDMA_KIND_CALL && m->has_rpc && m->rpc.status == RPC_OK && m->rpc.type == RPC_CALL;

    if (m->header.status != RPCRDMA_OK || m->faulty)
        return;
    if (!rpcrdma_by_rfc5666(rpcrdma)) {
        if (call && m->rpc.prog == CCP_PROGRAM)
            rpcrdma_fail(rpcrdma, m, RULE_EXP_7_1_1_01, 0,
                         "expected no use of the Connection Configuration Protocol; found a Call to program %u",
                         (unsigned)CCP_PROGRAM);
        else if (call)
            rpcrdma_pass(rpcrdma, RULE_EXP_7_1_1_01);
        return;
    }
    if (call && m->rpc.prog == CCP_PROGRAM)
        note_call(rpcrdma, ccp, m);
    else if (m->kind == RPCRDMA_KIND_CALL)
        ccp_judge_call(rpcrdma, ccp, m);
    if (m->kind != RPCRDMA_KIND_REPLY)
        return;
    if (m->transaction && rpcrdma_waits(m->transaction) && m->transaction->open->call_body.known &&
        conf_rdma(&m->transaction->open->call_body.rpc))
        note_reply(ccp, m);
    else
        ccp_judge_reply(rpcrdma, ccp, m);
}

/* Each side announces how many concurrent RDMA Reads it can serve. */
void rpcrdma_ccp_move(struct rpcrdma_connection *rpcrdma, struct rpcrdma_ccp *ccp, const struct rpcrdma_move *move)
{
    unsigned reader = move->kind == RDMA_READ ? move->side : other_side(move->side);
    uint32_t limit = reader == ccp->client ? ccp->server_reads : ccp->client_reads;

    if (move->kind == RDMA_READ_RESPONSE && move->last && ccp->reading[reader] > 0)
        ccp->reading[reader]--;
    if (move->kind != RDMA_READ)
        return;
    ccp->reading[reader]++;
    INVARIANT(ccp->reading[reader] > 0 && (!ccp->agreed || ccp->asked));
    if (!ccp->agreed)
        return;
    if (rpcrdma->side[other_side(reader)].hole || move->unsure)
        rpcrdma_inconclusive(rpcrdma, RULE_RPCR0_6_2_03, move->unsure ? WHY_ORDER : LOST_OR(WHY_HOLE));
    else if (ccp->reading[reader] <= limit)
        rpcrdma_pass(rpcrdma, RULE_RPCR0_6_2_03);
    else if (!ccp->reads_reported)
        rpcrdma_fail_at(rpcrdma, &move->place, RULE_RPCR0_6_2_03, ccp->agreed_frame,
                        "expected at most %u RDMA Read%s in progress, the maxrdmaread of the side being read; found %u "
                        "RDMA Reads in progress",
                        (unsigned)limit, plural(limit), (unsigned)ccp->reading[reader]);
    ccp->reads_reported |= ccp->reading[reader] > limit;
}
