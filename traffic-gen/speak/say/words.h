/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The words of the current statement: which of them have been understood, and the first error. */
#ifndef IWARP_TRAFFIC_SPEAK_SAY_WORDS_H
#define IWARP_TRAFFIC_SPEAK_SAY_WORDS_H

#include "traffic-gen/speak/say/statement.h"

struct words {
    const struct statement *statement;
    const struct word *list;
    unsigned n;
    const char *source; /* the file, or another name of the script, for messages */
    bool used[WORDS_MAX];
    char **error; /* the first error; nothing more is carried out after it */
};

struct words words_of(const struct statement *statement, const char *source, char **error);

/* Notes that a word cannot be read, or cannot be carried out because of `why`; always returns false. */
bool words_refuse(const struct words *words, const char *word);
bool words_refuse_because(const struct words *words, const char *word, const char *why);
/* Refuses the word because its number is not from min to max; returns false. */
bool words_in_range(const struct words *words, const char *word, uint64_t number, uint64_t min, uint64_t max);
static inline bool words_good(const struct words *words)
{
    return !*words->error;
}

/* The name of the first word, which the verb is about; NULL: there is none, or it has a value. */
const char *words_first(struct words *words);
/* The first word, even if it looks like a change (the path dir/f-1), for g_free(); NULL: there is none. */
char *words_first_as_written(struct words *words);
/* Whether a word without a value is there. */
bool words_have(struct words *words, const char *name);
/* Whether NAME=VALUE is there. */
bool words_given(struct words *words, const char *name);
/* The value as text; NULL: not there. */
const char *words_value(struct words *words, const char *name);
/* The value; refuses text that is not a number and returns 0. */
uint64_t words_number(struct words *words, const char *name, uint64_t otherwise);
/* The same; refuses a number that is not from min to max. */
uint64_t words_number_within(struct words *words, const char *name, uint64_t otherwise, uint64_t min, uint64_t max);
/* wait=MILLISECONDS or wait-us=MICROSECONDS, an hour at most; false: the statement has neither. */
bool words_wait(struct words *words, int64_t *ns);
/* The same for a number inside a word. */
uint64_t words_parse_number(const struct words *words, const char *value);

/*
 * Reads text by a pattern in which # is a decimal number and % a hexadecimal number, below 2^32, each for an unsigned *
 * in the arguments. Returns the rest of the text, or NULL when the text does not match or is NULL.
 */
const char *words_match(const char *text, const char *pattern, ...);

/* Reads the first word as LAYER/ETYPE/CODE in hexadecimal, as in rules and notes; refuses anything else. */
unsigned words_terminate(struct words *words, const char *verb);

/* Reads an octet of two hexadecimal digits. */
bool words_octet(const char *text, uint8_t *octet);
/*
 * Reads octets of two digits each, freed by the caller; stops at the first mistake, which is refused. words NULL: not
 * refused.
 */
GByteArray *words_octets(const struct words *words, const char *hex);

/* Where the field of this name is, and its size in octets; NULL: unknown. */
struct words_place {
    void *p;
    unsigned size;
};
/* Members are read and written by their type, so that either byte order works. */
uint64_t words_get(const struct words_place *place);
void words_set(const struct words_place *place, uint64_t value);

typedef struct words_place (*words_find_t)(void *context, const char *name);

/* Applies every word whose value is a number and whose name `find` knows. */
void words_change(struct words *words, words_find_t find, void *context);

/* Refuses the first word that was not understood. False when any word was refused. */
bool words_end(const struct words *words);

#endif
