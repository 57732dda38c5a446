// SPDX-License-Identifier: GPL-2.0-or-later
/* Operations on attributes: GETATTR, SETATTR, VERIFY, NVERIFY, ACCESS (RFC 7530 section 16, RFC 8276). */
#include "traffic-gen/ends/nfs/server/nfs_v4_internal.h"

int nfs4_getattr(struct nfs4_call *call)
{
    const struct nfs4_mask wanted = nfs4_get_mask(call->in);
    int status;
    const struct nfs_node *node = nfs4_node(call, &status);

    /* RFC 7530 section 5.6: write-only attributes cannot be read. */
    if (nfs4_mask_write_only(&wanted))
        return NFS4ERR_INVAL;
    if (!node)
        return status;
    /* RFC 8881 section 10.4.3: the holder of a write delegation has the current values. */
    if (nfs4_mask_has(&wanted, NFS4_ATTR_CHANGE) || nfs4_mask_has(&wanted, NFS4_ATTR_SIZE) ||
        nfs4_mask_has(&wanted, NFS4_ATTR_TIME_MODIFY)) {
        status = nfs4_delegation_conflict(call->v4, call->client, node->id, false);
        if (status != NFS4_OK)
            return status;
    }
    nfs4_put_attributes(call, node, &wanted);
    return NFS4_OK;
}

/* Who may set what: the owner may set everything but the owner; a writer may set the size, and the times to "now". */
static int may_set(const struct nfs4_call *call, const struct nfs_node *node, const struct nfs_node_change *change)
{
    bool owns = nfs_owns(call->rpc, node), writes = nfs_may(call->rpc, node, NFS_MAY_WRITE);

    if (change->set & NFS_SET_UID && change->uid != node->uid && call->rpc->credentials.uid != 0)
        return NFS4ERR_PERM;
    if (change->set & (NFS_SET_MODE | NFS_SET_UID | NFS_SET_GID) && !owns)
        return NFS4ERR_PERM;
    if (change->set & NFS_SET_SIZE && !writes && !owns)
        return NFS4ERR_ACCESS;
    if (change->explicit_times && !owns)
        return NFS4ERR_PERM;
    if (change->set & (NFS_SET_ATIME | NFS_SET_MTIME) && !owns && !writes)
        return NFS4ERR_ACCESS;
    return NFS4_OK;
}

int nfs4_setattr(struct nfs4_call *call)
{
    const struct nfs4_stateid stateid = nfs4_get_stateid(call->in);
    struct nfs_node_change change;
    struct nfs4_mask set;
    const struct nfs_node *node;
    int status = nfs4_get_attributes(call, &change, &set);

    if (status != NFS4_OK)
        return status;
    node = nfs4_node(call, &status);
    if (!node)
        return status;
    if (nfs4_mask_has(&set, NFS4_ATTR_MODE_UMASK))
        return NFS4ERR_INVAL; /* only for objects being created */
    status = may_set(call, node, &change);
    if (status != NFS4_OK)
        return status;
    if (change.set & NFS_SET_SIZE) {
        if (node->kind != NFS_NODE_FILE)
            return node->kind == NFS_NODE_DIRECTORY ? NFS4ERR_ISDIR : NFS4ERR_INVAL;
        status = nfs4_may_access(call, &stateid, node->id, NFS4_ACCESS_WRITE);
    } else {
        status = nfs4_delegation_conflict(call->v4, call->client, node->id, true);
    }
    if (status == NFS4_OK)
        status = (int)nfs_tree_set(call->tree, call->current, &change);
    if (status == NFS4_OK)
        nfs4_put_mask(call->out, &set);
    return status;
}

/* RFC 7530 section 16.35: compares octet by octet; the status for equal values, and for different values. */
static int ops_compare(struct nfs4_call *call, int same, int other)
{
    const size_t start = xdr_out_at(call->out);
    const struct nfs4_mask wanted = nfs4_get_mask(call->in);
    const struct nfs_opaque values = nfs_get_opaque(call->in);
    const struct nfs_node *node;
    size_t end;
    int status;
    bool is_same;

    if (wanted.unknown)
        return NFS4ERR_ATTRNOTSUPP;
    if (nfs4_mask_write_only(&wanted) || nfs4_mask_has(&wanted, NFS4_ATTR_RDATTR_ERROR))
        return NFS4ERR_INVAL;
    if (!nfs4_mask_supported(call, &wanted))
        return NFS4ERR_ATTRNOTSUPP;
    node = nfs4_node(call, &status);
    if (!node)
        return status;
    nfs4_put_attributes(call, node, &wanted);
    end = xdr_out_at(call->out);
    is_same = end - start >= values.n && memcmp(call->out->octets->data + end - values.n, values.p, values.n) == 0 &&
              get_be32(call->out->octets->data + end - values.n - 4) == values.n;
    xdr_out_cut(call->out, start);
    return is_same ? same : other;
}

int nfs4_verify(struct nfs4_call *call)
{
    return ops_compare(call, NFS4_OK, NFS4ERR_NOT_SAME);
}

int nfs4_nverify(struct nfs4_call *call)
{
    return ops_compare(call, NFS4ERR_SAME, NFS4_OK);
}

int nfs4_access(struct nfs4_call *call)
{
    enum { READ = 1, LOOKUP = 2, MODIFY = 4, EXTEND = 8, DELETE = 16, EXECUTE = 32 };
    enum { XATTR_READ = 64, XATTR_WRITE = 128, XATTR_LIST = 256 }; /* RFC 8276 section 8.5 */
    const uint32_t wanted = nfs_get_u32(call->in);
    uint32_t known, granted = 0;
    int status;
    const struct nfs_node *node = nfs4_node(call, &status);

    if (!node)
        return status;
    known = READ | MODIFY | EXTEND | (node->kind == NFS_NODE_DIRECTORY ? LOOKUP | DELETE : EXECUTE);
    if (call->minor >= 2)
        known |= XATTR_READ | XATTR_WRITE | XATTR_LIST;
    if (nfs_may(call->rpc, node, NFS_MAY_READ))
        granted |= READ | XATTR_READ | XATTR_LIST;
    if (nfs_may(call->rpc, node, NFS_MAY_WRITE) && !nfs_tree_is_sealed(call->tree))
        granted |= MODIFY | EXTEND | DELETE | XATTR_WRITE;
    if (nfs_may(call->rpc, node, NFS_MAY_EXECUTE))
        granted |= LOOKUP | EXECUTE;
    xdr_out_words(call->out, wanted & known, wanted & known & granted);
    return NFS4_OK;
}
