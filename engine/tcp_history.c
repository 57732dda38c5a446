// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/tcp_history.h"

#include <stdlib.h>
#include <string.h>

void tcp_history_init(struct tcp_history *history, size_t capacity)
{
    memset(history, 0, sizeof *history);
    history->capacity = 1;
    while (history->capacity < capacity && history->capacity < (size_t)1 << 30)
        history->capacity *= 2;
}

void tcp_history_free(struct tcp_history *history)
{
    free(history->octets);
    history->octets = NULL;
}

void tcp_history_append(struct tcp_history *history, uint64_t at, const uint8_t *p, size_t n, uint32_t frame)
{
    if (!history->octets) {
        history->octets = malloc(history->capacity);
        if (!history->octets)
            return;
        history->start = history->end = at;
    }
    if (at != history->end) {
        history->start = history->end = at;
        history->n_runs = 0;
    }
    history->end = at + n;
    /* Only the tail of what is longer than the ring. */
    if (n > history->capacity) {
        p += n - history->capacity;
        n = history->capacity;
    }
    size_t mask = history->capacity - 1, position = (size_t)(history->end - n) & mask;
    size_t first = history->capacity - position < n ? history->capacity - position : n;
    memcpy(history->octets + position, p, first);
    memcpy(history->octets, p + first, n - first);
    if (history->end - history->start > history->capacity)
        history->start = history->end - history->capacity;
    history->runs[history->n_runs++ % TCP_HISTORY_RUNS] = (struct tcp_history_run){history->end, frame};
}

static uint32_t frame_of(const struct tcp_history *history, uint64_t at)
{
    uint32_t kept = history->n_runs < TCP_HISTORY_RUNS ? history->n_runs : TCP_HISTORY_RUNS, frame = 0;
    for (uint32_t i = 0; i < kept; i++) { /* from the latest back */
        const struct tcp_history_run *run = &history->runs[(history->n_runs - 1 - i) % TCP_HISTORY_RUNS];
        if (run->end <= at)
            return frame;
        frame = run->frame;
    }
    /* The oldest run that is kept begins where the kept octets do only if nothing was overwritten. */
    return history->n_runs <= TCP_HISTORY_RUNS ? frame : 0;
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
            *out = (struct tcp_difference){from + i, kept[i], again[i], frame_of(history, from + i)};
            return true;
        }
        from += step;
    }
    return false;
}
