// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The reports in JUnit and TAP. A case without a decision is skipped, with the reason. A waived failure is expected:
 * TODO in TAP, skipped in JUnit.
 */
#include "support/tested.h"
#include "traffic-gen/tester/suite/result/result.h"

#include <string.h>

enum { TIMESTAMP_LEN = 19 /* without fraction and time zone */ };

/* ---- cases ---- */

static enum tested tested_of(const struct case_result *result)
{
    static const enum tested outcomes[OUTCOMES] = {
        [OUTCOME_PASSED] = TESTED_PASSED,        [OUTCOME_FAILED] = TESTED_FAILED,
        [OUTCOME_UNSTABLE] = TESTED_FAILED,      [OUTCOME_DIED] = TESTED_ERROR, /* JUnit's word for an unexpected end */
        [OUTCOME_INCONCLUSIVE] = TESTED_SKIPPED, [OUTCOME_NOT_APPLICABLE] = TESTED_SKIPPED,
    };

    return case_result_failed(result) && result->waived ? TESTED_WAIVED : outcomes[result->outcome];
}

static char *transcript_of(const struct case_result *result)
{
    GString *text = g_string_new(NULL);

    g_string_printf(text, "requirement: %s\nsource: %s section %s, %s\nstimulus: %s\nexpected: %s\nactual: %s\n",
                    result->requirement, result->document, result->section, result->level, result->stimulus,
                    result->expected, result->actual);
    if (result->reduced)
        g_string_append_printf(text, "reduced to: %s\n", result->reduced);
    for (guint i = 0; i < result->steps->len; i++) {
        const struct case_step *step = g_ptr_array_index(result->steps, i);

        if (step->left_out > 0)
            g_string_append_printf(text, "          (%u frames left out)\n", step->left_out);
        g_string_append_printf(text, "%9.3f %s %s%s%s\n", step->seconds, step->ours ? "test >" : "< device",
                               step->caption, step->octets ? "\n          " : "", step->octets ? step->octets : "");
        if (step->repeated > 0)
            g_string_append_printf(text, "          (%u more like this)\n", step->repeated);
    }
    return g_string_free(text, FALSE);
}

static void add_details(struct tested_suite *suite, struct tested_case *one, const struct case_result *result)
{
    char *source = g_strdup_printf("%s section %s, %s", result->document, result->section, result->level);
    const struct tested_pair details[] = {{"message", result->actual},
                                          {"outcome", case_outcome_names[result->outcome]},
                                          {"requirement", result->requirement},
                                          {"source", tested_keep(suite, source)},
                                          {"stimulus", result->stimulus},
                                          {"expected", result->expected},
                                          {result->reduced ? "reduced to" : NULL, result->reduced}};

    memcpy(one->details, details, sizeof details);
}

static void tested_add(struct tested_suite *suite, const struct case_result *result)
{
    const char *outcome = case_outcome_names[result->outcome];
    struct tested_case one = {
        .outcome = tested_of(result), .name = result->id, .message = result->actual, .seconds = result->seconds};

    one.description = tested_keep(suite, g_strdup_printf("%s %s", result->suite, result->id));
    if (one.outcome == TESTED_FAILED || one.outcome == TESTED_ERROR) {
        one.type = result->outcome == OUTCOME_FAILED ? result->severity : outcome;
        one.body = tested_keep(suite, transcript_of(result));
    } else if (one.outcome == TESTED_WAIVED) {
        one.message = tested_keep(suite, g_strdup_printf("waived, %s: %s", outcome, result->waived));
        one.reason = result->waived;
    } else if (one.outcome == TESTED_SKIPPED) {
        one.message = tested_keep(suite, g_strdup_printf("%s: %s", outcome, result->actual));
    }
    if (case_result_failed(result))
        add_details(suite, &one, result);
    for (guint i = 0; i < result->observations->len; i++)
        g_string_append_printf(suite->out, "%s: also seen: %s\n", result->id,
                               (const char *)g_ptr_array_index(result->observations, i));
    suite->seconds += result->seconds;
    g_array_append_val(suite->cases, one);
}

