/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An HTML page: one file that needs no others and requests nothing from the network, which its Content-Security-Policy
 * enforces. All pages share the style of support/page.css.
 */
#ifndef IWARP_SUPPORT_PAGE_H
#define IWARP_SUPPORT_PAGE_H

#include "support/markup.h"

#include <stdio.h>

struct page {
    const char *title;
    const char *generator; /* the program and its version */
    const char *style;     /* in addition to the common style; NULL: none */
    const char *script;    /* NULL: none. Style and script have no '&' or '<', because the page is XML, too */
};

/* Writes up to <body>. Errors stay in the stream `out`. */
xmlTextWriter *page_open(const struct page *page, FILE *out);
/*
 * A form with filters, up to and including the search field. It is hidden, as it would not work without the script,
 * which shows it.
 */
void page_begin_tools(xmlTextWriter *writer, const char *placeholder);
/* options: pairs of value and text. */
void page_select(xmlTextWriter *writer, const char *label, const char *const (*options)[2], size_t n);
void page_end_tools(xmlTextWriter *writer);
/* Writes from </body> on; frees the writer. */
void page_close(const struct page *page, xmlTextWriter *writer);

#endif
