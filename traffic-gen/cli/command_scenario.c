// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/cli/command_scenario.h"

#include "traffic-gen/speak/bulk/bulk.h"

enum { MTU_MIN = 128, MTU_MAX = 65535 };

static const char *scenario_name(unsigned index)
{
    unsigned scenarios = 0;

    while (scenario_at(scenarios))
        scenarios++;
    if (index < scenarios)
        return scenario_at(index)->name;
    return bulk_at(index - scenarios) ? bulk_at(index - scenarios)->name : NULL;
}

int command_fail_no_scenario(const char *name)
{
    const char *guess = command_guess(name, scenario_name);

    if (guess)
        return command_fail("no scenario '%s' (did you mean '%s'?)", name, guess);
    return command_fail(
        "no scenario '%s' (see: iwarp-gen list scenarios); your own scenario needs the name FILE.scenario", name);
}

int command_fail_fault(const struct scenario_source *source, const struct fault *fault)
{
    g_autofree char *why = scenario_source_refusal(source, fault);

    return command_fail("%s", why);
}

int command_check_faults(const struct scenario_source *source, const GPtrArray *faults)
{
    for (unsigned i = 0; faults && i < faults->len; i++) {
        if (!scenario_source_takes(source, faults->pdata[i]))
            return command_fail_fault(source, faults->pdata[i]);
    }
    return COMMAND_DONE;
}

int command_check_mtu(gint mtu)
{
    if (mtu == 0 || (mtu >= MTU_MIN && mtu <= MTU_MAX))
        return COMMAND_DONE;
    return command_fail("--mtu: %d is not from %d to %d", mtu, MTU_MIN, MTU_MAX);
}
