/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An NFS client for tests of the server: Calls in, Replies out, each Reply walked to its end. */
#ifndef IWARP_TESTS_UNIT_SUPPORT_NFS_CLIENT_H
#define IWARP_TESTS_UNIT_SUPPORT_NFS_CLIENT_H

#include "tests/unit/support/support.h"
#include "traffic-gen/ends/xdr_out.h"
#include "traffic-gen/nfs/server/nfs_server.h"
#include "wire/nfs.h"

struct nfs_client {
    struct nfs_tree *tree;
    struct nfs_server *server;
    struct nfs_peer *peer;
    int64_t clock_ns;
    uint32_t xid, uid; /* uid: of the caller; UINT32_MAX: AUTH_NONE */
    size_t room;
    struct xdr_out call;
    struct rpc_end_message reply;
    struct rpc_message header;
    struct xdr results;
};

void client_begin(struct nfs_client *client);
void client_end(struct nfs_client *client);

/* Begins a Call; the arguments are written to the stream that it gives. */
struct xdr_out *client_call(struct nfs_client *client, uint32_t program, uint32_t version, uint32_t number);

/* Sends what client_call() began. The accept_stat of the answer, results at hand. */
uint32_t client_send(struct nfs_client *client);
uint32_t client_u32(struct nfs_client *client);
uint64_t client_u64(struct nfs_client *client);

#endif
