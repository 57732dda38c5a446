// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/support/support.h"
#include "wire/crc32.h"
#include "wire/crc32c.h"
#include "wire/octets.h"

UNIT_TEST(check_value)
{
    assert_int_equal(crc32c("123456789", 9), 0xE3069283);
    assert_int_equal(crc32c(NULL, 0), 0);
}

UNIT_TEST(check_value_of_crc32)
{
    assert_int_equal(crc32_extend(0, "123456789", 9), 0xCBF43926);
    assert_int_equal(crc32_extend_plain(0, "123456789", 9), 0xCBF43926);
    assert_int_equal(crc32_extend_plain(crc32_extend(0, "1234", 4), "56789", 5), 0xCBF43926);
}

/* RFC 3720 section B.4, in the order of transmission. */
UNIT_TEST(iscsi_vectors)
{
    static const uint8_t expected[4][4] = {
        {0xAA, 0x36, 0x91, 0x8A}, {0x43, 0xAB, 0xA8, 0x62}, {0x4E, 0x79, 0xDD, 0x46}, {0x5C, 0xDB, 0x3F, 0x11}};
    uint8_t data[4][32], image[4];

    for (unsigned i = 0; i < 32; i++) {
        data[0][i] = 0;
        data[1][i] = 0xFF;
        data[2][i] = (uint8_t)i;
        data[3][i] = (uint8_t)(31 - i);
    }
    for (unsigned i = 0; i < 4; i++) {
        put_le32(image, crc32c(data[i], 32));
        assert_memory_equal(image, expected[i], 4);
    }
}

/* One bit at a time, from the polynomial 0x1EDC6F41 reflected. */
static uint32_t bitwise(const uint8_t *p, size_t n)
{
    uint32_t crc = UINT32_MAX;

    for (size_t i = 0; i < n; i++) {
        crc ^= p[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? UINT32_C(0x82F63B78) : 0);
    }
    return ~crc;
}

UNIT_TEST(agrees_with_bitwise_at_any_length_and_alignment)
{
    uint8_t data[600];
    uint64_t seed = 1;

    fill_random(&seed, data, sizeof data);
    for (size_t n = 0; n <= 580; n++) {
        size_t at = n % 17;

        assert_int_equal(crc32c(data + at, n), bitwise(data + at, n));
        assert_int_equal(crc32c_extend_plain(0, data + at, n), bitwise(data + at, n));
    }
}

UNIT_TEST(extends_over_every_cut)
{
    uint8_t data[97];
    uint64_t seed = 2;

    fill_random(&seed, data, sizeof data);
    for (size_t cut = 0; cut <= sizeof data; cut++) {
        uint32_t prefix = crc32c(data, cut), all = crc32c(data, sizeof data);

        assert_int_equal(crc32c_extend(prefix, data + cut, sizeof data - cut), all);
        assert_int_equal(crc32c_extend_plain(prefix, data + cut, sizeof data - cut), all);
    }
}

UNIT_TEST(residue_over_data_and_image_is_constant)
{
    uint8_t data[64];
    uint64_t seed = 3;

    for (size_t n = 0; n <= 60; n++) {
        fill_random(&seed, data, n);
        put_le32(data + n, crc32c(data, n));
        assert_int_equal(crc32c(data, n + 4), 0x48674BC7);
    }
}

UNIT_TEST(finds_the_crc_after_its_octets)
{
    uint8_t data[200];
    uint64_t seed = 4;

    for (size_t at = 0; at + 4 <= sizeof data; at++) {
        fill_random(&seed, data, sizeof data);
        assert_int_equal(crc32c_find(data, 0, sizeof data), sizeof data);
        put_le32(data + at, crc32c(data, at));
        assert_int_equal(crc32c_find(data, 0, sizeof data), at == 0 ? sizeof data : at); /* without octets it is 0 */
        assert_int_equal(crc32c_find(data, at, at + 4), at == 0 ? at + 4 : at);
        assert_int_equal(crc32c_find(data, at + 1, sizeof data), sizeof data);
        assert_int_equal(crc32c_find(data, 0, at + 3), at + 3);
    }
    assert_int_equal(crc32c_find(data, 9, 5), 5);
}
