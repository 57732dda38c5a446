// SPDX-License-Identifier: GPL-2.0-or-later
/* Who calls, which XIDs are in use, what answers refer to. */
#include "tests/unit/support/rpcrdma_talk.h"

enum { CALLBACK = 0x40000000 };

static const struct rpcrdma_options ietf = {.profile = PROFILE_IETF};

/* A Call with one word of arguments: Calls of the same XID are told apart by it. */
static uint32_t call_of(struct rpcrdma_talk *t, unsigned side, uint32_t xid, uint32_t prog, uint32_t word)
{
    struct rpcrdma_plan plan = talk_plan(t, side, xid);
    uint8_t args[4];

    put_be32(args, word);
    return talk_call_with(t, side, &plan, prog, 1, 0, args, sizeof args);
}

/* CB_COMPOUND without operations. */
static uint32_t cb_compound(struct rpcrdma_talk *t, unsigned side, uint32_t xid, uint32_t minor)
{
    static const uint32_t tag = 0;
    const uint32_t args[] = {tag, minor, 0, 0};
    struct rpcrdma_plan plan = talk_plan(t, side, xid);
    uint8_t octets[sizeof args];

    talk_words(octets, sizeof octets, args, 4);
    return talk_call_with(t, side, &plan, CALLBACK, 1, 1, octets, sizeof octets);
}

/* A connection on which the first Call is still to come. */
static struct rpcrdma_talk *quiet(void)
{
    struct rpcrdma_talk *t = talk_new_bare(&ietf);

    talk_startup(t, C, true, 4096, 4096);
    talk_startup(t, S, true, 4096, 4096);
    return t;
}

/* ---- conforming ---- */

static void test_conforming(void **state)
{
    struct rpcrdma_talk *t = talk_new();

    for (uint32_t xid = 0x10; xid < 0x18; xid++)
        call_of(t, C, xid, 400000, xid);
    for (uint32_t xid = 0x17; xid >= 0x10; xid--) /* in any order */
        talk_reply(t, S, xid);
    talk_call(t, C, 0x10); /* the XID is free again */
    talk_reply(t, S, 0x10);
    findings_passed(&t->seen, RULE_RPCR_2_2_2_02, RULE_RPCR_2_2_2_03, RULE_RPCR_2_2_2_04, RULE_RPCR_2_2_3_01,
                    RULE_RPCR_3_3_1_10);
    talk_expect_nothing(t);
}

static void test_same_xid_in_both_directions(void **state)
{
    struct rpcrdma_talk *t = talk_new();

    talk_call(t, C, 0x20);
    call_of(t, S, 0x20, 500000, 1);
    talk_reply(t, C, 0x20);
    talk_reply(t, S, 0x20);
    findings_passed(&t->seen, RULE_BIDI_2_02, RULE_BIDI_5_1_05, RULE_BIDI_5_2_05);
    talk_expect_nothing(t);
}

/* ---- duplicate XIDs ---- */

static void test_xid_in_use(void **state)
{
    struct rpcrdma_talk *t = talk_new();
    uint32_t frame;

    call_of(t, C, 0x20, 400000, 1);
    frame = call_of(t, C, 0x20, 400000, 2);
    talk_expect(t, RULE_RPCR_2_2_2_03, SEVERITY_ERROR, frame);
}

static void test_xid_in_use_reverse(void **state)
{
    struct rpcrdma_talk *t = talk_new();
    uint32_t frame;

    call_of(t, S, 0x20, 500000, 1);
    talk_reply(t, C, 0x20);
    call_of(t, S, 0x21, 500000, 1);
    frame = call_of(t, S, 0x21, 500000, 2);
    talk_expect(t, RULE_RPCR_2_2_2_03, SEVERITY_ERROR, frame);
}

static void test_retransmission_is_no_duplicate(void **state)
{
    struct rpcrdma_talk *t = talk_new();

    call_of(t, C, 0x20, 400000, 1);
    call_of(t, C, 0x20, 400000, 1);
    talk_reply(t, S, 0x20);
    talk_reply(t, S, 0x20);
    assert_int_equal(t->seen.counts.failed[RULE_RPCR_2_2_2_03], 0);
    assert_int_equal(t->seen.counts.failed[RULE_RPCR_2_2_2_04], 0);
    talk_free(t);
}

