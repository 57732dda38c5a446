/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --stats in the report formats: what slowed a connection, and the figures. */
#ifndef IWARP_CONFORMANCE_REPORT_REPORT_STATS_H
#define IWARP_CONFORMANCE_REPORT_REPORT_STATS_H

#include "conformance/report/report_html.h"
#include "conformance/report/report_json.h"
#include "conformance/report/text_table.h"
#include "conformance/stats/statistics.h"

/* The name of a row of Calls; g_free() it. */
gchar *stats_row_label(const struct stat_key *key);
/* A connection with statistics, and its capture. */
struct stats_entry {
    const struct report_capture *capture;
    const struct report_connection *connection;
};
/* Array of struct stats_entry, the most octets first, owned by the caller. */
GArray *stats_entries(const struct report *report);
/* The Calls of all connections; NULL: at most one connection has Calls. Free it with statistics_free(). */
struct statistics *stats_of_all(const struct report *report, const GArray *entries);
/* Octets of all its Calls, moved in any way. */
uint64_t stats_octets(const struct stat_calls *row);
/* From the first Call to the last Reply, or of the whole connection. */
uint64_t stats_span(int64_t first_ns, int64_t last_ns);

/* The figures for people; text_table_free() them. */
struct text_table *stats_table_latencies(const struct statistics *statistics);
struct text_table *stats_table_ways(const struct statistics *statistics);
/* One row for all connections between a client and a server. */
struct text_table *stats_table_pairs(const GArray *entries);
/* Replies by operation and status: of those that failed at least once. */
struct text_table *stats_table_statuses(const struct report_connection *connection);
struct text_table *stats_table_operations(const struct statistics *statistics);
struct text_table *stats_table_carriers(const struct statistics *statistics);
/* Lines beside the tables: gchar *. Owned by the caller. */
GPtrArray *stats_lines(const struct statistics *statistics);

/* advice_of(), after the connection's trouble: guesses about time that the trouble explains are omitted. */
GArray *stats_advice(const struct stats_entry *entry);

void stats_write_text(const struct report *report, const struct terminal *terminal);
/* --both: what the two captures say together. */
void both_write_text(const struct report *report, const struct terminal *terminal);
/*
 * The `format` of "statistics": incremented on incompatible changes. Numbers above the second constant are written as
 * that constant.
 */
enum { STATS_JSON_FORMAT = 1 };
#define STATS_JSON_MAX (UINT64_C(1) << 62)
/* A member "statistics" of the connection's object. Times are relative to line->start_ns. */
void stats_write_json(struct json_writer *writer, const struct statistics *statistics, const struct report_line *line);
/* Reads the member; reading->ctx is the line. NULL: see reading->wrong. */
struct statistics *stats_read_json(struct json_reading *reading, JsonObject *connection);
/* The section of the page. */
void stats_write_html(struct html_page *page);

#endif
