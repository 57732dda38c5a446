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

enum { AT_ONCE = 32 };
typedef uint64_t words __attribute__((vector_size(AT_ONCE / 2)));

/* Adds 32-bit halves of words: the lower halves' sum is what the whole words' sum has beside that of the upper halves.
 */
static uint64_t sum_of_words(const uint8_t *p, size_t n)
{
    words all = {0}, upper = {0}, first, second;

    for (size_t i = 0; i < n; i += AT_ONCE) {
        memcpy(&first, p + i, sizeof first);
        memcpy(&second, p + i + sizeof first, sizeof second);
        all += first + second;
        upper += (first >> 32) + (second >> 32);
    }
    all += upper - (upper << 32);
    return all[0] + all[1];
}

static uint64_t sum_of(uint64_t sum, const uint8_t *p, size_t n)
{
    size_t whole = n / AT_ONCE * AT_ONCE;
    uint64_t word;
    uint32_t half = 0;

    if (whole > 0)
        sum = tcp_checksum_add(sum, sum_of_words(p, whole));
    for (p += whole, n -= whole; n >= sizeof word; p += sizeof word, n -= sizeof word) {
        memcpy(&word, p, sizeof word);
        sum = tcp_checksum_add(sum, word);
    }
    if (n == sizeof half) { /* most headers */
        memcpy(&half, p, sizeof half);
        return tcp_checksum_add(sum, half);
    }
    word = 0;
    if (n > 0)
        memcpy(&word, p, n);
    return tcp_checksum_add(sum, word);
}

/* All ones, or zero, in one's complement. */
static bool sums_to_zero(uint64_t sum)
{
    return sum % ALL_ONES == 0;
}

bool ipv4_checksum_wrong(const uint8_t *header, uint32_t n)
{
    enum { AT = 10 };

    return !sums_to_zero(sum_of(0, header, n)) && get_be16(header + AT) != 0;
}

static struct tcp_sums sums_of(const struct tcp_segment *segment)
{
    uint8_t rest[8] = {[3] = PROTOCOL};
    struct tcp_sums sums = segment->sums;
    uint64_t word;
    uint32_t header;

    if (!segment->header)
        return sums;
    header = (uint32_t)(segment->header[LENGTH_AT] >> 4) * 4;
    put_be32(rest + 4, header + segment->length);
    INVARIANT(segment->n_addresses > 0 && segment->addresses);
    memcpy(&sums.checksum, segment->header + CHECKSUM_AT, sizeof sums.checksum);
    memcpy(&word, rest, sizeof word);
    sums.pseudo = sum_of(word, segment->addresses, segment->n_addresses);
    sums.all = sum_of(sums.pseudo, segment->header, header);
    sums.known = true;
    return sums;
}

void tcp_checksum_keep(struct tcp_segment *segment)
{
    segment->sums = sums_of(segment);
    segment->header = NULL;
}

enum tcp_checksum tcp_checksum(const struct tcp_segment *segment)
{
    const struct tcp_sums sums = sums_of(segment);

    /* The pseudo-header's sum or its complement. */
    if (!sums.known || segment->captured < segment->length || sums.checksum == 0 ||
        sums_to_zero(tcp_checksum_add(sums.pseudo, ALL_ONES - sums.checksum)) ||
        sums_to_zero(tcp_checksum_add(sums.pseudo, sums.checksum)))
        return TCP_CHECKSUM_UNKNOWN;
    return sums_to_zero(sum_of(sums.all, segment->payload, segment->length)) ? TCP_CHECKSUM_RIGHT : TCP_CHECKSUM_WRONG;
}
