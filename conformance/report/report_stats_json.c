// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * "statistics" of a connection in the NDJSON report: what merge needs to add statistics up, and the results for people
 * and programs.
 */
#include "conformance/report/report_json.h"
#include "conformance/report/report_stats.h"
#include "conformance/stats/advice.h"

#include <stdlib.h>
#include <string.h>

static const char statistics_name[] = "the statistics";

static int64_t at_most(uint64_t n)
{
    return (int64_t)MIN(n, STATS_JSON_MAX);
}

/* ---- distributions ---- */

/* The number and the count of each bucket in turn. */
static void write_buckets(struct json_writer *writer, const struct histogram *histogram)
{
    json_begin_array(writer, "buckets");
    for (unsigned i = histogram_begin(histogram); i < histogram_end(histogram); i++) {
        if (histogram_bucket(histogram, i) == 0)
            continue;
        json_number(writer, NULL, i);
        json_number(writer, NULL, at_most(histogram_bucket(histogram, i)));
    }
    json_end_array(writer);
}

static void write_histogram(struct json_writer *writer, const struct json_member *member, const void *base,
                            const void *ctx)
{
    const struct histogram *histogram = (const void *)((const char *)base + member->offset);

    (void)ctx;
    json_begin_object(writer, member->name);
    json_number(writer, "count", at_most(histogram->count));
    json_number(writer, "sum", at_most(histogram->sum));
    if (histogram->count > 0) {
        json_number(writer, "min", at_most(histogram->least));
        json_number(writer, "p50", at_most(histogram_quantile(histogram, 0.5)));
        json_number(writer, "p95", at_most(histogram_quantile(histogram, 0.95)));
        json_number(writer, "p99", at_most(histogram_quantile(histogram, 0.99)));
        json_number(writer, "max", at_most(histogram->most));
    }
    write_buckets(writer, histogram);
    json_end_object(writer);
}

static bool read_buckets(struct json_reading *reading, JsonArray *buckets, struct histogram *histogram)
{
    int64_t last = -1;

    for (guint i = 0; i + 1 < json_array_get_length(buckets); i += 2) {
        JsonNode *bucket = json_array_get_element(buckets, i), *n = json_array_get_element(buckets, i + 1);

        if (!json_integer_node(bucket, last + 1, HISTOGRAM_BUCKETS - 1) ||
            !json_integer_node(n, 1, (int64_t)STATS_JSON_MAX))
            return json_wrong(reading, "a distribution", "buckets", "numbers and counts of buckets in turn");
        last = json_node_get_int(bucket);
        if (!histogram_add_bucket(histogram, (unsigned)last, (uint64_t)json_node_get_int(n)))
            return json_wrong(reading, "a distribution", "buckets", "fewer");
    }
    return json_array_get_length(buckets) % 2 == 0 || json_wrong(reading, "a distribution", "buckets", "pairs");
}

static bool distribution_count(struct json_reading *reading, JsonObject *from, const char *name, uint64_t *value)
{
    return json_want_count(reading, from, "a distribution", name, STATS_JSON_MAX, value);
}

static bool read_histogram(struct json_reading *reading, const struct json_member *member, JsonObject *object,
                           void *base)
{
    struct histogram *histogram = (void *)((char *)base + member->offset);
    JsonObject *from = json_want_object(reading, object, statistics_name, member->name);
    JsonArray *buckets = from ? json_want_array(reading, from, "a distribution", "buckets") : NULL;
    uint64_t count;

    if (!buckets || !distribution_count(reading, from, "count", &count) ||
        !distribution_count(reading, from, "sum", &histogram->sum) || !read_buckets(reading, buckets, histogram))
        return false;
    if (count != MIN(histogram->count, STATS_JSON_MAX))
        return json_wrong(reading, "a distribution", "count", "the sum of its buckets");
    if (count == 0)
        return true;
    return distribution_count(reading, from, "min", &histogram->least) &&
           distribution_count(reading, from, "max", &histogram->most) &&
           (histogram->least <= histogram->most || json_wrong(reading, "a distribution", "max", "at least the min"));
}

