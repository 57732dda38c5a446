// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The observation table: a row for each access word, and for each of these with one more input; a column for each
 * suffix. Rows with the same entries are the same state. Access words never have the same row, so that the table is
 * always consistent; it is closed by promoting rows that match no access word.
 */
#include "traffic-gen/explore/learn/learner.h"

#include <string.h>

enum { TAIL_MAX = 5, SUFFIXES_MAX = 256 };

struct table {
    struct machine *machine;
    struct answers *answers;
    GArray *access, *suffixes; /* struct word */
    unsigned changes;          /* of the answers, when the table was filled */
};

static const struct word *learner_word_at(const GArray *words, unsigned i)
{
    return &g_array_index(words, struct word, i);
}

static struct word extended(const struct word *word, unsigned input)
{
    struct word out = *word;

    word_add(&out, input);
    return out;
}

/* ---- rows ---- */

static void want_row(const struct table *table, const struct word *head, GArray *wanted)
{
    struct word word;

    for (guint i = 0; i < table->suffixes->len; i++)
        if (word_join(&word, head, learner_word_at(table->suffixes, i)))
            g_array_append_val(wanted, word);
}

static bool learner_fill(struct table *table, char **why)
{
    g_autoptr(GArray) wanted = g_array_new(FALSE, FALSE, sizeof(struct word));

    for (guint i = 0; i < table->access->len; i++) {
        want_row(table, learner_word_at(table->access, i), wanted);
        for (unsigned input = 0; input < table->machine->n_inputs; input++) {
            const struct word next = extended(learner_word_at(table->access, i), input);

            want_row(table, &next, wanted);
        }
    }
    return answers_ask(table->answers, learner_word_at(wanted, 0), wanted->len, why);
}

/* Its entries, as comparable octets. */
static GBytes *row(const struct table *table, const struct word *head)
{
    g_autoptr(GPtrArray) entries = g_ptr_array_new();
    const char *outputs[WORD_MAX];
    struct word word;

    for (guint i = 0; i < table->suffixes->len; i++) {
        const struct word *suffix = learner_word_at(table->suffixes, i);

        if (!word_join(&word, head, suffix))
            continue;
        answers_get(table->answers, &word, outputs);
        for (unsigned k = 0; k < suffix->n; k++)
            g_ptr_array_add(entries, (gpointer)outputs[head->n + k]);
    }
    return g_bytes_new(entries->pdata, entries->len * sizeof *entries->pdata);
}

/* The rows of all access words: the index of an equal one. */
static GHashTable *states(const struct table *table)
{
    GHashTable *rows = g_hash_table_new_full(g_bytes_hash, g_bytes_equal, (GDestroyNotify)g_bytes_unref, NULL);

    for (guint i = 0; i < table->access->len; i++)
        g_hash_table_insert(rows, row(table, learner_word_at(table->access, i)), GUINT_TO_POINTER(i));
    return rows;
}

static bool state_of(const struct table *table, GHashTable *rows, const struct word *word, unsigned *state)
{
    g_autoptr(GBytes) entries = row(table, word);
    gpointer found;

    if (!g_hash_table_lookup_extended(rows, entries, NULL, &found))
        return false;
    *state = GPOINTER_TO_UINT(found);
    return true;
}

/* A word whose row differs from all access words' rows. False: the table is closed. */
static bool find_state(const struct table *table, struct word *word)
{
    g_autoptr(GHashTable) rows = states(table);
    unsigned state;

    for (guint i = 0; i < table->access->len; i++) {
        for (unsigned input = 0; input < table->machine->n_inputs; input++) {
            *word = extended(learner_word_at(table->access, i), input);
            if (!state_of(table, rows, word, &state))
                return true;
        }
    }
    return false;
}

