// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/core/heap.h"

#include "wire/invariant.h"

#include <stdatomic.h>
#include <stdlib.h>

enum { ROOM_FIRST = 4 };

static _Thread_local struct heap own;
static _Thread_local struct heap *used; /* NULL: own */

static struct heap *in_use(void)
{
    return used ? used : &own;
}

static void *heap_note(void *p)
{
    if (!p)
        atomic_store_explicit(&in_use()->refused, true, memory_order_relaxed);
    INVARIANT(p || heap_refused());
    return p;
}

void heap_use(struct heap *heap)
{
    used = heap;
}

void *heap_get(size_t n)
{
    return heap_note(malloc(n ? n : 1));
}

void *heap_zeroed(size_t n, size_t size)
{
    return heap_note(calloc(n ? n : 1, size ? size : 1));
}

void *heap_resize(void *p, size_t n)
{
    return heap_note(realloc(p, n ? n : 1));
}

void *heap_room(void *array, unsigned *size, unsigned n, unsigned most, size_t element)
{
    unsigned larger = *size == 0 ? ROOM_FIRST : *size;
    void *moved;

    if (n <= *size)
        return array;
    if (n > most)
        return NULL;
    while (larger < n)
        larger = larger > most / 2 ? most : 2 * larger;
    moved = heap_resize(array, larger * element);
    if (moved)
        *size = larger;
    INVARIANT(!moved || (*size >= n && (*size <= most || *size == ROOM_FIRST)));
    return moved;
}

bool heap_refused(void)
{
    return atomic_load_explicit(&in_use()->refused, memory_order_relaxed);
}
