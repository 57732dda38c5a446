// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which result is in which Write chunk, and how long it is: RFC 8166 sections 3.4.6, 4.3.2.1 to 4.3.2.3, RFC 8267
 * section 6.4.1. Chunk k belongs to the k-th READ-class operation of a COMPOUND; other procedures have one result.
 *
 * A chunk without a result is returned with all lengths 0 (RFC 8166), or without segments (RFC 8267, for NFSv4): for
 * NFSv4 both conform.
 */
#include "engine/rpcrdma/rpcrdma_returned.h"
#include "wire/invariant.h"

enum result { RESULT_UNKNOWN, RESULT_NONE, RESULT_ITEM };

struct pairing {
    struct rpcrdma_connection *rpcrdma;
    struct rpcrdma_message *reply;
    struct rpcrdma_transaction *t;
    const struct rpcrdma_body *body;
    bool compound, is_long;
    struct pairing_told {
        unsigned latest; /* 1 + a rule, which further chunks may break, too; 0: none */
        bool mixed;      /* results and chunks belong together in another way: nothing further is judged */
    } * told;
};

#define FAIL(p, rule, ...)                                                                                             \
    do {                                                                                                               \
        enum rule_id broken = rule;                                                                                    \
                                                                                                                       \
        if ((p)->told->latest != 1u + broken)                                                                          \
            rpcrdma_fail((p)->rpcrdma, (p)->reply, broken, (p)->t->call.frame, __VA_ARGS__);                           \
        (p)->told->latest = 1u + broken;                                                                               \
    } while (0)

static void pass_all(const struct pairing *p, const enum rule_id *rules, size_t n)
{
    for (size_t i = 0; i < n; i++)
        rpcrdma_pass(p->rpcrdma, rules[i]);
}

#define PASS(p, ...)                                                                                                   \
    pass_all(p, (const enum rule_id[]){__VA_ARGS__}, sizeof((const enum rule_id[]){__VA_ARGS__}) / sizeof(enum rule_id))

/* ---- results ---- */

static const struct rpcrdma_item *pairing_item_of(const struct pairing *p, unsigned k)
{
    for (unsigned i = 0; i < p->body->n_items; i++) {
        if (p->body->items[i].item.eligible && p->body->items[i].read_class == k)
            return &p->body->items[i];
    }
    return NULL;
}

/* The result that belongs in Write chunk k, according to the payload. */
static enum result pairing_result_of(const struct pairing *p, unsigned k, const struct rpcrdma_item **item)
{
    const struct rpcrdma_body *body = p->body;

    *item = NULL;
    if (!body->known || !p->t->open->call_body.known)
        return RESULT_UNKNOWN;
    if (body->rpc.reply_stat != RPC_MSG_ACCEPTED || body->rpc.accept_stat != RPC_SUCCESS)
        return RESULT_NONE;
    if (!body->walked || body->cut || body->reduction == RPCRDMA_REDUCED_NONE)
        return RESULT_UNKNOWN;
    *item = pairing_item_of(p, k);
    if (*item)
        return RESULT_ITEM;
    return body->walk.status == NFS_WALK_OK ? RESULT_NONE : RESULT_UNKNOWN;
}

static const struct rpcrdma_chunk_state *pairing_chunk_at(const struct pairing *p, unsigned k)
{
    return k < p->t->n_writes ? &p->t->chunks[p->t->first_write + k] : NULL;
}

static uint64_t returned_in(const struct pairing *p, unsigned k)
{
    const struct rpcrdma_chunk_state *chunk = pairing_chunk_at(p, k);

    return chunk ? chunk->returned : 0;
}

static bool is_in(const struct pairing *p, const struct rpcrdma_item *item, const struct rpcrdma_chunk_state *chunk)
{
    return item->chunk >= 0 && &p->t->chunks[item->chunk] == chunk;
}

/* ---- an inline result that has a chunk ---- */

/* The chunk comes after one without segments: the responder may not have counted the result of the empty chunk. */
static bool after_empty_chunk(const struct pairing *p, unsigned k)
{
    for (unsigned i = 0; i < k && i < p->t->n_writes; i++) {
        if (pairing_chunk_at(p, i)->n == 0)
            return true;
    }
    return false;
}

