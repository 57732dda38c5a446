// SPDX-License-Identifier: GPL-2.0-or-later
/* Effects of a hole in the capture, and rules that are still judged after the hole. */
#include "tests/unit/support/rdmap_flow.h"

enum { SEGMENT = 2 + 14 + 100 + 4, EMPTY_SEND = 2 + 18 + 4 };

static void one_write(struct rdmap_flow *t, unsigned side, bool within)
{
    flow_tagged(t, side, RDMAP_WRITE, 0x77, 0, false, NULL, 100);
    flow_hole(t, side, SEGMENT);
    t->within[side] = within;
    flow_tagged(t, side, RDMAP_WRITE, 0x77, 200, true, NULL, 100);
}

/* A hole among the answers hides no request, whatever else it hides. */
UNIT_TEST(an_answer_without_request)
{
    for (unsigned within = 0; within < 2; within++) {
        struct rdmap_flow *t = flow_new();
        uint32_t frame;

        flow_send(t, I, 4);
        flow_read(t, I, 0x10, 0, 8);
        one_write(t, R, within);
        flow_response(t, R, 0x10, 0, 8, true);
        frame = flow_response(t, R, 0x11, 0, 8, true);
        flow_send(t, I, 4);
        flow_close(t, I);
        flow_expect_one(t, RULE_RDMAP_5_2_01, SEVERITY_ERROR, frame);
    }
}

/* The hole at the beginning of the requests ends later than the hole before the answer. */
UNIT_TEST(an_answer_before_a_request_behind_a_hole)
{
    struct rdmap_flow *t = flow_new();
    struct ddp_segment response = tagged_segment(RDMAP_READ_RESPONSE, 0x10, 0);

    flow_send(t, R, 4);
    flow_hole(t, R, EMPTY_SEND);
    flow_segment_acked(t, R, response, NULL, 8, 1000);
    flow_hole(t, I, SEGMENT);
    flow_tagged(t, I, RDMAP_WRITE, 0x77, 200, true, NULL, 100);
    flow_read(t, I, 0x10, 0, 8);
    flow_send(t, R, 4);
    flow_close(t, R);
    flow_expect_nothing(t);
}

/* The answer may be in the hole, unless the hole hides only part of a Write. */
UNIT_TEST(a_request_that_is_never_answered)
{
    for (unsigned within = 0; within < 2; within++) {
        struct rdmap_flow *t = flow_new();
        uint32_t frame;

        flow_send(t, I, 4);
        flow_send(t, R, 4);
        frame = flow_read(t, I, 0x10, 0, 8);
        one_write(t, R, within);
        flow_send(t, I, 4);
        flow_send(t, R, 4);
        flow_close(t, R);
        if (within)
            flow_expect_one(t, RULE_RDMAP_5_2_1_14, SEVERITY_ERROR, frame);
        else
            flow_expect_nothing(t);
    }
}

/* An answer that fits only one request shows which are open. */
UNIT_TEST(an_answer_settles_what_a_hole_left_open)
{
    for (unsigned same = 0; same < 2; same++) {
        struct rdmap_flow *t = flow_new();
        uint32_t frame;

        flow_send(t, I, 4);
        flow_read(t, I, 0x10, 0, 8);
        flow_read(t, I, 0x11, 0, 8);
        flow_read(t, I, same ? 0x11 : 0x12, 0, 8);
        flow_hole(t, R, 48);
        flow_response(t, R, 0x11, 0, 8, true);
        if (!same)
            flow_response(t, R, 0x12, 0, 8, true);
        frame = flow_response(t, R, 0x99, 0, 8, true);
        flow_close(t, R);
        if (same)
            flow_expect_nothing(t);
        else
            flow_expect_one(t, RULE_RDMAP_5_2_01, SEVERITY_ERROR, frame);
    }
}

static struct rdmap_flow *late_flow(void)
{
    struct rdmap_flow *t = flow_new();

    t->parameters.startup_seen = false;
    t->parameters.midstream = true;
    flow_parameters(t);
    t->number[I] = t->number[R] = 100;
    return t;
}

/*
 * After minutes of silence nothing from before the capture is open; after seconds it may be. Before a request with MSN
 * 1 nothing was open.
 */
