/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The least time between new connections, for devices that cannot take many (--connections-per-second). */
#ifndef IWARP_TRAFFIC_TESTER_SUITE_TRANSPORT_PACE_H
#define IWARP_TRAFFIC_TESTER_SUITE_TRANSPORT_PACE_H

#include <stdint.h>

struct pace;

/* between: in ns. */
struct pace *pace_new(int64_t between);
void pace_free(struct pace *pace);
/* Call before connecting to the device. Returns how long it has waited, in ns. NULL: does not wait. Thread-safe. */
int64_t pace_wait(struct pace *pace);

#endif