/* ---- times, since the start of the capture ---- */

static int64_t no_time(const struct json_member *member)
{
    return member->n > 0 ? INT64_MAX : INT64_MIN;
}

static void json_write_time(struct json_writer *writer, const struct json_member *member, const void *base,
                            const void *ctx)
{
    int64_t time_ns = *(const int64_t *)(const void *)((const char *)base + member->offset);

    if (time_ns == no_time(member))
        json_null(writer, member->name);
    else
        json_number(writer, member->name,
                    (int64_t)((uint64_t)time_ns - (uint64_t)((const struct report_line *)ctx)->start_ns));
}

static bool json_read_time(struct json_reading *reading, const struct json_member *member, JsonObject *object,
                           void *base)
{
    JsonNode *node = json_object_get_member(object, member->name);
    int64_t *time_ns = (void *)((char *)base + member->offset);

    *time_ns = no_time(member);
    if (json_null_node(node))
        return true;
    if (!json_integer_node(node, -(int64_t)STATS_JSON_MAX, (int64_t)STATS_JSON_MAX))
        return json_wrong(reading, statistics_name, member->name, "a time or null");
    *time_ns = (int64_t)((uint64_t)json_node_get_int(node) + (uint64_t)((struct report_line *)reading->ctx)->start_ns);
    return true;
}

/* ---- the tables ---- */

#define COUNT(name, structure, field)                                                                                  \
    {                                                                                                                  \
        name, JSON_COUNT, JSON_AT(structure, field), .most = STATS_JSON_MAX                                            \
    }
#define KNOWN(name, structure, field)                                                                                  \
    {                                                                                                                  \
        name, JSON_COUNT, JSON_AT(structure, field), .zero = JSON_SHOWN_AS_NULL, .most = STATS_JSON_MAX                \
    }
#define NEWER(name, structure, field)                                                                                  \
    {                                                                                                                  \
        name, JSON_COUNT, JSON_AT(structure, field), .most = STATS_JSON_MAX, .newer = true                             \
    }
#define COUNTS(structure, names_)                                                                                      \
    {                                                                                                                  \
        "counts", JSON_COUNTS, JSON_AT(structure, n), .names = names_, .n = G_N_ELEMENTS(names_),                      \
                                                      .most = STATS_JSON_MAX                                           \
    }
#define HISTOGRAM(name, structure, field)                                                                              \
    {                                                                                                                  \
        name, JSON_OWN, JSON_AT(structure, field), .write = write_histogram, .read = read_histogram                    \
    }
enum { LAST, FIRST };
#define TIME(name, structure, field, which)                                                                            \
    {                                                                                                                  \
        name, JSON_OWN, JSON_AT(structure, field), .n = which, .write = json_write_time, .read = json_read_time        \
    }

static const struct json_member row_members[] = {
    {"counts", JSON_COUNTS, JSON_AT(struct stat_calls, n), .names = call_count_names, .n = CALL_COUNTS_FIRST,
     .most = STATS_JSON_MAX},
    {"more counts", JSON_COUNTS, JSON_AT(struct stat_calls, n[CALL_COUNTS_FIRST]),
     .names = &call_count_names[CALL_COUNTS_FIRST], .n = CALL_COUNTS - CALL_COUNTS_FIRST, .most = STATS_JSON_MAX,
     .zero = JSON_LEFT_OUT},
    HISTOGRAM("latency", struct stat_calls, time[CALL_LATENCY]),
    HISTOGRAM("to_first_operation", struct stat_calls, time[CALL_TO_FIRST]),
    HISTOGRAM("moving_data", struct stat_calls, time[CALL_MOVING]),
    HISTOGRAM("last_operation_to_reply", struct stat_calls, time[CALL_TO_REPLY]),
    TIME("first", struct stat_calls, first_ns, FIRST),
    TIME("last", struct stat_calls, last_ns, LAST),
    KNOWN("slowest_frame", struct stat_calls, slowest_frame),
    {NULL},
};
static const struct json_table row_table = {"Calls", row_members};

