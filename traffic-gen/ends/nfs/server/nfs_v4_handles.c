// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Current and saved file handles of NFSv4, with their stateids (RFC 7530 section 15.2.3.1, RFC 8881 section 16.2.3.1),
 * and the operations that change them.
 */
#include "traffic-gen/ends/nfs/server/nfs_v4_internal.h"

static void set_current(struct nfs4_call *call, uint64_t node)
{
    call->current = node;
    call->has_stateid = false;
}

const struct nfs_node *nfs4_node(const struct nfs4_call *call, int *status)
{
    const struct nfs_node *node = call->current == 0 ? NULL : nfs_tree_get(call->tree, call->current);

    *status = node ? NFS4_OK : call->current == 0 ? NFS4ERR_NOFILEHANDLE : NFS4ERR_STALE;
    return node;
}

const struct nfs_node *nfs4_directory(const struct nfs4_call *call, int *status)
{
    const struct nfs_node *node = nfs4_node(call, status);

    if (!node || node->kind == NFS_NODE_DIRECTORY)
        return node;
    *status = node->kind == NFS_NODE_LINK ? NFS4ERR_SYMLINK : NFS4ERR_NOTDIR;
    return NULL;
}

const struct nfs_node *nfs4_regular(const struct nfs4_call *call, int *status)
{
    const struct nfs_node *node = nfs4_node(call, status);

    if (!node || node->kind == NFS_NODE_FILE)
        return node;
    *status = node->kind == NFS_NODE_DIRECTORY                           ? NFS4ERR_ISDIR
              : node->kind == NFS_NODE_LINK                              ? NFS4ERR_SYMLINK
              : call->minor > 0 /* RFC 8881 section 15.1.2.9 is newer */ ? NFS4ERR_WRONG_TYPE
                                                                         : NFS4ERR_INVAL;
    return NULL;
}

uint64_t nfs4_change_of(const struct nfs4_call *call, uint64_t node)
{
    const struct nfs_node *found = nfs_tree_get(call->tree, node);

    return found ? found->change : 0;
}

/* RFC 7530 section 12.7: names that cannot be in a directory. */
int nfs4_check_name(struct nfs_opaque name)
{
    if (name.n == 0)
        return NFS4ERR_INVAL;
    if (name.n > NFS_NAME_MAX)
        return NFS4ERR_NAMETOOLONG;
    if ((name.n <= 2 && memcmp(name.p, "..", name.n) == 0) || memchr(name.p, '/', name.n))
        return NFS4ERR_BADNAME;
    return memchr(name.p, 0, name.n) ? NFS4ERR_BADCHAR : NFS4_OK;
}

int nfs4_get_name(struct nfs4_call *call, struct nfs_opaque *name)
{
    *name = nfs_get_opaque(call->in);
    return nfs4_check_name(*name);
}

int nfs4_putrootfh(struct nfs4_call *call)
{
    set_current(call, 1);
    return NFS4_OK;
}

int nfs4_putfh(struct nfs4_call *call)
{
    const struct nfs_opaque handle = nfs_get_opaque(call->in);
    uint64_t node;
    int status = (int)nfs_handle_decode(call->rpc->server, handle.p, handle.n, &node);

    if (status == NFS4_OK)
        set_current(call, node);
    return status;
}

int nfs4_getfh(struct nfs4_call *call)
{
    int status;

    if (nfs4_node(call, &status))
        nfs_put_handle(call->rpc, call->current);
    return status;
}

int nfs4_savefh(struct nfs4_call *call)
{
    call->saved = call->current;
    call->saved_stateid = call->stateid;
    call->has_saved_stateid = call->has_stateid;
    return NFS4_OK;
}

int nfs4_restorefh(struct nfs4_call *call)
{
    if (call->saved == 0)
        return call->minor == 0 ? NFS4ERR_RESTOREFH : NFS4ERR_NOFILEHANDLE;
    call->current = call->saved;
    call->stateid = call->saved_stateid;
    call->has_stateid = call->has_saved_stateid;
    return NFS4_OK;
}

/* The node in the current directory with the name in the operation's argument. */
static int handles_find_named(struct nfs4_call *call, uint64_t *node)
{
    struct nfs_opaque name;
    int status = nfs4_get_name(call, &name);
    const struct nfs_node *directory = status == NFS4_OK ? nfs4_directory(call, &status) : NULL;

    if (!directory)
        return status;
    if (!nfs_may(call->rpc, directory, NFS_MAY_EXECUTE))
        return NFS4ERR_ACCESS;
    return (int)nfs_tree_lookup(call->tree, directory->id, name.p, name.n, node);
}

int nfs4_lookup(struct nfs4_call *call)
{
    uint64_t node;
    int status = handles_find_named(call, &node);

    if (status == NFS4_OK)
        set_current(call, node);
    return status;
}

int nfs4_lookupp(struct nfs4_call *call)
{
    int status;
    const struct nfs_node *directory = nfs4_directory(call, &status);

    if (!directory)
        return status;
    if (directory->id == 1)
        return NFS4ERR_NOENT;
    if (!nfs_may(call->rpc, directory, NFS_MAY_EXECUTE))
        return NFS4ERR_ACCESS;
    set_current(call, directory->parent);
    return NFS4_OK;
}

/* ---- security ---- */

static void put_flavors(struct nfs4_call *call)
{
    xdr_out_words(call->out, 2, RPC_AUTH_SYS, RPC_AUTH_NONE);
    /* RFC 8881 section 2.6.3.1.1.8: the file handle is consumed. */
    if (call->minor > 0)
        set_current(call, 0);
}

int nfs4_secinfo(struct nfs4_call *call)
{
    uint64_t node;
    int status = handles_find_named(call, &node);

    if (status == NFS4_OK)
        put_flavors(call);
    return status;
}

int nfs4_secinfo_no_name(struct nfs4_call *call)
{
    const uint32_t style = nfs_get_u32(call->in);
    int status = NFS4_OK;

    if (style > 1)
        return NFS4ERR_BADXDR;
    if (style == 1)
        status = nfs4_lookupp(call);
    else
        nfs4_node(call, &status);
    if (status == NFS4_OK)
        put_flavors(call);
    return status;
}
