// SPDX-License-Identifier: GPL-2.0-or-later
#include "support/printable.h"

bool printable_is_hidden(gunichar c)
{
    GUnicodeType type = g_unichar_type(c);

    return c < 0x20 || (c >= 0x7F && c < 0xA0) || type == G_UNICODE_FORMAT || type == G_UNICODE_LINE_SEPARATOR ||
           type == G_UNICODE_PARAGRAPH_SEPARATOR;
}

static gchar *printable_escape(const char *text, bool lines)
{
    GString *out = g_string_new(NULL);

    while (*text != '\0') {
        gunichar c = g_utf8_get_char_validated(text, -1);
        const char *next = c >= (gunichar)-2 ? text + 1 : g_utf8_next_char(text);

        /* U+FFFE and U+FFFF are valid UTF-8, but XML forbids them. */
        if (c >= (gunichar)-2 || c == 0xFFFE || c == 0xFFFF || (printable_is_hidden(c) && !(lines && c == '\n'))) {
            for (; text < next; text++)
                g_string_append_printf(out, "\\x%02x", (unsigned)(guchar)*text);
        } else {
            g_string_append_len(out, text, next - text);
        }
        text = next;
    }
    return g_string_free(out, FALSE);
}

gchar *printable_text(const char *text)
{
    return printable_escape(text, false);
}

gchar *printable_lines(const char *text)
{
    return printable_escape(text, true);
}