/* A death counts even if no case caused it. */
static void add_life(struct tested_suite *suite, const struct suite_report *report)
{
    static const char name[] = "the device stays alive";
    const char *life = tested_keep(suite, suite_report_life(report));
    const struct tested_case one = {.outcome = TESTED_ERROR,
                                    .name = name,
                                    .description = name,
                                    .type = case_outcome_names[OUTCOME_DIED],
                                    .message = life,
                                    .details = {{"message", life}}};

    g_array_append_val(suite->cases, one);
}

/* ---- JUnit ---- */

static void tested_add_properties(struct tested_suite *suite, const struct suite_report *report, const char *name)
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

    for (unsigned i = 0; i < G_N_ELEMENTS(properties); i++)
        if (properties[i][1] && *properties[i][1])
            tested_property(suite, properties[i][0], properties[i][1]);
    for (guint i = 0; i < report->left_out->len; i++) {
        const struct left_out *left_out = g_ptr_array_index(report->left_out, i);
        g_autofree char *text = left_out_text(left_out);

        if (g_strcmp0(left_out->suite, name) == 0)
            tested_property(suite, "left-out", text);
    }
}

static void begin_suite(struct tested_suite *suite, const struct suite_report *report, const char *name)
{
    char *timestamp = g_strndup(report->started ? report->started : "", TIMESTAMP_LEN);

    tested_begin(suite);
    suite->class_name = tested_keep(suite, g_strdup_printf("%s.%s.%s", report->device, report->role, name));
    suite->attributes[0] = (struct tested_pair){"name", name};
    suite->attributes[1] = (struct tested_pair){"package", "iwarp-gen"};
    suite->attributes[2] = (struct tested_pair){"hostname", g_get_host_name()};
    suite->attributes[3] = (struct tested_pair){"timestamp", tested_keep(suite, timestamp)};
    tested_add_properties(suite, report, name);
}

void suite_report_junit(const struct suite_report *report, FILE *out)
{
    g_autoptr(GPtrArray) done = g_ptr_array_new();
    struct _xmlTextWriter *writer = junit_begin(out);
    struct tested_suite suite;

    for (guint i = 0; i < report->results->len; i++) {
        const struct case_result *first = g_ptr_array_index(report->results, i);

        if (g_ptr_array_find_with_equal_func(done, first->suite, g_str_equal, NULL))
            continue;
        begin_suite(&suite, report, first->suite);
        for (guint k = i; k < report->results->len; k++) {
            const struct case_result *result = g_ptr_array_index(report->results, k);

            if (g_strcmp0(result->suite, first->suite) == 0)
                tested_add(&suite, result);
        }
        junit_suite(writer, &suite, done->len);
        tested_end(&suite);
        g_ptr_array_add(done, first->suite);
    }
    if (report->deaths->len > 0) {
        begin_suite(&suite, report, "device");
        add_life(&suite, report);
        junit_suite(writer, &suite, done->len);
        tested_end(&suite);
    }
    junit_end(writer);
}

/* ---- TAP ---- */

void suite_report_tap(const struct suite_report *report, FILE *out)
{
    struct tested_suite suite;

    tested_begin(&suite);
    for (guint i = 0; i < report->results->len; i++)
        tested_add(&suite, g_ptr_array_index(report->results, i));
    if (report->deaths->len > 0)
        add_life(&suite, report);
    tap_begin(out, tap_count(&suite));
    tap_suite(out, &suite, 0);
    tested_end(&suite);
    for (guint i = 0; i < report->left_out->len; i++) {
        g_autofree char *what = left_out_text(g_ptr_array_index(report->left_out, i)),
                        *text = g_strdup_printf("left out: %s", what);

        tap_comment(out, text);
    }
    if (report->finished < report->chosen) {
        g_autofree char *text = g_strdup_printf("stopped: %u of %u cases finished", report->finished, report->chosen);

        tap_comment(out, text);
    }
}
