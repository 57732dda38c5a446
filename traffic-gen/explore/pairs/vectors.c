// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/explore/pairs/vectors.h"

#include <string.h>

struct subject *subject_new(const struct pairs_model *model, struct talk_run *run)
{
    struct subject *subject = g_new0(struct subject, 1);

    subject->pairs = (struct pairs){.model = model, .run = run};
    subject->suite = (struct suite){.name = model->name};
    subject->avoided = g_array_new(FALSE, FALSE, sizeof(struct pairs_values));
    subject->avoided_for = g_ptr_array_new();
    return subject;
}

void subject_free(gpointer data)
{
    struct subject *subject = data;

    g_array_unref(subject->avoided);
    g_ptr_array_unref(subject->avoided_for);
    g_free(subject);
}

/* ---- a vector ---- */

static void run_vector(struct talk *talk, const struct suite_case *row)
{
    const struct vector_case *vector = (const struct vector_case *)row;

    vector->subject->pairs.model->run(talk, &vector->subject->pairs, vector->vector);
}

struct vector_case *vector_case_new(const struct subject *subject, const int *values)
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

void vector_case_free(gpointer data)
{
    struct vector_case *vector = data;

    g_free(vector->name);
    g_free(vector->stimulus);
    g_free(vector);
}

/* ---- choosing vectors ---- */

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

bool vector_with(const struct subject *subject, const int *vector, uint32_t parameters, int *out)
{
    const struct pairs *pairs = &subject->pairs;

    for (unsigned i = 0; i < pairs->model->n; i++)
        out[i] = parameters & UINT32_C(1) << i ? vector[i] : pairs->usual[i];
    pairs->model->settle(pairs, out);
    return is_possible(pairs, out);
}

bool vector_of_values(const struct subject *subject, const struct pairs_values *some, int *out)
{
    return vector_with(subject, some->values, some->parameters, out) && pairs_has(some, out);
}

static void vectors_avoid(struct subject *subject, unsigned n)
{
    subject->pairs.avoided = (const struct pairs_values *)subject->avoided->data;
    subject->pairs.n_avoided = n;
}

GArray *vectors_draw(struct subject *subject, unsigned strength, const GArray *covered, const int *first, uint32_t seed)
{
    unsigned sizes[COVERING_PARAMETERS_MAX];
    struct covering_problem problem;
    GArray *vectors;

    problem_of(&subject->pairs, sizes, &problem);
    vectors_avoid(subject, subject->avoided->len);
    vectors = covering_make(&problem, strength, covered, first, seed);
    vectors_avoid(subject, 0);
    return vectors;
}

size_t vectors_open(struct subject *subject, unsigned strength, const GArray *covered, unsigned n)
{
    unsigned sizes[COVERING_PARAMETERS_MAX];
    struct covering_problem problem;
    size_t open;

    problem_of(&subject->pairs, sizes, &problem);
    vectors_avoid(subject, n);
    open = covering_open(&problem, strength, covered);
    vectors_avoid(subject, 0);
    return open;
}
