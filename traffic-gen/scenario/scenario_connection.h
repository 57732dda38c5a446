/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The part `connection` of a scenario: what both sides negotiate. */
#ifndef IWARP_TRAFFIC_SCENARIO_SCENARIO_CONNECTION_H
#define IWARP_TRAFFIC_SCENARIO_SCENARIO_CONNECTION_H

#include "traffic-gen/say/statement.h"
#include "traffic-gen/scenario/scenario_read.h"

/*
 * Adds what `node` says, on top of what `base` says (NULL: nothing), to the statement, which begins a connection; takes
 * the reference.
 */
bool read_connection(struct reading *r, const yaml_node_t *node, const yaml_node_t *base, struct statement *statement);

#endif
