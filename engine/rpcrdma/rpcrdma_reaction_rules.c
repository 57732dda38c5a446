// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How wrong Calls are answered (RFC 8166 sections 4.5, 4.6 and 6.1): the rule that a Call broke decides which answer is
 * required; the actual answer, or its absence, is compared with the required one.
 */
#include "engine/core/heap.h"
#include "engine/rpcrdma/rpcrdma_reaction.h"

#include <stdlib.h>

/* Kinds of answers, as a set. */
enum {
    BY_ERR_VERS = 1,
    BY_ERR_CHUNK = 2,
    BY_RPC_ERROR = 4, /* GARBAGE_ARGS, or another status for a Call that was not carried out */
    BY_SUCCESS = 8,
    BY_SILENCE = 16, /* until the end of the capture, or a close */
};

static const struct rpcrdma_demand demands[] = {
    {RULE_RPCR_4_2_2_01, RULE_RPCR_4_5_1_01, BY_ERR_VERS, BY_ERR_CHUNK, "ERR_VERS"},
    {RULE_RPCR_4_02, RULE_RPCR_4_5_1_01, BY_ERR_VERS, BY_ERR_CHUNK, "ERR_VERS"},
    {RULE_RPCR_4_1_2_01, RULE_RPCR_4_5_1_01, BY_ERR_VERS, BY_ERR_CHUNK, "ERR_VERS"},
    {RULE_RPCR_4_02, RULE_RPCR_4_5_2_01, BY_ERR_CHUNK, BY_ERR_VERS, "ERR_CHUNK"},
    {RULE_RPCR_4_1_2_01, RULE_RPCR_4_5_2_01, BY_ERR_CHUNK, BY_ERR_VERS | BY_SUCCESS | BY_RPC_ERROR, "ERR_CHUNK"},
    {RULE_RPCR_4_1_2_03, RULE_RPCR_4_5_2_01, BY_ERR_CHUNK, BY_ERR_VERS, "ERR_CHUNK"},
    {RULE_RPCR_4_1_2_04, RULE_RPCR_4_5_2_01, BY_ERR_CHUNK, BY_ERR_VERS, "ERR_CHUNK"},
    {RULE_RPCR_4_1_2_05, RULE_RPCR_4_5_2_01, BY_ERR_CHUNK, BY_ERR_VERS, "ERR_CHUNK"},
    {RULE_RPCR_4_1_2_06, RULE_RPCR_4_5_2_01, BY_ERR_CHUNK, BY_ERR_VERS | BY_SUCCESS | BY_RPC_ERROR, "ERR_CHUNK"},
    {RULE_RPCR_4_1_2_07, RULE_RPCR_4_5_2_01, BY_ERR_CHUNK, BY_ERR_VERS | BY_SUCCESS | BY_RPC_ERROR, "ERR_CHUNK"},
    {RULE_RPCR_4_1_2_08, RULE_RPCR_4_5_2_01, BY_ERR_CHUNK, BY_ERR_VERS, "ERR_CHUNK"},
    {RULE_RPCR_4_1_2_09, RULE_RPCR_4_5_2_01, BY_ERR_CHUNK, BY_ERR_VERS, "ERR_CHUNK"},
    {RULE_RPCR_4_1_2_11, RULE_RPCR_4_5_2_01, BY_ERR_CHUNK, BY_ERR_VERS, "ERR_CHUNK"},
    {RULE_RPCR_3_4_6_01, RULE_RPCR_4_5_2_01, BY_ERR_CHUNK, BY_ERR_VERS, "ERR_CHUNK"},
    {RULE_RPCR_3_4_6_03, RULE_RPCR_4_5_2_01, BY_ERR_CHUNK, BY_ERR_VERS, "ERR_CHUNK"},
    {RULE_RPCR_4_1_2_02, RULE_RPCR_4_5_2_02, BY_ERR_CHUNK, BY_ERR_VERS, "ERR_CHUNK"},
    {RULE_RPCR_4_2_4_04, RULE_RPCR_4_5_2_03, BY_ERR_CHUNK, BY_ERR_VERS, "ERR_CHUNK"},
    {RULE_RPCR_4_2_4_05, RULE_RPCR_4_5_2_05, BY_ERR_CHUNK, BY_ERR_VERS, "ERR_CHUNK"},
    {RULE_RPCR_4_2_1_01, RULE_RPCR_4_5_2_04, BY_ERR_CHUNK | BY_SUCCESS | BY_RPC_ERROR, BY_ERR_VERS,
     "ERR_CHUNK, or a Reply with its rdma_xid"},
    {RULE_RPCR_3_2_03, RULE_RPCR_4_5_2_04, BY_ERR_CHUNK | BY_RPC_ERROR, BY_ERR_VERS | BY_SUCCESS, "ERR_CHUNK"},
    {RULE_RPCR_3_2_04, RULE_RPCR_4_5_2_04, BY_ERR_CHUNK | BY_RPC_ERROR, BY_ERR_VERS | BY_SUCCESS, "ERR_CHUNK"},
    {RULE_RPCR_3_5_3_05, RULE_RPCR_4_5_2_06, BY_ERR_CHUNK | BY_RPC_ERROR, BY_ERR_VERS | BY_SUCCESS,
     "ERR_CHUNK or GARBAGE_ARGS"},
    {RULE_RPCR_3_4_5_04, RULE_RPCR_4_5_2_08, BY_ERR_CHUNK | BY_RPC_ERROR, BY_ERR_VERS, "ERR_CHUNK or GARBAGE_ARGS"},
    {RULE_RPCR_3_4_5_02, RULE_RPCR_4_5_2_07, BY_ERR_CHUNK | BY_RPC_ERROR, BY_ERR_VERS | BY_SUCCESS,
     "GARBAGE_ARGS or ERR_CHUNK"},
    {RULE_RPCR_4_3_1_1_01, RULE_RPCR_4_5_2_07, BY_ERR_CHUNK | BY_RPC_ERROR, BY_ERR_VERS | BY_SUCCESS,
     "GARBAGE_ARGS or ERR_CHUNK"},
    {RULE_RPCR_3_4_5_2_02, RULE_RPCR_4_5_2_07, BY_ERR_CHUNK | BY_RPC_ERROR, BY_ERR_VERS | BY_SUCCESS,
     "GARBAGE_ARGS or ERR_CHUNK"},
    {RULE_RPCR_4_2_4_03, RULE_RPCR_4_5_2_07, BY_ERR_CHUNK | BY_RPC_ERROR, BY_ERR_VERS | BY_SUCCESS,
     "GARBAGE_ARGS or ERR_CHUNK"},
    {RULE_RPCR_4_6_1_01, RULE_RPCR_4_6_1_02, BY_ERR_CHUNK, BY_ERR_VERS, "ERR_CHUNK"},
    {RULE_RPCR_3_5_2_02, RULE_RPCR_4_5_02, BY_ERR_CHUNK | BY_RPC_ERROR, BY_ERR_VERS | BY_SUCCESS, "ERR_CHUNK"},
    {RULE_RPCR_3_5_3_02, RULE_RPCR_4_5_02, BY_ERR_CHUNK | BY_RPC_ERROR, BY_ERR_VERS | BY_SUCCESS, "ERR_CHUNK"},
    {RULE_RPCR_4_2_4_01, RULE_RPCR_4_5_02, BY_ERR_CHUNK | BY_RPC_ERROR, BY_ERR_VERS | BY_SUCCESS, "ERR_CHUNK"},
};

