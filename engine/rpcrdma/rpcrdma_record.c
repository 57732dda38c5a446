// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The record that a connection leaves for later ones (engine/rpcrdma/rpcrdma_record.h). It is assembled at the end
 * from the transactions that are still remembered. Accesses, and transactions forgotten earlier, are recorded at once.
 */
#include "engine/rpcrdma/rpcrdma_record.h"
#include "engine/core/heap.h"
#include "engine/rpcrdma/rpcrdma_memory_state.h"
#include "engine/rpcrdma/rpcrdma_reaction.h"
#include "wire/invariant.h"

#include <stdlib.h>
#include <string.h>

void rpcrdma_across_record_free(struct rpcrdma_across_record *record)
{
    if (!record)
        return;
    free(record->calls);
    free(record->offers);
    free(record->strays);
    free(record->files);
    free(record);
}

static struct rpcrdma_across_record *record_of(struct rpcrdma_connection *rpcrdma)
{
    if (rpcrdma->verdict->off)
        return NULL;
    if (!rpcrdma->recording.record)
        rpcrdma->recording.record = heap_zeroed(1, sizeof *rpcrdma->recording.record);
    return rpcrdma->recording.record;
}

/* ---- Calls and their offers ---- */

/* Holds until the record is given away. */
static bool record_is_sound(const struct rpcrdma_across_record *record)
{
    return record->n_calls <= record->calls_size && record->calls_size <= RPCRDMA_ACROSS_CALLS_MAX &&
           record->offers_size <= RPCRDMA_ACROSS_OFFERS_MAX && (record->offers || record->n_offers == 0) &&
           record->n_strays <= RPCRDMA_ACROSS_STRAYS_MAX && (record->strays || record->n_strays == 0) &&
           record->n_empty <= RPCRDMA_ACROSS_EMPTY_MAX;
}

static struct rpcrdma_across_call *call_new(struct rpcrdma_across_record *record)
{
    void *calls = heap_room(record->calls, &record->calls_size, record->n_calls + 1, RPCRDMA_ACROSS_CALLS_MAX,
                            sizeof *record->calls);

    if (!calls)
        return NULL;
    record->calls = calls;
    INVARIANT(record->n_calls < record->calls_size);
    return &record->calls[record->n_calls++];
}

static void note_offers(struct rpcrdma_across_record *record, const struct rpcrdma_transaction *t)
{
    for (unsigned i = 0; i < t->n_offers; i++) {
        struct rpcrdma_area area = rpcrdma_area_of(&t->offers[i].target);
        unsigned at = record->n_offers % RPCRDMA_ACROSS_OFFERS_MAX;
        void *offers =
            heap_room(record->offers, &record->offers_size, at + 1, RPCRDMA_ACROSS_OFFERS_MAX, sizeof *record->offers);

        if (!offers)
            return;
        record->offers = offers;
        record->offers[at] = (struct rpcrdma_across_offer){.owner = t->side,
                                                           .handle = area.stag,
                                                           .xid = t->xid,
                                                           .from = area.from,
                                                           .to = area.to,
                                                           .frame = t->call.frame};
        record->n_offers++;
        INVARIANT(record_is_sound(record) && at < record->offers_size);
    }
}

static struct rpcrdma_across_call record_call_of(const struct rpcrdma_connection *rpcrdma,
                                                 const struct rpcrdma_transaction *t)
{
    struct rpcrdma_across_call call = {.xid = t->xid,
                                       .side = t->side,
                                       .reverse = t->reverse,
                                       .damaged = t->damage || t->spoilt || t->ambiguous,
                                       .repeats = t->repeats,
                                       .received = !rpcrdma_waits(t) && rpcrdma->received[t->side] > t->answer.offset,
                                       .refused =
                                           rpcrdma->recording.refused && rpcrdma->recording.refused_xid == t->xid,
                                       .refused_late = rpcrdma->recording.late && rpcrdma->recording.late_xid == t->xid,
                                       .succeeded = t->succeeded,
                                       .request_known = t->request.known,
                                       .program = t->request.program,
                                       .version = t->request.version,
                                       .procedure = t->request.procedure,
                                       .hash = t->request.hash,
                                       .use = t->use ? *t->use : t->open->use,
                                       .outcome = t->outcome == RPCRDMA_SETTLED ? RPCRDMA_REPLIED : t->outcome,
                                       .call = t->call,
                                       .answer = t->answer};

    if (t->outcome == RPCRDMA_FAILED)
        call.error = t->answer_error;
    return call;
}

