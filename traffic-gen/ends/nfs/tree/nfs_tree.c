// SPDX-License-Identifier: GPL-2.0-or-later
/* Nodes and names of the file tree; nfs_tree_octets.c has the octets of its files. */
#include "traffic-gen/ends/nfs/tree/nfs_tree.h"

#include "traffic-gen/ends/nfs/tree/nfs_tree_internal.h"

#include <string.h>

enum { ROOT = 1, FIRST_COOKIE = 3 };

/* ---- nodes ---- */

static int tree_compare_numbers(gconstpointer a, gconstpointer b, gpointer unused)
{
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

    (void)unused;
    return (left > right) - (left < right);
}

struct tree_node *tree_find(const struct nfs_tree *tree, uint64_t id)
{
    return g_hash_table_lookup(tree->nodes, &id);
}

void tree_changed(struct nfs_tree *tree, struct tree_node *node, bool contents)
{
    node->node.change++;
    node->node.ctime_ns = tree->now(tree->ctx);
    if (contents)
        node->node.mtime_ns = node->node.ctime_ns;
}

static void free_node(gpointer p)
{
    struct tree_node *node = p;

    if (node->node.kind == NFS_NODE_FILE) {
        g_tree_unref(node->pages);
    } else if (node->node.kind == NFS_NODE_DIRECTORY) {
        g_tree_unref(node->dir.entries);
        g_hash_table_unref(node->dir.names);
    } else if (node->node.kind == NFS_NODE_LINK) {
        g_free(node->link.target);
    }
    g_free(node);
}

static struct tree_node *new_node(struct nfs_tree *tree, enum nfs_node_kind kind)
{
    struct tree_node *node = g_new0(struct tree_node, 1);
    int64_t now = tree->now(tree->ctx);

    node->node = (struct nfs_node){.id = tree->next_id++,
                                   .kind = kind,
                                   .mode = kind == NFS_NODE_DIRECTORY ? 0755 : 0644,
                                   .nlink = kind == NFS_NODE_DIRECTORY ? 2 : 1,
                                   .change = 1,
                                   .atime_ns = now,
                                   .mtime_ns = now,
                                   .ctime_ns = now};
    if (kind == NFS_NODE_FILE) {
        node->pages = g_tree_new_full(tree_compare_numbers, NULL, NULL, g_free);
    } else if (kind == NFS_NODE_DIRECTORY) {
        node->dir.names = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, g_free);
        node->dir.entries = g_tree_new_full(tree_compare_numbers, NULL, NULL, NULL);
        node->dir.cookie = FIRST_COOKIE;
    }
    g_hash_table_insert(tree->nodes, &node->node.id, node);
    return node;
}

int64_t nfs_tree_real_time(void *unused)
{
    (void)unused;
    return g_get_real_time() * 1000;
}

struct nfs_tree *nfs_tree_new(int64_t (*now)(void *ctx), void *ctx, uint64_t max_octets, uint32_t max_nodes)
{
    struct nfs_tree *tree = g_new0(struct nfs_tree, 1);
    struct tree_node *root;

    tree->now = now;
    tree->ctx = ctx;
    tree->octets_max = max_octets;
    tree->entries_max = max_nodes;
    tree->nodes = g_hash_table_new_full(g_int64_hash, g_int64_equal, NULL, free_node);
    tree->scratch = g_byte_array_new();
    tree->next_id = ROOT;
    tree->entries = 1;
    root = new_node(tree, NFS_NODE_DIRECTORY);
    root->node.mode = 0777;
    root->node.parent = ROOT;
    return tree;
}

void nfs_tree_free(struct nfs_tree *tree)
{
    if (!tree)
        return;
    g_hash_table_unref(tree->nodes);
    g_byte_array_unref(tree->scratch);
    g_free(tree);
}

const struct nfs_node *nfs_tree_get(const struct nfs_tree *tree, uint64_t id)
{
    const struct tree_node *node = tree_find(tree, id);

    return node ? &node->node : NULL;
}

bool nfs_tree_is_sealed(const struct nfs_tree *tree)
{
    return tree->sealed;
}

void nfs_tree_usage(const struct nfs_tree *tree, uint64_t *octets, uint64_t *octets_max, uint64_t *nodes,
                    uint64_t *nodes_max)
{
    *octets = tree->octets;
    *octets_max = tree->octets_max;
    *nodes = tree->entries;
    *nodes_max = tree->entries_max;
}

/* ---- names ---- */

