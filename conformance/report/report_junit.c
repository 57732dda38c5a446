// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The JUnit report: a test suite per capture, which says what happened, and one per connection with a test case for
 * each rule that was exercised; --verbose adds the other rules.
 */
#include "conformance/options/options.h"
#include "conformance/print/print.h"
#include "conformance/report/report_formats.h"
#include "conformance/report/report_parts.h"
#include "conformance/report/report_tested.h"
#include "support/utc.h"

#include <inttypes.h>
#include <string.h>

/* ---- properties ---- */

static const char *yes_no(enum tristate value)
{
    return value == UNKNOWN ? "not known" : value == ON ? "yes" : "no";
}

static void write_mpa_properties(struct tested_suite *suite, const struct report_connection *connection)
{
    const struct mpa_parameters *mpa = &connection->parameters;
    g_autofree gchar *rtr = rtr_text(mpa->rtr);

    tested_property_number(suite, "mpa.revision", mpa->request_seen || mpa->reply_seen, mpa->revision);
    tested_property(suite, "mpa.markers", markers_text(connection));
    tested_property(suite, "mpa.crc", yes_no(mpa->crc));
    tested_property(suite, "mpa.enhanced", yes_no(mpa->startup_seen ? (enum tristate)mpa->enhanced : UNKNOWN));
    tested_property(suite, "mpa.peer_to_peer", yes_no(mpa->startup_seen ? (enum tristate)mpa->peer_to_peer : UNKNOWN));
    if (mpa->peer_to_peer)
        tested_property(suite, "mpa.rtr", rtr + strlen("RTR "));
    if (mpa->ird_ord_known) {
        tested_property_number(suite, "mpa.ird", true, mpa->ird);
        tested_property_number(suite, "mpa.ord", true, mpa->ord);
    }
    tested_property(suite, "mpa.rejected", mpa->rejected ? "yes" : "no");
    tested_property(suite, "mpa.complete", connection->complete ? "yes" : "no");
}

static void write_ib_properties(struct tested_suite *suite, const struct report_connection *connection)
{
    g_autofree gchar *terms = report_ib_terms_text(connection->ib);
    g_autofree gchar *trouble = report_ib_trouble_text(connection->ib);

    tested_property(suite, "transport", report_ib_transport_name(connection->ib->below));
    tested_property(suite, "ib.terms", terms);
    if (trouble)
        tested_property(suite, "ib.trouble", trouble);
    tested_property(suite, "ib.complete", connection->complete ? "yes" : "no");
}

static void write_capture_properties(struct report_suite *of)
{
    const struct report_capture *capture = of->capture;
    struct tested_suite *suite = &of->tested;
    g_autofree gchar *part = part_text(&capture->part), *verdict = of->connection ? NULL : verdict_text(of->report);

    tested_property(suite, "capture", capture->file);
    if (verdict)
        tested_property(suite, "verdict", verdict);
    if (part)
        tested_property(suite, "part", part);
    tested_property_number(suite, "packets", true, capture->packets);
    tested_property_number(suite, "packets_dropped", true, capture->dropped);
}

static void write_connection_properties(struct report_suite *of)
{
    const struct report_connection *connection = of->connection;
    struct tested_suite *suite = &of->tested;
    char text[ENDPOINT_TEXT_SIZE], seconds[PRINT_TIME_SIZE];

    tested_property_number(suite, "connection", true, connection->id);
    tested_property(suite, "initiator", endpoint_text(&connection->initiator, text));
    tested_property(suite, "responder", endpoint_text(&connection->responder, text));
    tested_property(suite, "roles_known", connection->roles_known ? "yes" : "no");
    tested_property_number(suite, "start_frame", true, connection->start_frame);
    tested_property_number(suite, "end_frame", true, connection->end_frame);
    tested_property(suite, "seconds", print_time(connection->end_ns, connection->start_ns, seconds));
    if (of->capture->part.series) {
        tested_property(suite, "continued", yes_no((enum tristate)connection->continued));
        tested_property(suite, "continues", yes_no((enum tristate)connection->continues));
    }
    if (connection->ib)
        write_ib_properties(suite, connection);
    else
        write_mpa_properties(suite, connection);
    REPORT_GUEST(&connection->guest, write_junit, suite);
}

/* ---- words ---- */

