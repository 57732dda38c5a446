// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/report/report_known.h"

#include "conformance/report/report_violations.h"
#include "waivers/shipped.h"

/* Findings of a rule on a connection that were sent by one side. */
struct known_findings {
    const struct report_connection *connection;
    const struct finding_group *group;
    enum direction direction;
};

struct known_list {
    GPtrArray *findings; /* struct known_findings * */
    GArray *times;       /* uint64_t */
    GPtrArray *groups;   /* GArray *, which they point into */
};

static bool fits(const struct waiver *waiver, const void *finding)
{
    const struct known_findings *known = finding;
    bool from_initiator = known->direction == DIR_TO_RESPONDER;
    const struct report_connection *connection = known->connection;
    enum waiver_role role = from_initiator ? WAIVER_INITIATOR : WAIVER_RESPONDER;

    return !waiver->one_case && rule_carried_by(&rule_catalogue[waiver->rule], known->group->first->rule) &&
           waiver_in_scope(waiver, from_initiator ? &connection->initiator : &connection->responder,
                           connection->roles_known ? role : WAIVER_ANY_ROLE);
}

static void add(struct known_list *list, const struct known_findings *known, uint64_t times)
{
    if (times == 0)
        return;
    g_ptr_array_add(list->findings, g_memdup2(known, sizeof *known));
    g_array_append_val(list->times, times);
}

static void add_group(struct known_list *list, const struct report_connection *connection, const GArray *groups,
                      const struct finding_group *group)
{
    uint64_t times[2] = {0}, all = finding_group_times(connection, groups, group);

    for (guint i = group->at; i < connection->findings->len; i++) {
        const struct report_finding *finding = &g_array_index(connection->findings, struct report_finding, i);

        if (finding_in_group(finding, group))
            times[finding->direction == DIR_TO_RESPONDER] += UINT64_C(1) + finding->more;
    }
    /* Who sent those that were not kept is not known: the side that sent what was. */
    times[times[1] > 0] += all - MIN(all, times[0] + times[1]);
    for (unsigned i = 0; i < 2; i++)
        add(list, &(struct known_findings){connection, group, i == 1 ? DIR_TO_RESPONDER : DIR_TO_INITIATOR}, times[i]);
}

static void add_connection(struct known_list *list, const struct report_connection *connection)
{
    GArray *groups = finding_groups(connection);

    g_ptr_array_add(list->groups, groups);
    for (guint i = 0; i < groups->len; i++) {
        const struct finding_group *group = &g_array_index(groups, struct finding_group, i);

        if (!group->first->waiver)
            add_group(list, connection, groups, group);
    }
}

static void free_groups(gpointer groups)
{
    g_array_unref(groups);
}

gchar *known_text(const struct report *report)
{
    struct known_list list;
    struct shipped_match match;
    uint64_t all = 0;
    gchar *text;

    if (report->status != CHECK_FAIL)
        return NULL;
    list = (struct known_list){g_ptr_array_new_with_free_func(g_free), g_array_new(FALSE, FALSE, sizeof(uint64_t)),
                               g_ptr_array_new_with_free_func(free_groups)};
    for (guint i = 0; i < report->captures->len; i++) {
        const struct report_capture *capture = g_ptr_array_index(report->captures, i);

        for (guint k = 0; k < capture->connections->len; k++)
            add_connection(&list, g_ptr_array_index(capture->connections, k));
    }
    for (guint i = 0; i < list.times->len; i++)
        all += g_array_index(list.times, uint64_t, i);
    match = shipped_explain(&(struct shipped_findings){(const void *const *)list.findings->pdata,
                                                       (const uint64_t *)(const void *)list.times->data,
                                                       list.findings->len, fits});
    text = shipped_text(&match, all, "finding");
    shipped_match_clear(&match);
    g_ptr_array_unref(list.findings);
    g_array_unref(list.times);
    g_ptr_array_unref(list.groups);
    return text;
}
