// SPDX-License-Identifier: GPL-2.0-or-later
#include "support/markup.h"

#include "support/printable.h"

static void write_attribute(xmlTextWriter *writer, const char *name, const char *value)
{
    gchar *text = printable_text(value);

    xmlTextWriterWriteAttribute(writer, BAD_CAST name, BAD_CAST text);
    g_free(text);
}

static void write_attributes(xmlTextWriter *writer, va_list arguments)
{
    const char *name;

    while ((name = va_arg(arguments, const char *))) {
        const char *value = va_arg(arguments, const char *);

        if (value)
            write_attribute(writer, name, value);
    }
}

void markup_begin(xmlTextWriter *writer, const char *name, ...)
{
    va_list arguments;

    xmlTextWriterStartElement(writer, BAD_CAST name);
    va_start(arguments, name);
    write_attributes(writer, arguments);
    va_end(arguments);
}

void markup_end(xmlTextWriter *writer)
{
    xmlTextWriterFullEndElement(writer);
}

void markup_void(xmlTextWriter *writer, const char *name, ...)
{
    va_list arguments;

    xmlTextWriterStartElement(writer, BAD_CAST name);
    va_start(arguments, name);
    write_attributes(writer, arguments);
    va_end(arguments);
    xmlTextWriterEndElement(writer);
}

void markup_attribute(xmlTextWriter *writer, const char *name, const char *format, ...)
{
    va_list arguments;
    gchar *value;

    va_start(arguments, format);
    value = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    write_attribute(writer, name, value);
    g_free(value);
}

void markup_text(xmlTextWriter *writer, const char *text)
{
    gchar *printable = printable_text(text);

    xmlTextWriterWriteString(writer, BAD_CAST printable);
    g_free(printable);
}

static void write_formatted(xmlTextWriter *writer, const char *format, va_list arguments)
{
    gchar *text = g_strdup_vprintf(format, arguments);

    markup_text(writer, text);
    g_free(text);
}

void markup_format(xmlTextWriter *writer, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    write_formatted(writer, format, arguments);
    va_end(arguments);
}

void markup_lines(xmlTextWriter *writer, const char *format, ...)
{
    va_list arguments;
    gchar *text, *printable;

    va_start(arguments, format);
    text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    printable = printable_lines(text);
    xmlTextWriterWriteString(writer, BAD_CAST printable);
    g_free(printable);
    g_free(text);
}

void markup_element(xmlTextWriter *writer, const char *name, const char *class_name, const char *format, ...)
{
    va_list arguments;

    markup_begin(writer, name, "class", class_name, NULL);
    va_start(arguments, format);
    write_formatted(writer, format, arguments);
    va_end(arguments);
    markup_end(writer);
}

void markup_link(xmlTextWriter *writer, const char *id, const char *text)
{
    gchar *target = g_strconcat("#", id, NULL);

    markup_begin(writer, "a", "href", target, NULL);
    markup_text(writer, text);
    markup_end(writer);
    g_free(target);
}

void markup_begin_table(xmlTextWriter *writer, const char *class_name, const char *caption, const char *const *names,
                        size_t n)
{
    markup_begin(writer, "div", "class", "wide", "tabindex", "0", NULL);
    markup_begin(writer, "table", "class", class_name, NULL);
    markup_element(writer, "caption", NULL, "%s", caption);
    if (!names)
        return;
    markup_begin(writer, "thead", NULL);
    markup_begin(writer, "tr", NULL);
    for (size_t i = 0; i < n; i++)
        markup_column_head(writer, names[i]);
    markup_end(writer);
    markup_end(writer);
    markup_begin(writer, "tbody", NULL);
}

void markup_end_table(xmlTextWriter *writer)
{
    markup_end(writer);
    markup_end(writer);
    markup_end(writer);
}

void markup_column_head(xmlTextWriter *writer, const char *text)
{
    markup_begin(writer, "th", "scope", "col", NULL);
    markup_text(writer, text);
    markup_end(writer);
}

void markup_begin_row_head(xmlTextWriter *writer)
{
    markup_begin(writer, "th", "scope", "row", NULL);
}

void markup_row_head(xmlTextWriter *writer, const char *text)
{
    markup_begin_row_head(writer);
    markup_text(writer, text);
    markup_end(writer);
}

void markup_number_cell(xmlTextWriter *writer, const char *class_name, guint64 number)
{
    gchar *text = markup_number(number);

    markup_element(writer, "td", class_name, "%s", text);
    g_free(text);
}

gchar *markup_number(guint64 number)
{
    gchar *digits = g_strdup_printf("%" G_GUINT64_FORMAT, number);
    GString *text = g_string_new(digits);

    for (gssize at = (gssize)text->len - 3; at > 0; at -= 3)
        g_string_insert_c(text, at, ',');
    g_free(digits);
    return g_string_free(text, FALSE);
}
