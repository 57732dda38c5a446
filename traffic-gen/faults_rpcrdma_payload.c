// SPDX-License-Identifier: GPL-2.0-or-later
/* Faults of RPC messages against their chunk lists: positions, eligibility, lengths: RFC 8166 sections 3.4 and 6. */
#include "traffic-gen/fault_script.h"

static const struct fault faults[] = {
    SCRIPT("rpcrdma", "RPCR-3.4.2-02", NULL, "the name of a CREATE in a Read chunk",
           "with rpcrdma; " TALKED "I call nfs3.create name=somename reduce=name; R pull; R reply"),
};

const struct fault_table rpcrdma_payload_faults = {faults, sizeof(faults) / sizeof(faults[0])};
