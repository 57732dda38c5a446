// SPDX-License-Identifier: GPL-2.0-or-later
/* "statistics" of a connection in the JSON report: what merge needs to add it up, and for people and programs what
 * follows from it. */
#include "conformance/report/report_stats.h"
#include "conformance/stats/advice.h"
#include "conformance/stats/shape.h"

static void json_add_count(struct json_writer *writer, const char *name, uint64_t n)
{
    json_number(writer, name, (int64_t)MIN(n, (uint64_t)STATS_JSON_MAX));
}

static void add_count_if(struct json_writer *writer, const char *name, uint64_t n)
{
    if (n == 0)
        json_null(writer, name);
    else
        json_add_count(writer, name, n);
}

/* Number and count of each bucket in turn. */
static void add_histogram(struct json_writer *writer, const char *name, const struct histogram *histogram)
{
    GArray *buckets = g_array_new(FALSE, FALSE, sizeof(int64_t));

    json_begin_object(writer, name);
    json_add_count(writer, "count", histogram->count);
    json_add_count(writer, "sum", histogram->sum);
    if (histogram->count > 0) {
        json_add_count(writer, "min", histogram->least);
        json_add_count(writer, "p50", histogram_quantile(histogram, 0.5));
        json_add_count(writer, "p95", histogram_quantile(histogram, 0.95));
        json_add_count(writer, "p99", histogram_quantile(histogram, 0.99));
        json_add_count(writer, "max", histogram->most);
    }
    for (unsigned i = histogram_begin(histogram); i < histogram_end(histogram); i++) {
        int64_t pair[] = {i, (int64_t)MIN(histogram_bucket(histogram, i), (uint64_t)STATS_JSON_MAX)};

        if (pair[1] > 0)
            g_array_append_vals(buckets, pair, 2);
    }
    json_numbers(writer, "buckets", (const int64_t *)buckets->data, buckets->len);
    json_end_object(writer);
    g_array_unref(buckets);
}

static void json_add_time(struct json_writer *writer, const char *name, int64_t time_ns, int64_t none, int64_t start_ns)
{
    if (time_ns == none)
        json_null(writer, name);
    else
        json_number(writer, name, (int64_t)((uint64_t)time_ns - (uint64_t)start_ns));
}

static void add_member(struct json_writer *writer, const struct stat_member *member, const void *value,
                       int64_t start_ns)
{
    switch (member->type) {
    case STAT_COUNTS:
        for (unsigned i = 0; i < member->n; i++)
            json_add_count(writer, member->names[i], ((const uint64_t *)value)[i]);
        break;
    case STAT_COUNT:
        json_add_count(writer, member->name, *(const uint64_t *)value);
        break;
    case STAT_NUMBER:
        json_add_count(writer, member->name, *(const uint32_t *)value);
        break;
    case STAT_KNOWN_NUMBER:
        add_count_if(writer, member->name, *(const uint32_t *)value);
        break;
    case STAT_KNOWN_COUNT:
        add_count_if(writer, member->name, *(const uint64_t *)value);
        break;
    case STAT_TRUTH:
        json_bool(writer, member->name, *(const bool *)value);
        break;
    case STAT_HISTOGRAM:
        add_histogram(writer, member->name, value);
        break;
    case STAT_FIRST:
        json_add_time(writer, member->name, *(const int64_t *)value, INT64_MAX, start_ns);
        break;
    case STAT_LAST:
        json_add_time(writer, member->name, *(const int64_t *)value, INT64_MIN, start_ns);
        break;
    }
}

static void add_members(struct json_writer *writer, const struct stat_member *members, const void *base,
                        int64_t start_ns)
{
    for (; members->name; members++)
        add_member(writer, members, stat_get(base, members), start_ns);
}

