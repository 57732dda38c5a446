// SPDX-License-Identifier: GPL-2.0-or-later
#include <glib.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

gchar *(g_strdup)(const gchar *text)
{
    return text ? g_memdup2(text, strlen(text) + 1) : NULL;
}

gchar *g_strndup(const gchar *text, gsize n)
{
    gchar *copy;

    if (!text)
        return NULL;
    n = strnlen(text, n);
    copy = g_malloc(n + 1);
    memcpy(copy, text, n);
    copy[n] = '\0';
    return copy;
}

gchar *g_strdup_vprintf(const gchar *format, va_list arguments)
{
    gchar *text = NULL;

    if (vasprintf(&text, format, arguments) < 0)
        g_error("out of memory");
    return text;
}

gchar *g_strdup_printf(const gchar *format, ...)
{
    va_list arguments;
    gchar *text;

    va_start(arguments, format);
    text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    return text;
}

gint g_vsnprintf(gchar *text, gulong n, const gchar *format, va_list arguments)
{
    return vsnprintf(text, n, format, arguments);
}

gint g_snprintf(gchar *text, gulong n, const gchar *format, ...)
{
    va_list arguments;
    gint length;

    va_start(arguments, format);
    length = vsnprintf(text, n, format, arguments);
    va_end(arguments);
    return length;
}

gchar *g_strconcat(const gchar *first, ...)
{
    GString *all = g_string_new(first);
    const gchar *next;
    va_list arguments;

    va_start(arguments, first);
    while ((next = va_arg(arguments, const gchar *)))
        g_string_append_len(all, next, (gssize)strlen(next));
    va_end(arguments);
    return g_string_free(all, FALSE);
}

gsize g_strlcpy(gchar *to, const gchar *from, gsize n)
{
    gsize length = strlen(from), kept = n == 0 ? 0 : MIN(length, n - 1);

    memcpy(to, from, kept);
    if (n > 0)
        to[kept] = '\0';
    return length;
}

int g_strcmp0(const char *a, const char *b)
{
    if (!a || !b)
        return (a != NULL) - (b != NULL);
    return strcmp(a, b);
}

