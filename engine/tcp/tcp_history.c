// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/tcp/tcp_history.h"

#include "wire/invariant.h"

#include <string.h>

enum { OCTETS_FIRST = 256, RUNS_FIRST = 8 }; /* powers of two, like TCP_HISTORY_RUNS */
/* A full Ethernet segment. A sender of larger segments has more octets in flight, and then the ring is larger. */
enum { ACKED_KEPT = 2048 };

static bool is_power_of_two(size_t n)
{
    return n != 0 && (n & (n - 1)) == 0;
}

static bool history_is_within_bounds(const struct tcp_history *history)
{
    return history->start <= history->end && history->end - history->start <= history->capacity &&
           history->capacity <= history->limit && history->runs_capacity <= TCP_HISTORY_RUNS &&
           (history->octets != NULL) == (history->capacity > 0) &&
           (history->runs != NULL) == (history->runs_capacity > 0);
}

void tcp_history_init(struct tcp_history *history, size_t limit, struct arena *arena)
{
    memset(history, 0, sizeof *history);
    history->arena = arena;
    history->limit = OCTETS_FIRST;
    while (history->limit < limit && history->limit < (size_t)1 << 30)
        history->limit *= 2;
    INVARIANT(is_power_of_two(history->limit));
}

void tcp_history_free(struct tcp_history *history)
{
    arena_drop(history->octets, history->capacity);
    arena_drop(history->runs, history->runs_capacity * sizeof *history->runs);
    history->octets = NULL;
    history->runs = NULL;
    history->capacity = 0;
    history->runs_capacity = 0;
}

/* Copies the octets [at, at + n) into a ring. */
static void history_put(uint8_t *ring, size_t capacity, uint64_t at, const uint8_t *p, size_t n)
{
    size_t position = (size_t)at & (capacity - 1), first = capacity - position < n ? capacity - position : n;

    memcpy(ring + position, p, first);
    if (first < n)
        memcpy(ring, p + first, n - first);
}

/* Makes room for the kept octets and n more, within the limit. */
static void history_grow_octets(struct tcp_history *history, size_t n)
{
    size_t kept = (size_t)(history->end - history->start), capacity = history->capacity;

    if (capacity == 0)
        capacity = OCTETS_FIRST;
    while (capacity < history->limit && capacity - kept < n)
        capacity *= 2;
    uint8_t *octets = arena_resize(history->arena, NULL, 0, capacity);
    if (!octets)
        return;
    if (kept) {
        size_t position = (size_t)history->start & (history->capacity - 1);
        size_t first = history->capacity - position < kept ? history->capacity - position : kept;
        history_put(octets, capacity, history->start, history->octets + position, first);
        history_put(octets, capacity, history->start + first, history->octets, kept - first);
    }
    arena_drop(history->octets, history->capacity);
    history->octets = octets;
    history->capacity = capacity;
    INVARIANT(is_power_of_two(capacity) && history_is_within_bounds(history));
}

/* Twice the room, with the oldest run first. */
static void grow_runs(struct tcp_history *history)
{
    uint32_t from = history->runs_capacity, to = from ? 2 * from : RUNS_FIRST;
    struct tcp_history_run *runs = arena_resize(history->arena, NULL, 0, to * sizeof *runs);

    if (!runs)
        return;
    for (uint32_t i = 0; i < from; i++)
        runs[i] = history->runs[(history->n_runs + i) & (from - 1)];
    arena_drop(history->runs, from * sizeof *runs);
    history->runs = runs;
    history->runs_capacity = to;
    history->n_runs = from;
    INVARIANT(is_power_of_two(to) && to <= TCP_HISTORY_RUNS);
}

/* The run ends after `at`. */
static bool history_is_after(const struct tcp_history_run *run, uint64_t at)
{
    return (int32_t)(run->end - (uint32_t)at) > 0;
}

/*
 * A run is overwritten only if its octets, and those of the next run (whose beginning becomes unknown), are no longer
 * kept; or if TCP_HISTORY_RUNS are in use.
 */
static void history_add_run(struct tcp_history *history, uint64_t end, uint32_t frame)
{
    uint32_t capacity = history->runs_capacity;

    if (history->n_runs >= capacity && capacity < TCP_HISTORY_RUNS &&
        (capacity == 0 || history_is_after(&history->runs[(history->n_runs + 1) & (capacity - 1)], history->start)))
        grow_runs(history);
    if (history->runs_capacity)
        history->runs[history->n_runs++ & (history->runs_capacity - 1)] =
            (struct tcp_history_run){(uint32_t)end, frame};
    INVARIANT(history->runs_capacity >= capacity);
}

/* n more octets would overwrite octets that are still needed, and the ring may still grow. */
static bool history_is_short(const struct tcp_history *history, size_t n, uint64_t acked)
{
    uint64_t end = history->end + n;

    return history->capacity < history->limit && end - history->start > history->capacity &&
           end + ACKED_KEPT > history->capacity + acked;
}

void tcp_history_append(struct tcp_history *history, uint64_t at, const uint8_t *p, size_t n, uint64_t acked,
                        uint32_t frame)
{
    if (at != history->end) {
        history->start = history->end = at;
        history->n_runs = 0;
    }
    if (history_is_short(history, n, acked))
        history_grow_octets(history, n);
    if (history->capacity == 0) {
        history->start = history->end = at + n;
        return;
    }
    history->end = at + n;
    /* Keep only the tail of a run longer than the ring. */
    if (n > history->capacity) {
        p += n - history->capacity;
        n = history->capacity;
    }
    history_put(history->octets, history->capacity, history->end - n, p, n);
    if (history->end - history->start > history->capacity)
        history->start = history->end - history->capacity;
    history_add_run(history, history->end, frame);
    INVARIANT(history_is_within_bounds(history));
    INVARIANT(history->end - history->start >= n); /* the appended octets are kept */
}

static uint32_t history_frame_of(const struct tcp_history *history, uint64_t at)
{
    uint32_t kept = history->n_runs < history->runs_capacity ? history->n_runs : history->runs_capacity, frame = 0;
    for (uint32_t i = 0; i < kept; i++) { /* from the latest back */
        const struct tcp_history_run *run = &history->runs[(history->n_runs - 1 - i) & (history->runs_capacity - 1)];
        if (!history_is_after(run, at))
            return frame;
        frame = run->frame;
    }
    /* The beginning of the oldest kept run is known only if no run was overwritten. */
    return history->n_runs <= history->runs_capacity ? frame : 0;
}

bool tcp_history_differs(const struct tcp_history *history, uint64_t at, const uint8_t *p, size_t n,
                         struct tcp_difference *out)
{
    if (!history->octets || at >= history->end || at + n <= history->start)
        return false;
    uint64_t from = at > history->start ? at : history->start;
    uint64_t to = at + n < history->end ? at + n : history->end;
    size_t mask = history->capacity - 1;
    while (from < to) {
        size_t position = (size_t)from & mask, step = history->capacity - position;
        if (step > to - from)
            step = (size_t)(to - from);
        const uint8_t *kept = history->octets + position, *again = p + (from - at);
        if (memcmp(kept, again, step) != 0) {
            size_t i = 0;
            while (kept[i] == again[i])
                i++;
            *out = (struct tcp_difference){from + i, kept[i], again[i], history_frame_of(history, from + i)};
            INVARIANT(out->offset >= at && out->offset < at + n && out->first != out->repeated);
            return true;
        }
        from += step;
    }
    return false;
}
