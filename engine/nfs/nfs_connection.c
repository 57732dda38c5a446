// SPDX-License-Identifier: GPL-2.0-or-later
/* The NFS binding on one connection: life cycle, and dispatch of events to the rule families. */
#include "engine/core/heap.h"
#include "engine/nfs/nfs_internal.h"
#include "wire/invariant.h"

#include <stdlib.h>

struct nfs_connection *nfs_connection_new(const struct rpcrdma_options *options, struct rpcrdma_connection *rpcrdma,
                                          struct verdict *verdict, struct arena *arena)
{
    struct nfs_connection *nfs = arena_enter(&arena, sizeof *nfs);

    if (!nfs)
        return NULL;
    nfs->arena = arena;
    nfs->options = *options;
    nfs->rpcrdma = rpcrdma;
    nfs->verdict = verdict;
    return nfs;
}

void nfs_connection_free(struct nfs_connection *nfs)
{
    if (!nfs)
        return;
    while (nfs->spare) {
        struct nfs_exchange *exchange = nfs->spare;

        nfs->spare = exchange->spare;
        free(exchange);
    }
    nfs_readback_free(nfs);
    free(nfs->sequence.turns);
    arena_release(nfs->arena);
}

void nfs_connection_ports(struct nfs_connection *nfs, uint16_t port0, uint16_t port1)
{
    nfs->port[0] = port0;
    nfs->port[1] = port1;
}

/* ---- findings ---- */

/* Marks the Call as faulty: the fault decides how the answer is judged. */
static void mark_call(const struct nfs_look *look, enum rule_id rule, enum rule_severity severity)
{
    struct rpcrdma_transaction *t = look->t;

    if (t && t->fault == 0 && severity >= SEVERITY_WARNING && look->place.side == t->call.side &&
        look->place.frame == t->call.frame)
        t->fault = 1 + (uint32_t)rule;
    INVARIANT(!t || t->fault <= RULE_COUNT);
}

void nfs_fail_as(const struct nfs_look *look, enum rule_id rule, enum rule_severity severity, const char *format, ...)
{
    va_list args;

    mark_call(look, rule, severity);
    va_start(args, format);
    rpcrdma_vfail(look->nfs->rpcrdma, rule, severity,
                  rpcrdma_connection_direction(look->nfs->rpcrdma, look->place.side & 1u), &look->place, look->related,
                  format, args);
    va_end(args);
}

/* ---- payloads, for the rules ---- */

const struct nfs_operation *nfs_operation_find(const struct rpcrdma_body *body, uint32_t op)
{
    for (unsigned i = 0; i < body->n_operations; i++) {
        if (body->operations[i].op == op)
            return &body->operations[i];
    }
    return NULL;
}

bool nfs_chunk_offered(const struct nfs_connection *nfs, const struct rpcrdma_transaction *t, unsigned number)
{
    const struct rpcrdma_chunk_state *chunk;

    if (number >= t->n_writes)
        return false;
    chunk = &t->chunks[t->first_write + number];
    INVARIANT(chunk->kind == RPCRDMA_WRITE_CHUNK && chunk->number == number);
    return chunk->n > 0 && (chunk->length > 0 || nfs->options.profile != PROFILE_RFC5666);
}

/* ---- exchanges ---- */

/* Holds between messages: for the invariants. */
static bool counts_agree(const struct nfs_connection *nfs)
{
    for (unsigned side = 0; side < 2; side++) {
        const struct nfs_in_flight *in_flight = &nfs->in_flight[side];

        if (in_flight->keepalives > in_flight->calls || in_flight->doubtful > in_flight->calls)
            return false;
    }
    return nfs->backchannel.delegated || nfs->backchannel.delegations == 0;
}

static struct nfs_exchange *exchange_of(struct nfs_connection *nfs, struct rpcrdma_transaction *t)
{
    struct nfs_exchange *exchange = t->nfs;

    if (exchange)
        return exchange;
    exchange = nfs->spare;
    if (exchange)
        nfs->spare = exchange->spare;
    else
        exchange = heap_get(sizeof *exchange);
    if (!exchange) {
        nfs->blind = true;
        return NULL;
    }
    *exchange = (struct nfs_exchange){.minor = -1};
    t->nfs = exchange;
    INVARIANT(nfs->spare != exchange && t->nfs == exchange);
    return exchange;
}

