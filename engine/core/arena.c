// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/core/arena.h"

#include "engine/core/heap.h"
#include "engine/core/packed.h"
#include "wire/invariant.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* AddressSanitizer detects an access beyond a piece only if each piece is a separate block. */
#if defined(__SANITIZE_ADDRESS__)
#define PIECES_APART 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define PIECES_APART 1
#endif
#endif

enum {
#ifdef PIECES_APART
    FIRST_ROOM = 0,
    OTHER_ROOM = 0,
#else
    FIRST_ROOM = 4096 - 64,
    OTHER_ROOM = 2048 - 64,
#endif
    POOL_MAX = 32, /* 1.25 MiB */
    SHORT = 512,   /* octets of an array */
    /*
     * A packed block counts as this fraction of its used size, because gaps in structures make its packed size differ
     * between runs. The packed size may be twice as large.
     */
    PARKED_PART = 8,
};

struct arena_block {
    struct arena_block *next;
    uint32_t room, used;
    alignas(max_align_t) uint8_t octets[];
};

struct arena {
    struct arena_pool *pool;
    struct arena_block *first, *latest; /* latest: the block from which pieces are now taken */
    unsigned users;
    size_t grown;
};

static size_t aligned(size_t size)
{
    return (size + alignof(max_align_t) - 1) / alignof(max_align_t) * alignof(max_align_t);
}

static struct arena_block *new_block(size_t room)
{
    struct arena_block *block = heap_get(sizeof *block + room);

    if (block)
        *block = (struct arena_block){.room = (uint32_t)room};
    return block;
}

/* Has room for the layers of a connection with a few messages, and their short arrays. */
static struct arena_block *new_pooled(struct arena_pool *pool)
{
#ifdef PIECES_APART
    (void)pool;
    return new_block(aligned(sizeof(struct arena)));
#else
    struct arena_block *block = pages_take(&pool->pages);

    if (block)
        *block = (struct arena_block){.room = PAGES_BLOCK - sizeof *block};
    return block;
#endif
}

static void free_pooled(struct arena_pool *pool, struct arena_block *block)
{
#ifdef PIECES_APART
    (void)pool;
    free(block);
#else
    pages_give(&pool->pages, block);
#endif
}

static size_t left(const struct arena_block *block)
{
    return block->room - block->used;
}

static bool block_is_sound(const struct arena_block *block)
{
    return block->used <= block->room && block->used % alignof(max_align_t) == 0;
}

/* The pool counts its blocks right. */
static bool pool_is_sound(const struct arena_pool *pool)
{
    return (pool->free != NULL) == (pool->n > 0) && pool->n <= POOL_MAX;
}

static bool arena_is_sound(const struct arena *arena)
{
    return arena->users > 0 && block_is_sound(arena->first) && block_is_sound(arena->latest);
}

static void *arena_take(struct arena_block *block, size_t size)
{
    void *piece = block->octets + block->used;

    block->used += (uint32_t)size;
    INVARIANT(block_is_sound(block));
    INVARIANT((uintptr_t)piece % alignof(max_align_t) == 0);
    return memset(piece, 0, size);
}

static struct arena_block *from_pool(struct arena_pool *pool)
{
    struct arena_block *block = pool->free;

    if (!block)
        return NULL;
    pool->free = block->next;
    pool->n--;
    INVARIANT(pool_is_sound(pool));
    block->next = NULL;
    block->used = 0;
    return block;
}

struct arena *arena_new(struct arena_pool *pool)
{
    size_t size = aligned(sizeof(struct arena));
    struct arena_block *block = pool ? from_pool(pool) : NULL;
    struct arena *arena;

    if (!block)
        block = pool ? new_pooled(pool) : new_block(FIRST_ROOM > size ? FIRST_ROOM : size);
    if (!block)
        return NULL;
    arena = arena_take(block, size);
    *arena = (struct arena){.pool = pool, .first = block, .latest = block, .users = 1};
    INVARIANT(arena_is_sound(arena) && (void *)arena == (void *)block->octets);
    return arena;
}

struct arena *arena_hold(struct arena *arena)
{
    if (!arena)
        return arena_new(NULL);
    arena->users++;
    INVARIANT(arena_is_sound(arena) && arena->users > 1);
    return arena;
}

