// SPDX-License-Identifier: GPL-2.0-or-later
/* Which faults cannot be shown on RoCE, and why. */
#include "traffic-gen/faults/fault.h"

#include <string.h>

/* Rules of the layers that RoCE does without, by the beginning of their ids. */
static const struct {
    const char *prefix, *layer;
} layers[] = {{"MPA", "MPA"}, {"DDP", "DDP"}, {"RDMAP", "RDMAP"}, {"SEC", "RDMAP"}};

#define ONE_END "the client can end the connection in one way only, as when it is done"

static const struct {
    const char *id, *why;
} rows[] = {
    {"CMPD-3.2-03", "a queue pair that cannot invalidate an R_Key breaks off without a NAK"},
    {"CMPD-4-07", "the private data of a ConnectReply has a fixed length"},
    {"RPC-3-01/read", "after its Reads the responder can end the connection in one way only, as the ULP wishes"},
    {"RPC-3-01/bare", ONE_END},
    {"RPC-3-01+ok/forgotten", "of a queue pair that is no more nothing comes"},
    {"RPC-3-01+ok/resent-segment", "it is what TCP sends again"},
    {"EXP-3.9-03", ONE_END},
    {"EXP-3.9-03/empty", ONE_END},
    {"EXP-3.9-03/unmodified", ONE_END},
    {"EXP-3.9-03/again", ONE_END},
    {"NFSULB-6.6-03", ONE_END},
    {"NFSULB-6.6-03/again", ONE_END},
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
