// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/say/words.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const char *stands_at, *allowed_there;

void words_stand_at(const char *place, const char *allowed)
{
    stands_at = place;
    allowed_there = allowed;
}

void words_give_up(const char *text, const char *word)
{
    if (stands_at)
        g_printerr("iwarp-gen: %s: '%s' cannot be carried out here; allowed here: %s\n", stands_at, word,
                   allowed_there);
    else
        g_printerr("iwarp-gen: script '%s': cannot read '%s' (see: man iwarp-gen-script)\n", text, word);
    exit(2);
}

void words_give_up_why(const char *text, const char *word, const char *why)
{
    if (stands_at)
        g_printerr("iwarp-gen: %s: '%s' cannot be carried out here: %s\n", stands_at, word, why);
    else
        g_printerr("iwarp-gen: script '%s': '%s' cannot be carried out: %s\n", text, word, why);
    exit(2);
}

bool words_have(struct words *words, const char *name)
{
    for (unsigned i = 0; i < WORDS_MAX && words->list[i]; i++) {
        if (strcmp(words->list[i], name) == 0)
            return words->used[i] = true;
    }
    return false;
}

const char *words_value(struct words *words, const char *name)
{
    size_t n = strlen(name);

    for (unsigned i = 0; i < WORDS_MAX && words->list[i]; i++) {
        if (strncmp(words->list[i], name, n) == 0 && words->list[i][n] == '=') {
            words->used[i] = true;
            return words->list[i] + n + 1;
        }
    }
    return NULL;
}

uint64_t words_parse_number(const struct words *words, const char *value)
{
    char *end;
    uint64_t number = g_ascii_strtoull(value, &end, 0);

    if (*end || end == value)
        words_give_up(words->text, value);
    return number;
}

static const char *match_number(const char *text, unsigned base, unsigned *number)
{
    char *end;
    guint64 value;

    if (!(base == 16 ? g_ascii_isxdigit(*text) : g_ascii_isdigit(*text))) /* no sign, no space */
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

bool words_octet(const char *text, uint8_t *octet)
{
    if (!g_ascii_isxdigit(text[0]) || !g_ascii_isxdigit(text[1]))
        return false;
    *octet = (uint8_t)(g_ascii_xdigit_value(text[0]) << 4 | g_ascii_xdigit_value(text[1]));
    return true;
}

uint64_t words_number(struct words *words, const char *name, uint64_t otherwise)
{
    const char *value = words_value(words, name);

    return value ? words_parse_number(words, value) : otherwise;
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
    for (unsigned i = 0; i < WORDS_MAX && words->list[i]; i++) {
        const char *word = words->list[i];
        size_t n = strcspn(word, "=+-");
        g_autofree char *name = g_strndup(word, n);
        struct words_place place;
        uint64_t value;

        if (!word[n] || !g_ascii_isdigit(word[n + 1]))
            continue;
        place = find(context, name);
        if (!place.p)
            continue;
        value = words_parse_number(words, word + n + 1);
        words_set(&place, word[n] == '='   ? value
                          : word[n] == '+' ? words_get(&place) + value
                                           : words_get(&place) - value);
        words->used[i] = true;
    }
}

void words_end(const struct words *words)
{
    for (unsigned i = 0; i < WORDS_MAX && words->list[i]; i++) {
        if (!words->used[i])
            words_give_up(words->text, words->list[i]);
    }
    if (g_strv_length(words->list) > WORDS_MAX)
        words_give_up(words->text, words->list[WORDS_MAX]);
}
