/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Version 4 of the NFS server, all minor versions: its interface to the server. */
#ifndef IWARP_TRAFFIC_NFS_SERVER_NFS_V4_H
#define IWARP_TRAFFIC_NFS_SERVER_NFS_V4_H

#include "traffic-gen/nfs/server/nfs_server_internal.h"

extern const struct nfs_version nfs_v4;

/* server->v4: created with the server, and freed with it after the last of its peers. */
void nfs4_begin(struct nfs_server *server);
void nfs4_end(struct nfs_server *server);
/* All that clients hold is forgotten, and the grace period begins. */
void nfs4_restart(struct nfs_server *server);
/* The connection is gone: it carries no more callbacks. */
void nfs4_peer_gone(struct nfs_peer *peer);
/* After each Call has been answered: callbacks that it made due go out. */
void nfs4_send_callbacks(struct nfs_server *server);
/*
 * For the other versions of the protocol: true when a delegation conflicts with the operation. It is being recalled,
 * and the caller answers that it should be tried again later (NFS3ERR_JUKEBOX).
 */
bool nfs4_delegated(struct nfs_server *server, uint64_t node, bool modifies);

#endif
