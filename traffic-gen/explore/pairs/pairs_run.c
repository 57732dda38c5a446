// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/explore/pairs/pairs_run.h"

#include "traffic-gen/explore/pairs/causes.h"
#include "traffic-gen/tester/suite/expect/alive.h"
#include "traffic-gen/tester/suite/run/choice.h"
#include "traffic-gen/tester/suite/transport/tcp_socket.h"

#include <string.h>

enum {
    ROUNDS = 16 /* rounds without earlier failures: limits a device whose failures come and go */
};

struct pairs_run {
    struct talk_run *run;
    GPtrArray *subjects; /* struct subject * */
    GPtrArray *vectors;  /* struct vector_case *, in running order */
    GPtrArray *causes;   /* causes_new() */
    GArray *cases;       /* struct chosen_case, of the first round */
    unsigned strength;
    uint32_t seed;
};

/* ---- models ---- */

static bool is_named(char *const *names, const char *name)
{
    g_auto(GStrv) words = choice_words_of(names);

    return !names || g_strv_contains((const char *const *)words, name);
}

static char *model_names(void)
{
    GString *text = g_string_new(NULL);

    for (unsigned i = 0; pairs_models[i]; i++)
        g_string_append_printf(text, "%s%s", i > 0 ? ", " : "", pairs_models[i]->name);
    return g_string_free(text, FALSE);
}

/* NULL: the model suits the device. */
static const char *unfit(const struct pairs_model *model, enum suite_dut dut, bool messages)
{
    if (!(model->duts & dut))
        return dut == DUT_RESPONDER ? "it is about Initiators (--listen)" : "it is about Responders, at HOST:PORT";
    if (messages && !model->of_messages)
        return "it needs octets that an RDMA device makes by itself; a device at HOST:PORT has them";
    return NULL;
}

static bool name_good(const char *name, enum suite_dut dut, bool messages, char **why)
{
    const struct pairs_model *model = pairs_model_named(name);
    const char *reason = model ? unfit(model, dut, messages) : NULL;

    if (!model) {
        g_autofree char *names = model_names();

        *why = g_strdup_printf("--suite: with --strength, '%s' is not one of %s (iwarp-gen list pairs)", name, names);
    } else if (reason) {
        *why = g_strdup_printf("--suite=%s: %s", name, reason);
    }
    return model && !reason;
}

bool pairs_names_good(char *const *names, enum suite_dut dut, bool messages, char **why)
{
    g_auto(GStrv) words = choice_words_of(names);
    bool any = false;

    for (unsigned i = 0; words[i]; i++)
        if (!name_good(words[i], dut, messages, why))
            return false;
    for (unsigned i = 0; pairs_models[i]; i++)
        any |= !unfit(pairs_models[i], dut, messages);
    if (!any)
        *why =
            g_strdup("--strength: nothing is combined for a device that connects to rdma:HOST:PORT: its Calls are "
                     "its own, and RDMA devices make the octets; --listen HOST:PORT has combinations of the start-up");
    return any;
}

bool pairs_values_good(const char *text, char **why)
{
    const struct pairs_model *model;
    struct pairs_values some;

    return pairs_parse(text, &model, &some, why);
}

/* ---- vectors ---- */

static void add_vector(struct pairs_run *run, const struct subject *subject, const int *values, GArray *cases)
{
    struct vector_case *vector = vector_case_new(subject, values);
    const struct chosen_case chosen = {.suite = &subject->suite, .row = &vector->row};

    g_ptr_array_add(run->vectors, vector);
    g_array_append_val(cases, chosen);
}

/* Vectors of the subject that show something about all their values: each n ints. */
static GArray *covered_by(const struct pairs_run *run, const struct subject *subject)
{
    GArray *covered = g_array_new(FALSE, FALSE, sizeof(int));

    for (guint i = 0; i < run->vectors->len; i++) {
        const struct vector_case *vector = g_ptr_array_index(run->vectors, i);

        if (vector->subject == subject && !vector->hides)
            g_array_append_vals(covered, vector->vector, subject->pairs.model->n);
    }
    return covered;
}

