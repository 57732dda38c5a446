// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Calls: their Read list by itself, and their payload, inline or read from the Position-Zero Read chunk (RFC 8166
 * sections 3.4.5, 3.5.3, 4.3.1, 8.2.2).
 */
#include "engine/core/words.h"
#include "engine/rpcrdma/rpcrdma_shape.h"
#include "wire/invariant.h"

#include <inttypes.h>

/* ---- the Read list by itself ---- */

/* Section 3.4.5: the receiver takes segments of one Position until there are no more, so they should be consecutive. */
static void check_consecutive(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *m)
{
    struct rpcrdma_transaction *t = m->transaction;
    uint32_t i = 0;

    /* t->chunks is ordered by first appearance, each chunk with all its segments. */
    for (unsigned c = 0; c < t->n_chunks && t->chunks[c].kind == RPCRDMA_READ_CHUNK; c++) {
        for (uint32_t k = 0; k < t->chunks[c].n; k++, i++) {
            struct rpcrdma_read_segment segment = rpcrdma_read_segment_at(&m->header, m->p, i);

            INVARIANT(i < m->header.read.n);
            if (segment.position == t->chunks[c].position)
                continue;
            rpcrdma_fail(rpcrdma, m, RULE_RPCR_3_4_5_11, 0,
                         "expected the %u segments of the Read chunk at Position %u to be consecutive; found a segment "
                         "at Position %u between those at Position %u",
                         t->chunks[c].n, t->chunks[c].position, segment.position, t->chunks[c].position);
            return;
        }
    }
    if (m->header.read.n > 1)
        rpcrdma_pass(rpcrdma, RULE_RPCR_3_4_5_11);
}

void rpcrdma_call_lists(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *m)
{
    if (m->misread || m->header.status != RPCRDMA_OK || m->header.read.n == 0 || m->transaction->offers_lost)
        return;
    for (uint32_t i = 0; i < m->header.read.n; i++) {
        uint32_t position = rpcrdma_read_segment_at(&m->header, m->p, i).position;

        if (position % 4 == 0)
            continue;
        m->misread = true;
        m->transaction->misread = RPCRDMA_MISREAD_POSITION;
        rpcrdma_fail(rpcrdma, m, RULE_RPCR_3_4_5_04, 0, "expected Positions that are multiples of 4; found Position %u",
                     position);
        return;
    }
    rpcrdma_pass(rpcrdma, RULE_RPCR_3_4_5_04);
    check_consecutive(rpcrdma, m);
    if (m->header.proc == RPCRDMA_MSG && m->transaction->position_zero >= 0 &&
        m->transaction->chunks[m->transaction->position_zero].length == 0)
        rpcrdma_fail_as(rpcrdma, m, RULE_RPCR_4_3_01, SEVERITY_NOTE, 0,
                        "expected no Read list when there is nothing to read; found an empty segment at Position 0 "
                        "along with an inline RPC message");
}

/* ---- RPC header ---- */

enum { RPCVERS_AT = 8, CRED_FLAVOR_AT = 24, CRED_AT = 32 };

static const struct rpcrdma_chunk_state *first_data_chunk(const struct rpcrdma_transaction *t)
{
    const struct rpcrdma_chunk_state *first = NULL;

    for (unsigned i = 0; i < t->n_chunks && t->chunks[i].kind == RPCRDMA_READ_CHUNK; i++) {
        if ((int)i != t->position_zero && (!first || t->chunks[i].position < first->position))
            first = &t->chunks[i];
    }
    INVARIANT(!first || (first->kind == RPCRDMA_READ_CHUNK && first->n > 0));
    return first;
}

/* The credential or verifier is in a Read chunk. True: reported. */
static bool header_removed(struct rpcrdma_shape *shape)
{
    const struct rpcrdma_body *body = shape->body;
    const struct rpcrdma_chunk_state *chunk = first_data_chunk(shape->t);
    uint32_t flavor, end = body->rpc.status == RPC_OK ? body->rpc.header_len : RPC_CALL_MIN + 2 * RPC_AUTH_MAX;
    enum rule_id binding = rpcrdma_shape_binding(shape);

    if (!chunk || chunk->position < CRED_AT || chunk->position >= end || body->length < CRED_AT)
        return false;
    if (body->rpc.status == RPC_OK && (!body->walked || body->reduction != RPCRDMA_REDUCED_NONE))
        return false;
    if (body->rpc.status == RPC_BAD_VALUE &&
        body->rpc.fault_at < chunk->position) /* the header was wrong before anything was removed */
        return false;
    flavor = get_be32(body->payload + CRED_FLAVOR_AT);
    if (flavor == RPC_AUTH_GSS)
        rpcrdma_shape_fail(
            shape, RULE_RPCR_8_2_2_01,
            "expected the RPCSEC_GSS credential and verifier inline; found a Read chunk at Position %u of "
            "the RPC header",
            chunk->position);
    else
        rpcrdma_shape_fail(
            shape, binding != RULE_COUNT ? binding : RULE_RPCR_4_03,
            "expected a complete RPC header inline (RFC 5531); found a Read chunk at Position %u, within it",
            chunk->position);
    return true;
}

