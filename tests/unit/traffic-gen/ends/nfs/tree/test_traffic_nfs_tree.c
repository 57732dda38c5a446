// SPDX-License-Identifier: GPL-2.0-or-later
/* The file tree: names, stable cookies, holes, limits, import. */
#include "tests/unit/support/support.h"
#include "traffic-gen/ends/nfs/tree/nfs_tree.h"

#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

enum { ROOT = 1, OCTETS = 1 << 20, NODES = 6000 };

static int64_t clock_ns;

static int64_t now(void *ctx)
{
    return ++clock_ns;
}

static struct nfs_tree *new_tree(void)
{
    return nfs_tree_new(now, NULL, OCTETS, NODES);
}

static uint64_t create(struct nfs_tree *tree, uint64_t dir, const char *name, enum nfs_node_kind kind)
{
    uint64_t id = 0;

    assert_int_equal(nfs_tree_create(tree, dir, name, strlen(name), kind, NULL, &id), NFS_TREE_OK);
    return id;
}

static enum nfs_tree_status look_up(struct nfs_tree *tree, uint64_t dir, const char *name, uint64_t *id)
{
    return nfs_tree_lookup(tree, dir, name, strlen(name), id);
}

static enum nfs_tree_status rename_to(struct nfs_tree *tree, uint64_t from, const char *name, uint64_t to,
                                      const char *new_name)
{
    return nfs_tree_rename(tree, from, name, strlen(name), to, new_name, strlen(new_name));
}

static enum nfs_tree_status drop(struct nfs_tree *tree, uint64_t dir, const char *name)
{
    return nfs_tree_remove(tree, dir, name, strlen(name), NULL);
}

UNIT_TEST(names)
{
    struct nfs_tree *tree = new_tree();
    uint64_t folder = create(tree, ROOT, "folder", NFS_NODE_DIRECTORY), file = create(tree, folder, "a", NFS_NODE_FILE);
    uint64_t id, change = nfs_tree_get(tree, folder)->change;
    char longest[300];
    const bool is_directory = true, is_file = false;

    assert_int_equal(look_up(tree, folder, "a", &id), NFS_TREE_OK);
    assert_int_equal(id, file);
    assert_int_equal(look_up(tree, folder, "..", &id), NFS_TREE_OK);
    assert_int_equal(id, ROOT);
    assert_int_equal(look_up(tree, folder, ".", &id), NFS_TREE_OK);
    assert_int_equal(id, folder);
    assert_int_equal(look_up(tree, ROOT, "..", &id), NFS_TREE_OK);
    assert_int_equal(id, ROOT);
    assert_int_equal(look_up(tree, folder, "b", &id), NFS_TREE_NOENT);
    assert_int_equal(look_up(tree, file, "b", &id), NFS_TREE_NOTDIR);
    assert_int_equal(look_up(tree, 999, "b", &id), NFS_TREE_STALE);
    assert_int_equal(nfs_tree_lookup(tree, folder, "a\0b", 3, &id), NFS_TREE_INVAL);
    assert_int_equal(look_up(tree, folder, "a/b", &id), NFS_TREE_INVAL);
    memset(longest, 'x', sizeof longest);
    assert_int_equal(nfs_tree_lookup(tree, folder, longest, 255, &id), NFS_TREE_NOENT);
    assert_int_equal(nfs_tree_lookup(tree, folder, longest, 256, &id), NFS_TREE_NAMETOOLONG);
    assert_int_equal(nfs_tree_create(tree, folder, "a", 1, NFS_NODE_FILE, NULL, &id), NFS_TREE_EXIST);
    assert_int_equal(nfs_tree_create(tree, folder, "..", 2, NFS_NODE_FILE, NULL, &id), NFS_TREE_EXIST);

    assert_int_equal(nfs_tree_get(tree, ROOT)->nlink, 3);
    assert_int_equal(nfs_tree_link(tree, file, ROOT, "hard", 4), NFS_TREE_OK);
    assert_int_equal(nfs_tree_get(tree, file)->nlink, 2);
    assert_int_equal(nfs_tree_link(tree, folder, ROOT, "h", 1), NFS_TREE_ISDIR);
    assert_int_equal(nfs_tree_remove(tree, folder, "a", 1, &is_directory), NFS_TREE_NOTDIR);
    assert_int_equal(nfs_tree_remove(tree, ROOT, "folder", 6, &is_file), NFS_TREE_ISDIR);
    assert_int_equal(drop(tree, ROOT, "folder"), NFS_TREE_NOTEMPTY);
    assert_int_equal(drop(tree, folder, "a"), NFS_TREE_OK);
    assert_true(nfs_tree_get(tree, folder)->change > change);
    assert_int_equal(nfs_tree_get(tree, file)->nlink, 1);
    assert_int_equal(drop(tree, ROOT, "hard"), NFS_TREE_OK);
    assert_null(nfs_tree_get(tree, file));
    assert_int_equal(drop(tree, ROOT, "folder"), NFS_TREE_OK);
    assert_int_equal(nfs_tree_get(tree, ROOT)->nlink, 2);
    assert_int_equal(nfs_tree_get(tree, ROOT)->size, 0);
    nfs_tree_free(tree);
}

