// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/support/support.h"
#include "wire/rdmap_terminate.h"

UNIT_TEST(llp_error_has_nothing_else)
{
    uint8_t octets[8];
    struct rdmap_terminate t;
    size_t n = octets_of("20020000", octets, sizeof octets);

    assert_int_equal(rdmap_terminate_decode(&t, octets, n), RDMAP_TERMINATE_OK);
    assert_int_equal(t.layer, RDMAP_LAYER_LLP);
    assert_int_equal(t.etype, 0);
    assert_int_equal(t.code, 2);
    assert_false(t.m || t.d || t.r || t.has_length || t.has_ddp || t.has_read);
    assert_null(t.trailing);
}

/* Layer RDMA, Remote Protection, base or bounds: M, D and R, with the Read Request at fault. */
UNIT_TEST(read_request_is_echoed_whole)
{
    uint8_t octets[64], back[64];
    struct rdmap_terminate t;
    size_t n = octets_of("0101e000 002e 4141 00000000 00000001 00000003 00000000 "
                         "000000aa 0000000000001000 00000800 000000bb 0000000000002000",
                         octets, sizeof octets);

    assert_int_equal(n, RDMAP_TERMINATE_LEN_MAX);
    assert_int_equal(rdmap_terminate_decode(&t, octets, n), RDMAP_TERMINATE_OK);
    assert_true(t.m && t.d && t.r && t.has_length && t.has_ddp && t.has_read);
    assert_int_equal(t.segment_length, 46);
    assert_false(t.ddp.tagged);
    assert_int_equal(t.ddp.msn, 3);
    assert_null(t.ddp.payload);
    assert_int_equal(t.read.sink_stag, 0xAA);
    assert_int_equal(t.read.size, 0x800);
    assert_true(t.read.source_to == 0x2000);
    assert_int_equal(rdmap_terminate_encode(&t, back, n - 1), 0);
    assert_int_equal(rdmap_terminate_encode(&t, back, sizeof back), n);
    assert_memory_equal(back, octets, n);
}

/* The echoed header's own T bit decides its length, not the error type. */
UNIT_TEST(echoed_header_goes_by_its_own_t_bit)
{
    uint8_t octets[64];
    struct rdmap_terminate t;
    size_t n = octets_of("1100c000 0012 c140 000000cc 0000000000000010", octets, sizeof octets);

    assert_int_equal(n, 20);
    assert_int_equal(rdmap_terminate_decode(&t, octets, n), RDMAP_TERMINATE_OK);
    assert_true(t.has_ddp && t.ddp.tagged);
    assert_int_equal(t.ddp.stag, 0xCC);
    n = octets_of("1100c000 0012 4143 00000000 00000000 00000001 00000000", octets, sizeof octets);
    assert_int_equal(rdmap_terminate_decode(&t, octets, n), RDMAP_TERMINATE_OK);
    assert_true(t.has_ddp && !t.ddp.tagged);
}

UNIT_TEST(length_is_there_with_m_or_d)
{
    uint8_t octets[64];
    struct rdmap_terminate t;
    size_t n;

    n = octets_of("12018000 0030", octets, sizeof octets);
    assert_int_equal(rdmap_terminate_decode(&t, octets, n), RDMAP_TERMINATE_OK);
    assert_true(t.has_length && !t.has_ddp);
    assert_int_equal(t.segment_length, 48);
    n = octets_of("12014000 0000 c140 000000cc 0000000000000010", octets, sizeof octets);
    assert_int_equal(rdmap_terminate_decode(&t, octets, n), RDMAP_TERMINATE_OK);
    assert_true(!t.m && t.has_length && t.has_ddp);
}

UNIT_TEST(trailing_octets_are_shown)
{
    uint8_t octets[64];
    struct rdmap_terminate t;
    size_t n = octets_of("20021fff [18] 07", octets, sizeof octets);

    assert_int_equal(rdmap_terminate_decode(&t, octets, n), RDMAP_TERMINATE_OK);
    assert_int_equal(t.reserved, 0x1FFF);
    assert_ptr_equal(t.trailing, octets + 4);
    assert_int_equal(t.trailing_len, 19);
}

UNIT_TEST(every_cut_is_noticed)
{
    uint8_t octets[64];
    struct rdmap_terminate t;

    octets_of("0100e000 002e 4141 [16] [28]", octets, sizeof octets);
    for (size_t n = 0; n < 52; n++) {
        assert_int_equal(rdmap_terminate_decode(&t, octets, n), n < 4 ? RDMAP_TERMINATE_SHORT : RDMAP_TERMINATE_CUT);
        if (n >= 4) {
            assert_int_equal(t.has_length, n >= 6);
            assert_int_equal(t.has_ddp, n >= 24);
            assert_false(t.has_read);
        }
    }
    assert_int_equal(rdmap_terminate_decode(&t, octets, 52), RDMAP_TERMINATE_OK);
}

/* The Terminate echoes the segment's beginning. */
UNIT_TEST(echo_copies_the_beginning_of_the_fpdu)
{
    uint8_t ulpdu[64], octets[64];
    struct rdmap_terminate t = {.layer = RDMAP_LAYER_DDP, .etype = 1, .code = 1};
    size_t n = octets_of("c140 000000cc 0000000000000010 [20]", ulpdu, sizeof ulpdu);

    assert_true(rdmap_terminate_echo(&t, ulpdu, n));
    assert_int_equal(rdmap_terminate_encode(&t, octets, sizeof octets), 20);
    assert_memory_equal(octets, "\x11\x01\xC0\x00\x00\x22", 6);
    assert_memory_equal(octets + 6, ulpdu, 14);
    assert_false(rdmap_terminate_echo(&t, ulpdu, 13));
}

UNIT_TEST(random_headers_make_the_round_trip)
{
    uint64_t seed = 15;

    for (unsigned i = 0; i < 20000; i++) {
        uint8_t octets[60], back[60];
        struct rdmap_terminate t;
        size_t n = next_random(&seed) % sizeof octets, announced;

        fill_random(&seed, octets, sizeof octets);
        if (rdmap_terminate_decode(&t, octets, n) != RDMAP_TERMINATE_OK)
            continue;
        announced = 4 + (t.m || t.d ? 2u : 0u) + (t.d ? t.ddp.header_len : 0u) + (t.r ? 28u : 0u);
        assert_int_equal(announced + t.trailing_len, n);
        assert_int_equal(rdmap_terminate_encode(&t, back, sizeof back), announced);
        assert_memory_equal(back, octets, announced);
    }
}

UNIT_TEST(names)
{
    assert_string_equal(rdmap_terminate_etype_name(1, 2), "Untagged Buffer Error");
    assert_null(rdmap_terminate_etype_name(2, 1));
    /* The same meaning has other numbers in other layers. */
    assert_string_equal(rdmap_terminate_code_name(0, 1, 4), "TO wrap");
    assert_string_equal(rdmap_terminate_code_name(1, 1, 3), "TO wrap");
    assert_string_equal(rdmap_terminate_code_name(2, 0, 7), "No matching RTR option");
    assert_null(rdmap_terminate_code_name(0, 0, 0));
    assert_null(rdmap_terminate_code_name(1, 2, 0));
    assert_null(rdmap_terminate_code_name(2, 0, 8));
}
