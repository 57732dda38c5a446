/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The NFS client, or the NFS server, of an end of work, on RPC-over-RDMA. */
#ifndef IWARP_TRAFFIC_SCENARIO_WORK_NFS_H
#define IWARP_TRAFFIC_SCENARIO_WORK_NFS_H

#include "traffic-gen/scenario/work.h"

struct work_nfs_end;

/* What its queue pair reports to an end. */
struct work_nfs_events {
    void *ctx;
    void (*terminated)(void *ctx, bool ours, const struct rdmap_terminate *terminate);
    void (*failed)(void *ctx, enum mpa_end_error error);
    void (*ended)(void *ctx, bool orderly);
};

/* The Initiator is the client: all items of the connection are its jobs. */
struct work_nfs_end *work_nfs_new(const struct work *work, unsigned connection, enum role role,
                                  const struct stream *stream, const struct work_nfs_events *events);
/* Before the start: where the client's server is. Nothing for a server. */
void work_nfs_settle(struct work_nfs_end *end, const struct nfs_client_place *place);
/* Not from within an event. */
void work_nfs_free(struct work_nfs_end *end);
struct qp *work_nfs_qp(struct work_nfs_end *end);
void work_nfs_tick(struct work_nfs_end *end);
/* The client has done its jobs, or has given up. A server has always done them. */
bool work_nfs_is_done(const struct work_nfs_end *end);
/* Why it has given up, FILE:LINE first; NULL: it has not. */
const char *work_nfs_trouble(const struct work_nfs_end *end);

#endif
