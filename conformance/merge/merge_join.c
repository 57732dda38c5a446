// SPDX-License-Identifier: GPL-2.0-or-later
/* Joins two parts of a capture, or of a connection. */
#include "conformance/merge/merge_parts.h"

#include <string.h>

static void add_count(uint64_t *into, uint64_t later)
{
    *into = MIN(*into + later, JSON_COUNT_MAX);
}

static void add_pair(uint64_t into[2], const uint64_t later[2])
{
    for (unsigned i = 0; i < 2; i++)
        add_count(&into[i], later[i]);
}

/* ---- rules ---- */

void merge_rules_set(GArray *into, const GArray *from)
{
    g_array_set_size(into, 0);
    g_array_append_vals(into, from->data, from->len);
}

static struct report_rule *rule_of(GArray *rules, enum rule_id id)
{
    struct report_rule first = {.rule = id};

    for (guint i = 0; i < rules->len; i++)
        if (g_array_index(rules, struct report_rule, i).rule == id)
            return &g_array_index(rules, struct report_rule, i);
    g_array_append_val(rules, first);
    return &g_array_index(rules, struct report_rule, rules->len - 1);
}

void merge_rules_add(GArray *into, const GArray *later)
{
    for (guint i = 0; i < later->len; i++) {
        const struct report_rule *from = &g_array_index(later, struct report_rule, i);
        struct report_rule *rule = rule_of(into, from->rule);
        struct rule_count *count = &rule->count;

        count->passed = rule_count_sum(count->passed, from->count.passed);
        count->failed = rule_count_sum(count->failed, from->count.failed);
        count->inconclusive = rule_count_sum(count->inconclusive, from->count.inconclusive);
        doubt_put_first(&rule->doubt, &from->doubt);
    }
}

/* ---- a connection ---- */

static void join_findings(struct report_connection *into, const struct report_connection *later)
{
    for (guint i = 0; i < later->findings->len; i++)
        report_adopt_finding(into, &g_array_index(later->findings, struct report_finding, i));
    if (later->findings->len > 0)
        report_sort_findings(into);
    add_count(&into->not_kept, later->not_kept);
}

/* Adds the later part's facts about the upper layer to the earlier part's. */
static void join_guest(struct report_guest *into, struct report_guest *later)
{
    if (into->face && into->face == later->face) {
        into->face->join(into->report, later->report);
    } else if (later->face) {
        report_guest_free(into);
        *into = *later;
        *later = (struct report_guest){NULL};
    }
}

void merge_join_connection(struct report_connection *into, struct report_connection *later)
{
    into->initiator = later->initiator;
    into->responder = later->responder;
    into->roles_known = later->roles_known;
    into->end_frame = later->end_frame;
    into->continues = later->continues;
    into->complete = later->complete;
    into->parameters = later->parameters;
    memcpy(into->markers, later->markers, sizeof into->markers);
    if (later->ib) { /* its counts continue through all parts */
        g_free(into->ib);
        into->ib = g_steal_pointer(&later->ib);
    }
    add_pair(into->fpdus, later->fpdus);
    add_pair(into->octets, later->octets);
    for (unsigned kind = 0; kind < REFUSALS; kind++)
        add_pair(into->refused[kind], later->refused[kind]);
    for (unsigned opcode = 0; opcode < OPERATION_COUNT; opcode++)
        add_count(&into->operations[opcode], later->operations[opcode]);
    join_guest(&into->guest, &later->guest);
    if (into->statistics && later->statistics)
        statistics_join(into->statistics, later->statistics);
    else if (later->statistics)
        into->statistics = g_steal_pointer(&later->statistics);
    join_findings(into, later);
}

void merge_fold(struct report_connection *connection)
{
    GArray *all = connection->findings;

    connection->findings = g_array_new(FALSE, FALSE, sizeof(struct report_finding));
    for (guint i = 0; i < all->len; i++) {
        const struct report_finding *finding = &g_array_index(all, struct report_finding, i);

        /* A finding that a part has folded stays folded. */
        if (finding->more > 0 || !report_fold_finding(connection, finding, finding->message))
            g_array_append_val(connection->findings, *finding);
    }
    g_array_unref(all);
}

/* ---- a capture ---- */

static void join_rest(struct report_rest *into, const struct report_rest *later)
{
    add_count(&into->n, later->n);
    add_count(&into->with_findings, later->with_findings);
    add_count(&into->troubled, later->troubled);
    add_count(&into->waived, later->waived);
    for (size_t i = 0; i < SEVERITY_COUNT; i++)
        add_count(&into->found[i], later->found[i]);
}

void merge_join_capture(struct report_capture *into, struct report_capture *later)
{
    struct troubles *troubles = into->troubles;

    g_clear_pointer(&into->nothing, g_free); /* belongs to one part only */
    if (later->trouble && (later->failed || !into->failed)) {
        g_free(into->trouble);
        into->trouble = g_steal_pointer(&later->trouble);
    }
    into->failed |= later->failed;
    into->truncated |= later->truncated;
    add_count(&into->packets, later->packets);
    add_count(&into->octets, later->octets);
    add_count(&into->dropped, later->dropped);
    add_count(&into->other_connections, later->other_connections);
    add_count(&into->cut_short, later->cut_short);
    add_count(&into->given_up, later->given_up);
    join_rest(&into->rest, &later->rest);
    into->troubles = later->troubles; /* cover all parts so far */
    later->troubles = troubles;
    into->part.number = later->part.number;
    into->part.last = later->part.last;
    into->part.to_ns = later->part.to_ns;
}
