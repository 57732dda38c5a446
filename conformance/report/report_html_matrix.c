// SPDX-License-Identifier: GPL-2.0-or-later
/* The matrix of rules and connections, and the rules that were not exercised. */
#include "conformance/report/report_html.h"

#include <inttypes.h>

enum {
    COLUMNS_FEW = 6,       /* with more columns, the requirements are on separate lines */
    COLUMNS_ON_PAPER = 10, /* the same as in report.css */
};

/* A connection's rules, in catalogue order, and the current position. */
struct column {
    const struct html_entry *entry;
    GArray *rules;
    guint next;
};

static const struct report_rule *matrix_rule_of(struct column *column, enum rule_id id)
{
    const GArray *rules = column->rules;

    if (column->next > 0 && g_array_index(rules, struct report_rule, column->next - 1).rule >= id)
        column->next = 0; /* the rules of the next outcome */
    while (column->next < rules->len && g_array_index(rules, struct report_rule, column->next).rule < id)
        column->next++;
    if (column->next < rules->len && g_array_index(rules, struct report_rule, column->next).rule == id)
        return &g_array_index(rules, struct report_rule, column->next);
    return NULL;
}

static void clear_column(gpointer column)
{
    g_array_unref(((struct column *)column)->rules);
}

/* struct column: the worst connections. */
static GArray *make_columns(const struct html_page *page)
{
    GArray *columns = g_array_new(FALSE, FALSE, sizeof(struct column));
    guint n = MIN(page->entries->len, (guint)HTML_COLUMNS);

    g_array_set_clear_func(columns, clear_column);
    for (guint i = 0; i < n; i++) {
        const struct html_entry *entry = &g_array_index(page->entries, struct html_entry, i);
        struct column column = {.entry = entry, .rules = g_array_new(FALSE, FALSE, sizeof(struct report_rule))};

        report_rules(page->report, entry->connection, column.rules);
        g_array_append_val(columns, column);
    }
    return columns;
}

static const char *matrix_outcome_of(const struct rule_count *count)
{
    return count->failed > 0 ? "failed" : count->passed > 0 ? "passed" : count->inconclusive > 0 ? "inconclusive" : "";
}

static void matrix_write_cell(struct html_page *page, const struct rule_count *count)
{
    static const struct rule_count none;
    const struct rule_count *shown = count ? count : &none;
    const char *outcome = matrix_outcome_of(shown);

    if (*outcome == '\0') {
        markup_element(page->writer, "td", NULL, "\302\267");
        return;
    }
    if (shown->failed > 0)
        markup_element(page->writer, "td", outcome, "\342\234\227 %" PRIu32, shown->failed);
    else if (shown->passed > 0)
        markup_element(page->writer, "td", outcome, "\342\234\223 %" PRIu32, shown->passed);
    else
        markup_element(page->writer, "td", outcome, "? %" PRIu32, shown->inconclusive);
}

static void write_column_head(struct html_page *page, const struct column *column)
{
    char id[HTML_ID_SIZE];

    html_entry_id(column->entry, id);
    markup_begin(page->writer, "th", "scope", "col", NULL);
    if (g_hash_table_contains(page->in_full, column->entry->connection))
        markup_link(page->writer, id, id + 1);
    else
        markup_text(page->writer, id + 1);
    markup_end(page->writer);
}

static void write_head(struct html_page *page, GArray *columns)
{
    markup_begin(page->writer, "thead", NULL);
    markup_begin(page->writer, "tr", NULL);
    markup_column_head(page->writer, "Rule");
    markup_column_head(page->writer, "All");
    for (guint i = 0; i < columns->len; i++)
        write_column_head(page, &g_array_index(columns, struct column, i));
    markup_column_head(page->writer, "Requirement");
    markup_end(page->writer);
    markup_end(page->writer);
}

