/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether a TCP port of this host is being listened on, as the kernel reports it. A soft device listens with the
 * kernel's own sockets, so its port shows there, and its listener may end without an event of the RDMA CM (siw of
 * Linux 6.1 does that when a Request is cut short by a FIN). The port of a device with a TCP of its own is not listed
 * there.
 */
#ifndef IWARP_TARGET_WATCH_H
#define IWARP_TARGET_WATCH_H

#include <stdbool.h>
#include <stdio.h>

bool watch_listens(unsigned port);
/* The same of a file like /proc/net/tcp. */
bool watch_listed(FILE *table, unsigned port);

#endif
