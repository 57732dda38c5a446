// SPDX-License-Identifier: GPL-2.0-or-later
/* NFS version 3, RFC 1813: the types that its procedures share, and the procedures on attributes. */
#include "traffic-gen/nfs/server/nfs_v3_internal.h"
#include "traffic-gen/nfs/server/nfs_v4.h"

#define NS_PER_S INT64_C(1000000000)

enum time_how { DONT_CHANGE, SET_TO_SERVER_TIME, SET_TO_CLIENT_TIME };

/* ---- arguments ---- */

bool v3_get_object(struct nfs_call *call, struct v3_object *object)
{
    const struct nfs_node *node = NULL;
    const uint8_t *p;
    uint32_t n;

    *object = (struct v3_object){0};
    if (!xdr_opaque(&call->in, &p, &n) || n > V3_HANDLE_MAX)
        return false;
    object->status = nfs_handle_decode(call->server, p, n, &object->id);
    if (object->status == NFS_TREE_OK)
        node = nfs_tree_get(call->server->tree, object->id);
    object->known = node;
    if (node)
        object->before = *node;
    return true;
}

bool v3_get_name(struct nfs_call *call, struct v3_name *name)
{
    const uint8_t *p;

    if (!xdr_opaque(&call->in, &p, &name->n))
        return false;
    name->p = (const char *)p;
    return true;
}

bool v3_get_where(struct nfs_call *call, struct v3_object *dir, struct v3_name *name)
{
    return v3_get_object(call, dir) && v3_get_name(call, name);
}

static bool v3_get_bool(struct nfs_call *call, bool *out)
{
    uint32_t v;

    if (!xdr_u32(&call->in, &v) || v > 1)
        return false;
    *out = v;
    return true;
}

/* A number that is present if the boolean before it says so. */
static bool get_optional(struct nfs_call *call, struct nfs_node_change *change, unsigned what, uint32_t *out)
{
    bool is_set;

    if (!v3_get_bool(call, &is_set))
        return false;
    if (!is_set)
        return true;
    change->set |= what;
    return xdr_u32(&call->in, out);
}

static bool v3_get_time(struct nfs_call *call, struct nfs_node_change *change, unsigned what, int64_t *out)
{
    uint32_t how, seconds, nseconds;

    if (!xdr_u32(&call->in, &how) || how > SET_TO_CLIENT_TIME)
        return false;
    if (how == DONT_CHANGE)
        return true;
    change->set |= what;
    *out = nfs_now(call->server);
    if (how == SET_TO_SERVER_TIME)
        return true;
    change->explicit_times = true;
    if (!xdr_u32(&call->in, &seconds) || !xdr_u32(&call->in, &nseconds))
        return false;
    *out = seconds * NS_PER_S + nseconds;
    return true;
}

bool v3_get_sattr(struct nfs_call *call, struct nfs_node_change *change)
{
    bool size;

    *change = (struct nfs_node_change){0};
    if (!get_optional(call, change, NFS_SET_MODE, &change->mode) ||
        !get_optional(call, change, NFS_SET_UID, &change->uid) ||
        !get_optional(call, change, NFS_SET_GID, &change->gid) || !v3_get_bool(call, &size))
        return false;
    if (size) {
        change->set |= NFS_SET_SIZE;
        if (!xdr_u64(&call->in, &change->size))
            return false;
    }
    return v3_get_time(call, change, NFS_SET_ATIME, &change->atime_ns) &&
           v3_get_time(call, change, NFS_SET_MTIME, &change->mtime_ns);
}

/* ---- results ---- */

static void v3_put_time(struct nfs_call *call, int64_t ns)
{
    xdr_out_words(call->out, (uint32_t)(ns / NS_PER_S), (uint32_t)(ns % NS_PER_S));
}

static void v3_put_attributes(struct nfs_call *call, const struct nfs_node *node)
{
    xdr_out_words(call->out, node->kind, node->mode, node->nlink, node->uid, node->gid);
    xdr_out_u64(call->out, node->size);
    xdr_out_u64(call->out, node->used);
    xdr_out_words(call->out, node->major, node->minor);
    xdr_out_u64(call->out, call->server->instance);
    xdr_out_u64(call->out, node->id);
    v3_put_time(call, node->atime_ns);
    v3_put_time(call, node->mtime_ns);
    v3_put_time(call, node->ctime_ns);
}

static void put_post(struct nfs_call *call, const struct nfs_node *node)
{
    xdr_out_bool(call->out, node);
    if (node)
        v3_put_attributes(call, node);
}

void v3_put_post(struct nfs_call *call, const struct v3_object *object)
{
    put_post(call, object->known ? nfs_tree_get(call->server->tree, object->id) : NULL);
}

