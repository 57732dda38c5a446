// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/core/fold.h"
#include "tests/unit/support/support.h"

static uint32_t random_count(uint64_t *seed)
{
    static const uint32_t edges[] = {0, 1, 127, 128, 16383, 16384, UINT32_MAX - 1, UINT32_MAX};
    uint64_t random = next_random(seed);

    return random & 1 ? edges[random >> 1 & 7] : (uint32_t)(random >> 32) >> (random >> 1 & 31);
}

/* Folded counts are restored unchanged, and leave their old place. */
UNIT_TEST(random_counts)
{
    static const struct rule_counts none;
    struct rule_counts counts = {0}, copy, back;
    uint64_t seed = 1;

    for (unsigned round = 0; round < 500; round++) {
        uint64_t sparse = next_random(&seed) % 200 + 1; /* one rule in so many; 1: all */
        struct folded_counts *folded;

        for (size_t i = 0; i < RULE_COUNTERS; i++) {
            struct rule_count count = {0};

            if (next_random(&seed) % sparse != 0)
                continue;
            count.passed = random_count(&seed);
            if (round % 2)
                count = (struct rule_count){count.passed, random_count(&seed), random_count(&seed)};
            else
                count.passed &= UINT8_MAX;
            counts_set(&counts, i, count);
        }
        copy = counts;
        memset(&back, 0, sizeof back);
        folded = counts_fold(NULL, &counts, NULL);
        assert_non_null(folded);
        assert_memory_equal(&counts, &none, sizeof none);
        counts_unfold(folded, &back);
        for (size_t i = 0; i < RULE_COUNT; i++) {
            struct rule_count expected = rule_counts_of(&copy, i), found = rule_counts_of(&back, i);

            assert_memory_equal(&expected, &found, sizeof expected);
            assert_int_equal(folded_failed(folded, i), expected.failed);
            assert_true(folded_any_failed(folded) || expected.failed == 0);
            assert_true(back.others || (expected.passed <= UINT8_MAX && !expected.failed && !expected.inconclusive));
        }
        counts_free(folded);
    }
}

UNIT_TEST(nothing_counted)
{
    struct rule_counts counts = {0}, back = {0};
    struct folded_counts *folded = counts_fold(NULL, &counts, NULL);

    assert_non_null(folded);
    counts_unfold(folded, &back);
    counts_unfold(NULL, &back);
    assert_memory_equal(&counts, &back, sizeof counts);
    assert_int_equal(folded_failed(folded, 0), 0);
    assert_false(folded_any_failed(folded) || folded_any_failed(NULL));
    counts_free(folded);
}

/* Addition saturates, as counting does; so does the sum of many, with some in one block. */
UNIT_TEST(unfolding_adds)
{
    struct rule_counts counts = {0}, total = {0};
    struct counts_sum sum = {.counts = &total};
    struct folded_counts *folded, *other;

    counts_set(&counts, 0, (struct rule_count){.passed = 1, .inconclusive = 2});
    counts_set(&counts, RULE_COUNTERS - 1, (struct rule_count){.passed = UINT32_MAX, .failed = 3});
    folded = counts_fold(NULL, &counts, NULL);
    assert_non_null(folded);
    counts_unfold(folded, &counts);
    counts_unfold(folded, &counts);
    assert_int_equal(counts_get(&counts, 0).passed, 2);
    assert_int_equal(counts_get(&counts, 0).inconclusive, 4);
    assert_int_equal(counts_get(&counts, RULE_COUNTERS - 1).passed, UINT32_MAX);
    assert_int_equal(counts_get(&counts, RULE_COUNTERS - 1).failed, 6);
    assert_int_equal(counts_get(&counts, 1).passed, 0);
    other = counts_fold(NULL, &counts, NULL);
    assert_non_null(other);
    for (unsigned i = 0; i < 300; i++) {
        counts_sum_add(&sum, folded);
        if (i % 100 == 0)
            counts_sum_add(&sum, other);
        if (i % 10 == 0)
            counts_sum_add(&sum, NULL);
    }
    counts_sum_end(&sum);
    assert_int_equal(counts_get(&total, 0).passed, 300 + 3 * 2);
    assert_int_equal(counts_get(&total, 0).inconclusive, 2 * 300 + 3 * 4);
    assert_int_equal(counts_get(&total, RULE_COUNTERS - 1).passed, UINT32_MAX);
    assert_int_equal(counts_get(&total, RULE_COUNTERS - 1).failed, 3 * 300 + 3 * 6);
    assert_true(total.others);
    counts_free(folded);
    counts_free(other);
}

/* Connections with equal counts share a block, in any order of freeing; a freed pool leaves them valid. */
UNIT_TEST(equal_ones_are_one)
{
    struct rule_counts counts = {0}, back = {0};
    struct folded_pool pool = {0};
    struct folded_counts *first, *second, *other;

    counts.passed[3] = 5;
    first = counts_fold(&pool, &counts, NULL);
    counts.passed[3] = 5;
    second = counts_fold(&pool, &counts, NULL);
    counts.passed[3] = 6;
    other = counts_fold(&pool, &counts, NULL);
    assert_ptr_equal(first, second);
    assert_ptr_not_equal(first, other);
    counts_free(first);
    folded_pool_free(&pool);
    counts_unfold(second, &back);
    assert_int_equal(counts_get(&back, 3).passed, 5);
    counts_unfold(other, &back);
    assert_int_equal(counts_get(&back, 3).passed, 11);
    counts_free(second);
    counts_free(other);
}

/* Later counts are added to folded ones, which also share one block. */
UNIT_TEST(folded_twice)
{
    struct rule_counts counts = {0}, back = {0};
    struct folded_pool pool = {0};
    struct folded_counts *all[3];

    for (unsigned i = 0; i < 3; i++) {
        struct folded_counts *before;

        counts.passed[3] = 5;
        counts.failed[rule_counter[RULE_MPA_3_07]] = 1;
        counts.others = true;
        before = counts_fold(&pool, &counts, NULL);
        counts.passed[3] = 1 + i / 2;
        counts.passed[RULE_COUNTERS - 1] = 1;
        all[i] = counts_fold(&pool, &counts, before);
        assert_non_null(all[i]);
        assert_int_equal(folded_failed(all[i], RULE_MPA_3_07), 1);
        assert_true(folded_any_failed(all[i]));
    }
    assert_ptr_equal(all[0], all[1]);
    assert_ptr_not_equal(all[0], all[2]);
    folded_pool_free(&pool);
    counts_unfold(all[0], &back);
    assert_int_equal(counts_get(&back, 3).passed, 6);
    counts_unfold(all[2], &back);
    assert_int_equal(counts_get(&back, 3).passed, 6 + 7);
    assert_int_equal(rule_counts_of(&back, RULE_MPA_3_07).failed, 2);
    assert_int_equal(counts_get(&back, RULE_COUNTERS - 1).passed, 2);
    for (unsigned i = 0; i < 3; i++)
        counts_free(all[i]);
}
