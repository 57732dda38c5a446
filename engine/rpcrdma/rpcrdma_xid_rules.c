// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Calls and their answers: who calls, which XIDs are in use, to which Calls an answer may refer (RFC 8166 sections
 * 2.2.2, 2.2.3 and 3.3.1; RFC 8167 sections 2 and 5). The same XID may be in use in both directions (RFC 8167 section
 * 2.4.1): transactions are looked up by the calling side.
 */
#include "engine/rpcrdma/rpcrdma_internal.h"
#include "wire/invariant.h"

/* The startup frames show who opened the connection; ports and first Calls only suggest it. */
static bool opener_known(const struct rpcrdma_connection *rpcrdma)
{
    return rpcrdma->terms.from_start && rpcrdma->client >= 0;
}

static bool from_client(const struct rpcrdma_connection *rpcrdma, unsigned side)
{
    return rpcrdma->client >= 0 && (unsigned)rpcrdma->client == side;
}

/* ---- who calls ---- */

static bool callback_program(const struct rpcrdma_message *m)
{
    return m->has_rpc && nfs_program_is_callback(m->rpc.prog);
}

/* A CB_COMPOUND of NFSv4.0 legitimately comes over a connection that the server opened for callbacks. */
static bool backchannel_compound(const struct rpcrdma_message *m, uint32_t *minor)
{
    uint32_t from = m->header.header_len + m->rpc.header_len, end = m->n - m->lacking;

    return m->has_rpc && m->rpc.status == RPC_OK && m->rpc.type == RPC_CALL && !rpc_gss_protects(&m->rpc) &&
           from < end && nfs_is_backchannel(&m->rpc, m->p + from, end - from, minor);
}

static void judge_caller(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *m)
{
    const struct rpcrdma_calls *own = &rpcrdma->side[m->side].calls,
                               *others = &rpcrdma->side[other_side(m->side)].calls;
    uint32_t minor = 0;

    if (!opener_known(rpcrdma))
        return;
    if (from_client(rpcrdma, m->side)) {
        if (backchannel_compound(m, &minor))
            rpcrdma_fail(rpcrdma, m, RULE_BIDI_2_03, 0,
                         "expected Calls to the NFSv4.%u callback program on a connection that the RPC client opened; "
                         "found CB_COMPOUND from the side that opened the connection",
                         (unsigned)minor);
        else if (own->total == 1 && rpcrdma_sends_seen(rpcrdma, m->side) && others->total == 0)
            rpcrdma_pass(rpcrdma, RULE_RPCR_2_2_3_01);
        return;
    }
    if (callback_program(m))
        rpcrdma_pass(rpcrdma, RULE_BIDI_2_03);
    /* The program decides when callbacks may begin (RFC 8167 section 6). */
    if (others->total > 0 || own->total > 1 || callback_program(m))
        return;
    if (!rpcrdma_sends_seen(rpcrdma, other_side(m->side)) || m->unsure)
        rpcrdma_inconclusive(rpcrdma, RULE_RPCR_2_2_3_01, m->unsure ? WHY_ORDER : LOST_OR(WHY_UNREAD));
    else
        rpcrdma_fail(rpcrdma, m, RULE_RPCR_2_2_3_01, 0,
                     "expected the first Call from the side that opened the connection; found a Call to program %u "
                     "from the side that did not open the connection",
                     (unsigned)m->rpc.prog);
}

/* ---- XIDs of Calls ---- */

/* The Call with this XID before this one, if it had other arguments and was answered. */
static const struct rpcrdma_transaction *xid_answered_before(const struct rpcrdma_message *m)
{
    const struct rpcrdma_transaction *t = m->transaction;

    for (t = t->hash_next; t && t->xid != m->header.xid; t = t->hash_next)
        ;
    if (!t || rpcrdma_waits(t) || t->damage == RPCRDMA_LATE)
        return NULL;
    return t->inline_hash == m->transaction->inline_hash || t->arguments_hash == m->transaction->arguments_hash ||
                   (m->has_rpc && rpc_gss_protects(&m->rpc))
               ? NULL
               : t;
}

/* The Reply to the earlier Call had not reached the caller yet. */
static const struct rpcrdma_transaction *answered_unseen(const struct rpcrdma_connection *rpcrdma,
                                                         const struct rpcrdma_message *m)
{
    const struct rpcrdma_transaction *t = xid_answered_before(m);

    return t && rpcrdma_acked(rpcrdma, m) && t->answer.offset >= m->acked ? t : NULL;
}

/*
 * On InfiniBand a Reply may have been received but not acknowledged yet. Only a NAK after this Call proves that the
 * caller had not received the Reply.
 */
static void keep_reuse(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_message *m)
{
    const struct rpcrdma_transaction *t = rpcrdma->gaps_show_late ? xid_answered_before(m) : NULL;

    if (t && !t->malformed && !t->damage && m->header.status == RPCRDMA_OK && m->received <= t->answer.offset)
        rpcrdma->reuse[m->side] = (struct rpcrdma_reuse){.open = true,
                                                         .direction = m->direction,
                                                         .place = m->place,
                                                         .call = t->call,
                                                         .answer = t->answer,
                                                         .xid = m->header.xid};
    INVARIANT(!t || !rpcrdma_waits(t));
}

