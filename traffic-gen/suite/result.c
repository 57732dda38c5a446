// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/suite/result.h"

#include <string.h>

const char *const test_outcome_names[TEST_OUTCOMES] = {
    [TEST_PASSED] = "passed",
    [TEST_FAILED] = "failed",
    [TEST_UNSTABLE] = "unstable",
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
    char *texts[] = {result->id,          result->rule,     result->suite,    result->document, result->section,
                     result->level,       result->severity, result->stimulus, result->expected, result->actual,
                     result->requirement, result->waived,   result->death};

    for (unsigned i = 0; i < G_N_ELEMENTS(texts); i++)
        g_free(texts[i]);
    g_ptr_array_unref(result->aliases);
    g_ptr_array_unref(result->observations);
    g_ptr_array_unref(result->steps);
    g_array_unref(result->ports);
    g_free(result);
}

static gpointer copy_text(gconstpointer text, gpointer data)
{
    (void)data;
    return g_strdup(text);
}

static gpointer copy_step(gconstpointer from, gpointer data)
{
    struct test_step *step = g_memdup2(from, sizeof(*step));

    (void)data;
    step->caption = g_strdup(step->caption);
    step->octets = g_strdup(step->octets);
    return step;
}

static void copy_texts(GPtrArray *to, GPtrArray *from)
{
    g_ptr_array_extend(to, from, (GCopyFunc)copy_text, NULL);
}

struct test_result *test_result_copy(const struct test_result *from)
{
    struct test_result *result = test_result_new();
    struct test_result empty = *result;
    char **texts[] = {&result->id,          &result->rule,     &result->suite,  &result->document, &result->section,
                      &result->level,       &result->severity, &result->actual, &result->stimulus, &result->expected,
                      &result->requirement, &result->waived,   &result->death};

    *result = *from;
    result->aliases = empty.aliases;
    result->observations = empty.observations;
    result->steps = empty.steps;
    result->ports = empty.ports;
    for (unsigned i = 0; i < G_N_ELEMENTS(texts); i++)
        *texts[i] = g_strdup(*texts[i]);
    copy_texts(result->aliases, from->aliases);
    copy_texts(result->observations, from->observations);
    g_ptr_array_extend(result->steps, from->steps, (GCopyFunc)copy_step, NULL);
    g_array_append_vals(result->ports, from->ports->data, from->ports->len);
    return result;
}

static void death_free(gpointer data)
{
    struct test_death *death = data;

    g_ptr_array_unref(death->cases);
    g_free(death->state);
    g_free(death->what);
    g_free(death);
}

struct test_death *test_report_add_death(struct test_report *report, const char *state, const char *what)
{
    struct test_death *death = g_new0(struct test_death, 1);

    death->cases = g_ptr_array_new_with_free_func(g_free);
    death->state = g_strdup(state);
    death->what = g_strdup(what);
    g_ptr_array_add(report->deaths, death);
    return death;
}

static void missing_free(gpointer data)
{
    struct test_missing *missing = data;

    g_free(missing->what);
    g_free(missing->service);
    g_free(missing);
}

void test_report_add_missing(struct test_report *report, unsigned cases, const char *what, const char *service)
{
    struct test_missing *missing = g_new0(struct test_missing, 1);

    *missing = (struct test_missing){.cases = cases, .what = g_strdup(what), .service = g_strdup(service)};
    g_ptr_array_add(report->missing, missing);
}

struct test_report *test_report_new(void)
{
    struct test_report *report = g_new0(struct test_report, 1);

    report->results = g_ptr_array_new_with_free_func((GDestroyNotify)test_result_free);
    report->unused_waivers = g_ptr_array_new_with_free_func(g_free);
    report->deaths = g_ptr_array_new_with_free_func(death_free);
    report->missing = g_ptr_array_new_with_free_func(missing_free);
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
    g_ptr_array_unref(report->deaths);
    g_free(report->state);
    g_free(report->start_up);
    g_free(report->sign);
    g_free(report->layout);
    g_ptr_array_unref(report->missing);
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

bool test_result_failed(const struct test_result *result)
{
    return result->outcome == TEST_FAILED || result->outcome == TEST_UNSTABLE;
}

unsigned test_report_failures(const struct test_report *report)
{
    return test_report_count(report, TEST_FAILED, false) + test_report_count(report, TEST_UNSTABLE, false);
}

static struct test_section *section_of(GArray *sections, const struct test_result *result)
{
    const struct test_section fresh = {.document = result->document, .section = result->section};

    for (guint i = 0; i < sections->len; i++) {
        struct test_section *section = &g_array_index(sections, struct test_section, i);

        if (g_strcmp0(section->document, result->document) == 0 && g_strcmp0(section->section, result->section) == 0)
            return section;
    }
    g_array_append_val(sections, fresh);
    return &g_array_index(sections, struct test_section, sections->len - 1);
}

static int by_document(gconstpointer a, gconstpointer b)
{
    const struct test_section *one = a, *other = b;
    int order = g_strcmp0(one->document, other->document);

    if (order != 0)
        return order;
    g_autofree char *first = g_utf8_collate_key_for_filename(one->section ? one->section : "", -1),
                    *second = g_utf8_collate_key_for_filename(other->section ? other->section : "", -1);

    return strcmp(first, second);
}

GArray *test_report_sections(const struct test_report *report)
{
    GArray *sections = g_array_new(FALSE, FALSE, sizeof(struct test_section));

    for (guint i = 0; i < report->results->len; i++) {
        const struct test_result *result = g_ptr_array_index(report->results, i);
        struct test_section *section = section_of(sections, result);

        section->conforms += result->outcome == TEST_PASSED;
        section->fails += test_result_failed(result) && !result->waived;
        section->waived += test_result_failed(result) && result->waived;
        section->open += result->outcome == TEST_INCONCLUSIVE || result->outcome == TEST_NOT_APPLICABLE;
    }
    g_array_sort(sections, by_document);
    return sections;
}

char *test_report_life(const struct test_report *report)
{
    GString *text = g_string_new(g_strcmp0(report->state, "alive") == 0 ? "alive at the end" : "");

    if (text->len == 0)
        g_string_append_printf(text, "NOT ALIVE at the end: %s", report->state ? report->state : "unknown");
    for (guint i = 0; i < report->deaths->len; i++) {
        const struct test_death *death = g_ptr_array_index(report->deaths, i);

        g_string_append_printf(text, "; died %s", death->cases->len > 1 ? "amid" : "of");
        for (guint k = 0; k < death->cases->len; k++)
            g_string_append_printf(text, "%s %s", k ? "," : "", (const char *)g_ptr_array_index(death->cases, k));
        g_string_append_printf(text, " (%s%s)", death->state ? death->state : "", death->revived ? ", revived" : "");
    }
    return g_string_free(text, FALSE);
}
