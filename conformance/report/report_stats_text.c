// SPDX-License-Identifier: GPL-2.0-or-later
/* --stats in the text report: for each connection, what slowed it in words, then the figures in tables. */
#include "conformance/options/options.h"
#include "conformance/report/report_parts.h"
#include "conformance/report/report_stats.h"
#include "conformance/report/text_table.h"
#include "conformance/stats/advice.h"
#include "conformance/stats/units.h"

#include <inttypes.h>

enum { CONNECTIONS_SHOWN = 8 /* unless --verbose */, INDENT = 4 };

/* ---- a connection ---- */

static void text_write_advice(const struct terminal *terminal, const struct stats_entry *entry)
{
    static const enum terminal_style styles[] = {[ADVICE_PROBLEM] = STYLE_BAD,
                                                 [ADVICE_NOTABLE] = STYLE_WARNING,
                                                 [ADVICE_FACT] = STYLE_PLAIN,
                                                 [ADVICE_UNKNOWN] = STYLE_NOTE};
    GArray *advices = stats_advice(entry);

    for (guint i = 0; i < advices->len; i++) {
        const struct advice *advice = &g_array_index(advices, struct advice, i);

        terminal_line(terminal, INDENT, "%s", terminal_styled(terminal, styles[advice->rank], advice->what));
        terminal_line(terminal, INDENT + 2, "%s", advice->figures);
        if (advice->next)
            terminal_line(terminal, INDENT + 2, "next: %s", advice->next);
    }
    g_array_unref(advices);
}

static void text_write_table(const struct terminal *terminal, struct text_table *table)
{
    if (text_table_rows(table) > 0)
        terminal_gap(terminal);
    text_table_write(table, terminal, INDENT);
    text_table_free(table);
}

static void text_write_entry(const struct terminal *terminal, const struct stats_entry *entry, bool several)
{
    const struct report_connection *connection = entry->connection;
    const struct statistics *statistics = connection->statistics;
    char initiator[ENDPOINT_TEXT_SIZE], responder[ENDPOINT_TEXT_SIZE], time[UNITS_SIZE];
    g_autofree gchar *file = printable_text(entry->capture->file);
    GPtrArray *lines;

    terminal_gap(terminal);
    terminal_line(terminal, 2, "%s%sconnection %" PRIu32 ": %s -> %s, %s", several ? file : "", several ? ", " : "",
                  connection->id, endpoint_text(&connection->initiator, initiator),
                  endpoint_text(&connection->responder, responder),
                  units_time(stats_span(statistics->first_ns, statistics->last_ns), time));
    text_write_advice(terminal, entry);
    if (statistics->calls) {
        text_write_table(terminal, stats_table_latencies(statistics));
        text_write_table(terminal, stats_table_statuses(connection));
        text_write_table(terminal, stats_table_ways(statistics));
    }
    text_write_table(terminal, stats_table_operations(statistics));
    text_write_table(terminal, stats_table_carriers(statistics));
    lines = stats_lines(statistics);
    terminal_gap(terminal);
    for (guint i = 0; i < lines->len; i++)
        terminal_line(terminal, INDENT, "%s", (const char *)g_ptr_array_index(lines, i));
    g_ptr_array_unref(lines);
}

void stats_write_text(const struct report *report, const struct terminal *terminal)
{
    GArray *entries = stats_entries(report);
    struct statistics *all = stats_of_all(report, entries);
    guint shown = report->options->verbose ? entries->len : MIN(entries->len, CONNECTIONS_SHOWN);

    if (entries->len > 0) {
        terminal_gap(terminal);
        terminal_line(terminal, 0, "%s", terminal_styled(terminal, STYLE_BOLD, "why is it slow?"));
    }
    if (all) {
        terminal_gap(terminal);
        terminal_line(terminal, 2, "all connections together");
        text_write_table(terminal, stats_table_pairs(entries));
        text_write_table(terminal, stats_table_latencies(all));
        text_write_table(terminal, stats_table_ways(all));
    }
    for (guint i = 0; i < shown; i++)
        text_write_entry(terminal, &g_array_index(entries, struct stats_entry, i), report->captures->len > 1);
    if (shown < entries->len) {
        terminal_gap(terminal);
        terminal_line(terminal, 2, "... and %u connection%s with less traffic; --verbose shows all",
                      entries->len - shown, plural(entries->len - shown));
    }
    statistics_free(all);
    g_array_unref(entries);
}