static const struct json_member credits_members[] = {
    COUNTS(struct stat_credits, credit_count_names),
    COUNT("granted_min", struct stat_credits, granted_least),
    COUNT("granted_max", struct stat_credits, granted_most),
    COUNT("granted_last", struct stat_credits, granted_last),
    COUNT("requested_last", struct stat_credits, requested_last),
    HISTOGRAM("in_use", struct stat_credits, in_use),
    HISTOGRAM("limit_reached", struct stat_credits, limit),
    HISTOGRAM("next_call_after_limit", struct stat_credits, released),
    HISTOGRAM("pauses", struct stat_credits, pauses),
    NEWER("unsure", struct stat_credits, unsure),
    {NULL},
};
static const struct json_table credits_table = {"credits", credits_members};

static const struct json_member operations_members[] = {
    COUNT("count", struct stat_operations, count),
    COUNT("octets", struct stat_operations, octets),
    COUNT("parts", struct stat_operations, parts),
    COUNT("unanswered", struct stat_operations, unanswered),
    HISTOGRAM("sizes", struct stat_operations, sizes),
    HISTOGRAM("moving", struct stat_operations, moving),
    HISTOGRAM("first_response", struct stat_operations, first),
    HISTOGRAM("response", struct stat_operations, answered),
    TIME("first", struct stat_operations, first_ns, FIRST),
    TIME("last", struct stat_operations, last_ns, LAST),
    {NULL},
};
static const struct json_table operations_table = {"operations", operations_members};

static const struct json_member reads_members[] = {
    COUNTS(struct stat_reads, read_count_names),
    KNOWN("limit", struct stat_reads, limit),
    COUNT("outstanding_max", struct stat_reads, most),
    HISTOGRAM("outstanding", struct stat_reads, outstanding),
    {NULL},
};
static const struct json_table reads_table = {"reads", reads_members};

static const struct json_member carrier_members[] = {
    COUNTS(struct stat_carrier, carrier_count_names),
    COUNT("largest", struct stat_carrier, segment_most),
    HISTOGRAM("sizes", struct stat_carrier, sizes),
    HISTOGRAM("fpdus_per_segment", struct stat_carrier, per_segment),
    HISTOGRAM("late", struct stat_carrier, late),
    HISTOGRAM("acknowledged", struct stat_carrier, acked),
    {NULL},
};
static const struct json_table carrier_table = {"the carrier", carrier_members};

/* ---- rows of Calls ---- */

#define KEY_AT(field) JSON_AT(struct stat_key, field)

static const char *reverse_word(unsigned reverse)
{
    return reverse ? "reverse" : "forward";
}

static void write_label(struct json_writer *writer, const struct json_member *member, const void *base, const void *ctx)
{
    g_autofree gchar *label = stats_row_label(base);

    (void)ctx;
    json_string(writer, member->name, g_strchug(label));
}

static const struct json_member key_members[] = {
    {"known", JSON_TRUTH, KEY_AT(known)},
    {"program", JSON_COUNT, KEY_AT(program)},
    {"version", JSON_COUNT, KEY_AT(version)},
    {"operation", JSON_TRUTH, KEY_AT(operation)},
    {"procedure", JSON_COUNT, KEY_AT(procedure)},
    {"name", JSON_OWN, .write = write_label, .derived = true},
    {"direction", JSON_WORD, KEY_AT(reverse), .word = reverse_word, .n = 2},
    {NULL},
};
static const struct json_table key_table = {"Calls", key_members};

static void json_write_rows(struct json_writer *writer, const struct json_member *member, const void *base,
                            const void *ctx)
{
    json_begin_array(writer, member->name);
    for (const struct stat_calls *row = ((const struct statistics *)base)->calls; row; row = row->next) {
        json_begin_object(writer, NULL);
        json_write_members(writer, &key_table, &row->key, ctx);
        json_write_members(writer, &row_table, row, ctx);
        json_end_object(writer);
    }
    json_end_array(writer);
}

