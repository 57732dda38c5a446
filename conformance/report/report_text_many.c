// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/report/report_text_many.h"

#include "conformance/report/report_violations.h"
#include "conformance/report/text_table.h"

#include <inttypes.h>

enum {
    FEW = 20, /* findings that need no table */
    CONNECTIONS_SHOWN = 3,
};

static void many_add_row(struct text_table *table, const struct violation *violation)
{
    const struct rule *rule = &rule_catalogue[violation->rule];

    text_table_add(table, rule->id);
    text_table_add(table, finding_class(violation->worst));
    text_table_format(table, "%" PRIu64, violation->times);
    text_table_format(table, "%u", violation->connections);
    text_table_format(table, "%u", violation->captures);
    text_table_format(table, "%s %s", rule->document, rule->section);
}

void many_write_rules(const struct report *report, const struct terminal *terminal)
{
    static const char *const heads[] = {"rule violated", "severity", "findings", "connections", "captures", "source"};
    struct text_table *table;
    GArray *violations;
    uint64_t all = report->waived;

    for (size_t severity = 0; severity < SEVERITY_COUNT; severity++)
        all += report->found[severity];
    if (all <= FEW)
        return;
    violations = report_violations(report);
    table = text_table_new(heads, G_N_ELEMENTS(heads));
    for (guint i = 0; i < violations->len; i++)
        many_add_row(table, &g_array_index(violations, struct violation, i));
    terminal_gap(terminal);
    text_table_write(table, terminal, 0);
    text_table_free(table);
    g_array_unref(violations);
}

bool many_to_show(struct many_shown *shown, const struct report_connection *connection)
{
    GArray *groups = finding_groups(connection);
    bool show = groups->len == 0;

    for (guint i = 0; i < groups->len; i++) {
        const struct report_finding *first = g_array_index(groups, struct finding_group, i).first;
        unsigned char *times = &shown->connections[first->waiver != NULL][first->rule];

        show |= *times < CONNECTIONS_SHOWN;
    }
    for (guint i = 0; show && i < groups->len; i++) {
        const struct report_finding *first = g_array_index(groups, struct finding_group, i).first;
        unsigned char *times = &shown->connections[first->waiver != NULL][first->rule];

        *times += *times < CONNECTIONS_SHOWN;
    }
    g_array_unref(groups);
    shown->left_out += !show;
    return show;
}
