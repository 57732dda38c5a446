// SPDX-License-Identifier: GPL-2.0-or-later
/* RDMA Reads whose requests appear late in the capture, or never; the rest is in rules/rdmap.cases. */
#include "tests/unit/support/rdmap_flow.h"

UNIT_TEST(before_its_request)
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

    t = flow_new(); /* no other Reads */
    flow_send(t, I, 4);
    frame = flow_response(t, R, 0x10, 0x1000, 8, true);
    flow_read(t, I, 0x10, 0x1000, 8);
    flow_close(t, R);
    flow_expect_one(t, RULE_RDMAP_5_5_12, SEVERITY_ERROR, frame);

    t = flow_new(); /* the capture has them in the wrong order: the ACK number covers the request */
    flow_send(t, I, 4);
    t->end[I] += 56;
    flow_response(t, R, 0x10, 0x1000, 8, true);
    t->end[I] -= 56;
    flow_read(t, I, 0x10, 0x1000, 8);
    flow_close(t, I);
    flow_expect_nothing(t);
}

UNIT_TEST(what_the_capture_hides)
{
    struct rdmap_flow *t = flow_new();

    t->parameters.startup_seen = false; /* the capture begins inside the connection: earlier requests are missing */
    t->parameters.midstream = true;
    flow_parameters(t);
    t->number[I] = t->number[R] = 100;
    t->msn[I][1] = 77;
    flow_response(t, R, 0x99, 0, 8, true);
    flow_read(t, I, 0x10, 0, 8);
    flow_response(t, R, 0x98, 0, 8, true);
    flow_response(t, R, 0x10, 0, 8, true);
    flow_close(t, R);
    assert_true(rule_counts_of(&t->seen.counts, RULE_RDMAP_5_2_01).inconclusive > 0);
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
UNIT_TEST(the_rtr)
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
