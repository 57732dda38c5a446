// SPDX-License-Identifier: GPL-2.0-or-later
/* The RPC-over-RDMA layer on one connection: life cycle, reassembly of Sends, dispatch of messages. */
#include "engine/core/hash.h"
#include "engine/core/heap.h"
#include "engine/rpcrdma/rpcrdma_memory_state.h"
#include "engine/rpcrdma/rpcrdma_record.h"
#include "wire/invariant.h"

#include <stdlib.h>
#include <string.h>

/* A server may hang for a minute and continue. After this many times t_answer without any message, no Call waits. */
enum { QUIET_ANSWERS = 10 };

/* Holds whenever no message is being dispatched. */
static bool rpcrdma_connection_is_sound(const struct rpcrdma_connection *rpcrdma)
{
    for (unsigned i = 0; i < 2; i++) {
        const struct rpcrdma_side *side = &rpcrdma->side[i];

        if (side->calls.outstanding != side->calls.waiting.n || rpcrdma->answered_number[i] > rpcrdma->transactions ||
            (side->send_size > 0) != (side->send != NULL) || (side->calls.total > 0 && !side->calls.hash))
            return false;
    }
    return rpcrdma->client >= -1 && rpcrdma->client < 2 && rpcrdma->offers.n <= rpcrdma->options.segments_max &&
           rpcrdma->early.n <= RPCRDMA_UNDECIDED_MAX && (rpcrdma->early.n > 0) == (rpcrdma->early.sends != NULL);
}

static void rpcrdma_connection_fill_options(struct rpcrdma_options *options)
{
    static const int64_t second = 1000000000;

    if (options->t_react == 0)
        options->t_react = 2 * second;
    if (options->t_answer == 0)
        options->t_answer = 30 * second;
    if (options->transactions_max == 0)
        options->transactions_max = 4096;
    if (options->segments_max == 0)
        options->segments_max = 65536;
    if (options->content_max == 0)
        options->content_max = 4 * 1024 * 1024;
    INVARIANT(options->transactions_max > 0 && options->segments_max > 0 && options->content_max > 0);
    INVARIANT(options->t_react != 0 && options->t_answer != 0);
}

struct rpcrdma_connection *rpcrdma_connection_new(const struct rpcrdma_options *options,
                                                  const struct rpcrdma_events *events, struct verdict *verdict,
                                                  struct arena *arena)
{
    struct rpcrdma_connection *rpcrdma = arena_enter(&arena, sizeof *rpcrdma);

    if (!rpcrdma)
        return NULL;
    rpcrdma->arena = arena;
    rpcrdma->options = *options;
    rpcrdma_connection_fill_options(&rpcrdma->options);
    if (events)
        rpcrdma->events = *events;
    rpcrdma->verdict = verdict;
    rpcrdma->client = -1;
    rpcrdma->terms.initiator_side = -1;
    for (unsigned side = 0; side < 2; side++)
        rpcrdma->side[side].announced.data.send_size = rpcrdma->side[side].announced.data.receive_size =
            RPCRDMA_INLINE_DEFAULT;
    if (!verdict->off && !rpcrdma_threshold_new(rpcrdma)) {
        rpcrdma_connection_free(rpcrdma);
        return NULL;
    }
    INVARIANT(verdict->off || rpcrdma->threshold);
    return rpcrdma;
}

void rpcrdma_equip(struct rpcrdma_connection *rpcrdma)
{
    bool good = rpcrdma->verdict->off || (rpcrdma_credit_new(rpcrdma) && rpcrdma_resource_new(rpcrdma) &&
                                          rpcrdma_memory_new(rpcrdma) && rpcrdma_reaction_new(rpcrdma));

    rpcrdma->recognised = good ? RPCRDMA_YES : RPCRDMA_NO;
    rpcrdma->memory_lacking |= !good;
    INVARIANT(rpcrdma->recognised != RPCRDMA_YES || rpcrdma->verdict->off ||
              (rpcrdma->credit && rpcrdma->resource && rpcrdma->memory && rpcrdma->reaction));
    INVARIANT(rpcrdma->recognised == RPCRDMA_YES || rpcrdma->memory_lacking);
}

bool rpcrdma_connection_lacks_memory(const struct rpcrdma_connection *rpcrdma)
{
    return rpcrdma->memory_lacking;
}

void rpcrdma_connection_free(struct rpcrdma_connection *rpcrdma)
{
    if (!rpcrdma)
        return;
    rpcrdma->finished = true;
    rpcrdma_across_record_free(rpcrdma->recording.record);
    rpcrdma_transactions_free(rpcrdma);
    rpcrdma_early_free(rpcrdma);
    rpcrdma_memory_free(rpcrdma);
    for (unsigned side = 0; side < 2; side++)
        free(rpcrdma->side[side].send);
    free(rpcrdma->pending);
    free(rpcrdma->tally.procedures);
    free(rpcrdma->tally.statuses);
    arena_release(rpcrdma->arena);
}

/* ---- findings ---- */

enum direction rpcrdma_connection_direction(const struct rpcrdma_connection *rpcrdma, unsigned side)
{
    if (rpcrdma->terms.initiator_side < 0)
        return DIR_UNKNOWN;
    return (unsigned)rpcrdma->terms.initiator_side == side ? DIR_TO_RESPONDER : DIR_TO_INITIATOR;
}

/* A rule whose finding makes the rest look wrong, too, marks the message as misread itself. */
static void mark_faulty(struct rpcrdma_message *message, enum rule_id rule, enum rule_severity severity)
{
    if (severity >= SEVERITY_WARNING && message->fault == 0)
        message->fault = 1 + (uint32_t)rule;
    if (severity >= SEVERITY_WARNING && message->kind == RPCRDMA_KIND_CALL && message->transaction &&
        message->transaction->fault == 0)
        message->transaction->fault = message->fault;
    if (severity != SEVERITY_ERROR)
        return;
    message->faulty = true;
    if (message->kind == RPCRDMA_KIND_CALL && message->transaction)
        message->transaction->malformed = true;
    INVARIANT(message->fault != 0 && message->fault <= RULE_COUNT);
    INVARIANT(message->kind != RPCRDMA_KIND_CALL || !message->transaction || message->transaction->fault != 0);
}

