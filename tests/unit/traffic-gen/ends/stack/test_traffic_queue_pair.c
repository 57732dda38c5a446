// SPDX-License-Identifier: GPL-2.0-or-later
/* Queue pairs: all work between two of them with every framing, ORD, patience, ends of the connection. */
#include "tests/unit/support/queue_pairs.h"

static struct qp_work read_of(unsigned n, uint64_t from, uint64_t to)
{
    return (struct qp_work){
        .kind = QP_READ, .n = n, .remote_stag = STAG_READ, .remote_to = from, .sink_stag = STAG_ALL, .sink_to = to};
}

static void begin_usual(struct qp_ends *ends)
{
    qps_begin();
    qps_open(ends, &qps_usual, &qps_usual);
    qps_run(ends);
}

static void all_work(struct qp_ends *ends, unsigned side)
{
    static uint8_t pattern[7000];
    const uint8_t *there = ends->side[!side].region;
    uint8_t *here = ends->side[side].region;

    for (unsigned i = 0; i < sizeof pattern; i++)
        pattern[i] = (uint8_t)(i * 13 + side);
    for (unsigned n = 0; n < 7000; n = n * 2 + 1)
        qps_post(ends, side, (struct qp_work){.kind = QP_SEND, .p = pattern, .n = n, .solicited = n & 2});
    qps_post(
        ends, side,
        (struct qp_work){.kind = QP_WRITE, .p = pattern, .n = 3000, .remote_stag = STAG_ALL, .remote_to = BASE + 8});
    qps_post(ends, side, (struct qp_work){.kind = QP_IMMEDIATE, .immediate = 0x1122334455667788});
    qps_post(ends, side, read_of(2500, BASE + 8, BASE + 4096));
    qps_post(ends, side, (struct qp_work){.kind = QP_READ, .n = 0, .remote_stag = STAG_NONE});
    for (unsigned i = 0; i < 6; i++)
        qps_post(ends, side,
                 (struct qp_work){.kind = i & 1 ? QP_CMP_SWAP : QP_FETCH_ADD,
                                  .remote_stag = STAG_ALL,
                                  .remote_to = BASE + 8000,
                                  .add_swap = i,
                                  .add_swap_mask = i & 1 ? UINT64_MAX : 0,
                                  .compare_mask = 0});
    qps_post(ends, side,
             (struct qp_work){.kind = QP_SEND, .p = pattern, .n = 20, .invalidate = true, .remote_stag = STAG_INV});
    qps_post(ends, side, (struct qp_work){.kind = QP_WRITE, .remote_stag = STAG_NONE});
    qps_run(ends);
    assert_int_equal(qp_pending(ends->side[side].qp), 0);
    assert_int_equal(ends->side[side].flushed, 0);
    assert_memory_equal(there + 8, pattern, 3000);
    assert_memory_equal(here + 4096, pattern, 2500);
    assert_false(memory_may_invalidate(ends->side[!side].memory, NULL, STAG_INV));
    assert_int_equal(get_be64(there + 8000), 5); /* each CmpSwap compares nothing, and swaps */
    assert_int_equal(ends->side[side].failed, -1);
    assert_true(g_str_has_suffix(ends->side[!side].log->str, "IMM:8:1122334455667788 SEND-INV:20:30 "));
}

UNIT_TEST(everything)
{
    for (unsigned bits = 0; bits < 32; bits++) {
        const struct qp_options options = {
            .mpa = {.revision = bits & 16 ? 2 : 1,
                    .markers = bits & 1,
                    .crc = bits & 2,
                    .enhanced = true,
                    .enhanced_data = {.peer_to_peer = bits & 8, .rtr = (uint8_t)(1u << bits % 3), .ird = 3, .ord = 3}},
            .receives = 1,
            .receive_size = 8000,
            .repost = true,
            .ird = 4,
            .ord = bits & 4 ? 1 : 4};
        struct qp_ends ends;

        qps_begin();
        qps_open(&ends, &options, &options);
        all_work(&ends, I);
        all_work(&ends, R);
        qp_close(ends.side[bits & 1].qp, false);
        qps_run(&ends);
        for (unsigned s = 0; s < 2; s++) {
            assert_true(ends.side[s].ended && ends.side[s].orderly && pair_finished(ends.pair, s));
            assert_int_equal(ends.side[s].completed, qps_cookies[s]);
        }
        qps_close(&ends);
    }
}

/* Posted before the connection is established: the Responder's work waits for the Initiator's first FPDU. */
UNIT_TEST(early_work)
{
    struct qp_ends ends;

    qps_begin();
    ends = (struct qp_ends){.pair = pair_new(1460, 0)};
    qps_open_side(&ends, R, qps_usual);
    qps_open_side(&ends, I, qps_usual);
    qps_post(&ends, R, (struct qp_work){.kind = QP_SEND, .p = (const uint8_t *)"abc", .n = 3});
    qp_start(ends.side[R].qp);
    qp_start(ends.side[I].qp);
    qps_run(&ends);
    assert_int_equal(ends.side[I].received, 0);
    qps_post(&ends, I, (struct qp_work){.kind = QP_SEND});
    qps_run(&ends);
    assert_int_equal(ends.side[I].received, 1);
    assert_int_equal(ends.side[R].received, 1);
    qps_close(&ends);
}