static void call_as(struct rpcrdma_talk *t, uint32_t flavor, const uint8_t *cred, uint32_t n_cred, uint32_t argument)
{
    const struct rpc_body body = {.flavor = flavor, .p = cred, .n = n_cred};
    struct rpc_message call = {
        .xid = 0x20, .type = RPC_CALL, .rpcvers = RPC_VERSION, .prog = 400000, .vers = 1, .proc = 1};
    struct rpcrdma_plan plan = talk_plan(t, C, 0x20);
    uint8_t rpc[256];
    struct xdr_writer w = {.p = rpc, .size = sizeof rpc};

    rpc_call_encode(&call, &body, NULL, &w);
    xdr_put_u32(&w, argument);
    talk_message(t, C, &plan, rpc, w.at);
}

/* Stamps of AUTH_SYS and sequence numbers of RPCSEC_GSS are fresh, and so is what these protect. */
static void test_retransmission_with_another_credential(void **state)
{
    uint8_t sys[20] = {0}, gss[20] = {0, 0, 0, 1, 0, 0, 0, RPC_GSS_DATA, 0, 0, 0, 7, 0, 0, 0, RPC_GSS_SVC_NONE};
    struct rpcrdma_talk *t = talk_new();

    call_as(t, RPC_AUTH_SYS, sys, sizeof sys, 1);
    sys[3] = 9;
    call_as(t, RPC_AUTH_SYS, sys, sizeof sys, 1);
    assert_int_equal(t->seen.counts.failed[RULE_RPCR_2_2_2_03], 0);
    call_as(t, RPC_AUTH_SYS, sys, sizeof sys, 2);
    assert_int_equal(t->seen.counts.failed[RULE_RPCR_2_2_2_03], 1);
    talk_free(t);
    t = talk_new();
    call_as(t, RPC_AUTH_GSS, gss, sizeof gss, 1);
    gss[11]++;
    call_as(t, RPC_AUTH_GSS, gss, sizeof gss, 1);
    gss[11]++;
    gss[15] = RPC_GSS_SVC_PRIVACY;
    call_as(t, RPC_AUTH_GSS, gss, sizeof gss, 0x1234);
    assert_int_equal(t->seen.counts.failed[RULE_RPCR_2_2_2_03], 0);
    talk_free(t);
}

/* The Reply is captured before the second Call, but its sender had not received it. */
static void test_xid_reused_before_the_reply_arrived(void **state)
{
    struct rpcrdma_talk *t = talk_new();
    uint64_t before;
    uint32_t frame;

    call_of(t, C, 0x20, 400000, 1);
    before = t->end[S];
    talk_reply(t, S, 0x20);
    t->unreceived = t->end[S] - before;
    frame = call_of(t, C, 0x20, 400000, 2);
    talk_expect(t, RULE_RPCR_2_2_2_03, SEVERITY_ERROR, frame);
}

static void test_answer_in_a_hole(void **state)
{
    struct rpcrdma_talk *t = talk_new();

    call_of(t, C, 0x20, 400000, 1);
    talk_hole(t, S);
    call_of(t, C, 0x20, 400000, 2);
    findings_inconclusive(&t->seen, RULE_RPCR_2_2_2_03);
    talk_expect_nothing(t);
}

/* ---- answers ---- */

static void test_wrong_xid(void **state)
{
    struct rpcrdma_talk *t = talk_new();
    uint32_t frame;

    talk_call(t, C, 0x11);
    frame = talk_reply(t, S, 0x12);
    talk_expect(t, RULE_RPCR_2_2_2_02, SEVERITY_ERROR, frame);
}

static void test_wrong_xid_reverse(void **state)
{
    struct rpcrdma_talk *t = talk_new();
    uint32_t frame;

    call_of(t, S, 0x11, 500000, 1);
    frame = talk_reply(t, C, 0x12);
    talk_expect(t, RULE_RPCR_2_2_2_02, SEVERITY_ERROR, frame);
}

