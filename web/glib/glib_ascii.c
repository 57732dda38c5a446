// SPDX-License-Identifier: GPL-2.0-or-later
#include <glib.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static guint16 ascii_kinds[256];
const guint16 *const g_ascii_table = ascii_kinds;

/* Ranges of characters and their kinds. */
static const struct {
    guchar first, last;
    guint16 kinds;
} ascii_ranges[] = {
    {0, ' ' - 1, G_ASCII_CNTRL},
    {'\t', '\n', G_ASCII_SPACE},
    {'\f', '\r', G_ASCII_SPACE},
    {' ', ' ', G_ASCII_SPACE | G_ASCII_PRINT},
    {'!', '~', G_ASCII_GRAPH | G_ASCII_PRINT},
    {'!', '/', G_ASCII_PUNCT},
    {'0', '9', G_ASCII_DIGIT | G_ASCII_XDIGIT | G_ASCII_ALNUM},
    {':', '@', G_ASCII_PUNCT},
    {'A', 'F', G_ASCII_XDIGIT},
    {'A', 'Z', G_ASCII_UPPER | G_ASCII_ALPHA | G_ASCII_ALNUM},
    {'[', '`', G_ASCII_PUNCT},
    {'a', 'f', G_ASCII_XDIGIT},
    {'a', 'z', G_ASCII_LOWER | G_ASCII_ALPHA | G_ASCII_ALNUM},
    {'{', '~', G_ASCII_PUNCT},
    {0x7F, 0x7F, G_ASCII_CNTRL},
};

__attribute__((constructor)) static void fill_ascii_kinds(void)
{
    for (gsize i = 0; i < G_N_ELEMENTS(ascii_ranges); i++)
        for (guint c = ascii_ranges[i].first; c <= ascii_ranges[i].last; c++)
            ascii_kinds[c] |= ascii_ranges[i].kinds;
}

gchar g_ascii_tolower(gchar c)
{
    return g_ascii_isupper(c) ? (gchar)(c + 'a' - 'A') : c;
}

gchar g_ascii_toupper(gchar c)
{
    return g_ascii_islower(c) ? (gchar)(c + 'A' - 'a') : c;
}

gint g_ascii_xdigit_value(gchar c)
{
    if (!g_ascii_isxdigit(c))
        return -1;
    return g_ascii_isdigit(c) ? c - '0' : g_ascii_tolower(c) - 'a' + 10;
}

gint g_ascii_strcasecmp(const gchar *a, const gchar *b)
{
    while (*a && g_ascii_tolower(*a) == g_ascii_tolower(*b)) {
        a++;
        b++;
    }
    return (guchar)g_ascii_tolower(*a) - (guchar)g_ascii_tolower(*b);
}

/* The locale of this program is C. */
gdouble g_ascii_strtod(const gchar *text, gchar **end)
{
    return strtod(text, end);
}

guint64 g_ascii_strtoull(const gchar *text, gchar **end, guint base)
{
    return strtoull(text, end, (int)base);
}

gchar *g_ascii_formatd(gchar *text, gint n, const gchar *format, gdouble value)
{
    snprintf(text, (size_t)n, format, value); /* NOLINT(clang-diagnostic-format-nonliteral) */
    return text;
}

gchar *g_ascii_dtostr(gchar *text, gint n, gdouble value)
{
    return g_ascii_formatd(text, n, "%.17g", value);
}

gboolean g_ascii_string_to_unsigned(const gchar *text, guint base, guint64 least, guint64 most, guint64 *out,
                                    GError **error)
{
    gchar *end;
    guint64 number;

    (void)error; /* no caller in the tree reads the error */
    if (!g_ascii_isalnum(*text))
        return FALSE;
    errno = 0;
    number = g_ascii_strtoull(text, &end, base);
    if (*end || errno != 0 || number < least || number > most)
        return FALSE;
    *out = number;
    return TRUE;
}
