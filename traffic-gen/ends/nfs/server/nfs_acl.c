// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * NFSACL version 3: POSIX ACLs, which no RFC describes; its types are in wire/nfs_types.txt. The entries for the owner,
 * the mask and all others are the bits of the mode, so that SETATTR changes the ACL, too; only the other entries are
 * kept here. There are no default ACLs.
 */
#include "traffic-gen/ends/nfs/server/nfs_v3_internal.h"

enum {
    /* The ACLs that a Call asks for, or sets. */
    MASK_ACL = 1,
    MASK_DEFAULT = 4,
    MASK_ALL = 0xF,
    /* Types of entries. */
    ACE_OWNER = 1,
    ACE_USER = 2,
    ACE_GROUP_OWNER = 4,
    ACE_GROUP = 8,
    ACE_MASK = 0x10,
    ACE_OTHER = 0x20,
    ENTRIES_MAX = 1024,
    ACLS_MAX = 1024,
    RIGHTS = 7,
    NOT_SUPPORTED = 10004, /* NFS3ERR_NOTSUPP */
};

struct ace {
    uint32_t type, id, rights;
};

struct nfs_acl {
    uint64_t node;         /* the table's key */
    uint32_t group_rights; /* of the file's group, before the mask is applied */
    unsigned n;
    struct ace named[]; /* users and groups */
};

GHashTable *nfs_acls_new(void)
{
    return g_hash_table_new_full(g_int64_hash, g_int64_equal, NULL, g_free);
}

static const struct nfs_acl *acl_of(const struct nfs_server *server, uint64_t node)
{
    return server->acls ? g_hash_table_lookup(server->acls, &node) : NULL;
}

/* ---- permissions ---- */

static bool is_about(const struct ace *ace, const struct nfs_credentials *credentials, uint32_t type)
{
    return ace->type == type &&
           (type == ACE_USER ? ace->id == credentials->uid : nfs_is_in_group(credentials, ace->id));
}

/* A user's first entry decides; among the entries of groups, one entry with all the rights suffices. */
bool nfs_acl_may(const struct nfs_call *call, const struct nfs_node *node, unsigned what, bool *may)
{
    const struct nfs_acl *acl = acl_of(call->server, node->id);
    const uint32_t mask = node->mode >> 3 & RIGHTS;
    bool is_member = nfs_is_in_group(&call->credentials, node->gid);

    if (!acl)
        return false;
    for (unsigned i = 0; i < acl->n; i++) {
        if (is_about(&acl->named[i], &call->credentials, ACE_USER)) {
            *may = (acl->named[i].rights & mask & what) == what;
            return true;
        }
    }
    *may = is_member && (acl->group_rights & mask & what) == what;
    for (unsigned i = 0; i < acl->n && !*may; i++) {
        if (is_about(&acl->named[i], &call->credentials, ACE_GROUP)) {
            is_member = true;
            *may = (acl->named[i].rights & mask & what) == what;
        }
    }
    return is_member;
}

/* ---- GETACL ---- */

static void acl_put_entry(struct xdr_out *out, uint32_t type, uint32_t id, uint32_t rights)
{
    xdr_out_words(out, type, id, rights & RIGHTS);
}

static void acl_put_named(struct xdr_out *out, const struct nfs_acl *acl, uint32_t type)
{
    for (unsigned i = 0; acl && i < acl->n; i++) {
        if (acl->named[i].type == type)
            acl_put_entry(out, type, acl->named[i].id, acl->named[i].rights);
    }
}

static void acl_put(struct nfs_call *call, const struct nfs_node *node, bool with_entries)
{
    const struct nfs_acl *acl = acl_of(call->server, node->id);
    const uint32_t n = 4 + (acl ? acl->n : 0);
    struct xdr_out *out = call->out;

    xdr_out_words(out, n, with_entries ? n : 0);
    if (!with_entries)
        return;
    acl_put_entry(out, ACE_OWNER, node->uid, node->mode >> 6);
    acl_put_named(out, acl, ACE_USER);
    acl_put_entry(out, ACE_GROUP_OWNER, node->gid, acl ? acl->group_rights : node->mode >> 3);
    acl_put_named(out, acl, ACE_GROUP);
    acl_put_entry(out, ACE_MASK, 0, node->mode >> 3);
    acl_put_entry(out, ACE_OTHER, 0, node->mode);
}

static void acl_get(struct nfs_call *call)
{
    const struct v3_object object = v3_get_object(call);
    const uint32_t mask = nfs_get_u32(&call->in);
    uint32_t status = object.known && mask & ~(uint32_t)MASK_ALL ? (uint32_t)NFS_TREE_INVAL : object.status;

    if (!v3_begin_post(call, status, &object))
        return;
    xdr_out_u32(call->out, mask);
    acl_put(call, &object.before, mask & MASK_ACL);
    xdr_out_words(call->out, 0, 0);
}

/* ---- SETACL ---- */

/*
 * Reads an ACL from the arguments. Garbage: too long, or, if requested, a count that differs from the number of
 * entries.
 */
