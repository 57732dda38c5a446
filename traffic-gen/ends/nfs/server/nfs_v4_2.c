// SPDX-License-Identifier: GPL-2.0-or-later
/* Minor version 2 (RFC 7862 section 15): space, holes, copies on the server. A copy finishes with its operation. */
#include "traffic-gen/ends/nfs/server/nfs_v4_internal.h"

enum {
    CONTENT_DATA = 0,
    CONTENT_HOLE = 1,
    STABLE_FILE_SYNC = 2,
    PIECE = 65536,
    SLACK = 2 * 4096 /* pages that are begun */
};

/* A stateid and its use, followed by offset and length. */
static const struct nfs_node *get_extent(struct nfs4_call *call, unsigned access, uint64_t *offset, uint64_t *length,
                                         int *status)
{
    const struct nfs4_stateid stateid = nfs4_get_stateid(call->in);
    const struct nfs_node *node = nfs4_regular(call, status);

    *offset = nfs_get_u64(call->in);
    *length = nfs_get_u64(call->in);
    if (!node)
        return NULL;
    if (*length > UINT64_MAX - *offset) {
        *status = NFS4ERR_INVAL;
        return NULL;
    }
    *status = nfs4_may_access(call, &stateid, node->id, access);
    return *status == NFS4_OK ? node : NULL;
}

/* Section 15.1.3: from now on, writing there cannot fail for lack of space; the file grows if necessary. */
int nfs4_allocate(struct nfs4_call *call)
{
    uint64_t offset, length;
    int status;
    const struct nfs_node *node = get_extent(call, NFS4_ACCESS_WRITE, &offset, &length, &status);

    return node ? (int)nfs_tree_allocate(call->tree, node->id, offset, length) : status;
}

/* Section 15.4.3: freed octets read as zeros; the size stays. */
int nfs4_deallocate(struct nfs4_call *call)
{
    uint64_t offset, length;
    int status;
    const struct nfs_node *node = get_extent(call, NFS4_ACCESS_WRITE, &offset, &length, &status);

    if (!node || offset >= node->size)
        return status;
    return (int)nfs_tree_punch(call->tree, node->id, offset, MIN(length, node->size - offset));
}

/* Section 15.11.3 */
int nfs4_seek(struct nfs4_call *call)
{
    const struct nfs4_stateid stateid = nfs4_get_stateid(call->in);
    const uint64_t offset = nfs_get_u64(call->in);
    const uint32_t what = nfs_get_u32(call->in);
    const struct nfs_node *node;
    uint64_t found, size;
    int status;

    if (what > CONTENT_HOLE)
        return NFS4ERR_UNION_NOTSUPP;
    node = nfs4_usable(call, &stateid, NFS4_ACCESS_READ, &status);
    if (!node)
        return status;
    if (offset >= node->size)
        return NFS4ERR_NXIO;
    size = node->size;
    status = (int)nfs_tree_seek(call->tree, node->id, offset, what == CONTENT_HOLE, &found);
    if (status != NFS4_OK)
        return status;
    /* Past the end there is a hole, and no data. */
    xdr_out_bool(call->out, found >= size);
    xdr_out_u64(call->out, found);
    return NFS4_OK;
}

/* ---- READ_PLUS ---- */

enum { SEGMENTS_MAX = 16, DATA_SEGMENT = 16, HOLE_SEGMENT = 20, ROUNDUP_MAX = 3 };

