// SPDX-License-Identifier: GPL-2.0-or-later
/* Queue pairs: all work between two of them under every framing, ORD, patience, ends of the connection. */
#include "tests/unit/queue_pair_talk.h"

static void all_work(struct talk *talk, unsigned side)
{
    static uint8_t pattern[7000];
    const uint8_t *there = talk->side[!side].region;
    uint8_t *here = talk->side[side].region;

    for (unsigned i = 0; i < sizeof pattern; i++)
        pattern[i] = (uint8_t)(i * 13 + side);
    for (unsigned n = 0; n < 7000; n = n * 2 + 1)
        post(talk, side, (struct qp_work){.kind = QP_SEND, .p = pattern, .n = n, .solicited = n & 2});
    post(talk, side,
         (struct qp_work){.kind = QP_WRITE, .p = pattern, .n = 3000, .remote_stag = STAG_ALL, .remote_to = BASE + 8});
    post(talk, side, (struct qp_work){.kind = QP_IMMEDIATE, .immediate = 0x1122334455667788});
    post(talk, side,
         (struct qp_work){.kind = QP_READ,
                          .n = 2500,
                          .remote_stag = STAG_READ,
                          .remote_to = BASE + 8,
                          .sink_stag = STAG_ALL,
                          .sink_to = BASE + 4096});
    post(talk, side, (struct qp_work){.kind = QP_READ, .n = 0, .remote_stag = STAG_NONE});
    for (unsigned i = 0; i < 6; i++)
        post(talk, side,
             (struct qp_work){.kind = i & 1 ? QP_CMP_SWAP : QP_FETCH_ADD,
                              .remote_stag = STAG_ALL,
                              .remote_to = BASE + 8000,
                              .add_swap = i,
                              .add_swap_mask = i & 1 ? UINT64_MAX : 0,
                              .compare_mask = 0});
    post(talk, side,
         (struct qp_work){.kind = QP_SEND, .p = pattern, .n = 20, .invalidate = true, .remote_stag = STAG_INV});
    post(talk, side, (struct qp_work){.kind = QP_WRITE, .remote_stag = STAG_NONE});
    run(talk);
    assert_int_equal(qp_pending(talk->side[side].qp), 0);
    assert_int_equal(talk->side[side].flushed, 0);
    assert_memory_equal(there + 8, pattern, 3000);
    assert_memory_equal(here + 4096, pattern, 2500);
    assert_false(memory_may_invalidate(talk->side[!side].memory, NULL, STAG_INV));
    assert_int_equal(get_be64(there + 8000), 5); /* each CmpSwap compares nothing, and swaps */
    assert_int_equal(talk->side[side].failed, -1);
    assert_true(g_str_has_suffix(talk->side[!side].log->str, "IMM:8:1122334455667788 SEND-INV:20:30 "));
}

static void everything(void **state)
{
    (void)state;
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
        struct talk talk;

        begin();
        open_both(&talk, &options, &options);
        all_work(&talk, I);
        all_work(&talk, R);
        qp_close(talk.side[bits & 1].qp, false);
        run(&talk);
        for (unsigned s = 0; s < 2; s++) {
            assert_true(talk.side[s].ended && talk.side[s].orderly && pair_finished(talk.pair, s));
            assert_int_equal(talk.side[s].completed, cookies[s]);
        }
        close_all(&talk);
    }
}

/* Posted before the connection is there: the Responder's waits for the Initiator's first FPDU. */
static void early_work(void **state)
{
    struct talk talk;

    (void)state;
    begin();
    talk = (struct talk){.pair = pair_new(1460, 0)};
    side_open(&talk, R, usual);
    side_open(&talk, I, usual);
    post(&talk, R, (struct qp_work){.kind = QP_SEND, .p = (const uint8_t *)"abc", .n = 3});
    qp_start(talk.side[R].qp);
    qp_start(talk.side[I].qp);
    run(&talk);
    assert_int_equal(talk.side[I].received, 0);
    post(&talk, I, (struct qp_work){.kind = QP_SEND});
    run(&talk);
    assert_int_equal(talk.side[I].received, 1);
    assert_int_equal(talk.side[R].received, 1);
    close_all(&talk);
}

static void revision_0(void **state)
{
    const struct qp_options options = {
        .mpa = {.revision = 0}, .receives = 1, .receive_size = 100, .repost = true, .ird = 1, .ord = 1};
    struct talk talk;

    (void)state;
    begin();
    open_both(&talk, &options, &options);
    post(&talk, I, (struct qp_work){.kind = QP_SEND, .p = (const uint8_t *)"abc", .n = 3});
    post(&talk, I, (struct qp_work){.kind = QP_FETCH_ADD, .remote_stag = STAG_ALL, .remote_to = BASE});
    post(&talk, I, (struct qp_work){.kind = QP_IMMEDIATE});
    post(&talk, I,
         (struct qp_work){.kind = QP_READ,
                          .n = 5,
                          .remote_stag = STAG_READ,
                          .remote_to = BASE,
                          .sink_stag = STAG_ALL,
                          .sink_to = BASE});
    run(&talk);
    assert_int_equal(talk.side[I].completed, 2);
    assert_int_equal(talk.side[I].flushed, 2);
    assert_string_equal(talk.side[R].log->str, "SEND:3 ");
    close_all(&talk);
}

