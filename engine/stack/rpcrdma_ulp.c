// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/stack/rpcrdma_ulp.h"

#include "engine/across/across.h"
#include "engine/core/heap.h"
#include "engine/nfs/nfs_across.h"
#include "wire/invariant.h"

#include <stdlib.h>

static const struct rpcrdma_taps no_taps;

struct guest {
    const struct rpcrdma_taps *taps;
    void *ctx;
    struct rpcrdma_options options;
    struct verdict *verdict;
    struct rpcrdma_connection *rpcrdma;
    struct nfs_connection *nfs; /* NULL before the first message */
    struct arena *arena;
    uint16_t port[2];
    bool memory_lacking;
};

/* ---- from RPC-over-RDMA to NFS ---- */

/* Created with the first message; false: nothing is judged, or out of memory. */
static bool carries_nfs(struct guest *guest)
{
    if (guest->nfs || guest->memory_lacking || guest->verdict->off)
        return guest->nfs != NULL;
    guest->nfs = nfs_connection_new(&guest->options, guest->rpcrdma, guest->verdict, guest->arena);
    if (!guest->nfs) {
        guest->memory_lacking = true;
        return false;
    }
    nfs_connection_ports(guest->nfs, guest->port[0], guest->port[1]);
    INVARIANT(guest->nfs && !guest->verdict->off);
    return true;
}

static void rpcrdma_ulp_on_message(void *ctx, const struct rpcrdma_message *message)
{
    struct guest *guest = ctx;

    if (guest->taps->message)
        guest->taps->message(guest->ctx, message);
    if (carries_nfs(guest))
        nfs_connection_message(guest->nfs, message);
}

static void rpcrdma_ulp_on_move(void *ctx, const struct rpcrdma_move *move)
{
    struct guest *guest = ctx;

    if (guest->taps->move)
        guest->taps->move(guest->ctx, move);
    if (guest->nfs)
        nfs_connection_move(move);
}

static void rpcrdma_ulp_on_payload(void *ctx, const struct rpcrdma_payload *payload)
{
    struct guest *guest = ctx;

    if (guest->taps->payload)
        guest->taps->payload(guest->ctx, payload);
    if (carries_nfs(guest))
        nfs_connection_payload(guest->nfs, payload);
}

static void on_answered(void *ctx, struct rpcrdma_transaction *transaction)
{
    struct guest *guest = ctx;

    if (guest->nfs)
        nfs_connection_retired(guest->nfs, transaction);
}

static void rpcrdma_ulp_on_retired(void *ctx, struct rpcrdma_transaction *transaction)
{
    struct guest *guest = ctx;

    if (guest->taps->retired)
        guest->taps->retired(guest->ctx, transaction);
    if (guest->nfs)
        nfs_connection_retired(guest->nfs, transaction);
}

/* ---- from the transport ---- */

static void *rpcrdma_ulp_begin(const struct ulp_host *host)
{
    const struct rpcrdma_own *own = host->own;
    struct guest *guest = arena_zeroed(host->arena, sizeof *guest);
    struct rpcrdma_events events = {.ctx = guest,
                                    .message = rpcrdma_ulp_on_message,
                                    .move = rpcrdma_ulp_on_move,
                                    .only_offered = true,
                                    .payload = rpcrdma_ulp_on_payload,
                                    .answered = on_answered,
                                    .retired = rpcrdma_ulp_on_retired};

    if (!guest)
        return NULL;
    guest->taps = own && own->taps ? own->taps : &no_taps;
    guest->ctx = host->ctx;
    guest->verdict = host->verdict;
    guest->arena = host->arena;
    if (own)
        guest->options = own->options;
    guest->options.profile = host->options->profile;
    guest->options.t_react = host->options->t_react;
    guest->options.exclusive = host->options->exclusive;
    guest->options.payload_only = host->options->payload_only;
    guest->rpcrdma = rpcrdma_connection_new(&guest->options, &events, host->verdict, host->arena);
    return guest->rpcrdma ? guest : NULL;
}