/* By RFC 5666 section 5.2 a server's Reply may be in such a chunk, too; without its Call it looks like a Call. */
static bool may_be_reply(const struct rpcrdma_shape *shape)
{
    const struct rpcrdma_transaction *t = shape->t;

    return rpcrdma_by_rfc5666(shape->rpcrdma) && shape->rpcrdma->client != (int)t->side &&
           !rpcrdma_calls_seen(shape->rpcrdma, other_side(t->side));
}

/* The payload is a Reply, even if the rest of its header is wrong. */
static bool is_reply_in_chunk(const struct rpcrdma_shape *shape)
{
    const struct rpc_message *rpc = &shape->body->rpc;

    return shape->in_chunk && rpc->type == RPC_REPLY && (rpc->status == RPC_OK || rpc->status == RPC_BAD_VALUE);
}

/* The type of an inline message was judged with its header. */
static void call_broken_header(struct rpcrdma_shape *shape)
{
    const struct rpcrdma_body *body = shape->body;
    const struct rpc_message *rpc = &body->rpc;

    if (header_removed(shape))
        return;
    if (rpc->status == RPC_BAD_TYPE && shape->in_chunk)
        rpcrdma_shape_fail(shape, RULE_RPCR_2_2_2_01,
                           "expected CALL (0) or REPLY (1) in the RPC message; found msg_type %u in the RPC message",
                           rpc->fault);
    else if (is_reply_in_chunk(shape)) {
        if (may_be_reply(shape))
            rpcrdma_inconclusive(shape->rpcrdma, RULE_RPCR_3_5_3_04, LOST_OR(WHY_UNREAD));
        else
            rpcrdma_shape_fail(shape, RULE_RPCR_3_5_3_04,
                               "expected an RPC Call in the Position-Zero Read chunk; found a Reply");
    } else if (rpc->type == RPC_CALL && rpc->status == RPC_BAD_VALUE && rpc->fault_at == RPCVERS_AT)
        rpcrdma_shape_fail(shape, RULE_RPC_9_01, "expected rpcvers 2 in the Call; found rpcvers %u in the Call",
                           rpc->fault);
    else if (rpc->status == RPC_BAD_VALUE)
        rpcrdma_shape_fail(shape, RULE_RPCR_4_03,
                           "expected an RPC header as in RFC 5531; found an RPC header with 0x%08x at its octet %u",
                           rpc->fault, rpc->fault_at);
    else if (rpc->status == RPC_SHORT && /* rpcrdma_header_rules.c and rpcrdma_shape_start() judge shorter ones */
             body->length >= (shape->in_chunk ? (uint64_t)RPC_CALL_MIN : (uint64_t)RPC_REPLY_MIN))
        rpcrdma_shape_fail(shape, shape->in_chunk ? RULE_RPCR_3_5_3_04 : RULE_RPCR_4_03,
                           "expected a complete RPC header (RFC 5531); found that the payload ends within the RPC "
                           "header, at octet %" PRIu64,
                           body->length);
    else
        rpcrdma_inconclusive(shape->rpcrdma, RULE_RPCR_4_03, WHY_UNREAD);
}

/* ---- RPCSEC_GSS: section 8.2.2 ---- */

static unsigned call_data_chunks(const struct rpcrdma_transaction *t)
{
    unsigned n = 0;

    for (unsigned i = 0; i < t->n_chunks && t->chunks[i].kind == RPCRDMA_READ_CHUNK; i++)
        n += (int)i != t->position_zero;
    return n;
}

/* RPCSEC_GSS defines the messages that establish a context. */
static void gss_control(struct rpcrdma_shape *shape)
{
    const struct rpcrdma_chunk_state *chunk = first_data_chunk(shape->t);

    if (chunk)
        rpcrdma_shape_fail(shape, RULE_RPCR_8_2_2_01,
                           "expected RPCSEC_GSS context messages not to be reduced; found a Read chunk at Position %u",
                           chunk->position);
}