static bool tree_is_dots(const char *name, size_t n)
{
    return (n == 1 || n == 2) && name[0] == '.' && name[n - 1] == '.';
}

/* A directory, and a name that it may contain. */
static enum nfs_tree_status find_place(const struct nfs_tree *tree, uint64_t id, const char *name, size_t n,
                                       struct tree_node **dir)
{
    *dir = tree_find(tree, id);
    if (!*dir)
        return NFS_TREE_STALE;
    if ((*dir)->node.kind != NFS_NODE_DIRECTORY)
        return NFS_TREE_NOTDIR;
    if (n > NFS_NAME_MAX)
        return NFS_TREE_NAMETOOLONG;
    if (n == 0 || memchr(name, 0, n) || memchr(name, '/', n))
        return NFS_TREE_INVAL;
    return NFS_TREE_OK;
}

static struct tree_entry *find_entry(const struct tree_node *dir, const char *name, size_t n)
{
    char key[NFS_NAME_MAX + 1];

    memcpy(key, name, n);
    key[n] = 0;
    return g_hash_table_lookup(dir->dir.names, key);
}

static void add_entry(struct nfs_tree *tree, struct tree_node *dir, const char *name, size_t n, struct tree_node *node)
{
    struct tree_entry *entry = g_malloc0(sizeof *entry + n + 1);

    entry->cookie = dir->dir.cookie++;
    entry->id = node->node.id;
    entry->n = n;
    memcpy(entry->name, name, n);
    g_hash_table_insert(dir->dir.names, entry->name, entry);
    g_tree_insert(dir->dir.entries, &entry->cookie, entry);
    dir->node.size += n;
    if (node->node.kind == NFS_NODE_DIRECTORY) {
        node->node.parent = dir->node.id;
        dir->node.nlink++;
    }
    tree->entries++;
    tree_changed(tree, dir, true);
}

static void drop_entry(struct nfs_tree *tree, struct tree_node *dir, struct tree_entry *entry,
                       const struct tree_node *node)
{
    g_tree_remove(dir->dir.entries, &entry->cookie);
    dir->node.size -= entry->n;
    if (node->node.kind == NFS_NODE_DIRECTORY)
        dir->node.nlink--;
    g_hash_table_remove(dir->dir.names, entry->name);
    tree->entries--;
    tree_changed(tree, dir, true);
}

/* One of the node's names was removed. */
static void unlink_node(struct nfs_tree *tree, struct tree_node *node)
{
    if (node->node.kind != NFS_NODE_DIRECTORY && --node->node.nlink > 0) {
        tree_changed(tree, node, false);
        return;
    }
    if (node->node.kind == NFS_NODE_FILE)
        tree_drop_pages(tree, node, 0, UINT64_MAX);
    else if (node->node.kind == NFS_NODE_LINK)
        tree->octets -= node->link.n;
    g_hash_table_remove(tree->nodes, &node->node.id);
}

enum nfs_tree_status nfs_tree_lookup(struct nfs_tree *tree, uint64_t dir, const char *name, size_t n, uint64_t *id)
{
    struct tree_node *at;
    struct tree_entry *entry;
    enum nfs_tree_status status = find_place(tree, dir, name, n, &at);

    if (status != NFS_TREE_OK)
        return status;
    if (tree_is_dots(name, n)) {
        *id = n == 1 ? dir : at->node.parent;
        return NFS_TREE_OK;
    }
    entry = find_entry(at, name, n);
    if (!entry)
        return NFS_TREE_NOENT;
    *id = entry->id;
    return NFS_TREE_OK;
}

/* A free name in a directory that may be changed. */
static enum nfs_tree_status find_free_place(const struct nfs_tree *tree, uint64_t id, const char *name, size_t n,
                                            struct tree_node **dir)
{
    enum nfs_tree_status status = find_place(tree, id, name, n, dir);

    if (status != NFS_TREE_OK)
        return status;
    if (tree_is_dots(name, n) || find_entry(*dir, name, n))
        return NFS_TREE_EXIST;
    if (tree->sealed)
        return NFS_TREE_ROFS;
    return tree->entries < tree->entries_max ? NFS_TREE_OK : NFS_TREE_NOSPC;
}

