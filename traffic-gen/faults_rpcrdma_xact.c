// SPDX-License-Identifier: GPL-2.0-or-later
/* Faults of XIDs, credits, inline thresholds and directions: RFC 8166 section 3.3, RFC 8167, RFC 8797. */
#include "traffic-gen/fault_script.h"

static const struct fault faults[] = {
    SCRIPT("rpcrdma", "RPCR-2.2.2-02", NULL, "a Reply has the XID of no Call",
           "with rpcrdma; " TALKED "I call nfs3.getattr; R reply xid=0x7777"),
};

const struct fault_table rpcrdma_xact_faults = {faults, sizeof(faults) / sizeof(faults[0])};
