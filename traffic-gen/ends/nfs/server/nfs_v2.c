// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * NFS version 2: RFC 1094 section 2.2. Handles have 32 octets, sizes 32 bits, data at most 8192 octets; files and
 * permissions are those of version 3, with less detail. Procedures with other arguments or results than in version 3
 * are here; the others are those of version 3, with the types of this file.
 */
#include "traffic-gen/ends/nfs/server/nfs_v3_internal.h"

#define NS_PER_S INT64_C(1000000000)

enum { HANDLE = 32, DATA_MAX = 8192, PATH_MAX_OCTETS = 1024, BLOCK = 4096, UNSET = -1 };

/* ---- arguments ---- */

struct v3_object v2_get_object(struct nfs_call *call)
{
    static const uint8_t filling[HANDLE - NFS_HANDLE_OCTETS];
    const uint8_t *p = nfs_get_fixed(&call->in, HANDLE);
    struct v3_object object = {.status = NFS_TREE_STALE};

    if (memcmp(p + NFS_HANDLE_OCTETS, filling, sizeof filling) != 0 ||
        nfs_handle_decode(call->server, p, NFS_HANDLE_OCTETS, &object.id) != NFS_TREE_OK)
        return object;
    return (struct v3_object){
        .status = NFS_TREE_OK, .id = object.id, .known = true, .before = *nfs_tree_get(call->server->tree, object.id)};
}

/* A field with all bits set is unset. */
struct nfs_node_change v2_get_sattr(struct nfs_call *call)
{
    static const unsigned what[] = {NFS_SET_MODE,  NFS_SET_UID, NFS_SET_GID,   NFS_SET_SIZE,
                                    NFS_SET_ATIME, 0,           NFS_SET_MTIME, 0};
    struct nfs_node_change change;
    uint32_t words[8];

    for (size_t i = 0; i < G_N_ELEMENTS(words); i++)
        words[i] = nfs_get_u32(&call->in);
    change = (struct nfs_node_change){.mode = words[0], .uid = words[1], .gid = words[2], .size = words[3]};
    for (size_t i = 0; i < G_N_ELEMENTS(what); i++)
        if (words[i] != (uint32_t)UNSET)
            change.set |= what[i];
    change.atime_ns = words[4] * NS_PER_S + words[5] * INT64_C(1000);
    change.mtime_ns = words[6] * NS_PER_S + words[7] * INT64_C(1000);
    change.explicit_times = change.set & (NFS_SET_ATIME | NFS_SET_MTIME);
    return change;
}

/* ---- results ---- */

/* A status without a number in this version becomes an I/O error, even a status that asks to try again. */
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

void v2_put_attributes(struct nfs_call *call, const struct nfs_node *node)
{
    /* ftype, and the same type in the bits of the mode (section 2.3.5). Sockets and pipes have no number here. */
    static const struct {
        uint32_t type, mode;
    } kinds[] = {
        [NFS_NODE_FILE] = {1, 0100000}, [NFS_NODE_DIRECTORY] = {2, 0040000}, [NFS_NODE_BLOCK] = {3, 0060000},
        [NFS_NODE_CHAR] = {4, 0020000}, [NFS_NODE_LINK] = {5, 0120000},      [NFS_NODE_SOCKET] = {0, 0140000},
        [NFS_NODE_FIFO] = {0, 0010000},
    };

    xdr_out_words(call->out, kinds[node->kind].type, kinds[node->kind].mode | node->mode, node->nlink, node->uid,
                  node->gid, (uint32_t)MIN(node->size, UINT32_MAX), BLOCK, node->major << 8 | (node->minor & 0xff),
                  (uint32_t)MIN((node->used + 511) / 512, UINT32_MAX), (uint32_t)call->server->instance,
                  (uint32_t)node->id);
    v2_put_time(call, node->atime_ns);
    v2_put_time(call, node->mtime_ns);
    v2_put_time(call, node->ctime_ns);
}

void v2_put_status(struct nfs_call *call, uint32_t status)
{
    xdr_out_u32(call->out, v2_status_of(status));
}

/* attrstat */
static void put_attrstat(struct nfs_call *call, uint32_t status, uint64_t id)
{
    v2_put_status(call, status);
    if (status == NFS_TREE_OK)
        v2_put_attributes(call, nfs_tree_get(call->server->tree, id));
}

void v2_put_node(struct nfs_call *call, uint64_t id)
{
    uint8_t handle[HANDLE] = {0};

    nfs_handle_encode(call->server, id, handle);
    xdr_out_fixed(call->out, handle, sizeof handle);
    v2_put_attributes(call, nfs_tree_get(call->server->tree, id));
}

/* ---- procedures ---- */

static void v2_setattr(struct nfs_call *call)
{
    const struct v3_object object = v2_get_object(call);
    const struct nfs_node_change change = v2_get_sattr(call);
    uint32_t status = v3_undelegated(call, v3_may_set(call, &object, &change), object.id, true);

    if (status == NFS_TREE_OK)
        status = nfs_tree_set(call->server->tree, object.id, &change);
    put_attrstat(call, status, object.id);
}