void rpcrdma_fail_as(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *message, enum rule_id rule,
                     enum rule_severity severity, uint32_t related_frame, const char *format, ...)
{
    va_list args;

    mark_faulty(message, rule, severity);
    va_start(args, format);
    rpcrdma_vfail(rpcrdma, rule, severity, message->direction, &message->place, related_frame, format, args);
    va_end(args);
}

void rpcrdma_fail_at_as(struct rpcrdma_connection *rpcrdma, const struct place *place, enum rule_id rule,
                        enum rule_severity severity, uint32_t related_frame, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    rpcrdma_vfail(rpcrdma, rule, severity, rpcrdma_connection_direction(rpcrdma, place->side & 1u), place,
                  related_frame, format, args);
    va_end(args);
}

/* ---- facts about the connection ---- */

bool rpcrdma_whole(const struct rpcrdma_connection *rpcrdma)
{
    return rpcrdma_sends_seen(rpcrdma, 0) && rpcrdma_sends_seen(rpcrdma, 1);
}

bool rpcrdma_whole_since(const struct rpcrdma_connection *rpcrdma, uint32_t frame)
{
    return rpcrdma_whole(rpcrdma) || (!rpcrdma_lost_since(rpcrdma, 0, frame) && !rpcrdma_lost_since(rpcrdma, 1, frame));
}

bool rpcrdma_connection_is_rpcrdma(const struct rpcrdma_connection *rpcrdma)
{
    return rpcrdma->recognised == RPCRDMA_YES;
}

void rpcrdma_connection_returns(struct rpcrdma_connection *rpcrdma, enum rpcrdma_returns returns)
{
    rpcrdma->returns = returns;
}

int rpcrdma_connection_client(const struct rpcrdma_connection *rpcrdma)
{
    return rpcrdma->client;
}

uint32_t rpcrdma_connection_threshold(const struct rpcrdma_connection *rpcrdma, unsigned side, bool *negotiated)
{
    const struct rpcrdma_announced *own = &rpcrdma->side[side].announced,
                                   *peer = &rpcrdma->side[other_side(side)].announced;

    *negotiated = own->frame_seen && peer->frame_seen && own->valid && peer->valid;
    if (!own->frame_seen || !peer->frame_seen || rpcrdma_threshold_configured(rpcrdma))
        return rpcrdma->options.assume_inline;
    return own->data.send_size < peer->data.receive_size ? own->data.send_size : peer->data.receive_size;
}

/* By RFC 5666 only servers reply, and only clients send RDMA_DONE. */
static int client_of_rfc5666(const struct rpcrdma_message *message)
{
    if (message->header.status == RPCRDMA_OK && message->header.proc == RPCRDMA_DONE)
        return (int)message->side;
    return message->has_rpc && message->rpc.status == RPC_OK && message->rpc.type == RPC_REPLY
               ? (int)other_side(message->side)
               : -1;
}

/*
 * The side that opened the connection is the client (RFC 8166 section 2.2.3); otherwise the port decides, then the
 * first Call.
 */
static void learn_client(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_message *message)
{
    if (rpcrdma->terms.initiator_side >= 0)
        rpcrdma->client = rpcrdma->terms.initiator_side;
    else if (rpcrdma->client >= 0)
        return;
    else if ((rpcrdma->port[0] == RPCRDMA_PORT) != (rpcrdma->port[1] == RPCRDMA_PORT))
        rpcrdma->client = rpcrdma->port[0] == RPCRDMA_PORT ? 1 : 0;
    else if (message && message->has_rpc && message->rpc.status == RPC_OK && message->rpc.type == RPC_CALL &&
             !nfs_calls_back(&message->rpc))
        rpcrdma->client = (int)message->side;
    else if (message && rpcrdma_by_rfc5666(rpcrdma))
        rpcrdma->client = client_of_rfc5666(message);
    INVARIANT(rpcrdma->client >= -1 && rpcrdma->client < 2);
}

void rpcrdma_connection_ports(struct rpcrdma_connection *rpcrdma, uint16_t port0, uint16_t port1)
{
    rpcrdma->port[0] = port0;
    rpcrdma->port[1] = port1;
    learn_client(rpcrdma, NULL);
}

void rpcrdma_connection_terms(struct rpcrdma_connection *rpcrdma, const struct rdma_terms *terms)
{
    rpcrdma->terms = *terms;
    INVARIANT(terms->initiator_side >= -1 && terms->initiator_side < 2);
    learn_client(rpcrdma, NULL);
}

void rpcrdma_connection_private_data(struct rpcrdma_connection *rpcrdma, const struct rdma_private_data *data)
{
    struct rpcrdma_side *s = &rpcrdma->side[data->place.side & 1u];
    struct rpcrdma_private_data block = s->announced.data;
    enum rpcrdma_private_data_status status = RPCRDMA_PD_ABSENT;

    if (rpcrdma->finished)
        return;
    if (data->p)
        status = rpcrdma_private_data_find(&block, data->p, data->n);
    s->end = data->end;
    s->announced.frame_seen = true;
    s->announced.frame = data->place.frame;
    s->announced.end = s->end;
    s->announced.valid = status == RPCRDMA_PD_OK;
    if (s->announced.valid)
        s->announced.data = block;
    INVARIANT(s->announced.data.send_size >= RPCRDMA_INLINE_DEFAULT &&
              s->announced.data.receive_size >= RPCRDMA_INLINE_DEFAULT);
    INVARIANT(s->announced.data.send_size <= RPCRDMA_SEND_MAX / 4 &&
              s->announced.data.receive_size <= RPCRDMA_SEND_MAX / 4);
    if (!rpcrdma->verdict->off)
        rpcrdma_threshold_private_data(rpcrdma, data, status);
}

