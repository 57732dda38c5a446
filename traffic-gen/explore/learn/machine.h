/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A Mealy machine: in each state, each input has one output and leads to one state. A fresh connection is in state 0.
 * Outputs are interned (g_intern_string()): equal outputs are the same pointer.
 */
#ifndef IWARP_TRAFFIC_EXPLORE_LEARN_MACHINE_H
#define IWARP_TRAFFIC_EXPLORE_LEARN_MACHINE_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { MACHINE_INPUTS_MAX = 24, MACHINE_STATES_MAX = 64, WORD_MAX = 32 };

/* Successive inputs on one connection. */
struct word {
    unsigned n;
    uint8_t input[WORD_MAX];
};

struct machine_edge {
    unsigned next;
    const char *output;
};

struct machine {
    const char *device; /* name of the device */
    unsigned n_inputs, n_states;
    const char *inputs[MACHINE_INPUTS_MAX]; /* their names, interned */
    struct machine_edge edges[MACHINE_STATES_MAX][MACHINE_INPUTS_MAX];
    struct word access[MACHINE_STATES_MAX]; /* a shortest word to each state */
};

/* The machine's n outputs for that word. Returns the last state. */
unsigned machine_run(const struct machine *machine, const struct word *word, const char **outputs);
/* Whether no input leaves the state and all inputs have the same output: the connection is over. */
bool machine_is_over(const struct machine *machine, unsigned state);
/*
 * A shortest word whose last outputs differ in the two machines, which share input names. False: equal on the inputs of
 * both.
 */
bool machine_differ(const struct machine *a, const struct machine *b, struct word *word);

/* "request, send"; "" is written as "nothing". */
void word_text(const struct word *word, const char *const *inputs, GString *out);
bool word_add(struct word *word, unsigned input); /* false: full */
/* Joins both words; false: too long. */
bool word_join(struct word *out, const struct word *head, const struct word *tail);

/* ---- as text, as JSON (docs/iwarp-learn.schema.json), as a picture ---- */

void machine_text(const struct machine *machine, FILE *out);
void machine_json(const struct machine *machine, FILE *out);
void machine_svg(const struct machine *machine, FILE *out);
/* Reads machine_json()'s format. The caller frees the machine; NULL with *error: not such a file. */
struct machine *machine_load(const char *path, GError **error);

#endif
