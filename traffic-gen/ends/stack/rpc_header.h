/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Headers of Calls and Replies, built with the encoders of wire/rpc.h and wire/rpcrdma.h. */
#ifndef IWARP_TRAFFIC_ENDS_STACK_RPC_HEADER_H
#define IWARP_TRAFFIC_ENDS_STACK_RPC_HEADER_H

#include "traffic-gen/ends/stack/xdr_out.h"
#include "wire/rpc.h"

/* AUTH_SYS (RFC 5531 appendix A), with machine name "iwarp-gen" and no other groups. */
struct rpc_caller {
    uint32_t uid, gid;
};

/* Appends the header of a Call from call->xid, prog, vers and proc. caller NULL: AUTH_NONE. */
void rpc_call_header(struct xdr_out *out, const struct rpc_message *call, const struct rpc_caller *caller);

/* Writes the header of a Reply instead of everything in `out`. */
void rpc_reply_header(struct xdr_out *out, const struct rpc_message *reply);

/*
 * Finds the results in the Reply p[0..n) to the Call with this XID: NULL, with *x at the results; else why there are
 * none, for g_free().
 */
char *rpc_reply_open(const uint8_t *p, size_t n, uint32_t xid, struct xdr *x);

enum { RPC_NULL_SEND = 68 };
/* A Send with an RDMA_MSG without chunks: a NULL Call of NFS version 3 with AUTH_NONE. */
void rpc_null_send(uint8_t out[RPC_NULL_SEND], uint32_t xid);

#endif
