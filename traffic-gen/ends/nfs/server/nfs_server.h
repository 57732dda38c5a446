/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An NFS server on a file tree: versions 2 (RFC 1094), 3 (RFC 1813), 4.0 (RFC 7530), 4.1 (RFC 8881), 4.2 (RFC 7862),
 * MOUNT (RFC 1813 appendix I), and NFSACL if enabled. It takes whole RPC Calls and returns whole RPC Replies, so it
 * runs on any transport: RPC-over-RDMA (traffic-gen/ends/stack/rpc_end.h), or a TCP socket with record marks for MOUNT.
 */
#ifndef IWARP_TRAFFIC_ENDS_NFS_SERVER_NFS_SERVER_H
#define IWARP_TRAFFIC_ENDS_NFS_SERVER_NFS_SERVER_H

#include "traffic-gen/ends/nfs/tree/nfs_tree.h"
#include "traffic-gen/ends/stack/rpc_end.h"

struct nfs_server; /* shared by all connections: tree, clients, sessions, open files */
struct nfs_peer;   /* one connection */

struct nfs_server_options {
    struct nfs_tree *tree; /* borrowed */
    uint32_t io_max;       /* largest READ and WRITE, octets; 0: 1 MiB */
    uint32_t lease_s;      /* of NFSv4; 0: 90 */
    uint32_t grace_s;      /* of NFSv4, after nfs_server_restart(); 0: 1 */
    uint64_t seed;         /* of verifiers and session ids */
    int64_t (*now)(void *ctx);
    void *ctx;
    bool acls; /* also serve NFSACL */
    /*
     * Faults, to test clients' checks: one in this many WRITEs of a session is acknowledged and lost (0: none); a retry
     * is executed again.
     */
    unsigned loses_writes;
    bool executes_again;
    bool loses_at_restart; /* lose the latest WRITE, although it was acknowledged as FILE_SYNC4 */
    bool keeps_verifier;   /* behave after a restart as if no UNSTABLE4 data had been lost */
    /* Not a fault: one in this many SEQUENCEs and WRITEs of a session is answered with NFS4ERR_DELAY (0: none). */
    unsigned delays;
};

/* What the connection does for the server: Calls in the reverse direction (callbacks), if it can carry them. */
struct nfs_peer_events {
    void *ctx;
    /* message is borrowed; its Reply goes to nfs_peer_replied() with this cookie. */
    void (*call)(void *ctx, const struct rpc_end_message *message, uint64_t cookie);
};

struct nfs_server *nfs_server_new(const struct nfs_server_options *options);
void nfs_server_free(struct nfs_server *server);
/*
 * As after a restart of the server process: files, handles and contents remain; clients, sessions, opens and locks are
 * lost, and a grace period begins in which only opens can be reclaimed (RFC 8881 section 8.4.2). Peers may continue.
 */
void nfs_server_restart(struct nfs_server *server);

/* events may be NULL: the connection has no backchannel. */
struct nfs_peer *nfs_peer_new(struct nfs_server *server, const struct nfs_peer_events *events);
void nfs_peer_free(struct nfs_peer *peer);
/*
 * Serves one Call. *reply is filled in (octets g_malloc'd, the caller frees them; items: the eligible results, RFC 8267
 * section 4 and 6.1, ascending). room: the largest Reply that the requester can receive, all chunks together, 0 if
 * unknown; if the Reply is larger, NFSv4 answers NFS4ERR_REP_TOO_BIG or TOO_SMALL, and other versions return less.
 * False: no answer at all.
 */
bool nfs_server_call(struct nfs_peer *peer, const struct rpc_end_message *call, size_t room,
                     struct rpc_end_message *reply);
/*
 * The server's own host wants to change the node. False while clients hold delegations of the node, which are recalled:
 * try again after their next Calls.
 */
bool nfs_server_may_change(struct nfs_server *server, uint64_t node);
/* A Reply in the reverse direction; NULL: it was lost. */
void nfs_peer_replied(struct nfs_peer *peer, uint64_t cookie, const struct rpc_end_message *reply);

#endif