static void test_second_reply(void **state)
{
    struct rpcrdma_talk *t = talk_new();
    uint32_t frame;

    talk_call(t, C, 0x30);
    talk_reply(t, S, 0x30);
    frame = talk_reply(t, S, 0x30);
    talk_expect(t, RULE_RPCR_2_2_2_04, SEVERITY_ERROR, frame);
}

static void test_error_after_reply(void **state)
{
    struct rpcrdma_talk *t = talk_new();
    uint32_t frame;

    talk_call(t, C, 0x30);
    talk_reply(t, S, 0x30);
    frame = talk_error(t, S, 0x30, RPCRDMA_ERR_CHUNK);
    talk_expect(t, RULE_RPCR_2_2_2_04, SEVERITY_ERROR, frame);
}

static void test_second_reply_after_a_hole(void **state)
{
    struct rpcrdma_talk *t = talk_new();

    talk_call(t, C, 0x30);
    talk_reply(t, S, 0x30);
    talk_hole(t, C); /* a retransmission? */
    talk_reply(t, S, 0x30);
    findings_inconclusive(&t->seen, RULE_RPCR_2_2_2_04);
    talk_expect_nothing(t);
}

/* A hole before the Call leaves no doubt. */
static void test_second_reply_after_an_old_hole(void **state)
{
    struct rpcrdma_talk *t = talk_new();
    uint32_t frame;

    talk_hole(t, C);
    talk_call(t, C, 0x30);
    talk_reply(t, S, 0x30);
    frame = talk_reply(t, S, 0x30);
    talk_expect(t, RULE_RPCR_2_2_2_04, SEVERITY_ERROR, frame);
}

static void test_unsolicited_reply(void **state)
{
    struct rpcrdma_talk *t = talk_new();
    uint32_t frame = talk_reply(t, S, 0x40);

    talk_expect(t, RULE_RPCR_3_3_1_10, SEVERITY_ERROR, frame);
}

static void test_unsolicited_error(void **state)
{
    struct rpcrdma_talk *t = talk_new();
    uint32_t frame = talk_error(t, S, 0x40, RPCRDMA_ERR_CHUNK);

    talk_expect(t, RULE_RPCR_4_5_04, SEVERITY_ERROR, frame);
}

static void test_reply_of_the_client(void **state)
{
    struct rpcrdma_talk *t = talk_new();
    uint32_t frame = talk_reply(t, C, 0x40);

    talk_expect(t, RULE_BIDI_2_02, SEVERITY_ERROR, frame);
}

static void test_replies_in_midstream(void **state)
{
    struct rpcrdma_talk *t = talk_new_bare(&ietf);

    talk_midstream(t);
    talk_reply(t, S, 0x40);
    talk_call(t, C, 0x41);
    talk_reply(t, S, 0x39);
    talk_reply(t, S, 0x41);
    findings_inconclusive(&t->seen, RULE_RPCR_3_3_1_10);
    findings_inconclusive(&t->seen, RULE_RPCR_2_2_2_02);
    talk_expect_nothing(t);
}

/* The capture tells the Reply before its Call. */
static void test_call_captured_late(void **state)
{
    struct rpcrdma_talk *t = talk_new();

    t->end[C] += 200;
    talk_reply(t, S, 0x40);
    t->end[C] -= 200;
    talk_call(t, C, 0x40);
    talk_expect_nothing(t);
}

/* ---- who calls ---- */

static void test_first_call_from_the_passive_side(void **state)
{
    struct rpcrdma_talk *t = quiet();
    uint32_t frame = talk_call(t, S, 0x50);

    talk_expect(t, RULE_RPCR_2_2_3_01, SEVERITY_ERROR, frame);
}

static void test_opener_unknown(void **state)
{
    struct rpcrdma_talk *t = talk_new_bare(&ietf);

    talk_midstream(t);
    talk_call(t, S, 0x50);
    assert_int_equal(t->seen.counts.failed[RULE_RPCR_2_2_3_01], 0);
    talk_free(t);
}

