/* SPDX-License-Identifier: GPL-2.0-or-later */
/* WASI has getentropy(), for at most 256 octets at a time. */
#ifndef IWARP_WEB_SYS_RANDOM_H
#define IWARP_WEB_SYS_RANDOM_H

#include <sys/types.h>
#include <unistd.h>

#define GRND_NONBLOCK 1

static inline ssize_t getrandom(void *buffer, size_t n, unsigned flags)
{
    (void)flags;
    return getentropy(buffer, n) == 0 ? (ssize_t)n : -1;
}

#endif
