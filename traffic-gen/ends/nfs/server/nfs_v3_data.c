// SPDX-License-Identifier: GPL-2.0-or-later
/* NFS version 3: the octets of files, links and directories. RFC 1813 sections 3.3.5 to 3.3.7, 3.3.16, 3.3.17, 3.3.21.
 */
#include "traffic-gen/ends/nfs/server/nfs_v3_internal.h"

enum {
    READ_OVERHEAD = V3_POST_OCTETS + 19,    /* status, count, eof, length of the data and its roundup */
    READDIR_OVERHEAD = V3_POST_OCTETS + 16, /* verifier, end of the list, eof */
};

/* Only regular files have octets; for other nodes the status is INVAL (sections 3.3.6 and 3.3.7). */
static uint32_t may_use_file(const struct nfs_call *call, const struct v3_object *file, unsigned what)
{
    if (file->known && file->before.kind != NFS_NODE_FILE)
        return NFS_TREE_INVAL;
    return v3_may_use(call, file, what);
}

void v3_readlink(struct nfs_call *call)
{
    const struct v3_object link = v3_get_object(call);
    const char *target = NULL;
    size_t n = 0;
    uint32_t status = link.known ? nfs_tree_readlink(call->server->tree, link.id, &target, &n) : link.status;

    if (v3_begin_post(call, status, &link))
        xdr_out_eligible(call->out, target, (uint32_t)n);
}

void v3_read(struct nfs_call *call)
{
    const struct v3_object file = v3_get_object(call);
    const uint64_t at = nfs_get_u64(&call->in);
    const uint32_t count = nfs_get_u32(&call->in);
    uint32_t status = may_use_file(call, &file, NFS_MAY_READ);
    size_t room = nfs_room_left(call), n = 0;
    const uint8_t *p = NULL;
    bool eof = false;

    room = room > READ_OVERHEAD ? room - READ_OVERHEAD : 0;
    if (status != NFS_TREE_OK && file.known && nfs_may(call, &file.before, NFS_MAY_EXECUTE) &&
        file.before.kind == NFS_NODE_FILE)
        status = NFS_TREE_OK; /* executing a program reads it (section 4.4) */
    status = v3_undelegated(call, status, file.id, false);
    if (status == NFS_TREE_OK)
        status = nfs_tree_read(call->server->tree, file.id, at, MIN(MIN(count, call->server->options.io_max), room), &p,
                               &n, &eof);
    if (!v3_begin_post(call, status, &file))
        return;
    xdr_out_words(call->out, (uint32_t)n, eof);
    xdr_out_eligible(call->out, p, (uint32_t)n);
}

void v3_write(struct nfs_call *call)
{
    const struct v3_object file = v3_get_object(call);
    const uint64_t at = nfs_get_u64(&call->in);
    const uint32_t count = nfs_get_u32(&call->in), stable = nfs_get_u32(&call->in);
    const struct nfs_opaque data = nfs_get_opaque(&call->in);
    const uint32_t written = MIN(count, call->server->options.io_max);
    uint32_t status = may_use_file(call, &file, NFS_MAY_WRITE);

    if (status == NFS_TREE_OK && count != data.n)
        status = NFS_TREE_INVAL;
    status = v3_undelegated(call, status, file.id, true);
    if (status == NFS_TREE_OK)
        status = nfs_tree_write(call->server->tree, file.id, at, data.p, written);
    if (!v3_begin_wcc(call, status, &file))
        return;
    xdr_out_words(call->out, written, stable); /* memory is the most stable storage here */
    xdr_out_u64(call->out, call->server->verifier);
}

void v3_commit(struct nfs_call *call)
{
    const struct v3_object file = v3_get_object(call);

    if (v3_begin_wcc(call, may_use_file(call, &file, NFS_MAY_WRITE), &file))
        xdr_out_u64(call->out, call->server->verifier);
}

/* ---- directories ---- */

/* Octets of one entry with the boolean before it. */
static size_t entry_octets(const struct nfs_entry *entry, bool plus)
{
    return 24 + xdr_padded(entry->n) + (plus ? V3_POST_OCTETS + 8 + NFS_HANDLE_OCTETS : 0);
}

static void put_entry(struct nfs_call *call, const struct nfs_entry *entry, bool plus)
{
    struct v3_object object = {.id = entry->id, .known = true};

    xdr_out_bool(call->out, true);
    xdr_out_u64(call->out, entry->id);
    xdr_out_opaque(call->out, entry->name, (uint32_t)entry->n);
    xdr_out_u64(call->out, entry->cookie);
    if (!plus)
        return;
    v3_put_post(call, &object);
    xdr_out_bool(call->out, true);
    nfs_put_handle(call, entry->id);
}

static void data_list(struct nfs_call *call, bool plus)
{
    const struct v3_object dir = v3_get_object(call);
    const uint64_t cookie = nfs_get_u64(&call->in), verifier = nfs_get_u64(&call->in);
    const uint32_t dircount = plus ? nfs_get_u32(&call->in) : UINT32_MAX; /* only names, numbers and cookies count */
    const uint32_t maxcount = nfs_get_u32(&call->in);
    struct nfs_entry entry;
    uint32_t status = v3_may(call, &dir, NFS_MAY_READ);
    size_t room = MIN(MIN(maxcount, call->server->options.io_max), nfs_room_left(call)), names = 0;
    bool more, any = false;

    if (status == NFS_TREE_OK && dir.before.kind != NFS_NODE_DIRECTORY)
        status = NFS_TREE_NOTDIR;
    if (status == NFS_TREE_OK && cookie != 0 && verifier != call->server->verifier)
        status = V3_BAD_COOKIE;
    room = room > READDIR_OVERHEAD ? room - READDIR_OVERHEAD : 0;
    more = status == NFS_TREE_OK && nfs_next_entry(call->server, dir.id, cookie, &entry);
    if (more && entry_octets(&entry, plus) > room)
        status = V3_TOOSMALL;
    if (!v3_begin_post(call, status, &dir))
        return;
    xdr_out_u64(call->out, call->server->verifier);
    while (more && entry_octets(&entry, plus) <= room) {
        names += 24 + entry.n;
        if (any && names > dircount)
            break;
        any = true;
        put_entry(call, &entry, plus);
        room -= entry_octets(&entry, plus);
        more = nfs_next_entry(call->server, dir.id, entry.cookie, &entry);
    }
    xdr_out_words(call->out, false, !more);
}

void v3_readdir(struct nfs_call *call)
{
    data_list(call, false);
}

void v3_readdirplus(struct nfs_call *call)
{
    data_list(call, true);
}
