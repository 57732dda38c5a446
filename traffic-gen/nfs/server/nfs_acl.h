/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ACLs of the NFS server's files: NFSACL sets them, and all versions of NFS obey them. */
#ifndef IWARP_TRAFFIC_NFS_SERVER_NFS_ACL_H
#define IWARP_TRAFFIC_NFS_SERVER_NFS_ACL_H

#include "traffic-gen/nfs/server/nfs_server_internal.h"

extern const struct nfs_version nfs_acl_v3;

/* For the member acls of struct nfs_server: from a node to its ACL. */
GHashTable *nfs_acls_new(void);
/* *may: whether the ACL gives a caller, who is not the owner, all these rights. False: no entry is about the caller. */
bool nfs_acl_may(const struct nfs_call *call, const struct nfs_node *node, unsigned what, bool *may);

#endif
