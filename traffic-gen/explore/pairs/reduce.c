// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/explore/pairs/reduce.h"

enum { PARAMETERS = 32 };

static unsigned reduce_count(uint32_t set)
{
    unsigned n = 0;

    for (; set; set &= set - 1)
        n++;
    return n;
}

/* `n` members of the set, from the first-th on. */
static uint32_t slice(uint32_t set, unsigned first, unsigned n)
{
    uint32_t out = 0;
    unsigned at = 0;

    for (unsigned i = 0; i < PARAMETERS; i++) {
        if (!(set & UINT32_C(1) << i))
            continue;
        if (at >= first && at - first < n)
            out |= UINT32_C(1) << i;
        at++;
    }
    return out;
}

/* A part of the set that fails alone, or without which the rest fails. The set itself: there is none. */
static uint32_t reduce_smaller(uint32_t set, unsigned parts, reduce_test *fails, void *ctx, bool *is_part)
{
    const unsigned n = reduce_count(set);

    *is_part = true;
    for (unsigned i = 0; i < parts; i++) {
        uint32_t part = slice(set, n * i / parts, n * (i + 1) / parts - n * i / parts);

        if (part && part != set && fails(ctx, part))
            return part;
    }
    *is_part = false;
    for (unsigned i = 0; i < parts && parts > 2; i++) {
        uint32_t rest = set & ~slice(set, n * i / parts, n * (i + 1) / parts - n * i / parts);

        if (rest != set && fails(ctx, rest))
            return rest;
    }
    return set;
}

uint32_t reduce(uint32_t whole, reduce_test *fails, void *ctx)
{
    unsigned parts = 2;

    if (whole == 0 || fails(ctx, 0))
        return 0;
    while (reduce_count(whole) > 1) {
        bool is_part;
        uint32_t next = reduce_smaller(whole, parts, fails, ctx, &is_part);

        if (next != whole) {
            parts = is_part || parts < 3 ? 2 : parts - 1;
            whole = next;
        } else if (parts < reduce_count(whole)) {
            parts = 2 * parts < reduce_count(whole) ? 2 * parts : reduce_count(whole);
        } else {
            break;
        }
    }
    return whole;
}