static void set_unread(struct nfs_connection *nfs, struct nfs_exchange *exchange, bool unread)
{
    nfs->unread += unread && !exchange->unread;
    nfs->unread -= exchange->unread && !unread;
    exchange->unread = unread;
    INVARIANT(!unread || nfs->unread > 0);
}

/* The payload of a Long Call comes after its message, when the Call is counted already. */
static void set_keepalive(struct nfs_connection *nfs, const struct rpcrdma_transaction *t, bool keepalive)
{
    struct nfs_exchange *exchange = t->nfs;
    struct nfs_in_flight *in_flight = &nfs->in_flight[t->side];

    if (exchange->outstanding) {
        in_flight->keepalives += keepalive && !exchange->keepalive;
        in_flight->keepalives -= exchange->keepalive && !keepalive;
    }
    exchange->keepalive = keepalive;
    INVARIANT(counts_agree(nfs));
}

/* The Call was answered or forgotten. */
static void connection_settle(struct nfs_connection *nfs, struct rpcrdma_transaction *t)
{
    struct nfs_exchange *exchange = t->nfs;
    struct nfs_in_flight *in_flight = &nfs->in_flight[t->side];

    if (exchange->unread) {
        nfs->blind = true;
        set_unread(nfs, exchange, false);
    }
    nfs->blind |= exchange->asks_session; /* the result was not understood */
    exchange->asks_session = false;
    nfs_sessions_settled(nfs, exchange);
    INVARIANT(!exchange->unread && !exchange->asks_back);
    if (!exchange->outstanding)
        return;
    exchange->outstanding = false;
    in_flight->calls--;
    in_flight->keepalives -= exchange->keepalive;
    in_flight->doubtful -= exchange->doubtful;
    INVARIANT(counts_agree(nfs));
}

void nfs_connection_retired(struct nfs_connection *nfs, struct rpcrdma_transaction *transaction)
{
    struct nfs_exchange *exchange = transaction->nfs;

    if (!exchange)
        return;
    connection_settle(nfs, transaction);
    nfs_readback_settle(nfs, transaction, exchange);
    INVARIANT(!exchange->access && !exchange->outstanding);
    exchange->spare = nfs->spare;
    nfs->spare = exchange;
    transaction->nfs = NULL;
}

/* ---- payloads ---- */

/* The Call only checks that the server is alive: RFC 8267 section 6.7.2. */
static bool is_keepalive(const struct rpcrdma_body *body)
{
    if (body->rpc.proc == 0)
        return true;
    for (unsigned i = 0; i < body->n_operations; i++) {
        if (body->operations[i].op != NFS_OP_SEQUENCE && body->operations[i].op != NFS_OP_RENEW)
            return false;
    }
    return body->n_operations > 0;
}

static void learn_minor(struct nfs_look *look)
{
    const struct nfs_value *minor;
    unsigned i = 0;

    if (!look->body->walked || !look->body->procedure->compound)
        return;
    minor = rpcrdma_value(look->body, NFS_MARK_MINOR_VERSION, 0, &i);
    if (!minor)
        return;
    look->exchange->minor = minor->value < NFS_MINOR_MAX ? (int)minor->value : NFS_MINOR_MAX;
    INVARIANT(look->exchange->minor >= 0 && look->exchange->minor <= NFS_MINOR_MAX);
    if (look->body->procedure->callback)
        return;
    look->nfs->minors.zero |= minor->value == 0;
    look->nfs->minors.later |= minor->value > 0;
}

