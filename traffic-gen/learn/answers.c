// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/learn/answers.h"

#include <string.h>

enum { TRIES = 5, PATIENT = 3, PATIENCE_MAX = 8 };

struct node {
    const char *output; /* to the input that leads here; NULL: not known */
    bool over;          /* the connection ended with it */
    struct node *next[MACHINE_INPUTS_MAX];
};

struct answers {
    unsigned n_inputs;
    const char *const *inputs;
    struct asker asker;
    struct node root;
    unsigned changes, asked, contradicted, patience;
};

const char *answers_over(void)
{
    return g_intern_static_string("over");
}

struct answers *answers_new(unsigned n_inputs, const char *const *inputs, const struct asker *asker)
{
    struct answers *answers = g_new0(struct answers, 1);

    *answers = (struct answers){.n_inputs = n_inputs, .inputs = inputs, .asker = *asker, .patience = 1};
    return answers;
}

static void forget(struct node *node)
{
    for (unsigned i = 0; i < MACHINE_INPUTS_MAX; i++) {
        if (node->next[i]) {
            forget(node->next[i]);
            g_clear_pointer(&node->next[i], g_free);
        }
    }
}

void answers_free(struct answers *answers)
{
    if (!answers)
        return;
    forget(&answers->root);
    g_free(answers);
}

static bool is_known(const struct answers *answers, const struct word *word)
{
    const struct node *node = &answers->root;

    for (unsigned i = 0; i < word->n && !node->over; i++) {
        node = node->next[word->input[i]];
        if (!node)
            return false;
    }
    return true;
}

void answers_get(const struct answers *answers, const struct word *word, const char **outputs)
{
    const struct node *node = &answers->root;

    for (unsigned i = 0; i < word->n; i++) {
        if (!node->over)
            node = node->next[word->input[i]];
        else {
            outputs[i] = answers_over();
            continue;
        }
        outputs[i] = node->output;
    }
}

static bool ends_at(const struct answer *answer, unsigned i)
{
    return answer->over && i + 1 == answer->n;
}

/* The first input to which the answer is not the known one; the word's length: there is none. */
static unsigned first_conflict(const struct answers *answers, const struct word *word, const struct answer *answer)
{
    const struct node *node = &answers->root;

    for (unsigned i = 0; i < answer->n; i++) {
        node = node->next[word->input[i]];
        if (!node)
            break;
        if (node->output != answer->output[i] || node->over != ends_at(answer, i))
            return i;
    }
    return word->n;
}

static void put(struct answers *answers, const struct word *word, const struct answer *answer)
{
    struct node *node = &answers->root;

    for (unsigned i = 0; i < answer->n; i++) {
        struct node **next = &node->next[word->input[i]];

        if (!*next)
            *next = g_new0(struct node, 1);
        node = *next;
        node->output = answer->output[i];
        node->over = ends_at(answer, i);
    }
}

/* What was learnt after these inputs is forgotten. */
static void cut(struct answers *answers, const struct word *word, unsigned n)
{
    struct node *node = &answers->root;

    for (unsigned i = 0; i + 1 < n && node; i++)
        node = node->next[word->input[i]];
    if (node && node->next[word->input[n - 1]]) {
        forget(node->next[word->input[n - 1]]);
        g_clear_pointer(&node->next[word->input[n - 1]], g_free);
    }
}

static const char *last_output(const struct word *word, const struct answer *answer)
{
    return word->n == answer->n ? answer->output[word->n - 1] : answers_over();
}

static bool agree(const struct word *word, const struct answer *a, const struct answer *b)
{
    return last_output(word, a) == last_output(word, b) && a->over == b->over;
}

static char *disagreement(const struct answers *answers, const struct word *word, const struct answer *tries)
{
    g_autoptr(GString) text = g_string_new("the device does not answer alike each time: to \"");

    word_text(word, answers->inputs, text);
    g_string_append(text, "\" it said");
    for (unsigned i = 0; i < TRIES; i++)
        g_string_append_printf(text, "%s \"%s\"", i > 0 ? "," : "", last_output(word, &tries[i]));
    return g_string_free(g_steal_pointer(&text), FALSE);
}

