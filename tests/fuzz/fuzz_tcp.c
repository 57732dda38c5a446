// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Segments made from the input, for one tcp_pair. Each is 10 octets: side and flags, seq (3 octets, moved near the
 * window or far from it by one bit), ack (2), length (2), captured (1), payload (1). In every case offsets rise without
 * gaps and overlaps, and memory is bounded.
 */
#include "engine/tcp/tcp_pair.h"
#include "tests/fuzz/fuzz.h"

#include <stdbool.h>

static volatile uint8_t touched;

struct seen {
    uint64_t next[2];
    bool begun[2];
    bool fin[2];
    uint32_t frame;
};

static void octets_event(void *ctx, unsigned side, uint64_t offset, const uint8_t *p, size_t n,
                         const struct octets_origin *origin)
{
    struct seen *seen = ctx;
    HOLDS(n > 0 && (offset == seen->next[side] || !seen->begun[side]) && !seen->fin[side]);
    HOLDS(origin->frame <= origin->arrival && origin->arrival <= seen->frame);
    for (size_t i = 0; i < n; i++)
        touched = p[i];
    seen->begun[side] = true;
    seen->next[side] = offset + n;
}

static void hole_event(void *ctx, unsigned side, uint64_t from, uint64_t to, enum hole_cause cause,
                       const struct octets_origin *next)
{
    struct seen *seen = ctx;
    HOLDS(from < to && (from == seen->next[side] || !seen->begun[side]) && !seen->fin[side]);
    HOLDS(cause <= HOLE_END && (!next || next->frame <= seen->frame));
    seen->begun[side] = true;
    seen->next[side] = to;
}

static void conflict_event(void *ctx, unsigned side, uint64_t offset, uint8_t first, uint8_t repeated,
                           uint32_t first_frame, const struct tcp_segment *segment)
{
    struct seen *seen = ctx;
    (void)side;
    (void)offset;
    HOLDS(first != repeated && first_frame < segment->frame && segment->frame <= seen->frame);
}

static void fin_event(void *ctx, unsigned side, uint64_t offset, uint32_t frame, int64_t time_ns)
{
    struct seen *seen = ctx;
    (void)time_ns;
    HOLDS(!seen->fin[side] && frame <= seen->frame && (!seen->begun[side] || offset == seen->next[side]));
    seen->fin[side] = true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { SEGMENT = 10, PAYLOAD_MAX = 4096 };
    struct seen seen = {0};
    const struct tcp_pair_events events = {
        .ctx = &seen, .octets = octets_event, .hole = hole_event, .conflict = conflict_event, .fin = fin_event};
    if (size < 2)
        return 0;
    const struct tcp_pair_options options = {
        .limit = data[0] & 1 ? 2000 : 0, .history = data[0] & 2 ? 100 : 0, .eager_holes = data[0] & 4};
    uint32_t isn = data[0] & 8 ? UINT32_MAX - 100 : 0;
    struct tcp_pair *pair = tcp_pair_new(&options, &events, NULL);
    if (!pair)
        return 0;
    size--;
    data++;
    for (; size >= SEGMENT; data += SEGMENT, size -= SEGMENT) {
        uint32_t seq = (uint32_t)data[1] << 8 | data[2], ack = (uint32_t)data[4] << 8 | data[5];
        uint32_t length = ((uint32_t)data[6] << 8 | data[7]) % PAYLOAD_MAX;
        uint32_t captured = data[8] < 128 ? length : length * (data[8] - 128U) / 128;
        if (data[3] & 1)
            seq += (uint32_t)data[3] << 24;
        /* Of the exact size, so that the sanitizer sees any octet too many. */
        uint8_t *payload = malloc(captured ? captured : 1);
        if (!payload)
            break;
        memset(payload, data[9], captured);
        struct tcp_segment segment = {.frame = ++seen.frame,
                                      .time_ns = (int64_t)seen.frame * (data[3] & 2 ? 1000 : 1000000),
                                      .side = data[0] >> 7,
                                      .flags = data[0] & 0x1f,
                                      .window = 1000,
                                      .window_scale = 255,
                                      .seq = isn + seq,
                                      .ack = isn + ack,
                                      .length = length,
                                      .captured = captured,
                                      .payload = payload};
        tcp_pair_is_reuse(pair, &segment);
        tcp_pair_segment(pair, &segment);
        for (unsigned side = 0; side < 2; side++)
            HOLDS(tcp_pair_facts(pair, side)->next == seen.next[side] || !seen.begun[side]);
        free(payload);
    }
    tcp_pair_finish(pair);
    tcp_pair_state(pair);
    tcp_pair_free(pair);
    return 0;
}
