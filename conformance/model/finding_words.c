// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/model/finding_words.h"

#include <string.h>

static const char before_expected[] = "expected ", before_found[] = "; found ";

static const char *parting(const char *message)
{
    return g_str_has_prefix(message, before_expected) ? strstr(message, before_found) : NULL;
}

const char *finding_found(const char *message)
{
    const char *found = parting(message);

    if (!found)
        return message;
    found += strlen(before_found);
    return g_str_has_prefix(found, "that ") ? found + strlen("that ") : found;
}

gchar *finding_expected(const char *message)
{
    const char *end = parting(message), *begin = message + strlen(before_expected);

    return end ? g_strndup(begin, (gsize)(end - begin)) : NULL;
}
