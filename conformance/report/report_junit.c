// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The JUnit report: a test suite per capture, which says what happened, and one per connection with a test case for
 * each rule that was exercised; --verbose adds the other rules. JUnit never had one schema; what is written here keeps
 * to what the ones in use have in common: the attributes and the order that the strict one demands, nothing that the
 * lenient ones do not know. So a test case is failed or skipped or neither, and all else goes to the suite's
 * system-out.
 */
#include "conformance/report/report_junit.h"
#include "conformance/options/options.h"
#include "conformance/print/print.h"
#include "conformance/report/report_formats.h"
#include "conformance/report/report_parts.h"
#include "conformance/report/report_trouble.h"
#include "support/markup.h"
#include "support/utc.h"

#include <inttypes.h>
#include <string.h>

/* ---- elements ---- */

static void line(GString *text, const char *prefix, const char *value)
{
    gchar *printable = printable_text(value);

    g_string_append_printf(text, "%s%s\n", prefix, printable);
    g_free(printable);
}

/* failure, error or skipped; body may be NULL. Takes the body. */
static void outcome(xmlTextWriter *writer, const char *name, const char *type, const char *message, GString *body)
{
    /* The strict schema knows no type of skipped: it is NULL there. */
    markup_begin(writer, name, "type", type, "message", message, NULL);
    if (body) {
        markup_lines(writer, "%s", body->str);
        g_string_free(body, TRUE);
    }
    markup_end(writer);
}

/* ---- test suites ---- */

struct suite {
    xmlTextWriter *writer;
    const struct report *report;
    const struct report_capture *capture;
    const struct report_connection *connection;
    gchar *classname; /* of its test cases: the capture as the package, the connection as the class */
    double case_s;    /* of each test case */
    GString *said;    /* system-out */
};

struct tally {
    unsigned tests, failures, errors, skipped;
    unsigned left_out[EXCLUSION_COUNT]; /* rules without a test case */
};

/*
 * The time that a test took is that of checking: rules are judged together while the capture is read, so what the
 * capture took is divided equally among its connections, and their cases. Jenkins' schema allows three decimals.
 */
static double time_of_suite(const struct suite *suite)
{
    const struct report_capture *capture = suite->capture;

    if (!capture)
        return 0;
    if (capture->part.series) /* judged as it came */
        return (double)(capture->part.to_ns - capture->part.from_ns) / 1e9 / MAX(capture->connections->len, 1);
    return (double)capture->checking_ns / 1e9 / MAX(capture->connections->len, 1);
}

/* number: of the suites before it. */
static void junit_begin_suite(struct suite *suite, unsigned number, const char *name, int64_t time_ns,
                              const struct tally *tally)
{
    double seconds = time_of_suite(suite);
    char text[G_ASCII_DTOSTR_BUF_SIZE];
    g_autofree gchar *timestamp = utc_text(time_ns, 1);

    timestamp[strlen("1970-01-01T00:00:00")] = '\0';
    markup_begin(suite->writer, "testsuite", "name", name, "package", "iwarp-check", "timestamp", timestamp, "hostname",
                 g_get_host_name(), NULL);
    markup_attribute(suite->writer, "id", "%u", number);
    markup_attribute(suite->writer, "tests", "%u", tally->tests);
    markup_attribute(suite->writer, "failures", "%u", tally->failures);
    markup_attribute(suite->writer, "errors", "%u", tally->errors);
    markup_attribute(suite->writer, "skipped", "%u", tally->skipped);
    markup_attribute(suite->writer, "time", "%s", g_ascii_formatd(text, sizeof text, "%.3f", seconds));
    suite->case_s = tally->tests == 0 ? 0 : seconds / tally->tests;
}

static void junit_end_suite(struct suite *suite)
{
    markup_begin(suite->writer, "system-out", NULL);
    markup_lines(suite->writer, "%s", suite->said->str);
    markup_end(suite->writer);
    markup_begin(suite->writer, "system-err", NULL);
    if (suite->capture && suite->capture->trouble) {
        gchar *text = printable_text(suite->capture->trouble);

        markup_lines(suite->writer, "%s", text);
        g_free(text);
    }
    markup_end(suite->writer);
    markup_end(suite->writer);
    g_string_truncate(suite->said, 0);
}

