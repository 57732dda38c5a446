// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/explore/learn/machine.h"

#include <string.h>

unsigned machine_run(const struct machine *machine, const struct word *word, const char **outputs)
{
    unsigned state = 0;

    for (unsigned i = 0; i < word->n; i++) {
        const struct machine_edge *edge = &machine->edges[state][word->input[i]];

        outputs[i] = edge->output;
        state = edge->next;
    }
    return state;
}

bool machine_is_over(const struct machine *machine, unsigned state)
{
    for (unsigned i = 0; i < machine->n_inputs; i++) {
        const struct machine_edge *edge = &machine->edges[state][i];

        if (edge->next != state || edge->output != machine->edges[state][0].output)
            return false;
    }
    return state > 0;
}

/* ---- words ---- */

bool word_add(struct word *word, unsigned input)
{
    if (word->n == WORD_MAX)
        return false;
    word->input[word->n++] = (uint8_t)input;
    return true;
}

bool word_join(struct word *out, const struct word *head, const struct word *tail)
{
    bool good = true;

    *out = *head;
    for (unsigned i = 0; i < tail->n && good; i++)
        good = word_add(out, tail->input[i]);
    return good;
}

void word_text(const struct word *word, const char *const *inputs, GString *out)
{
    if (word->n == 0)
        g_string_append(out, "nothing");
    for (unsigned i = 0; i < word->n; i++)
        g_string_append_printf(out, "%s%s", i > 0 ? ", " : "", inputs[word->input[i]]);
}

/* ---- two machines ---- */

enum { NO_INPUT = MACHINE_INPUTS_MAX };

struct pair {
    unsigned a, b;
    struct word word;
};

/* For each input of a, the input of b with the same name. */
static void match_inputs(const struct machine *a, const struct machine *b, unsigned match[MACHINE_INPUTS_MAX])
{
    for (unsigned i = 0; i < a->n_inputs; i++) {
        match[i] = NO_INPUT;
        for (unsigned k = 0; k < b->n_inputs; k++)
            if (a->inputs[i] == b->inputs[k])
                match[i] = k;
    }
}

/* Breadth first over pairs of states, so that the first difference is a shortest one. */
bool machine_differ(const struct machine *a, const struct machine *b, struct word *word)
{
    g_autofree bool *seen = g_new0(bool, MACHINE_STATES_MAX *MACHINE_STATES_MAX);
    g_autoptr(GArray) queue = g_array_new(FALSE, TRUE, sizeof(struct pair));
    unsigned match[MACHINE_INPUTS_MAX];
    struct pair start = {0};

    match_inputs(a, b, match);
    g_array_append_val(queue, start);
    seen[0] = true;
    for (guint at = 0; at < queue->len; at++) {
        for (unsigned i = 0; i < a->n_inputs; i++) {
            struct pair pair = g_array_index(queue, struct pair, at);
            const struct machine_edge *of_a = &a->edges[pair.a][i], *of_b;

            if (match[i] == NO_INPUT || !word_add(&pair.word, i))
                continue;
            of_b = &b->edges[pair.b][match[i]];
            if (of_a->output != of_b->output) {
                *word = pair.word;
                return true;
            }
            pair.a = of_a->next;
            pair.b = of_b->next;
            if (!seen[pair.a * MACHINE_STATES_MAX + pair.b])
                g_array_append_val(queue, pair);
            seen[pair.a * MACHINE_STATES_MAX + pair.b] = true;
        }
    }
    return false;
}
