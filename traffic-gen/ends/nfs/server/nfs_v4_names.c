// SPDX-License-Identifier: GPL-2.0-or-later
/* Directories of NFSv4: entries created, removed, moved and listed (RFC 7530 section 16, RFC 8881 section 18). */
#include "traffic-gen/ends/nfs/server/nfs_v4_internal.h"

/* The current directory, whose entries the caller is about to change. */
static const struct nfs_node *writable_directory(struct nfs4_call *call, int *status)
{
    const struct nfs_node *directory = nfs4_directory(call, status);

    if (directory && !nfs_may(call->rpc, directory, NFS_MAY_CHANGE)) {
        *status = NFS4ERR_ACCESS;
        return NULL;
    }
    return directory;
}

static int names_make(struct nfs4_call *call, enum nfs_node_kind kind, struct nfs_opaque link, struct nfs_opaque name,
                      struct nfs_node_change *attributes, uint64_t *node)
{
    int status;

    /* The tree makes symbolic links without attributes; the caller sets them. */
    if (kind != NFS_NODE_LINK)
        return (int)nfs_tree_create(call->tree, call->current, name.p, name.n, kind, attributes, node);
    if (link.n == 0 || memchr(link.p, 0, link.n))
        return NFS4ERR_INVAL;
    status = (int)nfs_tree_symlink(call->tree, call->current, name.p, name.n, link.p, link.n, node);
    if (status == NFS4_OK)
        nfs_tree_set(call->tree, *node, attributes);
    return status;
}

int nfs4_create(struct nfs4_call *call)
{
    const uint32_t kind = nfs_get_u32(call->in);
    const bool is_device = kind == NFS_NODE_BLOCK || kind == NFS_NODE_CHAR;
    const uint32_t major = is_device ? nfs_get_u32(call->in) : 0, minor = is_device ? nfs_get_u32(call->in) : 0;
    const struct nfs_opaque link = kind == NFS_NODE_LINK ? nfs_get_opaque(call->in) : (struct nfs_opaque){0};
    const struct nfs_opaque name = nfs_get_opaque(call->in);
    struct nfs_node_change attributes;
    struct nfs4_mask set;
    const struct nfs_node *directory;
    uint64_t before, node;
    int status = nfs4_get_attributes(call, &attributes, &set);

    if (status == NFS4_OK && (kind < NFS_NODE_DIRECTORY || kind > NFS_NODE_FIFO))
        status = NFS4ERR_BADTYPE; /* OPEN creates regular files */
    if (status == NFS4_OK)
        status = nfs4_check_name(name);
    if (status == NFS4_OK && attributes.set & NFS_SET_SIZE)
        status = NFS4ERR_INVAL;
    if (status != NFS4_OK)
        return status;
    directory = writable_directory(call, &status);
    if (!directory)
        return status;
    before = directory->change;
    nfs4_new_attributes(call, &attributes, kind == NFS_NODE_DIRECTORY ? 0777 : 0666);
    attributes.major = major;
    attributes.minor = minor;
    status = names_make(call, kind, link, name, &attributes, &node);
    if (status != NFS4_OK)
        return status;
    nfs4_put_change(call, before, call->current);
    nfs4_put_mask(call->out, &set);
    call->current = node;
    call->has_stateid = false;
    return NFS4_OK;
}

int nfs4_remove(struct nfs4_call *call)
{
    struct nfs_opaque name;
    uint64_t before, node;
    const struct nfs_node *directory;
    int status = nfs4_get_name(call, &name);

    if (status != NFS4_OK)
        return status;
    directory = writable_directory(call, &status);
    if (!directory)
        return status;
    before = directory->change;
    status = (int)nfs_tree_lookup(call->tree, directory->id, name.p, name.n, &node);
    if (status == NFS4_OK)
        status = nfs4_delegation_conflict(call->v4, call->client, node, true);
    if (status == NFS4_OK)
        status = (int)nfs_tree_remove(call->tree, call->current, name.p, name.n, NULL);
    if (status != NFS4_OK)
        return status;
    if (!nfs_tree_get(call->tree, node))
        g_hash_table_remove(call->v4->xattrs, &node);
    nfs4_put_change(call, before, call->current);
    return NFS4_OK;
}

/* Nothing with that name is delegated to another client. */
static int undelegated(struct nfs4_call *call, uint64_t directory, struct nfs_opaque name)
{
    uint64_t node;

    if (nfs_tree_lookup(call->tree, directory, name.p, name.n, &node) != NFS_TREE_OK)
        return NFS4_OK;
    return nfs4_delegation_conflict(call->v4, call->client, node, true);
}

