/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An NFS client for tests of the server: Calls in, Replies out, each Reply walked to its end. */
#ifndef IWARP_TESTS_UNIT_SUPPORT_NFS_CLIENT_H
#define IWARP_TESTS_UNIT_SUPPORT_NFS_CLIENT_H

#include "tests/unit/support/support.h"
#include "traffic-gen/ends/nfs_fields.h"
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
    struct nfs_results fields; /* of client_ask() */
    /* Arguments of client_ask(), if they are to be others: the second handle; data, text of a link; verifiers. */
    const void *to, *data;
    uint32_t n_data;
    uint64_t verifier;
};

void client_begin(struct nfs_client *client);
void client_end(struct nfs_client *client);

/* Begins a Call; the arguments are written to the stream that it gives. */
struct xdr_out *client_call(struct nfs_client *client, uint32_t program, uint32_t version, uint32_t number);

/* Sends what client_call() began. The accept_stat of the answer, results at hand. */
uint32_t client_send(struct nfs_client *client);

/*
 * A whole Call by the names of wire/nfs_types.txt: "nfs3.read", with a handle (32 octets in version 2, else 16; NULL:
 * none) and its parameters (printf). The status, 0 where the procedure has none; it is accepted.
 */
uint32_t client_ask(struct nfs_client *client, const char *procedure, const void *handle, const char *words, ...)
    G_GNUC_PRINTF(4, 5);
#define client_plain(client, procedure, handle) client_ask(client, procedure, handle, "%s", "")
/* Of its results. */
uint64_t client_number(const struct nfs_client *client, const char *name);
const uint8_t *client_octets(const struct nfs_client *client, const char *name, uint32_t *n);
/* How many fields of that name there are. */
unsigned client_count(const struct nfs_client *client, const char *name);

#endif
