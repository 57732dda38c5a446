// SPDX-License-Identifier: GPL-2.0-or-later
/* iwarp-gen list: what there is, tab-separated, the id first. */
#include "traffic-gen/bulk.h"
#include "traffic-gen/command.h"
#include "traffic-gen/fault.h"
#include "traffic-gen/scenario.h"

#include <stdio.h>
#include <string.h>

static void list_scenarios(void)
{
    const struct scenario *scenario;
    const struct bulk_scenario *bulk;

    for (unsigned i = 0; (scenario = scenario_at(i)); i++)
        printf("%s\t%s\n", scenario->name, scenario->summary);
    for (unsigned i = 0; (bulk = bulk_at(i)); i++)
        printf("%s\t%s\n", bulk->name, bulk->summary);
}

static void list_faults(void)
{
    const struct fault *fault;

    for (unsigned i = 0; (fault = fault_at(i)); i++)
        printf("%s\t%s\t%s\t%s\n", fault->id, fault->scenario, fault->also ? fault->also : "-", fault->summary);
}

int command_list(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*list)(void);
    } lists[] = {{"scenarios", list_scenarios}, {"faults", list_faults}};
    static const struct command_usage usage = {
        "scenarios|faults",
        "Lists what there is, one a line, fields separated by tabs, the id first.",
        "scenarios: name, summary.\nfaults: id, the scenario that it is made for, ids of the findings that its "
        "stimulus itself is worth (or -), summary.",
    };
    int status;

    if (!command_parse(&usage, NULL, &argc, &argv, 1, 1, &status))
        return status;
    for (unsigned i = 0; i < G_N_ELEMENTS(lists); i++) {
        if (strcmp(argv[1], lists[i].name) == 0) {
            lists[i].list();
            return COMMAND_DONE;
        }
    }
    return command_fail("list: '%s' is not one of %s", argv[1], usage.arguments);
}
