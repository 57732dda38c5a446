// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The HTML report: a matrix of cases by devices, changes between runs on the same device, and a section for each
 * failure with the messages: our side on the left, the device's on the right.
 */
#include "support/page.h"
#include "traffic-gen/tester/suite/result/result.h"

#include <string.h>

extern const char result_css[], result_js[]; /* contents of the files with these names */

struct matrix_page {
    xmlTextWriter *writer;
    struct suite_report *const *reports;
    unsigned n;
    GHashTable **by_id; /* for each report: its results, the first of each id */
};

static const char *or_empty(const char *text)
{
    return text ? text : "";
}

static const char *class_of(const struct case_result *result)
{
    static const char *const classes[OUTCOMES] = {
        [OUTCOME_PASSED] = "passed",     [OUTCOME_FAILED] = "failed",
        [OUTCOME_UNSTABLE] = "failed",   [OUTCOME_INCONCLUSIVE] = "inconclusive",
        [OUTCOME_NOT_APPLICABLE] = "na", [OUTCOME_DIED] = "failed",
    };

    return case_result_failed(result) && result->waived ? "waived" : classes[result->outcome];
}

static GHashTable *result_html_index_of(const struct suite_report *report)
{
    GHashTable *by_id = g_hash_table_new(g_str_hash, g_str_equal);

    for (guint i = 0; i < report->results->len; i++) {
        struct case_result *result = g_ptr_array_index(report->results, i);

        if (!g_hash_table_contains(by_id, result->id))
            g_hash_table_insert(by_id, result->id, result);
    }
    return by_id;
}

static const struct case_result *result_html_find(const struct matrix_page *page, unsigned device, const char *id)
{
    return g_hash_table_lookup(page->by_id[device], id);
}

/* "failed, waived", "failed, and the device died"; NULL: not run. For g_free(). */
static char *result_html_outcome_text(const struct case_result *result)
{
    if (!result)
        return g_strdup("not run");
    return g_strdup_printf("%s%s%s", case_outcome_names[result->outcome],
                           case_result_failed(result) && result->waived ? ", waived" : "",
                           result->death && result->outcome != OUTCOME_DIED ? ", and the device died" : "");
}

static bool is_same_device(const struct suite_report *one, const struct suite_report *other)
{
    return strcmp(one->device, other->device) == 0 && strcmp(one->role, other->role) == 0;
}

/* The device, and the time of the test if the page shows the device more than once. */
static char *device_name(const struct matrix_page *page, unsigned device)
{
    const struct suite_report *report = page->reports[device];

    for (unsigned i = 0; i < page->n; i++)
        if (i != device && is_same_device(page->reports[i], report))
            return g_strdup_printf("%s (%s)", report->device, report->started ? report->started : "no date");
    return g_strdup(report->device);
}

/* The id of the section about a failure of this device. */
static char *anchor(unsigned device, const char *id)
{
    char *text = g_strdup_printf("d%u-%s", device + 1, id);

    g_strdelimit(text, "/ ", '-');
    return text;
}

static void write_link(xmlTextWriter *writer, unsigned device, const struct case_result *result, const char *text)
{
    g_autofree char *id = anchor(device, result->id);

    markup_link(writer, id, text);
}

#define write_cell(writer, of, class_name, ...)                                                                        \
    do {                                                                                                               \
        markup_begin((writer), "td", "data-of", (of), "class", (class_name), NULL);                                    \
        markup_format((writer), __VA_ARGS__);                                                                          \
        markup_end((writer));                                                                                          \
    } while (0)

/* ---- verdict, tools ---- */

/* Whether one of the first n reports is about the device of report n, and failed if `failed` is set. */
static bool is_among(const struct matrix_page *page, unsigned n, bool failed)
{
    for (unsigned i = 0; i < n; i++)
        if (is_same_device(page->reports[i], page->reports[n]) &&
            (!failed || suite_report_failures(page->reports[i]) > 0))
            return true;
    return false;
}

