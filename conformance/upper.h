/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The layers above RDMAP of one connection, RPC-over-RDMA and its NFS binding: hosted here beside MPA and RDMAP, made
 * when the connection turns out to be one of MPA.
 */
#ifndef IWARP_CONFORMANCE_UPPER_H
#define IWARP_CONFORMANCE_UPPER_H

#include "conformance/notes.h"
#include "conformance/print.h"
#include "conformance/report.h"
#include "engine/nfs.h"

struct upper_host {
    const struct check_options *options;
    const struct mpa_connection *mpa;
    struct verdict *verdict;
    uint16_t port[2];          /* by side */
    struct print_target print; /* out NULL: no lines */
    struct notes *notes;       /* NULL: none */
};

struct upper {
    struct upper_host host;
    struct rpcrdma_options rpcrdma_options;
    struct rpcrdma_connection *rpcrdma;
    struct nfs_connection *nfs; /* NULL until a message of RPC-over-RDMA came */
    bool skipped[2];
    bool memory_lacking; /* they could not be made */
};

/* What is borrowed in `host` outlives the layers. */
void upper_init(struct upper *upper, const struct upper_host *host);
void upper_clear(struct upper *upper);

/* What mpa_events and rdmap_events give. */
void upper_startup(struct upper *upper, const struct mpa_startup_event *event);
void upper_changed(struct upper *upper, enum mpa_phase phase, const struct mpa_parameters *parameters);
void upper_segment(struct upper *upper, const struct rdmap_segment_event *event);
void upper_terminate(struct upper *upper, const struct rdmap_terminate_event *event);
void upper_skipped(struct upper *upper, unsigned side);
void upper_end(struct upper *upper, unsigned side, bool reset, const struct place *place);
void upper_finish(struct upper *upper, int64_t time_ns);

/* The counts that it tells begin at 0 again. */
void upper_restart_counts(struct upper *upper);
/* What the report tells of them; NULL when the connection does not carry RPC-over-RDMA. initiator: a side. */
struct report_rpcrdma *upper_report(const struct upper *upper, unsigned initiator);

#endif
