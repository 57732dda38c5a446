// SPDX-License-Identifier: GPL-2.0-or-later
/* Writes and reads the JSON report; docs/iwarp-test.schema.json describes it. */
#include "traffic-gen/suite/result/result.h"

#include "support/json_guard.h"
#include "support/json_writer.h"

#include <json-glib/json-glib.h>
#include <math.h>

enum { FORMAT = 2 /* of the report: docs/iwarp-test.schema.json */, INDENTATION = 2 };

#define RESULT_ERROR g_quark_from_static_string("iwarp-test-result")

/* ---- writing ---- */

static void add_seconds(struct json_writer *out, double value)
{
    json_double(out, "seconds", round(value * 1e6) / 1e6);
}

static void add_strings(struct json_writer *out, const char *name, const GPtrArray *values)
{
    json_strings(out, name, (const char *const *)values->pdata, values->len);
}

static void add_steps(struct json_writer *out, const struct case_result *result)
{
    json_begin_array(out, "frames");
    for (guint i = 0; i < result->steps->len; i++) {
        const struct case_step *step = g_ptr_array_index(result->steps, i);

        json_begin_object(out, NULL);
        add_seconds(out, step->seconds);
        json_number(out, "connection", step->connection);
        json_string(out, "from", step->ours ? "test" : "device");
        json_string(out, "what", step->caption);
        json_number(out, "length", step->n);
        json_string(out, "octets", step->octets);
        json_number(out, "left_out", step->left_out);
        if (step->repeated > 0)
            json_number(out, "repeated", step->repeated);
        json_end_object(out);
    }
    json_end_array(out);
}

static void add_runs(struct json_writer *out, const struct case_result *result)
{
    json_begin_object(out, "runs");
    for (int outcome = 0; outcome < OUTCOMES; outcome++) {
        if (result->runs[outcome] > 0)
            json_number(out, case_outcome_names[outcome], result->runs[outcome]);
    }
    json_end_object(out);
}

static void json_add_result(struct json_writer *out, const struct case_result *result)
{
    json_begin_object(out, NULL);
    json_string(out, "id", result->id);
    json_string(out, "rule", result->rule);
    add_strings(out, "aliases", result->aliases);
    json_string(out, "suite", result->suite);
    json_string(out, "document", result->document);
    json_string(out, "section", result->section);
    json_string(out, "level", result->level);
    json_string(out, "severity", result->severity);
    json_string(out, "requirement", result->requirement);
    json_string(out, "stimulus", result->stimulus);
    json_string(out, "expected", result->expected);
    json_string(out, "outcome", case_outcome_names[result->outcome]);
    json_string(out, "actual", result->actual);
    json_string(out, "waived", result->waived);
    json_string(out, "death", result->death);
    if (result->reduced)
        json_string(out, "reduced", result->reduced);
    json_string(out, "shown", case_shown_names[result->shown]);
    json_string(out, "rests_on", result->rests_on);
    add_runs(out, result);
    add_seconds(out, result->seconds);
    add_strings(out, "observations", result->observations);
    if (result->doubted->len > 0)
        add_strings(out, "doubted", result->doubted);
    json_begin_array(out, "ports");
    for (guint i = 0; i < result->ports->len; i++)
        json_number(out, NULL, g_array_index(result->ports, guint, i));
    json_end_array(out);
    add_steps(out, result);
    json_end_object(out);
}

static void result_json_add_summary(struct json_writer *out, const struct suite_report *report)
{
    unsigned differed, repeated = suite_report_repeated(report, &differed);

    json_begin_object(out, "summary");
    for (int outcome = 0; outcome < OUTCOMES; outcome++)
        json_number(out, case_outcome_names[outcome], suite_report_count(report, outcome, false));
    json_number(out, "waived", suite_report_waived(report));
    json_number(out, "repeated", repeated);
    json_number(out, "differed", differed);
    json_number(out, "not run", report->chosen > report->finished ? report->chosen - report->finished : 0);
    json_end_object(out);
}

static void add_reach(struct json_writer *out, const struct suite_report *report)
{
    json_begin_object(out, "reach");
    json_number(out, "tests", report->chosen);
    json_number(out, "can_run", report->can_run);
    json_begin_array(out, "missing");
    for (guint i = 0; i < report->missing->len; i++) {
        const struct missing_service *missing = g_ptr_array_index(report->missing, i);

        json_begin_object(out, NULL);
        json_number(out, "tests", missing->cases);
        json_string(out, "what", missing->what);
        json_string(out, "service", missing->service);
        json_end_object(out);
    }
    json_end_array(out);
    json_end_object(out);
}

