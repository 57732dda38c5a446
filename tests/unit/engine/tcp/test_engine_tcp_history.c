// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/tcp/tcp_history.h"
#include "tests/unit/support/support.h"

#include <stdlib.h>

enum { STREAM = 1 << 20, LIMIT = 16384 };

static uint8_t octet_at(uint64_t at)
{
    return (uint8_t)(at * 151 + (at >> 9));
}

/*
 * Pieces of all sizes, with occasional holes: at least the last LIMIT octets are kept, each with its frame as long as
 * its run is known, and never octets before a hole.
 */
UNIT_TEST(random_streams)
{
    uint8_t *stream = malloc(STREAM);
    uint32_t *frames = malloc(STREAM * sizeof *frames);

    assert_true(stream && frames);
    for (uint64_t i = 0; i < STREAM; i++)
        stream[i] = octet_at(i);
    for (uint64_t seed = 1; seed <= 40; seed++) {
        struct arena *arena = arena_new(NULL);
        struct tcp_history history;
        uint64_t random = seed, end = 0, hole = 0;
        uint64_t largest = seed % 4 == 0 ? 3 * LIMIT : seed % 4 == 1 ? 10 : 3000;

        assert_non_null(arena);
        tcp_history_init(&history, LIMIT, arena);
        for (uint32_t frame = 1; frame < 1000; frame++) {
            uint64_t n = 1 + next_random(&random) % largest, from, length;
            struct tcp_difference difference;

            if (next_random(&random) % 200 == 0)
                hole = end += 1 + next_random(&random) % 100;
            if (end + n > STREAM)
                break;
            for (uint64_t i = end; i < end + n; i++)
                frames[i] = frame;
            tcp_history_append(&history, end, stream + end, n, 0, frame);
            end += n;
            /* Repeated unchanged: no difference. */
            from = end - next_random(&random) % (end + 1);
            length = 1 + next_random(&random) % (end - from + 1);
            if (from + length > STREAM)
                continue;
            assert_false(tcp_history_differs(&history, from, stream + from, length, &difference));
            /* One octet differs: reported if it is kept. */
            uint64_t kept = end - hole > LIMIT ? end - LIMIT : hole;
            uint64_t at = from + next_random(&random) % length;

            stream[at] ^= 0x40;
            bool differs = tcp_history_differs(&history, from, stream + from, length, &difference);

            stream[at] ^= 0x40;
            if (at >= end || at < hole)
                assert_false(differs);
            if (at >= kept && at < end) {
                assert_true(differs);
                assert_int_equal(difference.offset, at);
                assert_int_equal(difference.first, octet_at(at));
                assert_int_equal(difference.repeated, octet_at(at) ^ 0x40);
                assert_true(difference.first_frame == 0 || difference.first_frame == frames[at]);
                assert_true(difference.first_frame != 0 || frame - frames[at] >= TCP_HISTORY_RUNS / 2);
            }
        }
        assert_true(history.capacity <= LIMIT && history.runs_capacity <= TCP_HISTORY_RUNS);
        tcp_history_free(&history);
        arena_release(arena);
    }
    free(stream);
    free(frames);
}

/* A quiet connection costs little. */
UNIT_TEST(grows_with_the_stream)
{
    struct arena *arena = arena_new(NULL);
    struct tcp_history history;
    uint8_t octets[100] = {0};

    assert_non_null(arena);
    tcp_history_init(&history, 65536, arena);
    assert_int_equal(history.capacity, 0);
    tcp_history_append(&history, 0, octets, sizeof octets, 0, 1);
    assert_true(history.capacity <= 512);
    tcp_history_free(&history);
    arena_release(arena);
}

/* Few acknowledged octets are kept, and all unacknowledged ones up to the limit. */
UNIT_TEST(keeps_what_may_be_sent_again)
{
    enum { EACH = 1000, TIMES = 200, IN_FLIGHT = 3 * EACH, LITTLE = 2048 };

    for (unsigned acks = 0; acks < 2; acks++) {
        struct arena *arena = arena_new(NULL);
        struct tcp_history history;
        struct tcp_difference difference;
        uint8_t octets[EACH], other[EACH];
        uint64_t end = 0, kept = acks ? LITTLE + IN_FLIGHT - EACH : 65536 - EACH;

        assert_non_null(arena);
        memset(octets, 1, sizeof octets);
        memset(other, 2, sizeof other);
        tcp_history_init(&history, 65536, arena);
        for (uint32_t frame = 1; frame <= TIMES; frame++, end += EACH)
            tcp_history_append(&history, end, octets, EACH, acks && end > IN_FLIGHT ? end - IN_FLIGHT : 0, frame);
        assert_int_equal(history.capacity, acks ? 8192 : 65536);
        for (uint64_t back = EACH; back <= kept; back += EACH) {
            assert_true(tcp_history_differs(&history, end - back, other, EACH, &difference));
            assert_int_equal(difference.offset, end - back);
            assert_false(tcp_history_differs(&history, end - back, octets, EACH, &difference));
        }
        assert_false(tcp_history_differs(&history, 0, other, EACH, &difference));
        tcp_history_free(&history);
        arena_release(arena);
    }
}

/* Short pieces, nothing acknowledged late: as many runs as the octets kept need, each with its frame. */
UNIT_TEST(keeps_the_runs_of_what_is_kept)
{
    enum { EACH = 250, TIMES = 500 };

    struct arena *arena = arena_new(NULL);
    struct tcp_history history;
    struct tcp_difference difference;
    uint8_t octets[EACH] = {0}, other[EACH];
    uint64_t end = 0;

    assert_non_null(arena);
    memset(other, 1, sizeof other);
    tcp_history_init(&history, 65536, arena);
    for (uint32_t frame = 1; frame <= TIMES; frame++, end += EACH)
        tcp_history_append(&history, end, octets, EACH, end, frame);
    assert_int_equal(history.capacity, 4096);
    assert_int_equal(history.runs_capacity, 32);
    for (uint32_t frame = TIMES; frame > TIMES - 4096 / EACH; frame--) {
        end -= EACH;
        assert_true(tcp_history_differs(&history, end, other, EACH, &difference));
        assert_int_equal(difference.first_frame, frame);
    }
    tcp_history_free(&history);
    arena_release(arena);
}
