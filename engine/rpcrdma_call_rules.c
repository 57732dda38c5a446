// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/rpcrdma_internal.h"

bool rpcrdma_chunk_new(struct rpcrdma_connection *rpcrdma)
{
    (void)rpcrdma;
    return true;
}

void rpcrdma_chunk_free(struct rpcrdma_connection *rpcrdma)
{
    (void)rpcrdma;
}

void rpcrdma_call_payload(struct rpcrdma_connection *rpcrdma, struct rpcrdma_transaction *transaction,
                          struct rpcrdma_message *message)
{
    (void)rpcrdma;
    (void)transaction;
    (void)message;
}
