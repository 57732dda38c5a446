/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What connections did to files, so that what was read back is not held against a server when another one wrote. */
#ifndef IWARP_ENGINE_NFS_NFS_ACROSS_H
#define IWARP_ENGINE_NFS_NFS_ACROSS_H

#include "engine/nfs/nfs.h"
#include "engine/rdma/ulp_across.h"

enum { NFS_ACROSS_MAX = 1024 /* connections that changed files, the latest; each 6.7 KiB at most */ };

struct nfs_across;

/* NULL when memory is lacking. */
struct nfs_across *nfs_across_new(void);
void nfs_across_free(struct nfs_across *across);
/* files: taken over, NULL: none. record: by which nfs_across_conclude() will name the connection. */
void nfs_across_add(struct nfs_across *across, const void *record, struct nfs_files *files);
/* Once all connections so far were added: what its READs returned, unless another connection explains that. */
void nfs_across_conclude(struct nfs_across *across, const void *record, const struct ulp_across_host *host);
/* Of the oldest beyond the bound only the time of the last change is kept; all records may be freed. */
void nfs_across_trim(struct nfs_across *across);

#endif
