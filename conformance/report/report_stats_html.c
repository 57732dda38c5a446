// SPDX-License-Identifier: GPL-2.0-or-later
/* --stats in the page: for each connection, what slowed it in words, plots, and the figures in tables. */
#include "conformance/report/plot.h"
#include "conformance/report/report_stats.h"
#include "conformance/stats/advice.h"
#include "conformance/stats/units.h"

#include <inttypes.h>

enum { CONNECTIONS_SHOWN = 24, RANGES = 8 };

/* ---- words ---- */

static void stats_html_write_advice(struct html_page *page, const struct stats_entry *entry)
{
    static const char *const classes[] = {
        [ADVICE_PROBLEM] = "error", [ADVICE_NOTABLE] = "warning", [ADVICE_FACT] = "waived", [ADVICE_UNKNOWN] = "note"};
    GArray *advices = stats_advice(entry);

    markup_begin(page->writer, "ul", "class", "advice", NULL);
    for (guint i = 0; i < advices->len; i++) {
        const struct advice *advice = &g_array_index(advices, struct advice, i);

        markup_begin(page->writer, "li", "class", classes[advice->rank], NULL);
        markup_element(page->writer, "p", "found", "%s", advice->what);
        markup_element(page->writer, "p", NULL, "%s", advice->figures);
        if (advice->next)
            markup_element(page->writer, "p", NULL, "Next: %s.", advice->next);
        markup_end(page->writer);
    }
    markup_end(page->writer);
    g_array_unref(advices);
}

/* ---- plots ---- */

static void plot_credits(struct html_page *page, const struct series *series, unsigned n, uint64_t span)
{
    double limit[SERIES_BINS], in_use[SERIES_BINS], level = 0, granted = -1;
    struct plot plot = {"Calls outstanding, and the limit by credits",
                        PLOT_NUMBERS,
                        false,
                        span,
                        n,
                        {{"most outstanding", in_use, true}, {"allowed", limit, false}},
                        2};

    for (unsigned i = 0; i < n; i++) {
        const uint64_t *bin = series->bin[i];

        in_use[i] = MAX(level, (double)bin[SERIES_IN_USE_MOST]); /* the bin includes events before the start */
        level = bin[SERIES_IN_USE] == 0 ? level : (double)bin[SERIES_IN_USE] - 1;
        granted = bin[SERIES_GRANTED] == 0 ? granted : (double)bin[SERIES_GRANTED] - 1;
        limit[i] = granted;
    }
    plot_over_time(page->writer, &plot);
}

static void plot_latency(struct html_page *page, const struct series *series, unsigned n, uint64_t span)
{
    double mean[SERIES_BINS], most[SERIES_BINS];
    struct plot plot = {
        "Call to Reply", PLOT_TIMES, true, span, n, {{"longest", most, false}, {"mean", mean, false}}, 2};

    for (unsigned i = 0; i < n; i++) {
        const uint64_t *bin = series->bin[i];

        mean[i] = bin[SERIES_REPLIES] == 0 ? -1 : (double)bin[SERIES_LATENCY] / (double)bin[SERIES_REPLIES];
        most[i] = bin[SERIES_REPLIES] == 0 ? -1 : (double)bin[SERIES_LATENCY_MOST];
    }
    plot_over_time(page->writer, &plot);
}

static void plot_octets(struct html_page *page, const struct series *series, bool ib, unsigned n, uint64_t span)
{
    double sent[2][SERIES_BINS], again[SERIES_BINS], width = (double)(UINT64_C(1) << series->width_bits) / 1e9;
    struct plot plot = {"Payload moved",
                        PLOT_RATES,
                        false,
                        span,
                        n,
                        {{"to the responder", sent[0], false}, {"to the initiator", sent[1], false}},
                        2};
    struct plot repeated = {ib ? "Packets retransmitted" : "Octets retransmitted or out of order",
                            ib ? PLOT_NUMBERS : PLOT_OCTETS,
                            false,
                            span,
                            n,
                            {{"per step", again, true}},
                            1};

    for (unsigned i = 0; i < n; i++) {
        sent[0][i] = (double)series->bin[i][SERIES_TO_RESPONDER] / width;
        sent[1][i] = (double)series->bin[i][SERIES_TO_INITIATOR] / width;
        again[i] = (double)series->bin[i][SERIES_REPEATED];
    }
    plot_over_time(page->writer, &plot);
    plot_over_time(page->writer, &repeated);
}