/* Findings that make nothing fail are not lost: waived ones and those below --fail-on. */
static void write_harmless_findings(struct report_suite *suite)
{
    GString *out = suite->tested.out;
    const GArray *findings = suite->connection->findings;

    for (guint i = 0; i < findings->len; i++) {
        const struct report_finding *finding = &g_array_index(findings, struct report_finding, i);
        g_autofree gchar *text = NULL, *printable = NULL;

        if (!finding->waiver && options_fails(suite->report->options, finding->severity))
            continue;
        g_string_append_printf(out, "%s  %s", rule_catalogue[finding->rule].id, rule_severity_name(finding->severity));
        if (finding->waiver)
            g_string_append(out, ", waived");
        if (finding->waiver && finding->waiver->why) {
            g_autofree gchar *why = printable_text(finding->waiver->why);

            g_string_append_printf(out, " (%s)", why);
        }
        text = finding_text(finding, suite->capture->start_ns);
        printable = printable_text(text);
        g_string_append_printf(out, ": %s\n", printable);
    }
    if (suite->connection->not_kept > 0)
        g_string_append_printf(out, "%" PRIu64 " more findings were counted but not kept; --max-findings=0 keeps all\n",
                               suite->connection->not_kept);
}

/* A rule that no capture can decide says nothing about this capture. */
static void junit_write_left_out(struct report_suite *suite)
{
    static const enum exclusion told[] = {INCONCLUSIVE, NO_OCCASION, NO_STIMULUS};

    if (suite->report->options->verbose)
        return;
    for (size_t i = 0; i < G_N_ELEMENTS(told); i++)
        if (suite->left_out[told[i]] > 0)
            g_string_append_printf(suite->tested.out, "%u rule%s without a test case: %s\n", suite->left_out[told[i]],
                                   plural(suite->left_out[told[i]]), exclusion_text(told[i]));
    g_string_append(suite->tested.out, "--verbose has a test case for each rule\n");
}

/* ---- suites ---- */

/* Properties of the capture or the connection. "." parts packages from classes. */
static gchar *class_name(const struct report_suite *suite)
{
    g_autofree gchar *package = NULL;

    if (!suite->capture)
        return g_strdup("waivers");
    package = g_strdelimit(printable_text(suite->capture->file), ".", '_');
    return suite->connection ? g_strdup_printf("%s.connection-%" PRIu32, package, suite->connection->id)
                             : g_strdup_printf("%s.capture", package);
}

static gchar *junit_name_of(const struct report_suite *suite)
{
    char initiator[ENDPOINT_TEXT_SIZE], responder[ENDPOINT_TEXT_SIZE];

    if (!suite->connection)
        return g_strdup(suite->capture ? suite->capture->file : "unused waivers");
    return g_strdup_printf("%s: connection %" PRIu32 ", %s -> %s", suite->capture->file, suite->connection->id,
                           endpoint_text(&suite->connection->initiator, initiator),
                           endpoint_text(&suite->connection->responder, responder));
}

static void junit_write_attributes(struct report_suite *of)
{
    int64_t start_ns = of->connection ? of->connection->start_ns : of->capture ? of->capture->start_ns : 0;
    struct tested_suite *suite = &of->tested;
    gchar *timestamp = utc_text(start_ns, 1);

    timestamp[strlen("1970-01-01T00:00:00")] = '\0';
    suite->class_name = tested_keep(suite, class_name(of));
    suite->attributes[0] = (struct tested_pair){"name", tested_keep(suite, junit_name_of(of))};
    suite->attributes[1] = (struct tested_pair){"package", "iwarp-check"};
    suite->attributes[2] = (struct tested_pair){"timestamp", tested_keep(suite, timestamp)};
    suite->attributes[3] = (struct tested_pair){"hostname", g_get_host_name()};
}

/*
 * The time of a test: rules are judged together while the capture is read, so the time for the capture is divided
 * equally among its connections, and among their cases.
 */
static double junit_seconds_of(const struct report_capture *capture)
{
    int64_t ns = capture->part.series ? capture->part.to_ns - capture->part.from_ns /* judged as it came */
                                      : capture->checking_ns;

    return (double)ns / 1e9 / MAX(capture->connections->len, 1);
}

struct junit_report {
    struct _xmlTextWriter *writer;
    unsigned n; /* suites so far */
};

static void junit_write_suite(struct report_suite *suite, void *ctx)
{
    struct junit_report *junit = ctx;
    struct tested_suite *tested = &suite->tested;

    junit_write_attributes(suite);
    if (suite->capture) {
        tested->seconds = junit_seconds_of(suite->capture);
        tested->shared = true;
        if (suite->capture->trouble)
            tested->err = tested_keep(tested, printable_text(suite->capture->trouble));
        write_capture_properties(suite);
    }
    tested_property(tested, "version", IWARP_KIT_VERSION);
    tested_property(tested, "profile", suite->report->options->profile);
    if (suite->connection) {
        write_connection_properties(suite);
        write_harmless_findings(suite);
        junit_write_left_out(suite);
    }
    junit_suite(junit->writer, tested, junit->n++);
}

void report_write_junit(const struct report *report, FILE *out)
{
    struct junit_report junit = {junit_begin(out), 0};

    report_each_suite(report, junit_write_suite, &junit);
    junit_end(junit.writer);
}
