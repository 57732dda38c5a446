// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/tester/suite/result/result.h"

#include <string.h>

const char *const case_outcome_names[OUTCOMES] = {
    [OUTCOME_PASSED] = "passed",
    [OUTCOME_FAILED] = "failed",
    [OUTCOME_UNSTABLE] = "unstable",
    [OUTCOME_DIED] = "died",
    [OUTCOME_INCONCLUSIVE] = "inconclusive",
    [OUTCOME_NOT_APPLICABLE] = "not applicable",
};

const char *const case_shown_names[SHOWN_KINDS] = {
    [SHOWN_ANSWER] = "answer",
    [SHOWN_CONTINUES] = "continues",
    [SHOWN_STAYS] = "stays",
    [SHOWN_REFUSED] = "refused",
    [SHOWN_START_UP_REFUSED] = "start-up refused",
    [SHOWN_CLOSED] = "closed",
    [SHOWN_LOST] = "lost",
};

static void step_free(gpointer data)
{
    struct case_step *step = data;

    g_free(step->caption);
    g_free(step->octets);
    g_free(step);
}

void case_result_init(void *zeroed)
{
    struct case_result *result = zeroed;

    result->outcome = OUTCOME_INCONCLUSIVE;
    result->aliases = g_ptr_array_new_with_free_func(g_free);
    result->observations = g_ptr_array_new_with_free_func(g_free);
    result->doubted = g_ptr_array_new_with_free_func(g_free);
    result->steps = g_ptr_array_new_with_free_func(step_free);
    result->ports = g_array_new(FALSE, FALSE, sizeof(guint));
}

struct case_result *case_result_new(void)
{
    struct case_result *result = g_new0(struct case_result, 1);

    case_result_init(result);
    return result;
}

void case_result_free(struct case_result *result)
{
    char *texts[] = {result->id,          result->rule,     result->suite,    result->document, result->section,
                     result->level,       result->severity, result->stimulus, result->expected, result->actual,
                     result->requirement, result->waived,   result->death,    result->rests_on, result->reduced};

    for (unsigned i = 0; i < G_N_ELEMENTS(texts); i++)
        g_free(texts[i]);
    g_ptr_array_unref(result->aliases);
    g_ptr_array_unref(result->observations);
    g_ptr_array_unref(result->doubted);
    g_ptr_array_unref(result->steps);
    g_array_unref(result->ports);
    g_free(result);
}

void case_result_conclude(struct case_result *result, enum case_outcome outcome, const char *format, ...)
{
    g_autofree char *before = result->actual;
    va_list args;

    va_start(args, format);
    result->actual = g_strdup_vprintf(format, args);
    va_end(args);
    result->outcome = outcome;
}

void case_result_set_rule(struct case_result *result, const struct rule *rule)
{
    const struct {
        char **text;
        const char *value;
    } texts[] = {{&result->rule, rule->id},
                 {&result->document, rule->document},
                 {&result->section, rule->section},
                 {&result->level, rule->level},
                 {&result->severity, rule_severity_name(rule->severity)},
                 {&result->requirement, rule->text}};

    for (unsigned i = 0; i < G_N_ELEMENTS(texts); i++) {
        g_free(*texts[i].text);
        *texts[i].text = g_strdup(texts[i].value);
    }
}

static gpointer copy_text(gconstpointer text, gpointer data)
{
    (void)data;
    return g_strdup(text);
}

static gpointer copy_step(gconstpointer from, gpointer data)
{
    struct case_step *step = g_memdup2(from, sizeof *step);

    (void)data;
    step->caption = g_strdup(step->caption);
    step->octets = g_strdup(step->octets);
    return step;
}

static void copy_texts(GPtrArray *to, GPtrArray *from)
{
    g_ptr_array_extend(to, from, (GCopyFunc)copy_text, NULL);
}

struct case_result *case_result_copy(const struct case_result *from)
{
    struct case_result *result = case_result_new();
    struct case_result empty = *result;
    char **texts[] = {&result->id,          &result->rule,     &result->suite,  &result->document, &result->section,
                      &result->level,       &result->severity, &result->actual, &result->stimulus, &result->expected,
                      &result->requirement, &result->waived,   &result->death,  &result->rests_on, &result->reduced};

    *result = *from;
    result->aliases = empty.aliases;
    result->observations = empty.observations;
    result->doubted = empty.doubted;
    result->steps = empty.steps;
    result->ports = empty.ports;
    for (unsigned i = 0; i < G_N_ELEMENTS(texts); i++)
        *texts[i] = g_strdup(*texts[i]);
    copy_texts(result->aliases, from->aliases);
    copy_texts(result->observations, from->observations);
    copy_texts(result->doubted, from->doubted);
    g_ptr_array_extend(result->steps, from->steps, (GCopyFunc)copy_step, NULL);
    g_array_append_vals(result->ports, from->ports->data, from->ports->len);
    return result;
}

