/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Headers of the Calls and Replies of the stack's ends, by the encoders of wire/rpc.h and wire/rpcrdma.h. */
#ifndef IWARP_TRAFFIC_ENDS_RPC_HEADER_H
#define IWARP_TRAFFIC_ENDS_RPC_HEADER_H

#include "traffic-gen/ends/xdr_out.h"
#include "wire/rpc.h"

/* AUTH_SYS (RFC 5531 appendix A), with machine name "iwarp-gen" and no other groups. */
struct rpc_caller {
    uint32_t uid, gid;
};

/* Appends the header of a Call: of call->xid, prog, vers and proc. caller NULL: AUTH_NONE. */
void rpc_call_header(struct xdr_out *out, const struct rpc_message *call, const struct rpc_caller *caller);

/* Makes out the header of a Reply; drops what it has. */
void rpc_reply_header(struct xdr_out *out, const struct rpc_message *reply);

enum { RPC_NULL_SEND = 68 };
/* A Send of an RDMA_MSG without chunks that holds a NULL Call of NFS version 3 with AUTH_NONE. */
void rpc_null_send(uint8_t out[RPC_NULL_SEND], uint32_t xid);

#endif
