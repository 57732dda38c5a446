/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Statements: who says what, with which fields, and with which deviation from what would be right (script.h lists
 * them). They are made from the text of a script (script_parse()) or field by field from a scenario in YAML, and
 * carried out by script_say().
 */
#ifndef IWARP_TRAFFIC_SAY_STATEMENT_H
#define IWARP_TRAFFIC_SAY_STATEMENT_H

#include "traffic-gen/say/conversation.h"

enum { WORDS_MAX = 64 };

/* NAME, or NAME with an operator and a value. */
struct word {
    char *name;
    char op;         /* '=', '+', '-', '^', '&', '|'; 0: the name is all */
    bool is_number;  /* the value is one */
    uint64_t number; /* the value, if it is one */
    char *text;      /* the value as written; NULL: it was given as a number, or there is none */
};

/* The old value changed as the word says. */
static inline uint64_t word_apply(const struct word *word, uint64_t old)
{
    switch (word->op) {
    case '+':
        return old + word->number;
    case '-':
        return old - word->number;
    case '^':
        return old ^ word->number;
    case '&':
        return old & word->number;
    case '|':
        return old | word->number;
    default:
        return word->number;
    }
}

struct verb; /* what is said or done: verb.h */

struct statement {
    enum role role;
    const struct verb *verb;
    unsigned times;
    GArray *words;       /* of struct word */
    unsigned line;       /* of the file; of a script: its number, from 1 */
    const char *allowed; /* the names that may be there, for messages; NULL: those of scripts */
    unsigned references;
};

/* With one reference. */
struct statement *statement_new(enum role role, const struct verb *verb);
struct statement *statement_ref(struct statement *statement);
void statement_unref(void *statement);
/* Words alone, separated by blanks: without a verb. */
struct statement *statement_of_words(const char *text);

void statement_add(struct statement *statement, const char *name);
void statement_put_first(struct statement *statement, const char *name);
/* A word as scripts have it: its name, or name, operator and value. */
void statement_add_word(struct statement *statement, const char *word);
void statement_add_number(struct statement *statement, const char *name, char op, uint64_t number);
void statement_add_text(struct statement *statement, const char *name, const char *text);

/* NULL: there is none of that name. */
const struct verb *verb_find(const char *name);
const char *verb_name(const struct verb *verb);
/* False for those between connections. */
bool verb_has_side(const struct verb *verb);
/* True for the two whose words of MPA are about a startup frame instead of an FPDU. */
bool verb_says_startup(const struct verb *verb);

/*
 * The statements of a script, an array of struct statement * to be freed with g_ptr_array_unref(). NULL with *error
 * (for g_free()), which begins with `name`, when it cannot be read.
 */
GPtrArray *script_parse(const char *name, const char *text, char **error);

#endif
