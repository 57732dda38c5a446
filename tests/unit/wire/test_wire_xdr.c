// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/support/support.h"
#include "wire/xdr.h"

UNIT_TEST(roundup_fills_the_last_unit)
{
    static const unsigned expected[] = {0, 3, 2, 1, 0, 3, 2, 1, 0};

    for (unsigned n = 0; n < ARRAY_LENGTH(expected); n++) {
        assert_int_equal(xdr_roundup(n), expected[n]);
        assert_int_equal(xdr_padded(n), n + expected[n]);
    }
    assert_true(xdr_padded(UINT32_MAX) == UINT64_C(0x100000000));
}

UNIT_TEST(items_are_read_in_order)
{
    uint8_t octets[64];
    size_t n = octets_of("00000001 0000000200000003 00000005 6162636465000000 [4] 00000004 66676869 01020304 0506 [2]",
                         octets, sizeof octets);
    struct xdr x = xdr_begin(octets, n);
    const uint8_t *p = NULL;
    uint32_t length = 9, v = 0;
    uint64_t w = 0;

    assert_true(xdr_u32(&x, &v) && v == 1);
    assert_true(xdr_u64(&x, &w) && w == UINT64_C(0x0000000200000003));
    assert_true(xdr_opaque(&x, &p, &length) && length == 5);
    assert_memory_equal(p, "abcde", 5);
    assert_true(xdr_opaque(&x, &p, &length) && length == 0);
    assert_true(xdr_opaque(&x, &p, &length) && length == 4);
    assert_memory_equal(p, "fghi", 4);
    assert_true(xdr_skip(&x, 6));
    assert_int_equal(x.at, n);
    assert_int_equal(xdr_left(&x), 0);
    assert_true(xdr_skip(&x, 0));
    assert_false(x.failed);
}

UNIT_TEST(a_failure_is_for_good)
{
    uint8_t octets[8] = {0, 0, 0, 7, 0, 0, 0, 1};
    const uint8_t *p = octets;
    uint32_t length = 9, v = 9;
    uint64_t w = 9;

    for (unsigned what = 0; what < 6; what++) {
        struct xdr x = xdr_begin(octets, 7);
        bool read[6];

        assert_true(what == 3 || xdr_u32(&x, &v)); /* three octets are left, except for the opaque of seven */
        v = 9;
        switch (what) {
        case 0:
            assert_false(xdr_u32(&x, &v));
            break;
        case 1:
            assert_false(xdr_u64(&x, &w));
            break;
        case 2:
            assert_false(xdr_skip(&x, 1)); /* its roundup is missing: RFC 4506 section 4.10 includes it in the stream */
            break;
        case 3:
            assert_false(xdr_opaque(&x, &p, &length));
            break;
        case 4:
            assert_false(xdr_skip(&x, UINT64_MAX));
            break;
        default:
            assert_false(xdr_skip(&x, UINT64_MAX - 4));
            break;
        }
        assert_true(x.failed);
        assert_int_equal(x.at, what == 3 ? 0 : 4);
        read[0] = xdr_u32(&x, &v);
        read[1] = xdr_u64(&x, &w);
        read[2] = xdr_skip(&x, 0);
        read[3] = xdr_opaque(&x, &p, &length);
        assert_false(read[0] || read[1] || read[2] || read[3]);
        assert_int_equal(x.at, what == 3 ? 0 : 4);
        assert_true(v == 9 && w == 9 && length == 9 && p == octets);
    }
}

UNIT_TEST(the_largest_count_is_only_a_number)
{
    uint8_t octets[12] = {0xFF, 0xFF, 0xFF, 0xFF, 1, 2, 3, 4, 5, 6, 7, 8};
    struct xdr x = xdr_begin(octets, sizeof octets);
    const uint8_t *p;
    uint32_t length;

    assert_false(xdr_opaque(&x, &p, &length));
    assert_true(x.failed && x.at == 0);
}

UNIT_TEST(what_is_written_is_read)
{
    uint64_t seed = 47;

    for (unsigned i = 0; i < 2000; i++) {
        uint8_t octets[160], contents[64];
        uint32_t n = (uint32_t)(next_random(&seed) % (sizeof contents + 1)), v = 0, length = 0;
        uint64_t a = next_random(&seed), b = 0;
        struct xdr_writer w = {.p = octets, .size = sizeof octets};
        const uint8_t *p = NULL;
        struct xdr x;

        fill_random(&seed, contents, sizeof contents);
        memset(octets, 0xEE, sizeof octets);
        xdr_put_u64(&w, a);
        xdr_put_opaque(&w, contents, n);
        xdr_put_octets(&w, contents, n);
        xdr_put_u32(&w, (uint32_t)a);
        assert_false(w.failed);
        assert_int_equal(w.at, 8 + 4 + 2 * xdr_padded(n) + 4);
        x = xdr_begin(octets, w.at);
        assert_true(xdr_u64(&x, &b) && b == a);
        assert_true(xdr_opaque(&x, &p, &length) && length == n);
        assert_memory_equal(p, contents, n);
        for (unsigned j = n; j < xdr_padded(n); j++)
            assert_int_equal(p[j], 0);
        assert_memory_equal(octets + x.at, contents, n);
        assert_true(xdr_skip(&x, n) && xdr_u32(&x, &v) && v == (uint32_t)a);
        assert_int_equal(xdr_left(&x), 0);
    }
}

UNIT_TEST(a_writer_stays_within_its_room)
{
    uint8_t octets[40];

    for (size_t size = 0; size < 28; size++) {
        struct xdr_writer w = {.p = octets, .size = size};
        size_t at;

        memset(octets, 0xEE, sizeof octets);
        xdr_put_u32(&w, 1);
        xdr_put_u64(&w, 2);
        xdr_put_opaque(&w, "abcde", 5);
        xdr_put_octets(&w, "xy", 2);
        assert_true(w.failed);
        assert_true(w.at <= size);
        at = w.at;
        xdr_put_u32(&w, 1);
        xdr_put_octets(&w, "", 1);
        assert_int_equal(w.at, at);
        for (size_t i = size; i < sizeof octets; i++)
            assert_int_equal(octets[i], 0xEE);
    }
}

UNIT_TEST(nothing_is_nothing)
{
    struct xdr_writer w = {0};
    struct xdr x = xdr_begin(NULL, 0);
    uint32_t v;

    xdr_put_octets(&w, NULL, 0);
    assert_false(w.failed);
    xdr_put_opaque(&w, NULL, 0);
    assert_true(w.failed);
    assert_true(xdr_skip(&x, 0));
    assert_false(xdr_u32(&x, &v));
}
