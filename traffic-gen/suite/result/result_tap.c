// SPDX-License-Identifier: GPL-2.0-or-later
/* The TAP report: a test point for each case. A waived failure is an expected failure: TODO. */
#include "support/tap.h"
#include "traffic-gen/suite/result/result.h"

static void tap_write_case(struct tap *tap, const struct case_result *result)
{
    bool failed = case_result_failed(result);
    bool skipped = result->outcome == OUTCOME_INCONCLUSIVE || result->outcome == OUTCOME_NOT_APPLICABLE;
    g_autofree char *description = g_strdup_printf("%s %s", result->suite, result->id);
    g_autofree char *source = NULL;

    if (skipped) {
        g_autofree char *why = g_strdup_printf("%s: %s", case_outcome_names[result->outcome], result->actual);

        tap_point(tap, true, description, "SKIP", why);
        return;
    }
    tap_point(tap, !failed, description, failed && result->waived ? "TODO" : NULL, result->waived);
    if (!failed)
        return;
    source = g_strdup_printf("%s section %s, %s", result->document, result->section, result->level);
    tap_yaml(tap, "message", result->actual ? result->actual : "", "outcome", case_outcome_names[result->outcome],
             "requirement", result->requirement ? result->requirement : "", "source", source, "stimulus",
             result->stimulus ? result->stimulus : "", "expected", result->expected ? result->expected : "",
             result->reduced ? "reduced to" : NULL, result->reduced, NULL);
}

void suite_report_tap(const struct suite_report *report, FILE *out)
{
    g_autofree char *life = suite_report_life(report);
    bool dead = report->deaths->len > 0;
    struct tap tap;

    tap_begin(&tap, out, report->results->len + dead);
    for (guint i = 0; i < report->results->len; i++)
        tap_write_case(&tap, g_ptr_array_index(report->results, i));
    if (dead) {
        tap_point(&tap, false, "the device stays alive", NULL, NULL);
        tap_yaml(&tap, "message", life, NULL);
    }
    for (guint i = 0; i < report->left_out->len; i++) {
        g_autofree char *what = left_out_text(g_ptr_array_index(report->left_out, i)),
                        *text = g_strdup_printf("left out: %s", what);

        tap_comment(&tap, text);
    }
    if (report->finished < report->chosen) {
        g_autofree char *text = g_strdup_printf("stopped: %u of %u cases finished", report->finished, report->chosen);

        tap_comment(&tap, text);
    }
}
