// SPDX-License-Identifier: GPL-2.0-or-later
/* Which faults cannot be shown on RoCE, and why. */
#include "traffic-gen/faults/fault.h"

#include <string.h>

/* Rules of the layers that RoCE does without, by the beginning of their ids. */
static const struct {
    const char *prefix, *layer;
} layers[] = {{"MPA", "MPA"}, {"DDP", "DDP"}, {"RDMAP", "RDMAP"}, {"SEC", "RDMAP"}};

#define NO_RECEIVE "a queue pair without a Receive says RNR NAK, and the Send comes again"

static const struct {
    const char *id, *why;
} rows[] = {
    {"RPCR-3.3.3-01", NO_RECEIVE},
    {"RPCR-3.3.1-08", NO_RECEIVE},
    {"RPCR-3.3.1-09", NO_RECEIVE},
    {"EXP-4.5.1-01", NO_RECEIVE},
    {"BIDI-4.3.1-01", NO_RECEIVE},
    {"BIDI-4.3.2-01", NO_RECEIVE},
    {"BIDI-6-03", NO_RECEIVE},
    {"CMPD-3.2-03", "a queue pair that cannot invalidate an R_Key breaks off without a NAK"},
    {"CMPD-4-07", "the private data of a ConnectReply has a fixed length"},
    {"RPCR-2.3.2-03", "nothing acknowledges a Read response, so that when it came cannot be known"},
    {"RPCR-3.4.5-06", "an Acknowledge may come later than what its sender says meanwhile"},
    {"RPC-3-01/read", "after its Reads the responder can end the connection in one way only, as the ULP wishes"},
    {NULL, NULL},
};

const char *fault_layer_below(const struct fault *fault)
{
    for (unsigned i = 0; i < sizeof layers / sizeof layers[0]; i++) {
        if (strncmp(fault->id, layers[i].prefix, strlen(layers[i].prefix)) == 0)
            return layers[i].layer;
    }
    return NULL;
}

const char *fault_not_on_roce(const struct fault *fault)
{
    for (unsigned i = 0; rows[i].id; i++) {
        if (strcmp(rows[i].id, fault->id) == 0)
            return rows[i].why;
    }
    return NULL;
}
