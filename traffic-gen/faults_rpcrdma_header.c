// SPDX-License-Identifier: GPL-2.0-or-later
/* Faults of RPC-over-RDMA headers and of what they draw: RFC 8166 section 4. */
#include "traffic-gen/fault_script.h"

static const struct fault faults[] = {
    SCRIPT("rpcrdma", "RPCR-4.2.1-01", NULL, "rdma_xid is not the XID of the Call",
           "with rpcrdma; " TALKED "I call nfs3.getattr h.xid+1"),
};

const struct fault_table rpcrdma_header_faults = {faults, sizeof(faults) / sizeof(faults[0])};
