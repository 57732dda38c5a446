// SPDX-License-Identifier: GPL-2.0-or-later
/* Faults at which DDP's rules and those of Reads, Atomics and Terminates meet: each is one finding. */
#include "rdmap_talk.h"

static void last_too_early(void **state)
{
    struct talk *t = talk_new();
    uint32_t frame;

    (void)state;
    talk_read(t, I, 0x10, 0x1000, 100);
    talk_read(t, I, 0x10, 0x2000, 8);
    frame = talk_tagged(t, R, RDMAP_READ_RESPONSE, 0x10, 0x1000, true, NULL, 60);
    talk_tagged(t, R, RDMAP_READ_RESPONSE, 0x10, 0x1000 + 60, true, NULL, 40);
    talk_response(t, R, 0x10, 0x2000, 8);
    talk_close(t, R);
    talk_expect(t, RULE_DDP_4_1_05, SEVERITY_ERROR, frame);
}

static void last_missing(void **state)
{
    struct talk *t = talk_new();
    uint32_t frame;

    (void)state;
    talk_read(t, I, 0x10, 0x1000, 100);
    talk_read(t, I, 0x10, 0x2000, 8);
    frame = talk_tagged(t, R, RDMAP_READ_RESPONSE, 0x10, 0x1000, false, NULL, 100);
    talk_response(t, R, 0x10, 0x2000, 8);
    talk_close(t, R);
    talk_expect(t, RULE_DDP_4_1_04, SEVERITY_ERROR, frame);

    t = talk_new(); /* the next one goes to the octets behind it */
    talk_read(t, I, 0x10, 0x1000, 100);
    talk_read(t, I, 0x10, 0x1000 + 100, 8);
    frame = talk_tagged(t, R, RDMAP_READ_RESPONSE, 0x10, 0x1000, false, NULL, 100);
    talk_response(t, R, 0x10, 0x1000 + 100, 8);
    talk_close(t, R);
    talk_expect(t, RULE_DDP_4_1_04, SEVERITY_ERROR, frame);
}

static uint32_t part_of_a_send(struct talk *t, bool last, uint32_t mo, size_t n)
{
    return talk_segment(
        t, I, (struct ddp_segment){.last = last, .opcode = RDMAP_SEND, .qn = DDP_QN_SEND, .msn = 1, .mo = mo}, NULL, n);
}

/* Octets that the message has already had: not the rest of one whose Last came too early. */
static void a_segment_behind_the_last(void **state)
{
    struct talk *t = talk_new();
    uint32_t frame;

    (void)state;
    part_of_a_send(t, false, 0, 8);
    part_of_a_send(t, true, 8, 8);
    frame = part_of_a_send(t, true, 8, 8);
    part_of_a_send(t, true, 12, 4); /* told once */
    t->msn[I][DDP_QN_SEND] = 2;
    talk_send(t, I);
    talk_close(t, R);
    talk_expect(t, RULE_DDP_4_1_06, SEVERITY_ERROR, frame);
}

static void responses_interleaved(void **state)
{
    struct talk *t = talk_new();
    uint32_t frame;

    (void)state;
    talk_read(t, I, 0x10, 0x1000, 100);
    talk_read(t, I, 0x11, 0x2000, 100);
    frame = talk_tagged(t, R, RDMAP_READ_RESPONSE, 0x10, 0x1000, false, NULL, 60);
    talk_tagged(t, R, RDMAP_READ_RESPONSE, 0x11, 0x2000, false, NULL, 60);
    talk_tagged(t, R, RDMAP_READ_RESPONSE, 0x10, 0x1000 + 60, true, NULL, 40);
    talk_tagged(t, R, RDMAP_READ_RESPONSE, 0x11, 0x2000 + 60, true, NULL, 40);
    talk_close(t, R);
    talk_expect(t, RULE_DDP_4_1_04, SEVERITY_ERROR, frame);
}

static void segments_in_descending_order(void **state)
{
    struct talk *t = talk_new();
    uint32_t frame;

    (void)state;
    talk_read(t, I, 0x10, 0x1000, 100);
    talk_tagged(t, R, RDMAP_READ_RESPONSE, 0x10, 0x1000 + 60, false, NULL, 40);
    frame = talk_tagged(t, R, RDMAP_READ_RESPONSE, 0x10, 0x1000, true, NULL, 60);
    talk_close(t, R);
    talk_expect(t, RULE_DDP_5_3_04, SEVERITY_WARNING, frame);
}

static void an_atomic_response_between_segments(void **state)
{
    struct talk *t = talk_new();
    uint32_t frame;

    (void)state;
    talk_read(t, I, 0x10, 0x1000, 100);
    talk_add(t, I, 1, 0, 1, 0);
    talk_tagged(t, R, RDMAP_READ_RESPONSE, 0x10, 0x1000, false, NULL, 60);
    talk_original(t, R, 1, 0);
    frame = talk_tagged(t, R, RDMAP_READ_RESPONSE, 0x10, 0x1000 + 60, true, NULL, 40);
    talk_close(t, R);
    talk_expect(t, RULE_DDP_5_3_05, SEVERITY_WARNING, frame);
}

static void a_response_that_skips_octets(void **state)
{
    struct talk *t = talk_new();
    uint32_t frame;

    (void)state;
    talk_read(t, I, 0x10, 0x1000, 100);
    talk_tagged(t, R, RDMAP_READ_RESPONSE, 0x10, 0x1000, false, NULL, 60);
    frame = talk_tagged(t, R, RDMAP_READ_RESPONSE, 0x10, 0x1000 + 68, true, NULL, 40);
    talk_close(t, R);
    talk_expect(t, RULE_DDP_5_2_11, SEVERITY_ERROR, frame);
}

static void a_response_cut_off(void **state)
{
    struct talk *t = talk_new();

    (void)state;
    talk_read(t, I, 0x10, 0x1000, 100);
    talk_tagged(t, R, RDMAP_READ_RESPONSE, 0x10, 0x1000, false, NULL, 60);
    talk_terminate(t, R);
    talk_close(t, R);
    talk_expect_nothing(t);
}

static void the_msn_of_the_request(void **state)
{
    struct talk *t = talk_new();
    uint32_t frame;

    (void)state;
    talk_read(t, I, 0x10, 0, 8);
    talk_response(t, R, 0x10, 0, 8);
    talk_add(t, I, 1, 0, 1, 0); /* MSN 2 of QN 1 */
    t->msn[R][3] = 2;
    frame = talk_original(t, R, 1, 0);
    talk_close(t, R);
    talk_expect(t, RULE_DDP_4_3_13, SEVERITY_ERROR, frame);
}

static void an_msn_twice(void **state)
{
    struct talk *t = talk_new();
    uint32_t frame;

    (void)state;
    talk_read(t, I, 0x10, 0, 8);
    t->msn[I][1] = 1;
    frame = talk_read(t, I, 0x11, 0, 8);
    talk_response(t, R, 0x10, 0, 8);
    talk_response(t, R, 0x11, 0, 8);
    talk_close(t, R);
    talk_expect(t, RULE_DDP_4_3_12, SEVERITY_ERROR, frame);
}

static void a_second_terminate(void **state)
{
    struct talk *t = talk_new();
    uint32_t frame;

    (void)state;
    talk_send(t, I);
    talk_terminate(t, R);
    t->msn[R][2] = 1; /* not even with an MSN of its own */
    frame = talk_terminate(t, R);
    talk_close(t, R);
    assert_int_equal(t->n_findings, 1);
    assert_int_equal(t->findings[0].place.frame, frame);
    talk_free(t);
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
        cmocka_unit_test(a_segment_behind_the_last),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
