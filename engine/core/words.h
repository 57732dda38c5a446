/* SPDX-License-Identifier: GPL-2.0-or-later */
/* English for messages. */
#ifndef IWARP_ENGINE_CORE_WORDS_H
#define IWARP_ENGINE_CORE_WORDS_H

#include <stdint.h>

/* The ending of a noun after a number: "" or "s". */
static inline const char *plural(uint64_t n)
{
    return n == 1 ? "" : "s";
}

#endif
