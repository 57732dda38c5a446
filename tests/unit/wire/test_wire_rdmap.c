// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/support/support.h"
#include "wire/rdmap.h"

/* RFC 5040 Figures 4 and 5 and RFC 7306 Figures 2 and 3 again, as a table for comparison. */
UNIT_TEST(opcode_table)
{
    static const struct {
        int tagged, queue, header_min, header_max, ulp_data, invalidates, solicited, rfc_version_only;
    } expected[12] = {
        {1, -1, 0, 0, 1, 0, 0, 0}, {0, 1, 28, 28, 0, 0, 0, 0}, {1, -1, 0, 0, 1, 0, 0, 0},  {0, 0, 0, 0, 1, 0, 0, 0},
        {0, 0, 0, 0, 1, 1, 0, 0},  {0, 0, 0, 0, 1, 0, 1, 0},   {0, 0, 0, 0, 1, 1, 1, 0},   {0, 2, 4, 52, 0, 0, 0, 0},
        {0, 0, 8, 8, 0, 0, 0, 1},  {0, 0, 8, 8, 0, 0, 1, 1},   {0, 1, 52, 52, 0, 0, 0, 1}, {0, 3, 12, 12, 0, 0, 0, 1},
    };
    static const unsigned ulpdu_max[12] = {0, 46, 0, 0, 0, 0, 0, 70, 26, 26, 70, 30};

    for (unsigned opcode = 0; opcode < 12; opcode++) {
        const struct rdmap_opcode_info *info = rdmap_opcode_info(opcode);

        assert_non_null(info);
        assert_int_equal(info->tagged, expected[opcode].tagged);
        assert_int_equal(info->queue, expected[opcode].queue);
        assert_int_equal(info->header_min, expected[opcode].header_min);
        assert_int_equal(info->header_max, expected[opcode].header_max);
        assert_int_equal(info->ulp_data, expected[opcode].ulp_data);
        assert_int_equal(info->invalidates, expected[opcode].invalidates);
        assert_int_equal(info->solicited, expected[opcode].solicited);
        assert_int_equal(info->rfc_version_only, expected[opcode].rfc_version_only);
        assert_true(info->name && info->token && info->key);
        assert_int_equal(rdmap_ulpdu_max(info), ulpdu_max[opcode]);
        assert_int_equal(rdmap_is_send(opcode), opcode >= RDMAP_SEND && opcode <= RDMAP_SEND_SE_INVALIDATE);
        assert_int_equal(rdmap_invalidates(opcode), expected[opcode].invalidates);
        for (uint8_t version = 0; version < 2; version++) {
            struct ddp_segment ddp = {.tagged = info->tagged, .dv = 1, .rv = version, .opcode = (uint8_t)opcode};

            assert_true(rdmap_control_plausible(&ddp));
            assert_int_equal(rdmap_opcode_too_new(&ddp), version == 0 && opcode >= RDMAP_IMMEDIATE);
            ddp.tagged = !ddp.tagged;
            assert_false(rdmap_control_plausible(&ddp));
        }
    }
    for (unsigned opcode = 12; opcode < 300; opcode++)
        assert_null(rdmap_opcode_info(opcode));
}

UNIT_TEST(read_request_fields)
{
    uint8_t octets[28];
    struct rdmap_read_request request;

    octets_of("00000011 0000000200000003 00000044 00000055 0000000600000007", octets, sizeof octets);
    assert_true(rdmap_read_request_decode(&request, octets, sizeof octets));
    assert_int_equal(request.sink_stag, 0x11);
    assert_true(request.sink_to == UINT64_C(0x0000000200000003));
    assert_int_equal(request.size, 0x44);
    assert_int_equal(request.source_stag, 0x55);
    assert_true(request.source_to == UINT64_C(0x0000000600000007));
}

UNIT_TEST(atomic_request_fields)
{
    uint8_t octets[52];
    struct rdmap_atomic_request request;

    octets_of("00000012 00000022 00000033 0000000000000044 0000000000000055 0000000000000066 0000000000000077 "
              "0000000000000088",
              octets, sizeof octets);
    assert_true(rdmap_atomic_request_decode(&request, octets, sizeof octets));
    assert_int_equal(request.reserved, 1);
    assert_int_equal(request.opcode, RDMAP_ATOMIC_CMP_SWAP);
    assert_int_equal(request.identifier, 0x22);
    assert_int_equal(request.stag, 0x33);
    assert_true(request.to == 0x44 && request.data == 0x55 && request.mask == 0x66);
    assert_true(request.compare_data == 0x77 && request.compare_mask == 0x88);
}

UNIT_TEST(any_header_makes_the_round_trip)
{
    uint64_t seed = 14;

    for (unsigned i = 0; i < 5000; i++) {
        struct rdmap_read_request read;
        struct rdmap_atomic_request request;
        struct rdmap_atomic_response response;
        uint8_t octets[60], back[60];
        uint64_t immediate;

        fill_random(&seed, octets, sizeof octets);
        assert_true(rdmap_read_request_decode(&read, octets, 28));
        assert_int_equal(rdmap_read_request_encode(&read, back, 28), 28);
        assert_memory_equal(back, octets, 28);
        assert_true(rdmap_immediate_decode(&immediate, octets, 8));
        assert_int_equal(rdmap_immediate_encode(immediate, back, 8), 8);
        assert_memory_equal(back, octets, 8);
        assert_true(rdmap_atomic_request_decode(&request, octets, 52));
        assert_int_equal(rdmap_atomic_request_encode(&request, back, 52), 52);
        assert_memory_equal(back, octets, 52);
        assert_true(rdmap_atomic_response_decode(&response, octets, 12));
        assert_int_equal(rdmap_atomic_response_encode(&response, back, 12), 12);
        assert_memory_equal(back, octets, 12);
    }
}

UNIT_TEST(too_short_is_refused)
{
    struct rdmap_read_request read = {0};
    struct rdmap_atomic_request request = {0};
    struct rdmap_atomic_response response = {0};
    uint64_t immediate = 0;
    uint8_t octets[52] = {0};

    for (size_t n = 0; n < 52; n++) {
        assert_int_equal(rdmap_read_request_decode(&read, octets, n), n >= 28);
        assert_int_equal(rdmap_read_request_encode(&read, octets, n), n >= 28 ? 28 : 0);
        assert_int_equal(rdmap_immediate_decode(&immediate, octets, n), n >= 8);
        assert_int_equal(rdmap_immediate_encode(immediate, octets, n), n >= 8 ? 8 : 0);
        assert_false(rdmap_atomic_request_decode(&request, octets, n));
        assert_int_equal(rdmap_atomic_request_encode(&request, octets, n), 0);
        assert_int_equal(rdmap_atomic_response_decode(&response, octets, n), n >= 12);
        assert_int_equal(rdmap_atomic_response_encode(&response, octets, n), n >= 12 ? 12 : 0);
    }
}