UNIT_TEST(what_settles_a_late_start)
{
    static const struct {
        uint32_t msn;
        int64_t seconds;
        bool settled;
    } starts[] = {{77, 3, false}, {77, 180, true}, {2, 3, false}, {1, 3, true}};

    for (unsigned i = 0; i < ARRAY_LENGTH(starts); i++) {
        struct rdmap_flow *t = late_flow();
        uint32_t frame;

        t->msn[I][1] = starts[i].msn;
        flow_read(t, I, 0x10, 0, 8);
        flow_response(t, R, 0x10, 0, 8, true);
        t->time_ns += INT64_C(1000000000) * starts[i].seconds;
        flow_read(t, I, 0x11, 0, 8);
        flow_response(t, R, 0x11, 0, 8, true);
        frame = flow_response(t, R, 0x99, 0, 8, true);
        flow_close(t, R);
        if (starts[i].settled)
            flow_expect_one(t, RULE_RDMAP_5_2_01, SEVERITY_ERROR, frame);
        else
            flow_expect_nothing(t);
    }
}

/* The order of Tagged segments is judged wherever the message begins. */
UNIT_TEST(order_of_tagged_segments_after_a_late_start)
{
    enum { NOTHING, SEND, REQUEST, OTHER_REQUEST };
    for (unsigned before = NOTHING; before <= OTHER_REQUEST; before++) {
        struct rdmap_flow *t = late_flow();
        uint8_t opcode = before >= REQUEST ? RDMAP_READ_RESPONSE : RDMAP_WRITE;
        uint32_t frame;

        flow_send(t, I, 4);
        if (before == SEND)
            flow_send(t, R, 4);
        else if (before >= REQUEST)
            flow_read(t, I, 0x77, before == REQUEST ? 0 : 100, 300);
        flow_tagged(t, R, opcode, 0x77, 0, false, NULL, 100);
        frame = flow_tagged(t, R, opcode, 0x77, 200, false, NULL, 100);
        flow_tagged(t, R, opcode, 0x77, 100, true, NULL, 100);
        flow_close(t, R);
        flow_expect_one(t, RULE_DDP_5_3_04, SEVERITY_WARNING, frame);
    }
}

/* Missing octets may be in the missing beginning of the message: a warning. */
UNIT_TEST(gap_in_a_message_whose_beginning_is_missing)
{
    struct rdmap_flow *t = late_flow();
    uint32_t frame;

    flow_send(t, I, 4);
    flow_tagged(t, R, RDMAP_WRITE, 0x77, 0, false, NULL, 100);
    frame = flow_tagged(t, R, RDMAP_WRITE, 0x77, 200, true, NULL, 100);
    flow_close(t, R);
    flow_expect_one(t, RULE_DDP_5_2_11, SEVERITY_WARNING, frame);
}

/* A hole hides no more messages than it has room for, and no earlier ones. */
UNIT_TEST(msns_behind_a_hole)
{
    static const struct {
        uint64_t octets;
        int jump;
        bool found;
    } cases[] = {
        {2 * EMPTY_SEND, 0, false}, {2 * EMPTY_SEND, 2, false}, {2 * EMPTY_SEND, 3, true},
        {2 * EMPTY_SEND, -1, true}, {1000, -2, true},           {1000, 40, false},
    };

    for (unsigned i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct rdmap_flow *t = flow_new();
        uint32_t frame;

        flow_send(t, I, 4);
        flow_send(t, I, 4);
        flow_hole(t, I, cases[i].octets);
        t->msn[I][0] += (uint32_t)cases[i].jump;
        frame = flow_send(t, I, 4);
        flow_send(t, I, 4);
        flow_close(t, I);
        if (cases[i].found)
            flow_expect_one(t, RULE_DDP_4_3_12, SEVERITY_ERROR, frame);
        else
            flow_expect_nothing(t);
    }
}

/* The message before the hole may continue after the hole. */
UNIT_TEST(a_message_around_a_hole)
{
    struct rdmap_flow *t = flow_new();
    struct ddp_segment segment = untagged_segment(RDMAP_SEND, 0, 1);

    segment.last = false;
    flow_segment(t, I, segment, NULL, 100);
    flow_hole(t, I, 124);
    segment.mo = 200;
    segment.last = true;
    flow_segment(t, I, segment, NULL, 100);
    t->msn[I][0] = 2;
    flow_send(t, I, 4);
    flow_close(t, I);
    flow_expect_nothing(t);
}
