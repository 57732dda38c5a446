// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The JUnit report: a test suite for each suite, a test case for each case. A case without a decision is skipped, with
 * the reason.
 */
#include "support/markup.h"
#include "traffic-gen/suite/result/result.h"

#include <string.h>

enum { TIMESTAMP_LEN = 19 /* without fraction and time zone */ };

static bool is_skipped(const struct case_result *result)
{
    return result->outcome == OUTCOME_INCONCLUSIVE || result->outcome == OUTCOME_NOT_APPLICABLE ||
           (case_result_failed(result) && result->waived);
}

static bool is_failure(const struct case_result *result)
{
    return case_result_failed(result) && !result->waived;
}

/* JUnit's word for an unexpected end. */
static bool is_death(const struct case_result *result)
{
    return result->outcome == OUTCOME_DIED;
}

static void result_junit_write_failure(xmlTextWriter *writer, const struct case_result *result)
{
    const char *type = result->outcome == OUTCOME_FAILED ? result->severity : case_outcome_names[result->outcome];

    markup_begin(writer, is_death(result) ? "error" : "failure", "type", type, "message", result->actual, NULL);
    markup_lines(writer, "requirement: %s\nsource: %s section %s, %s\nstimulus: %s\nexpected: %s\nactual: %s\n",
                 result->requirement, result->document, result->section, result->level, result->stimulus,
                 result->expected, result->actual);
    if (result->reduced)
        markup_lines(writer, "reduced to: %s\n", result->reduced);
    for (guint i = 0; i < result->steps->len; i++) {
        const struct case_step *step = g_ptr_array_index(result->steps, i);

        if (step->left_out > 0)
            markup_lines(writer, "          (%u frames left out)\n", step->left_out);
        markup_lines(writer, "%9.3f %s %s%s%s\n", step->seconds, step->ours ? "test >" : "< device", step->caption,
                     step->octets ? "\n          " : "", step->octets ? step->octets : "");
        if (step->repeated > 0)
            markup_lines(writer, "          (%u more like this)\n", step->repeated);
    }
    markup_end(writer);
}

static void result_junit_write_case(xmlTextWriter *writer, const struct suite_report *report,
                                    const struct case_result *result)
{
    g_autofree char *class = g_strdup_printf("%s.%s.%s", report->device, report->role, result->suite);
    g_autofree char *time = g_strdup_printf("%.3f", result->seconds);

    markup_begin(writer, "testcase", "classname", class, "name", result->id, "time", time, NULL);
    if (is_failure(result)) {
        result_junit_write_failure(writer, result);
    } else if (is_skipped(result)) {
        g_autofree char *why =
            g_strdup_printf("%s%s: %s", result->waived ? "waived, " : "", case_outcome_names[result->outcome],
                            result->waived ? result->waived : result->actual);

        markup_void(writer, "skipped", "message", why, NULL);
    }
    markup_end(writer);
}

struct tally {
    unsigned cases, failures, errors, skipped;
    double seconds;
};

static bool result_junit_is_of(const struct case_result *result, const char *suite)
{
    return g_strcmp0(result->suite, suite) == 0;
}

static struct tally result_junit_count(const struct suite_report *report, const char *suite)
{
    struct tally tally = {0};

    for (guint i = 0; i < report->results->len; i++) {
        const struct case_result *result = g_ptr_array_index(report->results, i);

        if (!result_junit_is_of(result, suite))
            continue;
        tally.cases++;
        tally.failures += is_failure(result) && !is_death(result);
        tally.errors += is_failure(result) && is_death(result);
        tally.skipped += is_skipped(result);
        tally.seconds += result->seconds;
    }
    return tally;
}

static void result_junit_write_properties(xmlTextWriter *writer, const struct suite_report *report, const char *suite)
{
    g_autofree char *life = suite_report_life(report), *info = g_strdup(report->device_info);
    const char *const properties[][2] = {{"device", report->device},
                                         {"role", report->role},
                                         {"version", report->version},
                                         {"start-up", report->start_up},
                                         {"life", life},
                                         {"command", report->command},
                                         {"catalogue", report->catalogue},
                                         {"device-info", info ? g_strdelimit(info, "\n", ' ') : NULL},
                                         {"load", report->load}};

    markup_begin(writer, "properties", NULL);
    for (unsigned i = 0; i < G_N_ELEMENTS(properties); i++) {
        if (properties[i][1] && *properties[i][1])
            markup_void(writer, "property", "name", properties[i][0], "value", properties[i][1], NULL);
    }
    for (guint i = 0; i < report->left_out->len; i++) {
        const struct left_out *left_out = g_ptr_array_index(report->left_out, i);
        g_autofree char *text = left_out_text(left_out);

        if (g_strcmp0(left_out->suite, suite) == 0)
            markup_void(writer, "property", "name", "left-out", "value", text, NULL);
    }
    markup_end(writer);
}