/* RFC 5666 section 11 allows the whole protected body to be a chunk. */
static void call_gss_wrapped(struct rpcrdma_shape *shape)
{
    const struct rpcrdma_transaction *t = shape->t;
    const struct rpcrdma_chunk_state *chunk = first_data_chunk(t);
    const char *service = shape->body->rpc.gss_service == RPC_GSS_SVC_PRIVACY ? "privacy" : "integrity";

    if (rpcrdma_by_rfc5666(shape->rpcrdma) && call_data_chunks(t) <= 1)
        return;
    if (chunk)
        rpcrdma_shape_fail(shape, RULE_RPCR_8_2_2_3_01,
                           "expected a payload with RPCSEC_GSS %s not to be reduced; found a Read chunk at Position %u",
                           service, chunk->position);
    else
        rpcrdma_shape_pass(shape, RULE_RPCR_8_2_2_3_01);
    if (rpcrdma_by_rfc5666(shape->rpcrdma))
        return;
    if (t->n_writes > 0)
        rpcrdma_shape_fail(shape, RULE_RPCR_8_2_2_3_02,
                           "expected no Write list with RPCSEC_GSS %s; found a Write list of %u chunk%s", service,
                           t->n_writes, plural(t->n_writes));
    else
        rpcrdma_shape_pass(shape, RULE_RPCR_8_2_2_3_02);
}

/* ---- the payload ---- */

/*
 * A program without a known upper-layer binding: without a binding nothing may be reduced (section 6), but another
 * document may define one. Reported once per program.
 */
static void judge_unbound(struct rpcrdma_shape *shape)
{
    struct rpcrdma_connection *rpcrdma = shape->rpcrdma;
    const struct rpcrdma_transaction *t = shape->t;
    uint32_t program = shape->body->rpc.prog;

    if (program == NFS_PROGRAM_CCP || t->reverse)
        return;
    if (!first_data_chunk(t) && t->n_writes == 0) {
        rpcrdma_shape_pass(shape, RULE_RPCR_3_4_2_02);
        return;
    }
    for (unsigned i = 0; i < rpcrdma->unbound.n; i++) {
        if (rpcrdma->unbound.program[i] == program)
            return;
    }
    if (rpcrdma->unbound.n < RPCRDMA_UNBOUND_MAX)
        rpcrdma->unbound.program[rpcrdma->unbound.n++] = program;
    INVARIANT(rpcrdma->unbound.n > 0 && rpcrdma->unbound.n <= RPCRDMA_UNBOUND_MAX);
    rpcrdma_shape_fail_as(shape, RULE_RPCR_3_4_2_02, SEVERITY_WARNING,
                          "expected no data chunks for program %u, as no known binding makes anything in it "
                          "DDP-eligible; found %u Read and %u Write chunks in a Call",
                          program, call_data_chunks(t), t->n_writes);
}

/* Programs without eligible arguments: their chunks are not judged further. True: reported. */
static bool never_eligible(struct rpcrdma_shape *shape)
{
    enum rule_id binding = rpcrdma_shape_binding(shape);
    const struct rpcrdma_chunk_state *chunk = first_data_chunk(shape->t);

    if (binding == RULE_COUNT)
        judge_unbound(shape);
    if (binding == RULE_COUNT || nfs_binding_is_nfs(binding))
        return false;
    if (!chunk) {
        rpcrdma_shape_pass(shape, binding);
        return false;
    }
    rpcrdma_shape_fail(shape, binding,
                       "expected only a Position-Zero Read chunk for this program, as nothing in it is DDP-eligible; "
                       "found a Read chunk at Position %u",
                       chunk->position);
    return true;
}

/* A Position-Zero chunk along with an inline message was already reported. */
static bool zero_beside_inline(const struct rpcrdma_shape *shape)
{
    const struct rpcrdma_transaction *t = shape->t;

    return !shape->in_chunk && t->position_zero >= 0 && t->chunks[t->position_zero].length > 0;
}

/* Judges which parts are in chunks. False: the inline rest is not judged. */
static bool call_judge_reduction(struct rpcrdma_shape *shape)
{
    const struct rpcrdma_body *body = shape->body;

    if (body->rpc.has_gss && body->rpc.gss_proc != RPC_GSS_DATA)
        gss_control(shape);
    else if (body->wrapped)
        call_gss_wrapped(shape);
    else if (never_eligible(shape))
        return false;
    else if (body->walked && shape->t->misread != RPCRDMA_MISREAD_POSITION)
        rpcrdma_position_rules(shape);
    return true;
}

