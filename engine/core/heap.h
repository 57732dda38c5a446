/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory for the engine's state. A request may fail: the caller then continues without the memory, and the engine makes
 * no more findings, because forgotten state must not look like something missing in the capture
 * (engine/core/verdict.c). The host checks heap_refused() at the end and reports that not everything was judged.
 */
#ifndef IWARP_ENGINE_CORE_HEAP_H
#define IWARP_ENGINE_CORE_HEAP_H

#include <stdbool.h>
#include <stddef.h>

/* Like malloc(), calloc() and realloc(); freed by free(). */
void *heap_get(size_t n);
void *heap_zeroed(size_t n, size_t size);
void *heap_resize(void *p, size_t n);
/*
 * Returns the array, possibly moved, with room for at least n elements; *size becomes the new capacity, at least
 * doubled. NULL if n exceeds `most`, or when out of memory; the array is then unchanged.
 */
void *heap_room(void *array, unsigned *size, unsigned n, unsigned most, size_t element);

/* The unit that a host judges: a capture, a file open in Wireshark. Initialise to zero. Threads may share one. */
struct heap {
    _Atomic bool refused; /* never reset */
};

/* Sets the heap that notes failed requests of this thread; it must outlive its use. NULL: the thread's own heap. */
void heap_use(struct heap *heap);
/* Whether a request to the heap in use has failed. */
bool heap_refused(void);

#endif
