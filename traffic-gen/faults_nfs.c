// SPDX-License-Identifier: GPL-2.0-or-later
/* Faults of NFS and its auxiliary programs on RPC-over-RDMA: RFC 8267. */
#include "traffic-gen/fault_script.h"

static const struct fault faults[] = {
    SCRIPT("nfs3", "NFSULB-4-05", "RPCR-4.3.2-02", "the directory entries of a READDIR in a Write chunk",
           "with nfs; " TALKED "I call nfs3.readdir write=1024; R reply place=name"),
};

const struct fault_table nfs_faults = {faults, sizeof(faults) / sizeof(faults[0])};
