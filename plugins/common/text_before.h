/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text that is made from its end on, as wsutil writes numbers: what stands in the Info column for each segment would
 * cost more by printf than all else that is done for the segment.
 */
#ifndef IWARP_PLUGINS_TEXT_BEFORE_H
#define IWARP_PLUGINS_TEXT_BEFORE_H

#include <wsutil/to_str.h>

#include <string.h>

/* Puts the text before what begins at `at`; returns where it begins. */
static inline char *text_before(char *at, const char *text)
{
    size_t n = strlen(text);

    return memcpy(at - n, text, n);
}

#endif
