// SPDX-License-Identifier: GPL-2.0-or-later
/* The report as text: a line a test, and for each failure what was wanted, what came, and what was said. */
#include "traffic-gen/test/result.h"

#include <string.h>

enum { HEX_LINE = 32 };

static void print_octets(const char *octets, FILE *out)
{
    size_t n = strlen(octets);

    for (size_t at = 0; at < n; at += 2 * HEX_LINE) {
        fprintf(out, "%24s", "");
        for (size_t i = at; i < MIN(n, at + 2 * HEX_LINE); i += 2)
            fprintf(out, "%.2s%s", octets + i, (i / 2) % 4 == 3 ? " " : "");
        fputc('\n', out);
    }
}

static void print_failure(const struct test_result *result, FILE *out)
{
    fprintf(out, "    requirement  %s\n", result->requirement);
    fprintf(out, "    source       %s section %s, %s\n", result->document, result->section, result->level);
    fprintf(out, "    stimulus     %s\n", result->stimulus);
    fprintf(out, "    expected     %s\n", result->expected);
    for (guint i = 0; i < result->steps->len; i++) {
        const struct test_step *step = g_ptr_array_index(result->steps, i);

        fprintf(out, "    %9.3f  %u %s %s\n", step->seconds, step->connection,
                step->ours ? "test >    " : "   < device", step->caption);
        if (step->octets)
            print_octets(step->octets, out);
    }
}

static void print_result(const struct test_result *result, FILE *out)
{
    fprintf(out, "%-14s %-28s %s%s%s%s\n",
            result->waived && result->outcome == TEST_FAILED ? "failed, waived" : test_outcome_names[result->outcome],
            result->id, result->actual ? result->actual : "", result->waived ? " [waived: " : "",
            result->waived ? result->waived : "", result->waived ? "]" : "");
    if (result->outcome == TEST_FAILED)
        print_failure(result, out);
    for (guint i = 0; i < result->observations->len; i++)
        fprintf(out, "    also seen    %s\n", (const char *)g_ptr_array_index(result->observations, i));
}

void test_report_text(const struct test_report *report, FILE *out)
{
    fprintf(out, "%s as %s, %s, %u tests in %.1f s\n\n", report->device, report->role, report->started,
            report->results->len, report->seconds);
    for (guint i = 0; i < report->results->len; i++)
        print_result(g_ptr_array_index(report->results, i), out);
    for (guint i = 0; i < report->unused_waivers->len; i++)
        fprintf(out, "waiver %s matches no failure\n", (const char *)g_ptr_array_index(report->unused_waivers, i));
    fprintf(out, "\n%u passed, %u failed, %u failed and waived, %u inconclusive, %u not applicable\n",
            test_report_count(report, TEST_PASSED, false), test_report_count(report, TEST_FAILED, false),
            test_report_count(report, TEST_FAILED, true), test_report_count(report, TEST_INCONCLUSIVE, false),
            test_report_count(report, TEST_NOT_APPLICABLE, false));
}
