// SPDX-License-Identifier: GPL-2.0-or-later
#include "support/utc.h"
#include "tests/unit/support/support.h"

static void assert_utc(int64_t time_ns, unsigned decimals, const char *expected)
{
    g_autofree gchar *text = utc_text(time_ns, decimals);

    assert_string_equal(text, expected);
}

UNIT_TEST(decimals)
{
    assert_utc(INT64_C(1785408300123456789), 9, "2026-07-30T10:45:00.123456789Z");
    assert_utc(INT64_C(1785408300123456789), 6, "2026-07-30T10:45:00.123456Z");
    assert_utc(INT64_C(1785408300000000789), 3, "2026-07-30T10:45:00.000Z");
}

/* Captures may have any time. */
UNIT_TEST(extremes)
{
    assert_utc(-1, 9, "1969-12-31T23:59:59.999999999Z");
    assert_utc(INT64_C(-1000000000), 3, "1969-12-31T23:59:59.000Z");
    assert_utc(INT64_MAX, 9, "2262-04-11T23:47:16.854775807Z");
    assert_utc(INT64_MIN, 9, "1677-09-21T00:12:43.145224192Z");
}
