// SPDX-License-Identifier: GPL-2.0-or-later
/* Records the engine's events about Sends and RDMA operations. */
#include "plugins/common/keep.h"
#include "plugins/rpcrdma/flow.h"

#include <epan/wmem_scopes.h>

#include <string.h>

/* ---- transactions ---- */

static void keep_offers(struct kept_chunk *kept, const struct rpcrdma_transaction *t,
                        const struct rpcrdma_chunk_state *chunk)
{
    kept->n = chunk->n;
    kept->offers = wmem_alloc0_array(wmem_file_scope(), struct kept_offer, chunk->n);
    for (uint32_t i = 0; i < chunk->n; i++) {
        kept->offers[i].target = t->offers[chunk->first + i].target;
        kept->offers[i].start = t->offers[chunk->first + i].start;
    }
}

static void plugins_record_keep_chunks(struct kept_transaction *kept, const struct rpcrdma_transaction *t)
{
    kept->n_chunks = t->n_chunks;
    kept->first_write = t->first_write;
    kept->n_writes = t->n_writes;
    kept->chunks = wmem_alloc0_array(wmem_file_scope(), struct kept_chunk, t->n_chunks);
    for (unsigned i = 0; i < t->n_chunks; i++) {
        struct kept_chunk *chunk = &kept->chunks[i];

        chunk->kind = t->chunks[i].kind;
        chunk->position = t->chunks[i].position;
        chunk->number = t->chunks[i].number;
        chunk->length = t->chunks[i].length;
        keep_offers(chunk, t, &t->chunks[i]);
    }
}

static void plugins_record_note_procedure(struct kept_transaction *kept, const struct rpc_message *rpc)
{
    if (kept->known || rpc->status != RPC_OK || rpc->type != RPC_CALL)
        return;
    kept->known = true;
    kept->program = rpc->prog;
    kept->version = rpc->vers;
    kept->procedure = rpc->proc;
}

static void plugins_record_note_operations(struct kept_transaction *kept, const struct rpcrdma_body *body)
{
    if (!body->walked || !body->procedure || !body->procedure->compound)
        return;
    for (unsigned i = 0; i < body->n_operations; i++) {
        uint32_t op = body->operations[i].op;

        if (op < KEPT_OPERATIONS_MAX)
            kept->operations[op / 64] |= UINT64_C(1) << op % 64;
    }
}

/* The frame of the first of the outstanding Calls of which this one is a copy; 0: it is unknown. */
static uint32_t record_first_copy(const struct rpcrdma_flow *flow, const struct rpcrdma_transaction *t)
{
    const struct rpcrdma_connection *rpcrdma = rpcrdma_flow_connection(flow);
    struct rpcrdma_transaction *first = NULL;
    const struct kept_transaction *kept;

    do
        first = rpcrdma_next_outstanding(rpcrdma, t->side, first);
    while (first && first->xid != t->xid);
    kept = first && first != t ? first->host : NULL;
    return kept ? kept->call_frame : 0;
}

static struct kept_transaction *transaction_new(struct rpcrdma_flow *flow, const struct rpcrdma_message *message)
{
    struct rpcrdma_transaction *t = message->transaction;
    struct kept_transaction *kept = keep_new(sizeof *kept);

    kept->number = t->number;
    flow->transactions = t->number > flow->transactions ? t->number : flow->transactions;
    kept->xid = t->xid;
    kept->side = t->side;
    kept->reverse = t->reverse;
    kept->call_frame = message->place.frame;
    kept->call_time_ns = message->place.time_ns;
    plugins_record_keep_chunks(kept, t);
    if (message->has_rpc)
        plugins_record_note_procedure(kept, &message->rpc);
    plugins_record_note_operations(kept, &t->open->call_body);
    t->host = kept;
    if (t->repeats)
        kept->copy_of = record_first_copy(flow, t);
    flow->copied |= t->repeats;
    return kept;
}

/* ---- Sends ---- */

/* According to the header, the whole RPC message is in the Send. */
static struct kept_rpc plain_call = {.plain = true}, plain_reply = {.plain = true, .reply = true};

