// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Properties of reassembly over random conversations: for any treatment of the segments, the stream is restored, each
 * octet once, with the frame that carried it first; octets that never came are a hole, and nothing else is.
 */
#include "engine/tcp/tcp_pair.h"
#include "tests/unit/support/support.h"

#include <stdlib.h>

enum { STREAM = 20000, SEGMENTS_MAX = 4000, ROUNDS = 300 };

struct run {
    uint8_t stream[STREAM];
    uint32_t carrier[STREAM]; /* first frame that carried the octet; 0 never */
    bool lost[STREAM];        /* never in the capture */
    uint8_t covered[STREAM];  /* delivered or reported as a hole */
    uint64_t next;
    uint32_t frame;
    uint32_t isn;
    bool snap;
    bool fin;
};

static void segment_event(void *ctx, const struct tcp_segment *segment, uint64_t offset, bool acked_known,
                          uint64_t acked)
{
    struct run *run = ctx;

    if (segment->side == 0)
        assert_true(offset + segment->length <= STREAM);
    run->frame = segment->frame;
}

static void octets_event(void *ctx, unsigned side, uint64_t offset, const uint8_t *p, size_t n,
                         const struct octets_origin *origin)
{
    struct run *run = ctx;
    assert_int_equal(side, 0);
    assert_true(n > 0);
    assert_true(offset == run->next && offset + n <= STREAM);
    assert_memory_equal(p, run->stream + offset, n);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(run->carrier[offset + i], origin->frame);
        assert_int_equal(run->covered[offset + i]++, 0);
    }
    assert_true(origin->arrival >= origin->frame);
    assert_int_equal(origin->arrival, run->frame);
    run->next = offset + n;
}

static void hole_event(void *ctx, unsigned side, uint64_t from, uint64_t to, enum hole_cause cause,
                       const struct octets_origin *next)
{
    struct run *run = ctx;

    assert_int_equal(side, 0);
    assert_true(from == run->next && from < to && to <= STREAM);
    for (uint64_t i = from; i < to; i++) {
        assert_true(run->lost[i]);
        assert_int_equal(run->covered[i]++, 0);
    }
    assert_true(run->snap ? cause == HOLE_SNAP_LENGTH : cause == HOLE_CAPTURE_LOSS);
    run->next = to;
}

static void conflict_event(void *ctx, unsigned side, uint64_t offset, uint8_t first, uint8_t repeated,
                           uint32_t first_frame, const struct tcp_segment *segment)
{
    (void)ctx, (void)side, (void)offset, (void)first, (void)repeated, (void)first_frame, (void)segment;
    fail_msg("nothing differs");
}

static void fin_event(void *ctx, unsigned side, uint64_t offset, uint32_t frame, int64_t time_ns)
{
    struct run *run = ctx;

    assert_int_equal(side, 0);
    assert_true(offset == STREAM && run->next == STREAM);
    run->fin = true;
}

struct plan {
    uint32_t from, length;
};

static struct tcp_pair *begin(struct run *run, uint64_t *seed)
{
    const struct tcp_pair_events events = {.ctx = run,
                                           .segment = segment_event,
                                           .octets = octets_event,
                                           .hole = hole_event,
                                           .conflict = conflict_event,
                                           .fin = fin_event};
    memset(run, 0, sizeof *run);
    fill_random(seed, run->stream, STREAM);
    run->isn = (uint32_t)next_random(seed);
    if (next_random(seed) % 4 == 0)
        run->isn = UINT32_MAX - (uint32_t)(next_random(seed) % STREAM); /* wraps on the way */
    struct tcp_pair *pair = tcp_pair_new(NULL, &events, NULL);
    struct tcp_segment syn = {.frame = 1, .flags = TCP_SYN, .window_scale = 255, .seq = run->isn};
    struct tcp_segment syn_ack = {
        .frame = 2, .side = 1, .flags = TCP_SYN | TCP_ACK, .window_scale = 255, .seq = 7000, .ack = run->isn + 1};
    tcp_pair_segment(pair, &syn);
    tcp_pair_segment(pair, &syn_ack);
    return pair;
}

static void send_piece(struct tcp_pair *pair, struct run *run, uint32_t frame, uint32_t from, uint32_t length,
                       uint32_t captured, bool fin)
{
    struct tcp_segment segment = {.frame = frame,
                                  .time_ns = (int64_t)frame * 1000,
                                  .flags = (uint8_t)(TCP_ACK | (fin ? TCP_FIN : 0)),
                                  .window = 65535,
                                  .window_scale = 255,
                                  .seq = run->isn + 1 + from,
                                  .ack = 7001,
                                  .length = length,
                                  .captured = captured,
                                  .payload = run->stream + from};
    for (uint32_t i = from; i < from + captured; i++)
        if (!run->carrier[i] && !run->lost[i])
            run->carrier[i] = frame;
    tcp_pair_segment(pair, &segment);
}

static void send_ack(struct tcp_pair *pair, const struct run *run, uint32_t frame, uint32_t acked)
{
    struct tcp_segment segment = {.frame = frame,
                                  .time_ns = (int64_t)frame * 1000,
                                  .side = 1,
                                  .flags = TCP_ACK,
                                  .window = 65535,
                                  .window_scale = 255,
                                  .seq = 7001,
                                  .ack = run->isn + 1 + acked};
    tcp_pair_segment(pair, &segment);
}

