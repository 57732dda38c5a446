/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How late the tester itself is: on a busy machine it sends later than it meant to, and sees later what has come. A
 * thread that sleeps for short times measures by how much it overslept. What a case found while the machine held us up
 * for longer than a part of its waits may be ours, not the device's.
 */
#ifndef IWARP_TRAFFIC_SUITE_TALK_LATENESS_H
#define IWARP_TRAFFIC_SUITE_TALK_LATENESS_H

#include <stdint.h>

struct lateness;

struct lateness *lateness_start(void);
void lateness_stop(struct lateness *lateness); /* NULL: nothing to do */
/* The longest delay, in ns, of those that ended after `began` (monotonic), or have not ended. NULL: 0, not measured. */
int64_t lateness_since(struct lateness *lateness, int64_t began);

#endif
