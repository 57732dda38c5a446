/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * State beyond a single RPC-over-RDMA connection, for rules across the connections of a client and a server. Each
 * connection leaves a record (engine/rpcrdma/rpcrdma_record.h). The latest records of each pair of addresses are kept,
 * and every new record is judged against the earlier records. The capture proves what a record contains. What a record
 * lacks proves nothing, since the capture may have lost it.
 */
#ifndef IWARP_ENGINE_ACROSS_ACROSS_H
#define IWARP_ENGINE_ACROSS_ACROSS_H

#include "engine/packet/addressed.h"
#include "engine/rdma/ulp_across.h"
#include "engine/rpcrdma/rpcrdma_record.h"

enum {
    RPCRDMA_ACROSS_RECORDS_MAX = 8,   /* per pair of addresses, the latest */
    RPCRDMA_ACROSS_PAIRS_MAX = 16384, /* the latest */
};

struct rpcrdma_across;

/* NULL when out of memory. */
struct rpcrdma_across *rpcrdma_across_new(void);
void rpcrdma_across_free(struct rpcrdma_across *across);
/*
 * A TCP segment or UDP datagram to or from port 111, in order of time and before the records of connections that began
 * later. The questions to rpcbind and the answers are kept with the pair of addresses.
 */
void rpcrdma_across_rpcbind(struct rpcrdma_across *across, const struct addressed_segment *segment, bool tcp);
/* Reports for each pair of addresses, the oldest first, what rpcbind answered about NFS for RDMA, and about MOUNT. */
void rpcrdma_across_sought(const struct rpcrdma_across *across, int64_t now_ns, const struct ulp_sought_host *host);
/*
 * Judges a connection's record against earlier records, and takes ownership of it. Records come in the order in which
 * their connections began. False: the record was freed because its client is unknown, or for lack of memory.
 */
bool rpcrdma_across_add(struct rpcrdma_across *across, struct rpcrdma_across_record *record,
                        const struct ulp_across_host *host);
/* Judges an added record by other connections, earlier or later. Call it once all records so far were added. */
void rpcrdma_across_conclude(struct rpcrdma_across *across, const struct rpcrdma_across_record *record, int64_t now_ns,
                             const struct ulp_across_host *host);
/* Frees the oldest records and pairs beyond the limits above; pointers to these become invalid. */
void rpcrdma_across_trim(struct rpcrdma_across *across);

#endif
