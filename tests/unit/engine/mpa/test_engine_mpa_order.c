// SPDX-License-Identifier: GPL-2.0-or-later
/* Who may send when, and what may follow a startup frame: each rule broken once, and what is legal. */
#include "tests/unit/support/mpa_line.h"
#include "wire/crc32c.h"

#include <stdlib.h>

#define REQ MPA_REQUEST
#define REP MPA_REPLY

static struct startup_frame req1(uint8_t flags)
{
    return startup_frame(REQ, flags, 1, NULL, 0);
}

static struct startup_frame rep1(uint8_t flags)
{
    return startup_frame(REP, flags, 1, NULL, 0);
}

static void converse(struct mpa_line *t)
{
    line_send(t, I, 16);
    line_send(t, R, 16);
    line_send(t, I, 700);
    line_send(t, R, 700);
}

/* ---- legal ---- */

static void plain_conversation(void **state)
{
    struct mpa_line *t = line_new_direct(PROFILE_IETF);

    line_plain_start(t);
    converse(t);
    line_close(t, I);
    assert_int_equal(t->seen.counts.passed[RULE_MPA_7_1_2_03], 1);
    assert_int_equal(t->seen.counts.passed[RULE_MPA_7_1_2_16], 1);
    assert_int_equal(t->seen.counts.passed[RULE_MPA_7_1_2_23], 1);
    assert_int_equal(t->seen.counts.passed[RULE_MPA_7_1_2_24], 1);
    assert_int_equal(t->seen.counts.passed[RULE_MPA_7_1_01], 2);
    line_expect(t, "");
}

/* The tap sees the Reply before the Request, and the Responder's FPDU before the Initiator's; the ACK numbers are
 * right. */
static void tap_sees_another_order(void **state)
{
    struct mpa_line *t = line_new_direct(PROFILE_IETF);
    struct startup_frame request = req1(0x40), reply = rep1(0x40);
    uint8_t first[256], answer[256];
    size_t n_first, n_answer;

    line_say_acked(t, R, reply.octets, reply.n, 20);
    line_say_acked(t, I, request.octets, request.n, 0);
    line_framing(t, false, false, true);
    n_first = line_make_send(t, I, 16, first);
    n_answer = line_make_send(t, R, 16, answer);
    line_say_acked(t, R, answer, n_answer, 20 + n_first);
    line_say_acked(t, I, first, n_first, 20);
    line_close(t, I);
    line_expect(t, "");
}

static void octet_by_octet(void **state)
{
    for (unsigned flags = 0; flags <= 0xc0; flags += 0x40) {
        struct mpa_line *t = line_new_direct(PROFILE_IETF);
        struct startup_frame request = req1((uint8_t)flags), reply = rep1((uint8_t)flags);
        bool markers = flags & MPA_FLAG_M;
        uint8_t fpdu[1024];
        size_t n;

        for (size_t i = 0; i < request.n; i++)
            line_say(t, I, request.octets + i, 1);
        for (size_t i = 0; i < reply.n; i++)
            line_say(t, R, reply.octets + i, 1);
        line_framing(t, markers, markers, flags & MPA_FLAG_C);
        for (unsigned side = 0; side < 4; side++) {
            n = line_make_send(t, side & 1, 40, fpdu);
            for (size_t i = 0; i < n; i++)
                line_say(t, side & 1, fpdu + i, 1);
        }
        line_close(t, I);
        line_expect(t, "");
    }
}

static void delayed_startup(void **state)
{
    struct mpa_line *t = line_new_direct(PROFILE_IETF);

    line_say(t, I, "Hello, RDMA?\r\n", 14);
    line_say(t, R, "Hello Ack\r\n", 11);
    line_plain_start(t);
    converse(t);
    line_close(t, I);
    assert_int_equal(t->seen.counts.passed[RULE_MPA_7_1_3_01], 1);
    assert_int_equal(t->seen.counts.passed[RULE_MPA_7_1_5_01], 1);
    line_expect(t, "");
}

