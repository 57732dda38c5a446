// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/explore/pairs/causes.h"

#include "traffic-gen/explore/pairs/reduce.h"
#include "traffic-gen/tester/suite/expect/alive.h"
#include "traffic-gen/tester/suite/run/case.h"
#include "traffic-gen/tester/suite/transport/tcp_socket.h"

#include <string.h>

static void cause_free(gpointer data)
{
    struct cause *cause = data;

    g_free(cause->failure);
    g_free(cause->text);
    g_free(cause);
}

GPtrArray *causes_new(void)
{
    return g_ptr_array_new_with_free_func(cause_free);
}

/* ---- verdicts ---- */

/* The rule at the front of "MPA-4.3-03: ...". */
static const struct rule *causes_rule_of(const char *observation)
{
    g_autofree char *id = g_strndup(observation, strcspn(observation, ":"));

    return rule_find(id);
}

static bool was_seen(const struct case_result *usual, const struct rule *rule)
{
    for (guint i = 0; usual && i < usual->observations->len; i++) {
        if (causes_rule_of(g_ptr_array_index(usual->observations, i)) == rule)
            return true;
    }
    return false;
}

static bool is_waived(const struct subject *subject, const struct rule *rule)
{
    return rule && pairs_waives(&subject->pairs, rule_number(rule));
}

/* The finding that counts; NULL: none. */
static const char *finding_of(const struct subject *subject, const struct case_result *usual,
                              const struct case_result *result)
{
    const char *waived = NULL;

    for (guint i = 0; i < result->observations->len; i++) {
        const char *observation = g_ptr_array_index(result->observations, i);
        const struct rule *rule = causes_rule_of(observation);

        if (!rule || (result != usual && was_seen(usual, rule)) ||
            g_ptr_array_find_with_equal_func(result->doubted, rule->id, g_str_equal, NULL))
            continue;
        if (!is_waived(subject, rule))
            return observation;
        waived = waived ? waived : observation;
    }
    return waived;
}

/* Whether a finding may replace the verdict: the vector passed, or its failure is waived and the finding is not. */
static bool yields(const struct subject *subject, const struct case_result *result, const char *finding)
{
    if (result->outcome == OUTCOME_PASSED)
        return true;
    return result->outcome == OUTCOME_FAILED && !result->death && is_waived(subject, rule_find(result->rule)) &&
           !is_waived(subject, causes_rule_of(finding));
}

void causes_count_findings(const struct subject *subject, const struct case_result *usual, struct case_result *result)
{
    const char *finding = finding_of(subject, usual, result);

    if (!finding || !yields(subject, result, finding))
        return;
    case_result_conclude(result, OUTCOME_FAILED, "%s", finding);
    case_set_rule(result, rule_number(causes_rule_of(finding)));
}

const char *causes_failure(const struct case_result *result)
{
    return !case_result_failed(result) ? NULL : result->death ? result->death : result->rule;
}

/* ---- reduction ---- */

/* One failure while it is reduced. */
struct reduction {
    const struct subject *subject;
    const struct run_options *options;
    const struct case_result *usual; /* NULL: none */
    const int *vector;
    const char *failure;
    bool any;          /* any failure counts, except known failures */
    GHashTable *asked; /* name of a vector: its failure, "" if none */
    unsigned runs;
    bool over; /* the device is dead, or the run was stopped */
};

/* The failure; "": none. The caller frees it. */
static char *run_one(struct reduction *reduction, const struct vector_case *vector)
{
    const struct chosen_case chosen = {.suite = &reduction->subject->suite, .row = &vector->row};
    struct run_options options = {.jobs = 1,
                                  .repeat = 1,
                                  .confirm = reduction->options->confirm,
                                  .address = reduction->options->address,
                                  .before_each = reduction->options->before_each,
                                  .reset = reduction->options->reset,
                                  .t_reset = reduction->options->t_reset,
                                  .load = reduction->options->load};
    struct suite_report *report = suite_report_new();
    g_autoptr(GArray) cases = g_array_new(FALSE, FALSE, sizeof chosen);
    char *failure = NULL;

    g_array_append_val(cases, chosen);
    run_cases(vector->subject->pairs.run, cases, &options, report);
    reduction->runs++;
    reduction->over = suite_stopped || strcmp(report->state, device_life_names[DEVICE_ALIVE]) != 0;
    if (report->results->len > 0) {
        struct case_result *result = g_ptr_array_index(report->results, 0);

        causes_count_findings(vector->subject, reduction->usual, result);
        failure = g_strdup(causes_failure(result));
    }
    suite_report_free(report);
    return failure ? failure : g_strdup("");
}

