// SPDX-License-Identifier: GPL-2.0-or-later
/* NFS version 3: the octets of files, links and directories. RFC 1813 sections 3.3.5 to 3.3.7, 3.3.16, 3.3.17, 3.3.21.
 */
#include "traffic-gen/nfs/server/nfs_v3_internal.h"

enum {
    READ_OVERHEAD = V3_POST_OCTETS + 19,    /* status, count, eof, length of the data and its roundup */
    READDIR_OVERHEAD = V3_POST_OCTETS + 16, /* verifier, end of the list, eof */
    STABLE_MAX = 2,                         /* FILE_SYNC */
};

/* Only regular files have octets: anything else is INVAL (sections 3.3.6 and 3.3.7). */
static uint32_t may_use_file(const struct nfs_call *call, const struct v3_object *file, unsigned what)
{
    if (file->known && file->before.kind != NFS_NODE_FILE)
        return NFS_TREE_INVAL;
    return v3_may_use(call, file, what);
}

enum rpc_accept_stat v3_readlink(struct nfs_call *call)
{
    struct v3_object link;
    const char *target = NULL;
    uint32_t status;
    size_t n = 0;

    if (!v3_get_object(call, &link))
        return RPC_GARBAGE_ARGS;
    status = link.known ? nfs_tree_readlink(call->server->tree, link.id, &target, &n) : link.status;
    xdr_out_u32(call->out, status);
    v3_put_post(call, &link);
    if (status == NFS_TREE_OK)
        xdr_out_eligible(call->out, target, (uint32_t)n);
    return RPC_SUCCESS;
}

enum rpc_accept_stat v3_read(struct nfs_call *call)
{
    struct v3_object file;
    uint64_t at;
    uint32_t count, status;
    size_t room, n;
    const uint8_t *p;
    bool eof;

    if (!v3_get_object(call, &file) || !xdr_u64(&call->in, &at) || !xdr_u32(&call->in, &count))
        return RPC_GARBAGE_ARGS;
    room = nfs_room_left(call);
    room = room > READ_OVERHEAD ? room - READ_OVERHEAD : 0;
    status = may_use_file(call, &file, NFS_MAY_READ);
    if (status != NFS_TREE_OK && file.known && nfs_may(call, &file.before, NFS_MAY_EXECUTE) &&
        file.before.kind == NFS_NODE_FILE)
        status = NFS_TREE_OK; /* executing a program reads it (section 4.4) */
    status = v3_undelegated(call, status, file.id, false);
    if (status == NFS_TREE_OK)
        status = nfs_tree_read(call->server->tree, file.id, at, MIN(MIN(count, call->server->options.io_max), room), &p,
                               &n, &eof);
    xdr_out_u32(call->out, status);
    v3_put_post(call, &file);
    if (status != NFS_TREE_OK)
        return RPC_SUCCESS;
    xdr_out_u32(call->out, (uint32_t)n);
    xdr_out_bool(call->out, eof);
    xdr_out_eligible(call->out, p, (uint32_t)n);
    return RPC_SUCCESS;
}

enum rpc_accept_stat v3_write(struct nfs_call *call)
{
    struct v3_object file;
    uint64_t at;
    uint32_t count, stable, length, status;
    const uint8_t *p;

    if (!v3_get_object(call, &file) || !xdr_u64(&call->in, &at) || !xdr_u32(&call->in, &count) ||
        !xdr_u32(&call->in, &stable) || stable > STABLE_MAX || !xdr_opaque(&call->in, &p, &length))
        return RPC_GARBAGE_ARGS;
    status = may_use_file(call, &file, NFS_MAY_WRITE);
    if (status == NFS_TREE_OK && count != length)
        status = NFS_TREE_INVAL;
    status = v3_undelegated(call, status, file.id, true);
    count = MIN(count, call->server->options.io_max);
    if (status == NFS_TREE_OK)
        status = nfs_tree_write(call->server->tree, file.id, at, p, count);
    xdr_out_u32(call->out, status);
    v3_put_wcc(call, &file);
    if (status != NFS_TREE_OK)
        return RPC_SUCCESS;
    xdr_out_u32(call->out, count);
    xdr_out_u32(call->out, stable); /* memory is the most stable storage here */
    xdr_out_u64(call->out, call->server->verifier);
    return RPC_SUCCESS;
}

