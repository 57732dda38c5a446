/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Octets that are read back from a file against those that were written: private to nfs_readback.c and
 * nfs_file_calls.c.
 */
#ifndef IWARP_ENGINE_NFS_NFS_READBACK_H
#define IWARP_ENGINE_NFS_NFS_READBACK_H

#include "engine/nfs/nfs_internal.h"

enum nfs_use_kind {
    NFS_USE_NONE,
    NFS_USE_READ,
    NFS_USE_WRITE,
    NFS_USE_COMMIT,
    NFS_USE_CHANGE,  /* of a file, in another way than by a WRITE of known octets */
    NFS_USE_CREATE,  /* of a file whose handle the Reply tells: it may be truncated */
    NFS_USE_UNKNOWN, /* what it changes, and when, cannot be known */
};

/* What a Call does with the contents of files. */
struct nfs_use {
    enum nfs_use_kind kind;
    uint64_t file; /* hash of its handle; 0: any */
    uint64_t offset, count;
    uint32_t op;                     /* of a COMPOUND */
    const struct rpcrdma_item *data; /* of a WRITE */
};

/* A forward Call of NFS. */
struct nfs_use nfs_use_of(const struct rpcrdma_body *body);

/* The answer to a WRITE or COMMIT. */
struct nfs_written {
    uint64_t count; /* of a WRITE */
    bool stable;    /* of a WRITE */
    uint64_t verifier;
};
/* False: it did not succeed, or cannot be read. */
bool nfs_written_of(const struct rpcrdma_body *reply, const struct nfs_use *use, struct nfs_written *written);
/* The data of a READ that succeeded; NULL: it did not. */
const struct rpcrdma_item *nfs_data_read(const struct rpcrdma_body *reply, const struct nfs_use *use);
/* The handle that CREATE or OPEN has returned; 0: none. */
uint64_t nfs_file_created(const struct rpcrdma_body *reply);

#endif
