/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Learns before the first case which start-up the device accepts, what it advertises, and how it shows life. */
#ifndef IWARP_TRAFFIC_TESTER_SUITE_EXPECT_LEARN_DEVICE_H
#define IWARP_TRAFFIC_TESTER_SUITE_EXPECT_LEARN_DEVICE_H

#include "traffic-gen/tester/suite/expect/alive.h"

/*
 * Fills in the device's part of struct talk_run. A Responder receives one offer after another (startup_offers()) until
 * it accepts one and stays connected; an Initiator is answered on its first connections. False with *why when the
 * device cannot be reached, does not speak MPA, or accepts no offer.
 */
bool learn_device(struct talk_run *run, char **why);

/* ---- a device that is reached through an RDMA device of this host (learn_calls.c) ---- */

/* Its start-up cannot be varied, and only Calls and Replies show life. Like learn_device(). */
bool learn_by_calls(struct talk_run *run, char **why);
/* Waits on its own connection for an answer to a NULL Call, or for a client's Call; else the verdict says what came. */
enum device_life look_by_calls(struct talk *talk);

#endif