/* Makes it an access word if its row is confirmed: a single wrong answer would make a false state. */
static bool learner_add_state(struct table *table, const struct word *word, char **why)
{
    g_autoptr(GArray) wanted = g_array_new(FALSE, FALSE, sizeof(struct word));

    want_row(table, word, wanted);
    if (!answers_confirm(table->answers, learner_word_at(wanted, 0), wanted->len, why))
        return false;
    g_array_append_val(table->access, *word);
    if (table->access->len <= MACHINE_STATES_MAX)
        return true;
    *why = g_strdup_printf("the device has more than %d states on these inputs", MACHINE_STATES_MAX);
    return false;
}

/* ---- the table's machine ---- */

static void learner_conclude(const struct table *table)
{
    g_autoptr(GHashTable) rows = states(table);
    struct machine *machine = table->machine;
    const char *outputs[WORD_MAX];

    machine->n_states = table->access->len;
    for (unsigned i = 0; i < machine->n_states; i++) {
        machine->access[i] = *learner_word_at(table->access, i);
        for (unsigned input = 0; input < machine->n_inputs; input++) {
            const struct word word = extended(&machine->access[i], input);
            struct machine_edge *edge = &machine->edges[i][input];

            answers_get(table->answers, &word, outputs);
            edge->output = outputs[word.n - 1];
            state_of(table, rows, &word, &edge->next);
        }
    }
}

/*
 * Contradictory answers, or a slower device, have changed known answers: the table begins again, and asks only unknown
 * words.
 */
static void learner_begin(struct table *table)
{
    const struct word start = {0};

    g_array_set_size(table->access, 0);
    g_array_append_val(table->access, start);
    table->changes = answers_changes(table->answers);
}

static bool close_table(struct table *table, char **why)
{
    struct word word;

    learner_begin(table);
    do {
        if (answers_changes(table->answers) != table->changes)
            learner_begin(table);
        if (!learner_fill(table, why))
            return false;
        if (answers_changes(table->answers) == table->changes && !find_state(table, &word)) {
            learner_conclude(table);
            return true;
        }
    } while (answers_changes(table->answers) != table->changes || learner_add_state(table, &word, why));
    return false;
}

/* ---- checks ---- */

static bool is_predicted(const struct table *table, const struct word *word)
{
    const char *found[WORD_MAX], *predicted[WORD_MAX];

    answers_get(table->answers, word, found);
    machine_run(table->machine, word, predicted);
    return memcmp(found, predicted, word->n * sizeof *found) == 0;
}

/* Whether the rest of the word agrees with the machine when its beginning is replaced by the state's access word. */
static bool tail_is_predicted(const struct table *table, const struct word *word, unsigned head)
{
    struct word start = *word, tail = {.n = word->n - head}, whole;
    const char *outputs[WORD_MAX];
    unsigned state;

    start.n = head;
    memcpy(tail.input, word->input + head, tail.n);
    state = machine_run(table->machine, &start, outputs);
    return !word_join(&whole, &table->machine->access[state], &tail) || is_predicted(table, &whole);
}

static bool ask_tails(struct table *table, const struct word *word, char **why)
{
    g_autoptr(GArray) wanted = g_array_new(FALSE, FALSE, sizeof(struct word));
    const char *outputs[WORD_MAX];

    for (unsigned head = 0; head <= word->n; head++) {
        struct word start = *word, tail = {.n = word->n - head}, whole;

        start.n = head;
        memcpy(tail.input, word->input + head, tail.n);
        if (word_join(&whole, &table->machine->access[machine_run(table->machine, &start, outputs)], &tail))
            g_array_append_val(wanted, whole);
    }
    return answers_confirm(table->answers, learner_word_at(wanted, 0), wanted->len, why);
}

/* The suffix that distinguishes two equal rows: the machine is right from its beginning on, but not before. */
static bool learn_from(struct table *table, const struct word *word, char **why)
{
    struct word suffix;
    unsigned head = 0;

    if (!ask_tails(table, word, why))
        return false;
    while (head + 1 < word->n && !tail_is_predicted(table, word, head + 1))
        head++;
    suffix = (struct word){.n = word->n - head - 1};
    memcpy(suffix.input, word->input + head + 1, suffix.n);
    if (answers_changes(table->answers) != table->changes)
        return true;
    if (suffix.n == 0 || table->suffixes->len == SUFFIXES_MAX) {
        *why = g_strdup("the device's answers vary");
        return false;
    }
    g_array_append_val(table->suffixes, suffix);
    return true;
}