static void death_free(gpointer data)
{
    struct device_death *death = data;

    g_ptr_array_unref(death->cases);
    g_free(death->state);
    g_free(death->what);
    g_free(death);
}

void device_death_init(void *zeroed)
{
    ((struct device_death *)zeroed)->cases = g_ptr_array_new_with_free_func(g_free);
}

struct device_death *suite_report_add_death(struct suite_report *report, const char *state, const char *what)
{
    struct device_death *death = g_new0(struct device_death, 1);

    device_death_init(death);
    death->state = g_strdup(state);
    death->what = g_strdup(what);
    g_ptr_array_add(report->deaths, death);
    return death;
}

static void left_out_free(gpointer data)
{
    struct left_out *left_out = data;
    char *const texts[] = {left_out->suite, left_out->values, left_out->rule, left_out->death, left_out->waived};

    for (unsigned i = 0; i < G_N_ELEMENTS(texts); i++)
        g_free(texts[i]);
    g_free(left_out);
}

static void missing_free(gpointer data)
{
    struct missing_service *missing = data;

    g_free(missing->what);
    g_free(missing->service);
    g_free(missing);
}

static void recording_free(gpointer data)
{
    struct recording *recording = data;

    g_free(recording->file);
    g_free(recording->sha256);
    g_free(recording);
}

void suite_report_add_recording(struct suite_report *report, const char *file, const char *sha256)
{
    struct recording *recording = g_new0(struct recording, 1);

    *recording = (struct recording){.file = g_strdup(file), .sha256 = g_strdup(sha256)};
    g_ptr_array_add(report->recordings, recording);
}

void suite_report_add_left_out(struct suite_report *report, const struct left_out *left_out)
{
    g_ptr_array_add(report->left_out, g_memdup2(left_out, sizeof *left_out));
}

char *left_out_text(const struct left_out *left_out)
{
    return g_strdup_printf("%s: %u combination%s with %s, which %s: %s%s%s%s", left_out->suite, left_out->combinations,
                           left_out->combinations == 1 ? "" : "s", left_out->values,
                           strchr(left_out->values, ',') ? "fail together" : "fails by itself", left_out->rule,
                           left_out->death ? ", the device died" : "", left_out->waived ? ", waived: " : "",
                           left_out->waived ? left_out->waived : "");
}

void suite_report_add_missing(struct suite_report *report, unsigned cases, const char *what, const char *service)
{
    struct missing_service *missing = g_new0(struct missing_service, 1);

    *missing = (struct missing_service){.cases = cases, .what = g_strdup(what), .service = g_strdup(service)};
    g_ptr_array_add(report->missing, missing);
}

struct suite_report *suite_report_new(void)
{
    struct suite_report *report = g_new0(struct suite_report, 1);

    report->results = g_ptr_array_new_with_free_func((GDestroyNotify)case_result_free);
    report->unused_waivers = g_ptr_array_new_with_free_func(g_free);
    report->deaths = g_ptr_array_new_with_free_func(death_free);
    report->missing = g_ptr_array_new_with_free_func(missing_free);
    report->left_out = g_ptr_array_new_with_free_func(left_out_free);
    report->recordings = g_ptr_array_new_with_free_func(recording_free);
    report->soak = g_ptr_array_new_with_free_func(g_free);
    return report;
}

void suite_report_free(struct suite_report *report)
{
    if (!report)
        return;
    char *const texts[] = {report->device,   report->role,      report->version,     report->started, report->state,
                           report->start_up, report->sign,      report->layout,      report->capture, report->known,
                           report->command,  report->catalogue, report->device_info, report->load};
    GPtrArray *const arrays[] = {report->results,  report->unused_waivers, report->deaths, report->missing,
                                 report->left_out, report->recordings,     report->soak};

    for (unsigned i = 0; i < G_N_ELEMENTS(texts); i++)
        g_free(texts[i]);
    for (unsigned i = 0; i < G_N_ELEMENTS(arrays); i++)
        g_ptr_array_unref(arrays[i]);
    g_free(report);
}

struct case_result *suite_report_find(const struct suite_report *report, const char *id)
{
    for (guint i = 0; report && i < report->results->len; i++) {
        struct case_result *result = g_ptr_array_index(report->results, i);

        if (strcmp(result->id, id) == 0)
            return result;
    }
    return NULL;
}

static void move_all(GPtrArray *to, GPtrArray *from)
{
    gsize n;
    g_autofree gpointer *all = g_ptr_array_steal(from, &n);

    for (gsize i = 0; i < n; i++)
        g_ptr_array_add(to, all[i]);
}

void suite_report_take(struct suite_report *report, struct suite_report *part)
{
    move_all(report->results, part->results);
    move_all(report->deaths, part->deaths);
    g_free(report->state);
    report->state = g_steal_pointer(&part->state);
}

