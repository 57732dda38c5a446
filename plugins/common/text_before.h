/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text that is built from its end, as wsutil formats numbers. Formatting the Info column of each segment by printf
 * would cost more than all other work on the segment.
 */
#ifndef IWARP_PLUGINS_COMMON_TEXT_BEFORE_H
#define IWARP_PLUGINS_COMMON_TEXT_BEFORE_H

#include <wsutil/to_str.h>

#include <string.h>

/* Puts the text before the octet at `at`; returns its beginning. */
static inline char *text_before(char *at, const char *text)
{
    size_t n = strlen(text);

    return memcpy(at - n, text, n);
}

#endif
