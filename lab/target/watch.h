/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether a TCP port of this host is listening, according to the kernel. A soft device listens with the kernel's own
 * sockets, so its port is visible there, and its listener may end without an event of the RDMA CM (as in siw of Linux
 * 6.1, when a Request is cut short by a FIN). The port of a device with its own TCP is not visible there.
 */
#ifndef IWARP_TARGET_WATCH_H
#define IWARP_TARGET_WATCH_H

#include <stdbool.h>
#include <stdio.h>

bool watch_listens(unsigned port);
/* Likewise, from a file like /proc/net/tcp. */
bool watch_listed(FILE *table, unsigned port);

#endif
