// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * NFS version 2: RFC 1094 section 2.2. Its handles are 32 octets, its sizes 32 bits, its data at most 8192 octets; its
 * files and permissions are those of version 3, with less detail.
 */
#include "traffic-gen/nfs/server/nfs_v3_internal.h"

#define NS_PER_S INT64_C(1000000000)

enum { HANDLE = 32, DATA_MAX = 8192, PATH_MAX_OCTETS = 1024, BLOCK = 4096, UNSET = -1 };

/* ---- arguments ---- */

static bool get_object(struct nfs_call *call, struct v3_object *object)
{
    static const uint8_t filling[HANDLE - NFS_HANDLE_OCTETS];
    const struct nfs_node *node = NULL;
    const uint8_t *p = call->in.p + call->in.at;

    *object = (struct v3_object){.status = NFS_TREE_STALE};
    if (!xdr_skip(&call->in, HANDLE))
        return false;
    if (memcmp(p + NFS_HANDLE_OCTETS, filling, sizeof filling) == 0 &&
        nfs_handle_decode(call->server, p, NFS_HANDLE_OCTETS, &object->id) == NFS_TREE_OK)
        node = nfs_tree_get(call->server->tree, object->id);
    object->known = node;
    if (node) {
        object->status = NFS_TREE_OK;
        object->before = *node;
    }
    return true;
}

static bool get_where(struct nfs_call *call, struct v3_object *dir, struct v3_name *name)
{
    return get_object(call, dir) && v3_get_name(call, name) && name->n <= NFS_NAME_MAX;
}

/* Each field is unset when all its bits are ones. */
static bool get_sattr(struct nfs_call *call, struct nfs_node_change *change)
{
    static const unsigned what[] = {NFS_SET_MODE,  NFS_SET_UID, NFS_SET_GID,  NFS_SET_SIZE,
                                    NFS_SET_ATIME, 0,           NFS_SET_MTIME};
    uint32_t words[8];

    for (size_t i = 0; i < G_N_ELEMENTS(words); i++)
        if (!xdr_u32(&call->in, &words[i]))
            return false;
    *change = (struct nfs_node_change){.mode = words[0], .uid = words[1], .gid = words[2], .size = words[3]};
    for (size_t i = 0; i < G_N_ELEMENTS(what); i++)
        if (words[i] != (uint32_t)UNSET)
            change->set |= what[i];
    change->atime_ns = words[4] * NS_PER_S + words[5] * INT64_C(1000);
    change->mtime_ns = words[6] * NS_PER_S + words[7] * INT64_C(1000);
    change->explicit_times = change->set & (NFS_SET_ATIME | NFS_SET_MTIME);
    return true;
}

/* ---- results ---- */

/* A status without a number in this version is an I/O error, even one that asks to try again. */
static uint32_t v2_status_of(uint32_t status)
{
    if (status == NFS_STATUS_BADHANDLE)
        return NFS_TREE_STALE;
    return status == NFS_TREE_INVAL || status == NFS_TREE_MLINK || status == V3_JUKEBOX ? NFS_TREE_IO : status;
}

static void v2_put_time(struct nfs_call *call, int64_t ns)
{
    xdr_out_words(call->out, (uint32_t)(ns / NS_PER_S), (uint32_t)(ns % NS_PER_S / 1000));
}

static void v2_put_attributes(struct nfs_call *call, uint64_t id)
{
    /* ftype and the bits of the mode that say the same (section 2.3.5). Sockets and pipes have no number here. */
    static const struct {
        uint32_t type, mode;
    } kinds[] = {
        [NFS_NODE_FILE] = {1, 0100000}, [NFS_NODE_DIRECTORY] = {2, 0040000}, [NFS_NODE_BLOCK] = {3, 0060000},
        [NFS_NODE_CHAR] = {4, 0020000}, [NFS_NODE_LINK] = {5, 0120000},      [NFS_NODE_SOCKET] = {0, 0140000},
        [NFS_NODE_FIFO] = {0, 0010000},
    };
    const struct nfs_node *node = nfs_tree_get(call->server->tree, id);

    xdr_out_words(call->out, kinds[node->kind].type, kinds[node->kind].mode | node->mode, node->nlink, node->uid,
                  node->gid, (uint32_t)MIN(node->size, UINT32_MAX), BLOCK, node->major << 8 | (node->minor & 0xff),
                  (uint32_t)MIN((node->used + 511) / 512, UINT32_MAX), (uint32_t)call->server->instance,
                  (uint32_t)node->id);
    v2_put_time(call, node->atime_ns);
    v2_put_time(call, node->mtime_ns);
    v2_put_time(call, node->ctime_ns);
}

