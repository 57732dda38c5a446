/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a device is that is reached through an RDMA device of this host: it has no start-up to be found, and shows life
 * by Calls and Replies alone.
 */
#ifndef IWARP_TRAFFIC_SUITE_TALK_LEARN_CALLS_H
#define IWARP_TRAFFIC_SUITE_TALK_LEARN_CALLS_H

#include "traffic-gen/suite/talk/alive.h"

/* As learn_device(). */
bool learn_by_calls(struct talk_run *run, char **why);
/* On a connection of its own: an answer to a NULL Call, or a Call of a client. The verdict says what came instead. */
enum device_life look_by_calls(struct talk *talk);

#endif
