// SPDX-License-Identifier: GPL-2.0-or-later
/* The JSON report, out and in; docs/iwarp-test.schema.json describes it. */
#include "traffic-gen/suite/result/result.h"

#include "support/json_guard.h"

#include <json-glib/json-glib.h>
#include <math.h>

enum { FORMAT = 2 /* of the report: docs/iwarp-test.schema.json */ };

#define RESULT_ERROR g_quark_from_static_string("iwarp-test-result")

/* ---- out ---- */

static void add_string(JsonBuilder *builder, const char *name, const char *value)
{
    json_builder_set_member_name(builder, name);
    if (value)
        json_builder_add_string_value(builder, value);
    else
        json_builder_add_null_value(builder);
}

static void add_number(JsonBuilder *builder, const char *name, gint64 value)
{
    json_builder_set_member_name(builder, name);
    json_builder_add_int_value(builder, value);
}

static void add_seconds(JsonBuilder *builder, double value)
{
    json_builder_set_member_name(builder, "seconds");
    json_builder_add_double_value(builder, round(value * 1e6) / 1e6);
}

static void add_strings(JsonBuilder *builder, const char *name, const GPtrArray *values)
{
    json_builder_set_member_name(builder, name);
    json_builder_begin_array(builder);
    for (guint i = 0; i < values->len; i++)
        json_builder_add_string_value(builder, g_ptr_array_index(values, i));
    json_builder_end_array(builder);
}

static void add_steps(JsonBuilder *builder, const struct case_result *result)
{
    json_builder_set_member_name(builder, "frames");
    json_builder_begin_array(builder);
    for (guint i = 0; i < result->steps->len; i++) {
        const struct case_step *step = g_ptr_array_index(result->steps, i);

        json_builder_begin_object(builder);
        add_seconds(builder, step->seconds);
        add_number(builder, "connection", step->connection);
        add_string(builder, "from", step->ours ? "test" : "device");
        add_string(builder, "what", step->caption);
        add_number(builder, "length", step->n);
        add_string(builder, "octets", step->octets);
        add_number(builder, "left_out", step->left_out);
        if (step->repeated > 0)
            add_number(builder, "repeated", step->repeated);
        json_builder_end_object(builder);
    }
    json_builder_end_array(builder);
}

static void add_runs(JsonBuilder *builder, const struct case_result *result)
{
    json_builder_set_member_name(builder, "runs");
    json_builder_begin_object(builder);
    for (int outcome = 0; outcome < OUTCOMES; outcome++) {
        if (result->runs[outcome] > 0)
            add_number(builder, case_outcome_names[outcome], result->runs[outcome]);
    }
    json_builder_end_object(builder);
}

static void add_result(JsonBuilder *builder, const struct case_result *result)
{
    json_builder_begin_object(builder);
    add_string(builder, "id", result->id);
    add_string(builder, "rule", result->rule);
    add_strings(builder, "aliases", result->aliases);
    add_string(builder, "suite", result->suite);
    add_string(builder, "document", result->document);
    add_string(builder, "section", result->section);
    add_string(builder, "level", result->level);
    add_string(builder, "severity", result->severity);
    add_string(builder, "requirement", result->requirement);
    add_string(builder, "stimulus", result->stimulus);
    add_string(builder, "expected", result->expected);
    add_string(builder, "outcome", case_outcome_names[result->outcome]);
    add_string(builder, "actual", result->actual);
    add_string(builder, "waived", result->waived);
    add_string(builder, "death", result->death);
    if (result->reduced)
        add_string(builder, "reduced", result->reduced);
    add_string(builder, "shown", case_shown_names[result->shown]);
    add_string(builder, "rests_on", result->rests_on);
    add_runs(builder, result);
    add_seconds(builder, result->seconds);
    add_strings(builder, "observations", result->observations);
    json_builder_set_member_name(builder, "ports");
    json_builder_begin_array(builder);
    for (guint i = 0; i < result->ports->len; i++)
        json_builder_add_int_value(builder, g_array_index(result->ports, guint, i));
    json_builder_end_array(builder);
    add_steps(builder, result);
    json_builder_end_object(builder);
}

static void add_summary(JsonBuilder *builder, const struct suite_report *report)
{
    unsigned differed, repeated = suite_report_repeated(report, &differed);

    json_builder_set_member_name(builder, "summary");
    json_builder_begin_object(builder);
    for (int outcome = 0; outcome < OUTCOMES; outcome++)
        add_number(builder, case_outcome_names[outcome], suite_report_count(report, outcome, false));
    add_number(builder, "waived",
               suite_report_count(report, OUTCOME_FAILED, true) + suite_report_count(report, OUTCOME_UNSTABLE, true));
    add_number(builder, "repeated", repeated);
    add_number(builder, "differed", differed);
    add_number(builder, "not run", report->chosen > report->finished ? report->chosen - report->finished : 0);
    json_builder_end_object(builder);
}

