/* SPDX-License-Identifier: GPL-2.0-or-later */
/* There is one thread: streams need no locks. */
#ifndef IWARP_WEB_STDIO_H
#define IWARP_WEB_STDIO_H

#include_next <stdio.h>

static inline void flockfile(FILE *file)
{
    (void)file;
}

static inline void funlockfile(FILE *file)
{
    (void)file;
}

#endif