/* The Initiator is the end that accepted the TCP connection (7.1). */
static void responder_opened_tcp(void **state)
{
    struct mpa_line *t = line_new_direct(PROFILE_IETF);
    struct startup_frame request = req1(0x40), reply = rep1(0x40);

    line_say_frame(t, 1, request);
    line_say_frame(t, 0, reply);
    line_framing(t, false, false, true);
    line_send(t, 1, 16);
    line_send(t, 0, 16);
    line_close(t, I);
    line_expect(t, "");
}

static void one_direction_only(void **state)
{
    for (unsigned side = 0; side < 2; side++) {
        struct mpa_line *t = line_new_direct(PROFILE_IETF);

        struct startup_frame frame = side == I ? req1(0x40) : rep1(0x40);

        line_say_acked(t, side, frame.octets, frame.n, side == I ? 0 : 20);
        line_framing(t, false, false, true);
        for (unsigned i = 0; i < 4; i++) {
            uint8_t fpdu[256];
            size_t n = line_make_send(t, side, 16, fpdu);

            line_say_acked(t, side, fpdu, n, 20 + 64 * i);
        }
        line_fin(t, side);
        mpa_connection_finish(t->mpa, t->now);
        line_expect(t, "");
    }
}

/* Streaming data after a rejection, and a close. */
static void rejected(void **state)
{
    struct mpa_line *t = line_new_direct(PROFILE_IETF);

    line_startup(t, req1(0x40), rep1(0x60));
    line_say(t, I, "GET / HTTP/1.0\r\n\r\n", 18);
    line_say(t, R, "HTTP/1.0 200 OK\r\n\r\n", 19);
    line_close(t, I);
    assert_int_equal(t->seen.counts.passed[RULE_MPA_7_1_2_07], 1);
    assert_int_equal(t->seen.counts.passed[RULE_MPA_7_1_2_19], 1);
    line_expect(t, "");
}

static void hole_before_the_first_fpdu(void **state)
{
    struct mpa_line *t = line_new_direct(PROFILE_IETF);

    line_plain_start(t);
    line_hole(t, I, 64);
    line_send(t, R, 16);
    line_close(t, I);
    assert_int_equal(t->seen.counts.failed[RULE_MPA_7_1_2_23], 0);
    line_expect(t, "");
}

/* ---- the Reply ---- */

static void reply_before_request(void **state)
{
    struct mpa_line *t = line_new_direct(PROFILE_IETF);

    line_say_frame(t, R, rep1(0x40));
    line_say_frame(t, I, req1(0x40));
    line_framing(t, false, false, true);
    converse(t);
    line_close(t, I);
    line_expect(t, "MPA-7.1.2-03");
}

static void reply_within_request(void **state)
{
    struct mpa_line *t = line_new_direct(PROFILE_IETF);
    struct startup_frame request = startup_frame(REQ, 0x40, 1, "private data", 12);

    line_say(t, I, request.octets, 20);
    line_say_frame(t, R, rep1(0x40));
    line_say_acked(t, I, request.octets + 20, 12, 0);
    line_framing(t, false, false, true);
    converse(t);
    line_close(t, I);
    line_expect(t, "MPA-7.1.2-03");
}

static void reply_without_request(void **state)
{
    struct mpa_line *t = line_new_direct(PROFILE_IETF);

    line_say_frame(t, R, rep1(0x40));
    line_close(t, I);
    line_expect(t, "MPA-7.1.2-14");
}

static void request_key_in_reply(void **state)
{
    struct mpa_line *t = line_new_direct(PROFILE_IETF);

    line_startup(t, req1(0x40), req1(0x40));
    converse(t);
    line_close(t, I);
    line_expect(t, "MPA-7.1.1-04");
}