void rpcrdma_xid_missed(struct rpcrdma_connection *rpcrdma, unsigned side, uint64_t offset)
{
    struct rpcrdma_reuse *reuse = &rpcrdma->reuse[side];

    if (!reuse->open || offset > reuse->answer.offset)
        return;
    reuse->open = false;
    verdict_failed(rpcrdma->verdict, RULE_RPCR_2_2_2_03, reuse->direction, &reuse->place, reuse->call.frame,
                   "expected an XID that no outstanding Call has; found XID 0x%08x of another Call (frame %u), whose "
                   "answer (frame %u) had not arrived, as a NAK shows",
                   (unsigned)reuse->xid, reuse->call.frame, reuse->answer.frame);
}

static void judge_unique(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *m,
                         const struct rpcrdma_transaction *before)
{
    if (!before)
        before = answered_unseen(rpcrdma, m);
    if (!before)
        keep_reuse(rpcrdma, m);
    if (!before) {
        if (rpcrdma_calls_seen(rpcrdma, m->side))
            rpcrdma_pass(rpcrdma, RULE_RPCR_2_2_2_03);
        else
            rpcrdma_inconclusive(rpcrdma, RULE_RPCR_2_2_2_03, LOST_OR(WHY_UNREAD));
        return;
    }
    INVARIANT(before->number < m->transaction->number && before->side == m->transaction->side);
    if (m->transaction->repeats) /* a retransmission: the upper layer decides whether it is allowed */
        return;
    /* Calls that a receiver discards are unknown; an answer may be in a hole, or come later. */
    if (before->malformed || before->damage || m->unsure || m->header.status != RPCRDMA_OK) {
        rpcrdma_inconclusive(rpcrdma, RULE_RPCR_2_2_2_03, rpcrdma_answer_doubt(before, m->unsure, WHY_UNREAD));
        return;
    }
    rpcrdma_fail(rpcrdma, m, RULE_RPCR_2_2_2_03, before->call.frame,
                 "expected an XID that no outstanding Call has; found XID 0x%08x of another Call (frame %u), which is "
                 "unanswered so far",
                 (unsigned)m->header.xid, before->call.frame);
}

void rpcrdma_xid_call(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *m, struct rpcrdma_transaction *before)
{
    m->transaction->twin = rpcrdma_find_outstanding(rpcrdma, other_side(m->side), m->header.xid) != NULL;
    INVARIANT(rpcrdma_waits(m->transaction));
    if (m->misread)
        return;
    judge_caller(rpcrdma, m);
    /* The XIDs in the Transport header and in the RPC message differ: either may be wrong. */
    if (m->fault != 1 + (uint32_t)RULE_RPCR_4_2_1_01)
        judge_unique(rpcrdma, m, before);
    if (m->has_rpc && m->transaction->reverse && opener_known(rpcrdma))
        rpcrdma_pass(rpcrdma, RULE_BIDI_5_1_05);
}

/* ---- answers ---- */

static const char *answer_name(const struct rpcrdma_message *m)
{
    return m->kind == RPCRDMA_KIND_ERROR ? "RDMA_ERROR" : "Reply";
}

/* msg_type 1 is followed by the words of a Call: rpcvers, program, version, procedure, credential, verifier. */
static bool call_follows(const struct rpcrdma_message *m)
{
    const uint8_t *p = m->p + m->header.header_len;

    return m->has_rpc && m->lacking == 0 && m->kind == RPCRDMA_KIND_REPLY && m->rpc.type == RPC_REPLY &&
           m->n - m->header.header_len >= RPC_CALL_MIN && get_be32(p + 8) == RPC_VERSION &&
           get_be32(p + 24) <= RPC_AUTH_GSS && get_be32(p + 28) <= RPC_AUTH_MAX;
}

/* A Call with two XIDs was answered under the XID of its RPC message: the finding is at the answer. */
static void answered_under_inner(struct rpcrdma_connection *rpcrdma, unsigned caller, uint32_t xid)
{
    for (struct rpcrdma_transaction *t = NULL; (t = rpcrdma_next_outstanding(rpcrdma, caller, t));) {
        if (t->malformed && t->open->call_body.known && t->open->call_body.rpc.xid == xid && t->xid != xid)
            t->ambiguous = true;
        INVARIANT(rpcrdma_waits(t));
    }
}