/* The data or the hole at *at, with at most `left` octets of the file and `room` in the Reply; false: no room. */
static bool v4_2_put_segment(struct nfs4_call *call, uint64_t *at, uint64_t end, size_t room)
{
    uint64_t next = end;
    const uint8_t *data;
    size_t n;
    bool eof;

    nfs_tree_seek(call->tree, call->current, *at, false, &next);
    if (next > *at) {
        if (room < HOLE_SEGMENT)
            return false;
        next = MIN(next, end);
        xdr_out_u32(call->out, CONTENT_HOLE);
        xdr_out_u64(call->out, *at);
        xdr_out_u64(call->out, next - *at);
        *at = next;
        return true;
    }
    if (room <= DATA_SEGMENT + ROUNDUP_MAX)
        return false;
    nfs_tree_seek(call->tree, call->current, *at, true, &next);
    n = (size_t)MIN(MIN(next, end) - *at, room - DATA_SEGMENT - ROUNDUP_MAX);
    if (nfs_tree_read(call->tree, call->current, *at, n, &data, &n, &eof) != NFS_TREE_OK || n == 0)
        return false;
    xdr_out_u32(call->out, CONTENT_DATA);
    xdr_out_u64(call->out, *at);
    xdr_out_opaque(call->out, data, (uint32_t)n);
    *at += n;
    return true;
}

/* Section 15.10.3. Its data are not DDP-eligible: RFC 8267 section 6.1 names only READ. */
int nfs4_read_plus(struct nfs4_call *call)
{
    const struct nfs_node *node;
    uint64_t offset, end, size;
    uint32_t count, segments = 0;
    size_t start = xdr_out_at(call->out), limit = call->limit;
    int status = nfs4_begin_read(call, &node, &offset, &count);

    if (status != NFS4_OK)
        return status;
    size = node->size;
    count = MIN(count, call->rpc->server->options.io_max);
    end = MIN(size, offset > UINT64_MAX - count ? UINT64_MAX : offset + count);
    xdr_out_bool(call->out, false);
    xdr_out_u32(call->out, 0);
    while (offset < end && segments < SEGMENTS_MAX && xdr_out_at(call->out) < limit &&
           v4_2_put_segment(call, &offset, end, limit - xdr_out_at(call->out)))
        segments++;
    if (segments == 0 && offset < end)
        return NFS4ERR_REP_TOO_BIG;
    xdr_out_set_u32(call->out, start, offset >= size);
    xdr_out_set_u32(call->out, start + 4, segments);
    return NFS4_OK;
}

/* ---- copies ---- */

struct copy {
    struct nfs4_stateid from_stateid, to_stateid;
    uint64_t from, to, count;
};

static struct copy get_copy(struct xdr *in)
{
    struct copy copy = {.from_stateid = nfs4_get_stateid(in)};

    copy.to_stateid = nfs4_get_stateid(in);
    copy.from = nfs_get_u64(in);
    copy.to = nfs_get_u64(in);
    copy.count = nfs_get_u64(in);
    return copy;
}

/* Sections 15.2.3 and 15.13.3 have the same conditions. *n: octets to copy. */
static int v4_2_prepare(struct nfs4_call *call, const struct copy *copy, bool clone, uint64_t *n)
{
    int status;
    const struct nfs_node *from, *to = nfs4_regular(call, &status);

    if (!to)
        return status;
    if (call->saved == 0)
        return NFS4ERR_NOFILEHANDLE;
    from = nfs_tree_get(call->tree, call->saved);
    if (!from)
        return NFS4ERR_STALE;
    if (from->kind != NFS_NODE_FILE)
        return NFS4ERR_WRONG_TYPE;
    status = nfs4_may_access(call, &copy->from_stateid, from->id, NFS4_ACCESS_READ);
    if (status == NFS4_OK)
        status = nfs4_may_access(call, &copy->to_stateid, to->id, NFS4_ACCESS_WRITE);
    if (status != NFS4_OK)
        return status;
    *n = copy->count;
    if (*n == 0 && copy->from <= from->size)
        *n = from->size - copy->from; /* up to the end */
    if (copy->from > from->size || (clone && *n > from->size - copy->from))
        return NFS4ERR_INVAL;
    *n = MIN(*n, from->size - copy->from);
    if (copy->to > UINT64_MAX - *n)
        return NFS4ERR_INVAL;
    if (from->id == to->id && copy->from < copy->to + *n && copy->to < copy->from + *n)
        return NFS4ERR_INVAL; /* they overlap */
    return NFS4_OK;
}

