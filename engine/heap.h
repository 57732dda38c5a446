/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory for what the engine remembers. It may be refused; whoever asked goes on without, and from then on nothing is
 * found any more: what could not be remembered must not be missed in a capture (engine/verdict.c). The host looks
 * at heap_refused() at the end, and tells that not everything was judged.
 */
#ifndef IWARP_ENGINE_HEAP_H
#define IWARP_ENGINE_HEAP_H

#include <stdbool.h>
#include <stddef.h>

/* As malloc(), calloc() and realloc(); freed by free(). */
void *heap_get(size_t n);
void *heap_zeroed(size_t n, size_t size);
void *heap_resize(void *p, size_t n);

/* Of this process, for good: captures may be judged at the same time, and none of them may forget for another one. */
bool heap_refused(void);

#endif
