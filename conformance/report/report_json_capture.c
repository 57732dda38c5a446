// SPDX-License-Identifier: GPL-2.0-or-later
/* A capture in the NDJSON report, and what happened in it. */
#include "conformance/report/report_json.h"
#include "conformance/report/report_parts.h"
#include "support/utc.h"

/* ---- what happened ---- */

struct trouble_line {
    struct trouble trouble;
    const char *kind, *level;
    char *at;
    double time, lasted;
};

#define TROUBLE_AT(field) JSON_AT(struct trouble_line, field)

static const struct json_member trouble_members[] = {
    {"kind", JSON_TEXT, TROUBLE_AT(kind)},
    {"level", JSON_TEXT, TROUBLE_AT(level), .derived = true},
    {"client", JSON_TEXT, TROUBLE_AT(trouble.client)},
    {"server", JSON_TEXT, TROUBLE_AT(trouble.server)},
    {"connections", JSON_NUMBERS, TROUBLE_AT(trouble.connections)},
    {"frame", JSON_COUNT, TROUBLE_AT(trouble.frame)},
    {"time", JSON_REAL, TROUBLE_AT(time)},
    {"at", JSON_TEXT, TROUBLE_AT(at), .derived = true},
    {"count", JSON_COUNT, TROUBLE_AT(trouble.count)},
    {"lasted", JSON_REAL, TROUBLE_AT(lasted)},
    {"lasting", JSON_TRUTH, TROUBLE_AT(trouble.lasting), .zero = JSON_LEFT_OUT},
    {"words", JSON_TEXT, TROUBLE_AT(trouble.words)},
    {"next", JSON_TEXT, TROUBLE_AT(trouble.next), .zero = JSON_LEFT_OUT},
    {NULL},
};
static const struct json_table trouble_table = {"a trouble", trouble_members};

static void write_trouble(struct json_writer *writer, const struct trouble *trouble, const struct report_line *line)
{
    g_autofree gchar *at = clock_text(trouble->time_ns);
    const struct trouble_line of = {.trouble = *trouble,
                                    .kind = trouble_kind_name(trouble->kind),
                                    .level = trouble_is_note(trouble->kind) ? "note" : "trouble",
                                    .at = at,
                                    .time = report_json_seconds(line, trouble->time_ns),
                                    .lasted = (double)trouble->time / 1e9};

    json_write_object(writer, NULL, &trouble_table, &of, NULL);
}

/* Takes over a trouble if this version knows its kind. */
static bool take_trouble(struct json_reading *reading, struct trouble_line *of, struct troubles *troubles)
{
    const GArray *connections = of->trouble.connections;

    if (!(of->lasted >= 0 && of->lasted < 1e9))
        return json_wrong(reading, "a trouble", "lasted", "fewer seconds");
    of->trouble.kind = trouble_kind_of(of->kind);
    of->trouble.time = (uint64_t)(of->lasted * 1e9 + 0.5);
    if (!report_json_time(reading, of->time, &of->trouble.time_ns))
        return false;
    if (of->trouble.kind != TROUBLE_KINDS)
        g_array_append_vals(troubles_add(troubles, &of->trouble)->connections, connections->data, connections->len);
    return true;
}

static bool read_troubles(struct json_reading *reading, JsonObject *object, struct troubles *troubles)
{
    JsonArray *list = json_want_array(reading, object, "a capture", "trouble");
    bool ok = list != NULL;

    for (guint i = 0; ok && i < json_array_get_length(list); i++) {
        JsonObject *from = json_want_element(reading, list, i, "trouble");
        struct trouble_line of = {.trouble.connections = g_array_new(FALSE, FALSE, sizeof(uint32_t))};

        ok = from && json_read_members(reading, &trouble_table, from, &of) && take_trouble(reading, &of, troubles);
        g_array_unref(of.trouble.connections);
    }
    return ok;
}

/* ---- the capture ---- */

struct capture_line {
    struct report_capture capture;
    const char *file, *verdict, *error, *warning, *nothing;
    char *start, *from, *to;
    uint64_t made, answered;
    bool whole;
};

#define LINE_AT(field) JSON_AT(struct capture_line, field)

static const struct json_member part_members[] = {
    {"series", JSON_TEXT, LINE_AT(capture.part.series)},
    {"first", JSON_COUNT, LINE_AT(capture.part.first)},
    {"last", JSON_COUNT, LINE_AT(capture.part.number)},
    {"ended", JSON_TRUTH, LINE_AT(capture.part.last)},
    {"from", JSON_TEXT, LINE_AT(from)},
    {"to", JSON_TEXT, LINE_AT(to)},
    {NULL},
};
static const struct json_table part_table = {"a part", part_members};

static const struct json_member rest_members[] = {
    {"connections", JSON_COUNT, LINE_AT(capture.rest.n)},
    {"with_findings", JSON_COUNT, LINE_AT(capture.rest.with_findings)},
    {"troubled", JSON_COUNT, LINE_AT(capture.rest.troubled)},
    {"error", JSON_COUNT, LINE_AT(capture.rest.found[SEVERITY_ERROR])},
    {"warning", JSON_COUNT, LINE_AT(capture.rest.found[SEVERITY_WARNING])},
    {"note", JSON_COUNT, LINE_AT(capture.rest.found[SEVERITY_NOTE])},
    {"waived", JSON_COUNT, LINE_AT(capture.rest.waived)},
    {NULL},
};
static const struct json_table rest_table = {"not_listed", rest_members};

