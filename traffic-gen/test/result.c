// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/test/result.h"

const char *const test_outcome_names[TEST_OUTCOMES] = {
    [TEST_PASSED] = "passed",
    [TEST_FAILED] = "failed",
    [TEST_INCONCLUSIVE] = "inconclusive",
    [TEST_NOT_APPLICABLE] = "not applicable",
};

static void step_free(gpointer data)
{
    struct test_step *step = data;

    g_free(step->caption);
    g_free(step->octets);
    g_free(step);
}

struct test_result *test_result_new(void)
{
    struct test_result *result = g_new0(struct test_result, 1);

    result->outcome = TEST_INCONCLUSIVE;
    result->aliases = g_ptr_array_new_with_free_func(g_free);
    result->observations = g_ptr_array_new_with_free_func(g_free);
    result->steps = g_ptr_array_new_with_free_func(step_free);
    result->ports = g_array_new(FALSE, FALSE, sizeof(guint));
    return result;
}

void test_result_free(struct test_result *result)
{
    char *texts[] = {result->id,       result->rule,   result->suite,       result->document,
                     result->section,  result->level,  result->severity,    result->stimulus,
                     result->expected, result->actual, result->requirement, result->waived};

    for (unsigned i = 0; i < G_N_ELEMENTS(texts); i++)
        g_free(texts[i]);
    g_ptr_array_unref(result->aliases);
    g_ptr_array_unref(result->observations);
    g_ptr_array_unref(result->steps);
    g_array_unref(result->ports);
    g_free(result);
}

struct test_report *test_report_new(void)
{
    struct test_report *report = g_new0(struct test_report, 1);

    report->results = g_ptr_array_new_with_free_func((GDestroyNotify)test_result_free);
    report->unused_waivers = g_ptr_array_new_with_free_func(g_free);
    return report;
}

void test_report_free(struct test_report *report)
{
    if (!report)
        return;
    g_free(report->device);
    g_free(report->role);
    g_free(report->version);
    g_free(report->started);
    g_ptr_array_unref(report->results);
    g_ptr_array_unref(report->unused_waivers);
    g_free(report);
}

unsigned test_report_count(const struct test_report *report, enum test_outcome outcome, bool waived)
{
    unsigned n = 0;

    for (guint i = 0; i < report->results->len; i++) {
        const struct test_result *result = g_ptr_array_index(report->results, i);

        n += result->outcome == outcome && (result->waived != NULL) == waived;
    }
    return n;
}
