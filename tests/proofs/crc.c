// SPDX-License-Identifier: GPL-2.0-or-later
/* wire/crc32c.c and crc_plain.c: RFC 3720 Appendix B.4, without special CPU instructions. */
#include "tests/proofs/proof.h"
#include "wire/crc32.h"
#include "wire/crc32c.h"

enum { FIND_MOST = 5 };

/* Division by the polynomial, bit by bit. */
static uint32_t by_bits(uint32_t polynomial, uint32_t crc, const uint8_t *p, size_t n)
{
    crc = ~crc;
    for (size_t i = 0; i < n; i++) {
        crc ^= p[i];
        for (unsigned bit = 0; bit < 8; bit++)
            crc = crc & 1 ? crc >> 1 ^ polynomial : crc >> 1;
    }
    return ~crc;
}

/* From any CRC, one octet is right; with proof_crc_parts(), any number of octets is. */
void proof_crc_octet(void)
{
    size_t n = any_bool();
    const uint8_t *p = any_octets(n);
    uint32_t before = any_u32();

    CLAIM(crc32c_extend_plain(before, p, n) == by_bits(0x82F63B78, before, p, n));
    CLAIM(crc32_extend_plain(before, p, n) == by_bits(0xEDB88320, before, p, n));
    FALSE_CLAIM(crc32_extend_plain(before, p, n) != before);
    FALSE_CLAIM(n == 0);
}

/* Octets one by one give the same as all at once. */
void proof_crc_parts(void)
{
    const uint8_t *p = any_octets(2);
    uint32_t before = any_u32();

    CLAIM(crc32c_extend(crc32c_extend(before, p, 1), p + 1, 1) == crc32c_extend(before, p, 2));
    CLAIM(crc32_extend(crc32_extend(before, p, 1), p + 1, 1) == crc32_extend(before, p, 2));
    CLAIM(crc32c_extend(before, p, 0) == before && crc32c(p, 2) == crc32c_extend(0, p, 2));
    FALSE_CLAIM(crc32c_extend(before, p, 2) != 0x11111111);
    FALSE_CLAIM(crc32_extend(before, p, 1) != before);
}

void proof_crc_find(void)
{
    size_t n = any_size_to(FIND_MOST), from = any_size_to(FIND_MOST + 2);
    const uint8_t *p = any_octets(n);
    size_t at = crc32c_find(p, from, n);

    CLAIM(at == n || (at >= from && at + 4 <= n));
    if (at < n) {
        uint32_t crc = crc32c(p, at);

        CLAIM(crc != 0 && p[at] == (uint8_t)crc && p[at + 1] == (uint8_t)(crc >> 8) && p[at + 3] == crc >> 24);
        FALSE_CLAIM(at == from);
    }
}
