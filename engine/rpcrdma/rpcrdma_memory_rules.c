// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Memory that Calls offer, at the end of a transaction: RDMA Reads and Writes complete before the Reply (RFC 8166
 * section 2.3.2), invalidation (RFC 8797 section 4.1), and Terminates that refuse access to offered memory.
 * rpcrdma_access_rules.c judges the operations themselves.
 */
#include "engine/core/heap.h"
#include "engine/rpcrdma/rpcrdma_memory_state.h"
#include "wire/invariant.h"

#include <stdlib.h>

bool rpcrdma_memory_new(struct rpcrdma_connection *rpcrdma)
{
    rpcrdma->memory = arena_zeroed(rpcrdma->arena, sizeof *rpcrdma->memory);
    return rpcrdma->memory != NULL;
}

void rpcrdma_memory_free(struct rpcrdma_connection *rpcrdma)
{
    if (rpcrdma->memory)
        arena_drop(rpcrdma->memory->access, rpcrdma->memory->accesses_size * sizeof *rpcrdma->memory->access);
}

bool rpcrdma_memory_has_odd(struct rpcrdma_connection *rpcrdma)
{
    struct rpcrdma_memory_state *state = rpcrdma->memory;

    if (!state->odd)
        state->odd = arena_zeroed(rpcrdma->arena, sizeof *state->odd);
    INVARIANT(rpcrdma_memory_is_sound(state));
    return state->odd != NULL;
}

static bool memory_outstanding(const struct rpcrdma_offer *offer)
{
    return rpcrdma_waits(offer->transaction);
}

static bool memory_written(const struct rpcrdma_offer *offer)
{
    return offer->kind != RPCRDMA_READ_CHUNK;
}

bool rpcrdma_offer_shared(const struct rpcrdma_connection *rpcrdma, const struct rpcrdma_offer *offer)
{
    struct rpcrdma_area area = rpcrdma_area_of(&offer->target);
    unsigned looked = 0;

    for (const struct rpcrdma_offer *o = rpcrdma_offers_of(rpcrdma, offer->transaction->side, offer->target.handle); o;
         o = rpcrdma_offers_next(o)) {
        struct rpcrdma_area other = rpcrdma_area_of(&o->target);

        if (o != offer && memory_written(o) == memory_written(offer) && rpcrdma_area_meets(&area, &other) &&
            (memory_outstanding(o) || o->transaction->answer_operation > offer->transaction->call_operation))
            return true;
        if (++looked == RPCRDMA_LOOKED_MAX) /* too many to search: the memory may be shared */
            return true;
    }
    return false;
}

/* ---- Calls, answers ---- */

void rpcrdma_memory_call(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *message)
{
    rpcrdma_access_call(rpcrdma, message);
    rpcrdma_invalidated_call(rpcrdma, message);
    rpcrdma_served_call(rpcrdma, message);
    rpcrdma_handles_call(rpcrdma, message);
    INVARIANT(rpcrdma_memory_is_sound(rpcrdma->memory));
}

/* Section 2.3.2: the Reply implies that the RDMA Reads of its Call are complete. */
static void judge_reads_complete(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_message *reply)
{
    const struct rpcrdma_transaction *t = reply->transaction;
    struct rpcrdma_hasty hasty;
    bool any = false;

    for (unsigned i = 0; i < t->n_offers; i++) {
        const struct rpcrdma_offer *offer = &t->offers[i];
        uint64_t asked = rpcrdma_ranges_octets(&offer->asked), moved = rpcrdma_ranges_octets(&offer->moved);

        if (memory_written(offer) || asked == 0)
            continue;
        any = true;
        if (moved >= asked)
            continue;
        hasty = (struct rpcrdma_hasty){.open = true,
                                       .owner = t->side,
                                       .area = rpcrdma_area_of(&offer->target),
                                       .place = reply->place,
                                       .operation = reply->operation,
                                       .xid = t->xid,
                                       .call_frame = t->call.frame,
                                       .asked = asked,
                                       .moved = moved};
        INVARIANT(hasty.moved < hasty.asked && hasty.area.from <= hasty.area.to);
        if (t->damage || reply->unsure || offer->asked.lost || offer->moved.lost ||
            rpcrdma_offer_shared(rpcrdma, offer)) {
            rpcrdma_inconclusive(
                rpcrdma, RULE_RPCR_2_3_2_03,
                rpcrdma_answer_doubt(t, reply->unsure,
                                     offer->asked.lost || offer->moved.lost ? WHY_MEMORY : WHY_READINGS));
        } else if (reply->reads_unseen) {
            rpcrdma_hasty_keep(rpcrdma, &hasty);
        } else {
            rpcrdma_hasty_fail(rpcrdma, &hasty);
            reply->transaction->astray = true; /* the missing Reads were reported */
        }
        return;
    }
    if (any)
        rpcrdma_pass(rpcrdma, RULE_RPCR_2_3_2_03);
}

