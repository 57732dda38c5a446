// SPDX-License-Identifier: GPL-2.0-or-later
/* The octets of files: pages that exist once they were written to, so that files may have holes. */
#include "traffic-gen/ends/nfs/tree/nfs_tree_internal.h"

#include <string.h>

static const uint8_t zeros[TREE_PAGE];

static enum nfs_tree_status octets_find_file(const struct nfs_tree *tree, uint64_t id, struct tree_node **node)
{
    *node = tree_find(tree, id);
    if (!*node)
        return NFS_TREE_STALE;
    if ((*node)->node.kind == NFS_NODE_FILE)
        return NFS_TREE_OK;
    return (*node)->node.kind == NFS_NODE_DIRECTORY ? NFS_TREE_ISDIR : NFS_TREE_INVAL;
}

static uint64_t page_number(GTreeNode *page)
{
    return *(const uint64_t *)g_tree_node_key(page);
}

/* The octets of a page; NULL: it does not exist. */
static uint8_t *find_page(const struct tree_node *node, uint64_t number)
{
    struct tree_page *page = g_tree_lookup(node->pages, &number);

    return page ? page->octets : NULL;
}

/* Pages from number `from` on, before number `to`. */
void tree_drop_pages(struct nfs_tree *tree, struct tree_node *node, uint64_t from, uint64_t to)
{
    GTreeNode *page;

    while ((page = g_tree_lower_bound(node->pages, &from)) && page_number(page) < to) {
        g_tree_remove(node->pages, g_tree_node_key(page));
        tree->octets -= TREE_PAGE;
        node->node.used -= TREE_PAGE;
    }
}

/* Octets [at, end) become zeros; whole pages are freed. */
static void octets_clear(struct nfs_tree *tree, struct tree_node *node, uint64_t at, uint64_t end)
{
    while (at < end) {
        uint64_t number = at / TREE_PAGE, offset = at % TREE_PAGE, n = MIN(TREE_PAGE - offset, end - at);

        if (offset == 0 && end - at >= TREE_PAGE) {
            tree_drop_pages(tree, node, number, end / TREE_PAGE);
            at = end - end % TREE_PAGE;
            continue;
        }
        uint8_t *page = find_page(node, number);

        if (page)
            memset(page + offset, 0, n);
        at += n;
    }
}

enum nfs_tree_status tree_resize(struct nfs_tree *tree, struct tree_node *node, uint64_t size)
{
    if (node->node.kind != NFS_NODE_FILE)
        return node->node.kind == NFS_NODE_DIRECTORY ? NFS_TREE_ISDIR : NFS_TREE_INVAL;
    if (size > INT64_MAX)
        return NFS_TREE_FBIG;
    if (size < node->node.size)
        octets_clear(tree, node, size, (node->node.size + TREE_PAGE - 1) / TREE_PAGE * TREE_PAGE);
    node->node.size = size;
    return NFS_TREE_OK;
}

/* Allocates the pages of [at, at + n), n > 0, all or none. */
static bool make_pages(struct nfs_tree *tree, struct tree_node *node, uint64_t at, uint64_t n)
{
    uint64_t first = at / TREE_PAGE, last = (at + n - 1) / TREE_PAGE, missing = 0;
    uint64_t free_pages = tree->octets < tree->octets_max ? (tree->octets_max - tree->octets) / TREE_PAGE : 0;

    for (uint64_t i = first; i <= last; i++) {
        missing += !find_page(node, i);
        if (missing > free_pages)
            return false;
    }
    for (uint64_t i = first; missing > 0; i++)
        if (!find_page(node, i)) {
            struct tree_page *page = g_new0(struct tree_page, 1);

            page->number = i;
            g_tree_insert(node->pages, &page->number, page);
            tree->octets += TREE_PAGE;
            node->node.used += TREE_PAGE;
            missing--;
        }
    return true;
}

