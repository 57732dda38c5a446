// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * MOUNT versions 1 (RFC 1094 appendix A) and 3 (RFC 1813 appendix I): turns paths into handles. The export is "/", and
 * every directory below can be mounted.
 */
#include "traffic-gen/ends/nfs/server/nfs_server_internal.h"

#include <string.h>

enum { MOUNTS_MAX = 256, V2_HANDLE = 32, ROOT = 1 };

static const char export[] = "/";

/* What DUMP reports: the mounts that clients have announced; nothing depends on these. */
struct nfs_mount_entry {
    char *host, *path;
};

void nfs_mount_entry_free(gpointer p)
{
    struct nfs_mount_entry *entry = p;

    g_free(entry->host);
    g_free(entry->path);
    g_free(entry);
}

/* The name that a client gives itself in its credential. */
static char *mount_host_of(const struct nfs_call *call)
{
    const struct nfs_credentials *credentials = &call->credentials;

    return credentials->machine_n > 0 ? g_strndup(credentials->machine, credentials->machine_n) : g_strdup("unknown");
}

/* path NULL: all mounts of this host. */
static void mount_forget(struct nfs_call *call, const char *path)
{
    GPtrArray *mounts = call->server->mounts;
    char *host = mount_host_of(call);

    for (guint i = mounts->len; i-- > 0;) {
        const struct nfs_mount_entry *entry = mounts->pdata[i];

        if (g_str_equal(entry->host, host) && (!path || g_str_equal(entry->path, path)))
            g_ptr_array_remove_index(mounts, i);
    }
    g_free(host);
}

static void mount_remember(struct nfs_call *call, const char *path)
{
    GPtrArray *mounts = call->server->mounts;
    struct nfs_mount_entry *entry;

    mount_forget(call, path);
    if (mounts->len >= MOUNTS_MAX)
        g_ptr_array_remove_index(mounts, 0);
    entry = g_new(struct nfs_mount_entry, 1);
    entry->host = mount_host_of(call);
    entry->path = g_strdup(path);
    g_ptr_array_add(mounts, entry);
}

static uint32_t find_path(struct nfs_call *call, const char *path, uint64_t *id)
{
    uint32_t status = path[0] == '/' ? NFS_TREE_OK : NFS_TREE_NOENT;

    *id = ROOT;
    while (status == NFS_TREE_OK && *(path += strspn(path, "/"))) {
        size_t n = strcspn(path, "/");

        if (!nfs_may(call, nfs_tree_get(call->server->tree, *id), NFS_MAY_EXECUTE))
            return NFS_TREE_ACCES;
        status = nfs_tree_lookup(call->server->tree, *id, path, n, id);
        path += n;
    }
    if (status == NFS_TREE_OK && nfs_tree_get(call->server->tree, *id)->kind != NFS_NODE_DIRECTORY)
        status = NFS_TREE_NOTDIR;
    return status;
}

static char *get_path(struct nfs_call *call)
{
    const struct nfs_opaque path = nfs_get_opaque(&call->in);

    call->garbage = memchr(path.p, 0, path.n);
    return g_strndup(path.p, path.n);
}

static void mount_mnt(struct nfs_call *call)
{
    g_autofree char *path = get_path(call);
    uint8_t handle[V2_HANDLE] = {0};
    uint64_t id;
    uint32_t status = find_path(call, path, &id);

    xdr_out_u32(call->out, status);
    if (call->garbage || status != NFS_TREE_OK)
        return;
    mount_remember(call, path);
    nfs_handle_encode(call->server, id, handle);
    if (call->header->vers == 1) {
        xdr_out_fixed(call->out, handle, sizeof handle);
    } else {
        xdr_out_opaque(call->out, handle, NFS_HANDLE_OCTETS);
        xdr_out_words(call->out, 2, RPC_AUTH_SYS, RPC_AUTH_NONE);
    }
}

static void mount_dump(struct nfs_call *call)
{
    const GPtrArray *mounts = call->server->mounts;

    for (guint i = 0; i < mounts->len; i++) {
        const struct nfs_mount_entry *entry = mounts->pdata[i];

        xdr_out_bool(call->out, true);
        xdr_out_opaque(call->out, entry->host, (uint32_t)strlen(entry->host));
        xdr_out_opaque(call->out, entry->path, (uint32_t)strlen(entry->path));
    }
    xdr_out_bool(call->out, false);
}

static void mount_umnt(struct nfs_call *call)
{
    g_autofree char *path = get_path(call);

    if (!call->garbage)
        mount_forget(call, path);
}

static void mount_umntall(struct nfs_call *call)
{
    mount_forget(call, NULL);
}

static void mount_export(struct nfs_call *call)
{
    xdr_out_bool(call->out, true);
    xdr_out_opaque(call->out, export, sizeof export - 1);
    xdr_out_words(call->out, false /* no groups: everybody */, false);
}

static nfs_serve *const procedures[] = {NULL,          mount_mnt,    mount_dump,  mount_umnt,
                                        mount_umntall, mount_export, mount_export /* EXPORTALL, version 1 only */};

const struct nfs_version nfs_mount_v1 = {NFS_PROGRAM_MOUNT, 1, G_N_ELEMENTS(procedures), procedures};
const struct nfs_version nfs_mount_v3 = {NFS_PROGRAM_MOUNT, 3, G_N_ELEMENTS(procedures) - 1, procedures};
