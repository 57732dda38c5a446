// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/suite/result_xml.h"

#include <stdarg.h>

char *result_printable(const char *text)
{
    char *valid = g_utf8_make_valid(text ? text : "", -1);
    GString *out = g_string_new(NULL);

    for (const char *p = valid; *p; p = g_utf8_next_char(p)) {
        gunichar c = g_utf8_get_char(p);

        if (c == '\n' || (c >= 0x20 && c < 0x7F) || (c >= 0xA0 && c <= 0xFFFD && !(c >= 0xD800 && c < 0xE000)) ||
            c >= 0x10000)
            g_string_append_unichar(out, c);
        else
            g_string_append_printf(out, "\\x%02x", (unsigned)c);
    }
    if (out->len == 0)
        g_string_append_c(out, '-');
    g_free(valid);
    return g_string_free(out, FALSE);
}

void result_begin(xmlTextWriter *writer, const char *name, ...)
{
    const char *attribute;
    va_list args;

    xmlTextWriterStartElement(writer, BAD_CAST name);
    va_start(args, name);
    while ((attribute = va_arg(args, const char *))) {
        char *value = result_printable(va_arg(args, const char *));

        xmlTextWriterWriteAttribute(writer, BAD_CAST attribute, BAD_CAST value);
        g_free(value);
    }
    va_end(args);
}

void result_end(xmlTextWriter *writer)
{
    xmlTextWriterEndElement(writer);
}

static void write_va(xmlTextWriter *writer, const char *format, va_list args)
{
    char *text = g_strdup_vprintf(format, args), *printable = result_printable(text);

    if (*text)
        xmlTextWriterWriteString(writer, BAD_CAST printable);
    g_free(printable);
    g_free(text);
}

void result_write(xmlTextWriter *writer, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    write_va(writer, format, args);
    va_end(args);
}

void result_element(xmlTextWriter *writer, const char *name, const char *class, const char *format, ...)
{
    va_list args;

    if (class)
        result_begin(writer, name, "class", class, NULL);
    else
        result_begin(writer, name, NULL);
    va_start(args, format);
    write_va(writer, format, args);
    va_end(args);
    xmlTextWriterFullEndElement(writer);
}