enum rpc_accept_stat v3_commit(struct nfs_call *call)
{
    struct v3_object file;
    uint64_t at;
    uint32_t count, status;

    if (!v3_get_object(call, &file) || !xdr_u64(&call->in, &at) || !xdr_u32(&call->in, &count))
        return RPC_GARBAGE_ARGS;
    status = may_use_file(call, &file, NFS_MAY_WRITE);
    xdr_out_u32(call->out, status);
    v3_put_wcc(call, &file);
    if (status == NFS_TREE_OK)
        xdr_out_u64(call->out, call->server->verifier);
    return RPC_SUCCESS;
}

/* ---- directories ---- */

struct listing {
    struct v3_object dir;
    uint64_t cookie, verifier;
    uint32_t dircount, maxcount; /* dircount: of names, numbers and cookies alone */
    bool plus;
};

/* Octets of one entry with the boolean before it. */
static size_t entry_octets(const struct listing *listing, const struct nfs_entry *entry)
{
    return 24 + xdr_padded(entry->n) + (listing->plus ? V3_POST_OCTETS + 8 + NFS_HANDLE_OCTETS : 0);
}

static void put_entry(struct nfs_call *call, const struct listing *listing, const struct nfs_entry *entry)
{
    struct v3_object object = {.id = entry->id, .known = true};

    xdr_out_bool(call->out, true);
    xdr_out_u64(call->out, entry->id);
    xdr_out_opaque(call->out, entry->name, (uint32_t)entry->n);
    xdr_out_u64(call->out, entry->cookie);
    if (!listing->plus)
        return;
    v3_put_post(call, &object);
    xdr_out_bool(call->out, true);
    v3_put_handle(call, entry->id);
}

static enum rpc_accept_stat data_list(struct nfs_call *call, const struct listing *listing)
{
    const struct v3_object *dir = &listing->dir;
    struct nfs_entry entry;
    uint64_t cookie = listing->cookie;
    uint32_t status = v3_may(call, dir, NFS_MAY_READ);
    size_t room = MIN(MIN(listing->maxcount, call->server->options.io_max), nfs_room_left(call)), names = 0;
    bool more, any = false;

    if (status == NFS_TREE_OK && dir->before.kind != NFS_NODE_DIRECTORY)
        status = NFS_TREE_NOTDIR;
    if (status == NFS_TREE_OK && cookie != 0 && listing->verifier != call->server->verifier)
        status = V3_BAD_COOKIE;
    room = room > READDIR_OVERHEAD ? room - READDIR_OVERHEAD : 0;
    more = status == NFS_TREE_OK && nfs_next_entry(call->server, dir->id, cookie, &entry);
    if (more && entry_octets(listing, &entry) > room)
        status = V3_TOOSMALL;
    xdr_out_u32(call->out, status);
    v3_put_post(call, dir);
    if (status != NFS_TREE_OK)
        return RPC_SUCCESS;
    xdr_out_u64(call->out, call->server->verifier);
    while (more && entry_octets(listing, &entry) <= room) {
        names += 24 + entry.n;
        if (any && names > listing->dircount)
            break;
        any = true;
        put_entry(call, listing, &entry);
        room -= entry_octets(listing, &entry);
        more = nfs_next_entry(call->server, dir->id, entry.cookie, &entry);
    }
    xdr_out_bool(call->out, false);
    xdr_out_bool(call->out, !more);
    return RPC_SUCCESS;
}

enum rpc_accept_stat v3_readdir(struct nfs_call *call)
{
    struct listing listing = {.dircount = UINT32_MAX};

    if (!v3_get_object(call, &listing.dir) || !xdr_u64(&call->in, &listing.cookie) ||
        !xdr_u64(&call->in, &listing.verifier) || !xdr_u32(&call->in, &listing.maxcount))
        return RPC_GARBAGE_ARGS;
    return data_list(call, &listing);
}

enum rpc_accept_stat v3_readdirplus(struct nfs_call *call)
{
    struct listing listing = {.plus = true};

    if (!v3_get_object(call, &listing.dir) || !xdr_u64(&call->in, &listing.cookie) ||
        !xdr_u64(&call->in, &listing.verifier) || !xdr_u32(&call->in, &listing.dircount) ||
        !xdr_u32(&call->in, &listing.maxcount))
        return RPC_GARBAGE_ARGS;
    return data_list(call, &listing);
}
