// SPDX-License-Identifier: GPL-2.0-or-later
/* What may follow a Terminate, and STags that were invalidated. */
#include "rdmap_talk.h"

static void nothing_behind_a_terminate(void **state)
{
    struct talk *t = talk_new();
    uint32_t frame;

    (void)state;
    talk_send(t, I);
    talk_terminate(t, R);
    talk_send(t, I); /* the other end may go on */
    talk_close(t, R);
    talk_passed(t, RULE_RDMAP_5_4_06);
    talk_passed(t, RULE_RDMAP_5_4_11);
    talk_passed(t, RULE_RDMAP_6_2_1_06);
    talk_expect_nothing(t);

    t = talk_new();
    talk_send(t, I);
    talk_terminate(t, R);
    frame = talk_send(t, R);
    talk_send(t, R);
    talk_close(t, R);
    talk_expect(t, RULE_RDMAP_5_4_11, SEVERITY_ERROR, frame);

    t = talk_new();
    talk_send(t, I);
    talk_terminate(t, R);
    frame = talk_terminate(t, R);
    talk_close(t, R);
    talk_expect(t, RULE_RDMAP_5_4_06, SEVERITY_ERROR, frame);

    t = talk_new(); /* one from either end */
    talk_terminate(t, I);
    talk_terminate(t, R);
    talk_close(t, R);
    talk_expect_nothing(t);
}

static void a_reset_behind_a_terminate(void **state)
{
    struct talk *t = talk_new();

    (void)state;
    talk_send(t, I);
    talk_terminate(t, R);
    talk_end(t, R, true);
    talk_finish(t);
    talk_expect(t, RULE_RDMAP_6_2_1_06, SEVERITY_WARNING, 3);

    t = talk_new(); /* it was acknowledged */
    talk_send(t, I);
    talk_terminate(t, R);
    talk_ack(t, I);
    talk_end(t, R, true);
    talk_finish(t);
    talk_expect_nothing(t);

    t = talk_new(); /* by the receiver */
    talk_send(t, I);
    talk_terminate(t, R);
    talk_end(t, I, true);
    talk_finish(t);
    talk_expect_nothing(t);
}

static void invalidate(struct talk *t, uint32_t stag)
{
    talk_untagged(t, I, RDMAP_SEND_INVALIDATE, DDP_QN_SEND, stag, "done", 4);
}

static uint32_t read_from(struct talk *t, uint32_t stag, uint32_t size)
{
    struct rdmap_read_request read = {.sink_stag = 0x10, .size = size, .source_stag = stag};
    uint8_t header[RDMAP_READ_REQUEST_LEN];

    rdmap_read_request_encode(&read, header, sizeof header);
    return talk_untagged(t, I, RDMAP_READ_REQUEST, DDP_QN_READ_REQUEST, 0, header, sizeof header);
}

static void stags_that_were_invalidated(void **state)
{
    struct talk *t = talk_new();
    uint32_t frame;

    (void)state;
    talk_send(t, R);
    invalidate(t, 0x100);
    frame = talk_write(t, I, 0x100, 0, "data", 4);
    talk_close(t, I);
    talk_expect(t, RULE_DDP_4_2_08, SEVERITY_ERROR, frame);

    t = talk_new();
    talk_send(t, R);
    invalidate(t, 0x100);
    frame = read_from(t, 0x100, 8); /* an answer would break RDMAP-1.2-02 */
    talk_close(t, I);
    talk_expect(t, RULE_RDMAP_4_4_09, SEVERITY_ERROR, frame);

    t = talk_new();
    talk_send(t, R);
    invalidate(t, 0xA000);
    frame = talk_add(t, I, 1, 0, 1, 0);
    talk_original(t, R, 1, 0);
    talk_close(t, I);
    talk_expect(t, RULE_RDMAPX_5_07, SEVERITY_ERROR, frame);

    t = talk_new(); /* the owner's message had not been received */
    talk_send(t, R);
    invalidate(t, 0x100);
    talk_send(t, R);
    t->unreceived = 28; /* all of it: 2 + 22 + 4 octets */
    frame = talk_write(t, I, 0x100, 0, "data", 4);
    t->unreceived = 0;
    talk_close(t, I);
    talk_expect(t, RULE_DDP_4_2_08, SEVERITY_ERROR, frame);
}

static void stags_that_may_be_valid(void **state)
{
    struct talk *t = talk_new();

    (void)state;
    invalidate(t, 0x100);
    talk_write(t, I, 0x101, 0, "data", 4); /* another one */
    talk_write(t, I, 0x100, 0, NULL, 0);   /* nothing is accessed */
    read_from(t, 0x100, 0);
    talk_response(t, R, 0x10, 0, 0);
    read_from(t, 0x102, 8);
    talk_response(t, R, 0x10, 0, 8);
    talk_send(t, R); /* may advertise it anew */
    talk_write(t, I, 0x100, 0, "data", 4);
    invalidate(t, 0);
    invalidate(t, 0);
    talk_hole(t, R);
    talk_write(t, I, 0, 0, "data", 4);
    talk_close(t, I);
    talk_passed(t, RULE_DDP_4_2_08);
    talk_expect_nothing(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_behind_a_terminate),
        cmocka_unit_test(a_reset_behind_a_terminate),
        cmocka_unit_test(stags_that_were_invalidated),
        cmocka_unit_test(stags_that_may_be_valid),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
