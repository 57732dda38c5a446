// SPDX-License-Identifier: GPL-2.0-or-later
/* wire/octets.h: what is written is read, and each octet has its place. */
#include "wire/octets.h"
#include "tests/proofs/proof.h"

void proof_octets(void)
{
    uint8_t *p = any_octets(8);
    uint64_t value = any_u64();

    put_be16(p, (uint16_t)value);
    CLAIM(get_be16(p) == (uint16_t)value);
    CLAIM(p[0] == (uint8_t)(value >> 8) && p[1] == (uint8_t)value);
    put_be24(p, (uint32_t)value);
    CLAIM(get_be24(p) == ((uint32_t)value & 0xFFFFFF));
    put_be32(p, (uint32_t)value);
    CLAIM(get_be32(p) == (uint32_t)value);
    CLAIM(get_be24(p + 1) == ((uint32_t)value & 0xFFFFFF));
    CLAIM(get_le32(p) == ((uint32_t)p[3] << 24 | get_le24(p)));
    put_be64(p, value);
    CLAIM(get_be64(p) == value);
    CLAIM(get_be32(p + 4) == (uint32_t)value);
    put_le32(p, (uint32_t)value);
    CLAIM(get_le32(p) == (uint32_t)value);
    CLAIM(get_le16(p) == (uint16_t)value && get_le24(p) == ((uint32_t)value & 0xFFFFFF));
    FALSE_CLAIM(get_be32(p) == (uint32_t)value);
}