static bool read_row(struct json_reading *reading, JsonObject *from, struct statistics *s)
{
    struct stat_key key = {.known = false};
    struct stat_calls *row;

    if (!from || !json_read_members(reading, &key_table, from, &key))
        return false;
    row = s->n_calls > STAT_ROWS_MAX ? NULL : statistics_row(s, &key);
    if (!row || row->time[CALL_LATENCY].count > 0 || row->n[CALLS] > 0)
        return json_wrong(reading, statistics_name, "calls", "one for each procedure, and not too many");
    return json_read_members(reading, &row_table, from, row);
}

static bool json_read_rows(struct json_reading *reading, const struct json_member *member, JsonObject *object,
                           void *base)
{
    JsonArray *rows = json_want_array(reading, object, statistics_name, member->name);

    for (guint i = 0; rows && i < json_array_get_length(rows); i++)
        if (!read_row(reading, json_want_element(reading, rows, i, member->name), base))
            return false;
    return rows != NULL;
}

/* ---- the slowest Calls ---- */

static const struct json_member slow_members[] = {
    KNOWN("frame", struct stat_slow, frame),
    KNOWN("reply_frame", struct stat_slow, reply_frame),
    KNOWN("acknowledged_frame", struct stat_slow, acked_frame),
    KNOWN("first_operation_frame", struct stat_slow, first_frame),
    KNOWN("last_operation_frame", struct stat_slow, last_frame),
    KNOWN("read_response_frame", struct stat_slow, data_frame),
    COUNT("latency", struct stat_slow, latency),
    COUNT("acknowledged", struct stat_slow, acked),
    COUNT("first_operation", struct stat_slow, first),
    COUNT("last_operation", struct stat_slow, last),
    COUNT("read_response", struct stat_slow, data),
    COUNT("lost_time", struct stat_slow, lost),
    {"packets_missing", JSON_TRUTH, JSON_AT(struct stat_slow, unseen)},
    {NULL},
};
static const struct json_table slow_table = {"a slow Call", slow_members};

static void write_slowest(struct json_writer *writer, const struct json_member *member, const void *base,
                          const void *ctx)
{
    const struct statistics *s = base;

    json_begin_array(writer, member->name);
    for (unsigned i = 0; i < s->n_slowest; i++) {
        json_begin_object(writer, NULL);
        json_write_members(writer, &key_table, &s->slowest[i].key, ctx);
        json_write_members(writer, &slow_table, &s->slowest[i], ctx);
        json_end_object(writer);
    }
    json_end_array(writer);
}

static bool read_slowest(struct json_reading *reading, const struct json_member *member, JsonObject *object, void *base)
{
    JsonArray *slowest;

    if (!json_has(object, member->name)) /* written by an earlier version */
        return true;
    slowest = json_want_array(reading, object, statistics_name, member->name);
    for (guint i = 0; slowest && i < json_array_get_length(slowest); i++) {
        JsonObject *from = json_want_element(reading, slowest, i, member->name);
        struct stat_slow slow = {.frame = 0};

        if (!from || !json_read_members(reading, &key_table, from, &slow.key) ||
            !json_read_members(reading, &slow_table, from, &slow))
            return false;
        statistics_add_slow(base, &slow);
    }
    return slowest != NULL;
}

/* ---- a side: member->n ---- */

static void write_operations(struct json_writer *writer, const struct json_member *member, const void *base,
                             const void *ctx)
{
    const struct statistics *s = base;

    json_begin_object(writer, member->name);
    for (unsigned kind = 0; kind < STAT_KINDS; kind++)
        if (s->operations[member->n][kind])
            json_write_object(writer, stat_kind_names[kind], &operations_table, s->operations[member->n][kind], ctx);
    json_end_object(writer);
}