bool rpcrdma_is_recorded(const struct rpcrdma_transaction *t)
{
    return t->outcome != RPCRDMA_REPLIED || t->number <= RPCRDMA_ACROSS_FIRST_CALLS;
}

void rpcrdma_record_call(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_transaction *t)
{
    bool plain = !rpcrdma_is_recorded(t);
    struct rpcrdma_across_record *record;
    struct rpcrdma_across_call *call;

    if (t->damage == RPCRDMA_LATE || (plain && !t->reverse && !rpcrdma->finished))
        return;
    record = record_of(rpcrdma);
    if (!record)
        return;
    if (rpcrdma->finished) /* the latest are enough */
        note_offers(record, t);
    record->callbacks |= t->reverse && t->outcome == RPCRDMA_REPLIED;
    if (plain || !(call = call_new(record)))
        return;
    *call = record_call_of(rpcrdma, t);
    INVARIANT(record_is_sound(record) && call->side == t->side && call->outcome != RPCRDMA_SETTLED);
}

void rpcrdma_record_cut_off(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_transaction *t,
                            const struct rpcrdma_across_cut *cut)
{
    struct rpcrdma_across_record *record = record_of(rpcrdma);

    if (!record)
        return;
    record->cut = *cut;
    record->cut.any = true;
    record->cut.call = record_call_of(rpcrdma, t);
    INVARIANT(record->cut.rule < RULE_COUNT && record->cut.call.side < 2);
}

void rpcrdma_record_drop(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_across_drop *drop)
{
    struct rpcrdma_across_record *record = record_of(rpcrdma);

    if (record)
        record->drop = *drop;
}

void rpcrdma_record_tolerated(struct rpcrdma_connection *rpcrdma, enum rule_id rule)
{
    struct rpcrdma_across_record *record = record_of(rpcrdma);

    if (record)
        record->tolerated = (uint16_t)(rule + 1);
    INVARIANT(!record || record->tolerated <= RULE_COUNT);
}

/* ---- accesses to memory that this connection does not offer ---- */

static struct rpcrdma_across_stray *find_stray(struct rpcrdma_across_record *record, const struct rpcrdma_move *move)
{
    for (unsigned i = 0; record && i < record->n_strays; i++) {
        struct rpcrdma_across_stray *stray = &record->strays[i];

        if (stray->operation == move->operation && stray->owner == move->owner)
            return stray;
    }
    return NULL;
}

void rpcrdma_record_stray(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_move *move)
{
    struct rpcrdma_area area = rpcrdma_area_of_move(move);
    struct rpcrdma_across_record *record;

    if (move->operation == 0 || move->length == 0 || find_stray(rpcrdma->recording.record, move))
        return;
    record = record_of(rpcrdma);
    if (record && !record->strays)
        record->strays = heap_zeroed(RPCRDMA_ACROSS_STRAYS_MAX, sizeof *record->strays);
    if (!record || !record->strays || record->n_strays == RPCRDMA_ACROSS_STRAYS_MAX)
        return;
    record->strays[record->n_strays++] = (struct rpcrdma_across_stray){.owner = (uint8_t)move->owner,
                                                                       .write = move->kind == RDMA_WRITE,
                                                                       .handle = area.stag,
                                                                       .from = area.from,
                                                                       .to = area.to,
                                                                       .operation = move->operation,
                                                                       .place = move->place};
    INVARIANT(record_is_sound(record) && find_stray(record, move));
}

/* The owner's adapter returned the requested data. */
void rpcrdma_record_response(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_move *move)
{
    struct rpcrdma_across_stray *stray = find_stray(rpcrdma->recording.record, move);

    if (!stray || stray->served || move->length == 0)
        return;
    stray->served = true;
    stray->proof = move->place;
}

/* Octets written before this Send must have been placed; otherwise the connection would have ended. */
void rpcrdma_record_send(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_message *message)
{
    struct rpcrdma_across_record *record = rpcrdma->recording.record;

    for (unsigned i = 0; record && i < record->n_strays; i++) {
        struct rpcrdma_across_stray *stray = &record->strays[i];

        if (stray->write && !stray->served && !stray->refused && stray->owner == message->side &&
            message->received > stray->place.offset && !rpcrdma->terminated) {
            stray->served = true;
            stray->proof = message->place;
        }
    }
}

/* ---- Sends without octets ---- */

