// SPDX-License-Identifier: GPL-2.0-or-later
/* Faults at which DDP's rules and those of Reads, Atomics and Terminates meet: each is one finding. */
#include "tests/unit/support/rdmap_flow.h"

static void last_too_early(void **state)
{
    struct rdmap_flow *t = flow_new();
    uint32_t frame;

    flow_read(t, I, 0x10, 0x1000, 100);
    flow_read(t, I, 0x10, 0x2000, 8);
    frame = flow_tagged(t, R, RDMAP_READ_RESPONSE, 0x10, 0x1000, true, NULL, 60);
    flow_tagged(t, R, RDMAP_READ_RESPONSE, 0x10, 0x1000 + 60, true, NULL, 40);
    flow_response(t, R, 0x10, 0x2000, 8, true);
    flow_close(t, R);
    flow_expect_one(t, RULE_DDP_4_1_05, SEVERITY_ERROR, frame);
}

static void last_missing(void **state)
{
    struct rdmap_flow *t = flow_new();
    uint32_t frame;

    flow_read(t, I, 0x10, 0x1000, 100);
    flow_read(t, I, 0x10, 0x2000, 8);
    frame = flow_tagged(t, R, RDMAP_READ_RESPONSE, 0x10, 0x1000, false, NULL, 100);
    flow_response(t, R, 0x10, 0x2000, 8, true);
    flow_close(t, R);
    flow_expect_one(t, RULE_DDP_4_1_04, SEVERITY_ERROR, frame);

    t = flow_new(); /* the next one goes to the octets after it */
    flow_read(t, I, 0x10, 0x1000, 100);
    flow_read(t, I, 0x10, 0x1000 + 100, 8);
    frame = flow_tagged(t, R, RDMAP_READ_RESPONSE, 0x10, 0x1000, false, NULL, 100);
    flow_response(t, R, 0x10, 0x1000 + 100, 8, true);
    flow_close(t, R);
    flow_expect_one(t, RULE_DDP_4_1_04, SEVERITY_ERROR, frame);
}

static uint32_t part_of_a_send(struct rdmap_flow *t, bool last, uint32_t mo, size_t n)
{
    return flow_segment(
        t, I,
        (struct ddp_segment){
            .dv = 1, .rv = 1, .last = last, .opcode = RDMAP_SEND, .qn = DDP_QN_SEND, .msn = 1, .mo = mo},
        NULL, n);
}

/* Octets that the message has already had: not the rest of one whose Last came too early. */
static void a_segment_after_the_last(void **state)
{
    struct rdmap_flow *t = flow_new();
    uint32_t frame;

    part_of_a_send(t, false, 0, 8);
    part_of_a_send(t, true, 8, 8);
    frame = part_of_a_send(t, true, 8, 8);
    part_of_a_send(t, true, 12, 4); /* reported once */
    t->msn[I][DDP_QN_SEND] = 2;
    flow_send(t, I, 4);
    flow_close(t, R);
    flow_expect_one(t, RULE_DDP_4_1_06, SEVERITY_ERROR, frame);
}

static void responses_interleaved(void **state)
{
    struct rdmap_flow *t = flow_new();
    uint32_t frame;

    flow_read(t, I, 0x10, 0x1000, 100);
    flow_read(t, I, 0x11, 0x2000, 100);
    frame = flow_tagged(t, R, RDMAP_READ_RESPONSE, 0x10, 0x1000, false, NULL, 60);
    flow_tagged(t, R, RDMAP_READ_RESPONSE, 0x11, 0x2000, false, NULL, 60);
    flow_tagged(t, R, RDMAP_READ_RESPONSE, 0x10, 0x1000 + 60, true, NULL, 40);
    flow_tagged(t, R, RDMAP_READ_RESPONSE, 0x11, 0x2000 + 60, true, NULL, 40);
    flow_close(t, R);
    flow_expect_one(t, RULE_DDP_4_1_04, SEVERITY_ERROR, frame);
}

