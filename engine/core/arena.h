/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The memory of one connection: pieces that live as long as the connection, stored together, and freed together. Each
 * layer that uses an arena holds a reference; the last layer to release it frees it.
 */
#ifndef IWARP_ENGINE_CORE_ARENA_H
#define IWARP_ENGINE_CORE_ARENA_H

#include "engine/core/pages.h"

struct arena;
struct arena_block;

/*
 * Blocks of released arenas, kept for new ones; for hosts with very many connections. Initialise to zero. Used by one
 * thread.
 */
struct arena_pool {
    struct arena_block *free; /* the most recently used first: it may still be in the cache */
    unsigned n;
    struct pages pages;
};

/* NULL when out of memory. pool may be NULL, or must outlive the arena. */
struct arena *arena_new(struct arena_pool *pool);
/* Adds a reference. NULL: returns a new arena without a pool; NULL when out of memory. */
struct arena *arena_hold(struct arena *arena);
void arena_release(struct arena *arena);
/* Holds the arena, or a new one, and returns a zeroed piece for the layer. NULL when out of memory: nothing is held. */
void *arena_enter(struct arena **arena, size_t size);
/* A zeroed piece, aligned for any type, never freed separately. NULL when out of memory. */
void *arena_zeroed(struct arena *arena, size_t size);

/*
 * Like realloc(), for arrays that are short on most connections: a short array is a piece of the arena, and its octets
 * remain in the arena when it grows. Sizes are in octets; array may be NULL, with 0 octets. Call arena_drop() at the
 * end, before the arena is released.
 */
void *arena_resize(struct arena *arena, void *array, size_t size, size_t wanted) __attribute__((cold, noinline));
void arena_drop(void *array, size_t size);
/*
 * Doubles the room of such an array of *size elements; `first` elements if there are none. When out of memory, array
 * and size are unchanged.
 */
void *arena_double(struct arena *arena, void *array, unsigned *size, unsigned first, size_t element)
    __attribute__((cold, noinline));

/* Including the first block, which counts in full if it is from a pool, because the pool's pages may be large. */
size_t arena_size(const struct arena *arena);

/*
 * Parks an arena from a pool: packs its first block (engine/core/packed.h). Nothing in the arena may be read until
 * arena_unpark(), which restores everything at the same addresses. NULL: the arena is unchanged.
 */
struct arena_parked;
struct arena_parked *arena_park(struct arena *arena);
void arena_unpark(struct arena_parked *parked);
/* Like arena_size(), while parked; the same in each run. */
size_t arena_parked_size(const struct arena_parked *parked);

void arena_pool_free(struct arena_pool *pool);

#endif
