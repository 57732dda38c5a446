// SPDX-License-Identifier: GPL-2.0-or-later
/* Code that all suites share; the tables of cases are generated from rules/. */
#include "traffic-gen/tester/suite/talk/suite.h"

#include <glib.h>

char *suite_case_id(const struct suite_case *row)
{
    const char *id = rule_catalogue[row->rule].id;

    if (row->name)
        return g_strdup(row->name);
    return row->suffix ? g_strdup_printf("%s/%s", id, row->suffix) : g_strdup(id);
}
