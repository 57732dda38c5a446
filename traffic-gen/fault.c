// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/fault.h"

static const struct fault_table *const tables[] = {
    &fpdu_faults,
    &crc_faults,
    &marker_faults,
    &startup_faults,
    &negotiation_faults,
    &order_faults,
    &rtr_faults,
    &tcp_faults,
    &reaction_faults,
    &startup_reaction_faults,
    &ddp_faults,
    &rdmap_faults,
    &terminate_faults,
    &atomic_faults,
    &rdmap_reaction_faults,
    &rpcrdma_header_faults,
    &rpcrdma_reaction_faults,
    &rpcrdma_answer_faults,
    &rpcrdma_xid_faults,
    &rpcrdma_credit_faults,
    &rpcrdma_threshold_faults,
    &rpcrdma_memory_faults,
    &rpcrdma_payload_faults,
    &rpcrdma_reply_faults,
    &nfs_faults,
    &proper_faults,
};

const struct fault *fault_at(unsigned index)
{
    for (unsigned t = 0; t < sizeof(tables) / sizeof(tables[0]); t++) {
        if (index < tables[t]->n)
            return &tables[t]->faults[index];
        index -= tables[t]->n;
    }
    return NULL;
}

bool fault_changes_nothing(const struct fault *fault)
{
    return !fault->startup && !fault->startup_octets && !fault->fpdu && !fault->fpdu_octets && !fault->setup &&
           !fault->play && !fault->script;
}

const struct fault *fault_find(const char *id)
{
    const struct fault *fault;

    for (unsigned i = 0; (fault = fault_at(i)); i++) {
        if (g_ascii_strcasecmp(fault->id, id) == 0)
            return fault;
    }
    return NULL;
}
