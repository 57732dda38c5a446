// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An exercised rule is stored as numbers of 7-bit groups, lowest group first, where 0x80 means that more groups follow.
 * First the distance from the previous rule's counter, shifted left by two, with two bits for "has failed" and "has
 * inconclusive"; then the number of passes and, if their bits are set, of failures and inconclusive outcomes.
 */
#include "engine/core/fold.h"
#include "engine/core/hash.h"
#include "engine/core/heap.h"
#include "wire/invariant.h"
#include "wire/octets.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    HAS_FAILED = 1,
    HAS_INCONCLUSIVE = 2,
    FLAG_BITS = 2,
    GROUP_BITS = 7,
    GROUP_MORE = 0x80,
    NUMBER_MAX = 5,             /* octets of a 32-bit number */
    ENTRY_MAX = 4 * NUMBER_MAX, /* for one rule */
};

struct folded_counts {
    struct folded_counts *before; /* counts to be added; NULL: none */
    uint32_t size, users;
    bool failed; /* a rule has findings */
    uint8_t octets[];
};

static uint8_t *fold_put_number(uint8_t *p, uint32_t number)
{
    while (number >= GROUP_MORE) {
        *p++ = (uint8_t)(number | GROUP_MORE);
        number >>= GROUP_BITS;
    }
    *p++ = (uint8_t)number;
    return p;
}

static const uint8_t *fold_get_number(const uint8_t *p, uint32_t *number)
{
    unsigned shift = 0;

    *number = 0;
    while (*p & GROUP_MORE) {
        *number |= (uint32_t)(*p++ & ~GROUP_MORE) << shift;
        shift += GROUP_BITS;
    }
    INVARIANT(shift < NUMBER_MAX * GROUP_BITS);
    *number |= (uint32_t)*p++ << shift;
    return p;
}

/* As a number, with the first count in its most significant octet. */
static uint64_t block_of(const uint8_t passed[RULE_BLOCK])
{
    static_assert(sizeof(uint64_t) == RULE_BLOCK, "several at once");
    return get_be64(passed);
}

/* Output position. */
struct folding {
    uint8_t *next;
    size_t last; /* counter */
    bool failed;
};

static inline void put_count(struct folding *folding, size_t counter, struct rule_count count)
{
    uint32_t distance = (uint32_t)(counter - folding->last);

    if ((count.passed | count.failed | count.inconclusive) == 0)
        return;
    INVARIANT(counter > folding->last || counter == 0); /* in ascending order */
    INVARIANT(counter < RULE_COUNTERS);
    folding->last = counter;
    folding->next = fold_put_number(folding->next, distance << FLAG_BITS | (count.failed > 0 ? HAS_FAILED : 0) |
                                                       (count.inconclusive > 0 ? HAS_INCONCLUSIVE : 0));
    folding->next = fold_put_number(folding->next, count.passed);
    if (count.failed > 0) {
        folding->next = fold_put_number(folding->next, count.failed);
        folding->failed = true;
    }
    if (count.inconclusive > 0)
        folding->next = fold_put_number(folding->next, count.inconclusive);
}

/* Stores all counts that are not 0. */
static void take_passed(uint8_t passed[RULE_ROOM], struct folding *folding)
{
    for (size_t block = 0; block < RULE_ROOM; block += RULE_BLOCK) {
        uint64_t counts = block_of(passed + block);

        if (counts == 0)
            continue;
        while (counts != 0) { /* for each nonzero count */
            unsigned i = (unsigned)__builtin_clzll(counts) / 8;

            put_count(folding, block + i, (struct rule_count){passed[block + i], 0, 0});
            counts &= ~(UINT64_C(0xFF) << 56 >> 8 * i);
        }
        memset(passed + block, 0, RULE_BLOCK);
    }
    INVARIANT(folding->last < RULE_COUNTERS && !folding->failed);
}

static bool are_zero(const uint32_t counts[RULE_BLOCK])
{
    uint32_t any = 0;

    for (size_t i = 0; i < RULE_BLOCK; i++)
        any |= counts[i];
    return any == 0;
}

static bool block_is_zero(const struct rule_counts *counts, size_t block)
{
    return block_of(counts->passed + block) == 0 &&
           (!counts->others || (are_zero(counts->passed_256s + block) && are_zero(counts->failed + block) &&
                                are_zero(counts->inconclusive + block)));
}

bool counts_empty(const struct rule_counts *counts)
{
    for (size_t block = 0; block < RULE_ROOM; block += RULE_BLOCK)
        if (!block_is_zero(counts, block))
            return false;
    return true;
}

static void take_all(struct rule_counts *counts, struct folding *folding)
{
    for (size_t block = 0; block < RULE_ROOM; block += RULE_BLOCK)
        if (!block_is_zero(counts, block))
            for (size_t counter = block; counter < block + RULE_BLOCK; counter++)
                put_count(folding, counter, counts_get(counts, counter));
    INVARIANT(folding->last < RULE_COUNTERS);
    memset(counts, 0, sizeof *counts);
    INVARIANT(counts_empty(counts));
}

/* With few octets, the upper bits of the hash are the best. */
static size_t fold_slot_of(uint64_t hash, unsigned bits)
{
    return hash >> (64 - bits);
}

static struct folded_counts *fold_keep(const struct folded_counts *head, const uint8_t *octets)
{
    struct folded_counts *folded = heap_get(sizeof *folded + head->size);

    if (!folded)
        return NULL;
    *folded = *head;
    memcpy(folded->octets, octets, head->size);
    return folded;
}

static bool fold_is_same(const struct folded_counts *folded, const struct folded_counts *head, const uint8_t *octets)
{
    return folded && folded->size == head->size && folded->before == head->before && folded->users != UINT32_MAX &&
           memcmp(folded->octets, octets, head->size) == 0;
}

