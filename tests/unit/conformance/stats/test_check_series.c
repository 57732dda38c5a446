// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/stats/series.h"
#include "tests/unit/support/support.h"

#include <stdlib.h>

static uint64_t sum_of(const struct series *series, enum series_value value)
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < SERIES_BINS; i++)
        sum += series->bin[i][value];
    return sum;
}

/* Nothing is lost when bins grow, however far apart the times are. */
UNIT_TEST(bins_grow)
{
    struct series *series = calloc(1, sizeof *series);

    assert_non_null(series);
    for (int64_t i = 0; i < 63; i++) {
        uint64_t *bin = series_at(series, INT64_C(1) << i);

        bin[SERIES_CALLS]++;
        bin[SERIES_GRANTED] = (uint64_t)i;
        bin[SERIES_IN_USE_MOST] = (uint64_t)i;
        assert_int_equal(sum_of(series, SERIES_CALLS), i + 1);
    }
    assert_int_equal(series->first, 0);
    assert_ptr_equal(series_at(series, INT64_MAX), series->bin[63]);
    series_at(series, -5)[SERIES_CALLS]++;
    assert_int_equal(sum_of(series, SERIES_CALLS), 64);
    free(series);
}

/* The later of two values, the larger of two maxima and the sum of two counts stay. */
UNIT_TEST(pairs_of_bins)
{
    static const int64_t start = INT64_C(1) << 40, width = 1 << SERIES_WIDTH_BITS_MIN;
    struct series *series = calloc(1, sizeof *series);

    assert_non_null(series);
    for (int64_t i = 0; i < 4; i++) {
        uint64_t *bin = series_at(series, start + i * width);

        bin[SERIES_CALLS] = 1;
        bin[SERIES_LATENCY_MOST] = i == 0 ? 9 : 1;
        bin[SERIES_IN_USE] = i < 3 ? (uint64_t)i + 1 : 0;
    }
    series_at(series, start + SERIES_BINS * width);
    assert_int_equal(series->width_bits, SERIES_WIDTH_BITS_MIN + 1);
    assert_int_equal(series->bin[0][SERIES_CALLS], 2);
    assert_int_equal(series->bin[0][SERIES_LATENCY_MOST], 9);
    assert_int_equal(series->bin[0][SERIES_IN_USE], 2);
    assert_int_equal(series->bin[1][SERIES_IN_USE], 3);
    free(series);
}

/* Joined in either order they equal a single series. */
UNIT_TEST(joined_as_one)
{
    struct series *all = calloc(1, sizeof *all), *parts = calloc(2, sizeof *parts), *other = calloc(2, sizeof *other);
    uint64_t seed = 11;

    assert_true(all && parts && other);
    for (unsigned round = 0; round < 200; round++) {
        int64_t at = (int64_t)(next_random(&seed) >> 4), step = 1 + (int64_t)(next_random(&seed) % 1000000);

        *all = parts[0] = parts[1] = (struct series){.used = false};
        for (unsigned i = 0; i < 300; i++) {
            at += step;
            series_at(all, at)[SERIES_REPLIES]++;
            series_at(&parts[i >= 100], at)[SERIES_REPLIES]++;
        }
        other[0] = parts[0];
        other[1] = parts[1];
        series_join(&parts[0], &parts[1]);
        series_join(&other[1], &other[0]);
        assert_memory_equal(&parts[0], &other[1], sizeof *parts);
        assert_int_equal(parts[0].width_bits, all->width_bits);
        assert_memory_equal(parts[0].bin, all->bin, sizeof all->bin);
    }
    free(all);
    free(parts);
    free(other);
}
