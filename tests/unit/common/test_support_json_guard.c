// SPDX-License-Identifier: GPL-2.0-or-later
/* Accepted by json-glib, but not valid JSON. */
#include "support/json_guard.h"
#include "tests/unit/support/support.h"

#include <string.h>

static void assert_passes(const char *text, bool passes)
{
    if (json_guard_passes(text, strlen(text)) != passes)
        fail_msg("%s", text);
}

UNIT_TEST(test_json_passes)
{
    static const char *const texts[] = {"0",
                                        "-0",
                                        "0.0",
                                        "-1.5E+2",
                                        "1e5",
                                        "[-1,2]",
                                        "{\"a\":1}",
                                        "true",
                                        "\"\"",
                                        "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"",
                                        "\"\\u00e9\\uD83D\\uDE00\""};

    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++)
        assert_passes(texts[i], true);
}

UNIT_TEST(test_other_numbers_do_not)
{
    static const char *const texts[] = {"0x10", "010", "-01", "00",  "+1",  ".5",    "1.",   "1.e5",
                                        "1e",   "1e+", "-",   "--1", "-.5", "1e400", "1.5.5"};

    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++)
        assert_passes(texts[i], false);
}

UNIT_TEST(test_other_strings_do_not)
{
    static const char *const texts[] = {"\"",          "\"\\",    "\"\\\"", "\"\\x\"", "\"\\u12\"",
                                        "\"\\u12g4\"", "\"\\u12", "\"\t\"", "'a'",     "\"\xe9\""};

    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++)
        assert_passes(texts[i], false);
}

UNIT_TEST(test_other_texts_do_not)
{
    g_autofree char *deep = g_strnfill(33, '['), *closing = g_strnfill(33, ']');
    g_autofree char *both = g_strconcat(deep, closing, NULL);

    assert_passes(both, false);
    assert_passes(both + 1, false);
    both[strlen(both) - 1] = '\0';
    assert_passes(both + 1, true);
    assert_passes("/* \" */ []", false);
    assert_passes("[]]", false);
    assert_false(json_guard_passes("[]\0", 3));
}
