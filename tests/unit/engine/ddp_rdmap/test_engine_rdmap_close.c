// SPDX-License-Identifier: GPL-2.0-or-later
/* What may follow a Terminate, and STags that were invalidated. */
#include "tests/unit/support/rdmap_flow.h"

/* RFC 6581 section 9.1: the Initiator ends the startup, and MPA asks for the close that follows. */
static struct rdmap_flow *after_a_startup_that_failed(void)
{
    struct rdmap_flow *t = flow_new();

    t->parameters.enhanced = true;
    flow_parameters(t);
    flow_terminate_as(t, I, (struct rdmap_terminate){.layer = RDMAP_LAYER_LLP, .code = 6});
    return t;
}

static void what_mpa_reports(void **state)
{
    struct rdmap_flow *t = after_a_startup_that_failed();
    uint32_t frame;

    frame = flow_send(t, I, 4);
    flow_close(t, I);
    flow_expect_one(t, RULE_RDMAP_5_4_11, SEVERITY_ERROR, frame);

    t = after_a_startup_that_failed();
    flow_send(t, I, 4);
    rdmap_connection_unclosed(t->rdmap, I);
    flow_close(t, I);
    flow_expect_nothing(t);

    t = after_a_startup_that_failed(); /* of the other side */
    frame = flow_send(t, I, 4);
    rdmap_connection_unclosed(t->rdmap, R);
    flow_close(t, I);
    flow_expect_one(t, RULE_RDMAP_5_4_11, SEVERITY_ERROR, frame);
}

static void invalidate(struct rdmap_flow *t, uint32_t stag)
{
    flow_untagged(t, I, RDMAP_SEND_INVALIDATE, DDP_QN_SEND, stag, "done", 4);
}

static uint32_t read_from(struct rdmap_flow *t, uint32_t stag, uint32_t size)
{
    struct rdmap_read_request read = {.sink_stag = 0x10, .size = size, .source_stag = stag};
    uint8_t header[RDMAP_READ_REQUEST_LEN];

    rdmap_read_request_encode(&read, header, sizeof header);
    return flow_untagged(t, I, RDMAP_READ_REQUEST, DDP_QN_READ_REQUEST, 0, header, sizeof header);
}

static void stags_that_may_be_valid(void **state)
{
    struct rdmap_flow *t = flow_new();

    invalidate(t, 0x100);
    flow_write(t, I, 0x101, 0, "data", 4); /* another one */
    flow_write(t, I, 0x100, 0, NULL, 0);   /* nothing is accessed */
    read_from(t, 0x100, 0);
    flow_response(t, R, 0x10, 0, 0, true);
    read_from(t, 0x102, 8);
    flow_response(t, R, 0x10, 0, 8, true);
    flow_send(t, R, 4); /* may advertise it anew */
    flow_write(t, I, 0x100, 0, "data", 4);
    invalidate(t, 0);
    invalidate(t, 0);
    flow_hole(t, R, 1000);
    flow_write(t, I, 0, 0, "data", 4);
    flow_close(t, I);
    findings_passed(&t->seen, RULE_DDP_4_2_08);
    flow_expect_nothing(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_mpa_reports),
        cmocka_unit_test(stags_that_may_be_valid),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
