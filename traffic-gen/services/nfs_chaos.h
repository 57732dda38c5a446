/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A server's side of chaos: connections that end before a Call is executed, or after it and before its Reply, and
 * credits that are withheld. It keeps every promise of NFS nevertheless, so that a client that goes on as its RFC says
 * loses nothing.
 */
#ifndef IWARP_TRAFFIC_SERVICES_NFS_CHAOS_H
#define IWARP_TRAFFIC_SERVICES_NFS_CHAOS_H

#include "traffic-gen/ends/rpc_end.h"

#include <glib.h>

/* Of all connections: what befalls them is drawn as their Calls come. */
struct nfs_chaos {
    GRand *random;
    unsigned calls; /* so far: the first ones are spared, so that a mount gets through */
};

struct nfs_chaos_end; /* one connection */

/* Both are borrowed; it is freed after the end. */
struct nfs_chaos_end *nfs_chaos_end_new(struct nfs_chaos *chaos, struct rpc_end *end);
void nfs_chaos_end_free(struct nfs_chaos_end *connection);

#endif