static void result_html_write_verdict(const struct matrix_page *page)
{
    unsigned failures = 0, failing = 0, devices = 0, waived = 0;
    g_autofree char *runs = NULL;

    for (unsigned i = 0; i < page->n; i++) {
        unsigned here = suite_report_failures(page->reports[i]);

        failures += here;
        failing += here > 0 && !is_among(page, i, true);
        devices += !is_among(page, i, false);
        waived += suite_report_waived(page->reports[i]);
    }
    runs = page->n > devices ? g_strdup_printf(", %u runs", page->n) : g_strdup("");
    markup_begin(page->writer, "header", "class", failures > 0 ? "fail" : "pass", NULL);
    markup_element(page->writer, "p", "tool", "iwarp-gen " IWARP_KIT_VERSION);
    markup_element(page->writer, "h1", NULL, "Conformance of %u device%s%s", devices, devices == 1 ? "" : "s", runs);
    if (failures > 0)
        markup_element(page->writer, "p", "summary", "%u failure%s on %u of them", failures, failures == 1 ? "" : "s",
                       failing);
    else if (waived > 0)
        markup_element(page->writer, "p", "summary", "No failures but %u waived one%s", waived, waived == 1 ? "" : "s");
    else
        markup_element(page->writer, "p", "summary", "No failures");
    markup_end(page->writer);
}

static void result_html_write_tools(const struct matrix_page *page)
{
    static const char *const options[][2] = {
        {"", "all"}, {"failed", "failures only"}, {"differs", "differences only"} /* for several devices */};

    page_begin_tools(page->writer, "case, word");
    page_select(page->writer, "Cases ", options, page->n > 1 ? 3 : 2);
    page_end_tools(page->writer);
}

/* ---- devices ---- */

static const char *const device_heads[] = {"Device", "As",       "Alive",        "Passed",         "Failed",
                                           "Waived", "Unstable", "Inconclusive", "Not applicable", "Tested"};

static void write_device(const struct matrix_page *page, unsigned device)
{
    static const struct {
        const char *class;
        enum case_outcome outcome;
        bool waived;
    } counts[] = {{"passed", OUTCOME_PASSED, false},    {"failed", OUTCOME_FAILED, false},
                  {"waived", OUTCOME_FAILED, true},     {"failed", OUTCOME_UNSTABLE, false},
                  {"failed", OUTCOME_DIED, false},      {"inconclusive", OUTCOME_INCONCLUSIVE, false},
                  {"na", OUTCOME_NOT_APPLICABLE, false}};
    const struct suite_report *report = page->reports[device];
    g_autofree char *life = report->state ? suite_report_life(report) : g_strdup("");

    markup_begin(page->writer, "tr", NULL);
    markup_row_head(page->writer, report->device);
    write_cell(page->writer, device_heads[1], NULL, "%s", report->role);
    write_cell(page->writer, device_heads[2], report->deaths->len > 0 ? "failed" : NULL, "%s", life);
    for (unsigned k = 0; k < G_N_ELEMENTS(counts); k++) {
        unsigned count = suite_report_count(report, counts[k].outcome, counts[k].waived);

        write_cell(page->writer, device_heads[3 + k], count > 0 ? counts[k].class : NULL, "%u", count);
    }
    write_cell(page->writer, device_heads[9], NULL, "%s, %.1f s", or_empty(report->started), report->seconds);
    markup_end(page->writer);
}

static void write_failure_links(const struct matrix_page *page)
{
    bool any = false;

    markup_element(page->writer, "h2", NULL, "Failures");
    markup_begin(page->writer, "ul", NULL);
    for (unsigned i = 0; i < page->n; i++) {
        g_autofree char *device = device_name(page, i);

        for (guint k = 0; k < page->reports[i]->results->len; k++) {
            const struct case_result *result = g_ptr_array_index(page->reports[i]->results, k);

            if (!case_result_failed(result))
                continue;
            any = true;
            markup_begin(page->writer, "li", NULL);
            write_link(page->writer, i, result, result->id);
            markup_format(page->writer, " on %s%s: %s", device, result->waived ? ", waived" : "",
                          or_empty(result->requirement));
            markup_end(page->writer);
        }
    }
    if (!any)
        markup_element(page->writer, "li", NULL, "none");
    markup_end(page->writer);
}