/* Holes stay holes, and the file becomes as long as if it had been written. */
static int copy_hole(struct nfs4_call *call, uint64_t at, uint64_t n)
{
    const struct nfs_node *node = nfs_tree_get(call->tree, call->current);
    struct nfs_node_change change = {.set = NFS_SET_SIZE, .size = at + n};

    if (node && node->size < at + n)
        return (int)nfs_tree_set(call->tree, call->current, &change);
    return (int)nfs_tree_punch(call->tree, call->current, at, n);
}

static int copy_data(struct nfs4_call *call, uint64_t from, uint64_t to, size_t n)
{
    const uint8_t *p;
    uint8_t *piece;
    size_t got;
    bool eof;
    int status = (int)nfs_tree_read(call->tree, call->saved, from, n, &p, &got, &eof);

    if (status != NFS4_OK || got != n)
        return status != NFS4_OK ? status : NFS4ERR_SERVERFAULT;
    piece = g_memdup2(p, n); /* writing to the tree may free what is borrowed */
    status = (int)nfs_tree_write(call->tree, call->current, to, piece, n);
    g_free(piece);
    return status;
}

/* done: the octets copied. */
static int v4_2_move_octets(struct nfs4_call *call, const struct copy *copy, uint64_t n, uint64_t *done)
{
    int status = NFS4_OK;

    for (*done = 0; status == NFS4_OK && *done < n;) {
        uint64_t from = copy->from + *done, to = copy->to + *done, next = from, part;

        status = (int)nfs_tree_seek(call->tree, call->saved, from, false, &next);
        if (status != NFS4_OK)
            break;
        if (next > from) {
            part = MIN(next - from, n - *done);
            status = copy_hole(call, to, part);
        } else {
            nfs_tree_seek(call->tree, call->saved, from, true, &next);
            part = MIN(MIN(next - from, n - *done), PIECE);
            status = copy_data(call, from, to, (size_t)part);
        }
        if (status == NFS4_OK)
            *done += part;
    }
    return status;
}

int nfs4_copy(struct nfs4_call *call)
{
    const struct copy copy = get_copy(call->in);
    uint64_t n = 0, done;
    int status;

    xdr_skip(call->in, 8); /* consecutive, synchronous: both in any case */
    if (nfs_get_u32(call->in) > 0)
        return NFS4ERR_NOTSUPP; /* from another server */
    status = v4_2_prepare(call, &copy, false, &n);
    if (status != NFS4_OK)
        return status;
    status = v4_2_move_octets(call, &copy, n, &done);
    if (status != NFS4_OK && done == 0)
        return status;
    xdr_out_u32(call->out, 0); /* no callback: it has finished */
    xdr_out_u64(call->out, done);
    xdr_out_u32(call->out, STABLE_FILE_SYNC);
    xdr_out_u64(call->out, call->rpc->server->verifier);
    xdr_out_words(call->out, true, true); /* consecutive, synchronous */
    return NFS4_OK;
}

int nfs4_clone(struct nfs4_call *call)
{
    const struct copy copy = get_copy(call->in);
    uint64_t n = 0, done, octets, octets_max, nodes, nodes_max;
    int status = v4_2_prepare(call, &copy, true, &n);

    if (status != NFS4_OK)
        return status;
    /* All or nothing: the source is at most this long. */
    nfs_tree_usage(call->tree, &octets, &octets_max, &nodes, &nodes_max);
    if (MIN(n, nfs_tree_get(call->tree, call->saved)->used) + SLACK > octets_max - MIN(octets, octets_max))
        return NFS4ERR_NOSPC;
    return v4_2_move_octets(call, &copy, n, &done);
}

/* Copies finish at once: there is no copy whose status could be queried (sections 15.8 and 15.9). */
int nfs4_offload(struct nfs4_call *call)
{
    (void)call;
    return NFS4ERR_BAD_STATEID;
}

/* Section 15.5.3: reports the hints that are followed; memory needs none. */
int nfs4_io_advise(struct nfs4_call *call)
{
    uint64_t offset, length;
    int status;

    if (get_extent(call, NFS4_ACCESS_READ, &offset, &length, &status))
        xdr_out_u32(call->out, 0);
    return status;
}
