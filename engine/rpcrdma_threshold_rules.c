// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/rpcrdma_internal.h"

bool rpcrdma_threshold_new(struct rpcrdma_connection *rpcrdma)
{
    (void)rpcrdma;
    return true;
}

void rpcrdma_threshold_free(struct rpcrdma_connection *rpcrdma)
{
    (void)rpcrdma;
}

void rpcrdma_threshold_startup(struct rpcrdma_connection *rpcrdma, const struct mpa_startup_event *event,
                               enum rpcrdma_private_data_status status)
{
    (void)rpcrdma;
    (void)event;
    (void)status;
}

void rpcrdma_threshold_message(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *message)
{
    (void)rpcrdma;
    (void)message;
}

void rpcrdma_threshold_finish(struct rpcrdma_connection *rpcrdma, int64_t time_ns)
{
    (void)rpcrdma;
    (void)time_ns;
}
