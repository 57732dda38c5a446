// SPDX-License-Identifier: GPL-2.0-or-later
/* The tables of --stats, and the lines beside them, shared by the text report and the page. */
#include "conformance/report/report_stats.h"
#include "conformance/stats/stat_guest.h"
#include "conformance/stats/units.h"
#include "engine/core/words.h"

#include <inttypes.h>

static const char *const sides[] = {"initiator", "responder"};

/* ---- cells ---- */

static void tables_add_time(struct text_table *table, const struct histogram *histogram, double q)
{
    char text[UNITS_SIZE];

    text_table_add(table, histogram->count == 0 ? "-" : units_time(histogram_quantile(histogram, q), text));
}

static void tables_add_octets(struct text_table *table, uint64_t octets)
{
    char text[UNITS_SIZE];

    text_table_add(table, units_octets(octets, text));
}

static void tables_add_count(struct text_table *table, uint64_t n)
{
    if (n == 0)
        text_table_add(table, "-");
    else
        text_table_format(table, "%" PRIu64, n);
}

static void add_quantiles(struct text_table *table, const struct histogram *histogram)
{
    static const double quantiles[] = {0.5, 0.95, 0.99, 1};

    for (size_t i = 0; i < G_N_ELEMENTS(quantiles); i++)
        tables_add_time(table, histogram, quantiles[i]);
}

static void add_average(struct text_table *table, uint64_t sum, uint64_t n)
{
    if (n == 0)
        text_table_add(table, "-");
    else
        text_table_format(table, "%.1f", (double)sum / (double)n);
}

/* ---- Calls ---- */

/* A procedure, followed by its operations. */
static void each_row(struct text_table *table, const struct statistics *statistics,
                     void (*add)(struct text_table *table, const struct stat_calls *row))
{
    for (const struct stat_calls *row = statistics->calls; row; row = row->next) {
        if (row->key.operation)
            continue;
        add(table, row);
        for (const struct stat_calls *op = statistics->calls; row->key.known && op; op = op->next)
            if (op->key.operation && stat_guest->contains(&row->key, &op->key))
                add(table, op);
    }
}

static void add_latencies(struct text_table *table, const struct stat_calls *row)
{
    g_autofree gchar *label = stats_row_label(&row->key);

    text_table_add(table, label);
    tables_add_count(table, row->n[CALLS]);
    tables_add_count(table, stat_unanswered(row));
    add_quantiles(table, &row->time[CALL_LATENCY]);
    for (unsigned i = CALL_TO_FIRST; i < CALL_TIMES; i++)
        tables_add_time(table, &row->time[i], 0.5);
}

struct text_table *stats_table_latencies(const struct statistics *statistics)
{
    static const char *const heads[] = {"Call to Reply", "Calls", "no Reply",  "p50",    "p95",
                                        "p99",           "max",   "to 1st op", "moving", "to Reply"};
    struct text_table *table = text_table_new(heads, G_N_ELEMENTS(heads));

    each_row(table, statistics, add_latencies);
    return table;
}

struct text_table *stats_table_statuses(const struct report_connection *connection)
{
    static const char *const heads[] = {"Replies", "status", "number"};
    struct text_table *table = text_table_new(heads, G_N_ELEMENTS(heads));

    REPORT_GUEST(&connection->guest, add_statuses, table);
    return table;
}

/* ---- clients and servers ---- */

struct pair {
    guint connections;
    struct stat_calls sums;
};

static void stats_pair_free(gpointer data)
{
    struct pair *pair = data;

    for (unsigned i = 0; i < CALL_TIMES; i++)
        histogram_clear(&pair->sums.time[i]);
    g_free(pair);
}

/* Without ports: a mount may have several connections. */
static gchar *pair_name(const struct report_connection *connection)
{
    bool turned = connection->statistics->client == 1;
    struct endpoint client = turned ? connection->responder : connection->initiator;
    struct endpoint server = turned ? connection->initiator : connection->responder;
    char from[ENDPOINT_TEXT_SIZE], to[ENDPOINT_TEXT_SIZE];

    client.port = server.port = 0;
    return g_strdup_printf("%s -> %s", endpoint_text(&client, from), endpoint_text(&server, to));
}

static void pair_add(struct pair *pair, const struct statistics *statistics)
{
    pair->connections++;
    for (const struct stat_calls *row = statistics->calls; row; row = row->next)
        if (!row->key.operation && !row->key.reverse)
            stat_calls_join(&pair->sums, row);
}

