// SPDX-License-Identifier: GPL-2.0-or-later
/* Writes and reads the JSON report; docs/iwarp-test.schema.json describes it. */
#include "traffic-gen/tester/suite/result/result.h"

#include "support/json_guard.h"
#include "support/json_members.h"

enum { FORMAT = 2 /* of the report: docs/iwarp-test.schema.json */, INDENTATION = 2 };

#define RESULT_ERROR g_quark_from_static_string("iwarp-test-result")

/* ---- cases ---- */

#define STEP(name, kind, field) name, kind, JSON_AT(struct case_step, field)
static const char *const sides[] = {"device", "test"};
static const struct json_member step_members[] = {
    {STEP("seconds", JSON_SECONDS, seconds)},
    {STEP("connection", JSON_COUNT, connection)},
    {STEP("from", JSON_WORD, ours), .names = sides, .n = G_N_ELEMENTS(sides)},
    {STEP("what", JSON_TEXT, caption)},
    {STEP("length", JSON_COUNT, n), .most = INT32_MAX},
    {STEP("octets", JSON_TEXT, octets)},
    {STEP("left_out", JSON_COUNT, left_out), .most = INT32_MAX},
    {STEP("repeated", JSON_COUNT, repeated), .most = INT32_MAX, .zero = JSON_LEFT_OUT},
    {NULL},
};
static const struct json_table step_table = {"a frame", step_members};
static const struct json_structure step_structure = {sizeof(struct case_step), NULL, NULL};

#define RESULT(name, kind, field) name, kind, JSON_AT(struct case_result, field)
static const struct json_member runs_members[] = {
    {RESULT("runs", JSON_COUNTS, runs), .names = case_outcome_names, .n = OUTCOMES, .zero = JSON_LEFT_OUT},
    {NULL},
};
static const struct json_table runs_table = {"the runs", runs_members};

static const struct json_member result_members[] = {
    {RESULT("id", JSON_TEXT, id)},
    {RESULT("rule", JSON_TEXT, rule)},
    {RESULT("aliases", JSON_TEXTS, aliases)},
    {RESULT("suite", JSON_TEXT, suite)},
    {RESULT("document", JSON_TEXT, document)},
    {RESULT("section", JSON_TEXT, section)},
    {RESULT("level", JSON_TEXT, level)},
    {RESULT("severity", JSON_TEXT, severity)},
    {RESULT("requirement", JSON_TEXT, requirement)},
    {RESULT("stimulus", JSON_TEXT, stimulus)},
    {RESULT("expected", JSON_TEXT, expected)},
    {RESULT("outcome", JSON_WORD, outcome), .names = case_outcome_names, .n = OUTCOMES},
    {RESULT("actual", JSON_TEXT, actual)},
    {RESULT("waived", JSON_TEXT, waived)},
    {RESULT("death", JSON_TEXT, death)},
    {RESULT("reduced", JSON_TEXT, reduced), .zero = JSON_LEFT_OUT},
    {RESULT("shown", JSON_WORD, shown), .names = case_shown_names, .n = SHOWN_KINDS},
    {RESULT("rests_on", JSON_TEXT, rests_on)},
    {"runs", JSON_INNER, .inner = &runs_table},
    {RESULT("seconds", JSON_SECONDS, seconds)},
    {RESULT("observations", JSON_TEXTS, observations)},
    {RESULT("doubted", JSON_TEXTS, doubted), .zero = JSON_LEFT_OUT},
    {RESULT("ports", JSON_NUMBERS, ports), .n = 1},
    {RESULT("frames", JSON_POINTERS, steps), .inner = &step_table, .structure = &step_structure},
    {NULL},
};

static void begin_result(void *zeroed)
{
    case_result_init(zeroed);
    ((struct case_result *)zeroed)->outcome = OUTCOMES;
}

static bool result_is_full(const void *read)
{
    const struct case_result *result = read;

    return result->id && result->rule && result->outcome != OUTCOMES;
}

static const struct json_table result_table = {"a test", result_members};
static const struct json_structure result_structure = {sizeof(struct case_result), begin_result, result_is_full};

/* ---- the report ---- */

#define MISSING(name, kind, field) name, kind, JSON_AT(struct missing_service, field)
static const struct json_member missing_members[] = {
    {MISSING("tests", JSON_COUNT, cases)},
    {MISSING("what", JSON_TEXT, what)},
    {MISSING("service", JSON_TEXT, service)},
    {NULL},
};
static const struct json_table missing_table = {"a missing service", missing_members};

#define DEATH(name, kind, field) name, kind, JSON_AT(struct device_death, field)
static const struct json_member death_members[] = {
    {DEATH("tests", JSON_TEXTS, cases)},
    {DEATH("state", JSON_TEXT, state)},
    {DEATH("what", JSON_TEXT, what)},
    {DEATH("revived", JSON_TRUTH, revived)},
    {NULL},
};
static const struct json_table death_table = {"a death", death_members};
static const struct json_structure death_structure = {sizeof(struct device_death), device_death_init, NULL};

