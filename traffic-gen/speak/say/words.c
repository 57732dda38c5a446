// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/speak/say/words.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

struct words words_of(const struct statement *statement, const char *source, char **error)
{
    return (struct words){.statement = statement,
                          .list = (const struct word *)(void *)statement->words->data,
                          .n = MIN(statement->words->len, WORDS_MAX),
                          .source = source,
                          .error = error};
}

bool words_refuse(const struct words *words, const char *word)
{
    const struct statement *s = words->statement;

    if (!*words->error)
        *words->error =
            statement_trouble(words->source, s->line, s->number, "cannot read '%s' (see: man iwarp-scenario)", word);
    return false;
}

bool words_refuse_because(const struct words *words, const char *word, const char *why)
{
    const struct statement *s = words->statement;

    if (!*words->error)
        *words->error =
            statement_trouble(words->source, s->line, s->number, "'%s' cannot be carried out: %s", word, why);
    return false;
}

bool words_in_range(const struct words *words, const char *word, uint64_t number, uint64_t min, uint64_t max)
{
    g_autofree char *why = g_strdup_printf("it is not from %" PRIu64 " to %" PRIu64, min, max);

    return (min <= number && number <= max) || words_refuse_because(words, word, why);
}

static char *word_as_written(const struct word *word)
{
    return word->op ? g_strdup_printf("%s%c%s", word->name, word->op, word->text) : g_strdup(word->name);
}

static bool words_refuse_at(const struct words *words, unsigned index)
{
    g_autofree char *text = word_as_written(&words->list[index]);

    return words_refuse(words, text);
}

char *words_first_as_written(struct words *words)
{
    if (words->n == 0 || words->list[0].op == '=')
        return NULL;
    words->used[0] = true;
    return word_as_written(&words->list[0]);
}

const char *words_first(struct words *words)
{
    if (words->n == 0 || words->list[0].op)
        return NULL;
    words->used[0] = true;
    return words->list[0].name;
}

/* The first word with this name and operator, which counts. */
static const struct word *say_words_find_word(struct words *words, const char *name, char op)
{
    const struct word *found = NULL;

    for (unsigned i = 0; i < words->n; i++) {
        if (words->list[i].op != op || strcmp(words->list[i].name, name) != 0)
            continue;
        words->used[i] = true;
        if (!found)
            found = &words->list[i];
    }
    return found;
}

bool words_have(struct words *words, const char *name)
{
    return say_words_find_word(words, name, 0) != NULL;
}

bool words_given(struct words *words, const char *name)
{
    return say_words_find_word(words, name, '=') != NULL;
}

const char *words_value(struct words *words, const char *name)
{
    const struct word *word = say_words_find_word(words, name, '=');

    return word ? word->text : NULL;
}

uint64_t words_number(struct words *words, const char *name, uint64_t otherwise)
{
    const struct word *word = say_words_find_word(words, name, '=');

    if (!word)
        return otherwise;
    if (!word->is_number)
        words_refuse(words, word->text);
    return word->is_number ? word->number : 0;
}

uint64_t words_number_within(struct words *words, const char *name, uint64_t otherwise, uint64_t min, uint64_t max)
{
    uint64_t number = words_number(words, name, otherwise);

    if (words_given(words, name))
        words_in_range(words, name, number, min, max);
    return number;
}

static bool wait_in_units(struct words *words, const char *name, int64_t unit, int64_t *ns)
{
    static const int64_t hour = 3600 * INT64_C(1000000000);
    uint64_t n = words_number_within(words, name, 0, 0, (uint64_t)(hour / unit));

    if (!words_given(words, name) || !words_good(words))
        return false;
    *ns = (int64_t)n * unit;
    return true;
}

bool words_wait(struct words *words, int64_t *ns)
{
    bool said = wait_in_units(words, "wait", 1000000, ns);

    return wait_in_units(words, "wait-us", 1000, ns) || said;
}

uint64_t words_parse_number(const struct words *words, const char *value)
{
    char *end;
    uint64_t number = g_ascii_strtoull(value, &end, 0);

    if (!*end && end != value)
        return number;
    words_refuse(words, value);
    return 0;
}

static const char *match_number(const char *text, unsigned base, unsigned *number)
{
    char *end;
    guint64 value;

    if (!(base == 16 ? g_ascii_isxdigit(*text) : g_ascii_isdigit(*text))) /* excludes sign and space */
        return NULL;
    value = g_ascii_strtoull(text, &end, base);
    if (value > UINT32_MAX)
        return NULL;
    *number = (unsigned)value;
    return end;
}

const char *words_match(const char *text, const char *pattern, ...)
{
    va_list numbers;

    va_start(numbers, pattern);
    for (; text && *pattern; pattern++) {
        if (*pattern == '#' || *pattern == '%')
            text = match_number(text, *pattern == '#' ? 10 : 16, va_arg(numbers, unsigned *));
        else
            text = *text == *pattern ? text + 1 : NULL;
    }
    va_end(numbers);
    return text;
}

unsigned words_terminate(struct words *words, const char *verb)
{
    unsigned layer, etype, code;
    const char *word = words_first(words);
    const char *rest = words_match(word, "%/%/%", &layer, &etype, &code);

    if (rest && !*rest)
        return layer << 12 | etype << 8 | code;
    words_refuse(words, word ? word : verb);
    return 0;
}

bool words_octet(const char *text, uint8_t *octet)
{
    if (!g_ascii_isxdigit(text[0]) || !g_ascii_isxdigit(text[1]))
        return false;
    *octet = (uint8_t)(g_ascii_xdigit_value(text[0]) << 4 | g_ascii_xdigit_value(text[1]));
    return true;
}

GByteArray *words_octets(const struct words *words, const char *hex)
{
    GByteArray *octets = g_byte_array_sized_new(64); /* allocates even for no octets */
    uint8_t octet;

    for (; *hex; hex += 2) {
        if (!words_octet(hex, &octet)) {
            if (words)
                words_refuse(words, hex);
            break;
        }
        g_byte_array_append(octets, &octet, 1);
    }
    return octets;
}

uint64_t words_get(const struct words_place *place)
{
    switch (place->size) {
    case 1:
        return *(uint8_t *)place->p;
    case 2:
        return *(uint16_t *)place->p;
    case 4:
        return *(uint32_t *)place->p;
    default:
        return *(uint64_t *)place->p;
    }
}

void words_set(const struct words_place *place, uint64_t value)
{
    switch (place->size) {
    case 1:
        *(uint8_t *)place->p = (uint8_t)value;
        break;
    case 2:
        *(uint16_t *)place->p = (uint16_t)value;
        break;
    case 4:
        *(uint32_t *)place->p = (uint32_t)value;
        break;
    default:
        *(uint64_t *)place->p = value;
        break;
    }
}

void words_change(struct words *words, words_find_t find, void *context)
{
    for (unsigned i = 0; i < words->n; i++) {
        const struct word *word = &words->list[i];
        struct words_place place;

        if (!word->op || !word->is_number)
            continue;
        place = find(context, word->name);
        if (!place.p)
            continue;
        words_set(&place, word_apply(word, words_get(&place)));
        words->used[i] = true;
    }
}

bool words_end(const struct words *words)
{
    if (words->statement->words->len > WORDS_MAX && words_good(words))
        words_refuse(words, g_array_index(words->statement->words, struct word, WORDS_MAX).name);
    for (unsigned i = 0; i < words->n && words_good(words); i++) {
        if (!words->used[i])
            words_refuse_at(words, i);
    }
    return words_good(words);
}
