/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The NFS binding (RFC 8267) on one RPC-over-RDMA connection: takes the events of RPC-over-RDMA, returns verdicts. */
#ifndef IWARP_ENGINE_NFS_NFS_H
#define IWARP_ENGINE_NFS_NFS_H

#include "engine/rpcrdma/rpcrdma.h"
#include "engine/rpcrdma/rpcrdma_objects.h"

struct nfs_connection;

enum { NFS_DIFFERENCES_MAX = 8, NFS_CHANGES_MAX = 256 };

/* A READ that did not return what was written before it and committed. */
struct nfs_difference {
    uint64_t file;          /* hash of its handle */
    uint64_t offset;        /* in the file, of the first 512 octets that differ */
    int64_t shift;          /* how much later in the file the octets were written, in octets; 0: not found elsewhere */
    uint32_t written, read; /* frames of the Calls of WRITE and READ */
    struct place place;     /* of the Reply to READ */
    int64_t from_ns, to_ns; /* from the WRITE's Call to the READ's Reply */
};

/* When a file was changed, or may have been. */
struct nfs_change {
    uint64_t file; /* 0: any */
    int64_t from_ns, to_ns;
};

/* What a connection did to files. */
struct nfs_files {
    struct nfs_difference differences[NFS_DIFFERENCES_MAX]; /* the first */
    unsigned n_differences, n_changes;
    bool blind; /* from blind_ns on, any file may have been changed */
    int64_t blind_ns;
    struct nfs_change changes[];
};

enum { NFS_SHIFT_TEXT_SIZE = 96 };
/* ", shifted by 512 octets towards the end", or an empty text; returns text. */
const char *nfs_shift_text(const struct nfs_difference *difference, char text[NFS_SHIFT_TEXT_SIZE]);

/* rpcrdma and verdict are borrowed; arena may be NULL (arena_hold()). NULL when out of memory. */
struct nfs_connection *nfs_connection_new(const struct rpcrdma_options *options, struct rpcrdma_connection *rpcrdma,
                                          struct verdict *verdict, struct arena *arena);
/* Free it after rpcrdma, which retires its transactions when it is freed. */
void nfs_connection_free(struct nfs_connection *nfs);

/* TCP ports of both sides; 0: unknown. */
void nfs_connection_ports(struct nfs_connection *nfs, uint16_t port0, uint16_t port1);
/* The events of struct rpcrdma_events, handed on by the host. */
void nfs_connection_message(struct nfs_connection *nfs, const struct rpcrdma_message *message);
void nfs_connection_move(const struct rpcrdma_move *move);
void nfs_connection_payload(struct nfs_connection *nfs, const struct rpcrdma_payload *payload);
/* For the events `answered` and `retired`. */
void nfs_connection_retired(struct nfs_connection *nfs, struct rpcrdma_transaction *transaction);
void nfs_connection_finish(struct nfs_connection *nfs);
/* The client was granted recallable delegations on this connection; *left: how many it still holds. */
bool nfs_connection_delegated(const struct nfs_connection *nfs, unsigned *left);
const struct rpcrdma_across_objects *nfs_connection_objects(const struct nfs_connection *nfs);
const struct rpcrdma_across_refusals *nfs_connection_refusals(const struct nfs_connection *nfs);
/* Call it once, after nfs_connection_finish(). The caller owns the result and calls free(). NULL: no file changed. */
struct nfs_files *nfs_connection_files(struct nfs_connection *nfs);
/* CB_RECALL_SLOT was sent on this connection; *time_ns: the first time. */
bool nfs_connection_recalled(const struct nfs_connection *nfs, int64_t *time_ns);

#endif
