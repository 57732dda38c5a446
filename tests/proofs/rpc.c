// SPDX-License-Identifier: GPL-2.0-or-later
/* wire/rpc.c: RFC 5531 section 9, RFC 2203 section 5. */
#include "wire/rpc.h"

#include "tests/proofs/proof.h"

enum { MOST = 64 }; /* a Call with a credential of 20 octets, RPCSEC_GSS with an empty handle, and a short verifier */

/* Fields of a decoded header are inside; the header ends inside. */
void proof_rpc_decode(void)
{
    struct rpc_message message;
    size_t n = any_size_to(MOST);
    const uint8_t *p = any_octets_to(n, MOST);
    enum rpc_status status = rpc_decode(&message, p, n);

    CLAIM(status == message.status);
    CLAIM((status == RPC_OK) == (message.header_len > 0));
    CLAIM(message.header_len <= n && message.header_len % 4 == 0);
    CLAIM(IMPLIES(status != RPC_OK, message.fault_at <= n));
    CLAIM(IMPLIES(status == RPC_OK, message.type <= RPC_REPLY));
    CLAIM(IMPLIES(status == RPC_OK && message.type == RPC_CALL, message.header_len >= RPC_CALL_MIN));
    CLAIM(IMPLIES(status == RPC_OK && message.type == RPC_REPLY, message.header_len >= RPC_REPLY_MIN));
    CLAIM(message.cred.length <= RPC_AUTH_MAX && message.verf.length <= RPC_AUTH_MAX);
    CLAIM((size_t)message.cred.at + message.cred.length <= n && (size_t)message.verf.at + message.verf.length <= n);
    CLAIM(IMPLIES(message.has_gss, message.cred.flavor == RPC_AUTH_GSS && message.cred.length >= 20));
    CLAIM(IMPLIES(rpc_gss_protects(&message), message.has_gss));
    CLAIM(rpc_accept_stat_name(message.accept_stat) != NULL);
    FALSE_CLAIM(status == RPC_OK);
    FALSE_CLAIM(!message.has_gss);
    FALSE_CLAIM(message.header_len <= RPC_CALL_MIN);
}

/* A Call that is written is read again; one encoding only, so its octets need no second look. */
void proof_rpc_call_encode(void)
{
    struct rpc_message call = {.xid = any_u32(),
                               .type = RPC_CALL,
                               .rpcvers = RPC_VERSION,
                               .prog = any_u32(),
                               .vers = any_u32(),
                               .proc = any_u32()},
                       read;
    const struct rpc_body cred = {any_u32(), any_octets(12), (uint32_t)any_size_to(12)};
    uint8_t out[RPC_CALL_MIN + 12];
    struct xdr_writer w = {.p = out, .size = sizeof out};

    rpc_call_encode(&call, &cred, NULL, &w);
    CLAIM(!w.failed);
    CLAIM(rpc_decode(&read, w.p, w.at) == RPC_OK && read.header_len == w.at);
    CLAIM(read.xid == call.xid && read.prog == call.prog && read.vers == call.vers && read.proc == call.proc);
    CLAIM(read.cred.flavor == cred.flavor && read.cred.length == cred.n && read.verf.length == 0);
    FALSE_CLAIM(read.cred.length % 4 == 0);
}

void proof_rpc_reply_encode(void)
{
    struct rpc_message reply = {.xid = any_u32(),
                                .reply_stat = any_bool(),
                                .accept_stat = (uint32_t)any_size_to(RPC_SYSTEM_ERR),
                                .reject_stat = any_bool(),
                                .auth_stat = any_u32(),
                                .low = any_u32(),
                                .high = any_u32()},
                       read;
    uint8_t out[32];
    struct xdr_writer w = {.p = out, .size = sizeof out};

    rpc_reply_encode(&reply, NULL, &w);
    CLAIM(!w.failed);
    CLAIM(rpc_decode(&read, w.p, w.at) == RPC_OK && read.header_len == w.at && read.type == RPC_REPLY);
    CLAIM(read.xid == reply.xid && read.reply_stat == reply.reply_stat);
    if (read.reply_stat == RPC_MSG_ACCEPTED)
        CLAIM(read.accept_stat == reply.accept_stat);
    else
        CLAIM(read.reject_stat == reply.reject_stat);
    CLAIM(IMPLIES(read.reply_stat == RPC_MSG_DENIED && read.reject_stat == RPC_MISMATCH,
                  read.low == reply.low && read.high == reply.high));
    FALSE_CLAIM(read.reply_stat == RPC_MSG_ACCEPTED);
    FALSE_CLAIM(read.high == 0);
}