static void matrix_write_rule(struct html_page *page, enum rule_id id, GArray *columns)
{
    const struct rule *rule = &rule_catalogue[id];
    const struct rule_count *all = &page->report->counts[id];
    g_autofree gchar *doubt = report_rule_doubt_text(page->report, id);

    markup_begin(page->writer, "tr", "data-outcome", matrix_outcome_of(all), NULL);
    markup_begin_row_head(page->writer);
    markup_element(page->writer, "code", NULL, "%s", rule->id);
    markup_element(page->writer, "span", "level", " %s", rule->level);
    markup_end(page->writer);
    matrix_write_cell(page, all);
    for (guint i = 0; i < columns->len; i++) {
        const struct report_rule *of = matrix_rule_of(&g_array_index(columns, struct column, i), id);

        matrix_write_cell(page, of ? &of->count : NULL);
    }
    markup_begin(page->writer, "td", "class", "requirement", NULL);
    markup_text(page->writer, rule->text);
    if (doubt)
        markup_element(page->writer, "p", "more", "%s", doubt);
    markup_end(page->writer);
    markup_end(page->writer);
}

void html_write_matrix(struct html_page *page)
{
    static const char *const outcomes[] = {"failed", "inconclusive", "passed"}; /* what needs a look comes first */
    GArray *columns = make_columns(page);
    uint64_t left_out = page->report->connections - columns->len;

    markup_begin(page->writer, "section", "id", "matrix", NULL);
    markup_element(page->writer, "h2", NULL, "Rules by connections");
    markup_element(page->writer, "p", NULL,
                   "\342\234\227 failed, \342\234\223 passed, ? inconclusive, \302\267 not exercised, each with a "
                   "count. Columns are named after capture and connection.");
    if (left_out > 0)
        markup_element(page->writer, "p", "more", "%" PRIu64 " more connection%s counted only in the column \"All\"",
                       left_out, left_out == 1 ? " is" : "s are");
    if (columns->len > COLUMNS_ON_PAPER)
        markup_element(page->writer, "p", "paper", "In print, only the first %d connections have a column.",
                       COLUMNS_ON_PAPER);
    markup_begin_table(page->writer, columns->len > COLUMNS_FEW ? "matrix many" : "matrix",
                       "Outcome of each exercised rule", NULL, 0);
    write_head(page, columns);
    markup_begin(page->writer, "tbody", NULL);
    for (size_t k = 0; k < G_N_ELEMENTS(outcomes); k++)
        for (size_t i = 0; i < RULE_COUNT; i++)
            if (strcmp(matrix_outcome_of(&page->report->counts[i]), outcomes[k]) == 0)
                matrix_write_rule(page, (enum rule_id)i, columns);
    markup_end_table(page->writer);
    markup_end(page->writer);
    g_array_unref(columns);
}

static void matrix_write_ids(struct html_page *page, enum exclusion why)
{
    markup_begin(page->writer, "p", "class", "ids", NULL);
    for (size_t i = 0; i < RULE_COUNT; i++)
        if (exclusion_of(page->report, (enum rule_id)i, &page->report->counts[i]) == why)
            markup_format(page->writer, "%s ", rule_catalogue[i].id);
    markup_end(page->writer);
}

void html_write_not_exercised(struct html_page *page)
{
    unsigned counts[EXCLUSION_COUNT] = {0};

    for (size_t i = 0; i < RULE_COUNT; i++)
        counts[exclusion_of(page->report, (enum rule_id)i, &page->report->counts[i])]++;
    markup_begin(page->writer, "section", "id", "not-exercised", NULL);
    markup_element(page->writer, "h2", NULL, "Not exercised: %u of %u rules", (unsigned)RULE_COUNT - counts[EXERCISED],
                   (unsigned)RULE_COUNT);
    markup_element(page->writer, "p", NULL, "A rule that the traffic never exercised has not passed.");
    for (int why = EXERCISED + 1; why < EXCLUSION_COUNT; why++) {
        if (counts[why] == 0)
            continue;
        markup_begin(page->writer, "details", NULL);
        markup_element(page->writer, "summary", NULL, "%u: %s", counts[why], exclusion_text((enum exclusion)why));
        matrix_write_ids(page, (enum exclusion)why);
        markup_end(page->writer);
    }
    markup_end(page->writer);
}
