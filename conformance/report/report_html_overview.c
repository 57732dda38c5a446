// SPDX-License-Identifier: GPL-2.0-or-later
/* The beginning of the page: which captures fail, and which rules are violated, the worst first. */
#include "conformance/report/report_html.h"

/* ---- rules ---- */

static void number_cell(struct html_page *page, uint64_t number, const char *class_name)
{
    markup_number_cell(page->writer, number > 0 && class_name ? class_name : "number", number);
}

static void overview_write_violation(struct html_page *page, const struct violation *violation, const char *id)
{
    const struct rule *rule = &rule_catalogue[violation->rule];
    const char *class_name = finding_class(violation->worst);

    markup_begin(page->writer, "tr", NULL);
    markup_begin_row_head(page->writer);
    if (id)
        markup_link(page->writer, id, rule->id);
    else
        markup_text(page->writer, rule->id);
    markup_end(page->writer);
    markup_begin(page->writer, "td", NULL);
    markup_element(page->writer, "span", class_name, "%s", class_name);
    markup_end(page->writer);
    number_cell(page, violation->times, NULL);
    number_cell(page, violation->connections, NULL);
    if (page->report->captures->len > 1)
        number_cell(page, violation->captures, NULL);
    markup_element(page->writer, "td", "requirement", "%s", rule->text);
    markup_end(page->writer);
}

/* For each rule, its findings on the worst connection that is shown in full; NULL: there is none. */
static gchar **find_groups(const struct html_page *page)
{
    gchar **ids = g_new0(gchar *, RULE_COUNT);

    for (guint i = 0; i < page->entries->len; i++) {
        const struct html_entry *entry = &g_array_index(page->entries, struct html_entry, i);
        GArray *groups;

        if (!g_hash_table_contains(page->in_full, entry->connection))
            continue;
        groups = finding_groups(entry->connection);
        for (guint k = 0; k < groups->len; k++) {
            const struct finding_group *group = &g_array_index(groups, struct finding_group, k);

            if (!ids[group->first->rule])
                ids[group->first->rule] = html_group_id(entry, group);
        }
        g_array_unref(groups);
    }
    return ids;
}

static void write_rules(struct html_page *page)
{
    static const char *const one[] = {"Rule", "Severity", "Findings", "Connections", "Requirement"};
    static const char *const many[] = {"Rule", "Severity", "Findings", "Connections", "Captures", "Requirement"};
    bool single = page->report->captures->len == 1;
    GArray *violations = report_violations(page->report);
    gchar **ids = find_groups(page);

    markup_element(page->writer, "h2", NULL, "Rules violated");
    markup_begin_table(page->writer, "sortable rules", "Rules link to their findings on the worst connection",
                       single ? one : many, single ? G_N_ELEMENTS(one) : G_N_ELEMENTS(many));
    for (guint i = 0; i < violations->len; i++) {
        const struct violation *violation = &g_array_index(violations, struct violation, i);

        overview_write_violation(page, violation, ids[violation->rule]);
    }
    markup_end_table(page->writer);
    for (size_t i = 0; i < RULE_COUNT; i++)
        g_free(ids[i]);
    g_free(ids);
    g_array_unref(violations);
}

/* ---- captures ---- */

struct tally {
    const struct report_capture *capture;
    unsigned number;
    enum check_status status;
    uint64_t found[SEVERITY_COUNT], waived;
};

static struct tally overview_tally_of(const struct html_page *page, unsigned number)
{
    struct tally tally = {g_ptr_array_index(page->report->captures, number - 1), number, CHECK_PASS, {0}, 0};

    tally.status = report_capture_status(page->report->options, tally.capture, tally.found, &tally.waived);
    return tally;
}

