/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An end with work as NFS client or NFS server, on RPC-over-RDMA. */
#ifndef IWARP_TRAFFIC_SCENARIO_WORK_NFS_H
#define IWARP_TRAFFIC_SCENARIO_WORK_NFS_H

#include "traffic-gen/ends/nfs/nfs_end.h"
#include "traffic-gen/scenario/work.h"

struct work_nfs_end;

/*
 * The Initiator is the client: all items of the connection are its jobs. It uses the events `served` and `finished`
 * itself.
 */
struct work_nfs_end *work_nfs_new(const struct work *work, unsigned connection, enum role role,
                                  const struct stream *stream, const struct nfs_end_events *events);
/* Must not be called from an event. */
void work_nfs_free(struct work_nfs_end *end);
struct nfs_end *work_nfs_of(struct work_nfs_end *end);
/* The client has done its jobs, or has given up. Always true for a server. */
bool work_nfs_is_done(const struct work_nfs_end *end);
/* Why the client has given up, FILE:LINE first; NULL: it has not. */
const char *work_nfs_trouble(const struct work_nfs_end *end);

#endif
