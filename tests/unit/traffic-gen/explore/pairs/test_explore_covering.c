// SPDX-License-Identifier: GPL-2.0-or-later
/* The generator on known problems: every allowed combination occurs, and no other. */
#include "tests/unit/support/support.h"
#include "traffic-gen/explore/pairs/covering.h"

#include <string.h>

enum { PROBLEMS = 30, FORBIDDEN_MAX = 6 };

/* Two values that do not go together. */
struct forbidden {
    unsigned a, b;
    int value_a, value_b;
};

struct known {
    struct covering_problem problem;
    unsigned sizes[COVERING_PARAMETERS_MAX];
    struct forbidden forbidden[FORBIDDEN_MAX];
    unsigned n_forbidden;
    bool some_refused; /* the last value of every second parameter */
};

static bool allowed(const void *ctx, const int *vector)
{
    const struct known *known = ctx;

    for (unsigned i = 0; i < known->n_forbidden; i++) {
        const struct forbidden *pair = &known->forbidden[i];

        if (vector[pair->a] == pair->value_a && vector[pair->b] == pair->value_b)
            return false;
    }
    return true;
}

static bool refused(const void *ctx, unsigned parameter, int value)
{
    const struct known *known = ctx;

    return known->some_refused && parameter % 2 == 1 && value + 1 == (int)known->sizes[parameter];
}

/* Vectors of zeros are always allowed. */
static void draw(struct known *known, unsigned seed)
{
    GRand *random = g_rand_new_with_seed(seed);

    *known = (struct known){.n_forbidden = seed % FORBIDDEN_MAX, .some_refused = seed % 3 == 0};
    known->problem = (struct covering_problem){
        .n = 3 + seed % 4, .sizes = known->sizes, .allowed = allowed, .refused = refused, .ctx = known};
    for (unsigned i = 0; i < known->problem.n; i++)
        known->sizes[i] = (unsigned)g_rand_int_range(random, 2, 5);
    for (unsigned i = 0; i < known->n_forbidden; i++) {
        struct forbidden *pair = &known->forbidden[i];

        pair->a = (unsigned)g_rand_int_range(random, 0, (gint32)known->problem.n);
        pair->b = (pair->a + 1) % known->problem.n;
        pair->value_a = g_rand_int_range(random, 1, (gint32)known->sizes[pair->a]);
        pair->value_b = g_rand_int_range(random, 0, (gint32)known->sizes[pair->b]);
    }
    g_rand_free(random);
}

static unsigned refusals(const struct known *known, const int *vector)
{
    unsigned n = 0;

    for (unsigned i = 0; i < known->problem.n; i++)
        n += refused(known, i, vector[i]);
    return n;
}

/* All possible vectors in turn; false after the last. */
static bool next_vector(const struct known *known, int *vector)
{
    for (unsigned i = 0; i < known->problem.n; i++) {
        if (++vector[i] < (int)known->sizes[i])
            return true;
        vector[i] = 0;
    }
    return false;
}

static bool matches(const int *vector, const unsigned *at, const int *values, unsigned strength)
{
    for (unsigned i = 0; i < strength; i++) {
        if (vector[at[i]] != values[i])
            return false;
    }
    return true;
}

/* A vector with that combination and no other refused value. */
static bool counts(const struct known *known, const int *vector, const unsigned *at, const int *values,
                   unsigned strength)
{
    unsigned within = 0;

    for (unsigned i = 0; i < strength; i++)
        within += refused(known, at[i], values[i]);
    return matches(vector, at, values, strength) && allowed(known, vector) && within <= 1 &&
           refusals(known, vector) == within;
}

static bool can_be(const struct known *known, const unsigned *at, const int *values, unsigned strength)
{
    int vector[COVERING_PARAMETERS_MAX] = {0};

    do {
        if (counts(known, vector, at, values, strength))
            return true;
    } while (next_vector(known, vector));
    return false;
}

static bool is_in(const struct known *known, const GArray *vectors, const unsigned *at, const int *values,
                  unsigned strength)
{
    for (guint i = 0; i < vectors->len; i += known->problem.n) {
        if (counts(known, &g_array_index(vectors, int, i), at, values, strength))
            return true;
    }
    return false;
}

/* Of the parameters at[0] < at[1] (< at[2]). */
static void assert_group(const struct known *known, const GArray *vectors, const unsigned *at, unsigned strength)
{
    int values[COVERING_STRENGTH_MAX] = {0};
    unsigned i;

    do {
        assert_int_equal(is_in(known, vectors, at, values, strength), can_be(known, at, values, strength));
        for (i = 0; i < strength && ++values[i] == (int)known->sizes[at[i]]; i++)
            values[i] = 0;
    } while (i < strength);
}

