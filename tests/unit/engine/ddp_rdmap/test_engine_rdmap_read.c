// SPDX-License-Identifier: GPL-2.0-or-later
/* RDMA Reads: sink, size, order, answers without requests and requests without answers. */
#include "tests/unit/support/rdmap_flow.h"

static void a_faultless_conversation(void **state)
{
    struct rdmap_flow *t = flow_new();

    flow_read(t, I, 0x10, 0x1000, 100);
    flow_response(t, R, 0x10, 0x1000, 100, true);
    flow_read(t, I, 0x11, 0, 1500); /* pipelined, in two segments, zero-length, odd */
    flow_read(t, I, 0x12, 0, 0);
    flow_read(t, I, 0x10, 0x1001, 7);
    flow_tagged(t, R, RDMAP_READ_RESPONSE, 0x11, 0, false, NULL, 1000);
    flow_tagged(t, R, RDMAP_READ_RESPONSE, 0x11, 1000, true, NULL, 500);
    flow_response(t, R, 0x12, 0, 0, true);
    flow_send(t, R, 4);
    flow_response(t, R, 0x10, 0x1001, 7, true);
    flow_read(t, R, 0x20, 8, 8); /* the other way */
    flow_response(t, I, 0x20, 8, 8, true);
    flow_close(t, I);
    findings_passed(&t->seen, RULE_RDMAP_4_4_03, RULE_RDMAP_4_4_08, RULE_RDMAP_5_2_01, RULE_RDMAP_5_2_1_14,
                    RULE_RDMAP_5_2_1_18, RULE_RDMAP_5_2_2_01, RULE_RDMAP_5_2_2_08, RULE_RDMAP_5_5_12);
    flow_expect_nothing(t);
}

static void another_sink(void **state)
{
    struct rdmap_flow *t = flow_new();
    uint32_t frame;

    flow_read(t, I, 0x10, 0x1000, 100);
    frame = flow_response(t, R, 0x11, 0x1000, 100, true);
    flow_close(t, I);
    flow_expect_one(t, RULE_RDMAP_4_4_03, SEVERITY_ERROR, frame);

    t = flow_new(); /* TO, in the first of two segments */
    flow_read(t, I, 0x10, 0x1000, 100);
    frame = flow_tagged(t, R, RDMAP_READ_RESPONSE, 0x10, 0x1008, false, NULL, 60);
    flow_tagged(t, R, RDMAP_READ_RESPONSE, 0x10, 0x1008 + 60, true, NULL, 40);
    flow_close(t, I);
    flow_expect_one(t, RULE_RDMAP_4_4_03, SEVERITY_ERROR, frame);

    t = flow_new(); /* a zero-length one need not have a valid STag */
    flow_read(t, I, 0x10, 0x1000, 0);
    frame = flow_response(t, R, 0x11, 0x1000, 0, true);
    flow_close(t, I);
    flow_expect_one(t, RULE_RDMAP_4_4_03, SEVERITY_WARNING, frame);
}

static void another_size(void **state)
{
    struct rdmap_flow *t = flow_new();
    uint32_t frame;

    flow_read(t, I, 0x10, 0x1000, 100);
    frame = flow_response(t, R, 0x10, 0x1000, 99, true);
    flow_send(t, R, 4);
    flow_close(t, I);
    flow_expect_one(t, RULE_RDMAP_4_4_08, SEVERITY_ERROR, frame);

    t = flow_new();
    flow_read(t, I, 0x10, 0x1000, 100);
    flow_tagged(t, R, RDMAP_READ_RESPONSE, 0x10, 0x1000, false, NULL, 60);
    frame = flow_tagged(t, R, RDMAP_READ_RESPONSE, 0x10, 0x1000 + 60, true, NULL, 41);
    flow_close(t, I);
    flow_expect_one(t, RULE_RDMAP_4_4_08, SEVERITY_ERROR, frame);

    t = flow_new();
    flow_read(t, I, 0x10, 0x1000, 0);
    frame = flow_response(t, R, 0x10, 0x1000, 4, true);
    flow_close(t, I);
    flow_expect_one(t, RULE_RDMAP_5_2_1_18, SEVERITY_ERROR, frame);
}