UNIT_TEST(renaming)
{
    struct nfs_tree *tree = new_tree();
    uint64_t a = create(tree, ROOT, "a", NFS_NODE_DIRECTORY), b = create(tree, a, "b", NFS_NODE_DIRECTORY);
    uint64_t file = create(tree, ROOT, "file", NFS_NODE_FILE), other = create(tree, ROOT, "other", NFS_NODE_FILE), id;

    assert_int_equal(rename_to(tree, ROOT, "a", b, "a"), NFS_TREE_INVAL);
    assert_int_equal(rename_to(tree, ROOT, "a", a, "a"), NFS_TREE_INVAL);
    assert_int_equal(rename_to(tree, ROOT, "a", ROOT, "file"), NFS_TREE_EXIST);
    assert_int_equal(rename_to(tree, ROOT, "file", ROOT, "a"), NFS_TREE_EXIST);
    assert_int_equal(rename_to(tree, ROOT, "none", ROOT, "a"), NFS_TREE_NOENT);
    assert_int_equal(rename_to(tree, ROOT, ".", ROOT, "x"), NFS_TREE_INVAL);
    assert_int_equal(rename_to(tree, ROOT, "file", ROOT, "other"), NFS_TREE_OK);
    assert_null(nfs_tree_get(tree, other));
    assert_int_equal(look_up(tree, ROOT, "other", &id), NFS_TREE_OK);
    assert_int_equal(id, file);
    assert_int_equal(rename_to(tree, a, "b", ROOT, "b"), NFS_TREE_OK);
    assert_int_equal(nfs_tree_get(tree, b)->parent, ROOT);
    assert_int_equal(nfs_tree_get(tree, ROOT)->nlink, 4);
    assert_int_equal(nfs_tree_get(tree, a)->nlink, 2);
    assert_int_equal(rename_to(tree, ROOT, "a", ROOT, "b"), NFS_TREE_OK); /* onto an empty directory */
    assert_null(nfs_tree_get(tree, b));
    assert_int_equal(nfs_tree_link(tree, file, ROOT, "hard", 4), NFS_TREE_OK);
    assert_int_equal(rename_to(tree, ROOT, "other", ROOT, "hard"), NFS_TREE_OK); /* the same file: nothing happens */
    assert_int_equal(look_up(tree, ROOT, "other", &id), NFS_TREE_OK);
    nfs_tree_free(tree);
}

/* Thousands of entries; every second one is removed while they are listed. */
UNIT_TEST(cookies)
{
    struct nfs_tree *tree = new_tree();
    uint64_t cookie = 0, before = 2, id;
    const char *name;
    char text[16];
    size_t n;
    unsigned seen = 0;

    for (unsigned i = 0; i < 5000; i++)
        create(tree, ROOT, (g_snprintf(text, sizeof text, "%04u", i), text), NFS_NODE_FILE);
    while (nfs_tree_next(tree, ROOT, cookie, &cookie, &name, &n, &id)) {
        assert_true(cookie > before);
        before = cookie;
        g_snprintf(text, sizeof text, "%04u", seen);
        assert_int_equal(n, 4);
        assert_string_equal(name, text);
        if (seen % 2)
            assert_int_equal(nfs_tree_remove(tree, ROOT, text, 4, NULL), NFS_TREE_OK);
        seen++;
    }
    assert_int_equal(seen, 5000);
    assert_false(nfs_tree_next(tree, ROOT, UINT64_MAX, &cookie, &name, &n, &id));
    assert_false(nfs_tree_next(tree, 12345, 0, &cookie, &name, &n, &id));
    seen = 0;
    for (cookie = 0; nfs_tree_next(tree, ROOT, cookie, &cookie, &name, &n, &id);)
        seen++;
    assert_int_equal(seen, 2500);
    nfs_tree_free(tree);
}

