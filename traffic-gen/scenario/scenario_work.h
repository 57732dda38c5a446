/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The part `work` of a scenario, and `connection` and `memory` as they are for it. */
#ifndef IWARP_TRAFFIC_SCENARIO_SCENARIO_WORK_H
#define IWARP_TRAFFIC_SCENARIO_SCENARIO_WORK_H

#include "traffic-gen/scenario/scenario_read.h"
#include "traffic-gen/scenario/work.h"

/* connection and memory may be NULL. */
bool read_work(struct reading *r, struct work *work, const yaml_node_t *connection, const yaml_node_t *memory,
               const yaml_node_t *rounds);

/* ---- its parts ---- */

/* Of a connection as it is when nothing is said. */
void work_connection_init(struct work_connection *connection);
/* What `node` says of it on top. */
bool read_work_connection(struct reading *r, struct work *work, const yaml_node_t *node,
                          struct work_connection *connection);
/* The value of `nfs`: a version, or {version: 4.1, io: 65536}. */
bool read_work_nfs(struct reading *r, const yaml_node_t *node, struct work_nfs *nfs);
bool read_work_memory(struct reading *r, struct work *work, const yaml_node_t *node);
struct work_side {
    struct work *work;
    enum role role;
};

/* An action of one side, or a list of them, into its items. */
bool read_work_actions(struct reading *r, struct work *work, enum role role, const yaml_node_t *node);
/* A job of an NFS client, or what happens on the server's host, or a list of them. */
bool read_work_jobs(struct reading *r, struct work *work, enum role role, const yaml_node_t *node);

#endif
