// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/merge/merge_stats.h"

#include "conformance/report/report_stats.h"
#include "conformance/stats/shape.h"

#include <stdlib.h>
#include <string.h>

static const char statistics_name[] = "the statistics";

/* ---- numbers ---- */

static bool is_integer(JsonNode *node, int64_t least, int64_t most)
{
    return node && JSON_NODE_HOLDS_VALUE(node) && json_node_get_value_type(node) == G_TYPE_INT64 &&
           json_node_get_int(node) >= least && json_node_get_int(node) <= most;
}

static bool is_null(JsonNode *node)
{
    return node && JSON_NODE_HOLDS_NULL(node);
}

static bool read_count(struct merge_input *input, JsonObject *object, const char *name, int64_t most, uint64_t *value)
{
    JsonNode *node = json_object_get_member(object, name);

    *value = 0;
    if (!is_integer(node, 0, most))
        return merge_input_wrong(input, statistics_name, name, "a count");
    *value = (uint64_t)json_node_get_int(node);
    return true;
}

static bool stats_read_number(struct merge_input *input, JsonObject *object, const char *name, uint32_t *value)
{
    uint64_t count;

    if (!read_count(input, object, name, UINT32_MAX, &count))
        return false;
    *value = (uint32_t)count;
    return true;
}

static bool has_null(JsonObject *object, const char *name)
{
    return is_null(json_object_get_member(object, name));
}

static bool stats_read_time(struct merge_input *input, JsonObject *object, const char *name, int64_t none,
                            int64_t *value)
{
    JsonNode *node = json_object_get_member(object, name);

    if (!is_null(node) && !is_integer(node, -STATS_JSON_MAX, STATS_JSON_MAX))
        return merge_input_wrong(input, statistics_name, name, "a time or null");
    *value = is_null(node) ? none : json_node_get_int(node);
    return true;
}

/* ---- distributions ---- */

static bool read_buckets(struct merge_input *input, JsonArray *buckets, struct histogram *histogram)
{
    int64_t last = -1;

    for (guint i = 0; i + 1 < json_array_get_length(buckets); i += 2) {
        JsonNode *bucket = json_array_get_element(buckets, i), *n = json_array_get_element(buckets, i + 1);

        if (!is_integer(bucket, last + 1, HISTOGRAM_BUCKETS - 1) || !is_integer(n, 1, STATS_JSON_MAX))
            return merge_input_wrong(input, "a distribution", "buckets", "numbers and counts of buckets in turn");
        last = json_node_get_int(bucket);
        if (!histogram_add_bucket(histogram, (unsigned)last, (uint64_t)json_node_get_int(n)))
            return merge_input_wrong(input, "a distribution", "buckets", "fewer");
    }
    return json_array_get_length(buckets) % 2 == 0 || merge_input_wrong(input, "a distribution", "buckets", "pairs");
}

static bool read_histogram(struct merge_input *input, JsonObject *object, const char *name, struct histogram *histogram)
{
    JsonObject *from = merge_object(input, object, statistics_name, name);
    JsonArray *buckets = from ? merge_array(input, from, "a distribution", "buckets") : NULL;
    uint64_t count;

    if (!buckets || !read_count(input, from, "count", STATS_JSON_MAX, &count) ||
        !read_count(input, from, "sum", STATS_JSON_MAX, &histogram->sum) || !read_buckets(input, buckets, histogram))
        return false;
    if (count != MIN(histogram->count, (uint64_t)STATS_JSON_MAX))
        return merge_input_wrong(input, "a distribution", "count", "that of its buckets");
    if (count == 0)
        return true;
    if (!read_count(input, from, "min", STATS_JSON_MAX, &histogram->least) ||
        !read_count(input, from, "max", STATS_JSON_MAX, &histogram->most))
        return false;
    return histogram->least <= histogram->most || merge_input_wrong(input, "a distribution", "max", "at least the min");
}

/* ---- structures ---- */

