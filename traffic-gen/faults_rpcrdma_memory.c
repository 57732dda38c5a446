// SPDX-License-Identifier: GPL-2.0-or-later
/* Faults of RDMA operations and returned chunks against the chunks offered: RFC 8166 sections 3.4 and 4.3. */
#include "traffic-gen/fault_script.h"

static const struct fault faults[] = {
    SCRIPT("rpcrdma", "RPCR-3.4.5-09", NULL, "an RDMA Read past the end of a segment",
           "with rpcrdma; " TALKED "I call nfs3.write len=4096 read; R pull size+4; R reply"),
};

const struct fault_table rpcrdma_memory_faults = {faults, sizeof(faults) / sizeof(faults[0])};