static bool has_chunk(const struct kept_transaction *kept, enum rpcrdma_chunk_kind kind)
{
    for (unsigned i = 0; i < kept->n_chunks; i++) {
        if (kept->chunks[i].kind == kind)
            return true;
    }
    return false;
}

/* The roundup of inline items is missing: the message can be dissected once the roundup is inserted. */
static bool unpadded(const struct rpcrdma_body *body)
{
    return body && body->known && body->walked && body->reduction == RPCRDMA_REDUCED_UNPADDED;
}

static void note_waiting(struct rpcrdma_flow *flow, struct kept_transaction *t)
{
    struct kept_waiting *waiting = wmem_new(wmem_file_scope(), struct kept_waiting);

    *waiting = (struct kept_waiting){.next = flow->waiting, .transaction = t};
    flow->waiting = waiting;
}

static void plugins_record_call(struct rpcrdma_flow *flow, struct kept_message *kept,
                                const struct rpcrdma_message *message)
{
    struct kept_transaction *t = kept->transaction;
    uint32_t from = message->header.header_len;

    kept->repeated = message->transaction->repeats;
    if (message->header.status != RPCRDMA_OK)
        return;
    if (message->has_rpc && !has_chunk(t, RPCRDMA_READ_CHUNK) && !unpadded(&message->transaction->open->call_body)) {
        kept->rpc = t->call = &plain_call;
        return;
    }
    t->call = wmem_new0(wmem_file_scope(), struct kept_rpc);
    if (message->has_rpc) {
        t->call->waiting_n = message->n - from;
        t->call->waiting = wmem_memdup(wmem_file_scope(), message->p + from, t->call->waiting_n);
    }
    if (!rpcrdma_call_complete(t, message->transaction)) {
        note_waiting(flow, t);
        return;
    }
    rpcrdma_rebuild(t->call, t, &message->transaction->open->call_body, t->call->waiting, t->call->waiting_n);
    t->call->complete_in = message->place.frame;
    kept->rpc = t->call;
}

static void take_returned(struct kept_transaction *kept, const struct rpcrdma_transaction *t)
{
    for (unsigned i = 0; i < kept->n_chunks && i < t->n_chunks; i++) {
        kept->chunks[i].has_returned = t->chunks[i].has_returned;
        kept->chunks[i].returned = t->chunks[i].returned;
    }
}

static bool wrote_any(const struct kept_transaction *kept)
{
    for (unsigned i = 0; i < kept->n_chunks; i++) {
        if (kept->chunks[i].kind != RPCRDMA_READ_CHUNK && kept->chunks[i].returned > 0)
            return true;
    }
    return false;
}

static bool waits(const struct kept_transaction *t)
{
    return t->call && !t->call->plain && t->call->complete_in == 0 && !t->call->given_up;
}

/* A Call that never becomes complete: its Read chunks were not read, or the capture lacks their octets. */
static void plugins_record_give_up(struct kept_transaction *t, const struct rpcrdma_body *body)
{
    rpcrdma_rebuild(t->call, t, body, t->call->waiting, t->call->waiting_n);
    t->call->given_up = true;
}

static const struct rpcrdma_body *reply_body(const struct rpcrdma_message *message)
{
    return message->transaction ? &message->transaction->open->reply_body : NULL;
}

/*
 * Parts of a Reply may be in Read chunks (RFC 5666 section 3.1). The client reads them, and nothing shows when it has
 * finished. A Reply that is complete without them is dissected.
 */
static bool in_read_chunks(const struct rpcrdma_message *message)
{
    const struct rpcrdma_body *body = reply_body(message);

    return message->header.read.n > 0 &&
           (!message->has_rpc || !body || !body->known || !body->walked || body->reduction == RPCRDMA_REDUCED_ABSENT ||
            body->reduction == RPCRDMA_REDUCED_NONE);
}

