// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads the rows of mutants. */
#include "traffic-gen/mutants/mutant.h"

#include <stdlib.h>
#include <string.h>

/* Words of `when`: an event, and what must hold of it besides. */
static const struct event_word {
    const char *name;
    enum mutant_event event;
    const char *tests;
} event_words[] = {
    {"frame", ON_FRAME, ""},
    {"fpdu", ON_FPDU, ""},
    {"ulpdu", ON_ULPDU, ""},
    {"write", ON_ULPDU, "!error op=0"},
    {"read", ON_ULPDU, "!error op=1"},
    {"answer", ON_ULPDU, "!error op=2"},
    {"send", ON_ULPDU, "!error op=3"},
    {"send-se", ON_ULPDU, "!error op=5"},
    {"term", ON_ULPDU, "!error op=7"},
    {"imm", ON_ULPDU, "!error op=8"},
    {"atomic", ON_ULPDU, "!error op=10 len>=52"},
    {"message", ON_MESSAGE, ""},
    {"call", ON_MESSAGE, "sound call"},
    {"reply", ON_MESSAGE, "sound !call"},
    {"private-data", ON_PRIVATE_DATA, ""},
    {"received", ON_RECEIVED, ""},
    {"tick", ON_TICK, ""},
    {"own-frame", ON_OWN_FRAME, ""},
    {"own-fpdu", ON_OWN_FPDU, ""},
    {"own-octets", ON_OWN_OCTETS, ""},
    {"own-term", ON_OWN_TERM, ""},
    {"own-result", ON_OWN_RESULT, ""},
    {"own-header", ON_OWN_HEADER, ""},
    {"own-send", ON_OWN_SEND, ""},
    {"work", ON_WORK, ""},
    {"close", ON_CLOSE, ""},
};

static const char *const setup_words[] = {"no-crc",    "markers",   "mulpdu",  "a",          "rtr",
                                          "data",      "keep-open", "patient", "accept-all", "no-invalidation",
                                          "long-calls"};

struct reader {
    const char *source;
    unsigned line;
    char **error;
};

static bool row_refuse(const struct reader *reader, const char *word)
{
    *reader->error = g_strdup_printf("%s:%u: cannot read '%s' (see: mutants/mutant.h)", reader->source, reader->line,
                                     word ? word : "the end of the line");
    return false;
}

/* ---- conditions ---- */

static void clear_test(void *p)
{
    struct mutant_test *test = p;

    g_free(test->name);
    g_free(test->text);
}

static bool row_is_number(const char *text, uint64_t *number)
{
    unsigned layer, etype, code;
    const char *rest = words_match(text, "%/%/%", &layer, &etype, &code);
    char *end;

    if (rest && !*rest) {
        *number = layer << 12 | etype << 8 | code;
        return true;
    }
    *number = g_ascii_strtoull(text, &end, 0);
    return end != text && !*end;
}

static bool row_is_known(const char *name)
{
    uint64_t value;

    return scene_has(name) || scene_octets_at(NULL, name, &value) || strcmp(name, "nth") == 0 ||
           strcmp(name, "key") == 0;
}

static bool read_value(struct mutant_test *test, const char *value)
{
    if (row_is_number(value, &test->number) || scene_constant(value, &test->number))
        return true;
    test->text = g_strdup(value);
    return strcmp(test->name, "key") == 0 || scene_has(value);
}

static bool read_test(const struct reader *reader, GArray *tests, const char *word)
{
    struct mutant_test test = {.negated = word[0] == '!'};
    const char *name = word + test.negated;
    size_t n = strcspn(name, "=!<>&"), op = strspn(name + n, "=!<>&");

    test.name = g_strndup(name, n);
    memcpy(test.op, name + n, MIN(op, sizeof test.op - 1));
    g_array_append_val(tests, test);
    if (op >= sizeof test.op || !row_is_known(test.name))
        return row_refuse(reader, word);
    return op == 0 || read_value(&g_array_index(tests, struct mutant_test, tests->len - 1), name + n + op) ||
           row_refuse(reader, word);
}

static bool read_tests(const struct reader *reader, GArray *tests, char **words, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        if (!read_test(reader, tests, words[i]))
            return false;
    }
    return true;
}

/* ---- statements ---- */

static void clear_statement(void *p)
{
    statement_unref(((struct mutant_statement *)p)->words);
}

static bool has_word(const char *words, const char *name)
{
    g_auto(GStrv) list = g_strsplit(words, " ", -1);

    return g_strv_contains((const char *const *)list, name);
}

static bool may_have(const struct mutant_statement *statement, const struct word *word)
{
    bool has_value = word->is_number || (word->text && scene_has(word->text));

    if (!statement->say)
        return word->op && scene_has(word->name) && has_value;
    return has_word(statement->say->words, word->op ? word->name : "*");
}

static bool row_read_statement(const struct reader *reader, GArray *statements, char **words, unsigned n)
{
    struct mutant_statement statement = {.say = n > 0 ? mutant_say_find(words[0]) : NULL,
                                         .words = statement_new(INITIATOR, NULL)};

    g_array_append_val(statements, statement);
    for (unsigned i = statement.say != NULL; i < n; i++) {
        statement_add_word(statement.words, words[i]);
        if (!may_have(&statement, &g_array_index(statement.words->words, struct word, statement.words->words->len - 1)))
            return row_refuse(reader, words[i]);
    }
    return n > 0 || row_refuse(reader, NULL);
}

