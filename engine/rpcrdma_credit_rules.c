// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/rpcrdma_internal.h"

bool rpcrdma_credit_new(struct rpcrdma_connection *rpcrdma)
{
    (void)rpcrdma;
    return true;
}

void rpcrdma_credit_free(struct rpcrdma_connection *rpcrdma)
{
    (void)rpcrdma;
}

void rpcrdma_credit_call(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *message)
{
    (void)rpcrdma;
    (void)message;
}

void rpcrdma_credit_answer(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *message)
{
    (void)rpcrdma;
    (void)message;
}

void rpcrdma_credit_skipped(struct rpcrdma_connection *rpcrdma, unsigned side)
{
    (void)rpcrdma;
    (void)side;
}