/* The responder decides by the version that it reads, whatever the sender meant. */
static bool wrong_way(const struct rpcrdma_transaction *t, const struct rpcrdma_demand *demand)
{
    return t->open->call_header.vers == RPCRDMA_VERSION && demand->rule == RULE_RPCR_4_5_1_01;
}

const struct rpcrdma_demand *rpcrdma_demand_for(const struct rpcrdma_transaction *t)
{
    for (size_t i = 0; t->fault != 0 && i < sizeof demands / sizeof *demands; i++) {
        if (demands[i].broken == (enum rule_id)(t->fault - 1) && !wrong_way(t, &demands[i]))
            return &demands[i];
    }
    return NULL;
}

/* A reduced argument is not DDP-eligible (section 6.1): the responder only informs the requester. */
bool rpcrdma_reduced_ineligible(const struct rpcrdma_transaction *t)
{
    bool reduced = false;
    enum rule_id fault;

    for (unsigned i = 0; i < t->first_write && !reduced; i++)
        reduced = t->chunks[i].kind == RPCRDMA_READ_CHUNK && t->chunks[i].position != 0;
    if (!reduced)
        return false;
    fault = t->fault != 0 ? (enum rule_id)(t->fault - 1) : RULE_COUNT;
    return nfs_binding_has(fault) || fault == RULE_RPCR_8_2_2_3_01;
}

