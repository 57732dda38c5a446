/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a device has answered, as a tree of inputs: nothing is asked twice, and what follows the end of a connection is
 * not asked at all. It is asked in haste first; what much depends on is asked again alone and without haste. Answers
 * that contradict each other are settled by asking again, more patiently, until all agree but one.
 */
#ifndef IWARP_TRAFFIC_LEARN_ANSWERS_H
#define IWARP_TRAFFIC_LEARN_ANSWERS_H

#include "traffic-gen/learn/machine.h"

/* To one word. */
struct answer {
    const char *output[WORD_MAX]; /* interned */
    unsigned n;                   /* outputs: of the whole word, or fewer if it ended or went otherwise before */
    bool over;                    /* the connection ended with the last one */
    bool slow;                    /* one came so late that others may have been missed */
    bool sure;                    /* whatever the manner, it was asked for alone, and needs no confirmation */
};

struct question {
    struct word word;
    const char *known[WORD_MAX]; /* outputs to its first n_known inputs: once one has come, the next input is due */
    unsigned n_known;
};

enum { IN_HASTE = 0 };

struct manner {
    unsigned patience; /* IN_HASTE, or how many times longer than usual to wait */
    bool alone;        /* no other connection at the same time */
};

struct asker {
    /* Each question on a fresh connection. False with *why: gave up. */
    bool (*ask)(void *ctx, const struct question *questions, struct answer *answers, unsigned n,
                const struct manner *manner, char **why);
    void *ctx;
};

struct answers;

/* The output to each input once the connection is over. */
const char *answers_over(void);

struct answers *answers_new(unsigned n_inputs, const char *const *inputs, const struct asker *asker);
void answers_free(struct answers *answers);
/* All of them are known afterwards. False with *why. */
bool answers_ask(struct answers *answers, const struct word *words, unsigned n, char **why);
/* The same, each alone and without haste, unless it was before: an answer that was wrong by chance is found. */
bool answers_confirm(struct answers *answers, const struct word *words, unsigned n, char **why);
/* The outputs to a word that was asked, or is the beginning of one. */
void answers_get(const struct answers *answers, const struct word *word, const char **outputs);
/* How often something that was known turned out otherwise: whoever drew conclusions draws them again. */
unsigned answers_changes(const struct answers *answers);
unsigned answers_asked(const struct answers *answers); /* words, in total */
unsigned answers_contradicted(const struct answers *answers);

#endif
