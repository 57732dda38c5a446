/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Statements: sender, verb, fields, and deviations from the correct message (listed in script.h). script_parse() makes
 * them from the text of a script, and script_say() carries them out.
 */
#ifndef IWARP_TRAFFIC_SPEAK_SAY_STATEMENT_H
#define IWARP_TRAFFIC_SPEAK_SAY_STATEMENT_H

#include "traffic-gen/speak/say/conversation.h"

enum { WORDS_MAX = 64 };

/* NAME, or NAME with an operator and a value. */
struct word {
    char *name;
    char op;         /* '=', '+', '-', '^', '&', '|'; 0: only a name */
    bool is_number;  /* the value is a number */
    uint64_t number; /* the value, if it is one */
    char *text;      /* the value as written; NULL: none */
};

/* Returns old as the word changes it. */
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

struct verb; /* action or message: verb.h */

struct statement {
    enum role role;
    bool is_of_both; /* names no side */
    const struct verb *verb;
    unsigned times;
    GArray *words;         /* of struct word */
    unsigned line, number; /* place in the text, from 1; line 0: the text is a single statement */
    unsigned references;
};

/* Returns one reference. */
struct statement *statement_new(enum role role, const struct verb *verb);
struct statement *statement_ref(struct statement *statement);
void statement_unref(void *statement);
/* Reads words separated by blanks, without a verb. */
struct statement *statement_of_words(const char *text);

/* A word as written in scripts: name, or name, operator and value. */
void statement_add_word(struct statement *statement, const char *word);

/* An error message with its place: "SOURCE:LINE: " or "SOURCE, statement NUMBER: ". g_free(). */
G_GNUC_PRINTF(4, 5)
char *statement_trouble(const char *source, unsigned line, unsigned number, const char *format, ...);

/* NULL: unknown name. */
const struct verb *verb_find(const char *name);
const char *verb_name(const struct verb *verb);
/* False for verbs between connections. */
bool verb_has_side(const struct verb *verb);
/* Whether the verb may follow a side, or be used without a side. */
bool verb_fits(const struct verb *verb, bool has_side);
/* True for the two verbs whose MPA words are about a start-up frame instead of an FPDU. */
bool verb_says_startup(const struct verb *verb);

/* ", "-separated, for messages; verbs with a side, or the others. */
void verb_append_names(GString *names, bool has_side);

enum {
    SCRIPT_OCTETS_MAX = 1 << 20,    /* most octets of a script's text */
    SCRIPT_STATEMENTS_MAX = 100000, /* with all repetitions */
};

/*
 * The statements of a script, an array of struct statement *, for g_ptr_array_unref(). NULL with *error (for g_free()),
 * which begins with `name`, when the script cannot be read.
 */
GPtrArray *script_parse(const char *name, const char *text, char **error);
/* The same for the program's own text: --count, not SCRIPT_STATEMENTS_MAX, limits its statements. */
GPtrArray *script_parse_own(const char *name, const char *text, char **error);
/* The same; `count` is the number for `repeat count`, 0: once; *counted: the script uses `repeat count`. */
GPtrArray *script_parse_counted(const char *name, const char *text, unsigned count, bool *counted, char **error);

#endif
