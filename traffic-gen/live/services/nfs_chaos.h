/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The server's side of chaos: connections end before a Call is executed, or between execution and Reply, and credits
 * are withheld. All promises of NFS are kept, so that a client that follows its RFC loses nothing.
 */
#ifndef IWARP_TRAFFIC_LIVE_SERVICES_NFS_CHAOS_H
#define IWARP_TRAFFIC_LIVE_SERVICES_NFS_CHAOS_H

#include "traffic-gen/ends/stack/rpc_end.h"

#include <glib.h>

/* For all connections: faults are drawn as Calls come. */
struct nfs_chaos {
    GRand *random;
    unsigned calls; /* number so far: the first Calls are spared, so that a mount succeeds */
};

struct nfs_chaos_end; /* state of one connection */

/* Both are borrowed; free this after the end. */
struct nfs_chaos_end *nfs_chaos_end_new(struct nfs_chaos *chaos, struct rpc_end *end);
void nfs_chaos_end_free(struct nfs_chaos_end *connection);

#endif