static void add_calls(struct json_writer *writer, const struct stat_calls *row, int64_t start_ns)
{
    g_autofree gchar *label = stats_row_label(&row->key);

    json_begin_object(writer, NULL);
    json_bool(writer, "known", row->key.known);
    json_add_count(writer, "program", row->key.program);
    json_add_count(writer, "version", row->key.version);
    json_bool(writer, "operation", row->key.operation);
    json_add_count(writer, "procedure", row->key.procedure);
    json_string(writer, "name", g_strchug(label));
    json_string(writer, "direction", row->key.reverse ? "reverse" : "forward");
    add_members(writer, stat_calls_members, row, start_ns);
    json_end_object(writer);
}

static void add_series(struct json_writer *writer, const struct series *series)
{
    unsigned n = series ? series->n : 0;
    int64_t numbers[SERIES_BINS];

    if (!series || !series->used) {
        json_null(writer, "series");
        return;
    }
    while (n > 1 && series_is_empty(series, n - 1))
        n--;
    json_begin_object(writer, "series");
    json_number(writer, "width", INT64_C(1) << series->width_bits);
    json_number(writer, "first_bin", series->first);
    for (unsigned value = 0; value < SERIES_VALUES; value++) {
        for (unsigned i = 0; i < n; i++)
            numbers[i] = (int64_t)MIN(series->bin[i][value], (uint64_t)STATS_JSON_MAX);
        json_numbers(writer, series_names[value], numbers, n);
    }
    json_end_object(writer);
}

static void add_advice(struct json_writer *writer, const struct statistics *statistics)
{
    GArray *advices = advice_of(statistics);

    json_begin_array(writer, "findings");
    for (guint i = 0; i < advices->len; i++) {
        const struct advice *advice = &g_array_index(advices, struct advice, i);

        json_begin_object(writer, NULL);
        json_string(writer, "id", advice->id);
        json_string(writer, "rank", advice_rank_name(advice->rank));
        json_double(writer, "share", advice->share);
        json_string(writer, "text", advice->what);
        json_string(writer, "figures", advice->figures);
        json_string(writer, "next", advice->next);
        json_end_object(writer);
    }
    json_end_array(writer);
    g_array_unref(advices);
}

static void add_side(struct json_writer *writer, const struct statistics *s, unsigned side, int64_t start_ns)
{
    json_begin_object(writer, side == 0 ? "initiator" : "responder");
    add_count_if(writer, "inline_threshold", s->inline_limit[side]);
    json_begin_object(writer, "credits");
    add_members(writer, stat_credits_members, &s->credits[side], start_ns);
    json_end_object(writer);
    json_begin_object(writer, "operations");
    for (unsigned kind = 0; kind < STAT_KINDS; kind++) {
        if (!s->operations[side][kind])
            continue;
        json_begin_object(writer, stat_kind_names[kind]);
        add_members(writer, stat_operations_members, s->operations[side][kind], start_ns);
        json_end_object(writer);
    }
    json_end_object(writer);
    json_begin_object(writer, "reads");
    add_members(writer, stat_reads_members, &s->reads[side], start_ns);
    json_end_object(writer);
    json_begin_object(writer, "carrier");
    add_members(writer, stat_carrier_members, &s->carrier[side], start_ns);
    json_end_object(writer);
    json_end_object(writer);
}

void stats_write_json(struct json_writer *writer, const struct statistics *s, int64_t start_ns)
{
    json_begin_object(writer, "statistics");
    json_number(writer, "format", STATS_JSON_FORMAT);
    add_advice(writer, s);
    json_string(writer, "client", s->client < 0 ? NULL : s->client == 0 ? "initiator" : "responder");
    json_bool(writer, "packets", s->ib);
    add_members(writer, stat_members, s, start_ns);
    json_begin_array(writer, "calls");
    for (const struct stat_calls *row = s->calls; row; row = row->next)
        add_calls(writer, row, start_ns);
    json_end_array(writer);
    for (unsigned side = 0; side < 2; side++)
        add_side(writer, s, side, start_ns);
    add_series(writer, s->series);
    json_end_object(writer);
}
