// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A rule that was exercised is a number of 7-bit groups, the lowest first, 0x80 meaning that more follow: the distance
 * from the rule before it, shifted left by two, with two bits that say whether it failed or stayed open; then, as
 * such numbers, how often it passed, and failed and stayed open where the bits say so.
 */
#include "engine/fold.h"
#include "engine/heap.h"

#include <stdlib.h>
#include <string.h>

enum {
    HAS_FAILED = 1,
    HAS_INCONCLUSIVE = 2,
    FLAG_BITS = 2,
    GROUP_BITS = 7,
    GROUP_MORE = 0x80,
    NUMBER_MAX = 5,             /* octets of a 32-bit number */
    ENTRY_MAX = 4 * NUMBER_MAX, /* of a rule */
};

struct folded_counts {
    uint32_t size;
    uint8_t octets[];
};

static uint8_t *put_number(uint8_t *p, uint32_t number)
{
    while (number >= GROUP_MORE) {
        *p++ = (uint8_t)(number | GROUP_MORE);
        number >>= GROUP_BITS;
    }
    *p++ = (uint8_t)number;
    return p;
}

static const uint8_t *get_number(const uint8_t *p, uint32_t *number)
{
    unsigned shift = 0;

    *number = 0;
    while (*p & GROUP_MORE) {
        *number |= (uint32_t)(*p++ & ~GROUP_MORE) << shift;
        shift += GROUP_BITS;
    }
    *number |= (uint32_t)*p++ << shift;
    return p;
}

static uint8_t *put_count(uint8_t *p, uint32_t distance, const struct rule_count *count)
{
    uint32_t flags = (count->failed > 0 ? HAS_FAILED : 0) | (count->inconclusive > 0 ? HAS_INCONCLUSIVE : 0);

    p = put_number(p, distance << FLAG_BITS | flags);
    p = put_number(p, count->passed);
    if (flags & HAS_FAILED)
        p = put_number(p, count->failed);
    if (flags & HAS_INCONCLUSIVE)
        p = put_number(p, count->inconclusive);
    return p;
}

struct folded_counts *counts_fold(const struct rule_count counts[RULE_COUNT])
{
    uint8_t octets[RULE_COUNT * ENTRY_MAX], *p = octets;
    struct folded_counts *folded;
    size_t last = 0;

    for (size_t i = 0; i < RULE_COUNT; i++) {
        if ((counts[i].passed | counts[i].failed | counts[i].inconclusive) == 0)
            continue;
        p = put_count(p, (uint32_t)(i - last), &counts[i]);
        last = i;
    }
    folded = heap_get(sizeof *folded + (size_t)(p - octets));
    if (!folded)
        return NULL;
    folded->size = (uint32_t)(p - octets);
    memcpy(folded->octets, octets, folded->size);
    return folded;
}

void counts_unfold(const struct folded_counts *folded, struct rule_count counts[RULE_COUNT])
{
    const uint8_t *p = folded->octets, *end = p + folded->size;
    size_t rule = 0;

    while (p < end) {
        struct rule_count count = {0};
        uint32_t head;

        p = get_number(p, &head);
        p = get_number(p, &count.passed);
        if (head & HAS_FAILED)
            p = get_number(p, &count.failed);
        if (head & HAS_INCONCLUSIVE)
            p = get_number(p, &count.inconclusive);
        rule += head >> FLAG_BITS;
        rule_count_add(&counts[rule], &count);
    }
}
