/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a Transport header was probably meant to be if it cannot be read as in RFC 8166 section 4.1. */
#ifndef IWARP_ENGINE_RPCRDMA_RPCRDMA_HEADER_H
#define IWARP_ENGINE_RPCRDMA_RPCRDMA_HEADER_H

#include "engine/rpcrdma/rpcrdma_internal.h"

struct rpcrdma_diagnosis {
    enum rule_id rule;
    const char *expected, *found; /* for the finding's text */
};

/* ---- rpcrdma_header_diagnose.c ---- */

/*
 * For an RDMA_MSG or RDMA_NOMSG whose lists cannot be read, or are not followed by an RPC message with the same XID.
 * True if another reading explains the header to its end.
 */
bool rpcrdma_header_diagnose(const struct rpcrdma_message *message, struct rpcrdma_diagnosis *diagnosis);
/* The Read list can be read, but is more likely another list. */
bool rpcrdma_header_suspicious(const struct rpcrdma_message *message);
/* The XID follows the lists, as far as can be seen: the lists were read as they were meant. */
bool rpcrdma_header_xid_follows(const struct rpcrdma_message *message);
/* The fixed words are valid only in another order; words[] receives them in the standard's order. */
bool rpcrdma_header_disordered(const struct rpcrdma_message *message, uint32_t words[4]);

/* ---- rpcrdma_header_shapes.c ---- */

/* An RPC message with this XID begins at p[at]. */
bool rpcrdma_rpc_at(const struct rpcrdma_message *message, uint64_t at, uint32_t xid);
/* The lists, read according to the standard, end where they should with this XID and rdma_proc. */
bool rpcrdma_shape_standard(const struct rpcrdma_message *message, uint32_t xid, uint32_t proc);
bool rpcrdma_shape_write_list_first(const struct rpcrdma_message *message);
/* The first of the known mistakes that explains the lists. */
bool rpcrdma_shape_find(const struct rpcrdma_message *message, enum rule_id *rule, const char **found);
const char *rpcrdma_shape_expected(enum rule_id rule);

#endif
