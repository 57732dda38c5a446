// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/suite/result_layout.h"

#include "engine/rdmap_terminate_layout.h"

#include <stdio.h>
#include <string.h>

static const char words[] = "Terminate layer ";

static const char meaning[] = " [meant: ";

/* Appends to the last Terminate named in text what it means, unless an interrupted run that is continued has done so.
 */
static void add_meaning(char **text, const char *layout)
{
    struct rdmap_terminate meant;
    unsigned layer, etype, code;
    const char *at = *text ? g_strrstr(*text, words) : NULL, *name;
    int n = 0;

    if (!at || sscanf(at, "Terminate layer %u type %u code %u%n", &layer, &etype, &code, &n) != 3 || n == 0 ||
        g_str_has_prefix(at + n, meaning) || !rdmap_terminate_meant(layout, layer, etype, code, &meant))
        return;
    name = rdmap_terminate_code_name(meant.layer, meant.etype, meant.code);
    g_autofree char *before = g_strndup(*text, (gsize)(at + n - *text)), *after = g_strdup(at + n);

    g_free(*text);
    *text = g_strdup_printf("%s%slayer %u type %u code %u%s%s]%s", before, meaning, meant.layer, meant.etype,
                            meant.code, name ? ", " : "", name ? name : "", after);
}

void result_layout_explain(struct suite_report *report, const char *layout)
{
    if (!layout)
        return;
    report->layout = g_strdup(layout);
    for (guint i = 0; i < report->results->len; i++) {
        struct case_result *result = g_ptr_array_index(report->results, i);
        bool any = false;

        for (guint k = 0; k < result->steps->len; k++) {
            struct case_step *step = g_ptr_array_index(result->steps, k);

            if (step->ours || !step->caption || !strstr(step->caption, words))
                continue;
            add_meaning(&step->caption, layout);
            any = true;
        }
        if (any && result->actual && !g_str_has_suffix(result->actual, "a Terminate"))
            add_meaning(&result->actual, layout);
    }
}