/* ---- changes from one run to the next ---- */

static bool fails(const struct case_result *result)
{
    return result && case_result_failed(result) && !result->waived;
}

enum change { CHANGE_NONE, CHANGE_WORSE, CHANGE_BETTER, CHANGE_OTHER };

static enum change result_html_change_of(const struct case_result *before, const struct case_result *after)
{
    if (fails(before) != fails(after) && before && after)
        return fails(after) ? CHANGE_WORSE : CHANGE_BETTER;
    if (!before || !after)
        return before == after ? CHANGE_NONE : fails(after) ? CHANGE_WORSE : CHANGE_OTHER;
    return before->outcome == after->outcome ? CHANGE_NONE : CHANGE_OTHER;
}

static void write_change(xmlTextWriter *writer, const struct case_result *before, const struct case_result *after)
{
    g_autofree char *was = result_html_outcome_text(before), *is = result_html_outcome_text(after);

    markup_begin(writer, "tr", NULL);
    markup_row_head(writer, before ? before->id : after->id);
    write_cell(writer, "Earlier", before ? class_of(before) : NULL, "%s", was);
    write_cell(writer, "Later", after ? class_of(after) : NULL, "%s", is);
    markup_end(writer);
}

/* Writes the changes of this kind; returns their number. Without a writer it only counts. */
static unsigned each_change(const struct matrix_page *page, xmlTextWriter *writer, unsigned first, unsigned second,
                            enum change kind)
{
    const struct suite_report *before = page->reports[first], *after = page->reports[second];
    unsigned n = 0;

    for (guint i = 0; i < after->results->len; i++) {
        const struct case_result *result = g_ptr_array_index(after->results, i),
                                 *was = result_html_find(page, first, result->id);

        if (result_html_change_of(was, result) != kind)
            continue;
        n++;
        if (writer)
            write_change(writer, was, result);
    }
    for (guint i = 0; i < before->results->len; i++) {
        const struct case_result *result = g_ptr_array_index(before->results, i);

        if (result_html_find(page, second, result->id) || result_html_change_of(result, NULL) != kind)
            continue;
        n++;
        if (writer)
            write_change(writer, result, NULL);
    }
    return n;
}

static void write_changes(const struct matrix_page *page, unsigned first, unsigned second)
{
    static const char *const heads[] = {"Case", "Earlier", "Later"};
    static const char *const captions[] = {
        [CHANGE_WORSE] = "Fails now", [CHANGE_BETTER] = "Fails no longer", [CHANGE_OTHER] = "Other changes"};
    const struct suite_report *before = page->reports[first], *after = page->reports[second];
    unsigned n = 0;

    markup_element(page->writer, "h2", NULL, "%s as %s: from %s to %s", after->device, after->role,
                   or_empty(before->started), or_empty(after->started));
    for (enum change kind = CHANGE_WORSE; kind <= CHANGE_OTHER; kind++) {
        if (each_change(page, NULL, first, second, kind) == 0)
            continue;
        markup_begin_table(page->writer, "stacked changes", captions[kind], heads, G_N_ELEMENTS(heads));
        n += each_change(page, page->writer, first, second, kind);
        markup_end_table(page->writer);
    }
    if (n == 0)
        markup_element(page->writer, "p", NULL, "No case changed.");
}

/* The report of the latest earlier run on the same device; page->n: none. */
static unsigned result_html_run_before(const struct matrix_page *page, unsigned device)
{
    const struct suite_report *report = page->reports[device];
    unsigned found = page->n;

    for (unsigned i = 0; i < page->n; i++) {
        const struct suite_report *other = page->reports[i];
        int order = g_strcmp0(other->started, report->started);

        if (strcmp(other->device, report->device) != 0 || strcmp(other->role, report->role) != 0)
            continue;
        if ((order < 0 || (order == 0 && i < device)) &&
            (found == page->n || g_strcmp0(other->started, page->reports[found]->started) >= 0))
            found = i;
    }
    return found;
}