static bool read_operations(struct json_reading *reading, const struct json_member *member, JsonObject *object,
                            void *base)
{
    JsonObject *operations = json_want_object(reading, object, statistics_name, member->name);

    for (unsigned kind = 0; operations && kind < STAT_KINDS; kind++) {
        const char *name = stat_kind_names[kind];
        struct stat_operations *of_kind;
        JsonObject *from;

        if (!json_has(operations, name))
            continue;
        from = json_want_object(reading, operations, member->name, name);
        of_kind = from ? statistics_operations(base, member->n, (enum stat_kind)kind) : NULL;
        if (!of_kind || !json_read_members(reading, &operations_table, from, of_kind))
            return json_wrong(reading, member->name, name, "small enough for memory");
    }
    return operations != NULL;
}

#define STATISTICS_AT(field) JSON_AT(struct statistics, field)
#define SIDE_MEMBERS(side)                                                                                             \
    {                                                                                                                  \
        KNOWN("inline_threshold", struct statistics, inline_limit[side]),                                              \
            {"credits", JSON_INNER, STATISTICS_AT(credits[side]), .inner = &credits_table},                            \
            {"operations", JSON_OWN, .n = side, .write = write_operations, .read = read_operations},                   \
            {"reads", JSON_INNER, STATISTICS_AT(reads[side]), .inner = &reads_table},                                  \
            {"carrier", JSON_INNER, STATISTICS_AT(carrier[side]), .inner = &carrier_table}, {NULL},                    \
    }

static const struct json_member initiator_members[] = SIDE_MEMBERS(0);
static const struct json_member responder_members[] = SIDE_MEMBERS(1);
static const struct json_table initiator_table = {"the initiator", initiator_members};
static const struct json_table responder_table = {"the responder", responder_members};

/* ---- over time ---- */

static void write_series(struct json_writer *writer, const struct json_member *member, const void *base,
                         const void *ctx)
{
    const struct series *series = ((const struct statistics *)base)->series;
    unsigned n = series ? series->n : 0;

    (void)ctx;
    if (!series || !series->used) {
        json_null(writer, member->name);
        return;
    }
    while (n > 1 && series_is_empty(series, n - 1))
        n--;
    json_begin_object(writer, member->name);
    json_number(writer, "width", INT64_C(1) << series->width_bits);
    json_number(writer, "first_bin", series->first);
    for (unsigned value = 0; value < SERIES_VALUES; value++) {
        json_begin_array(writer, series_names[value]);
        for (unsigned i = 0; i < n; i++)
            json_number(writer, NULL, at_most(series->bin[i][value]));
        json_end_array(writer);
    }
    json_end_object(writer);
}

static bool read_bins(struct json_reading *reading, JsonObject *from, struct series *series)
{
    for (unsigned value = 0; value < SERIES_VALUES; value++) {
        const char *name = series_names[value];
        JsonArray *bins = json_want_array(reading, from, "the series", name);

        if (!bins)
            return false;
        if (json_array_get_length(bins) > SERIES_BINS)
            return json_wrong(reading, "the series", name, "at most the longest possible");
        for (guint i = 0; i < json_array_get_length(bins); i++) {
            JsonNode *bin = json_array_get_element(bins, i);

            if (!json_integer_node(bin, 0, (int64_t)STATS_JSON_MAX))
                return json_wrong(reading, "the series", name, "counts");
            series->n = MAX(series->n, i + 1);
            series->bin[i][value] = (uint64_t)json_node_get_int(bin);
        }
    }
    return true;
}

