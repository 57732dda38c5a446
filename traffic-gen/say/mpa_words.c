// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/say/mpa_words.h"

#include <stdlib.h>
#include <string.h>

/* mpa@OFFSET=N, a negative one from the end; past it nothing is changed. */
void frame_change_octet(GByteArray *octets, const struct word *word)
{
    long at = strtol(word->name + strlen("mpa@"), NULL, 0);

    at += at < 0 ? (long)octets->len : 0;
    if (at >= 0 && at < (long)octets->len)
        octets->data[at] = (uint8_t)word_apply(word, octets->data[at]);
}

bool word_is_octet(const struct word *word)
{
    char *end;

    if (!g_str_has_prefix(word->name, "mpa@") || !word->is_number)
        return false;
    strtol(word->name + strlen("mpa@"), &end, 0);
    return !*end && end != word->name + strlen("mpa@");
}

GByteArray *word_octets(const struct word *word)
{
    GByteArray *octets = g_byte_array_sized_new(64); /* so that there is memory even for none */
    uint8_t octet;

    for (const char *p = word->text; words_octet(p, &octet); p += 2)
        g_byte_array_append(octets, &octet, 1);
    return octets;
}

bool word_has(const struct word *word, enum mpa_value value)
{
    size_t n = word->text ? strlen(word->text) : 0;

    return value == ALONE ? !word->op
           : value == NUMBER
               ? word->op && word->is_number
               : word->op == '=' && word->text && n % 2 == 0 && strspn(word->text, "0123456789abcdefABCDEF") == n;
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

bool mpa_take_words(struct words *words, bool startup)
{
    bool any = false;

    for (unsigned i = 0; i < words->n; i++) {
        if (startup ? startup_word_is_known(&words->list[i]) : fpdu_word_is_known(&words->list[i]))
            any = words->used[i] = true;
    }
    return any;
}