/* Vectors for all combinations still missing. first: the usual values; NULL: they have run. */
static void pairs_run_draw(struct pairs_run *run, struct subject *subject, const int *first, GArray *cases)
{
    g_autoptr(GArray) covered = covered_by(run, subject), vectors = NULL;
    const unsigned n = subject->pairs.model->n;

    vectors = vectors_draw(subject, run->strength, covered, first, run->seed);
    for (guint i = 0; i < vectors->len; i += n)
        add_vector(run, subject, &g_array_index(vectors, int, i), cases);
    subject->drawn = true;
}

/* Asks first about the values that waivers name, so that other vectors can avoid them. False: waivers name none. */
static bool pairs_run_add_known(struct pairs_run *run, struct subject *subject, char *const *known)
{
    const guint before = run->cases->len;

    for (unsigned i = 0; known && known[i]; i++) {
        const struct pairs_model *model;
        struct pairs_values some;
        int values[COVERING_PARAMETERS_MAX];
        g_autofree char *why = NULL;

        if (!pairs_parse(known[i], &model, &some, &why) || model != subject->pairs.model ||
            !vector_of_values(subject, &some, values))
            continue;
        if (run->cases->len == before)
            add_vector(run, subject, subject->usual, run->cases);
        add_vector(run, subject, values, run->cases);
    }
    return run->cases->len > before;
}

static bool add_model(struct pairs_run *out, const struct pairs_model *model, const struct pairs_wish *wish, char **why)
{
    struct subject *subject = subject_new(model, out->run);

    subject->pairs.waives = wish->waives;
    subject->pairs.ctx = wish->ctx;
    if (!model->prepare(&subject->pairs, why)) {
        subject_free(subject);
        return false;
    }
    g_ptr_array_add(out->subjects, subject);
    memcpy(subject->usual, subject->pairs.usual, sizeof subject->usual);
    model->settle(&subject->pairs, subject->usual);
    if (!pairs_run_add_known(out, subject, wish->known))
        pairs_run_draw(out, subject, subject->usual, out->cases);
    return true;
}

struct pairs_run *pairs_run_new(struct talk_run *run, const struct pairs_wish *wish, char **why)
{
    struct pairs_run *out = g_new0(struct pairs_run, 1);
    g_autofree char *reason = NULL;

    *out = (struct pairs_run){.run = run,
                              .subjects = g_ptr_array_new_with_free_func(subject_free),
                              .vectors = g_ptr_array_new_with_free_func(vector_case_free),
                              .causes = causes_new(),
                              .cases = g_array_new(FALSE, FALSE, sizeof(struct chosen_case)),
                              .strength = wish->strength,
                              .seed = wish->seed};
    for (unsigned i = 0; pairs_models[i]; i++) {
        const struct pairs_model *model = pairs_models[i];
        g_autofree char *not = NULL;

        if (unfit(model, run->dut, run->rpc_port != NULL) || !is_named(wish->names, model->name) ||
            add_model(out, model, wish, &not ))
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
    g_ptr_array_unref(pairs->causes);
    g_ptr_array_unref(pairs->vectors);
    g_ptr_array_unref(pairs->subjects);
    g_free(pairs);
}

const GArray *pairs_run_cases(const struct pairs_run *pairs)
{
    return pairs->cases;
}

/* ---- results ---- */

/* The first vector of a subject has the usual values. */
static const struct case_result *usual_of(const struct pairs_run *run, const struct suite_report *report,
                                          const struct vector_case *vector)
{
    for (guint i = 0; i < run->vectors->len; i++) {
        const struct vector_case *first = g_ptr_array_index(run->vectors, i);

        if (first->subject == vector->subject)
            return suite_report_find(report, first->name);
    }
    return NULL;
}

static void judge_again(const struct run_options *options, struct case_result *result)
{
    g_clear_pointer(&result->waived, g_free);
    if (options->judged)
        options->judged(options->ctx, result);
}

static struct subject *subject_of(const struct pairs_run *run, const struct vector_case *vector)
{
    guint index = 0;

