// SPDX-License-Identifier: GPL-2.0-or-later
/* Findings of a connection in the NDJSON report. */
#include "conformance/options/selector.h"
#include "conformance/report/report_json.h"
#include "conformance/report/report_parts.h"
#include "conformance/report/report_violations.h"

#include <string.h>

struct finding_line {
    struct report_finding finding;
    const char *id, *document, *section, *found, *why, *link, *fixed;
    char *at, *expected;
    GArray *frames;                   /* uint32_t */
    GPtrArray *same_as, *judged_with; /* const char *: ids of other rules */
    double time;
    bool waived;
};

static const char *severity_word(unsigned severity)
{
    return rule_severity_name((enum rule_severity)severity);
}

static const char *direction_word(unsigned direction)
{
    return direction == DIR_TO_RESPONDER ? "initiator-to-responder" : "responder-to-initiator";
}

#define LINE_AT(field) JSON_AT(struct finding_line, field)

static const struct json_member more_members[] = {
    {"count", JSON_COUNT, LINE_AT(finding.more), .most = UINT32_MAX - 1},
    {"frames", JSON_PAIR, LINE_AT(finding.more_first), .n = 1},
    {NULL},
};
static const struct json_table more_table = {"more findings", more_members};

static const struct json_member finding_members[] = {
    {"rule", JSON_TEXT, LINE_AT(id)},
    {"document", JSON_TEXT, LINE_AT(document), .derived = true},
    {"section", JSON_TEXT, LINE_AT(section), .derived = true},
    {"severity", JSON_WORD, LINE_AT(finding.severity), .word = severity_word, .n = SEVERITY_COUNT},
    {"frame", JSON_COUNT, LINE_AT(finding.frame)},
    {"frames", JSON_NUMBERS, LINE_AT(frames)},
    {"related_frame", JSON_COUNT, LINE_AT(finding.related_frame), .zero = JSON_SHOWN_AS_NULL},
    {"time", JSON_REAL, LINE_AT(time)},
    {"at", JSON_TEXT, LINE_AT(at), .zero = JSON_LEFT_OUT, .derived = true},
    {"direction", JSON_WORD, LINE_AT(finding.direction), .word = direction_word, .n = DIR_UNKNOWN},
    {"awaited", JSON_TRUTH, LINE_AT(finding.awaited), .zero = JSON_LEFT_OUT},
    {"stream_offset", JSON_COUNT, LINE_AT(finding.offset)},
    {"operation", JSON_TEXT, LINE_AT(finding.subject.operation), .zero = JSON_LEFT_OUT},
    {"kind", JSON_TEXT, LINE_AT(finding.subject.kind), .zero = JSON_LEFT_OUT},
    {"message", JSON_TEXT, LINE_AT(finding.message)},
    {"found", JSON_TEXT, LINE_AT(found), .derived = true},
    {"expected", JSON_TEXT, LINE_AT(expected), .zero = JSON_LEFT_OUT, .derived = true},
    {"same_as", JSON_TEXTS, LINE_AT(same_as), .derived = true},
    {"judged_with", JSON_TEXTS, LINE_AT(judged_with), .derived = true},
    {"more", JSON_INNER, .zero = JSON_LEFT_OUT, .inner = &more_table},
    {"waived", JSON_TRUTH, LINE_AT(waived)},
    {NULL},
};
static const struct json_table finding_table = {"a finding", finding_members};

static const struct json_member waived_members[] = {
    {"waived_why", JSON_TEXT, LINE_AT(why), .zero = JSON_SHOWN_AS_NULL},
    {"waived_link", JSON_TEXT, LINE_AT(link), .zero = JSON_LEFT_OUT},
    {"waived_fixed", JSON_TEXT, LINE_AT(fixed), .zero = JSON_LEFT_OUT},
    {NULL},
};
/* These members are not read: the reader of the report computes them again. */
static const struct json_member known_members[] = {
    {"known", JSON_TEXT, LINE_AT(why), .derived = true},
    {"known_link", JSON_TEXT, LINE_AT(link), .derived = true},
    {NULL},
};
static const struct json_table known_table = {"a known error", known_members};

static const struct json_table waived_table = {"a waived finding", waived_members};

static void finding_line_init(struct finding_line *of)
{
    *of = (struct finding_line){.frames = g_array_new(FALSE, FALSE, sizeof(uint32_t)),
                                .same_as = g_ptr_array_new(),
                                .judged_with = g_ptr_array_new()};
}

static void finding_line_clear(struct finding_line *of)
{
    g_array_unref(of->frames);
    g_ptr_array_unref(of->same_as);
    g_ptr_array_unref(of->judged_with);
}

