// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/input/steady_clock.h"

static const int64_t second = 1000000000;

enum {
    BACK_MAX_S = 1,    /* packets that several processors stamp may be out of order by less */
    FORTH_MAX_S = 3600 /* longer than any time that the rules go by */
};

int64_t steady_clock_take(struct steady_clock *clock, uint32_t frame, int64_t time_ns)
{
    int64_t step = clock->started ? time_ns - clock->last_ns : 0;

    if (step < -BACK_MAX_S * second || step > FORTH_MAX_S * second) {
        if (clock->jumps++ == 0) {
            clock->first_frame = frame;
            clock->first_ns = step;
            clock->first_at_ns = clock->last_ns;
        }
        clock->skew_ns -= step;
    }
    clock->started = true;
    clock->last_ns = time_ns;
    return time_ns + clock->skew_ns;
}
