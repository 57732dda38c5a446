/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Messages on standard error, with advice on the usual trouble with RDMA on Linux. */
#ifndef IWARP_TARGET_TROUBLE_H
#define IWARP_TARGET_TROUBLE_H

#include <stdbool.h>

/* "iwarp-target: ..." and a line end. */
void target_trouble_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same with the meaning of errno, and with advice if memory could not be locked. */
void trouble_system(const char *what);
/* False, after saying why, when there is no RDMA CM or no device that speaks iWARP. */
bool trouble_device(void);

#endif
