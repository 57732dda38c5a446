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
    uint32_t size, users;
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

/* Some rules at a time, as the compiler can look at several counts at once. */
enum { BLOCK = 16 };

static inline bool is_zero(const struct rule_count *counts, size_t n)
{
    uint32_t any = 0;

    for (size_t i = 0; i < n; i++)
        any |= counts[i].passed | counts[i].failed | counts[i].inconclusive;
    return any == 0;
}

/* The first rule from i on, or RULE_COUNT, that was counted: at least its block was. */
static inline size_t skip_zero(const struct rule_count counts[RULE_COUNT], size_t i)
{
    while (i + BLOCK <= RULE_COUNT && is_zero(counts + i, BLOCK))
        i += BLOCK;
    return i;
}

static size_t block_end(size_t i)
{
    return i + BLOCK < RULE_COUNT ? i + BLOCK : RULE_COUNT;
}

void counts_clear(struct rule_count counts[RULE_COUNT])
{
    for (size_t i = skip_zero(counts, 0); i < RULE_COUNT; i = skip_zero(counts, block_end(i)))
        memset(counts + i, 0, (block_end(i) - i) * sizeof *counts);
}

struct folded_counts *counts_fold(const struct rule_count counts[RULE_COUNT])
{
    uint8_t octets[RULE_COUNT * ENTRY_MAX], *p = octets;
    struct folded_counts *folded;
    size_t last = 0;

    for (size_t block = skip_zero(counts, 0); block < RULE_COUNT; block = skip_zero(counts, block_end(block)))
        for (size_t i = block; i < block_end(block); i++) {
            if (is_zero(&counts[i], 1))
                continue;
            p = put_count(p, (uint32_t)(i - last), &counts[i]);
            last = i;
        }
    folded = heap_get(sizeof *folded + (size_t)(p - octets));
    if (!folded)
        return NULL;
    folded->users = 1;
    folded->size = (uint32_t)(p - octets);
    memcpy(folded->octets, octets, folded->size);
    return folded;
}

void counts_free(struct folded_counts *folded)
{
    if (folded && --folded->users == 0)
        free(folded);
}

struct folded_counts *counts_pool(struct folded_pool *pool, struct folded_counts *folded)
{
    struct folded_counts **latest;
    uint32_t hash = 0;

    if (!folded)
        return NULL;
    for (uint32_t i = 0; i < folded->size; i++)
        hash = hash * 31 + folded->octets[i];
    latest = &pool->latest[hash % FOLDED_POOL];
    if (!*latest || (*latest)->users == UINT32_MAX || (*latest)->size != folded->size ||
        memcmp((*latest)->octets, folded->octets, folded->size) != 0) {
        counts_free(*latest);
        *latest = folded;
    } else {
        counts_free(folded);
    }
    (*latest)->users++;
    return *latest;
}

void folded_pool_free(struct folded_pool *pool)
{
    for (unsigned i = 0; i < FOLDED_POOL; i++)
        counts_free(pool->latest[i]);
    *pool = (struct folded_pool){0};
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