static void tree_apply(struct tree_node *node, const struct nfs_node_change *change)
{
    if (change->set & NFS_SET_MODE)
        node->node.mode = change->mode & 07777;
    if (change->set & NFS_SET_UID)
        node->node.uid = change->uid;
    if (change->set & NFS_SET_GID)
        node->node.gid = change->gid;
    if (change->set & NFS_SET_ATIME)
        node->node.atime_ns = change->atime_ns;
    if (change->set & NFS_SET_MTIME)
        node->node.mtime_ns = change->mtime_ns;
    if (change->set & NFS_SET_VERIFIER) {
        node->node.has_verifier = true;
        node->node.verifier = change->verifier;
    }
}

enum nfs_tree_status nfs_tree_create(struct nfs_tree *tree, uint64_t dir, const char *name, size_t n,
                                     enum nfs_node_kind kind, const struct nfs_node_change *attributes, uint64_t *id)
{
    struct tree_node *at, *node;
    enum nfs_tree_status status = find_free_place(tree, dir, name, n, &at);

    if (status != NFS_TREE_OK)
        return status;
    if (kind < NFS_NODE_FILE || kind > NFS_NODE_FIFO || kind == NFS_NODE_LINK)
        return NFS_TREE_INVAL;
    if (attributes && attributes->set & NFS_SET_SIZE && attributes->size > INT64_MAX)
        return NFS_TREE_FBIG;
    node = new_node(tree, kind);
    if (attributes) {
        if (kind == NFS_NODE_FILE && attributes->set & NFS_SET_SIZE)
            node->node.size = attributes->size;
        if (kind == NFS_NODE_BLOCK || kind == NFS_NODE_CHAR) {
            node->node.major = attributes->major;
            node->node.minor = attributes->minor;
        }
        tree_apply(node, attributes);
    }
    add_entry(tree, at, name, n, node);
    *id = node->node.id;
    return NFS_TREE_OK;
}

enum nfs_tree_status nfs_tree_symlink(struct nfs_tree *tree, uint64_t dir, const char *name, size_t n,
                                      const char *target, size_t target_n, uint64_t *id)
{
    struct tree_node *at, *node;
    enum nfs_tree_status status = find_free_place(tree, dir, name, n, &at);

    if (status != NFS_TREE_OK)
        return status;
    if (target_n > NFS_TARGET_MAX)
        return NFS_TREE_NAMETOOLONG;
    if (target_n == 0 || memchr(target, 0, target_n))
        return NFS_TREE_INVAL;
    if (target_n > tree->octets_max - tree->octets)
        return NFS_TREE_NOSPC;
    node = new_node(tree, NFS_NODE_LINK);
    node->node.mode = 0777;
    node->link.target = g_memdup2(target, target_n);
    node->link.n = target_n;
    node->node.size = node->node.used = target_n;
    tree->octets += target_n;
    add_entry(tree, at, name, n, node);
    *id = node->node.id;
    return NFS_TREE_OK;
}

enum nfs_tree_status nfs_tree_readlink(struct nfs_tree *tree, uint64_t id, const char **target, size_t *n)
{
    const struct tree_node *node = tree_find(tree, id);

    if (!node)
        return NFS_TREE_STALE;
    if (node->node.kind != NFS_NODE_LINK)
        return NFS_TREE_INVAL;
    *target = node->link.target;
    *n = node->link.n;
    return NFS_TREE_OK;
}

static enum nfs_tree_status may_remove(const struct tree_node *node)
{
    if (node->node.kind == NFS_NODE_DIRECTORY && g_hash_table_size(node->dir.names) > 0)
        return NFS_TREE_NOTEMPTY;
    return NFS_TREE_OK;
}

enum nfs_tree_status nfs_tree_remove(struct nfs_tree *tree, uint64_t dir, const char *name, size_t n,
                                     const bool *directory)
{
    struct tree_node *at, *node;
    struct tree_entry *entry;
    enum nfs_tree_status status = find_place(tree, dir, name, n, &at);

    if (status != NFS_TREE_OK)
        return status;
    if (tree_is_dots(name, n))
        return n == 1 ? NFS_TREE_INVAL : NFS_TREE_EXIST; /* RFC 1813 section 3.3.13 */
    entry = find_entry(at, name, n);
    if (!entry)
        return NFS_TREE_NOENT;
    node = tree_find(tree, entry->id);
    if (directory && *directory != (node->node.kind == NFS_NODE_DIRECTORY))
        return *directory ? NFS_TREE_NOTDIR : NFS_TREE_ISDIR;
    if (tree->sealed)
        return NFS_TREE_ROFS;
    status = may_remove(node);
    if (status != NFS_TREE_OK)
        return status;
    drop_entry(tree, at, entry, node);
    unlink_node(tree, node);
    return NFS_TREE_OK;
}