/* Octets that this side sent before the offset `end` are missing; sends: these octets may contain messages. */
static void rpcrdma_connection_lose(struct rpcrdma_connection *rpcrdma, unsigned side, bool sends, uint64_t end)
{
    struct rpcrdma_side *s = &rpcrdma->side[side];

    s->hole = true;
    s->lost_frame = rpcrdma->said.frame;
    s->lost_ns = rpcrdma->said.time_ns;
    s->send_open = false;
    s->may_repeat |= sends;
    rpcrdma_transactions_lose(rpcrdma, side, sends, end);
    if (rpcrdma->verdict->off)
        return;
    rpcrdma_depth_skipped(rpcrdma, other_side(side));
    if (!sends)
        return;
    rpcrdma_pending_hole(rpcrdma, side);
    if (rpcrdma->recognised != RPCRDMA_YES)
        return; /* nothing is known yet that the hole could make doubtful */
    rpcrdma_credit_skipped(rpcrdma, side);
    rpcrdma_reaction_skipped(rpcrdma);
}

/* A message is missing or cannot be understood. */
static void lose_message(struct rpcrdma_connection *rpcrdma, unsigned side)
{
    rpcrdma_lacks_one(rpcrdma, side);
    if (rpcrdma->verdict->missing == WHY_NONE)
        verdict_lose(rpcrdma->verdict, WHY_UNREAD, rpcrdma->said.frame);
    rpcrdma_connection_lose(rpcrdma, side, true, UINT64_MAX);
    INVARIANT(rpcrdma->side[side].lack.any && rpcrdma->side[side].hole && !rpcrdma_sends_seen(rpcrdma, side));
}

/* The layers below have noted holes of iWARP. */
static void rpcrdma_connection_note_hole(struct rpcrdma_connection *rpcrdma)
{
    if (rpcrdma->gaps_show_late || rpcrdma->verdict->missing == WHY_NONE)
        verdict_lose(rpcrdma->verdict, WHY_HOLE, rpcrdma->said.frame);
}

/* This side has sent nothing since the hole that would show what is missing. */
static void lose_pending(struct rpcrdma_connection *rpcrdma, unsigned side)
{
    if (!rpcrdma->side[side].lack.pending)
        return;
    rpcrdma->holes++;
    rpcrdma_connection_note_hole(rpcrdma);
    if (rpcrdma->side[side].send_open && !rpcrdma->gaps_show_late) /* the hole cuts the Send in progress */
        rpcrdma_lacks_one(rpcrdma, side);
    rpcrdma_lacks_unknown(rpcrdma, side);
    rpcrdma_connection_lose(rpcrdma, side, true, UINT64_MAX);
    INVARIANT(!rpcrdma_sends_seen(rpcrdma, side) && !rpcrdma_calls_seen(rpcrdma, side));
}

/* ---- messages ---- */

static void judge_payload(struct rpcrdma_connection *rpcrdma, struct rpcrdma_transaction *t, bool reply,
                          struct rpcrdma_message *message)
{
    enum finding_basis former = verdict_rest_on(rpcrdma->verdict, reply ? BASIS_CALL : BASIS_OWN);

    if (reply) {
        rpcrdma_result_payload(rpcrdma, message);
        rpcrdma_reply_payload(rpcrdma, message);
    } else {
        rpcrdma_call_payload(rpcrdma, t, message);
    }
    verdict_rest_on(rpcrdma->verdict, former);
}

/* message: the message with the payload; NULL: a Long Call's, which was read. rpc: as for rpcrdma_payload_decode(). */
static void decode_payload(struct rpcrdma_connection *rpcrdma, struct rpcrdma_transaction *t, bool reply,
                           const uint8_t *p, uint64_t n, const struct rpc_message *rpc, const struct place *place,
                           struct rpcrdma_message *message)
{
    struct rpcrdma_payload payload = {
        .transaction = t, .reply = reply, .body = reply ? &t->open->reply_body : &t->open->call_body, .place = *place};

    rpcrdma_payload_decode(t, reply, p, n, rpc);
    INVARIANT(payload.body->length == n && (payload.body->known || !payload.body->walked));
    if (!rpcrdma->verdict->off)
        judge_payload(rpcrdma, t, reply, message);
    if (reply && !message->discarded)
        rpcrdma_count_statuses(rpcrdma, t);
    if (rpcrdma->events.payload && !(reply && message->discarded))
        rpcrdma->events.payload(rpcrdma->events.ctx, &payload);
}

/* The message is complete, so message->rpc is its whole header. */
static void decode_inline(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *m, bool reply)
{
    uint32_t from = m->header.header_len;

    decode_payload(rpcrdma, m->transaction, reply, m->p + from, m->n - from, &m->rpc, &m->place, m);
}

static void judge_call(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *m,
                       struct rpcrdma_transaction *before)
{
    rpcrdma_xid_call(rpcrdma, m, before);
    rpcrdma_credit_call(rpcrdma, m);
    rpcrdma_memory_call(rpcrdma, m);
    rpcrdma_call_lists(rpcrdma, m);
}

static void rpcrdma_connection_call(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *m)
{
    struct rpcrdma_transaction *t = m->transaction = rpcrdma_transaction_open(rpcrdma, m), *before;

    if (!t)
        return;
    before = rpcrdma_find_earlier(t);
    t->malformed = m->faulty || m->header.status != RPCRDMA_OK;
    t->fault = m->fault;
    if (before && before->outcome == RPCRDMA_SETTLED) /* counts as answered, like its copy */
        before = NULL;
    INVARIANT(before != t && (!before || before->number < t->number));
    if (before && !t->repeats)
        before->ambiguous = t->ambiguous = true;
    if (m->misread || m->header.status != RPCRDMA_OK)
        rpcrdma_misread(t);
    if (m->header.status == RPCRDMA_OK)
        rpcrdma_offers_take(rpcrdma, t, m);
    if (!rpcrdma->verdict->off)
        judge_call(rpcrdma, m, before);
    if (m->has_rpc && m->lacking == 0)
        decode_inline(rpcrdma, m, false);
    INVARIANT(m->transaction == t && rpcrdma_waits(t) && rpcrdma_transaction_is_sound(t));
    INVARIANT(t->fault != 0 || m->fault == 0);
}

