/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Times of packets without the jumps of the clock that stamped them: when it was set, or the machine slept, or captures
 * were appended, nobody was silent for so long.
 */
#ifndef IWARP_ENGINE_PACKET_STEADY_CLOCK_H
#define IWARP_ENGINE_PACKET_STEADY_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

struct steady_clock {
    bool started;
    int64_t last_ns, skew_ns;
    bool is_back;      /* the latest packet went back */
    int64_t before_ns; /* from there, by its own clock */
    uint64_t jumps;
    uint32_t first_frame; /* after the first jump */
    int64_t first_ns;     /* how far it went; negative: back */
    int64_t first_at_ns;  /* the time then, by this clock */
};

/*
 * The time of the next packet of a capture, of any connection: time_ns as long as the clock never went back by more
 * than a second, nor forward by more than an hour. After a jump, time goes on where it was. One packet that was stamped
 * in time and captured late is none: the packet after it goes on from before.
 */
int64_t steady_clock_take(struct steady_clock *clock, uint32_t frame, int64_t time_ns);

#endif
