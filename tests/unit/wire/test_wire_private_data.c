// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/support/support.h"
#include "wire/rpcrdma_private_data.h"

UNIT_TEST(decodes_the_example_of_linux)
{
    static const uint8_t octets[] = {0xF6, 0xAB, 0x0E, 0x18, 0x01, 0x01, 0x03, 0x00};
    struct rpcrdma_private_data data;

    assert_int_equal(rpcrdma_private_data_find(&data, octets, sizeof octets), RPCRDMA_PD_OK);
    assert_int_equal(data.offset, 0);
    assert_int_equal(data.version, 1);
    assert_true(data.remote_invalidation);
    assert_int_equal(data.send_size, 4096);
    assert_int_equal(data.receive_size, 1024);
}

UNIT_TEST(sizes_span_the_range)
{
    for (unsigned x = 0; x < 256; x++) {
        struct rpcrdma_private_data data = {
            .version = 1, .send_size = (x + 1) * 1024, .receive_size = (256 - x) * 1024};
        struct rpcrdma_private_data back;
        uint8_t octets[8];

        assert_int_equal(rpcrdma_private_data_encode(&data, octets, 7), 0);
        assert_int_equal(rpcrdma_private_data_encode(&data, octets, 8), 8);
        assert_int_equal(octets[6], x);
        assert_int_equal(octets[7], 255 - x);
        assert_int_equal(rpcrdma_private_data_find(&back, octets, 8), RPCRDMA_PD_OK);
        assert_int_equal(back.send_size, data.send_size);
        assert_int_equal(back.receive_size, data.receive_size);
        assert_false(back.remote_invalidation);
    }
}

UNIT_TEST(sizes_that_cannot_be_expressed_are_clamped)
{
    struct rpcrdma_private_data data = {.version = 1, .send_size = 0, .receive_size = UINT32_MAX};
    uint8_t octets[8];

    assert_int_equal(rpcrdma_private_data_encode(&data, octets, 8), 8);
    assert_int_equal(octets[6], 0);
    assert_int_equal(octets[7], 255);
    data.send_size = 4095;
    assert_int_equal(rpcrdma_private_data_encode(&data, octets, 8), 8);
    assert_int_equal(octets[6], 2);
}

UNIT_TEST(is_found_at_any_octet)
{
    uint8_t octets[64];
    struct rpcrdma_private_data data;

    for (size_t at = 0; at + 8 <= sizeof octets; at++) {
        memset(octets, 0xF6, sizeof octets);
        octets_of("f6ab0e18 01fe0102", octets + at, 8);
        assert_int_equal(rpcrdma_private_data_find(&data, octets, sizeof octets), RPCRDMA_PD_OK);
        assert_int_equal(data.offset, at);
        assert_false(data.remote_invalidation);
        assert_int_equal(data.flags, 0xFE);
        assert_int_equal(data.send_size, 2048);
        assert_int_equal(data.receive_size, 3072);
        /* Cut after the identifier it is truncated, before that it is absent. */
        for (size_t n = 0; n < at + 8; n++)
            assert_int_equal(rpcrdma_private_data_find(&data, octets, n),
                             n < at + 4 ? RPCRDMA_PD_ABSENT : RPCRDMA_PD_TRUNCATED);
    }
}

UNIT_TEST(valid_block_wins_over_a_chance_identifier)
{
    uint8_t octets[20];
    struct rpcrdma_private_data data;
    size_t n = octets_of("f6ab0e18 07000000 00 f6ab0e18 01010404", octets, sizeof octets);

    assert_int_equal(rpcrdma_private_data_find(&data, octets, n), RPCRDMA_PD_OK);
    assert_int_equal(data.offset, 9);
    assert_int_equal(rpcrdma_private_data_find(&data, octets, 12), RPCRDMA_PD_BAD_VERSION);
    assert_int_equal(data.offset, 0);
    assert_int_equal(data.version, 7);
}
