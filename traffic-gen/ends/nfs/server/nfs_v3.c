// SPDX-License-Identifier: GPL-2.0-or-later
/* NFS version 3, RFC 1813: the types that its procedures share, and the procedures on attributes. */
#include "traffic-gen/ends/nfs/server/nfs_v3_internal.h"

#define NS_PER_S INT64_C(1000000000)

enum time_how { DONT_CHANGE, SET_TO_SERVER_TIME, SET_TO_CLIENT_TIME };

/* ---- arguments ---- */

struct v3_object v3_get_object(struct nfs_call *call)
{
    struct v3_object object = {0};
    struct nfs_opaque handle;

    if (v3_is_v2(call))
        return v2_get_object(call);
    handle = nfs_get_opaque(&call->in);
    object.status = nfs_handle_decode(call->server, handle.p, handle.n, &object.id);
    object.known = object.status == NFS_TREE_OK;
    if (object.known)
        object.before = *nfs_tree_get(call->server->tree, object.id);
    return object;
}

struct v3_where v3_get_where(struct nfs_call *call)
{
    struct v3_where where = {.dir = v3_get_object(call)};

    where.name = nfs_get_opaque(&call->in);
    return where;
}

/* A number that is present if the boolean before it is true. */
static uint32_t get_optional(struct nfs_call *call, struct nfs_node_change *change, unsigned what)
{
    if (!nfs_get_u32(&call->in))
        return 0;
    change->set |= what;
    return nfs_get_u32(&call->in);
}

static int64_t v3_get_time(struct nfs_call *call, struct nfs_node_change *change, unsigned what)
{
    const enum time_how how = nfs_get_u32(&call->in);
    int64_t ns;

    if (how == DONT_CHANGE)
        return 0;
    change->set |= what;
    if (how == SET_TO_SERVER_TIME)
        return nfs_now(call->server);
    change->explicit_times = true;
    ns = nfs_get_u32(&call->in) * NS_PER_S;
    return ns + nfs_get_u32(&call->in);
}

struct nfs_node_change v3_get_sattr(struct nfs_call *call)
{
    struct nfs_node_change change = {0};

    if (v3_is_v2(call))
        return v2_get_sattr(call);
    change.mode = get_optional(call, &change, NFS_SET_MODE);
    change.uid = get_optional(call, &change, NFS_SET_UID);
    change.gid = get_optional(call, &change, NFS_SET_GID);
    if (nfs_get_u32(&call->in)) {
        change.set |= NFS_SET_SIZE;
        change.size = nfs_get_u64(&call->in);
    }
    change.atime_ns = v3_get_time(call, &change, NFS_SET_ATIME);
    change.mtime_ns = v3_get_time(call, &change, NFS_SET_MTIME);
    return change;
}

/* ---- results ---- */

static void v3_put_time(struct nfs_call *call, int64_t ns)
{
    xdr_out_words(call->out, (uint32_t)(ns / NS_PER_S), (uint32_t)(ns % NS_PER_S));
}