/* ---- Read chunks of a Call that was carried out ---- */

/* The operation with this argument succeeded; *octets: how much of the argument was used, if the result says so. */
static bool memory_succeeded(const struct rpcrdma_transaction *t, const struct nfs_item *argument, uint64_t *octets)
{
    const struct rpcrdma_body *body = &t->open->reply_body;
    const struct nfs_value *value;
    unsigned i = 0;
    bool ok = false;

    while ((value = rpcrdma_value(body, NFS_MARK_STATUS, argument->op, &i)))
        ok |= value->op_index == argument->op_index && value->value == 0;
    i = 0;
    while (ok && (value = rpcrdma_value(body, NFS_MARK_RESULT_COUNT, argument->op, &i))) {
        if (value->op_index == argument->op_index && value->value < *octets)
            *octets = value->value;
    }
    return ok;
}

static void judge_pulled(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *reply,
                         const struct rpcrdma_chunk_state *chunk, uint64_t needed)
{
    const struct rpcrdma_transaction *t = reply->transaction;
    uint64_t moved = rpcrdma_chunk_prefix(t, chunk);
    bool unsure = t->damage || t->astray || reply->unsure;

    if (moved >= needed) {
        rpcrdma_pass(rpcrdma, RULE_RPCR_3_4_5_1_01);
        return;
    }
    for (uint32_t i = 0; i < chunk->n; i++) {
        const struct rpcrdma_offer *offer = &t->offers[chunk->first + i];

        unsure |= offer->moved.lost || offer->asked.lost || rpcrdma_offer_shared(rpcrdma, offer);
        /* Missing Responses would belong to the octets that were requested. */
        unsure |= reply->reads_unseen && rpcrdma_ranges_octets(&offer->asked) > rpcrdma_ranges_octets(&offer->moved);
    }
    if (unsure)
        rpcrdma_inconclusive(
            rpcrdma, RULE_RPCR_3_4_5_1_01,
            rpcrdma_answer_doubt(t, reply->unsure, reply->reads_unseen ? LOST_OR(WHY_ORDER) : WHY_READINGS));
    else
        rpcrdma_fail(rpcrdma, reply, RULE_RPCR_3_4_5_1_01, t->call.frame,
                     "expected %llu octets of the Read chunk at Position %u to be read before a Reply that reports "
                     "success; found a Reply when %llu octets of the Read chunk had been read",
                     (unsigned long long)needed, chunk->position, (unsigned long long)moved);
}

void rpcrdma_memory_pulled(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *reply)
{
    const struct rpcrdma_transaction *t = reply->transaction;
    const struct rpcrdma_body *call = &t->open->call_body, *body = &t->open->reply_body;

    if (!rpcrdma_body_succeeded(body))
        return;
    if (t->position_zero >= 0 && t->open->call_header.proc == RPCRDMA_NOMSG)
        judge_pulled(rpcrdma, reply, &t->chunks[t->position_zero],
                     call->known ? call->length : t->chunks[t->position_zero].length);
    for (unsigned i = 0; call->known && call->walked && i < call->n_items && !reply->faulty; i++) {
        const struct rpcrdma_item *item = &call->items[i];
        uint64_t octets = item->item.count;

        if (item->chunk >= 0 && octets > 0 && body->walked && memory_succeeded(t, &item->item, &octets))
            judge_pulled(rpcrdma, reply, &t->chunks[item->chunk], octets);
    }
}

