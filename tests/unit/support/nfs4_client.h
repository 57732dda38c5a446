/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An NFSv4 client for tests of the server: makes COMPOUNDs operation by operation and walks every octet of the Replies.
 */
#ifndef IWARP_TESTS_UNIT_SUPPORT_NFS4_CLIENT_H
#define IWARP_TESTS_UNIT_SUPPORT_NFS4_CLIENT_H

#include "tests/unit/support/support.h"
#include "traffic-gen/ends/nfs_fields.h"
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
    struct nfs_results fields; /* of v4_ask() that succeeded */
    /* State. */
    const char *owner; /* of opens */
    uint64_t verifier, confirm;
    struct v4_stateid to; /* the second one of COPY, CLONE */
    bool in_turn;         /* v4_ask() gets as many stateids as it has use for */
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

/* ---- by names ---- */

/*
 * Asks for operations as in struct nfs_options.ops, after SEQUENCE in minor versions that have it, unless words begin
 * with "!". "/NAME" stands for PUTROOTFH and LOOKUP, "/" for PUTROOTFH. Fields that words do not set: those of
 * *stateid (NULL: anonymous), of the client and its session, and the seqid of the open-owner, which it uses up.
 */
uint32_t v4_ask(struct v4_client *t, const struct v4_stateid *stateid, const char *words, ...) G_GNUC_PRINTF(3, 4);
/* The same with the contents of data, attrs, value. */
uint32_t v4_ask_with(struct v4_client *t, const struct v4_stateid *stateid, const void *p, uint32_t n,
                     const char *words, ...) G_GNUC_PRINTF(5, 6);
/* Of the results: the last field, item, and the first stateid. */
uint64_t v4_number(const struct v4_client *t, const char *name);
const uint8_t *v4_octets(const struct v4_client *t, const char *name, uint32_t *n);
struct v4_stateid v4_stateid_of(const struct v4_client *t);
/* The values of GETATTR. */
struct xdr v4_attributes(const struct v4_client *t);
uint32_t v4_get_u32(struct xdr *x);
uint64_t v4_get_u64(struct xdr *x);
/* SEQUENCE alone. */
#define v4_nothing(t) v4_ask(t, NULL, "%s", "")

/* ---- octet by octet ---- */

void v4_compound(struct v4_client *t);
/* Words, and an operation with the words that come first in its arguments. */
#define v4_put(t, ...) v4_put_words(t, (const uint32_t[]){__VA_ARGS__}, ARRAY_LENGTH(((uint32_t[]){__VA_ARGS__})))
#define v4_op(t, ...)  ((t)->count++, v4_put(t, __VA_ARGS__))
void v4_put_words(struct v4_client *t, const uint32_t *words, size_t n);
void v4_stateid_put(struct v4_client *t, const struct v4_stateid *stateid);

/* A COMPOUND with what has to come first in this minor version. */
void v4_start(struct v4_client *t);
/* And that makes the root the current file. */
void v4_start_root(struct v4_client *t);

/* ---- sending ---- */

uint32_t v4_deliver(struct v4_client *t, const struct rpc_end_message *call);
void v4_finish(struct v4_client *t, struct rpc_end_message *call);
uint32_t v4_send(struct v4_client *t);

/* ---- clients ---- */

uint32_t v4_exchange_id(struct v4_client *t, const char *name, uint64_t verifier, uint32_t flags);
uint32_t v4_create_session(struct v4_client *t, uint32_t sequence, bool back);
void v4_setclientid(struct v4_client *t, const char *name, uint64_t verifier);

/* Whatever this minor version needs before files can be opened. */
void v4_mount(struct v4_client *t, const char *name, bool back);

/* ---- operations ---- */

void v4_root(struct v4_client *t);
void v4_lookup(struct v4_client *t, const char *name);

/* Opens a file in the root directory and, if it must be, confirms it; create: UNCHECKED4 with mode 0644. */
uint32_t v4_open(struct v4_client *t, const char *owner, const char *name, uint32_t share, uint32_t deny, bool create,
                 struct v4_stateid *stateid);
uint32_t v4_close(struct v4_client *t, const char *name, const struct v4_stateid *stateid);
uint32_t v4_write(struct v4_client *t, const char *name, const struct v4_stateid *stateid, uint64_t offset,
                  const void *p, uint32_t n);
uint32_t v4_read(struct v4_client *t, const char *name, const struct v4_stateid *stateid, uint64_t offset,
                 uint32_t count);

#endif
