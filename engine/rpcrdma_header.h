/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a Transport header may have been meant to be, when it cannot be read as RFC 8166 section 4.1 has it. */
#ifndef IWARP_ENGINE_RPCRDMA_HEADER_H
#define IWARP_ENGINE_RPCRDMA_HEADER_H

#include "engine/rpcrdma_internal.h"

struct rpcrdma_diagnosis {
    enum rule_id rule;
    const char *expected, *found; /* for the finding's text */
};

/*
 * A Send of RDMA_MSG or RDMA_NOMSG whose lists cannot be read, or behind whose lists there is no RPC message with its
 * XID. True when one other reading makes sense of it to its end.
 */
bool rpcrdma_header_diagnose(const struct rpcrdma_message *message, struct rpcrdma_diagnosis *diagnosis);

/* The XID is where the lists end, as far as one can see: they were read as they were meant. */
bool rpcrdma_header_xid_follows(const struct rpcrdma_message *message);
/* The lists can be read, yet hardly say what was meant. */
bool rpcrdma_header_suspicious(const struct rpcrdma_message *message);

#endif
