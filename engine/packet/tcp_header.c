// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/packet/tcp_header.h"

#include "wire/invariant.h"
#include "wire/octets.h"

enum {
    OPTION_END = 0,
    OPTION_NOP = 1,
    OPTION_MSS = 2,
    OPTION_WINDOW_SCALE = 3,
    OPTION_SACK_PERMITTED = 4,
    OPTION_TIMESTAMPS = 8,
    WINDOW_SCALE_ABSENT = 255,
    STAMPED_HEADER = 32,       /* octets of a header whose options are only two NOPs and Timestamps: */
    STAMPS_ALONE = 0x0101080a, /* NOP, NOP, kind, length */
};

static void header_take_stamps(struct tcp_segment *segment, const uint8_t *p)
{
    segment->stamped = true;
    segment->stamp = get_be32(p);
    segment->echo = get_be32(p + 4);
}

static __attribute__((noinline)) void header_take_options(struct tcp_segment *segment, const uint8_t *p,
                                                          const uint8_t *end)
{
    while (p < end && *p != OPTION_END) {
        if (*p == OPTION_NOP) {
            p++;
            continue;
        }
        if (end - p < 2 || p[1] < 2 || p[1] > end - p)
            return;
        if (p[0] == OPTION_MSS && p[1] == 4 && segment->flags & TCP_SYN)
            segment->mss = get_be16(p + 2);
        else if (p[0] == OPTION_WINDOW_SCALE && p[1] == 3 && segment->flags & TCP_SYN)
            segment->window_scale = p[2];
        else if (p[0] == OPTION_SACK_PERMITTED && p[1] == 2 && segment->flags & TCP_SYN)
            segment->sack_permitted = true;
        else if (p[0] == OPTION_TIMESTAMPS && p[1] == 10)
            header_take_stamps(segment, p + 2);
        p += p[1];
        INVARIANT(p <= end);
    }
}

bool tcp_header_read(struct tcp_segment *segment, const uint8_t *p, uint32_t captured, uint32_t length)
{
    const uint32_t header = (uint32_t)(p[12] >> 4) * 4, there = header < captured ? header : captured;

    if (header < TCP_HEADER_MIN || header > length)
        return false;
    segment->seq = get_be32(p + 4);
    segment->ack = get_be32(p + 8);
    segment->flags = p[13];
    segment->window = get_be16(p + 14);
    segment->mss = 0;
    segment->window_scale = WINDOW_SCALE_ABSENT;
    segment->sack_permitted = false;
    segment->stamped = false;
    if (there == STAMPED_HEADER && get_be32(p + TCP_HEADER_MIN) == STAMPS_ALONE)
        header_take_stamps(segment, p + TCP_HEADER_MIN + 4);
    else if (there > TCP_HEADER_MIN)
        header_take_options(segment, p + TCP_HEADER_MIN, p + there);
    segment->payload = p + there;
    segment->length = length - header;
    segment->captured = captured - there;
    INVARIANT(segment->captured <= segment->length && segment->length + header == length);
    return true;
}
