// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/tester/suite/result/result.h"

#include "engine/terminate/terminate_layout.h"

#include <string.h>

static const char words[] = "Terminate layer ";

static const char meaning[] = " [meant: ";

static bool number_after(const char **at, const char *words_before, unsigned *out)
{
    char *end;

    if (!g_str_has_prefix(*at, words_before) || !g_ascii_isdigit((*at)[strlen(words_before)]))
        return false;
    *out = (unsigned)g_ascii_strtoull(*at + strlen(words_before), &end, 10);
    *at = end;
    return true;
}

/*
 * Appends the meaning to the last Terminate named in the text, if the meaning differs from the numbers. An interrupted
 * run that is continued may have appended it already.
 */
static void add_meaning(char **text, const char *layout)
{
    struct rdmap_terminate meant;
    unsigned layer, etype, code;
    const char *at = *text ? g_strrstr(*text, words) : NULL, *name;

    if (!at || !number_after(&at, words, &layer) || !number_after(&at, " type ", &etype) ||
        !number_after(&at, " code ", &code) || g_str_has_prefix(at, meaning) ||
        !rdmap_terminate_meant(layout, layer, etype, code, &meant) ||
        (meant.layer == layer && meant.etype == etype && meant.code == code))
        return;
    name = rdmap_terminate_code_name(meant.layer, meant.etype, meant.code);
    g_autofree char *before = g_strndup(*text, (gsize)(at - *text)), *after = g_strdup(at);

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
