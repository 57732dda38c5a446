/* SPDX-License-Identifier: GPL-2.0-or-later */
/* RPC-over-RDMA, with the NFS binding on top of it, as a guest of an RDMA connection (engine/rdma/ulp.h). */
#ifndef IWARP_ENGINE_STACK_RPCRDMA_ULP_H
#define IWARP_ENGINE_STACK_RPCRDMA_ULP_H

#include "engine/rdma/ulp.h"
#include "engine/rpcrdma/rpcrdma.h"

extern const struct ulp_kind rpcrdma_ulp;

/*
 * Events that the host wants to see, called with the ctx of its other taps; each may be NULL. A tap is called before
 * the NFS binding sees the event. Meanings: struct rpcrdma_events.
 */
struct rpcrdma_taps {
    void (*message)(void *ctx, const struct rpcrdma_message *message);
    void (*move)(void *ctx, const struct rpcrdma_move *move);
    void (*payload)(void *ctx, const struct rpcrdma_payload *payload);
    void (*retired)(void *ctx, struct rpcrdma_transaction *transaction);
};

/* struct ulp_own. Profile, t_react and payload_only are those of struct ulp_options. */
struct rpcrdma_own {
    struct rpcrdma_options options;
    const struct rpcrdma_taps *taps; /* NULL: none */
};

/* The guest's RPC-over-RDMA connection; NULL if guest is NULL. */
struct rpcrdma_connection *rpcrdma_ulp_connection(void *guest);

#endif
