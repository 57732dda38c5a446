/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a word has besides its name, checked where it is not written as in a script. */
#ifndef IWARP_TRAFFIC_SAY_WORD_VALUE_H
#define IWARP_TRAFFIC_SAY_WORD_VALUE_H

#include "traffic-gen/say/statement.h"

/* Nothing, a number that it sets, the same below 0 as well, one that it sets or changes, octets in hexadecimal. */
enum word_value { NO_WORD, ALONE, NUMBER, SIGNED, CHANGE, OCTETS };

bool word_has(const struct word *word, enum word_value value);
/* What there may be, for messages: "true, false", "a number"; NULL for NO_WORD. */
const char *word_value_allows(enum word_value value);
/* The word with such a text: "true", "+4", "0x10"; false when it is no such value. */
bool word_value_add(struct statement *statement, const char *name, enum word_value value, const char *text);

#endif
