// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/rpcrdma_internal.h"

bool rpcrdma_reaction_new(struct rpcrdma_connection *rpcrdma)
{
    (void)rpcrdma;
    return true;
}

void rpcrdma_reaction_free(struct rpcrdma_connection *rpcrdma)
{
    (void)rpcrdma;
}

void rpcrdma_reaction_message(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *message)
{
    (void)rpcrdma;
    (void)message;
}

void rpcrdma_reaction_move(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_move *move)
{
    (void)rpcrdma;
    (void)move;
}

void rpcrdma_reaction_terminate(struct rpcrdma_connection *rpcrdma, const struct rdmap_terminate_event *event)
{
    (void)rpcrdma;
    (void)event;
}

void rpcrdma_reaction_skipped(struct rpcrdma_connection *rpcrdma, unsigned side)
{
    (void)rpcrdma;
    (void)side;
}

void rpcrdma_reaction_end(struct rpcrdma_connection *rpcrdma, unsigned side, bool reset, const struct place *place)
{
    (void)rpcrdma;
    (void)side;
    (void)reset;
    (void)place;
}

void rpcrdma_reaction_finish(struct rpcrdma_connection *rpcrdma, int64_t time_ns)
{
    (void)rpcrdma;
    (void)time_ns;
}
