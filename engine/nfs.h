/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The NFS binding (RFC 8267) on one RPC-over-RDMA connection: takes the events of that layer, returns verdicts. */
#ifndef IWARP_ENGINE_NFS_H
#define IWARP_ENGINE_NFS_H

#include "engine/rpcrdma.h"

struct nfs_connection;

enum { NFS_USES_MAX = 8, NFS_REFUSED_MAX = 4 };

/* A session or client id in use on a connection. */
struct nfs_use {
    uint64_t object;   /* hash of it */
    uint32_t returned; /* minor versions that returned it there, a bit each */
    int minor;         /* version that first used it there */
    bool reported;
    struct place first;
};

struct nfs_uses {
    struct nfs_use use[NFS_USES_MAX]; /* the first */
    unsigned n;                       /* in total */
};

/* Requests that were called retries or out of order, and are new as far as their connection shows. */
struct nfs_refusals {
    struct nfs_refused {
        uint64_t session; /* hash of its id */
        struct place place;
    } refused[NFS_REFUSED_MAX]; /* the first */
    unsigned n;
};

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
void nfs_connection_retired(struct nfs_connection *nfs, struct rpcrdma_transaction *transaction);
/* Octets of either side are missing. */
void nfs_connection_skipped(struct nfs_connection *nfs);
void nfs_connection_finish(struct nfs_connection *nfs);
/* The client was granted delegations that can be recalled on this connection; *left: how many it still holds. */
bool nfs_connection_delegated(const struct nfs_connection *nfs, unsigned *left);
const struct nfs_uses *nfs_connection_uses(const struct nfs_connection *nfs);
const struct nfs_refusals *nfs_connection_refusals(const struct nfs_connection *nfs);
/* CB_RECALL_SLOT was sent on this connection, for the first time then. */
bool nfs_connection_recalled(const struct nfs_connection *nfs, int64_t *time_ns);

#endif