static void begin_case(struct suite *suite, const char *name)
{
    char text[G_ASCII_DTOSTR_BUF_SIZE];

    markup_begin(suite->writer, "testcase", "classname", suite->classname, "name", name, "time",
                 g_ascii_formatd(text, sizeof text, "%.3f", suite->case_s), NULL);
}

/* ---- properties ---- */

void junit_property(xmlTextWriter *writer, const char *name, const char *value)
{
    markup_void(writer, "property", "name", name, "value", value, NULL);
}

void junit_property_number(xmlTextWriter *writer, const char *name, bool known, uint64_t value)
{
    gchar *text = known ? g_strdup_printf("%" PRIu64, value) : g_strdup("not known");

    junit_property(writer, name, text);
    g_free(text);
}

static const char *yes_no(enum tristate value)
{
    return value == UNKNOWN ? "not known" : value == ON ? "yes" : "no";
}

static void write_mpa_properties(xmlTextWriter *writer, const struct report_connection *connection)
{
    const struct mpa_parameters *mpa = &connection->parameters;
    gchar *rtr = g_strdup_printf("%s%s%s", mpa->rtr & MPA_RTR_SEND ? "Send " : "",
                                 mpa->rtr & MPA_RTR_WRITE ? "Write " : "", mpa->rtr & MPA_RTR_READ ? "Read" : "");

    junit_property_number(writer, "mpa.revision", mpa->request_seen || mpa->reply_seen, mpa->revision);
    junit_property(writer, "mpa.markers", markers_text(connection));
    junit_property(writer, "mpa.crc", yes_no(mpa->crc));
    junit_property(writer, "mpa.enhanced", yes_no(mpa->startup_seen ? (enum tristate)mpa->enhanced : UNKNOWN));
    junit_property(writer, "mpa.peer_to_peer", yes_no(mpa->startup_seen ? (enum tristate)mpa->peer_to_peer : UNKNOWN));
    if (mpa->peer_to_peer)
        junit_property(writer, "mpa.rtr", *rtr == '\0' ? "none in common" : g_strchomp(rtr));
    if (mpa->ird_ord_known) {
        junit_property_number(writer, "mpa.ird", true, mpa->ird);
        junit_property_number(writer, "mpa.ord", true, mpa->ord);
    }
    junit_property(writer, "mpa.rejected", mpa->rejected ? "yes" : "no");
    junit_property(writer, "mpa.complete", connection->complete ? "yes" : "no");
    g_free(rtr);
}

static void write_ib_properties(xmlTextWriter *writer, const struct report_connection *connection)
{
    g_autofree gchar *terms = report_ib_terms_text(connection->ib);
    g_autofree gchar *trouble = report_ib_trouble_text(connection->ib);

    junit_property(writer, "transport", report_ib_transport_name(connection->ib->below));
    junit_property(writer, "ib.terms", terms);
    if (trouble)
        junit_property(writer, "ib.trouble", trouble);
    junit_property(writer, "ib.complete", connection->complete ? "yes" : "no");
}

static void write_capture_properties(xmlTextWriter *writer, const struct report_capture *capture)
{
    gchar *part = part_text(&capture->part);

    junit_property(writer, "capture", capture->file);
    if (part)
        junit_property(writer, "part", part);
    junit_property_number(writer, "packets", true, capture->packets);
    junit_property_number(writer, "packets_dropped", true, capture->dropped);
    g_free(part);
}

static void junit_write_properties(const struct suite *suite)
{
    const struct report_connection *connection = suite->connection;
    xmlTextWriter *writer = suite->writer;
    char text[ENDPOINT_TEXT_SIZE], seconds[PRINT_TIME_SIZE];

    markup_begin(writer, "properties", NULL);
    if (suite->capture)
        write_capture_properties(writer, suite->capture);
    junit_property(writer, "version", IWARP_KIT_VERSION);
    junit_property(writer, "profile", suite->report->options->profile);
    if (connection) {
        junit_property_number(writer, "connection", true, connection->id);
        junit_property(writer, "initiator", endpoint_text(&connection->initiator, text));
        junit_property(writer, "responder", endpoint_text(&connection->responder, text));
        junit_property(writer, "roles_known", connection->roles_known ? "yes" : "no");
        junit_property_number(writer, "start_frame", true, connection->start_frame);
        junit_property_number(writer, "end_frame", true, connection->end_frame);
        junit_property(writer, "seconds", print_time(connection->end_ns, connection->start_ns, seconds));
        if (suite->capture->part.series) {
            junit_property(writer, "continued", yes_no((enum tristate)connection->continued));
            junit_property(writer, "continues", yes_no((enum tristate)connection->continues));
        }
        if (connection->ib)
            write_ib_properties(writer, connection);
        else
            write_mpa_properties(writer, connection);
        REPORT_GUEST(&connection->guest, write_junit, writer);
    }
    markup_end(writer);
}

