// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/ends/stack/rpc_header.h"

#include "wire/nfs.h"
#include "wire/rpcrdma.h"

enum { BODY_MAX = 64, HEADER_MAX = 128, CREDITS = 8 };

static struct rpc_body credential(const struct rpc_caller *caller, uint8_t octets[BODY_MAX])
{
    static const char machine[] = "iwarp-gen";
    struct xdr_writer w = {.p = octets, .size = BODY_MAX};

    xdr_put_u32(&w, 0); /* stamp */
    xdr_put_opaque(&w, machine, sizeof machine - 1);
    xdr_put_u32(&w, caller->uid);
    xdr_put_u32(&w, caller->gid);
    xdr_put_u32(&w, 0); /* no other groups */
    return (struct rpc_body){.flavor = RPC_AUTH_SYS, .p = octets, .n = (uint32_t)w.at};
}

static void header_encode(const struct rpc_message *call, const struct rpc_body *cred, struct xdr_writer *w)
{
    struct rpc_message header = *call;

    header.type = RPC_CALL;
    header.rpcvers = RPC_VERSION;
    rpc_call_encode(&header, cred, NULL, w);
}

void rpc_call_header(struct xdr_out *out, const struct rpc_message *call, const struct rpc_caller *caller)
{
    uint8_t body[BODY_MAX], octets[HEADER_MAX];
    struct xdr_writer w = {.p = octets, .size = sizeof octets};
    struct rpc_body cred;

    if (caller)
        cred = credential(caller, body);
    header_encode(call, caller ? &cred : NULL, &w);
    xdr_out_fixed(out, octets, w.at);
}

void rpc_reply_header(struct xdr_out *out, const struct rpc_message *reply)
{
    uint8_t octets[HEADER_MAX];
    struct xdr_writer w = {.p = octets, .size = sizeof octets};

    rpc_reply_encode(reply, NULL, &w);
    xdr_out_cut(out, 0);
    xdr_out_fixed(out, octets, w.at);
}

char *rpc_reply_open(const uint8_t *p, size_t n, uint32_t xid, struct xdr *x)
{
    struct rpc_message header;

    if (rpc_decode(&header, p, n) != RPC_OK || header.type != RPC_REPLY || header.xid != xid)
        return g_strdup("expected the Reply to the Call; found something else");
    if (header.reply_stat != RPC_MSG_ACCEPTED)
        return g_strdup_printf("the server rejected the Call: %s",
                               header.reject_stat == RPC_MISMATCH ? "RPC_MISMATCH" : "AUTH_ERROR");
    if (header.accept_stat != RPC_SUCCESS)
        return g_strdup_printf("the server answered %s", rpc_accept_stat_name(header.accept_stat));
    *x = xdr_begin(p, n);
    x->at = header.header_len;
    return NULL;
}

void rpc_null_send(uint8_t out[RPC_NULL_SEND], uint32_t xid)
{
    const struct rpcrdma_plan plan = {.xid = xid, .vers = RPCRDMA_VERSION, .credit = CREDITS, .proc = RPCRDMA_MSG};
    const struct rpc_message call = {.xid = xid, .prog = NFS_PROGRAM, .vers = 3};
    struct xdr_writer w = {.p = out, .size = RPC_NULL_SEND};

    rpcrdma_header_encode(&plan, &w);
    header_encode(&call, NULL, &w);
}
