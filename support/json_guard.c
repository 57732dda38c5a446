// SPDX-License-Identifier: GPL-2.0-or-later
#include "support/json_guard.h"

#include <string.h>

static bool is_harmless(const char *text, gsize length)
{
    enum { DEPTH_MAX = 32 };
    int depth = 0;
    bool in_string = false;

    for (gsize i = 0; i < length; i++) {
        char c = text[i];

        if (in_string) {
            if ((guchar)c < 0x20)
                return false;
            if (c == '\\')
                i++;
            in_string = c != '"';
            continue;
        }
        in_string = c == '"';
        depth += (c == '[' || c == '{') - (c == ']' || c == '}');
        if (depth < 0 || depth > DEPTH_MAX || !(g_ascii_isalnum(c) || (c != '\0' && strchr(" \t\r\n\"[]{}:,+-.", c))))
            return false;
    }
    return depth == 0 && !in_string;
}

bool json_guard_passes(const char *text, gsize length)
{
    return g_utf8_validate(text, (gssize)length, NULL) && is_harmless(text, length);
}
