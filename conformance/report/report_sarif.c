// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The SARIF report (OASIS, Static Analysis Results Interchange Format 2.1.0): a run, whose artifacts are the captures
 * and whose results are the findings and troubles. A capture has no lines; the frame takes the place of the line that
 * viewers want.
 */
#include "conformance/options/options.h"
#include "conformance/report/report_formats.h"
#include "conformance/report/report_parts.h"
#include "conformance/report/report_trouble.h"
#include "conformance/report/report_violations.h"
#include "support/json_writer.h"

#include <string.h>

static void add_text(struct json_writer *writer, const char *name, const char *text)
{
    json_begin_object(writer, name);
    json_string(writer, "text", text);
    json_end_object(writer);
}

/* ---- rules ---- */

static void sarif_add_rule(struct json_writer *writer, enum rule_id id)
{
    const struct rule *rule = &rule_catalogue[id];
    g_autofree gchar *help =
        g_strdup_printf("How it is judged: %s\n\nWhat violates it, for example: %s", rule->how, rule->cause);

    json_begin_object(writer, NULL);
    json_string(writer, "id", rule->id);
    add_text(writer, "shortDescription", rule->text);
    add_text(writer, "help", help);
    json_begin_object(writer, "defaultConfiguration");
    json_string(writer, "level", rule_severity_name(rule->severity));
    json_end_object(writer);
    json_begin_object(writer, "properties");
    json_string(writer, "document", rule->document);
    json_string(writer, "section", rule->section);
    json_string(writer, "requirementLevel", rule->level);
    json_end_object(writer);
    json_end_object(writer);
}

static gchar *trouble_rule(enum trouble_kind kind)
{
    return g_strconcat("trouble/", trouble_kind_name(kind), NULL);
}

static void add_trouble_rule(struct json_writer *writer, enum trouble_kind kind)
{
    g_autofree gchar *id = trouble_rule(kind), *words = g_strdelimit(g_strdup(trouble_kind_name(kind)), "-", ' ');
    g_autofree gchar *text = g_strdup_printf("What happened: %s", words);

    json_begin_object(writer, NULL);
    json_string(writer, "id", id);
    add_text(writer, "shortDescription", text);
    json_begin_object(writer, "defaultConfiguration");
    json_string(writer, "level", "note");
    json_end_object(writer);
    json_end_object(writer);
}

/* For each rule and kind of trouble with results: its place in the array of rules. */
struct places {
    int rule[RULE_COUNT], trouble[TROUBLE_KINDS];
};

static void add_trouble_rules(struct json_writer *writer, const struct report *report, int next, struct places *places)
{
    bool seen[TROUBLE_KINDS] = {false};

    for (guint i = 0; i < report->captures->len; i++) {
        const struct report_capture *capture = g_ptr_array_index(report->captures, i);

        for (guint k = 0; k < capture->troubles->list->len; k++)
            seen[((const struct trouble *)g_ptr_array_index(capture->troubles->list, k))->kind] = true;
    }
    for (size_t kind = 0; kind < TROUBLE_KINDS; kind++) {
        if (!seen[kind])
            continue;
        places->trouble[kind] = next++;
        add_trouble_rule(writer, (enum trouble_kind)kind);
    }
}

/* Rules and kinds with results. */
static void add_tool(struct json_writer *writer, const struct report *report, struct places *places)
{
    GArray *violations = report_violations(report);

    json_begin_object(writer, "tool");
    json_begin_object(writer, "driver");
    json_string(writer, "name", "iwarp-check");
    json_string(writer, "version", IWARP_KIT_VERSION);
    json_string(writer, "informationUri", IWARP_KIT_URL);
    json_begin_array(writer, "rules");
    for (guint i = 0; i < violations->len; i++) {
        enum rule_id rule = g_array_index(violations, struct violation, i).rule;

        places->rule[rule] = (int)i;
        sarif_add_rule(writer, rule);
    }
    add_trouble_rules(writer, report, (int)violations->len, places);
    json_end_array(writer);
    json_end_object(writer);
    json_end_object(writer);
    g_array_unref(violations);
}

/* ---- captures ---- */

/* A relative reference for a relative path, which viewers resolve against their base. */
static gchar *uri_of(const char *file)
{
    g_autofree gchar *path = g_uri_escape_string(file, G_URI_RESERVED_CHARS_ALLOWED_IN_PATH_ELEMENT "/", FALSE);

    if (*file == '/')
        return g_strconcat("file://", path, NULL);
    /* A colon in the first part would look like the end of a scheme. */
    return strchr(path, ':') ? g_strconcat("./", path, NULL) : g_steal_pointer(&path);
}

static void add_location(struct json_writer *writer, const char *name, const char *file, guint index)
{
    g_autofree gchar *uri = uri_of(file);

    json_begin_object(writer, name);
    json_string(writer, "uri", uri);
    json_number(writer, "index", index);
    json_end_object(writer);
}