struct text_table *stats_table_pairs(const GArray *entries)
{
    static const char *const heads[] = {
        "Client -> server", "connections", "Calls", "no Reply", "p50", "p95", "p99", "max", "octets"};
    struct text_table *table = text_table_new(heads, G_N_ELEMENTS(heads));
    g_autoptr(GHashTable) pairs = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, stats_pair_free);
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);

    for (guint i = 0; i < entries->len; i++) {
        const struct report_connection *connection = g_array_index(entries, struct stats_entry, i).connection;
        gchar *name = pair_name(connection);
        struct pair *pair = g_hash_table_lookup(pairs, name);

        if (!pair) {
            pair = g_new0(struct pair, 1);
            g_hash_table_insert(pairs, name, pair);
        }
        pair_add(pair, connection->statistics);
        if (pair->connections == 1)
            g_ptr_array_add(names, name); /* in the order of the entries; the keys of the table, too */
        else
            g_free(name);
    }
    for (guint i = 0; i < names->len; i++) {
        const char *name = g_ptr_array_index(names, i);
        const struct pair *pair = g_hash_table_lookup(pairs, name);

        text_table_add(table, name);
        tables_add_count(table, pair->connections);
        tables_add_count(table, pair->sums.n[CALLS]);
        tables_add_count(table, stat_unanswered(&pair->sums));
        add_quantiles(table, &pair->sums.time[CALL_LATENCY]);
        tables_add_octets(table, stats_octets(&pair->sums));
    }
    return table;
}

static void add_ways(struct text_table *table, const struct stat_calls *row)
{
    g_autofree gchar *label = stats_row_label(&row->key);
    char rate[UNITS_SIZE];

    text_table_add(table, label);
    tables_add_octets(table, row->n[OCTETS_CALLS] + row->n[OCTETS_REPLIES]);
    tables_add_octets(table, row->n[OCTETS_READ]);
    tables_add_octets(table, row->n[OCTETS_WRITTEN]);
    text_table_add(table, units_rate(stats_octets(row), stats_span(row->first_ns, row->last_ns), rate));
    tables_add_count(table, row->n[CALLS_INLINE]);
    tables_add_count(table, row->n[CALLS_WITH_READ_CHUNK]);
    tables_add_count(table, row->n[CALLS_LONG]);
    tables_add_count(table, row->n[REPLIES_INLINE]);
    tables_add_count(table, row->n[REPLIES_WITH_WRITE_CHUNK]);
    tables_add_count(table, row->n[REPLIES_LONG]);
    add_average(table, row->n[READ_SEGMENTS], row->n[READ_CHUNKS]);
    add_average(table, row->n[WRITE_SEGMENTS], row->n[WRITE_CHUNKS]);
    add_average(table, row->n[REPLY_SEGMENTS], row->n[REPLY_CHUNKS]);
}

struct text_table *stats_table_ways(const struct statistics *statistics)
{
    static const char *const heads[] = {
        "Octets",          "inline",         "by Read",        "by Write",       "rate", "Calls inline",
        "by Read chunk",   "long",           "Replies inline", "by Write chunk", "long", "seg/Read chunk",
        "seg/Write chunk", "seg/Reply chunk"};
    struct text_table *table = text_table_new(heads, G_N_ELEMENTS(heads));

    each_row(table, statistics, add_ways);
    return table;
}

/* ---- operations ---- */

struct text_table *stats_table_operations(const struct statistics *statistics)
{
    static const char *const heads[] = {"RDMA",       "count",     "octets",  "rate", "size p50", "max", "parts each",
                                        "unanswered", "first p50", "all p50", "p95",  "p99",      "max", "moving p50"};
    struct text_table *table = text_table_new(heads, G_N_ELEMENTS(heads));

    for (unsigned side = 0; side < 2; side++) {
        for (unsigned kind = 0; kind < STAT_KINDS; kind++) {
            const struct stat_operations *o = statistics->operations[side][kind];
            char text[UNITS_SIZE];

            if (!o)
                continue;
            text_table_format(table, "%s, %s", stat_kind_names[kind], sides[side]);
            tables_add_count(table, o->count);
            tables_add_octets(table, o->octets);
            text_table_add(table, units_rate(o->octets, stats_span(o->first_ns, o->last_ns), text));
            tables_add_octets(table, histogram_quantile(&o->sizes, 0.5));
            tables_add_octets(table, o->sizes.most);
            add_average(table, o->parts, statistics->tapped ? 0 : o->count);
            tables_add_count(table, o->unanswered);
            tables_add_time(table, &o->first, 0.5);
            add_quantiles(table, &o->answered);
            tables_add_time(table, &o->moving, 0.5);
        }
    }
    return table;
}

/* ---- the carrier ---- */

struct text_table *stats_table_carriers(const struct statistics *statistics)
{
    static const char *const heads[] = {"Towards",   "packets", "octets",    "resent",   "out of order",  "late max",
                                        "acked p50", "p99",     "sizes p50", "max",      "FPDUs/segment", "headers",
                                        "CRCs",      "Markers", "NAKs",      "RNR NAKs", "missing"};
    struct text_table *table = text_table_new(heads, G_N_ELEMENTS(heads));