static void fail_inline(const struct pairing *p, unsigned k, const struct rpcrdma_item *item)
{
    enum rule_id rule = p->is_long                               ? RULE_RPCR_3_5_3_10
                        : p->compound && after_empty_chunk(p, k) ? RULE_NFSULB_6_4_3_01
                        : p->compound                            ? RULE_NFSULB_6_4_1_03
                                                                 : RULE_RPCR_4_3_2_03;

    FAIL(p, rule,
         "expected the result of %u octets in Write chunk %u, which the Call offers for it; found the result %s",
         item->item.count, k + 1, p->is_long ? "in the Reply chunk" : "inline");
}

/* ---- lengths ---- */

/* Involves another result or chunk, `j`: two results in one chunk, one result in two chunks, or two results swapped. */
static bool fail_mixed_with(const struct pairing *p, unsigned k, const struct rpcrdma_item *item, unsigned j)
{
    const struct rpcrdma_item *other = pairing_item_of(p, j);
    uint64_t n = item->item.count, returned = returned_in(p, k), length = returned_in(p, j);

    if (!other && length > 0 && returned + length == n)
        FAIL(p, RULE_RPCR_3_4_6_09,
             "expected the result of %llu octets in one Write chunk; found a result with %llu octets in chunk %u and "
             "%llu in chunk %u",
             (unsigned long long)n, (unsigned long long)returned, k + 1, (unsigned long long)length, j + 1);
    else if (!other || other->item.count == 0)
        return false;
    else if (length == 0 && returned == n + other->item.count)
        FAIL(p, j < p->t->n_writes ? RULE_RPCR_3_4_6_09 : RULE_NFSULB_6_4_1_06,
             "expected one result in Write chunk %u, of %llu octets; found a Write chunk of %llu octets, including the "
             "next result, of %u octets",
             k + 1, (unsigned long long)n, (unsigned long long)returned, other->item.count);
    else if (n != other->item.count && length == n && returned == other->item.count)
        FAIL(p, RULE_RPCR_4_3_2_1_02,
             "expected results in the Write chunks in list order, %llu octets in chunk %u and %u in chunk %u; found "
             "chunks of %llu and %llu octets",
             (unsigned long long)n, k + 1, other->item.count, j + 1, (unsigned long long)returned,
             (unsigned long long)length);
    else
        return false;
    p->told->mixed = true;
    return true;
}

static bool fail_mixed(const struct pairing *p, unsigned k, const struct rpcrdma_item *item)
{
    for (unsigned j = 0; j < p->t->n_writes || pairing_item_of(p, j); j++)
        if (j != k && fail_mixed_with(p, k, item, j))
            return true;
    return false;
}

static void fail_length(const struct pairing *p, unsigned k, const struct rpcrdma_item *item,
                        const struct rpcrdma_returned *r)
{
    uint64_t n = item->item.count, returned = r->chunk->returned;
    bool known = rpcrdma_returned_known(p->rpcrdma, r);

    if (returned == xdr_padded((uint32_t)n) && known && r->moved >= returned)
        FAIL(p, RULE_RPCR_3_4_6_2_02,
             "expected %llu octets RDMA Written to Write chunk %u; found %llu octets RDMA Written, including roundup",
             (unsigned long long)n, k + 1, (unsigned long long)r->moved);
    else if (returned > n && r->unchanged && returned != xdr_padded((uint32_t)n) && (!known || r->moved < returned))
        FAIL(p, RULE_RPCR_3_4_6_08,
             "expected the lengths of Write chunk %u to add up to the result's, %llu octets; found lengths as offered, "
             "%llu octets",
             k + 1, (unsigned long long)n, (unsigned long long)returned);
    else if (known && returned < n && r->moved >= n)
        FAIL(p, RULE_RPCR_3_4_6_11,
             "expected the length RDMA Written to Write chunk %u, %llu octets; found a length of %llu octets", k + 1,
             (unsigned long long)r->moved, (unsigned long long)returned);
    else
        FAIL(p, RULE_RPCR_3_4_6_2_03,
             "expected the length of the result, %llu octets, in Write chunk %u; found a Write chunk of %s%llu octets",
             (unsigned long long)n, k + 1, returned < n ? "only " : "", (unsigned long long)returned);
}

