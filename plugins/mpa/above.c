// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Gives the events and findings of a connection's stack to the layers that record them. The layers above MPA begin with
 * the first event that only occurs with RDMA, because a hostile capture can contain any number of connections.
 */
#include "plugins/ddp_rdmap/rdmap_plugin.h"
#include "plugins/mpa/flow.h"
#include "plugins/rpcrdma/rpcrdma_plugin.h"
#include "plugins/ulp/ulp_plugin.h"

/* False: DDP is switched off. */
static bool above_begin(struct mpa_flow *flow)
{
    struct connection *connection = &flow->connection;

    if (flow->layers->last == STACK_MPA)
        return false;
    if (connection->rdmap)
        return true;
    rdmap_flow_begin(connection);
    if (flow->layers->own)
        rpcrdma_flow_begin(connection, NULL);
    return true;
}

static void above_give_startup(void *ctx, const struct mpa_startup_event *event)
{
    struct mpa_flow *flow = ctx;

    mpa_flow_on_startup(flow, event);
    if (above_begin(flow) && flow->connection.rpcrdma)
        rpcrdma_flow_on_startup(flow->connection.rpcrdma, event);
}

static void above_give_fpdu(void *ctx, const struct mpa_fpdu_event *event)
{
    struct mpa_flow *flow = ctx;

    mpa_flow_on_fpdu(flow, event);
    if (above_begin(flow))
        rdmap_flow_on_fpdu(flow->connection.rdmap, event);
}

static void above_give_segment(void *ctx, const struct rdmap_segment_event *event)
{
    struct connection *connection = ctx;

    rdmap_flow_on_segment(connection->rdmap, event);
    if (connection->rpcrdma)
        rpcrdma_flow_on_segment(connection->rpcrdma, event);
}

static void above_give_operation(void *ctx, const struct rdmap_operation *operation, const struct place *place)
{
    struct connection *connection = ctx;

    rdmap_flow_on_operation(connection->rdmap, operation, place);
}

static void above_give_terminate(void *ctx, const struct rdmap_terminate_event *event)
{
    struct connection *connection = ctx;

    rdmap_flow_on_terminate(connection->rdmap, event);
    if (connection->rpcrdma)
        rpcrdma_flow_on_terminate(connection->rpcrdma, event);
}

const struct stack_taps mpa_above_taps = {.tcp_segment = mpa_flow_on_segment,
                                          .hole = mpa_flow_on_hole,
                                          .conflict = mpa_flow_on_conflict,
                                          .startup = above_give_startup,
                                          .fpdu = above_give_fpdu,
                                          .skipped = mpa_flow_on_skipped,
                                          .changed = mpa_flow_on_changed,
                                          .segment = above_give_segment,
                                          .operation = above_give_operation,
                                          .terminate = above_give_terminate,
                                          .said = ulp_plugin_on_said};

/* To the layer that has the rule. */
void mpa_above_on_finding(void *ctx, const struct finding *finding)
{
    const char *layer = rule_catalogue[finding->rule].layer;
    struct mpa_flow *flow = ctx;

    if (strcmp(layer, "mpa") == 0)
        judge_take(&flow->judge, finding);
    else if (!above_begin(flow))
        return;
    else if (strcmp(layer, "ddp") == 0 || strcmp(layer, "rdmap") == 0)
        judge_take(&flow->connection.rdmap->judge, finding);
    else if (flow->connection.rpcrdma)
        judge_take(&flow->connection.rpcrdma->judge, finding);
}
