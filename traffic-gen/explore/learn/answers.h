/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The answers of a device, as a tree of inputs: nothing is asked twice, and nothing after the end of a connection.
 * Questions are first asked in haste; important ones again alone and without haste. Contradictory answers are settled
 * by asking more patiently until all agree except one.
 */
#ifndef IWARP_TRAFFIC_EXPLORE_LEARN_ANSWERS_H
#define IWARP_TRAFFIC_EXPLORE_LEARN_ANSWERS_H

#include "traffic-gen/explore/learn/machine.h"

/* The answer to one word. */
struct answer {
    const char *output[WORD_MAX]; /* interned */
    unsigned n;                   /* number of outputs: fewer than inputs if the connection ended or deviated earlier */
    bool over;                    /* the connection ended with the last one */
    bool slow;                    /* an output came so late that others may be missing */
    bool sure;                    /* asked alone, so it needs no confirmation */
};

struct question {
    struct word word;
    const char
        *known[WORD_MAX]; /* outputs to its first n_known inputs: when they arrive, the next input follows at once */
    unsigned n_known;
};

enum { IN_HASTE = 0 };

struct manner {
    unsigned patience; /* IN_HASTE, or the factor for the usual wait */
    bool alone;        /* no other connection in parallel */
};

struct asker {
    /* Asks each question on a fresh connection. False with *why: gave up. */
    bool (*ask)(void *ctx, const struct question *questions, struct answer *answers, unsigned n,
                const struct manner *manner, char **why);
    void *ctx;
};

struct answers;

/* The output for inputs after the end of the connection. */
const char *answers_over(void);

struct answers *answers_new(unsigned n_inputs, const char *const *inputs, const struct asker *asker);
void answers_free(struct answers *answers);
/* Makes all words known. False with *why. */
bool answers_ask(struct answers *answers, const struct word *words, unsigned n, char **why);
/* The same, each word alone and without haste unless done before: finds answers that were accidentally wrong. */
bool answers_confirm(struct answers *answers, const struct word *words, unsigned n, char **why);
/* The outputs for a word that was asked, or for the beginning of one. */
void answers_get(const struct answers *answers, const struct word *word, const char **outputs);
/* How often a known answer turned out wrong: conclusions must then be drawn again. */
unsigned answers_changes(const struct answers *answers);
unsigned answers_asked(const struct answers *answers); /* total number of words */
unsigned answers_contradicted(const struct answers *answers);

#endif