#define LEFT_OUT(name, kind, field) name, kind, JSON_AT(struct left_out, field)
static const struct json_member left_out_members[] = {
    {LEFT_OUT("suite", JSON_TEXT, suite)},
    {LEFT_OUT("values", JSON_TEXT, values)},
    {LEFT_OUT("rule", JSON_TEXT, rule)},
    {LEFT_OUT("death", JSON_TEXT, death)},
    {LEFT_OUT("waived", JSON_TEXT, waived)},
    {LEFT_OUT("combinations", JSON_COUNT, combinations), .most = INT32_MAX},
    {NULL},
};

static bool left_out_is_full(const void *read)
{
    const struct left_out *left_out = read;

    return left_out->suite && left_out->values && left_out->rule;
}

static const struct json_table left_out_table = {"combinations left out", left_out_members};
static const struct json_structure left_out_structure = {sizeof(struct left_out), NULL, left_out_is_full};

static const struct json_member recording_members[] = {
    {"file", JSON_TEXT, JSON_AT(struct recording, file)},
    {"sha256", JSON_TEXT, JSON_AT(struct recording, sha256)},
    {NULL},
};

static bool recording_is_full(const void *read)
{
    return ((const struct recording *)read)->file != NULL;
}

static const struct json_table recording_table = {"a recording", recording_members};
static const struct json_structure recording_structure = {sizeof(struct recording), NULL, recording_is_full};

#define REPORT(name, kind, field) name, kind, JSON_AT(struct suite_report, field)
static const struct json_member origin_members[] = {
    {REPORT("command", JSON_TEXT, command)},
    {REPORT("catalogue", JSON_TEXT, catalogue)},
    {REPORT("device_info", JSON_TEXT, device_info)},
    {REPORT("recordings", JSON_POINTERS, recordings), .inner = &recording_table, .structure = &recording_structure},
    {NULL},
};
static const struct json_table origin_table = {"the origin", origin_members};

static const struct json_member reach_members[] = {
    {REPORT("tests", JSON_COUNT, chosen)},
    {REPORT("can_run", JSON_COUNT, can_run)},
    {REPORT("missing", JSON_POINTERS, missing), .inner = &missing_table},
    {NULL},
};
static const struct json_table reach_table = {"the reach", reach_members};

static const struct json_member report_members[] = {
    {REPORT("version", JSON_TEXT, version)},
    {REPORT("device", JSON_TEXT, device)},
    {REPORT("role", JSON_TEXT, role)},
    {REPORT("started", JSON_TEXT, started)},
    {REPORT("seconds", JSON_SECONDS, seconds)},
    {REPORT("state", JSON_TEXT, state)},
    {REPORT("start_up", JSON_TEXT, start_up)},
    {REPORT("sign_of_life", JSON_TEXT, sign)},
    {REPORT("terminate_layout", JSON_TEXT, layout)},
    {REPORT("capture", JSON_TEXT, capture)},
    {"origin", JSON_INNER, .inner = &origin_table},
    {REPORT("load", JSON_TEXT, load)},
    {REPORT("soak", JSON_TEXTS, soak)},
    {"reach", JSON_INNER, .inner = &reach_table, .derived = true}, /* of the run, not of its results */
    {REPORT("deaths", JSON_POINTERS, deaths), .inner = &death_table, .structure = &death_structure},
    {REPORT("tests", JSON_POINTERS, results), .inner = &result_table, .structure = &result_structure},
    {REPORT("unused_waivers", JSON_TEXTS, unused_waivers), .derived = true},
    {REPORT("left_out", JSON_POINTERS, left_out), .inner = &left_out_table, .structure = &left_out_structure,
     .zero = JSON_LEFT_OUT},
    {NULL},
};
static const struct json_table report_table = {"the report", report_members};

/* ---- writing ---- */

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

void suite_report_json(const struct suite_report *report, FILE *file)
{
    struct json_writer writer, *out = &writer;

    json_writer_begin(out, file, INDENTATION);
    json_begin_object(out, NULL);
    json_string(out, "tool", "iwarp-gen test");
    json_number(out, "format", FORMAT);
    json_write_members(out, &report_table, report, NULL);
    add_sections(out, report);
    result_json_add_summary(out, report);
    json_end_object(out);
    json_writer_end(out);
}

/* ---- reading ---- */

static struct suite_report *read_report(JsonObject *object)
{
    struct json_reading reading = {.partial = true, .copies = true};
    struct suite_report *report = suite_report_new();
    bool good = json_read_members(&reading, &report_table, object, report) && json_has(object, "tests");

    g_free(reading.wrong);
    report->chosen = report->finished = report->results->len;
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
