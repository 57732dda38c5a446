/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What one side does in a step of a scenario, and the statement of a script that it becomes. */
#ifndef IWARP_TRAFFIC_SCENARIO_SCENARIO_WORDS_H
#define IWARP_TRAFFIC_SCENARIO_SCENARIO_WORDS_H

#include "traffic-gen/scenario/scenario_read.h"

/* `node`: an action, or a list of them. */
bool read_actions(struct reading *r, enum role role, const yaml_node_t *node);
/* A statement that is about no side. */
bool add_statement(struct reading *r, const yaml_node_t *node, char *text, const char *allowed);

#endif
