// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/say/word_value.h"

#include <string.h>

static bool is_hex(const char *text)
{
    size_t n = text ? strlen(text) : 0;

    return text && n % 2 == 0 && strspn(text, "0123456789abcdefABCDEF") == n;
}

bool word_has(const struct word *word, enum word_value value)
{
    switch (value) {
    case ALONE:
        return !word->op;
    case NUMBER:
    case SIGNED:
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

const char *word_value_allows(enum word_value value)
{
    static const char *const allowed[] = {[NO_WORD] = NULL,
                                          [ALONE] = "true, false",
                                          [NUMBER] = "a number",
                                          [SIGNED] = "a number, which may be negative",
                                          [CHANGE] = "N, +N, -N, ^N, &N, |N",
                                          [OCTETS] = "octets in hexadecimal"};

    return allowed[value];
}

bool word_value_add(struct statement *statement, const char *name, enum word_value value, const char *text)
{
    bool changes = value == CHANGE && *text && strchr("+-^&|", *text);
    g_autofree char *word = g_strconcat(name, changes ? "" : "=", text, NULL);

    if (value == ALONE) {
        if (strcmp(text, "true") == 0)
            statement_add(statement, name);
        return strcmp(text, "true") == 0 || strcmp(text, "false") == 0;
    }
    statement_add_word(statement, word);
    return word_has(&g_array_index(statement->words, struct word, statement->words->len - 1), value);
}
