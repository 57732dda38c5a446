/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What one side does in a step of a scenario, as a statement. */
#ifndef IWARP_TRAFFIC_SCENARIO_SCENARIO_STEP_H
#define IWARP_TRAFFIC_SCENARIO_SCENARIO_STEP_H

#include "traffic-gen/say/statement.h"
#include "traffic-gen/scenario/scenario_read.h"

/* `node`: an action, or a list of them. */
bool read_actions(struct reading *r, enum role role, const yaml_node_t *node);
/* Takes the reference; `allowed` is for messages about its words. False when there are too many statements. */
bool add_statement(struct reading *r, const yaml_node_t *node, struct statement *statement, const char *allowed);

#endif