UNIT_TEST(revision_0)
{
    const struct qp_options options = {
        .mpa = {.revision = 0}, .receives = 1, .receive_size = 100, .repost = true, .ird = 1, .ord = 1};
    struct qp_ends ends;

    qps_begin();
    qps_open(&ends, &options, &options);
    qps_post(&ends, I, (struct qp_work){.kind = QP_SEND, .p = (const uint8_t *)"abc", .n = 3});
    qps_post(&ends, I, (struct qp_work){.kind = QP_FETCH_ADD, .remote_stag = STAG_ALL, .remote_to = BASE});
    qps_post(&ends, I, (struct qp_work){.kind = QP_IMMEDIATE});
    qps_post(&ends, I, read_of(5, BASE, BASE));
    qps_run(&ends);
    assert_int_equal(ends.side[I].completed, 2);
    assert_int_equal(ends.side[I].flushed, 2);
    assert_string_equal(ends.side[R].log->str, "SEND:3 ");
    qps_close(&ends);
}

UNIT_TEST(ord)
{
    struct qp_options asking = qps_usual;
    struct qp_ends ends;

    qps_begin();
    asking.ord = asking.ird = 3;
    qps_open(&ends, &asking, &asking);
    qps_run(&ends);
    qps_room = SIZE_MAX;
    for (unsigned i = 0; i < 10; i++)
        assert_true(qps_post(&ends, I, read_of(1, BASE, BASE)));
    qps_post(&ends, I, (struct qp_work){.kind = QP_SEND});
    assert_int_equal(qps_fpdu_count(&ends, I), 3);
    qps_run(&ends);
    assert_int_equal(ends.side[I].completed, 11);
    assert_false(qps_post(&ends, I, (struct qp_work){.kind = QP_READ, .n = 1, .sink_stag = STAG_NONE}));
    assert_false(qps_post(
        &ends, I, (struct qp_work){.kind = QP_READ, .n = 2, .sink_stag = STAG_ALL, .sink_to = BASE + REGION - 1}));
    qps_cookies[I] -= 2;
    qps_close(&ends);

    qps_begin();
    asking.ord = 0;
    qps_open(&ends, &asking, &asking);
    qps_run(&ends);
    qps_post(&ends, I, (struct qp_work){.kind = QP_READ, .remote_stag = STAG_READ});
    assert_int_equal(ends.side[I].flushed, 1);
    qps_close(&ends);
}

UNIT_TEST(patience)
{
    struct qp_ends ends;
    uint8_t octets[64] = {0};

    begin_usual(&ends);
    qps_room = 0;
    for (unsigned i = 0; i < 5; i++)
        qps_post(&ends, I, (struct qp_work){.kind = QP_SEND, .p = octets, .n = 64});
    qp_close(ends.side[I].qp, false);
    qps_run(&ends);
    assert_int_equal(qps_fpdu_count(&ends, I), 0);
    assert_int_equal(qp_pending(ends.side[I].qp), 5);
    assert_false(qps_post(&ends, I, (struct qp_work){.kind = QP_SEND}));
    qps_room = 1;
    qp_pump(ends.side[I].qp);
    qps_run(&ends);
    assert_int_equal(ends.side[R].received, 5);
    assert_true(ends.side[I].ended && ends.side[I].orderly);
    qps_close(&ends);
}

UNIT_TEST(ends)
{
    struct qp_ends ends;

    /* A reset loses what is in flight. */
    begin_usual(&ends);
    qps_post(&ends, I, read_of(1, BASE, BASE));
    qp_close(ends.side[R].qp, true);
    qps_run(&ends);
    assert_int_equal(ends.side[I].flushed, 1);
    assert_true(ends.side[I].ended && !ends.side[I].orderly && ends.side[R].ended);
    assert_false(qps_post(&ends, I, (struct qp_work){.kind = QP_SEND}));
    qps_close(&ends);

    /* So does a FIN before the answer, and the side closes. */
    begin_usual(&ends);
    qps_post(&ends, I, read_of(1, BASE, BASE));
    qps_post(&ends, I, (struct qp_work){.kind = QP_SEND});
    qp_close(ends.side[R].qp, false);
    qps_run(&ends);
    assert_int_equal(ends.side[I].flushed, 1);
    assert_int_equal(ends.side[I].completed, 1);
    assert_true(ends.side[I].ended && !ends.side[I].orderly && pair_finished(ends.pair, I));
    assert_int_equal(ends.side[R].received, 1);
    qps_close(&ends);

    /* A Terminate of the ULP. */
    begin_usual(&ends);
    qp_terminate(ends.side[I].qp, 0, 0, 9);
    qps_run(&ends);
    assert_int_equal(ends.side[R].terminated, 1);
    assert_false(ends.side[R].ours);
    assert_int_equal(ends.side[R].terminate.code, 9);
    assert_true(ends.side[I].ended && ends.side[R].ended && !ends.side[R].orderly);
    qps_close(&ends);

    /* Left open on one side. */
    struct qp_options open_ended = qps_usual;

    open_ended.keep_open = true;
    qps_begin();
    qps_open(&ends, &qps_usual, &open_ended);
    qps_run(&ends);
    qps_post(&ends, I, (struct qp_work){.kind = QP_SEND});
    qp_close(ends.side[I].qp, false);
    qps_run(&ends);
    assert_true(ends.side[R].ended && !pair_finished(ends.pair, R));
    qps_post(&ends, R, (struct qp_work){.kind = QP_SEND});
    qps_run(&ends);
    assert_int_equal(ends.side[I].received, 1);
    qp_close(ends.side[R].qp, false);
    qps_run(&ends);
    assert_true(ends.side[I].ended && ends.side[I].orderly);
    qps_close(&ends);
}