int nfs4_rename(struct nfs4_call *call)
{
    struct nfs_opaque from, to;
    const struct nfs_node *source, *target;
    uint64_t before_source, before_target;
    int status = nfs4_get_name(call, &from);

    if (status == NFS4_OK)
        status = nfs4_get_name(call, &to);
    if (status != NFS4_OK)
        return status;
    target = writable_directory(call, &status);
    if (!target)
        return status;
    if (call->saved == 0)
        return call->minor == 0 ? NFS4ERR_RESTOREFH : NFS4ERR_NOFILEHANDLE;
    source = nfs_tree_get(call->tree, call->saved);
    if (!source)
        return NFS4ERR_STALE;
    if (source->kind != NFS_NODE_DIRECTORY)
        return NFS4ERR_NOTDIR;
    if (!nfs_may(call->rpc, source, NFS_MAY_CHANGE))
        return NFS4ERR_ACCESS;
    status = undelegated(call, call->saved, from);
    if (status == NFS4_OK)
        status = undelegated(call, call->current, to);
    if (status != NFS4_OK)
        return status;
    before_source = source->change;
    before_target = target->change;
    status = (int)nfs_tree_rename(call->tree, call->saved, from.p, from.n, call->current, to.p, to.n);
    if (status != NFS4_OK)
        return status;
    nfs4_put_change(call, before_source, call->saved);
    nfs4_put_change(call, before_target, call->current);
    return NFS4_OK;
}

int nfs4_link(struct nfs4_call *call)
{
    struct nfs_opaque name;
    uint64_t before;
    const struct nfs_node *directory, *object;
    int status = nfs4_get_name(call, &name);

    if (status != NFS4_OK)
        return status;
    directory = writable_directory(call, &status);
    if (!directory)
        return status;
    if (call->saved == 0)
        return NFS4ERR_NOFILEHANDLE;
    object = nfs_tree_get(call->tree, call->saved);
    if (!object)
        return NFS4ERR_STALE;
    if (object->kind == NFS_NODE_DIRECTORY)
        return NFS4ERR_ISDIR;
    status = nfs4_delegation_conflict(call->v4, call->client, object->id, true);
    if (status != NFS4_OK)
        return status;
    before = directory->change;
    status = (int)nfs_tree_link(call->tree, call->saved, call->current, name.p, name.n);
    if (status == NFS4_OK)
        nfs4_put_change(call, before, call->current);
    return status;
}

int nfs4_readlink(struct nfs4_call *call)
{
    int status;
    const struct nfs_node *node = nfs4_node(call, &status);
    const char *target;
    size_t n;

    if (!node)
        return status;
    if (node->kind != NFS_NODE_LINK)
        return node->kind == NFS_NODE_DIRECTORY ? NFS4ERR_ISDIR : call->minor > 0 ? NFS4ERR_WRONG_TYPE : NFS4ERR_INVAL;
    status = (int)nfs_tree_readlink(call->tree, node->id, &target, &n);
    if (status == NFS4_OK)
        xdr_out_eligible(call->out, target, (uint32_t)n);
    return status;
}

/* ---- READDIR ---- */

enum { COOKIE_FIRST = 3, ENTRY_COOKIE_VERIFIER = 8, LIST_END = 8 };

/* Writes entries while they fit; false: not even the first entry fits. */
static bool put_entries(struct nfs4_call *call, uint64_t cookie, size_t end, const struct nfs4_mask *wanted)
{
    bool any = false;

    for (;;) {
        size_t start = xdr_out_at(call->out);
        uint64_t next, id;
        const char *name;
        size_t n;
        const struct nfs_node *node;

        if (!nfs_tree_next(call->tree, call->current, cookie, &next, &name, &n, &id)) {
            xdr_out_words(call->out, false, true); /* eof */
            return true;
        }
        cookie = next;
        node = nfs_tree_get(call->tree, id);
        if (!node)
            continue;
        xdr_out_bool(call->out, true);
        xdr_out_u64(call->out, next);
        xdr_out_opaque(call->out, name, (uint32_t)n);
        nfs4_put_attributes(call, node, wanted);
        if (xdr_out_at(call->out) + LIST_END > end) {
            xdr_out_cut(call->out, start);
            xdr_out_words(call->out, false, false);
            return any;
        }
        any = true;
    }
}

int nfs4_readdir(struct nfs4_call *call)
{
    const uint64_t cookie = nfs_get_u64(call->in), verifier = nfs_get_u64(call->in);
    const uint32_t maxcount = (uint32_t)nfs_get_u64(call->in); /* after dircount, which is a hint, not a limit */
    const uint64_t ours = call->rpc->server->verifier;
    const struct nfs4_mask wanted = nfs4_get_mask(call->in);
    int status;
    const struct nfs_node *directory = nfs4_node(call, &status);
    size_t end;

    if (!directory)
        return status;
    if (directory->kind != NFS_NODE_DIRECTORY)
        return NFS4ERR_NOTDIR;
    if (!nfs_may(call->rpc, directory, NFS_MAY_READ))
        return NFS4ERR_ACCESS;
    /* RFC 7530 section 16.24.4: 1 and 2 must not be used; with 0, the verifier is 0. */
    if (cookie != 0 && cookie < COOKIE_FIRST)
        return NFS4ERR_BAD_COOKIE;
    if (cookie != 0 && verifier != ours)
        return NFS4ERR_NOT_SAME;
    if (maxcount < ENTRY_COOKIE_VERIFIER + LIST_END)
        return NFS4ERR_TOOSMALL;
    end = MIN(xdr_out_at(call->out) + maxcount, call->limit);
    xdr_out_u64(call->out, ours);
    return put_entries(call, cookie, end, &wanted) ? NFS4_OK : NFS4ERR_TOOSMALL;
}