static void v3_put_attributes(struct nfs_call *call, const struct nfs_node *node)
{
    if (v3_is_v2(call)) {
        v2_put_attributes(call, node);
        return;
    }
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

void v3_put_post(struct nfs_call *call, const struct v3_object *object)
{
    const struct nfs_node *node = object->known ? nfs_tree_get(call->server->tree, object->id) : NULL;

    if (v3_is_v2(call))
        return;
    xdr_out_bool(call->out, node);
    if (node)
        v3_put_attributes(call, node);
}

void v3_put_wcc(struct nfs_call *call, const struct v3_object *object)
{
    if (v3_is_v2(call))
        return;
    xdr_out_bool(call->out, object->known);
    if (object->known) {
        xdr_out_u64(call->out, object->before.size);
        v3_put_time(call, object->before.mtime_ns);
        v3_put_time(call, object->before.ctime_ns);
    }
    v3_put_post(call, object);
}

void v3_put_status(struct nfs_call *call, uint32_t status)
{
    if (v3_is_v2(call))
        v2_put_status(call, status);
    else
        xdr_out_u32(call->out, status);
}

bool v3_begin_post(struct nfs_call *call, uint32_t status, const struct v3_object *object)
{
    v3_put_status(call, status);
    v3_put_post(call, object);
    return status == NFS_TREE_OK;
}

bool v3_begin_wcc(struct nfs_call *call, uint32_t status, const struct v3_object *object)
{
    v3_put_status(call, status);
    v3_put_wcc(call, object);
    return status == NFS_TREE_OK;
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

uint32_t v3_undelegated_name(const struct nfs_call *call, uint32_t status, const struct v3_where *where)
{
    uint64_t id;

    if (status != NFS_TREE_OK ||
        nfs_tree_lookup(call->server->tree, where->dir.id, where->name.p, where->name.n, &id) != NFS_TREE_OK)
        return status;
    return v3_undelegated(call, status, id, true);
}

/* ---- procedures on attributes ---- */

void v3_getattr(struct nfs_call *call)
{
    const struct v3_object object = v3_get_object(call);

    v3_put_status(call, object.status);
    if (object.known)
        v3_put_attributes(call, &object.before);
}

/* sattrguard3, which follows: the ctime known to the client. */
static bool is_in_sync(struct nfs_call *call, int64_t ctime_ns)
{
    uint32_t seconds;

    if (!nfs_get_u32(&call->in))
        return true;
    seconds = nfs_get_u32(&call->in);
    return (uint32_t)(ctime_ns / NS_PER_S) == seconds && ctime_ns % NS_PER_S == nfs_get_u32(&call->in);
}

static void v3_setattr(struct nfs_call *call)
{
    const struct v3_object object = v3_get_object(call);
    const struct nfs_node_change change = v3_get_sattr(call);
    uint32_t status = v3_may_set(call, &object, &change);

    if (status == NFS_TREE_OK && !is_in_sync(call, object.before.ctime_ns))
        status = V3_NOT_SYNC;
    status = v3_undelegated(call, status, object.id, true);
    if (status == NFS_TREE_OK)
        status = nfs_tree_set(call->server->tree, object.id, &change);
    /* Only files have a size that can be set (section 3.3.2 does not define ISDIR). */
    v3_begin_wcc(call, status == NFS_TREE_ISDIR ? (uint32_t)NFS_TREE_INVAL : status, &object);
}

static void v3_access(struct nfs_call *call)
{
    static const struct {
        uint32_t bit;
        unsigned of_file, of_directory; /* 0: meaningless there */
    } rights[] = {
        {0x01 /* READ */, NFS_MAY_READ, NFS_MAY_READ},
        {0x02 /* LOOKUP */, 0, NFS_MAY_EXECUTE},
        {0x04 /* MODIFY */, NFS_MAY_WRITE, NFS_MAY_CHANGE},
        {0x08 /* EXTEND */, NFS_MAY_WRITE, NFS_MAY_CHANGE},
        {0x10 /* DELETE */, 0, NFS_MAY_CHANGE},
        {0x20 /* EXECUTE */, NFS_MAY_EXECUTE, 0},
    };
    const struct v3_object object = v3_get_object(call);
    const uint32_t asked = nfs_get_u32(&call->in);
    uint32_t granted = 0;

    if (!v3_begin_post(call, object.status, &object))
        return;
    for (size_t i = 0; i < G_N_ELEMENTS(rights); i++) {
        unsigned what = object.before.kind == NFS_NODE_DIRECTORY ? rights[i].of_directory : rights[i].of_file;

        if (what & NFS_MAY_WRITE && nfs_tree_is_sealed(call->server->tree))
            continue;
        if (what && nfs_may(call, &object.before, what))
            granted |= rights[i].bit;
    }
    xdr_out_u32(call->out, asked & granted);
}

static void v3_fsstat(struct nfs_call *call)
{
    const struct v3_object object = v3_get_object(call);
    uint64_t octets, octets_max, nodes, nodes_max;

    if (!v3_begin_post(call, object.status, &object))
        return;
    nfs_tree_usage(call->server->tree, &octets, &octets_max, &nodes, &nodes_max);
    xdr_out_u64(call->out, octets_max);
    xdr_out_u64(call->out, octets_max - octets);
    xdr_out_u64(call->out, octets_max - octets);
    xdr_out_u64(call->out, nodes_max);
    xdr_out_u64(call->out, nodes_max - nodes);
    xdr_out_u64(call->out, nodes_max - nodes);
    xdr_out_u32(call->out, 0); /* invarsec: may change at any time */
}

static void v3_fsinfo(struct nfs_call *call)
{
    enum { LINK = 1, SYMLINK = 2, HOMOGENEOUS = 8, CANSETTIME = 16 };
    const uint32_t io_max = call->server->options.io_max;
    const struct v3_object object = v3_get_object(call);

    if (!v3_begin_post(call, object.status, &object))
        return;
    xdr_out_words(call->out, io_max, io_max, 1, io_max, io_max, 1, MIN(io_max, 65536));
    xdr_out_u64(call->out, INT64_MAX);
    v3_put_time(call, 1);
    xdr_out_u32(call->out, LINK | SYMLINK | HOMOGENEOUS | CANSETTIME);
}

static void v3_pathconf(struct nfs_call *call)
{
    const struct v3_object object = v3_get_object(call);

    if (!v3_begin_post(call, object.status, &object))
        return;
    xdr_out_words(call->out, NFS_LINKS_MAX, NFS_NAME_MAX);
    xdr_out_bool(call->out, true);  /* no_trunc */
    xdr_out_bool(call->out, true);  /* chown_restricted */
    xdr_out_bool(call->out, false); /* case_insensitive */
    xdr_out_bool(call->out, true);  /* case_preserving */
}

static nfs_serve *const procedures[] = {
    NULL,       v3_getattr,     v3_setattr, v3_lookup, v3_access,   v3_readlink, v3_read,   v3_write,
    v3_create,  v3_mkdir,       v3_symlink, v3_mknod,  v3_remove,   v3_rmdir,    v3_rename, v3_link,
    v3_readdir, v3_readdirplus, v3_fsstat,  v3_fsinfo, v3_pathconf, v3_commit,
};

const struct nfs_version nfs_v3 = {NFS_PROGRAM, 3, G_N_ELEMENTS(procedures), procedures};
