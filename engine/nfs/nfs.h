/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The NFS binding (RFC 8267) on one RPC-over-RDMA connection: takes the events of that layer, returns verdicts. */
#ifndef IWARP_ENGINE_NFS_NFS_H
#define IWARP_ENGINE_NFS_NFS_H

#include "engine/rpcrdma/rpcrdma.h"
#include "engine/rpcrdma/rpcrdma_history_objects.h"

struct nfs_connection;

/* rpcrdma and verdict are borrowed. NULL when memory is lacking. */
struct nfs_connection *nfs_connection_new(const struct rpcrdma_options *options, struct rpcrdma_connection *rpcrdma,
                                          struct verdict *verdict);
/* To be freed after rpcrdma, which retires its transactions when it is freed. */
void nfs_connection_free(struct nfs_connection *nfs);

/* TCP ports of the sides; 0: unknown. */
void nfs_connection_ports(struct nfs_connection *nfs, uint16_t port0, uint16_t port1);
/* The events of struct rpcrdma_events, handed on by the host. */
void nfs_connection_message(struct nfs_connection *nfs, const struct rpcrdma_message *message);
void nfs_connection_payload(struct nfs_connection *nfs, const struct rpcrdma_payload *payload);
/* `answered`, and `retired`. */
void nfs_connection_retired(struct nfs_connection *nfs, struct rpcrdma_transaction *transaction);
void nfs_connection_finish(struct nfs_connection *nfs);
/* The client was granted delegations that can be recalled on this connection; *left: how many it still holds. */
bool nfs_connection_delegated(const struct nfs_connection *nfs, unsigned *left);
const struct rpcrdma_history_objects *nfs_connection_objects(const struct nfs_connection *nfs);
const struct rpcrdma_history_refusals *nfs_connection_refusals(const struct nfs_connection *nfs);
/* CB_RECALL_SLOT was sent on this connection, for the first time then. */
bool nfs_connection_recalled(const struct nfs_connection *nfs, int64_t *time_ns);

#endif
