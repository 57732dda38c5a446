/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The words of the statement that is being carried out: which have been understood, and what was wrong first. */
#ifndef IWARP_TRAFFIC_SAY_WORDS_H
#define IWARP_TRAFFIC_SAY_WORDS_H

#include "traffic-gen/say/statement.h"

struct words {
    const struct statement *statement;
    const struct word *list;
    unsigned n;
    const char *source; /* the file, or what else the script is called, for messages */
    bool used[WORDS_MAX];
    char **error; /* the first one; once it is set, nothing more is carried out */
};

struct words words_of(const struct statement *statement, const char *source, char **error);

/* Notes that a word cannot be read, or cannot be carried out because of `why`; always false. */
bool words_refuse(const struct words *words, const char *word);
bool words_refuse_because(const struct words *words, const char *word, const char *why);
/* False, and the word is refused: its number is not from min to max. */
bool words_in_range(const struct words *words, const char *word, uint64_t number, uint64_t min, uint64_t max);
static inline bool words_good(const struct words *words)
{
    return !*words->error;
}

/* The name of the first word, NULL when there is none or it has a value: what the verb is about. */
const char *words_first(struct words *words);
/* The first word, which may look like a change, such as the path dir/f-1 (for g_free()); NULL: there is none. */
char *words_first_as_written(struct words *words);
/* A word alone. */
bool words_have(struct words *words, const char *name);
/* NAME=VALUE is there. */
bool words_given(struct words *words, const char *name);
/* Its value as text; NULL: not there. */
const char *words_value(struct words *words, const char *name);
/* Its value; 0 when it is no number, which is refused. */
uint64_t words_number(struct words *words, const char *name, uint64_t otherwise);
/* The same; a number that is given and not from min to max is refused. */
uint64_t words_number_within(struct words *words, const char *name, uint64_t otherwise, uint64_t min, uint64_t max);
/* wait=MILLISECONDS or wait-us=MICROSECONDS, an hour at most; false: the statement has neither. */
bool words_wait(struct words *words, int64_t *ns);
/* The same for a number that is a part of a word. */
uint64_t words_parse_number(const struct words *words, const char *value);

/*
 * Reads text by a pattern in which # is a decimal number and % a hexadecimal one, below 2^32, each for an unsigned * in
 * the arguments. Returns the rest of the text, or NULL when it does not match, or is NULL itself.
 */
const char *words_match(const char *text, const char *pattern, ...);

/* The first word as LAYER/ETYPE/CODE, in hexadecimal as rules and notes write it; refused when it is none. */
unsigned words_terminate(struct words *words, const char *verb);

/* An octet of two hexadecimal digits. */
bool words_octet(const char *text, uint8_t *octet);
/*
 * Octets by two digits each, to be freed by the caller; those before the first mistake, which is refused. words NULL:
 * it is not.
 */
GByteArray *words_octets(const struct words *words, const char *hex);

/* Where the field of this name is, and its size in octets; NULL: unknown. */
struct words_place {
    void *p;
    unsigned size;
};
/* Members are read and written as what they are, so that this holds for either order of octets. */
uint64_t words_get(const struct words_place *place);
void words_set(const struct words_place *place, uint64_t value);

typedef struct words_place (*words_find_t)(void *context, const char *name);

/* Applies every word with a number whose name `find` knows. */
void words_change(struct words *words, words_find_t find, void *context);

/* Refuses the first word that nobody has understood. False when anything has been refused. */
bool words_end(const struct words *words);

#endif