/* The ids of other rules `related` to the violated rule. */
static void find_related(GPtrArray *ids, enum rule_id id, enum rule_profile profile,
                         bool (*related)(const struct rule *rule, enum rule_id id))
{
    g_ptr_array_set_size(ids, 0);
    for (size_t i = 0; i < RULE_COUNT; i++)
        if (i != id && related(&rule_catalogue[i], id) && rule_binds(&rule_catalogue[i], profile))
            g_ptr_array_add(ids, (gpointer)rule_catalogue[i].id);
}

static void write_finding(struct json_writer *writer, struct finding_line *of, const struct report_line *line,
                          const struct waiver *known)
{
    const struct report_finding *finding = &of->finding;
    const struct rule *rule = &rule_catalogue[finding->rule];

    of->id = rule->id;
    of->document = rule->document;
    of->section = rule->section;
    g_array_set_size(of->frames, 0);
    if (finding->first_frame != 0 && finding->first_frame != finding->frame)
        g_array_append_val(of->frames, finding->first_frame);
    g_array_append_val(of->frames, finding->frame);
    of->time = report_json_seconds(line, finding->time_ns);
    of->at = line->start_ns != 0 ? clock_text(finding->time_ns) : NULL;
    of->found = finding_found(finding->message);
    of->expected = finding_expected(finding->message);
    find_related(of->same_as, finding->rule, line->profile, rule_carried_by);
    find_related(of->judged_with, finding->rule, line->profile, rule_judged_with);
    of->waived = finding->waiver != NULL;
    json_begin_object(writer, NULL);
    json_write_members(writer, &finding_table, of, NULL);
    if (of->waived) {
        of->why = finding->waiver->why;
        of->link = finding->waiver->link;
        of->fixed = finding->waiver->fixed;
        json_write_members(writer, &waived_table, of, NULL);
    }
    if (known) {
        of->why = known->why;
        of->link = known->link;
        json_write_members(writer, &known_table, of, NULL);
    }
    json_end_object(writer);
    g_free(of->at);
    g_free(of->expected);
}

void report_json_write_findings(struct json_writer *writer, const struct report_connection *connection,
                                const struct report_line *line)
{
    struct finding_line of;

    finding_line_init(&of);
    json_begin_array(writer, "findings");
    for (guint i = 0; i < connection->findings->len; i++) {
        of.finding = g_array_index(connection->findings, struct report_finding, i);
        write_finding(writer, &of, line, known_error(connection, &of.finding));
    }
    json_end_array(writer);
    finding_line_clear(&of);
}

/* There is one waiver for each rule, reason, link and version. */
static const struct waiver *waiver_of(GPtrArray *waivers, enum rule_id rule, const struct finding_line *of)
{
    struct waiver *waiver;

    for (guint i = 0; i < waivers->len; i++) {
        waiver = g_ptr_array_index(waivers, i);
        if (waiver->rule == rule && waiver->used && g_strcmp0(waiver->why, of->why) == 0 &&
            g_strcmp0(waiver->link, of->link) == 0 && g_strcmp0(waiver->fixed, of->fixed) == 0)
            return waiver;
    }
    waiver = g_new0(struct waiver, 1);
    waiver->rule = rule;
    waiver->id = g_strdup(rule_catalogue[rule].id);
    waiver->why = g_strdup(of->why);
    waiver->link = g_strdup(of->link);
    waiver->fixed = g_strdup(of->fixed);
    waiver->where = g_strdup("by the report");
    waiver->used = 1;
    g_ptr_array_add(waivers, waiver);
    return waiver;
}

/* Keeps the finding if this version knows its rule; otherwise only counts it. */
static bool take_finding(struct json_reading *reading, struct finding_line *of, struct report_connection *connection)
{
    struct report_finding *finding = &of->finding;
    const struct rule *rule = rule_find(of->id);
    uint64_t times = UINT64_C(1) + finding->more;

    if (!rule) {
        connection->not_kept += times;
        return true;
    }
    finding->rule = rule_number(rule);
    finding->first_frame = of->frames->len > 0 ? g_array_index(of->frames, uint32_t, 0) : 0;
    if (of->waived) {
        finding->waiver = waiver_of(((struct report_line *)reading->ctx)->waivers, finding->rule, of);
        connection->waived += times;
    } else {
        connection->found[finding->severity] += times;
    }
    if (!report_json_time(reading, of->time, &finding->time_ns))
        return false;
    report_adopt_finding(connection, finding);
    return true;
}

bool report_json_read_findings(struct json_reading *reading, JsonObject *object, struct report_connection *connection)
{
    JsonArray *findings = json_want_array(reading, object, "a connection", "findings");
    bool ok = findings != NULL;

    for (guint i = 0; ok && i < json_array_get_length(findings); i++) {
        JsonObject *from = json_want_element(reading, findings, i, "findings");
        struct finding_line of;

        finding_line_init(&of);
        ok = from && json_read_members(reading, &finding_table, from, &of) &&
             (!of.waived || json_read_members(reading, &waived_table, from, &of)) &&
             take_finding(reading, &of, connection);
        finding_line_clear(&of);
    }
    return ok;
}