static void add_reach(JsonBuilder *builder, const struct suite_report *report)
{
    json_builder_set_member_name(builder, "reach");
    json_builder_begin_object(builder);
    add_number(builder, "tests", report->chosen);
    add_number(builder, "can_run", report->can_run);
    json_builder_set_member_name(builder, "missing");
    json_builder_begin_array(builder);
    for (guint i = 0; i < report->missing->len; i++) {
        const struct missing_service *missing = g_ptr_array_index(report->missing, i);

        json_builder_begin_object(builder);
        add_number(builder, "tests", missing->cases);
        add_string(builder, "what", missing->what);
        add_string(builder, "service", missing->service);
        json_builder_end_object(builder);
    }
    json_builder_end_array(builder);
    json_builder_end_object(builder);
}

static void add_origin(JsonBuilder *builder, const struct suite_report *report)
{
    json_builder_set_member_name(builder, "origin");
    json_builder_begin_object(builder);
    add_string(builder, "command", report->command);
    add_string(builder, "catalogue", report->catalogue);
    add_string(builder, "device_info", report->device_info);
    json_builder_set_member_name(builder, "recordings");
    json_builder_begin_array(builder);
    for (guint i = 0; i < report->recordings->len; i++) {
        const struct recording *recording = g_ptr_array_index(report->recordings, i);

        json_builder_begin_object(builder);
        add_string(builder, "file", recording->file);
        add_string(builder, "sha256", recording->sha256);
        json_builder_end_object(builder);
    }
    json_builder_end_array(builder);
    json_builder_end_object(builder);
}

static void add_sections(JsonBuilder *builder, const struct suite_report *report)
{
    g_autoptr(GArray) sections = suite_report_sections(report);

    json_builder_set_member_name(builder, "sections");
    json_builder_begin_array(builder);
    for (guint i = 0; i < sections->len; i++) {
        const struct report_section *section = &g_array_index(sections, struct report_section, i);

        json_builder_begin_object(builder);
        add_string(builder, "document", section->document);
        add_string(builder, "section", section->section);
        add_number(builder, "conforms", section->conforms);
        add_number(builder, "fails", section->fails);
        add_number(builder, "waived", section->waived);
        add_number(builder, "open", section->open);
        json_builder_end_object(builder);
    }
    json_builder_end_array(builder);
}

static void add_deaths(JsonBuilder *builder, const struct suite_report *report)
{
    json_builder_set_member_name(builder, "deaths");
    json_builder_begin_array(builder);
    for (guint i = 0; i < report->deaths->len; i++) {
        const struct device_death *death = g_ptr_array_index(report->deaths, i);

        json_builder_begin_object(builder);
        add_strings(builder, "tests", death->cases);
        add_string(builder, "state", death->state);
        add_string(builder, "what", death->what);
        json_builder_set_member_name(builder, "revived");
        json_builder_add_boolean_value(builder, death->revived);
        json_builder_end_object(builder);
    }
    json_builder_end_array(builder);
}

void suite_report_json(const struct suite_report *report, FILE *out)
{
    g_autoptr(JsonBuilder) builder = json_builder_new();
    g_autoptr(JsonGenerator) generator = json_generator_new();
    JsonNode *root;
    g_autofree char *text = NULL;

    json_builder_begin_object(builder);
    add_string(builder, "tool", "iwarp-gen test");
    add_number(builder, "format", FORMAT);
    add_string(builder, "version", report->version);
    add_string(builder, "device", report->device);
    add_string(builder, "role", report->role);
    add_string(builder, "started", report->started);
    add_seconds(builder, report->seconds);
    add_string(builder, "state", report->state);
    add_string(builder, "start_up", report->start_up);
    add_string(builder, "sign_of_life", report->sign);
    add_string(builder, "terminate_layout", report->layout);
    add_string(builder, "capture", report->capture);
    add_origin(builder, report);
    add_string(builder, "load", report->load);
    add_strings(builder, "soak", report->soak);
    add_reach(builder, report);
    add_deaths(builder, report);
    json_builder_set_member_name(builder, "tests");
    json_builder_begin_array(builder);
    for (guint i = 0; i < report->results->len; i++)
        add_result(builder, g_ptr_array_index(report->results, i));
    json_builder_end_array(builder);
    add_strings(builder, "unused_waivers", report->unused_waivers);
    add_sections(builder, report);
    add_summary(builder, report);
    json_builder_end_object(builder);
    root = json_builder_get_root(builder);
    json_generator_set_root(generator, root);
    json_generator_set_pretty(generator, TRUE);
    text = json_generator_to_data(generator, NULL);
    fprintf(out, "%s\n", text);
    json_node_unref(root);
}

