/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A Mealy machine: in each state, each input has one output and leads to one state. State 0 is where a fresh connection
 * is. Outputs are interned (g_intern_string()): equal ones are the same pointer.
 */
#ifndef IWARP_TRAFFIC_LEARN_MACHINE_H
#define IWARP_TRAFFIC_LEARN_MACHINE_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { MACHINE_INPUTS_MAX = 24, MACHINE_STATES_MAX = 64, WORD_MAX = 32 };

/* Inputs one after another, on one connection. */
struct word {
    unsigned n;
    uint8_t input[WORD_MAX];
};

struct machine_edge {
    unsigned next;
    const char *output;
};

struct machine {
    const char *device; /* whose it is */
    unsigned n_inputs, n_states;
    const char *inputs[MACHINE_INPUTS_MAX]; /* their names, interned */
    struct machine_edge edges[MACHINE_STATES_MAX][MACHINE_INPUTS_MAX];
    struct word access[MACHINE_STATES_MAX]; /* a shortest word that leads there */
};

/* What the machine answers to that word, n outputs. Returns the state that it ends in. */
unsigned machine_run(const struct machine *machine, const struct word *word, const char **outputs);
/* A state that nothing leaves, in which all inputs have the same output: the connection is over. */
bool machine_is_over(const struct machine *machine, unsigned state);
/*
 * A shortest word whose last output tells the two apart, by the names of their inputs. False: they are equal on the
 * inputs that both have.
 */
bool machine_differ(const struct machine *a, const struct machine *b, struct word *word);

/* "request, send"; "" is written as "nothing". */
void word_text(const struct word *word, const char *const *inputs, GString *out);
bool word_add(struct word *word, unsigned input); /* false: it is full */
/* Of both; false: too long. */
bool word_join(struct word *out, const struct word *head, const struct word *tail);

/* ---- as text, as JSON (docs/iwarp-learn.schema.json), as a picture ---- */

void machine_text(const struct machine *machine, FILE *out);
void machine_json(const struct machine *machine, FILE *out);
void machine_svg(const struct machine *machine, FILE *out);
/* Of machine_json(). The caller frees it; NULL with *error: it is not such a file. */
struct machine *machine_load(const char *path, GError **error);

#endif
