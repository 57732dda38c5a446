// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/scenario/scenario.h"

#include <string.h>

static const struct scenario_table *const tables[] = {&library_scenarios, &rdmap_scenarios, &rpc_scenarios};

const struct scenario *scenario_at(unsigned index)
{
    for (unsigned t = 0; t < sizeof tables / sizeof tables[0]; t++) {
        if (index < tables[t]->n)
            return &tables[t]->scenarios[index];
        index -= tables[t]->n;
    }
    return NULL;
}

const struct scenario *scenario_find(const char *name)
{
    const struct scenario *scenario;

    for (unsigned i = 0; (scenario = scenario_at(i)); i++) {
        if (strcmp(scenario->name, name) == 0)
            return scenario;
    }
    return NULL;
}
