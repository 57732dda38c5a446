/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Opening an interface requires privileges; reading packets does not. */
#ifndef IWARP_SUPPORT_PRIVILEGES_H
#define IWARP_SUPPORT_PRIVILEGES_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Drops all capabilities for good, so that running another program cannot regain any. Root becomes the user with that
 * name; if NULL, root becomes the user who called sudo, or else `nobody`, provided that the process may change its
 * user. writes: files of root will still be written, so `nobody` keeps CAP_DAC_OVERRIDE. False with errno set: no user
 * has that name (ENOENT), or the kernel refuses.
 */
bool privileges_drop(const char *user, bool writes);
/* The same, but keeps those of these n capabilities that the process has. */
bool privileges_keep(const char *user, const int *kept, size_t n);
/* Also drops CAP_DAC_OVERRIDE, once the files are open. False with errno set: the kernel refuses. */
bool privileges_drop_rest(void);

#endif