static void record_reply(struct kept_message *kept, const struct rpcrdma_message *message)
{
    struct kept_transaction *t = kept->transaction;
    uint32_t from = message->header.header_len;

    if (message->header.status != RPCRDMA_OK || in_read_chunks(message))
        return;
    if (message->has_rpc && (!t || kept->repeated || !(wrote_any(t) || unpadded(reply_body(message))))) {
        kept->rpc = &plain_reply;
        return;
    }
    if (!t || kept->repeated)
        return;
    kept->rpc = wmem_new0(wmem_file_scope(), struct kept_rpc);
    kept->rpc->reply = true;
    rpcrdma_rebuild(kept->rpc, t, reply_body(message), message->has_rpc ? message->p + from : NULL,
                    message->has_rpc ? message->n - from : 0);
    kept->rpc->complete_in = message->place.frame;
}

/* One answer is enough for all copies of a Call. */
static void record_copies_answered(struct rpcrdma_flow *flow, const struct kept_transaction *answered)
{
    const struct rpcrdma_connection *rpcrdma = rpcrdma_flow_connection(flow);

    for (struct rpcrdma_transaction *t = NULL; (t = rpcrdma_next_outstanding(rpcrdma, answered->side, t));) {
        struct kept_transaction *copy = t->xid == answered->xid ? t->host : NULL;

        if (copy && copy != answered)
            copy->copy_answered = true;
    }
}

static void record_answer(struct rpcrdma_flow *flow, struct kept_message *kept, const struct rpcrdma_message *message)
{
    struct kept_transaction *t = kept->transaction;

    if (t && message->transaction) {
        kept->repeated = t->answer_frame != 0;
        if (!kept->repeated && message->header.status == RPCRDMA_OK) {
            t->answer_frame = message->place.frame;
            if (flow->copied)
                record_copies_answered(flow, t);
            t->outcome = message->kind == RPCRDMA_KIND_ERROR ? RPCRDMA_FAILED : RPCRDMA_REPLIED;
            flow->outstanding[t->side] -= flow->outstanding[t->side] > 0;
            take_returned(t, message->transaction);
            kept->call_given_up = waits(t);
            if (kept->call_given_up)
                plugins_record_give_up(t, &message->transaction->open->call_body);
        }
        kept->in_use = flow->outstanding[t->side];
    }
    if (message->kind != RPCRDMA_KIND_REPLY)
        return;
    flow->granted[other_side(message->side)] = message->header.credit;
    record_reply(kept, message);
}

void rpcrdma_record_message(struct rpcrdma_flow *flow, const struct rpcrdma_message *message)
{
    struct kept_segment *segment = rpcrdma_flow_change(flow, &message->place);
    struct kept_message *kept = keep_new(sizeof *kept);

    flow->recognised = true;
    if (!segment)
        return;
    segment->message = kept;
    kept->kind = message->kind;
    kept->empty = message->n == 0;
    kept->header_len = message->header.header_len;
    kept->threshold = rpcrdma_connection_threshold(rpcrdma_flow_connection(flow), message->side, &kept->negotiated);
    if (message->transaction) {
        kept->transaction =
            message->kind == RPCRDMA_KIND_CALL ? transaction_new(flow, message) : message->transaction->host;
        kept->reverse = message->transaction->reverse;
    }
    if (message->kind == RPCRDMA_KIND_CALL && message->transaction) {
        if (message->transaction->damage == RPCRDMA_LATE) /* reported after the answer */
            kept->transaction->outcome = RPCRDMA_REPLIED;
        else
            flow->outstanding[message->side]++;
        kept->in_use = flow->outstanding[message->side];
        kept->granted = flow->granted[message->side];
        plugins_record_call(flow, kept, message);
    } else if (message->kind == RPCRDMA_KIND_REPLY || message->kind == RPCRDMA_KIND_ERROR) {
        record_answer(flow, kept, message);
    } else if (message->has_rpc) {
        kept->rpc = &plain_call;
    }
}

/* The procedure of a Long Call is known once its chunk has been read. */
void rpcrdma_record_payload(const struct rpcrdma_payload *payload)
{
    if (payload->reply || !payload->transaction->host)
        return;
    plugins_record_note_procedure(payload->transaction->host, &payload->body->rpc);
    plugins_record_note_operations(payload->transaction->host, payload->body);
}

