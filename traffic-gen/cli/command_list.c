// SPDX-License-Identifier: GPL-2.0-or-later
/* iwarp-gen list: scenarios, faults, cases, mutants, inputs and combinations, separated by tabs, the id first. */
#include "traffic-gen/cli/command.h"
#include "traffic-gen/explore/learn/inputs.h"
#include "traffic-gen/explore/pairs/model.h"
#include "traffic-gen/scenario/scenario_source.h"
#include "traffic-gen/speak/bulk/bulk.h"
#include "traffic-gen/speak/faults/fault.h"
#include "traffic-gen/speak/say/carrier.h"
#include "traffic-gen/tester/mutants/misbehave.h"
#include "traffic-gen/tester/suite/run/untested.h"
#include "traffic-gen/tester/suite/talk/suite.h"

#include <stdio.h>
#include <string.h>

/* Why it cannot be played on RoCE, for g_free(). NULL: it can. */
static char *refusal_of_roce(const char *scenario, const struct fault *fault)
{
    struct scenario_source source;
    char *why = NULL;

    if (scenario_source_load(&source, scenario, NULL, 0, &why))
        why = scenario_source_roce_refusal(&source, fault);
    scenario_source_clear(&source);
    return why;
}

static bool list_is_listed(const struct carrier *carrier, const char *scenario, const struct fault *fault)
{
    g_autofree char *why = carrier == &carrier_roce ? refusal_of_roce(scenario, fault) : NULL;

    return !why;
}

static void list_scenarios(const struct carrier *carrier)
{
    const struct scenario *scenario;
    const struct bulk_scenario *bulk;

    for (unsigned i = 0; (scenario = scenario_at(i)); i++)
        if (list_is_listed(carrier, scenario->name, NULL))
            printf("%s\t%s\n", scenario->name, scenario->summary);
    for (unsigned i = 0; carrier != &carrier_roce && (bulk = bulk_at(i)); i++)
        printf("%s\t%s\n", bulk->name, bulk->summary);
}

static void list_faults(const struct carrier *carrier)
{
    const struct fault *fault;

    for (unsigned i = 0; (fault = fault_at(i)); i++)
        if (list_is_listed(carrier, fault->scenario, fault))
            printf("%s\t%s\t%s\t%s\n", fault->id, fault->scenario, fault->also ? fault->also : "-", fault->summary);
}

static void list_not_on_roce(const struct carrier *carrier)
{
    const struct fault *fault;

    (void)carrier;
    for (unsigned i = 0; (fault = fault_at(i)); i++)
        if (!fault_layer_below(fault) && fault->not_on_roce)
            printf("%s\t%s\n", fault->id, fault->not_on_roce);
}

static const char *const duts[] = {[DUT_RESPONDER] = "responder", [DUT_INITIATOR] = "initiator", [DUT_ANY] = "both"};

static void list_mutants(const struct carrier *carrier)
{
    const struct misbehaviour *mutant;

    (void)carrier;
    for (unsigned i = 0; (mutant = misbehave_at(i)); i++)
        printf("%s\t%s\t%s\n", mutant->id, duts[mutant->roles & DUT_ANY], mutant->what);
}

static void list_tests(const struct carrier *carrier)
{
    (void)carrier;
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

static void list_untested(const struct carrier *carrier)
{
    const struct untested_rule *row;

    (void)carrier;
    for (unsigned i = 0; (row = untested_rule_at(i)); i++)
        printf("%s\t%s\t%s\n", rule_catalogue[row->rule].id, row->why ? "-" : rule_catalogue[row->with].id,
               row->why ? row->why : "-");
}

static void list_inputs(const struct carrier *carrier)
{
    (void)carrier;
    for (unsigned i = 0; i < learn_alphabets_n; i++)
        for (unsigned k = 0; k < learn_alphabets[i].n; k++)
            printf("%s\t%s\t%s\n", learn_alphabets[i].inputs[k].name, learn_alphabets[i].name,
                   learn_alphabets[i].inputs[k].what);
}

static void list_pairs(const struct carrier *carrier)
{
    (void)carrier;
    for (unsigned i = 0; pairs_models[i]; i++) {
        for (unsigned k = 0; k < pairs_models[i]->n; k++) {
            const struct pairs_parameter *parameter = &pairs_models[i]->parameters[k];

            printf("%s\t%s\t", parameter->name, pairs_models[i]->name);
            for (unsigned value = 0; value < parameter->n; value++)
                printf("%s%s", value > 0 ? "," : "", parameter->values[value]);
            printf("\t%s\n", parameter->what);
        }
    }
}

static const struct list {
    const char *name;
    void (*list)(const struct carrier *carrier);
    bool by_transport, explored;
} lists[] = {{"scenarios", list_scenarios, true, false},
             {"faults", list_faults, true, false},
             {"not-on-roce", list_not_on_roce, false, false},
             {"tests", list_tests, false, false},
             {"untested", list_untested, false, false},
             {"mutants", list_mutants, false, false},
             {"inputs", list_inputs, false, true},
             {"pairs", list_pairs, false, true}};

static const char *list_name(unsigned index)
{
    return index < G_N_ELEMENTS(lists) ? lists[index].name : NULL;
}

int command_list(int argc, char **argv)
{
    static const struct command_usage usage = {
        "scenarios|faults|not-on-roce|tests|untested|mutants|inputs|pairs",
        "Prints a list, one item on each line, in fields separated by tabs, the id first.",
        "Fields:\n"
        "  scenarios  name, summary\n"
        "  faults     id, the fault's own scenario, ids of the findings that its stimulus itself causes (or "
        "-), "
        "summary\n"
        "  not-on-roce  faults of RPC-over-RDMA and NFS that cannot be shown on RoCE: id, reason\n"
        "  tests      the cases of the suites: id, suite, role of the device, stimulus, expected reaction\n"
        "  untested   rules about reactions without a case of their own: id, the rule whose case decides it (or -), "
        "why "
        "none can\n"
        "  mutants    the case that --misbehave makes fail, role of the mutant, its behaviour\n"
        "  inputs     inputs of iwarp-gen learn: name, alphabet, description\n"
        "  pairs      what iwarp-gen test --strength combines: parameter, subject, values (-: it is not there), what "
        "it "
        "is",
    };
    const char *guess;
    g_autofree char *transport = NULL;
    const GOptionEntry entries[] = {
        {"transport", 0, 0, G_OPTION_ARG_STRING, &transport,
         "only scenarios and faults for this transport: iwarp (default), roce", "NAME"},
        G_OPTION_ENTRY_NULL,
    };
    const struct carrier *carrier = &carrier_mpa;
    int status;

    if (!command_parse(&usage, entries, &argc, &argv, 1, 1, &status))
        return status;
    if (transport && !(carrier = carrier_find(transport)))
        return command_fail("--transport: '%s' is neither iwarp nor roce", transport);
    for (unsigned i = 0; i < G_N_ELEMENTS(lists); i++) {
        if (strcmp(argv[1], lists[i].name) != 0)
            continue;
        status = command_check_only(
            &(struct command_only){transport, lists[i].by_transport, "--transport", "scenarios and faults"}, 1);
        if (status == COMMAND_DONE && lists[i].explored && !pairs_models[0])
            return command_fail("list %s" COMMAND_NOT_BUILT, lists[i].name);
        if (status == COMMAND_DONE)
            lists[i].list(carrier);
        return status;
    }
    guess = command_guess(argv[1], list_name);
    if (guess)
        return command_fail("list: there are no '%s' (did you mean '%s'?)", argv[1], guess);
    return command_fail("list: '%s' is not one of %s", argv[1], usage.arguments);
}