static void result_junit_begin_suite(xmlTextWriter *writer, const struct suite_report *report, const char *suite,
                                     unsigned number, struct tally tally)
{
    g_autofree char *id = g_strdup_printf("%u", number), *tests = g_strdup_printf("%u", tally.cases),
                    *failures = g_strdup_printf("%u", tally.failures), *errors = g_strdup_printf("%u", tally.errors),
                    *skipped = g_strdup_printf("%u", tally.skipped), *time = g_strdup_printf("%.3f", tally.seconds),
                    *timestamp = g_strndup(report->started ? report->started : "", TIMESTAMP_LEN);

    markup_begin(writer, "testsuite", "name", suite, "package", "iwarp-gen", "hostname", g_get_host_name(), "timestamp",
                 timestamp, "id", id, "tests", tests, "failures", failures, "errors", errors, "skipped", skipped,
                 "time", time, NULL);
    result_junit_write_properties(writer, report, suite);
}

static void result_junit_end_suite(xmlTextWriter *writer)
{
    markup_begin(writer, "system-err", NULL);
    markup_end(writer);
    markup_end(writer);
}

static void write_suite(xmlTextWriter *writer, const struct suite_report *report, const char *suite, unsigned number)
{
    result_junit_begin_suite(writer, report, suite, number, result_junit_count(report, suite));
    for (guint i = 0; i < report->results->len; i++) {
        const struct case_result *result = g_ptr_array_index(report->results, i);

        if (result_junit_is_of(result, suite))
            result_junit_write_case(writer, report, result);
    }
    markup_begin(writer, "system-out", NULL);
    for (guint i = 0; i < report->results->len; i++) {
        const struct case_result *result = g_ptr_array_index(report->results, i);

        for (guint k = 0; result_junit_is_of(result, suite) && k < result->observations->len; k++)
            markup_lines(writer, "%s: also seen: %s\n", result->id,
                         (const char *)g_ptr_array_index(result->observations, k));
    }
    markup_end(writer);
    result_junit_end_suite(writer);
}

/* A death counts even if no case caused it. */
static void write_death(xmlTextWriter *writer, const struct suite_report *report, unsigned number)
{
    g_autofree char *class = g_strdup_printf("%s.%s.device", report->device, report->role);
    g_autofree char *life = suite_report_life(report);

    result_junit_begin_suite(writer, report, "device", number, (struct tally){.cases = 1, .errors = 1});
    markup_begin(writer, "testcase", "classname", class, "name", "the device stays alive", "time", "0.000", NULL);
    markup_void(writer, "error", "type", case_outcome_names[OUTCOME_DIED], "message", life, NULL);
    markup_end(writer);
    markup_begin(writer, "system-out", NULL);
    markup_end(writer);
    result_junit_end_suite(writer);
}

void suite_report_junit(const struct suite_report *report, FILE *out)
{
    xmlBuffer *buffer = xmlBufferCreate();
    xmlTextWriter *writer = xmlNewTextWriterMemory(buffer, 0);
    g_autoptr(GPtrArray) done = g_ptr_array_new();

    xmlTextWriterSetIndent(writer, 1);
    xmlTextWriterStartDocument(writer, NULL, "UTF-8", NULL);
    markup_begin(writer, "testsuites", NULL);
    for (guint i = 0; i < report->results->len; i++) {
        const struct case_result *result = g_ptr_array_index(report->results, i);

        if (g_ptr_array_find_with_equal_func(done, result->suite, g_str_equal, NULL))
            continue;
        g_ptr_array_add(done, result->suite);
        write_suite(writer, report, result->suite, done->len - 1);
    }
    if (report->deaths->len > 0)
        write_death(writer, report, done->len);
    markup_end(writer);
    xmlTextWriterEndDocument(writer);
    xmlFreeTextWriter(writer);
    fwrite(xmlBufferContent(buffer), 1, (size_t)xmlBufferLength(buffer), out);
    xmlBufferFree(buffer);
}
