// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/report/html.h"

#include "conformance/report/report_parts.h"

static void write_attributes(xmlTextWriter *writer, va_list arguments)
{
    const char *name;

    while ((name = va_arg(arguments, const char *))) {
        const char *value = va_arg(arguments, const char *);
        gchar *text;

        if (!value)
            continue;
        text = printable_text(value);
        xmlTextWriterWriteAttribute(writer, BAD_CAST name, BAD_CAST text);
        g_free(text);
    }
}

void html_begin(xmlTextWriter *writer, const char *name, ...)
{
    va_list arguments;

    xmlTextWriterStartElement(writer, BAD_CAST name);
    va_start(arguments, name);
    write_attributes(writer, arguments);
    va_end(arguments);
}

void html_end(xmlTextWriter *writer)
{
    xmlTextWriterFullEndElement(writer);
}

void html_void(xmlTextWriter *writer, const char *name, ...)
{
    va_list arguments;

    xmlTextWriterStartElement(writer, BAD_CAST name);
    va_start(arguments, name);
    write_attributes(writer, arguments);
    va_end(arguments);
    xmlTextWriterEndElement(writer);
}

void html_text(xmlTextWriter *writer, const char *text)
{
    gchar *printable = printable_text(text);

    xmlTextWriterWriteString(writer, BAD_CAST printable);
    g_free(printable);
}

static void write_formatted(xmlTextWriter *writer, const char *format, va_list arguments)
{
    gchar *text = g_strdup_vprintf(format, arguments);

    html_text(writer, text);
    g_free(text);
}

void html_format(xmlTextWriter *writer, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    write_formatted(writer, format, arguments);
    va_end(arguments);
}

void html_element(xmlTextWriter *writer, const char *name, const char *class_name, const char *format, ...)
{
    va_list arguments;

    html_begin(writer, name, "class", class_name, NULL);
    va_start(arguments, format);
    write_formatted(writer, format, arguments);
    va_end(arguments);
    html_end(writer);
}

gchar *html_number(guint64 number)
{
    gchar *digits = g_strdup_printf("%" G_GUINT64_FORMAT, number);
    GString *text = g_string_new(digits);

    for (gssize at = (gssize)text->len - 3; at > 0; at -= 3)
        g_string_insert_c(text, at, ',');
    g_free(digits);
    return g_string_free(text, FALSE);
}