static gint by_trouble(gconstpointer a, gconstpointer b)
{
    static const unsigned ranks[] = {[CHECK_FAIL] = 0, [CHECK_TROUBLE] = 1, [CHECK_NOTHING] = 2, [CHECK_PASS] = 3};
    const struct tally *first = a, *second = b;

    if (first->status != second->status)
        return ranks[first->status] < ranks[second->status] ? -1 : 1;
    for (int severity = SEVERITY_ERROR; severity >= SEVERITY_NOTE; severity--)
        if (first->found[severity] != second->found[severity])
            return first->found[severity] > second->found[severity] ? -1 : 1;
    return first->number < second->number ? -1 : 1;
}

static void write_tally(struct html_page *page, const struct tally *tally)
{
    static const struct {
        const char *word, *class_name;
    } verdicts[] = {[CHECK_PASS] = {"pass", "passed"},
                    [CHECK_FAIL] = {"fail", "failed"},
                    [CHECK_TROUBLE] = {"unreadable", "failed"},
                    [CHECK_NOTHING] = {"nothing checked", "inconclusive"}};
    g_autofree gchar *id = g_strdup_printf("c%u", tally->number);

    markup_begin(page->writer, "tr", NULL);
    markup_begin_row_head(page->writer);
    markup_link(page->writer, id, tally->capture->file);
    markup_end(page->writer);
    if (report_capture_is_trouble(page->report->options, tally->capture))
        markup_element(page->writer, "td", "failed", "trouble");
    else
        markup_element(page->writer, "td", verdicts[tally->status].class_name, "%s", verdicts[tally->status].word);
    number_cell(page, report_n_connections(tally->capture), NULL);
    for (int severity = SEVERITY_ERROR; severity >= SEVERITY_NOTE; severity--)
        number_cell(page, tally->found[severity], NULL);
    number_cell(page, tally->waived, NULL);
    markup_end(page->writer);
}

static void overview_write_captures(struct html_page *page)
{
    static const char *const names[] = {"Capture", "Verdict", "Connections", "Errors", "Warnings", "Notes", "Waived"};
    guint n = page->report->captures->len;
    GArray *tallies = g_array_new(FALSE, FALSE, sizeof(struct tally));
    unsigned counts[CHECK_NOTHING + 1] = {0}, troubled = 0;

    for (guint i = 0; i < n; i++) {
        struct tally tally = overview_tally_of(page, i + 1);

        if (report_capture_is_trouble(page->report->options, tally.capture))
            troubled++;
        else
            counts[tally.status]++;
        g_array_append_val(tallies, tally);
    }
    g_array_sort(tallies, by_trouble);
    markup_element(page->writer, "h2", NULL, "%u capture%s: %u fail, %u pass", n, plural(n), counts[CHECK_FAIL],
                   counts[CHECK_PASS]);
    if (troubled > 0)
        markup_element(page->writer, "p", "trouble", "%u had trouble, and broke no rule", troubled);
    if (counts[CHECK_TROUBLE] > 0)
        markup_element(page->writer, "p", "trouble", "%u could not be read completely", counts[CHECK_TROUBLE]);
    if (counts[CHECK_NOTHING] > 0)
        markup_element(page->writer, "p", "trouble", "%u had nothing to check", counts[CHECK_NOTHING]);
    markup_begin(page->writer, "div", "class", "scroll", NULL);
    markup_begin_table(page->writer, "sortable", "The worst first", names, G_N_ELEMENTS(names));
    for (guint i = 0; i < MIN(n, (guint)HTML_CAPTURES_LISTED); i++)
        write_tally(page, &g_array_index(tallies, struct tally, i));
    markup_end_table(page->writer);
    markup_end(page->writer);
    if (n > HTML_CAPTURES_LISTED)
        markup_element(page->writer, "p", "more", "%u more captures are not listed", n - HTML_CAPTURES_LISTED);
    g_array_unref(tallies);
}

void html_write_overview(struct html_page *page)
{
    markup_begin(page->writer, "section", "id", "overview", NULL);
    if (page->report->captures->len > 1)
        overview_write_captures(page);
    if (page->faulty > 0)
        write_rules(page);
    markup_end(page->writer);
}