/* A Reply without a known payload. */
static void rpcrdma_judge_chunks(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *m)
{
    enum finding_basis former = verdict_rest_on(rpcrdma->verdict, BASIS_CALL);

    if (!rpcrdma->verdict->off)
        rpcrdma_reply_payload(rpcrdma, m);
    verdict_rest_on(rpcrdma->verdict, former);
}

/* The payload of a Long Reply is in the Reply chunk, written there before this Send. */
static void decode_long_reply(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *m)
{
    struct rpcrdma_transaction *t = m->transaction;
    const struct rpcrdma_content *content = &rpcrdma_buffers_of(t)->content[1];
    const struct rpcrdma_chunk_state *chunk;

    chunk = t->reply_chunk >= 0 ? &t->chunks[t->reply_chunk] : NULL;
    INVARIANT(!chunk || (chunk->kind == RPCRDMA_REPLY_CHUNK && chunk->first + chunk->n <= t->n_offers));
    if (!chunk || chunk->returned == 0 || chunk->returned > content->size ||
        rpcrdma_chunk_prefix(t, chunk) < chunk->returned || content->cut)
        rpcrdma_judge_chunks(rpcrdma, m);
    else
        decode_payload(rpcrdma, t, true, content->octets, chunk->returned, NULL, &m->place, m);
}

/*
 * A Reply with two XIDs ends nothing, because its receiver discards it. Its lists and payload are judged by the Call
 * with the Transport header's XID, or, if no such Call waits, by the Call with the RPC message's XID.
 */
static struct rpcrdma_transaction *discarded_answer_to(const struct rpcrdma_connection *rpcrdma,
                                                       const struct rpcrdma_message *m)
{
    struct rpcrdma_transaction *t = m->transaction;

    if (!m->discarded || m->misread)
        return NULL;
    if (!t || !rpcrdma_waits(t))
        t = m->has_rpc ? rpcrdma_find_outstanding(rpcrdma, other_side(m->side), m->rpc.xid) : NULL;
    return t && !t->damage && !t->ambiguous ? t : NULL;
}

/* Takes chunk lists and payload, and judges them against the Call. */
static void rpcrdma_take_reply(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *m)
{
    enum finding_basis former = verdict_rest_on(rpcrdma->verdict, BASIS_CALL);

    rpcrdma_take_returned(m->transaction, m);
    INVARIANT(m->transaction->side != m->side && rpcrdma_waits(m->transaction));
    if (!rpcrdma->verdict->off)
        rpcrdma_reply_header(rpcrdma, m);
    verdict_rest_on(rpcrdma->verdict, former);
    if (m->lacking > 0)
        rpcrdma_judge_chunks(rpcrdma, m);
    else if (m->has_rpc)
        decode_inline(rpcrdma, m, true);
    else
        decode_long_reply(rpcrdma, m);
}

static void judge_discarded(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *m)
{
    struct rpcrdma_transaction *own = m->transaction, *t = discarded_answer_to(rpcrdma, m);

    if (!t)
        return;
    m->transaction = t;
    rpcrdma_take_reply(rpcrdma, m);
    m->transaction = own;
}

/* ends: the answer ends its transaction, which is still outstanding. */
static void judge_answer(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *m, bool ends)
{
    struct rpcrdma_transaction *t = m->transaction;

    if ((!t || ends) && m->kind == RPCRDMA_KIND_REPLY && m->header.status == RPCRDMA_OK && m->header.read.n > 0)
        rpcrdma_served_reply(rpcrdma, m); /* even if the Call is unknown */
    if (ends && !t->ambiguous)
        rpcrdma_position_unread(rpcrdma, t);
    rpcrdma_xid_answer(rpcrdma, m);
    rpcrdma_credit_answer(rpcrdma, m);
    judge_discarded(rpcrdma, m);
}

static void rpcrdma_connection_answer(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *m)
{
    struct rpcrdma_transaction *t = m->transaction;
    bool ends = t && rpcrdma_waits(t) && m->header.status == RPCRDMA_OK && !m->discarded;
    bool judged = !rpcrdma->verdict->off;

    if (!t && (m->unsure || rpcrdma->gaps_show_late))
        rpcrdma_transaction_orphan(rpcrdma, m);
    if (judged)
        judge_answer(rpcrdma, m, ends);
    if (!ends || t->ambiguous)
        return;
    if (judged)
        rpcrdma_memory_answer(rpcrdma, m);
    if (m->kind == RPCRDMA_KIND_REPLY)
        rpcrdma_take_reply(rpcrdma, m);
    INVARIANT(rpcrdma_waits(t) && rpcrdma_transaction_is_sound(t));
}

/* An error in the header (RFC 8166 section 4.3.1), reported or not. */
static bool read_list_in_reply(const struct rpcrdma_connection *rpcrdma, const struct rpcrdma_message *m)
{
    return m->kind == RPCRDMA_KIND_REPLY && m->header.read.n > 0 && !rpcrdma_by_rfc5666(rpcrdma);
}

/* One Reply settles all copies of a Call, though each copy may draw one. */
static void settle_copies(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_transaction *answered)
{
    for (struct rpcrdma_transaction *t = NULL; (t = rpcrdma_next_outstanding(rpcrdma, answered->side, t));) {
        if (t->xid != answered->xid || t->outcome == RPCRDMA_SETTLED || !(t->repeats || answered->repeats))
            continue;
        t->outcome = RPCRDMA_SETTLED;
        if (!rpcrdma->verdict->off)
            rpcrdma_credit_settled(rpcrdma, t);
        INVARIANT(rpcrdma_waits(t) && rpcrdma_transaction_is_sound(t));
    }
}

