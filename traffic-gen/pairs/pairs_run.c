// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/pairs/pairs_run.h"

#include "traffic-gen/pairs/model.h"
#include "traffic-gen/pairs/reduce.h"
#include "traffic-gen/suite/talk/alive.h"
#include "traffic-gen/suite/talk/tcp_socket.h"

#include <string.h>

/* A model for this device. */
struct subject {
    struct pairs pairs;
    struct suite suite;
    int usual[COVERING_PARAMETERS_MAX]; /* settled */
};

/* A vector as a case; the row comes first, so that its function finds the rest. */
struct vector_case {
    struct suite_case row;
    const struct subject *subject;
    int vector[COVERING_PARAMETERS_MAX];
    char *name, *stimulus;
};

struct pairs_run {
    GPtrArray *subjects; /* struct subject * */
    GPtrArray *vectors;  /* struct vector_case *, as in cases */
    GArray *cases;       /* struct chosen_case */
};

/* ---- models ---- */

static const struct pairs_model *model_named(const char *name)
{
    for (unsigned i = 0; pairs_models[i]; i++) {
        if (strcmp(pairs_models[i]->name, name) == 0)
            return pairs_models[i];
    }
    return NULL;
}

static bool is_named(char *const *names, const char *name)
{
    for (unsigned i = 0; names && names[i]; i++) {
        g_auto(GStrv) parts = g_strsplit(names[i], ",", -1);

        if (g_strv_contains((const char *const *)parts, name))
            return true;
    }
    return !names;
}

static char *model_names(void)
{
    GString *text = g_string_new(NULL);

    for (unsigned i = 0; pairs_models[i]; i++)
        g_string_append_printf(text, "%s%s", i > 0 ? ", " : "", pairs_models[i]->name);
    return g_string_free(text, FALSE);
}

static bool name_good(const char *name, enum suite_dut dut, char **why)
{
    const struct pairs_model *model = model_named(name);

    if (!model) {
        g_autofree char *names = model_names();

        *why = g_strdup_printf("--suite: with --strength, '%s' is not one of %s (iwarp-gen list pairs)", name, names);
    } else if (!(model->duts & dut)) {
        *why = g_strdup_printf("--suite: %s is only for %s", name,
                               model->duts & DUT_RESPONDER ? "Responders" : "Initiators");
    }
    return model && model->duts & dut;
}

bool pairs_names_good(char *const *names, enum suite_dut dut, char **why)
{
    bool any = false;

    for (unsigned i = 0; names && names[i]; i++) {
        g_auto(GStrv) parts = g_strsplit(names[i], ",", -1);

        for (unsigned k = 0; parts[k]; k++) {
            if (!name_good(parts[k], dut, why))
                return false;
        }
    }
    for (unsigned i = 0; pairs_models[i]; i++)
        any |= pairs_models[i]->duts & dut;
    if (!any)
        *why = g_strdup("--strength: combinations are for a device that is the Responder, at HOST:PORT");
    return any;
}

/* ---- cases ---- */

static void run_vector(struct talk *talk, const struct suite_case *row)
{
    const struct vector_case *vector = (const struct vector_case *)row;

    vector->subject->pairs.model->run(talk, &vector->subject->pairs, vector->vector);
}

static struct vector_case *vector_case_new(const struct subject *subject, const int *values)
{
    const struct pairs_model *model = subject->pairs.model;
    struct vector_case *vector = g_new0(struct vector_case, 1);
    g_autofree char *text = pairs_text(model, values, UINT32_MAX);

    vector->subject = subject;
    memcpy(vector->vector, values, model->n * sizeof *values);
    vector->name = g_strdup_printf("%s/%s", model->name, text);
    vector->stimulus = g_strdup_printf("%s, with %s", model->what, text);
    vector->row = (struct suite_case){.rule = model->rule,
                                      .duts = model->duts,
                                      .needs = model->needs,
                                      .run = run_vector,
                                      .stimulus = vector->stimulus,
                                      .expected = model->expected,
                                      .name = vector->name};
    return vector;
}

static void vector_case_free(gpointer data)
{
    struct vector_case *vector = data;

    g_free(vector->name);
    g_free(vector->stimulus);
    g_free(vector);
}

static void problem_of(const struct pairs *pairs, unsigned *sizes, struct covering_problem *problem)
{
    const struct pairs_model *model = pairs->model;

    for (unsigned i = 0; i < model->n; i++)
        sizes[i] = model->parameters[i].n;
    *problem = (struct covering_problem){
        .n = model->n, .sizes = sizes, .allowed = model->allowed, .refused = model->refused, .ctx = pairs};
}

static bool is_possible(const struct pairs *pairs, const int *vector)
{
    unsigned sizes[COVERING_PARAMETERS_MAX];
    struct covering_problem problem;

    problem_of(pairs, sizes, &problem);
    return covering_possible(&problem, vector);
}