static void judge_item(const struct pairing *p, unsigned k, const struct rpcrdma_item *item,
                       const struct rpcrdma_returned *r)
{
    uint64_t n = item->item.count, padded = xdr_padded((uint32_t)n);
    bool known = rpcrdma_returned_known(p->rpcrdma, r);

    if (r->chunk->returned != n && fail_mixed(p, k, item))
        return;
    if (!rpcrdma_returned_contiguous(p->rpcrdma, p->reply, r))
        return;
    if (rpcrdma_by_rfc5666(p->rpcrdma) && r->chunk->returned == padded && padded > n) { /* RFC 5666 section 3.7 */
        PASS(p, RULE_RPCR_3_4_6_2_03);
        return;
    }
    if (r->chunk->returned != n) {
        fail_length(p, k, item, r);
        return;
    }
    if (known && padded > n && r->moved == padded) {
        FAIL(p, RULE_RPCR_3_4_6_2_02,
             "expected %llu octets RDMA Written to Write chunk %u; found %llu octets RDMA Written, including roundup",
             (unsigned long long)n, k + 1, (unsigned long long)r->moved);
        return;
    }
    PASS(p, RULE_RPCR_3_4_6_2_03, RULE_RPCR_3_4_6_09);
    PASS(p, p->compound ? RULE_NFSULB_6_4_1_03 : RULE_RPCR_4_3_2_03);
    if (p->compound)
        PASS(p, RULE_NFSULB_6_4_1_02);
    if (p->compound && after_empty_chunk(p, k))
        PASS(p, RULE_NFSULB_6_4_3_01);
    if (p->t->n_writes > 1)
        PASS(p, RULE_RPCR_4_3_2_1_02);
    if (p->is_long)
        PASS(p, RULE_RPCR_3_5_3_10);
    if (n > 0 && rpcrdma_returned_moved(p->rpcrdma, p->reply, r) && padded > n)
        PASS(p, RULE_RPCR_3_4_6_2_02);
}

/* ---- chunks without a result ---- */

static void pairing_judge_unused(const struct pairing *p, unsigned k, const struct rpcrdma_returned *r)
{
    const struct rpcrdma_chunk_state *chunk = r->chunk;
    bool old = rpcrdma_by_rfc5666(p->rpcrdma);

    if (r->moved == 0)
        rpcrdma_tolerate(p->rpcrdma, p->reply, RULE_EXP_3_9_03);
    if (chunk->returned == 0 && (r->from.n > 0 || !old)) {
        PASS(p, RULE_RPCR_4_3_2_2_01, old ? RULE_RPCR0_3N_02 : RULE_RPCR_4_3_2_2_03);
        if (p->compound && !old)
            PASS(p, RULE_NFSULB_6_4_1_05);
        return;
    }
    if (old)
        FAIL(p, RULE_RPCR0_3N_02,
             "expected Write chunk %u, which has no result, to keep its %u segments, with lengths of 0; found a Write "
             "chunk of %u segments and %llu octets",
             k + 1, chunk->n, r->from.n, (unsigned long long)chunk->returned);
    else if (r->all_or_nothing && (!rpcrdma_returned_known(p->rpcrdma, r) || r->moved < chunk->returned))
        FAIL(p, p->compound ? RULE_NFSULB_6_4_1_05 : RULE_RPCR_4_3_2_2_03,
             "expected Write chunk %u, which has no result, to be returned %s; found a Write chunk of %llu octets, as "
             "offered",
             k + 1, p->compound ? "without segments or with lengths of 0" : "with lengths of 0",
             (unsigned long long)chunk->returned);
    else
        FAIL(p, RULE_RPCR_4_3_2_2_01,
             "expected Write chunk %u unused, as there is no result for it; found a Write chunk of %llu octets without "
             "a result",
             k + 1, (unsigned long long)chunk->returned);
}

/* ---- each chunk ---- */

static void pairing_judge_inline(const struct pairing *p, unsigned k, const struct rpcrdma_item *item,
                                 const struct rpcrdma_returned *r)
{
    if (r->chunk->n == 0) {
        PASS(p, RULE_RPCR_4_3_2_3_02);
        if (p->compound)
            PASS(p, RULE_NFSULB_6_4_1_04);
    } else if (item->item.count == 0 && r->from.n == 0) {
        FAIL(p, RULE_RPCR_3_4_6_06,
             "expected %u segments in Write chunk %u as in the Call; found a Write chunk without segments", r->chunk->n,
             k + 1);
    } else if (r->chunk->length == 0) {
        if (rpcrdma_by_rfc5666(p->rpcrdma)) /* RFC 5667 section 5: another way to ask for the result inline */
            PASS(p, RULE_RPCR0_5N_05);
    } else if (item->item.count > 0) {
        fail_inline(p, k, item);
    }
}

