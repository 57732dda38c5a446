// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/support/support.h"
#include "traffic-gen/tester/suite/transport/lateness.h"
#include "traffic-gen/tester/suite/transport/patience.h"

#include <glib.h>

static const int64_t ms = 1000000, second = 1000 * INT64_C(1000000);

UNIT_TEST(given_times_are_minimums)
{
    struct patience patience = {0};

    assert_int_equal(patience_wait(&patience, 2 * second, false), 2 * second);
    assert_int_equal(patience_after(&patience, 60 * second), 60 * second);
    patience_note(&patience, 20 * ms);
    assert_int_equal(patience_wait(&patience, 2 * second, false), 2 * second);
}

UNIT_TEST(slow_has_longer)
{
    struct patience patience = {0};

    patience_note(&patience, 3 * second);
    assert_int_equal(patience_wait(&patience, second / 2, false), 6 * second);
    assert_int_equal(patience_after(&patience, second), 7 * second);
    assert_int_equal(patience_wait(&patience, 20 * second, false), 20 * second);
}

UNIT_TEST(is_bounded_and_forgets)
{
    struct patience patience = {0};

    patience_note(&patience, 1000 * second);
    assert_int_equal(patience_wait(&patience, 0, false), 8 * second);
    for (unsigned i = 0; i < 100; i++)
        patience_note(&patience, 0);
    assert_int_equal(patience_wait(&patience, second, false), second);
}

UNIT_TEST(silence_has_to_be_sure)
{
    const struct patience patience = {0};

    assert_int_equal(patience_wait(&patience, 100 * ms, true), second);
    assert_int_equal(patience_wait(&patience, second, true), 5 * second);
    assert_int_equal(patience_wait(&patience, 8 * second, true), 8 * second);
}

/* Whatever this machine does meanwhile: earlier delays are not counted, and a delay is never negative. */
UNIT_TEST(lateness_is_of_the_time_since)
{
    struct lateness *lateness = lateness_start();
    const int64_t began = g_get_monotonic_time() * 1000, ever = lateness_since(lateness, 0);
    int64_t since;

    assert_true(ever >= 0);
    g_usleep(30000);
    since = lateness_since(lateness, began); /* first: the delay may grow between the two */
    assert_true(lateness_since(lateness, 0) >= since);
    lateness_stop(lateness);
    assert_int_equal(lateness_since(NULL, 0), 0);
    lateness_stop(NULL);
}
