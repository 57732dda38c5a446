/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Opening an interface needs privileges that reading packets does not. */
#ifndef IWARP_CONFORMANCE_INPUT_PRIVILEGES_H
#define IWARP_CONFORMANCE_INPUT_PRIVILEGES_H

#include <stdbool.h>

/*
 * Drops all capabilities for good, so that running another program cannot regain any; under sudo the process becomes
 * the user who called. False with errno set when the kernel refuses.
 */
bool privileges_drop(void);

#endif
