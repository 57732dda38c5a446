// SPDX-License-Identifier: GPL-2.0-or-later
/* Parses the text of a script into statements: one on each line, or separated by semicolons, some of them in blocks. */
#include "traffic-gen/speak/say/statement.h"

#include <stdarg.h>
#include <string.h>

enum { DEPTH_MAX = 16 };

/* repeat N { ... } */
struct block {
    unsigned first; /* index of its first statement */
    unsigned times;
    unsigned line, number; /* where it begins */
};

struct parsing {
    const char *name;
    GPtrArray *statements;
    unsigned count; /* for `repeat count` */
    bool counted;
    unsigned line, number; /* of the current statement; line 0: there is only one */
    struct block blocks[DEPTH_MAX];
    unsigned depth;
    char *error;
};

G_GNUC_PRINTF(2, 3)
static bool parse_refuse(struct parsing *p, const char *format, ...)
{
    g_autofree char *what = NULL;
    va_list ap;

    va_start(ap, format);
    what = g_strdup_vprintf(format, ap);
    va_end(ap);
    p->error = statement_trouble(p->name, p->line, p->number, "%s", what);
    return false;
}

static bool refuse_verb(struct parsing *p, const char *word, bool has_side)
{
    g_autoptr(GString) names = g_string_new(has_side ? NULL : "I, R, repeat");

    verb_append_names(names, has_side);
    return parse_refuse(p, "cannot read '%s'; allowed here: %s", word, names->str);
}

/* Reads a repeat count in digits up to `end`. False: the count, a part of `word`, is refused. */
static bool parse_times(struct parsing *p, const char *word, const char *end, unsigned *times)
{
    char *rest;
    uint64_t value = g_ascii_strtoull(word, &rest, 10);

    if (!g_ascii_isdigit(*word) || rest != end || value == 0)
        return parse_refuse(p, "cannot read '%s' (see: man iwarp-scenario)", word);
    if (value > SCRIPT_STATEMENTS_MAX)
        return parse_refuse(p, "a count of more than %d", SCRIPT_STATEMENTS_MAX);
    *times = (unsigned)value;
    return true;
}

/* Reads how a statement begins: "with", "next", or a side. Takes the words that it reads; NULL: a word is refused. */
static struct statement *begin_statement(struct parsing *p, char ***words)
{
    const char *first = **words;
    enum role role = *first == 'R' ? RESPONDER : INITIATOR;
    bool has_side = (*first == 'I' || *first == 'R') && !first[1];
    struct statement *s;
    unsigned times = 1;
    const struct verb *verb;

    if (has_side)
        ++*words;
    if (has_side && **words && g_str_has_suffix(**words, "*")) {
        if (!parse_times(p, **words, **words + strlen(**words) - 1, &times))
            return NULL;
        ++*words;
    }
    if (strcmp(first, "repeat") == 0) {
        parse_refuse(p, "after 'repeat N' or 'repeat count' there is '{'");
        return NULL;
    }
    verb = **words ? verb_find(**words) : NULL;
    if (!verb || !verb_fits(verb, has_side)) {
        refuse_verb(p, **words ? **words : first, has_side);
        return NULL;
    }
    ++*words;
    s = statement_new(role, verb);
    s->times = times;
    s->is_of_both = !has_side;
    return s;
}

/* Words alone, NULL-terminated, for g_strfreev(). */
static char **parse_split(const char *text)
{
    char **parts = g_strsplit_set(text, " \t\r\n", -1);
    unsigned n = 0;

    for (unsigned i = 0; parts[i]; i++) {
        char *part = parts[i];

        if (*part)
            parts[n++] = part;
        else
            g_free(part);
    }
    parts[n] = NULL;
    return parts;
}

static bool parse_statement(struct parsing *p, const char *text)
{
    g_auto(GStrv) parts = parse_split(text);
    char **words = parts;
    struct statement *s;

    if (!*words)
        return true;
    s = begin_statement(p, &words);
    if (!s)
        return false;
    g_ptr_array_add(p->statements, s);
    s->line = p->line;
    s->number = p->number;
    for (; *words; words++)
        statement_add_word(s, *words);
    return s->words->len <= WORDS_MAX || parse_refuse(p, "a statement of more than %d words", WORDS_MAX);
}

/* ---- repetitions ---- */

static bool open_block(struct parsing *p, const char *text)
{
    g_auto(GStrv) words = parse_split(text);
    unsigned times = MAX(p->count, 1);
    bool counts;

    if (g_strv_length(words) != 2 || strcmp(words[0], "repeat") != 0)
        return parse_refuse(p, "before '{' there is 'repeat N' or 'repeat count'");
    counts = strcmp(words[1], "count") == 0;
    if (!counts && !parse_times(p, words[1], words[1] + strlen(words[1]), &times))
        return false;
    if (times > SCRIPT_STATEMENTS_MAX)
        return parse_refuse(p, "a count of more than %d", SCRIPT_STATEMENTS_MAX);
    if (p->depth == DEPTH_MAX)
        return parse_refuse(p, "repetitions lie more than %d deep in one another", DEPTH_MAX);
    p->counted |= counts;
    p->blocks[p->depth++] =
        (struct block){.first = p->statements->len, .times = times, .line = p->line, .number = p->number};
    return true;
}

