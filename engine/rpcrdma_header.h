/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a Transport header may have been meant to be, when it cannot be read as RFC 8166 section 4.1 has it. */
#ifndef IWARP_ENGINE_RPCRDMA_HEADER_H
#define IWARP_ENGINE_RPCRDMA_HEADER_H

#include "engine/rpcrdma_internal.h"

struct rpcrdma_diagnosis {
    enum rule_id rule;
    const char *expected, *found; /* for the finding's text */
};

/* ---- rpcrdma_header_diagnose.c ---- */

/*
 * A Send of RDMA_MSG or RDMA_NOMSG whose lists cannot be read, or behind whose lists there is no RPC message with its
 * XID. True when one other reading makes sense of it to its end.
 */
bool rpcrdma_header_diagnose(const struct rpcrdma_message *message, struct rpcrdma_diagnosis *diagnosis);
/* A Read list that can be read, but is rather another. */
bool rpcrdma_header_suspicious(const struct rpcrdma_message *message);
/* The XID is where the lists end, as far as one can see: they were read as they were meant. */
bool rpcrdma_header_xid_follows(const struct rpcrdma_message *message);
/* The fixed words make sense in another order only: there in that of the standard. */
bool rpcrdma_header_disordered(const struct rpcrdma_message *message, uint32_t words[4]);

/* ---- rpcrdma_header_shapes.c ---- */

/* An RPC message with this XID begins at p[at]. */
bool rpcrdma_rpc_at(const struct rpcrdma_message *message, uint64_t at, uint32_t xid);
/* The lists, read by the standard, end where they should under fixed words that mean this. */
bool rpcrdma_shape_standard(const struct rpcrdma_message *message, uint32_t xid, uint32_t proc);
bool rpcrdma_shape_write_list_first(const struct rpcrdma_message *message);
/* The first of the known mistakes that explains the lists. */
bool rpcrdma_shape_find(const struct rpcrdma_message *message, enum rule_id *rule, const char **found);
const char *rpcrdma_shape_expected(enum rule_id rule);

#endif
