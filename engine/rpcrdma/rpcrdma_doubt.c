// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A packet was sent twice, with different octets, and which of them its receiver has taken is not known. What was
 * decoded of the first one proves nothing of the Calls that it belongs to.
 */
#include "engine/rpcrdma/rpcrdma_internal.h"

/* `reply`: its reply's octets; else the Call's. */
static void doubt_doubt(struct rpcrdma_transaction *t, bool reply)
{
    struct rpcrdma_buffers *buffers = rpcrdma_buffers_of(t);

    t->damaged = true;
    if (!buffers)
        return;
    rpcrdma_body_of(t, reply)->cut = true;
    buffers->content[reply].cut = true;
}

/* The Send that the packet is a part of: the first one that ends there or later. */
static void doubt_call(struct rpcrdma_connection *rpcrdma, const struct rdma_copy *copy)
{
    for (struct rpcrdma_transaction *t = NULL; (t = rpcrdma_next_outstanding(rpcrdma, copy->place.side, t));) {
        if (t->call.offset < copy->place.offset)
            continue;
        doubt_doubt(t, false);
        return;
    }
}

/* Most packets of a Write do not name the memory that they go to: any of what was written may be concerned. */
static void doubt_written(struct rpcrdma_connection *rpcrdma, unsigned caller)
{
    for (struct rpcrdma_transaction *t = NULL; (t = rpcrdma_next_outstanding(rpcrdma, caller, t));)
        if (t->open->octets_written > 0)
            doubt_doubt(t, true);
}

static void doubt_read(struct rpcrdma_connection *rpcrdma, const struct rdma_copy *copy)
{
    for (struct rpcrdma_offer *o = rpcrdma_offers_of(rpcrdma, copy->place.side, copy->handle); o;
         o = rpcrdma_offers_next(o))
        if (o->kind == RPCRDMA_READ_CHUNK && o->transaction->outcome == RPCRDMA_OUTSTANDING)
            doubt_doubt(o->transaction, false);
}

void rpcrdma_connection_doubt(struct rpcrdma_connection *rpcrdma, const struct rdma_copy *copy)
{
    if (rpcrdma->finished || rpcrdma->recognised != RPCRDMA_YES || copy->taken)
        return;
    if (copy->kind == RDMA_SEND)
        doubt_call(rpcrdma, copy);
    else if (copy->kind == RDMA_WRITE)
        doubt_written(rpcrdma, other_side(copy->place.side));
    else if (copy->kind == RDMA_READ_RESPONSE)
        doubt_read(rpcrdma, copy);
}
