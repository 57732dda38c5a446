// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/packet/steady_clock.h"

#include "wire/invariant.h"

static const int64_t second = 1000000000;

enum {
    BACK_MAX_S = 1,    /* packets stamped by different processors may be out of order by less */
    FORTH_MAX_S = 3600 /* longer than any time limit in the rules */
};

static bool is_steady(int64_t step)
{
    return step >= -BACK_MAX_S * second && step <= FORTH_MAX_S * second;
}

int64_t steady_clock_take(struct steady_clock *clock, uint32_t frame, int64_t time_ns)
{
    int64_t step = clock->started ? time_ns - clock->last_ns : 0, forth;
    bool was_late;

    if (!clock->is_back && is_steady(step)) {
        clock->started = true;
        clock->last_ns = time_ns;
        return time_ns + clock->skew_ns;
    }
    forth = time_ns - clock->before_ns;
    was_late = clock->is_back && forth >= 0 && forth <= FORTH_MAX_S * second;

    clock->is_back = false;
    if (was_late) {
        clock->jumps--;
        clock->skew_ns += clock->last_ns - clock->before_ns;
    } else if (!is_steady(step)) {
        clock->is_back = step < 0 && step >= -FORTH_MAX_S * second;
        clock->before_ns = clock->last_ns;
        if (clock->jumps++ == 0) {
            clock->first_frame = frame;
            clock->first_ns = step;
            clock->first_at_ns = clock->last_ns;
        }
        clock->skew_ns -= step;
    }
    INVARIANT(clock->jumps > 0 || !clock->is_back);
    clock->started = true;
    clock->last_ns = time_ns;
    return time_ns + clock->skew_ns;
}