/* Closes the transaction after all rules have seen its end. */
static void rpcrdma_connection_settle(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *m)
{
    struct rpcrdma_transaction *t = m->transaction;

    if (!t && (m->kind == RPCRDMA_KIND_REPLY || m->kind == RPCRDMA_KIND_ERROR))
        rpcrdma_lacks_answered(rpcrdma, other_side(m->side));
    if (!t || !rpcrdma_waits(t))
        return;
    if (m->kind == RPCRDMA_KIND_CALL && t->damage == RPCRDMA_LATE)
        rpcrdma_transaction_close(rpcrdma, t, NULL, RPCRDMA_REPLIED);
    else if (m->kind == RPCRDMA_KIND_CALL)
        return;
    else if (m->discarded || m->header.status != RPCRDMA_OK || read_list_in_reply(rpcrdma, m))
        t->spoilt = true;
    else if (m->kind == RPCRDMA_KIND_REPLY)
        rpcrdma_transaction_close(rpcrdma, t, m, RPCRDMA_REPLIED);
    else if (m->kind == RPCRDMA_KIND_ERROR)
        rpcrdma_transaction_close(rpcrdma, t, m, RPCRDMA_FAILED);
    if (!rpcrdma_waits(t))
        settle_copies(rpcrdma, t);
    INVARIANT(rpcrdma_transaction_is_sound(t));
    INVARIANT(m->kind == RPCRDMA_KIND_CALL || t->spoilt || !rpcrdma_waits(t));
}

/* Before the transaction is opened or looked up. */
static void judge_first(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *m)
{
    enum finding_basis former = verdict_rest_on(rpcrdma->verdict, BASIS_OWN);

    rpcrdma_header_message(rpcrdma, m);
    m->discarded = m->faulty && m->kind == RPCRDMA_KIND_REPLY;
    rpcrdma_threshold_message(rpcrdma, m);
    verdict_rest_on(rpcrdma->verdict, former);
    rpcrdma_resource_message(rpcrdma, m);
    rpcrdma_revoked_message(rpcrdma, m);
    rpcrdma_record_send(rpcrdma, m);
    rpcrdma->recording.last_send[m->side] = m->place.offset;
    rpcrdma_reaction_first(rpcrdma, m);
    INVARIANT((!m->faulty || m->fault != 0) && (!m->discarded || m->kind == RPCRDMA_KIND_REPLY));
}

/* Before the transaction is closed. */
static void judge_last(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *m)
{
    enum finding_basis former = verdict_rest_on(rpcrdma->verdict, BASIS_OWN);

    rpcrdma_threshold_length(rpcrdma, m);
    verdict_rest_on(rpcrdma->verdict, former);
    rpcrdma_resource_sent(rpcrdma, m);
    rpcrdma_reaction_message(rpcrdma, m);
}

/* Judges one message by all rules. */
static void dispatch(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *m)
{
    bool judged = !rpcrdma->verdict->off;

    rpcrdma_classify(rpcrdma, m);
    rpcrdma->subject.judged = m;
    learn_client(rpcrdma, m);
    rpcrdma->side[m->side].messages++;
    if (m->header.proc <= RPCRDMA_ERROR && m->n >= RPCRDMA_FIXED_LEN)
        rpcrdma->tally.counts.messages[m->header.proc]++;
    if (judged)
        judge_first(rpcrdma, m);
    if (m->kind == RPCRDMA_KIND_CALL)
        rpcrdma_connection_call(rpcrdma, m);
    else if (m->kind == RPCRDMA_KIND_REPLY || m->kind == RPCRDMA_KIND_ERROR)
        rpcrdma_connection_answer(rpcrdma, m);
    else if (judged && m->header.proc == RPCRDMA_DONE && m->header.status == RPCRDMA_OK)
        rpcrdma_served_done(rpcrdma, m);
    if (judged)
        judge_last(rpcrdma, m);
    if (rpcrdma->events.message)
        rpcrdma->events.message(rpcrdma->events.ctx, m);
    rpcrdma_connection_settle(rpcrdma, m);
    rpcrdma->subject.judged = NULL;
    INVARIANT(rpcrdma_connection_is_sound(rpcrdma) && !rpcrdma->subject.silent);
}

/*
 * The message may be a Call or a Reply: if both sides send both, or if it may be the first Call of a side that has only
 * answered so far.
 */
static bool kind_is_cut_off(const struct rpcrdma_connection *rpcrdma, const struct rpcrdma_message *m)
{
    unsigned other = other_side(m->side);

    if (m->n - m->lacking >= m->header.header_len + 8 || rpcrdma->side[other].calls.total == 0)
        return false;
    return rpcrdma->side[m->side].calls.total > 0 || !rpcrdma_find(rpcrdma, other, m->header.xid);
}

static void rpcrdma_connection_on_send(struct rpcrdma_connection *rpcrdma, const struct rdma_part *part,
                                       const uint8_t *p, uint32_t n, uint32_t there, bool unsure)
{
    struct rpcrdma_message m = {.side = part->place.side & 1u,
                                .direction = part->direction,
                                .place = part->place,
                                .operation = part->operation,
                                .invalidates = part->invalidates,
                                .invalidate_stag = part->invalidates ? part->invalidated : 0,
                                .acked_known = part->acked_known,
                                .acked = part->acked,
                                .received = part->received,
                                .p = p,
                                .n = n,
                                .lacking = n - there,
                                .unsure = unsure,
                                .reads_unseen = part->psns.reads_unseen,
                                .resent = part->psns.resent,
                                .copy_ns = part->psns.copy_ns,
                                .skew_ns = part->psns.skew_ns};

    INVARIANT(there <= n);
    rpcrdma_header_decode(&m.header, p, there);
    INVARIANT(m.header.status != RPCRDMA_OK || m.header.header_len <= there);
    if (m.lacking > 0 && (m.header.status != RPCRDMA_OK || kind_is_cut_off(rpcrdma, &m))) {
        verdict_lose(rpcrdma->verdict, WHY_CUT, m.place.frame);
        lose_message(rpcrdma, m.side);
        return;
    }
    if (!rpcrdma_recognise(rpcrdma, &m)) {
        rpcrdma_early_keep(rpcrdma, &m);
        return;
    }
    for (unsigned i = 0; i < rpcrdma->early.n; i++) {
        bool muted = rpcrdma->verdict->muted;

        verdict_mute(rpcrdma->verdict, rpcrdma->early.sends[i].muted);
        dispatch(rpcrdma, &rpcrdma->early.sends[i].message);
        for (unsigned owner = 0; owner < 2; owner++) {
            if (rpcrdma->early.sends[i].accessed[owner])
                rpcrdma_transactions_astray(rpcrdma, owner);
        }
        verdict_mute(rpcrdma->verdict, muted);
    }
    rpcrdma_early_free(rpcrdma);
    dispatch(rpcrdma, &m);
    INVARIANT(rpcrdma->early.n == 0 && !rpcrdma->early.sends && rpcrdma->recognised == RPCRDMA_YES);
}

