/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of the HTML report, a file each. */
#ifndef IWARP_CONFORMANCE_REPORT_REPORT_HTML_H
#define IWARP_CONFORMANCE_REPORT_REPORT_HTML_H

#include "conformance/report/report_violations.h"
#include "support/markup.h"

/* Limits, so that the page of any capture opens at once. The page counts what it omits. */
enum {
    HTML_CONNECTIONS_FAULTY = 100, /* shown in full: one for each rule, then the worst */
    HTML_CONNECTIONS_CLEAN = 12,   /* connections without findings */
    HTML_CONNECTIONS_LISTED = 2000,
    HTML_CAPTURES_LISTED = 2000,
    HTML_COLUMNS = 30, /* of the matrix */
    HTML_LADDERS = 300,
    HTML_FINDINGS = 50, /* listed for a rule on a connection */
    HTML_FINDINGS_ALL = 10000,
};

/* A connection, and its place. */
struct html_entry {
    const struct report_capture *capture;
    unsigned capture_number; /* from 1 */
    const struct report_connection *connection;
};

struct html_page {
    xmlTextWriter *writer;
    const struct report *report;
    GArray *entries;             /* struct html_entry: all connections, the worst first */
    GHashTable *in_full;         /* the connections that are shown in full: struct report_connection * */
    guint faulty;                /* entries with findings, which come first */
    unsigned ladders, findings;  /* so far */
    const struct html_entry *at; /* the connection being written */
    GHashTable *drawn;           /* its events that a ladder already shows: struct note * -> number of the ladder */
};

enum { HTML_ID_SIZE = 32 };
/* "c1-3": capture and connection, the id of its section. Returns id. */
char *html_entry_id(const struct html_entry *entry, char id[HTML_ID_SIZE]);
/* "c1-3-MPA-4.1-05", "c1-3-MPA-4.1-05-w2": the id of its findings of one rule, or with one waiver. g_free() it. */
gchar *html_group_id(const struct html_entry *entry, const struct finding_group *group);

/* The most important facts, with links: captures that fail, and rules violated most. */
void html_write_overview(struct html_page *page);

/* A property of a connection, and its value. */
#define html_item(page, name, ...)                                                                                     \
    do {                                                                                                               \
        markup_begin((page)->writer, "div", NULL);                                                                     \
        markup_term((page)->writer, (name), __VA_ARGS__);                                                              \
        markup_end((page)->writer);                                                                                    \
    } while (0)
/* The connection in full. */
void html_write_entry(struct html_page *page, const struct html_entry *entry);

/*
 * A ladder around the finding, or around the start (finding NULL). False without output if there is nothing to draw, or
 * if the event is already in a ladder of this connection: *drawn is then the number of that ladder, otherwise 0.
 */
bool html_write_ladder(struct html_page *page, const struct report_finding *finding, unsigned *drawn);
/* "c1-3-ladder-2"; g_free() it. */
gchar *html_ladder_id(const struct html_page *page, unsigned number);

void html_write_matrix(struct html_page *page);
void html_write_not_exercised(struct html_page *page);

#endif
