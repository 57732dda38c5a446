// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Who may send when, and what may follow a start-up frame, decided by ACK numbers or hand-made octets; the rest is in
 * rules/mpa.cases.
 */
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

/* The tap sees the Reply before the Request, and the Responder's FPDU before the Initiator's; the ACK numbers are
 * right. */
UNIT_TEST(tap_sees_another_order)
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

UNIT_TEST(one_direction_only)
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

UNIT_TEST(reply_without_request)
{
    struct mpa_line *t = line_new_direct(PROFILE_IETF);

    line_say_frame(t, R, rep1(0x40));
    line_close(t, I);
    line_expect(t, "MPA-7.1.2-14");
}

UNIT_TEST(two_initiators)
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

UNIT_TEST(streaming_in_flight)
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

/* Request and first FPDU in one segment, and in two; Reply later, or never. */
UNIT_TEST(early_fpdu_of_initiator)
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

/* The frame's sender continues as if it were complete, and so does its peer. */
UNIT_TEST(missing_private_data_and_on)
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

/* Part of a Request: its sender's silence or close is a fault, an abort or the end of the capture is not. */
UNIT_TEST(request_cut_short)
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
        assert_int_equal(rule_counts_of(&t->seen.counts, RULE_MPA_7_1_1_28).failed, i == 0 || i == 1 || i == 3);
        line_free(t);
    }
}

UNIT_TEST(marker_in_request)
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

UNIT_TEST(second_frames)
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

UNIT_TEST(streaming_after_frames)
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

/* Sent when part of the Initiator's first FPDU had been received. */
UNIT_TEST(fpdu_of_responder_on_half_a_one)
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

UNIT_TEST(lone_marker)
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
