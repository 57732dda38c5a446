// SPDX-License-Identifier: GPL-2.0-or-later
/* RDMA Reads: sink, size, order, answers without requests and requests without answers. */
#include "rdmap_talk.h"

static void a_faultless_conversation(void **state)
{
    struct talk *t = talk_new();

    (void)state;
    talk_read(t, I, 0x10, 0x1000, 100);
    talk_response(t, R, 0x10, 0x1000, 100);
    talk_read(t, I, 0x11, 0, 1500); /* pipelined, in two segments, zero-length, odd */
    talk_read(t, I, 0x12, 0, 0);
    talk_read(t, I, 0x10, 0x1001, 7);
    talk_tagged(t, R, RDMAP_READ_RESPONSE, 0x11, 0, false, NULL, 1000);
    talk_tagged(t, R, RDMAP_READ_RESPONSE, 0x11, 1000, true, NULL, 500);
    talk_response(t, R, 0x12, 0, 0);
    talk_send(t, R);
    talk_response(t, R, 0x10, 0x1001, 7);
    talk_read(t, R, 0x20, 8, 8); /* the other way */
    talk_response(t, I, 0x20, 8, 8);
    talk_close(t, I);
    talk_passed(t, RULE_RDMAP_4_4_03);
    talk_passed(t, RULE_RDMAP_4_4_08);
    talk_passed(t, RULE_RDMAP_5_2_01);
    talk_passed(t, RULE_RDMAP_5_2_1_14);
    talk_passed(t, RULE_RDMAP_5_2_1_18);
    talk_passed(t, RULE_RDMAP_5_2_2_01);
    talk_passed(t, RULE_RDMAP_5_2_2_08);
    talk_passed(t, RULE_RDMAP_5_5_12);
    talk_expect_nothing(t);
}

static void another_sink(void **state)
{
    struct talk *t = talk_new();
    uint32_t frame;

    (void)state;
    talk_read(t, I, 0x10, 0x1000, 100);
    frame = talk_response(t, R, 0x11, 0x1000, 100);
    talk_close(t, I);
    talk_expect(t, RULE_RDMAP_4_4_03, SEVERITY_ERROR, frame);

    t = talk_new(); /* TO, in the first of two segments */
    talk_read(t, I, 0x10, 0x1000, 100);
    frame = talk_tagged(t, R, RDMAP_READ_RESPONSE, 0x10, 0x1008, false, NULL, 60);
    talk_tagged(t, R, RDMAP_READ_RESPONSE, 0x10, 0x1008 + 60, true, NULL, 40);
    talk_close(t, I);
    talk_expect(t, RULE_RDMAP_4_4_03, SEVERITY_ERROR, frame);

    t = talk_new(); /* a zero-length one need not have a valid STag */
    talk_read(t, I, 0x10, 0x1000, 0);
    frame = talk_response(t, R, 0x11, 0x1000, 0);
    talk_close(t, I);
    talk_expect(t, RULE_RDMAP_4_4_03, SEVERITY_WARNING, frame);
}

static void another_size(void **state)
{
    struct talk *t = talk_new();
    uint32_t frame;

    (void)state;
    talk_read(t, I, 0x10, 0x1000, 100);
    frame = talk_response(t, R, 0x10, 0x1000, 99);
    talk_send(t, R);
    talk_close(t, I);
    talk_expect(t, RULE_RDMAP_4_4_08, SEVERITY_ERROR, frame);

    t = talk_new();
    talk_read(t, I, 0x10, 0x1000, 100);
    talk_tagged(t, R, RDMAP_READ_RESPONSE, 0x10, 0x1000, false, NULL, 60);
    frame = talk_tagged(t, R, RDMAP_READ_RESPONSE, 0x10, 0x1000 + 60, true, NULL, 41);
    talk_close(t, I);
    talk_expect(t, RULE_RDMAP_4_4_08, SEVERITY_ERROR, frame);

    t = talk_new();
    talk_read(t, I, 0x10, 0x1000, 0);
    frame = talk_response(t, R, 0x10, 0x1000, 4);
    talk_close(t, I);
    talk_expect(t, RULE_RDMAP_5_2_1_18, SEVERITY_ERROR, frame);
}