static void two_initiators(void **state)
{
    struct mpa_line *t = line_new_direct(PROFILE_IETF);
    struct startup_frame request = req1(0x40);

    line_say_acked(t, I, request.octets, request.n, 0);
    line_say_acked(t, R, request.octets, request.n, 0);
    line_close(t, I);
    line_expect(t, "MPA-7.1.2-32");

    t = line_new_direct(PROFILE_IETF);
    line_say_frame(t, I, request);
    line_say_frame(t, R, request);
    line_close(t, I);
    line_expect(t, "MPA-7.1.2-32");
}

static void streaming_between_frames(void **state)
{
    struct mpa_line *t = line_new_direct(PROFILE_IETF);

    line_say(t, I, "Hello", 5);
    line_say_frame(t, I, req1(0x40));
    line_say(t, R, "Hello Ack", 9);
    line_say_frame(t, R, rep1(0x40));
    line_framing(t, false, false, true);
    converse(t);
    line_close(t, I);
    line_expect(t, "MPA-7.1.3-01");
}

static void streaming_in_flight(void **state)
{
    struct mpa_line *t = line_new_direct(PROFILE_IETF);
    struct startup_frame request = req1(0x40);

    line_say(t, I, "Hello", 5);
    line_say(t, R, "Hello Ack", 9);
    line_say_acked(t, I, request.octets, request.n, 0);
    line_say_frame(t, R, rep1(0x40));
    line_framing(t, false, false, true);
    converse(t);
    line_close(t, I);
    line_expect(t, "MPA-7.1.5-01");
}

/* ---- after the Request ---- */

/* REQ and first FPDU in one segment, and in two; Reply later, or never. */
static void early_fpdu_of_initiator(void **state)
{
    for (unsigned variant = 0; variant < 8; variant++) {
        struct mpa_line *t = line_new_direct(PROFILE_IETF);
        struct startup_frame request = req1(variant & 4 ? 0xc0 : 0x40);
        uint8_t fpdu[256];
        size_t n;

        t->crc = true;
        t->marked[I] = variant & 4;
        t->grid[I] = t->sent[I] = 20;
        n = line_make_send(t, I, 16, fpdu);
        t->sent[I] = 0;
        if (variant & 1) {
            memcpy(request.octets + request.n, fpdu, n);
            request.n += n;
            line_say_frame(t, I, request);
        } else {
            line_say_frame(t, I, request);
            line_say(t, I, fpdu, n);
        }
        if (variant & 2) {
            line_say_frame(t, R, rep1(variant & 4 ? 0xc0 : 0x40));
            t->grid[R] = t->sent[R];
            t->marked[R] = variant & 4;
            converse(t);
        }
        line_close(t, I);
        line_expect_case(t, "MPA-7.1.2-16", variant);
    }
}

static void excess_private_data(void **state)
{
    static const struct {
        unsigned side;
        uint16_t field, octets;
        const char *ids;
    } cases[] = {
        {I, 8, 12, "MPA-7.1.1-28"},
        {I, 0, 4, "MPA-7.1.1-29"},
        {I, 4, 8, "MPA-7.1.1-28"},
        {R, 8, 12, "MPA-7.1.1-28"},
        {R, 0, 4, "MPA-7.1.1-29"},
        {R, 4, 24, "MPA-7.1.1-28"},
        {R, 8, 8, ""},
        {I, 512, 512, ""},
        {R, 512, 512, ""},
    };
    static const uint8_t pd[512] = {0};

    for (unsigned i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct mpa_line *t = line_new_direct(PROFILE_IETF);
        struct startup_frame request = req1(0x40), reply = rep1(0x40);
        struct startup_frame *wrong = cases[i].side == I ? &request : &reply;

        *wrong = startup_frame(cases[i].side == I ? REQ : REP, 0x40, 1, pd, cases[i].octets);
        put_be16(wrong->octets + 18, cases[i].field);
        line_startup(t, request, reply);
        converse(t);
        line_close(t, I);
        line_expect_case(t, cases[i].ids, i);
    }
}