struct folded_counts *counts_fold(struct folded_pool *pool, struct rule_counts *counts, struct folded_counts *before)
{
    uint8_t octets[RULE_COUNTERS * ENTRY_MAX];
    struct folding folding = {octets, 0, false};
    struct folded_counts head = {.before = before, .users = 1}, *folded, **latest;

    if (counts->others)
        take_all(counts, &folding);
    else
        take_passed(counts->passed, &folding);
    head.size = (uint32_t)(folding.next - octets);
    head.failed = folding.failed;
    INVARIANT(head.size <= sizeof octets);
    INVARIANT(counts_empty(counts) && !counts->others);
    latest = pool ? &pool->latest[fold_slot_of(hash_octets(0, octets, head.size), FOLDED_POOL_BITS)] : NULL;
    if (latest && fold_is_same(*latest, &head, octets)) {
        counts_free(before);
        (*latest)->users++;
        INVARIANT((*latest)->users > 1 && (*latest)->failed == head.failed);
        return *latest;
    }
    folded = fold_keep(&head, octets);
    if (!folded) {
        counts_free(before);
    } else if (latest) {
        counts_free(*latest);
        *latest = folded;
        folded->users++;
    }
    INVARIANT(!folded || (folded->before == before && folded->users == (latest ? 2 : 1)));
    return folded;
}

void counts_free(struct folded_counts *folded)
{
    INVARIANT(!folded || folded->users > 0);
    while (folded && --folded->users == 0) {
        struct folded_counts *before = folded->before;

        free(folded);
        folded = before;
    }
    INVARIANT(!folded || folded->users > 0);
}

void folded_pool_free(struct folded_pool *pool)
{
    for (unsigned i = 0; i < FOLDED_POOL; i++)
        counts_free(pool->latest[i]);
    *pool = (struct folded_pool){0};
}

struct cursor {
    const uint8_t *next, *end;
    size_t counter; /* the counter that next_count() returned last */
};

static struct cursor fold_begin(const struct folded_counts *folded)
{
    return (struct cursor){folded->octets, folded->octets + folded->size, 0};
}

/* False at the end. */
static inline bool next_count(struct cursor *cursor, struct rule_count *count)
{
    uint32_t head;

    if (cursor->next == cursor->end)
        return false;
    *count = (struct rule_count){0};
    cursor->next = fold_get_number(fold_get_number(cursor->next, &head), &count->passed);
    if (head & HAS_FAILED)
        cursor->next = fold_get_number(cursor->next, &count->failed);
    if (head & HAS_INCONCLUSIVE)
        cursor->next = fold_get_number(cursor->next, &count->inconclusive);
    cursor->counter += head >> FLAG_BITS;
    INVARIANT(cursor->next <= cursor->end && cursor->counter < RULE_COUNTERS);
    INVARIANT((count->passed | count->failed | count->inconclusive) != 0);
    INVARIANT((count->failed > 0) == ((head & HAS_FAILED) != 0));
    return true;
}

uint32_t folded_failed(const struct folded_counts *folded, size_t rule)
{
    uint32_t failed = 0;

    for (; folded; folded = folded->before) {
        struct cursor cursor = fold_begin(folded);
        struct rule_count count;

        while (folded->failed && next_count(&cursor, &count))
            failed = rule_count_sum(failed, cursor.counter == rule_counter[rule] ? count.failed : 0);
    }
    return failed;
}

bool folded_any_failed(const struct folded_counts *folded)
{
    while (folded && !folded->failed)
        folded = folded->before;
    return folded != NULL;
}

static uint32_t sum_times(uint32_t sum, uint32_t count, uint32_t times)
{
    uint64_t product = (uint64_t)count * times;

    return rule_count_sum(sum, product > UINT32_MAX ? UINT32_MAX : (uint32_t)product);
}

static void unfold_times(const struct folded_counts *folded, uint32_t times, struct rule_counts *counts)
{
    for (; folded; folded = folded->before) {
        struct cursor cursor = fold_begin(folded);
        struct rule_count count;

        while (next_count(&cursor, &count)) {
            struct rule_count sum = counts_get(counts, cursor.counter);

            sum.passed = sum_times(sum.passed, count.passed, times);
            sum.failed = sum_times(sum.failed, count.failed, times);
            sum.inconclusive = sum_times(sum.inconclusive, count.inconclusive, times);
            counts_set(counts, cursor.counter, sum);
            INVARIANT(times == 0 || (sum.passed >= count.passed && sum.failed >= count.failed &&
                                     sum.inconclusive >= count.inconclusive));
        }
    }
}

void counts_unfold(const struct folded_counts *folded, struct rule_counts *counts)
{
    unfold_times(folded, 1, counts);
}

void counts_sum_add(struct counts_sum *sum, const struct folded_counts *folded)
{
    size_t i = fold_slot_of(hash_octets(0, (const uint8_t *)&folded, sizeof folded), COUNTS_SUM_BITS);

    if (sum->latest[i].folded != folded || sum->latest[i].times == UINT32_MAX) {
        unfold_times(sum->latest[i].folded, sum->latest[i].times, sum->counts);
        sum->latest[i].folded = folded;
        sum->latest[i].times = 0;
    }
    sum->latest[i].times++;
    INVARIANT(sum->latest[i].folded == folded && sum->latest[i].times > 0);
}

void counts_sum_end(struct counts_sum *sum)
{
    for (unsigned i = 0; i < COUNTS_SUM; i++) {
        unfold_times(sum->latest[i].folded, sum->latest[i].times, sum->counts);
        sum->latest[i].folded = NULL;
        sum->latest[i].times = 0;
    }
}