static void pairing_judge_chunk(const struct pairing *p, unsigned k, const struct rpcrdma_chunk *from)
{
    const struct rpcrdma_chunk_state *chunk = pairing_chunk_at(p, k);
    struct rpcrdma_returned r = rpcrdma_returned_take(p->reply, chunk, from);
    const struct rpcrdma_item *item;

    INVARIANT(chunk && chunk->kind == RPCRDMA_WRITE_CHUNK && chunk->number == k);
    switch (pairing_result_of(p, k, &item)) {
    case RESULT_ITEM:
        if (is_in(p, item, chunk))
            judge_item(p, k, item, &r);
        else if (item->chunk < 0)
            pairing_judge_inline(p, k, item, &r);
        break;
    case RESULT_NONE:
        if (chunk->n > 0)
            pairing_judge_unused(p, k, &r);
        break;
    case RESULT_UNKNOWN:
        if (chunk->returned > 0 && rpcrdma_returned_contiguous(p->rpcrdma, p->reply, &r))
            rpcrdma_returned_moved(p->rpcrdma, p->reply, &r);
        break;
    }
}

/* The chunks are used in another order than that of the results. */
static void judge_in_order(const struct pairing *p)
{
    for (unsigned i = 0; i < p->body->n_items; i++) {
        const struct rpcrdma_item *item = &p->body->items[i];
        const struct rpcrdma_chunk_state *own = pairing_chunk_at(p, item->read_class);

        if (!item->item.eligible || item->item.count == 0 || item->chunk < 0 || !own || is_in(p, item, own))
            continue;
        FAIL(p,
             own->n == 0   ? RULE_RPCR_4_3_2_3_02
             : p->compound ? RULE_NFSULB_6_4_1_02
                           : RULE_RPCR_4_3_2_1_02,
             "expected result %u, of %u octets, %s; found the result in Write chunk %u", item->read_class + 1,
             item->item.count,
             own->n == 0 ? "inline, as its Write chunk is empty" : "in the Write chunk of the same number",
             p->t->chunks[item->chunk].number + 1);
        return;
    }
}

/* Judges missing results. */
static void judge_absent(const struct pairing *p)
{
    for (unsigned i = 0; i < p->body->n_items; i++) {
        const struct rpcrdma_item *item = &p->body->items[i];
        unsigned k = item->read_class;
        const struct rpcrdma_chunk_state *own = pairing_chunk_at(p, k);
        bool lost = true;

        if (!item->item.eligible || item->item.count == 0 || (own && is_in(p, item, own)))
            continue;
        for (unsigned j = 0; j < p->t->n_writes; j++) { /* the result may be in another result's chunk */
            const struct rpcrdma_item *other = pairing_item_of(p, j);

            if (j != k && other && returned_in(p, j) != other->item.count && fail_mixed(p, j, other))
                return;
        }
        if (own && own->n > 0 && rpcrdma_chunk_moved(p->t, own, &lost) >= item->item.count && !lost)
            FAIL(p, RULE_RPCR_3_4_6_11,
                 "expected the length RDMA Written to Write chunk %u, %u octets; found a length of 0 octets", k + 1,
                 item->item.count);
        else
            FAIL(p,
                 !own && p->compound && p->t->n_writes > 0 ? RULE_NFSULB_6_4_1_06
                 : own && own->n == 0                      ? RULE_NFSULB_6_4_1_04
                                                           : RULE_RPCR_3_4_1_02,
                 "expected the result of %u octets %s; found a Reply without the result", item->item.count,
                 !own || own->n == 0 ? "in the payload" : "in a Write chunk or in the payload");
        return;
    }
}

/* The Call offers chunks, and the Reply has no Write list. */
static void judge_no_list(const struct pairing *p)
{
    for (unsigned k = 0; k < p->t->n_writes; k++) {
        const struct rpcrdma_item *item;

        if (pairing_result_of(p, k, &item) == RESULT_ITEM && item->chunk < 0 && item->item.count > 0 &&
            pairing_chunk_at(p, k)->length > 0) {
            fail_inline(p, k, item);
            return;
        }
    }
    FAIL(p, RULE_RPCR_4_3_2_01, "expected a Write list of %u chunks as in the Call; found a Reply without a Write list",
         p->t->n_writes);
}

