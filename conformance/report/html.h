/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes HTML that is well-formed XML, too: libxml2 escapes, and no element but a void one is closed in itself. */
#ifndef IWARP_CONFORMANCE_REPORT_HTML_H
#define IWARP_CONFORMANCE_REPORT_HTML_H

#include <glib.h>
#include <libxml/xmlwriter.h>

/* Attributes: name and value in turn, ended by NULL; one with the value NULL is left out. */
void html_begin(xmlTextWriter *writer, const char *name, ...) G_GNUC_NULL_TERMINATED;
void html_end(xmlTextWriter *writer);
/* A void element: meta, input, br. */
void html_void(xmlTextWriter *writer, const char *name, ...) G_GNUC_NULL_TERMINATED;
/* Text as it comes out of captures and file names: control characters are shown, not written. */
void html_text(xmlTextWriter *writer, const char *text);
void html_format(xmlTextWriter *writer, const char *format, ...) G_GNUC_PRINTF(2, 3);
/* <name class="class_name">text</name>; class_name NULL: none. */
void html_element(xmlTextWriter *writer, const char *name, const char *class_name, const char *format, ...)
    G_GNUC_PRINTF(4, 5);

/* What is read out and searched as one number: "12,345". g_free() it. */
gchar *html_number(guint64 number);

#endif