/* ---- sections ---- */

static void write_device_info(xmlTextWriter *writer, const char *info)
{
    g_auto(GStrv) lines = g_strsplit(info ? info : "", "\n", -1);

    if (!info)
        return;
    markup_element(writer, "p", NULL, "The device says of itself:");
    markup_begin(writer, "ul", NULL);
    for (unsigned i = 0; lines[i]; i++)
        markup_element(writer, "li", NULL, "%s", lines[i]);
    markup_end(writer);
}

static void write_origin(const struct matrix_page *page, const struct suite_report *report)
{
    if (report->command)
        markup_element(page->writer, "p", NULL, "Made by: %s (iwarp-gen %s; %s).", report->command,
                       or_empty(report->version), or_empty(report->catalogue));
    for (guint i = 0; i < report->recordings->len; i++) {
        const struct recording *recording = g_ptr_array_index(report->recordings, i);

        markup_element(page->writer, "p", NULL, "Recorded in %s, SHA-256 %s.", recording->file,
                       or_empty(recording->sha256));
    }
    if (report->load)
        markup_element(page->writer, "p", NULL, "Under load: %s.", report->load);
    for (guint i = 0; i < report->soak->len; i++)
        markup_element(page->writer, "p", NULL, "Soak: %s.", (const char *)g_ptr_array_index(report->soak, i));
    write_device_info(page->writer, report->device_info);
}

static void result_html_write_left_out(const struct matrix_page *page, const struct suite_report *report)
{
    if (report->left_out->len == 0)
        return;
    markup_element(page->writer, "p", NULL, "Combinations that were left out:");
    markup_begin(page->writer, "ul", NULL);
    for (guint i = 0; i < report->left_out->len; i++) {
        g_autofree char *text = left_out_text(g_ptr_array_index(report->left_out, i));

        markup_element(page->writer, "li", NULL, "%s", text);
    }
    markup_end(page->writer);
}

static void write_sections(const struct matrix_page *page, unsigned device)
{
    static const char *const heads[] = {"Section", "Conforms", "Fails", "Waived", "Not decided"};
    const struct suite_report *report = page->reports[device];
    g_autoptr(GArray) sections = suite_report_sections(report);
    g_autofree char *name = device_name(page, device);

    markup_element(page->writer, "h2", NULL, "%s as %s, by section", name, report->role);
    if (report->start_up)
        markup_element(page->writer, "p", NULL, "Start-up: %s; %s.", report->start_up, or_empty(report->sign));
    if (report->capture)
        markup_element(page->writer, "p", NULL, "What was on the wire is in %s: iwarp-check judges it.",
                       report->capture);
    write_origin(page, report);
    result_html_write_left_out(page, report);
    if (report->layout)
        markup_element(page->writer, "p", NULL, "The layout of its Terminates is not that of RFC 5040: %s.",
                       report->layout);
    markup_begin_table(page->writer, "stacked", "Cases by section", heads, G_N_ELEMENTS(heads));
    for (guint i = 0; i < sections->len; i++) {
        const struct report_section *section = &g_array_index(sections, struct report_section, i);
        const unsigned counts[] = {section->conforms, section->fails, section->waived, section->open};
        g_autofree char *where =
            g_strdup_printf("%s section %s", or_empty(section->document), or_empty(section->section));

        markup_begin(page->writer, "tr", NULL);
        markup_row_head(page->writer, where);
        for (unsigned k = 0; k < G_N_ELEMENTS(counts); k++)
            write_cell(page->writer, heads[k + 1], k == 1 && counts[k] > 0 ? "failed" : NULL, "%u", counts[k]);
        markup_end(page->writer);
    }
    markup_end_table(page->writer);
}

/* ---- matrix ---- */

