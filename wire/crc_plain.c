// SPDX-License-Identifier: GPL-2.0-or-later
/* Four bits at a time: for machines that ISA-L does not support. */
#include "wire/crc32.h"
#include "wire/crc32c.h"
#include "wire/octets.h"

static uint32_t plain_extend(const uint32_t table[16], uint32_t crc, const uint8_t *p, size_t len)
{
    crc = ~crc;
    for (size_t i = 0; i < len; i++) {
        crc ^= p[i];
        crc = crc >> 4 ^ table[crc & 15];
        crc = crc >> 4 ^ table[crc & 15];
    }
    return ~crc;
}

static const uint32_t castagnoli[16] = {0x00000000, 0x105EC76F, 0x20BD8EDE, 0x30E349B1, 0x417B1DBC, 0x5125DAD3,
                                        0x61C69362, 0x7198540D, 0x82F63B78, 0x92A8FC17, 0xA24BB5A6, 0xB21572C9,
                                        0xC38D26C4, 0xD3D3E1AB, 0xE330A81A, 0xF36E6F75};

uint32_t crc32c_extend_plain(uint32_t crc, const void *data, size_t len)
{
    return plain_extend(castagnoli, crc, data, len);
}

/* A CRC is needed at each octet, and a call for each would cost more than the octet itself. */
size_t crc32c_find(const uint8_t *p, size_t from, size_t n)
{
    uint32_t table[256], crc = ~crc32c(p, from < n ? from : n);

    for (uint32_t i = 0; i < 256; i++) {
        uint32_t half = i >> 4 ^ castagnoli[i & 15];

        table[i] = half >> 4 ^ castagnoli[half & 15];
    }
    for (size_t at = from; at + sizeof crc <= n; at++) {
        if (get_le32(p + at) == ~crc && ~crc != 0)
            return at;
        crc = crc >> 8 ^ table[(crc ^ p[at]) & 255];
    }
    return n;
}

uint32_t crc32_extend_plain(uint32_t crc, const void *data, size_t len)
{
    static const uint32_t table[16] = {0x00000000, 0x1DB71064, 0x3B6E20C8, 0x26D930AC, 0x76DC4190, 0x6B6B51F4,
                                       0x4DB26158, 0x5005713C, 0xEDB88320, 0xF00F9344, 0xD6D6A3E8, 0xCB61B38C,
                                       0x9B64C2B0, 0x86D3D2D4, 0xA00AE278, 0xBDBDF21C};

    return plain_extend(table, crc, data, len);
}
