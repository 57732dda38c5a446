// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/explore/learn/answers.h"

#include <string.h>

/* The patience for a repeated question, and its growth. */
enum { TRIES = 5, USUAL = 1, MORE = 4, PATIENCE_MAX = 16 };

struct node {
    const char *output; /* for the input that leads here; NULL: unknown */
    bool over;          /* the connection ended with this output */
    bool sure;          /* asked alone and without haste */
    struct node *next[MACHINE_INPUTS_MAX];
};

struct answers {
    unsigned n_inputs;
    const char *const *inputs;
    struct asker asker;
    struct node root;
    unsigned changes, asked, contradicted;
};

const char *answers_over(void)
{
    return g_intern_static_string("over");
}

struct answers *answers_new(unsigned n_inputs, const char *const *inputs, const struct asker *asker)
{
    struct answers *answers = g_new0(struct answers, 1);

    *answers = (struct answers){.n_inputs = n_inputs, .inputs = inputs, .asker = *asker};
    return answers;
}

static void learn_answers_forget(struct node *node)
{
    for (unsigned i = 0; i < MACHINE_INPUTS_MAX; i++) {
        if (node->next[i]) {
            learn_answers_forget(node->next[i]);
            g_clear_pointer(&node->next[i], g_free);
        }
    }
}

void answers_free(struct answers *answers)
{
    if (!answers)
        return;
    learn_answers_forget(&answers->root);
    g_free(answers);
}

/* The last known node of a word; *n: its depth. */
static const struct node *known_part(const struct answers *answers, const struct word *word, unsigned *n)
{
    const struct node *node = &answers->root;

    for (*n = 0; *n < word->n && !node->over && node->next[word->input[*n]]; (*n)++)
        node = node->next[word->input[*n]];
    return node;
}

static bool learn_answers_is_known(const struct answers *answers, const struct word *word)
{
    unsigned n;

    return known_part(answers, word, &n)->over || n == word->n;
}

