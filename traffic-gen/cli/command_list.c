// SPDX-License-Identifier: GPL-2.0-or-later
/* iwarp-gen list: scenarios, faults, cases and mutants, tab-separated, the id first. */
#include "traffic-gen/bulk/bulk.h"
#include "traffic-gen/cli/command.h"
#include "traffic-gen/faults/fault.h"
#include "traffic-gen/mutants/misbehave.h"
#include "traffic-gen/scenario/scenario.h"
#include "traffic-gen/suite/suite.h"
#include "traffic-gen/suite/untested.h"

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

static const char *const duts[] = {[DUT_RESPONDER] = "responder", [DUT_INITIATOR] = "initiator", [DUT_ANY] = "both"};

static void list_mutants(void)
{
    const struct misbehaviour *mutant;

    for (unsigned i = 0; (mutant = misbehave_at(i)); i++)
        printf("%s\t%s\t%s\n", mutant->id, duts[mutant->roles & DUT_ANY], mutant->what);
}

static void list_tests(void)
{
    for (unsigned i = 0; suites[i]; i++) {
        for (unsigned k = 0; k < suites[i]->n; k++) {
            const struct suite_case *row = &suites[i]->cases[k];
            char *id = suite_case_id(row);

            printf("%s\t%s\t%s\t%s\t%s\n", id, suites[i]->name, duts[row->duts & DUT_ANY], row->stimulus,
                   row->expected);
            g_free(id);
        }
    }
}

static void list_untested(void)
{
    const struct untested_rule *row;

    for (unsigned i = 0; (row = untested_rule_at(i)); i++)
        printf("%s\t%s\t%s\n", rule_catalogue[row->rule].id, row->why ? "-" : rule_catalogue[row->with].id,
               row->why ? row->why : "-");
}

static const struct list {
    const char *name;
    void (*list)(void);
} lists[] = {{"scenarios", list_scenarios},
             {"faults", list_faults},
             {"tests", list_tests},
             {"untested", list_untested},
             {"mutants", list_mutants}};

static const char *list_name(unsigned index)
{
    return index < G_N_ELEMENTS(lists) ? lists[index].name : NULL;
}

int command_list(int argc, char **argv)
{
    static const struct command_usage usage = {
        "scenarios|faults|tests|untested|mutants",
        "Lists what there is, one item a line, in fields separated by tabs, the id first.",
        "Fields:\n"
        "  scenarios  name, summary\n"
        "  faults     id, the scenario that it is made for, ids of the findings that its stimulus itself causes (or "
        "-), "
        "summary\n"
        "  tests      the cases of the suites: id, suite, role of the device, stimulus, expected reaction\n"
        "  untested   rules about reactions without a case of their own: id, the rule whose case decides it (or -), "
        "why "
        "none can\n"
        "  mutants    the case that --misbehave makes fail, role of the mutant, what it does",
    };
    const char *guess;
    int status;

    if (!command_parse(&usage, NULL, &argc, &argv, 1, 1, &status))
        return status;
    for (unsigned i = 0; i < G_N_ELEMENTS(lists); i++) {
        if (strcmp(argv[1], lists[i].name) == 0) {
            lists[i].list();
            return COMMAND_DONE;
        }
    }
    guess = command_guess(argv[1], list_name);
    if (guess)
        return command_fail("list: there are no '%s' (did you mean '%s'?)", argv[1], guess);
    return command_fail("list: '%s' is not one of %s", argv[1], usage.arguments);
}
