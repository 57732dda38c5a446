// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The chunk lists of a Reply against those of its Call: RFC 8166 sections 4.3.1 to 4.3.3 and 3.4.6. The responder adds
 * and drops nothing, and changes only lengths. rpcrdma_returned_rules.c judges the octets moved for the Reply.
 */
#include "engine/core/words.h"
#include "engine/rpcrdma/rpcrdma_returned.h"
#include "wire/invariant.h"

#include <stdio.h>

/* ---- other Calls that the Reply may belong to ---- */

/* A retransmission may be answered with the chunks of either Send. */
static bool ambiguous(const struct rpcrdma_transaction *t)
{
    for (const struct rpcrdma_transaction *o = t->hash_next; o; o = o->hash_next) {
        if (o->xid == t->xid && rpcrdma_waits(o))
            return true;
    }
    return false;
}

bool rpcrdma_returned_judged(const struct rpcrdma_message *reply)
{
    const struct rpcrdma_transaction *t = reply->transaction;

    return !reply->misread && !t->misread && t->damage != RPCRDMA_LATE && !t->offers_lost &&
           t->open->call_header.status == RPCRDMA_OK && !ambiguous(t);
}

bool rpcrdma_returned_compound(const struct rpcrdma_transaction *t)
{
    const struct nfs_procedure *procedure = t->open->call_body.procedure;

    return procedure && procedure->compound && !procedure->callback;
}

/* ---- Read list ---- */

static void judge_read_list(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *reply)
{
    if (reply->header.read.n == 0) {
        rpcrdma_pass(rpcrdma, RULE_RPCR_4_3_1_03);
        return;
    }
    if (rpcrdma_by_rfc5666(rpcrdma))
        return;
    reply->misread = true; /* the missing part of the payload may be in the Read list */
    rpcrdma_fail(rpcrdma, reply, RULE_RPCR_4_3_1_03, reply->transaction->call.frame,
                 "expected an empty Read list in a Reply; found a Reply with a Read list of %u segment%s, the first of "
                 "STag 0x%08x",
                 reply->header.read.n, plural(reply->header.read.n),
                 rpcrdma_read_segment_at(&reply->header, reply->p, 0).target.handle);
}

/* ---- Write chunks ---- */

static bool same_place(const struct rpcrdma_segment *offered, const struct rpcrdma_segment *returned)
{
    return offered->handle == returned->handle && offered->offset == returned->offset;
}

/* The whole returned chunk equals a chunk of the Call. */
static bool is_chunk(const struct rpcrdma_transaction *t, const struct rpcrdma_chunk_state *chunk,
                     const struct rpcrdma_message *reply, const struct rpcrdma_chunk *from)
{
    if (chunk->n != from->n || from->n == 0)
        return false;
    for (uint32_t i = 0; i < from->n; i++) {
        struct rpcrdma_segment returned = rpcrdma_segment_at(from, reply->p, i);

        if (!same_place(&t->offers[chunk->first + i].target, &returned))
            return false;
    }
    return true;
}

/* The chunk's place in the Call's Write list; -1: none. */
static int other_place(const struct rpcrdma_transaction *t, const struct rpcrdma_message *reply,
                       const struct rpcrdma_chunk *from)
{
    for (unsigned i = 0; i < t->n_writes; i++) {
        if (is_chunk(t, &t->chunks[t->first_write + i], reply, from))
            return (int)i;
    }
    return -1;
}

/* A chunk without segments is correct if it was offered without segments, or, for NFSv4, if it has no result. */
static void judge_count(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *reply,
                        const struct rpcrdma_chunk_state *chunk, const struct rpcrdma_chunk *from)
{
    const struct rpcrdma_transaction *t = reply->transaction;

    if (chunk->n == from->n) {
        rpcrdma_pass(rpcrdma, chunk->n == 0 ? RULE_RPCR_4_3_2_3_03 : RULE_RPCR_3_4_6_06);
        return;
    }
    if (from->n == 0 && (rpcrdma_returned_compound(t) || rpcrdma_by_rfc5666(rpcrdma)))
        return; /* rpcrdma_returned_rules.c knows whether there is a result */
    if (from->n == 0 && chunk->n > 0 && !t->open->call_body.known) { /* the Call may be a COMPOUND */
        rpcrdma_inconclusive(rpcrdma, RULE_RPCR_3_4_6_06, WHY_UNREAD);
        return;
    }
    reply->misread = true;
    rpcrdma_fail(rpcrdma, reply, chunk->n == 0 ? RULE_RPCR_4_3_2_3_03 : RULE_RPCR_3_4_6_06, t->call.frame,
                 "expected %u segment%s in Write chunk %u as in the Call; found a Write chunk of %u segment%s",
                 chunk->n, plural(chunk->n), chunk->number + 1, from->n, plural(from->n));
}

