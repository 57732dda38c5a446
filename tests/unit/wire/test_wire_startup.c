// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/support/support.h"
#include "wire/mpa_startup.h"

#define REQUEST_KEY "4d504120494420526571204672616d65"
#define REPLY_KEY   "4d504120494420526570204672616d65"

UNIT_TEST(decodes_a_plain_request)
{
    uint8_t octets[64];
    struct mpa_startup frame;
    size_t need, n = octets_of(REQUEST_KEY "40 01 0003 616263 ff", octets, sizeof octets);

    assert_int_equal(mpa_startup_decode(&frame, &need, octets, n), MPA_STARTUP_OK);
    assert_int_equal(need, 23);
    assert_int_equal(frame.kind, MPA_REQUEST);
    assert_int_equal(frame.flags, MPA_FLAG_C);
    assert_int_equal(frame.revision, 1);
    assert_int_equal(frame.pd_length, 3);
    assert_false(frame.has_enhanced);
    assert_ptr_equal(frame.private_data, octets + 20);
    assert_ptr_equal(frame.ulp_data, octets + 20);
    assert_int_equal(frame.ulp_length, 3);
}

UNIT_TEST(decodes_an_enhanced_reply)
{
    uint8_t octets[64];
    struct mpa_startup frame;
    size_t need, n = octets_of(REPLY_KEY "50 02 0006 8020 4001 cafe", octets, sizeof octets);

    assert_int_equal(mpa_startup_decode(&frame, &need, octets, n), MPA_STARTUP_OK);
    assert_int_equal(frame.kind, MPA_REPLY);
    assert_true(frame.has_enhanced);
    assert_true(frame.enhanced.peer_to_peer);
    assert_int_equal(frame.enhanced.rtr, MPA_RTR_READ);
    assert_int_equal(frame.enhanced.ird, 0x20);
    assert_int_equal(frame.enhanced.ord, 1);
    assert_ptr_equal(frame.ulp_data, octets + 24);
    assert_int_equal(frame.ulp_length, 2);
}

/* RFC 6581 section 9.1: A and B are in the IRD word, C and D in the ORD word. */
UNIT_TEST(control_flags_lie_where_they_should)
{
    static const struct {
        const char *words;
        bool peer_to_peer;
        uint8_t rtr;
        uint16_t ird, ord;
    } cases[] = {
        {"0000 0000", false, 0, 0, 0},
        {"8000 0000", true, 0, 0, 0},
        {"4000 0000", false, MPA_RTR_SEND, 0, 0},
        {"0000 8000", false, MPA_RTR_WRITE, 0, 0},
        {"0000 4000", false, MPA_RTR_READ, 0, 0},
        {"ffff ffff", true, MPA_RTR_SEND | MPA_RTR_WRITE | MPA_RTR_READ, 0x3FFF, 0x3FFF},
        {"3fff 0001", false, 0, 0x3FFF, 1},
        {"2000 1234", false, 0, 0x2000, 0x1234},
    };

    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        uint8_t octets[32], back[32];
        struct mpa_startup frame;
        size_t need;

        octets_of(REQUEST_KEY "10 02 0004", octets, sizeof octets);
        octets_of(cases[i].words, octets + 20, 4);
        assert_int_equal(mpa_startup_decode(&frame, &need, octets, 24), MPA_STARTUP_OK);
        assert_int_equal(frame.enhanced.peer_to_peer, cases[i].peer_to_peer);
        assert_int_equal(frame.enhanced.rtr, cases[i].rtr);
        assert_int_equal(frame.enhanced.ird, cases[i].ird);
        assert_int_equal(frame.enhanced.ord, cases[i].ord);
        assert_null(frame.ulp_data);
        assert_int_equal(mpa_startup_encode(&frame, back, sizeof back), 24);
        assert_memory_equal(back, octets, 24);
    }
}

UNIT_TEST(enhanced_data_needs_s_and_four_octets)
{
    uint8_t octets[64];
    struct mpa_startup frame;
    size_t need, n;

    n = octets_of(REQUEST_KEY "10 02 0003 800000", octets, sizeof octets);
    assert_int_equal(mpa_startup_decode(&frame, &need, octets, n), MPA_STARTUP_OK);
    assert_false(frame.has_enhanced);
    assert_int_equal(frame.ulp_length, 3);
    n = octets_of(REQUEST_KEY "00 02 0004 80000000", octets, sizeof octets);
    assert_int_equal(mpa_startup_decode(&frame, &need, octets, n), MPA_STARTUP_OK);
    assert_false(frame.has_enhanced);
    assert_int_equal(frame.ulp_length, 4);
}

