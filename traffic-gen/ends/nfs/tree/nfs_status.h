/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nfsstat, nfsstat3 and nfsstat4 as in wire/nfs_types.txt: enum nfs4_status, NFS4_OK, NFS4ERR_NOENT ..., and their
 * names.
 */
#ifndef IWARP_TRAFFIC_ENDS_NFS_TREE_NFS_STATUS_H
#define IWARP_TRAFFIC_ENDS_NFS_TREE_NFS_STATUS_H

#include "nfs_statuses.h" /* generated */

#include <stdbool.h>
#include <stdint.h>

/* "STALE", "BADSESSION"; "an error" if the name is unknown. Static. */
const char *nfs_status_name(uint32_t status);
/* False: unknown name. */
bool nfs_status_find(const char *name, uint32_t *status);

#endif
