// SPDX-License-Identifier: GPL-2.0-or-later
/* Queue pairs: Receives and requests of a peer that is played by hand, in which order they are answered, errors of MPA.
 */
#include "tests/unit/queue_pair_talk.h"

static void receive_buffers(void **state)
{
    struct qp_options options = usual;
    uint8_t ulpdu[100] = {0};
    struct talk talk;
    size_t n;

    (void)state;
    options.repost = false;
    open_responder(&talk, &options);
    say_hex(&talk, SEND_1, ulpdu, sizeof ulpdu);
    say_hex(&talk, "4148 00000000 00000000 00000002 00000000 [8]", ulpdu, sizeof ulpdu);
    qp_repost(talk.side[R].qp, 1);
    say_hex(&talk, "0143 00000000 00000000 00000003 00000000 aa", ulpdu, sizeof ulpdu);
    say_hex(&talk, "4143 00000000 00000000 00000003 00000001 bb", ulpdu, sizeof ulpdu);
    assert_int_equal(talk.side[R].received, 3);
    n = say_hex(&talk, "4143 00000000 00000000 00000004 00000000", ulpdu, sizeof ulpdu);
    check_terminate(&talk, 0x1202, "110", ulpdu, n);
    close_all(&talk);
}

static void more_requests_than_ird(void **state)
{
    uint8_t ulpdu[100] = {0};
    struct talk talk;
    size_t n;

    (void)state;
    open_responder(&talk, &usual);
    the_room = 0; /* so that they wait */
    say_hex(&talk, READ_1 SINK "00000001 00000010 0000000000001000", ulpdu, sizeof ulpdu);
    say_hex(&talk, "414a 00000000 00000001 00000002 00000000" FETCH_ADD("00000010 0000000000001000"), ulpdu,
            sizeof ulpdu);
    assert_int_equal(talk.side[R].terminated, 0);
    n = say_hex(&talk, "4141 00000000 00000001 00000003 00000000 [28]", ulpdu, sizeof ulpdu);
    check_terminate(&talk, 0x1202, "110", ulpdu, n);
    close_all(&talk);
}

/* Answers keep the order of the requests, and operations happen in it. */
static void answers_in_order(void **state)
{
    uint8_t ulpdu[100];
    const uint8_t *answer;
    struct talk talk;

    (void)state;
    open_responder(&talk, &usual);
    put_be64(talk.side[R].region, 41);
    the_room = 0;
    say_hex(&talk, ATOMIC_1 FETCH_ADD("00000010 0000000000001000"), ulpdu, sizeof ulpdu);
    say_hex(&talk, "4141 00000000 00000001 00000002 00000000" SINK "00000008 00000010 0000000000001000", ulpdu,
            sizeof ulpdu);
    the_room = 1;
    qp_pump(talk.side[R].qp);
    assert_int_equal(fpdu_of(&talk, R, 0, &answer), 30);
    assert_int_equal(answer[1], 0x4B);
    assert_int_equal(get_be32(answer + 6), 3);
    assert_int_equal(get_be32(answer + 10), 1);
    assert_int_equal(get_be32(answer + 18), 7);
    assert_int_equal(get_be64(answer + 22), 41);
    assert_int_equal(fpdu_of(&talk, R, 1, &answer), 22);
    assert_int_equal(answer[1], 0x42);
    assert_int_equal(get_be32(answer + 2), 0x99);
    assert_int_equal(get_be64(answer + 14), 42);
    close_all(&talk);
}

static unsigned segments_left;

static size_t room_for_some(void *ctx)
{
    (void)ctx;
    if (segments_left == 0)
        return 0;
    segments_left--;
    return 1;
}

