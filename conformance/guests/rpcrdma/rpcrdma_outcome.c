// SPDX-License-Identifier: GPL-2.0-or-later
/* Which requests fail again: by arguments, stateid, slot or session. */
#include "conformance/guests/rpcrdma/rpcrdma_outcome.h"

#include "conformance/guests/rpcrdma/rpcrdma_statuses.h"
#include "conformance/trouble/facts_state.h"
#include "engine/core/hash.h"

#include <glib.h>

enum { NONE = 255 };

/*
 * For each operation: the offset of its stateid in the arguments (NONE: no stateid), and the octets of the arguments
 * from offset `from` to offset `to` (0: to the end). A client that sends the operation again sends the same octets. The
 * seqid of an owner is not among them, since minor version 0 changes the seqid each time.
 */
static const struct {
    uint8_t op, stateid, from, to;
} places[] = {
    {4, 4, 4, 0},      /* CLOSE */
    {8, 0, 0, 0},      /* DELEGRETURN */
    {12, NONE, 0, 24}, /* LOCK: type, offset, length */
    {14, 8, 8, 0},     /* LOCKU */
    {18, NONE, 4, 0},  /* OPEN */
    {20, 0, 0, 16},    /* OPEN_CONFIRM */
    {21, 0, 0, 16},    /* OPEN_DOWNGRADE */
    {25, 0, 0, 0},     /* READ */
    {34, 0, 0, 0},     /* SETATTR */
    {38, 0, 0, 0},     /* WRITE */
    {45, 0, 0, 0},     /* FREE_STATEID */
    {49, 20, 0, 0},    /* LAYOUTCOMMIT */
    {50, 36, 0, 0},    /* LAYOUTGET */
    {51, 32, 0, 0},    /* LAYOUTRETURN of a file */
    {55, 4, 0, 0},     /* TEST_STATEID: the first */
    {59, 0, 0, 0},     /* ALLOCATE */
    {60, 0, 0, 0},     /* COPY */
    {61, 0, 0, 0},     /* COPY_NOTIFY */
    {62, 0, 0, 0},     /* DEALLOCATE */
    {63, 0, 0, 0},     /* IO_ADVISE */
    {64, 16, 0, 0},    /* LAYOUTERROR */
    {65, 16, 0, 0},    /* LAYOUTSTATS */
    {66, 0, 0, 0},     /* OFFLOAD_CANCEL */
    {67, 0, 0, 0},     /* OFFLOAD_STATUS */
    {68, 0, 0, 0},     /* READ_PLUS */
    {69, 0, 0, 0},     /* SEEK */
    {70, 0, 0, 0},     /* WRITE_SAME */
    {71, 0, 0, 0},     /* CLONE */
};

/* ---- Calls ---- */

/* The arguments of operation i, as far as they are in the payload. */
const uint8_t *rpcrdma_operation_arguments(const struct rpcrdma_body *body, unsigned i, uint64_t *n)
{
    const uint64_t begin = (uint64_t)body->rpc.header_len + (body->wrapped ? 8 : 0);
    const uint64_t from = begin + body->operations[i].at + 4;
    const uint64_t to = i + 1 < body->n_operations ? begin + body->operations[i + 1].at : body->length;

    *n = from <= to && to <= body->length ? to - from : 0;
    return *n > 0 ? body->payload + from : NULL;
}

bool rpcrdma_operation_stateid(uint32_t op, uint64_t *at)
{
    for (size_t i = 0; i < G_N_ELEMENTS(places); i++) {
        *at = places[i].stateid;
        if (places[i].op == op)
            return places[i].stateid != NONE;
    }
    return false;
}

