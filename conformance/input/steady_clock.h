/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Times of packets without the jumps of the clock that stamped them: when it was set, or the machine slept, or captures
 * were appended, nobody was silent for so long.
 */
#ifndef IWARP_CONFORMANCE_INPUT_STEADY_CLOCK_H
#define IWARP_CONFORMANCE_INPUT_STEADY_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

struct steady_clock {
    bool started;
    int64_t last_ns, skew_ns;
    uint64_t jumps;
    uint32_t first_frame; /* after the first jump */
    int64_t first_ns;     /* how far it went; negative: back */
    int64_t first_at_ns;  /* the time then, by this clock */
};

/*
 * The time of the next packet of a capture, of any connection: time_ns as long as the clock never went back by more
 * than a second, nor forward by more than an hour. After a jump, time goes on where it was.
 */
int64_t steady_clock_take(struct steady_clock *clock, uint32_t frame, int64_t time_ns);

#endif