    g_ptr_array_find(run->subjects, vector->subject, &index);
    return g_ptr_array_index(run->subjects, index);
}

/* No further vector has its values of these parameters, which may differ from the cause's. */
static void pairs_run_avoid(struct subject *subject, const struct vector_case *vector, uint32_t parameters,
                            const struct case_result *result)
{
    struct pairs_values some = {.parameters = parameters};

    memcpy(some.values, vector->vector, sizeof some.values);
    for (guint i = 0; i < subject->avoided->len; i++) {
        const struct pairs_values *other = &g_array_index(subject->avoided, struct pairs_values, i);

        if ((other->parameters & ~parameters) == 0 && pairs_has(other, some.values))
            return;
    }
    g_array_append_val(subject->avoided, some);
    g_ptr_array_add(subject->avoided_for, (gpointer)result);
}

/* False: the device is dead. */
static bool pairs_run_explain(struct pairs_run *run, const struct run_options *options, struct vector_case *vector,
                              const struct case_result *usual, struct case_result *result)
{
    const struct cause *cause = causes_find(run->causes, options, vector, usual, result);

    if (!cause)
        return false;
    g_free(result->reduced);
    result->reduced = g_strdup(cause->text);
    judge_again(options, result); /* the reduced failure may have a waiver */
    vector->hides = cause->parameters != 0;
    if (vector->hides)
        pairs_run_avoid(subject_of(run, vector), vector, cause->parameters, result);
    return true;
}

/* Runs the vectors of one round, from `from` on. False: the device is dead and cannot be asked. */
static bool pairs_run_judge_round(struct pairs_run *run, const struct run_options *options, guint from,
                                  struct suite_report *report)
{
    bool alive = strcmp(report->state, device_life_names[DEVICE_ALIVE]) == 0;

    for (guint i = from; i < run->vectors->len; i++) {
        struct vector_case *vector = g_ptr_array_index(run->vectors, i);
        struct case_result *result = suite_report_find(report, vector->name);
        const struct case_result *usual = usual_of(run, report, vector);

        if (!result)
            continue;
        causes_count_findings(vector->subject, usual, result);
        if (!causes_failure(result))
            continue;
        judge_again(options, result);
        alive = alive && pairs_run_explain(run, options, vector, usual, result);
    }
    return alive;
}

/* ---- rounds ---- */

/* The saved report is the first round's, which has the most vectors. */
static void run_further(struct pairs_run *run, const GArray *cases, const struct run_options *options,
                        struct suite_report *report)
{
    struct run_options how = *options;
    struct suite_report *round = suite_report_new();

