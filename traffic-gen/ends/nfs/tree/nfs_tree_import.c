// SPDX-License-Identifier: GPL-2.0-or-later
/* Copies a directory from disk into the tree. Only the tree is ever served: no path leads out of it. */
#include "traffic-gen/ends/nfs/tree/nfs_tree_internal.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>

enum { DEPTH_MAX = 64, BUFFER = 1 << 16 };

static bool import_failed(GError **error, const char *path, const char *why)
{
    g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_FAILED, "%s: %s", path, why);
    return false;
}

static const char *status_text(enum nfs_tree_status status)
{
    return status == NFS_TREE_NOSPC ? "does not fit; the tree is in memory, and its size is limited"
                                    : "cannot be represented in the tree";
}

static bool copy_file(struct nfs_tree *tree, const char *path, uint64_t id, GError **error)
{
    FILE *file = g_fopen(path, "rb");
    uint8_t *buffer;
    uint64_t at = 0;
    size_t n;
    enum nfs_tree_status status = NFS_TREE_OK;
    bool broken;

    if (!file)
        return import_failed(error, path, g_strerror(errno));
    buffer = g_malloc(BUFFER);
    while (status == NFS_TREE_OK && (n = fread(buffer, 1, BUFFER, file)) > 0) {
        status = nfs_tree_write(tree, id, at, buffer, n);
        at += n;
    }
    broken = ferror(file);
    g_free(buffer);
    fclose(file);
    if (broken)
        return import_failed(error, path, "cannot be read");
    return status == NFS_TREE_OK || import_failed(error, path, status_text(status));
}

static bool copy_folder(struct nfs_tree *tree, const char *folder, uint64_t dir, unsigned depth, GError **error);

/* One entry of a directory. Devices, sockets and pipes are omitted, because they would be useless here. */
static bool copy_entry(struct nfs_tree *tree, const char *path, const char *name, uint64_t dir, unsigned depth,
                       GError **error)
{
    GStatBuf st;
    struct nfs_node_change change = {.set = NFS_SET_MODE | NFS_SET_UID | NFS_SET_GID};
    enum nfs_tree_status status;
    uint64_t id;
    bool ok = true;
    char *target;

    if (g_lstat(path, &st) != 0)
        return import_failed(error, path, g_strerror(errno));
    if (S_ISLNK(st.st_mode)) {
        target = g_file_read_link(path, error);
        if (!target)
            return false;
        status = nfs_tree_symlink(tree, dir, name, strlen(name), target, strlen(target), &id);
        g_free(target);
        return status == NFS_TREE_OK || import_failed(error, path, status_text(status));
    }
    if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
        return true;
    change.mode = st.st_mode & 07777;
    change.uid = st.st_uid;
    change.gid = st.st_gid;
    status = nfs_tree_create(tree, dir, name, strlen(name), S_ISDIR(st.st_mode) ? NFS_NODE_DIRECTORY : NFS_NODE_FILE,
                             &change, &id);
    if (status != NFS_TREE_OK)
        return import_failed(error, path, status_text(status));
    ok = S_ISDIR(st.st_mode) ? copy_folder(tree, path, id, depth + 1, error) : copy_file(tree, path, id, error);
    if (ok) {
        change = (struct nfs_node_change){.set = NFS_SET_MTIME};
        change.mtime_ns = st.st_mtim.tv_sec * INT64_C(1000000000) + st.st_mtim.tv_nsec;
        nfs_tree_set(tree, id, &change);
    }
    return ok;
}

static gint compare_names(gconstpointer a, gconstpointer b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Sorted by name, so that a directory always becomes the same tree, including numbers and cookies. */
static GPtrArray *read_names(const char *folder, GError **error)
{
    GDir *open = g_dir_open(folder, 0, error);
    GPtrArray *names;
    const char *name;

    if (!open)
        return NULL;
    names = g_ptr_array_new_with_free_func(g_free);
    while ((name = g_dir_read_name(open)))
        g_ptr_array_add(names, g_strdup(name));
    g_dir_close(open);
    g_ptr_array_sort(names, compare_names);
    return names;
}

static bool copy_folder(struct nfs_tree *tree, const char *folder, uint64_t dir, unsigned depth, GError **error)
{
    GPtrArray *names;
    bool ok = true;

    if (depth > DEPTH_MAX)
        return import_failed(error, folder, "is nested too deeply");
    names = read_names(folder, error);
    if (!names)
        return false;
    for (guint i = 0; ok && i < names->len; i++) {
        char *path = g_build_filename(folder, names->pdata[i], NULL);

        ok = copy_entry(tree, path, names->pdata[i], dir, depth, error);
        g_free(path);
    }
    g_ptr_array_unref(names);
    return ok;
}

bool nfs_tree_import(struct nfs_tree *tree, const char *folder, GError **error)
{
    bool ok = copy_folder(tree, folder, 1, 0, error);

    tree->sealed = true;
    return ok;
}