/* ---- invalidation ---- */

/* RFC 8797 section 4.1: a Send with Invalidate may only name an STag of the transaction that it ends. */
static void judge_invalidated(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *answer)
{
    const struct rpcrdma_transaction *t = answer->transaction, *other = NULL;
    uint32_t stag = answer->invalidate_stag;
    bool own = false;

    for (const struct rpcrdma_offer *o = rpcrdma_offers_of(rpcrdma, t->side, stag); o; o = rpcrdma_offers_next(o)) {
        if (o->transaction == t)
            own = true;
        else if (memory_outstanding(o) && o->transaction->xid != t->xid)
            other = o->transaction;
    }
    /* The Call may have been sent again in a hole, with other chunks. */
    if (t->offers_lost || t->open->call_header.status != RPCRDMA_OK || t->damage == RPCRDMA_LATE ||
        (!own && rpcrdma_hole_since(rpcrdma, t->side, t->call.frame)))
        rpcrdma_inconclusive(rpcrdma, RULE_CMPD_4_1_02,
                             t->offers_lost ? WHY_MEMORY : rpcrdma_answer_doubt(t, false, WHY_UNREAD));
    else if (!own)
        rpcrdma_fail(rpcrdma, answer, RULE_CMPD_4_1_02, other ? other->call.frame : t->call.frame,
                     "expected the invalidated STag to belong to the chunks of XID 0x%08x (Call in frame %u); found "
                     "invalidated STag 0x%08x%s",
                     t->xid, t->call.frame, stag, other ? ", which another outstanding Call offers" : "");
    else if (other)
        rpcrdma_fail(rpcrdma, answer, RULE_CMPD_4_1_02, other->call.frame,
                     "expected the invalidated STag to belong to XID 0x%08x alone; found invalidated STag 0x%08x, "
                     "which XID 0x%08x (Call in frame %u) offers, too",
                     t->xid, stag, other->xid, other->call.frame);
    else
        rpcrdma_pass(rpcrdma, RULE_CMPD_4_1_02);
}

/* ---- octets that a Reply claims were written, but were not ---- */

static void report_unwritten(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_unwritten *u)
{
    if (u->reported || rpcrdma->memory->late_number[u->owner] == u->transaction)
        return;
    rpcrdma_fail_at(rpcrdma, &u->place, u->rule, u->call_frame,
                    "expected RDMA Writes of the %llu octets that the Reply to XID 0x%08x returns at 0x%llx of STag "
                    "0x%08x; found a Reply with %llu octets written",
                    (unsigned long long)(u->area.to - u->area.from), u->xid, (unsigned long long)u->area.from,
                    u->area.stag, (unsigned long long)u->moved);
}

void rpcrdma_memory_unwritten(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_message *reply,
                              const struct rpcrdma_offer *offer, uint64_t returned, enum rule_id rule)
{
    struct rpcrdma_memory_state *state = rpcrdma->memory;
    const struct rpcrdma_transaction *t = offer->transaction;
    struct rpcrdma_unwritten u = {.area = rpcrdma_area_of(&offer->target),
                                  .owner = t->side,
                                  .transaction = t->number,
                                  .xid = t->xid,
                                  .call_frame = t->call.frame,
                                  .place = reply->place,
                                  .rule = rule,
                                  .moved = rpcrdma_ranges_octets(&offer->moved)};

    u.area.to = returned < u.area.to - u.area.from ? u.area.from + returned : u.area.to;
    INVARIANT(u.area.from <= u.area.to && u.area.to - u.area.from <= offer->target.length);
    if (!rpcrdma_memory_has_odd(rpcrdma))
        return;
    if (state->unwrittens == RPCRDMA_UNWRITTEN_MAX)
        report_unwritten(rpcrdma, &u);
    else
        state->odd->unwritten[state->unwrittens++] = u;
    INVARIANT(rpcrdma_memory_is_sound(state));
}

