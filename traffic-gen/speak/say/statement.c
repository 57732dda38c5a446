// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/speak/say/statement.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

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

static void add_value(struct statement *statement, char *name, char op, const char *text)
{
    char *end;
    struct word word = {.name = name, .op = op, .text = g_strdup(text)};

    errno = 0;
    word.number = g_ascii_strtoull(text, &end, 0);
    word.is_number = end != text && !*end && errno == 0;
    g_array_append_val(statement->words, word);
}

/* Names may contain '-', and an offset may count from the end: "reply-segs=3", "@-7^16". */
static size_t operator_of(const char *text)
{
    size_t n = *text ? 1 : 0; /* a name is never empty */

    for (; text[n]; n++) {
        if (text[n] == '=')
            break;
        if (text[n - 1] != '@' && strchr("+-^&|", text[n]) && g_ascii_isdigit(text[n + 1]))
            break;
    }
    return n;
}

void statement_add_word(struct statement *statement, const char *text)
{
    size_t n = operator_of(text);

    if (text[n])
        add_value(statement, g_strndup(text, n), text[n], text + n + 1);
    else {
        const struct word word = {.name = g_strdup(text)};

        g_array_append_val(statement->words, word);
    }
}

struct statement *statement_of_words(const char *text)
{
    g_auto(GStrv) list = g_strsplit(text, " ", -1);
    struct statement *statement = statement_new(INITIATOR, NULL);

    for (unsigned i = 0; list[i]; i++)
        statement_add_word(statement, list[i]);
    return statement;
}

char *statement_trouble(const char *source, unsigned line, unsigned number, const char *format, ...)
{
    g_autofree char *what = NULL, *where = NULL;
    char *trouble;
    va_list ap;

    va_start(ap, format);
    what = g_strdup_vprintf(format, ap);
    va_end(ap);
    where = line ? g_strdup_printf("%s:%u", source, line) : g_strdup_printf("%s, statement %u", source, number);
    trouble = g_strdup_printf("%s: %s", where, what);
    for (char *p = trouble; *p; p++) {
        if (g_ascii_iscntrl(*p))
            *p = '?';
    }
    return trouble;
}