static gint by_calls(gconstpointer a, gconstpointer b)
{
    const struct stat_calls *const *first = a, *const *second = b;
    uint64_t one = (*first)->time[CALL_LATENCY].count, other = (*second)->time[CALL_LATENCY].count;

    return one > other ? -1 : one < other;
}

static void plot_procedures(struct html_page *page, const struct statistics *s)
{
    GPtrArray *rows = g_ptr_array_new();
    struct plot_range ranges[RANGES];
    gchar *names[RANGES];
    unsigned n = 0;

    for (struct stat_calls *row = s->calls; row; row = row->next)
        if (row->time[CALL_LATENCY].count > 0)
            g_ptr_array_add(rows, row);
    g_ptr_array_sort(rows, by_calls);
    for (; n < rows->len && n < RANGES; n++) {
        const struct stat_calls *row = g_ptr_array_index(rows, n);
        const struct histogram *latency = &row->time[CALL_LATENCY];

        names[n] = stats_row_label(&row->key);
        ranges[n] =
            (struct plot_range){g_strstrip(names[n]), (double)latency->least, (double)histogram_quantile(latency, 0.5),
                                (double)histogram_quantile(latency, 0.95), (double)latency->most};
    }
    plot_ranges(page->writer,
                "Call to Reply, most frequent procedures: bar from least to 95 %, median marked, line to the longest",
                PLOT_TIMES, ranges, n);
    for (unsigned i = 0; i < n; i++)
        g_free(names[i]);
    g_ptr_array_unref(rows);
}

/* Four buckets make a bar: eight bars for a power of two. */
static void plot_sizes(struct html_page *page, const struct statistics *s)
{
    enum { TOGETHER = 4 };
    struct histogram both = {.count = 0};
    GArray *bars = g_array_new(FALSE, FALSE, sizeof(struct plot_bar));

    histogram_join(&both, &s->carrier[0].sizes);
    histogram_join(&both, &s->carrier[1].sizes);
    for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i += TOGETHER) {
        struct plot_bar bar = {(double)histogram_bucket_first(i), (double)histogram_bucket_last(i + TOGETHER - 1) + 1,
                               0};

        for (unsigned k = 0; k < TOGETHER; k++)
            bar.height += (double)histogram_bucket(&both, i + k);
        if (bar.height > 0)
            g_array_append_val(bars, bar);
    }
    plot_bars(page->writer, s->ib ? "Sizes of packets, octets of payload" : "Sizes of FPDUs, octets", PLOT_OCTETS,
              (const struct plot_bar *)bars->data, bars->len);
    histogram_clear(&both);
    g_array_unref(bars);
}

/* From the first packet to the last, even if nothing was counted at the ends. */
static void plot_series(struct html_page *page, const struct statistics *s)
{
    struct series whole;
    uint64_t span;

    series_init(&whole);
    (void)series_at(&whole, s->first_ns);
    series_join(&whole, s->series);
    (void)series_at(&whole, s->last_ns);
    span = (uint64_t)whole.n << whole.width_bits;
    if (s->calls) {
        plot_credits(page, &whole, whole.n, span);
        plot_latency(page, &whole, whole.n, span);
    }
    plot_octets(page, &whole, s->ib, whole.n, span);
}

static void write_plots(struct html_page *page, const struct statistics *s)
{
    markup_begin(page->writer, "div", "class", "plots", NULL);
    if (s->series && s->series->used)
        plot_series(page, s);
    plot_procedures(page, s);
    plot_sizes(page, s);
    markup_end(page->writer);
}

/* ---- tables ---- */

