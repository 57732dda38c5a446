// SPDX-License-Identifier: GPL-2.0-or-later
/* NFS version 3: creating, removing and moving names. RFC 1813 sections 3.3.3 and 3.3.8 to 3.3.15. */
#include "traffic-gen/ends/nfs/server/nfs_v3_internal.h"

enum create_how { UNCHECKED, GUARDED, EXCLUSIVE };

/* v3_may() for a directory in which a name is looked up or changed; NFS_TREE_NOTDIR for other nodes. */
static uint32_t v3_may_in(const struct nfs_call *call, const struct v3_object *dir, unsigned what)
{
    return dir->known && dir->before.kind != NFS_NODE_DIRECTORY ? (uint32_t)NFS_TREE_NOTDIR : v3_may(call, dir, what);
}

static uint32_t v3_look_up(struct nfs_call *call, const struct v3_where *where, uint64_t *id)
{
    uint32_t status = v3_may_in(call, &where->dir, NFS_MAY_EXECUTE);

    if (status == NFS_TREE_OK)
        status = nfs_tree_lookup(call->server->tree, where->dir.id, where->name.p, where->name.n, id);
    /* An impossible name: section 3.2; LOOKUP does not define INVAL. */
    return status == NFS_TREE_INVAL ? (uint32_t)NFS_TREE_ACCES : status;
}

/* A node that was found or made. */
static void put_node(struct nfs_call *call, uint64_t id)
{
    const struct v3_object node = {.id = id, .known = true};

    if (v3_is_v2(call)) {
        v2_put_node(call, id);
        return;
    }
    nfs_put_handle(call, id);
    v3_put_post(call, &node);
}

void v3_lookup(struct nfs_call *call)
{
    const struct v3_where where = v3_get_where(call);
    uint64_t id = 0;
    uint32_t status = v3_look_up(call, &where, &id);

    v3_put_status(call, status);
    if (status == NFS_TREE_OK)
        put_node(call, id);
    v3_put_post(call, &where.dir);
}

/* ---- creation ---- */

static void put_creation(struct nfs_call *call, uint32_t status, uint64_t id, const struct v3_object *dir)
{
    v3_put_status(call, status);
    if (status == NFS_TREE_OK && !v3_is_v2(call))
        xdr_out_bool(call->out, true);
    if (status == NFS_TREE_OK)
        put_node(call, id);
    v3_put_wcc(call, dir);
}

static uint32_t v3_make(struct nfs_call *call, const struct v3_where *where, enum nfs_node_kind kind,
                        struct nfs_node_change *change, uint64_t *id)
{
    uint32_t status = v3_may_in(call, &where->dir, NFS_MAY_CHANGE);

    if (status == NFS_TREE_OK)
        status = v3_own(call, change);
    if (status == NFS_TREE_OK)
        status = nfs_tree_create(call->server->tree, where->dir.id, where->name.p, where->name.n, kind, change, id);
    return status;
}

/* The name exists already: section 3.3.8. An existing file is truncated to the requested size. */
static uint32_t create_again(struct nfs_call *call, uint64_t id, enum create_how how,
                             const struct nfs_node_change *change)
{
    const struct nfs_node *node = nfs_tree_get(call->server->tree, id);
    struct nfs_node_change size = {.set = change->set & NFS_SET_SIZE, .size = change->size};
    struct v3_object file = {.id = id, .known = true, .before = *node};
    uint32_t status;

    if (how != UNCHECKED) /* the same verifier: the same request again */
        return how == EXCLUSIVE && node->has_verifier && node->verifier == change->verifier ? NFS_TREE_OK
                                                                                            : NFS_TREE_EXIST;
    if (node->kind != NFS_NODE_FILE)
        return NFS_TREE_EXIST;
    if (!size.set)
        return NFS_TREE_OK;
    status = v3_undelegated(call, v3_may_use(call, &file, NFS_MAY_WRITE), id, true);
    return status == NFS_TREE_OK ? nfs_tree_set(call->server->tree, id, &size) : status;
}

void v3_create(struct nfs_call *call)
{
    const struct v3_where where = v3_get_where(call);
    /* In version 2 the file need not be new (RFC 1094 section 2.2.10). */
    const enum create_how how = v3_is_v2(call) ? UNCHECKED : nfs_get_u32(&call->in);
    struct nfs_node_change change = {.set = NFS_SET_VERIFIER};
    uint32_t status = v3_may_in(call, &where.dir, NFS_MAY_EXECUTE);
    uint64_t id = 0;

    if (how == EXCLUSIVE)
        change.verifier = nfs_get_u64(&call->in);
    else
        change = v3_get_sattr(call);
    if (status == NFS_TREE_OK && v3_look_up(call, &where, &id) == NFS_TREE_OK)
        status = create_again(call, id, how, &change);
    else if (status == NFS_TREE_OK)
        status = v3_make(call, &where, NFS_NODE_FILE, &change, &id);
    put_creation(call, status, id, &where.dir);
}

