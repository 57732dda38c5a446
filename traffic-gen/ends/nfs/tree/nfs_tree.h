/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A file tree in memory, served by the stack's NFS server in all versions of the protocol. Nodes have numbers, which
 * are never reused because file handles contain them. Nodes and octets are limited.
 */
#ifndef IWARP_TRAFFIC_ENDS_NFS_TREE_NFS_TREE_H
#define IWARP_TRAFFIC_ENDS_NFS_TREE_NFS_TREE_H

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NFS_NAME_MAX = 255, NFS_TARGET_MAX = 4095, NFS_LINKS_MAX = 32000 };

enum nfs_node_kind {
    NFS_NODE_FILE = 1,
    NFS_NODE_DIRECTORY = 2,
    NFS_NODE_BLOCK,
    NFS_NODE_CHAR,
    NFS_NODE_LINK,
    NFS_NODE_SOCKET,
    NFS_NODE_FIFO
}; /* the values of ftype3 and nfs_ftype4 */

/* nfsstat3; those of NFSv2 and NFSv4 have the same numbers where they exist. */
enum nfs_tree_status {
    NFS_TREE_OK = 0,
    NFS_TREE_PERM = 1,
    NFS_TREE_NOENT = 2,
    NFS_TREE_IO = 5,
    NFS_TREE_ACCES = 13,
    NFS_TREE_EXIST = 17,
    NFS_TREE_NOTDIR = 20,
    NFS_TREE_ISDIR = 21,
    NFS_TREE_INVAL = 22,
    NFS_TREE_FBIG = 27,
    NFS_TREE_NOSPC = 28,
    NFS_TREE_ROFS = 30,
    NFS_TREE_MLINK = 31,
    NFS_TREE_NAMETOOLONG = 63,
    NFS_TREE_NOTEMPTY = 66,
    NFS_TREE_STALE = 70,
};

struct nfs_node {
    uint64_t id; /* the root's is 1 */
    enum nfs_node_kind kind;
    uint32_t mode, uid, gid, nlink; /* mode: only permission bits */
    uint64_t size, used;            /* used: octets of memory taken by the contents */
    uint64_t change;                /* grows with each change of octets, entries or attributes */
    int64_t atime_ns, mtime_ns, ctime_ns;
    uint64_t parent;       /* of a directory */
    uint32_t major, minor; /* devices */
    bool has_verifier;     /* made by an exclusive CREATE or OPEN with this verifier */
    uint64_t verifier;
};

/* Values to set; only those that `set` names. */
struct nfs_node_change {
    enum {
        NFS_SET_MODE = 1,
        NFS_SET_UID = 2,
        NFS_SET_GID = 4,
        NFS_SET_SIZE = 8,
        NFS_SET_ATIME = 16,
        NFS_SET_MTIME = 32,
        NFS_SET_VERIFIER = 64
    } set;
    uint32_t mode, uid, gid;
    uint64_t size;
    int64_t atime_ns, mtime_ns;
    uint32_t major, minor; /* of a device that is created */
    uint64_t verifier;
    bool explicit_times; /* the caller's numbers, not the server's: setting these needs more permission */
};

struct nfs_tree;

/* The clock of trees and servers on real connections, nanoseconds since 1970. */
int64_t nfs_tree_real_time(void *unused);
/* now() gives time stamps. max_octets: of all files together. */
struct nfs_tree *nfs_tree_new(int64_t (*now)(void *ctx), void *ctx, uint64_t max_octets, uint32_t max_nodes);
void nfs_tree_free(struct nfs_tree *tree);
/* Imports a directory from disk; the tree is read-only from then on (NFS_TREE_ROFS for changes). */
bool nfs_tree_import(struct nfs_tree *tree, const char *folder, GError **error);
bool nfs_tree_is_sealed(const struct nfs_tree *tree); /* read-only */

/* NULL: does not exist, or no longer. Valid until the next change. */
const struct nfs_node *nfs_tree_get(const struct nfs_tree *tree, uint64_t id);
enum nfs_tree_status nfs_tree_lookup(struct nfs_tree *tree, uint64_t dir, const char *name, size_t n, uint64_t *id);
enum nfs_tree_status nfs_tree_create(struct nfs_tree *tree, uint64_t dir, const char *name, size_t n,
                                     enum nfs_node_kind kind, const struct nfs_node_change *attributes, uint64_t *id);
enum nfs_tree_status nfs_tree_symlink(struct nfs_tree *tree, uint64_t dir, const char *name, size_t n,
                                      const char *target, size_t target_n, uint64_t *id);
/* directory: rmdir, otherwise unlink; NULL: either (REMOVE of NFSv4). */
enum nfs_tree_status nfs_tree_remove(struct nfs_tree *tree, uint64_t dir, const char *name, size_t n,
                                     const bool *directory);
enum nfs_tree_status nfs_tree_rename(struct nfs_tree *tree, uint64_t from, const char *name, size_t n, uint64_t to,
                                     const char *new_name, size_t new_n);
enum nfs_tree_status nfs_tree_link(struct nfs_tree *tree, uint64_t id, uint64_t dir, const char *name, size_t n);
enum nfs_tree_status nfs_tree_set(struct nfs_tree *tree, uint64_t id, const struct nfs_node_change *change);
/* *p: borrowed until the next change or read; *n: at most the requested number; *eof: nothing follows. */
enum nfs_tree_status nfs_tree_read(struct nfs_tree *tree, uint64_t id, uint64_t at, size_t want, const uint8_t **p,
                                   size_t *n, bool *eof);
enum nfs_tree_status nfs_tree_write(struct nfs_tree *tree, uint64_t id, uint64_t at, const uint8_t *p, size_t n);
/* Reserves room for the octets [at, at + n); the file becomes at least as long. */
enum nfs_tree_status nfs_tree_allocate(struct nfs_tree *tree, uint64_t id, uint64_t at, uint64_t n);
/* Octets [at, at + n) become a hole, which reads as zeros; the size stays. */
enum nfs_tree_status nfs_tree_punch(struct nfs_tree *tree, uint64_t id, uint64_t at, uint64_t n);
/* Where the next hole, or the next data, is from `at` on; the file's size if there is none before its end. */
enum nfs_tree_status nfs_tree_seek(struct nfs_tree *tree, uint64_t id, uint64_t at, bool hole, uint64_t *found);
enum nfs_tree_status nfs_tree_readlink(struct nfs_tree *tree, uint64_t id, const char **target, size_t *n);
/*
 * The entry after a cookie, with 0 the first entry; without "." and "..". False at the end. Cookies stay valid when
 * entries come and go; they begin at 3, so that protocols can use 1 and 2 for "." and "..".
 */
bool nfs_tree_next(const struct nfs_tree *tree, uint64_t dir, uint64_t cookie, uint64_t *next_cookie, const char **name,
                   size_t *n, uint64_t *id);
void nfs_tree_usage(const struct nfs_tree *tree, uint64_t *octets, uint64_t *octets_max, uint64_t *nodes,
                    uint64_t *nodes_max);

#endif