static void stats_html_write_table(struct html_page *page, const char *caption, struct text_table *table)
{
    unsigned columns = text_table_columns(table);
    g_autoptr(GPtrArray) heads = g_ptr_array_new();

    for (unsigned column = 0; column < columns; column++)
        if (text_table_is_used(table, column))
            g_ptr_array_add(heads, (gpointer)text_table_head(table, column));
    if (text_table_rows(table) > 0) {
        markup_begin_table(page->writer, "figures", caption, (const char *const *)heads->pdata, heads->len);
        for (unsigned row = 0; row < text_table_rows(table); row++) {
            markup_begin(page->writer, "tr", NULL);
            markup_row_head(page->writer, text_table_cell(table, row, 0));
            for (unsigned column = 1; column < columns; column++)
                if (text_table_is_used(table, column))
                    markup_element(page->writer, "td", "number", "%s", text_table_cell(table, row, column));
            markup_end(page->writer);
        }
        markup_end_table(page->writer);
    }
    text_table_free(table);
}

static void write_calls(struct html_page *page, const struct statistics *statistics)
{
    if (!statistics->calls)
        return;
    stats_html_write_table(page, "Call to Reply, and the medians of its parts", stats_table_latencies(statistics));
    stats_html_write_table(page, "Octets of the Calls, by transfer", stats_table_ways(statistics));
}

/* ---- the section ---- */

static void stats_html_write_entry(struct html_page *page, const struct stats_entry *entry)
{
    const struct report_connection *connection = entry->connection;
    const struct statistics *statistics = connection->statistics;
    char initiator[ENDPOINT_TEXT_SIZE], responder[ENDPOINT_TEXT_SIZE], time[UNITS_SIZE];
    GPtrArray *lines = stats_lines(statistics);

    markup_begin(page->writer, "article", "class", "statistics", NULL);
    markup_begin(page->writer, "h3", NULL);
    if (page->report->captures->len > 1)
        markup_element(page->writer, "span", "file", "%s: ", entry->capture->file);
    markup_format(page->writer, "Connection %" PRIu32 ", ", connection->id);
    markup_element(page->writer, "span", "peers", "%s \342\206\222 %s",
                   endpoint_text(&connection->initiator, initiator), endpoint_text(&connection->responder, responder));
    markup_format(page->writer, ", %s", units_time(stats_span(statistics->first_ns, statistics->last_ns), time));
    markup_end(page->writer);
    stats_html_write_advice(page, entry);
    write_plots(page, statistics);
    write_calls(page, statistics);
    stats_html_write_table(page, "Replies by operation and status", stats_table_statuses(connection));
    stats_html_write_table(page, "RDMA operations", stats_table_operations(statistics));
    stats_html_write_table(page, statistics->ib ? "Packets" : "TCP segments and FPDUs",
                           stats_table_carriers(statistics));
    for (guint i = 0; i < lines->len; i++)
        markup_element(page->writer, "p", NULL, "%s", (const char *)g_ptr_array_index(lines, i));
    markup_end(page->writer);
    g_ptr_array_unref(lines);
}

void stats_write_html(struct html_page *page)
{
    GArray *entries = stats_entries(page->report);
    struct statistics *all = stats_of_all(page->report, entries);

    if (entries->len > 0) {
        markup_begin(page->writer, "section", "id", "statistics", NULL);
        markup_element(page->writer, "h2", NULL, "Why is it slow?");
        if (all) {
            markup_element(page->writer, "h3", NULL, "All connections together");
            stats_html_write_table(page, "By client and server", stats_table_pairs(entries));
            write_calls(page, all);
        }
        for (guint i = 0; i < MIN(entries->len, CONNECTIONS_SHOWN); i++)
            stats_html_write_entry(page, &g_array_index(entries, struct stats_entry, i));
        if (entries->len > CONNECTIONS_SHOWN)
            markup_element(page->writer, "p", "more",
                           "%u connections with less traffic are not shown here; --format=json has all",
                           entries->len - CONNECTIONS_SHOWN);
        markup_end(page->writer);
    }
    statistics_free(all);
    g_array_unref(entries);
}
