// SPDX-License-Identifier: GPL-2.0-or-later
/* libxml2's writer of documents, as far as support/markup.c uses it. */
#include <glib.h>
#include <libxml/xmlwriter.h>

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct _xmlTextWriter {
    FILE *out;
    GPtrArray *names; /* of open elements */
    bool in_tag;      /* the innermost element still takes attributes */
    bool indent, indent_end;
};

/* Here an output buffer is only its file. */
xmlOutputBufferPtr xmlOutputBufferCreateFile(FILE *file, xmlCharEncodingHandlerPtr encoder)
{
    (void)encoder;
    return (xmlOutputBufferPtr)(gpointer)file;
}

xmlTextWriterPtr xmlNewTextWriter(xmlOutputBufferPtr out)
{
    xmlTextWriterPtr writer = g_new0(struct _xmlTextWriter, 1);

    writer->out = (FILE *)(gpointer)out;
    writer->names = g_ptr_array_new_with_free_func(g_free);
    return writer;
}

void xmlFreeTextWriter(xmlTextWriterPtr writer)
{
    fflush(writer->out);
    g_ptr_array_unref(writer->names);
    g_free(writer);
}

int xmlTextWriterSetIndent(xmlTextWriterPtr writer, int indent)
{
    writer->indent = indent != 0;
    return 0;
}

int xmlTextWriterStartDocument(xmlTextWriterPtr writer, const char *version, const char *encoding,
                               const char *standalone)
{
    (void)standalone;
    return fprintf(writer->out, "<?xml version=\"%s\" encoding=\"%s\"?>\n", version, encoding);
}

static void put_indent(xmlTextWriterPtr writer)
{
    for (guint i = 1; i < writer->names->len; i++)
        fputc(' ', writer->out);
}

/* Ends the tag that an element starts with, before its contents. */
static bool end_tag(xmlTextWriterPtr writer)
{
    if (!writer->in_tag)
        return false;
    fputc('>', writer->out);
    writer->in_tag = false;
    return true;
}

int xmlTextWriterStartElement(xmlTextWriterPtr writer, const xmlChar *name)
{
    if (end_tag(writer) && writer->indent)
        fputc('\n', writer->out);
    g_ptr_array_add(writer->names, g_strdup((const char *)name));
    if (writer->indent)
        put_indent(writer);
    writer->in_tag = true;
    return fprintf(writer->out, "<%s", (const char *)name);
}

static int end_element(xmlTextWriterPtr writer, bool full)
{
    const char *name = g_ptr_array_index(writer->names, writer->names->len - 1);

    if (writer->in_tag && !full) {
        fputs("/>", writer->out);
        writer->in_tag = false;
    } else {
        if (end_tag(writer))
            writer->indent_end = false;
        if (writer->indent && writer->indent_end)
            put_indent(writer);
        fprintf(writer->out, "</%s>", name);
    }
    writer->indent_end = true;
    if (writer->indent)
        fputc('\n', writer->out);
    g_ptr_array_set_size(writer->names, (gint)writer->names->len - 1);
    return 0;
}

int xmlTextWriterEndElement(xmlTextWriterPtr writer)
{
    return end_element(writer, false);
}

int xmlTextWriterFullEndElement(xmlTextWriterPtr writer)
{
    return end_element(writer, true);
}

int xmlTextWriterEndDocument(xmlTextWriterPtr writer)
{
    while (writer->names->len > 0)
        end_element(writer, false);
    if (!writer->indent)
        fputc('\n', writer->out);
    return fflush(writer->out);
}

static void put_escaped(FILE *out, const char *text, bool of_attribute)
{
    static const struct {
        char c;
        bool only_in_attributes;
        const char *as;
    } special[] = {{'<', false, "&lt;"},   {'>', false, "&gt;"},  {'&', false, "&amp;"}, {'"', false, "&quot;"},
                   {'\r', false, "&#13;"}, {'\n', true, "&#10;"}, {'\t', true, "&#9;"}};

    for (; *text; text++) {
        const char *as = NULL;

        for (gsize i = 0; i < G_N_ELEMENTS(special); i++)
            if (special[i].c == *text && (of_attribute || !special[i].only_in_attributes))
                as = special[i].as;
        if (as) {
            fputs(as, out);
        } else if (of_attribute && (guchar)*text >= 0x80) {
            fprintf(out, "&#x%X;", g_utf8_get_char(text));
            text += g_utf8_skip[(guchar)*text] - 1;
        } else {
            fputc(*text, out);
        }
    }
}

int xmlTextWriterWriteAttribute(xmlTextWriterPtr writer, const xmlChar *name, const xmlChar *value)
{
    fprintf(writer->out, " %s=\"", (const char *)name);
    put_escaped(writer->out, (const char *)value, true);
    return fputc('"', writer->out);
}

int xmlTextWriterWriteVFormatAttribute(xmlTextWriterPtr writer, const xmlChar *name, const char *format,
                                       va_list arguments)
{
    g_autofree gchar *value = g_strdup_vprintf(format, arguments);

    return xmlTextWriterWriteAttribute(writer, name, BAD_CAST value);
}

int xmlTextWriterWriteString(xmlTextWriterPtr writer, const xmlChar *text)
{
    end_tag(writer);
    writer->indent_end = false;
    put_escaped(writer->out, (const char *)text, false);
    return 0;
}

int xmlTextWriterWriteRaw(xmlTextWriterPtr writer, const xmlChar *text)
{
    end_tag(writer);
    writer->indent_end = false;
    return fputs((const char *)text, writer->out);
}
