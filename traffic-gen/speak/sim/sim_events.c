// SPDX-License-Identifier: GPL-2.0-or-later
/* Events of the simulated network: a binary heap. */
#include "traffic-gen/speak/sim/sim_internal.h"

static bool events_earlier(const struct event *a, const struct event *b)
{
    return a->time != b->time ? a->time < b->time : a->serial < b->serial;
}

void sim_schedule(struct sim *sim, struct event event)
{
    event.serial = sim->serial++;
    g_array_append_val(sim->heap, event);

    struct event *heap = (struct event *)(void *)sim->heap->data;

    for (unsigned i = sim->heap->len - 1; i > 0 && events_earlier(&heap[i], &heap[(i - 1) / 2]); i = (i - 1) / 2) {
        struct event swapped = heap[i];

        heap[i] = heap[(i - 1) / 2];
        heap[(i - 1) / 2] = swapped;
    }
}

struct event sim_take_first(struct sim *sim)
{
    struct event *heap = (struct event *)(void *)sim->heap->data;
    struct event first = heap[0];
    unsigned n = sim->heap->len - 1;

    heap[0] = heap[n];
    g_array_set_size(sim->heap, n);
    for (unsigned i = 0;;) {
        unsigned least = i;

        for (unsigned child = 2 * i + 1; child <= 2 * i + 2 && child < n; child++) {
            if (events_earlier(&heap[child], &heap[least]))
                least = child;
        }
        if (least == i)
            break;

        struct event swapped = heap[i];

        heap[i] = heap[least];
        heap[least] = swapped;
        i = least;
    }
    return first;
}

void sim_unschedule(struct sim *sim, const void *connection)
{
    /* Removing elements disturbs the heap's order: rebuild it. */
    GArray *old = g_array_copy(sim->heap);

    g_array_set_size(sim->heap, 0);
    for (unsigned i = 0; i < old->len; i++) {
        struct event *event = &g_array_index(old, struct event, i);

        if (event->connection == connection)
            sim_event_free(event);
        else
            sim_schedule(sim, *event);
    }
    g_array_unref(old);
}
