// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/rpcrdma/flow.h"

#include <epan/wmem_scopes.h>

static wmem_map_t *flows; /* connection -> struct rpcrdma_flow; emptied with the file */
/* Nobody asks here how often a rule passed: all connections count into one place. */
static struct rule_count counts[RULE_COUNT];

struct rpcrdma_flow *rpcrdma_flow_find(uint32_t connection)
{
    return wmem_map_lookup(flows, GUINT_TO_POINTER(connection));
}

struct kept_segment *rpcrdma_flow_segment(const struct rpcrdma_flow *flow, const struct place *place)
{
    return wmem_map_lookup(flow->segments[place->side & 1u], &place->offset);
}

static struct kept_segment *first_of_frame(const struct rpcrdma_flow *flow, uint32_t frame)
{
    return wmem_map_lookup(flow->frames, GUINT_TO_POINTER(frame));
}

static void segment_new(struct rpcrdma_flow *flow, const struct place *place)
{
    struct kept_segment *segment = rpcrdma_flow_segment(flow, place);

    if (segment != NULL)
        return;
    segment = wmem_new0(wmem_file_scope(), struct kept_segment);
    segment->offset = place->offset;
    segment->frame = place->frame;
    segment->last_remark = &segment->remarks;
    wmem_map_insert(flow->segments[place->side & 1u], &segment->offset, segment);
    if (first_of_frame(flow, place->frame) == NULL)
        wmem_map_insert(flow->frames, GUINT_TO_POINTER(place->frame), segment);
}

/* ---- what the engine tells ---- */

static void on_message(void *ctx, const struct rpcrdma_message *message)
{
    struct rpcrdma_flow *flow = ctx;

    rpcrdma_record_message(flow, message);
    nfs_connection_message(flow->nfs, message);
}

static void on_move(void *ctx, const struct rpcrdma_move *move)
{
    rpcrdma_record_move(ctx, move);
}

static void on_payload(void *ctx, const struct rpcrdma_payload *payload)
{
    struct rpcrdma_flow *flow = ctx;

    rpcrdma_record_payload(payload);
    nfs_connection_payload(flow->nfs, payload);
}

static void on_retired(void *ctx, struct rpcrdma_transaction *transaction)
{
    struct rpcrdma_flow *flow = ctx;

    nfs_connection_retired(flow->nfs, transaction);
    transaction->host = NULL;
}

/*
 * A finding belongs to the frame where iwarp-check reports it: to the segment there that it is about, else to the first
 * one. Frames without any (a FIN) are not ours to draw.
 */
static void on_finding(void *ctx, const struct finding *finding)
{
    struct rpcrdma_flow *flow = ctx;
    struct kept_segment *segment = rpcrdma_flow_segment(flow, &finding->place);
    struct kept_remark *remark;

    if (segment == NULL || segment->frame != finding->place.frame)
        segment = first_of_frame(flow, finding->place.frame);
    if (segment == NULL)
        return;
    remark = wmem_new0(wmem_file_scope(), struct kept_remark);
    remark->rule = finding->rule;
    remark->severity = finding->severity;
    remark->related_frame = finding->related_frame;
    remark->message = wmem_strdup(wmem_file_scope(), finding->message);
    *segment->last_remark = remark;
    segment->last_remark = &remark->next;
}

/* ---- what the ddp_rdmap plugin tells ---- */

static void note_startup(struct rpcrdma_flow *flow, const struct mpa_startup_event *event)
{
    struct kept_startup *startup = &flow->startup[event->frame.kind];

    if (startup->frame != 0)
        return;
    startup->frame = event->place.frame;
    if (event->frame.private_data != NULL)
        startup->told = rpcrdma_private_data_find(&startup->data, event->frame.private_data, event->frame.pd_length) ==
                        RPCRDMA_PD_OK;
    if (!startup->told)
        startup->data =
            (struct rpcrdma_private_data){.send_size = RPCRDMA_INLINE_DEFAULT, .receive_size = RPCRDMA_INLINE_DEFAULT};
}

static void on_startup(void *ctx, const struct mpa_startup_event *event)
{
    struct rpcrdma_flow *flow = ctx;

    segment_new(flow, &event->place);
    note_startup(flow, event);
    rpcrdma_connection_startup(flow->rpcrdma, event);
}

static void on_changed(void *ctx, enum mpa_phase phase, const struct mpa_parameters *parameters)
{
    struct rpcrdma_flow *flow = ctx;

    rpcrdma_connection_parameters(flow->rpcrdma, phase, parameters);
}

