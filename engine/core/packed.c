// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/core/packed.h"

#include "wire/invariant.h"

#include <stdlib.h>
#include <string.h>

enum {
    WORD = sizeof(uint64_t),
    GROUP = 64,
    WORDS_MAX = PACKED_MAX / WORD,
    GROUPS_MAX = (WORDS_MAX + GROUP - 1) / GROUP,
};

/* Number of octets without leading zero octets; at least one. */
static unsigned packed_length_of(uint64_t word)
{
    return (unsigned)(64 - __builtin_clzll(word | 1) + 7) / 8;
}

/* Lowest octet first. Writes WORD octets at `to`; those beyond the returned length do not matter. */
static uint8_t *packed_put_word(uint8_t *to, uint64_t word)
{
    unsigned length = packed_length_of(word);

    *to++ = (uint8_t)length;
    for (unsigned i = 0; i < length; i++)
        *to++ = (uint8_t)(word >> 8 * i);
    INVARIANT(length >= 1 && length <= WORD);
    return to;
}

static const uint8_t *get_word(const uint8_t *from, uint64_t *word)
{
    unsigned length = *from++;

    *word = 0;
    for (unsigned i = 0; i < length; i++)
        *word |= (uint64_t)*from++ << 8 * i;
    INVARIANT(length >= 1 && length <= WORD);
    return from;
}

/* n: number of words, at most GROUP. Returns the position after the packed octets. */
static uint8_t *pack_group(uint8_t *to, const uint8_t *from, size_t n)
{
    uint8_t *first = to;
    uint64_t which = 0, word;

    to += sizeof which;
    for (size_t i = 0; i < n; i++) {
        memcpy(&word, from + i * WORD, WORD);
        if (word == 0)
            continue;
        which |= UINT64_C(1) << i;
        to = packed_put_word(to, word);
    }
    INVARIANT(n <= GROUP && (n == GROUP || which >> n == 0));
    memcpy(first, &which, sizeof which);
    return to;
}

bool pack(struct packed *packed, const void *memory, size_t size)
{
    uint8_t octets[WORDS_MAX * (1 + WORD) + GROUPS_MAX * WORD], *to = octets;
    size_t of = size / WORD;

    for (size_t i = 0; i < of; i += GROUP)
        to = pack_group(to, (const uint8_t *)memory + i * WORD, of - i < GROUP ? of - i : GROUP);
    INVARIANT(of <= WORDS_MAX && of * WORD == size);
    INVARIANT((size_t)(to - octets) <= sizeof octets);
    *packed = (struct packed){malloc((size_t)(to - octets)), (uint32_t)(to - octets), (uint32_t)of};
    if (packed->octets)
        memcpy(packed->octets, octets, packed->size);
    return packed->octets != NULL;
}

void unpack(struct packed *packed, void *memory)
{
    const uint8_t *from = packed->octets;
    uint64_t which, word;

    for (size_t i = 0; i < packed->of; i += GROUP) {
        memcpy(&which, from, sizeof which);
        for (from += sizeof which; which != 0; which &= which - 1) {
            from = get_word(from, &word);
            memcpy((uint8_t *)memory + (i + (unsigned)__builtin_ctzll(which)) * WORD, &word, WORD);
        }
    }
    INVARIANT(from == packed->octets + packed->size);
    free(packed->octets);
    *packed = (struct packed){0};
}