static void write_outcome(const struct matrix_page *page, unsigned device, const struct case_result *result)
{
    g_autofree char *class = g_strconcat("outcome ", result ? class_of(result) : "absent", NULL);
    g_autofree char *name = device_name(page, device), *text = result_html_outcome_text(result);

    markup_begin(page->writer, "td", "class", class, "data-of", name, NULL);
    if (result && case_result_failed(result))
        write_link(page->writer, device, result, text);
    else
        markup_text(page->writer, text);
    if (result && result->outcome != OUTCOME_PASSED && !case_result_failed(result) && result->actual)
        markup_element(page->writer, "small", NULL, "%s", result->actual);
    if (result && case_result_leans(result))
        markup_element(page->writer, "small", NULL, "rests on %s", result->rests_on);
    markup_end(page->writer);
}

/* Keywords for the page's filters: "failed", "differs", both or neither. */
static char *row_kinds(const struct matrix_page *page, const char *id)
{
    const struct case_result *first = result_html_find(page, 0, id);
    bool failed = fails(first), differs = false;

    for (unsigned i = 1; i < page->n; i++) {
        const struct case_result *result = result_html_find(page, i, id);

        failed |= fails(result);
        differs |= !first != !result || (result && strcmp(class_of(first), class_of(result)) != 0);
    }
    return g_strdup_printf("%s%s%s", failed ? "failed" : "", failed && differs ? " " : "", differs ? "differs" : "");
}

static void result_html_write_row(const struct matrix_page *page, const struct case_result *result)
{
    g_autofree char *kinds = row_kinds(page, result->id);
    xmlTextWriter *writer = page->writer;

    markup_begin(writer, "tr", "data-kinds", kinds, NULL);
    markup_begin_row_head(writer);
    markup_text(writer, result->id);
    if (result->aliases->len > 0) {
        markup_begin(writer, "small", NULL);
        for (guint i = 0; i < result->aliases->len; i++)
            markup_format(writer, "%s%s", i ? ", " : "also ", (const char *)g_ptr_array_index(result->aliases, i));
        markup_end(writer);
    }
    markup_end(writer);
    markup_begin(writer, "td", "class", "requirement", NULL);
    markup_text(writer, or_empty(result->requirement));
    markup_element(writer, "small", NULL, "%s section %s, %s. Stimulus: %s.", or_empty(result->document),
                   or_empty(result->section), or_empty(result->level), or_empty(result->stimulus));
    markup_end(writer);
    for (unsigned i = 0; i < page->n; i++)
        write_outcome(page, i, result_html_find(page, i, result->id));
    markup_end(writer);
}

static void write_matrix(const struct matrix_page *page)
{
    g_autoptr(GHashTable) done = g_hash_table_new(g_str_hash, g_str_equal);
    g_autoptr(GPtrArray) heads = g_ptr_array_new_with_free_func(g_free);

    g_ptr_array_add(heads, g_strdup("Case"));
    g_ptr_array_add(heads, g_strdup("Requirement"));
    for (unsigned i = 0; i < page->n; i++) {
        g_autofree char *name = device_name(page, i);

        g_ptr_array_add(heads, g_strdup_printf("%s, %s", name, page->reports[i]->role));
    }
    markup_element(page->writer, "h2", NULL, "Cases");
    markup_begin_table(page->writer, "stacked matrix", "Outcome of each case on each device",
                       (const char *const *)heads->pdata, heads->len);
    for (unsigned i = 0; i < page->n; i++) {
        for (guint k = 0; k < page->reports[i]->results->len; k++) {
            const struct case_result *result = g_ptr_array_index(page->reports[i]->results, k);

            if (g_hash_table_add(done, result->id))
                result_html_write_row(page, result);
        }
    }
    markup_end_table(page->writer);
}

/* ---- failures ---- */

static void write_talk(xmlTextWriter *writer, const struct case_result *result)
{
    markup_begin(writer, "div", "class", "ends", NULL);
    markup_element(writer, "span", NULL, "iwarp-gen");
    markup_element(writer, "span", NULL, "device");
    markup_end(writer);
    markup_begin(writer, "ol", "class", "talk", NULL);
    for (guint i = 0; i < result->steps->len; i++) {
        const struct case_step *step = g_ptr_array_index(result->steps, i);

        if (step->left_out > 0)
            markup_element(writer, "li", "gap", "%u frames left out", step->left_out);
        markup_begin(writer, "li", "class", step->ours ? "test" : "device", NULL);
        markup_format(writer, "%s %.3f s  %s", step->ours ? "\u2500\u2500\u25B6" : "\u25C0\u2500\u2500", step->seconds,
                      or_empty(step->caption));
        if (step->octets)
            markup_element(writer, "code", NULL, "%s%s", step->octets,
                           strlen(step->octets) < 2 * (size_t)step->n ? " \u2026" : "");
        markup_end(writer);
        if (step->repeated > 0)
            markup_element(writer, "li", "gap", "%u more like this", step->repeated);
    }
    markup_end(writer);
}