static void on_segment(void *ctx, const struct rdmap_segment_event *event)
{
    struct rpcrdma_flow *flow = ctx;

    /* Tagged segments are no matter of a connection that nothing has told to be one of RPC-over-RDMA. */
    if (!event->fpdu->ddp.tagged || rpcrdma_connection_is_told(flow->rpcrdma) ||
        rpcrdma_connection_is_rpcrdma(flow->rpcrdma))
        segment_new(flow, &event->fpdu->place);
    rpcrdma_connection_segment(flow->rpcrdma, event);
}

static void on_terminate(void *ctx, const struct rdmap_terminate_event *event)
{
    struct rpcrdma_flow *flow = ctx;

    segment_new(flow, &event->fpdu->place);
    rpcrdma_connection_terminate(flow->rpcrdma, event);
}

static void on_skipped(void *ctx, unsigned side)
{
    struct rpcrdma_flow *flow = ctx;

    rpcrdma_connection_skipped(flow->rpcrdma, side);
    nfs_connection_skipped(flow->nfs, side);
}

static void on_end(void *ctx, unsigned side, bool reset, const struct place *place)
{
    struct rpcrdma_flow *flow = ctx;

    rpcrdma_connection_end(flow->rpcrdma, side, reset, place);
    nfs_connection_end(flow->nfs, side, reset, place);
}

static void on_finish(void *ctx, int64_t time_ns)
{
    struct rpcrdma_flow *flow = ctx;

    rpcrdma_connection_finish(flow->rpcrdma, time_ns);
    nfs_connection_finish(flow->nfs, time_ns);
    rpcrdma_record_finish(flow);
}

/* ---- life ---- */

/* Transactions are retired on the way, of which the NFS binding may have memory to give back. */
static compat_bool release(wmem_allocator_t *allocator, wmem_cb_event_t event, void *ctx)
{
    struct rpcrdma_flow *flow = ctx;

    (void)allocator;
    (void)event;
    rpcrdma_connection_free(flow->rpcrdma);
    nfs_connection_free(flow->nfs);
    flow->nfs = NULL;
    flow->rpcrdma = NULL;
    return 0;
}

bool rpcrdma_flow_listen(struct rdmap_listener *listener, bool always)
{
    struct rpcrdma_flow *flow = wmem_new0(wmem_file_scope(), struct rpcrdma_flow);
    struct rpcrdma_options options = {.profile = PROFILE_IETF, .payload_only = true, .always = always};
    struct rpcrdma_events events = {
        .ctx = flow, .message = on_message, .move = on_move, .payload = on_payload, .retired = on_retired};

    flow->connection = listener->connection;
    flow->frames = wmem_map_new(wmem_file_scope(), g_direct_hash, g_direct_equal);
    flow->operations = wmem_map_new(wmem_file_scope(), g_int64_hash, g_int64_equal);
    for (unsigned side = 0; side < 2; side++)
        flow->segments[side] = wmem_map_new(wmem_file_scope(), g_int64_hash, g_int64_equal);
    flow->verdict.counts = counts;
    flow->verdict.finding = on_finding;
    flow->verdict.ctx = flow;
    flow->rpcrdma = rpcrdma_connection_new(&options, &events, &flow->verdict);
    if (flow->rpcrdma == NULL)
        return false;
    flow->nfs = nfs_connection_new(&options, flow->rpcrdma, &flow->verdict);
    if (flow->nfs == NULL) {
        rpcrdma_connection_free(flow->rpcrdma);
        return false;
    }
    wmem_register_callback(wmem_file_scope(), release, flow);
    wmem_map_insert(flows, GUINT_TO_POINTER(flow->connection), flow);
    rpcrdma_connection_ports(flow->rpcrdma, listener->port[0], listener->port[1]);
    nfs_connection_ports(flow->nfs, listener->port[0], listener->port[1]);
    listener->ctx = flow;
    listener->knows = &flow->recognised;
    listener->startup = on_startup;
    listener->changed = on_changed;
    listener->segment = on_segment;
    listener->terminate = on_terminate;
    listener->skipped = on_skipped;
    listener->end = on_end;
    listener->finish = on_finish;
    return true;
}

void rpcrdma_flow_register(void)
{
    flows = wmem_map_new_autoreset(wmem_epan_scope(), wmem_file_scope(), g_direct_hash, g_direct_equal);
}
