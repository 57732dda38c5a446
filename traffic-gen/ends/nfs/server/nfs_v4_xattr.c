// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Extended attributes of files and directories (RFC 8276): names and values, kept outside the tree, and removed with
 * the node.
 */
#include "traffic-gen/ends/nfs/server/nfs_v4_internal.h"

enum { SET_EITHER = 0, SET_CREATE = 1, SET_REPLACE = 2 }; /* setxattr_option4 */

struct xattr {
    char *name;
    GBytes *value;
};

struct nfs4_xattrs {
    struct nfs4 *v4;
    uint64_t node; /* the table's key */
    GPtrArray *list;
    size_t octets;
};

static void xattr_free(gpointer p)
{
    struct xattr *xattr = p;

    g_free(xattr->name);
    g_bytes_unref(xattr->value);
    g_free(xattr);
}

void nfs4_xattrs_free(void *p)
{
    struct nfs4_xattrs *xattrs = p;

    xattrs->v4->xattr_octets -= xattrs->octets;
    g_ptr_array_unref(xattrs->list);
    g_free(xattrs);
}

/* Only files and directories have extended attributes (section 8.4.1). */
static const struct nfs_node *bearer(const struct nfs4_call *call, unsigned may, int *status)
{
    const struct nfs_node *node = nfs4_node(call, status);

    if (!node)
        return NULL;
    if (node->kind != NFS_NODE_FILE && node->kind != NFS_NODE_DIRECTORY) {
        *status = NFS4ERR_WRONG_TYPE;
        return NULL;
    }
    if (!nfs_may(call->rpc, node, may)) {
        *status = NFS4ERR_ACCESS;
        return NULL;
    }
    return node;
}

/* g_free() the name. */
static int get_key(struct nfs4_call *call, char **name)
{
    const struct nfs_opaque key = nfs_get_opaque(call->in);

    *name = g_strndup(key.p, key.n);
    if (key.n == 0)
        return NFS4ERR_INVAL;
    if (key.n > NFS_NAME_MAX)
        return NFS4ERR_NAMETOOLONG;
    return memchr(key.p, 0, key.n) ? NFS4ERR_BADCHAR : NFS4_OK;
}

static struct xattr *xattr_find(const struct nfs4_xattrs *xattrs, const char *name, guint *index)
{
    for (guint i = 0; xattrs && i < xattrs->list->len; i++) {
        struct xattr *xattr = xattrs->list->pdata[i];

        if (strcmp(xattr->name, name) == 0) {
            *index = i;
            return xattr;
        }
    }
    return NULL;
}

static struct nfs4_xattrs *of_node(struct nfs4_call *call)
{
    return g_hash_table_lookup(call->v4->xattrs, &call->current);
}

/* A change of xattrs changes ctime and change (section 8.4): setting the mode to its current value has this effect. */
static int touch(struct nfs4_call *call)
{
    const struct nfs_node *node = nfs_tree_get(call->tree, call->current);
    struct nfs_node_change change = {.set = NFS_SET_MODE, .mode = node ? node->mode : 0};

    return (int)nfs_tree_set(call->tree, call->current, &change);
}

int nfs4_getxattr(struct nfs4_call *call)
{
    g_autofree char *name = NULL;
    guint index;
    const struct xattr *xattr;
    int status = get_key(call, &name);

    if (status != NFS4_OK || !bearer(call, NFS_MAY_READ, &status))
        return status;
    xattr = xattr_find(of_node(call), name, &index);
    if (!xattr)
        return NFS4ERR_NOXATTR;
    xdr_out_opaque(call->out, g_bytes_get_data(xattr->value, NULL), (uint32_t)g_bytes_get_size(xattr->value));
    return NFS4_OK;
}

