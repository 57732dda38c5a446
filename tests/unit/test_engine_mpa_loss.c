// SPDX-License-Identifier: GPL-2.0-or-later
// What the capture lost, or saw in another order than the ends did, is never held against them.
#include "mpa_bench.h"

#define assert_no_finding(b)                                                                                           \
    do {                                                                                                               \
        bench_print(b);                                                                                                \
        assert_int_equal((b)->n_findings, 0);                                                                          \
    } while (0)

/* The first octets of Full Operation are missing, the startup frames are not: FO and with it the grid are known. */
static void finds_the_grid_behind_a_hole_at_its_origin(void **state)
{
    static const uint8_t flags[] = {0, MPA_FLAG_M, MPA_FLAG_C, MPA_FLAG_M | MPA_FLAG_C};
    static const size_t holes[] = {1, 4, 300, 512, 516, 1000, 1300};

    (void)state;
    for (size_t f = 0; f < ARRAY_LENGTH(flags); f++)
        for (size_t h = 0; h < ARRAY_LENGTH(holes); h++) {
            struct bench *b = bench_new(NULL);

            bench_start(b, flags[f], flags[f], 1, 1, 0, 0);
            for (unsigned i = 0; i < 12; i++)
                stream_send(b, &b->stream[0], 400 + 17 * i);
            bench_hole(b, 0, holes[h]);
            bench_flush(b, 0, 700);
            stream_send(b, &b->stream[1], 100);
            bench_flush(b, 1, 0);
            bench_fin(b, 0);
            bench_fin(b, 1);
            bench_finish(b);
            assert_no_finding(b);
            assert_true(b->fpdus[0] >= 6);
            bench_free(b);
        }
}

/* The first FPDU of the capture is too short to hold a Marker; that the direction has them shows later. */
static void learns_of_markers_after_the_first_fpdu(void **state)
{
    (void)state;
    for (unsigned seed = 1; seed <= 300; seed++) {
        struct bench *b = bench_new(NULL);

        b->random = seed;
        for (unsigned side = 0; side < 2; side++) {
            struct stream *s = &b->stream[side];

            s->base = 5000;
            s->crc = true;
            s->framing = (struct mpa_framing){.markers = true, .seq_start = 5000 - 400};
            stream_send(b, s, 83);
            bench_flush(b, side, 0);
            for (unsigned i = 0; i < 6; i++)
                stream_write(b, s, 1014);
            bench_flush(b, side, seed % 3 == 0 ? 0 : seed % 3 == 1 ? 1032 : 700);
        }
        bench_finish(b);
        assert_no_finding(b);
        assert_int_equal(b->fpdus[0], 7);
        assert_int_equal(b->fpdus[1], 7);
        bench_free(b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(learns_of_markers_after_the_first_fpdu),
        cmocka_unit_test(finds_the_grid_behind_a_hole_at_its_origin),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