static void ord(void **state)
{
    struct qp_options asking = usual;
    struct talk talk;

    (void)state;
    begin();
    asking.ord = asking.ird = 3;
    open_both(&talk, &asking, &asking);
    run(&talk);
    the_room = SIZE_MAX;
    for (unsigned i = 0; i < 10; i++)
        assert_true(post(&talk, I,
                         (struct qp_work){.kind = QP_READ,
                                          .n = 1,
                                          .remote_stag = STAG_READ,
                                          .remote_to = BASE,
                                          .sink_stag = STAG_ALL,
                                          .sink_to = BASE}));
    post(&talk, I, (struct qp_work){.kind = QP_SEND});
    assert_int_equal(count_of(&talk, I), 3);
    run(&talk);
    assert_int_equal(talk.side[I].completed, 11);
    assert_false(post(&talk, I, (struct qp_work){.kind = QP_READ, .n = 1, .sink_stag = STAG_NONE}));
    assert_false(
        post(&talk, I, (struct qp_work){.kind = QP_READ, .n = 2, .sink_stag = STAG_ALL, .sink_to = BASE + REGION - 1}));
    cookies[I] -= 2;
    close_all(&talk);

    begin();
    asking.ord = 0;
    open_both(&talk, &asking, &asking);
    run(&talk);
    post(&talk, I, (struct qp_work){.kind = QP_READ, .remote_stag = STAG_READ});
    assert_int_equal(talk.side[I].flushed, 1);
    close_all(&talk);
}

static void patience(void **state)
{
    struct talk talk;
    uint8_t octets[64] = {0};

    (void)state;
    begin();
    open_both(&talk, &usual, &usual);
    run(&talk);
    the_room = 0;
    for (unsigned i = 0; i < 5; i++)
        post(&talk, I, (struct qp_work){.kind = QP_SEND, .p = octets, .n = 64});
    qp_close(talk.side[I].qp, false);
    run(&talk);
    assert_int_equal(count_of(&talk, I), 0);
    assert_int_equal(qp_pending(talk.side[I].qp), 5);
    assert_false(post(&talk, I, (struct qp_work){.kind = QP_SEND}));
    the_room = 1;
    qp_pump(talk.side[I].qp);
    run(&talk);
    assert_int_equal(talk.side[R].received, 5);
    assert_true(talk.side[I].ended && talk.side[I].orderly);
    close_all(&talk);
}

static void ends(void **state)
{
    struct talk talk;

    (void)state;
    /* A reset loses what is in flight. */
    begin();
    open_both(&talk, &usual, &usual);
    run(&talk);
    post(&talk, I,
         (struct qp_work){.kind = QP_READ,
                          .n = 1,
                          .remote_stag = STAG_READ,
                          .remote_to = BASE,
                          .sink_stag = STAG_ALL,
                          .sink_to = BASE});
    qp_close(talk.side[R].qp, true);
    run(&talk);
    assert_int_equal(talk.side[I].flushed, 1);
    assert_true(talk.side[I].ended && !talk.side[I].orderly && talk.side[R].ended);
    assert_false(post(&talk, I, (struct qp_work){.kind = QP_SEND}));
    close_all(&talk);

    /* A FIN that comes before the answer does so, too, and the side closes. */
    begin();
    open_both(&talk, &usual, &usual);
    run(&talk);
    post(&talk, I,
         (struct qp_work){.kind = QP_READ,
                          .n = 1,
                          .remote_stag = STAG_READ,
                          .remote_to = BASE,
                          .sink_stag = STAG_ALL,
                          .sink_to = BASE});
    post(&talk, I, (struct qp_work){.kind = QP_SEND});
    qp_close(talk.side[R].qp, false);
    run(&talk);
    assert_int_equal(talk.side[I].flushed, 1);
    assert_int_equal(talk.side[I].completed, 1);
    assert_true(talk.side[I].ended && !talk.side[I].orderly && pair_finished(talk.pair, I));
    assert_int_equal(talk.side[R].received, 1);
    close_all(&talk);

    /* A Terminate of the ULP. */
    begin();
    open_both(&talk, &usual, &usual);
    run(&talk);
    qp_terminate(talk.side[I].qp, 0, 0, 9);
    run(&talk);
    assert_int_equal(talk.side[R].terminated, 1);
    assert_false(talk.side[R].ours);
    assert_int_equal(talk.side[R].terminate.code, 9);
    assert_true(talk.side[I].ended && talk.side[R].ended && !talk.side[R].orderly);
    close_all(&talk);

    /* Left open on one side. */
    struct qp_options open_ended = usual;

    open_ended.keep_open = true;
    begin();
    open_both(&talk, &usual, &open_ended);
    run(&talk);
    post(&talk, I, (struct qp_work){.kind = QP_SEND});
    qp_close(talk.side[I].qp, false);
    run(&talk);
    assert_true(talk.side[R].ended && !pair_finished(talk.pair, R));
    post(&talk, R, (struct qp_work){.kind = QP_SEND});
    run(&talk);
    assert_int_equal(talk.side[I].received, 1);
    qp_close(talk.side[R].qp, false);
    run(&talk);
    assert_true(talk.side[I].ended && talk.side[I].orderly);
    close_all(&talk);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything), cmocka_unit_test(early_work), cmocka_unit_test(revision_0),
        cmocka_unit_test(ord),        cmocka_unit_test(patience),   cmocka_unit_test(ends),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