void arena_release(struct arena *arena)
{
    struct arena_pool *pool;
    struct arena_block *first, *block;

    if (!arena || --arena->users > 0)
        return;
    pool = arena->pool;
    first = arena->first;
    while ((block = first->next)) {
        first->next = block->next;
        free(block);
    }
    if (pool && pool->n < POOL_MAX) {
        first->next = pool->free;
        pool->free = first;
        pool->n++;
    } else if (pool)
        free_pooled(pool, first);
    else
        free(first);
    INVARIANT(!pool || pool_is_sound(pool));
}

void *arena_zeroed(struct arena *arena, size_t size)
{
    struct arena_block *block;

    size = aligned(size);
    if (size <= left(arena->latest))
        return arena_take(arena->latest, size);
    block = new_block(size > OTHER_ROOM ? size : OTHER_ROOM);
    if (!block)
        return NULL;
    block->next = arena->first->next;
    arena->first->next = block;
    arena->grown += block->room;
    if (left(block) - size > left(arena->latest))
        arena->latest = block;
    INVARIANT(left(block) >= size);
    INVARIANT(left(arena->latest) >= left(block) - size); /* the roomier block is in use */
    INVARIANT(arena->grown >= block->room);
    return arena_take(block, size);
}

void *arena_enter(struct arena **arena, size_t size)
{
    void *piece;

    *arena = arena_hold(*arena);
    piece = *arena ? arena_zeroed(*arena, size) : NULL;
    if (!piece)
        arena_release(*arena);
    return piece;
}

void *arena_resize(struct arena *arena, void *array, size_t size, size_t wanted)
{
    void *larger;

    INVARIANT(wanted >= size);
    if (wanted > SHORT)
        arena->grown += wanted - (size > SHORT ? size : 0);
    if (size > SHORT)
        return heap_resize(array, wanted);
    larger = wanted > SHORT ? heap_get(wanted) : arena_zeroed(arena, wanted);
    if (larger && size > 0)
        memcpy(larger, array, size);
    INVARIANT(arena_is_sound(arena));
    return larger;
}

void *arena_double(struct arena *arena, void *array, unsigned *size, unsigned first, size_t element)
{
    unsigned larger = *size == 0 ? first : 2 * *size;
    void *moved = arena_resize(arena, array, *size * element, larger * element);

    if (!moved)
        return array;
    *size = larger;
    return moved;
}

void arena_drop(void *array, size_t size)
{
    if (size > SHORT)
        free(array);
}

size_t arena_size(const struct arena *arena)
{
    const struct arena_block *first = arena->first;

    return sizeof *first + (arena->pool ? first->room : first->used) + arena->grown;
}

/* ---- parking ---- */

struct arena_parked {
    struct arena_block *block;
    size_t size;
    struct packed packed;
};

struct arena_parked *arena_park(struct arena *arena)
{
#ifdef PIECES_APART
    (void)arena;
    return NULL;
#else
    struct arena_block *block = arena->first;
    struct arena_pool *pool = arena->pool;
    struct arena_parked parked = {.block = block}, *kept;
    size_t used;

    if (!pool || !pack(&parked.packed, block, sizeof *block + block->used))
        return NULL;
    used = sizeof *block + block->used;
    parked.size = used / PARKED_PART + arena->grown;
    kept = malloc(sizeof *kept); /* if this fails, the arena is unchanged, and the failure is not noted */
    if (!kept || parked.packed.size > 2 * used / PARKED_PART || !pages_clear(&pool->pages, block)) {
        free(parked.packed.octets);
        free(kept);
        return NULL;
    }
    *kept = parked;
    INVARIANT(kept->packed.of * sizeof(uint64_t) == used);
    INVARIANT(kept->size >= used / PARKED_PART);
    return kept;
#endif
}

void arena_unpark(struct arena_parked *parked)
{
    unpack(&parked->packed, parked->block);
    INVARIANT(block_is_sound(parked->block));
    INVARIANT(((const struct arena *)parked->block->octets)->first == parked->block); /* it is the same arena again */
    free(parked);
}

size_t arena_parked_size(const struct arena_parked *parked)
{
    return parked->size;
}

void arena_pool_free(struct arena_pool *pool)
{
#ifdef PIECES_APART
    struct arena_block *block;

    while ((block = from_pool(pool)))
        free(block);
#endif
    pages_free(&pool->pages);
    *pool = (struct arena_pool){0};
}
