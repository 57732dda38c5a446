// SPDX-License-Identifier: GPL-2.0-or-later
#include "support/tested.h"

#include <inttypes.h>

void tested_begin(struct tested_suite *suite)
{
    *suite = (struct tested_suite){.out = g_string_new(NULL),
                                   .cases = g_array_new(FALSE, FALSE, sizeof(struct tested_case)),
                                   .properties = g_array_new(FALSE, FALSE, sizeof(struct tested_pair)),
                                   .kept = g_ptr_array_new_with_free_func(g_free)};
}

void tested_end(struct tested_suite *suite)
{
    g_string_free(suite->out, TRUE);
    g_array_unref(suite->cases);
    g_array_unref(suite->properties);
    g_ptr_array_unref(suite->kept);
}

const char *tested_keep(struct tested_suite *suite, char *text)
{
    g_ptr_array_add(suite->kept, text);
    return text;
}

void tested_property(struct tested_suite *suite, const char *name, const char *value)
{
    const struct tested_pair property = {name, tested_keep(suite, g_strdup(value))};

    g_array_append_val(suite->properties, property);
}

void tested_property_number(struct tested_suite *suite, const char *name, bool known, uint64_t value)
{
    g_autofree char *text = known ? g_strdup_printf("%" PRIu64, value) : g_strdup("not known");

    tested_property(suite, name, text);
}