static bool close_block(struct parsing *p)
{
    struct block block;
    uint64_t end;

    if (p->depth == 0)
        return parse_refuse(p, "'}' without '{'");
    block = p->blocks[--p->depth];
    end = block.first + (uint64_t)(p->statements->len - block.first) * block.times;
    if (end > SCRIPT_STATEMENTS_MAX)
        return parse_refuse(p, "more than %d statements, repetitions included", SCRIPT_STATEMENTS_MAX);
    for (unsigned i = block.first; p->statements->len < end; i++)
        g_ptr_array_add(p->statements, statement_ref(p->statements->pdata[i]));
    return true;
}

/* ---- lines ---- */

/* Counts text[0..n) as read. */
static void parse_pass(struct parsing *p, const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++)
        p->line += text[i] == '\n';
}

/* Reads all statements of the line p->line and its continuation lines. */
static bool parse_line(struct parsing *p, char *text)
{
    while (*text) {
        size_t before = strspn(text, " \t\r\n"), n = strcspn(text, ";{}");
        char end = text[n];

        before = MIN(before, n);
        parse_pass(p, text, before);
        text[n] = '\0';
        p->number += before < n; /* an empty statement is skipped */
        if (end == '{' ? !open_block(p, text) : !parse_statement(p, text))
            return false;
        parse_pass(p, text + before, n - before);
        if (end == '}' && !close_block(p))
            return false;
        text += end ? n + 1 : n;
    }
    return true;
}

static bool parse_is_open(const GString *said)
{
    return said->len > 0 && said->str[said->len - 1] != '{';
}

/* A line that is indented deeper continues the statements before it; p->line is the line where they begin. */
static bool parse_lines(struct parsing *p, char **lines)
{
    g_autoptr(GString) said = g_string_new(NULL);
    size_t indent = 0;

    for (unsigned i = 0; lines[i]; i++) {
        char *line = g_strchomp(lines[i]);
        size_t own = strspn(line, " \t");

        if (parse_is_open(said) && (!line[own] || line[own] == '#' || own > indent)) {
            g_string_append_printf(said, "\n%s", line[own] == '#' ? "" : line + own);
            continue;
        }
        if (!line[own] || line[own] == '#')
            continue;
        if (!parse_line(p, said->str))
            return false;
        g_string_assign(said, line + own);
        indent = own;
        p->line = i + 1;
    }
    return parse_line(p, said->str);
}

/* Limits the number of statements, counting all repetitions, also within one statement ("I 3* send"). */
static bool parse_check_number(struct parsing *p)
{
    uint64_t n = 0;

    for (unsigned i = 0; i < p->statements->len; i++) {
        const struct statement *statement = p->statements->pdata[i];

        n += statement->times;
        p->line = statement->line;
        p->number = statement->number;
        if (n > SCRIPT_STATEMENTS_MAX)
            return parse_refuse(p, "more than %d statements, repetitions included", SCRIPT_STATEMENTS_MAX);
    }
    return true;
}

static GPtrArray *parse_text(const char *name, const char *text, unsigned count, bool own, bool *counted, char **error)
{
    GPtrArray *statements = g_ptr_array_new_with_free_func(statement_unref);
    struct parsing p = {.name = name, .statements = statements, .count = count};
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    bool good;

    if (lines[0] && lines[1]) {
        good = parse_lines(&p, lines);
    } else {
        good = !lines[0] || parse_line(&p, lines[0]);
    }
    if (good && p.depth > 0) {
        p.line = p.blocks[p.depth - 1].line;
        p.number = p.blocks[p.depth - 1].number;
        good = parse_refuse(&p, "'{' without '}'");
    }
    good = good && (own || parse_check_number(&p));
    *counted = p.counted;
    if (good)
        return statements;
    *error = p.error;
    g_ptr_array_unref(statements);
    return NULL;
}

GPtrArray *script_parse_counted(const char *name, const char *text, unsigned count, bool *counted, char **error)
{
    return parse_text(name, text, count, false, counted, error);
}

GPtrArray *script_parse(const char *name, const char *text, char **error)
{
    bool counted;

    return parse_text(name, text, 0, false, &counted, error);
}

GPtrArray *script_parse_own(const char *name, const char *text, char **error)
{
    bool counted;

    return parse_text(name, text, 0, true, &counted, error);
}
