/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Conforming conversations by name. */
#ifndef IWARP_TRAFFIC_SCENARIO_SCENARIO_H
#define IWARP_TRAFFIC_SCENARIO_SCENARIO_H

#include "traffic-gen/speak/say/conversation.h"

struct scenario {
    const char *name;
    const char *summary;
    void (*play)(struct stage *stage);
    bool rpc; /* play: uses RPC-over-RDMA, on any carrier */
    /* In place of `play`: a script (script.h, work_read.h), or the function that writes the script (for g_free()). */
    const char *script;
    char *(*write)(unsigned count);
};

const struct scenario *scenario_at(unsigned index); /* NULL past the end */
const struct scenario *scenario_find(const char *name);

/* The tables, one for each subject. */
struct scenario_table {
    const struct scenario *scenarios;
    unsigned n;
};
extern const struct scenario_table library_scenarios, rdmap_scenarios, rpc_scenarios;

#endif
