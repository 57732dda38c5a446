// SPDX-License-Identifier: GPL-2.0-or-later
/* Conforming conversations of RPC-over-RDMA version 1 as scripts (rpc_script.h): RFC 8166, RFC 8167, RFC 8797. */
#include "traffic-gen/scenario.h"

static const struct scenario scenarios[] = {
    {.name = "rpcrdma",
     .summary = "NFSv3 in every form: Short messages, Read and Write chunks, Long Calls and Replies",
     .script =
         "with rpcrdma; I call nfs3.null; R reply; I call nfs3.read count=8192 write=4096+4096; R reply;"
         "I call nfs3.write len=8192 read; R pull; R reply; I call nfs3.symlink len=1000 read pz; R pull; R reply;"
         "I call nfs3.readdir reply=8192; R reply long"},
};

const struct scenario_table rpcrdma_scenarios = {scenarios, sizeof(scenarios) / sizeof(scenarios[0])};
