// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/support/support.h"
#include "wire/ddp.h"

UNIT_TEST(decodes_an_untagged_header)
{
    uint8_t octets[32];
    struct ddp_segment s;
    size_t n = octets_of("4143 01020304 00000000 0000000a 00000b0c aabb", octets, sizeof octets);

    assert_true(ddp_segment_decode(&s, octets, n));
    assert_false(s.tagged);
    assert_true(s.last);
    assert_int_equal(s.rsvd, 0);
    assert_int_equal(s.dv, 1);
    assert_int_equal(s.rv, 1);
    assert_int_equal(s.rdmap_rsv, 0);
    assert_int_equal(s.opcode, RDMAP_SEND);
    assert_int_equal(s.stag, 0x01020304);
    assert_int_equal(s.qn, 0);
    assert_int_equal(s.msn, 10);
    assert_int_equal(s.mo, 0xB0C);
    assert_int_equal(s.header_len, 18);
    assert_ptr_equal(s.payload, octets + 18);
    assert_int_equal(s.payload_len, 2);
}

UNIT_TEST(decodes_a_tagged_header)
{
    uint8_t octets[32];
    struct ddp_segment s;
    size_t n = octets_of("8140 deadbeef 0102030405060708", octets, sizeof octets);

    assert_true(ddp_segment_decode(&s, octets, n));
    assert_true(s.tagged);
    assert_false(s.last);
    assert_int_equal(s.opcode, RDMAP_WRITE);
    assert_int_equal(s.stag, 0xDEADBEEF);
    assert_true(s.to == UINT64_C(0x0102030405060708));
    assert_int_equal(s.header_len, 14);
    assert_int_equal(s.payload_len, 0);
}

UNIT_TEST(too_short_is_refused)
{
    uint8_t octets[18] = {0x41, 0x43};
    struct ddp_segment s;

    for (size_t n = 0; n < 18; n++)
        assert_false(ddp_segment_decode(&s, octets, n));
    assert_true(ddp_segment_decode(&s, octets, 18));
    octets[0] = 0xC1;
    for (size_t n = 0; n < 14; n++)
        assert_false(ddp_segment_decode(&s, octets, n));
    assert_true(ddp_segment_decode(&s, octets, 14));
}

/* Every bit of the header survives decoding and encoding, reserved ones included. */
UNIT_TEST(any_header_makes_the_round_trip)
{
    uint64_t seed = 4;

    for (unsigned i = 0; i < 20000; i++) {
        uint8_t octets[18], back[18];
        struct ddp_segment s;

        fill_random(&seed, octets, sizeof octets);
        assert_true(ddp_segment_decode(&s, octets, sizeof octets));
        assert_int_equal(ddp_header_encode(&s, back, s.header_len - 1u), 0);
        assert_int_equal(ddp_header_encode(&s, back, sizeof back), s.header_len);
        assert_memory_equal(back, octets, s.header_len);
    }
}
