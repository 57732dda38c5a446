/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The words of one statement of a script (script.h), and which of them somebody has understood. */
#ifndef IWARP_TRAFFIC_SAY_WORDS_H
#define IWARP_TRAFFIC_SAY_WORDS_H

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WORDS_MAX = 64 };

struct words {
    const char *text; /* the script, for messages */
    char **list;
    bool used[WORDS_MAX];
};

/* Ends the program: scripts are part of it. */
G_GNUC_NORETURN void words_give_up(const char *text, const char *word);
/* The word is a right one, and why tells what is missing for it. */
G_GNUC_NORETURN void words_give_up_why(const char *text, const char *word, const char *why);

/* Where the statement at hand stands, FILE:LINE, and the names that may be there; NULL: in a script. For messages. */
void words_stand_at(const char *place, const char *allowed);

/* A word alone. */
bool words_have(struct words *words, const char *name);
/* What follows "NAME="; NULL: not there. */
const char *words_value(struct words *words, const char *name);
uint64_t words_number(struct words *words, const char *name, uint64_t otherwise);
uint64_t words_parse_number(const struct words *words, const char *value);

/*
 * Reads text by a pattern in which # is a decimal number and % a hexadecimal one, below 2^32, and each is an unsigned *
 * behind it. Returns what follows, or NULL when the text does not match, or is NULL itself.
 */
const char *words_match(const char *text, const char *pattern, ...);

/* An octet of two hexadecimal digits. */
bool words_octet(const char *text, uint8_t *octet);

/* Where the field of this name is, and its size in octets; NULL: unknown. */
struct words_place {
    void *p;
    unsigned size;
};
/* Members are read and written as what they are, so that this holds for either order of octets. */
uint64_t words_get(const struct words_place *place);
void words_set(const struct words_place *place, uint64_t value);

typedef struct words_place (*words_find_t)(void *context, const char *name);

/* Applies every NAME=N, NAME+N and NAME-N that `find` knows. */
void words_change(struct words *words, words_find_t find, void *context);

/* Gives up about a word that nobody has understood. */
void words_end(const struct words *words);

#endif