static void add_vectors(struct pairs_run *out, const struct subject *subject, const struct pairs_wish *wish)
{
    unsigned sizes[COVERING_PARAMETERS_MAX];
    struct covering_problem problem;
    g_autoptr(GArray) vectors = NULL;

    problem_of(&subject->pairs, sizes, &problem);
    vectors = covering_make(&problem, wish->strength, subject->usual, wish->seed);
    for (guint i = 0; i < vectors->len; i += problem.n) {
        struct vector_case *vector = vector_case_new(subject, &g_array_index(vectors, int, i));
        const struct chosen_case chosen = {.suite = &subject->suite, .row = &vector->row};

        g_ptr_array_add(out->vectors, vector);
        g_array_append_val(out->cases, chosen);
    }
}

static bool add_model(struct pairs_run *out, struct talk_run *run, const struct pairs_model *model,
                      const struct pairs_wish *wish, char **why)
{
    struct subject *subject = g_new0(struct subject, 1);

    subject->pairs = (struct pairs){.model = model, .run = run};
    subject->suite = (struct suite){.name = model->name};
    g_ptr_array_add(out->subjects, subject);
    if (!model->prepare(&subject->pairs, why))
        return false;
    memcpy(subject->usual, subject->pairs.usual, sizeof subject->usual);
    model->settle(&subject->pairs, subject->usual);
    add_vectors(out, subject, wish);
    return true;
}

struct pairs_run *pairs_run_new(struct talk_run *run, const struct pairs_wish *wish, char **why)
{
    struct pairs_run *out = g_new0(struct pairs_run, 1);
    g_autofree char *reason = NULL;

    out->subjects = g_ptr_array_new_with_free_func(g_free);
    out->vectors = g_ptr_array_new_with_free_func(vector_case_free);
    out->cases = g_array_new(FALSE, FALSE, sizeof(struct chosen_case));
    for (unsigned i = 0; pairs_models[i]; i++) {
        const struct pairs_model *model = pairs_models[i];
        g_autofree char *not = NULL;

        if (!(model->duts & run->dut) || !is_named(wish->names, model->name) || add_model(out, run, model, wish, &not ))
            continue;
        g_printerr("iwarp-gen: %s is left out: %s\n", model->name, not );
        g_free(reason);
        reason = g_steal_pointer(&not );
    }
    if (out->cases->len > 0)
        return out;
    *why = g_strdup_printf("--strength: nothing to combine: %s", reason ? reason : "no model is for such a device");
    pairs_run_free(out);
    return NULL;
}

void pairs_run_free(struct pairs_run *pairs)
{
    g_array_unref(pairs->cases);
    g_ptr_array_unref(pairs->vectors);
    g_ptr_array_unref(pairs->subjects);
    g_free(pairs);
}

const GArray *pairs_run_cases(const struct pairs_run *pairs)
{
    return pairs->cases;
}

/* ---- verdicts ---- */

/* "MPA-4.3-03: ...": the rule. */
static const struct rule *rule_of(const char *observation)
{
    g_autofree char *id = g_strndup(observation, strcspn(observation, ":"));

    return rule_find(id);
}

static bool was_seen(const struct case_result *usual, const struct rule *rule)
{
    for (guint i = 0; usual && i < usual->observations->len; i++) {
        if (rule_of(g_ptr_array_index(usual->observations, i)) == rule)
            return true;
    }
    return false;
}

/* What the engine saw besides is of these values if it is not so with the usual ones. */
static void count_findings(struct case_result *result, const struct case_result *usual)
{
    for (guint i = 0; i < result->observations->len && result->outcome == OUTCOME_PASSED; i++) {
        const char *observation = g_ptr_array_index(result->observations, i);
        const struct rule *rule = rule_of(observation);

        if (!rule || (result != usual && was_seen(usual, rule)))
            continue;
        result->outcome = OUTCOME_FAILED;
        g_free(result->actual);
        result->actual = g_strdup(observation);
        pairs_set_rule(result, rule_number(rule));
    }
}

/* What it fails by: another failure is not the same one. */
static const char *failure_of(const struct case_result *result)
{
    return !case_result_failed(result) ? NULL : result->death ? result->death : result->rule;
}

/* ---- reduction ---- */

/* One failure, while it is reduced. */
struct reduction {
    const struct subject *subject;
    const struct run_options *options;
    const struct case_result *usual; /* NULL: none */
    const int *vector;
    const char *failure;
    bool any;          /* every failure is the one that is looked for */
    GHashTable *asked; /* name of a vector: what it failed by, "" if by nothing */
    unsigned runs;
    bool over; /* the device is dead, or we were stopped */
};

/* The vector with only these values; the others are as usual. False: there is none. */
static bool vector_with(const struct subject *subject, const int *vector, uint32_t parameters, int *out)
{
    const struct pairs *pairs = &subject->pairs;

    for (unsigned i = 0; i < pairs->model->n; i++)
        out[i] = parameters & UINT32_C(1) << i ? vector[i] : pairs->usual[i];
    pairs->model->settle(pairs, out);
    return is_possible(pairs, out);
}

