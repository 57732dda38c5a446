// SPDX-License-Identifier: GPL-2.0-or-later
/* Which octets of a segment were moved: a few ascending, disjoint pieces. */
#include "engine/rpcrdma/rpcrdma_internal.h"
#include "wire/invariant.h"

#include <string.h>

static bool ranges_are_in_order(const struct rpcrdma_ranges *ranges)
{
    for (unsigned i = 0; i < ranges->n; i++)
        if (ranges->range[i].from >= ranges->range[i].to || (i > 0 && ranges->range[i - 1].to >= ranges->range[i].from))
            return false;
    return ranges->n <= RPCRDMA_RANGES_MAX;
}

void rpcrdma_ranges_add(struct rpcrdma_ranges *ranges, uint64_t from, uint64_t to)
{
    unsigned at = 0, after;

    if (from >= to)
        return;
    /* The usual case: the new piece continues the last one. */
    if (ranges->n > 0 && ranges->range[ranges->n - 1].to == from) {
        ranges->range[ranges->n - 1].to = to;
        INVARIANT(ranges_are_in_order(ranges));
        return;
    }
    while (at < ranges->n && ranges->range[at].to < from)
        at++;
    for (after = at; after < ranges->n && ranges->range[after].from <= to; after++) {
        from = ranges->range[after].from < from ? ranges->range[after].from : from;
        to = ranges->range[after].to > to ? ranges->range[after].to : to;
    }
    if (after == at) {
        if (ranges->n == RPCRDMA_RANGES_MAX) {
            ranges->lost = true;
            INVARIANT(ranges_are_in_order(ranges));
            return;
        }
        memmove(&ranges->range[at + 1], &ranges->range[at], (ranges->n - at) * sizeof ranges->range[0]);
        ranges->n++;
    } else if (after > at + 1) {
        memmove(&ranges->range[at + 1], &ranges->range[after], (ranges->n - after) * sizeof ranges->range[0]);
        ranges->n = (uint8_t)(ranges->n - (after - at - 1));
    }
    INVARIANT(ranges->n > 0 && at < ranges->n && from < to);
    ranges->range[at].from = from;
    ranges->range[at].to = to;
    INVARIANT(ranges_are_in_order(ranges));
}

uint64_t rpcrdma_ranges_octets(const struct rpcrdma_ranges *ranges)
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < ranges->n; i++)
        sum += ranges->range[i].to - ranges->range[i].from;
    return sum;
}

uint64_t rpcrdma_ranges_prefix(const struct rpcrdma_ranges *ranges)
{
    return ranges->n > 0 && ranges->range[0].from == 0 ? ranges->range[0].to : 0;
}

bool rpcrdma_ranges_cover(const struct rpcrdma_ranges *ranges, uint64_t from, uint64_t to)
{
    if (from >= to)
        return true;
    for (unsigned i = 0; i < ranges->n; i++) {
        if (ranges->range[i].from <= from && to <= ranges->range[i].to)
            return true;
    }
    return false;
}