void v3_put_wcc(struct nfs_call *call, const struct v3_object *object)
{
    xdr_out_bool(call->out, object->known);
    if (object->known) {
        xdr_out_u64(call->out, object->before.size);
        v3_put_time(call, object->before.mtime_ns);
        v3_put_time(call, object->before.ctime_ns);
    }
    v3_put_post(call, object);
}

void v3_put_handle(struct nfs_call *call, uint64_t id)
{
    uint8_t handle[NFS_HANDLE_OCTETS];

    nfs_handle_encode(call->server, id, handle);
    xdr_out_opaque(call->out, handle, sizeof handle);
}

void v3_put_made(struct nfs_call *call, uint64_t id)
{
    xdr_out_bool(call->out, true);
    v3_put_handle(call, id);
    put_post(call, nfs_tree_get(call->server->tree, id));
}

/* ---- permissions ---- */

uint32_t v3_may(const struct nfs_call *call, const struct v3_object *object, unsigned what)
{
    if (!object->known)
        return object->status;
    return nfs_may(call, &object->before, what) ? NFS_TREE_OK : NFS_TREE_ACCES;
}

uint32_t v3_may_use(const struct nfs_call *call, const struct v3_object *object, unsigned what)
{
    return object->known && nfs_owns(call, &object->before) ? NFS_TREE_OK : v3_may(call, object, what);
}

uint32_t v3_own(const struct nfs_call *call, struct nfs_node_change *change)
{
    const struct nfs_credentials *credentials = &call->credentials;

    if (!(change->set & NFS_SET_UID))
        change->uid = credentials->uid;
    if (!(change->set & NFS_SET_GID))
        change->gid = credentials->gid;
    change->set |= NFS_SET_UID | NFS_SET_GID;
    return credentials->uid == 0 || change->uid == credentials->uid ? NFS_TREE_OK : NFS_TREE_PERM;
}

uint32_t v3_may_set(const struct nfs_call *call, const struct v3_object *object, const struct nfs_node_change *change)
{
    unsigned owners = NFS_SET_MODE | NFS_SET_UID | NFS_SET_GID;

    if (!object->known)
        return object->status;
    if (change->set & NFS_SET_UID && change->uid != object->before.uid && call->credentials.uid != 0)
        return NFS_TREE_PERM;
    if (nfs_owns(call, &object->before))
        return NFS_TREE_OK;
    if (change->set & owners || change->explicit_times)
        return NFS_TREE_PERM;
    return v3_may(call, object, NFS_MAY_WRITE);
}

uint32_t v3_undelegated(const struct nfs_call *call, uint32_t status, uint64_t id, bool modifies)
{
    return status == NFS_TREE_OK && nfs4_delegated(call->server, id, modifies) ? (uint32_t)V3_JUKEBOX : status;
}

uint32_t v3_undelegated_name(const struct nfs_call *call, uint32_t status, const struct v3_object *dir,
                             const struct v3_name *name)
{
    uint64_t id;

    if (status != NFS_TREE_OK || nfs_tree_lookup(call->server->tree, dir->id, name->p, name->n, &id) != NFS_TREE_OK)
        return status;
    return v3_undelegated(call, status, id, true);
}

/* ---- procedures on attributes ---- */

static enum rpc_accept_stat v3_getattr(struct nfs_call *call)
{
    struct v3_object object;

    if (!v3_get_object(call, &object))
        return RPC_GARBAGE_ARGS;
    xdr_out_u32(call->out, object.status);
    if (object.known)
        v3_put_attributes(call, &object.before);
    return RPC_SUCCESS;
}

static enum rpc_accept_stat v3_setattr(struct nfs_call *call)
{
    struct v3_object object;
    struct nfs_node_change change;
    bool guarded;
    uint32_t seconds = 0, nseconds = 0, status;

    if (!v3_get_object(call, &object) || !v3_get_sattr(call, &change) || !v3_get_bool(call, &guarded))
        return RPC_GARBAGE_ARGS;
    if (guarded && (!xdr_u32(&call->in, &seconds) || !xdr_u32(&call->in, &nseconds)))
        return RPC_GARBAGE_ARGS;
    status = v3_may_set(call, &object, &change);
    if (status == NFS_TREE_OK && guarded &&
        ((uint32_t)(object.before.ctime_ns / NS_PER_S) != seconds || object.before.ctime_ns % NS_PER_S != nseconds))
        status = V3_NOT_SYNC;
    status = v3_undelegated(call, status, object.id, true);
    if (status == NFS_TREE_OK)
        status = nfs_tree_set(call->server->tree, object.id, &change);
    /* Only files have a size that can be set (section 3.3.2 knows no ISDIR). */
    xdr_out_u32(call->out, status == NFS_TREE_ISDIR ? NFS_TREE_INVAL : status);
    v3_put_wcc(call, &object);
    return RPC_SUCCESS;
}

