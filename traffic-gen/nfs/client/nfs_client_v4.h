/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IWARP_TRAFFIC_NFS_CLIENT_NFS_CLIENT_V4_H
#define IWARP_TRAFFIC_NFS_CLIENT_NFS_CLIENT_V4_H

#include "traffic-gen/nfs/client/nfs_client_internal.h"

enum { V4_CALLBACK_PROGRAM = 0x40000000 };

/* Operations without a name in wire/nfs.h. */
enum {
    V4_OP_CLOSE = 4,
    V4_OP_COMMIT = 5,
    V4_OP_DELEGRETURN = 8,
    V4_OP_GETFH = 10,
    V4_OP_LOOKUP = 15,
    V4_OP_OPEN_CONFIRM = 20,
    V4_OP_SAVEFH = 32,
    V4_OP_SETCLIENTID_CONFIRM = 36,
    V4_OP_DESTROY_CLIENTID = 57,
    V4_OP_RECLAIM_COMPLETE = 58,
};

/* Begins a COMPOUND, with SEQUENCE if the minor version has it; plain: without. */
void v4_begin(struct nfs_client *client, const struct client_step *step, struct xdr_out *out);
void v4_begin_plain(struct nfs_client *client, struct xdr_out *out);
void v4_op(struct nfs_client *client, struct xdr_out *out, uint32_t op);

/* True: on with the next result. */
bool v4_get_begin(struct nfs_client *client, const struct client_step *step, struct xdr *x,
                  struct client_answer *answer);
bool v4_get_begin_plain(struct xdr *x, struct client_answer *answer);
bool v4_get_op(struct xdr *x, uint32_t op, struct client_answer *answer);

/* SEQUENCE if the version has it, and the handle that the rest is about; op: the first operation on it, too. */
void v4_begin_on(struct nfs_client *client, const struct client_step *step, struct xdr_out *out);
void v4_begin_op(struct nfs_client *client, const struct client_step *step, struct xdr_out *out, uint32_t op);
bool v4_get_begin_on(struct nfs_client *client, const struct client_step *step, struct xdr *x,
                     struct client_answer *answer);
bool v4_get_begin_op(struct nfs_client *client, const struct client_step *step, struct xdr *x, uint32_t op,
                     struct client_answer *answer);
void v4_put_mode(struct xdr_out *out, uint32_t mode);            /* fattr4: the mode alone */
void v4_get_handle(struct xdr *x, struct client_answer *answer); /* GETFH */
void v4_get_bitmap(struct xdr *x, uint32_t words[2]);            /* bitmap4: its first two words */
enum { V4_REPLY_OCTETS = 200 };                                  /* headers and results around data */

/* ---- delegations and callbacks: nfs_client_callback.c ---- */

bool v4_holds_delegations(const struct nfs_client *client);
/* open_delegation4; true: there is one, to be kept by v4_keep_delegation() when its file's handle is known. */
bool v4_get_delegation(struct xdr *x, uint8_t stateid[16]);
void v4_keep_delegation(struct nfs_client *client, const uint8_t stateid[16], const struct client_handle *handle);
/* After SEQUENCE: returns those that were recalled. */
void v4_put_returns(struct nfs_client *client, const struct client_step *step, struct xdr_out *out);
bool v4_get_returns(struct nfs_client *client, const struct client_step *step, struct xdr *x,
                    struct client_answer *answer);

#define V4_RPC(name)                                                                                                   \
    CLIENT_PUT(v4_put_##name);                                                                                         \
    CLIENT_GET(v4_get_##name);
V4_RPC(setclientid)
V4_RPC(exchange_id)
V4_RPC(create_session)
V4_RPC(reclaim_complete)
V4_RPC(return )
V4_RPC(open_confirm)
V4_RPC(close)
V4_RPC(read)
V4_RPC(write)
V4_RPC(commit)
V4_RPC(readlink)
#undef V4_RPC
CLIENT_PUT(v4_put_confirm);
CLIENT_PUT(v4_put_destroy_session);
CLIENT_PUT(v4_put_destroy_client);
CLIENT_GET(v4_get_done_plain); /* its status alone */
CLIENT_PUT(v4_put_create);
CLIENT_PUT(v4_put_open_file);
CLIENT_GET(v4_get_open);

#endif
