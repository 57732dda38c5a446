/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A page of HTML: one file that needs nothing else and asks the network for nothing, to which its
 * Content-Security-Policy holds the browser. All pages share the style of support/page.css.
 */
#ifndef IWARP_SUPPORT_PAGE_H
#define IWARP_SUPPORT_PAGE_H

#include "support/markup.h"

#include <stdio.h>

struct page {
    const char *title;
    const char *generator; /* the program and its version */
    const char *style;     /* beyond the common one; NULL: none */
    const char *script;    /* NULL: none. Style and script without '&' and '<': the page is XML, too */
};

/* Up to <body>. Errors stay in the stream `out`. */
xmlTextWriter *page_open(const struct page *page, FILE *out);
/* A form of filters, up to what is beside the search; it would do nothing without the script, which shows it. */
void page_begin_tools(xmlTextWriter *writer, const char *placeholder);
/* Options: pairs of value and text. */
void page_select(xmlTextWriter *writer, const char *label, const char *const (*options)[2], size_t n);
void page_end_tools(xmlTextWriter *writer);
/* From </body> on; frees the writer. */
void page_close(const struct page *page, xmlTextWriter *writer);

#endif