/* ---- test cases ---- */

/* The failing findings of a rule, or of the rules that carry its outcome; the first one is repeated in the message. */
static void junit_write_failure(const struct suite *suite, const struct report_rule *exercised)
{
    const struct rule *rule = &rule_catalogue[exercised->rule];
    const GArray *findings = suite->connection->findings;
    enum rule_severity severity = SEVERITY_NOTE;
    GString *body = g_string_new(NULL);
    gchar *message = NULL;
    uint32_t listed = 0;

    g_string_append_printf(body, "%s  %s section %s, %s\n", rule->id, rule->document, rule->section, rule->level);
    line(body, "", rule->text);
    for (guint i = 0; i < findings->len; i++) {
        const struct report_finding *finding = &g_array_index(findings, struct report_finding, i);
        gchar *text;

        if (finding->waiver || !options_fails(suite->report->options, finding->severity) ||
            !rule_carried_by(rule, finding->rule))
            continue;
        text = finding_text(finding, suite->capture->start_ns);
        severity = MAX(severity, finding->severity);
        if (finding->rule != exercised->rule)
            g_string_append_printf(body, "(%s) ", rule_catalogue[finding->rule].id);
        line(body, "", text);
        if (!message)
            message = g_steal_pointer(&text);
        g_free(text);
        listed += 1 + finding->more;
    }
    if (listed < exercised->failing)
        g_string_append_printf(body, "... and %" PRIu32 " more, not kept; --max-findings=0 keeps all\n",
                               exercised->failing - listed);
    outcome(suite->writer, "failure", rule_severity_name(listed == 0 ? rule->severity : severity),
            !message ? "violated; no finding was kept" : message, body);
    g_free(message);
}

enum case_kind { CASE_NONE, CASE_PASSED, CASE_FAILED, CASE_SKIPPED };

static enum case_kind junit_kind_of(const struct report *report, const struct report_rule *rule, enum exclusion why)
{
    if (why == EXERCISED)
        return rule->failing > 0 ? CASE_FAILED : CASE_PASSED;
    return report->options->verbose && why != NOT_SELECTED ? CASE_SKIPPED : CASE_NONE;
}

/* Every rule of the catalogue with what is known of it on this connection. */
static void for_each_rule(struct suite *suite,
                          void (*take)(struct suite *suite, const struct report_rule *rule, enum case_kind kind,
                                       enum exclusion why, void *ctx),
                          void *ctx)
{
    GArray *rules = g_array_new(FALSE, FALSE, sizeof(struct report_rule));
    guint next = 0;

    report_rules(suite->report, suite->connection, rules);

    for (size_t i = 0; i < RULE_COUNT; i++) {
        struct report_rule rule = {.rule = (enum rule_id)i};
        enum exclusion why;

        /* The connection lists them in the same order. */
        if (next < rules->len && g_array_index(rules, struct report_rule, next).rule == rule.rule)
            rule = g_array_index(rules, struct report_rule, next++);
        why = exclusion_of(suite->report, rule.rule, &rule.count);
        take(suite, &rule, junit_kind_of(suite->report, &rule, why), why, ctx);
    }
    g_array_unref(rules);
}

static void junit_count_case(struct suite *suite, const struct report_rule *rule, enum case_kind kind,
                             enum exclusion why, void *ctx)
{
    struct tally *tally = ctx;

    (void)suite;
    (void)rule;
    tally->left_out[why] += kind == CASE_NONE;
    tally->tests += kind != CASE_NONE;
    tally->failures += kind == CASE_FAILED;
    tally->skipped += kind == CASE_SKIPPED;
}