static void assert_octets(struct nfs_tree *tree, uint64_t id, uint64_t at, const char *expected, size_t n)
{
    const uint8_t *p;
    size_t got;
    bool eof;

    assert_int_equal(nfs_tree_read(tree, id, at, n, &p, &got, &eof), NFS_TREE_OK);
    assert_int_equal(got, n);
    assert_memory_equal(p, expected, n);
}

static uint64_t used(struct nfs_tree *tree)
{
    uint64_t octets, max, nodes, nodes_max;

    nfs_tree_usage(tree, &octets, &max, &nodes, &nodes_max);
    return octets;
}

UNIT_TEST(holes)
{
    struct nfs_tree *tree = new_tree();
    uint64_t id = create(tree, ROOT, "f", NFS_NODE_FILE), at = UINT64_C(1) << 40, found;
    struct nfs_node_change change = {.set = NFS_SET_SIZE};
    const uint8_t *p;
    size_t n;
    bool eof;

    assert_int_equal(nfs_tree_write(tree, id, at - 2, (const uint8_t *)"abcd", 4), NFS_TREE_OK);
    assert_int_equal(nfs_tree_get(tree, id)->size, at + 2);
    assert_int_equal(used(tree), 8192);
    assert_octets(tree, id, at - 4, "\0\0abcd", 6);
    assert_octets(tree, id, 100, "\0\0\0", 3);
    assert_int_equal(nfs_tree_seek(tree, id, 0, false, &found), NFS_TREE_OK);
    assert_int_equal(found, at - 4096);
    assert_int_equal(nfs_tree_seek(tree, id, 5, true, &found), NFS_TREE_OK);
    assert_int_equal(found, 5);
    assert_int_equal(nfs_tree_seek(tree, id, at - 1, true, &found), NFS_TREE_OK);
    assert_int_equal(found, at + 2);
    assert_int_equal(nfs_tree_read(tree, id, at, 10, &p, &n, &eof), NFS_TREE_OK);
    assert_int_equal(n, 2);
    assert_true(eof);
    assert_int_equal(nfs_tree_read(tree, id, UINT64_MAX, 10, &p, &n, &eof), NFS_TREE_OK);
    assert_int_equal(n, 0);

    /* Truncated octets do not come back when a file grows. */
    change.size = at - 1;
    assert_int_equal(nfs_tree_set(tree, id, &change), NFS_TREE_OK);
    assert_int_equal(used(tree), 4096);
    change.size = at + 4;
    assert_int_equal(nfs_tree_set(tree, id, &change), NFS_TREE_OK);
    assert_octets(tree, id, at - 2, "a\0\0\0\0\0", 6);
    assert_int_equal(nfs_tree_punch(tree, id, 0, at), NFS_TREE_OK);
    assert_int_equal(used(tree), 0);
    assert_int_equal(nfs_tree_seek(tree, id, 0, false, &found), NFS_TREE_OK);
    assert_int_equal(found, at + 4);

    assert_int_equal(nfs_tree_allocate(tree, id, 0, 10000), NFS_TREE_OK);
    assert_int_equal(used(tree), 3 * 4096);
    assert_int_equal(nfs_tree_punch(tree, id, 100, 8192), NFS_TREE_OK);
    assert_int_equal(used(tree), 2 * 4096);
    assert_int_equal(drop(tree, ROOT, "f"), NFS_TREE_OK);
    assert_int_equal(used(tree), 0);
    nfs_tree_free(tree);
}

/* Page numbers whose low 32 bits are equal. */
UNIT_TEST(far_pages)
{
    struct nfs_tree *tree = new_tree();
    uint64_t id = create(tree, ROOT, "f", NFS_NODE_FILE), at = UINT64_C(4096) << 32, found;

    assert_int_equal(nfs_tree_write(tree, id, 0, (const uint8_t *)"near", 4), NFS_TREE_OK);
    assert_octets(tree, id, 0, "near", 4);
    assert_int_equal(nfs_tree_write(tree, id, at, (const uint8_t *)"far", 3), NFS_TREE_OK);
    assert_int_equal(used(tree), 8192);
    assert_octets(tree, id, 0, "near", 4);
    assert_octets(tree, id, at, "far", 3);
    assert_int_equal(nfs_tree_seek(tree, id, 4096, false, &found), NFS_TREE_OK);
    assert_int_equal(found, at);
    nfs_tree_free(tree);
}