gboolean(g_str_has_prefix)(const gchar *text, const gchar *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

gchar *g_strdelimit(gchar *text, const gchar *delimiters, gchar by)
{
    for (gchar *p = text; *p; p++)
        if (strchr(delimiters ? delimiters : G_STR_DELIMITERS, *p))
            *p = by;
    return text;
}

gchar *g_strchug(gchar *text)
{
    gchar *start = text;

    while (g_ascii_isspace(*start))
        start++;
    memmove(text, start, strlen(start) + 1);
    return text;
}

gchar *g_strchomp(gchar *text)
{
    for (gsize n = strlen(text); n > 0 && g_ascii_isspace(text[n - 1]); n--)
        text[n - 1] = '\0';
    return text;
}

/* ---- lists of texts ---- */

guint g_strv_length(gchar **texts)
{
    guint n = 0;

    while (texts[n])
        n++;
    return n;
}

gboolean g_strv_contains(const gchar *const *texts, const gchar *text)
{
    for (; *texts; texts++)
        if (strcmp(*texts, text) == 0)
            return TRUE;
    return FALSE;
}

void g_strfreev(gchar **texts)
{
    for (gsize i = 0; texts && texts[i]; i++)
        g_free(texts[i]);
    g_free(texts);
}

gchar *g_strjoinv(const gchar *separator, gchar **texts)
{
    GString *all = g_string_new(NULL);

    for (gsize i = 0; texts[i]; i++)
        g_string_append_printf(all, "%s%s", i > 0 && separator ? separator : "", texts[i]);
    return g_string_free(all, FALSE);
}

/* Splits at separators; `length` returns the length of the text up to the next separator. */
static gchar **split(const gchar *text, const gchar *separator, gsize skip, gint most,
                     gsize (*length)(const gchar *text, const gchar *separator))
{
    GPtrArray *parts = g_ptr_array_new();
    gchar **all;

    while (*text) {
        gsize n = most > 0 && parts->len + 1 == (guint)most ? strlen(text) : length(text, separator);

        g_ptr_array_add(parts, g_strndup(text, n));
        text += n;
        if (!*text)
            break;
        text += skip;
        if (!*text)
            g_ptr_array_add(parts, g_strdup(""));
    }
    g_ptr_array_add(parts, NULL);
    all = (gchar **)parts->pdata;
    g_free(parts);
    return all;
}

static gsize up_to_text(const gchar *text, const gchar *separator)
{
    const gchar *found = strstr(text, separator);

    return found ? (gsize)(found - text) : strlen(text);
}

static gsize up_to_any(const gchar *text, const gchar *separators)
{
    return strcspn(text, separators);
}

gchar **g_strsplit(const gchar *text, const gchar *separator, gint most)
{
    return split(text, separator, strlen(separator), most, up_to_text);
}

gchar **g_strsplit_set(const gchar *text, const gchar *separators, gint most)
{
    return split(text, separators, 1, most, up_to_any);
}

/* ---- texts that grow ---- */

static void string_make_room(GString *string, gsize more)
{
    gsize wanted = string->len + more + 1;

    if (wanted <= string->allocated_len)
        return;
    string->allocated_len = MAX(wanted, 2 * string->allocated_len);
    string->str = g_realloc(string->str, string->allocated_len);
}

GString *g_string_new(const gchar *text)
{
    GString *string = g_new0(GString, 1);

    string_make_room(string, 63);
    string->str[0] = '\0';
    return text ? g_string_append_len(string, text, (gssize)strlen(text)) : string;
}

gchar *(g_string_free)(GString *string, gboolean with_text)
{
    gchar *text = string->str;

    if (with_text)
        g_clear_pointer(&text, g_free);
    g_free(string);
    return text;
}

gchar *g_strescape(const gchar *text, const gchar *exceptions)
{
    static const char named[] = "\bb\ff\nn\rr\tt\vv\\\\\"\"";
    GString *out = g_string_new(NULL);

    for (; *text; text++) {
        const char *name = strchr(named, *text);

        if (exceptions && strchr(exceptions, *text))
            g_string_append_len(out, text, 1);
        else if (name && (name - named) % 2 == 0)
            g_string_append_printf(out, "\\%c", name[1]);
        else if ((guchar)*text < ' ' || (guchar)*text >= 0177)
            g_string_append_printf(out, "\\%03o", (guchar)*text);
        else
            g_string_append_len(out, text, 1);
    }
    return g_string_free(out, FALSE);
}

GString *g_string_insert_len(GString *string, gssize at, const gchar *text, gssize length)
{
    gsize n = length < 0 ? strlen(text) : (gsize)length, from = at < 0 ? string->len : (gsize)at;

    string_make_room(string, n);
    memmove(string->str + from + n, string->str + from, string->len - from);
    memcpy(string->str + from, text, n);
    string->len += n;
    string->str[string->len] = '\0';
    return string;
}

GString *(g_string_append_len)(GString *string, const gchar *text, gssize length)
{
    return g_string_insert_len(string, -1, text, length);
}

GString *(g_string_append)(GString *string, const gchar *text)
{
    return g_string_insert_len(string, -1, text, -1);
}

GString *g_string_insert_c(GString *string, gssize at, gchar c)
{
    return g_string_insert_len(string, at, &c, 1);
}

GString *(g_string_truncate)(GString *string, gsize n)
{
    string->len = MIN(n, string->len);
    string->str[string->len] = '\0';
    return string;
}

void g_string_append_printf(GString *string, const gchar *format, ...)
{
    va_list arguments;
    gchar *text;

    va_start(arguments, format);
    text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    g_string_insert_len(string, -1, text, -1);
    g_free(text);
}

/* ---- quoting ---- */

gchar *g_shell_quote(const gchar *text)
{
    GString *quoted = g_string_new("'");

    for (; *text; text++) {
        if (*text == '\'')
            g_string_append_len(quoted, "'\\''", 4);
        else
            g_string_append_len(quoted, text, 1);
    }
    g_string_append_len(quoted, "'", 1);
    return g_string_free(quoted, FALSE);
}

gchar *g_uri_escape_string(const gchar *text, const gchar *allowed, gboolean allow_utf8)
{
    GString *escaped = g_string_new(NULL);

    for (; *text; text++) {
        gboolean kept = g_ascii_isalnum(*text) || strchr("-._~", *text) || (allowed && strchr(allowed, *text)) ||
                        (allow_utf8 && (guchar)*text >= 0x80);

        g_string_append_printf(escaped, kept ? "%c" : "%%%02X", (guchar)*text);
    }
    return g_string_free(escaped, FALSE);
}

const gchar *g_strerror(gint number)
{
    return strerror(number);
}