/* ---- RDMA operations ---- */

/* One operation may access several consecutive segments: each of them has a record. */
static struct kept_operation *plugins_record_operation_of(struct rpcrdma_flow *flow, struct kept_offer *offer,
                                                          const struct rpcrdma_move *move)
{
    struct kept_operation *operation = wmem_map_lookup(flow->operations, &move->operation);

    if (operation && operation->offer == offer)
        return operation;
    operation = wmem_new0(wmem_file_scope(), struct kept_operation);
    operation->offer = offer;
    operation->number = move->operation;
    operation->read = move->kind != RDMA_WRITE;
    wmem_map_insert(flow->operations, &operation->number, operation);
    if (offer->last_operation)
        offer->last_operation->next = operation;
    else
        offer->operations = operation;
    offer->last_operation = operation;
    return operation;
}

/* frame: of the segment. */
static void keep_part(struct kept_chunk *chunk, uint32_t frame, const struct rpcrdma_move *move)
{
    enum { FRAMES_MIN = 4 };

    if (move->length == 0 || move->length > INT32_MAX)
        return;
    if (!chunk->frames)
        chunk->frames = wmem_array_sized_new(wmem_file_scope(), sizeof frame, FRAMES_MIN);
    wmem_array_append_one(chunk->frames, frame);
    if (move->lacking < move->length)
        rpcrdma_keep_part(chunk, move->offset, move->p, (uint32_t)(move->length - move->lacking));
    chunk->octets += move->length;
}

static void note_octets(struct kept_segment *segment, struct kept_chunk *chunk, struct kept_offer *offer,
                        struct kept_operation *operation, const struct rpcrdma_move *move)
{
    struct kept_transaction *t = segment->move->transaction;

    if (operation->first_frame == 0)
        operation->first_frame = move->place.frame;
    operation->last_frame = move->place.frame;
    operation->octets += move->length;
    offer->octets += move->length;
    if (chunk->kind != RPCRDMA_READ_CHUNK) {
        keep_part(chunk, kept_own_frame(segment), move);
        return;
    }
    if (!waits(t))
        return; /* the octets are read again */
    keep_part(chunk, kept_own_frame(segment), move);
    if (!rpcrdma_call_complete(t, move->offer->transaction))
        return;
    rpcrdma_rebuild(t->call, t, &move->offer->transaction->open->call_body, t->call->waiting, t->call->waiting_n);
    t->call->complete_in = move->place.frame;
    segment->move->completes = t->call;
}

void rpcrdma_record_move(struct rpcrdma_flow *flow, const struct rpcrdma_move *move)
{
    struct kept_segment *segment = rpcrdma_flow_change(flow, &move->place);
    struct kept_transaction *t = move->offer ? move->offer->transaction->host : NULL;
    struct kept_operation *operation;
    struct kept_chunk *chunk;
    struct kept_offer *offer;
    struct kept_move *kept;

    if (!segment || !t || move->offer->chunk >= t->n_chunks)
        return;
    chunk = &t->chunks[move->offer->chunk];
    offer = &chunk->offers[move->offer->index];
    segment->move = kept = flow->spare_move ? flow->spare_move : wmem_new(wmem_file_scope(), struct kept_move);
    flow->spare_move = NULL;
    memset(kept, 0, sizeof *kept);
    kept->transaction = t;
    kept->chunk = chunk;
    kept->offer = offer;
    kept->request = move->kind == RDMA_READ;
    kept->offset = move->offset;
    kept->length = move->length;
    operation = plugins_record_operation_of(flow, offer, move);
    kept->operation = operation;
    if (move->kind == RDMA_READ)
        operation->request_frame = move->place.frame;
    else
        note_octets(segment, chunk, offer, operation, move);
}

void rpcrdma_record_finish(struct rpcrdma_flow *flow)
{
    for (const struct kept_waiting *w = flow->waiting; w; w = w->next) {
        if (waits(w->transaction))
            plugins_record_give_up(w->transaction, NULL);
    }
}