/* The responder proceeds to its next answer: missing octets will no longer come. */
static void settle_unwritten(struct rpcrdma_connection *rpcrdma, unsigned owner)
{
    struct rpcrdma_memory_state *state = rpcrdma->memory;
    unsigned kept = 0;

    for (unsigned i = 0; i < state->unwrittens; i++) {
        if (state->odd->unwritten[i].owner == owner)
            report_unwritten(rpcrdma, &state->odd->unwritten[i]);
        else
            state->odd->unwritten[kept++] = state->odd->unwritten[i];
    }
    state->unwrittens = kept;
    INVARIANT(rpcrdma_memory_is_sound(state));
}

static bool accessed(const struct rpcrdma_transaction *t)
{
    for (unsigned i = 0; i < t->n_offers; i++) {
        if (t->offers[i].touched)
            return true;
    }
    return false;
}

void rpcrdma_memory_answer(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *message)
{
    settle_unwritten(rpcrdma, message->transaction->side);
    if (accessed(message->transaction) && !message->transaction->astray) /* and no access was refused */
        rpcrdma_pass(rpcrdma, RULE_RPCR_3_4_3_03);
    if (message->kind == RPCRDMA_KIND_REPLY)
        judge_reads_complete(rpcrdma, message);
    if (message->invalidates && !message->faulty)
        judge_invalidated(rpcrdma, message);
    if (message->invalidates && !message->faulty)
        rpcrdma_invalidated_answer(rpcrdma, message);
    INVARIANT(rpcrdma_waits(message->transaction) && rpcrdma_memory_is_sound(rpcrdma->memory));
}

void rpcrdma_memory_finish(struct rpcrdma_connection *rpcrdma)
{
    rpcrdma_access_finish(rpcrdma);
    rpcrdma_served_finish(rpcrdma);
    rpcrdma_revoked_finish(rpcrdma);
    rpcrdma_hasty_finish(rpcrdma);
    rpcrdma_invalidated_finish(rpcrdma);
    settle_unwritten(rpcrdma, 0);
    settle_unwritten(rpcrdma, 1);
    INVARIANT(rpcrdma->memory->strays == 0 && rpcrdma->memory->unwrittens == 0);
}

/* ---- refusals ---- */

/*
 * The requester refuses access to memory that it has offered. It may have cancelled the Call (section 8.1.4): a note.
 */
void rpcrdma_memory_refusal(struct rpcrdma_connection *rpcrdma, const struct rdma_refusal *refusal)
{
    const struct rpcrdma_memory_state *state = rpcrdma->memory;
    unsigned n = rpcrdma_ring_used(state->accesses, state->accesses_size);
    rpcrdma_revoked_refused(rpcrdma, refusal->place.side & 1u);

    INVARIANT(n <= RPCRDMA_ACCESSES_MAX && (n == 0 || state->access));
    if (refusal->cause == RDMA_REFUSED_MEMORY)
        rpcrdma_invalidated_refused(rpcrdma, refusal->place.side & 1u);
    /* An access within the offer is legitimate, whatever reason the refusal gives. */
    if (!refusal->culprit_found || (refusal->cause != RDMA_REFUSED_MEMORY && refusal->cause != RDMA_REFUSED_OTHER))
        return;
    for (unsigned i = 0; i < n; i++) {
        const struct rpcrdma_access *access = &state->access[i];

        if (access->side != refusal->culprit.side || access->offset != refusal->culprit.offset)
            continue;
        rpcrdma->recording.refused = true;
        rpcrdma->recording.refused_xid = access->xid;
        rpcrdma_fail_at(rpcrdma, &refusal->place, RULE_RPCR_3_4_3_03, access->frame,
                        "expected the memory that XID 0x%08x offers to be accessible; found the %s of 0x%llx to "
                        "0x%llx of STag 0x%08x in frame %u refused (unless the RPC was cancelled)",
                        access->xid, access->kind == RDMA_WRITE ? "RDMA Write" : "RDMA Read",
                        (unsigned long long)access->area.from, (unsigned long long)access->area.to, access->area.stag,
                        access->frame);
        return;
    }
}
