// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The octets moved into the chunks that a Reply returns, against the returned lengths: RFC 8166 sections 3.4.6, 4.3.2.2
 * and 4.3.3. All RDMA Writes for a Reply precede it in the same direction, so octets that have not come by then are
 * missing. If they come later, another rule is violated (rpcrdma_memory_rules.c waits for them).
 */
#include "engine/rpcrdma/rpcrdma_returned.h"
#include "wire/invariant.h"

static struct rpcrdma_segment segment_at(const struct rpcrdma_returned *r, uint32_t i)
{
    INVARIANT(i < r->from.n);
    return rpcrdma_segment_at(&r->from, r->reply->p, i);
}

static const struct rpcrdma_offer *returned_offer_at(const struct rpcrdma_returned *r, uint32_t i)
{
    INVARIANT(i < r->chunk->n && r->chunk->first + i < r->t->n_offers);
    return &r->t->offers[r->chunk->first + i];
}

bool rpcrdma_returned_known(const struct rpcrdma_connection *rpcrdma, const struct rpcrdma_returned *r)
{
    if (r->t->damage || r->t->astray || r->lost)
        return false;
    for (uint32_t i = 0; i < r->chunk->n; i++) {
        if (rpcrdma_offer_shared(rpcrdma, returned_offer_at(r, i)))
            return false;
    }
    return true;
}

struct rpcrdma_returned rpcrdma_returned_take(const struct rpcrdma_message *reply,
                                              const struct rpcrdma_chunk_state *chunk, const struct rpcrdma_chunk *from)
{
    struct rpcrdma_returned r = {.reply = reply, .t = reply->transaction, .chunk = chunk, .from = *from};

    r.moved = rpcrdma_chunk_moved(r.t, chunk, &r.lost);
    INVARIANT(r.moved <= chunk->length);
    r.unchanged = chunk->n == from->n;
    r.all_or_nothing = r.unchanged;
    for (uint32_t i = 0; i < from->n && i < chunk->n; i++) {
        uint32_t offered = returned_offer_at(&r, i)->target.length, returned = segment_at(&r, i).length;

        r.unchanged &= returned == offered;
        r.all_or_nothing &= returned == offered || returned == 0;
    }
    INVARIANT(!r.unchanged || r.all_or_nothing);
    return r;
}

/* A segment that is not full ends the data. */
bool rpcrdma_returned_contiguous(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *reply,
                                 const struct rpcrdma_returned *r)
{
    bool is_reply = r->chunk->kind == RPCRDMA_REPLY_CHUNK, ended = false;
    uint32_t at = 0;

    for (uint32_t i = 0; i < r->from.n && i < r->chunk->n; i++) {
        uint32_t returned = segment_at(r, i).length;

        if (ended && returned > 0) {
            rpcrdma_fail(rpcrdma, reply, is_reply ? RULE_RPCR_4_3_3_05 : RULE_RPCR_3_4_6_10, r->t->call.frame,
                         "expected segments to be filled in order; found segments with %u of %u octets in segment %u "
                         "and %u in segment %u",
                         segment_at(r, at).length, returned_offer_at(r, at)->target.length, at + 1, returned, i + 1);
            return false;
        }
        if (!ended && returned < returned_offer_at(r, i)->target.length) {
            ended = true;
            at = i;
        }
        INVARIANT(!ended || at <= i);
    }
    return true;
}

