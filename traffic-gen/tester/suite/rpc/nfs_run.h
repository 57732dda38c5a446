/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * State about NFS that all cases of a run share: the user's settings for the export, the versions that the server
 * speaks, and, for devices that are clients, the server behind all connections.
 */
#ifndef IWARP_TRAFFIC_TESTER_SUITE_RPC_NFS_RUN_H
#define IWARP_TRAFFIC_TESTER_SUITE_RPC_NFS_RUN_H

#include "traffic-gen/ends/nfs/server/nfs_server.h"
#include "traffic-gen/tester/suite/talk/talk_run.h"

enum nfs_version_at { NFS_V3, NFS_V40, NFS_V41, NFS_V42, NFS_VERSIONS };
enum { NFS_ALL_VERSIONS = (1 << NFS_VERSIONS) - 1, NFS_HANDLE_MAX = 128 };

extern const char *const nfs_version_names[NFS_VERSIONS]; /* "3", "4.0", ... */
/* "3,4.1": a set of 1 << enum nfs_version_at; 0: not understood. */
unsigned nfs_versions_parse(const char *text);
/* "versions 3, 4.0"; the caller frees it. */
char *nfs_versions_text(unsigned versions);

struct nfs_run {
    /* Given by the user. */
    const char *export;     /* NULL: the root */
    const char *mount_port; /* for MOUNT over TCP; NULL: on the connection itself, else rpcbind is asked */
    unsigned wanted;        /* set of versions; 0: all */
    /* Found out once, under the lock. */
    GMutex lock;
    bool is_learnt;
    GMutex drawn_lock;
    GHashTable *drawn;     /* gint64: results of nfs_run_seed() */
    unsigned spoken;       /* set of versions that work on the export */
    uint32_t null_version; /* NFS version whose NULL is answered with SUCCESS; 0: unknown */
    bool no_null;          /* NULL works with no version */
    struct {
        uint8_t root[NFS_HANDLE_MAX];
        uint32_t root_n;
        char *why_not;
    } version[NFS_VERSIONS];
    /* For a device that is a client. */
    struct nfs_tree *tree;
    struct nfs_server *server;
    struct nfs_mount_service *mount_service;
};

struct nfs_run *nfs_run_new(void);
void nfs_run_free(struct nfs_run *nfs);
/*
 * The seed of a connection of the case, which has had this many before: the same in each run of the program with that
 * --seed, but never twice within a run, so that a server's reply cache knows no Call of a repeated case. Thread-safe.
 */
uint64_t nfs_run_seed(struct talk_run *run, uint64_t id, unsigned connections);
/* The server, created on first use. Call only under the lock. */
struct nfs_server *nfs_run_server(struct talk_run *run);

/*
 * MOUNT over TCP for NFS version 3 clients under test (nfs_mount_service.c). It has its own thread and tree; the root's
 * file handle is that of the cases' tree.
 */
struct nfs_mount_service;

/* On run->host and the port of run->nfs. NULL with *why. *listening is the port. */
struct nfs_mount_service *nfs_mount_service_new(const struct talk_run *run, uint16_t *listening, char **why);
void nfs_mount_service_free(struct nfs_mount_service *service);

#endif
