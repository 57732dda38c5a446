// SPDX-License-Identifier: GPL-2.0-or-later
/* Counts for the reports: calls, answers and octets by procedure. */
#include "engine/core/heap.h"
#include "engine/rpcrdma/rpcrdma_internal.h"
#include "wire/invariant.h"

#include <string.h>

static unsigned entry_of(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_transaction *t)
{
    const struct rpcrdma_request *request = &t->request;
    struct rpcrdma_procedure_count *procedures;
    unsigned i = 0;

    for (; i < rpcrdma->tally.counts.n; i++) {
        const struct rpcrdma_procedure_count *count = &rpcrdma->tally.procedures[i];

        if (count->program == request->program && count->version == request->version &&
            count->procedure == request->procedure && count->reverse == t->reverse)
            return i + 1;
    }
    procedures =
        heap_room(rpcrdma->tally.procedures, &rpcrdma->tally.size, i + 1, RPCRDMA_PROCEDURES_MAX, sizeof *procedures);
    if (!procedures)
        return 0;
    rpcrdma->tally.procedures = procedures;
    rpcrdma->tally.procedures[i] = (struct rpcrdma_procedure_count){.program = request->program,
                                                                    .version = request->version,
                                                                    .procedure = request->procedure,
                                                                    .reverse = t->reverse};
    rpcrdma->tally.counts.procedures = rpcrdma->tally.procedures;
    rpcrdma->tally.counts.n = i + 1;
    INVARIANT(rpcrdma->tally.counts.n <= rpcrdma->tally.size && rpcrdma->tally.counts.n <= RPCRDMA_PROCEDURES_MAX);
    return i + 1;
}

/* Called once per transaction: when it ends, is forgotten, or still waits at the end. */
void rpcrdma_count(struct rpcrdma_connection *rpcrdma, struct rpcrdma_transaction *t)
{
    struct rpcrdma_procedure_count *count;
    unsigned entry;

    entry = t->request.known ? entry_of(rpcrdma, t) : 0;
    if (entry == 0) {
        rpcrdma->tally.counts.other_calls++;
        return;
    }
    count = &rpcrdma->tally.procedures[entry - 1];
    INVARIANT(count->program == t->request.program && count->reverse == t->reverse);
    count->calls++;
    count->replies += t->outcome == RPCRDMA_REPLIED || t->outcome == RPCRDMA_SETTLED;
    count->errors += t->outcome == RPCRDMA_FAILED;
    count->inline_octets += t->open->call_octets + (uint64_t)t->open->answer_octets;
    count->read_octets += t->open->octets_read;
    count->written_octets += t->open->octets_written;
    INVARIANT(count->replies + count->errors <= count->calls);
}

/* ---- Replies by status ---- */

static void count_status(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_status_count *one)
{
    struct rpcrdma_status_count *statuses;

    for (unsigned i = 0; i < rpcrdma->tally.counts.n_statuses; i++) {
        struct rpcrdma_status_count *count = &rpcrdma->tally.statuses[i];

        if (count->number == one->number && count->status == one->status && count->operation == one->operation &&
            count->rpc == one->rpc && count->reverse == one->reverse && count->version == one->version &&
            count->program == one->program) {
            count->replies++;
            return;
        }
    }
    statuses = heap_room(rpcrdma->tally.statuses, &rpcrdma->tally.statuses_size, rpcrdma->tally.counts.n_statuses + 1,
                         RPCRDMA_STATUSES_MAX, sizeof *statuses);
    if (!statuses)
        return;
    rpcrdma->tally.statuses = statuses;
    rpcrdma->tally.counts.statuses = statuses;
    statuses[rpcrdma->tally.counts.n_statuses] = *one;
    statuses[rpcrdma->tally.counts.n_statuses++].replies = 1;
    INVARIANT(rpcrdma->tally.counts.n_statuses <= rpcrdma->tally.statuses_size);
}

void rpcrdma_count_statuses(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_transaction *t)
{
    const struct rpcrdma_body *body = &t->open->reply_body;
    struct rpcrdma_status_count one = {.program = t->request.program,
                                       .version = t->request.version,
                                       .number = t->request.procedure,
                                       .reverse = t->reverse};
    const struct nfs_value *status;
    unsigned i = 0;

    if (!body->known || !t->request.known || t->repeats)
        return;
    if (!rpcrdma_body_succeeded(body)) {
        one.rpc = true;
        one.status = body->rpc.reply_stat == RPC_MSG_ACCEPTED ? body->rpc.accept_stat
                                                              : RPCRDMA_STATUS_DENIED + body->rpc.auth_stat;
        count_status(rpcrdma, &one);
        return;
    }
    if (!body->walked)
        return;
    status = rpcrdma_value(body, NFS_MARK_STATUS, 0, &i);
    one.operation = body->procedure && body->procedure->compound && body->n_operations > 0;
    if (!one.operation && status) {
        one.status = (uint32_t)status->value;
        count_status(rpcrdma, &one);
    }
    for (i = 0; one.operation && i < body->n_operations; i++) {
        if (!body->operations[i].has_status)
            continue;
        one.number = body->operations[i].op;
        one.status = body->operations[i].status;
        count_status(rpcrdma, &one);
    }
}

/* ---- for the host ---- */

const struct rpcrdma_counts *rpcrdma_connection_counts(const struct rpcrdma_connection *rpcrdma)
{
    return &rpcrdma->tally.counts;
}

void rpcrdma_connection_restart_counts(struct rpcrdma_connection *rpcrdma)
{
    for (unsigned i = 0; i < rpcrdma->tally.counts.n; i++) {
        struct rpcrdma_procedure_count *count = &rpcrdma->tally.procedures[i];

        *count = (struct rpcrdma_procedure_count){.program = count->program,
                                                  .version = count->version,
                                                  .procedure = count->procedure,
                                                  .reverse = count->reverse};
    }
    rpcrdma->tally.counts.n_statuses = 0;
    memset(rpcrdma->tally.counts.messages, 0, sizeof rpcrdma->tally.counts.messages);
    INVARIANT(rpcrdma->tally.counts.procedures == rpcrdma->tally.procedures);
    rpcrdma->tally.counts.other_calls = 0;
}
