/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * RPC over plain TCP, with record marking, as used beside NFS/RDMA: clients ask MOUNT there before they open the RDMA
 * connection (RFC 8267 section 5.1 puts MOUNT on another transport).
 */
#ifndef IWARP_TRAFFIC_LIVE_PLAY_RPC_TCP_H
#define IWARP_TRAFFIC_LIVE_PLAY_RPC_TCP_H

#include "traffic-gen/ends/nfs/server/nfs_server.h"
#include "traffic-gen/live/tcp/live.h"

/* Serves all programs of the server to all clients. NULL with an error. Ends with the listener. */
struct live_listener *rpc_tcp_serve(struct live_loop *loop, const char *host, const char *port,
                                    struct nfs_server *server, GError **error);

struct rpc_tcp_mount {
    const char *host, *port; /* of MOUNT; port NULL: asks rpcbind (RFC 1833) */
    const char *path;
    unsigned version; /* of MOUNT: 1, 3 */
    int64_t timeout_ns;
};

enum { RPC_TCP_HANDLE_MAX = 64 };

/* Calls MNT: the handle of the path. False: *why (for g_free()). Runs its own loop. */
bool rpc_tcp_mount(const struct rpc_tcp_mount *mount, uint8_t handle[RPC_TCP_HANDLE_MAX], uint32_t *n, char **why);
/* Calls UMNT. */
bool rpc_tcp_unmount(const struct rpc_tcp_mount *mount, char **why);

/* Whether a program is served over TCP: asks rpcbind, then sends a NULL Call to the port. */
enum rpc_tcp_offer {
    RPC_TCP_UNKNOWN,      /* no answer, or no valid answer, from rpcbind */
    RPC_TCP_UNREGISTERED, /* rpcbind knows no port */
    RPC_TCP_SILENT,       /* nothing answers at the port */
    RPC_TCP_OFFERED,
};
/* *why, for UNKNOWN and SILENT, for g_free(). Runs its own loop. */
enum rpc_tcp_offer rpc_tcp_offers(const char *host, uint32_t program, uint32_t version, int64_t timeout_ns, char **why);

#endif
