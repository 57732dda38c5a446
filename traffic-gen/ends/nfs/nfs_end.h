/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A complete end of an NFS/RDMA connection: the stack's client or server on an RPC-over-RDMA end. Its input goes
 * through its queue pair: qp_start(nfs_end_qp(end)), qp_receive(), qp_tick() ...
 */
#ifndef IWARP_TRAFFIC_ENDS_NFS_NFS_END_H
#define IWARP_TRAFFIC_ENDS_NFS_NFS_END_H

#include "traffic-gen/ends/nfs/client/nfs_client.h"
#include "traffic-gen/ends/nfs/server/nfs_server.h"

struct nfs_end;

/* All functions may be NULL. The first three are those of its queue pair. */
struct nfs_end_events {
    void *ctx;
    void (*terminated)(void *ctx, bool ours, const struct rdmap_terminate *terminate);
    void (*failed)(void *ctx, enum mpa_end_error error);
    void (*ended)(void *ctx, bool orderly);
    void (*served)(void *ctx);                        /* the server has answered a Call, or refused it */
    void (*finished)(void *ctx, const char *trouble); /* the client's: nfs_client_events */
};

/* Copied. */
struct nfs_end_options {
    const struct rpc_end_options *rpc;
    const struct stream *stream;
    const struct nfs_end_events *events; /* NULL: none */
    uint64_t seed;
};

/* A connection of this server, which is borrowed. calls_back: it may delegate files. */
struct nfs_end *nfs_end_new_server(const struct nfs_end_options *options, struct nfs_server *server, bool calls_back);
/*
 * The client's work begins with the connection; when it has finished or failed, the connection is closed. jobs are
 * borrowed. NULL: the version does not exist.
 */
struct nfs_end *nfs_end_new_client(const struct nfs_end_options *options, const struct nfs_client_options *client,
                                   const struct nfs_job *jobs, unsigned n_jobs);
/* Call it before the start; no effect on a server. */
void nfs_end_settle(struct nfs_end *end, const struct nfs_client_place *place);
/* Must not be called from within the stream's functions. */
void nfs_end_free(struct nfs_end *end);
struct qp *nfs_end_qp(struct nfs_end *end);
/* Functions that make the end break rules: rpc_end_set_spoil(). */
struct rpc_end *nfs_end_rpc(struct nfs_end *end);
/* Call it in addition to qp_tick(). */
void nfs_end_tick(struct nfs_end *end);

/* A sentence about what went wrong with the connection or the client's work; NULL: nothing so far. */
const char *nfs_end_trouble(const struct nfs_end *end);
/* The client's work has ended. */
bool nfs_end_is_finished(const struct nfs_end *end);
/* NULL for a server. */
const struct nfs_client_report *nfs_end_report(const struct nfs_end *end);

#endif
