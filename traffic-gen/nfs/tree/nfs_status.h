/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The names of nfsstat, nfsstat3 and nfsstat4: a number means the same in every version that has it. */
#ifndef IWARP_TRAFFIC_NFS_TREE_NFS_STATUS_H
#define IWARP_TRAFFIC_NFS_TREE_NFS_STATUS_H

#include <stdint.h>

/* "STALE", "BADSESSION"; "an error": it has no name here. Static. */
const char *nfs_status_name(uint32_t status);

#endif
