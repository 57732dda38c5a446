// SPDX-License-Identifier: GPL-2.0-or-later
/* XIDs in captures that begin late or are out of order, and in repeated Calls. rules/rpcrdma.cases has the rest. */
#include "tests/unit/support/rpcrdma_talk.h"

static const struct rpcrdma_options ietf = {.profile = PROFILE_IETF};

/* ---- duplicate XIDs ---- */

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

/* Stamps of AUTH_SYS and sequence numbers of RPCSEC_GSS are new, and so are the octets that they protect. */
UNIT_TEST(test_retransmission_with_another_credential)
{
    uint8_t sys[20] = {0}, gss[20] = {0, 0, 0, 1, 0, 0, 0, RPC_GSS_DATA, 0, 0, 0, 7, 0, 0, 0, RPC_GSS_SVC_NONE};
    struct rpcrdma_talk *t = talk_new();

    call_as(t, RPC_AUTH_SYS, sys, sizeof sys, 1);
    sys[3] = 9;
    call_as(t, RPC_AUTH_SYS, sys, sizeof sys, 1);
    assert_int_equal(rule_counts_of(&t->seen.counts, RULE_RPCR_2_2_2_03).failed, 0);
    call_as(t, RPC_AUTH_SYS, sys, sizeof sys, 2);
    assert_int_equal(rule_counts_of(&t->seen.counts, RULE_RPCR_2_2_2_03).failed, 1);
    talk_free(t);
    t = talk_new();
    call_as(t, RPC_AUTH_GSS, gss, sizeof gss, 1);
    gss[11]++;
    call_as(t, RPC_AUTH_GSS, gss, sizeof gss, 1);
    gss[11]++;
    gss[15] = RPC_GSS_SVC_PRIVACY;
    call_as(t, RPC_AUTH_GSS, gss, sizeof gss, 0x1234);
    assert_int_equal(rule_counts_of(&t->seen.counts, RULE_RPCR_2_2_2_03).failed, 0);
    talk_free(t);
}

/* ---- answers ---- */

UNIT_TEST(test_replies_in_midstream)
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

/* The capture has the Reply before its Call. */
UNIT_TEST(test_call_captured_late)
{
    struct rpcrdma_talk *t = talk_new();

    t->end[C] += 200;
    talk_reply(t, S, 0x40);
    t->end[C] -= 200;
    talk_call(t, C, 0x40);
    talk_expect_nothing(t);
}

/* ---- who calls ---- */

UNIT_TEST(test_opener_unknown)
{
    struct rpcrdma_talk *t = talk_new_bare(&ietf);

    talk_midstream(t);
    talk_call(t, S, 0x50);
    assert_int_equal(rule_counts_of(&t->seen.counts, RULE_RPCR_2_2_3_01).failed, 0);
    talk_free(t);
}

/* Two Replies to Calls before the capture; then a new Call has the XID of one of them. */
UNIT_TEST(test_xid_of_a_call_before)
{
    struct rpcrdma_talk *t = talk_new_bare(&ietf);

    talk_midstream(t);
    talk_reply(t, S, 0x40);
    talk_reply(t, S, 0x41);
    talk_call(t, C, 0x40);
    talk_reply(t, S, 0x40);
    talk_expect_nothing(t);
}

/* All outstanding Calls may have been answered in the hole. */
UNIT_TEST(test_error_behind_a_hole)
{
    struct rpcrdma_talk *t = talk_new();
    struct rpcrdma_plan plan = talk_plan(t, S, 0x99);

    plan.proc = RPCRDMA_ERROR;
    plan.err = RPCRDMA_ERR_CHUNK;
    talk_call(t, C, 0x10);
    talk_hole(t, C);
    talk_message(t, S, &plan, NULL, 0);
    findings_inconclusive(&t->seen, RULE_RPCR_4_5_04);
    talk_expect_nothing(t);
}