/* The region ends while it is read: what is echoed is where the Read stands (RFC 5040 section 4.8). */
static void interrupted_read(void **state)
{
    uint8_t ulpdu[100], octets[MPA_STARTUP_HEADER_LEN];
    struct mpa_startup frame = {.kind = MPA_REQUEST, .revision = 1};
    const struct qp_options options = {.mpa = {.role = MPA_END_RESPONDER, .revision = 1}, .ird = 1};
    struct talk talk = {.pair = pair_new(1460, 0)};
    struct side *side = &talk.side[R];
    struct stream stream;
    const uint8_t *last;
    size_t n;

    (void)state;
    begin();
    side_open(&talk, R, options);
    qp_free(side->qp);
    memory_bind(side->memory, STAG_ALL, NULL);
    stream = *pair_stream(talk.pair, R);
    stream.room = room_for_some;
    segments_left = 1;
    side->qp = qp_new(&options, side->memory, &stream, &(struct qp_events){.ctx = side, .terminated = on_terminated});
    pair_attach(talk.pair, R, &(struct pair_end){.end = side->qp, .receive = receive, .receive_fin = receive_fin});
    qp_start(side->qp);
    pair_write(talk.pair, I, octets, mpa_startup_encode(&frame, octets, sizeof octets));
    n = say_hex(&talk, READ_1 "00000099 0000000000000100 00001000 00000010 0000000000001000", ulpdu, sizeof ulpdu);
    assert_int_equal(count_of(&talk, R), 1);
    memory_invalidate(side->memory, STAG_ALL);
    segments_left = 1;
    qp_pump(side->qp);
    put_be64(ulpdu + 22, 0x100 + 1440);
    put_be32(ulpdu + 30, 0x1000 - 1440);
    put_be64(ulpdu + 38, 0x1000 + 1440);
    check_terminate(&talk, 0x0100, "111", ulpdu, n);
    assert_int_equal(fpdu_of(&talk, R, 0, &last), 1454);
    close_all(&talk);
}

static void errors_of_mpa(void **state)
{
    const struct qp_options crc = {.mpa = {.revision = 1, .crc = true}, .receives = 4, .receive_size = 64};
    static const uint8_t send[] = {0, 18, 0x41, 0x43, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0};
    struct talk talk;
    uint8_t ulpdu[100] = {0};

    (void)state;
    /* In the first FPDU: the Responder has no word yet. */
    open_responder(&talk, &crc);
    pair_write(talk.pair, I, send, sizeof send);
    pair_write(talk.pair, I, send, 4);
    run(&talk);
    assert_int_equal(talk.side[R].failed, MPA_END_BAD_CRC);
    assert_int_equal(count_of(&talk, R), 0);
    assert_true(pair_finished(talk.pair, R));
    close_all(&talk);

    /* Later. */
    open_responder(&talk, &crc);
    {
        static const struct mpa_framing framing;
        struct mpa_fpdu_plan plan;
        uint8_t octets[100];

        mpa_fpdu_plan_init(&plan, &framing, 0, send + 2, 18, true);
        pair_write(talk.pair, I, octets, mpa_fpdu_encode(&plan, octets, sizeof octets));
    }
    pair_write(talk.pair, I, send, sizeof send);
    pair_write(talk.pair, I, send, 4);
    run(&talk);
    assert_int_equal(talk.side[R].received, 1);
    check_terminate(&talk, 0x2002, "000", ulpdu, 0);
    close_all(&talk);

    /* What an Initiator says of a Reply that it cannot live with. */
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

        talk = (struct talk){.pair = pair_new(1460, 0)};
        side_open(&talk, I, asking);
        qp_start(talk.side[I].qp);
        mpa_startup_fix_length(&frame);
        n = mpa_startup_encode(&frame, octets, sizeof octets);
        pair_write(talk.pair, R, octets, n);
        run(&talk);
        said = pair_written(talk.pair, I, &n);
        assert_int_equal(n, 24 + 28);
        assert_int_equal(get_be16(said + 24), 22);
        assert_int_equal(get_be16(said + 24 + 20), replies[k].cause);
        assert_false(talk.side[I].established);
        assert_true(pair_finished(talk.pair, I));
        close_all(&talk);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(receive_buffers),  cmocka_unit_test(more_requests_than_ird),
        cmocka_unit_test(answers_in_order), cmocka_unit_test(interrupted_read),
        cmocka_unit_test(errors_of_mpa),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