void v3_mkdir(struct nfs_call *call)
{
    const struct v3_where where = v3_get_where(call);
    struct nfs_node_change change = v3_get_sattr(call);
    uint64_t id = 0;
    uint32_t status = v3_make(call, &where, NFS_NODE_DIRECTORY, &change, &id);

    put_creation(call, status, id, &where.dir);
}

uint32_t v3_make_link(struct nfs_call *call, const struct v3_where *where, struct nfs_opaque target,
                      struct nfs_node_change *change, uint64_t *id)
{
    uint32_t status = v3_may_in(call, &where->dir, NFS_MAY_CHANGE);

    if (status == NFS_TREE_OK)
        status = v3_own(call, change);
    if (status == NFS_TREE_OK)
        status =
            nfs_tree_symlink(call->server->tree, where->dir.id, where->name.p, where->name.n, target.p, target.n, id);
    if (status != NFS_TREE_OK)
        return status;
    /* The mode of a link is meaningless, and its size is the target's (section 3.3.10). */
    change->set &= NFS_SET_UID | NFS_SET_GID;
    return nfs_tree_set(call->server->tree, *id, change);
}

void v3_symlink(struct nfs_call *call)
{
    const struct v3_where where = v3_get_where(call);
    struct nfs_node_change change = v3_get_sattr(call);
    uint64_t id = 0;
    uint32_t status = v3_make_link(call, &where, nfs_get_opaque(&call->in), &change, &id);

    put_creation(call, status, id, &where.dir);
}

void v3_mknod(struct nfs_call *call)
{
    const struct v3_where where = v3_get_where(call);
    const enum nfs_node_kind kind = nfs_get_u32(&call->in);
    const bool device = kind == NFS_NODE_BLOCK || kind == NFS_NODE_CHAR;
    struct nfs_node_change change;
    uint32_t status = where.dir.known ? (uint32_t)V3_BADTYPE : where.dir.status;
    uint64_t id = 0;

    if (device || kind == NFS_NODE_SOCKET || kind == NFS_NODE_FIFO) {
        change = v3_get_sattr(call);
        change.major = device ? nfs_get_u32(&call->in) : 0;
        change.minor = device ? nfs_get_u32(&call->in) : 0;
        status = v3_make(call, &where, kind, &change, &id);
    }
    put_creation(call, status, id, &where.dir);
}

/* ---- removal and renaming ---- */

static uint32_t v3_take_away(struct nfs_call *call, const struct v3_where *where, bool directory)
{
    uint32_t status = v3_undelegated_name(call, v3_may_in(call, &where->dir, NFS_MAY_CHANGE), where);

    if (status == NFS_TREE_OK)
        status = nfs_tree_remove(call->server->tree, where->dir.id, where->name.p, where->name.n, &directory);
    return status;
}

void v3_remove(struct nfs_call *call)
{
    const struct v3_where where = v3_get_where(call);

    v3_begin_wcc(call, v3_take_away(call, &where, false), &where.dir);
}

void v3_rmdir(struct nfs_call *call)
{
    const struct v3_where where = v3_get_where(call);

    v3_begin_wcc(call, v3_take_away(call, &where, true), &where.dir);
}

static uint32_t v3_move(struct nfs_call *call, const struct v3_where *from, const struct v3_where *to)
{
    uint32_t status = v3_may_in(call, &from->dir, NFS_MAY_CHANGE);

    if (status == NFS_TREE_OK)
        status = v3_may_in(call, &to->dir, NFS_MAY_CHANGE);
    status = v3_undelegated_name(call, status, from);
    status = v3_undelegated_name(call, status, to);
    if (status == NFS_TREE_OK)
        status = nfs_tree_rename(call->server->tree, from->dir.id, from->name.p, from->name.n, to->dir.id, to->name.p,
                                 to->name.n);
    return status;
}

void v3_rename(struct nfs_call *call)
{
    const struct v3_where from = v3_get_where(call), to = v3_get_where(call);

    v3_begin_wcc(call, v3_move(call, &from, &to), &from.dir);
    v3_put_wcc(call, &to.dir);
}

static uint32_t v3_add_link(struct nfs_call *call, const struct v3_object *file, const struct v3_where *where)
{
    uint32_t status = file->known ? v3_may_in(call, &where->dir, NFS_MAY_CHANGE) : file->status;

    status = v3_undelegated(call, status, file->id, true);
    if (status == NFS_TREE_OK)
        status = nfs_tree_link(call->server->tree, file->id, where->dir.id, where->name.p, where->name.n);
    return status;
}

void v3_link(struct nfs_call *call)
{
    const struct v3_object file = v3_get_object(call);
    const struct v3_where where = v3_get_where(call);
    uint32_t status = v3_add_link(call, &file, &where);

    v3_begin_post(call, status == NFS_TREE_ISDIR && !v3_is_v2(call) ? (uint32_t)NFS_TREE_INVAL : status, &file);
    v3_put_wcc(call, &where.dir);
}