/* An answer to no known Call. */
static void xid_judge_stray(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *m)
{
    unsigned caller = other_side(m->side);
    bool client = from_client(rpcrdma, m->side);
    unsigned waiting = rpcrdma->side[caller].calls.outstanding;
    enum rule_id rule = waiting > 0 ? RULE_RPCR_2_2_2_02 : client ? RULE_BIDI_2_02 : RULE_RPCR_3_3_1_10;
    unsigned xid = m->header.xid;

    if (m->kind == RPCRDMA_KIND_ERROR) /* judged by the rules on RDMA_ERROR */
        return;
    if (call_follows(m) && opener_known(rpcrdma) && !client)
        rule = RULE_BIDI_5_1_05;
    else if (m->unsure || !rpcrdma_calls_seen(rpcrdma, caller) || m->header.status != RPCRDMA_OK) {
        rpcrdma_inconclusive(rpcrdma, rule, rpcrdma_calls_doubt(rpcrdma, m->unsure, caller, WHY_UNREAD));
        return;
    }
    if (rule == RULE_BIDI_5_1_05)
        rpcrdma_fail(rpcrdma, m, rule, 0,
                     "expected msg_type 0 (CALL) in a reverse-direction Call; found msg_type 1 (REPLY) in a "
                     "reverse-direction Call");
    else if (rule == RULE_RPCR_2_2_2_02) {
        answered_under_inner(rpcrdma, caller, xid);
        rpcrdma_fail(rpcrdma, m, rule, 0,
                     "expected the XID of an outstanding Call (outstanding: %u); found a Reply with XID 0x%08x",
                     waiting, xid);
    } else if (rule == RULE_BIDI_2_02)
        rpcrdma_fail(rpcrdma, m, rule, 0,
                     "expected no Reply, as no reverse-direction Call is outstanding; found a Reply with XID 0x%08x",
                     xid);
    else
        rpcrdma_fail(rpcrdma, m, rule, 0, "expected only Calls, as no Call is outstanding; found %s %s with XID 0x%08x",
                     m->kind == RPCRDMA_KIND_ERROR ? "an" : "a", answer_name(m), xid);
}

/* A copy of the Call may be in a hole, or before the capture. If other captured Calls came first, this is rare. */
static bool copy_unseen(const struct rpcrdma_connection *rpcrdma, const struct rpcrdma_transaction *t)
{
    const struct rpcrdma_lack *lack = &rpcrdma->side[t->side].lack;
    bool first = t->number == 1;

    return !rpcrdma_calls_seen(rpcrdma, t->side) && (first || !lack->beginning || lack->sends > lack->answered);
}

/* The Call was already answered. */
static void judge_second(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *m)
{
    const struct rpcrdma_transaction *t = m->transaction;

    INVARIANT(!rpcrdma_waits(t) && t->open == &rpcrdma_closed);
    /* A Reply after an RDMA_ERROR has its own rule (RFC 8166 section 4.5). */
    if (t->outcome == RPCRDMA_FAILED && m->kind == RPCRDMA_KIND_REPLY)
        return;
    if (t->damage == RPCRDMA_LATE)
        rpcrdma_pending_answered(rpcrdma, t->side, t->call.frame);
    if (m->unsure || t->damage == RPCRDMA_LATE ||
        copy_unseen(rpcrdma, t) || /* or another copy will be captured later */
        rpcrdma_hole_since(rpcrdma, t->side, t->answer.frame)) {
        rpcrdma_inconclusive(rpcrdma, RULE_RPCR_2_2_2_04, rpcrdma_answer_doubt(t, m->unsure, LOST_OR(WHY_COPIES)));
        return;
    }
    rpcrdma_fail_as(
        rpcrdma, m, RULE_RPCR_2_2_2_04,
        rpcrdma_calls_seen(rpcrdma, t->side) ? rule_catalogue[RULE_RPCR_2_2_2_04].severity : SEVERITY_WARNING,
        t->answer.frame,
        "expected one answer to the Call with XID 0x%08x (frame %u); found another %s after the one in frame %u",
        (unsigned)t->xid, t->call.frame, answer_name(m), t->answer.frame);
}

static void xid_judge_first(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *m)
{
    const struct rpcrdma_transaction *t = m->transaction;

    INVARIANT(rpcrdma_waits(t) && t->side != m->side);
    if (m->kind == RPCRDMA_KIND_REPLY && m->has_rpc && m->rpc.type != RPC_REPLY) {
        rpcrdma_fail(rpcrdma, m, t->reverse ? RULE_BIDI_5_2_05 : RULE_RPCR_2_2_2_01, t->call.frame,
                     "expected msg_type 1 (REPLY) in the Reply to the Call in frame %u; found msg_type %u in the Reply",
                     t->call.frame, (unsigned)m->rpc.type);
        m->misread = true;
        return;
    }
    if (t->reverse && m->kind == RPCRDMA_KIND_REPLY && m->has_rpc)
        rpcrdma_pass(rpcrdma, RULE_BIDI_5_2_05);
    if (m->kind == RPCRDMA_KIND_REPLY) {
        rpcrdma_pass(rpcrdma, RULE_RPCR_2_2_2_02);
        if (t->reverse)
            rpcrdma_pass(rpcrdma, RULE_BIDI_2_02);
    }
    rpcrdma_pass(rpcrdma, RULE_RPCR_2_2_2_04);
    if (!t->reverse)
        rpcrdma_pass(rpcrdma, RULE_RPCR_3_3_1_10);
}

void rpcrdma_xid_answer(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *m)
{
    if (m->faulty)
        return;
    if (!m->transaction)
        xid_judge_stray(rpcrdma, m);
    else if (!rpcrdma_waits(m->transaction))
        judge_second(rpcrdma, m);
    else
        xid_judge_first(rpcrdma, m);
}
