/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Messages on standard error, with advice on common problems of RDMA on Linux. */
#ifndef IWARP_TARGET_TROUBLE_H
#define IWARP_TARGET_TROUBLE_H

#include <stdbool.h>

/* Prints "iwarp-target: ...", with a line end. */
void target_trouble_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Likewise, with the meaning of errno, and with advice if memory could not be locked. */
void trouble_system(const char *what);
/* False, after printing the reason, if there is no RDMA CM, or no iWARP device. */
bool trouble_device(void);

#endif
