/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IWARP_TRAFFIC_ENDS_NFS_TREE_NFS_TREE_INTERNAL_H
#define IWARP_TRAFFIC_ENDS_NFS_TREE_NFS_TREE_INTERNAL_H

#include "traffic-gen/ends/nfs/tree/nfs_tree.h"

enum { TREE_PAGE = 4096 };

struct tree_page {
    uint64_t number;
    uint8_t octets[TREE_PAGE];
};

struct tree_entry {
    uint64_t cookie, id;
    size_t n;
    char name[]; /* n octets and a NUL */
};

struct tree_node {
    struct nfs_node node; /* first: the public part */
    union {
        GTree *pages; /* FILE: number -> struct tree_page, whose number is the key; missing pages are zeros */
        struct {
            GHashTable *names; /* name -> struct tree_entry, which it owns */
            GTree *entries;    /* cookie -> the same */
            uint64_t cookie;   /* of the next entry */
        } dir;
        struct {
            char *target;
            size_t n;
        } link;
    };
};

struct nfs_tree {
    int64_t (*now)(void *ctx);
    void *ctx;
    GHashTable *nodes; /* id -> struct tree_node */
    uint64_t next_id;
    uint64_t octets, octets_max; /* of pages and link targets */
    uint64_t entries, entries_max;
    bool sealed;         /* read-only from now on */
    GByteArray *scratch; /* for a read that spans several pages */
};

struct tree_node *tree_find(const struct nfs_tree *tree, uint64_t id);
/* Octets, entries (mtime and ctime) or attributes (ctime) have changed. */
void tree_changed(struct nfs_tree *tree, struct tree_node *node, bool contents);

/* nfs_tree_octets.c */
enum nfs_tree_status tree_resize(struct nfs_tree *tree, struct tree_node *node, uint64_t size);
void tree_drop_pages(struct nfs_tree *tree, struct tree_node *node, uint64_t from, uint64_t to);

#endif