static void missing_private_data(void **state)
{
    struct mpa_line *t = line_new_direct(PROFILE_IETF);
    struct startup_frame reply = startup_frame(REP, 0x40, 1, "private", 8);

    put_be16(reply.octets + 18, 12);
    line_say_frame(t, I, req1(0x40));
    line_say_frame(t, R, reply);
    line_close(t, I);
    line_expect(t, "MPA-7.1.1-28");
}

/* The frame's sender goes on as if it were complete, and so does its peer. */
static void missing_private_data_and_on(void **state)
{
    for (unsigned side = 0; side < 2; side++) {
        struct mpa_line *t = line_new_direct(PROFILE_IETF);
        struct startup_frame request = req1(0x40), reply = rep1(0x40);
        struct startup_frame *wrong = side == I ? &request : &reply;

        *wrong = startup_frame(side == I ? REQ : REP, 0x40, 1, "private", 8);
        put_be16(wrong->octets + 18, 12);
        line_startup(t, request, reply);
        converse(t);
        line_close(t, I);
        line_expect_case(t, "MPA-7.1.1-28", side);
    }
}

/* A part of a Request: silence or a close of its sender is a fault, an abort or the end of the capture is not. */
static void request_cut_short(void **state)
{
    for (unsigned i = 0; i < 5; i++) {
        struct mpa_line *t = line_new_direct(PROFILE_IETF);
        struct startup_frame request = startup_frame(REQ, 0x40, 1, "private data", 12);

        line_say(t, I, request.octets, 24);
        if (i == 0)
            line_fin(t, I);
        else if (i == 1 || i == 3)
            t->now += 70000000000;
        if (i == 1)
            line_fin(t, R);
        else if (i == 2)
            mpa_connection_reset(t->mpa, R, ++t->frame, t->now);
        mpa_connection_finish(t->mpa, t->now);
        assert_int_equal(t->seen.counts.failed[RULE_MPA_7_1_1_28], i == 0 || i == 1 || i == 3);
        line_free(t);
    }
}

/* The first Marker of a direction holds something else: a matter of Markers, not of startup. */
static void bad_first_marker(void **state)
{
    struct mpa_line *t = line_new_direct(PROFILE_IETF);
    uint8_t fpdu[256];
    size_t n;

    line_startup(t, req1(0x40), rep1(0xc0));
    n = line_make_send(t, I, 16, fpdu);
    fpdu[3] = 4;
    line_say(t, I, fpdu, n);
    line_send(t, R, 16);
    line_close(t, I);
    assert_int_equal(t->seen.counts.failed[RULE_MPA_7_1_01], 0);
    assert_int_equal(t->seen.counts.passed[RULE_MPA_7_1_2_16], 1);
    line_free(t);
}

static void crc_trailer(void **state)
{
    for (unsigned side = 0; side < 2; side++) {
        struct mpa_line *t = line_new_direct(PROFILE_IETF);
        struct startup_frame request = req1(0x40), reply = rep1(0x40);
        struct startup_frame *wrong = side == I ? &request : &reply;

        put_le32(wrong->octets + wrong->n, crc32c(wrong->octets, wrong->n));
        wrong->n += 4;
        line_startup(t, request, reply);
        converse(t);
        line_close(t, I);
        line_expect_case(t, "MPA-7.1-05", side);
    }
}

static void marker_in_request(void **state)
{
    struct mpa_line *t = line_new_direct(PROFILE_IETF);
    uint8_t pd[516];
    struct startup_frame request;

    memset(pd, 0x5a, sizeof pd);
    memcpy(pd + 492, "\0\0\2\0", 4);
    request = startup_frame(REQ, 0xc0, 1, pd, sizeof pd);
    put_be16(request.octets + 18, 512);
    line_startup(t, request, rep1(0xc0));
    converse(t);
    line_close(t, I);
    line_expect(t, "MPA-7.1-05");
}

