// SPDX-License-Identifier: GPL-2.0-or-later
/* Values of words in a script: numbers in names, and octets. */
#include "tests/unit/support/support.h"
#include "traffic-gen/speak/say/words.h"

#include <string.h>

UNIT_TEST(test_numbers_in_names)
{
    unsigned a = 0, b = 0;
    const char *rest = words_match("write3.seg12.len", "write#.seg#.", &a, &b);

    assert_non_null(rest);
    assert_string_equal(rest, "len");
    assert_int_equal(a, 3);
    assert_int_equal(b, 12);
    rest = words_match("1/aF/07", "%/%/%", &a, &b, &a);
    assert_non_null(rest);
    assert_string_equal(rest, "");
    assert_int_equal(b, 0xaf);
    assert_int_equal(a, 7);
    rest = words_match("op4294967295.x", "op#.", &a);
    assert_non_null(rest);
    assert_int_equal(a, UINT32_MAX);
}

UNIT_TEST(test_what_does_not_match)
{
    static const char *const texts[] = {"",     "op",    "op.",           "op5",
                                        "op5,", "op+5.", "op 5.",         "op-1.",
                                        "opf.", "ap5.",  "op4294967296.", "op99999999999999999999999."};
    unsigned n;

    for (size_t i = 0; i < ARRAY_LENGTH(texts); i++)
        assert_null(words_match(texts[i], "op#.", &n));
    assert_null(words_match(NULL, "op#.", &n));
    assert_null(words_match("g", "%", &n));
}

UNIT_TEST(test_octets)
{
    uint8_t octet = 0;

    assert_true(words_octet("a5ff", &octet));
    assert_int_equal(octet, 0xa5);
    assert_false(words_octet("", &octet));
    assert_false(words_octet("a", &octet));
    assert_false(words_octet("ag", &octet));
    assert_false(words_octet(" a", &octet));
}
