// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/speak/say/mpa_words.h"

#include <stdlib.h>
#include <string.h>

/* mpa@OFFSET=N changes an octet; a negative offset counts from the end, and one past the end changes nothing. */
static void change_octet(GByteArray *octets, const struct word *word)
{
    long at = strtol(word->name + strlen("mpa@"), NULL, 0);

    at += at < 0 ? (long)octets->len : 0;
    if (at >= 0 && at < (long)octets->len)
        octets->data[at] = (uint8_t)word_apply(word, octets->data[at]);
}

static bool names_octet(const char *name)
{
    char *end;

    if (!g_str_has_prefix(name, "mpa@"))
        return false;
    strtol(name + strlen("mpa@"), &end, 0);
    return !*end && end != name + strlen("mpa@");
}

GByteArray *word_octets(const struct word *word)
{
    GByteArray *octets = g_byte_array_sized_new(64); /* allocates even for no octets */
    uint8_t octet;

    for (const char *p = word->text; words_octet(p, &octet); p += 2)
        g_byte_array_append(octets, &octet, 1);
    return octets;
}

void frame_put_before(GByteArray *octets, const struct word *word)
{
    g_autoptr(GByteArray) more = word_octets(word);

    g_byte_array_prepend(octets, more->data, more->len);
}

void frame_put_after(GByteArray *octets, const struct word *word)
{
    g_autoptr(GByteArray) more = word_octets(word);

    g_byte_array_append(octets, more->data, more->len);
}

void frame_cut(GByteArray *octets, const struct word *word)
{
    g_byte_array_set_size(octets, octets->len - (guint)MIN(word->number, octets->len));
}

/* NULL: unknown name. */
static const struct frame_word *words_find_word(const char *name, bool startup)
{
    static const struct frame_word octet = {"mpa@", CHANGE, NULL, NULL, change_octet};
    const struct frame_word *known = startup ? startup_words : fpdu_words;

    while (known->name && strcmp(known->name, name) != 0)
        known++;
    return known->name ? known : names_octet(name) ? &octet : NULL;
}

static bool is_hex(const char *text)
{
    size_t n = text ? strlen(text) : 0;

    return text && n % 2 == 0 && strspn(text, "0123456789abcdefABCDEF") == n;
}

static bool word_has(const struct word *word, enum word_value value)
{
    switch (value) {
    case ALONE:
        return !word->op;
    case NUMBER:
        return word->op == '=' && word->is_number;
    case CHANGE:
        return word->op && word->is_number;
    case OCTETS:
        return word->op == '=' && is_hex(word->text);
    case NO_WORD:
        break;
    }
    return false;
}

static enum word_value words_value_of(const char *name, bool startup)
{
    const struct frame_word *known = words_find_word(name, startup);

    return known ? known->value : NO_WORD;
}

/* Makes the word at i the current word if its value has the right form. */
static const struct frame_word *words_apply(struct words *words, unsigned i, struct frame_write *w)
{
    const struct frame_word *known = words_find_word(words->list[i].name, w->startup);

    w->words = words;
    w->word = &words->list[i];
    return known && word_has(w->word, known->value) ? known : NULL;
}

void frame_change(struct words *words, struct frame_write *w)
{
    for (unsigned i = 0; words && i < words->n; i++) {
        const struct frame_word *known = words_apply(words, i, w);

        if (known && known->change)
            known->change(w);
    }
}

void frame_change_octets(struct words *words, struct frame_write *w)
{
    for (unsigned i = 0; words && i < words->n; i++) {
        const struct frame_word *known = words_apply(words, i, w);

        if (known && known->octets)
            known->octets(w);
        else if (known && known->either)
            known->either(w->octets, w->word);
    }
}

bool mpa_take_words(struct words *words, bool startup)
{
    bool any = false;

    for (unsigned i = 0; i < words->n; i++) {
        if (word_has(&words->list[i], words_value_of(words->list[i].name, startup)))
            any = words->used[i] = true;
    }
    return any;
}