static int set(struct nfs4_call *call, uint32_t option, const char *name, struct nfs_opaque value)
{
    struct nfs4_xattrs *xattrs = of_node(call);
    guint index;
    struct xattr *xattr = xattr_find(xattrs, name, &index);
    size_t freed = xattr ? g_bytes_get_size(xattr->value) : 0;
    int status;

    if (xattr && option == SET_CREATE)
        return NFS4ERR_EXIST;
    if (!xattr && option == SET_REPLACE)
        return NFS4ERR_NOXATTR;
    if (value.n > NFS4_XATTR_OCTETS_MAX)
        return NFS4ERR_XATTR2BIG;
    if (xattrs &&
        ((!xattr && xattrs->list->len == NFS4_XATTRS_MAX) || xattrs->octets - freed + value.n > NFS4_XATTR_OCTETS_MAX))
        return NFS4ERR_NOSPC;
    if (call->v4->xattr_octets - freed + value.n > NFS4_ALL_XATTR_OCTETS_MAX)
        return NFS4ERR_NOSPC;
    status = touch(call);
    if (status != NFS4_OK)
        return status;
    if (!xattrs) {
        xattrs = g_new0(struct nfs4_xattrs, 1);
        xattrs->v4 = call->v4;
        xattrs->node = call->current;
        xattrs->list = g_ptr_array_new_with_free_func(xattr_free);
        g_hash_table_insert(call->v4->xattrs, &xattrs->node, xattrs);
    }
    if (!xattr) {
        xattr = g_new0(struct xattr, 1);
        xattr->name = g_strdup(name);
        g_ptr_array_add(xattrs->list, xattr);
    } else {
        g_bytes_unref(xattr->value);
    }
    xattr->value = g_bytes_new(value.p, value.n);
    xattrs->octets += value.n - freed;
    call->v4->xattr_octets += value.n - freed;
    return NFS4_OK;
}

int nfs4_setxattr(struct nfs4_call *call)
{
    const uint32_t option = nfs_get_u32(call->in);
    const struct nfs_node *node;
    uint64_t before;
    g_autofree char *name = NULL;
    int status = get_key(call, &name);

    if (status == NFS4_OK && option > SET_REPLACE)
        status = NFS4ERR_INVAL;
    node = status == NFS4_OK ? bearer(call, NFS_MAY_WRITE, &status) : NULL;
    if (!node)
        return status;
    before = node->change;
    status = nfs4_delegation_conflict(call->v4, call->client, node->id, true);
    if (status == NFS4_OK)
        status = set(call, option, name, nfs_get_opaque(call->in));
    if (status == NFS4_OK)
        nfs4_put_change(call, before, call->current);
    return status;
}

int nfs4_removexattr(struct nfs4_call *call)
{
    struct nfs4_xattrs *xattrs = of_node(call);
    const struct nfs_node *node;
    struct xattr *xattr;
    uint64_t before;
    guint index;
    g_autofree char *name = NULL;
    int status = get_key(call, &name);

    node = status == NFS4_OK ? bearer(call, NFS_MAY_WRITE, &status) : NULL;
    if (!node)
        return status;
    before = node->change;
    xattr = xattr_find(xattrs, name, &index);
    status = xattr ? nfs4_delegation_conflict(call->v4, call->client, node->id, true) : NFS4ERR_NOXATTR;
    if (status == NFS4_OK)
        status = touch(call);
    if (status != NFS4_OK)
        return status;
    xattrs->octets -= g_bytes_get_size(xattr->value);
    call->v4->xattr_octets -= g_bytes_get_size(xattr->value);
    g_ptr_array_remove_index(xattrs->list, index);
    nfs4_put_change(call, before, call->current);
    return NFS4_OK;
}

/* Section 8.4.3.2. A cookie counts the names that were returned. */
int nfs4_listxattrs(struct nfs4_call *call)
{
    enum { RESULT = 8 + 4 + 4 /* cookie, count, eof */ };
    const struct nfs4_xattrs *xattrs = of_node(call);
    uint64_t cookie = nfs_get_u64(call->in), total = xattrs ? xattrs->list->len : 0;
    const uint32_t maxcount = nfs_get_u32(call->in);
    uint32_t told = 0;
    size_t start = xdr_out_at(call->out), used = RESULT;
    int status;

    if (!bearer(call, NFS_MAY_READ, &status))
        return status;
    if (cookie > total)
        return NFS4ERR_BAD_COOKIE;
    xdr_out_u64(call->out, 0);
    xdr_out_u32(call->out, 0);
    for (; cookie < total; cookie++, told++) {
        const struct xattr *xattr = xattrs->list->pdata[cookie];
        size_t n = strlen(xattr->name);

        used += 4 + (size_t)xdr_padded(n);
        if (used > maxcount || start + used > call->limit)
            break;
        xdr_out_opaque(call->out, xattr->name, (uint32_t)n);
    }
    if (told == 0 && cookie < total)
        return NFS4ERR_TOOSMALL;
    xdr_out_set_u32(call->out, start, (uint32_t)(cookie >> 32));
    xdr_out_set_u32(call->out, start + 4, (uint32_t)cookie);
    xdr_out_set_u32(call->out, start + 8, told);
    xdr_out_bool(call->out, cookie == total);
    return NFS4_OK;
}
