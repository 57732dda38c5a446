// SPDX-License-Identifier: GPL-2.0-or-later
/* Four bits at a time: for machines that ISA-L does not know. */
#include "wire/crc32c.h"

uint32_t crc32c_extend_plain(uint32_t crc, const void *data, size_t len)
{
    static const uint32_t four_bits[16] = {0x00000000, 0x105EC76F, 0x20BD8EDE, 0x30E349B1, 0x417B1DBC, 0x5125DAD3,
                                           0x61C69362, 0x7198540D, 0x82F63B78, 0x92A8FC17, 0xA24BB5A6, 0xB21572C9,
                                           0xC38D26C4, 0xD3D3E1AB, 0xE330A81A, 0xF36E6F75};
    const uint8_t *p = data;

    crc = ~crc;
    for (size_t i = 0; i < len; i++) {
        crc ^= p[i];
        crc = crc >> 4 ^ four_bits[crc & 15];
        crc = crc >> 4 ^ four_bits[crc & 15];
    }
    return ~crc;
}