static void add_artifacts(struct json_writer *writer, const struct report *report)
{
    json_begin_array(writer, "artifacts");
    for (guint i = 0; i < report->captures->len; i++) {
        const struct report_capture *capture = g_ptr_array_index(report->captures, i);
        g_autofree gchar *uri = uri_of(capture->path);

        json_begin_object(writer, NULL);
        json_begin_object(writer, "location");
        json_string(writer, "uri", uri);
        json_end_object(writer);
        json_string(writer, "mimeType", "application/vnd.tcpdump.pcap");
        json_end_object(writer);
    }
    json_end_array(writer);
}

/* ---- the invocation ---- */

static void add_notification(struct json_writer *writer, const struct report_capture *capture, guint index,
                             const char *level, const char *text)
{
    json_begin_object(writer, NULL);
    json_string(writer, "level", level);
    add_text(writer, "message", text);
    json_begin_array(writer, "locations");
    json_begin_object(writer, NULL);
    json_begin_object(writer, "physicalLocation");
    add_location(writer, "artifactLocation", capture->path, index);
    json_end_object(writer);
    json_end_object(writer);
    json_end_array(writer);
    json_end_object(writer);
}

static void add_not_kept(struct json_writer *writer, const struct report_capture *capture, guint index)
{
    uint64_t n = 0;
    g_autofree gchar *text = NULL;

    for (guint i = 0; i < capture->connections->len; i++)
        n += ((const struct report_connection *)g_ptr_array_index(capture->connections, i))->not_kept;
    if (n == 0)
        return;
    text =
        g_strdup_printf("%" G_GUINT64_FORMAT " more findings were counted but not kept; --max-findings=0 keeps all", n);
    add_notification(writer, capture, index, "note", text);
}

static void add_invocation(struct json_writer *writer, const struct report *report)
{
    g_autofree gchar *verdict = verdict_text(report);

    json_begin_array(writer, "invocations");
    json_begin_object(writer, NULL);
    if (report->options->command_line)
        json_string(writer, "commandLine", report->options->command_line);
    json_bool(writer, "executionSuccessful", report->status != CHECK_TROUBLE);
    json_number(writer, "exitCode", report->status);
    json_string(writer, "exitCodeDescription", verdict);
    json_begin_array(writer, "toolExecutionNotifications");
    for (guint i = 0; i < report->captures->len; i++) {
        const struct report_capture *capture = g_ptr_array_index(report->captures, i);
        const char *nothing = report_capture_undone(capture) ? NULL : report_nothing_checked(capture);
        g_autofree gchar *unlisted = report_rest_fails_text(report->options, &capture->rest);

        if (capture->trouble)
            add_notification(writer, capture, i, report_capture_undone(capture) ? "error" : "warning",
                             capture->trouble);
        if (nothing)
            add_notification(writer, capture, i, report->options->allow_empty ? "note" : "warning", nothing);
        if (unlisted)
            add_notification(writer, capture, i, "error", unlisted);
        add_not_kept(writer, capture, i);
    }
    json_end_array(writer);
    json_end_object(writer);
    json_end_array(writer);
}

/* ---- findings ---- */

static void add_properties(struct json_writer *writer, const struct report_connection *connection,
                           const struct report_finding *finding, int64_t start_ns)
{
    json_begin_object(writer, "properties");
    json_number(writer, "connection", connection->id);
    json_number(writer, "frame", finding->frame);
    if (finding->related_frame != 0)
        json_number(writer, "relatedFrame", finding->related_frame);
    json_double(writer, "time", (double)(finding->time_ns - start_ns) / 1e9);
    json_string(writer, "direction",
                finding->direction == DIR_TO_RESPONDER ? "initiator-to-responder" : "responder-to-initiator");
    json_number(writer, "streamOffset", (int64_t)finding->offset);
    json_end_object(writer);
}

static void sarif_add_region(struct json_writer *writer, uint32_t first, uint32_t last)
{
    json_begin_object(writer, "region");
    json_number(writer, "startLine", MIN(first, last));
    if (first < last)
        json_number(writer, "endLine", last);
    json_end_object(writer);
}

/*
 * The same in the next run of a device's tests, whatever the addresses, frames and numbers: the first of several equal
 * findings in a capture matches the first of the next run, and so on.
 */
static void add_fingerprint(struct json_writer *writer, const char *about, GHashTable *seen)
{
    gchar *hash = g_compute_checksum_for_string(G_CHECKSUM_SHA256, about, -1);
    unsigned times = GPOINTER_TO_UINT(g_hash_table_lookup(seen, hash)) + 1;
    g_autofree gchar *value = g_strdup_printf("%.32s:%u", hash, times);

    g_hash_table_insert(seen, hash, GUINT_TO_POINTER(times));
    json_begin_object(writer, "partialFingerprints");
    json_string(writer, "iwarpFinding/v1", value);
    json_end_object(writer);
}