static void result_json_add_origin(struct json_writer *out, const struct suite_report *report)
{
    json_begin_object(out, "origin");
    json_string(out, "command", report->command);
    json_string(out, "catalogue", report->catalogue);
    json_string(out, "device_info", report->device_info);
    json_begin_array(out, "recordings");
    for (guint i = 0; i < report->recordings->len; i++) {
        const struct recording *recording = g_ptr_array_index(report->recordings, i);

        json_begin_object(out, NULL);
        json_string(out, "file", recording->file);
        json_string(out, "sha256", recording->sha256);
        json_end_object(out);
    }
    json_end_array(out);
    json_end_object(out);
}

static void add_sections(struct json_writer *out, const struct suite_report *report)
{
    g_autoptr(GArray) sections = suite_report_sections(report);

    json_begin_array(out, "sections");
    for (guint i = 0; i < sections->len; i++) {
        const struct report_section *section = &g_array_index(sections, struct report_section, i);

        json_begin_object(out, NULL);
        json_string(out, "document", section->document);
        json_string(out, "section", section->section);
        json_number(out, "conforms", section->conforms);
        json_number(out, "fails", section->fails);
        json_number(out, "waived", section->waived);
        json_number(out, "open", section->open);
        json_end_object(out);
    }
    json_end_array(out);
}

static void add_deaths(struct json_writer *out, const struct suite_report *report)
{
    json_begin_array(out, "deaths");
    for (guint i = 0; i < report->deaths->len; i++) {
        const struct device_death *death = g_ptr_array_index(report->deaths, i);

        json_begin_object(out, NULL);
        add_strings(out, "tests", death->cases);
        json_string(out, "state", death->state);
        json_string(out, "what", death->what);
        json_bool(out, "revived", death->revived);
        json_end_object(out);
    }
    json_end_array(out);
}

static void result_json_add_left_out(struct json_writer *out, const struct suite_report *report)
{
    json_begin_array(out, "left_out");
    for (guint i = 0; i < report->left_out->len; i++) {
        const struct left_out *left_out = g_ptr_array_index(report->left_out, i);

        json_begin_object(out, NULL);
        json_string(out, "suite", left_out->suite);
        json_string(out, "values", left_out->values);
        json_string(out, "rule", left_out->rule);
        json_string(out, "death", left_out->death);
        json_string(out, "waived", left_out->waived);
        json_number(out, "combinations", left_out->combinations);
        json_end_object(out);
    }
    json_end_array(out);
}

void suite_report_json(const struct suite_report *report, FILE *file)
{
    struct json_writer writer, *out = &writer;

    json_writer_begin(out, file, INDENTATION);
    json_begin_object(out, NULL);
    json_string(out, "tool", "iwarp-gen test");
    json_number(out, "format", FORMAT);
    json_string(out, "version", report->version);
    json_string(out, "device", report->device);
    json_string(out, "role", report->role);
    json_string(out, "started", report->started);
    add_seconds(out, report->seconds);
    json_string(out, "state", report->state);
    json_string(out, "start_up", report->start_up);
    json_string(out, "sign_of_life", report->sign);
    json_string(out, "terminate_layout", report->layout);
    json_string(out, "capture", report->capture);
    result_json_add_origin(out, report);
    json_string(out, "load", report->load);
    add_strings(out, "soak", report->soak);
    add_reach(out, report);
    add_deaths(out, report);
    json_begin_array(out, "tests");
    for (guint i = 0; i < report->results->len; i++)
        json_add_result(out, g_ptr_array_index(report->results, i));
    json_end_array(out);
    add_strings(out, "unused_waivers", report->unused_waivers);
    if (report->left_out->len > 0)
        result_json_add_left_out(out, report);
    add_sections(out, report);
    result_json_add_summary(out, report);
    json_end_object(out);
    json_writer_end(out);
}

/* ---- reading ---- */

static JsonNode *member(JsonObject *object, const char *name, JsonNodeType type)
{
    JsonNode *node = json_object_get_member(object, name);

    return node && JSON_NODE_TYPE(node) == type ? node : NULL;
}

static char *string_of(JsonObject *object, const char *name)
{
    JsonNode *node = member(object, name, JSON_NODE_VALUE);

    return node && json_node_get_value_type(node) == G_TYPE_STRING ? g_strdup(json_node_get_string(node)) : NULL;
}

static double result_json_number_of(JsonObject *object, const char *name)
{
    JsonNode *node = member(object, name, JSON_NODE_VALUE);

    if (!node)
        return 0;
    return json_node_get_value_type(node) == G_TYPE_INT64 ? (double)json_node_get_int(node)
                                                          : json_node_get_double(node);
}