/* What it fails by; "": nothing. The caller frees it. */
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

        count_findings(result, reduction->usual);
        failure = g_strdup(failure_of(result));
    }
    suite_report_free(report);
    return failure ? failure : g_strdup("");
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
    return reduction->any ? *failure : strcmp(failure, reduction->failure) == 0;
}

/*
 * By the same failure, so that two causes in one vector are kept apart. Which rule is broken may depend on values that
 * have no part in it: of what is left, the fewest that fail by whatever it is.
 */
static uint32_t reduce_vector(struct reduction *reduction, uint32_t differences)
{
    uint32_t parameters = reduce(differences, fails_with, reduction);

    reduction->any = !reduction->usual || !case_result_failed(reduction->usual);
    return reduction->any ? reduce(parameters, fails_with, reduction) : parameters;
}

/* Its values that are there and differ from the usual ones. */
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

/* The values as they are without the others: what does not go with the usual ones is as near as can be. */
static char *reduced_text(const struct subject *subject, const int *vector, uint32_t parameters)
{
    int values[COVERING_PARAMETERS_MAX];

    vector_with(subject, vector, parameters, values);
    return pairs_text(subject->pairs.model, values, parameters);
}

/* What was found of one failure explains others. */
struct cause {
    const struct subject *subject;
    int vector[COVERING_PARAMETERS_MAX];
    uint32_t parameters;
    char *failure, *text;
};

static void cause_free(gpointer data)
{
    struct cause *cause = data;

    g_free(cause->failure);
    g_free(cause->text);
    g_free(cause);
}

/* Its own values of these parameters, the others as usual, make the same vector. */
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

static void add_cause(GPtrArray *causes, const struct reduction *reduction, uint32_t parameters)
{
    struct cause *cause = g_new0(struct cause, 1);
    const struct subject *subject = reduction->subject;

    cause->subject = subject;
    vector_with(subject, reduction->vector, parameters, cause->vector);
    cause->parameters = parameters;
    cause->failure = g_strdup(reduction->failure);
    cause->text = reduced_text(subject, reduction->vector, parameters);
    g_ptr_array_add(causes, cause);
    g_printerr("iwarp-gen: %s fails with %s (%u vectors were asked)\n", cause->failure,
               parameters ? cause->text : "the usual values", reduction->runs);
}

/* False: the device is dead by now. */
static bool reduce_result(const struct run_options *options, const struct vector_case *vector,
                          const struct case_result *usual, struct case_result *result, GPtrArray *causes)
{
    const struct cause *cause = known_cause(causes, vector, failure_of(result));

    if (!cause) {
        struct reduction reduction = {.subject = vector->subject,
                                      .options = options,
                                      .usual = usual,
                                      .vector = vector->vector,
                                      .failure = failure_of(result),
                                      .asked = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free)};
        uint32_t parameters = reduce_vector(&reduction, differences(reduction.subject, vector->vector));

        g_hash_table_unref(reduction.asked);
        if (reduction.over)
            return false;
        add_cause(causes, &reduction, parameters);
        cause = g_ptr_array_index(causes, causes->len - 1);
    }
    g_free(result->reduced);
    result->reduced = g_strdup(cause->parameters ? cause->text : "the usual values");
    return true;
}

static struct case_result *result_named(const struct suite_report *report, const char *id)
{
    for (guint i = 0; i < report->results->len; i++) {
        struct case_result *result = g_ptr_array_index(report->results, i);

        if (strcmp(result->id, id) == 0)
            return result;
    }
    return NULL;
}

/* The first vector of a subject has the usual values. */
static const struct case_result *usual_of(const struct pairs_run *run, const struct suite_report *report,
                                          const struct vector_case *vector)
{
    for (guint i = 0; i < run->vectors->len; i++) {
        const struct vector_case *first = g_ptr_array_index(run->vectors, i);

        if (first->subject == vector->subject)
            return result_named(report, first->name);
    }
    return NULL;
}

static void judge_again(const struct run_options *options, struct case_result *result)
{
    g_clear_pointer(&result->waived, g_free);
    if (options->judged)
        options->judged(options->ctx, result);
}

void pairs_run_reduce(struct pairs_run *run, const struct run_options *options, struct suite_report *report)
{
    g_autoptr(GPtrArray) causes = g_ptr_array_new_with_free_func(cause_free);
    bool alive = strcmp(report->state, device_life_names[DEVICE_ALIVE]) == 0;

    for (guint i = 0; i < run->vectors->len; i++) {
        const struct vector_case *vector = g_ptr_array_index(run->vectors, i);
        struct case_result *result = result_named(report, vector->name);
        const struct case_result *usual = usual_of(run, report, vector);

        if (!result)
            continue;
        count_findings(result, usual);
        if (!failure_of(result))
            continue;
        judge_again(options, result);
        alive = alive && reduce_result(options, vector, usual, result, causes);
    }
}
