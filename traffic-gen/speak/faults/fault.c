// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/speak/faults/fault.h"

#include <string.h>

/* Layers that do not exist on RoCE, by the beginning of their rules' ids. */
static const struct {
    const char *prefix, *layer;
} layers[] = {{"MPA", "MPA"}, {"DDP", "DDP"}, {"RDMAP", "RDMAP"}, {"SEC", "RDMAP"}};

const struct fault *fault_at(unsigned index)
{
    static unsigned n;

    while (n <= index && fault_rows[n].id)
        n++;
    return index < n ? &fault_rows[index] : NULL;
}

static const struct fault *find_own(const char *id)
{
    const struct fault *fault;

    for (unsigned i = 0; (fault = fault_at(i)); i++) {
        if (g_ascii_strcasecmp(fault->id, id) == 0)
            return fault;
    }
    return NULL;
}

const struct fault *fault_find(const char *id)
{
    const struct fault *fault = find_own(id);
    size_t n = strcspn(id, "+/"); /* a suffix after the rule's id */

    for (const struct fault_alias *alias = fault_aliases; alias->id && !fault; alias++) {
        g_auto(GStrv) others = NULL;

        if (strlen(alias->id) != n || g_ascii_strncasecmp(alias->id, id, n) != 0)
            continue;
        others = g_strsplit(alias->others, ",", -1);
        for (unsigned i = 0; others[i] && !fault; i++) {
            g_autofree char *other = g_strconcat(others[i], id + n, NULL);

            fault = find_own(other);
        }
    }
    return fault;
}

const char *fault_layer_below(const struct fault *fault)
{
    for (unsigned i = 0; i < sizeof layers / sizeof layers[0]; i++) {
        if (strncmp(fault->id, layers[i].prefix, strlen(layers[i].prefix)) == 0)
            return layers[i].layer;
    }
    return NULL;
}