static void segments_in_descending_order(void **state)
{
    struct rdmap_flow *t = flow_new();
    uint32_t frame;

    flow_read(t, I, 0x10, 0x1000, 100);
    flow_tagged(t, R, RDMAP_READ_RESPONSE, 0x10, 0x1000 + 60, false, NULL, 40);
    frame = flow_tagged(t, R, RDMAP_READ_RESPONSE, 0x10, 0x1000, true, NULL, 60);
    flow_close(t, R);
    flow_expect_one(t, RULE_DDP_5_3_04, SEVERITY_WARNING, frame);
}

static void an_atomic_response_between_segments(void **state)
{
    struct rdmap_flow *t = flow_new();
    uint32_t frame;

    flow_read(t, I, 0x10, 0x1000, 100);
    flow_add(t, I, 1, 0, 1, 0);
    flow_tagged(t, R, RDMAP_READ_RESPONSE, 0x10, 0x1000, false, NULL, 60);
    flow_original(t, R, 1, 0);
    frame = flow_tagged(t, R, RDMAP_READ_RESPONSE, 0x10, 0x1000 + 60, true, NULL, 40);
    flow_close(t, R);
    flow_expect_one(t, RULE_DDP_5_3_05, SEVERITY_WARNING, frame);
}

static void a_response_that_skips_octets(void **state)
{
    struct rdmap_flow *t = flow_new();
    uint32_t frame;

    flow_read(t, I, 0x10, 0x1000, 100);
    flow_tagged(t, R, RDMAP_READ_RESPONSE, 0x10, 0x1000, false, NULL, 60);
    frame = flow_tagged(t, R, RDMAP_READ_RESPONSE, 0x10, 0x1000 + 68, true, NULL, 40);
    flow_close(t, R);
    flow_expect_one(t, RULE_DDP_5_2_11, SEVERITY_ERROR, frame);
}

static void a_response_cut_off(void **state)
{
    struct rdmap_flow *t = flow_new();

    flow_read(t, I, 0x10, 0x1000, 100);
    flow_tagged(t, R, RDMAP_READ_RESPONSE, 0x10, 0x1000, false, NULL, 60);
    flow_terminate(t, R);
    flow_close(t, R);
    flow_expect_nothing(t);
}

static void the_msn_of_the_request(void **state)
{
    struct rdmap_flow *t = flow_new();
    uint32_t frame;

    flow_read(t, I, 0x10, 0, 8);
    flow_response(t, R, 0x10, 0, 8, true);
    flow_add(t, I, 1, 0, 1, 0); /* MSN 2 of QN 1 */
    t->msn[R][3] = 2;
    frame = flow_original(t, R, 1, 0);
    flow_close(t, R);
    flow_expect_one(t, RULE_DDP_4_3_13, SEVERITY_ERROR, frame);
}

static void an_msn_twice(void **state)
{
    struct rdmap_flow *t = flow_new();
    uint32_t frame;

    flow_read(t, I, 0x10, 0, 8);
    t->msn[I][1] = 1;
    frame = flow_read(t, I, 0x11, 0, 8);
    flow_response(t, R, 0x10, 0, 8, true);
    flow_response(t, R, 0x11, 0, 8, true);
    flow_close(t, R);
    flow_expect_one(t, RULE_DDP_4_3_12, SEVERITY_ERROR, frame);
}

static void a_second_terminate(void **state)
{
    struct rdmap_flow *t = flow_new();
    uint32_t frame;

    flow_send(t, I, 4);
    flow_terminate(t, R);
    t->msn[R][2] = 1; /* not even with an MSN of its own */
    frame = flow_terminate(t, R);
    flow_close(t, R);
    assert_int_equal(t->seen.n, 1);
    assert_int_equal(t->seen.finding[0].place.frame, frame);
    flow_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(last_too_early),
        cmocka_unit_test(last_missing),
        cmocka_unit_test(responses_interleaved),
        cmocka_unit_test(segments_in_descending_order),
        cmocka_unit_test(an_atomic_response_between_segments),
        cmocka_unit_test(a_response_that_skips_octets),
        cmocka_unit_test(a_response_cut_off),
        cmocka_unit_test(the_msn_of_the_request),
        cmocka_unit_test(an_msn_twice),
        cmocka_unit_test(a_second_terminate),
        cmocka_unit_test(a_segment_after_the_last),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