static void junit_write_case(struct suite *suite, const struct report_rule *rule, enum case_kind kind,
                             enum exclusion why, void *ctx)
{
    (void)ctx;
    if (kind == CASE_NONE)
        return;
    begin_case(suite, rule_catalogue[rule->rule].id);
    if (kind == CASE_FAILED)
        junit_write_failure(suite, rule);
    else if (kind == CASE_SKIPPED)
        outcome(suite->writer, "skipped", NULL, exclusion_text(why), NULL);
    markup_end(suite->writer);
}

/* Findings that make nothing fail are not lost: waived ones and those below --fail-on. */
static void write_harmless_findings(struct suite *suite)
{
    const GArray *findings = suite->connection->findings;

    for (guint i = 0; i < findings->len; i++) {
        const struct report_finding *finding = &g_array_index(findings, struct report_finding, i);
        gchar *text;

        if (!finding->waiver && options_fails(suite->report->options, finding->severity))
            continue;
        g_string_append_printf(suite->said, "%s  %s", rule_catalogue[finding->rule].id,
                               rule_severity_name(finding->severity));
        if (finding->waiver)
            g_string_append(suite->said, ", waived");
        if (finding->waiver && finding->waiver->why) {
            gchar *why = printable_text(finding->waiver->why);

            g_string_append_printf(suite->said, " (%s)", why);
            g_free(why);
        }
        text = finding_text(finding, suite->capture->start_ns);
        line(suite->said, ": ", text);
        g_free(text);
    }
    if (suite->connection->not_kept > 0)
        g_string_append_printf(suite->said,
                               "%" PRIu64 " more findings were counted but not kept; --max-findings=0 keeps all\n",
                               suite->connection->not_kept);
}

/* What no capture can decide says nothing about this one. */
static void junit_write_left_out(struct suite *suite, const struct tally *tally)
{
    static const enum exclusion told[] = {INCONCLUSIVE, NO_OCCASION, NO_STIMULUS};

    if (suite->report->options->verbose)
        return;
    for (size_t i = 0; i < G_N_ELEMENTS(told); i++)
        if (tally->left_out[told[i]] > 0)
            g_string_append_printf(suite->said, "%u rule%s without a test case: %s\n", tally->left_out[told[i]],
                                   plural(tally->left_out[told[i]]), exclusion_text(told[i]));
    g_string_append(suite->said, "--verbose has a test case for each rule\n");
}

/* "." parts packages from classes. */
static gchar *class_name(const char *file, const char *rest, uint32_t number)
{
    gchar *package = g_strdelimit(printable_text(file), ".", '_');
    gchar *name = number == 0 ? g_strdup_printf("%s.%s", package, rest)
                              : g_strdup_printf("%s.%s-%" PRIu32, package, rest, number);

    g_free(package);
    return name;
}

static void junit_write_connection(struct suite *suite, unsigned number)
{
    const struct report_connection *connection = suite->connection;
    char initiator[ENDPOINT_TEXT_SIZE], responder[ENDPOINT_TEXT_SIZE];
    struct tally tally = {0};
    gchar *name = g_strdup_printf("%s: connection %" PRIu32 ", %s -> %s", suite->capture->file, connection->id,
                                  endpoint_text(&connection->initiator, initiator),
                                  endpoint_text(&connection->responder, responder));

    suite->classname = class_name(suite->capture->file, "connection", connection->id);
    for_each_rule(suite, junit_count_case, &tally);
    junit_begin_suite(suite, number, name, connection->start_ns, &tally);
    junit_write_properties(suite);
    for_each_rule(suite, junit_write_case, NULL);
    write_harmless_findings(suite);
    junit_write_left_out(suite, &tally);
    junit_end_suite(suite);
    g_free(suite->classname);
    g_free(name);
}

/* What went wrong, with or without --fail-on=trouble. */
static void junit_write_happened(struct suite *suite, bool fails)
{
    const GPtrArray *list = suite->capture->troubles->list;
    GString *lines = g_string_new(NULL);
    g_autofree gchar *worst = NULL;

    for (guint i = 0; i < list->len; i++) {
        g_autofree gchar *text = trouble_text(g_ptr_array_index(list, i));

        line(lines, "", text);
    }
    begin_case(suite, "what happened");
    if (fails) {
        worst = troubles_headline((const struct troubles *const *)&suite->capture->troubles, 1);
        outcome(suite->writer, "failure", "trouble", worst, g_steal_pointer(&lines));
    } else {
        g_string_append(suite->said, lines->str);
    }
    markup_end(suite->writer);
    if (lines)
        g_string_free(lines, TRUE);
}

