// SPDX-License-Identifier: GPL-2.0-or-later
/* The marker of iwarp-tap is read as it was written, and no ordinary frame has one. */
#include "tests/unit/support/support.h"
#include "wire/tap_mark.h"

#include <string.h>

static const struct tap_mark mark = {
    .tapped = true, .by_client = true, .found = true, .left_out = 7, .source_port = 0x1234, .destination_port = 20049};

UNIT_TEST(marks)
{
    static const uint8_t expected[] = {0x02, 't', 'a', 'p', 0x4E, 0x51, 0x02, 'k', 0x1C, 7, 0x12, 0x34};
    uint8_t octets[TAP_MARK_LEN];
    struct tap_mark found;

    tap_mark_encode(&mark, octets);
    assert_memory_equal(octets, expected, sizeof expected);
    found = tap_mark_decode(octets, sizeof octets);
    assert_true(found.tapped && found.by_client && found.found);
    assert_int_equal(found.left_out, mark.left_out);
    assert_int_equal(found.source_port, mark.source_port);
    assert_int_equal(found.destination_port, mark.destination_port);
    octets[8] = 0x20; /* a later version, and no flags */
    found = tap_mark_decode(octets, sizeof octets);
    assert_true(found.tapped && !found.by_client && !found.found);
}

UNIT_TEST(other_frames)
{
    uint8_t octets[TAP_MARK_LEN];

    tap_mark_encode(&mark, octets);
    for (size_t n = 0; n < sizeof octets; n++)
        assert_false(tap_mark_decode(octets, n).tapped);
    for (size_t at = 0; at < sizeof octets; at++) {
        uint8_t changed[TAP_MARK_LEN];

        memcpy(changed, octets, sizeof changed);
        changed[at] = 0;
        assert_int_equal(tap_mark_decode(changed, sizeof changed).tapped,
                         at == 4 || at == 5 || at == 9 || at == 10 || at == 11);
    }
    memset(octets, 0, sizeof octets);
    assert_false(tap_mark_decode(octets, sizeof octets).tapped);
}