static void second_frames(void **state)
{
    struct mpa_line *t = line_new_direct(PROFILE_IETF);
    struct startup_frame reply = rep1(0x40);

    line_say_frame(t, I, req1(0x40));
    line_say_frame(t, I, req1(0x40));
    line_say_frame(t, R, reply);
    line_framing(t, false, false, true);
    converse(t);
    line_close(t, I);
    line_expect(t, "MPA-7.1-06");

    t = line_new_direct(PROFILE_IETF);
    line_say_frame(t, I, req1(0x40));
    line_say_frame(t, R, reply);
    line_say_frame(t, R, reply);
    line_framing(t, false, false, true);
    converse(t);
    line_close(t, I);
    line_expect(t, "MPA-7.1-06");

    t = line_new_direct(PROFILE_IETF);
    line_say_frame(t, I, startup_enhanced(REQ, 0x40, false, 0, 4, 4));
    line_say_frame(t, I, req1(0x40));
    line_close(t, I);
    line_expect(t, "MPA2-10-09");
}

static void streaming_after_frames(void **state)
{
    struct mpa_line *t = line_new_direct(PROFILE_IETF);

    line_say_frame(t, I, req1(0x40));
    line_say(t, I, "more", 4);
    line_say_frame(t, R, rep1(0x40));
    line_framing(t, false, false, true);
    converse(t);
    line_close(t, I);
    line_expect(t, "MPA-7.1.3-01");

    t = line_new_direct(PROFILE_IETF);
    line_say_frame(t, I, req1(0x40));
    line_say_frame(t, R, rep1(0x40));
    line_say(t, R, "more", 4);
    line_framing(t, false, false, true);
    converse(t);
    line_close(t, I);
    line_expect(t, "MPA-7.1-01");

    /* After the first FPDU of the Initiator. */
    t = line_new_direct(PROFILE_IETF);
    line_plain_start(t);
    line_send(t, I, 16);
    line_say(t, R, "more", 4);
    line_send(t, R, 16);
    line_close(t, I);
    line_expect(t, "MPA-7.1-01");
}

/* ---- after the Reply ---- */

static void early_fpdu_of_responder(void **state)
{
    for (unsigned markers = 0; markers < 2; markers++)
        for (unsigned one_segment = 0; one_segment < 2; one_segment++) {
            struct mpa_line *t = line_new_direct(PROFILE_IETF);
            struct startup_frame reply = rep1(0x40);

            line_say_frame(t, I, req1(markers ? 0xc0 : 0x40));
            line_framing(t, false, markers, true);
            if (one_segment) {
                uint8_t fpdu[256];
                size_t n;

                t->grid[R] = t->sent[R] = reply.n;
                n = line_make_send(t, R, 16, fpdu);
                t->sent[R] = 0;
                memcpy(reply.octets + reply.n, fpdu, n);
                reply.n += n;
                line_say_frame(t, R, reply);
            } else {
                line_say_frame(t, R, reply);
                t->grid[R] = t->sent[R];
                line_send(t, R, 16);
            }
            t->grid[I] = t->sent[I];
            converse(t);
            line_close(t, I);
            line_expect_case(t, "MPA-7.1.2-23", markers * 2 + one_segment);
        }
}

/* Sent when a part of the Initiator's first FPDU had been received. */
static void fpdu_of_responder_on_half_a_one(void **state)
{
    struct mpa_line *t = line_new_direct(PROFILE_IETF);
    uint8_t first[256], answer[256];
    size_t n, m;

    line_plain_start(t);
    n = line_make_send(t, I, 100, first);
    m = line_make_send(t, R, 16, answer);
    line_say(t, I, first, 40);
    line_say(t, R, answer, m);
    line_say(t, I, first + 40, n - 40);
    line_close(t, I);
    line_expect(t, "MPA-7.1.2-23");
}