static bool stats_read_member(struct merge_input *input, JsonObject *object, const struct stat_member *member,
                              void *value)
{
    uint64_t *count = value;
    uint32_t *number = value;

    switch (member->type) {
    case STAT_COUNTS:
        for (unsigned i = 0; i < member->n; i++)
            if (!read_count(input, object, member->names[i], STATS_JSON_MAX, &count[i]))
                return false;
        return true;
    case STAT_COUNT:
        return read_count(input, object, member->name, STATS_JSON_MAX, count);
    case STAT_NUMBER:
        return stats_read_number(input, object, member->name, number);
    case STAT_KNOWN_NUMBER:
        return has_null(object, member->name) || stats_read_number(input, object, member->name, number);
    case STAT_KNOWN_COUNT:
        return has_null(object, member->name) || read_count(input, object, member->name, STATS_JSON_MAX, count);
    case STAT_TRUTH:
        return merge_bool(input, object, statistics_name, member->name, value);
    case STAT_HISTOGRAM:
        return read_histogram(input, object, member->name, value);
    case STAT_FIRST:
        return stats_read_time(input, object, member->name, INT64_MAX, value);
    case STAT_LAST:
        return stats_read_time(input, object, member->name, INT64_MIN, value);
    }
    return false;
}

static bool read_members(struct merge_input *input, JsonObject *object, const struct stat_member *members, void *base)
{
    for (; members->name; members++)
        if (!stats_read_member(input, object, members, stat_at(base, members)))
            return false;
    return true;
}

static bool stats_read_calls(struct merge_input *input, JsonObject *object, struct statistics *s)
{
    const char *direction = merge_string(input, object, "Calls", "direction");
    struct stat_key key = {.known = false};
    struct stat_calls *row;

    if (!direction || !merge_bool(input, object, "Calls", "known", &key.known) ||
        !merge_bool(input, object, "Calls", "operation", &key.operation) ||
        !stats_read_number(input, object, "program", &key.program) ||
        !stats_read_number(input, object, "version", &key.version) ||
        !stats_read_number(input, object, "procedure", &key.procedure))
        return false;
    key.reverse = strcmp(direction, "reverse") == 0;
    row = s->n_calls > STAT_ROWS_MAX ? NULL : statistics_row(s, &key);
    if (!row || row->time[CALL_LATENCY].count > 0 || row->n[CALLS] > 0)
        return merge_input_wrong(input, statistics_name, "calls", "one for each procedure, and not too many");
    return read_members(input, object, stat_calls_members, row);
}

static bool read_operations(struct merge_input *input, JsonObject *object, struct statistics *s, unsigned side)
{
    JsonObject *operations = merge_object(input, object, statistics_name, "operations");

    for (unsigned kind = 0; operations && kind < STAT_KINDS; kind++) {
        struct stat_operations *of_kind;
        JsonObject *from;

        if (!json_object_has_member(operations, stat_kind_names[kind]))
            continue;
        from = merge_object(input, operations, "operations", stat_kind_names[kind]);
        of_kind = from ? statistics_operations(s, side, (enum stat_kind)kind) : NULL;
        if (!of_kind || !read_members(input, from, stat_operations_members, of_kind))
            return merge_input_wrong(input, "operations", stat_kind_names[kind], "operations");
    }
    return operations != NULL;
}

static bool stats_read_side(struct merge_input *input, JsonObject *object, struct statistics *s, unsigned side)
{
    JsonObject *from = merge_object(input, object, statistics_name, side == 0 ? "initiator" : "responder");
    JsonObject *credits = from ? merge_object(input, from, statistics_name, "credits") : NULL;
    JsonObject *reads = credits ? merge_object(input, from, statistics_name, "reads") : NULL;
    JsonObject *carrier = reads ? merge_object(input, from, statistics_name, "carrier") : NULL;

    return carrier &&
           (has_null(from, "inline_threshold") ||
            stats_read_number(input, from, "inline_threshold", &s->inline_limit[side])) &&
           read_members(input, credits, stat_credits_members, &s->credits[side]) &&
           read_members(input, reads, stat_reads_members, &s->reads[side]) &&
           read_members(input, carrier, stat_carrier_members, &s->carrier[side]) &&
           read_operations(input, from, s, side);
}

static bool read_bins(struct merge_input *input, JsonObject *from, struct series *series)
{
    for (unsigned value = 0; value < SERIES_VALUES; value++) {
        JsonArray *bins = merge_array(input, from, "the series", series_names[value]);

        if (!bins)
            return false;
        if (json_array_get_length(bins) > SERIES_BINS)
            return merge_input_wrong(input, "the series", series_names[value], "no longer than it can be");
        for (guint i = 0; i < json_array_get_length(bins); i++) {
            if (!is_integer(json_array_get_element(bins, i), 0, STATS_JSON_MAX))
                return merge_input_wrong(input, "the series", series_names[value], "counts");
            series->n = MAX(series->n, i + 1);
            series->bin[i][value] = (uint64_t)json_node_get_int(json_array_get_element(bins, i));
        }
    }
    return true;
}