static void surplus_responses(void **state)
{
    struct talk *t = talk_new();
    uint32_t frame;

    (void)state;
    talk_send(t, I);
    frame = talk_response(t, R, 0x10, 0x1000, 8);
    talk_close(t, I);
    talk_expect(t, RULE_RDMAP_5_2_01, SEVERITY_ERROR, frame);

    t = talk_new(); /* twice; the sink is used again later */
    talk_read(t, I, 0x10, 0x1000, 8);
    talk_response(t, R, 0x10, 0x1000, 8);
    frame = talk_response(t, R, 0x10, 0x1000, 8);
    talk_read(t, I, 0x10, 0x1000, 8);
    talk_response(t, R, 0x10, 0x1000, 8);
    talk_close(t, I);
    talk_expect(t, RULE_RDMAP_5_2_01, SEVERITY_ERROR, frame);

    t = talk_new(); /* from the requester itself */
    talk_send(t, R);
    talk_read(t, I, 0x10, 0x1000, 8);
    frame = talk_response(t, I, 0x10, 0x1000, 8);
    talk_response(t, R, 0x10, 0x1000, 8);
    talk_close(t, I);
    talk_expect(t, RULE_RDMAP_5_2_2_01, SEVERITY_ERROR, frame);
}

static void before_its_request(void **state)
{
    struct talk *t = talk_new();
    uint32_t frame;

    (void)state;
    talk_send(t, I);
    frame = talk_response(t, R, 0x10, 0x1000, 8);
    talk_read(t, I, 0x10, 0x1000, 8);
    talk_read(t, I, 0x11, 0x1000, 8);
    talk_response(t, R, 0x11, 0x1000, 8);
    talk_close(t, I);
    talk_expect(t, RULE_RDMAP_5_5_12, SEVERITY_ERROR, frame);

    t = talk_new(); /* nothing else is read */
    talk_send(t, I);
    frame = talk_response(t, R, 0x10, 0x1000, 8);
    talk_read(t, I, 0x10, 0x1000, 8);
    talk_close(t, R);
    talk_expect(t, RULE_RDMAP_5_5_12, SEVERITY_ERROR, frame);

    t = talk_new(); /* the capture saw them in the wrong order: the ACK number covers the request */
    talk_send(t, I);
    t->end[I] += 56;
    talk_response(t, R, 0x10, 0x1000, 8);
    t->end[I] -= 56;
    talk_read(t, I, 0x10, 0x1000, 8);
    talk_close(t, I);
    talk_expect_nothing(t);
}

static void in_another_order(void **state)
{
    struct talk *t = talk_new();
    uint32_t frame;

    (void)state;
    talk_read(t, I, 0x10, 0, 8);
    talk_read(t, I, 0x11, 0, 8);
    talk_read(t, I, 0x12, 0, 8);
    frame = talk_response(t, R, 0x12, 0, 8);
    talk_response(t, R, 0x10, 0, 8);
    talk_response(t, R, 0x11, 0, 8);
    talk_close(t, I);
    talk_expect(t, RULE_RDMAP_5_2_2_08, SEVERITY_ERROR, frame);

    t = talk_new(); /* the same sink: only the sizes differ */
    talk_read(t, I, 0x10, 0, 8);
    talk_read(t, I, 0x10, 0, 16);
    frame = talk_response(t, R, 0x10, 0, 16);
    talk_response(t, R, 0x10, 0, 8);
    talk_close(t, I);
    talk_expect(t, RULE_RDMAP_5_2_2_08, SEVERITY_ERROR, frame);

    t = talk_new(); /* broken off before the older one was answered */
    talk_send(t, I);
    talk_read(t, I, 0x10, 0, 8);
    talk_read(t, I, 0x11, 0, 8);
    frame = talk_response(t, R, 0x11, 0, 8);
    talk_end(t, R, true);
    talk_finish(t);
    talk_expect(t, RULE_RDMAP_5_2_2_08, SEVERITY_ERROR, frame);
}

