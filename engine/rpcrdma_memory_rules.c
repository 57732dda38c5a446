// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/rpcrdma_internal.h"

bool rpcrdma_memory_new(struct rpcrdma_connection *rpcrdma)
{
    (void)rpcrdma;
    return true;
}

void rpcrdma_memory_free(struct rpcrdma_connection *rpcrdma)
{
    (void)rpcrdma;
}

void rpcrdma_memory_call(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *message)
{
    (void)rpcrdma;
    (void)message;
}

void rpcrdma_memory_move(struct rpcrdma_connection *rpcrdma, struct rpcrdma_move *move)
{
    (void)rpcrdma;
    (void)move;
}

void rpcrdma_memory_answer(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *message)
{
    (void)rpcrdma;
    (void)message;
}

void rpcrdma_memory_terminate(struct rpcrdma_connection *rpcrdma, const struct rdmap_terminate_event *event)
{
    (void)rpcrdma;
    (void)event;
}
