// SPDX-License-Identifier: GPL-2.0-or-later
/* NFS version 3: creating, removing and moving names. RFC 1813 sections 3.3.3 and 3.3.8 to 3.3.15. */
#include "traffic-gen/nfs/server/nfs_v3_internal.h"

enum create_how { UNCHECKED, GUARDED, EXCLUSIVE };

uint32_t v3_may_look(const struct nfs_call *call, const struct v3_object *dir)
{
    if (dir->known && dir->before.kind != NFS_NODE_DIRECTORY)
        return NFS_TREE_NOTDIR;
    return v3_may(call, dir, NFS_MAY_EXECUTE);
}

uint32_t v3_may_change(const struct nfs_call *call, const struct v3_object *dir)
{
    if (dir->known && dir->before.kind != NFS_NODE_DIRECTORY)
        return NFS_TREE_NOTDIR;
    return v3_may(call, dir, NFS_MAY_WRITE | NFS_MAY_EXECUTE);
}

enum rpc_accept_stat v3_lookup(struct nfs_call *call)
{
    struct v3_object dir, found = {.known = true};
    struct v3_name name;
    uint32_t status;

    if (!v3_get_where(call, &dir, &name))
        return RPC_GARBAGE_ARGS;
    status = v3_may_look(call, &dir);
    if (status == NFS_TREE_OK)
        status = nfs_tree_lookup(call->server->tree, dir.id, name.p, name.n, &found.id);
    if (status == NFS_TREE_INVAL)
        status = NFS_TREE_ACCES; /* an impossible name: section 3.2; LOOKUP knows no INVAL */
    xdr_out_u32(call->out, status);
    if (status == NFS_TREE_OK) {
        v3_put_handle(call, found.id);
        v3_put_post(call, &found);
    }
    v3_put_post(call, &dir);
    return RPC_SUCCESS;
}

/* ---- creation ---- */

static enum rpc_accept_stat put_creation(struct nfs_call *call, uint32_t status, uint64_t id,
                                         const struct v3_object *dir)
{
    xdr_out_u32(call->out, status);
    if (status == NFS_TREE_OK)
        v3_put_made(call, id);
    v3_put_wcc(call, dir);
    return RPC_SUCCESS;
}

uint32_t v3_make(struct nfs_call *call, const struct v3_object *dir, const struct v3_name *name,
                 enum nfs_node_kind kind, struct nfs_node_change *change, uint64_t *id)
{
    uint32_t status = v3_may_change(call, dir);

    if (status == NFS_TREE_OK)
        status = v3_own(call, change);
    if (status == NFS_TREE_OK)
        status = nfs_tree_create(call->server->tree, dir->id, name->p, name->n, kind, change, id);
    return status;
}

uint32_t v3_create_again(struct nfs_call *call, uint64_t id, const struct nfs_node_change *change)
{
    const struct nfs_node *node = nfs_tree_get(call->server->tree, id);
    struct nfs_node_change size = {.set = change->set & NFS_SET_SIZE, .size = change->size};
    struct v3_object file = {.id = id, .known = true, .before = *node};
    uint32_t status;

    if (node->kind != NFS_NODE_FILE)
        return NFS_TREE_EXIST;
    if (!size.set)
        return NFS_TREE_OK;
    status = v3_undelegated(call, v3_may_use(call, &file, NFS_MAY_WRITE), id, true);
    return status == NFS_TREE_OK ? nfs_tree_set(call->server->tree, id, &size) : status;
}

/* The name exists already: section 3.3.8. */
static uint32_t create_again(struct nfs_call *call, uint64_t id, enum create_how how,
                             const struct nfs_node_change *change)
{
    const struct nfs_node *node = nfs_tree_get(call->server->tree, id);

    if (how == UNCHECKED)
        return v3_create_again(call, id, change);
    /* The same verifier: the same request again. */
    return how == EXCLUSIVE && node->has_verifier && node->verifier == change->verifier ? NFS_TREE_OK : NFS_TREE_EXIST;
}

enum rpc_accept_stat v3_create(struct nfs_call *call)
{
    struct v3_object dir;
    struct v3_name name;
    struct nfs_node_change change = {0};
    uint32_t how, status;
    uint64_t id = 0;

    if (!v3_get_where(call, &dir, &name) || !xdr_u32(&call->in, &how) || how > EXCLUSIVE)
        return RPC_GARBAGE_ARGS;
    if (how == EXCLUSIVE) {
        change.set = NFS_SET_VERIFIER;
        if (!xdr_u64(&call->in, &change.verifier))
            return RPC_GARBAGE_ARGS;
    } else if (!v3_get_sattr(call, &change)) {
        return RPC_GARBAGE_ARGS;
    }
    status = v3_may_look(call, &dir);
    if (status == NFS_TREE_OK && nfs_tree_lookup(call->server->tree, dir.id, name.p, name.n, &id) == NFS_TREE_OK)
        status = create_again(call, id, how, &change);
    else if (status == NFS_TREE_OK)
        status = v3_make(call, &dir, &name, NFS_NODE_FILE, &change, &id);
    return put_creation(call, status, id, &dir);
}

enum rpc_accept_stat v3_mkdir(struct nfs_call *call)
{
    struct v3_object dir;
    struct v3_name name;
    struct nfs_node_change change;
    uint32_t status;
    uint64_t id = 0;

