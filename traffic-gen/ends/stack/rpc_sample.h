/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * NFS messages from the templates of traffic-gen/speak/say/nfs_messages.h, for RPC-over-RDMA ends without a server or
 * client above them: probes of a device under test, scenarios, tests.
 */
#ifndef IWARP_TRAFFIC_ENDS_STACK_RPC_SAMPLE_H
#define IWARP_TRAFFIC_ENDS_STACK_RPC_SAMPLE_H

#include "traffic-gen/ends/stack/rpc_end.h"

struct rpc_sample {
    const char *procedure; /* "nfs3.write", "nfs41.compound" */
    const char *fields;    /* "len=3000:offset=4096", NULL: none; for a COMPOUND its operations: "putfh,write:3000" */
    const char *results;   /* fields of the results: "status=5" */
};

/* The octets are g_malloc'd, eligible items filled in. False when a word of the sample is unknown. */
bool rpc_sample_call(const struct rpc_sample *sample, uint32_t xid, struct rpc_end_message *call);
/* The Reply to that Call. */
bool rpc_sample_reply(const struct rpc_sample *sample, const struct rpc_end_message *call,
                      struct rpc_end_message *reply);

#endif