static void forward_call(struct nfs_look *look)
{
    struct nfs_connection *nfs = look->nfs;
    const struct rpcrdma_body *body = look->body;
    bool v4 = body->rpc.prog == NFS_PROGRAM && body->rpc.vers == 4;

    nfs->v4 |= v4;
    if (v4)
        nfs_port_call(look);
    if (v4 && body->rpc.proc != 0 && !nfs_understood(body))
        nfs->blind = true;
    if (!body->procedure || body->procedure->callback)
        return;
    if (nfs_understood(body)) { /* even a Call with errors updates the state */
        set_keepalive(nfs, look->t, is_keepalive(body));
        nfs_sessions_call(look);
        nfs_minor_message(look, false);
        nfs_sequence_call(look);
        nfs_slot_call(look);
        nfs_recall_slot(look);
    }
    if (look->t->repeats || look->t->offers_lost)
        return;
    nfs_retry_call(look);
    if (look->exchange->in_session && nfs_understood(body))
        nfs_retry_use(look);
    if (look->t->misread)
        return;
    if (v4)
        nfs_compound_call(look);
    if (look->exchange->asks_session && nfs_understood(body))
        nfs_terms_call(look);
    if (nfs_understood(body))
        nfs_size_call(look);
}

static void connection_call(struct nfs_look *look)
{
    set_unread(look->nfs, look->exchange, false);
    if (!look->t->reverse)
        nfs_readback_call(look);
    if (!look->body->known) {
        look->nfs->blind = true;
        return;
    }
    learn_minor(look);
    if (!look->t->reverse)
        forward_call(look);
    else if (nfs_understood(look->body)) {
        nfs_sessions_call(look);
        nfs_minor_message(look, false);
        nfs_sequence_call(look);
        nfs_recall_call(look);
        if (nfs_operation_find(look->body, NFS_OP_CB_RECALL)) /* another client wants the file */
            nfs_readback_forget(look->nfs, NULL);
    }
}

/* The Reply against its own Call. */
static void judge_pair(struct nfs_look *look)
{
    enum finding_basis former = verdict_rest_on(look->nfs->verdict, BASIS_CALL);

    nfs_minor_reply(look);
    if (!look->t->misread) {
        nfs_size_reply(look);
        nfs_result_reply(look);
        nfs_delegation_reply(look);
    }
    verdict_rest_on(look->nfs->verdict, former);
}

static void connection_reply(struct nfs_look *look)
{
    const struct rpcrdma_body *body = look->body;

    if (!body->known)
        return;
    nfs_readback_reply(look);
    if (body->rpc.reply_stat == RPC_MSG_ACCEPTED && body->rpc.verf.flavor == RPC_AUTH_GSS &&
        body->rpc.verf.length > look->nfs->size.verifier)
        look->nfs->size.verifier = body->rpc.verf.length;
    INVARIANT(look->exchange == look->t->nfs);
    if (look->t->reverse) {
        nfs_backchannel_reply(look);
        if (nfs_understood(body)) {
            nfs_minor_reply(look);
            nfs_sequence_reply(look);
        }
        nfs_recall_answer(look);
        return;
    }
    if (body->rpc.reply_stat == RPC_MSG_ACCEPTED && body->rpc.accept_stat == RPC_GARBAGE_ARGS)
        nfs_retry_failed(look);
    if (!nfs_understood(body))
        return;
    if (look->exchange->asks_session && !look->t->misread)
        nfs_terms_reply(look);
    nfs_recall_reply(look);
    nfs_sessions_reply(look);
    nfs_minor_message(look, true);
    nfs_sequence_reply(look);
    judge_pair(look);
}

void nfs_connection_payload(struct nfs_connection *nfs, const struct rpcrdma_payload *payload)
{
    struct rpcrdma_transaction *t = payload->transaction;
    struct nfs_look look = {
        .nfs = nfs, .t = t, .exchange = exchange_of(nfs, t), .body = payload->body, .place = payload->place};

    if (!look.exchange)
        return;
    look.related = payload->reply || payload->place.frame != t->call.frame ? t->call.frame : 0;
    if (payload->reply)
        connection_reply(&look);
    else
        connection_call(&look);
    INVARIANT(counts_agree(nfs) && t->nfs == look.exchange);
    rpcrdma_connection_returns(nfs->rpcrdma, nfs_recall_returns(nfs));
}

void nfs_connection_move(const struct rpcrdma_move *move)
{
    nfs_readback_move(move);
}

/* ---- messages ---- */

