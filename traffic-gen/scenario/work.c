// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/scenario/work.h"

static void clear_region(void *p)
{
    g_free(((struct work_region *)p)->name);
}

struct work *work_new(const char *name)
{
    struct work *work = g_new0(struct work, 1);

    work->name = g_strdup(name);
    work->texts = g_string_chunk_new(64);
    for (unsigned role = 0; role < 2; role++) {
        work->regions[role] = g_array_new(FALSE, FALSE, sizeof(struct work_region));
        g_array_set_clear_func(work->regions[role], clear_region);
        work->items[role] = g_array_new(FALSE, FALSE, sizeof(struct work_item));
    }
    work->rounds = g_array_new(FALSE, FALSE, sizeof(struct work_round));
    work->connections = g_array_new(FALSE, FALSE, sizeof(struct work_connection));
    return work;
}

void work_free(struct work *work)
{
    if (!work)
        return;
    for (unsigned role = 0; role < 2; role++) {
        g_array_unref(work->regions[role]);
        g_array_unref(work->items[role]);
    }
    g_array_unref(work->rounds);
    g_array_unref(work->connections);
    g_string_chunk_free(work->texts);
    g_free(work->name);
    g_free(work);
}
