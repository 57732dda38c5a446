/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of the HTML report, a file each. */
#ifndef IWARP_CONFORMANCE_REPORT_REPORT_HTML_H
#define IWARP_CONFORMANCE_REPORT_REPORT_HTML_H

#include "conformance/report/report_parts.h"
#include "support/markup.h"

/* So that the page of any capture stays one that opens at once. What is left out is counted. */
enum {
    HTML_CONNECTIONS_FAULTY = 100, /* with findings, shown in full */
    HTML_CONNECTIONS_CLEAN = 12,   /* without, likewise */
    HTML_CONNECTIONS_LISTED = 2000,
    HTML_COLUMNS = 30, /* of the matrix */
    HTML_LADDERS = 300,
    HTML_FINDINGS = 50, /* listed of a rule on a connection */
    HTML_FINDINGS_ALL = 10000,
    HTML_PROCEDURES = 40,
};

struct html_page {
    xmlTextWriter *writer;
    const struct report *report;
    const struct report_capture *capture; /* the one in hand */
    unsigned capture_number;              /* from 1 */
    unsigned faulty, clean;               /* connections shown in full so far */
    unsigned ladders, findings;           /* so far */
    GPtrArray *columns;                   /* of the matrix: struct report_connection * */
    GPtrArray *column_names;
};

enum { HTML_ID_SIZE = 32 };
/* "c1-3": capture and connection, the id of its section. Returns id. */
char *html_connection_id(const struct html_page *page, const struct report_connection *connection,
                         char id[HTML_ID_SIZE]);
/* "error", "warning", "note" or "waived". */
const char *html_class_of(const struct report_finding *finding);

/* True when this connection is to be shown in full; counts it then. */
bool html_takes_connection(struct html_page *page, const struct report_connection *connection);
void html_write_connection(struct html_page *page, const struct report_connection *connection);

/* A ladder around the finding, or of the start (finding NULL). False, and nothing, when there is nothing to draw. */
bool html_write_ladder(struct html_page *page, const struct report_connection *connection,
                       const struct report_finding *finding);

void html_write_matrix(struct html_page *page);
void html_write_not_exercised(struct html_page *page);

#endif