static void call_message(struct nfs_look *look, const struct rpcrdma_message *message)
{
    struct nfs_connection *nfs = look->nfs;
    struct nfs_exchange *exchange = look->exchange;
    struct rpcrdma_transaction *t = look->t;
    struct nfs_in_flight *in_flight = &nfs->in_flight[t->side];

    if (rpcrdma_waits(t) && !t->open->call_body.known && !t->reverse)
        set_unread(nfs, exchange, true);
    if (t->repeats)
        nfs_retry_repeated(look, message);
    if (t->reverse) {
        nfs_backchannel_message(look, message);
        return;
    }
    nfs->forward_calls++;
    if (message->received > nfs->credits.offset) /* the latest grant has arrived */
        nfs->credits.former = nfs->credits.grant;
    nfs->credits.asked = message->header.credit;
    if (t->repeats || t->damage == RPCRDMA_LATE || exchange->outstanding)
        return;
    exchange->outstanding = true;
    exchange->early = nfs->answered == 0;
    exchange->doubtful = t->damage;
    in_flight->calls++;
    in_flight->keepalives += exchange->keepalive;
    in_flight->doubtful += exchange->doubtful;
    INVARIANT(counts_agree(nfs) && in_flight->calls > 0);
    if (!message->faulty && !message->unsure)
        nfs_retry_credits(look);
}

static void take_grant(struct nfs_connection *nfs, const struct rpcrdma_message *reply)
{
    if (nfs->credits.grant > nfs->credits.former)
        nfs->credits.former = nfs->credits.grant;
    nfs->credits.grant = reply->header.credit;
    nfs->credits.offset = reply->place.offset;
    nfs->credits.frame = reply->place.frame;
}

/* A message without a matching Call. A Reply from the server grants credits nevertheless. */
static void strange_message(struct nfs_connection *nfs, const struct rpcrdma_message *message)
{
    int client = rpcrdma_connection_client(nfs->rpcrdma);

    nfs_readback_forget(nfs, &message->place);
    if (message->kind == RPCRDMA_KIND_CALL)
        nfs->blind = true;
    else if (message->kind == RPCRDMA_KIND_REPLY && message->header.status == RPCRDMA_OK && client >= 0 &&
             (unsigned)client != message->side)
        take_grant(nfs, message);
}

static void answer_message(struct nfs_look *look, const struct rpcrdma_message *message)
{
    struct nfs_connection *nfs = look->nfs;

    if (message->kind == RPCRDMA_KIND_ERROR && !look->t->reverse) {
        if (message->header.err == RPCRDMA_ERR_CHUNK)
            nfs_retry_failed(look);
        nfs_slot_failed(look);
    }
    if (look->t->reverse || !nfs_limit_answer(look, message))
        nfs_refusal_answer(look, message);
    if (message->kind == RPCRDMA_KIND_REPLY && !look->t->reverse) {
        take_grant(nfs, message);
        nfs->answered++;
    }
    connection_settle(nfs, look->t);
    INVARIANT(!look->exchange->outstanding && counts_agree(nfs));
}

void nfs_connection_message(struct nfs_connection *nfs, const struct rpcrdma_message *message)
{
    struct nfs_look look = {.nfs = nfs, .t = message->transaction, .place = message->place};

    if (!look.t) {
        strange_message(nfs, message);
        return;
    }
    look.related = message->kind == RPCRDMA_KIND_CALL ? 0 : look.t->call.frame;
    if (message->kind != RPCRDMA_KIND_CALL &&
        (!rpcrdma_waits(look.t) || message->header.status != RPCRDMA_OK)) /* changes nothing */
        return;
    look.exchange = exchange_of(nfs, look.t);
    if (!look.exchange)
        return;
    look.body = &look.t->open->call_body;
    if (message->kind == RPCRDMA_KIND_CALL)
        call_message(&look, message);
    else
        answer_message(&look, message);
    INVARIANT(counts_agree(nfs) && look.t->nfs == look.exchange);
    rpcrdma_connection_returns(nfs->rpcrdma, nfs_recall_returns(nfs));
}

/* ---- other inputs ---- */

void nfs_connection_finish(struct nfs_connection *nfs)
{
    nfs_retry_finish(nfs);
    nfs_readback_finish(nfs);
    nfs_backchannel_finish(nfs);
    INVARIANT(counts_agree(nfs));
}