/* ---- Sends ---- */

static bool send_room(struct rpcrdma_side *s, uint64_t n)
{
    uint32_t larger = s->send_size == 0 ? 4096 : s->send_size;
    uint8_t *grown;

    if (n > RPCRDMA_SEND_MAX)
        return false;
    while (larger < n)
        larger *= 2;
    if (larger == s->send_size)
        return true;
    grown = heap_resize(s->send, larger);
    if (!grown)
        return false;
    s->send = grown;
    s->send_size = larger;
    INVARIANT(n <= s->send_size && s->send_size <= RPCRDMA_SEND_MAX);
    return true;
}

/* Puts a Send in parts together. */
static void rpcrdma_connection_gather(struct rpcrdma_side *s, const struct rdma_part *part)
{
    uint64_t end = part->offset + part->n;

    if (!s->send_open || s->send_message != part->message) {
        s->send_open = true;
        s->send_message = part->message;
        s->send_spoilt = !part->first_known || part->index != 0; /* the beginning is missing */
        s->send_n = 0;
        s->send_there = UINT32_MAX;
    }
    if (send_room(s, end))
        memcpy(s->send + part->offset, part->p, part->n);
    else
        s->send_spoilt = true;
    s->send_n = end > s->send_n ? (uint32_t)end : s->send_n;
    if (part->lacking > 0 && end - part->lacking < s->send_there)
        s->send_there = (uint32_t)(end - part->lacking);
    INVARIANT(s->send_spoilt || (s->send_n <= s->send_size && end <= s->send_n));
    INVARIANT(s->send_there == UINT32_MAX || s->send_there <= s->send_n || s->send_spoilt);
}

static void on_send_part(struct rpcrdma_connection *rpcrdma, const struct rdma_part *part, bool unsure)
{
    unsigned side = part->place.side & 1u;
    struct rpcrdma_side *s = &rpcrdma->side[side];

    if (part->complete && part->offset == 0 && part->index == 0) { /* the usual case: one part, nothing to copy */
        s->send_open = false;
        rpcrdma_connection_on_send(rpcrdma, part, part->p, (uint32_t)part->n, (uint32_t)(part->n - part->lacking),
                                   unsure);
        return;
    }
    rpcrdma_connection_gather(s, part);
    INVARIANT(s->send_open && s->send_message == part->message);
    if (!part->last)
        return;
    s->send_open = false;
    if (part->complete && !s->send_spoilt)
        rpcrdma_connection_on_send(rpcrdma, part, s->send, s->send_n,
                                   s->send_there < s->send_n ? s->send_there : s->send_n, unsure);
    else if (part->psns.gaps_show_late)
        rpcrdma_connection_lose(rpcrdma, side, true, UINT64_MAX); /* counted together with the missing packets */
    else
        lose_message(rpcrdma, side);
}

/* ---- RDMA operations ---- */

/* The last Read Response of a Position-Zero chunk completes a Long Call. */
static void complete_long_call(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_move *move)
{
    struct rpcrdma_transaction *t = move->offer->transaction;
    const struct rpcrdma_chunk_state *chunk;
    const struct rpcrdma_content *content;

    if (move->kind != RDMA_READ_RESPONSE || (int)move->offer->chunk != t->position_zero || t->open->call_body.known ||
        t->open->call_header.proc != RPCRDMA_NOMSG || !rpcrdma_buffers_of(t))
        return;
    chunk = &t->chunks[t->position_zero];
    content = &rpcrdma_buffers_of(t)->content[0];
    INVARIANT(chunk->kind == RPCRDMA_READ_CHUNK && chunk->position == 0);
    if (content->cut || chunk->length == 0 || chunk->length > content->size ||
        rpcrdma_chunk_prefix(t, chunk) < chunk->length)
        return;
    decode_payload(rpcrdma, t, false, content->octets, chunk->length, NULL, &move->place, NULL);
}

/* No message has offered memory, and an earlier message cannot come later. */
static bool concerns_no_offer(const struct rpcrdma_connection *rpcrdma, bool unsure)
{
    return rpcrdma->recognised == RPCRDMA_UNDECIDED && rpcrdma->offers.n == 0 && !unsure &&
           (!rpcrdma->events.move || rpcrdma->events.only_offered);
}

static void take_move(struct rpcrdma_connection *rpcrdma, const struct rdma_part *part, bool unsure)
{
    struct rpcrdma_move move = {.side = part->place.side & 1u,
                                .kind = part->kind,
                                .operation = part->operation,
                                .place = part->place,
                                .stag = part->handle,
                                .to = part->address,
                                .length = part->length,
                                .p = part->kind == RDMA_READ ? NULL : part->p,
                                .lacking = part->kind == RDMA_READ ? 0 : part->lacking,
                                .first = part->index == 0,
                                .last = part->last,
                                .acked_known = part->acked_known,
                                .acked = part->acked,
                                .received = part->received,
                                .reads_open = part->psns.reads_open,
                                .asked_again = part->psns.asked_again,
                                .skew_ns = part->psns.skew_ns,
                                .unseen = part->unseen,
                                .unsure = unsure};

    move.owner = part->kind == RDMA_READ_RESPONSE ? move.side : other_side(move.side);
    INVARIANT(move.kind == RDMA_READ || move.p || move.length == 0);
    INVARIANT(move.lacking <= move.length);
    rpcrdma_move(rpcrdma, &move);
    INVARIANT(!move.offer || (rpcrdma_waits(move.offer->transaction) && move.offer->transaction->side == move.owner));
    if (rpcrdma->recognised == RPCRDMA_YES && !rpcrdma->verdict->off) {
        rpcrdma_memory_move(rpcrdma, &move);
        rpcrdma_threshold_move(rpcrdma, &move);
        rpcrdma_call_move(rpcrdma, &move);
        rpcrdma_depth_move(rpcrdma, &move);
    }
    INVARIANT(!move.offer || rpcrdma_transaction_is_sound(move.offer->transaction));
    verdict_mute(rpcrdma->verdict, part->faulty); /* the octets are known, whoever moved them */
    if (rpcrdma->events.move && (move.offer || !rpcrdma->events.only_offered))
        rpcrdma->events.move(rpcrdma->events.ctx, &move);
    if (move.offer)
        complete_long_call(rpcrdma, &move);
    INVARIANT(!move.offer || rpcrdma_waits(move.offer->transaction));
}

