/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Opening an interface needs privileges that reading packets does not. */
#ifndef IWARP_CONFORMANCE_INPUT_PRIVILEGES_H
#define IWARP_CONFORMANCE_INPUT_PRIVILEGES_H

#include <stdbool.h>

/*
 * Drops all capabilities for good, so that running another program cannot regain any. Root becomes the user of that
 * name; with NULL it becomes the user who called sudo, or `nobody` where it may. That one `writes` files where root
 * may: CAP_DAC_OVERRIDE is kept. False with errno set when there is no such user (ENOENT), or the kernel refuses.
 */
bool privileges_drop(const char *user, bool writes);
/* That capability as well, once the files are open. */
void privileges_drop_rest(void);

#endif
