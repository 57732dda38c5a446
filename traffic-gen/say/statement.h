/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Statements: who says what, with which fields, and with which deviation from what would be right (script.h lists
 * them). They are made from the text of a script (script_parse()), and carried out by script_say().
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
    char *text;      /* the value as written; NULL: there is none */
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
    bool is_of_both; /* no side is named */
    const struct verb *verb;
    unsigned times;
    GArray *words;         /* of struct word */
    unsigned line, number; /* in the text, from 1; line 0: the text has only one */
    unsigned references;
};

/* With one reference. */
struct statement *statement_new(enum role role, const struct verb *verb);
struct statement *statement_ref(struct statement *statement);
void statement_unref(void *statement);
/* Words alone, separated by blanks: without a verb. */
struct statement *statement_of_words(const char *text);

/* A word as scripts have it: its name, or name, operator and value. */
void statement_add_word(struct statement *statement, const char *word);

/* What is wrong with a statement, after the place of it: "SOURCE:LINE: " or "SOURCE, statement NUMBER: ". g_free(). */
G_GNUC_PRINTF(4, 5)
char *statement_trouble(const char *source, unsigned line, unsigned number, const char *format, ...);

/* NULL: there is none of that name. */
const struct verb *verb_find(const char *name);
const char *verb_name(const struct verb *verb);
/* False for those between connections. */
bool verb_has_side(const struct verb *verb);
/* Whether the verb may follow a side, or be used without a side. */
bool verb_fits(const struct verb *verb, bool has_side);
/* True for the two whose words of MPA are about a startup frame instead of an FPDU. */
bool verb_says_startup(const struct verb *verb);

/* ", "-separated, for messages; of those with a side, or of the others. */
void verb_append_names(GString *names, bool has_side);

enum {
    SCRIPT_OCTETS_MAX = 1 << 20,    /* of the text of a file */
    SCRIPT_STATEMENTS_MAX = 100000, /* with all repetitions */
};

/*
 * The statements of a script, an array of struct statement * to be freed with g_ptr_array_unref(). NULL with *error
 * (for g_free()), which begins with `name`, when it cannot be read.
 */
GPtrArray *script_parse(const char *name, const char *text, char **error);
/* The same for text that the program wrote itself: --count, not SCRIPT_STATEMENTS_MAX, limits its statements. */
GPtrArray *script_parse_own(const char *name, const char *text, char **error);
/* The same; `count`: what `repeat count` means, 0: once; *counted: the script says it. */
GPtrArray *script_parse_counted(const char *name, const char *text, unsigned count, bool *counted, char **error);

#endif
