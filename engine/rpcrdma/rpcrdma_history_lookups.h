/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a client asked the rpcbind of its server, as far as rules of NFS depend on it (RFC 8267 section 6.3): the part
 * of the history of a pair of addresses that no connection of RDMA leaves.
 */
#ifndef IWARP_ENGINE_RPCRDMA_RPCRDMA_HISTORY_LOOKUPS_H
#define IWARP_ENGINE_RPCRDMA_RPCRDMA_HISTORY_LOOKUPS_H

#include "engine/rpcrdma/rpcrdma_history.h"

enum { LOOKUPS_MAX = 16 /* of a pair, the latest */ };

struct lookup {
    int64_t time_ns;
    uint32_t frame;
    bool certain; /* for NFSv4 on RDMA; else it may have been: a list of everything, another transport, not readable */
};

/* In order of time. */
struct lookups {
    bool any; /* rpcbind is in the capture */
    bool lost;
    uint8_t n;
    struct lookup latest[LOOKUPS_MAX];
};

/* Adds it to the pair's. */
void rpcrdma_history_lookup(struct rpcrdma_history *history, const struct endpoint *client,
                            const struct endpoint *server, enum lookup_about about, uint32_t frame, int64_t time_ns);

void lookups_add(struct lookups *lookups, enum lookup_about about, uint32_t frame, int64_t time_ns);
/* The first use of NFSv4 on a connection, if there is any. What was asked before it is settled. */
void lookups_judge(struct lookups *lookups, const struct rpcrdma_history_record *record, struct verdict *verdict);

#endif