/* A random word from a random state; avoids inputs that end the connection while it can. */
static struct word random_word(const struct table *table, GRand *random)
{
    const struct machine *machine = table->machine;
    unsigned state = (unsigned)g_rand_int_range(random, 0, (gint32)machine->n_states);
    unsigned n = (unsigned)g_rand_int_range(random, 2, TAIL_MAX + 1);
    struct word word = machine->access[state];

    for (unsigned i = 0; i < n; i++) {
        unsigned input = 0;

        for (unsigned tries = 0; tries < 2 * machine->n_inputs; tries++) {
            input = (unsigned)g_rand_int_range(random, 0, (gint32)machine->n_inputs);
            if (i + 1 == n || !machine_is_over(machine, machine->edges[state][input].next))
                break;
        }
        word_add(&word, input);
        state = machine->edges[state][input].next;
    }
    return word;
}

/* Confirms all outputs of the machine. */
static bool confirm(struct table *table, char **why)
{
    g_autoptr(GArray) wanted = g_array_new(FALSE, FALSE, sizeof(struct word));

    for (guint i = 0; i < table->access->len; i++) {
        for (unsigned input = 0; input < table->machine->n_inputs; input++) {
            const struct word next = extended(learner_word_at(table->access, i), input);

            g_array_append_val(wanted, next);
        }
    }
    return answers_confirm(table->answers, learner_word_at(wanted, 0), wanted->len, why);
}

/* False: *word contradicts the machine, or *why. */
static bool learner_check(struct table *table, const struct learner_options *options, struct word *word, char **why)
{
    g_autoptr(GArray) words = g_array_new(FALSE, FALSE, sizeof(struct word));
    GRand *random = g_rand_new_with_seed(options->seed);

    for (unsigned i = 0; i < options->checks; i++) {
        const struct word one = random_word(table, random);

        g_array_append_val(words, one);
    }
    g_rand_free(random);
    if (words->len > 0 && !answers_ask(table->answers, learner_word_at(words, 0), words->len, why))
        return false;
    for (guint i = 0; i < words->len; i++) {
        *word = *learner_word_at(words, i);
        if (is_predicted(table, word))
            continue;
        /* A hasty answer is not a counterexample. */
        if (!answers_confirm(table->answers, word, 1, why) || answers_changes(table->answers) != table->changes ||
            !is_predicted(table, word))
            return false;
    }
    return true;
}

static bool infer(struct table *table, const struct learner_options *options, char **why)
{
    struct word counterexample = {.n = 0};

    for (;;) {
        if (!close_table(table, why) || !confirm(table, why))
            return false;
        if (answers_changes(table->answers) != table->changes)
            continue;
        if (learner_check(table, options, &counterexample, why) && answers_changes(table->answers) == table->changes)
            return true;
        if (*why)
            return false;
        if (answers_changes(table->answers) == table->changes && !learn_from(table, &counterexample, why))
            return false;
    }
}

bool learner_infer(struct machine *machine, struct answers *answers, const struct learner_options *options, char **why)
{
    struct table table = {.machine = machine,
                          .answers = answers,
                          .access = g_array_new(FALSE, TRUE, sizeof(struct word)),
                          .suffixes = g_array_new(FALSE, TRUE, sizeof(struct word))};
    bool good;

    for (unsigned input = 0; input < machine->n_inputs; input++) {
        const struct word suffix = {.n = 1, .input = {(uint8_t)input}};

        g_array_append_val(table.suffixes, suffix);
    }
    *why = NULL;
    good = infer(&table, options, why);
    g_array_unref(table.access);
    g_array_unref(table.suffixes);
    return good;
}