/* Parted by "and". */
static bool row_read_statements(const struct reader *reader, GArray *statements, char **words)
{
    unsigned begin = 0;

    for (unsigned i = 0;; i++) {
        if (words[i] && strcmp(words[i], "and") != 0)
            continue;
        if (!row_read_statement(reader, statements, words + begin, i - begin))
            return false;
        if (!words[i])
            return true;
        begin = i + 1;
    }
}

/* ---- clauses ---- */

static void clear_clause(void *p)
{
    struct mutant_clause *clause = p;

    g_array_unref(clause->tests);
    g_array_unref(clause->statements);
}

static GArray *row_array_of(guint size, GDestroyNotify clear)
{
    GArray *array = g_array_new(FALSE, TRUE, size);

    g_array_set_clear_func(array, clear);
    return array;
}

static const struct event_word *row_find_event(const char *name)
{
    for (unsigned i = 0; name && i < G_N_ELEMENTS(event_words); i++) {
        if (strcmp(event_words[i].name, name) == 0)
            return &event_words[i];
    }
    return NULL;
}

/* The words after "when". */
static bool read_when(const struct reader *reader, struct misbehaviour *row, char **words)
{
    const struct event_word *event = row_find_event(words[0]);
    struct mutant_clause clause = {.tests = row_array_of(sizeof(struct mutant_test), clear_test),
                                   .statements = row_array_of(sizeof(struct mutant_statement), clear_statement)};
    g_auto(GStrv) implied = g_strsplit(event ? event->tests : "", " ", 0);
    unsigned n = 1;

    clause.event = event ? event->event : ON_CLOSE;
    g_array_append_val(row->clauses, clause);
    if (!event || row->clauses->len > MUTANT_CLAUSES_MAX)
        return row_refuse(reader, words[0]);
    while (words[n] && strcmp(words[n], "do") != 0)
        n++;
    if (!words[n])
        return row_refuse(reader, NULL);
    return read_tests(reader, clause.tests, implied, g_strv_length(implied)) &&
           read_tests(reader, clause.tests, words + 1, n - 1) &&
           row_read_statements(reader, clause.statements, words + n + 1);
}

static bool read_with(const struct reader *reader, struct misbehaviour *row, char **words)
{
    row->setup = row->setup ? row->setup : statement_new(INITIATOR, NULL);
    for (unsigned i = 0; words[i]; i++) {
        g_autofree char *name = g_strndup(words[i], strcspn(words[i], "="));
        bool known = false;

        for (unsigned k = 0; k < G_N_ELEMENTS(setup_words); k++)
            known |= strcmp(setup_words[k], name) == 0;
        if (!known)
            return row_refuse(reader, words[i]);
        statement_add_word(row->setup, words[i]);
    }
    return true;
}

/* ---- rows ---- */

void mutant_row_free(void *p)
{
    struct misbehaviour *row = p;

    g_free(row->id);
    g_free(row->what);
    if (row->setup)
        statement_unref(row->setup);
    g_array_unref(row->clauses);
    g_free(row);
}

static bool read_roles(const char *word, unsigned *roles)
{
    if (g_strcmp0(word, "both") == 0)
        *roles = DUT_ANY;
    else if (g_strcmp0(word, "responder") == 0)
        *roles = DUT_RESPONDER;
    else if (g_strcmp0(word, "initiator") == 0)
        *roles = DUT_INITIATOR;
    else
        return false;
    return true;
}

static bool row_read_head(const struct reader *reader, GPtrArray *rows, char **words)
{
    struct misbehaviour *row = g_new0(struct misbehaviour, 1);

    g_ptr_array_add(rows, row);
    row->id = g_strdup(words[0]);
    row->clauses = row_array_of(sizeof(struct mutant_clause), clear_clause);
    if (!read_roles(words[1], &row->roles))
        return row_refuse(reader, words[1]);
    row->what = g_strjoinv(" ", words + 2);
    return true;
}

/* What is between blanks, without empty words. */
static char **words_in(const char *line)
{
    char **words = g_strsplit(line, " ", 0);
    unsigned n = 0;

    for (unsigned i = 0; words[i]; i++) {
        if (*words[i])
            words[n++] = words[i];
        else
            g_free(words[i]);
    }
    words[n] = NULL;
    return words;
}

static bool read_line(const struct reader *reader, GPtrArray *rows, const char *line)
{
    g_auto(GStrv) words = words_in(line);
    struct misbehaviour *row = rows->len > 0 ? rows->pdata[rows->len - 1] : NULL;

    if (!words[0] || words[0][0] == '#')
        return true;
    if (line[0] != ' ')
        return row_read_head(reader, rows, words);
    if (row && strcmp(words[0], "when") == 0)
        return read_when(reader, row, words + 1);
    if (row && strcmp(words[0], "with") == 0)
        return read_with(reader, row, words + 1);
    return row_refuse(reader, words[0]);
}

bool mutants_parse(GPtrArray *rows, const char *source, const char *text, char **error)
{
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);

    for (unsigned i = 0; lines[i]; i++) {
        if (!read_line(&(struct reader){source, i + 1, error}, rows, lines[i]))
            return false;
    }
    return true;
}