/* what: the connection, or the two ends. */
static void add_where(struct json_writer *writer, const struct report_capture *capture, guint index, const char *what,
                      uint32_t first, uint32_t last)
{
    json_begin_array(writer, "locations");
    json_begin_object(writer, NULL);
    json_begin_object(writer, "physicalLocation");
    add_location(writer, "artifactLocation", capture->path, index);
    sarif_add_region(writer, first, last);
    json_end_object(writer);
    json_begin_array(writer, "logicalLocations");
    json_begin_object(writer, NULL);
    json_string(writer, "fullyQualifiedName", what);
    json_end_object(writer);
    json_end_array(writer);
    json_end_object(writer);
    json_end_array(writer);
}

static void add_suppression(struct json_writer *writer, const struct waiver *waiver)
{
    json_begin_array(writer, "suppressions");
    json_begin_object(writer, NULL);
    json_string(writer, "kind", "external");
    if (waiver->why)
        json_string(writer, "justification", waiver->why);
    json_end_object(writer);
    json_end_array(writer);
}

static void sarif_add_result(struct json_writer *writer, const struct report_capture *capture, guint index,
                             const struct report_connection *connection, const struct report_finding *finding,
                             const struct places *places, GHashTable *seen)
{
    char initiator[ENDPOINT_TEXT_SIZE], responder[ENDPOINT_TEXT_SIZE];
    uint32_t last = MAX(finding->frame, 1), first = finding->first_frame != 0 ? finding->first_frame : last;
    g_autofree gchar *text = finding_text(finding, capture->start_ns);
    g_autofree gchar *what =
        g_strdup_printf("connection %u: %s -> %s", connection->id, endpoint_text(&connection->initiator, initiator),
                        endpoint_text(&connection->responder, responder));
    g_autofree gchar *like = report_fold_text(finding->message);
    g_autofree gchar *about = g_strdup_printf("%s %d %s", rule_catalogue[finding->rule].id, finding->direction, like);

    json_begin_object(writer, NULL);
    json_string(writer, "ruleId", rule_catalogue[finding->rule].id);
    json_number(writer, "ruleIndex", places->rule[finding->rule]);
    json_string(writer, "level", rule_severity_name(finding->severity));
    add_text(writer, "message", text);
    add_where(writer, capture, index, what, first, last);
    add_fingerprint(writer, about, seen);
    if (finding->more > 0)
        json_number(writer, "occurrenceCount", 1 + (int64_t)finding->more);
    if (finding->waiver)
        add_suppression(writer, finding->waiver);
    add_properties(writer, connection, finding, capture->start_ns);
    json_end_object(writer);
}

/* The words name addresses and times, which differ in the next run. */
static void sarif_add_trouble(struct json_writer *writer, const struct report *report, guint index,
                              const struct trouble *trouble, const struct places *places, GHashTable *seen)
{
    const struct report_capture *capture = g_ptr_array_index(report->captures, index);
    g_autofree gchar *id = trouble_rule(trouble->kind), *text = trouble_text(trouble);
    g_autofree gchar *what = g_strdup_printf("client %s, server %s", trouble->client, trouble->server);
    bool fails = report->options->fail_trouble && trouble_fails(trouble);

    json_begin_object(writer, NULL);
    json_string(writer, "ruleId", id);
    json_number(writer, "ruleIndex", places->trouble[trouble->kind]);
    json_string(writer, "level", fails ? "error" : "note");
    add_text(writer, "message", text);
    add_where(writer, capture, index, what, MAX(trouble->frame, 1), MAX(trouble->frame, 1));
    add_fingerprint(writer, id, seen);
    json_end_object(writer);
}

static void sarif_add_results(struct json_writer *writer, const struct report *report, const struct places *places)
{
    json_begin_array(writer, "results");
    for (guint i = 0; i < report->captures->len; i++) {
        const struct report_capture *capture = g_ptr_array_index(report->captures, i);
        g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

        for (guint k = 0; k < capture->connections->len; k++) {
            const struct report_connection *connection = g_ptr_array_index(capture->connections, k);

            for (guint n = 0; n < connection->findings->len; n++)
                sarif_add_result(writer, capture, i, connection,
                                 &g_array_index(connection->findings, struct report_finding, n), places, seen);
        }
        for (guint k = 0; k < capture->troubles->list->len; k++)
            sarif_add_trouble(writer, report, i, g_ptr_array_index(capture->troubles->list, k), places, seen);
    }
    json_end_array(writer);
}

void report_write_sarif(const struct report *report, FILE *out)
{
    struct places places = {{0}, {0}};
    struct json_writer writer;

    json_writer_begin(&writer, out, 1);
    json_begin_object(&writer, NULL);
    json_string(&writer, "$schema",
                "https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/sarif-schema-2.1.0.json");
    json_string(&writer, "version", "2.1.0");
    json_begin_array(&writer, "runs");
    json_begin_object(&writer, NULL);
    add_tool(&writer, report, &places);
    add_invocation(&writer, report);
    add_artifacts(&writer, report);
    sarif_add_results(&writer, report, &places);
    json_end_object(&writer);
    json_end_array(&writer);
    json_end_object(&writer);
    json_writer_end(&writer);
}