static void result_html_write_failure(const struct matrix_page *page, unsigned device, const struct case_result *result)
{
    const char *const items[][2] = {
        {"Requirement", result->requirement}, {"Stimulus", result->stimulus}, {"Expected", result->expected},
        {"Reduced to", result->reduced},      {"Actual", result->actual},     {"Waived", result->waived},
    };
    g_autofree char *name = anchor(device, result->id), *of = device_name(page, device);
    xmlTextWriter *writer = page->writer;

    markup_begin(writer, "section", "id", name, "class", result->waived ? "failure waived" : "failure", NULL);
    markup_element(writer, "h2", NULL, "%s on %s as %s", result->id, of, page->reports[device]->role);
    markup_element(writer, "p", "facts", "%s section %s, %s; %s", or_empty(result->document), or_empty(result->section),
                   or_empty(result->level), or_empty(result->severity));
    markup_begin(writer, "dl", NULL);
    for (unsigned i = 0; i < G_N_ELEMENTS(items); i++) {
        if (!items[i][1])
            continue;
        markup_element(writer, "dt", NULL, "%s", items[i][0]);
        markup_element(writer, "dd", NULL, "%s", items[i][1]);
    }
    markup_end(writer);
    write_talk(writer, result);
    markup_end(writer);
}

static void write_failures(const struct matrix_page *page, unsigned device)
{
    const struct suite_report *report = page->reports[device];

    for (guint i = 0; i < report->results->len; i++) {
        const struct case_result *result = g_ptr_array_index(report->results, i);

        if (case_result_failed(result))
            result_html_write_failure(page, device, result);
    }
}

static void result_html_write_body(const struct matrix_page *page)
{
    result_html_write_verdict(page);
    result_html_write_tools(page);
    markup_begin(page->writer, "main", NULL);
    markup_begin_table(page->writer, "stacked", "Devices", device_heads, G_N_ELEMENTS(device_heads));
    for (unsigned i = 0; i < page->n; i++)
        write_device(page, i);
    markup_end_table(page->writer);
    write_failure_links(page);
    for (unsigned i = 0; i < page->n; i++)
        if (result_html_run_before(page, i) < page->n)
            write_changes(page, result_html_run_before(page, i), i);
    write_matrix(page);
    for (unsigned i = 0; i < page->n; i++)
        write_sections(page, i);
    for (unsigned i = 0; i < page->n; i++)
        write_failures(page, i);
    markup_end(page->writer);
}

void suite_report_html(struct suite_report *const *reports, unsigned n, FILE *out)
{
    g_autofree char *title = n == 1 ? g_strdup_printf("Conformance of %s", reports[0]->device)
                                    : g_strdup_printf("Conformance of %u devices", n);
    const struct page setup = {title, "iwarp-gen " IWARP_KIT_VERSION, result_css, result_js};
    g_autoptr(GPtrArray) by_id = g_ptr_array_new_with_free_func((GDestroyNotify)g_hash_table_unref);
    struct matrix_page page = {page_open(&setup, out), reports, n, NULL};

    for (unsigned i = 0; i < n; i++)
        g_ptr_array_add(by_id, result_html_index_of(reports[i]));
    page.by_id = (GHashTable **)by_id->pdata;
    result_html_write_body(&page);
    page_close(&setup, page.writer);
}

void suite_report_page(const struct suite_report *report, FILE *out)
{
    struct suite_report *only = (struct suite_report *)report;

    suite_report_html(&only, 1, out);
}
