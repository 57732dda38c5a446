// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/tcp/tcp_held.h"
#include "engine/core/heap.h"
#include "wire/invariant.h"

#include <stdlib.h>
#include <string.h>

void tcp_held_init(struct tcp_held *held, size_t limit)
{
    memset(held, 0, sizeof *held);
    held->limit = limit;
}

void tcp_held_free(struct tcp_held *held)
{
    while (held->n)
        free(tcp_held_take(held));
    free(held->pieces);
    held->pieces = NULL;
    held->capacity = held->first = 0;
}

static size_t footprint(uint32_t captured)
{
    return sizeof(struct tcp_piece) + captured;
}

static uint64_t held_end_of(const struct tcp_piece *piece)
{
    return piece->start + piece->length;
}

static bool held_is_within_bounds(const struct tcp_held *held)
{
    return held->first + held->n <= held->capacity && held->n <= TCP_HELD_PIECES_MAX && held->octets <= held->limit &&
           (held->n > 0) == (held->octets > 0);
}

/* Pieces i - 1 and i do not overlap. i is counted from `first`. */
static bool held_is_in_order(const struct tcp_held *held, size_t i)
{
    struct tcp_piece **piece = held->pieces + held->first + i;

    return i == 0 || i >= held->n || held_end_of(piece[-1]) <= piece[0]->start;
}

/* Index, counted from first, of the first piece that ends after `at`; n when there is none. */
static size_t index_after(const struct tcp_held *held, uint64_t at)
{
    size_t low = 0, high = held->n;
    /* Most pieces go to the end. */
    if (high && held_end_of(held->pieces[held->first + high - 1]) <= at)
        return high;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (held_end_of(held->pieces[held->first + middle]) <= at)
            low = middle + 1;
        else
            high = middle;
    }
    INVARIANT(low == held->n || held_end_of(held->pieces[held->first + low]) > at);
    INVARIANT(low == 0 || held_end_of(held->pieces[held->first + low - 1]) <= at);
    return low;
}

const struct tcp_piece *tcp_held_after(const struct tcp_held *held, uint64_t at)
{
    size_t i = index_after(held, at);
    return i < held->n ? held->pieces[held->first + i] : NULL;
}

/* Room for one more pointer after the last. */
static bool held_make_room(struct tcp_held *held)
{
    if (held->first + held->n < held->capacity)
        return true;
    if (held->first) {
        memmove(held->pieces, held->pieces + held->first, held->n * sizeof *held->pieces);
        held->first = 0;
        return true;
    }
    size_t capacity = held->capacity ? held->capacity * 2 : 16;
    struct tcp_piece **pieces = heap_resize(held->pieces, capacity * sizeof *pieces);
    if (!pieces)
        return false;
    held->pieces = pieces;
    held->capacity = capacity;
    INVARIANT(held->first + held->n < held->capacity);
    return true;
}

bool tcp_held_add(struct tcp_held *held, uint64_t start, uint32_t length, const uint8_t *octets, uint32_t captured,
                  const struct octets_origin *origin)
{
    if (held->n >= TCP_HELD_PIECES_MAX || held->octets + footprint(captured) > held->limit || !held_make_room(held))
        return false;
    struct tcp_piece *piece = heap_get(footprint(captured));
    if (!piece)
        return false;
    piece->start = start;
    piece->length = length;
    piece->captured = captured;
    piece->origin = *origin;
    if (captured)
        memcpy(piece->octets, octets, captured);
    size_t i = held->first + index_after(held, start);
    memmove(held->pieces + i + 1, held->pieces + i, (held->first + held->n - i) * sizeof *held->pieces);
    held->pieces[i] = piece;
    held->n++;
    held->octets += footprint(captured);
    INVARIANT(length > 0 && captured <= length);
    INVARIANT(held_is_within_bounds(held));
    INVARIANT(held_is_in_order(held, i - held->first) && held_is_in_order(held, i - held->first + 1));
    return true;
}

struct tcp_piece *tcp_held_take(struct tcp_held *held)
{
    struct tcp_piece *piece = held->pieces[held->first++];
    held->octets -= footprint(piece->captured);
    if (--held->n == 0)
        held->first = 0;
    INVARIANT(held_is_within_bounds(held));
    INVARIANT(held->n == 0 || held->pieces[held->first]->start >= held_end_of(piece));
    return piece;
}

void tcp_held_cut(struct tcp_held *held, uint64_t end)
{
    while (held->n) {
        struct tcp_piece *last = held->pieces[held->first + held->n - 1];
        if (held_end_of(last) <= end)
            return;
        if (last->start < end) {
            size_t before = footprint(last->captured);
            last->length = (uint32_t)(end - last->start);
            last->origin.segment_end = false;
            if (last->captured > last->length)
                last->captured = last->length;
            held->octets -= before - footprint(last->captured);
            INVARIANT(held_end_of(last) == end && last->length > 0 && last->captured <= last->length);
            INVARIANT(held_is_within_bounds(held));
            return;
        }
        held->octets -= footprint(last->captured);
        free(last);
        held->n--;
        INVARIANT(held_is_within_bounds(held));
    }
}
