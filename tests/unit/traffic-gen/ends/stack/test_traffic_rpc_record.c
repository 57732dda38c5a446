// SPDX-License-Identifier: GPL-2.0-or-later
/* Record marking: records of several fragments, in pieces of any size; empty ones; too long ones. */
#include "tests/unit/support/support.h"
#include "traffic-gen/ends/stack/rpc_record.h"

static size_t records_of(const uint8_t *p, size_t n, size_t piece, size_t max, GString *bodies, bool *too_long)
{
    struct rpc_record record;
    size_t found = 0;

    rpc_record_init(&record, max);
    *too_long = false;
    for (size_t at = 0; at < n && !*too_long; at += piece) {
        const uint8_t *from = p + at;
        size_t left = MIN(piece, n - at);

        while (rpc_record_take(&record, &from, &left, too_long)) {
            found++;
            g_string_append_len(bodies, (const char *)record.body->data, record.body->len);
            g_string_append_c(bodies, '|');
        }
        assert_true(*too_long || left == 0);
    }
    rpc_record_clear(&record);
    return found;
}

UNIT_TEST(pieces)
{
    uint8_t octets[64];
    size_t n = octets_of("80000003 616263 00000002 6465 00000000 80000001 66 80000000 00000001 67 80000000", octets,
                         sizeof octets);

    for (size_t piece = 1; piece <= n; piece++) {
        GString *bodies = g_string_new(NULL);
        bool too_long;

        assert_int_equal(records_of(octets, n, piece, 3, bodies, &too_long), 4);
        assert_false(too_long);
        assert_string_equal(bodies->str, "abc|def||g|");
        g_string_free(bodies, TRUE);
    }
}

UNIT_TEST(too_long_ones)
{
    static const char *const cases[] = {"80000004 61626364", "ffffffff", "00000002 6162 80000002 6364",
                                        "7fffffff 6162"};
    uint8_t octets[64];

    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        GString *bodies = g_string_new(NULL);
        bool too_long;

        assert_int_equal(records_of(octets, octets_of(cases[i], octets, sizeof octets), 1, 3, bodies, &too_long), 0);
        assert_true(too_long);
        g_string_free(bodies, TRUE);
    }
}

UNIT_TEST(mark)
{
    uint8_t octets[4];

    rpc_record_mark(octets, 0x123456);
    assert_memory_equal(octets, "\x80\x12\x34\x56", 4);
}