static uint32_t acl_read(struct nfs_call *call, bool wanted, struct ace *aces)
{
    const uint32_t told = nfs_get_u32(&call->in), n = nfs_get_u32(&call->in);

    if (n > ENTRIES_MAX || (wanted && told != n)) {
        call->garbage = true;
        return 0;
    }
    for (uint32_t i = 0; i < n; i++) {
        aces[i].type = nfs_get_u32(&call->in);
        aces[i].id = nfs_get_u32(&call->in);
        aces[i].rights = nfs_get_u32(&call->in);
    }
    return n;
}

/*
 * Entries for single users and groups go into acl; the others, which may occur once each, into *mode. False: the
 * entries do not form an ACL.
 */
static bool acl_sort(struct nfs_acl *acl, const struct ace *aces, uint32_t n, uint32_t *mode, bool *has_mask)
{
    uint32_t rights[ACE_OTHER + 1] = {0}, seen = 0;

    for (uint32_t i = 0; i < n; i++) {
        const struct ace *ace = &aces[i];

        if (ace->rights > RIGHTS)
            return false;
        if (ace->type == ACE_USER || ace->type == ACE_GROUP) {
            acl->named[acl->n++] = *ace;
            continue;
        }
        if ((ace->type != ACE_OWNER && ace->type != ACE_GROUP_OWNER && ace->type != ACE_MASK &&
             ace->type != ACE_OTHER) ||
            seen & ace->type)
            return false;
        seen |= ace->type;
        rights[ace->type] = ace->rights;
    }
    acl->group_rights = rights[ACE_GROUP_OWNER];
    *has_mask = seen & ACE_MASK;
    *mode = rights[ACE_OWNER] << 6 | rights[*has_mask ? ACE_MASK : ACE_GROUP_OWNER] << 3 | rights[ACE_OTHER];
    return (seen | ACE_MASK) == (ACE_OWNER | ACE_GROUP_OWNER | ACE_MASK | ACE_OTHER) && (*has_mask || acl->n == 0);
}

static gboolean acl_is_gone(gpointer key, gpointer value, gpointer server)
{
    const uint64_t *node = key;

    (void)value;
    return !nfs_tree_get(((struct nfs_server *)server)->tree, *node);
}

/* Takes ownership of acl. */
static uint32_t acl_keep(struct nfs_call *call, const struct v3_object *object, struct nfs_acl *acl, uint32_t mode,
                         bool has_mask)
{
    const uint32_t permissions = 0777;
    const struct nfs_node_change change = {.set = NFS_SET_MODE, .mode = (object->before.mode & ~permissions) | mode};
    GHashTable *acls = call->server->acls;
    uint32_t status = NFS_TREE_NOSPC;

    acl->node = object->id;
    if (g_hash_table_size(acls) >= ACLS_MAX)
        g_hash_table_foreach_remove(acls, acl_is_gone, call->server);
    if (!has_mask || g_hash_table_size(acls) < ACLS_MAX || g_hash_table_contains(acls, &acl->node))
        status = nfs_tree_set(call->server->tree, object->id, &change);
    if (status == NFS_TREE_OK && has_mask) {
        g_hash_table_replace(acls, &acl->node, acl);
        return status;
    }
    if (status == NFS_TREE_OK)
        g_hash_table_remove(acls, &acl->node);
    g_free(acl);
    return status;
}

static uint32_t acl_change(struct nfs_call *call, const struct v3_object *object, const struct ace *aces, uint32_t n)
{
    struct nfs_acl *acl = g_malloc0(sizeof *acl + n * sizeof acl->named[0]);
    uint32_t mode;
    bool has_mask;

    if (acl_sort(acl, aces, n, &mode, &has_mask))
        return acl_keep(call, object, acl, mode, has_mask);
    g_free(acl);
    return NFS_TREE_INVAL;
}

static void acl_set(struct nfs_call *call)
{
    struct ace aces[ENTRIES_MAX], defaults[ENTRIES_MAX];
    const struct v3_object object = v3_get_object(call);
    const uint32_t mask = nfs_get_u32(&call->in);
    const uint32_t n = acl_read(call, mask & MASK_ACL, aces),
                   defaults_n = acl_read(call, mask & MASK_DEFAULT, defaults);
    uint32_t status = object.status;

    if (call->garbage)
        return;
    if (object.known && !nfs_owns(call, &object.before))
        status = NFS_TREE_PERM;
    else if (object.known && mask & ~(uint32_t)MASK_ALL)
        status = NFS_TREE_INVAL;
    else if (object.known && mask & MASK_DEFAULT && defaults_n > 0)
        status = NOT_SUPPORTED;
    status = v3_undelegated(call, status, object.id, true);
    if (status == NFS_TREE_OK && mask & MASK_ACL)
        status = acl_change(call, &object, aces, n);
    v3_begin_post(call, status, &object);
}

static nfs_serve *const procedures[] = {NULL, acl_get, acl_set};

const struct nfs_version nfs_acl_v3 = {NFS_PROGRAM_ACL, 3, G_N_ELEMENTS(procedures), procedures};
