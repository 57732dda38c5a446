// SPDX-License-Identifier: GPL-2.0-or-later
/* Queue pairs: Receives and requests of a peer played by hand, the order of answers, errors of MPA. */
#include "tests/unit/support/queue_pairs.h"

UNIT_TEST(receive_buffers)
{
    struct qp_options options = qps_usual;
    uint8_t ulpdu[100] = {0};
    struct qp_ends ends;
    size_t n;

    options.repost = false;
    qps_open_responder(&ends, &options);
    qps_say_hex(&ends, SEND_1, ulpdu, sizeof ulpdu);
    qps_say_hex(&ends, "4148 00000000 00000000 00000002 00000000 [8]", ulpdu, sizeof ulpdu);
    qp_repost(ends.side[R].qp, 1);
    qps_say_hex(&ends, "0143 00000000 00000000 00000003 00000000 aa", ulpdu, sizeof ulpdu);
    qps_say_hex(&ends, "4143 00000000 00000000 00000003 00000001 bb", ulpdu, sizeof ulpdu);
    assert_int_equal(ends.side[R].received, 3);
    n = qps_say_hex(&ends, "4143 00000000 00000000 00000004 00000000", ulpdu, sizeof ulpdu);
    qps_check_terminate(&ends, 0x1202, "110", ulpdu, n);
    qps_close(&ends);
}

UNIT_TEST(more_requests_than_ird)
{
    uint8_t ulpdu[100] = {0};
    struct qp_ends ends;
    size_t n;

    qps_open_responder(&ends, &qps_usual);
    qps_room = 0; /* so that they wait */
    qps_say_hex(&ends, READ_1 SINK "00000001 00000010 0000000000001000", ulpdu, sizeof ulpdu);
    qps_say_hex(&ends, "414a 00000000 00000001 00000002 00000000" FETCH_ADD("00000010 0000000000001000"), ulpdu,
                sizeof ulpdu);
    assert_int_equal(ends.side[R].terminated, 0);
    n = qps_say_hex(&ends, "4141 00000000 00000001 00000003 00000000 [28]", ulpdu, sizeof ulpdu);
    qps_check_terminate(&ends, 0x1202, "110", ulpdu, n);
    qps_close(&ends);
}

/* Answers keep the order of the requests, and so do operations. */
UNIT_TEST(answers_in_order)
{
    uint8_t ulpdu[100];
    const uint8_t *answer;
    struct qp_ends ends;

    qps_open_responder(&ends, &qps_usual);
    put_be64(ends.side[R].region, 41);
    qps_room = 0;
    qps_say_hex(&ends, ATOMIC_1 FETCH_ADD("00000010 0000000000001000"), ulpdu, sizeof ulpdu);
    qps_say_hex(&ends, "4141 00000000 00000001 00000002 00000000" SINK "00000008 00000010 0000000000001000", ulpdu,
                sizeof ulpdu);
    qps_room = 1;
    qp_pump(ends.side[R].qp);
    assert_int_equal(qps_fpdu(&ends, R, 0, &answer), 30);
    assert_int_equal(answer[1], 0x4B);
    assert_int_equal(get_be32(answer + 6), 3);
    assert_int_equal(get_be32(answer + 10), 1);
    assert_int_equal(get_be32(answer + 18), 7);
    assert_int_equal(get_be64(answer + 22), 41);
    assert_int_equal(qps_fpdu(&ends, R, 1, &answer), 22);
    assert_int_equal(answer[1], 0x42);
    assert_int_equal(get_be32(answer + 2), 0x99);
    assert_int_equal(get_be64(answer + 14), 42);
    qps_close(&ends);
}

static unsigned segments_left;

static size_t room_for_some(void *ctx)
{
    if (segments_left == 0)
        return 0;
    segments_left--;
    return 1;
}