static enum rpc_accept_stat v2_put_status(struct nfs_call *call, uint32_t status)
{
    xdr_out_u32(call->out, v2_status_of(status));
    return RPC_SUCCESS;
}

/* attrstat */
static enum rpc_accept_stat put_attrstat(struct nfs_call *call, uint32_t status, uint64_t id)
{
    v2_put_status(call, status);
    if (status == NFS_TREE_OK)
        v2_put_attributes(call, id);
    return RPC_SUCCESS;
}

/* diropres */
static enum rpc_accept_stat put_diropres(struct nfs_call *call, uint32_t status, uint64_t id)
{
    uint8_t handle[HANDLE] = {0};

    v2_put_status(call, status);
    if (status != NFS_TREE_OK)
        return RPC_SUCCESS;
    nfs_handle_encode(call->server, id, handle);
    xdr_out_fixed(call->out, handle, sizeof handle);
    v2_put_attributes(call, id);
    return RPC_SUCCESS;
}

/* ---- procedures ---- */

static enum rpc_accept_stat v2_getattr(struct nfs_call *call)
{
    struct v3_object object;

    if (!get_object(call, &object))
        return RPC_GARBAGE_ARGS;
    return put_attrstat(call, object.status, object.id);
}

static enum rpc_accept_stat v2_setattr(struct nfs_call *call)
{
    struct v3_object object;
    struct nfs_node_change change;
    uint32_t status;

    if (!get_object(call, &object) || !get_sattr(call, &change))
        return RPC_GARBAGE_ARGS;
    status = v3_undelegated(call, v3_may_set(call, &object, &change), object.id, true);
    if (status == NFS_TREE_OK)
        status = nfs_tree_set(call->server->tree, object.id, &change);
    return put_attrstat(call, status, object.id);
}

static enum rpc_accept_stat v2_lookup(struct nfs_call *call)
{
    struct v3_object dir;
    struct v3_name name;
    uint32_t status;
    uint64_t id = 0;

    if (!get_where(call, &dir, &name))
        return RPC_GARBAGE_ARGS;
    status = v3_may_look(call, &dir);
    if (status == NFS_TREE_OK)
        status = nfs_tree_lookup(call->server->tree, dir.id, name.p, name.n, &id);
    return put_diropres(call, status == NFS_TREE_INVAL ? NFS_TREE_ACCES : status, id);
}

static enum rpc_accept_stat v2_readlink(struct nfs_call *call)
{
    struct v3_object link;
    const char *target = NULL;
    uint32_t status;
    size_t n = 0;

    if (!get_object(call, &link))
        return RPC_GARBAGE_ARGS;
    status = link.known ? nfs_tree_readlink(call->server->tree, link.id, &target, &n) : link.status;
    if (n > PATH_MAX_OCTETS)
        status = NFS_TREE_IO; /* created through another version: does not fit a path of this one */
    v2_put_status(call, status);
    if (status == NFS_TREE_OK)
        xdr_out_eligible(call->out, target, (uint32_t)n);
    return RPC_SUCCESS;
}

static enum rpc_accept_stat v2_read(struct nfs_call *call)
{
    enum { OVERHEAD = 4 + 17 * 4 + 4 + 3 };
    struct v3_object file;
    uint32_t at, count, total, status;
    size_t n, room = nfs_room_left(call);
    const uint8_t *p;
    bool eof;

