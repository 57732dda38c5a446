/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a device is, before the first case: the start-up that it takes, what it tells of itself, how it shows life. */
#ifndef IWARP_TRAFFIC_SUITE_LEARN_DEVICE_H
#define IWARP_TRAFFIC_SUITE_LEARN_DEVICE_H

#include "traffic-gen/suite/talk_internal.h"

/*
 * Sets what struct talk_run says of the device. A Responder is offered one start-up after the other (startup_offers())
 * until it takes one and stays; an Initiator is answered, on its first connections. False with *why when it cannot be
 * reached, does not speak MPA, or takes none of them.
 */
bool learn_device(struct talk_run *run, char **why);

#endif
