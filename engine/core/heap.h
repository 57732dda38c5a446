/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory for the engine's state. It may be refused: the caller carries on without it, and from then on the engine
 * reports no more findings, because what it could not remember must not be missed in a capture (engine/core/verdict.c).
 * The host checks heap_refused() at the end and reports that not everything was judged.
 */
#ifndef IWARP_ENGINE_CORE_HEAP_H
#define IWARP_ENGINE_CORE_HEAP_H

#include <stdbool.h>
#include <stddef.h>

/* As malloc(), calloc() and realloc(); freed by free(). */
void *heap_get(size_t n);
void *heap_zeroed(size_t n, size_t size);
void *heap_resize(void *p, size_t n);
/*
 * The array, which may have moved, with room for at least n elements, *size of them now; it doubles. NULL, and the
 * array as it was, when n exceeds `most`, or memory is refused.
 */
void *heap_room(void *array, unsigned *size, unsigned n, unsigned most, size_t element);

/* What a host judges together: a capture, a file open in Wireshark. Zero to begin with. Threads may share one. */
struct heap {
    _Atomic bool refused; /* for good */
};

/* Refusals that this thread meets from now on are of this heap, which outlives its use; NULL: of one of the thread. */
void heap_use(struct heap *heap);
/* Has the heap in use refused memory? */
bool heap_refused(void);

#endif