/* ---- answers ---- */

/* Accepted with status SUCCESS, or unknown because the Reply is not inline. */
static unsigned reaction_kind_of(const struct rpcrdma_message *m)
{
    const struct rpc_message *rpc = m->has_rpc ? &m->rpc : &m->transaction->open->reply_body.rpc;

    if (m->kind == RPCRDMA_KIND_ERROR)
        return m->header.err == RPCRDMA_ERR_VERS ? BY_ERR_VERS : BY_ERR_CHUNK;
    if (!m->has_rpc && !m->transaction->open->reply_body.known)
        return BY_SUCCESS;
    return rpc->status == RPC_OK && rpc->reply_stat == RPC_MSG_ACCEPTED && rpc->accept_stat == RPC_SUCCESS
               ? BY_SUCCESS
               : BY_RPC_ERROR;
}

static const char *reaction_name_of(unsigned kind)
{
    switch (kind) {
    case BY_ERR_VERS:
        return "ERR_VERS";
    case BY_ERR_CHUNK:
        return "ERR_CHUNK";
    case BY_RPC_ERROR:
        return "a Reply with an error status";
    case BY_SUCCESS:
        return "a Reply, as if the Call were sound";
    default:
        return "none";
    }
}

/* The status of the procedure itself: 0: success, UINT64_MAX: unknown. */
static uint64_t nfs_status(const struct rpcrdma_transaction *t)
{
    unsigned i = 0;
    const struct nfs_value *status = rpcrdma_value(&t->open->reply_body, NFS_MARK_STATUS, 0, &i);

    return status ? status->value : UINT64_MAX;
}

static void judge_ineligible(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *m, unsigned kind)
{
    const struct rpcrdma_transaction *t = m->transaction;

    if ((kind & (BY_ERR_CHUNK | BY_RPC_ERROR)) != 0) {
        rpcrdma_pass(rpcrdma, RULE_RPCR_6_1_07);
        rpcrdma_pass(rpcrdma, RULE_RPCR_6_1_08);
    } else if (kind == BY_SUCCESS && nfs_status(t) == 0) {
        rpcrdma_fail(rpcrdma, m, RULE_RPCR_6_1_07, t->call.frame,
                     "expected a Call with a reduced argument that is not DDP-eligible not to be processed; found the "
                     "Call carried out");
    } else {
        rpcrdma_inconclusive(rpcrdma, RULE_RPCR_6_1_07, WHY_CAUSE);
    }
}

static void reaction_judge_answer(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *m)
{
    const struct rpcrdma_transaction *t = m->transaction;
    const struct rpcrdma_demand *demand = rpcrdma_demand_for(t);
    unsigned kind = reaction_kind_of(m);

    if (rpcrdma_reduced_ineligible(t)) {
        judge_ineligible(rpcrdma, m, kind);
        return;
    }
    if (!demand) {
        if (t->fault == 0)
            rpcrdma_pass(rpcrdma, RULE_RPCR_4_5_4_03);
        if (t->fault == 0 || t->fault == 1 + (uint32_t)RULE_RPCR_3_4_5_2_01)
            rpcrdma_accept_answer(rpcrdma, m);
        return;
    }
    /* By RFC 5666 section 4.2 a responder may choose between ERR_CHUNK and an RPC error. */
    if ((kind & (demand->accepted | (rpcrdma_by_rfc5666(rpcrdma) ? BY_RPC_ERROR : 0u))) != 0)
        rpcrdma_pass(rpcrdma, demand->rule);
    else if ((kind & demand->open) == 0)
        rpcrdma_fail(rpcrdma, m, demand->rule, t->call.frame,
                     "expected %s in answer to the Call in frame %u; found the Call answered with %s", demand->expected,
                     t->call.frame, reaction_name_of(kind));
}

/* Calls of the reverse direction with chunks are either served or refused (RFC 8167 section 5.3). */
static void judge_reverse_chunks(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_transaction *t)
{
    if (t->reverse && t->n_chunks > 0)
        rpcrdma_pass(rpcrdma, RULE_BIDI_5_3_04);
    if (t->reverse && t->twin) /* not mistaken for the Reply to the Call with the same XID (section 2.4.1) */
        rpcrdma_pass(rpcrdma, RULE_BIDI_2_4_1_02);
}

void rpcrdma_reaction_first(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *m)
{
    rpcrdma_discard_judge(rpcrdma, m);
}