static void ports(void *ctx, const uint16_t port[2])
{
    struct guest *guest = ctx;

    guest->port[0] = port[0];
    guest->port[1] = port[1];
    rpcrdma_connection_ports(guest->rpcrdma, port[0], port[1]);
    if (guest->nfs)
        nfs_connection_ports(guest->nfs, port[0], port[1]);
}

static void terms(void *guest, const struct rdma_terms *terms)
{
    rpcrdma_connection_terms(((struct guest *)guest)->rpcrdma, terms);
}

static void rpcrdma_ulp_private_data(void *guest, const struct rdma_private_data *data)
{
    rpcrdma_connection_private_data(((struct guest *)guest)->rpcrdma, data);
}

static bool part(void *ctx, const struct rdma_part *part)
{
    return rpcrdma_connection_part(((struct guest *)ctx)->rpcrdma, part);
}

static void refusal(void *guest, const struct rdma_refusal *refusal)
{
    rpcrdma_connection_refusal(((struct guest *)guest)->rpcrdma, refusal);
}

static void received(void *guest, unsigned side, uint64_t offset)
{
    rpcrdma_connection_received(((struct guest *)guest)->rpcrdma, side, offset);
}

static void missed(void *guest, unsigned side, uint64_t offset)
{
    rpcrdma_connection_missed(((struct guest *)guest)->rpcrdma, side, offset);
}

static void rpcrdma_ulp_doubt(void *guest, const struct rdma_copy *copy)
{
    rpcrdma_connection_doubt(((struct guest *)guest)->rpcrdma, copy);
}

static void skipped(void *guest, unsigned side)
{
    rpcrdma_connection_skipped(((struct guest *)guest)->rpcrdma, side);
}

static void lossy(void *guest)
{
    rpcrdma_connection_lossy(((struct guest *)guest)->rpcrdma);
}

static void closing(void *guest, const struct rdma_closing *closing)
{
    rpcrdma_connection_closing(((struct guest *)guest)->rpcrdma, closing);
}

static void rpcrdma_ulp_end(void *guest, unsigned side, bool reset, const struct place *place)
{
    rpcrdma_connection_end(((struct guest *)guest)->rpcrdma, side, reset, place);
}

static void rpcrdma_ulp_finish(void *ctx, int64_t time_ns)
{
    struct guest *guest = ctx;

    rpcrdma_connection_finish(guest->rpcrdma, time_ns);
    if (guest->nfs)
        nfs_connection_finish(guest->nfs);
}

static void rpcrdma_ulp_free_guest(void *ctx)
{
    struct guest *guest = ctx;

    rpcrdma_connection_free(guest->rpcrdma); /* first, because this call retires nfs's state in each transaction */
    nfs_connection_free(guest->nfs);
}

/* ---- queries ---- */

struct rpcrdma_connection *rpcrdma_ulp_connection(void *guest)
{
    return guest ? ((struct guest *)guest)->rpcrdma : NULL;
}

static bool owns(const void *guest)
{
    const struct rpcrdma_connection *rpcrdma = ((const struct guest *)guest)->rpcrdma;

    return rpcrdma_connection_is_announced(rpcrdma) || rpcrdma_connection_is_rpcrdma(rpcrdma);
}

static void *rpcrdma_ulp_record(void *ctx)
{
    struct guest *guest = ctx;
    struct rpcrdma_across_record *record = rpcrdma_connection_record(guest->rpcrdma);

    if (record && guest->nfs) {
        record->delegated = nfs_connection_delegated(guest->nfs, &record->delegations);
        record->recalled = nfs_connection_recalled(guest->nfs, &record->recalled_ns);
        record->objects = *nfs_connection_objects(guest->nfs);
        record->files = nfs_connection_files(guest->nfs);
        record->refusals = *nfs_connection_refusals(guest->nfs);
    }
    return record;
}

