// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Other rules that the engine saw the device break: one failure for each rule, with the cases that showed it, so that
 * it counts and can be waived like any other.
 */
#include "traffic-gen/tester/suite/result/result.h"

#include <string.h>

enum { CASES_NAMED = 5 };

static const struct rule *seen_rule_of(const char *observation)
{
    const char *end = strstr(observation, ": ");
    g_autofree char *id = g_strndup(observation, end ? (gsize)(end - observation) : 0);

    return rule_find(id);
}

/* A finding that no document requires, only a hint at trouble, remains an observation. */
static bool is_demanded(const struct rule *rule)
{
    return rule->severity == SEVERITY_ERROR ||
           (rule->severity == SEVERITY_WARNING && strcmp(rule->level, "STATED") != 0);
}

/*
 * Fields of a Terminate's control word. If a device has its own layout, every field looks wrong; RDMAP-4.8-02 reports
 * that mistake once.
 */
static bool is_of_layout(const struct rule *rule)
{
    static const enum rule_id rules[] = {
        RULE_RDMAP_4_2_03, RULE_RDMAP_4_8_01, RULE_RDMAP_4_8_03, RULE_RDMAP_4_8_04, RULE_RDMAP_4_8_20,
        RULE_RDMAP_4_8_21, RULE_RDMAP_4_8_22, RULE_RDMAP_4_8_25, RULE_RDMAP_4_8_26, RULE_RDMAP_4_8_27,
        RULE_RDMAP_4_8_28, RULE_RDMAP_4_8_31, RULE_RDMAP_4_8_32, RULE_RDMAP_4_8_34, RULE_RDMAP_4_8_35,
        RULE_RDMAP_4_8_36, RULE_RDMAP_4_8_37, RULE_RDMAP_4_8_45, RULE_RDMAP_4_8_46, RULE_RDMAP_4_8_47,
        RULE_RDMAP_4_8_48, RULE_RDMAP_4_8_49, RULE_RDMAP_4_8_50, RULE_RDMAP_7_1_03, RULE_DDP_7_2_01,
        RULE_DDP_7_2_02,   RULE_DDP_7_2_16,   RULE_MPA_8_16,     RULE_MPA2_8_02,    RULE_MPA2_8_03,
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(rules); i++)
        if (rule == &rule_catalogue[rules[i]])
            return true;
    return false;
}

const struct rule *result_seen_rule(const char *observation, bool wrong_layout)
{
    const struct rule *rule = seen_rule_of(observation);

    return rule && is_demanded(rule) && !(wrong_layout && is_of_layout(rule)) ? rule : NULL;
}

/* A case of the rule, or of an equivalent rule, has failed: the breach is already reported. */
static bool is_reported(const struct suite_report *report, const struct rule *rule)
{
    for (guint i = 0; i < report->results->len; i++) {
        const struct case_result *result = g_ptr_array_index(report->results, i);

        if (!case_result_failed_rule(result))
            continue;
        if (strcmp(result->rule, rule->id) == 0 ||
            g_ptr_array_find_with_equal_func(result->aliases, rule->id, g_str_equal, NULL))
            return true;
    }
    return false;
}

/* The failure of a case says the same: the octets are identical. */
static bool is_told_by(const struct rule *rule, const struct case_result *in)
{
    static const struct {
        enum rule_id rule, by;
    } same[] = {{RULE_RPCR_4_2_1_01, RULE_RPCR_4_5_2_04}};

    for (unsigned i = 0; i < G_N_ELEMENTS(same); i++)
        if (rule == &rule_catalogue[same[i].rule] && strcmp(in->rule, rule_catalogue[same[i].by].id) == 0)
            return case_result_failed(in);
    return false;
}

struct seen {
    const struct rule *rule;
    const char *message;
    const struct case_result *first;
    GString *cases;
    unsigned n;
    bool confirmed; /* a case saw it in more than one run */
};

static void seen_add(GPtrArray *all, const struct rule *rule, const char *message, const struct case_result *in)
{
    struct seen *seen = NULL;

    for (guint i = 0; i < all->len && !seen; i++) {
        seen = g_ptr_array_index(all, i);
        if (seen->rule != rule)
            seen = NULL;
    }
    if (!seen) {
        seen = g_new0(struct seen, 1);
        *seen = (struct seen){.rule = rule, .message = message, .first = in, .cases = g_string_new(NULL)};
        g_ptr_array_add(all, seen);
    }
    seen->confirmed |= !g_ptr_array_find_with_equal_func(in->doubted, rule->id, g_str_equal, NULL);
    if (seen->n++ < CASES_NAMED)
        g_string_append_printf(seen->cases, "%s%s", seen->n > 1 ? ", " : "", in->id);
}

static struct case_result *seen_result_of(const struct seen *seen)
{
    struct case_result *result = case_result_new();
    const struct rule *rule = seen->rule;

    result->id = g_strdup_printf("%s/seen", rule->id);
    result->suite = g_strdup("seen");
    case_result_set_rule(result, rule);
    result->stimulus = seen->n > CASES_NAMED
                           ? g_strdup_printf("seen during %s and %u others", seen->cases->str, seen->n - CASES_NAMED)
                           : g_strdup_printf("seen during %s", seen->cases->str);
    result->expected = g_strdup("as the rule demands, in everything that the device sends");
    result->actual = seen->confirmed
                         ? g_strdup(seen->message)
                         : g_strdup_printf("%s; it did not come again when the case was repeated", seen->message);
    result->outcome = seen->confirmed ? OUTCOME_FAILED : OUTCOME_INCONCLUSIVE;
    g_array_append_vals(result->ports, seen->first->ports->data, seen->first->ports->len);
    return result;
}

static void seen_free(gpointer data)
{
    struct seen *seen = data;

    g_string_free(seen->cases, TRUE);
    g_free(seen);
}

void result_seen_add(struct suite_report *report, bool (*wanted)(void *ctx, const char *rule), void *ctx)
{
    g_autoptr(GPtrArray) all = g_ptr_array_new_with_free_func(seen_free);

    for (guint i = 0; i < report->results->len; i++) {
        const struct case_result *result = g_ptr_array_index(report->results, i);
        g_autoptr(GHashTable) once = g_hash_table_new(NULL, NULL);

        for (guint k = 0; k < result->observations->len; k++) {
            const char *observation = g_ptr_array_index(result->observations, k);
            const struct rule *rule = result_seen_rule(observation, report->layout != NULL);

            if (rule && wanted(ctx, rule->id) && g_hash_table_add(once, (gpointer)rule) && !is_reported(report, rule) &&
                !is_told_by(rule, result))
                seen_add(all, rule, observation + strlen(rule->id) + 2, result);
        }
    }
    for (guint i = 0; i < all->len; i++)
        g_ptr_array_add(report->results, seen_result_of(g_ptr_array_index(all, i)));
}