/* Differences found in the chunks of a Reply: each kind is reported once per Reply. */
struct differing {
    bool place, length;
};

/* "Write chunk 2". */
static const char *chunk_name(const struct rpcrdma_chunk_state *chunk)
{
    static _Thread_local char text[32];

    if (chunk->kind == RPCRDMA_REPLY_CHUNK)
        return "the Reply chunk";
    snprintf(text, sizeof text, "Write chunk %u", chunk->number + 1u);
    return text;
}

/* The offered segment of the chunk at the same address, or, if there is none, the one with this number. */
static const struct rpcrdma_segment *offer_meant(const struct rpcrdma_transaction *t,
                                                 const struct rpcrdma_chunk_state *chunk, uint32_t number,
                                                 const struct rpcrdma_segment *returned)
{
    for (uint32_t i = 0; i < chunk->n; i++) {
        if (same_place(&t->offers[chunk->first + i].target, returned))
            return &t->offers[chunk->first + i].target;
    }
    INVARIANT(number < chunk->n);
    return &t->offers[chunk->first + number].target;
}

static void fail_place(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *reply,
                       const struct rpcrdma_chunk_state *chunk, uint32_t number, const struct rpcrdma_segment *returned)
{
    const struct rpcrdma_segment *offered = &reply->transaction->offers[chunk->first + number].target;
    bool is_reply = chunk->kind == RPCRDMA_REPLY_CHUNK;

    rpcrdma_fail_as(
        rpcrdma, reply, is_reply ? RULE_RPCR_4_3_3_04 : RULE_RPCR_3_4_6_07,
        is_reply || returned->length > 0 ? SEVERITY_ERROR : SEVERITY_WARNING, reply->transaction->call.frame,
        "expected segment %u of %s as in the Call (STag 0x%08x, offset 0x%llx); found a segment of STag 0x%08x, offset "
        "0x%llx",
        number + 1, chunk_name(chunk), offered->handle, (unsigned long long)offered->offset, returned->handle,
        (unsigned long long)returned->offset);
}

/* The number of segments must be that of the Call. */
static void judge_segments(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *reply,
                           const struct rpcrdma_chunk_state *chunk, const struct rpcrdma_chunk *from,
                           struct differing *differing)
{
    const struct rpcrdma_transaction *t = reply->transaction;

    INVARIANT(chunk->n == from->n && chunk->first + chunk->n <= t->n_offers);
    for (uint32_t i = 0; i < from->n; i++) {
        const struct rpcrdma_segment *offered = &t->offers[chunk->first + i].target;
        struct rpcrdma_segment returned = rpcrdma_segment_at(from, reply->p, i);
        const struct rpcrdma_segment *meant = offer_meant(t, chunk, i, &returned);

        if (!differing->place && !same_place(offered, &returned)) {
            differing->place = true;
            fail_place(rpcrdma, reply, chunk, i, &returned);
        }
        /* The data are in another order, too. */
        reply->misread |= meant != offered && chunk->kind == RPCRDMA_WRITE_CHUNK;
        if (!differing->length && returned.length > meant->length && !t->astray) {
            differing->length = true;
            reply->misread |= chunk->kind == RPCRDMA_WRITE_CHUNK;
            rpcrdma_fail(rpcrdma, reply, chunk->kind == RPCRDMA_REPLY_CHUNK ? RULE_RPCR_4_3_3_05 : RULE_RPCR_3_4_6_08,
                         t->call.frame,
                         "expected at most %u octets in segment %u of %s, as offered; found a segment of %u octets",
                         meant->length, i + 1, chunk_name(chunk), returned.length);
        }
    }
}

/* No Write list was offered. */
static void judge_none_offered(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *reply)
{
    const struct rpcrdma_transaction *t = reply->transaction;
    const struct nfs_decoded call = rpcrdma_decoded(&t->open->call_body);
    bool inline_wanted = nfs_reducible_results(&call) > 0;

    if (reply->header.write.n == 0) {
        rpcrdma_pass(rpcrdma, RULE_RPCR_3_1_03);
        if (inline_wanted)
            rpcrdma_pass(rpcrdma, RULE_RPCR_4_3_2_3_01);
        return;
    }
    reply->misread = true;
    rpcrdma_fail(
        rpcrdma, reply, inline_wanted ? RULE_RPCR_4_3_2_3_01 : RULE_RPCR_3_1_03, t->call.frame,
        "expected no Write list in the Reply to a Call without one%s; found a Write list of %u chunk%s in the Reply",
        inline_wanted ? ", which asks for the result inline" : "", reply->header.write.n,
        plural(reply->header.write.n));
}

