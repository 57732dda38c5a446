/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An NFS client that works through a list of jobs: versions 2, 3, 4.0, 4.1 and 4.2. It mounts (or sets up a session),
 * does the jobs, compares what it reads with what was written, and unmounts. RPC messages go out and come in whole, so
 * it runs on any transport: traffic-gen/ends/stack/rpc_end.h, or a server in the same process.
 */
#ifndef IWARP_TRAFFIC_ENDS_NFS_CLIENT_NFS_CLIENT_H
#define IWARP_TRAFFIC_ENDS_NFS_CLIENT_NFS_CLIENT_H

#include "traffic-gen/ends/stack/rpc_end.h"

enum nfs_job_kind {
    NFS_JOB_NULL,     /* the procedure that does nothing */
    NFS_JOB_MKDIR,    /* path */
    NFS_JOB_WRITE,    /* path, created if missing: `octets` of the pattern from `at` on */
    NFS_JOB_READ,     /* path: likewise, compared with the pattern */
    NFS_JOB_FILES,    /* path, a directory: `count` empty files f0, f1, ... in it */
    NFS_JOB_LIST,     /* path, a directory: at least `count` entries, "." and ".." not counted */
    NFS_JOB_GETATTR,  /* path: has `octets` octets, if that is not 0 */
    NFS_JOB_ACCESS,   /* path */
    NFS_JOB_TRUNCATE, /* path: to `octets` */
    NFS_JOB_SYMLINK,  /* path, other: its text */
    NFS_JOB_READLINK, /* path, other: the text expected */
    NFS_JOB_RENAME,   /* path, other: its new name */
    NFS_JOB_LINK,     /* path, other: a second name */
    NFS_JOB_REMOVE,   /* path */
    NFS_JOB_RMDIR,    /* path */
    NFS_JOB_STATFS,   /* path */
    NFS_JOB_UNFILES,  /* path: removes `count` files of NFS_JOB_FILES from it */
    NFS_JOBS
};

/* Paths start at the mounted root; leading and trailing slashes are ignored. Texts are borrowed. */
struct nfs_job {
    enum nfs_job_kind kind;
    const char *path, *other;
    uint64_t at, octets;
    unsigned count;
    uint32_t pattern; /* selects the octets */
    uint32_t expect;  /* status of the last operation; 0: success */
};

/* "mkdir", "write", ...; NFS_JOBS: unknown job. */
enum nfs_job_kind nfs_job_find(const char *name);
const char *nfs_job_name(enum nfs_job_kind kind);

struct nfs_client_options {
    unsigned version, minor; /* 2, 3, 4; minor 0 to 2 with 4 */
    uint32_t io_octets;      /* for each READ and WRITE; 0: the server's preference, at most 64 KiB */
    unsigned depth;          /* READs and WRITEs in flight; 0: 1; at most 16 */
    uint32_t list_octets;    /* of each READDIR; 0: 8192 */
    uint32_t inline_octets;  /* larger READs get a Write chunk; 0: 512 */
    /*
     * READLINK also gets a Write chunk, which is allowed (RFC 8267 section 6.1); Linux's NFSv4 server mishandles these.
     */
    bool link_chunks;
    struct rpc_end_how how; /* for every Call: segments, long_call, keep_inline, reduce; the client sets the rest */
    uint32_t uid, gid;
    /* Versions 4.1 and 4.2: nfs_client_called() is in use, so the server may delegate files that are read. */
    bool backchannel;
    uint64_t seed; /* of XIDs, verifiers, owners */
    /* Versions 2 and 3: the root's handle; NULL: asks MOUNT for it, over the same transport. */
    const uint8_t *root;
    uint32_t root_octets;
    const char *export; /* the path for MOUNT; NULL: "/" */
};

struct nfs_client_events {
    void *ctx;
    /* Both are borrowed. Answered by nfs_client_replied(), perhaps from within. */
    void (*call)(void *ctx, const struct rpc_end_message *message, const struct rpc_end_how *how, uint64_t cookie);
    /* The last event. trouble: a sentence about the first thing that went wrong; NULL: nothing did. */
    void (*finished)(void *ctx, const char *trouble);
};

struct nfs_client_report {
    uint64_t calls, octets_written, octets_read, entries;
    uint64_t callbacks, delegations, recalls;
    unsigned jobs; /* done */
};

struct nfs_client;

/* options and events are copied; jobs, and what options point to, are borrowed. */
struct nfs_client *nfs_client_new(const struct nfs_client_options *options, const struct nfs_job *jobs, unsigned n_jobs,
                                  const struct nfs_client_events *events);
/* Must not be called from within an event. */
void nfs_client_free(struct nfs_client *client);
/*
 * Values known only with a real server; call it before the start. seed replaces that of the options, so that a
 * returning client is a new client.
 */
struct nfs_client_place {
    const uint8_t *root; /* as in the options */
    uint32_t root_octets;
    const char *export;
    uint64_t seed;
    int64_t
        first_delay_ns; /* the delay from the start to the first Call, for servers that need it; measured by ticks */
};
void nfs_client_settle(struct nfs_client *client, const struct nfs_client_place *place);
void nfs_client_start(struct nfs_client *client);
/* reply: borrowed, NULL unless RPC_END_REPLIED. */
void nfs_client_replied(struct nfs_client *client, uint64_t cookie, enum rpc_end_result result,
                        const struct rpc_end_message *reply);
/* The connection has ended: an error if there is work left. */
void nfs_client_lost(struct nfs_client *client);
/* Time has passed: repeats requests that the server asked to try again later (once a second). */
void nfs_client_tick(struct nfs_client *client, int64_t now_ns);
bool nfs_client_is_finished(const struct nfs_client *client);
const char *nfs_client_trouble(const struct nfs_client *client); /* as in `finished`; NULL: none */
const struct nfs_client_report *nfs_client_report(const struct nfs_client *client);

/* A Call from the server (CB_NULL, CB_COMPOUND); borrowed. *reply is filled in, octets g_malloc'd. False: no answer. */
bool nfs_client_called(struct nfs_client *client, const struct rpc_end_message *call, struct rpc_end_message *reply);

#endif