static const struct json_member call_members[] = {
    {"made", JSON_COUNT, LINE_AT(made)},
    {"answered", JSON_COUNT, LINE_AT(answered)},
    {"whole", JSON_TRUTH, LINE_AT(whole)},
    {NULL},
};
static const struct json_table call_table = {"the calls", call_members};

static const struct json_member capture_members[] = {
    {"file", JSON_TEXT, LINE_AT(file)},
    {"verdict", JSON_TEXT, LINE_AT(verdict)},
    {"part", JSON_INNER, .zero = JSON_LEFT_OUT, .inner = &part_table},
    {"start", JSON_TEXT, LINE_AT(start), .zero = JSON_LEFT_OUT},
    {"packets", JSON_COUNT, LINE_AT(capture.packets)},
    {"bytes", JSON_COUNT, LINE_AT(capture.octets)},
    {"dropped", JSON_COUNT, LINE_AT(capture.dropped)},
    {"truncated", JSON_TRUTH, LINE_AT(capture.truncated)},
    {"error", JSON_TEXT, LINE_AT(error), .zero = JSON_LEFT_OUT},
    {"warning", JSON_TEXT, LINE_AT(warning), .zero = JSON_LEFT_OUT},
    {"nothing_checked", JSON_TEXT, LINE_AT(nothing), .zero = JSON_LEFT_OUT},
    {"connections_without_mpa", JSON_COUNT, LINE_AT(capture.other_connections)},
    {"given_up", JSON_COUNT, LINE_AT(capture.given_up), .zero = JSON_LEFT_OUT},
    {"connections_cut_short", JSON_COUNT, LINE_AT(capture.cut_short), .zero = JSON_LEFT_OUT},
    {"not_listed", JSON_INNER, .zero = JSON_LEFT_OUT, .inner = &rest_table},
    {"calls", JSON_INNER, .inner = &call_table},
    {NULL},
};
static const struct json_table capture_table = {"a capture", capture_members};

void report_line_write_capture(FILE *out, const struct report_capture *capture, const struct report_line *line)
{
    const struct troubles *troubles = capture->troubles;
    struct capture_line of = {.capture = *capture,
                              .file = line->file,
                              .verdict = line->verdict,
                              .error = capture->failed ? capture->trouble : NULL,
                              .warning = capture->failed ? NULL : capture->trouble,
                              .nothing = line->nothing,
                              .start = capture->start_ns != 0 ? utc_text(capture->start_ns, 9) : NULL,
                              .from = clock_text(capture->part.from_ns),
                              .to = clock_text(capture->part.to_ns),
                              .made = troubles->calls - MIN(troubles->again, troubles->calls),
                              .answered = troubles->answers,
                              .whole = !troubles->holes};
    struct json_writer writer;

    json_line_begin(&writer, out);
    json_string(&writer, "type", "capture");
    json_write_members(&writer, &capture_table, &of, NULL);
    json_begin_array(&writer, "trouble");
    for (guint i = 0; i < troubles->list->len; i++)
        write_trouble(&writer, g_ptr_array_index(troubles->list, i), line);
    json_end_array(&writer);
    report_json_write_rules(&writer, line);
    json_line_end(&writer);
    g_free(of.start);
    g_free(of.from);
    g_free(of.to);
}

static bool take_times(struct json_reading *reading, struct capture_line *of)
{
    struct report_part *part = &of->capture.part;

    if (of->start && !report_json_clock(reading, of->start, &of->capture.start_ns))
        return false;
    if (!part->series)
        return true;
    if (part->first == 0 || part->number < part->first)
        return json_wrong(reading, "a part", "last", "at least the first");
    return report_json_clock(reading, of->from, &part->from_ns) && report_json_clock(reading, of->to, &part->to_ns);
}

/* Copies the strings, which belong to the JSON object. */
static void capture_take_line(struct report_line *line, const struct capture_line *of, struct report_capture *capture)
{
    struct troubles *troubles = capture->troubles;

    g_free(capture->path);
    g_free(capture->file);
    *capture = of->capture;
    capture->troubles = troubles;
    capture->path = g_strdup(of->file);
    capture->file = g_strdup(of->file);
    capture->failed = of->error != NULL;
    capture->trouble = g_strdup(of->error ? of->error : of->warning);
    capture->nothing = g_strdup(of->nothing);
    capture->part.series = g_strdup(of->capture.part.series);
    troubles->calls = of->made;
    troubles->answers = of->answered;
    troubles->holes = !of->whole;
    line->file = of->file;
    line->verdict = of->verdict;
    line->nothing = of->nothing;
    line->start_ns = capture->start_ns;
}

struct report_capture *report_line_read_capture(struct json_reading *reading, JsonObject *object)
{
    struct report_capture *capture = report_capture_new("");
    struct capture_line of = {.capture = *capture};

    if (json_read_members(reading, &capture_table, object, &of) && take_times(reading, &of)) {
        capture_take_line(reading->ctx, &of, capture);
        if (read_troubles(reading, object, capture->troubles) && report_json_read_rules(reading, object))
            return capture;
    }
    report_capture_free(capture);
    return NULL;
}
