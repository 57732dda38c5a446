/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compares octets that are read back from a file with those that were written. Private to nfs_readback.c, nfs_pages.c
 * and nfs_file_calls.c.
 */
#ifndef IWARP_ENGINE_NFS_NFS_READBACK_H
#define IWARP_ENGINE_NFS_NFS_READBACK_H

#include "engine/nfs/nfs_internal.h"

enum nfs_use_kind {
    NFS_USE_NONE,
    NFS_USE_READ,
    NFS_USE_WRITE,
    NFS_USE_COMMIT,
    NFS_USE_CHANGE,  /* of a file, by other means than a WRITE of known octets */
    NFS_USE_CREATE,  /* of a file whose handle is in the Reply: the file may be truncated */
    NFS_USE_UNKNOWN, /* what changes, and when, is unknown */
};

/* What a Call does with the contents of files. */
struct nfs_use {
    enum nfs_use_kind kind;
    uint64_t file; /* hash of its handle; 0: any */
    uint64_t offset, count;
    uint32_t op;                     /* of a COMPOUND */
    const struct rpcrdma_item *data; /* of a WRITE */
};

/* Called for a forward Call of NFS. */
struct nfs_use nfs_use_of(const struct rpcrdma_body *body);

/* The answer to a WRITE or COMMIT. */
struct nfs_written {
    uint64_t count; /* of a WRITE */
    bool stable;    /* of a WRITE */
    uint64_t verifier;
};
/* False: the Call did not succeed, or the Reply cannot be read. */
bool nfs_written_of(const struct rpcrdma_body *reply, const struct nfs_use *use, struct nfs_written *written);
/* The data of a READ that succeeded; NULL: the READ failed. */
const struct rpcrdma_item *nfs_data_read(const struct rpcrdma_body *reply, const struct nfs_use *use);
/* The handle that CREATE or OPEN has returned; 0: none. */
uint64_t nfs_file_created(const struct rpcrdma_body *reply);

/* ---- nfs_pages.c: what the latest WRITEs have written ---- */

enum {
    NFS_BLOCK = 512, /* octets per hash */
    NFS_PAGE_BLOCKS = 8,
    NFS_DATA_MAX =
        1
        << 20, /* octets of a READ or WRITE that are examined; a longer WRITE counts as an unknown change of its file */
    NFS_FILES = 256,  /* files that are told apart when one changes */
    NFS_COMMITS = 32, /* the latest */
};

/* A page holds the blocks of a single WRITE. */
struct nfs_page {
    uint64_t file, number;
    uint64_t replied; /* offset of the WRITE's Reply in its stream */
    uint64_t verifier;
    int64_t time_ns; /* of the WRITE's Call, and (replied_ns) of its Reply */
    uint32_t frame, reply_frame;
    uint32_t epoch;
    uint8_t known; /* blocks with a known hash, one bit each */
    bool stable;
    uint32_t hash[NFS_PAGE_BLOCKS];
};

struct nfs_commit {
    uint64_t file, from, to, verifier;
    uint32_t frame; /* of the Call */
};

/*
 * All zero at first; freed by nfs_pages_free(). Pages with the same index replace each other; findings are lost. The
 * index has small numbers, as the pages of few WRITEs would be scattered over it.
 */
struct nfs_pages {
    uint16_t *index; /* 1 + position in `page`; 0: no page. NULL: no WRITE was seen */
    struct nfs_page *page;
    unsigned n, room;
    uint32_t epoch, file_epoch[NFS_FILES];
    struct nfs_commit commits[NFS_COMMITS];
    unsigned n_commits; /* in total */
};

static inline const uint32_t *nfs_page_hash(const struct nfs_page *page, uint64_t block)
{
    return &page->hash[block % NFS_PAGE_BLOCKS];
}
void nfs_pages_free(struct nfs_pages *pages);
/* like: describes the WRITE whose page contains this block. */
void nfs_pages_keep(struct nfs_pages *pages, const struct nfs_page *like, uint64_t block, uint32_t hash);
void nfs_pages_commit(struct nfs_pages *pages, const struct nfs_commit *commit);
/* Forgets the octets that the use may change. */
void nfs_pages_forget(struct nfs_pages *pages, const struct nfs_use *use);
void nfs_pages_forget_all(struct nfs_pages *pages);
/* Whether anything is known about the octets that a READ asks for. */
bool nfs_pages_any(const struct nfs_pages *pages, const struct nfs_use *read);
/* The page of a block whose hash is known; NULL: unknown. */
const struct nfs_page *nfs_pages_find(const struct nfs_pages *pages, uint64_t file, uint64_t block);
bool nfs_pages_committed(const struct nfs_pages *pages, const struct nfs_page *page, uint64_t block);
/* The shift of the n blocks that were read, in blocks: they were written this much later in the file; 0: no shift. */
int64_t nfs_pages_shift(const struct nfs_pages *pages, uint64_t file, uint64_t block, const uint32_t *read, uint64_t n);

#endif