static void surplus_responses(void **state)
{
    struct rdmap_flow *t = flow_new();
    uint32_t frame;

    flow_send(t, I, 4);
    frame = flow_response(t, R, 0x10, 0x1000, 8, true);
    flow_close(t, I);
    flow_expect_one(t, RULE_RDMAP_5_2_01, SEVERITY_ERROR, frame);

    t = flow_new(); /* twice; the sink is used again later */
    flow_read(t, I, 0x10, 0x1000, 8);
    flow_response(t, R, 0x10, 0x1000, 8, true);
    frame = flow_response(t, R, 0x10, 0x1000, 8, true);
    flow_read(t, I, 0x10, 0x1000, 8);
    flow_response(t, R, 0x10, 0x1000, 8, true);
    flow_close(t, I);
    flow_expect_one(t, RULE_RDMAP_5_2_01, SEVERITY_ERROR, frame);

    t = flow_new(); /* from the requester itself */
    flow_send(t, R, 4);
    flow_read(t, I, 0x10, 0x1000, 8);
    frame = flow_response(t, I, 0x10, 0x1000, 8, true);
    flow_response(t, R, 0x10, 0x1000, 8, true);
    flow_close(t, I);
    flow_expect_one(t, RULE_RDMAP_5_2_2_01, SEVERITY_ERROR, frame);
}

static void before_its_request(void **state)
{
    struct rdmap_flow *t = flow_new();
    uint32_t frame;

    flow_send(t, I, 4);
    frame = flow_response(t, R, 0x10, 0x1000, 8, true);
    flow_read(t, I, 0x10, 0x1000, 8);
    flow_read(t, I, 0x11, 0x1000, 8);
    flow_response(t, R, 0x11, 0x1000, 8, true);
    flow_close(t, I);
    flow_expect_one(t, RULE_RDMAP_5_5_12, SEVERITY_ERROR, frame);

    t = flow_new(); /* nothing else is read */
    flow_send(t, I, 4);
    frame = flow_response(t, R, 0x10, 0x1000, 8, true);
    flow_read(t, I, 0x10, 0x1000, 8);
    flow_close(t, R);
    flow_expect_one(t, RULE_RDMAP_5_5_12, SEVERITY_ERROR, frame);

    t = flow_new(); /* the capture saw them in the wrong order: the ACK number covers the request */
    flow_send(t, I, 4);
    t->end[I] += 56;
    flow_response(t, R, 0x10, 0x1000, 8, true);
    t->end[I] -= 56;
    flow_read(t, I, 0x10, 0x1000, 8);
    flow_close(t, I);
    flow_expect_nothing(t);
}

static void in_another_order(void **state)
{
    struct rdmap_flow *t = flow_new();
    uint32_t frame;

    flow_read(t, I, 0x10, 0, 8);
    flow_read(t, I, 0x11, 0, 8);
    flow_read(t, I, 0x12, 0, 8);
    frame = flow_response(t, R, 0x12, 0, 8, true);
    flow_response(t, R, 0x10, 0, 8, true);
    flow_response(t, R, 0x11, 0, 8, true);
    flow_close(t, I);
    flow_expect_one(t, RULE_RDMAP_5_2_2_08, SEVERITY_ERROR, frame);

    t = flow_new(); /* the same sink: only the sizes differ */
    flow_read(t, I, 0x10, 0, 8);
    flow_read(t, I, 0x10, 0, 16);
    frame = flow_response(t, R, 0x10, 0, 16, true);
    flow_response(t, R, 0x10, 0, 8, true);
    flow_close(t, I);
    flow_expect_one(t, RULE_RDMAP_5_2_2_08, SEVERITY_ERROR, frame);

    t = flow_new(); /* broken off before the older one was answered */
    flow_send(t, I, 4);
    flow_read(t, I, 0x10, 0, 8);
    flow_read(t, I, 0x11, 0, 8);
    frame = flow_response(t, R, 0x11, 0, 8, true);
    flow_end(t, R, true);
    flow_finish(t);
    flow_expect_one(t, RULE_RDMAP_5_2_2_08, SEVERITY_ERROR, frame);
}