/* One that all tries but one agree with; NULL: there is none. */
static const struct answer *majority(const struct word *word, const struct answer *tries)
{
    for (unsigned i = 0; i < 2; i++) {
        unsigned count = 0;

        for (unsigned k = 0; k < TRIES; k++)
            count += agree(word, &tries[k], &tries[i]);
        if (count + 1 >= TRIES)
            return &tries[i];
    }
    return NULL;
}

/* The first n inputs of a word have had two answers: they are asked again. */
static bool settle(struct answers *answers, const struct word *word, unsigned n, char **why)
{
    struct word words[TRIES], part = *word;
    struct answer tries[TRIES] = {0};
    const struct answer *right;
    unsigned at;

    part.n = n;
    for (unsigned i = 0; i < TRIES; i++)
        words[i] = part;
    answers->contradicted++;
    answers->patience = MIN(answers->patience + 1, PATIENCE_MAX);
    answers->asked += TRIES;
    if (!answers->asker.ask(answers->asker.ctx, words, tries, TRIES, answers->patience * PATIENT, why))
        return false;
    right = majority(&part, tries);
    if (!right) {
        *why = disagreement(answers, &part, tries);
        return false;
    }
    at = first_conflict(answers, &part, right);
    if (at < n) {
        cut(answers, &part, at + 1);
        answers->changes++;
    }
    put(answers, &part, right);
    return true;
}

static bool take(struct answers *answers, const struct word *words, const struct answer *got, unsigned n, char **why)
{
    for (unsigned i = 0; i < n; i++) {
        unsigned at = first_conflict(answers, &words[i], &got[i]);

        if (at == words[i].n)
            put(answers, &words[i], &got[i]);
        else if (!settle(answers, &words[i], at + 1, why))
            return false;
    }
    return true;
}

static bool is_among(const struct word *words, unsigned n, const struct word *word)
{
    for (unsigned i = 0; i < n; i++)
        if (words[i].n == word->n && memcmp(words[i].input, word->input, word->n) == 0)
            return true;
    return false;
}

/* A device that answers late has perhaps been misunderstood before: all is asked again, with more time. */
static bool slowness(struct answers *answers, const struct answer *got, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        if (!got[i].slow || answers->patience >= PATIENCE_MAX)
            continue;
        answers->patience *= 2;
        answers->changes++;
        forget(&answers->root);
        return true;
    }
    return false;
}

static bool ask(struct answers *answers, const struct word *words, unsigned n, char **why)
{
    g_autofree struct answer *got = g_new0(struct answer, n);

    answers->asked += n;
    return answers->asker.ask(answers->asker.ctx, words, got, n, answers->patience, why) &&
           (slowness(answers, got, n) || take(answers, words, got, n, why));
}

bool answers_ask(struct answers *answers, const struct word *words, unsigned n, char **why)
{
    g_autofree struct word *unknown = g_new(struct word, n);

    for (;;) { /* what was settled, or forgotten, may have made others unknown */
        unsigned count = 0;

        for (unsigned i = 0; i < n; i++)
            if (!is_known(answers, &words[i]) && !is_among(unknown, count, &words[i]))
                unknown[count++] = words[i];
        if (count == 0)
            return true;
        if (!ask(answers, unknown, count, why))
            return false;
    }
}

bool answers_confirm(struct answers *answers, const struct word *words, unsigned n, char **why)
{
    return n == 0 || (ask(answers, words, n, why) && answers_ask(answers, words, n, why));
}

unsigned answers_changes(const struct answers *answers)
{
    return answers->changes;
}

unsigned answers_asked(const struct answers *answers)
{
    return answers->asked;
}

unsigned answers_contradicted(const struct answers *answers)
{
    return answers->contradicted;
}