static enum rpc_accept_stat v3_access(struct nfs_call *call)
{
    static const struct {
        uint32_t bit;
        unsigned of_file, of_directory; /* 0: meaningless there */
    } rights[] = {
        {0x01 /* READ */, NFS_MAY_READ, NFS_MAY_READ},
        {0x02 /* LOOKUP */, 0, NFS_MAY_EXECUTE},
        {0x04 /* MODIFY */, NFS_MAY_WRITE, NFS_MAY_WRITE | NFS_MAY_EXECUTE},
        {0x08 /* EXTEND */, NFS_MAY_WRITE, NFS_MAY_WRITE | NFS_MAY_EXECUTE},
        {0x10 /* DELETE */, 0, NFS_MAY_WRITE | NFS_MAY_EXECUTE},
        {0x20 /* EXECUTE */, NFS_MAY_EXECUTE, 0},
    };
    struct v3_object object;
    uint32_t asked, granted = 0;

    if (!v3_get_object(call, &object) || !xdr_u32(&call->in, &asked))
        return RPC_GARBAGE_ARGS;
    xdr_out_u32(call->out, object.status);
    v3_put_post(call, &object);
    if (!object.known)
        return RPC_SUCCESS;
    for (size_t i = 0; i < G_N_ELEMENTS(rights); i++) {
        unsigned what = object.before.kind == NFS_NODE_DIRECTORY ? rights[i].of_directory : rights[i].of_file;

        if (what & NFS_MAY_WRITE && nfs_tree_is_sealed(call->server->tree))
            continue;
        if (what && nfs_may(call, &object.before, what))
            granted |= rights[i].bit;
    }
    xdr_out_u32(call->out, asked & granted);
    return RPC_SUCCESS;
}

static enum rpc_accept_stat v3_fsstat(struct nfs_call *call)
{
    struct v3_object object;
    uint64_t octets, octets_max, nodes, nodes_max;

    if (!v3_get_object(call, &object))
        return RPC_GARBAGE_ARGS;
    xdr_out_u32(call->out, object.status);
    v3_put_post(call, &object);
    if (!object.known)
        return RPC_SUCCESS;
    nfs_tree_usage(call->server->tree, &octets, &octets_max, &nodes, &nodes_max);
    xdr_out_u64(call->out, octets_max);
    xdr_out_u64(call->out, octets_max - octets);
    xdr_out_u64(call->out, octets_max - octets);
    xdr_out_u64(call->out, nodes_max);
    xdr_out_u64(call->out, nodes_max - nodes);
    xdr_out_u64(call->out, nodes_max - nodes);
    xdr_out_u32(call->out, 0); /* invarsec: it may change at any time */
    return RPC_SUCCESS;
}

static enum rpc_accept_stat v3_fsinfo(struct nfs_call *call)
{
    enum { LINK = 1, SYMLINK = 2, HOMOGENEOUS = 8, CANSETTIME = 16 };
    const uint32_t io_max = call->server->options.io_max;
    struct v3_object object;

    if (!v3_get_object(call, &object))
        return RPC_GARBAGE_ARGS;
    xdr_out_u32(call->out, object.status);
    v3_put_post(call, &object);
    if (!object.known)
        return RPC_SUCCESS;
    xdr_out_words(call->out, io_max, io_max, 1, io_max, io_max, 1, MIN(io_max, 65536));
    xdr_out_u64(call->out, INT64_MAX);
    v3_put_time(call, 1);
    xdr_out_u32(call->out, LINK | SYMLINK | HOMOGENEOUS | CANSETTIME);
    return RPC_SUCCESS;
}

static enum rpc_accept_stat v3_pathconf(struct nfs_call *call)
{
    struct v3_object object;

    if (!v3_get_object(call, &object))
        return RPC_GARBAGE_ARGS;
    xdr_out_u32(call->out, object.status);
    v3_put_post(call, &object);
    if (!object.known)
        return RPC_SUCCESS;
    xdr_out_words(call->out, NFS_LINKS_MAX, NFS_NAME_MAX);
    xdr_out_bool(call->out, true);  /* no_trunc */
    xdr_out_bool(call->out, true);  /* chown_restricted */
    xdr_out_bool(call->out, false); /* case_insensitive */
    xdr_out_bool(call->out, true);  /* case_preserving */
    return RPC_SUCCESS;
}

static const nfs_serve procedures[] = {
    nfs_serve_null, v3_getattr,     v3_setattr, v3_lookup, v3_access,   v3_readlink, v3_read,   v3_write,
    v3_create,      v3_mkdir,       v3_symlink, v3_mknod,  v3_remove,   v3_rmdir,    v3_rename, v3_link,
    v3_readdir,     v3_readdirplus, v3_fsstat,  v3_fsinfo, v3_pathconf, v3_commit,
};

const struct nfs_version nfs_v3 = {NFS_PROGRAM, 3, G_N_ELEMENTS(procedures), procedures};