static void never_answered(void **state)
{
    struct rdmap_flow *t = flow_new();
    uint32_t frame;

    frame = flow_read(t, I, 0x10, 0, 8);
    flow_send(t, R, 4);
    flow_close(t, R);
    flow_expect_one(t, RULE_RDMAP_5_2_1_14, SEVERITY_ERROR, frame);

    t = flow_new(); /* a later one was */
    flow_read(t, I, 0x10, 0, 8);
    flow_response(t, R, 0x10, 0, 8, true);
    frame = flow_read(t, I, 0x11, 0, 8);
    flow_read(t, I, 0x12, 0, 8);
    flow_response(t, R, 0x12, 0, 8, true);
    flow_close(t, R);
    flow_expect_one(t, RULE_RDMAP_5_2_1_14, SEVERITY_ERROR, frame);

    t = flow_new(); /* the same, and the requester closes: it cannot have been its wish */
    flow_send(t, I, 4);
    frame = flow_read(t, I, 0x11, 0, 8);
    flow_read(t, I, 0x12, 0, 8);
    flow_response(t, R, 0x12, 0, 8, true);
    flow_close(t, I);
    flow_expect_one(t, RULE_RDMAP_5_2_1_14, SEVERITY_ERROR, frame);

    t = flow_new(); /* the missing Response may be in the hole */
    flow_send(t, I, 4);
    flow_read(t, I, 0x11, 0, 8);
    flow_read(t, I, 0x12, 0, 8);
    flow_response(t, R, 0x12, 0, 8, true);
    flow_hole(t, R, 28);
    flow_close(t, I);
    flow_expect_nothing(t);

    t = flow_new(); /* the Initiator's first FPDU: MPA-7.1.2-12 */
    flow_read(t, I, 0x11, 0, 8);
    flow_read(t, I, 0x12, 0, 8);
    flow_response(t, R, 0x12, 0, 8, true);
    flow_close(t, R);
    flow_expect_nothing(t);

    t = flow_new(); /* the requester gave up first */
    frame = flow_read(t, I, 0x10, 0, 8);
    flow_close(t, I);
    flow_expect_one(t, RULE_RDMAP_5_2_1_14, SEVERITY_NOTE, frame);

    t = flow_new();
    frame = flow_read(t, I, 0x10, 0, 0);
    flow_send(t, R, 4);
    flow_close(t, R);
    flow_expect_one(t, RULE_RDMAP_5_2_1_18, SEVERITY_ERROR, frame);

    t = flow_new(); /* a Terminate accounts for it */
    flow_read(t, I, 0x10, 0, 8);
    flow_terminate(t, R);
    flow_close(t, R);
    flow_expect_nothing(t);

    t = flow_new(); /* so does an RST */
    flow_read(t, I, 0x10, 0, 8);
    flow_send(t, R, 4);
    flow_end(t, R, true);
    flow_finish(t);
    flow_expect_nothing(t);

    t = flow_new(); /* the capture ends */
    flow_read(t, I, 0x10, 0, 8);
    flow_send(t, R, 4);
    flow_finish(t);
    flow_expect_nothing(t);
}

static void what_the_capture_hides(void **state)
{
    struct rdmap_flow *t = flow_new();

    t->parameters.startup_seen = false; /* begins inside the connection: requests were sent before */
    t->parameters.midstream = true;
    flow_parameters(t);
    t->number[I] = t->number[R] = 100;
    t->msn[I][1] = 77;
    flow_response(t, R, 0x99, 0, 8, true);
    flow_read(t, I, 0x10, 0, 8);
    flow_response(t, R, 0x98, 0, 8, true);
    flow_response(t, R, 0x10, 0, 8, true);
    flow_close(t, R);
    assert_true(t->seen.counts.inconclusive[RULE_RDMAP_5_2_01] > 0);
    flow_expect_nothing(t);

    t = flow_new(); /* requests in a hole */
    flow_read(t, I, 0x10, 0, 8);
    flow_response(t, R, 0x10, 0, 8, true);
    flow_hole(t, I, 1000);
    flow_response(t, R, 0x11, 0, 8, true);
    t->msn[I][1]++;
    flow_read(t, I, 0x12, 0, 8);
    flow_response(t, R, 0x12, 0, 8, true);
    flow_close(t, R);
    flow_expect_nothing(t);

    t = flow_new(); /* answers in a hole */
    flow_read(t, I, 0x10, 0, 8);
    flow_read(t, I, 0x11, 0, 8);
    flow_hole(t, R, 1000);
    flow_send(t, R, 4);
    flow_read(t, I, 0x12, 0, 8);
    flow_response(t, R, 0x12, 0, 8, true);
    flow_close(t, R);
    flow_expect_nothing(t);
}

/* RFC 6581 section 9.2: the answer to the RTR is judged by MPA. */
static void the_rtr(void **state)
{
    struct rdmap_flow *t = flow_new();

    t->parameters.peer_to_peer = true;
    flow_parameters(t);
    flow_read(t, I, 0, 0, 0);
    flow_response(t, R, 1, 0, 4, true);
    flow_close(t, R);
    flow_expect_nothing(t);

    t = flow_new();
    t->parameters.peer_to_peer = true;
    flow_parameters(t);
    flow_read(t, I, 0, 0, 0);
    flow_send(t, R, 4);
    flow_close(t, R);
    flow_expect_nothing(t);
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
