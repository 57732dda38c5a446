// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/report/report_violations.h"

const char *finding_class(const struct report_finding *finding)
{
    return finding->waiver ? "waived" : rule_severity_name(finding->severity);
}

uint64_t finding_group_times(const struct report_connection *connection, const GArray *groups,
                             const struct finding_group *group)
{
    enum rule_id rule = group->first->rule;
    uint32_t failed;
    uint64_t others = 0;

    if (connection->not_kept == 0 || !connection->counts)
        return group->times;
    for (guint i = 0; i < groups->len; i++) {
        const struct finding_group *other = &g_array_index(groups, struct finding_group, i);

        if (other->first->rule == rule && other->first != group->first)
            others += other->times;
    }
    failed = folded_failed(connection->counts, rule);
    return MAX(group->times, failed - MIN(others, failed));
}

static int violations_rank_of(const struct report_finding *finding)
{
    return finding->waiver ? SEVERITY_COUNT : SEVERITY_ERROR - (int)finding->severity;
}

struct sums {
    /* By rule; last, last_capture: the connection and capture counted last. */
    struct violation *all;
    const struct report_connection **last;
    const struct report_capture **last_capture;
};

static void violations_add_connection(struct sums *sums, const struct report_capture *capture,
                                      const struct report_connection *connection)
{
    GArray *groups = finding_groups(connection);

    for (guint i = 0; i < groups->len; i++) {
        const struct finding_group *group = &g_array_index(groups, struct finding_group, i);
        enum rule_id rule = group->first->rule;
        struct violation *violation = &sums->all[rule];

        violation->connections += sums->last[rule] != connection;
        violation->captures += sums->last_capture[rule] != capture;
        sums->last[rule] = connection;
        sums->last_capture[rule] = capture;
        violation->times += finding_group_times(connection, groups, group);
        if (violation->worst && violations_rank_of(group->first) >= violations_rank_of(violation->worst))
            continue;
        violation->worst = group->first;
        violation->capture = capture;
    }
    g_array_unref(groups);
}

static gint by_weight(gconstpointer a, gconstpointer b)
{
    const struct violation *first = a, *second = b;
    int order = violations_rank_of(first->worst) - violations_rank_of(second->worst);

    if (order != 0)
        return order;
    if (first->times != second->times)
        return first->times > second->times ? -1 : 1;
    return (int)first->rule - (int)second->rule;
}

GArray *report_violations(const struct report *report)
{
    GArray *violations = g_array_new(FALSE, FALSE, sizeof(struct violation));
    struct sums sums = {g_new0(struct violation, RULE_COUNT), g_new0(const struct report_connection *, RULE_COUNT),
                        g_new0(const struct report_capture *, RULE_COUNT)};

    for (guint i = 0; i < report->captures->len; i++) {
        const struct report_capture *capture = g_ptr_array_index(report->captures, i);

        for (guint k = 0; k < capture->connections->len; k++)
            violations_add_connection(&sums, capture, g_ptr_array_index(capture->connections, k));
    }
    for (size_t i = 0; i < RULE_COUNT; i++) {
        sums.all[i].rule = (enum rule_id)i;
        if (sums.all[i].worst)
            g_array_append_val(violations, sums.all[i]);
    }
    g_array_sort(violations, by_weight);
    g_free(sums.all);
    g_free(sums.last);
    g_free(sums.last_capture);
    return violations;
}
