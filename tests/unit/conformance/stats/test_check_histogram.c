// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/stats/histogram.h"
#include "tests/unit/support/support.h"

#include <stdlib.h>

enum { NUMBERS = 20000 };

static uint64_t power_of_ten(uint64_t power)
{
    uint64_t product = 1;

    while (power-- > 0)
        product *= 10;
    return product;
}

static int ascending(const void *a, const void *b)
{
    uint64_t first = *(const uint64_t *)a, second = *(const uint64_t *)b;

    return first < second ? -1 : first > second;
}

/* By the nearest rank, as defined in histogram.h. */
static uint64_t exact(const uint64_t *sorted, size_t n, double q)
{
    size_t rank = (size_t)(q * (double)n);

    if ((double)rank < q * (double)n)
        rank++;
    return sorted[rank == 0 ? 0 : rank - 1];
}

static void assert_close(uint64_t found, uint64_t expected)
{
    uint64_t off = found > expected ? found - expected : expected - found;

    if (off > expected / 64)
        fail_msg("expected %llu within 1/64, found %llu", (unsigned long long)expected, (unsigned long long)found);
}

/* Every bucket begins where the previous one ends, and each number is in its own. */
UNIT_TEST(buckets_are_without_gaps)
{
    assert_int_equal(histogram_bucket_first(0), 0);
    for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
        uint64_t first = histogram_bucket_first(i), last = histogram_bucket_last(i);

        assert_true(first <= last);
        assert_int_equal(histogram_bucket_of(first), i);
        assert_int_equal(histogram_bucket_of(last), i);
        if (i + 1 < HISTOGRAM_BUCKETS)
            assert_int_equal(last + 1, histogram_bucket_first(i + 1));
        else
            assert_true(last == UINT64_MAX);
    }
}

UNIT_TEST(small_numbers_are_exact)
{
    struct histogram histogram = {.count = 0};

    assert_int_equal(histogram_quantile(&histogram, 0.5), 0);
    for (uint64_t i = 0; i < 64; i++)
        histogram_add(&histogram, i, 1);
    for (unsigned i = 1; i <= 64; i++)
        assert_int_equal(histogram_quantile(&histogram, i / 64.0), i - 1);
    assert_int_equal(histogram_up_to(&histogram, 9), 10);
    histogram_clear(&histogram);
}

/* Over fifteen powers of ten, each quantile is within 1/64 of the exact one; the sums are exact. */
UNIT_TEST(quantiles_are_within_the_bound)
{
    static const double quantiles[] = {0.001, 0.01, 0.25, 0.5, 0.75, 0.95, 0.99, 0.999, 0.9999};
    uint64_t *numbers = calloc(NUMBERS, sizeof *numbers), seed = 3;

    assert_non_null(numbers);
    for (unsigned powers = 1; powers <= 15; powers++) {
        struct histogram histogram = {.count = 0};
        uint64_t sum = 0;

        for (size_t i = 0; i < NUMBERS; i++) {
            numbers[i] = next_random(&seed) % power_of_ten(1 + next_random(&seed) % powers);
            sum += numbers[i];
            histogram_add(&histogram, numbers[i], 1);
        }
        qsort(numbers, NUMBERS, sizeof *numbers, ascending);
        for (size_t i = 0; i < sizeof quantiles / sizeof *quantiles; i++)
            assert_close(histogram_quantile(&histogram, quantiles[i]), exact(numbers, NUMBERS, quantiles[i]));
        assert_int_equal(histogram_quantile(&histogram, 1), numbers[NUMBERS - 1]);
        assert_int_equal(histogram.least, numbers[0]);
        assert_int_equal(histogram.count, NUMBERS);
        assert_int_equal(histogram.sum, sum);
        histogram_clear(&histogram);
    }
    free(numbers);
}

/* Joined distributions equal one distribution of all numbers, for any shares. */
UNIT_TEST(joined_as_counted_together)
{
    struct histogram all = {.count = 0}, parts[5] = {{.count = 0}}, sum = {.count = 0};
    uint64_t seed = 5;

    for (unsigned i = 0; i < NUMBERS; i++) {
        uint64_t value = next_random(&seed) >> next_random(&seed) % 60, n = 1 + next_random(&seed) % 3;

        histogram_add(&all, value, n);
        histogram_add(&parts[next_random(&seed) % 4], value, n); /* the last stays empty */
    }
    for (unsigned i = 5; i-- > 0;)
        histogram_join(&sum, &parts[i]);
    assert_int_equal(sum.count, all.count);
    assert_int_equal(sum.sum, all.sum);
    assert_int_equal(sum.least, all.least);
    assert_int_equal(sum.most, all.most);
    for (unsigned bucket = 0; bucket < HISTOGRAM_BUCKETS; bucket++)
        assert_int_equal(histogram_bucket(&sum, bucket), histogram_bucket(&all, bucket));
    for (unsigned i = 0; i < 5; i++)
        histogram_clear(&parts[i]);
    histogram_clear(&all);
    histogram_clear(&sum);
}

UNIT_TEST(sums_end_at_their_limit)
{
    struct histogram histogram = {.count = 0};

    histogram_add(&histogram, UINT64_MAX, UINT64_MAX);
    histogram_add(&histogram, UINT64_MAX, 1);
    histogram_add(&histogram, 7, 0);
    assert_true(histogram.count == UINT64_MAX && histogram.sum == UINT64_MAX && histogram.least == UINT64_MAX);
    assert_true(histogram_quantile(&histogram, 0.5) == UINT64_MAX);
    histogram_clear(&histogram);
}
