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
    WINDOW_SCALE_ABSENT = 255,
};

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
        if (p[0] == OPTION_MSS && p[1] == 4)
            segment->mss = get_be16(p + 2);
        else if (p[0] == OPTION_WINDOW_SCALE && p[1] == 3)
            segment->window_scale = p[2];
        else if (p[0] == OPTION_SACK_PERMITTED && p[1] == 2)
            segment->sack_permitted = true;
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
    if (segment->flags & TCP_SYN)
        header_take_options(segment, p + TCP_HEADER_MIN, p + there);
    segment->payload = p + there;
    segment->length = length - header;
    segment->captured = captured - there;
    INVARIANT(segment->captured <= segment->length && segment->length + header == length);
    INVARIANT(segment->window_scale == WINDOW_SCALE_ABSENT || segment->flags & TCP_SYN);
    return true;
}
