// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/core/arena.h"
#include "tests/unit/support/support.h"

#include <stdalign.h>

enum { PIECES = 200 };

/* Each piece is aligned, zeroed, and separate. */
static void fill(struct arena *arena, uint64_t *seed)
{
    uint8_t *pieces[PIECES];
    size_t sizes[PIECES];

    for (unsigned i = 0; i < PIECES; i++) {
        sizes[i] = (size_t)(next_random(seed) % (i % 50 == 0 ? 40000 : 700)) + 1;
        pieces[i] = arena_zeroed(arena, sizes[i]);
        assert_non_null(pieces[i]);
        assert_int_equal((uintptr_t)pieces[i] % alignof(max_align_t), 0);
        for (size_t k = 0; k < sizes[i]; k++)
            assert_int_equal(pieces[i][k], 0);
        memset(pieces[i], (int)(i + 1), sizes[i]);
    }
    for (unsigned i = 0; i < PIECES; i++)
        for (size_t k = 0; k < sizes[i]; k++)
            assert_int_equal(pieces[i][k], (uint8_t)(i + 1));
}

/* One at a time, and many at once, with and without a pool. */
UNIT_TEST(pieces)
{
    struct arena_pool pool = {0};
    uint64_t seed = 1;

    for (unsigned round = 0; round < 20; round++) {
        struct arena *arena = arena_new(round % 2 ? &pool : NULL);

        assert_non_null(arena);
        fill(arena, &seed);
        arena_release(arena);
    }
    assert_int_equal(pool.n, 1);
    arena_pool_free(&pool);
    assert_int_equal(pool.n, 0);
}

UNIT_TEST(pool_has_a_limit)
{
    struct arena_pool pool = {0};
    struct arena *arenas[1000];

    for (unsigned i = 0; i < 1000; i++) {
        arenas[i] = arena_new(&pool);
        assert_non_null(arenas[i]);
        assert_non_null(arena_zeroed(arenas[i], 100));
    }
    for (unsigned i = 0; i < 1000; i++)
        arena_release(arenas[i]);
    assert_true(pool.n > 0 && pool.n < 1000);
    arena_pool_free(&pool);
}

/* A piece that was put aside returns unchanged to the same place, and takes less memory meanwhile. */
UNIT_TEST(parked)
{
    struct arena_pool pool = {0};
    struct arena *arenas[40];
    uint64_t *pieces[40][2];

    for (unsigned i = 0; i < 40; i++) {
        arenas[i] = arena_new(&pool);
        assert_non_null(arenas[i]);
        for (unsigned k = 0; k < 2; k++) {
            pieces[i][k] = arena_zeroed(arenas[i], 8000);
            assert_non_null(pieces[i][k]);
            pieces[i][k][0] = UINT64_MAX - i;
            pieces[i][k][7 + k] = i;
            pieces[i][k][999] = (uint64_t)i << 33;
        }
    }
    for (unsigned round = 0; round < 3; round++) {
        struct arena_parked *aside[40];

        for (unsigned i = 0; i < 40; i++) {
            size_t size = arena_size(arenas[i]);

            aside[i] = arena_park(arenas[i]);
            if (!aside[i]) /* each piece is a separate block, for a sanitizer */
                continue;
            assert_true(arena_parked_size(aside[i]) < size / 4);
            assert_int_equal(pieces[i][0][0], 0); /* the memory is not accessible */
        }
        for (unsigned i = 0; i < 40; i++)
            if (aside[i])
                arena_unpark(aside[i]);
        for (unsigned i = 0; i < 40; i++)
            for (unsigned k = 0; k < 2; k++)
                for (unsigned word = 0; word < 1000; word++)
                    assert_int_equal(pieces[i][k][word], word == 0       ? UINT64_MAX - i
                                                         : word == 7 + k ? i
                                                         : word == 999   ? (uint64_t)i << 33
                                                                         : 0);
    }
    for (unsigned i = 0; i < 40; i++)
        arena_release(arenas[i]);
    arena_pool_free(&pool);
}

/* Neither without a pool, nor if it would take nearly as much memory. */
UNIT_TEST(not_parked)
{
    struct arena_pool pool = {0};
    struct arena *alone = arena_new(NULL), *full = arena_new(&pool);
    uint8_t *piece = arena_zeroed(full, 9000);

    assert_non_null(piece);
    memset(piece, 0xA5, 9000);
    assert_null(arena_park(alone));
    assert_null(arena_park(full));
    assert_int_equal(piece[8999], 0xA5);
    arena_release(alone);
    arena_release(full);
    arena_pool_free(&pool);
}

/* The last holder frees it. */
UNIT_TEST(held)
{
    struct arena *arena = arena_hold(NULL);
    uint8_t *piece;

    assert_non_null(arena);
    assert_ptr_equal(arena_hold(arena), arena);
    piece = arena_zeroed(arena, 10);
    assert_non_null(piece);
    arena_release(arena);
    piece[9] = 1;
    arena_release(arena);
    arena_release(NULL);
}

/* Short arrays are pieces of the arena, longer ones are not; contents are kept. */
UNIT_TEST(arrays)
{
    struct arena *arena = arena_new(NULL);
    uint8_t *array = NULL;
    size_t size = 0;

    assert_non_null(arena);
    for (size_t wanted = 1; wanted < 100000; wanted = 2 * wanted + 1) {
        array = arena_resize(arena, array, size, wanted);
        assert_non_null(array);
        for (size_t i = 0; i < size; i++)
            assert_int_equal(array[i], (uint8_t)(i * 7));
        for (size_t i = 0; i < wanted; i++)
            array[i] = (uint8_t)(i * 7);
        size = wanted;
    }
    arena_drop(array, size);
    arena_drop(arena_resize(arena, NULL, 0, 10), 10);
    arena_drop(NULL, 0);
    arena_release(arena);
}