/* RFC 5667 section 5: a Write chunk of length 0 asks for the result inline, which is not an error. */
static bool pairing_judge_zero_length(const struct pairing *p)
{
    const struct rpc_message *rpc = &p->body->rpc;

    if (!rpcrdma_by_rfc5666(p->rpcrdma) || !p->body->known || rpc->reply_stat != RPC_MSG_ACCEPTED ||
        (rpc->accept_stat != RPC_GARBAGE_ARGS && rpc->accept_stat != RPC_SYSTEM_ERR))
        return true;
    for (unsigned k = 0; k < p->t->n_writes; k++) {
        if (pairing_chunk_at(p, k)->n == 0 || pairing_chunk_at(p, k)->length > 0)
            continue;
        FAIL(p, RULE_RPCR0_5N_05, "expected the result inline, as Write chunk %u has length 0; found the result %s",
             k + 1, rpc_accept_stat_name(rpc->accept_stat));
        return false;
    }
    return true;
}

/* A fault of one chunk hides none of another chunk, unless it displaces the results. */
static bool goes_on(const struct pairing *p)
{
    const struct rpcrdma_body *body = p->body;

    return !p->reply->faulty || (!p->told->mixed && body->known && body->walked && body->walk.status == NFS_WALK_OK &&
                                 body->reduction == RPCRDMA_REDUCED_STANDARD);
}

static void pairing_judge_writes(const struct pairing *p)
{
    struct rpcrdma_chunk from = rpcrdma_write_begin(&p->reply->header);
    const struct rpcrdma_item *item;

    if (p->body->known && p->body->walked && p->body->reduction == RPCRDMA_REDUCED_ABSENT) {
        if (!rpcrdma_by_rfc5666(p->rpcrdma) || p->reply->header.read.n == 0) /* RFC 5666 section 3.4: in Read chunks */
            judge_absent(p);
        return;
    }
    if (p->t->n_writes == 0 || !pairing_judge_zero_length(p))
        return;
    if (p->reply->header.write.n == 0) {
        judge_no_list(p);
        return;
    }
    if (p->body->known && p->body->walked && p->body->reduction == RPCRDMA_REDUCED_IN_ORDER)
        judge_in_order(p);
    for (unsigned k = 0; k < p->t->n_writes && goes_on(p); k++) {
        rpcrdma_write_next(&p->reply->header, p->reply->p, &from);
        pairing_judge_chunk(p, k, &from);
    }
    if (!p->reply->faulty && p->compound && pairing_result_of(p, p->t->n_writes, &item) == RESULT_ITEM)
        PASS(p, RULE_NFSULB_6_4_1_06);
}

static void judge_xid(const struct pairing *p)
{
    if (!p->is_long || !p->body->known)
        return;
    if (p->body->rpc.xid == p->reply->header.xid)
        PASS(p, RULE_RPCR_4_2_1_02);
    else
        FAIL(p, RULE_RPCR_4_2_1_02,
             "expected XID 0x%08x in the Reply chunk as in the Transport header; found XID 0x%08x in the Reply chunk",
             p->reply->header.xid, p->body->rpc.xid);
}

void rpcrdma_reply_payload(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *message)
{
    struct pairing_told told = {0, false};
    struct pairing p = {.rpcrdma = rpcrdma,
                        .told = &told,
                        .reply = message,
                        .t = message->transaction,
                        .body = &message->transaction->open->reply_body,
                        .compound = rpcrdma_returned_compound(message->transaction),
                        .is_long = message->header.proc == RPCRDMA_NOMSG};
    bool faulty = message->faulty;

    if (p.t->misread == RPCRDMA_MISREAD_ROOM && !message->misread && p.t->damage != RPCRDMA_LATE && !p.t->ambiguous)
        rpcrdma_memory_pulled(rpcrdma, message);
    if (!rpcrdma_returned_judged(message))
        return;
    message->faulty = false; /* from here on: an error found by these rules */
    pairing_judge_writes(&p);
    faulty |= message->faulty;
    message->faulty = false;
    rpcrdma_memory_pulled(rpcrdma, message);
    judge_xid(&p);
    message->faulty |= faulty;
}
