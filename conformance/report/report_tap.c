// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The TAP report: a test point for each rule that a connection exercised. What is waived is a failure that is expected,
 * which TAP calls TODO; what could not be decided is skipped; what nothing called for is no test.
 */
#include "conformance/options/options.h"
#include "conformance/report/report_formats.h"
#include "conformance/report/report_parts.h"
#include "conformance/report/report_trouble.h"
#include "support/tap.h"

#include <inttypes.h>

/* Once to count, with `tap` NULL, and once to write. */
struct points {
    struct tap *tap;
    const struct report *report;
    const struct report_capture *capture;
    unsigned n;
};

static void report_tap_point(struct points *points, bool ok, const char *description, const char *directive,
                             const char *reason)
{
    points->n++;
    if (points->tap)
        tap_point(points->tap, ok, description, directive, reason);
}

/* The first finding of the rule, or of the one that carries its outcome; failing ones before waived ones. */
static const struct report_finding *worst_of(const struct points *points, const struct report_connection *connection,
                                             const struct rule *rule)
{
    const struct report_finding *waived = NULL;

    for (guint i = 0; i < connection->findings->len; i++) {
        const struct report_finding *finding = &g_array_index(connection->findings, struct report_finding, i);

        if (!rule_carried_by(rule, finding->rule))
            continue;
        if (!finding->waiver && options_fails(points->report->options, finding->severity))
            return finding;
        waived = !waived && finding->waiver ? finding : waived;
    }
    return waived;
}

static void write_why(const struct points *points, const struct rule *rule, const struct report_finding *finding,
                      uint32_t failing)
{
    g_autofree gchar *text = NULL, *source = NULL, *times = NULL;

    if (!points->tap || !finding)
        return;
    text = finding_text(finding, points->capture->start_ns);
    source = g_strdup_printf("%s section %s, %s", rule->document, rule->section, rule->level);
    times = g_strdup_printf("%" PRIu32, failing);
    tap_yaml(points->tap, "message", text, "severity", rule_severity_name(finding->severity), "requirement", rule->text,
             "source", source, "findings", times, NULL);
}

static void report_tap_add_rule(struct points *points, const struct report_connection *connection,
                                const struct report_rule *each)
{
    const struct rule *rule = &rule_catalogue[each->rule];
    const struct report_finding *finding = each->count.failed > 0 ? worst_of(points, connection, rule) : NULL;
    g_autofree gchar *description =
        g_strdup_printf("%s connection %" PRIu32 " %s", points->capture->file, connection->id, rule->id);

    if (each->failing > 0)
        report_tap_point(points, false, description, NULL, NULL);
    else if (finding && finding->waiver)
        report_tap_point(points, false, description, "TODO", finding->waiver->why ? finding->waiver->why : "waived");
    else if (each->count.passed > 0 || each->count.failed > 0)
        report_tap_point(points, true, description, NULL, NULL);
    else
        report_tap_point(points, true, description, "SKIP", exclusion_text(INCONCLUSIVE));
    write_why(points, rule, each->failing > 0 || (finding && finding->waiver) ? finding : NULL,
              each->failing > 0 ? each->failing : each->count.failed);
}

/* What went wrong: a failure under --fail-on=trouble only, and words in any case. */
static void add_happened(struct points *points)
{
    const struct report_capture *capture = points->capture;
    bool fails = points->report->options->fail_trouble && troubles_any_fails(capture->troubles);
    g_autofree gchar *description = g_strdup_printf("%s what happened", capture->file);

    if (fails)
        report_tap_point(points, false, description, NULL, NULL);
    for (guint i = 0; points->tap && i < capture->troubles->list->len; i++) {
        g_autofree gchar *text = trouble_text(g_ptr_array_index(capture->troubles->list, i));

        tap_comment(points->tap, text);
    }
}

static void add_unlisted(struct points *points)
{
    const struct report_capture *capture = points->capture;
    g_autofree gchar *text = report_rest_fails_text(points->report->options, &capture->rest);
    g_autofree gchar *description = g_strdup_printf("%s connections that are not listed", capture->file);

    if (!text)
        return;
    report_tap_point(points, false, description, NULL, NULL);
    if (points->tap)
        tap_yaml(points->tap, "message", text, NULL);
}

static void report_tap_add_capture(struct points *points, GArray *rules)
{
    const struct report_capture *capture = points->capture;
    const char *nothing = report_capture_undone(capture) ? NULL : report_nothing_checked(capture);
    g_autofree gchar *description = g_strdup_printf("%s can be judged", capture->file);

    if (report_capture_undone(capture) || (nothing && !points->report->options->allow_empty)) {
        report_tap_point(points, false, description, NULL, NULL);
        if (points->tap)
            tap_yaml(points->tap, "message", report_capture_undone(capture) ? capture->trouble : nothing, NULL);
    } else if (nothing) {
        report_tap_point(points, true, description, "SKIP", nothing);
    } else if (capture->trouble && points->tap) {
        tap_comment(points->tap, capture->trouble);
    }
    add_happened(points);
    add_unlisted(points);
    for (guint i = 0; i < capture->connections->len; i++) {
        const struct report_connection *connection = g_ptr_array_index(capture->connections, i);

        report_rules(points->report, connection, rules);
        for (guint k = 0; k < rules->len; k++)
            report_tap_add_rule(points, connection, &g_array_index(rules, struct report_rule, k));
    }
}

static void add_unused_waivers(struct points *points)
{
    const GPtrArray *unused = points->report->unused_waivers;

    for (guint i = 0; i < unused->len; i++) {
        const struct waiver *waiver = g_ptr_array_index(unused, i);
        g_autofree gchar *about = unused_waiver_text(waiver);
        g_autofree gchar *text = g_strdup_printf("unused waiver: %s (%s)", waiver->id, about);

        if (points->report->options->strict_waivers)
            report_tap_point(points, false, text, NULL, NULL);
        else if (points->tap)
            tap_comment(points->tap, text);
    }
}

static void add_all(struct points *points)
{
    GArray *rules = g_array_new(FALSE, FALSE, sizeof(struct report_rule));

    for (guint i = 0; i < points->report->captures->len; i++) {
        points->capture = g_ptr_array_index(points->report->captures, i);
        report_tap_add_capture(points, rules);
    }
    add_unused_waivers(points);
    g_array_unref(rules);
}

void report_write_tap(const struct report *report, FILE *out)
{
    struct points counted = {.report = report}, written = {.report = report};
    g_autofree gchar *verdict = verdict_text(report);
    struct tap tap;

    add_all(&counted);
    tap_begin(&tap, out, counted.n);
    written.tap = &tap;
    add_all(&written);
    tap_comment(&tap, verdict);
}
