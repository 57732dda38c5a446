/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What outlives an RPC-over-RDMA connection: some rules bind across the connections of a client and a server. Each
 * connection leaves a record (engine/rpcrdma/rpcrdma_record.h); the history keeps the latest records of each pair of
 * addresses and judges every new one against those before it.
 *
 * What a record holds was seen; what it lacks proves nothing.
 */
#ifndef IWARP_ENGINE_HISTORY_HISTORY_H
#define IWARP_ENGINE_HISTORY_HISTORY_H

#include "engine/packet/addressed.h"
#include "engine/rdma/ulp_across.h"
#include "engine/rpcrdma/rpcrdma_record.h"

enum {
    RPCRDMA_HISTORY_RECORDS_MAX = 8,   /* per pair of addresses, the latest */
    RPCRDMA_HISTORY_PAIRS_MAX = 16384, /* the latest */
};

struct rpcrdma_history;

/* NULL when memory is lacking. */
struct rpcrdma_history *rpcrdma_history_new(void);
void rpcrdma_history_free(struct rpcrdma_history *history);
/*
 * What was sent to or from port 111 (a TCP segment, or a UDP datagram in place of one), as it comes: before the records
 * of the connections that began after it. What a client asks rpcbind, and the answers, are remembered of the pair of
 * addresses.
 */
void rpcrdma_history_rpcbind(struct rpcrdma_history *history, const struct addressed_segment *segment, bool tcp);
/* Of each pair of addresses, the oldest first: what rpcbind told the client of NFS for RDMA, and of MOUNT. */
void rpcrdma_history_sought(const struct rpcrdma_history *history, int64_t now_ns, const struct ulp_sought_host *host);
/*
 * Judges a connection's record against earlier ones and takes ownership of it. Records come in the order in which their
 * connections began. False: the record has been freed, as its client is unknown or memory is lacking.
 */
bool rpcrdma_history_add(struct rpcrdma_history *history, struct rpcrdma_history_record *record,
                         const struct ulp_across_host *host);
/* Once all records so far were added: what other connections, earlier or later, prove about this one, which was added.
 */
void rpcrdma_history_conclude(struct rpcrdma_history *history, const struct rpcrdma_history_record *record,
                              int64_t now_ns, const struct ulp_across_host *host);
/* Frees the oldest records and pairs beyond the bounds above; pointers to them become invalid. */
void rpcrdma_history_trim(struct rpcrdma_history *history);

#endif