static void assert_covered(const struct known *known, const GArray *vectors, unsigned strength)
{
    const unsigned n = known->problem.n;

    for (guint i = 0; i < vectors->len; i += n) {
        assert_true(allowed(known, &g_array_index(vectors, int, i)));
        assert_true(refusals(known, &g_array_index(vectors, int, i)) <= 1);
    }
    for (unsigned a = 0; a < n; a++) {
        for (unsigned b = a + 1; b < n; b++) {
            if (strength == 2)
                assert_group(known, vectors, (const unsigned[]){a, b}, 2);
            for (unsigned c = b + 1; c < n && strength == 3; c++)
                assert_group(known, vectors, (const unsigned[]){a, b, c}, 3);
        }
    }
}

UNIT_TEST(every_combination)
{
    static const int first[COVERING_PARAMETERS_MAX] = {0};

    for (unsigned seed = 0; seed < PROBLEMS; seed++) {
        struct known known;

        draw(&known, seed);
        for (unsigned strength = 2; strength <= COVERING_STRENGTH_MAX; strength++) {
            GArray *vectors = covering_make(&known.problem, strength, NULL, first, seed);

            assert_memory_equal(vectors->data, first, known.problem.n * sizeof(int));
            assert_covered(&known, vectors, strength);
            g_array_unref(vectors);
        }
    }
}

UNIT_TEST(each_value_alone)
{
    static const int first[COVERING_PARAMETERS_MAX] = {0};
    struct known known;
    GArray *vectors;

    draw(&known, 6);
    known.n_forbidden = 0;
    known.some_refused = false;
    vectors = covering_make(&known.problem, 1, NULL, first, 1);
    for (unsigned i = 0; i < known.problem.n; i++)
        assert_group(&known, vectors, &i, 1);
    assert_true(vectors->len <= 4 * known.problem.n);
    g_array_unref(vectors);
}

UNIT_TEST(same_by_seed)
{
    static const int first[COVERING_PARAMETERS_MAX] = {0};
    struct known known;
    GArray *one, *again, *other;

    draw(&known, 11);
    one = covering_make(&known.problem, 2, NULL, first, 4);
    again = covering_make(&known.problem, 2, NULL, first, 4);
    other = covering_make(&known.problem, 2, NULL, first, 5);
    assert_int_equal(one->len, again->len);
    assert_memory_equal(one->data, again->data, one->len * sizeof(int));
    assert_true(one->len != other->len || memcmp(one->data, other->data, one->len * sizeof(int)) != 0);
    g_array_unref(one);
    g_array_unref(again);
    g_array_unref(other);
}

/* Few vectors: 3 values of 4 parameters have all pairs in 9 vectors; a greedy generator may need a few more. */
UNIT_TEST(few_vectors)
{
    static const int first[COVERING_PARAMETERS_MAX] = {0};
    struct known known;
    GArray *vectors;

    draw(&known, 1);
    known.n_forbidden = 0;
    known.some_refused = false;
    known.problem.n = 4;
    for (unsigned i = 0; i < 4; i++)
        known.sizes[i] = 3;
    vectors = covering_make(&known.problem, 2, NULL, first, 1);
    assert_true(vectors->len / 4 <= 12);
    g_array_unref(vectors);
}

/* Combinations in half of the vectors are in no further one unless necessary; together the vectors are complete. */
UNIT_TEST(what_is_covered)
{
    static const int first[COVERING_PARAMETERS_MAX] = {0};

    for (unsigned seed = 0; seed < PROBLEMS; seed++) {
        struct known known;
        GArray *vectors, *rest;
        size_t open;

        draw(&known, seed);
        vectors = covering_make(&known.problem, 2, NULL, first, seed);
        assert_int_equal(covering_open(&known.problem, 2, vectors), 0);
        g_array_set_size(vectors, vectors->len / known.problem.n / 2 * known.problem.n);
        open = covering_open(&known.problem, 2, vectors);
        assert_true(open > 0 && open < covering_open(&known.problem, 2, NULL));
        rest = covering_make(&known.problem, 2, vectors, NULL, seed);
        assert_true(rest->len > 0 && rest->len / known.problem.n <= open);
        g_array_append_vals(vectors, rest->data, rest->len);
        assert_covered(&known, vectors, 2);
        g_array_unref(rest);
        rest = covering_make(&known.problem, 2, vectors, NULL, seed);
        assert_int_equal(rest->len, 0);
        g_array_unref(rest);
        g_array_unref(vectors);
    }
}
