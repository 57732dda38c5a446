/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the procedures of NFS version 3 (RFC 1813 section 2.6), and in part by those of version 2. */
#ifndef IWARP_TRAFFIC_ENDS_NFS_SERVER_NFS_V3_INTERNAL_H
#define IWARP_TRAFFIC_ENDS_NFS_SERVER_NFS_V3_INTERNAL_H

#include "traffic-gen/ends/nfs/server/nfs_server_internal.h"

enum {
    V3_NOT_SYNC = 10002,
    V3_BAD_COOKIE = 10003,
    V3_TOOSMALL = 10005,
    V3_BADTYPE = 10007,
    V3_JUKEBOX = 10008,
    V3_POST_OCTETS = 88, /* of post_op_attr with attributes */
};

/* A file named in the Call, and its attributes before the operation. */
struct v3_object {
    uint32_t status; /* of its handle */
    uint64_t id;
    bool known;
    struct nfs_node before;
};

/* diropargs */
struct v3_where {
    struct v3_object dir;
    struct nfs_opaque name;
};

/* ---- the types of version 2, with which it uses these procedures: nfs_v2.c ---- */

static inline bool v3_is_v2(const struct nfs_call *call)
{
    return call->header->vers == 2;
}

struct v3_object v2_get_object(struct nfs_call *call);
struct nfs_node_change v2_get_sattr(struct nfs_call *call);
void v2_put_status(struct nfs_call *call, uint32_t status);
void v2_put_attributes(struct nfs_call *call, const struct nfs_node *node);
/* The handle and the attributes. */
void v2_put_node(struct nfs_call *call, uint64_t id);

/* ---- arguments ---- */

struct v3_object v3_get_object(struct nfs_call *call);
struct v3_where v3_get_where(struct nfs_call *call);
struct nfs_node_change v3_get_sattr(struct nfs_call *call);

/* ---- results ---- */

/* In version 2 only the status, and no attributes. */
void v3_put_status(struct nfs_call *call, uint32_t status);
/* Writes the status, followed in any case by attributes. True: NFS_TREE_OK, and more is to follow. */
bool v3_begin_post(struct nfs_call *call, uint32_t status, const struct v3_object *object);
bool v3_begin_wcc(struct nfs_call *call, uint32_t status, const struct v3_object *object);
void v3_put_post(struct nfs_call *call, const struct v3_object *object);
void v3_put_wcc(struct nfs_call *call, const struct v3_object *object);

/* ---- permissions: NFS_TREE_OK, NFS_TREE_ACCES or NFS_TREE_PERM, or the object's own status ---- */

uint32_t v3_may(const struct nfs_call *call, const struct v3_object *object, unsigned what);
/* The owner may always read and write, whatever the mode: the file may have been opened before (section 4.4). */
uint32_t v3_may_use(const struct nfs_call *call, const struct v3_object *object, unsigned what);
uint32_t v3_may_set(const struct nfs_call *call, const struct v3_object *object, const struct nfs_node_change *change);
/* For a new file: its owner is the caller unless another owner is requested. */
uint32_t v3_own(const struct nfs_call *call, struct nfs_node_change *change);

/*
 * V3_JUKEBOX while an NFSv4 client holds a conflicting delegation: it is being recalled, and the caller may try again
 * (RFC 7530 section 10.4.5). Returns `status` unchanged if it is not NFS_TREE_OK.
 */
uint32_t v3_undelegated(const struct nfs_call *call, uint32_t status, uint64_t id, bool modifies);
/* Likewise for the node with this name, if there is one. */
uint32_t v3_undelegated_name(const struct nfs_call *call, uint32_t status, const struct v3_where *where);

/* ---- creation ---- */

uint32_t v3_make_link(struct nfs_call *call, const struct v3_where *where, struct nfs_opaque target,
                      struct nfs_node_change *change, uint64_t *id);

/* ---- procedures ---- */

nfs_serve v3_getattr, v3_lookup, v3_readlink, v3_read, v3_write, v3_create, v3_mkdir, v3_symlink, v3_mknod, v3_remove,
    v3_rmdir, v3_rename, v3_link, v3_readdir, v3_readdirplus, v3_commit;

#endif
