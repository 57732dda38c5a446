// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/core/arena.h"

#include "engine/core/heap.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* AddressSanitizer sees an access beyond a piece if the piece is a block by itself. */
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
    POOLED_ROOM = 0,
    OTHER_ROOM = 0,
#else
    FIRST_ROOM = 4096 - 64,
    POOLED_ROOM = 20480 - 64, /* the layers of a connection with a few messages, and their short arrays */
    OTHER_ROOM = 2048 - 64,
#endif
    POOL_MAX = 32, /* 640 KiB */
    SHORT = 512,   /* octets of an array */
};

struct arena_block {
    struct arena_block *next;
    uint32_t room, used;
    alignas(max_align_t) uint8_t octets[];
};

struct arena {
    struct arena_pool *pool;
    struct arena_block *first, *latest; /* latest: those after the first, from which pieces are taken; or the first */
    unsigned users;
    size_t grown;
};

static struct arena_block *new_block(size_t room)
{
    struct arena_block *block = heap_get(sizeof *block + room);

    if (block)
        *block = (struct arena_block){.room = (uint32_t)room};
    return block;
}

static size_t aligned(size_t size)
{
    return (size + alignof(max_align_t) - 1) / alignof(max_align_t) * alignof(max_align_t);
}

static size_t left(const struct arena_block *block)
{
    return block->room - block->used;
}

static void *take(struct arena_block *block, size_t size)
{
    void *piece = block->octets + block->used;

    block->used += (uint32_t)size;
    return memset(piece, 0, size);
}

static struct arena_block *from_pool(struct arena_pool *pool)
{
    struct arena_block *block = pool->free;

    if (!block)
        return NULL;
    pool->free = block->next;
    pool->n--;
    block->next = NULL;
    block->used = 0;
    return block;
}

static void to_pool(struct arena_pool *pool, struct arena_block *block)
{
    block->next = pool->free;
    pool->free = block;
    pool->n++;
}

struct arena *arena_new(struct arena_pool *pool)
{
    size_t size = aligned(sizeof(struct arena)), room = pool ? POOLED_ROOM : FIRST_ROOM;
    struct arena_block *block = pool ? from_pool(pool) : NULL;
    struct arena *arena;

    if (!block)
        block = new_block(room > size ? room : size);
    if (!block)
        return NULL;
    arena = take(block, size);
    *arena = (struct arena){.pool = pool, .first = block, .latest = block, .users = 1};
    return arena;
}

struct arena *arena_hold(struct arena *arena)
{
    if (!arena)
        return arena_new(NULL);
    arena->users++;
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
    if (pool && pool->n < POOL_MAX)
        to_pool(pool, first);
    else
        free(first);
}

void *arena_zeroed(struct arena *arena, size_t size)
{
    struct arena_block *block;

    size = aligned(size);
    if (size <= left(arena->latest))
        return take(arena->latest, size);
    block = new_block(size > OTHER_ROOM ? size : OTHER_ROOM);
    if (!block)
        return NULL;
    block->next = arena->first->next;
    arena->first->next = block;
    arena->grown += OTHER_ROOM;
    if (left(block) - size > left(arena->latest))
        arena->latest = block;
    return take(block, size);
}

void *arena_resize(struct arena *arena, void *array, size_t size, size_t wanted)
{
    void *larger;

    if (wanted > SHORT)
        arena->grown += wanted - (size > SHORT ? size : 0);
    if (size > SHORT)
        return heap_resize(array, wanted);
    larger = wanted > SHORT ? heap_get(wanted) : arena_zeroed(arena, wanted);
    if (larger && size > 0)
        memcpy(larger, array, size);
    return larger;
}

void arena_drop(void *array, size_t size)
{
    if (size > SHORT)
        free(array);
}

size_t arena_grown(const struct arena *arena)
{
    return arena->grown;
}

void arena_pool_free(struct arena_pool *pool)
{
    struct arena_block *block;

    while ((block = from_pool(pool)))
        free(block);
}