static void pass_sound(struct rpcrdma_shape *shape)
{
    rpcrdma_shape_pass(shape, RULE_RPCR_4_03);
    rpcrdma_shape_pass(shape, RULE_RPC_9_01);
    if (shape->body->rpc.has_gss)
        rpcrdma_shape_pass(shape, RULE_RPCR_8_2_2_01);
    if (!shape->failed && shape->in_chunk && rpcrdma_shape_whole(shape))
        rpcrdma_shape_pass(shape, RULE_RPCR_3_5_3_04);
}

/* Judges what does not depend on an error in the reduction or on impossible Positions (RPCR-3.4.5-04). */
static void judge_rest(struct rpcrdma_shape *shape)
{
    bool odd = shape->t->misread == RPCRDMA_MISREAD_POSITION;
    bool beside = rpcrdma_shape_decodes(shape) && shape->body->reduction != RPCRDMA_REDUCED_STANDARD;

    if (!shape->failed && !odd)
        rpcrdma_shape_stream(shape);
    else if (beside)
        rpcrdma_shape_items(shape);
    if (!shape->failed && !odd)
        pass_sound(shape);
    if (!shape->body->wrapped && (beside || !(shape->failed || odd)))
        rpcrdma_provision_rules(shape);
}

static void call_judge(struct rpcrdma_shape *shape)
{
    if (shape->in_chunk && !rpcrdma_shape_start(shape))
        return;
    if (!shape->body->known) {
        call_broken_header(shape);
        return;
    }
    if (header_removed(shape) || !rpcrdma_auth_rules(shape))
        return;
    if (shape->in_chunk) {
        rpcrdma_shape_pass(shape, RULE_RPCR_2_2_2_01);
        rpcrdma_shape_pass(shape, RULE_RPCR_3_5_3_03);
    }
    if (shape->t->offers_lost || zero_beside_inline(shape) || !call_judge_reduction(shape))
        return;
    judge_rest(shape);
    if (shape->t->n_chunks == 0)
        rpcrdma_shape_pass(shape, RULE_RPCR_4_3_01);
}

/* Where the Long Call became complete: at the latest Read Response for its chunk. */
static struct place completed_at(const struct rpcrdma_transaction *t)
{
    const struct rpcrdma_chunk_state *chunk = &t->chunks[t->position_zero];
    struct place place = t->offers[chunk->first].last_moved;

    for (uint32_t i = 1; i < chunk->n; i++) {
        if (t->offers[chunk->first + i].last_moved.frame > place.frame)
            place = t->offers[chunk->first + i].last_moved;
    }
    return place;
}

void rpcrdma_call_payload(struct rpcrdma_connection *rpcrdma, struct rpcrdma_transaction *t,
                          struct rpcrdma_message *message)
{
    struct rpcrdma_shape shape = {
        .rpcrdma = rpcrdma, .t = t, .message = message, .body = &t->open->call_body, .in_chunk = !message};

    if (t->misread && !(t->misread == RPCRDMA_MISREAD_POSITION && message))
        return;
    shape.place = message ? message->place : completed_at(t);
    call_judge(&shape);
}

/* Section 2.2.4.2: roundup in a Read chunk is zero, too. */
void rpcrdma_call_move(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_move *move)
{
    const struct rpcrdma_transaction *t;
    const struct rpcrdma_chunk_state *chunk;

    if (move->kind != RDMA_READ_RESPONSE || !move->offer)
        return;
    t = move->offer->transaction;
    chunk = &t->chunks[move->offer->chunk];
    if (chunk->roundup == 0 || move->offset + move->length <= chunk->roundup)
        return;
    if (move->lacking > 0) {
        rpcrdma_inconclusive(rpcrdma, RULE_RPCR_2_2_4_2_02, WHY_CUT);
        return;
    }
    for (uint64_t at = chunk->roundup > move->offset ? chunk->roundup - move->offset : 0; at < move->length; at++) {
        if (move->p[at] == 0)
            continue;
        rpcrdma_fail_at(
            rpcrdma, &move->place, RULE_RPCR_2_2_4_2_02, t->call.frame,
            "expected roundup octets to be zero; found roundup octet 0x%02x in the Read chunk at Position %u",
            move->p[at], chunk->position);
        return;
    }
    rpcrdma_pass(rpcrdma, RULE_RPCR_2_2_4_2_02);
}