/* Cuts the stream, adds retransmissions with other boundaries, then shuffles within a distance. */
static size_t make_plan(struct plan *plan, uint64_t *seed, uint32_t distance)
{
    size_t n = 0;
    uint32_t longest = 1 + (uint32_t)(next_random(seed) % 1500);
    for (uint32_t at = 0; at < STREAM;) {
        uint32_t length = 1 + (uint32_t)(next_random(seed) % longest);
        if (n >= SEGMENTS_MAX / 2)
            length = STREAM - at;
        if (length > STREAM - at)
            length = STREAM - at;
        plan[n++] = (struct plan){at, length};
        at += length;
        if (n < SEGMENTS_MAX - 2 && next_random(seed) % 4 == 0) {
            uint32_t back = (uint32_t)(next_random(seed) % (at < 3000 ? at : 3000));
            uint32_t again = 2 + (uint32_t)(next_random(seed) % 3000);
            uint32_t from = at - back;
            if (from + again > STREAM)
                again = STREAM - from;
            if (again > 1) /* a single octet may be taken for a keep-alive probe */
                plan[n++] = (struct plan){from, again};
        }
    }
    for (size_t i = 0; distance && i < n; i++) {
        size_t j = i + (size_t)(next_random(seed) % distance);
        if (j < n) {
            struct plan swap = plan[i];
            plan[i] = plan[j];
            plan[j] = swap;
        }
    }
    return n;
}

UNIT_TEST(any_order_gives_the_same_stream)
{
    static struct run run;
    static struct plan plan[SEGMENTS_MAX];
    uint64_t seed = 1;

    for (int round = 0; round < ROUNDS; round++) {
        struct tcp_pair *pair = begin(&run, &seed);
        size_t n = make_plan(plan, &seed, round % 3 == 0 ? 0 : 1 + (uint32_t)(next_random(&seed) % 40));
        uint32_t frame = 3;
        for (size_t i = 0; i < n; i++) {
            bool fin = plan[i].from + plan[i].length == STREAM;
            send_piece(pair, &run, frame++, plan[i].from, plan[i].length, plan[i].length, fin);
            if (next_random(&seed) % 3 == 0)
                send_ack(pair, &run, frame++, (uint32_t)tcp_pair_facts(pair, 0)->next);
        }
        run.frame = frame - 1;
        tcp_pair_settle(pair);
        assert_int_equal(run.next, STREAM);
        assert_true(run.fin);
        tcp_pair_finish(pair);
        tcp_pair_free(pair);
    }
}

/* The capture lacks segments; the receiver got them and acknowledges. */
UNIT_TEST(what_the_capture_missed_is_a_hole)
{
    static struct run run;
    static struct plan plan[SEGMENTS_MAX];
    uint64_t seed = 2;

    for (int round = 0; round < ROUNDS; round++) {
        struct tcp_pair *pair = begin(&run, &seed);
        size_t n = 0;
        for (uint32_t at = 0; at < STREAM; n++) {
            uint32_t length = 1 + (uint32_t)(next_random(&seed) % 1500);
            if (length > STREAM - at)
                length = STREAM - at;
            plan[n] = (struct plan){at, length};
            bool miss = next_random(&seed) % 5 == 0;
            for (uint32_t i = at; miss && i < at + length; i++)
                run.lost[i] = true;
            at += length;
        }
        uint32_t frame = 3, acked = 0;
        for (size_t i = 0; i < n; i++) {
            if (!run.lost[plan[i].from])
                send_piece(pair, &run, frame++, plan[i].from, plan[i].length, plan[i].length, false);
            if (next_random(&seed) % 3 == 0) {
                acked = plan[i].from + plan[i].length;
                send_ack(pair, &run, frame++, acked);
            }
            /* A retransmission of acknowledged octets, in whole segments: neither delivered twice nor out of place. */
            if (next_random(&seed) % 8 == 0 && !run.lost[plan[i].from])
                send_piece(pair, &run, frame++, plan[i].from, plan[i].length, plan[i].length, false);
        }
        for (int i = 0; i < 70; i++)
            send_ack(pair, &run, frame++, STREAM);
        run.frame = frame - 1;
        tcp_pair_finish(pair);
        for (uint32_t i = 0; i < STREAM; i++)
            if (run.covered[i] != 1 && !(run.lost[i] && i == STREAM - 1)) /* one at the end is taken for a FIN */
                fail_msg("round %d: octet %u told %u times", round, i, run.covered[i]);
        tcp_pair_free(pair);
    }
}

UNIT_TEST(what_the_snap_length_cut_is_a_hole)
{
    static struct run run;
    static struct plan plan[SEGMENTS_MAX];
    uint64_t seed = 3;

    for (int round = 0; round < ROUNDS; round++) {
        struct tcp_pair *pair = begin(&run, &seed);
        uint32_t snap = 1 + (uint32_t)(next_random(&seed) % 1000), frame = 3;
        size_t n = 0;
        run.snap = true;
        for (uint32_t at = 0; at < STREAM; n++) {
            uint32_t length = 1 + (uint32_t)(next_random(&seed) % 1500);
            if (length > STREAM - at)
                length = STREAM - at;
            plan[n] = (struct plan){at, length};
            for (uint32_t i = at + snap; i < at + length; i++)
                run.lost[i] = true;
            at += length;
        }
        /* Swapped in pairs. */
        for (size_t i = 0; i < n; i++) {
            size_t j = (i ^ 1) < n ? (i ^ 1) : i;
            send_piece(pair, &run, frame++, plan[j].from, plan[j].length, plan[j].length < snap ? plan[j].length : snap,
                       false);
        }
        run.frame = frame - 1;
        tcp_pair_settle(pair);
        assert_int_equal(run.next, STREAM);
        tcp_pair_finish(pair);
        tcp_pair_free(pair);
    }
}
