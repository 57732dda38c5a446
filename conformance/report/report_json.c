// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/report/report_json.h"

#include "conformance/options/options.h"
#include "conformance/report/report_formats.h"
#include "conformance/report/report_parts.h"

#include <string.h>

/* ---- parts of lines ---- */

double report_json_seconds(const struct report_line *line, int64_t time_ns)
{
    return (double)(int64_t)((uint64_t)time_ns - (uint64_t)line->start_ns) / 1e9;
}

bool report_json_time(struct json_reading *reading, double seconds, int64_t *time_ns)
{
    const struct report_line *line = reading->ctx;

    if (!(seconds > -1e9 && seconds < 1e9))
        return json_wrong(reading, "a line", "time", "fewer seconds");
    *time_ns = line->start_ns + (int64_t)(seconds * 1e9 + (seconds < 0 ? -0.5 : 0.5));
    return true;
}

/* The limit leaves room for the times of findings, which are within 1e9 seconds of the start. */
#define TIME_SECONDS_MAX INT64_C(8000000000)

bool report_json_clock(struct json_reading *reading, const char *text, int64_t *time_ns)
{
    g_autoptr(GDateTime) date = g_date_time_new_from_iso8601(text, NULL);
    int64_t seconds = date ? g_date_time_to_unix(date) : TIME_SECONDS_MAX;
    const char *p = strchr(text, '.');

    if (seconds <= -TIME_SECONDS_MAX || seconds >= TIME_SECONDS_MAX)
        return json_wrong(reading, "a line", "start", "a time of day");
    *time_ns = seconds * 1000000000;
    for (int64_t unit = 100000000; p && unit > 0 && g_ascii_isdigit(*++p); unit /= 10)
        *time_ns += (*p - '0') * unit;
    return true;
}

#define RULE_AT(field) JSON_AT(struct report_rule, field)

static const char *report_doubt_word(unsigned why)
{
    return why == WHY_NONE ? "" : doubt_word(why); /* without a reason the object is left out */
}

static const struct json_member doubt_members[] = {
    {"frame", JSON_COUNT, RULE_AT(doubt.frame)}, /* the first member decides whether the object is left out */
    {"reason", JSON_WORD, RULE_AT(doubt.why), .n = WHY_COUNT, .word = report_doubt_word},
    {NULL},
};
static const struct json_table doubt_table = {"a reason", doubt_members};

static const struct json_member rule_members[] = {
    {"passed", JSON_COUNT, RULE_AT(count.passed)},
    {"failed", JSON_COUNT, RULE_AT(count.failed)},
    {"inconclusive", JSON_COUNT, RULE_AT(count.inconclusive)},
    {"why", JSON_INNER, .zero = JSON_LEFT_OUT, .inner = &doubt_table},
    {NULL},
};
static const struct json_table rule_table = {"a rule", rule_members};

void report_json_write_rules(struct json_writer *writer, const struct report_line *line)
{
    json_begin_object(writer, "rules");
    for (guint i = 0; i < line->rules->len; i++) {
        const struct report_rule *rule = &g_array_index(line->rules, struct report_rule, i);

        json_write_object(writer, rule_catalogue[rule->rule].id, &rule_table, rule, NULL);
    }
    json_end_object(writer);
}

/* Finds a rule; reports list rules in catalogue order. RULE_COUNT: only a later version has the rule. */
static enum rule_id rule_after(enum rule_id before, const char *id)
{
    for (size_t i = 1; i <= RULE_COUNT; i++)
        if (strcmp(rule_catalogue[(before + i) % RULE_COUNT].id, id) == 0)
            return (enum rule_id)((before + i) % RULE_COUNT);
    return RULE_COUNT;
}

bool report_json_read_rules(struct json_reading *reading, JsonObject *object)
{
    GArray *rules = ((struct report_line *)reading->ctx)->rules;
    JsonObject *from = json_want_object(reading, object, "a line", "rules");
    GList *ids = from ? json_object_get_members(from) : NULL;
    struct report_rule rule = {.rule = RULE_COUNT - 1};
    bool ok = from != NULL;

    g_array_set_size(rules, 0);
    for (GList *id = ids; ok && id; id = id->next) {
        JsonObject *counts = json_want_object(reading, from, "the rules", id->data);
        enum rule_id known = rule_after(rule.rule, id->data);

        rule.doubt = (struct doubt_at){0};
        ok = counts && json_read_members(reading, &rule_table, counts, &rule);
        if (!ok || known == RULE_COUNT)
            continue;
        rule.rule = known;
        g_array_append_val(rules, rule);
    }
    g_list_free(ids);
    return ok;
}

/* ---- the run ---- */

#define RUN_AT(field) JSON_AT(struct report_line_run, field)

static const struct json_member run_members[] = {
    {"tool", JSON_TEXT, RUN_AT(tool)},
    {"format", JSON_COUNT, RUN_AT(format)},
    {"version", JSON_TEXT, RUN_AT(version)},
    {"profile", JSON_TEXT, RUN_AT(profile)},
    {NULL},
};
static const struct json_table run_table = {"the report", run_members};