static void on_access(struct rpcrdma_connection *rpcrdma, const struct rdma_part *part, bool unsure)
{
    if (rpcrdma->recognised == RPCRDMA_NO)
        return;
    if (!part->memory_known) {
        if (part->kind != RDMA_READ)
            rpcrdma_transactions_lose(rpcrdma, part->place.side & 1u, false, UINT64_MAX); /* of any transaction */
        return;
    }
    rpcrdma_recognise_by_setup(rpcrdma);
    if (rpcrdma->early.n > 0)
        rpcrdma->early.sends[rpcrdma->early.n - 1].accessed[other_side(part->place.side & 1u)] = true;
    if (!concerns_no_offer(rpcrdma, unsure))
        take_move(rpcrdma, part, unsure);
    else if (rpcrdma->gaps_show_late && part->kind != RDMA_READ_RESPONSE)
        rpcrdma->side[other_side(part->place.side & 1u)].accessed = true;
}

/* ---- inputs ---- */

/* Everything before the first event of a side is missing. */
static void lose_beginning(struct rpcrdma_connection *rpcrdma, unsigned side)
{
    rpcrdma_lacks_beginning(rpcrdma, side);
    verdict_lose(rpcrdma->verdict, WHY_LATE, rpcrdma->said.frame);
    rpcrdma_connection_lose(rpcrdma, side, true, UINT64_MAX);
    INVARIANT(!rpcrdma_sends_seen(rpcrdma, side) && !rpcrdma_calls_seen(rpcrdma, side));
}

/* Something is missing before this part. */
static void lose_before(struct rpcrdma_connection *rpcrdma, const struct rdma_part *part)
{
    unsigned side = part->place.side & 1u;
    bool cut = rpcrdma->side[side].send_open && !part->psns.gaps_show_late, sends;

    rpcrdma->holes++;
    rpcrdma_connection_note_hole(rpcrdma);
    if (cut) /* the hole cuts the Send in progress */
        rpcrdma_lacks_one(rpcrdma, side);
    sends = rpcrdma_lacks_before(rpcrdma, part);
    rpcrdma_connection_lose(rpcrdma, side, sends || cut, part->place.offset);
    INVARIANT(rpcrdma->side[side].hole && !rpcrdma->side[side].send_open);
}

/* The first part of a side. A capture that begins mid-connection lacks the start of both directions. */
static void begin_side(struct rpcrdma_connection *rpcrdma, const struct rdma_part *part)
{
    unsigned side = part->place.side & 1u;
    struct rpcrdma_side *s = &rpcrdma->side[side];

    s->started = true;
    if (!rpcrdma->terms.from_start) {
        if (!rpcrdma->side[other_side(side)].started)
            lose_beginning(rpcrdma, other_side(side));
        lose_beginning(rpcrdma, side);
        return;
    }
    s->lack.numbered = true; /* MSNs begin with 1 (RFC 5041 section 5.1) */
    if (!part->first_of_all || s->lack.pending)
        lose_before(rpcrdma, part);
    INVARIANT(s->lack.numbered && !s->lack.pending);
}

/* Looks for a hole before this part. */
static void look_before(struct rpcrdma_connection *rpcrdma, const struct rdma_part *part)
{
    unsigned side = part->place.side & 1u;
    struct rpcrdma_side *s = &rpcrdma->side[side];
    int64_t now = part->place.time_ns;

    if (rpcrdma->said.time_ns != 0 && now - rpcrdma->said.time_ns >= QUIET_ANSWERS * rpcrdma->options.t_answer)
        rpcrdma_lacks_quiet(rpcrdma);
    if (now > rpcrdma->said.time_ns)
        rpcrdma->said.time_ns = now;
    rpcrdma->said.frame = part->place.frame;
    lose_pending(rpcrdma, other_side(side));
    if (!s->started)
        begin_side(rpcrdma, part);
    else if (part->after_gap || s->lack.pending)
        lose_before(rpcrdma, part);
    s->lack.pending = false;
    if (part->kind == RDMA_SEND && part->in_message)
        rpcrdma_lacks_send(rpcrdma, part);
    INVARIANT(s->started && !rpcrdma->side[0].lack.pending && !rpcrdma->side[1].lack.pending);
    INVARIANT(rpcrdma->said.time_ns >= now);
}

/* Keeps what the next part is compared with. */
static void note_tail(struct rpcrdma_side *s, const struct rdma_part *part)
{
    struct rpcrdma_tail *tail = &s->tail;

    tail->kind = (uint8_t)part->kind;
    tail->last = part->last || !part->in_message || !part->memory_known;
    tail->handle = part->handle;
    tail->address = part->address + part->n;
    if (!part->psns.resent)
        s->sent_ns = part->place.time_ns;
    if (part->memory_known && part->n > tail->longest)
        tail->longest = part->n;
    INVARIANT(!part->memory_known || tail->longest >= part->n);
}

bool rpcrdma_connection_follows(const struct rpcrdma_connection *rpcrdma)
{
    return !rpcrdma->finished && rpcrdma->recognised != RPCRDMA_NO;
}

