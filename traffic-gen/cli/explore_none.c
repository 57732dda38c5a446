// SPDX-License-Identifier: GPL-2.0-or-later
/* In place of traffic-gen/explore and its commands, in a build without that room (IWARP_EXPLORE). */
#include "traffic-gen/cli/command.h"
#include "traffic-gen/cli/command_chaos.h"
#include "traffic-gen/explore/learn/inputs.h"
#include "traffic-gen/explore/pairs/model.h"
#include "traffic-gen/explore/pairs/pairs_run.h"

const struct learn_alphabet learn_alphabets[] = {{NULL}};
const unsigned learn_alphabets_n = 0;
const struct pairs_model *const pairs_models[] = {NULL};

int command_learn(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    return command_fail("learn" COMMAND_NOT_BUILT);
}

int command_simulate(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    return command_fail("simulate" COMMAND_NOT_BUILT);
}

int command_chaos(const char *address, const struct chaos_options *options)
{
    (void)address;
    (void)options;
    return command_fail("--chaos" COMMAND_NOT_BUILT);
}

/* ---- iwarp-gen test --strength ---- */

bool pairs_names_good(char *const *names, enum suite_dut dut, bool messages, char **why)
{
    (void)names;
    (void)dut;
    (void)messages;
    *why = g_strdup("--strength" COMMAND_NOT_BUILT);
    return false;
}

/* A waiver of values has no effect here. */
bool pairs_values_good(const char *text, char **why)
{
    (void)text;
    (void)why;
    return true;
}

/* The others are not called, since no name is good. */
struct pairs_run *pairs_run_new(struct talk_run *run, const struct pairs_wish *wish, char **why)
{
    (void)run;
    (void)wish;
    *why = g_strdup("--strength" COMMAND_NOT_BUILT);
    return NULL;
}

void pairs_run_free(struct pairs_run *pairs)
{
    (void)pairs;
}

const GArray *pairs_run_cases(const struct pairs_run *pairs)
{
    (void)pairs;
    return NULL;
}

void pairs_run_all(struct pairs_run *pairs, const struct run_options *options, struct suite_report *report)
{
    (void)pairs;
    (void)options;
    (void)report;
}