/* A failure that also occurs with the usual values, or that has a waiver, is not reduced. */
static bool is_known_otherwise(const struct reduction *reduction, const char *failure)
{
    const struct subject *subject = reduction->subject;

    if (strcmp(failure, reduction->failure) == 0)
        return false;
    /* The death of a device is not reduced to a rule that some of its values break. */
    if (rule_find(failure) && !rule_find(reduction->failure))
        return true;
    if (reduction->usual && g_strcmp0(causes_failure(reduction->usual), failure) == 0)
        return true;
    return is_waived(subject, rule_find(failure)) && !is_waived(subject, rule_find(reduction->failure));
}

static bool fails_with(void *ctx, uint32_t parameters)
{
    struct reduction *reduction = ctx;
    int values[COVERING_PARAMETERS_MAX];
    struct vector_case *vector;
    const char *failure;

    if (reduction->over || !vector_with(reduction->subject, reduction->vector, parameters, values))
        return false;
    vector = vector_case_new(reduction->subject, values);
    if (!g_hash_table_contains(reduction->asked, vector->name))
        g_hash_table_insert(reduction->asked, g_strdup(vector->name), run_one(reduction, vector));
    failure = g_hash_table_lookup(reduction->asked, vector->name);
    vector_case_free(vector);
    if (reduction->any)
        return *failure && !is_known_otherwise(reduction, failure);
    return strcmp(failure, reduction->failure) == 0;
}

/*
 * Reduces to the same failure, so that two causes in one vector are kept apart. The broken rule may depend on values
 * that are not part of the cause: then the fewest of the rest that fail in any way.
 */
static uint32_t reduce_vector(struct reduction *reduction, uint32_t differences)
{
    uint32_t parameters = reduce(differences, fails_with, reduction);

    reduction->any = true;
    return reduce(parameters, fails_with, reduction);
}

/* The vector's values that exist and differ from the usual ones. */
static uint32_t differences(const struct subject *subject, const int *vector)
{
    const struct pairs *pairs = &subject->pairs;
    uint32_t set = 0;

    for (unsigned i = 0; i < pairs->model->n; i++) {
        if (vector[i] != pairs->usual[i] && !pairs_is_absent(pairs->model, i, vector[i]))
            set |= UINT32_C(1) << i;
    }
    return set;
}

/* ---- causes ---- */

/* Whether its own values of these parameters, with the usual others, make the same vector. */
static bool has_cause(const struct vector_case *vector, const struct cause *cause)
{
    int values[COVERING_PARAMETERS_MAX];

    return cause->subject == vector->subject &&
           vector_with(cause->subject, vector->vector, cause->parameters, values) &&
           memcmp(values, cause->vector, vector->subject->pairs.model->n * sizeof *values) == 0;
}

static const struct cause *known_cause(const GPtrArray *causes, const struct vector_case *vector, const char *failure)
{
    for (guint i = 0; i < causes->len; i++) {
        const struct cause *cause = g_ptr_array_index(causes, i);

        if (strcmp(cause->failure, failure) == 0 && has_cause(vector, cause))
            return cause;
    }
    return NULL;
}

static const struct cause *add_cause(GPtrArray *causes, const struct reduction *reduction, uint32_t parameters)
{
    struct cause *cause = g_new0(struct cause, 1);
    const struct subject *subject = reduction->subject;

    cause->subject = subject;
    vector_with(subject, reduction->vector, parameters, cause->vector);
    cause->parameters = parameters;
    cause->failure = g_strdup(reduction->failure);
    /* The values without the others: values that conflict with the usual ones are replaced by the nearest possible. */
    cause->text =
        parameters ? pairs_text(subject->pairs.model, cause->vector, parameters) : g_strdup("the usual values");
    g_ptr_array_add(causes, cause);
    g_printerr("iwarp-gen: %s fails with %s (%u vectors were asked)\n", cause->failure, cause->text, reduction->runs);
    return cause;
}

const struct cause *causes_find(GPtrArray *causes, const struct run_options *options, const struct vector_case *vector,
                                const struct case_result *usual, const struct case_result *result)
{
    const struct cause *cause = known_cause(causes, vector, causes_failure(result));
    struct reduction reduction = {.subject = vector->subject,
                                  .options = options,
                                  .usual = usual,
                                  .vector = vector->vector,
                                  .failure = causes_failure(result)};
    uint32_t parameters;

    if (cause)
        return cause;
    reduction.asked = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    parameters = reduce_vector(&reduction, differences(reduction.subject, vector->vector));
    g_hash_table_unref(reduction.asked);
    return reduction.over ? NULL : add_cause(causes, &reduction, parameters);
}
