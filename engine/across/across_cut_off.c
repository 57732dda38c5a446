// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/across/across_cut_off.h"

#include "engine/core/heap.h"
#include "wire/invariant.h"

#include <string.h>

/* When a process or host dies, its connections end within this time. */
static const int64_t together_ns = 1000000000;
static const int64_t late_ack_ns = 200000000; /* for how long a host may still send on a connection that has died */

/* ---- connections to one server that end together ---- */

/* Where and when the server ended the connection; NULL: the client ended it, or no side did. */
static const struct place *ended_by_server(const struct rpcrdma_across_record *record)
{
    unsigned client = (unsigned)record->client, server = 1 - client;
    bool server_ended = record->fin[server] || record->reset[server];
    bool client_ended = record->fin[client] || record->reset[client];

    if (!server_ended || (client_ended && record->end[client].time_ns < record->end[server].time_ns))
        return NULL;
    return &record->end[server];
}

/* No side closed the connection while a Call was outstanding: the end may be missing from the capture. */
static bool left_open(const struct rpcrdma_across_record *record)
{
    if (record->fin[0] || record->fin[1] || record->reset[0] || record->reset[1])
        return false;
    for (unsigned i = 0; i < record->n_calls; i++)
        if (record->calls[i].outcome == RPCRDMA_OUTSTANDING && !record->calls[i].reverse)
            return true;
    return false;
}

void rpcrdma_across_ends_add(struct rpcrdma_across_ends *ends, const struct rpcrdma_across_record *record)
{
    const struct place *end = ended_by_server(record);
    unsigned at = ends->n % RPCRDMA_ACROSS_ENDS_MAX;
    void *latest;

    if (!end && !left_open(record))
        return;
    latest = heap_room(ends->latest, &ends->size, at + 1, RPCRDMA_ACROSS_ENDS_MAX, sizeof *ends->latest);
    if (!latest)
        return;
    ends->latest = latest;
    ends->latest[at] = (struct rpcrdma_across_end){.server = record->endpoint[1 - record->client],
                                                   .record = record,
                                                   .start_ns = record->start_ns,
                                                   .time_ns = end ? end->time_ns : record->end_ns,
                                                   .open = !end};
    ends->n++;
    INVARIANT(at < ends->size && ends->size <= RPCRDMA_ACROSS_ENDS_MAX && ends->n > 0);
}

static bool same_server(const struct endpoint *a, const struct endpoint *b)
{
    return a->ip == b->ip && memcmp(a->address, b->address, sizeof a->address) == 0;
}

/* Another connection, open at the same time, ended with this one. */
static bool died_together(const struct rpcrdma_across_ends *ends, const struct rpcrdma_across_record *now)
{
    unsigned n = ends->n < RPCRDMA_ACROSS_ENDS_MAX ? ends->n : RPCRDMA_ACROSS_ENDS_MAX;
    int64_t time_ns = now->cut.place.time_ns;

    for (unsigned i = 0; i < n; i++) {
        const struct rpcrdma_across_end *end = &ends->latest[i];
        int64_t apart = end->time_ns > time_ns ? end->time_ns - time_ns : time_ns - end->time_ns;

        if (end->open && end->time_ns > time_ns + late_ack_ns) /* the other connection has survived */
            continue;
        if (end->record != now && apart <= together_ns && end->start_ns < time_ns && now->start_ns < end->time_ns &&
            same_server(&end->server, &now->endpoint[1 - now->client]))
            return true;
    }
    return false;
}

/* ---- the same Call, or one like it, elsewhere ---- */

static bool off_same_call(const struct rpcrdma_across_call *a, const struct rpcrdma_across_call *b)
{
    return a->request_known && b->request_known && !a->reverse && !b->reverse && a->xid == b->xid &&
           a->program == b->program && a->version == b->version && a->procedure == b->procedure && a->hash == b->hash;
}

/* The same Call was sent on this connection, and was or was not answered, as requested. */
static bool sent_there(const struct rpcrdma_across_record *record, const struct rpcrdma_across_call *call,
                       bool answered)
{
    for (unsigned i = 0; i < record->n_calls; i++)
        if ((record->calls[i].outcome != RPCRDMA_OUTSTANDING) == answered && off_same_call(&record->calls[i], call))
            return true;
    return false;
}

static bool served(const struct rpcrdma_across_record *record, unsigned shape)
{
    return (record->served[shape / 64] >> shape % 64 & 1) != 0;
}

bool rpcrdma_across_cut_off_acquitted(const struct rpcrdma_across_ends *ends,
                                      const struct rpcrdma_across_record *newest,
                                      const struct rpcrdma_across_record *now,
                                      const struct rpcrdma_across_record **again)
{
    const struct rpcrdma_across_cut *cut = &now->cut;
    bool like = false;
    unsigned n = 0;

    *again = NULL;
    for (const struct rpcrdma_across_record *other = newest; other && n < RPCRDMA_ACROSS_RECORDS_MAX * 8;
         other = other->older, n++) {
        if (other == now)
            continue;
        if (sent_there(other, &cut->call, true))
            return true;
        like |= served(other, cut->shape) || (other->served_unseen && !sent_there(other, &cut->call, false));
        if (!*again && other->start_ns < now->start_ns && other->cut.any && !other->cut.forgotten &&
            off_same_call(&other->cut.call, &cut->call))
            *again = other;
    }
    return cut->forgotten || died_together(ends, now) || (like && !*again);
}
