// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/packet/tcp_checksum.h"

#include "wire/invariant.h"
#include "wire/octets.h"

#include <string.h>

enum { PROTOCOL = 6, LENGTH_AT = 12, CHECKSUM_AT = 16, ALL_ONES = 0xFFFF };

/* One's complement sums depend neither on the order of octets in a word nor on the word size (RFC 1071). */
static uint64_t tcp_checksum_add(uint64_t sum, uint64_t word)
{
    sum += word;
    return sum + (sum < word);
}

static uint64_t sum_of(uint64_t sum, const uint8_t *p, size_t n)
{
    uint64_t word, all = 0;
    uint32_t half;
    size_t whole = n / 16 * 16; /* most octets of a capture pass here: compilers add several words at once */

    for (size_t i = 0; i < whole; i += sizeof half) { /* at most 65,535 octets: no carry */
        memcpy(&half, p + i, sizeof half);
        all += half;
    }
    sum = tcp_checksum_add(sum, all);
    p += whole;
    n -= whole;
    for (; n >= sizeof word; p += sizeof word, n -= sizeof word) {
        memcpy(&word, p, sizeof word);
        sum = tcp_checksum_add(sum, word);
    }
    word = 0;
    memcpy(&word, p, n);
    return tcp_checksum_add(sum, word);
}

static uint16_t tcp_checksum_fold(uint64_t sum)
{
    sum = (sum & UINT32_MAX) + (sum >> 32);
    sum = (sum & UINT32_MAX) + (sum >> 32);
    sum = (sum & ALL_ONES) + (sum >> 16);
    sum = (sum & ALL_ONES) + (sum >> 16);
    return (uint16_t)sum;
}

bool ipv4_checksum_wrong(const uint8_t *header, uint32_t n)
{
    enum { AT = 10 };

    return tcp_checksum_fold(sum_of(0, header, n)) != ALL_ONES && get_be16(header + AT) != 0;
}

void tcp_checksum_keep(struct tcp_segment *segment)
{
    uint8_t rest[8] = {[3] = PROTOCOL};
    uint32_t header;

    if (!segment->header)
        return;
    header = (uint32_t)(segment->header[LENGTH_AT] >> 4) * 4;
    put_be32(rest + 4, header + segment->length);
    INVARIANT(segment->n_addresses > 0 && segment->addresses);
    segment->pseudo_sum = sum_of(sum_of(0, segment->addresses, segment->n_addresses), rest, sizeof rest);
    memcpy(&segment->checksum, segment->header + CHECKSUM_AT, sizeof segment->checksum);
    segment->sum = sum_of(segment->pseudo_sum, segment->header, header);
    segment->summed = true;
    segment->header = NULL;
}

enum tcp_checksum tcp_checksum(const struct tcp_segment *segment)
{
    struct tcp_segment kept = *segment;
    uint16_t pseudo;

    tcp_checksum_keep(&kept);
    pseudo = tcp_checksum_fold(kept.pseudo_sum);
    if (!kept.summed || kept.captured < kept.length || kept.checksum == 0 || kept.checksum == pseudo ||
        (kept.checksum ^ pseudo) == ALL_ONES)
        return TCP_CHECKSUM_UNKNOWN;
    return tcp_checksum_fold(sum_of(kept.sum, kept.payload, kept.length)) == ALL_ONES ? TCP_CHECKSUM_RIGHT
                                                                                      : TCP_CHECKSUM_WRONG;
}