/* A capture that could not be read is an error, and so is one of which nothing was checked: no empty pass. */
static void write_unjudged(struct suite *suite, bool error)
{
    const struct report_capture *capture = suite->capture;

    begin_case(suite, report_capture_undone(capture)   ? "readable"
                      : capture->connections->len == 0 ? "has RDMA connections"
                                                       : "has FPDUs to judge");
    outcome(suite->writer, error ? "error" : "skipped", error ? "capture" : NULL,
            report_capture_undone(capture) ? capture->trouble : report_nothing_checked(capture), NULL);
    markup_end(suite->writer);
}

static void junit_write_capture(struct suite *suite, unsigned number)
{
    const struct report_capture *capture = suite->capture;
    bool judged = !report_capture_undone(capture) && !report_nothing_checked(capture);
    bool error = !judged && (report_capture_undone(capture) || !suite->report->options->allow_empty);
    bool happened = judged || capture->troubles->list->len > 0;
    bool fails = suite->report->options->fail_trouble && troubles_any_fails(capture->troubles);
    g_autofree gchar *unlisted = report_rest_fails_text(suite->report->options, &capture->rest);
    struct tally tally = {.tests = !judged + happened + (unlisted != NULL),
                          .failures = fails + (unlisted != NULL),
                          .errors = error,
                          .skipped = !judged && !error};

    suite->connection = NULL;
    suite->classname = class_name(capture->file, "capture", 0);
    junit_begin_suite(suite, number, capture->file, capture->start_ns, &tally);
    junit_write_properties(suite);
    if (!judged)
        write_unjudged(suite, error);
    if (happened)
        junit_write_happened(suite, fails);
    if (unlisted) {
        begin_case(suite, "connections that are not listed");
        outcome(suite->writer, "failure", "findings", unlisted, NULL);
        markup_end(suite->writer);
    }
    junit_end_suite(suite);
    g_free(suite->classname);
}

static void junit_write_unused_waivers(struct suite *suite, unsigned number)
{
    const GPtrArray *unused = suite->report->unused_waivers;
    bool strict = suite->report->options->strict_waivers;
    struct tally tally = {
        .tests = unused->len, .failures = strict ? unused->len : 0, .skipped = strict ? 0 : unused->len};
    char classname[] = "waivers";

    suite->capture = NULL;
    suite->connection = NULL;
    suite->classname = classname;
    junit_begin_suite(suite, number, "unused waivers", 0, &tally);
    junit_write_properties(suite);
    for (guint i = 0; i < unused->len; i++) {
        const struct waiver *waiver = g_ptr_array_index(unused, i);
        gchar *text = unused_waiver_text(waiver), *message = g_strdup_printf("matches nothing (%s)", text);

        begin_case(suite, waiver->id);
        outcome(suite->writer, strict ? "failure" : "skipped", strict ? "waiver" : NULL, message, NULL);
        markup_end(suite->writer);
        g_free(message);
        g_free(text);
    }
    junit_end_suite(suite);
    suite->classname = NULL;
}

void report_write_junit(const struct report *report, FILE *out)
{
    xmlOutputBuffer *buffer = xmlOutputBufferCreateFile(out, NULL);
    struct suite suite = {.writer = xmlNewTextWriter(buffer), .report = report, .said = g_string_new(NULL)};
    unsigned number = 0;

    xmlTextWriterSetIndent(suite.writer, 1);
    xmlTextWriterStartDocument(suite.writer, "1.0", "UTF-8", NULL);
    markup_begin(suite.writer, "testsuites", NULL);
    for (guint i = 0; i < report->captures->len; i++) {
        suite.capture = g_ptr_array_index(report->captures, i);
        junit_write_capture(&suite, number++);
        for (guint j = 0; j < suite.capture->connections->len; j++) {
            suite.connection = g_ptr_array_index(suite.capture->connections, j);
            junit_write_connection(&suite, number++);
        }
    }
    if (report->unused_waivers->len > 0)
        junit_write_unused_waivers(&suite, number);
    xmlTextWriterEndDocument(suite.writer);
    xmlFreeTextWriter(suite.writer);
    g_string_free(suite.said, TRUE);
}