UNIT_TEST(limits)
{
    struct nfs_tree *tree = nfs_tree_new(now, NULL, 3 * 4096, 4);
    uint64_t id = create(tree, ROOT, "f", NFS_NODE_FILE), link;
    uint8_t octets[4096] = {1};
    struct nfs_node_change change = {.set = NFS_SET_SIZE, .size = UINT64_C(1) << 63};

    assert_int_equal(nfs_tree_write(tree, id, INT64_MAX, octets, 1), NFS_TREE_FBIG);
    assert_int_equal(nfs_tree_write(tree, id, UINT64_MAX, octets, 2), NFS_TREE_FBIG);
    assert_int_equal(nfs_tree_set(tree, id, &change), NFS_TREE_FBIG);
    assert_int_equal(nfs_tree_allocate(tree, id, 0, UINT64_C(1) << 60), NFS_TREE_NOSPC);
    assert_int_equal(nfs_tree_punch(tree, id, 0, INT64_MAX), NFS_TREE_OK);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(nfs_tree_write(tree, id, i * 4096, octets, sizeof octets), NFS_TREE_OK);
    assert_int_equal(nfs_tree_write(tree, id, 3 * 4096 - 1, octets, 2), NFS_TREE_NOSPC);
    assert_int_equal(nfs_tree_get(tree, id)->size, 3 * 4096);
    assert_int_equal(nfs_tree_write(tree, id, 0, octets, sizeof octets), NFS_TREE_OK);
    assert_int_equal(nfs_tree_symlink(tree, ROOT, "l", 1, "to", 2, &link), NFS_TREE_NOSPC);
    change.size = 0;
    assert_int_equal(nfs_tree_set(tree, id, &change), NFS_TREE_OK);
    assert_int_equal(nfs_tree_symlink(tree, ROOT, "l", 1, "to", 2, &link), NFS_TREE_OK);
    create(tree, ROOT, "g", NFS_NODE_FIFO);
    assert_int_equal(nfs_tree_create(tree, ROOT, "h", 1, NFS_NODE_FILE, NULL, &id), NFS_TREE_NOSPC);
    assert_int_equal(drop(tree, ROOT, "l"), NFS_TREE_OK);
    assert_int_equal(used(tree), 0);
    create(tree, ROOT, "h", NFS_NODE_FILE);
    nfs_tree_free(tree);
}

UNIT_TEST(import)
{
    char *folder = g_dir_make_tmp("tree-XXXXXX", NULL), *sub, *file, *link;
    struct nfs_tree *tree = new_tree();
    uint64_t id, cookie;
    const char *target;
    size_t n;

    assert_non_null(folder);
    sub = g_build_filename(folder, "sub", NULL);
    file = g_build_filename(sub, "file", NULL);
    link = g_build_filename(folder, "link", NULL);
    assert_int_equal(g_mkdir(sub, 0700), 0);
    assert_true(g_file_set_contents(file, "contents", -1, NULL));
    assert_int_equal(symlink("/etc/passwd", link), 0);
    assert_true(nfs_tree_import(tree, folder, NULL));
    assert_true(nfs_tree_next(tree, ROOT, 0, &cookie, &target, &n, &id));
    assert_string_equal(target, "link"); /* names in their order */
    assert_int_equal(look_up(tree, ROOT, "link", &id), NFS_TREE_OK);
    assert_int_equal(nfs_tree_readlink(tree, id, &target, &n), NFS_TREE_OK);
    assert_int_equal(n, strlen("/etc/passwd"));
    assert_int_equal(look_up(tree, ROOT, "sub", &id), NFS_TREE_OK);
    assert_int_equal(look_up(tree, id, "file", &id), NFS_TREE_OK);
    assert_octets(tree, id, 0, "contents", 8);
    assert_int_equal(nfs_tree_write(tree, id, 0, (const uint8_t *)"x", 1), NFS_TREE_ROFS);
    assert_int_equal(drop(tree, ROOT, "link"), NFS_TREE_ROFS);
    assert_int_equal(nfs_tree_create(tree, ROOT, "new", 3, NFS_NODE_FILE, NULL, &id), NFS_TREE_ROFS);
    nfs_tree_free(tree);
    g_unlink(file);
    g_unlink(link);
    g_rmdir(sub);
    g_rmdir(folder);
    tree = new_tree();
    assert_false(nfs_tree_import(tree, folder, NULL));
    nfs_tree_free(tree);
    g_free(sub);
    g_free(file);
    g_free(link);
    g_free(folder);
}