    if (!v3_get_where(call, &dir, &name) || !v3_get_sattr(call, &change))
        return RPC_GARBAGE_ARGS;
    status = v3_make(call, &dir, &name, NFS_NODE_DIRECTORY, &change, &id);
    return put_creation(call, status, id, &dir);
}

uint32_t v3_make_link(struct nfs_call *call, const struct v3_object *dir, const struct v3_name *name,
                      const struct v3_name *target, struct nfs_node_change *change, uint64_t *id)
{
    uint32_t status = v3_may_change(call, dir);

    if (status == NFS_TREE_OK)
        status = v3_own(call, change);
    if (status == NFS_TREE_OK)
        status = nfs_tree_symlink(call->server->tree, dir->id, name->p, name->n, target->p, target->n, id);
    if (status != NFS_TREE_OK)
        return status;
    /* The mode of a link means nothing, and its size is the target's (section 3.3.10). */
    change->set &= NFS_SET_UID | NFS_SET_GID;
    return nfs_tree_set(call->server->tree, *id, change);
}

enum rpc_accept_stat v3_symlink(struct nfs_call *call)
{
    struct v3_object dir;
    struct v3_name name, target;
    struct nfs_node_change change;
    uint32_t status;
    uint64_t id = 0;

    if (!v3_get_where(call, &dir, &name) || !v3_get_sattr(call, &change) || !v3_get_name(call, &target))
        return RPC_GARBAGE_ARGS;
    status = v3_make_link(call, &dir, &name, &target, &change, &id);
    return put_creation(call, status, id, &dir);
}

enum rpc_accept_stat v3_mknod(struct nfs_call *call)
{
    struct v3_object dir;
    struct v3_name name;
    struct nfs_node_change change = {0};
    uint32_t kind, status;
    uint64_t id = 0;
    bool device;

    if (!v3_get_where(call, &dir, &name) || !xdr_u32(&call->in, &kind) || kind < NFS_NODE_FILE || kind > NFS_NODE_FIFO)
        return RPC_GARBAGE_ARGS;
    device = kind == NFS_NODE_BLOCK || kind == NFS_NODE_CHAR;
    if (!device && kind != NFS_NODE_SOCKET && kind != NFS_NODE_FIFO)
        return put_creation(call, dir.known ? (uint32_t)V3_BADTYPE : dir.status, id, &dir);
    if (!v3_get_sattr(call, &change))
        return RPC_GARBAGE_ARGS;
    if (device && (!xdr_u32(&call->in, &change.major) || !xdr_u32(&call->in, &change.minor)))
        return RPC_GARBAGE_ARGS;
    status = v3_make(call, &dir, &name, kind, &change, &id);
    return put_creation(call, status, id, &dir);
}

/* ---- removal and renaming ---- */

static enum rpc_accept_stat names_take_away(struct nfs_call *call, bool directory)
{
    struct v3_object dir;
    struct v3_name name;
    uint32_t status;

    if (!v3_get_where(call, &dir, &name))
        return RPC_GARBAGE_ARGS;
    status = v3_undelegated_name(call, v3_may_change(call, &dir), &dir, &name);
    if (status == NFS_TREE_OK)
        status = nfs_tree_remove(call->server->tree, dir.id, name.p, name.n, &directory);
    xdr_out_u32(call->out, status);
    v3_put_wcc(call, &dir);
    return RPC_SUCCESS;
}

enum rpc_accept_stat v3_remove(struct nfs_call *call)
{
    return names_take_away(call, false);
}

enum rpc_accept_stat v3_rmdir(struct nfs_call *call)
{
    return names_take_away(call, true);
}

uint32_t v3_move(struct nfs_call *call, const struct v3_object *from, const struct v3_name *name,
                 const struct v3_object *to, const struct v3_name *new_name)
{
    uint32_t status = v3_may_change(call, from);

    if (status == NFS_TREE_OK)
        status = v3_may_change(call, to);
    status = v3_undelegated_name(call, status, from, name);
    status = v3_undelegated_name(call, status, to, new_name);
    if (status == NFS_TREE_OK)
        status = nfs_tree_rename(call->server->tree, from->id, name->p, name->n, to->id, new_name->p, new_name->n);
    return status;
}

enum rpc_accept_stat v3_rename(struct nfs_call *call)
{
    struct v3_object from, to;
    struct v3_name name, new_name;

    if (!v3_get_where(call, &from, &name) || !v3_get_where(call, &to, &new_name))
        return RPC_GARBAGE_ARGS;
    xdr_out_u32(call->out, v3_move(call, &from, &name, &to, &new_name));
    v3_put_wcc(call, &from);
    v3_put_wcc(call, &to);
    return RPC_SUCCESS;
}

enum rpc_accept_stat v3_link(struct nfs_call *call)
{
    struct v3_object file, dir;
    struct v3_name name;
    uint32_t status;

    if (!v3_get_object(call, &file) || !v3_get_where(call, &dir, &name))
        return RPC_GARBAGE_ARGS;
    status = v3_undelegated(call, file.known ? v3_may_change(call, &dir) : file.status, file.id, true);
    if (status == NFS_TREE_OK)
        status = nfs_tree_link(call->server->tree, file.id, dir.id, name.p, name.n);
    xdr_out_u32(call->out, status == NFS_TREE_ISDIR ? NFS_TREE_INVAL : status);
    v3_put_post(call, &file);
    v3_put_wcc(call, &dir);
    return RPC_SUCCESS;
}
