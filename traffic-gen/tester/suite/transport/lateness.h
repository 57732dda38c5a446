/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How late the tester itself is: on a busy machine it sends and receives late. A thread that sleeps for short times
 * measures how much it oversleeps. If the machine delayed us for a large part of a case's waits, its findings may be
 * our fault, not the device's.
 */
#ifndef IWARP_TRAFFIC_TESTER_SUITE_TRANSPORT_LATENESS_H
#define IWARP_TRAFFIC_TESTER_SUITE_TRANSPORT_LATENESS_H

#include <stdint.h>

struct lateness;

struct lateness *lateness_start(void);
void lateness_stop(struct lateness *lateness); /* NULL: does nothing */
/* The longest delay, in ns, that ended after `began` (monotonic) or goes on. NULL: 0, not measured. */
int64_t lateness_since(struct lateness *lateness, int64_t began);

#endif
