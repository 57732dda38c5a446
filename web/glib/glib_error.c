// SPDX-License-Identifier: GPL-2.0-or-later
#include <glib.h>

#include <string.h>

GQuark g_quark_from_static_string(const gchar *text)
{
    return text ? GPOINTER_TO_UINT(g_intern_string(text)) : 0;
}

void g_error_free(GError *error)
{
    g_free(error->message);
    g_free(error);
}

gboolean g_error_matches(const GError *error, GQuark domain, gint code)
{
    return error && error->domain == domain && error->code == code;
}

void g_set_error_literal(GError **error, GQuark domain, gint code, const gchar *message)
{
    if (!error)
        return;
    *error = g_new0(GError, 1);
    **error = (GError){domain, code, g_strdup(message)};
}

void g_set_error(GError **error, GQuark domain, gint code, const gchar *format, ...)
{
    va_list arguments;
    gchar *text;

    va_start(arguments, format);
    text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    g_set_error_literal(error, domain, code, text);
    g_free(text);
}

void g_prefix_error(GError **error, const gchar *format, ...)
{
    va_list arguments;
    gchar *prefix, *message;

    if (!error || !*error)
        return;
    va_start(arguments, format);
    prefix = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    message = g_strconcat(prefix, (*error)->message, NULL);
    g_free(prefix);
    g_free((*error)->message);
    (*error)->message = message;
}
