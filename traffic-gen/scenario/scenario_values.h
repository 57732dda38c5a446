/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Values of a scenario that have a form of their own, as words of statements. */
#ifndef IWARP_TRAFFIC_SCENARIO_SCENARIO_VALUES_H
#define IWARP_TRAFFIC_SCENARIO_SCENARIO_VALUES_H

#include "traffic-gen/say/statement.h"
#include "traffic-gen/scenario/scenario_read.h"

struct choice {
    const char *name, *word;
};

/* One of the names, the last of which is NULL. */
bool choose(struct reading *r, const yaml_node_t *node, const struct choice *choices, const char **word);
/* `whole`, or a list of segments; and a list of such chunks. */
bool read_segments(struct reading *r, const yaml_node_t *node, GString *out);
bool read_chunks(struct reading *r, const yaml_node_t *node, GString *out);
bool read_procedure(struct reading *r, const yaml_node_t *node, const char **name);
bool read_operations(struct reading *r, const yaml_node_t *node, GString *out);
/* A field of arguments or results; amounts count `times` times. */
bool is_field(const char *name);
bool read_field(struct reading *r, const yaml_node_t *node, const char *name, unsigned times, const char **text);
/* A text as its octets in hexadecimal. */
bool read_hex(struct reading *r, const yaml_node_t *node, GString *out);

#endif