    how.saved = NULL;
    if (options->stop_after > 0)
        how.stop_after = options->stop_after - suite_report_failures(report);
    report->chosen += cases->len;
    report->can_run += cases->len;
    run_cases(run->run, cases, &how, round);
    suite_report_take(report, round);
    report->finished = report->results->len;
    report->seconds += round->seconds;
    suite_report_free(round);
}

static bool pairs_run_may_go_on(const struct run_options *options, const struct suite_report *report)
{
    return !suite_stopped && report->finished == report->chosen &&
           (options->stop_after == 0 || suite_report_failures(report) < options->stop_after);
}

static void say_more(const struct subject *subject, guint n)
{
    g_autoptr(GString) text = g_string_new(NULL);

    for (guint i = 0; i < subject->avoided->len; i++) {
        const struct pairs_values *some = &g_array_index(subject->avoided, struct pairs_values, i);
        g_autofree char *values = pairs_text(subject->pairs.model, some->values, some->parameters);

        g_string_append_printf(text, "%s%s", i > 0 ? " or " : "", values);
    }
    g_printerr("iwarp-gen: %s: %u more vectors%s%s\n", subject->pairs.model->name, n, text->len > 0 ? " without " : "",
               text->str);
}

/* Vectors for combinations that failures hid, without these failures. The caller frees them. */
static GArray *draw_further(struct pairs_run *run)
{
    GArray *cases = g_array_new(FALSE, FALSE, sizeof(struct chosen_case));

    for (guint i = 0; i < run->subjects->len; i++) {
        struct subject *subject = g_ptr_array_index(run->subjects, i);
        guint before = cases->len;

        if (subject->avoided->len == 0 && subject->drawn)
            continue;
        pairs_run_draw(run, subject, NULL, cases);
        if (cases->len > before)
            say_more(subject, cases->len - before);
    }
    return cases;
}

/* ---- left out ---- */

/* As in covering.h: a vector with a refused value shows nothing about combinations without that value. */
static bool shows(const struct pairs *pairs, const int *vector, const struct pairs_values *some)
{
    for (unsigned i = 0; i < pairs->model->n; i++) {
        if (!(some->parameters & UINT32_C(1) << i) && pairs->model->refused(pairs, i, vector[i]))
            return false;
    }
    return pairs_has(some, vector);
}

/* The values are a combination themselves, and no vector with them passed: the combination was tested and failed. */
static bool is_what_failed(const struct pairs *pairs, unsigned strength, const GArray *covered,
                           const struct pairs_values *some)
{
    unsigned n = 0;

    for (uint32_t set = some->parameters; set; set &= set - 1)
        n++;
    for (guint i = 0; i < covered->len && n == strength; i += pairs->model->n) {
        if (shows(pairs, &g_array_index(covered, int, i), some))
            return false;
    }
    return n == strength;
}

static void pairs_run_add_left_out(const struct pairs_run *run, struct subject *subject, struct suite_report *report)
{
    g_autoptr(GArray) covered = covered_by(run, subject);
    size_t open = vectors_open(subject, run->strength, covered, 0);

    for (guint i = 0; i < subject->avoided->len; i++) {
        const struct pairs_values *some = &g_array_index(subject->avoided, struct pairs_values, i);
        const struct case_result *why = g_ptr_array_index(subject->avoided_for, i);
        g_autofree char *values = pairs_text(subject->pairs.model, some->values, some->parameters);
        const size_t rest = vectors_open(subject, run->strength, covered, i + 1);
        const size_t n = open - rest - is_what_failed(&subject->pairs, run->strength, covered, some);

        if (n > 0)
            suite_report_add_left_out(report, &(struct left_out){.suite = g_strdup(subject->pairs.model->name),
                                                                 .values = g_steal_pointer(&values),
                                                                 .rule = g_strdup(why->rule),
                                                                 .death = g_strdup(why->death),
                                                                 .waived = g_strdup(why->waived),
                                                                 .combinations = (unsigned)n});
        open = rest;
    }
}

void pairs_run_all(struct pairs_run *run, const struct run_options *options, struct suite_report *report)
{
    guint from = 0;

    run_cases(run->run, run->cases, options, report);
    for (unsigned round = 1; pairs_run_judge_round(run, options, from, report) && pairs_run_may_go_on(options, report);
         round++) {
        g_autoptr(GArray) cases = NULL;

        if (round == ROUNDS) {
            g_printerr("iwarp-gen: --strength: other vectors fail in each round; after %u of them no more were run\n",
                       ROUNDS);
            break;
        }
        from = run->vectors->len;
        cases = draw_further(run);
        if (cases->len == 0)
            break;
        run_further(run, cases, options, report);
    }
    for (guint i = 0; i < run->subjects->len; i++)
        pairs_run_add_left_out(run, g_ptr_array_index(run->subjects, i), report);
}