    for (unsigned side = 0; side < 2 && !statistics->tapped; side++) {
        const struct stat_carrier *c = &statistics->carrier[side];
        char text[UNITS_SIZE];

        text_table_add(table, sides[side ^ 1u]);
        tables_add_count(table, c->n[CARRIER_PACKETS]);
        tables_add_octets(table, c->n[CARRIER_OCTETS]);
        tables_add_octets(table, c->n[CARRIER_RETRANSMITTED]);
        text_table_add(table, statistics->ib ? "-" : units_octets(c->n[CARRIER_OUT_OF_ORDER], text));
        tables_add_time(table, &c->late, 1);
        tables_add_time(table, &c->acked, 0.5);
        tables_add_time(table, &c->acked, 0.99);
        tables_add_octets(table, histogram_quantile(&c->sizes, 0.5));
        tables_add_octets(table, c->sizes.most);
        add_average(table, c->per_segment.sum, c->per_segment.count);
        text_table_add(
            table, statistics->ib ? "-" : units_share(c->n[CARRIER_HEADERS] + c->n[CARRIER_PADS], c->sizes.sum, text));
        text_table_add(table, statistics->ib ? "-" : units_share(c->n[CARRIER_CRCS], c->sizes.sum, text));
        text_table_add(table, statistics->ib ? "-" : units_share(c->n[CARRIER_MARKERS], c->sizes.sum, text));
        tables_add_count(table, c->n[CARRIER_SEQUENCE_NAKS]);
        tables_add_count(table, c->n[CARRIER_RNR_NAKS]);
        tables_add_count(table, c->n[CARRIER_HOLES]);
    }
    return table;
}

/* ---- lines ---- */

#define add_line(lines, ...) g_ptr_array_add((lines), g_strdup_printf(__VA_ARGS__))

static void add_line_credits(GPtrArray *lines, const struct statistics *statistics, unsigned side)
{
    const struct stat_credits *c = &statistics->credits[side];
    uint64_t known = c->n[CREDITS_OBSERVED] - c->n[CREDITS_UNKNOWN];
    char at[UNITS_SIZE], busy[UNITS_SIZE], unknown[UNITS_SIZE];
    g_autofree gchar *granted = NULL;

    if (c->n[CREDITS_GRANTS] == 0)
        return;
    granted = c->granted_least == c->granted_most ? g_strdup_printf("%" PRIu32, c->granted_most)
                                                  : g_strdup_printf("%" PRIu32 " to %" PRIu32 " (latest %" PRIu32 ")",
                                                                    c->granted_least, c->granted_most, c->granted_last);
    add_line(lines,
             "credits of the %s: granted %s, requested %" PRIu32 "; in use: median %" PRIu64 ", at most %" PRIu64
             "; at the limit %s of the time, with a Call outstanding %s; limit unknown for %s",
             sides[side], granted, c->requested_last, histogram_quantile(&c->in_use, 0.5), c->in_use.most,
             units_share(c->n[CREDITS_AT_LIMIT], known, at), units_share(c->n[CREDITS_BUSY], known, busy),
             units_time(c->n[CREDITS_UNKNOWN], unknown));
}

static void add_line_reads(GPtrArray *lines, const struct statistics *statistics, unsigned side)
{
    const struct stat_reads *r = &statistics->reads[side];
    char at[UNITS_SIZE];
    g_autofree gchar *limit = r->limit == 0 ? g_strdup("unknown") : g_strdup_printf("%" PRIu32, r->limit);

    if (r->outstanding.count == 0)
        return;
    add_line(lines,
             "Reads of the %s outstanding: median %" PRIu64 ", at most %" PRIu32
             " of %s (IRD, ORD), at the limit for %s of its reading time",
             sides[side], histogram_quantile(&r->outstanding, 0.5), r->most, limit,
             r->limit == 0 ? "unknown" : units_share(r->n[READS_AT_LIMIT], r->n[READS_BUSY], at));
}

static void add_line_silence(GPtrArray *lines, const struct statistics *statistics)
{
    char longest[UNITS_SIZE], sum[UNITS_SIZE], trip[UNITS_SIZE], far[UNITS_SIZE];

    if (statistics->gaps.count > 0)
        add_line(lines,
                 "silence: %" PRIu64 " gap%s of 1 ms or more, %s together; the longest, %s, ended in frame %" PRIu32,
                 statistics->gaps.count, plural(statistics->gaps.count), units_time(statistics->gaps.sum, sum),
                 units_time(statistics->gaps.most, longest), statistics->longest_gap_frame);
    if (statistics->round_trip > 0)
        add_line(lines, "round trip of the TCP handshake: %s, of which %s to the responder and back",
                 units_time(statistics->round_trip, trip), units_time(statistics->round_trip_far, far));
}

GPtrArray *stats_lines(const struct statistics *statistics)
{
    GPtrArray *lines = g_ptr_array_new_with_free_func(g_free);

    for (unsigned side = 0; side < 2; side++)
        add_line_credits(lines, statistics, side);
    for (unsigned side = 0; side < 2; side++)
        add_line_reads(lines, statistics, side);
    add_line_silence(lines, statistics);
    if (statistics->tapped)
        add_line(lines, "packets are not counted: the kernel tap invented them; times are those of its host");
    return lines;
}