static void v2_readlink(struct nfs_call *call)
{
    const struct v3_object link = v2_get_object(call);
    const char *target = NULL;
    size_t n = 0;
    uint32_t status = link.known ? nfs_tree_readlink(call->server->tree, link.id, &target, &n) : link.status;

    if (n > PATH_MAX_OCTETS)
        status = NFS_TREE_IO; /* created through another version: does not fit a path of this version */
    v2_put_status(call, status);
    if (status == NFS_TREE_OK)
        xdr_out_eligible(call->out, target, (uint32_t)n);
}

static void v2_read(struct nfs_call *call)
{
    enum { OVERHEAD = 4 + 17 * 4 + 4 + 3 };
    const struct v3_object file = v2_get_object(call);
    const uint32_t at = nfs_get_u32(&call->in), count = nfs_get_u32(&call->in);
    uint32_t status = v3_undelegated(call, v3_may_use(call, &file, NFS_MAY_READ), file.id, false);
    size_t n, room = nfs_room_left(call);
    const uint8_t *p;
    bool eof;

    room = room > OVERHEAD ? room - OVERHEAD : 0;
    if (status == NFS_TREE_OK)
        status = nfs_tree_read(call->server->tree, file.id, at, MIN(MIN(count, DATA_MAX), room), &p, &n, &eof);
    put_attrstat(call, status, file.id);
    if (status == NFS_TREE_OK)
        xdr_out_eligible(call->out, p, (uint32_t)n);
}

static void v2_write(struct nfs_call *call)
{
    const struct v3_object file = v2_get_object(call);
    uint32_t status = v3_undelegated(call, v3_may_use(call, &file, NFS_MAY_WRITE), file.id, true), at;
    struct nfs_opaque data;

    xdr_skip(&call->in, 4); /* beginoffset, which is ignored, as is totalcount: section 2.2.9 */
    at = nfs_get_u32(&call->in);
    xdr_skip(&call->in, 4);
    data = nfs_get_opaque(&call->in);
    if (status == NFS_TREE_OK && data.n > UINT32_MAX - at)
        status = NFS_TREE_FBIG;
    if (status == NFS_TREE_OK)
        status = nfs_tree_write(call->server->tree, file.id, at, data.p, data.n);
    put_attrstat(call, status, file.id);
}

static void v2_symlink(struct nfs_call *call)
{
    const struct v3_where where = v3_get_where(call);
    const struct nfs_opaque target = nfs_get_opaque(&call->in);
    struct nfs_node_change change = v2_get_sattr(call);
    uint64_t id;

    v2_put_status(call, v3_make_link(call, &where, target, &change, &id));
}

static void v2_readdir(struct nfs_call *call)
{
    enum { OVERHEAD = 12 /* status, end of the list, eof */, ENTRY = 16 };
    const struct v3_object dir = v2_get_object(call);
    const uint32_t cookie = nfs_get_u32(&call->in), count = nfs_get_u32(&call->in);
    uint32_t status = v3_may(call, &dir, NFS_MAY_READ);
    struct nfs_entry entry;
    size_t room;
    bool more, any = false;

    if (status == NFS_TREE_OK && dir.before.kind != NFS_NODE_DIRECTORY)
        status = NFS_TREE_NOTDIR;
    v2_put_status(call, status);
    if (status != NFS_TREE_OK)
        return;
    room = MIN(MIN(count, DATA_MAX), nfs_room_left(call));
    more = nfs_next_entry(call->server, dir.id, cookie, &entry);
    /*
     * TOOSMALL does not exist: the first entry is returned however little was requested; otherwise the client would ask
     * forever.
     */
    while (more && (!any || OVERHEAD + ENTRY + xdr_padded(entry.n) <= room)) {
        any = true;
        room -= MIN(room, ENTRY + xdr_padded(entry.n));
        xdr_out_words(call->out, true, (uint32_t)entry.id);
        xdr_out_opaque(call->out, entry.name, (uint32_t)entry.n);
        xdr_out_u32(call->out, (uint32_t)entry.cookie);
        more = nfs_next_entry(call->server, dir.id, entry.cookie, &entry);
    }
    xdr_out_words(call->out, false, !more);
}

static void v2_statfs(struct nfs_call *call)
{
    const struct v3_object object = v2_get_object(call);
    uint64_t octets, octets_max, nodes, nodes_max;

    v2_put_status(call, object.status);
    if (!object.known)
        return;
    nfs_tree_usage(call->server->tree, &octets, &octets_max, &nodes, &nodes_max);
    xdr_out_words(call->out, DATA_MAX, BLOCK, (uint32_t)MIN(octets_max / BLOCK, UINT32_MAX),
                  (uint32_t)MIN((octets_max - octets) / BLOCK, UINT32_MAX),
                  (uint32_t)MIN((octets_max - octets) / BLOCK, UINT32_MAX));
}

/* ROOT and WRITECACHE are obsolete and never used: they have neither arguments nor results (sections 2.2.4 and 2.2.8).
 */
static nfs_serve *const procedures[] = {
    NULL,      v3_getattr, v2_setattr, NULL,    v3_lookup,  v2_readlink, v2_read,  NULL,       v2_write,
    v3_create, v3_remove,  v3_rename,  v3_link, v2_symlink, v3_mkdir,    v3_rmdir, v2_readdir, v2_statfs,
};

const struct nfs_version nfs_v2 = {NFS_PROGRAM, 2, G_N_ELEMENTS(procedures), procedures};
