/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Elements for the reports in XML and HTML; text that no XML may hold is replaced. */
#ifndef IWARP_TRAFFIC_SUITE_RESULT_XML_H
#define IWARP_TRAFFIC_SUITE_RESULT_XML_H

#include <glib.h>
#include <libxml/xmlwriter.h>

/* Valid UTF-8 without control characters but the end of a line; "" becomes "-". The caller's to free. */
char *result_printable(const char *text);

/* Attributes as pairs of name and value, ended by NULL. */
void result_begin(xmlTextWriter *writer, const char *name, ...) G_GNUC_NULL_TERMINATED;
void result_end(xmlTextWriter *writer);
void result_write(xmlTextWriter *writer, const char *format, ...) G_GNUC_PRINTF(2, 3);
/* An element with a class (NULL: none) that holds text. */
void result_element(xmlTextWriter *writer, const char *name, const char *class, const char *format, ...)
    G_GNUC_PRINTF(4, 5);

#endif