static void test_callbacks_from_the_opener(void **state)
{
    struct rpcrdma_talk *t = quiet();
    uint32_t frame;

    cb_compound(t, C, 0x60, 0);
    talk_error(t, S, 0x60, RPCRDMA_ERR_CHUNK);
    frame = cb_compound(t, C, 0x61, 1);
    talk_expect(t, RULE_BIDI_2_03, SEVERITY_ERROR, frame);
}

static void test_callbacks_of_version_4_0(void **state)
{
    struct rpcrdma_talk *t = quiet();

    cb_compound(t, C, 0x61, 0);
    assert_int_equal(t->seen.counts.failed[RULE_BIDI_2_03], 0);
    talk_free(t);
}

/* ---- msg_type ---- */

static void test_reverse_call_as_reply(void **state)
{
    struct rpcrdma_talk *t = talk_new();
    struct rpcrdma_plan plan = talk_plan(t, S, 0x70);
    uint8_t rpc[64];
    size_t n = talk_rpc_call(rpc, sizeof rpc, 0x70, 500000, 1, 0, NULL, 0);
    uint32_t frame;

    put_be32(rpc + 4, RPC_REPLY);
    frame = talk_message(t, S, &plan, rpc, n);
    talk_expect(t, RULE_BIDI_5_1_05, SEVERITY_ERROR, frame);
}

static void test_reverse_reply_as_call(void **state)
{
    struct rpcrdma_talk *t = talk_new();
    struct rpcrdma_plan plan = talk_plan(t, C, 0x71);
    uint8_t rpc[64];
    size_t n = talk_rpc_reply(rpc, sizeof rpc, 0x71, RPC_SUCCESS, NULL, 0);
    uint32_t frame;

    call_of(t, S, 0x71, 500000, 1);
    put_be32(rpc + 4, RPC_CALL);
    frame = talk_message(t, C, &plan, rpc, n);
    talk_expect(t, RULE_BIDI_5_2_05, SEVERITY_ERROR, frame);
}

static void test_reply_as_call(void **state)
{
    struct rpcrdma_talk *t = talk_new();
    struct rpcrdma_plan plan = talk_plan(t, S, 0x71);
    uint8_t rpc[64];
    size_t n = talk_rpc_reply(rpc, sizeof rpc, 0x71, RPC_SUCCESS, NULL, 0);
    uint32_t frame;

    talk_call(t, C, 0x71);
    put_be32(rpc + 4, RPC_CALL);
    frame = talk_message(t, S, &plan, rpc, n);
    talk_expect(t, RULE_RPCR_2_2_2_01, SEVERITY_ERROR, frame);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_conforming),
        cmocka_unit_test(test_same_xid_in_both_directions),
        cmocka_unit_test(test_xid_in_use),
        cmocka_unit_test(test_xid_in_use_reverse),
        cmocka_unit_test(test_retransmission_is_no_duplicate),
        cmocka_unit_test(test_retransmission_with_another_credential),
        cmocka_unit_test(test_xid_reused_before_the_reply_arrived),
        cmocka_unit_test(test_answer_in_a_hole),
        cmocka_unit_test(test_wrong_xid),
        cmocka_unit_test(test_wrong_xid_reverse),
        cmocka_unit_test(test_second_reply),
        cmocka_unit_test(test_error_after_reply),
        cmocka_unit_test(test_second_reply_after_a_hole),
        cmocka_unit_test(test_second_reply_after_an_old_hole),
        cmocka_unit_test(test_unsolicited_reply),
        cmocka_unit_test(test_unsolicited_error),
        cmocka_unit_test(test_reply_of_the_client),
        cmocka_unit_test(test_replies_in_midstream),
        cmocka_unit_test(test_call_captured_late),
        cmocka_unit_test(test_first_call_from_the_passive_side),
        cmocka_unit_test(test_opener_unknown),
        cmocka_unit_test(test_callbacks_from_the_opener),
        cmocka_unit_test(test_callbacks_of_version_4_0),
        cmocka_unit_test(test_reverse_call_as_reply),
        cmocka_unit_test(test_reverse_reply_as_call),
        cmocka_unit_test(test_reply_as_call),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
