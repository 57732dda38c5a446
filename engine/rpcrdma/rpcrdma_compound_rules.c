// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Decides whether the results of a COMPOUND can be compared with its operations; nfs_compound_results() compares them.
 */
#include "engine/rpcrdma/rpcrdma_shape.h"

static void on_pass(void *shape, enum rule_id rule)
{
    rpcrdma_shape_pass(shape, rule);
}

static void on_fail(void *shape, enum rule_id rule, enum rule_severity severity, const char *format, va_list args)
{
    rpcrdma_shape_vfail(shape, rule, severity, format, args);
}

bool rpcrdma_compound_results(struct rpcrdma_shape *shape)
{
    const struct rpcrdma_body *call = &shape->t->open->call_body, *body = shape->body;
    struct nfs_compound compound = {.call = rpcrdma_decoded(call),
                                    .reply = rpcrdma_decoded(body),
                                    .call_walk = &call->walk,
                                    .reply_walk = &body->walk,
                                    .reply_sound = body->reduction != RPCRDMA_REDUCED_NONE,
                                    .failed = shape->failed,
                                    .ctx = shape,
                                    .pass = on_pass,
                                    .fail = on_fail};

    if (!body->walked || !body->procedure || !body->procedure->compound || body->cut || call->cut || !call->walked ||
        (call->reduction == RPCRDMA_REDUCED_NONE && shape->t->first_write > 0) ||
        call->reduction == RPCRDMA_REDUCED_RECOUNT)
        return true; /* what the Read chunks removed is uncertain, and so are the operations */
    return nfs_compound_results(&compound);
}
