/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Learns before the first case what the device is: the start-up that it accepts, what it advertises, how it shows life.
 */
#ifndef IWARP_TRAFFIC_SUITE_TALK_LEARN_DEVICE_H
#define IWARP_TRAFFIC_SUITE_TALK_LEARN_DEVICE_H

#include "traffic-gen/suite/talk/talk_internal.h"

/*
 * Fills in what struct talk_run says about the device. A Responder is offered one start-up after the other
 * (startup_offers()) until it accepts one and stays connected; an Initiator is answered on its first connections. False
 * with *why when it cannot be reached, does not speak MPA, or accepts none of them.
 */
bool learn_device(struct talk_run *run, char **why);

#endif
