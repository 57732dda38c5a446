// SPDX-License-Identifier: GPL-2.0-or-later
/* Conforming conversations of NFS and its auxiliary programs over RPC-over-RDMA as scripts (rpc_script.h): RFC 8267. */
#include "traffic-gen/scenario.h"

static const struct scenario scenarios[] = {
    {.name = "nfs41",
     .summary = "an NFSv4.1 COMPOUND",
     .script = "with nfs; I call nfs41.compound ops=sequence,putfh,read:8192,getattr write=8192; R reply;"
               "I call nfs41.compound ops=sequence,putfh,write:5001,getattr read; R pull; R reply"},
};

const struct scenario_table nfs_scenarios = {scenarios, sizeof(scenarios) / sizeof(scenarios[0])};
