/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The part `connection` of a scenario: what both sides negotiate. */
#ifndef IWARP_TRAFFIC_SCENARIO_SCENARIO_CONNECTION_H
#define IWARP_TRAFFIC_SCENARIO_SCENARIO_CONNECTION_H

#include "traffic-gen/scenario/scenario_read.h"

/*
 * A statement about what `node` says, on top of what `base` says (NULL: nothing). next: what the statement begins with.
 */
bool read_connection(struct reading *r, const yaml_node_t *node, const yaml_node_t *base, const char *next);

#endif
