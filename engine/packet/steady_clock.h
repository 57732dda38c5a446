/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Packet times without jumps of the clock. A clock that was set, a machine that slept, or captures that were appended
 * must not look like silence on a connection.
 */
#ifndef IWARP_ENGINE_PACKET_STEADY_CLOCK_H
#define IWARP_ENGINE_PACKET_STEADY_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

struct steady_clock {
    bool started;
    int64_t last_ns, skew_ns;
    bool is_back;      /* the latest packet was stamped before the previous one */
    int64_t before_ns; /* time before that step, by the capture's clock */
    uint64_t jumps;
    uint32_t first_frame; /* the first frame after the first jump */
    int64_t first_ns;     /* size of that jump; negative: backwards */
    int64_t first_at_ns;  /* the time of that jump, by this clock */
};

/*
 * The time of the next packet of a capture, from any connection: time_ns as long as the clock has never jumped back by
 * more than a second, or forward by more than an hour. After a jump, time continues from before it. A single packet
 * that was captured late is not a jump: the next packet continues from before.
 */
int64_t steady_clock_take(struct steady_clock *clock, uint32_t frame, int64_t time_ns);

#endif