/* What no series can be must not come to be one: times end at 2^62 ns. */
static bool read_series(struct merge_input *input, JsonObject *object, struct statistics *s)
{
    JsonObject *from = has_null(object, "series") ? NULL : merge_object(input, object, statistics_name, "series");
    uint64_t width, first;

    if (!from)
        return has_null(object, "series");
    if (!read_count(input, from, "width", STATS_JSON_MAX, &width) ||
        !read_count(input, from, "first_bin", STATS_JSON_MAX >> SERIES_WIDTH_BITS_MIN, &first))
        return false;
    if (width < UINT64_C(1) << SERIES_WIDTH_BITS_MIN || (width & (width - 1)) != 0 ||
        first > (uint64_t)STATS_JSON_MAX / width)
        return merge_input_wrong(input, "the series", "width", "a power of two that fits");
    s->series = calloc(1, sizeof *s->series);
    if (!s->series)
        return merge_input_wrong(input, statistics_name, "series", "small enough for memory");
    s->series->used = true;
    s->series->width_bits = (uint8_t)__builtin_ctzll(width);
    s->series->first = (int64_t)first;
    return read_bins(input, from, s->series);
}

static bool stats_read_all(struct merge_input *input, JsonObject *object, struct statistics *s)
{
    JsonArray *calls = merge_array(input, object, statistics_name, "calls");
    uint64_t format;

    if (!calls || !read_count(input, object, "format", STATS_JSON_MAX, &format))
        return false;
    if (format != STATS_JSON_FORMAT)
        return merge_input_wrong(input, statistics_name, "format", "1");
    if (!has_null(object, "client")) {
        const char *client = merge_string(input, object, statistics_name, "client");

        if (!client)
            return false;
        s->client = strcmp(client, "responder") == 0;
    }
    for (guint i = 0; i < json_array_get_length(calls); i++) {
        JsonObject *row = merge_element(input, calls, i, "calls");

        if (!row || !stats_read_calls(input, row, s))
            return false;
    }
    return merge_bool(input, object, statistics_name, "packets", &s->ib) &&
           read_members(input, object, stat_members, s) && stats_read_side(input, object, s, 0) &&
           stats_read_side(input, object, s, 1) && read_series(input, object, s);
}

/* NULL: input->error says why. */
static struct statistics *read_statistics(struct merge_input *input, JsonObject *connection)
{
    JsonObject *object = merge_object(input, connection, "a connection", "statistics");
    struct statistics *s = object ? statistics_new() : NULL;

    if (s && stats_read_all(input, object, s))
        return s;
    statistics_free(s);
    return NULL;
}

/* ---- and written again ---- */

static JsonNode *stats_node_of(const struct statistics *s)
{
    struct json_writer writer;
    char *text = NULL;
    size_t n;
    FILE *out = open_memstream(&text, &n);
    JsonNode *whole, *node;

    if (!out)
        return NULL;
    json_writer_begin(&writer, out, 1);
    json_begin_object(&writer, NULL);
    stats_write_json(&writer, s, 0);
    json_end_object(&writer);
    json_writer_end(&writer);
    fclose(out);
    whole = json_from_string(text, NULL);
    free(text);
    if (!whole)
        return NULL;
    node = json_node_copy(json_object_get_member(json_node_get_object(whole), "statistics"));
    json_node_unref(whole);
    return node;
}

bool merge_statistics(struct merge_input *input, JsonObject *into, JsonObject *from)
{
    struct statistics *sum = read_statistics(input, into), *later = sum ? read_statistics(input, from) : NULL;
    JsonNode *node = NULL;

    if (later) {
        statistics_join(sum, later);
        node = stats_node_of(sum);
    }
    statistics_free(sum);
    statistics_free(later);
    if (node)
        json_object_set_member(into, "statistics", node);
    return node || merge_input_wrong(input, "a connection", "statistics", "statistics that can be added");
}
