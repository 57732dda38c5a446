// SPDX-License-Identifier: GPL-2.0-or-later
#include <glib.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static guint16 ascii_kinds[256];
const guint16 *const g_ascii_table = ascii_kinds;

__attribute__((constructor)) static void fill_ascii_kinds(void)
{
    for (int c = 0; c < 0x80; c++) {
        gboolean upper = c >= 'A' && c <= 'Z', lower = c >= 'a' && c <= 'z', digit = c >= '0' && c <= '9';
        gboolean graph = c > ' ' && c < 0x7F, alnum = upper || lower || digit;

        ascii_kinds[c] = (guint16)((alnum ? G_ASCII_ALNUM : 0) | (upper || lower ? G_ASCII_ALPHA : 0) |
                                   (c < ' ' || c == 0x7F ? G_ASCII_CNTRL : 0) | (digit ? G_ASCII_DIGIT : 0) |
                                   (graph ? G_ASCII_GRAPH : 0) | (lower ? G_ASCII_LOWER : 0) |
                                   (graph || c == ' ' ? G_ASCII_PRINT : 0) | (graph && !alnum ? G_ASCII_PUNCT : 0) |
                                   (c == ' ' || (c >= '\t' && c <= '\r' && c != '\v') ? G_ASCII_SPACE : 0) |
                                   (upper ? G_ASCII_UPPER : 0));
        if (digit || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'))
            ascii_kinds[c] |= G_ASCII_XDIGIT;
    }
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

    (void)error; /* nobody in the tree asks why */
    errno = 0;
    number = g_ascii_isalnum(*text) ? g_ascii_strtoull(text, &end, base) : 0;
    if (!g_ascii_isalnum(*text) || *end || errno != 0 || number < least || number > most)
        return FALSE;
    *out = number;
    return TRUE;
}