static void outcome_take_operation(struct trouble_asked *asked, const struct rpcrdma_body *body, unsigned i,
                                   unsigned *stateids)
{
    const uint32_t op = body->operations[i].op;
    uint64_t n, from = 0;
    const uint8_t *p = rpcrdma_operation_arguments(body, i, &n);

    for (size_t k = 0; k < G_N_ELEMENTS(places); k++) {
        if (places[k].op != op)
            continue;
        if (places[k].stateid != NONE && n >= places[k].stateid + (uint64_t)STATEID_LEN && *stateids < TROUBLE_STATEIDS)
            asked->stateid[(*stateids)++] =
                (struct trouble_stateid){op, hash_word(hash_octets(0, p + places[k].stateid, STATEID_LEN), op)};
        from = MIN(n, places[k].from);
        n = places[k].to != 0 ? MIN(n, places[k].to) : n;
    }
    asked->request = hash_word(asked->request, op);
    if (n > from)
        asked->request = hash_octets(asked->request, p + from, n - from);
}

void rpcrdma_outcome_call(struct trouble_facts *facts, const struct rpcrdma_payload *payload)
{
    const struct rpcrdma_body *body = payload->body;
    struct trouble_asked asked = {.number = payload->transaction->number};
    unsigned stateids = 0;

    if (!trouble_outcome_wants(facts) || !body->walked || !body->procedure || !body->procedure->compound)
        return;
    for (unsigned i = 0; i < body->n_operations; i++)
        if (body->operations[i].op != NFS_OP_SEQUENCE)
            outcome_take_operation(&asked, body, i, &stateids);
    trouble_outcome_asked(facts, &asked);
}

/* ---- Replies ---- */

/* Facts about the arguments of each Call. */
static uint64_t outcome_request_of(const struct rpcrdma_transaction *t)
{
    const struct rpcrdma_slot_use *use = &t->open->use;
    uint64_t hash = use->known ? use->arguments : t->arguments_hash != 0 ? t->arguments_hash : t->request.hash;

    return hash_word(hash_word(hash, t->request.procedure), t->request.program);
}

static struct trouble_try outcome_try_of(const struct trouble_facts *facts, const struct rpcrdma_payload *payload)
{
    const struct rpcrdma_transaction *t = payload->transaction;
    const struct rpcrdma_slot_use *use = &t->open->use;
    const struct trouble_asked *asked = trouble_outcome_of(facts, t->number);
    const struct rpcrdma_body *call = &t->open->call_body;
    struct trouble_try try = {.known = asked || !call->walked || !call->procedure || !call->procedure->compound,
                              .in_slot = use->known,
                              .session = use->session,
                              .slot_hash = hash_word(use->session, use->slot) | 1,
                              .slot = use->slot,
                              .sequence = use->sequence,
                              .event = {payload->place.frame, payload->place.time_ns}};

    if (asked)
        try.asked = *asked;
    else
        try.asked.request = outcome_request_of(t);
    return try;
}

void rpcrdma_outcome_reply(struct trouble_facts *facts, const struct rpcrdma_payload *payload,
                           const struct trouble_error *error, const struct nfs_operation *operation, const char *what)
{
    const struct rpcrdma_body *body = payload->body;
    const struct rpcrdma_request *request = &payload->transaction->request;
    const uint32_t number = operation ? operation->op : request->procedure;
    struct trouble_try try;
    unsigned i = 0;
    const struct nfs_value *status = rpcrdma_value(body, NFS_MARK_STATUS, 0, &i);

    if (payload->transaction->repeats || payload->transaction->ambiguous || (!error && !trouble_outcome_wants(facts)))
        return;
    try = outcome_try_of(facts, payload);
    try.error = error;
    try.op = number;
    try.what = what;
    if (error &&
        (!status || !rpcrdma_status_is_normal(request->program, request->version, number, (uint32_t)status->value)))
        trouble_outcome_failed(facts, &try);
    else if (!error && body->walked && status && status->value == 0)
        trouble_outcome_succeeded(facts, &try);
    if (body->walked && body->n_operations > 0 && body->operations[0].op == NFS_OP_SEQUENCE &&
        body->operations[0].status == 0)
        trouble_outcome_turn(facts, &try);
}