static void lone_marker(void **state)
{
    static const uint8_t marker[4] = {0};
    struct mpa_line *t = line_new_direct(PROFILE_IETF);
    uint8_t fpdu[256];
    size_t n;

    line_startup(t, req1(0xc0), rep1(0x40));
    n = line_make_send(t, R, 16, fpdu);
    line_say(t, R, marker, 4);
    line_send(t, I, 16);
    line_say(t, R, fpdu + 4, n - 4);
    line_close(t, I);
    line_expect(t, "MPA-7.1.2-25");

    t = line_new_direct(PROFILE_IETF);
    line_startup(t, req1(0xc0), rep1(0x40));
    line_say(t, R, marker, 4);
    line_close(t, I);
    line_expect(t, "MPA-7.1.2-25");
}

/* The first FPDU of the Initiator has a wrong CRC: the Responder may close, terminate, but not go on. */
static void after_a_bad_first_fpdu(void **state)
{
    for (unsigned variant = 0; variant < 3; variant++) {
        struct mpa_line *t = line_new_direct(PROFILE_IETF);
        uint8_t fpdu[256];
        size_t n;
        uint32_t failed;

        line_plain_start(t);
        n = line_make_send(t, I, 16, fpdu);
        fpdu[n - 1] ^= 1;
        line_say(t, I, fpdu, n);
        if (variant == 0)
            line_send(t, R, 16);
        else if (variant == 1)
            line_terminate_control(t, R, 0x20020000, 0);
        line_close(t, I);
        failed = t->seen.counts.failed[RULE_MPA_7_1_2_24];
        assert_int_equal(failed, variant == 0);
        line_free(t);
    }
}

static void fpdus_after_rejection(void **state)
{
    for (unsigned side = 0; side < 2; side++)
        for (unsigned crc = 0; crc < 2; crc++) {
            struct mpa_line *t = line_new_direct(PROFILE_IETF);
            uint8_t flags = crc ? 0x40 : 0;

            line_startup(t, req1(flags), rep1(flags | MPA_FLAG_R));
            if (side == R)
                line_terminate_control(t, R, 0x20060000, 0);
            else
                line_send(t, I, 32);
            line_close(t, I);
            line_expect_case(t, side == I ? "MPA-7.1.2-19" : "MPA-7.1.2-07", side * 2 + crc);
        }
}

static void early_fpdu_before_rejection(void **state)
{
    struct mpa_line *t = line_new_direct(PROFILE_IETF);

    line_say_frame(t, I, req1(0x40));
    line_framing(t, false, false, true);
    line_send(t, I, 16);
    line_say_frame(t, R, rep1(0x60));
    line_close(t, I);
    line_expect(t, "MPA-7.1.2-16");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_conversation),
        cmocka_unit_test(tap_sees_another_order),
        cmocka_unit_test(octet_by_octet),
        cmocka_unit_test(delayed_startup),
        cmocka_unit_test(responder_opened_tcp),
        cmocka_unit_test(one_direction_only),
        cmocka_unit_test(rejected),
        cmocka_unit_test(hole_before_the_first_fpdu),
        cmocka_unit_test(reply_before_request),
        cmocka_unit_test(reply_within_request),
        cmocka_unit_test(reply_without_request),
        cmocka_unit_test(request_key_in_reply),
        cmocka_unit_test(two_initiators),
        cmocka_unit_test(streaming_between_frames),
        cmocka_unit_test(streaming_in_flight),
        cmocka_unit_test(early_fpdu_of_initiator),
        cmocka_unit_test(excess_private_data),
        cmocka_unit_test(missing_private_data),
        cmocka_unit_test(missing_private_data_and_on),
        cmocka_unit_test(request_cut_short),
        cmocka_unit_test(bad_first_marker),
        cmocka_unit_test(crc_trailer),
        cmocka_unit_test(marker_in_request),
        cmocka_unit_test(second_frames),
        cmocka_unit_test(streaming_after_frames),
        cmocka_unit_test(early_fpdu_of_responder),
        cmocka_unit_test(fpdu_of_responder_on_half_a_one),
        cmocka_unit_test(lone_marker),
        cmocka_unit_test(after_a_bad_first_fpdu),
        cmocka_unit_test(fpdus_after_rejection),
        cmocka_unit_test(early_fpdu_before_rejection),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
