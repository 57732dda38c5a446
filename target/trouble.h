/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Messages on standard error, and what to do about the usual trouble with RDMA on Linux. */
#ifndef IWARP_TARGET_TROUBLE_H
#define IWARP_TARGET_TROUBLE_H

#include <stdbool.h>

/* "iwarp-target: ..." and a line end. */
void trouble_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same with what errno means, and with what may be done when it is memory that must not be locked. */
void trouble_system(const char *what);
/* False, and it is said why, when there is no RDMA CM or no device that speaks iWARP. */
bool trouble_device(void);

#endif
