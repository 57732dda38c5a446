// SPDX-License-Identifier: GPL-2.0-or-later
/* Receives: Terminates for lack of a buffer against what was granted and told. */
#include "tests/unit/support/rpcrdma_talk.h"

enum { DDP = 1, UNTAGGED = 2, NO_BUFFER = 2, TOO_LONG = 5 };

static const struct rpcrdma_options ietf = {.profile = PROFILE_IETF};

static struct rpcrdma_talk *quiet(void)
{
    struct rpcrdma_talk *t = talk_new_bare(&ietf);

    talk_startup(t, C, true, 4096, 4096);
    talk_startup(t, S, true, 4096, 4096);
    t->seen.keeps = NULL;
    return t;
}

static struct rpcrdma_talk *granted(uint32_t grant)
{
    struct rpcrdma_talk *t = quiet();

    t->credit[S] = grant;
    talk_greet(t);
    return t;
}

static void call_long(struct rpcrdma_talk *t, unsigned side, uint32_t xid, uint32_t n)
{
    struct rpcrdma_plan plan = talk_plan(t, side, xid);
    static const uint8_t zeros[8192];

    talk_call_with(t, side, &plan, 400000, 1, 1, zeros, n - RPCRDMA_HEADER_MIN - RPC_CALL_MIN);
}

static void test_all_received(void **state)
{
    struct rpcrdma_talk *t = granted(8);

    for (uint32_t xid = 0x10; xid < 0x18; xid++)
        talk_call(t, C, xid);
    for (uint32_t xid = 0x10; xid < 0x18; xid++)
        talk_reply(t, S, xid);
    call_long(t, C, 0x18, 4096);
    talk_call(t, C, 0x19);
    talk_error(t, S, 0x18, RPCRDMA_ERR_CHUNK);
    talk_reply(t, S, 0x19);
    call_long(t, S, 0x20, 100);
    talk_reply(t, C, 0x20);
    call_long(t, S, 0x21, 100);
    findings_passed(&t->seen, RULE_RPCR_3_3_1_08, RULE_RPCR_3_3_1_09, RULE_RPCR_3_3_3_01, RULE_RPCR_3_3_3_05,
                    RULE_CMPD_4_12, RULE_EXP_4_5_1_01, RULE_BIDI_4_3_2_01);
    talk_free(t);
}

static void test_first_call(void **state)
{
    for (unsigned code = NO_BUFFER; code <= TOO_LONG; code += TOO_LONG - NO_BUFFER) {
        struct rpcrdma_talk *t = quiet();

        call_long(t, C, 0x10, 1024);
        talk_expect(t, RULE_RPCR_3_3_3_01, SEVERITY_ERROR, talk_terminate_for(t, S, DDP, UNTAGGED, (uint8_t)code));
    }
}

static void test_raised_grant(void **state)
{
    struct rpcrdma_talk *t = granted(4);

    for (uint32_t xid = 0x10; xid < 0x14; xid++)
        talk_call(t, C, xid);
    talk_expect(t, RULE_RPCR_3_3_1_08, SEVERITY_ERROR, talk_terminate_for(t, S, DDP, UNTAGGED, NO_BUFFER));
}

static void test_steady_grant(void **state)
{
    struct rpcrdma_talk *t = granted(4);

    talk_call(t, C, 0x10);
    talk_reply(t, S, 0x10);
    talk_call(t, C, 0x11);
    talk_expect(t, RULE_EXP_4_5_1_01, SEVERITY_ERROR, talk_terminate_for(t, S, DDP, UNTAGGED, NO_BUFFER));
}

static void test_over_the_grant(void **state)
{
    struct rpcrdma_talk *t = granted(2);

    for (uint32_t xid = 0x10; xid < 0x13; xid++)
        talk_call(t, C, xid);
    talk_terminate_for(t, S, DDP, UNTAGGED, NO_BUFFER);
    assert_int_equal(t->seen.n, 1); /* that of the Call */
    assert_int_equal(t->seen.finding[0].rule, RULE_RPCR_3_3_1_03);
    talk_free(t);
}

static void test_reply(void **state)
{
    struct rpcrdma_talk *t = granted(4);

    talk_call(t, C, 0x10);
    talk_reply(t, S, 0x10);
    talk_expect(t, RULE_RPCR_3_3_1_09, SEVERITY_ERROR, talk_terminate_for(t, C, DDP, UNTAGGED, NO_BUFFER));
}

static void test_unasked_reply(void **state)
{
    struct rpcrdma_talk *t = granted(4);

    talk_reply(t, S, 0x10);
    talk_terminate_for(t, C, DDP, UNTAGGED, NO_BUFFER);
    assert_int_equal(t->seen.n, 1);
    assert_int_equal(t->seen.finding[0].rule, RULE_RPCR_3_3_1_10);
    talk_free(t);
}