static JsonArray *result_json_array_of(JsonObject *object, const char *name)
{
    JsonNode *node = member(object, name, JSON_NODE_ARRAY);

    return node ? json_node_get_array(node) : NULL;
}

static JsonObject *result_json_object_at(JsonArray *array, guint i)
{
    JsonNode *node = json_array_get_element(array, i);

    return JSON_NODE_HOLDS_OBJECT(node) ? json_node_get_object(node) : NULL;
}

static void read_strings(JsonObject *object, const char *name, GPtrArray *out)
{
    JsonArray *array = result_json_array_of(object, name);

    for (guint i = 0; array && i < json_array_get_length(array); i++) {
        JsonNode *node = json_array_get_element(array, i);

        if (JSON_NODE_HOLDS_VALUE(node) && json_node_get_value_type(node) == G_TYPE_STRING)
            g_ptr_array_add(out, g_strdup(json_node_get_string(node)));
    }
}

static void read_steps(JsonObject *object, struct case_result *result)
{
    JsonArray *array = result_json_array_of(object, "frames");

    for (guint i = 0; array && i < json_array_get_length(array); i++) {
        JsonObject *from = result_json_object_at(array, i);
        struct case_step *step;
        g_autofree char *side = NULL;

        if (!from)
            continue;
        side = string_of(from, "from");
        step = g_new0(struct case_step, 1);
        step->seconds = result_json_number_of(from, "seconds");
        step->connection = (unsigned)CLAMP(result_json_number_of(from, "connection"), 0, UINT16_MAX);
        step->ours = g_strcmp0(side, "test") == 0;
        step->caption = string_of(from, "what");
        step->octets = string_of(from, "octets");
        step->left_out = (unsigned)CLAMP(result_json_number_of(from, "left_out"), 0, INT32_MAX);
        if (json_object_has_member(from, "repeated"))
            step->repeated = (unsigned)CLAMP(result_json_number_of(from, "repeated"), 0, INT32_MAX);
        step->n = (unsigned)CLAMP(result_json_number_of(from, "length"), 0, INT32_MAX);
        g_ptr_array_add(result->steps, step);
    }
}

static bool read_outcome(JsonObject *object, enum case_outcome *out)
{
    g_autofree char *name = string_of(object, "outcome");

    for (int outcome = 0; outcome < OUTCOMES; outcome++) {
        if (g_strcmp0(name, case_outcome_names[outcome]) == 0) {
            *out = outcome;
            return true;
        }
    }
    return false;
}

static JsonObject *result_json_object_of(JsonObject *object, const char *name)
{
    JsonNode *node = member(object, name, JSON_NODE_OBJECT);

    return node ? json_node_get_object(node) : NULL;
}

static void read_runs(JsonObject *object, struct case_result *result)
{
    JsonObject *runs = result_json_object_of(object, "runs");
    JsonArray *ports = result_json_array_of(object, "ports");

    for (int outcome = 0; runs && outcome < OUTCOMES; outcome++)
        result->runs[outcome] = (unsigned)CLAMP(result_json_number_of(runs, case_outcome_names[outcome]), 0, INT32_MAX);
    for (guint i = 0; ports && i < json_array_get_length(ports); i++) {
        JsonNode *node = json_array_get_element(ports, i);
        guint port = JSON_NODE_HOLDS_VALUE(node) ? (guint)CLAMP(json_node_get_int(node), 0, UINT16_MAX) : 0;

        g_array_append_val(result->ports, port);
    }
}

static struct case_result *read_result(JsonObject *object)
{
    struct case_result *result = case_result_new();
    const struct {
        const char *name;
        char **value;
    } texts[] = {
        {"id", &result->id},
        {"rule", &result->rule},
        {"suite", &result->suite},
        {"document", &result->document},
        {"section", &result->section},
        {"level", &result->level},
        {"severity", &result->severity},
        {"requirement", &result->requirement},
        {"stimulus", &result->stimulus},
        {"expected", &result->expected},
        {"actual", &result->actual},
        {"waived", &result->waived},
        {"death", &result->death},
        {"rests_on", &result->rests_on},
        {"reduced", &result->reduced},
    };
    g_autofree char *shown = string_of(object, "shown");

    for (unsigned i = 0; i < G_N_ELEMENTS(texts); i++)
        *texts[i].value = string_of(object, texts[i].name);
    for (unsigned i = 0; shown && i < SHOWN_KINDS; i++)
        if (strcmp(shown, case_shown_names[i]) == 0)
            result->shown = (enum case_shown)i;
    read_strings(object, "aliases", result->aliases);
    read_strings(object, "observations", result->observations);
    read_strings(object, "doubted", result->doubted);
    read_steps(object, result);
    read_runs(object, result);
    result->seconds = result_json_number_of(object, "seconds");
    if (result->id && result->rule && read_outcome(object, &result->outcome))
        return result;
    case_result_free(result);
    return NULL;
}

