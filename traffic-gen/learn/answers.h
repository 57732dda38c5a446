/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a device has answered, as a tree of inputs: nothing is asked twice, and answers that contradict earlier ones are
 * settled by asking again, more patiently, until all agree but one.
 */
#ifndef IWARP_TRAFFIC_LEARN_ANSWERS_H
#define IWARP_TRAFFIC_LEARN_ANSWERS_H

#include "traffic-gen/learn/machine.h"

/* To one word. */
struct answer {
    const char *output[WORD_MAX]; /* interned */
    unsigned n;                   /* outputs: of the whole word, or fewer if the connection ended before */
    bool over;                    /* it ended with the last one */
    bool slow;                    /* one came so late that others may have been missed */
};

struct asker {
    /* Each word on a fresh connection; patience: how many times longer than usual to wait. False with *why: gave up. */
    bool (*ask)(void *ctx, const struct word *words, struct answer *answers, unsigned n, unsigned patience, char **why);
    void *ctx;
};

struct answers;

/* The output to each input once the connection is over. */
const char *answers_over(void);

struct answers *answers_new(unsigned n_inputs, const char *const *inputs, const struct asker *asker);
void answers_free(struct answers *answers);
/* All of them are known afterwards. False with *why. */
bool answers_ask(struct answers *answers, const struct word *words, unsigned n, char **why);
/* The same once more, for what much depends on: an answer that was wrong by chance is found. */
bool answers_confirm(struct answers *answers, const struct word *words, unsigned n, char **why);
/* The outputs to a word that was asked, or is the beginning of one. */
void answers_get(const struct answers *answers, const struct word *word, const char **outputs);
/* How often something that was known turned out otherwise: whoever drew conclusions draws them again. */
unsigned answers_changes(const struct answers *answers);
unsigned answers_asked(const struct answers *answers); /* words, in total */
unsigned answers_contradicted(const struct answers *answers);

#endif
