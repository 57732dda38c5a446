/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A client of every version for tests of the NFS server: Calls with the names of wire/nfs_types.txt, and each Reply is
 * walked to its end.
 */
#ifndef IWARP_TESTS_UNIT_SUPPORT_NFS_CALLER_H
#define IWARP_TESTS_UNIT_SUPPORT_NFS_CALLER_H

#include "tests/unit/support/support.h"
#include "traffic-gen/ends/nfs/server/nfs_server.h"
#include "traffic-gen/ends/stack/nfs_fields.h"
#include "wire/nfs.h"

enum { CALLER_STATEID = 16, CALLER_REFUSED = 2000 };

struct caller_server {
    struct nfs_tree *tree;
    struct nfs_server *server;
    int64_t now;
};

void caller_server_begin(struct caller_server *on);
void caller_server_end(struct caller_server *on);

/*
 * A field with other octets, or another number, than in the template. "state" and "to" are whole stateids; with several
 * "state", each operation with a stateid takes the next, and later ones take the last.
 */
struct caller_value {
    const char *name;
    struct nfs_given given;
};

/* One connection, and from version 4 on one client with its session. */
struct nfs_caller {
    struct caller_server *on;
    struct nfs_peer *peer;
    /* Settings. */
    unsigned minor;
    uint32_t uid;  /* UINT32_MAX: AUTH_NONE */
    uint32_t room; /* as for nfs_server_call() */
    uint32_t cache;
    uint32_t slot;              /* the last sequence id of slot 0 */
    uint32_t seqid, lock_seqid; /* the next ones of the open-owner and the lock-owner, minor version 0 */
    uint32_t xid;
    /* Values that the server has chosen. */
    uint64_t client;
    uint8_t session[16], confirm[8];
    /* The Reply. */
    struct rpc_message header;
    struct rpc_end_message reply;
    unsigned n_ops;
    uint32_t status, last_op;
    struct nfs_results fields;
    /* Callbacks of the server: how many, and the last one. */
    unsigned calls;
    struct rpc_end_message called;
    uint64_t cookie;
};

void caller_begin(struct nfs_caller *t, struct caller_server *on, unsigned minor, bool backchannel);
void caller_end(struct nfs_caller *t);
/* On another connection that carries callbacks. */
void caller_reconnect(struct nfs_caller *t);

/* The header of a Call; the test appends the arguments. */
void caller_call(struct nfs_caller *t, uint32_t program, uint32_t version, uint32_t number, struct xdr_out *out);
/* The status of the appended Call; CALLER_REFUSED and the accept_stat when it was not executed. */
uint32_t caller_send(struct nfs_caller *t, struct xdr_out *out);

/*
 * A whole Call, with results in t->fields: a procedure with parameters ("nfs3.lookup:file"), or the operations of a
 * COMPOUND as in struct nfs_options.ops, after SEQUENCE in minor versions that have it, unless they begin with "!".
 * "/NAME" stands for PUTROOTFH and LOOKUP, "/" for PUTROOTFH.
 */
uint32_t caller_ask(struct nfs_caller *t, const char *words, const struct caller_value *values, unsigned n);

/* Everything that this minor version needs before files can be opened; name: of the client. */
void caller_mount(struct nfs_caller *t, const char *name, bool backchannel);
/*
 * Opens a file in the root directory and confirms it if necessary; owner: 4 octets; create: UNCHECKED4 with mode 0644.
 */
uint32_t caller_open(struct nfs_caller *t, const char *owner, const char *name, uint32_t share, uint32_t deny,
                     bool create);

/* Answers the last callback, which the walker must know; statuses of CB_SEQUENCE, and of CB_RECALL. */
void caller_answer(struct nfs_caller *t, uint32_t sequence, uint32_t recall);
/* csa_sequenceid of the last callback; 0: it is CB_NULL. */
uint32_t caller_called_sequence(const struct nfs_caller *t);

#endif
