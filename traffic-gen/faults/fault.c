// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/faults/fault.h"

#include <string.h>

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
    &rpcrdma_unanswered_faults,
    &history_faults,
    &nfs_refused_faults,
    &nfs_rdma_faults,
    &rpc_faults,
};

const struct fault *fault_at(unsigned index)
{
    for (unsigned t = 0; t < sizeof tables / sizeof tables[0]; t++) {
        if (index < tables[t]->n)
            return &tables[t]->faults[index];
        index -= tables[t]->n;
    }
    return NULL;
}

static const struct fault *find_own(const char *id)
{
    const struct fault *fault;

    for (unsigned i = 0; (fault = fault_at(i)); i++) {
        if (g_ascii_strcasecmp(fault->id, id) == 0)
            return fault;
    }
    return NULL;
}

const struct fault *fault_find(const char *id)
{
    const struct fault *fault = find_own(id);
    size_t n = strcspn(id, "+/"); /* what follows the rule's id belongs to it */

    for (const struct fault_alias *alias = fault_aliases; alias->id && !fault; alias++) {
        g_auto(GStrv) others = NULL;

        if (strlen(alias->id) != n || g_ascii_strncasecmp(alias->id, id, n) != 0)
            continue;
        others = g_strsplit(alias->others, ",", -1);
        for (unsigned i = 0; others[i] && !fault; i++) {
            g_autofree char *other = g_strconcat(others[i], id + n, NULL);

            fault = find_own(other);
        }
    }
    return fault;
}
