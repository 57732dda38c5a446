// SPDX-License-Identifier: GPL-2.0-or-later
/* MPA's reports of a failed start-up, and a second Terminate; the rest is in rules/rdmap.cases. */
#include "tests/unit/support/rdmap_flow.h"

/* RFC 6581 section 9.1: the Initiator ends the start-up, and MPA expects a close. */
static struct rdmap_flow *after_a_startup_that_failed(void)
{
    struct rdmap_flow *t = flow_new();

    t->parameters.enhanced = true;
    flow_parameters(t);
    flow_terminate_as(t, I, (struct rdmap_terminate){.layer = RDMAP_LAYER_LLP, .code = 6});
    return t;
}

UNIT_TEST(what_mpa_reports)
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

/* What the other side sent between two Terminates accepts the first one only. */
UNIT_TEST(a_second_terminate_with_reserved_bits)
{
    const struct rdmap_terminate terminate = {.layer = RDMAP_LAYER_LLP, .code = 2, .reserved = 1};
    struct rdmap_flow *t = flow_new();

    flow_terminate_as(t, I, terminate);
    flow_send(t, R, 4);
    flow_terminate_as(t, I, terminate);
    flow_finish(t);
    findings_inconclusive(&t->seen, RULE_RDMAP_4_8_29);
    flow_free(t);
}