/* Only chunks that the Call offers without segments are missing. */
static bool empty_ones_missing(const struct rpcrdma_message *reply)
{
    const struct rpcrdma_transaction *t = reply->transaction;
    struct rpcrdma_chunk from = rpcrdma_write_begin(&reply->header);
    bool more = rpcrdma_write_next(&reply->header, reply->p, &from);

    for (unsigned i = 0; i < t->n_writes; i++) {
        const struct rpcrdma_chunk_state *chunk = &t->chunks[t->first_write + i];

        if (more && (is_chunk(t, chunk, reply, &from) || (chunk->n == 0 && from.n == 0)))
            more = rpcrdma_write_next(&reply->header, reply->p, &from);
        else if (chunk->n > 0)
            return false;
    }
    return !more;
}

/* False: the order of the chunks is wrong. */
static bool reply_judge_chunk(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *reply, unsigned i,
                              const struct rpcrdma_chunk *from, struct differing *differing)
{
    const struct rpcrdma_transaction *t = reply->transaction;
    const struct rpcrdma_chunk_state *chunk = &t->chunks[t->first_write + i];
    int place = from->n == 0 || is_chunk(t, chunk, reply, from) ? (int)i : other_place(t, reply, from);

    if (place >= 0 && (unsigned)place != i) {
        reply->misread = true;
        rpcrdma_fail(rpcrdma, reply, RULE_RPCR_4_3_2_01, t->call.frame,
                     "expected the Write chunks in the order of the Call; found chunk %d as chunk %u", place + 1,
                     i + 1);
        return false;
    }
    judge_count(rpcrdma, reply, chunk, from);
    if (chunk->n == from->n)
        judge_segments(rpcrdma, reply, chunk, from, differing);
    return true;
}

/* The Reply must return the Call's chunks, in the same number and order. */
static void judge_chunks(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *reply)
{
    const struct rpcrdma_transaction *t = reply->transaction;
    struct rpcrdma_chunk from = rpcrdma_write_begin(&reply->header);
    struct differing differing = {false, false};
    bool any = false;

    for (unsigned i = 0; i < t->n_writes && rpcrdma_write_next(&reply->header, reply->p, &from); i++) {
        if (!reply_judge_chunk(rpcrdma, reply, i, &from, &differing))
            return;
        any |= from.n > 0;
    }
    if (any && !differing.place)
        rpcrdma_pass(rpcrdma, RULE_RPCR_3_4_6_07);
    if (any && !differing.length)
        rpcrdma_pass(rpcrdma, RULE_RPCR_3_4_6_08);
    rpcrdma_pass(rpcrdma, RULE_RPCR_4_3_2_01);
    rpcrdma_pass(rpcrdma, RULE_RPCR_3_1_03);
}

static void judge_write_list(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *reply)
{
    const struct rpcrdma_transaction *t = reply->transaction;

    if (t->n_writes == 0) {
        judge_none_offered(rpcrdma, reply);
        return;
    }
    if (reply->header.write.n == 0) /* rpcrdma_returned_rules.c knows whether there is a result */
        return;
    if (reply->header.write.n == t->n_writes) {
        judge_chunks(rpcrdma, reply);
    } else {
        reply->misread = true;
        rpcrdma_fail(rpcrdma, reply, empty_ones_missing(reply) ? RULE_RPCR_4_3_2_3_03 : RULE_RPCR_4_3_2_01,
                     t->call.frame,
                     "expected a Write list of %u chunk%s as in the Call; found a Write list of %u chunk%s",
                     t->n_writes, plural(t->n_writes), reply->header.write.n, plural(reply->header.write.n));
    }
}

/* ---- Reply chunk ---- */

static void judge_reply_copy(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *reply,
                             const struct rpcrdma_chunk_state *chunk)
{
    const struct rpcrdma_transaction *t = reply->transaction;
    struct rpcrdma_chunk from = rpcrdma_reply_chunk(&reply->header);
    struct differing differing = {false, false};

    if (from.n != chunk->n) {
        rpcrdma_fail(rpcrdma, reply, RULE_RPCR_4_3_3_04, t->call.frame,
                     "expected %u segment%s in the Reply chunk as in the Call; found a Reply chunk of %u segment%s",
                     chunk->n, plural(chunk->n), from.n, plural(from.n));
        return;
    }
    judge_segments(rpcrdma, reply, chunk, &from, &differing);
    if (!differing.place)
        rpcrdma_pass(rpcrdma, RULE_RPCR_4_3_3_04);
}

