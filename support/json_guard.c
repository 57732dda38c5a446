// SPDX-License-Identifier: GPL-2.0-or-later
#include "support/json_guard.h"

#include <math.h>
#include <string.h>

/*
 * The parser turns a number too large for a double into infinity, which cannot be written as JSON. *i: its first octet;
 * moves to its last.
 */
static bool number_fits(const char *text, gsize *i)
{
    char *end;
    bool fits = isfinite(g_ascii_strtod(text + *i, &end));

    *i = (gsize)(end - text) - 1;
    return fits;
}

/* *i: the opening quotation mark; moves to the closing one. */
static bool string_fits(const char *text, gsize length, gsize *i)
{
    for (++*i; *i < length && text[*i] != '"'; ++*i) {
        if ((guchar)text[*i] < 0x20)
            return false;
        if (text[*i] == '\\')
            ++*i;
    }
    return *i < length;
}

static bool guard_is_harmless(const char *text, gsize length)
{
    enum { DEPTH_MAX = 32 };
    int depth = 0;

    for (gsize i = 0; i < length; i++) {
        char c = text[i];

        if ((c == '"' && !string_fits(text, length, &i)) || (g_ascii_isdigit(c) && !number_fits(text, &i)))
            return false;
        depth += (c == '[' || c == '{') - (c == ']' || c == '}');
        if (depth < 0 || depth > DEPTH_MAX || !(g_ascii_isalnum(c) || (c != '\0' && strchr(" \t\r\n\"[]{}:,+-.", c))))
            return false;
    }
    return depth == 0;
}

bool json_guard_passes(const char *text, gsize length)
{
    return g_utf8_validate(text, (gssize)length, NULL) && guard_is_harmless(text, length);
}
