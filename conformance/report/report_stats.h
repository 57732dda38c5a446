/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --stats in the formats: why it is slow, and the figures. */
#ifndef IWARP_CONFORMANCE_REPORT_REPORT_STATS_H
#define IWARP_CONFORMANCE_REPORT_REPORT_STATS_H

#include "conformance/report/report_html.h"
#include "conformance/report/report_json.h"
#include "conformance/report/text_table.h"
#include "conformance/stats/statistics.h"

/* The name of a row of Calls; g_free() it. */
gchar *stats_row_label(const struct stat_key *key);
/* A connection with statistics, and the capture that it is in. */
struct stats_entry {
    const struct report_capture *capture;
    const struct report_connection *connection;
};
/* Of struct stats_entry: those that moved the most octets first. The caller's. */
GArray *stats_entries(const struct report *report);
/* The Calls of all connections; NULL: there is but one with Calls, or none. Free with statistics_free(). */
struct statistics *stats_of_all(const struct report *report, const GArray *entries);
/* Octets of all its Calls, in all ways. */
uint64_t stats_octets(const struct stat_calls *row);
/* From the first Call to the last Reply, or of the connection. */
uint64_t stats_span(int64_t first_ns, int64_t last_ns);

/* The figures for people; text_table_free() them. */
struct text_table *stats_table_latencies(const struct statistics *statistics);
struct text_table *stats_table_ways(const struct statistics *statistics);
struct text_table *stats_table_operations(const struct statistics *statistics);
struct text_table *stats_table_carriers(const struct statistics *statistics);
/* What does not go into tables: gchar *. The caller's. */
GPtrArray *stats_lines(const struct statistics *statistics);

/* advice_of(), after what went wrong with this connection: where that explains the time, guesses are left out. */
GArray *stats_advice(const struct stats_entry *entry);

void stats_write_text(const struct report *report, const struct terminal *terminal);
/* Of "statistics": grows when a reader would have to change. Numbers above the second one are written as that. */
enum { STATS_JSON_FORMAT = 1 };
#define STATS_JSON_MAX (UINT64_C(1) << 62)
/* A member "statistics" of the connection's object. Times are relative to line->start_ns. */
void stats_write_json(struct json_writer *writer, const struct statistics *statistics, const struct report_line *line);
/* The same; reading->ctx is the line. NULL: reading->wrong says why. */
struct statistics *stats_read_json(struct json_reading *reading, JsonObject *connection);
/* The section of the page. */
void stats_write_html(struct html_page *page);

#endif
