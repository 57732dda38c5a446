/* SPDX-License-Identifier: GPL-2.0-or-later */
/* clang-format off */
/*
 * The headers of ONC RPC version 2 messages: RFC 5531 section 9; credentials of RPCSEC_GSS: RFC 2203 section 5.
 *
 * Call; the arguments follow:
 *
 *   0                   1                   2                   3
 *   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *  +---------------------------------------------------------------+
 *  |                              xid                              |
 *  +---------------------------------------------------------------+
 *  |                           CALL (0)                            |
 *  +---------------------------------------------------------------+
 *  |                          rpcvers (2)                          |
 *  +---------------------------------------------------------------+
 *  |                             prog                              |
 *  +---------------------------------------------------------------+
 *  |                             vers                              |
 *  +---------------------------------------------------------------+
 *  |                             proc                              |
 *  +---------------------------------------------------------------+
 *  /    cred: flavor, length of the body, body (at most 400)       /
 *  +---------------------------------------------------------------+
 *  /    verf: likewise                                             /
 *  +---------------------------------------------------------------+
 *
 * Reply; after SUCCESS the results follow:
 *
 *   0                   1                   2                   3
 *   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *  +---------------------------------------------------------------+
 *  |                              xid                              |
 *  +---------------------------------------------------------------+
 *  |                           REPLY (1)                           |
 *  +---------------------------------------------------------------+
 *  |              MSG_ACCEPTED (0) or MSG_DENIED (1)               |
 *  +---------------------------------------------------------------+
 *  /  accepted: verf, accept_stat; with PROG_MISMATCH low, high    /
 *  /  denied: RPC_MISMATCH (0), low, high                          /
 *  /          or AUTH_ERROR (1), auth_stat                         /
 *  +---------------------------------------------------------------+
 */
/* clang-format on */
#ifndef IWARP_WIRE_RPC_H
#define IWARP_WIRE_RPC_H

#include "wire/xdr.h"

enum {
    RPC_CALL = 0,
    RPC_REPLY = 1,
    RPC_VERSION = 2,
    RPC_AUTH_MAX = 400, /* octets of a credential or verifier body */
    RPC_CALL_MIN = 40,  /* a Call header without credential and verifier bodies */
    RPC_REPLY_MIN = 20, /* the shortest Reply: denied, AUTH_ERROR */
};

enum rpc_flavor { RPC_AUTH_NONE = 0, RPC_AUTH_SYS = 1, RPC_AUTH_SHORT = 2, RPC_AUTH_DH = 3, RPC_AUTH_GSS = 6 };
enum rpc_reply_stat { RPC_MSG_ACCEPTED = 0, RPC_MSG_DENIED = 1 };
enum rpc_accept_stat {
    RPC_SUCCESS = 0,
    RPC_PROG_UNAVAIL = 1,
    RPC_PROG_MISMATCH = 2,
    RPC_PROC_UNAVAIL = 3,
    RPC_GARBAGE_ARGS = 4,
    RPC_SYSTEM_ERR = 5,
};
enum rpc_reject_stat { RPC_MISMATCH = 0, RPC_AUTH_ERROR = 1 };
enum rpc_gss_proc { RPC_GSS_DATA = 0, RPC_GSS_INIT = 1, RPC_GSS_CONTINUE_INIT = 2, RPC_GSS_DESTROY = 3 };
enum rpc_gss_service { RPC_GSS_SVC_NONE = 1, RPC_GSS_SVC_INTEGRITY = 2, RPC_GSS_SVC_PRIVACY = 3 };

struct rpc_auth {
    uint32_t flavor;
    uint32_t at;     /* of the body's first octet, after its count word */
    uint32_t length; /* of the body */
};

enum rpc_status {
    RPC_OK,
    RPC_SHORT,     /* ends within the header */
    RPC_BAD_TYPE,  /* msg_type is neither CALL nor REPLY */
    RPC_BAD_VALUE, /* rpcvers is not 2, a body is above 400 octets, or a reply, accept or reject status is undefined */
};

struct rpc_message {
    enum rpc_status status;
    uint32_t fault_at; /* unless RPC_OK: offset of the wrong or missing word */
    uint32_t fault;    /* its value, if present */
    uint32_t xid, type;
    /* Call */
    uint32_t rpcvers, prog, vers, proc;
    struct rpc_auth cred, verf; /* verf: also of accepted Replies */
    bool has_gss;               /* cred is RPCSEC_GSS and its body was understood */
    uint32_t gss_version, gss_proc, gss_seq, gss_service;
    /* Reply */
    uint32_t reply_stat, accept_stat, reject_stat, auth_stat, low, high;
    /*
     * Length of the header: arguments or results begin there. Valid with RPC_OK; denied Replies have nothing after the
     * header.
     */
    uint32_t header_len;
};

/* Decodes p[0..n), which begins with the XID. Fields after the fault are zero. */
enum rpc_status rpc_decode(struct rpc_message *out, const uint8_t *p, size_t n);

/*
 * True when integrity or privacy protects arguments and results: service 2 or 3 in a DATA Call. RPCSEC_GSS control
 * Calls carry tokens instead, whatever their procedure.
 */
bool rpc_gss_protects(const struct rpc_message *call);

const char *rpc_accept_stat_name(uint32_t stat); /* "GARBAGE_ARGS", ..., "unknown" */

/* ---- encoders ---- */

/*
 * Fields are written as they are; cred and verf bodies are passed separately (NULL: AUTH_NONE, empty). A Reply is
 * written with type RPC_REPLY, whatever its field says.
 */
struct rpc_body {
    uint32_t flavor;
    const uint8_t *p;
    uint32_t n;
};
void rpc_call_encode(const struct rpc_message *call, const struct rpc_body *cred, const struct rpc_body *verf,
                     struct xdr_writer *w);
void rpc_reply_encode(const struct rpc_message *reply, const struct rpc_body *verf, struct xdr_writer *w);

#endif
