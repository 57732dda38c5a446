/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes XML, and HTML that is also well-formed XML. libxml2 escapes; control characters and octets that are not UTF-8
 * are shown as \xNN (support/printable.h), so that text from a capture or a device cannot break a document.
 */
#ifndef IWARP_SUPPORT_MARKUP_H
#define IWARP_SUPPORT_MARKUP_H

#include <glib.h>
#include <libxml/xmlwriter.h>

/* Attributes: alternating names and values, ended by NULL; an attribute with the value NULL is omitted. */
void markup_begin(xmlTextWriter *writer, const char *name, ...) G_GNUC_NULL_TERMINATED;
/* Writes an end tag, which browsers want for every element except void ones. */
void markup_end(xmlTextWriter *writer);
/* A whole element without content: HTML's void elements (meta, input, br), and empty ones in XML. */
void markup_void(xmlTextWriter *writer, const char *name, ...) G_GNUC_NULL_TERMINATED;
/* Adds an attribute to the element that was just begun. */
void markup_attribute(xmlTextWriter *writer, const char *name, const char *format, ...) G_GNUC_PRINTF(3, 4);
/* Text in one line: line ends are shown as \x0a, too. */
void markup_text(xmlTextWriter *writer, const char *text);
void markup_format(xmlTextWriter *writer, const char *format, ...) G_GNUC_PRINTF(2, 3);
/* Text that keeps its line ends. */
void markup_lines(xmlTextWriter *writer, const char *format, ...) G_GNUC_PRINTF(2, 3);
/* <name class="class_name">text</name>; class_name NULL: none. */
void markup_element(xmlTextWriter *writer, const char *name, const char *class_name, const char *format, ...)
    G_GNUC_PRINTF(4, 5);
/* <dt>name</dt><dd>text</dd> */
#define markup_term(writer, name, ...)                                                                                 \
    do {                                                                                                               \
        markup_element((writer), "dt", NULL, "%s", (name));                                                            \
        markup_element((writer), "dd", NULL, __VA_ARGS__);                                                             \
    } while (0)
/* <a href="#id">text</a> */
void markup_link(xmlTextWriter *writer, const char *id, const char *text);
/*
 * A table up to <tbody>; wide tables scroll by themselves. The head is one row of n column names; names NULL: the
 * caller writes the head and <tbody>. class_name NULL: none.
 */
void markup_begin_table(xmlTextWriter *writer, const char *class_name, const char *caption, const char *const *names,
                        size_t n);
void markup_end_table(xmlTextWriter *writer);
/* <th scope="col">, or for a row. */
void markup_column_head(xmlTextWriter *writer, const char *text);
void markup_begin_row_head(xmlTextWriter *writer);
void markup_row_head(xmlTextWriter *writer, const char *text);
/* <td> with a number formatted by markup_number(). */
void markup_number_cell(xmlTextWriter *writer, const char *class_name, guint64 number);

/* "12,345": a single word for screen readers and for searching. g_free() it. */
gchar *markup_number(guint64 number);

#endif
