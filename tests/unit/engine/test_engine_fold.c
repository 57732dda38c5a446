// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/fold.h"
#include "tests/unit/support/support.h"

static uint32_t random_count(uint64_t *seed)
{
    static const uint32_t edges[] = {0, 1, 127, 128, 16383, 16384, UINT32_MAX - 1, UINT32_MAX};
    uint64_t random = next_random(seed);

    return random & 1 ? edges[random >> 1 & 7] : (uint32_t)(random >> 32) >> (random >> 1 & 31);
}

/* What is folded comes back, whatever it is. */
static void random_counts(void **state)
{
    struct rule_count counts[RULE_COUNT], back[RULE_COUNT];
    uint64_t seed = 1;

    (void)state;
    for (unsigned round = 0; round < 500; round++) {
        uint64_t sparse = next_random(&seed) % 200 + 1; /* one rule in so many; 1: all */
        struct folded_counts *folded;

        memset(counts, 0, sizeof counts);
        memset(back, 0, sizeof back);
        for (size_t i = 0; i < RULE_COUNT; i++)
            if (next_random(&seed) % sparse == 0)
                counts[i] = (struct rule_count){random_count(&seed), random_count(&seed), random_count(&seed)};
        folded = counts_fold(counts);
        assert_non_null(folded);
        counts_unfold(folded, back);
        counts_free(folded);
        assert_memory_equal(counts, back, sizeof counts);
    }
}

static void nothing_counted(void **state)
{
    struct rule_count counts[RULE_COUNT] = {0}, back[RULE_COUNT] = {0};
    struct folded_counts *folded = counts_fold(counts);

    (void)state;
    assert_non_null(folded);
    counts_unfold(folded, back);
    assert_memory_equal(counts, back, sizeof counts);
    counts_free(folded);
}

/* Adding saturates, as counting does. */
static void unfolding_adds(void **state)
{
    struct rule_count counts[RULE_COUNT] = {0};
    struct folded_counts *folded;

    (void)state;
    counts[0] = (struct rule_count){1, 0, 2};
    counts[RULE_COUNT - 1] = (struct rule_count){UINT32_MAX, 3, 0};
    folded = counts_fold(counts);
    assert_non_null(folded);
    counts_unfold(folded, counts);
    counts_free(folded);
    assert_int_equal(counts[0].passed, 2);
    assert_int_equal(counts[0].inconclusive, 4);
    assert_int_equal(counts[RULE_COUNT - 1].passed, UINT32_MAX);
    assert_int_equal(counts[RULE_COUNT - 1].failed, 6);
    assert_int_equal(counts[1].passed, 0);
}

/* Connections that counted the same share a block, whichever is freed first; a pool that is gone takes none away. */
static void equal_ones_are_one(void **state)
{
    struct rule_count counts[RULE_COUNT] = {0}, back[RULE_COUNT] = {0};
    struct folded_pool pool = {0};
    struct folded_counts *first, *second, *other;

    (void)state;
    counts[3].passed = 5;
    first = counts_pool(&pool, counts_fold(counts));
    second = counts_pool(&pool, counts_fold(counts));
    counts[3].passed = 6;
    other = counts_pool(&pool, counts_fold(counts));
    assert_ptr_equal(first, second);
    assert_ptr_not_equal(first, other);
    counts_free(first);
    folded_pool_free(&pool);
    counts_unfold(second, back);
    assert_int_equal(back[3].passed, 5);
    counts_unfold(other, back);
    assert_int_equal(back[3].passed, 11);
    counts_free(second);
    counts_free(other);
    assert_null(counts_pool(&pool, NULL));
}

/* Wherever in the table they are. */
static void cleared(void **state)
{
    struct rule_count counts[RULE_COUNT] = {0}, none[RULE_COUNT] = {0};

    (void)state;
    for (size_t i = 0; i < RULE_COUNT; i++) {
        counts[i].inconclusive = 1;
        counts[RULE_COUNT - 1 - i].failed = 1;
        counts_clear(counts);
        assert_memory_equal(counts, none, sizeof none);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_counts),      cmocka_unit_test(nothing_counted), cmocka_unit_test(unfolding_adds),
        cmocka_unit_test(equal_ones_are_one), cmocka_unit_test(cleared),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