bool rpcrdma_connection_part(struct rpcrdma_connection *rpcrdma, const struct rdma_part *part)
{
    unsigned side = part->place.side & 1u;
    struct rpcrdma_side *s = &rpcrdma->side[side];
    const struct rpcrdma_side *other = &rpcrdma->side[other_side(side)];
    /*
     * The sender of this part had received data that were not captured yet, or the data that it had received are
     * unknown because the capture has no data of the other direction.
     */
    bool unsure = part->received > other->end || (!part->psns.gaps_show_late && !part->acked_known);

    if (!rpcrdma_connection_follows(rpcrdma))
        return false;
    look_before(rpcrdma, part);
    note_tail(s, part);
    rpcrdma->gaps_show_late = part->psns.gaps_show_late;
    if (part->lacking > 0 && part->psns.gaps_show_late && rpcrdma->terms.initiator_side < 0)
        rpcrdma->close_unseen = true;
    s->end = part->end;
    rpcrdma_connection_received(rpcrdma, side, part->received);
    if (part->set_up) /* not an RPC-over-RDMA message */
        return true;
    verdict_mute(rpcrdma->verdict, part->faulty || part->unseen);
    s->faulty |= part->faulty;
    if (!part->in_message)
        lose_message(rpcrdma, side);
    else if (part->kind == RDMA_SEND)
        on_send_part(rpcrdma, part, unsure);
    else if (part->kind != RDMA_OTHER)
        on_access(rpcrdma, part, unsure);
    verdict_mute(rpcrdma->verdict, false);
    if (rpcrdma->pending && (part->kind == RDMA_WRITE || part->kind == RDMA_READ ||
                             (part->kind == RDMA_SEND && part->last))) /* this Call may explain an earlier finding */
        rpcrdma_pending_part(rpcrdma, part);
    INVARIANT(rpcrdma->received[side] >= part->received && !rpcrdma->verdict->muted);
    INVARIANT(!rpcrdma->subject.judged && !rpcrdma->subject.silent && rpcrdma_connection_is_sound(rpcrdma));
    return rpcrdma->recognised != RPCRDMA_NO;
}

void rpcrdma_connection_received(struct rpcrdma_connection *rpcrdma, unsigned side, uint64_t offset)
{
    if (offset > rpcrdma->received[side & 1u])
        rpcrdma->received[side & 1u] = offset;
    INVARIANT(rpcrdma->received[side & 1u] >= offset);
}

void rpcrdma_connection_missed(struct rpcrdma_connection *rpcrdma, unsigned side, uint64_t offset)
{
    if (!rpcrdma->finished && rpcrdma->recognised == RPCRDMA_YES && !rpcrdma->verdict->off)
        rpcrdma_xid_missed(rpcrdma, side & 1u, offset);
}

void rpcrdma_connection_lossy(struct rpcrdma_connection *rpcrdma)
{
    rpcrdma->lossy = true;
    verdict_lose(rpcrdma->verdict, WHY_HOLE, 0);
}

void rpcrdma_connection_refusal(struct rpcrdma_connection *rpcrdma, const struct rdma_refusal *refusal)
{
    if (rpcrdma->finished || rpcrdma->recognised == RPCRDMA_NO)
        return;
    lose_pending(rpcrdma, 0);
    lose_pending(rpcrdma, 1);
    rpcrdma->terminated = true; /* even if the connection is recognised only later */
    if (rpcrdma->recognised != RPCRDMA_YES || rpcrdma->verdict->off)
        return;
    if (refusal->cause == RDMA_REFUSED_MEMORY) {
        rpcrdma_access_finish(rpcrdma); /* no later Call can offer the memory */
        rpcrdma_pending_refused(rpcrdma, refusal->place.side & 1u);
    }
    rpcrdma_record_refusal(rpcrdma, refusal);
    rpcrdma_memory_refusal(rpcrdma, refusal);
    rpcrdma_resource_refusal(rpcrdma, refusal);
    rpcrdma_reaction_refusal(rpcrdma, refusal);
    INVARIANT(rpcrdma_connection_is_sound(rpcrdma));
}

void rpcrdma_connection_skipped(struct rpcrdma_connection *rpcrdma, unsigned side)
{
    if (rpcrdma->finished)
        return;
    rpcrdma->side[side & 1u].lack.pending = true;
    INVARIANT(!rpcrdma_sends_seen(rpcrdma, side & 1u) && !rpcrdma_calls_seen(rpcrdma, side & 1u));
}

void rpcrdma_connection_closing(struct rpcrdma_connection *rpcrdma, const struct rdma_closing *closing)
{
    rpcrdma->closing = *closing;
}

void rpcrdma_connection_end(struct rpcrdma_connection *rpcrdma, unsigned side, bool reset, const struct place *place)
{
    struct rpcrdma_side *s = &rpcrdma->side[side & 1u];

    if (rpcrdma->finished || s->reset || (s->fin && !reset))
        return;
    lose_pending(rpcrdma, 0);
    lose_pending(rpcrdma, 1);
    s->fin |= !reset;
    s->reset |= reset;
    s->end_place = *place;
    INVARIANT((s->fin || s->reset) && !rpcrdma->side[0].lack.pending && !rpcrdma->side[1].lack.pending);
    if (rpcrdma->recognised == RPCRDMA_YES && !rpcrdma->verdict->off)
        rpcrdma_reaction_end(rpcrdma, side & 1u, reset, place);
}

void rpcrdma_connection_finish(struct rpcrdma_connection *rpcrdma, int64_t time_ns)
{
    if (rpcrdma->finished)
        return;
    lose_pending(rpcrdma, 0);
    lose_pending(rpcrdma, 1);
    rpcrdma->finished = true;
    if (rpcrdma->recognised == RPCRDMA_YES && !rpcrdma->verdict->off) {
        rpcrdma_memory_finish(rpcrdma);
        rpcrdma_depth_finish(rpcrdma);
        rpcrdma_reaction_finish(rpcrdma, time_ns);
    }
    rpcrdma_pending_finish(rpcrdma);
    INVARIANT(rpcrdma_connection_is_sound(rpcrdma) && !rpcrdma->subject.silent);
    for (unsigned side = 0; side < 2; side++) {
        for (struct rpcrdma_transaction *t = NULL; (t = rpcrdma_next_outstanding(rpcrdma, side, t));)
            rpcrdma_count(rpcrdma, t);
    }
}
