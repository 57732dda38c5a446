// SPDX-License-Identifier: GPL-2.0-or-later
/* The octets of one direction that are still needed: the piece as delivered, or a buffer once octets must be kept. */
#include "engine/mpa/mpa_internal.h"
#include "wire/invariant.h"

#include <string.h>

enum { BUFFER_MIN = 256 };

static bool window_is_sound(const struct mpa_window *window)
{
    return (window->n == 0 || window->p) && (window->capacity == 0) == (window->buffer == NULL) &&
           (!window->buffered ||
            (window->p >= window->buffer && window->p + window->n <= window->buffer + window->capacity));
}

/* Moves the window's octets into the buffer and makes room after them for `more` octets. */
static bool window_gather(struct mpa_window *window, size_t more)
{
    size_t wanted = window->n + more;

    if (window->capacity < wanted) {
        size_t capacity = window->capacity < BUFFER_MIN ? BUFFER_MIN : window->capacity;
        uint8_t *buffer;

        while (capacity < wanted)
            capacity *= 2;
        buffer = arena_resize(window->arena, NULL, 0, capacity);
        if (!buffer)
            return false;
        if (window->n > 0)
            memcpy(buffer, window->p, window->n);
        arena_drop(window->buffer, window->capacity);
        window->buffer = buffer;
        window->capacity = capacity;
    } else if (!window->buffered) {
        if (window->n > 0)
            memcpy(window->buffer, window->p, window->n);
    } else if ((size_t)(window->buffer + window->capacity - window->p) < wanted) {
        memmove(window->buffer, window->p, window->n);
    } else {
        return true;
    }
    window->p = window->buffer;
    window->buffered = true;
    INVARIANT(window_is_sound(window) && window->capacity >= wanted);
    return true;
}

bool mpa_window_feed(struct mpa_window *window, uint64_t offset, const uint8_t *p, size_t n)
{
    if (window->n == 0) {
        mpa_window_restart(window, offset);
        window->p = p;
        window->n = n;
        return true;
    }
    if (!window_gather(window, n))
        return false;
    memcpy(window->buffer + (window->p - window->buffer) + window->n, p, n);
    window->n += n;
    INVARIANT(window_is_sound(window) && mpa_window_end(window) == offset + n); /* the octets follow each other */
    return true;
}

void mpa_window_drop(struct mpa_window *window, uint64_t until)
{
    uint64_t count = until > window->offset ? until - window->offset : 0;

    if (count >= window->n) {
        mpa_window_restart(window, until > mpa_window_end(window) ? until : mpa_window_end(window));
    } else {
        window->p += count;
        window->n -= (size_t)count;
        window->offset = until > window->offset ? until : window->offset;
    }
    INVARIANT(window_is_sound(window) && window->offset >= until);
}

bool mpa_window_save(struct mpa_window *window)
{
    return window->n == 0 || window->buffered || window_gather(window, 0);
}

void mpa_window_restart(struct mpa_window *window, uint64_t offset)
{
    window->offset = offset;
    window->p = NULL;
    window->n = 0;
    window->buffered = false;
}

void mpa_window_free(struct mpa_window *window)
{
    arena_drop(window->buffer, window->capacity);
    *window = (struct mpa_window){.offset = window->offset, .arena = window->arena};
}