/* No question is needed: the node is settled, or the connection ends before the last input. */
static bool is_sure(const struct answers *answers, const struct word *word)
{
    unsigned n;
    const struct node *node = known_part(answers, word, &n);

    return (node->over && n < word->n) || (node->sure && n == word->n);
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

/* The first input with an answer that differs from the known one; the word's length: none. */
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

static void learn_answers_put(struct answers *answers, const struct word *word, const struct answer *answer, bool sure)
{
    struct node *node = &answers->root;

    for (unsigned i = 0; i < answer->n; i++) {
        struct node **next = &node->next[word->input[i]];

        if (!*next)
            *next = g_new0(struct node, 1);
        node = *next;
        node->output = answer->output[i];
        node->over = ends_at(answer, i);
        node->sure |= sure;
    }
}

/* Forgets everything learned after these inputs. */
static void learn_answers_cut(struct answers *answers, const struct word *word, unsigned n)
{
    struct node *node = &answers->root;

    for (unsigned i = 0; i + 1 < n && node; i++)
        node = node->next[word->input[i]];
    if (node && node->next[word->input[n - 1]]) {
        learn_answers_forget(node->next[word->input[n - 1]]);
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
    g_autoptr(GString) text = g_string_new("the device's answers vary: to \"");

    word_text(word, answers->inputs, text);
    g_string_append(text, "\" it answered");
    for (unsigned i = 0; i < TRIES; i++)
        g_string_append_printf(text, "%s \"%s\"", i > 0 ? "," : "", last_output(word, &tries[i]));
    return g_string_free(g_steal_pointer(&text), FALSE);
}

/* An output that all attempts except one agree on; NULL: none. */
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

/* ---- asking ---- */

static bool ask_them(struct answers *answers, const struct question *questions, struct answer *got, unsigned n,
                     const struct manner *manner, char **why)
{
    answers->asked += n;
    return answers->asker.ask(answers->asker.ctx, questions, got, n, manner, why);
}

/* The first n inputs of a word had two different answers: asks them again. */
static bool learn_answers_settle(struct answers *answers, const struct word *word, unsigned n, bool alone, char **why)
{
    struct question questions[TRIES] = {0};
    struct answer tries[TRIES];
    struct word part = *word;
    const struct answer *right = NULL;
    unsigned at;

    part.n = n;
    for (unsigned i = 0; i < TRIES; i++)
        questions[i].word = part;
    answers->contradicted++;
    for (unsigned patience = MORE; !right && patience <= PATIENCE_MAX; patience *= MORE) {
        const struct manner manner = {.patience = patience, .alone = alone};

        memset(tries, 0, sizeof tries);
        if (!ask_them(answers, questions, tries, TRIES, &manner, why))
            return false;
        right = majority(&part, tries);
    }
    if (!right) {
        *why = disagreement(answers, &part, tries);
        return false;
    }
    at = first_conflict(answers, &part, right);
    if (at < n) {
        learn_answers_cut(answers, &part, at + 1);
        answers->changes++;
    }
    learn_answers_put(answers, &part, right, alone);
    return true;
}

static bool learn_answers_take(struct answers *answers, const struct question *questions, const struct answer *got,
                               unsigned n, const struct manner *manner, char **why)
{
    for (unsigned i = 0; i < n; i++) {
        const struct word *word = &questions[i].word;
        unsigned at = first_conflict(answers, word, &got[i]);

        if (at == word->n)
            learn_answers_put(answers, word, &got[i], manner->alone || got[i].sure);
        else if (!learn_answers_settle(answers, word, at + 1, manner->alone, why))
            return false;
    }
    return true;
}

/* A late answer may be incomplete: asks again, more patiently. */
static bool ask_slow(struct answers *answers, const struct question *questions, struct answer *got, unsigned n,
                     struct manner manner, char **why)
{
    for (unsigned i = 0; i < n; i++) {
        struct manner more = manner;

        while (got[i].slow && more.patience < PATIENCE_MAX) {
            more.patience = more.patience == IN_HASTE ? USUAL : more.patience * MORE;
            got[i] = (struct answer){0};
            if (!ask_them(answers, &questions[i], &got[i], 1, &more, why))
                return false;
        }
    }
    return true;
}

static bool learn_answers_ask(struct answers *answers, const struct question *questions, unsigned n,
                              const struct manner *manner, char **why)
{
    g_autofree struct answer *got = g_new0(struct answer, n);

    return ask_them(answers, questions, got, n, manner, why) && ask_slow(answers, questions, got, n, *manner, why) &&
           learn_answers_take(answers, questions, got, n, manner, why);
}

/* In haste there is no wait for known outputs. */
static struct question question_of(const struct answers *answers, const struct word *word)
{
    struct question question = {.word = *word};
    const struct node *node = &answers->root;

    while (question.n_known < word->n && (node = node->next[word->input[question.n_known]]))
        question.known[question.n_known++] = node->output;
    return question;
}

/* Words with the same first unknown output: the answer to one may make the other known. */
static bool begin_alike(const struct question *a, const struct question *b)
{
    return a->n_known == b->n_known && memcmp(a->word.input, b->word.input, a->n_known + 1) == 0;
}

static void add_question(GArray *questions, const struct question *question)
{
    for (guint i = 0; i < questions->len; i++)
        if (begin_alike(&g_array_index(questions, struct question, i), question))
            return;
    g_array_append_vals(questions, question, 1);
}

bool answers_ask(struct answers *answers, const struct word *words, unsigned n, char **why)
{
    const struct manner hasty = {.patience = IN_HASTE};
    g_autoptr(GArray) questions = g_array_new(FALSE, FALSE, sizeof(struct question));

    for (;;) { /* settling an answer may make others unknown */
        g_array_set_size(questions, 0);
        for (unsigned i = 0; i < n; i++) {
            if (!learn_answers_is_known(answers, &words[i])) {
                const struct question question = question_of(answers, &words[i]);

                add_question(questions, &question);
            }
        }
        if (questions->len == 0)
            return true;
        if (!learn_answers_ask(answers, &g_array_index(questions, struct question, 0), questions->len, &hasty, why))
            return false;
    }
}

bool answers_confirm(struct answers *answers, const struct word *words, unsigned n, char **why)
{
    const struct manner sure = {.patience = USUAL, .alone = true};
    g_autoptr(GArray) questions = g_array_new(FALSE, FALSE, sizeof(struct question));

    for (unsigned i = 0; i < n; i++) {
        const struct question question = {.word = words[i]};

        if (!is_sure(answers, &words[i]))
            g_array_append_val(questions, question);
    }
    if (questions->len > 0 &&
        !learn_answers_ask(answers, &g_array_index(questions, struct question, 0), questions->len, &sure, why))
        return false;
    return answers_ask(answers, words, n, why);
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