void report_line_write_run(FILE *out, const struct report_line_run *run)
{
    struct json_writer writer;

    json_line_begin(&writer, out);
    json_string(&writer, "type", "run");
    json_write_members(&writer, &run_table, run, NULL);
    json_line_end(&writer);
}

bool report_line_read_run(struct json_reading *reading, JsonObject *object, struct report_line_run *run)
{
    *run = (struct report_line_run){0};
    return json_read_members(reading, &run_table, object, run);
}

/* ---- the summary ---- */

#define SUMMARY_AT(field) JSON_AT(struct report_line_summary, field)

static const struct json_member found_members[] = {
    {"error", JSON_COUNT, SUMMARY_AT(found[SEVERITY_ERROR])},
    {"warning", JSON_COUNT, SUMMARY_AT(found[SEVERITY_WARNING])},
    {"note", JSON_COUNT, SUMMARY_AT(found[SEVERITY_NOTE])},
    {NULL},
};
static const struct json_table found_table = {"the summary", found_members};

static void write_expired(struct json_writer *writer, const struct json_member *member, const void *base,
                          const void *ctx)
{
    const GPtrArray *expired = ((const struct report_line_summary *)base)->expired;

    (void)ctx;
    if (!expired || expired->len == 0)
        return;
    json_begin_array(writer, member->name);
    for (guint i = 0; i < expired->len; i++) {
        const struct waiver *waiver = g_ptr_array_index(expired, i);

        json_begin_object(writer, NULL);
        json_string(writer, "id", waiver->id);
        json_string(writer, "until", waiver->until);
        json_end_object(writer);
    }
    json_end_array(writer);
}

static const char *status_word(unsigned status)
{
    return report_status_name((enum check_status)status);
}

static const struct json_member summary_members[] = {
    {"findings", JSON_INNER, .inner = &found_table},
    {"waived", JSON_COUNT, SUMMARY_AT(waived)},
    {"unused_waivers", JSON_TEXTS, SUMMARY_AT(unused)},
    {"expired_waivers", JSON_OWN, .write = write_expired, .derived = true},
    {"connections", JSON_COUNT, SUMMARY_AT(connections)},
    {"rules_exercised", JSON_COUNT, SUMMARY_AT(exercised)},
    {"trouble", JSON_TRUTH, SUMMARY_AT(trouble)},
    {"verdict", JSON_WORD, SUMMARY_AT(status), .word = status_word, .n = CHECK_NOTHING + 1},
    {NULL},
};
static const struct json_table summary_table = {"the summary", summary_members};

void report_line_write_summary(FILE *out, const struct report_line_summary *summary)
{
    struct json_writer writer;

    json_line_begin(&writer, out);
    json_string(&writer, "type", "summary");
    json_write_members(&writer, &summary_table, summary, NULL);
    if (summary->more)
        summary->more(summary->ctx, &writer);
    json_line_end(&writer);
}

bool report_line_read_summary(struct json_reading *reading, JsonObject *object, struct report_line_summary *summary)
{
    return json_read_members(reading, &summary_table, object, summary);
}

/* ---- all lines ---- */

static void write_of_capture(FILE *out, const struct report *report, const struct report_capture *capture,
                             GArray *rules)
{
    uint64_t found[SEVERITY_COUNT], waived;
    enum check_status status = report_capture_status(report->options, capture, found, &waived);
    const struct report_line line = {.file = capture->file,
                                     .profile = report->options->mpa.profile,
                                     .start_ns = capture->start_ns,
                                     .part = capture->part.series != NULL,
                                     .rules = rules,
                                     .verdict = report_status_name(status),
                                     .nothing = capture->failed ? NULL : report_nothing_checked(capture)};

    for (guint i = 0; i < capture->connections->len; i++) {
        const struct report_connection *connection = g_ptr_array_index(capture->connections, i);

        if (report->options->counts_apart)
            report_rules(report, connection, rules);
        else
            report_rules_not_passed(report, connection, rules);
        report_line_write_connection(out, connection, &line);
    }
    report_capture_rules(report, capture, rules);
    report_line_write_capture(out, capture, &line);
}

void report_write_ndjson(const struct report *report, FILE *out)
{
    GArray *rules = g_array_new(FALSE, FALSE, sizeof(struct report_rule));
    struct report_line_summary summary = {.waived = report->waived,
                                          .connections = report->connections,
                                          .exercised = report->exercised,
                                          .trouble = report->trouble,
                                          .status = report->status,
                                          .unused = g_ptr_array_new(),
                                          .expired = report->expired_waivers};

    report_line_write_run(
        out, &(struct report_line_run){"iwarp-check", IWARP_KIT_VERSION, report->options->profile, REPORT_JSON_FORMAT});
    for (guint i = 0; i < report->captures->len; i++)
        write_of_capture(out, report, g_ptr_array_index(report->captures, i), rules);
    memcpy(summary.found, report->found, sizeof summary.found);
    for (guint i = 0; i < report->unused_waivers->len; i++)
        g_ptr_array_add(summary.unused, ((const struct waiver *)g_ptr_array_index(report->unused_waivers, i))->id);
    report_line_write_summary(out, &summary);
    g_ptr_array_unref(summary.unused);
    g_array_unref(rules);
}
