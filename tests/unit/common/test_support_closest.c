// SPDX-License-Identifier: GPL-2.0-or-later
#include "support/closest.h"
#include "tests/unit/support/support.h"

static const char *const names[] = {"play", "list", "connect", "listen", "serve", "test", "report", "recover-timeout"};

static const char *closest_name(const char *word, size_t n)
{
    struct closest closest = closest_to(word, n);

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        closest_consider(&closest, names[i]);
    return closest.name;
}

UNIT_TEST(mistyped)
{
    assert_string_equal(closest_name("plya", SIZE_MAX), "play");      /* swapped */
    assert_string_equal(closest_name("conect", SIZE_MAX), "connect"); /* missing */
    assert_string_equal(closest_name("reports", SIZE_MAX), "report"); /* too many */
    assert_string_equal(closest_name("serbe", SIZE_MAX), "serve");    /* another */
    assert_string_equal(closest_name("lisst", SIZE_MAX), "list");     /* the closer of two */
    assert_string_equal(closest_name("recovery-time-out", SIZE_MAX), "recover-timeout");
    assert_string_equal(closest_name("tset=5", 4), "test"); /* a part of the word */
}

UNIT_TEST(unlike)
{
    char longest[200];

    memset(longest, 'p', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    assert_null(closest_name("", SIZE_MAX));
    assert_null(closest_name("p", SIZE_MAX));
    assert_null(closest_name("display", SIZE_MAX));
    assert_null(closest_name("everything", SIZE_MAX));
    assert_null(closest_name(longest, SIZE_MAX));
}