void rpcrdma_record_empty(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_message *message)
{
    struct rpcrdma_across_record *record = record_of(rpcrdma);

    if (record && record->n_empty < RPCRDMA_ACROSS_EMPTY_MAX)
        record->empty[record->n_empty++] = message->place;
    INVARIANT(!record || record_is_sound(record));
}

/* ---- the end ---- */

/* A Call that arrived late, after a hole, offers the memory to which access was refused. */
static void note_refused(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_across_stray *stray)
{
    for (const struct rpcrdma_offer *o = rpcrdma_offers_of(rpcrdma, stray->owner, stray->handle); o;
         o = rpcrdma_offers_next(o)) {
        struct rpcrdma_area area = rpcrdma_area_of(&o->target);

        if (area.from > stray->from || area.to < stray->to)
            continue;
        rpcrdma->recording.late = true;
        rpcrdma->recording.late_xid = o->transaction->xid;
    }
}

void rpcrdma_record_refusal(struct rpcrdma_connection *rpcrdma, const struct rdma_refusal *refusal)
{
    struct rpcrdma_across_record *record = record_of(rpcrdma);

    if (!record || record->refusal)
        return;
    record->refusal = true;
    record->refused_by = refusal->place.side & 1u;
    record->cause = refusal->cause;
    record->refusal_place = refusal->place;
    INVARIANT(record_is_sound(record) && record->refused_by < 2);
    for (unsigned i = 0; refusal->culprit_found && i < record->n_strays; i++) {
        struct rpcrdma_across_stray *stray = &record->strays[i];

        if (stray->place.side != refusal->culprit.side || stray->place.offset != refusal->culprit.offset)
            continue;
        stray->refused = true;
        note_refused(rpcrdma, stray);
    }
}

static void note_callbacks(struct rpcrdma_connection *rpcrdma, struct rpcrdma_across_record *record)
{
    const struct rpcrdma_transaction *newest = NULL;
    unsigned server;

    if (rpcrdma->client < 0)
        return;
    server = other_side((unsigned)rpcrdma->client);
    for (struct rpcrdma_transaction *t = NULL; (t = rpcrdma_next_outstanding(rpcrdma, server, t));)
        newest = t;
    if (!newest || newest->call.offset < rpcrdma->recording.last_send[server] || newest->damage)
        return;
    record->callback_at_end = true;
    record->callback = newest->call;
    INVARIANT(newest->side == server && rpcrdma_waits(newest));
}

struct rpcrdma_across_record *rpcrdma_connection_record(struct rpcrdma_connection *rpcrdma)
{
    struct rpcrdma_across_record *record;

    if (rpcrdma->recognised != RPCRDMA_YES || rpcrdma->recording.taken)
        return NULL;
    for (unsigned side = 0; side < 2; side++) {
        const struct rpcrdma_calls *calls = &rpcrdma->side[side].calls;

        for (const struct rpcrdma_transaction *t = calls->done.oldest; t; t = t->newer)
            rpcrdma_record_call(rpcrdma, t);
        for (const struct rpcrdma_transaction *t = calls->waiting.oldest; t; t = t->newer)
            rpcrdma_record_call(rpcrdma, t);
    }
    record = record_of(rpcrdma);
    if (!record)
        return NULL;
    rpcrdma->recording.record = NULL;
    rpcrdma->recording.taken = true;
    INVARIANT(record_is_sound(record) && record->client >= -1 && record->client < 2);
    record->client = rpcrdma->client;
    record->initiator_side = rpcrdma->terms.initiator_side;
    record->refusals_unseen = rpcrdma->terms.refusals_unseen;
    record->whole = rpcrdma_whole(rpcrdma);
    record->served_unseen = record->client >= 0 && !record->whole && rpcrdma->side[record->client].lack.unseen > 0;
    INVARIANT(!record->served_unseen || !record->whole);
    record->one_end = rpcrdma->gaps_show_late;
    note_callbacks(rpcrdma, record);
    INVARIANT(!record->callback_at_end || record->client >= 0);
    if (rpcrdma->client >= 0)
        memcpy(record->served, rpcrdma_unanswered_shapes(rpcrdma, (unsigned)rpcrdma->client), sizeof record->served);
    for (unsigned side = 0; side < 2; side++) {
        record->fin[side] = rpcrdma->side[side].fin;
        record->reset[side] = rpcrdma->side[side].reset;
        record->end[side] = rpcrdma->side[side].end_place;
    }
    return record;
}
