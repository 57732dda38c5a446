// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/core/arena.h"
#include "tests/unit/support/support.h"

#include <stdalign.h>

enum { PIECES = 200 };

/* Each piece is aligned, zero, and its owner's alone. */
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

/* One after the other, and many at a time, from a pool and without. */
static void pieces(void **state)
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

static void pool_has_a_limit(void **state)
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

/* The last one that holds it frees it. */
static void held(void **state)
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

/* Short arrays are pieces of the arena, longer ones are not; what is in them comes along. */
static void arrays(void **state)
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces),
        cmocka_unit_test(pool_has_a_limit),
        cmocka_unit_test(held),
        cmocka_unit_test(arrays),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