    if (!get_object(call, &file) || !xdr_u32(&call->in, &at) || !xdr_u32(&call->in, &count) ||
        !xdr_u32(&call->in, &total))
        return RPC_GARBAGE_ARGS;
    room = room > OVERHEAD ? room - OVERHEAD : 0;
    status = v3_undelegated(call, v3_may_use(call, &file, NFS_MAY_READ), file.id, false);
    if (status == NFS_TREE_OK)
        status = nfs_tree_read(call->server->tree, file.id, at, MIN(MIN(count, DATA_MAX), room), &p, &n, &eof);
    put_attrstat(call, status, file.id);
    if (status == NFS_TREE_OK)
        xdr_out_eligible(call->out, p, (uint32_t)n);
    return RPC_SUCCESS;
}

static enum rpc_accept_stat v2_write(struct nfs_call *call)
{
    struct v3_object file;
    uint32_t begin, at, total, n, status;
    const uint8_t *p;

    if (!get_object(call, &file) || !xdr_u32(&call->in, &begin) || !xdr_u32(&call->in, &at) ||
        !xdr_u32(&call->in, &total) || !xdr_opaque(&call->in, &p, &n) || n > DATA_MAX)
        return RPC_GARBAGE_ARGS;
    status = v3_undelegated(call, v3_may_use(call, &file, NFS_MAY_WRITE), file.id, true);
    if (status == NFS_TREE_OK && n > UINT32_MAX - at)
        status = NFS_TREE_FBIG;
    if (status == NFS_TREE_OK)
        status = nfs_tree_write(call->server->tree, file.id, at, p, n);
    return put_attrstat(call, status, file.id);
}

static enum rpc_accept_stat v2_make(struct nfs_call *call, enum nfs_node_kind kind)
{
    struct v3_object dir;
    struct v3_name name;
    struct nfs_node_change change;
    uint32_t status;
    uint64_t id = 0;

    if (!get_where(call, &dir, &name) || !get_sattr(call, &change))
        return RPC_GARBAGE_ARGS;
    status = v3_may_look(call, &dir);
    /* Nothing says that the file must be new (section 2.2.10): an existing one is truncated to the size. */
    if (status == NFS_TREE_OK && kind == NFS_NODE_FILE &&
        nfs_tree_lookup(call->server->tree, dir.id, name.p, name.n, &id) == NFS_TREE_OK)
        status = v3_create_again(call, id, &change);
    else if (status == NFS_TREE_OK)
        status = v3_make(call, &dir, &name, kind, &change, &id);
    return put_diropres(call, status, id);
}

static enum rpc_accept_stat v2_create(struct nfs_call *call)
{
    return v2_make(call, NFS_NODE_FILE);
}

static enum rpc_accept_stat v2_mkdir(struct nfs_call *call)
{
    return v2_make(call, NFS_NODE_DIRECTORY);
}

static enum rpc_accept_stat v2_take_away(struct nfs_call *call, bool directory)
{
    struct v3_object dir;
    struct v3_name name;
    uint32_t status;

    if (!get_where(call, &dir, &name))
        return RPC_GARBAGE_ARGS;
    status = v3_undelegated_name(call, v3_may_change(call, &dir), &dir, &name);
    if (status == NFS_TREE_OK)
        status = nfs_tree_remove(call->server->tree, dir.id, name.p, name.n, &directory);
    return v2_put_status(call, status);
}

static enum rpc_accept_stat v2_remove(struct nfs_call *call)
{
    return v2_take_away(call, false);
}

static enum rpc_accept_stat v2_rmdir(struct nfs_call *call)
{
    return v2_take_away(call, true);
}

static enum rpc_accept_stat v2_rename(struct nfs_call *call)
{
    struct v3_object from, to;
    struct v3_name name, new_name;

    if (!get_where(call, &from, &name) || !get_where(call, &to, &new_name))
        return RPC_GARBAGE_ARGS;
    return v2_put_status(call, v3_move(call, &from, &name, &to, &new_name));
}

static enum rpc_accept_stat v2_link(struct nfs_call *call)
{
    struct v3_object file, dir;
    struct v3_name name;
    uint32_t status;