static void test_reverse(void **state)
{
    struct rpcrdma_talk *t = granted(4);

    call_long(t, S, 0x20, 100);
    talk_reply(t, C, 0x20);
    call_long(t, S, 0x21, 100);
    talk_expect(t, RULE_BIDI_4_3_1_01, SEVERITY_ERROR, talk_terminate_for(t, C, DDP, UNTAGGED, NO_BUFFER));
    t = granted(4);
    call_long(t, S, 0x20, 100);
    talk_reply(t, C, 0x20);
    talk_expect(t, RULE_BIDI_4_3_2_01, SEVERITY_ERROR, talk_terminate_for(t, S, DDP, UNTAGGED, NO_BUFFER));
}

static void test_first_reverse(void **state)
{
    struct rpcrdma_talk *t = granted(4);

    call_long(t, S, 0x20, 100);
    talk_expect(t, RULE_BIDI_6_03, SEVERITY_ERROR, talk_terminate_for(t, C, DDP, UNTAGGED, NO_BUFFER));
}

static void test_too_long(void **state)
{
    struct rpcrdma_talk *t = granted(4);

    call_long(t, C, 0x10, 1024);
    talk_expect(t, RULE_RPCR_3_3_3_05, SEVERITY_ERROR, talk_terminate_for(t, S, DDP, UNTAGGED, TOO_LONG));
    t = granted(4);
    call_long(t, C, 0x10, 4000);
    talk_expect(t, RULE_CMPD_4_12, SEVERITY_ERROR, talk_terminate_for(t, S, DDP, UNTAGGED, TOO_LONG));
}

/* The server sends a Reply to no Call, and meets a Terminate with this code. Findings about the Receive come second. */
static void stray_reply(uint8_t code, unsigned findings)
{
    struct rpcrdma_talk *t = granted(4);

    talk_call(t, C, 0x10);
    talk_reply(t, S, 0x77);
    talk_terminate_for(t, C, DDP, UNTAGGED, code);
    talk_finish(t);
    if (t->seen.n != findings)
        findings_show(&t->seen, __func__);
    assert_int_equal(t->seen.n, findings);
    assert_int_equal(t->seen.finding[0].rule, RULE_RPCR_2_2_2_02);
    assert_int_equal(t->seen.counts.failed[RULE_RPCR_3_3_3_05], findings - 1);
    talk_free(t);
}

/* Whatever a Send holds, and whether there is a Receive for it or not: one that is there has to be long enough. */
static void test_too_long_for_no_call(void **state)
{
    stray_reply(TOO_LONG, 2);
    stray_reply(NO_BUFFER, 1);
}

enum { RDMA = 0, PROTECTION = 1, CANNOT_INVALIDATE = 9, CHUNK_STAG = 0x77 };

/* A Call with a Reply chunk, and its Reply that invalidates an STag. */
static struct rpcrdma_talk *invalidated(uint32_t stag)
{
    static const struct rpcrdma_segment segment = {CHUNK_STAG, 32768, 0}, returned = {CHUNK_STAG, 0, 0};
    static const struct rpcrdma_write_plan chunk = {&segment, 1}, unused = {&returned, 1};
    struct rpcrdma_talk *t = granted(4);
    struct rpcrdma_plan plan = talk_plan(t, C, 0x10);
    uint8_t rpc[64];

    plan.reply = &chunk;
    talk_call_with(t, C, &plan, 400000, 1, 1, NULL, 0);
    plan.reply = &unused;
    talk_message_invalidate(t, S, stag, &plan, rpc, talk_rpc_reply(rpc, sizeof rpc, 0x10, RPC_SUCCESS, NULL, 0));
    return t;
}

static void test_invalidation(void **state)
{
    struct rpcrdma_talk *t = invalidated(CHUNK_STAG);

    talk_expect(t, RULE_CMPD_3_2_03, SEVERITY_ERROR, talk_terminate_for(t, C, RDMA, PROTECTION, CANNOT_INVALIDATE));
    t = invalidated(CHUNK_STAG);
    talk_call(t, C, 0x11);
    findings_passed(&t->seen, RULE_CMPD_3_2_03);
    talk_free(t);
    t = invalidated(0x78); /* not the client's fault */
    talk_terminate_for(t, C, RDMA, PROTECTION, CANNOT_INVALIDATE);
    assert_int_equal(t->seen.counts.failed[RULE_CMPD_3_2_03], 0);
    talk_free(t);
}

/* Who knows how many Calls there were before? */
static void test_midstream(void **state)
{
    struct rpcrdma_talk *t = talk_new_bare(&ietf);

    t->seen.keeps = NULL;
    talk_midstream(t);
    talk_call(t, C, 0x10);
    talk_reply(t, S, 0x10);
    talk_call(t, C, 0x11);
    talk_terminate_for(t, S, DDP, UNTAGGED, NO_BUFFER);
    talk_expect_nothing(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_received),         cmocka_unit_test(test_first_call),
        cmocka_unit_test(test_raised_grant),         cmocka_unit_test(test_steady_grant),
        cmocka_unit_test(test_over_the_grant),       cmocka_unit_test(test_reply),
        cmocka_unit_test(test_unasked_reply),        cmocka_unit_test(test_reverse),
        cmocka_unit_test(test_first_reverse),        cmocka_unit_test(test_too_long),
        cmocka_unit_test(test_invalidation),         cmocka_unit_test(test_midstream),
        cmocka_unit_test(test_too_long_for_no_call),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