static void judge_reply_chunk(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *reply)
{
    const struct rpcrdma_transaction *t = reply->transaction;
    const struct rpcrdma_chunk_state *chunk = t->reply_chunk >= 0 ? &t->chunks[t->reply_chunk] : NULL;
    bool is_long = reply->header.proc == RPCRDMA_NOMSG;

    if (is_long && reply->header.read.n > 0)
        return; /* the client reads the Reply: RFC 5666 section 5.2, and RPCR-4.3.1-03 */
    if (!chunk && is_long) {
        rpcrdma_fail(rpcrdma, reply, RULE_RPCR_3_5_3_12, t->call.frame,
                     "expected the Reply inline, as the Call has no Reply chunk; found an RDMA_NOMSG Reply");
    } else if (!chunk && reply->header.has_reply) {
        rpcrdma_fail(rpcrdma, reply, RULE_RPCR_4_3_3_06, t->call.frame,
                     "expected no Reply chunk in the Reply to a Call without one; found a Reply chunk of %u segment%s "
                     "in the Reply",
                     reply->header.reply.segments, plural(reply->header.reply.segments));
    } else if (!chunk) {
        rpcrdma_pass(rpcrdma, RULE_RPCR_4_3_3_06);
    } else if (!reply->header.has_reply && is_long) {
        rpcrdma_fail(
            rpcrdma, reply, RULE_RPCR_4_2_4_05, t->call.frame,
            "expected the Reply chunk in an RDMA_NOMSG Reply; found an RDMA_NOMSG Reply without a Reply chunk");
    } else if (!reply->header.has_reply) {
        rpcrdma_fail_as(rpcrdma, reply, RULE_RPCR_4_3_3_04, SEVERITY_WARNING, t->call.frame,
                        "expected the Call's Reply chunk in the Reply, with lengths of 0; found a Reply without the "
                        "Call's Reply chunk");
    } else {
        judge_reply_copy(rpcrdma, reply, chunk);
    }
    if (is_long && chunk)
        rpcrdma_pass(rpcrdma, RULE_RPCR_3_5_3_12);
}

/* ---- a Call that the capture may lack ---- */

/* The Reply has the chunks of the Call. If Sends of the caller are missing since the Call, one of them may have been a
 * Call with the same XID and other chunks. */
static bool fits_call(const struct rpcrdma_message *reply)
{
    const struct rpcrdma_transaction *t = reply->transaction;
    struct rpcrdma_chunk from = rpcrdma_write_begin(&reply->header);

    if ((reply->header.write.n != t->n_writes && reply->header.write.n > 0) ||
        (reply->header.has_reply && t->reply_chunk < 0))
        return false;
    for (unsigned i = 0; rpcrdma_write_next(&reply->header, reply->p, &from); i++) {
        if (from.n > 0 && !is_chunk(t, &t->chunks[t->first_write + i], reply, &from))
            return false;
    }
    if (reply->header.has_reply) {
        from = rpcrdma_reply_chunk(&reply->header);
        return from.n == 0 || is_chunk(t, &t->chunks[t->reply_chunk], reply, &from);
    }
    return reply->header.proc != RPCRDMA_NOMSG;
}

/* The Reply chunk of an inline Reply has as many segments as offered, none of them longer. */
static bool only_place_differs(const struct rpcrdma_message *reply)
{
    const struct rpcrdma_transaction *t = reply->transaction;
    const struct rpcrdma_chunk_state *chunk = t->reply_chunk >= 0 ? &t->chunks[t->reply_chunk] : NULL;
    struct rpcrdma_chunk from = rpcrdma_reply_chunk(&reply->header);

    if (!chunk || reply->header.proc == RPCRDMA_NOMSG || !reply->header.has_reply || from.n != chunk->n)
        return false;
    for (uint32_t i = 0; i < from.n; i++) {
        struct rpcrdma_segment returned = rpcrdma_segment_at(&from, reply->p, i);
        const struct rpcrdma_segment *offered = &t->offers[chunk->first + i].target;

        if (returned.length > offered->length || offer_meant(t, chunk, i, &returned) != offered)
            return false;
    }
    return true;
}

void rpcrdma_reply_header(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *message)
{
    bool before = message->faulty, faulty = false;

    if (!rpcrdma_returned_judged(message))
        return;
    message->faulty = false; /* from here on: an error found by these rules */
    judge_read_list(rpcrdma, message);
    if (message->transaction->recalled && !fits_call(message)) {
        rpcrdma_inconclusive(rpcrdma, RULE_RPCR_3_4_6_07, WHY_COPIES);
        message->misread = true;
        message->faulty |= before;
        return;
    }
    judge_write_list(rpcrdma, message);
    faulty |= message->faulty;
    message->faulty = false;
    judge_reply_chunk(rpcrdma, message);
    if (!message->faulty || only_place_differs(message))
        rpcrdma_returned_reply(rpcrdma, message);
    if (message->header.proc == RPCRDMA_NOMSG)
        message->misread |= message->faulty;
    message->transaction->spoilt |= faulty || message->faulty; /* the caller may wait for another Reply */
    message->faulty |= faulty || before;
}