static void read_deaths(JsonObject *object, struct suite_report *report)
{
    JsonArray *array = result_json_array_of(object, "deaths");

    for (guint i = 0; array && i < json_array_get_length(array); i++) {
        JsonObject *from = result_json_object_at(array, i);
        struct device_death *death;
        g_autofree char *state = NULL, *what = NULL;

        if (!from)
            continue;
        state = string_of(from, "state");
        what = string_of(from, "what");
        death = suite_report_add_death(report, state, what);
        death->revived =
            member(from, "revived", JSON_NODE_VALUE) && json_node_get_boolean(json_object_get_member(from, "revived"));
        read_strings(from, "tests", death->cases);
    }
}

static void read_left_out(JsonObject *object, struct suite_report *report)
{
    JsonArray *array = result_json_array_of(object, "left_out");

    for (guint i = 0; array && i < json_array_get_length(array); i++) {
        JsonObject *from = result_json_object_at(array, i);
        struct left_out left_out;

        if (!from)
            continue;
        left_out = (struct left_out){.suite = string_of(from, "suite"),
                                     .values = string_of(from, "values"),
                                     .rule = string_of(from, "rule"),
                                     .death = string_of(from, "death"),
                                     .waived = string_of(from, "waived"),
                                     .combinations =
                                         (unsigned)CLAMP(result_json_number_of(from, "combinations"), 0, INT32_MAX)};
        if (left_out.suite && left_out.values && left_out.rule)
            suite_report_add_left_out(report, &left_out);
        left_out_clear(&left_out);
    }
}

static void read_origin(JsonObject *object, struct suite_report *report)
{
    JsonObject *origin = result_json_object_of(object, "origin");
    JsonArray *recordings = origin ? result_json_array_of(origin, "recordings") : NULL;

    if (!origin)
        return;
    report->command = string_of(origin, "command");
    report->catalogue = string_of(origin, "catalogue");
    report->device_info = string_of(origin, "device_info");
    for (guint i = 0; recordings && i < json_array_get_length(recordings); i++) {
        JsonObject *from = result_json_object_at(recordings, i);
        g_autofree char *file = from ? string_of(from, "file") : NULL,
                        *sha256 = from ? string_of(from, "sha256") : NULL;

        if (file)
            suite_report_add_recording(report, file, sha256);
    }
}

static struct suite_report *read_report(JsonObject *object)
{
    struct suite_report *report = suite_report_new();
    JsonArray *tests = result_json_array_of(object, "tests");
    bool good = tests != NULL;

    report->device = string_of(object, "device");
    report->role = string_of(object, "role");
    report->version = string_of(object, "version");
    report->started = string_of(object, "started");
    report->seconds = result_json_number_of(object, "seconds");
    report->state = string_of(object, "state");
    report->start_up = string_of(object, "start_up");
    report->sign = string_of(object, "sign_of_life");
    report->layout = string_of(object, "terminate_layout");
    report->capture = string_of(object, "capture");
    report->chosen = good ? json_array_get_length(tests) : 0;
    report->load = string_of(object, "load");
    read_strings(object, "soak", report->soak);
    read_origin(object, report);
    read_deaths(object, report);
    read_left_out(object, report);
    for (guint i = 0; good && i < json_array_get_length(tests); i++) {
        JsonObject *from = result_json_object_at(tests, i);
        struct case_result *result = from ? read_result(from) : NULL;

        if (result)
            g_ptr_array_add(report->results, result);
        good = result != NULL;
    }
    report->finished = report->results->len;
    if (good && report->device && report->role)
        return report;
    suite_report_free(report);
    return NULL;
}

struct suite_report *suite_report_load(const char *path, GError **error)
{
    g_autoptr(JsonParser) parser = json_parser_new();
    g_autofree char *text = NULL;
    struct suite_report *report = NULL;
    JsonNode *root;
    gsize n;

    if (!g_file_get_contents(path, &text, &n, error))
        return NULL;
    if (!json_guard_passes(text, n) || !json_parser_load_from_data(parser, text, (gssize)n, NULL)) {
        g_set_error(error, RESULT_ERROR, 0, "%s: not JSON; expected reports of 'iwarp-gen test --format=json'", path);
        return NULL;
    }
    root = json_parser_get_root(parser);
    if (root && JSON_NODE_HOLDS_OBJECT(root))
        report = read_report(json_node_get_object(root));
    if (!report)
        g_set_error(error, RESULT_ERROR, 0, "%s: not a report of 'iwarp-gen test --format=json'", path);
    return report;
}