/* The region ends while it is read: the echoed header has the Read's position (RFC 5040 section 4.8). */
UNIT_TEST(interrupted_read)
{
    uint8_t ulpdu[100], octets[MPA_STARTUP_HEADER_LEN];
    struct mpa_startup frame = {.kind = MPA_REQUEST, .revision = 1};
    const struct qp_options options = {.mpa = {.role = MPA_END_RESPONDER, .revision = 1}, .ird = 1};
    struct qp_ends ends = {.pair = pair_new(1460, 0)};
    struct qp_side *side = &ends.side[R];
    struct stream stream;
    const uint8_t *last;
    size_t n;

    qps_begin();
    qps_open_side(&ends, R, options);
    qp_free(side->qp);
    memory_bind(side->memory, STAG_ALL, NULL);
    stream = *pair_stream(ends.pair, R);
    stream.room = room_for_some;
    segments_left = 1;
    side->qp = qp_new(&options, side->memory, &stream, &(struct qp_events){.ctx = side, .terminated = qps_terminated});
    pair_attach(ends.pair, R,
                &(struct pair_end){.end = side->qp, .receive = qps_receive, .receive_fin = qps_receive_fin});
    qp_start(side->qp);
    pair_write(ends.pair, I, octets, mpa_startup_encode(&frame, octets, sizeof octets));
    n = qps_say_hex(&ends, READ_1 "00000099 0000000000000100 00001000 00000010 0000000000001000", ulpdu, sizeof ulpdu);
    assert_int_equal(qps_fpdu_count(&ends, R), 1);
    memory_invalidate(side->memory, STAG_ALL);
    segments_left = 1;
    qp_pump(side->qp);
    put_be64(ulpdu + 22, 0x100 + 1440);
    put_be32(ulpdu + 30, 0x1000 - 1440);
    put_be64(ulpdu + 38, 0x1000 + 1440);
    qps_check_terminate(&ends, 0x0100, "111", ulpdu, n);
    assert_int_equal(qps_fpdu(&ends, R, 0, &last), 1454);
    qps_close(&ends);
}

UNIT_TEST(errors_of_mpa)
{
    const struct qp_options crc = {.mpa = {.revision = 1, .crc = true}, .receives = 4, .receive_size = 64};
    static const uint8_t send[] = {0, 18, 0x41, 0x43, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0};
    struct qp_ends ends;
    uint8_t ulpdu[100] = {0};

    /* In the first FPDU: the Responder may not send yet. */
    qps_open_responder(&ends, &crc);
    pair_write(ends.pair, I, send, sizeof send);
    pair_write(ends.pair, I, send, 4);
    qps_run(&ends);
    assert_int_equal(ends.side[R].failed, MPA_END_BAD_CRC);
    assert_int_equal(qps_fpdu_count(&ends, R), 0);
    assert_true(pair_finished(ends.pair, R));
    qps_close(&ends);

    /* Later. */
    qps_open_responder(&ends, &crc);
    {
        static const struct mpa_framing framing;
        struct mpa_fpdu_plan plan;
        uint8_t octets[100];

        mpa_fpdu_plan_init(&plan, &framing, 0, send + 2, 18, true);
        pair_write(ends.pair, I, octets, mpa_fpdu_encode(&plan, octets, sizeof octets));
    }
    pair_write(ends.pair, I, send, sizeof send);
    pair_write(ends.pair, I, send, 4);
    qps_run(&ends);
    assert_int_equal(ends.side[R].received, 1);
    qps_check_terminate(&ends, 0x2002, "000", ulpdu, 0);
    qps_close(&ends);

    /* An Initiator's error about an unacceptable Reply. */
    static const struct {
        struct mpa_enhanced reply;
        unsigned cause;
    } replies[] = {
        {{.peer_to_peer = true, .rtr = MPA_RTR_SEND, .ird = 4, .ord = 4}, 0x2007},
        {{.peer_to_peer = true, .rtr = MPA_RTR_WRITE, .ird = 4, .ord = 5}, 0x2006},
        {{.peer_to_peer = false, .ird = 4, .ord = 4}, 0x2005},
    };

    for (size_t k = 0; k < ARRAY_LENGTH(replies); k++) {
        const struct qp_options asking = {
            .mpa = {.revision = 2,
                    .enhanced = true,
                    .enhanced_data = {.peer_to_peer = true, .rtr = MPA_RTR_WRITE, .ird = 4, .ord = 4}}};
        struct mpa_startup frame = {
            .kind = MPA_REPLY, .revision = 2, .flags = MPA_FLAG_S, .has_enhanced = true, .enhanced = replies[k].reply};
        uint8_t octets[40];
        const uint8_t *said;
        size_t n;

        ends = (struct qp_ends){.pair = pair_new(1460, 0)};
        qps_open_side(&ends, I, asking);
        qp_start(ends.side[I].qp);
        mpa_startup_fix_length(&frame);
        n = mpa_startup_encode(&frame, octets, sizeof octets);
        pair_write(ends.pair, R, octets, n);
        qps_run(&ends);
        said = pair_written(ends.pair, I, &n);
        assert_int_equal(n, 24 + 28);
        assert_int_equal(get_be16(said + 24), 22);
        assert_int_equal(get_be16(said + 24 + 20), replies[k].cause);
        assert_false(ends.side[I].established);
        assert_true(pair_finished(ends.pair, I));
        qps_close(&ends);
    }
}
