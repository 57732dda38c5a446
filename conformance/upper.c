// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/upper.h"

void upper_init(struct upper *upper, const struct upper_host *host)
{
    *upper = (struct upper){.host = *host};
}

void upper_clear(struct upper *upper)
{
    rpcrdma_connection_free(upper->rpcrdma); /* retires what the binding keeps of transactions */
    nfs_connection_free(upper->nfs);
    upper->nfs = NULL;
    upper->rpcrdma = NULL;
}

/* ---- what the RPC-over-RDMA layer tells ---- */

/* Who opened the TCP connection stands for the Initiator, as in all other lines. */
static enum direction direction_of_side(const struct upper *upper, unsigned side)
{
    int initiator = mpa_connection_parameters(upper->host.mpa)->initiator_side;

    return (int)side == (initiator < 0 ? 0 : initiator) ? DIR_TO_RESPONDER : DIR_TO_INITIATOR;
}

/* The binding, made with the first message of RPC-over-RDMA; false: memory is lacking. */
static bool bound(struct upper *upper)
{
    if (upper->nfs != NULL || upper->memory_lacking)
        return upper->nfs != NULL;
    upper->nfs = nfs_connection_new(&upper->rpcrdma_options, upper->rpcrdma, upper->host.verdict);
    if (upper->nfs == NULL) {
        upper->memory_lacking = true;
        return false;
    }
    nfs_connection_ports(upper->nfs, upper->host.port[0], upper->host.port[1]);
    for (unsigned side = 0; side < 2; side++)
        if (upper->skipped[side])
            nfs_connection_skipped(upper->nfs, side);
    return true;
}

static void on_message(void *ctx, const struct rpcrdma_message *message)
{
    struct upper *upper = ctx;

    if (bound(upper))
        nfs_connection_message(upper->nfs, message);
    if (upper->host.notes != NULL)
        notes_rpcrdma(upper->host.notes, message);
    if (upper->host.print.out != NULL)
        print_rpcrdma(&upper->host.print, direction_of_side(upper, message->side), message);
}

static void on_payload(void *ctx, const struct rpcrdma_payload *payload)
{
    struct upper *upper = ctx;

    if (bound(upper))
        nfs_connection_payload(upper->nfs, payload);
    if (upper->host.print.out != NULL && !payload->reply && payload->transaction->call_header.proc == RPCRDMA_NOMSG)
        print_long_call(&upper->host.print, direction_of_side(upper, payload->place.side), payload);
}

static void on_retired(void *ctx, struct rpcrdma_transaction *transaction)
{
    struct upper *upper = ctx;

    if (upper->nfs != NULL)
        nfs_connection_retired(upper->nfs, transaction);
}

/* ---- life ---- */

static void make(struct upper *upper)
{
    const struct mpa_options *mpa = &upper->host.options->mpa;
    const struct rpcrdma_events events = {
        .ctx = upper, .message = on_message, .payload = on_payload, .retired = on_retired};

    upper->rpcrdma_options = (struct rpcrdma_options){
        .profile = mpa->profile, .assume_inline = upper->host.options->assume_inline, .t_react = mpa->t_react};
    upper->rpcrdma = rpcrdma_connection_new(&upper->rpcrdma_options, &events, upper->host.verdict);
    if (upper->rpcrdma == NULL) {
        upper->memory_lacking = true;
        return;
    }
    rpcrdma_connection_ports(upper->rpcrdma, upper->host.port[0], upper->host.port[1]);
    rpcrdma_connection_parameters(upper->rpcrdma, mpa_connection_phase(upper->host.mpa),
                                  mpa_connection_parameters(upper->host.mpa));
    for (unsigned side = 0; side < 2; side++)
        if (upper->skipped[side])
            upper_skipped(upper, side);
}

static bool ready(struct upper *upper)
{
    if (upper->rpcrdma == NULL && !upper->memory_lacking)
        make(upper);
    return upper->rpcrdma != NULL;
}

/* ---- what the layers below tell ---- */

void upper_startup(struct upper *upper, const struct mpa_startup_event *event)
{
    if (ready(upper))
        rpcrdma_connection_startup(upper->rpcrdma, event);
}

void upper_changed(struct upper *upper, enum mpa_phase phase, const struct mpa_parameters *parameters)
{
    if (upper->rpcrdma != NULL)
        rpcrdma_connection_parameters(upper->rpcrdma, phase, parameters);
}

void upper_segment(struct upper *upper, const struct rdmap_segment_event *event)
{
    if (ready(upper))
        rpcrdma_connection_segment(upper->rpcrdma, event);
}

void upper_terminate(struct upper *upper, const struct rdmap_terminate_event *event)
{
    if (ready(upper))
        rpcrdma_connection_terminate(upper->rpcrdma, event);
}

void upper_skipped(struct upper *upper, unsigned side)
{
    upper->skipped[side & 1u] = true;
    if (upper->rpcrdma == NULL)
        return;
    rpcrdma_connection_skipped(upper->rpcrdma, side);
    if (upper->nfs != NULL)
        nfs_connection_skipped(upper->nfs, side);
}

void upper_end(struct upper *upper, unsigned side, bool reset, const struct place *place)
{
    if (upper->rpcrdma == NULL)
        return;
    rpcrdma_connection_end(upper->rpcrdma, side, reset, place);
    if (upper->nfs != NULL)
        nfs_connection_end(upper->nfs, side, reset, place);
}

void upper_finish(struct upper *upper, int64_t time_ns)
{
    if (upper->rpcrdma == NULL)
        return;
    rpcrdma_connection_finish(upper->rpcrdma, time_ns);
    if (upper->nfs != NULL)
        nfs_connection_finish(upper->nfs, time_ns);
    upper->memory_lacking |= rpcrdma_connection_lacks_memory(upper->rpcrdma);
}

/* ---- the report ---- */

struct report_rpcrdma *upper_report(const struct upper *upper, unsigned initiator)
{
    const struct rpcrdma_counts *counts;
    struct report_rpcrdma *report;
    int client;

    if (upper->rpcrdma == NULL || !rpcrdma_connection_is_rpcrdma(upper->rpcrdma))
        return NULL;
    client = rpcrdma_connection_client(upper->rpcrdma);
    counts = rpcrdma_connection_counts(upper->rpcrdma);
    report = report_rpcrdma_new();
    report->calls_go = client < 0 ? DIR_UNKNOWN : (unsigned)client == initiator ? DIR_TO_RESPONDER : DIR_TO_INITIATOR;
    for (unsigned direction = 0; direction < 2; direction++) {
        unsigned sender = direction == DIR_TO_RESPONDER ? initiator : other_side(initiator);
        bool negotiated;

        report->threshold[direction] = rpcrdma_connection_threshold(upper->rpcrdma, sender, &negotiated);
    }
    for (unsigned i = 0; i < counts->n; i++)
        if (counts->procedures[i].calls > 0) /* none since the report of the part before */
            g_array_append_val(report->calls, counts->procedures[i]);
    report->other_calls = counts->other_calls;
    return report;
}

void upper_restart_counts(struct upper *upper)
{
    if (upper->rpcrdma != NULL)
        rpcrdma_connection_restart_counts(upper->rpcrdma);
}