/* ---- in ---- */

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

static double number_of(JsonObject *object, const char *name)
{
    JsonNode *node = member(object, name, JSON_NODE_VALUE);

    if (!node)
        return 0;
    return json_node_get_value_type(node) == G_TYPE_INT64 ? (double)json_node_get_int(node)
                                                          : json_node_get_double(node);
}

static JsonArray *array_of(JsonObject *object, const char *name)
{
    JsonNode *node = member(object, name, JSON_NODE_ARRAY);

    return node ? json_node_get_array(node) : NULL;
}

static JsonObject *object_at(JsonArray *array, guint i)
{
    JsonNode *node = json_array_get_element(array, i);

    return JSON_NODE_HOLDS_OBJECT(node) ? json_node_get_object(node) : NULL;
}

static void read_strings(JsonObject *object, const char *name, GPtrArray *out)
{
    JsonArray *array = array_of(object, name);

    for (guint i = 0; array && i < json_array_get_length(array); i++) {
        JsonNode *node = json_array_get_element(array, i);

        if (JSON_NODE_HOLDS_VALUE(node) && json_node_get_value_type(node) == G_TYPE_STRING)
            g_ptr_array_add(out, g_strdup(json_node_get_string(node)));
    }
}

static void read_steps(JsonObject *object, struct case_result *result)
{
    JsonArray *array = array_of(object, "frames");

    for (guint i = 0; array && i < json_array_get_length(array); i++) {
        JsonObject *from = object_at(array, i);
        struct case_step *step;
        g_autofree char *side = NULL;

        if (!from)
            continue;
        side = string_of(from, "from");
        step = g_new0(struct case_step, 1);
        step->seconds = number_of(from, "seconds");
        step->connection = (unsigned)CLAMP(number_of(from, "connection"), 0, UINT16_MAX);
        step->ours = g_strcmp0(side, "test") == 0;
        step->caption = string_of(from, "what");
        step->octets = string_of(from, "octets");
        step->left_out = (unsigned)CLAMP(number_of(from, "left_out"), 0, INT32_MAX);
        if (json_object_has_member(from, "repeated"))
            step->repeated = (unsigned)CLAMP(number_of(from, "repeated"), 0, INT32_MAX);
        step->n = (unsigned)CLAMP(number_of(from, "length"), 0, INT32_MAX);
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

static JsonObject *object_of(JsonObject *object, const char *name)
{
    JsonNode *node = member(object, name, JSON_NODE_OBJECT);

    return node ? json_node_get_object(node) : NULL;
}

static void read_runs(JsonObject *object, struct case_result *result)
{
    JsonObject *runs = object_of(object, "runs");
    JsonArray *ports = array_of(object, "ports");

    for (int outcome = 0; runs && outcome < OUTCOMES; outcome++)
        result->runs[outcome] = (unsigned)CLAMP(number_of(runs, case_outcome_names[outcome]), 0, INT32_MAX);
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
    read_steps(object, result);
    read_runs(object, result);
    result->seconds = number_of(object, "seconds");
    if (result->id && result->rule && read_outcome(object, &result->outcome))
        return result;
    case_result_free(result);
    return NULL;
}

static void read_deaths(JsonObject *object, struct suite_report *report)
{
    JsonArray *array = array_of(object, "deaths");

    for (guint i = 0; array && i < json_array_get_length(array); i++) {
        JsonObject *from = object_at(array, i);
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

static void read_origin(JsonObject *object, struct suite_report *report)
{
    JsonObject *origin = object_of(object, "origin");
    JsonArray *recordings = origin ? array_of(origin, "recordings") : NULL;

    if (!origin)
        return;
    report->command = string_of(origin, "command");
    report->catalogue = string_of(origin, "catalogue");
    report->device_info = string_of(origin, "device_info");
    for (guint i = 0; recordings && i < json_array_get_length(recordings); i++) {
        JsonObject *from = object_at(recordings, i);
        g_autofree char *file = from ? string_of(from, "file") : NULL,
                        *sha256 = from ? string_of(from, "sha256") : NULL;

        if (file)
            suite_report_add_recording(report, file, sha256);
    }
}

static struct suite_report *read_report(JsonObject *object)
{
    struct suite_report *report = suite_report_new();
    JsonArray *tests = array_of(object, "tests");
    bool good = tests != NULL;

    report->device = string_of(object, "device");
    report->role = string_of(object, "role");
    report->version = string_of(object, "version");
    report->started = string_of(object, "started");
    report->seconds = number_of(object, "seconds");
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
    for (guint i = 0; good && i < json_array_get_length(tests); i++) {
        JsonObject *from = object_at(tests, i);
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
