// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The TAP report: a test point for each rule that a connection exercised. Waived findings are expected failures, which
 * TAP calls TODO; undecided rules are skipped; rules that were not exercised have no test.
 */
#include "conformance/report/report_formats.h"
#include "conformance/report/report_tested.h"

static void count_points(struct report_suite *suite, void *ctx)
{
    *(unsigned *)ctx += tap_count(&suite->tested);
}

struct tap_report {
    FILE *out;
    unsigned n; /* points so far */
};

static void write_points(struct report_suite *suite, void *ctx)
{
    struct tap_report *tap = ctx;

    tap->n = tap_suite(tap->out, &suite->tested, tap->n);
}

void report_write_tap(const struct report *report, FILE *out)
{
    g_autofree gchar *verdict = verdict_text(report);
    struct tap_report tap = {out, 0};
    unsigned n = 0;

    report_each_suite(report, count_points, &n);
    tap_begin(out, n);
    report_each_suite(report, write_points, &tap);
    tap_comment(out, verdict);
}