unsigned suite_report_count(const struct suite_report *report, enum case_outcome outcome, bool waived)
{
    unsigned n = 0;

    for (guint i = 0; i < report->results->len; i++) {
        const struct case_result *result = g_ptr_array_index(report->results, i);

        n += result->outcome == outcome && (result->waived != NULL) == waived;
    }
    return n;
}

unsigned suite_report_repeated(const struct suite_report *report, unsigned *differed)
{
    unsigned n = 0;

    *differed = 0;
    for (guint i = 0; i < report->results->len; i++) {
        const struct case_result *result = g_ptr_array_index(report->results, i);
        uint64_t runs = 0;

        for (int outcome = 0; outcome < OUTCOMES; outcome++)
            runs += result->runs[outcome];
        n += runs > 1;
        *differed += runs > 1 && result->outcome == OUTCOME_UNSTABLE;
    }
    return n;
}

bool case_result_failed(const struct case_result *result)
{
    return case_result_failed_rule(result) || result->outcome == OUTCOME_DIED;
}

bool case_result_failed_rule(const struct case_result *result)
{
    return result->outcome == OUTCOME_FAILED || result->outcome == OUTCOME_UNSTABLE;
}

bool case_result_leans(const struct case_result *result)
{
    return result->outcome == OUTCOME_PASSED && result->rests_on &&
           (result->shown == SHOWN_CONTINUES || result->shown == SHOWN_STAYS || result->shown == SHOWN_REFUSED);
}

static unsigned result_count_failed(const struct suite_report *report, bool waived)
{
    unsigned n = 0;

    for (guint i = 0; i < report->results->len; i++) {
        const struct case_result *result = g_ptr_array_index(report->results, i);

        n += case_result_failed(result) && (result->waived != NULL) == waived;
    }
    return n;
}

unsigned suite_report_failures(const struct suite_report *report)
{
    return result_count_failed(report, false);
}

unsigned suite_report_waived(const struct suite_report *report)
{
    return result_count_failed(report, true);
}

static struct report_section *section_of(GArray *sections, const struct case_result *result)
{
    const struct report_section fresh = {.document = result->document, .section = result->section};

    for (guint i = 0; i < sections->len; i++) {
        struct report_section *section = &g_array_index(sections, struct report_section, i);

        if (g_strcmp0(section->document, result->document) == 0 && g_strcmp0(section->section, result->section) == 0)
            return section;
    }
    g_array_append_val(sections, fresh);
    return &g_array_index(sections, struct report_section, sections->len - 1);
}

static int by_document(gconstpointer a, gconstpointer b)
{
    const struct report_section *one = a, *other = b;
    int order = g_strcmp0(one->document, other->document);

    if (order != 0)
        return order;
    g_autofree char *first = g_utf8_collate_key_for_filename(one->section ? one->section : "", -1),
                    *second = g_utf8_collate_key_for_filename(other->section ? other->section : "", -1);

    return strcmp(first, second);
}

GArray *suite_report_sections(const struct suite_report *report)
{
    GArray *sections = g_array_new(FALSE, FALSE, sizeof(struct report_section));

    for (guint i = 0; i < report->results->len; i++) {
        const struct case_result *result = g_ptr_array_index(report->results, i);
        struct report_section *section = section_of(sections, result);

        section->conforms += result->outcome == OUTCOME_PASSED;
        section->fails += case_result_failed_rule(result) && !result->waived;
        section->waived += case_result_failed_rule(result) && result->waived;
        section->open += result->outcome == OUTCOME_INCONCLUSIVE || result->outcome == OUTCOME_NOT_APPLICABLE ||
                         result->outcome == OUTCOME_DIED;
    }
    g_array_sort(sections, by_document);
    return sections;
}

static void append_death(GString *text, const struct device_death *death)
{
    g_string_append_printf(text, "; died %s", death->cases->len > 1 ? "during" : "of");
    for (guint k = 0; k < death->cases->len; k++)
        g_string_append_printf(text, "%s %s", k ? "," : "", (const char *)g_ptr_array_index(death->cases, k));
    g_string_append_printf(text, " (%s%s)", death->state ? death->state : "", death->revived ? ", revived" : "");
}

char *suite_report_life(const struct suite_report *report)
{
    GString *text = g_string_new(g_strcmp0(report->state, "alive") == 0 ? "alive at the end" : "");

    if (g_strcmp0(report->state, "stopped") == 0)
        g_string_assign(text, "stopped before the end: whether it is alive is not known");
    else if (text->len == 0)
        g_string_append_printf(text, "NOT ALIVE at the end: %s", report->state ? report->state : "unknown");
    for (guint i = 0; i < report->deaths->len; i++)
        append_death(text, g_ptr_array_index(report->deaths, i));
    return g_string_free(text, FALSE);
}
