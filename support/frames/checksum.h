/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The Internet checksum (RFC 1071), as a running sum of big-endian words. */
#ifndef IWARP_SUPPORT_FRAMES_CHECKSUM_H
#define IWARP_SUPPORT_FRAMES_CHECKSUM_H

#include "wire/octets.h"

#include <stddef.h>

/* n is even except for the last piece. */
static inline uint64_t checksum_add(uint64_t sum, const uint8_t *p, size_t n)
{
    for (; n >= 4; p += 4, n -= 4)
        sum += get_be32(p); /* 2^16 = 1 in ones' complement arithmetic, so wider words fold to the same value */
    if (n >= 2) {
        sum += get_be16(p);
        p += 2;
        n -= 2;
    }
    if (n)
        sum += (uint64_t)p[0] << 8;
    return sum;
}

/* The correct value of the field; 0 over octets whose field is right. */
static inline uint16_t checksum_of(uint64_t sum)
{
    while (sum >> 16)
        sum = (sum & 0xFFFF) + (sum >> 16);
    return (uint16_t)~sum;
}

#endif