void rpcrdma_reaction_message(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *m)
{
    const struct rpcrdma_transaction *t = m->transaction;

    rpcrdma->reaction->spoke_ns[m->side] = m->place.time_ns;
    if (m->kind == RPCRDMA_KIND_UNKNOWN && m->n >= RPCRDMA_HEADER_MIN)
        rpcrdma->reaction->unclear[m->side][rpcrdma->reaction->n_unclear[m->side]++ % RPCRDMA_UNCLEAR_MAX] =
            m->header.xid;
    rpcrdma_error_message(rpcrdma, m);
    rpcrdma_tolerance_message(rpcrdma, m);
    rpcrdma_discard_open(rpcrdma, m);
    if (!t || !rpcrdma_waits(t) || t->damage == RPCRDMA_LATE || t->ambiguous ||
        (m->kind != RPCRDMA_KIND_REPLY && m->kind != RPCRDMA_KIND_ERROR) || m->header.status != RPCRDMA_OK)
        return;
    if (m->kind == RPCRDMA_KIND_REPLY && !m->discarded && !m->misread)
        rpcrdma_rpc_reply(rpcrdma, m);
    if (m->faulty)
        return;
    rpcrdma_pass(rpcrdma, RULE_RPC_3_01);
    if (m->kind == RPCRDMA_KIND_REPLY)
        rpcrdma_unanswered_served(rpcrdma, t);
    reaction_judge_answer(rpcrdma, m);
    judge_reverse_chunks(rpcrdma, t);
}

/* ---- hooks ---- */

bool rpcrdma_reaction_new(struct rpcrdma_connection *rpcrdma)
{
    rpcrdma->reaction = arena_zeroed(rpcrdma->arena, sizeof *rpcrdma->reaction);
    return rpcrdma->reaction != NULL;
}

/* If a Terminate blames a memory access, that is the reason; any other Terminate is about a Call without an answer. */
static bool blames_call(struct rpcrdma_connection *rpcrdma, const struct rdma_refusal *refusal)
{
    unsigned caller = other_side(refusal->place.side & 1u);
    struct rpcrdma_transaction *t = NULL;

    while ((t = rpcrdma_next_outstanding(rpcrdma, caller, t))) {
        if (t->call.offset == refusal->culprit.offset)
            return true;
    }
    return false;
}

void rpcrdma_reaction_refusal(struct rpcrdma_connection *rpcrdma, const struct rdma_refusal *refusal)
{
    const struct place *place = &refusal->place;
    bool explained;

    if (rpcrdma->reaction->closed)
        return;
    if (rdma_refuses_receive(refusal->cause)) /* rpcrdma_resource_rules.c judges this, whatever the Send contains */
        rpcrdma_discard_skipped(rpcrdma, WHY_CAUSE);
    rpcrdma->reaction->closed = true;
    explained =
        rpcrdma_discard_end(rpcrdma, place->side & 1u, place, refusal->culprit_found ? &refusal->culprit : NULL);
    if (!refusal->culprit_found || blames_call(rpcrdma, refusal))
        rpcrdma_unanswered_close(rpcrdma, place->side & 1u, place, refusal->name, true,
                                 explained || rdma_refuses_receive(refusal->cause));
}

void rpcrdma_reaction_skipped(struct rpcrdma_connection *rpcrdma)
{
    rpcrdma_discard_skipped(rpcrdma, LOST_OR(WHY_UNREAD));
}

void rpcrdma_reaction_end(struct rpcrdma_connection *rpcrdma, unsigned side, bool reset, const struct place *place)
{
    bool explained = rpcrdma->terminated;

    if (rpcrdma->reaction->closed)
        return;
    rpcrdma->reaction->closed = true;
    if (!rpcrdma->terminated)
        rpcrdma_tolerance_end(rpcrdma, side, reset, place);
    if (reset || (rpcrdma->client >= 0 && side != (unsigned)rpcrdma->client)) /* a client's FIN is the ULP's choice */
        explained |= rpcrdma_discard_end(rpcrdma, side, place, NULL);
    rpcrdma_unanswered_close(rpcrdma, side, place, reset ? "RST" : "FIN", reset, explained);
}

void rpcrdma_reaction_finish(struct rpcrdma_connection *rpcrdma, int64_t time_ns)
{
    if (!rpcrdma->reaction->closed)
        rpcrdma_unanswered_finish(rpcrdma, time_ns);
    rpcrdma_discard_finish(rpcrdma);
}