/* True when `dir` is `node` or below it. */
static bool tree_lies_in(const struct nfs_tree *tree, const struct tree_node *dir, const struct tree_node *node)
{
    for (; dir->node.id != ROOT; dir = tree_find(tree, dir->node.parent))
        if (dir == node)
            return true;
    return false;
}

enum nfs_tree_status nfs_tree_rename(struct nfs_tree *tree, uint64_t from, const char *name, size_t n, uint64_t to,
                                     const char *new_name, size_t new_n)
{
    struct tree_node *from_dir, *to_dir, *node, *old;
    struct tree_entry *entry, *old_entry;
    enum nfs_tree_status status = find_place(tree, from, name, n, &from_dir);

    if (status == NFS_TREE_OK)
        status = find_place(tree, to, new_name, new_n, &to_dir);
    if (status != NFS_TREE_OK)
        return status;
    if (tree_is_dots(name, n) || tree_is_dots(new_name, new_n))
        return NFS_TREE_INVAL;
    entry = find_entry(from_dir, name, n);
    if (!entry)
        return NFS_TREE_NOENT;
    if (tree->sealed)
        return NFS_TREE_ROFS;
    node = tree_find(tree, entry->id);
    if (node->node.kind == NFS_NODE_DIRECTORY && tree_lies_in(tree, to_dir, node))
        return NFS_TREE_INVAL;
    old_entry = find_entry(to_dir, new_name, new_n);
    if (old_entry) {
        /* Two names of the same file: no effect (RFC 1813 section 3.3.14). */
        if (old_entry->id == entry->id)
            return NFS_TREE_OK;
        old = tree_find(tree, old_entry->id);
        if ((old->node.kind == NFS_NODE_DIRECTORY) != (node->node.kind == NFS_NODE_DIRECTORY))
            return NFS_TREE_EXIST;
        status = may_remove(old);
        if (status != NFS_TREE_OK)
            return status;
        drop_entry(tree, to_dir, old_entry, old);
        unlink_node(tree, old);
    }
    drop_entry(tree, from_dir, entry, node);
    add_entry(tree, to_dir, new_name, new_n, node);
    tree_changed(tree, node, false);
    return NFS_TREE_OK;
}

enum nfs_tree_status nfs_tree_link(struct nfs_tree *tree, uint64_t id, uint64_t dir, const char *name, size_t n)
{
    struct tree_node *at, *node = tree_find(tree, id);
    enum nfs_tree_status status;

    if (!node)
        return NFS_TREE_STALE;
    if (node->node.kind == NFS_NODE_DIRECTORY)
        return NFS_TREE_ISDIR;
    status = find_free_place(tree, dir, name, n, &at);
    if (status != NFS_TREE_OK)
        return status;
    if (node->node.nlink >= NFS_LINKS_MAX)
        return NFS_TREE_MLINK;
    add_entry(tree, at, name, n, node);
    node->node.nlink++;
    tree_changed(tree, node, false);
    return NFS_TREE_OK;
}

enum nfs_tree_status nfs_tree_set(struct nfs_tree *tree, uint64_t id, const struct nfs_node_change *change)
{
    struct tree_node *node = tree_find(tree, id);
    enum nfs_tree_status status = NFS_TREE_OK;

    if (!node)
        return NFS_TREE_STALE;
    if (change->set == 0)
        return NFS_TREE_OK;
    if (tree->sealed)
        return NFS_TREE_ROFS;
    if (change->set & NFS_SET_SIZE)
        status = tree_resize(tree, node, change->size);
    if (status != NFS_TREE_OK)
        return status;
    tree_changed(tree, node, change->set & NFS_SET_SIZE);
    tree_apply(node, change);
    return NFS_TREE_OK;
}

bool nfs_tree_next(const struct nfs_tree *tree, uint64_t dir, uint64_t cookie, uint64_t *next_cookie, const char **name,
                   size_t *n, uint64_t *id)
{
    const struct tree_node *at = tree_find(tree, dir);
    const struct tree_entry *entry;
    GTreeNode *next;

    if (!at || at->node.kind != NFS_NODE_DIRECTORY)
        return false;
    next = g_tree_upper_bound(at->dir.entries, &cookie);
    if (!next)
        return false;
    entry = g_tree_node_value(next);
    *next_cookie = entry->cookie;
    *name = entry->name;
    *n = entry->n;
    *id = entry->id;
    return true;
}
