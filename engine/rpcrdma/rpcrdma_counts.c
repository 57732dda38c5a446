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
    memset(rpcrdma->tally.counts.messages, 0, sizeof rpcrdma->tally.counts.messages);
    INVARIANT(rpcrdma->tally.counts.procedures == rpcrdma->tally.procedures);
    rpcrdma->tally.counts.other_calls = 0;
}
