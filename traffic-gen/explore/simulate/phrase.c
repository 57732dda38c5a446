// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/explore/simulate/phrase.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { PARTS_MAX = 5 };

uint64_t phrase_length(struct phrasing *phrasing)
{
    static const unsigned most[] = {64, 64, 1000, 1000, 3000, 9000};
    uint64_t n = 1 + phrase_below(phrasing, most[phrase_below(phrasing, G_N_ELEMENTS(most))]);

    return phrase_chance(phrasing, 0.3) ? (n + 3) & ~UINT64_C(3) : n;
}

void phrase_append_cut(GString *out, struct phrasing *phrasing, uint64_t octets)
{
    for (unsigned parts = 1 + phrase_below(phrasing, PARTS_MAX); parts > 1 && octets > 1; parts--) {
        uint64_t part = 1 + random_below(&phrasing->random, octets - 1);

        g_string_append_printf(out, "%" PRIu64 "+", part);
        octets -= part;
    }
    g_string_append_printf(out, "%" PRIu64, octets);
}

/* The octets of text before the first of the marks outside of braces, or before its end. */
static size_t before_mark(const char *text, char mark)
{
    unsigned depth = 0;
    size_t n = 0;

    for (; text[n] && (depth > 0 || text[n] != mark); n++)
        depth += (text[n] == '{') - (text[n] == '}');
    return n;
}

/* One of the texts between bars. */
static void append_one_of(GString *out, struct phrasing *phrasing, const char *texts)
{
    unsigned n = 1, chosen;
    g_autofree char *text = NULL;

    for (const char *at = texts; at[before_mark(at, '|')]; n++)
        at += before_mark(at, '|') + 1;
    for (chosen = phrase_below(phrasing, n); chosen > 0; chosen--)
        texts += before_mark(texts, '|') + 1;
    text = g_strndup(texts, before_mark(texts, '|'));
    phrase_append(out, phrasing, text);
}

static void append_number(GString *out, struct phrasing *phrasing, uint64_t number)
{
    phrasing->n = number;
    g_string_append_printf(out, "%" PRIu64, number);
}

/* What stands between braces. */
static void append_choice(GString *out, struct phrasing *phrasing, const char *choice, size_t n)
{
    g_autofree char *word = g_strndup(choice, n);
    char *rest;

    if (word[before_mark(word, '|')])
        append_one_of(out, phrasing, word);
    else if (strcmp(word, "len") == 0)
        append_number(out, phrasing, phrase_length(phrasing));
    else if (strcmp(word, "n") == 0)
        append_number(out, phrasing, phrasing->n);
    else if (strcmp(word, "<n") == 0)
        append_number(out, phrasing, random_below(&phrasing->random, phrasing->n + 1));
    else if (strcmp(word, "any") == 0)
        append_number(out, phrasing, random_next(&phrasing->random));
    else if (strcmp(word, "version") == 0)
        g_string_append(out, phrasing->version);
    else if (strcmp(word, "slot") == 0)
        g_string_append_printf(out, "%u", phrasing->slot);
    else if (g_str_has_prefix(word, "cut"))
        phrase_append_cut(out, phrasing, phrasing->n + strtoull(word + strlen("cut"), NULL, 10));
    else {
        uint64_t least = strtoull(word, &rest, 10), most = strtoull(rest + 1, NULL, 10);

        g_assert(*rest == '-' && most >= least);
        append_number(out, phrasing, least + random_below(&phrasing->random, most - least + 1));
    }
}

void phrase_append(GString *out, struct phrasing *phrasing, const char *template)
{
    for (const char *open; (open = strchr(template, '{'));) {
        size_t n = before_mark(open + 1, '}');

        g_string_append_len(out, template, open - template);
        append_choice(out, phrasing, open + 1, n);
        template = open + 1 + n + 1;
    }
    g_string_append(out, template);
}
