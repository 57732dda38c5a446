// SPDX-License-Identifier: GPL-2.0-or-later
/* File data of NFSv4: READ, WRITE, COMMIT (RFC 7530 sections 16.23, 16.36 and 16.3). */
#include "traffic-gen/ends/nfs/server/nfs_v4_internal.h"

enum { READ_RESULT = 8 /* eof and count */, ROUNDUP_MAX = 3, WRITE_UNSTABLE = 0, WRITE_STABLE_MAX = 2 };

const struct nfs_node *nfs4_usable(struct nfs4_call *call, const struct nfs4_stateid *stateid, unsigned access,
                                   int *status)
{
    const struct nfs_node *node = nfs4_regular(call, status);

    if (node)
        *status = nfs4_may_access(call, stateid, node->id, access);
    return *status == NFS4_OK ? node : NULL;
}

int nfs4_begin_read(struct nfs4_call *call, const struct nfs_node **node, uint64_t *offset, uint32_t *count)
{
    const struct nfs4_stateid stateid = nfs4_get_stateid(call->in);
    int status;

    *offset = nfs_get_u64(call->in);
    *count = nfs_get_u32(call->in);
    *node = nfs4_usable(call, &stateid, NFS4_ACCESS_READ, &status);
    return status;
}

int nfs4_read(struct nfs4_call *call)
{
    uint64_t offset;
    uint32_t count;
    size_t left = call->limit - MIN(call->limit, xdr_out_at(call->out)), n;
    const struct nfs_node *node;
    const uint8_t *data;
    bool eof;
    int status = nfs4_begin_read(call, &node, &offset, &count);

    if (status != NFS4_OK)
        return status;
    /* A Reply that the client cannot receive is an error; returning less because of the server's own limit is not. */
    if (call->minor > 0 &&
        MIN((uint64_t)count, node->size - MIN(offset, node->size)) + READ_RESULT + ROUNDUP_MAX > left)
        return NFS4ERR_REP_TOO_BIG;
    count = MIN(count, call->rpc->server->options.io_max);
    if (left < READ_RESULT + ROUNDUP_MAX + count)
        count = left < READ_RESULT + ROUNDUP_MAX ? 0 : (uint32_t)(left - READ_RESULT - ROUNDUP_MAX);
    status = (int)nfs_tree_read(call->tree, node->id, offset, count, &data, &n, &eof);
    if (status != NFS4_OK)
        return status;
    xdr_out_bool(call->out, eof);
    xdr_out_eligible(call->out, data, (uint32_t)n);
    return NFS4_OK;
}

/* A fault: struct nfs_server_options. */
static bool io_is_lost(const struct nfs4_call *call)
{
    const unsigned each = call->rpc->server->options.loses_writes;

    return each > 0 && call->session && ++call->session->writes % each == 0;
}

/* n octets are about to be written there. Octets that are not in the file yet will be zeros. */
static void keep_replaced(const struct nfs4_call *call, uint64_t offset, uint32_t n, uint32_t stable)
{
    struct nfs4 *v4 = call->v4;
    const uint8_t *data = NULL;
    size_t found = 0;
    bool eof;

    g_clear_pointer(&v4->replaced, g_byte_array_unref);
    if (stable != WRITE_UNSTABLE && !call->rpc->server->options.loses_at_restart)
        return;
    v4->replaced = g_byte_array_sized_new(n);
    v4->replaced_node = call->current;
    v4->replaced_at = offset;
    nfs_tree_read(call->tree, call->current, offset, n, &data, &found, &eof);
    if (found > 0)
        g_byte_array_append(v4->replaced, data, (guint)found);
    g_byte_array_set_size(v4->replaced, n);
    memset(v4->replaced->data + found, 0, n - found);
}

void nfs4_lose_write(struct nfs4 *v4)
{
    if (!v4->replaced)
        return;
    nfs_tree_write(v4->server->tree, v4->replaced_node, v4->replaced_at, v4->replaced->data, v4->replaced->len);
    g_clear_pointer(&v4->replaced, g_byte_array_unref);
}

int nfs4_write(struct nfs4_call *call)
{
    const struct nfs4_stateid stateid = nfs4_get_stateid(call->in);
    const uint64_t offset = nfs_get_u64(call->in);
    const uint32_t stable = nfs_get_u32(call->in);
    const struct nfs_opaque data = nfs_get_opaque(call->in);
    const uint32_t n = MIN(data.n, call->rpc->server->options.io_max);
    int status;

    if (stable > WRITE_STABLE_MAX)
        return NFS4ERR_BADXDR;
    if (!nfs4_usable(call, &stateid, NFS4_ACCESS_WRITE, &status))
        return status;
    if (nfs4_is_delayed(call, call->session))
        return NFS4ERR_DELAY;
    if (offset > UINT64_MAX - n)
        return NFS4ERR_INVAL;
    if (n > 0)
        keep_replaced(call, offset, n, stable);
    if (n > 0 && !io_is_lost(call))
        status = (int)nfs_tree_write(call->tree, call->current, offset, data.p, n);
    if (status != NFS4_OK)
        return status;
    xdr_out_words(call->out, n, stable); /* only a restart loses UNSTABLE4 data, and then the verifier changes */
    xdr_out_u64(call->out, call->rpc->server->verifier);
    return NFS4_OK;
}

int nfs4_commit(struct nfs4_call *call)
{
    const uint64_t offset = nfs_get_u64(call->in);
    const uint32_t count = nfs_get_u32(call->in);
    int status;

    if (!nfs4_regular(call, &status))
        return status;
    if (offset > UINT64_MAX - count)
        return NFS4ERR_INVAL;
    if (call->v4->replaced && call->v4->replaced_node == call->current && !call->rpc->server->options.loses_at_restart)
        g_clear_pointer(&call->v4->replaced, g_byte_array_unref);
    xdr_out_u64(call->out, call->rpc->server->verifier);
    return NFS4_OK;
}
