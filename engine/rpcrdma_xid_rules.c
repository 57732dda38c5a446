// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/rpcrdma_internal.h"

bool rpcrdma_xid_new(struct rpcrdma_connection *rpcrdma)
{
    (void)rpcrdma;
    return true;
}

void rpcrdma_xid_free(struct rpcrdma_connection *rpcrdma)
{
    (void)rpcrdma;
}

void rpcrdma_xid_call(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *message,
                      struct rpcrdma_transaction *before)
{
    (void)rpcrdma;
    (void)message;
    (void)before;
}

void rpcrdma_xid_answer(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *message)
{
    (void)rpcrdma;
    (void)message;
}

void rpcrdma_xid_finish(struct rpcrdma_connection *rpcrdma, int64_t time_ns)
{
    (void)rpcrdma;
    (void)time_ns;
}