UNIT_TEST(every_prefix_asks_for_more)
{
    uint8_t octets[64];
    struct mpa_startup frame;
    size_t need, n = octets_of(REPLY_KEY "00 01 0005 0102030405", octets, sizeof octets);

    for (size_t i = 0; i < n; i++) {
        memset(&frame, 0xEE, sizeof frame);
        assert_int_equal(mpa_startup_decode(&frame, &need, octets, i), MPA_STARTUP_MORE);
        assert_int_equal(need, i < 20 ? 20 : n);
        if (i >= 20) {
            assert_int_equal(frame.kind, MPA_REPLY);
            assert_int_equal(frame.pd_length, 5);
            assert_null(frame.private_data);
        }
    }
    assert_int_equal(mpa_startup_decode(&frame, &need, octets, n), MPA_STARTUP_OK);
}

UNIT_TEST(a_wrong_key_octet_is_no_key)
{
    uint8_t octets[64];
    struct mpa_startup frame;
    size_t need, n = octets_of(REQUEST_KEY "00 01 0000", octets, sizeof octets);

    assert_int_equal(mpa_startup_key_matches(MPA_REQUEST, octets, n), 16);
    assert_int_equal(mpa_startup_key_matches(MPA_REPLY, octets, n), 15);
    assert_int_equal(mpa_startup_key_matches(MPA_REPLY, octets, 10), 9);
    for (size_t i = 0; i < MPA_KEY_LEN; i++) {
        octets[i] ^= 0x80;
        assert_int_equal(mpa_startup_key_matches(MPA_REQUEST, octets, n), 15);
        for (size_t m = 0; m <= n; m++)
            assert_int_equal(mpa_startup_decode(&frame, &need, octets, m),
                             m <= i ? MPA_STARTUP_MORE : MPA_STARTUP_NO_KEY);
        octets[i] ^= 0x80;
    }
}

UNIT_TEST(an_absurd_length_is_taken_as_it_stands)
{
    static uint8_t octets[20 + 65535];
    struct mpa_startup frame;
    size_t need;

    octets_of(REQUEST_KEY "00 01 ffff", octets, sizeof octets);
    assert_int_equal(mpa_startup_decode(&frame, &need, octets, 600), MPA_STARTUP_MORE);
    assert_int_equal(need, 65555);
    assert_int_equal(mpa_startup_decode(&frame, &need, octets, sizeof octets), MPA_STARTUP_OK);
    assert_int_equal(frame.pd_length, 65535);
}

UNIT_TEST(fix_length_counts_the_enhanced_data)
{
    static const uint8_t ulp[] = {1, 2, 3};
    struct mpa_startup frame = {.kind = MPA_REQUEST, .flags = MPA_FLAG_S, .revision = 2, .has_enhanced = true};
    uint8_t octets[64];

    mpa_startup_fix_length(&frame);
    assert_int_equal(frame.pd_length, 4);
    frame.ulp_data = ulp;
    frame.ulp_length = 3;
    mpa_startup_fix_length(&frame);
    assert_int_equal(frame.pd_length, 7);
    assert_int_equal(mpa_startup_encode(&frame, octets, 26), 0);
    assert_int_equal(mpa_startup_encode(&frame, octets, 27), 27);
    frame.flags = 0;
    mpa_startup_fix_length(&frame);
    assert_int_equal(frame.pd_length, 3);
    frame.pd_length = 999; /* a fault: written unchanged */
    assert_int_equal(mpa_startup_encode(&frame, octets, sizeof octets), 23);
    assert_memory_equal(octets + 18, "\x03\xE7\x01\x02\x03", 5);
}

UNIT_TEST(random_frames_make_the_round_trip)
{
    uint64_t seed = 5;

    for (unsigned i = 0; i < 5000; i++) {
        uint8_t octets[20 + 600], back[20 + 600];
        struct mpa_startup frame;
        size_t need, n = 20 + next_random(&seed) % 600;

        octets_of(next_random(&seed) & 1 ? REQUEST_KEY : REPLY_KEY, octets, sizeof octets);
        fill_random(&seed, octets + 16, n - 16);
        octets[18] = (uint8_t)((n - 20) >> 8);
        octets[19] = (uint8_t)(n - 20);
        assert_int_equal(mpa_startup_decode(&frame, &need, octets, n), MPA_STARTUP_OK);
        assert_int_equal(need, n);
        assert_int_equal(mpa_startup_encode(&frame, back, sizeof back), n);
        assert_memory_equal(back, octets, n);
    }
}
