// SPDX-License-Identifier: GPL-2.0-or-later
/* The NFS binding of one connection: life cycle, and the way of each event to the rule families. */
#include "engine/nfs.h"

#include <stdlib.h>

struct nfs_connection {
    const struct rpcrdma_connection *rpcrdma;
    struct verdict *verdict;
};

struct nfs_connection *nfs_connection_new(const struct rpcrdma_options *options,
                                          const struct rpcrdma_connection *rpcrdma, struct verdict *verdict)
{
    struct nfs_connection *nfs = calloc(1, sizeof *nfs);

    (void)options;
    if (nfs == NULL)
        return NULL;
    nfs->rpcrdma = rpcrdma;
    nfs->verdict = verdict;
    return nfs;
}

void nfs_connection_free(struct nfs_connection *nfs)
{
    free(nfs);
}

void nfs_connection_ports(struct nfs_connection *nfs, uint16_t port0, uint16_t port1)
{
    (void)nfs, (void)port0, (void)port1;
}

void nfs_connection_message(struct nfs_connection *nfs, const struct rpcrdma_message *message)
{
    (void)nfs, (void)message;
}

void nfs_connection_payload(struct nfs_connection *nfs, const struct rpcrdma_payload *payload)
{
    (void)nfs, (void)payload;
}

void nfs_connection_retired(struct nfs_connection *nfs, struct rpcrdma_transaction *transaction)
{
    (void)nfs, (void)transaction;
}

void nfs_connection_skipped(struct nfs_connection *nfs, unsigned side)
{
    (void)nfs, (void)side;
}

void nfs_connection_end(struct nfs_connection *nfs, unsigned side, bool reset, const struct place *place)
{
    (void)nfs, (void)side, (void)reset, (void)place;
}

void nfs_connection_finish(struct nfs_connection *nfs, int64_t time_ns)
{
    (void)nfs, (void)time_ns;
}