static void never_answered(void **state)
{
    struct talk *t = talk_new();
    uint32_t frame;

    (void)state;
    frame = talk_read(t, I, 0x10, 0, 8);
    talk_send(t, R);
    talk_close(t, R);
    talk_expect(t, RULE_RDMAP_5_2_1_14, SEVERITY_ERROR, frame);

    t = talk_new(); /* a later one was */
    talk_read(t, I, 0x10, 0, 8);
    talk_response(t, R, 0x10, 0, 8);
    frame = talk_read(t, I, 0x11, 0, 8);
    talk_read(t, I, 0x12, 0, 8);
    talk_response(t, R, 0x12, 0, 8);
    talk_close(t, R);
    talk_expect(t, RULE_RDMAP_5_2_1_14, SEVERITY_ERROR, frame);

    t = talk_new(); /* the Initiator's first FPDU: MPA-7.1.2-12 */
    talk_read(t, I, 0x11, 0, 8);
    talk_read(t, I, 0x12, 0, 8);
    talk_response(t, R, 0x12, 0, 8);
    talk_close(t, R);
    talk_expect_nothing(t);

    t = talk_new(); /* the requester gave up first */
    frame = talk_read(t, I, 0x10, 0, 8);
    talk_close(t, I);
    talk_expect(t, RULE_RDMAP_5_2_1_14, SEVERITY_NOTE, frame);

    t = talk_new();
    frame = talk_read(t, I, 0x10, 0, 0);
    talk_send(t, R);
    talk_close(t, R);
    talk_expect(t, RULE_RDMAP_5_2_1_18, SEVERITY_ERROR, frame);

    t = talk_new(); /* a Terminate accounts for it */
    talk_read(t, I, 0x10, 0, 8);
    talk_terminate(t, R);
    talk_close(t, R);
    talk_expect_nothing(t);

    t = talk_new(); /* so does an RST */
    talk_read(t, I, 0x10, 0, 8);
    talk_send(t, R);
    talk_end(t, R, true);
    talk_finish(t);
    talk_expect_nothing(t);

    t = talk_new(); /* the capture ends */
    talk_read(t, I, 0x10, 0, 8);
    talk_send(t, R);
    talk_finish(t);
    talk_expect_nothing(t);
}

static void what_the_capture_hides(void **state)
{
    struct talk *t = talk_new();

    (void)state;
    t->parameters.startup_seen = false; /* begins inside the connection: requests were sent before */
    t->parameters.midstream = true;
    talk_parameters(t);
    t->number[I] = t->number[R] = 100;
    t->msn[I][1] = 77;
    talk_response(t, R, 0x99, 0, 8);
    talk_read(t, I, 0x10, 0, 8);
    talk_response(t, R, 0x98, 0, 8);
    talk_response(t, R, 0x10, 0, 8);
    talk_close(t, R);
    assert_true(t->verdict.counts[RULE_RDMAP_5_2_01].inconclusive > 0);
    talk_expect_nothing(t);

    t = talk_new(); /* requests in a hole */
    talk_read(t, I, 0x10, 0, 8);
    talk_response(t, R, 0x10, 0, 8);
    talk_hole(t, I);
    talk_response(t, R, 0x11, 0, 8);
    t->msn[I][1]++;
    talk_read(t, I, 0x12, 0, 8);
    talk_response(t, R, 0x12, 0, 8);
    talk_close(t, R);
    talk_expect_nothing(t);

    t = talk_new(); /* answers in a hole */
    talk_read(t, I, 0x10, 0, 8);
    talk_read(t, I, 0x11, 0, 8);
    talk_hole(t, R);
    talk_send(t, R);
    talk_read(t, I, 0x12, 0, 8);
    talk_response(t, R, 0x12, 0, 8);
    talk_close(t, R);
    talk_expect_nothing(t);
}

/* RFC 6581 section 9.2: the answer to the RTR is judged by MPA. */
static void the_rtr(void **state)
{
    struct talk *t = talk_new();

    (void)state;
    t->parameters.peer_to_peer = true;
    talk_parameters(t);
    talk_read(t, I, 0, 0, 0);
    talk_response(t, R, 1, 0, 4);
    talk_close(t, R);
    talk_expect_nothing(t);

    t = talk_new();
    t->parameters.peer_to_peer = true;
    talk_parameters(t);
    talk_read(t, I, 0, 0, 0);
    talk_send(t, R);
    talk_close(t, R);
    talk_expect_nothing(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_faultless_conversation),

        cmocka_unit_test(another_sink),
        cmocka_unit_test(another_size),
        cmocka_unit_test(surplus_responses),
        cmocka_unit_test(before_its_request),
        cmocka_unit_test(in_another_order),
        cmocka_unit_test(never_answered),
        cmocka_unit_test(what_the_capture_hides),
        cmocka_unit_test(the_rtr),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
