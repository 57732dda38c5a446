/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A device that speaks RPC-over-RDMA, sans-I/O: as Responder an NFS server, as Initiator an NFS client that mounts,
 * makes a file, and reads, writes and lists as long as it is answered; conforming, or a mutant.
 */
#ifndef IWARP_TRAFFIC_MUTANTS_SUBJECT_RPC_H
#define IWARP_TRAFFIC_MUTANTS_SUBJECT_RPC_H

#include "traffic-gen/mutants/misbehave.h"

struct subject_rpc;

/* how NULL: conforming. t_rest: patience with the rest of an FPDU. stream is borrowed. */
struct subject_rpc *subject_rpc_new(enum suite_dut role, const struct misbehaviour *how, int64_t t_rest,
                                    const struct stream *stream);
void subject_rpc_free(struct subject_rpc *subject);
struct qp *subject_rpc_qp(struct subject_rpc *subject);

#endif
