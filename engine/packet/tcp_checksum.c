// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/packet/tcp_checksum.h"

#include "wire/octets.h"

#include <string.h>

enum { PROTOCOL = 6, CHECKSUM_AT = 16, ALL_ONES = 0xFFFF };

/* Sums of ones' complement do not depend on the order of octets in a word, nor on the words' size (RFC 1071). */
static uint64_t add(uint64_t sum, uint64_t word)
{
    sum += word;
    return sum + (sum < word);
}

static uint64_t sum_of(uint64_t sum, const uint8_t *p, size_t n)
{
    uint64_t word;

    for (; n >= sizeof word; p += sizeof word, n -= sizeof word) {
        memcpy(&word, p, sizeof word);
        sum = add(sum, word);
    }
    word = 0;
    memcpy(&word, p, n);
    return add(sum, word);
}

static uint16_t fold(uint64_t sum)
{
    sum = (sum & UINT32_MAX) + (sum >> 32);
    sum = (sum & UINT32_MAX) + (sum >> 32);
    sum = (sum & ALL_ONES) + (sum >> 16);
    sum = (sum & ALL_ONES) + (sum >> 16);
    return (uint16_t)sum;
}

void tcp_checksum_begin(struct tcp_segment *segment, const uint8_t *addresses, size_t n, const uint8_t *p,
                        uint32_t captured, uint32_t length)
{
    uint8_t rest[8] = {[3] = PROTOCOL};

    segment->summed = captured == length;
    if (!segment->summed)
        return;
    put_be32(rest + 4, length);
    segment->pseudo_sum = sum_of(sum_of(0, addresses, n), rest, sizeof rest);
    memcpy(&segment->checksum, p + CHECKSUM_AT, sizeof segment->checksum);
    segment->sum = sum_of(segment->pseudo_sum, p, length - segment->length);
}

enum tcp_checksum tcp_checksum(const struct tcp_segment *segment)
{
    uint16_t pseudo = fold(segment->pseudo_sum);

    if (!segment->summed || segment->captured < segment->length || segment->checksum == 0 ||
        segment->checksum == pseudo || (segment->checksum ^ pseudo) == ALL_ONES)
        return TCP_CHECKSUM_UNKNOWN;
    return fold(sum_of(segment->sum, segment->payload, segment->length)) == ALL_ONES ? TCP_CHECKSUM_RIGHT
                                                                                     : TCP_CHECKSUM_WRONG;
}