/* Octets that were returned, but written elsewhere or not at all. False: there is a finding, now or later. */
static bool returned_judge_missing(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *reply,
                                   const struct rpcrdma_returned *r)
{
    bool is_reply = r->chunk->kind == RPCRDMA_REPLY_CHUNK;

    for (uint32_t i = 0; i < r->from.n && i < r->chunk->n; i++) {
        const struct rpcrdma_offer *offer = returned_offer_at(r, i);
        uint32_t returned = segment_at(r, i).length;

        if (rpcrdma_ranges_cover(&offer->moved, 0, returned))
            continue;
        if (rpcrdma_ranges_octets(&offer->moved) >= returned || r->moved >= r->chunk->returned) {
            rpcrdma_fail(rpcrdma, reply, is_reply ? RULE_RPCR_4_3_3_07 : RULE_RPCR_3_4_6_10, r->t->call.frame,
                         "expected %u octets RDMA Written from the start of segment %u (STag 0x%08x); found %llu "
                         "octets written from the start of the segment on and %llu elsewhere in the chunk",
                         returned, i + 1, offer->target.handle,
                         (unsigned long long)rpcrdma_ranges_prefix(&offer->moved),
                         (unsigned long long)(r->moved - rpcrdma_ranges_prefix(&offer->moved)));
            return false;
        }
        rpcrdma_memory_unwritten(rpcrdma, reply, offer, returned,
                                 is_reply        ? RULE_RPCR_4_3_3_05
                                 : r->moved == 0 ? RULE_RPCR_3_4_1_02
                                                 : RULE_RPCR_3_4_6_11);
        return false;
    }
    return true;
}

bool rpcrdma_returned_moved(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *reply,
                            const struct rpcrdma_returned *r)
{
    bool is_reply = r->chunk->kind == RPCRDMA_REPLY_CHUNK;
    enum rule_id rule = is_reply ? RULE_RPCR_4_3_3_05 : RULE_RPCR_3_4_6_11;

    if (!rpcrdma_returned_known(rpcrdma, r)) {
        rpcrdma_inconclusive(rpcrdma, rule, rpcrdma_answer_doubt(r->t, false, r->lost ? WHY_MEMORY : WHY_READINGS));
        return false;
    }
    if (!returned_judge_missing(rpcrdma, reply, r))
        return false;
    if (r->moved > r->chunk->returned) {
        rpcrdma_fail(rpcrdma, reply, rule, r->t->call.frame,
                     "expected the returned length to be the length RDMA Written; found a length of %llu octets "
                     "returned and %llu written",
                     (unsigned long long)r->chunk->returned, (unsigned long long)r->moved);
        return false;
    }
    rpcrdma_pass(rpcrdma, rule);
    rpcrdma_pass(rpcrdma, is_reply ? RULE_RPCR_4_3_3_07 : RULE_RPCR_3_4_6_10);
    if (!is_reply)
        rpcrdma_pass(rpcrdma, RULE_RPCR_3_4_1_02);
    return true;
}

/* ---- the Reply chunk ---- */

void rpcrdma_returned_reply(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *reply)
{
    const struct rpcrdma_transaction *t = reply->transaction;
    bool is_long = reply->header.proc == RPCRDMA_NOMSG;
    const struct rpcrdma_chunk_state *chunk;
    struct rpcrdma_chunk from;
    struct rpcrdma_returned r;

    if (t->reply_chunk < 0 || !reply->header.has_reply)
        return;
    chunk = &t->chunks[t->reply_chunk];
    from = rpcrdma_reply_chunk(&reply->header);
    r = rpcrdma_returned_take(reply, chunk, &from);
    if (!is_long && chunk->returned > 0) {
        rpcrdma_fail(rpcrdma, reply, RULE_RPCR_3_5_3_14, t->call.frame,
                     "expected the Reply chunk of an RDMA_MSG Reply to be returned unused; found a Reply chunk of %llu "
                     "octets with an RDMA_MSG Reply",
                     (unsigned long long)chunk->returned);
    } else if (!is_long) {
        rpcrdma_pass(rpcrdma, RULE_RPCR_3_5_3_14);
        rpcrdma_pass(rpcrdma, RULE_RPCR_4_3_3_05);
    } else if (chunk->returned == 0 && (r.moved == 0 || !rpcrdma_returned_known(rpcrdma, &r))) {
        rpcrdma_fail(rpcrdma, reply, RULE_RPCR_4_2_4_05, t->call.frame,
                     "expected the RPC Reply in the Reply chunk of an RDMA_NOMSG; found the chunk unused");
    } else if (rpcrdma_returned_contiguous(rpcrdma, reply, &r)) {
        rpcrdma_pass(rpcrdma, RULE_RPCR_4_2_4_05);
        rpcrdma_pass(rpcrdma, RULE_RPCR_3_5_3_14);
        rpcrdma_returned_moved(rpcrdma, reply, &r);
    }
}
