/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Learns a device that is reached through an RDMA device of this host: its start-up cannot be varied, and only Calls
 * and Replies show life.
 */
#ifndef IWARP_TRAFFIC_SUITE_EXPECT_LEARN_CALLS_H
#define IWARP_TRAFFIC_SUITE_EXPECT_LEARN_CALLS_H

#include "traffic-gen/suite/expect/alive.h"

/* Like learn_device(). */
bool learn_by_calls(struct talk_run *run, char **why);
/* Waits on its own connection for an answer to a NULL Call, or for a client's Call; else the verdict says what came. */
enum device_life look_by_calls(struct talk *talk);

#endif
