// SPDX-License-Identifier: GPL-2.0-or-later
#include <glib.h>

#include <string.h>

struct span {
    gunichar first, last;
};

#include "unicode_tables.h"

static gchar skips[256];
const gchar *const g_utf8_skip = skips;

/* The number of octets of a character, by the leading one bits of its first octet. */
static int utf8_length(guchar first)
{
    int ones = __builtin_clz(~((guint)first << 24));

    return ones < 2 || ones > 6 ? 1 : ones;
}

__attribute__((constructor)) static void fill_skips(void)
{
    for (int c = 0; c < 256; c++)
        skips[c] = (gchar)utf8_length((guchar)c);
}

static gboolean is_among(const struct span *spans, gsize n, gunichar c)
{
    while (n > 0) {
        gsize half = n / 2;

        if (c < spans[half].first) {
            n = half;
        } else if (c > spans[half].last) {
            spans += half + 1;
            n -= half + 1;
        } else {
            return TRUE;
        }
    }
    return FALSE;
}

/* Distinguishes only the kinds that the tree uses: all other characters are letters here. */
GUnicodeType g_unichar_type(gunichar c)
{
    if (c == 0x2028)
        return G_UNICODE_LINE_SEPARATOR;
    if (c == 0x2029)
        return G_UNICODE_PARAGRAPH_SEPARATOR;
    return is_among(format_characters, G_N_ELEMENTS(format_characters), c) ? G_UNICODE_FORMAT : G_UNICODE_OTHER_LETTER;
}

gboolean g_unichar_iswide(gunichar c)
{
    return is_among(wide_characters, G_N_ELEMENTS(wide_characters), c);
}

/* ---- UTF-8 ---- */

gunichar g_utf8_get_char(const gchar *text)
{
    const guchar *p = (const guchar *)text;
    int n = utf8_length(*p);
    gunichar c = n == 1 ? *p : *p & (0x7Fu >> n);

    for (int i = 1; i < n; i++)
        c = c << 6 | (p[i] & 0x3F);
    return c;
}

enum { NOT_UTF8 = -1, CUT_UTF8 = -2 };

/* The first character in at most n octets; NOT_UTF8, or CUT_UTF8: the octets end inside a character. */
static gint32 first_character(const gchar *text, gsize n)
{
    static const gint32 least[] = {0, 0, 0x80, 0x800, 0x10000};
    const guchar *p = (const guchar *)text;
    int length = utf8_length(*p);
    gint32 c;

    if (*p < 0x80)
        return *p;
    if (*p < 0xC2 || *p > 0xF4)
        return NOT_UTF8;
    c = *p & (0x7F >> length);
    for (int i = 1; i < length; i++) {
        if ((gsize)i >= n || p[i] == '\0')
            return CUT_UTF8;
        if ((p[i] & 0xC0) != 0x80)
            return NOT_UTF8;
        c = c << 6 | (p[i] & 0x3F);
    }
    return c < least[length] || c > 0x10FFFF || (c >= 0xD800 && c < 0xE000) ? NOT_UTF8 : c;
}

gunichar g_utf8_get_char_validated(const gchar *text, gssize n)
{
    if (n == 0)
        return (gunichar)CUT_UTF8;
    return (gunichar)first_character(text, n < 0 ? G_MAXSIZE : (gsize)n);
}

glong g_utf8_strlen(const gchar *text, gssize n)
{
    const gchar *end = text + (n < 0 ? strlen(text) : (gsize)n);
    glong length = 0;

    while (text < end && *text) {
        text = g_utf8_next_char(text);
        length += text <= end;
    }
    return length;
}

gboolean(g_utf8_validate)(const gchar *text, gssize n, const gchar **end)
{
    const gchar *stop = text + (n < 0 ? strlen(text) : (gsize)n);

    while (text < stop && *text && first_character(text, (gsize)(stop - text)) >= 0)
        text = g_utf8_next_char(text);
    if (end)
        *end = text;
    return text == stop;
}

gchar *g_utf8_make_valid(const gchar *text, gssize n)
{
    gsize rest = n < 0 ? strlen(text) : (gsize)n;
    GString *valid = g_string_new(NULL);

    while (rest > 0) {
        const gchar *bad;

        if (g_utf8_validate(text, (gssize)rest, &bad)) {
            g_string_append_len(valid, text, (gssize)rest);
            break;
        }
        g_string_append_len(valid, text, bad - text);
        g_string_append_len(valid, "\xEF\xBF\xBD", 3);
        rest -= (gsize)(bad + 1 - text);
        text = bad + 1;
    }
    return g_string_free(valid, FALSE);
}
