// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A packet was sent twice, with different octets, and it is unknown which copy the receiver took. The contents decoded
 * from the first copy prove nothing about the Calls to which they belong.
 */
#include "engine/rpcrdma/rpcrdma_internal.h"
#include "wire/invariant.h"

/* `reply`: the octets of the Reply; else those of the Call. */
static void rpcrdma_doubt_message(struct rpcrdma_transaction *t, bool reply)
{
    struct rpcrdma_buffers *buffers = rpcrdma_buffers_of(t);

    rpcrdma_damage(t);
    t->recalled |= !reply;
    if (!buffers)
        return;
    rpcrdma_body_of(t, reply)->cut = true;
    buffers->content[reply].cut = true;
    INVARIANT(t->damage != RPCRDMA_WHOLE && rpcrdma_transaction_is_sound(t));
}

/* The packet is part of the first Send that ends at its offset or later. */
static void doubt_call(struct rpcrdma_connection *rpcrdma, const struct rdma_copy *copy)
{
    for (struct rpcrdma_transaction *t = NULL; (t = rpcrdma_next_outstanding(rpcrdma, copy->place.side, t));) {
        if (t->call.offset < copy->place.offset)
            continue;
        rpcrdma_doubt_message(t, false);
        return;
    }
}

/* Most packets of a Write do not name their memory: any octets that were written may be affected. */
static void doubt_written(struct rpcrdma_connection *rpcrdma, unsigned caller)
{
    for (struct rpcrdma_transaction *t = NULL; (t = rpcrdma_next_outstanding(rpcrdma, caller, t));)
        if (t->open->octets_written > 0)
            rpcrdma_doubt_message(t, true);
}

static void doubt_read(struct rpcrdma_connection *rpcrdma, const struct rdma_copy *copy)
{
    for (struct rpcrdma_offer *o = rpcrdma_offers_of(rpcrdma, copy->place.side, copy->handle); o;
         o = rpcrdma_offers_next(o))
        if (o->kind == RPCRDMA_READ_CHUNK && rpcrdma_waits(o->transaction))
            rpcrdma_doubt_message(o->transaction, false);
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
