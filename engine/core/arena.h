/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The memory of one connection: pieces that live as long as it does, next to each other, and freed at once. Layers that
 * share an arena each hold it; the last one frees it.
 */
#ifndef IWARP_ENGINE_CORE_ARENA_H
#define IWARP_ENGINE_CORE_ARENA_H

#include "engine/core/pages.h"

struct arena;
struct arena_block;

/* What arenas leave for those made later; for hosts of very many connections. To begin with zero. One thread's. */
struct arena_pool {
    struct arena_block *free; /* the one used last first: it may still be in the cache */
    unsigned n;
    struct pages pages;
};

/* NULL when memory is lacking. pool may be NULL, or must outlive the arena. */
struct arena *arena_new(struct arena_pool *pool);
/* The arena, held once more. NULL: a new one, without a pool; NULL when memory is lacking. */
struct arena *arena_hold(struct arena *arena);
void arena_release(struct arena *arena);
/* Zeroed, aligned for anything, and never freed by itself. NULL when memory is lacking. */
void *arena_zeroed(struct arena *arena, size_t size);

/*
 * As realloc(), for arrays that are short on most connections: what is short is a piece of the arena, and stays there
 * when the array grows. Sizes are in octets; array may be NULL, of 0 octets. In the end arena_drop(), before the arena.
 */
void *arena_resize(struct arena *arena, void *array, size_t size, size_t wanted) __attribute__((cold, noinline));
void arena_drop(void *array, size_t size);

/* Octets beyond the first block, arrays that are not short included: as many as there ever were. */
size_t arena_grown(const struct arena *arena);
/* With the first block, of which a pool's counts whole, since its pages may be large. */
size_t arena_size(const struct arena *arena);

/*
 * Puts the first block of an arena of a pool aside, packed (engine/core/packed.h). Nothing in the arena may be looked
 * at before arena_unpark(), which takes everything back to where it was. NULL: the arena stays as it is.
 */
struct arena_parked;
struct arena_parked *arena_park(struct arena *arena);
void arena_unpark(struct arena_parked *parked);
/* As arena_size(), while parked; the same in each run. */
size_t arena_parked_size(const struct arena_parked *parked);

void arena_pool_free(struct arena_pool *pool);

#endif