    if (!get_object(call, &file) || !get_where(call, &dir, &name))
        return RPC_GARBAGE_ARGS;
    status = v3_undelegated(call, file.known ? v3_may_change(call, &dir) : file.status, file.id, true);
    if (status == NFS_TREE_OK)
        status = nfs_tree_link(call->server->tree, file.id, dir.id, name.p, name.n);
    return v2_put_status(call, status);
}

static enum rpc_accept_stat v2_symlink(struct nfs_call *call)
{
    struct v3_object dir;
    struct v3_name name, target;
    struct nfs_node_change change;
    uint32_t status;
    uint64_t id;

    if (!get_where(call, &dir, &name) || !v3_get_name(call, &target) || target.n > PATH_MAX_OCTETS ||
        !get_sattr(call, &change))
        return RPC_GARBAGE_ARGS;
    status = v3_make_link(call, &dir, &name, &target, &change, &id);
    return v2_put_status(call, status);
}

static enum rpc_accept_stat v2_readdir(struct nfs_call *call)
{
    enum { OVERHEAD = 12 /* status, end of the list, eof */, ENTRY = 16 };
    struct v3_object dir;
    struct nfs_entry entry;
    uint32_t cookie, count, status;
    size_t room;
    bool more, any = false;

    if (!get_object(call, &dir) || !xdr_u32(&call->in, &cookie) || !xdr_u32(&call->in, &count))
        return RPC_GARBAGE_ARGS;
    status = v3_may(call, &dir, NFS_MAY_READ);
    if (status == NFS_TREE_OK && dir.before.kind != NFS_NODE_DIRECTORY)
        status = NFS_TREE_NOTDIR;
    v2_put_status(call, status);
    if (status != NFS_TREE_OK)
        return RPC_SUCCESS;
    room = MIN(MIN(count, DATA_MAX), nfs_room_left(call));
    more = nfs_next_entry(call->server, dir.id, cookie, &entry);
    /* There is no TOOSMALL: the first entry is returned however little was asked for, lest the client ask for ever. */
    while (more && (!any || OVERHEAD + ENTRY + xdr_padded(entry.n) <= room)) {
        any = true;
        room -= MIN(room, ENTRY + xdr_padded(entry.n));
        xdr_out_bool(call->out, true);
        xdr_out_u32(call->out, (uint32_t)entry.id);
        xdr_out_opaque(call->out, entry.name, (uint32_t)entry.n);
        xdr_out_u32(call->out, (uint32_t)entry.cookie);
        more = nfs_next_entry(call->server, dir.id, entry.cookie, &entry);
    }
    xdr_out_bool(call->out, false);
    xdr_out_bool(call->out, !more);
    return RPC_SUCCESS;
}

static enum rpc_accept_stat v2_statfs(struct nfs_call *call)
{
    struct v3_object object;
    uint64_t octets, octets_max, nodes, nodes_max;

    if (!get_object(call, &object))
        return RPC_GARBAGE_ARGS;
    v2_put_status(call, object.status);
    if (!object.known)
        return RPC_SUCCESS;
    nfs_tree_usage(call->server->tree, &octets, &octets_max, &nodes, &nodes_max);
    xdr_out_words(call->out, DATA_MAX, BLOCK, (uint32_t)MIN(octets_max / BLOCK, UINT32_MAX),
                  (uint32_t)MIN((octets_max - octets) / BLOCK, UINT32_MAX),
                  (uint32_t)MIN((octets_max - octets) / BLOCK, UINT32_MAX));
    return RPC_SUCCESS;
}

/* ROOT and WRITECACHE are obsolete and never used: they have neither arguments nor results (sections 2.2.4 and 2.2.8).
 */
static const nfs_serve procedures[] = {
    nfs_serve_null, v2_getattr,     v2_setattr, nfs_serve_null, v2_lookup,  v2_readlink,
    v2_read,        nfs_serve_null, v2_write,   v2_create,      v2_remove,  v2_rename,
    v2_link,        v2_symlink,     v2_mkdir,   v2_rmdir,       v2_readdir, v2_statfs,
};

const struct nfs_version nfs_v2 = {NFS_PROGRAM, 2, G_N_ELEMENTS(procedures), procedures};
