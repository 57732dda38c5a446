// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/explore/pairs/covering.h"

#include <string.h>

enum { CANDIDATES = 24 /* candidates tried for each vector taken */ };

/* Parameters whose values are combined. */
struct group {
    unsigned at[COVERING_STRENGTH_MAX];
    size_t base; /* of its first combination */
};

enum state { IS_OPEN, IS_COVERED, IS_IMPOSSIBLE };

struct making {
    const struct covering_problem *problem;
    unsigned strength;
    GArray *groups;     /* struct group */
    GByteArray *states; /* enum state of each combination */
    size_t open;        /* number of open combinations */
    size_t next;        /* no earlier combination is open */
    GRand *random;
};

/* ---- constraints ---- */

static bool covering_is_refused(const struct covering_problem *problem, unsigned parameter, int value)
{
    return value != COVERING_OPEN && problem->refused && problem->refused(problem->ctx, parameter, value);
}

static unsigned refusals(const struct covering_problem *problem, const int *vector)
{
    unsigned n = 0;

    for (unsigned i = 0; i < problem->n; i++)
        n += covering_is_refused(problem, i, vector[i]);
    return n;
}

/* Gives open parameters values that are not refused. */
static bool covering_complete(const struct covering_problem *problem, int *vector, unsigned from)
{
    if (!problem->allowed(problem->ctx, vector))
        return false;
    while (from < problem->n && vector[from] != COVERING_OPEN)
        from++;
    if (from == problem->n)
        return true;
    for (int value = 0; value < (int)problem->sizes[from]; value++) {
        vector[from] = value;
        if (!covering_is_refused(problem, from, value) && covering_complete(problem, vector, from + 1))
            return true;
    }
    vector[from] = COVERING_OPEN;
    return false;
}

bool covering_possible(const struct covering_problem *problem, const int *vector)
{
    int whole[COVERING_PARAMETERS_MAX];

    memcpy(whole, vector, problem->n * sizeof *whole);
    return refusals(problem, whole) <= 1 && covering_complete(problem, whole, 0);
}

/* ---- combinations ---- */

static void covering_add_groups(struct making *making, struct group *group, unsigned filled, unsigned from)
{
    if (filled == making->strength) {
        g_array_append_val(making->groups, *group);
        return;
    }
    for (unsigned i = from; i < making->problem->n; i++) {
        group->at[filled] = i;
        covering_add_groups(making, group, filled + 1, i + 1);
    }
}

static size_t combinations_of(const struct making *making, const struct group *group)
{
    size_t n = 1;

    for (unsigned i = 0; i < making->strength; i++)
        n *= making->problem->sizes[group->at[i]];
    return n;
}

/* The group's combination in the vector; all its parameters have values. */
static size_t covering_index_of(const struct making *making, const struct group *group, const int *vector)
{
    size_t index = 0;

    for (unsigned i = 0; i < making->strength; i++)
        index = index * making->problem->sizes[group->at[i]] + (size_t)vector[group->at[i]];
    return group->base + index;
}

static void set_combination(const struct making *making, const struct group *group, size_t index, int *vector)
{
    for (unsigned i = 0; i < making->problem->n; i++)
        vector[i] = COVERING_OPEN;
    for (unsigned i = making->strength; i > 0; i--) {
        const unsigned parameter = group->at[i - 1], size = making->problem->sizes[parameter];

        vector[parameter] = (int)(index % size);
        index /= size;
    }
}

static void find_combinations(struct making *making)
{
    int vector[COVERING_PARAMETERS_MAX];

    for (guint i = 0; i < making->groups->len; i++) {
        struct group *group = &g_array_index(making->groups, struct group, i);
        size_t n = combinations_of(making, group);

        group->base = making->states->len;
        for (size_t index = 0; index < n; index++) {
            uint8_t state = IS_OPEN;

            set_combination(making, group, index, vector);
            if (!covering_possible(making->problem, vector))
                state = IS_IMPOSSIBLE;
            making->open += state == IS_OPEN;
            g_byte_array_append(making->states, &state, 1);
        }
    }
}

static bool covering_has(const struct making *making, const struct group *group, unsigned parameter)
{
    for (unsigned i = 0; i < making->strength; i++) {
        if (group->at[i] == parameter)
            return true;
    }
    return false;
}

/* Whether all its parameters have values, among them a refused one, if any. */
static bool counts(const struct making *making, const struct group *group, const int *vector)
{
    unsigned refused = 0;

    for (unsigned i = 0; i < making->strength; i++) {
        if (vector[group->at[i]] == COVERING_OPEN)
            return false;
        refused += covering_is_refused(making->problem, group->at[i], vector[group->at[i]]);
    }
    return refused == refusals(making->problem, vector);
}

/* Number of open combinations in the vector that include this parameter. */
static unsigned gain_of(const struct making *making, const int *vector, unsigned parameter)
{
    unsigned gain = 0;

    for (guint i = 0; i < making->groups->len; i++) {
        const struct group *group = &g_array_index(making->groups, struct group, i);

        if (covering_has(making, group, parameter) && counts(making, group, vector))
            gain += making->states->data[covering_index_of(making, group, vector)] == IS_OPEN;
    }
    return gain;
}