enum nfs_tree_status nfs_tree_read(struct nfs_tree *tree, uint64_t id, uint64_t at, size_t want, const uint8_t **p,
                                   size_t *n, bool *eof)
{
    struct tree_node *node;
    enum nfs_tree_status status = octets_find_file(tree, id, &node);
    const uint8_t *page;

    *p = zeros;
    *n = 0;
    *eof = true;
    if (status != NFS_TREE_OK)
        return status;
    if (at < node->node.size)
        *n = MIN(want, node->node.size - at);
    *eof = at + *n >= node->node.size;
    if (*n == 0)
        return NFS_TREE_OK;
    if (at % TREE_PAGE + *n <= TREE_PAGE) {
        page = find_page(node, at / TREE_PAGE);
        *p = (page ? page : zeros) + at % TREE_PAGE;
        return NFS_TREE_OK;
    }
    g_byte_array_set_size(tree->scratch, 0);
    while (tree->scratch->len < *n) {
        uint64_t now = at + tree->scratch->len, offset = now % TREE_PAGE;

        page = find_page(node, now / TREE_PAGE);
        g_byte_array_append(tree->scratch, (page ? page : zeros) + offset,
                            (guint)MIN(TREE_PAGE - offset, *n - tree->scratch->len));
    }
    *p = tree->scratch->data;
    return NFS_TREE_OK;
}

/* A file that may be changed in [at, at + n). */
static enum nfs_tree_status find_writable(const struct nfs_tree *tree, uint64_t id, uint64_t at, uint64_t n,
                                          struct tree_node **node)
{
    enum nfs_tree_status status = octets_find_file(tree, id, node);

    if (status != NFS_TREE_OK)
        return status;
    if (tree->sealed)
        return NFS_TREE_ROFS;
    return at > INT64_MAX || n > INT64_MAX - at ? NFS_TREE_FBIG : NFS_TREE_OK;
}

/* Gives the file room for these octets, and at least this length. */
static enum nfs_tree_status octets_extend(struct nfs_tree *tree, uint64_t id, uint64_t at, uint64_t n,
                                          struct tree_node **node)
{
    enum nfs_tree_status status = find_writable(tree, id, at, n, node);

    if (status != NFS_TREE_OK || n == 0)
        return status;
    if (!make_pages(tree, *node, at, n))
        return NFS_TREE_NOSPC;
    (*node)->node.size = MAX((*node)->node.size, at + n);
    tree_changed(tree, *node, true);
    return NFS_TREE_OK;
}

enum nfs_tree_status nfs_tree_write(struct nfs_tree *tree, uint64_t id, uint64_t at, const uint8_t *p, size_t n)
{
    struct tree_node *node;
    enum nfs_tree_status status = octets_extend(tree, id, at, n, &node);

    for (size_t done = 0; status == NFS_TREE_OK && done < n;) {
        uint64_t offset = (at + done) % TREE_PAGE;
        size_t part = MIN(TREE_PAGE - offset, n - done);
        uint8_t *page = find_page(node, (at + done) / TREE_PAGE);

        memcpy(page + offset, p + done, part);
        done += part;
    }
    return status;
}

enum nfs_tree_status nfs_tree_allocate(struct nfs_tree *tree, uint64_t id, uint64_t at, uint64_t n)
{
    struct tree_node *node;

    return octets_extend(tree, id, at, n, &node);
}

enum nfs_tree_status nfs_tree_punch(struct nfs_tree *tree, uint64_t id, uint64_t at, uint64_t n)
{
    struct tree_node *node;
    enum nfs_tree_status status = find_writable(tree, id, at, n, &node);

    if (status != NFS_TREE_OK || n == 0)
        return status;
    octets_clear(tree, node, at, at + n);
    tree_changed(tree, node, true);
    return NFS_TREE_OK;
}

enum nfs_tree_status nfs_tree_seek(struct nfs_tree *tree, uint64_t id, uint64_t at, bool hole, uint64_t *found)
{
    struct tree_node *node;
    enum nfs_tree_status status = octets_find_file(tree, id, &node);
    GTreeNode *page;
    uint64_t number = at / TREE_PAGE;

    if (status != NFS_TREE_OK)
        return status;
    *found = node->node.size;
    if (at >= node->node.size)
        return NFS_TREE_OK;
    page = g_tree_lower_bound(node->pages, &number);
    if (!hole && page)
        number = page_number(page);
    else if (!hole)
        return NFS_TREE_OK;
    for (; hole && page && page_number(page) == number; page = g_tree_node_next(page))
        number++;
    *found = MIN(MAX(at, number * TREE_PAGE), node->node.size);
    return NFS_TREE_OK;
}
