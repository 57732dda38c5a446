// SPDX-License-Identifier: GPL-2.0-or-later

#include "conformance/options/options.h"
#include "conformance/report/report_violations.h"
#include "waivers/shipped.h"

/* A listed finding, with the findings counted with it. */
struct known_findings {
    const struct report_connection *connection;
    const struct report_finding *finding;
};

struct known_list {
    GPtrArray *findings; /* struct known_findings * */
    GArray *times;       /* uint64_t */
};

static struct waiver_finding known_about(const struct report_connection *connection,
                                         const struct report_finding *finding)
{
    bool from_initiator = finding->direction == DIR_TO_RESPONDER;
    enum waiver_role role = from_initiator ? WAIVER_INITIATOR : WAIVER_RESPONDER;

    return (struct waiver_finding){.rule = finding->rule,
                                   .sender = from_initiator ? &connection->initiator : &connection->responder,
                                   .role = connection->roles_known ? role : WAIVER_ANY_ROLE,
                                   .operation = finding->subject.operation,
                                   .kind = finding->subject.kind,
                                   .message = finding->message};
}

static bool known_fits(const struct waiver *waiver, const void *finding)
{
    const struct known_findings *known = finding;
    const struct waiver_finding about = known_about(known->connection, known->finding);

    return waiver_covers(waiver, &about) && !shipped_of_another(waiver, known->connection->server);
}

const struct waiver *known_error(const struct report_connection *connection, const struct report_finding *finding)
{
    const struct waiver_finding about = known_about(connection, finding);

    return shipped_known(&about, connection->server);
}

static void known_add(struct known_list *list, const struct known_findings *known, uint64_t times)
{
    g_ptr_array_add(list->findings, g_memdup2(known, sizeof *known));
    g_array_append_val(list->times, times);
}

static void add_group(struct known_list *list, const struct report_connection *connection, const GArray *groups,
                      const struct finding_group *group)
{
    uint64_t listed = 0, all = finding_group_times(connection, groups, group);

    for (guint i = group->at; i < connection->findings->len; i++) {
        const struct report_finding *finding = &g_array_index(connection->findings, struct report_finding, i);

        if (!finding_in_group(finding, group))
            continue;
        known_add(list, &(struct known_findings){connection, finding}, UINT64_C(1) + finding->more);
        listed += UINT64_C(1) + finding->more;
    }
    /* The subjects of findings that were not kept are unknown: they count like the last finding that was kept. */
    g_array_index(list->times, uint64_t, list->times->len - 1) += all - MIN(all, listed);
}

static void known_add_connection(struct known_list *list, const struct check_options *options,
                                 const struct report_connection *connection)
{
    GArray *groups = finding_groups(connection);

    for (guint i = 0; i < groups->len; i++) {
        const struct finding_group *group = &g_array_index(groups, struct finding_group, i);

        /* Findings that do not fail need no waiver. */
        if (!group->first->waiver && options_fails(options, group->first->severity))
            add_group(list, connection, groups, group);
    }
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
    list = (struct known_list){g_ptr_array_new_with_free_func(g_free), g_array_new(FALSE, FALSE, sizeof(uint64_t))};
    for (guint i = 0; i < report->captures->len; i++) {
        const struct report_capture *capture = g_ptr_array_index(report->captures, i);

        for (guint k = 0; k < capture->connections->len; k++)
            known_add_connection(&list, report->options, g_ptr_array_index(capture->connections, k));
        all += report_rest_fails(report->options, &capture->rest);
    }
    for (guint i = 0; i < list.times->len; i++)
        all += g_array_index(list.times, uint64_t, i);
    match = shipped_explain(&(struct shipped_findings){(const void *const *)list.findings->pdata,
                                                       (const uint64_t *)(const void *)list.times->data,
                                                       list.findings->len, known_fits});
    text = shipped_text(&match, all, "failing finding");
    shipped_match_clear(&match);
    g_ptr_array_unref(list.findings);
    g_array_unref(list.times);
    return text;
}
