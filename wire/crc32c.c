// SPDX-License-Identifier: GPL-2.0-or-later
// The only file that knows ISA-L; another CRC32c replaces it here.
#include "wire/crc32c.h"

#include <isa-l/crc.h>

uint32_t crc32c_extend(uint32_t crc, const void *data, size_t len)
{
    const uint8_t *p = data;

    // crc32_iscsi() takes its length as an int and leaves presetting and complementing to the caller.
    crc = ~crc;
    while (len > 0) {
        int step = len > 1 << 30 ? 1 << 30 : (int)len;
        crc = crc32_iscsi((unsigned char *)(uintptr_t)p, step, crc);
        p += step;
        len -= (size_t)step;
    }
    return ~crc;
}

uint32_t crc32c(const void *data, size_t len)
{
    return crc32c_extend(0, data, len);
}
