/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the commands that play scenarios: their refusals. Each returns the exit status. */
#ifndef IWARP_TRAFFIC_CLI_COMMAND_SCENARIO_H
#define IWARP_TRAFFIC_CLI_COMMAND_SCENARIO_H

#include "traffic-gen/cli/command.h"
#include "traffic-gen/scenario/scenario_source.h"

int command_fail_no_scenario(const char *name);
int command_fail_fault(const struct scenario_source *source, const struct fault *fault);
/* COMMAND_DONE when the scenario supports all of them; faults NULL: none. */
int command_check_faults(const struct scenario_source *source, const GPtrArray *faults);
/* 0: not given. */
int command_check_mtu(gint mtu);

#endif
