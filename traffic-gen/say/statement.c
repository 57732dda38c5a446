// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/say/statement.h"

#include <errno.h>
#include <string.h>

enum { TIMES_MAX = 100000 };

static void word_clear(void *p)
{
    struct word *word = p;

    g_free(word->name);
    g_free(word->text);
}

struct statement *statement_new(enum role role, const struct verb *verb)
{
    struct statement *s = g_new0(struct statement, 1);

    s->role = role;
    s->verb = verb;
    s->times = 1;
    s->references = 1;
    s->words = g_array_new(FALSE, FALSE, sizeof(struct word));
    g_array_set_clear_func(s->words, word_clear);
    return s;
}

struct statement *statement_ref(struct statement *statement)
{
    statement->references++;
    return statement;
}

void statement_unref(void *p)
{
    struct statement *statement = p;

    if (--statement->references > 0)
        return;
    g_array_unref(statement->words);
    g_free(statement);
}

void statement_add(struct statement *statement, const char *name)
{
    const struct word word = {.name = g_strdup(name)};

    g_array_append_val(statement->words, word);
}

void statement_put_first(struct statement *statement, const char *name)
{
    const struct word word = {.name = g_strdup(name)};

    g_array_prepend_val(statement->words, word);
}

void statement_add_number(struct statement *statement, const char *name, char op, uint64_t number)
{
    const struct word word = {.name = g_strdup(name), .op = op, .is_number = true, .number = number};

    g_array_append_val(statement->words, word);
}

static void add_value(struct statement *statement, char *name, char op, const char *text)
{
    char *end;
    struct word word = {.name = name, .op = op, .text = g_strdup(text)};

    errno = 0;
    word.number = g_ascii_strtoull(text, &end, 0);
    word.is_number = end != text && !*end && errno == 0;
    g_array_append_val(statement->words, word);
}

void statement_add_text(struct statement *statement, const char *name, const char *text)
{
    add_value(statement, g_strdup(name), '=', text);
}

/* ---- text ---- */

/* Names may have '-' in them, and a place in octets may count from the end: "reply-segs=3", "@-7^16". */
static size_t operator_of(const char *text)
{
    size_t n = 0;

    for (; text[n]; n++) {
        if (text[n] == '=')
            break;
        if (n > 0 && text[n - 1] != '@' && strchr("+-^&|", text[n]) && g_ascii_isdigit(text[n + 1]))
            break;
    }
    return n;
}

void statement_add_word(struct statement *statement, const char *text)
{
    size_t n = operator_of(text);

    if (text[n])
        add_value(statement, g_strndup(text, n), text[n], text + n + 1);
    else
        statement_add(statement, text);
}

struct statement *statement_of_words(const char *text)
{
    g_auto(GStrv) list = g_strsplit(text, " ", -1);
    struct statement *statement = statement_new(INITIATOR, NULL);

    for (unsigned i = 0; list[i]; i++)
        statement_add_word(statement, list[i]);
    return statement;
}

static bool refuse(const char *name, unsigned number, const char *word, char **error)
{
    *error = g_strdup_printf("%s, statement %u: cannot read '%s' (see: man iwarp-gen-script)", name, number, word);
    return false;
}

/* "with", "next", or a side: what all others begin with. Takes the words that it reads. */
static struct statement *begin_statement(char ***words)
{
    enum role role = ***words == 'R' ? RESPONDER : INITIATOR;
    bool has_side = (***words == 'I' || ***words == 'R') && !(**words)[1];
    struct statement *s;
    unsigned times = 1;
    const struct verb *verb;

    if (has_side)
        ++*words;
    if (has_side && **words && g_str_has_suffix(**words, "*")) {
        times = (unsigned)MIN(g_ascii_strtoull(**words, NULL, 10), TIMES_MAX);
        ++*words;
    }
    verb = **words ? verb_find(**words) : NULL;
    if (!verb || has_side != verb_has_side(verb))
        return NULL;
    ++*words;
    s = statement_new(role, verb);
    s->times = times;
    return s;
}

static bool parse_statement(const char *name, const char *text, unsigned number, GPtrArray *statements, char **error)
{
    g_auto(GStrv) parts = g_strsplit_set(text, " \n", -1);
    char **words = parts;
    unsigned n = 0;
    struct statement *s;

    for (unsigned i = 0; parts[i]; i++) {
        char *part = parts[i];

        if (*part)
            parts[n++] = part;
        else
            g_free(part);
    }
    parts[n] = NULL;
    if (n == 0)
        return true;
    s = begin_statement(&words);
    if (!s)
        return refuse(name, number, *words ? *words : parts[0], error);
    g_ptr_array_add(statements, s);
    s->line = number;
    for (; *words; words++)
        statement_add_word(s, *words);
    return s->words->len <= WORDS_MAX || refuse(name, number, parts[n - 1], error);
}

GPtrArray *script_parse(const char *name, const char *text, char **error)
{
    GPtrArray *statements = g_ptr_array_new_with_free_func(statement_unref);
    g_auto(GStrv) parts = g_strsplit(text, ";", -1);

    for (unsigned i = 0; parts[i]; i++) {
        if (!parse_statement(name, parts[i], i + 1, statements, error)) {
            g_ptr_array_unref(statements);
            return NULL;
        }
    }
    return statements;
}
