/* SPDX-License-Identifier: GPL-2.0-or-later */
/* "Did you mean": the known name that a mistyped one resembles. */
#ifndef IWARP_SUPPORT_CLOSEST_H
#define IWARP_SUPPORT_CLOSEST_H

#include <stddef.h>

struct closest {
    const char *word; /* as typed */
    size_t n;         /* number of its characters that count */
    const char *name; /* the closest known name so far; NULL: none is close */
    size_t distance;
};

/* Takes n characters of word; SIZE_MAX: all. */
struct closest closest_to(const char *word, size_t n);
/* Considers a known name, which is close if at most a third of the typed characters (but at least one) are wrong. */
void closest_consider(struct closest *closest, const char *name);
/* " (did you mean 'NAME'?)", or `otherwise` when no name is close; g_free() it. */
char *closest_hint(const struct closest *closest, const char *otherwise);

#endif