static bool lacks_memory(const void *ctx)
{
    const struct guest *guest = ctx;

    return guest->memory_lacking || rpcrdma_connection_lacks_memory(guest->rpcrdma);
}

static void restart_counts(void *guest)
{
    rpcrdma_connection_restart_counts(((struct guest *)guest)->rpcrdma);
}

/* ---- across connections ---- */

struct past {
    struct rpcrdma_across *calls;
    struct nfs_across *files;
};

static void rpcrdma_ulp_across_free(void *ctx)
{
    struct past *past = ctx;

    if (!past)
        return;
    rpcrdma_across_free(past->calls);
    nfs_across_free(past->files);
    free(past);
}

static void *across_begin(void)
{
    struct past *past = heap_zeroed(1, sizeof *past);

    if (!past)
        return NULL;
    past->calls = rpcrdma_across_new();
    past->files = nfs_across_new();
    if (past->calls && past->files)
        return past;
    rpcrdma_ulp_across_free(past);
    return NULL;
}

static void rpcrdma_ulp_asked(void *past, const struct addressed_segment *segment, bool tcp)
{
    rpcrdma_across_rpcbind(((struct past *)past)->calls, segment, tcp);
}

static void sought(void *past, int64_t now_ns, const struct ulp_sought_host *host)
{
    rpcrdma_across_sought(((struct past *)past)->calls, now_ns, host);
}

static void lived(void *ctx, const struct ulp_life *life)
{
    struct rpcrdma_across_record *record = ctx;

    record->endpoint[0] = life->endpoint[0];
    record->endpoint[1] = life->endpoint[1];
    record->start_ns = life->start_ns;
    record->end_ns = life->end_ns;
}

static bool rpcrdma_ulp_add(void *ctx, void *record, const struct ulp_across_host *host)
{
    struct rpcrdma_across_record *added = record;
    struct past *past = ctx;

    nfs_across_add(past->files, record, added->files);
    added->files = NULL;
    return rpcrdma_across_add(past->calls, record, host);
}

static void rpcrdma_ulp_conclude(void *ctx, const void *record, int64_t now_ns, const struct ulp_across_host *host)
{
    struct past *past = ctx;

    rpcrdma_across_conclude(past->calls, record, now_ns, host);
    nfs_across_conclude(past->files, record, host);
}

static void trim(void *ctx)
{
    struct past *past = ctx;

    rpcrdma_across_trim(past->calls);
    nfs_across_trim(past->files);
}

static void free_record(void *record)
{
    rpcrdma_across_record_free(record);
}

static const struct ulp_across across = {.begin = across_begin,
                                         .free = rpcrdma_ulp_across_free,
                                         .asked = rpcrdma_ulp_asked,
                                         .sought = sought,
                                         .lived = lived,
                                         .add = rpcrdma_ulp_add,
                                         .conclude = rpcrdma_ulp_conclude,
                                         .trim = trim,
                                         .free_record = free_record};

const struct ulp_kind rpcrdma_ulp = {.name = "rpcrdma",
                                     .title = "RPC-over-RDMA",
                                     .begin = rpcrdma_ulp_begin,
                                     .ports = ports,
                                     .terms = terms,
                                     .private_data = rpcrdma_ulp_private_data,
                                     .part = part,
                                     .refusal = refusal,
                                     .received = received,
                                     .missed = missed,
                                     .doubt = rpcrdma_ulp_doubt,
                                     .skipped = skipped,
                                     .lossy = lossy,
                                     .closing = closing,
                                     .end = rpcrdma_ulp_end,
                                     .finish = rpcrdma_ulp_finish,
                                     .free = rpcrdma_ulp_free_guest,
                                     .owns = owns,
                                     .record = rpcrdma_ulp_record,
                                     .across = &across,
                                     .lacks_memory = lacks_memory,
                                     .restart_counts = restart_counts};
