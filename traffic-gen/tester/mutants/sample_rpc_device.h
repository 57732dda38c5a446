/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A device that speaks RPC-over-RDMA, sans-I/O: as Responder an NFS server, as Initiator an NFS client that mounts,
 * creates a file, then reads, writes and lists as long as it is answered; conforming, or a mutant.
 */
#ifndef IWARP_TRAFFIC_TESTER_MUTANTS_SAMPLE_RPC_DEVICE_H
#define IWARP_TRAFFIC_TESTER_MUTANTS_SAMPLE_RPC_DEVICE_H

#include "traffic-gen/tester/mutants/misbehave.h"

struct sample_rpc_device;

/*
 * how NULL: conforming. reads_by_v4: the client uses READs of NFSv4. t_rest: the time allowed for the rest of an FPDU.
 * stream is borrowed.
 */
struct sample_rpc_device *sample_rpc_device_new(enum suite_dut role, const struct misbehaviour *how, bool reads_by_v4,
                                                int64_t t_rest, const struct stream *stream);
void sample_rpc_device_free(struct sample_rpc_device *device);
struct qp *sample_rpc_device_qp(struct sample_rpc_device *device);

#endif