/* The same for all parameters; `take` marks them as covered. */
static unsigned open_in(struct making *making, const int *vector, bool take)
{
    unsigned gain = 0;

    for (guint i = 0; i < making->groups->len; i++) {
        const struct group *group = &g_array_index(making->groups, struct group, i);
        uint8_t *state;

        if (!counts(making, group, vector))
            continue;
        state = &making->states->data[covering_index_of(making, group, vector)];
        gain += *state == IS_OPEN;
        if (take && *state == IS_OPEN)
            *state = IS_COVERED;
    }
    return gain;
}

/* ---- a vector ---- */

/* The parameters in random order. */
static void covering_shuffle(struct making *making, unsigned *order)
{
    const unsigned n = making->problem->n;

    for (unsigned i = 0; i < n; i++)
        order[i] = i;
    for (unsigned i = n; i > 1; i--) {
        unsigned other = (unsigned)g_rand_int_range(making->random, 0, (gint32)i), kept = order[i - 1];

        order[i - 1] = order[other];
        order[other] = kept;
    }
}

/* The value that covers most; ties are broken from a random value on. */
static void choose_value(struct making *making, int *vector, unsigned parameter)
{
    const unsigned size = making->problem->sizes[parameter];
    unsigned begin = (unsigned)g_rand_int_range(making->random, 0, (gint32)size), best_gain = 0;
    int best = COVERING_OPEN;

    for (unsigned i = 0; i < size; i++) {
        int value = (int)((begin + i) % size);
        unsigned gain;

        vector[parameter] = value;
        if (covering_is_refused(making->problem, parameter, value) || !covering_possible(making->problem, vector))
            continue;
        gain = gain_of(making, vector, parameter);
        if (best == COVERING_OPEN || gain > best_gain) {
            best = value;
            best_gain = gain;
        }
    }
    vector[parameter] = best; /* exists, as the vector was possible before */
}

/* The first open combination is in every candidate, so that each vector covers something new. */
static void begin_vector(struct making *making, int *vector)
{
    guint i = making->groups->len;

    while (making->states->data[making->next] != IS_OPEN)
        making->next++;
    while (g_array_index(making->groups, struct group, i - 1).base > making->next)
        i--;
    const struct group *group = &g_array_index(making->groups, struct group, i - 1);

    set_combination(making, group, making->next - group->base, vector);
}

static void covering_fill(struct making *making, int *vector)
{
    unsigned order[COVERING_PARAMETERS_MAX] = {0};

    covering_shuffle(making, order);
    for (unsigned i = 0; i < making->problem->n; i++) {
        if (vector[order[i]] == COVERING_OPEN)
            choose_value(making, vector, order[i]);
    }
}

static void make_vector(struct making *making, int *best)
{
    unsigned best_gain = 0;

    for (unsigned i = 0; i < CANDIDATES; i++) {
        int vector[COVERING_PARAMETERS_MAX];
        unsigned gain;

        begin_vector(making, vector);
        covering_fill(making, vector);
        gain = open_in(making, vector, false);
        if (gain > best_gain) {
            best_gain = gain;
            memcpy(best, vector, sizeof vector);
        }
    }
}

static void covering_take(struct making *making, const int *vector, GArray *out)
{
    making->open -= open_in(making, vector, true);
    g_array_append_vals(out, vector, making->problem->n);
}

static void making_begin(struct making *making, const struct covering_problem *problem, unsigned strength,
                         const GArray *covered)
{
    struct group group = {0};

    *making = (struct making){.problem = problem,
                              .strength = MIN(strength, problem->n),
                              .groups = g_array_new(FALSE, FALSE, sizeof(struct group)),
                              .states = g_byte_array_new()};
    covering_add_groups(making, &group, 0, 0);
    find_combinations(making);
    for (guint i = 0; covered && i < covered->len; i += problem->n)
        making->open -= open_in(making, &g_array_index(covered, int, i), true);
}

static void making_end(struct making *making)
{
    g_array_unref(making->groups);
    g_byte_array_unref(making->states);
}

GArray *covering_make(const struct covering_problem *problem, unsigned strength, const GArray *covered,
                      const int *first, uint32_t seed)
{
    GArray *out = g_array_new(FALSE, FALSE, sizeof(int));
    int vector[COVERING_PARAMETERS_MAX];
    struct making making;

    making_begin(&making, problem, strength, covered);
    making.random = g_rand_new_with_seed(seed);
    if (first)
        covering_take(&making, first, out);
    while (making.open > 0) {
        make_vector(&making, vector);
        covering_take(&making, vector, out);
    }
    g_rand_free(making.random);
    making_end(&making);
    return out;
}

size_t covering_open(const struct covering_problem *problem, unsigned strength, const GArray *covered)
{
    struct making making;

    making_begin(&making, problem, strength, covered);
    making_end(&making);
    return making.open;
}
