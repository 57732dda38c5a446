/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An NFSv4 client for tests of the server: makes COMPOUNDs operation by operation and walks every octet of the Replies.
 */
#ifndef IWARP_TESTS_UNIT_SUPPORT_NFS4_CLIENT_H
#define IWARP_TESTS_UNIT_SUPPORT_NFS4_CLIENT_H

#include "tests/unit/support/support.h"
#include "traffic-gen/ends/xdr_out.h"
#include "traffic-gen/nfs/server/nfs_server.h"
#include "wire/nfs.h"

enum { V4_OPS_MAX = 128, V4_SLOTS = 8 };

struct v4_server {
    struct nfs_tree *tree;
    struct nfs_server *server;
    int64_t now;
};

struct v4_stateid {
    uint32_t seqid;
    uint8_t other[12];
};

/* One connection, and one client with its session. */
struct v4_client {
    struct v4_server *on;
    struct nfs_peer *peer;
    unsigned minor;
    uint32_t xid, uid;
    size_t room;
    /* The COMPOUND that is being made. */
    struct xdr_out out;
    size_t count_at;
    unsigned count;
    /* The Reply. */
    struct rpc_end_message reply;
    uint32_t status;
    unsigned n_results;
    struct nfs_operation results[V4_OPS_MAX];
    /* State. */
    uint64_t client;
    uint8_t session[16];
    uint32_t sequences[V4_SLOTS];
    bool cache;
    uint32_t seqid; /* of the one open-owner of minor version 0 */
    /* Callbacks of the server: the last one. */
    struct rpc_end_message called;
    uint64_t cookie;
    unsigned calls;
};

extern const struct v4_stateid v4_anonymous;
void v4_server_begin(struct v4_server *on);
void v4_server_end(struct v4_server *on);
void v4_called(void *ctx, const struct rpc_end_message *message, uint64_t cookie);
void v4_begin(struct v4_client *t, struct v4_server *on, unsigned minor, bool backchannel);
void v4_end(struct v4_client *t);

/* ---- making ---- */

void v4_compound(struct v4_client *t);
/* Words, and an operation with the words that come first in its arguments. */
#define v4_put(t, ...) v4_put_words(t, (const uint32_t[]){__VA_ARGS__}, ARRAY_LENGTH(((uint32_t[]){__VA_ARGS__})))
#define v4_op(t, ...)  ((t)->count++, v4_put(t, __VA_ARGS__))
void v4_put_words(struct v4_client *t, const uint32_t *words, size_t n);
void v4_u64(struct v4_client *t, uint64_t v);
void v4_text(struct v4_client *t, const char *text);
void v4_stateid_put(struct v4_client *t, const struct v4_stateid *stateid);
void v4_sequence_on(struct v4_client *t, uint32_t slot, uint32_t sequence);

/* A COMPOUND with what has to come first in this minor version. */
void v4_start(struct v4_client *t);
/* And that makes the root the current file, or a file in it. */
void v4_start_root(struct v4_client *t);
void v4_start_on(struct v4_client *t, const char *name);

/* ---- sending ---- */

uint32_t v4_deliver(struct v4_client *t, const struct rpc_end_message *call);
void v4_finish(struct v4_client *t, struct rpc_end_message *call);
uint32_t v4_send(struct v4_client *t);

/* The result of an operation after its status. */
struct xdr v4_result(const struct v4_client *t, unsigned index);
uint32_t v4_get_u32(struct xdr *x);
uint64_t v4_get_u64(struct xdr *x);
struct v4_stateid v4_stateid_get(struct xdr *x);

/* Operations by their index from the first one after SEQUENCE. */
struct xdr v4_nth(const struct v4_client *t, unsigned index);

/* ---- clients ---- */

void v4_channel(struct v4_client *t, uint32_t request, uint32_t response, uint32_t cached, uint32_t ops,
                uint32_t requests);
uint32_t v4_exchange_id(struct v4_client *t, const char *name, uint64_t verifier, uint32_t flags);
uint32_t v4_create_session(struct v4_client *t, uint32_t sequence, bool back);
void v4_setclientid(struct v4_client *t, const char *name, uint64_t verifier);

/* Whatever this minor version needs before files can be opened. */
void v4_mount(struct v4_client *t, const char *name, bool back);

/* ---- operations ---- */

void v4_root(struct v4_client *t);
void v4_lookup(struct v4_client *t, const char *name);

/* A file in the root directory; create: UNCHECKED4 with mode 0644. */
void v4_open_put(struct v4_client *t, const char *owner, const char *name, uint32_t share, uint32_t deny, bool create);

/* Opens and, if it must be, confirms; the file handle goes to *handle if that is not NULL. */
uint32_t v4_open(struct v4_client *t, const char *owner, const char *name, uint32_t share, uint32_t deny, bool create,
                 struct v4_stateid *stateid);
uint32_t v4_close(struct v4_client *t, const char *name, const struct v4_stateid *stateid);
uint32_t v4_write(struct v4_client *t, const char *name, const struct v4_stateid *stateid, uint64_t offset,
                  const void *p, uint32_t n);
uint32_t v4_read(struct v4_client *t, const char *name, const struct v4_stateid *stateid, uint64_t offset,
                 uint32_t count);

#endif
