/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What all connections did to files, so that a server is not blamed for another connection's writes. */
#ifndef IWARP_ENGINE_NFS_NFS_ACROSS_H
#define IWARP_ENGINE_NFS_NFS_ACROSS_H

#include "engine/nfs/nfs.h"
#include "engine/rdma/ulp_across.h"

enum { NFS_ACROSS_MAX = 1024 /* the latest connections that changed files; each takes at most 6.7 KiB */ };

struct nfs_across;

/* NULL when out of memory. */
struct nfs_across *nfs_across_new(void);
void nfs_across_free(struct nfs_across *across);
/* files: taken over; NULL: none. record: identifies the connection for nfs_across_conclude(). */
void nfs_across_add(struct nfs_across *across, const void *record, struct nfs_files *files);
/*
 * Reports what the connection's READs returned, unless another connection explains the difference. Call it after all
 * connections so far have been added.
 */
void nfs_across_conclude(struct nfs_across *across, const void *record, const struct ulp_across_host *host);
/* Drops the oldest entries above the bound except for the time of their last change. All records may then be freed. */
void nfs_across_trim(struct nfs_across *across);

#endif