/* Refuses impossible series: times end at 2^62 ns. */
static bool read_series(struct json_reading *reading, const struct json_member *member, JsonObject *object, void *base)
{
    bool none = json_null_node(json_object_get_member(object, member->name));
    JsonObject *from = none ? NULL : json_want_object(reading, object, statistics_name, member->name);
    struct statistics *s = base;
    uint64_t width, first;

    if (!from)
        return none;
    if (!json_want_count(reading, from, "the series", "width", STATS_JSON_MAX, &width) ||
        !json_want_count(reading, from, "the series", "first_bin", STATS_JSON_MAX >> SERIES_WIDTH_BITS_MIN, &first))
        return false;
    if (width < UINT64_C(1) << SERIES_WIDTH_BITS_MIN || (width & (width - 1)) != 0 || first > STATS_JSON_MAX / width)
        return json_wrong(reading, "the series", "width", "a power of two that fits");
    s->series = calloc(1, sizeof *s->series);
    if (!s->series)
        return json_wrong(reading, statistics_name, "series", "small enough for memory");
    s->series->used = true;
    s->series->width_bits = (uint8_t)__builtin_ctzll(width);
    s->series->first = (int64_t)first;
    return read_bins(reading, from, s->series);
}

/* ---- all of them ---- */

static void write_advice(struct json_writer *writer, const struct json_member *member, const void *base,
                         const void *ctx)
{
    GArray *advices = advice_of(base);

    (void)ctx;
    json_begin_array(writer, member->name);
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

static const char *side_word(unsigned side)
{
    return side == 0 ? "initiator" : "responder";
}

static const struct json_member statistics_members[] = {
    {"findings", JSON_OWN, .write = write_advice, .derived = true},
    {"client", JSON_WORD, STATISTICS_AT(client), .word = side_word, .n = 2, .zero = JSON_SHOWN_AS_NULL},
    {"packets", JSON_TRUTH, JSON_AT(struct statistics, ib)},
    {"tapped", JSON_TRUTH, JSON_AT(struct statistics, tapped), .newer = true},
    {"from_start", JSON_TRUTH, JSON_AT(struct statistics, from_start)},
    {"whole", JSON_TRUTH, JSON_AT(struct statistics, whole)},
    TIME("first", struct statistics, first_ns, FIRST),
    TIME("last", struct statistics, last_ns, LAST),
    KNOWN("round_trip", struct statistics, round_trip),
    KNOWN("round_trip_to_responder", struct statistics, round_trip_far),
    KNOWN("mtu", struct statistics, mtu),
    NEWER("captured_holes", struct statistics, holes),
    NEWER("not_captured", struct statistics, lost),
    NEWER("unread_sends", struct statistics, unread),
    NEWER("answers_without_call", struct statistics, orphans),
    {"slowest", JSON_OWN, .write = write_slowest, .read = read_slowest, .newer = true},
    HISTOGRAM("gaps", struct statistics, gaps),
    KNOWN("longest_gap_frame", struct statistics, longest_gap_frame),
    {"calls", JSON_OWN, .write = json_write_rows, .read = json_read_rows},
    {"initiator", JSON_INNER, .inner = &initiator_table},
    {"responder", JSON_INNER, .inner = &responder_table},
    {"series", JSON_OWN, .write = write_series, .read = read_series},
    {NULL},
};
static const struct json_table statistics_table = {statistics_name, statistics_members};

void stats_write_json(struct json_writer *writer, const struct statistics *s, const struct report_line *line)
{
    json_begin_object(writer, "statistics");
    json_number(writer, "format", STATS_JSON_FORMAT);
    json_write_members(writer, &statistics_table, s, line);
    json_end_object(writer);
}

static bool read_statistics(struct json_reading *reading, JsonObject *object, struct statistics *s)
{
    uint64_t format;

    if (!json_want_count(reading, object, statistics_name, "format", STATS_JSON_MAX, &format))
        return false;
    if (format != STATS_JSON_FORMAT)
        return json_wrong(reading, statistics_name, "format", "1");
    if (!json_read_members(reading, &statistics_table, object, s))
        return false;
    s->client = s->client < 2 ? s->client : -1;
    return true;
}

struct statistics *stats_read_json(struct json_reading *reading, JsonObject *connection)
{
    JsonObject *object = json_want_object(reading, connection, "a connection", "statistics");
    struct statistics *s = object ? statistics_new() : NULL;

    if (s && read_statistics(reading, object, s))
        return s;
    json_wrong(reading, "a connection", "statistics", "small enough for memory");
    statistics_free(s);
    return NULL;
}
