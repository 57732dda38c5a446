// SPDX-License-Identifier: GPL-2.0-or-later
#include "support/json_guard.h"

#include <math.h>
#include <string.h>

static gsize digits(const char *text)
{
    return strspn(text, "0123456789");
}

/* text is after the sign of a number. Returns the end of the number; NULL: not a number of RFC 8259. */
static const char *number_end(const char *p)
{
    p += *p == '0' ? 1 : digits(p);
    if (*p == '.') {
        if (digits(++p) == 0)
            return NULL;
        p += digits(p);
    }
    if (*p == 'e' || *p == 'E') {
        p += p[1] == '+' || p[1] == '-' ? 2 : 1;
        if (digits(p) == 0)
            return NULL;
        p += digits(p);
    }
    return p;
}

/*
 * The parser accepts hexadecimal and octal numbers, too, and turns a number too large for a double into infinity, which
 * cannot be written as JSON. *i: its first digit; moves to its last octet.
 */
static bool number_fits(const char *text, gsize *i)
{
    const char *end = number_end(text + *i);
    char *known;
    bool fits = isfinite(g_ascii_strtod(text + *i, &known)) && known == end;

    *i = (gsize)(known - text) - 1;
    return fits;
}

/* *i: the octet after a backslash; moves to the last octet of the escape. */
static bool escape_fits(const char *text, gsize *i)
{
    if (text[*i] == 'u') {
        *i += 4;
        return strspn(text + *i - 3, "0123456789abcdefABCDEF") >= 4;
    }
    return text[*i] != '\0' && strchr("\"\\/bfnrt", text[*i]);
}

/* *i: the opening quotation mark; moves to the closing one. */
static bool string_fits(const char *text, gsize length, gsize *i)
{
    for (++*i; *i < length && text[*i] != '"'; ++*i) {
        if ((guchar)text[*i] < 0x20)
            return false;
        if (text[*i] != '\\')
            continue;
        ++*i;
        if (*i >= length || !escape_fits(text, i))
            return false;
    }
    return *i < length;
}

static bool guard_is_harmless(const char *text, gsize length)
{
    enum { DEPTH_MAX = 32 };
    int depth = 0;

    for (gsize i = 0; i < length; i++) {
        char c = text[i];

        if ((c == '"' && !string_fits(text, length, &i)) || (g_ascii_isdigit(c) && !number_fits(text, &i)) ||
            (c == '-' && !g_ascii_isdigit(text[i + 1])))
            return false;
        depth += (c == '[' || c == '{') - (c == ']' || c == '}');
        if (depth < 0 || depth > DEPTH_MAX || !(g_ascii_isalnum(c) || (c != '\0' && strchr(" \t\r\n\"[]{}:,-", c))))
            return false;
    }
    return depth == 0;
}

bool json_guard_passes(const char *text, gsize length)
{
    return g_utf8_validate(text, (gssize)length, NULL) && guard_is_harmless(text, length);
}
