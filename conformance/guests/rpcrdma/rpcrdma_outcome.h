/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The outcome of Calls for "What happened". */
#ifndef IWARP_CONFORMANCE_GUESTS_RPCRDMA_RPCRDMA_OUTCOME_H
#define IWARP_CONFORMANCE_GUESTS_RPCRDMA_RPCRDMA_OUTCOME_H

#include "conformance/trouble/facts.h"
#include "engine/rpcrdma/rpcrdma.h"

/* A Call to the server. */
void rpcrdma_outcome_call(struct trouble_facts *facts, const struct rpcrdma_payload *payload);
/* Its Reply. error: NULL: none; operation: the failed operation of a COMPOUND; NULL: the whole Call. */
void rpcrdma_outcome_reply(struct trouble_facts *facts, const struct rpcrdma_payload *payload,
                           const struct trouble_error *error, const struct nfs_operation *operation, const char *what);

/* The arguments of operation i, as far as they are in the payload; NULL: none. */
const uint8_t *rpcrdma_operation_arguments(const struct rpcrdma_body *body, unsigned i, uint64_t *n);
/* The offset of the operation's stateid in its arguments; false: it has none. */
bool rpcrdma_operation_stateid(uint32_t op, uint64_t *at);
/* A Call or Reply of either direction. */
void rpcrdma_state_payload(struct trouble_facts *facts, const struct rpcrdma_payload *payload);

/* The steps of a mount, as rpcrdma_outcome_call() and rpcrdma_outcome_reply(). */
void rpcrdma_mount_call(struct trouble_facts *facts, const struct rpcrdma_payload *payload);
void rpcrdma_mount_reply(struct trouble_facts *facts, const struct rpcrdma_payload *payload,
                         const struct trouble_error *error, const struct nfs_operation *operation, const char *what);

#endif
