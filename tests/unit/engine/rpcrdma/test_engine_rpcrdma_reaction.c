// SPDX-License-Identifier: GPL-2.0-or-later
/* What becomes of wrong Calls and Replies: answered, passed over, closed over; and what a capture leaves open. */
#include "tests/unit/support/rpcrdma_talk.h"

#include <stdio.h>

enum { SECOND = 1000000000 };

static struct rpcrdma_talk *reacting(void)
{
    struct rpcrdma_talk *t = talk_new();

    t->seen.keeps = NULL;
    return t;
}

/* NULL, with rdma_vers 2: one finding. */
static void call_version_2(struct rpcrdma_talk *t, uint32_t xid)
{
    struct rpcrdma_plan plan = talk_plan(t, C, xid);

    plan.vers = 2;
    talk_call_with(t, C, &plan, TALK_NFS, 3, 0, NULL, 0);
    assert_int_equal(t->seen.n, 1);
    assert_int_equal(t->seen.finding[0].rule, RULE_RPCR_4_2_2_01);
}

static uint32_t refuse_version(struct rpcrdma_talk *t, uint32_t xid)
{
    struct rpcrdma_plan plan = talk_plan(t, S, xid);

    plan.vers = 2;
    plan.proc = RPCRDMA_ERROR;
    plan.err = RPCRDMA_ERR_VERS;
    return talk_message(t, S, &plan, NULL, 0);
}

/* The Read list begins with 2. */
static void call_bad_list(struct rpcrdma_talk *t, uint32_t xid)
{
    struct rpcrdma_plan plan = talk_plan(t, C, xid);
    size_t n = talk_rpc_call(t->rpc, sizeof t->rpc, xid, TALK_NFS, 3, 0, NULL, 0);

    n = talk_put_message(t, &plan, t->rpc, n);
    put_be32(t->send + RPCRDMA_FIXED_LEN, 2);
    talk_send_octets(t, C, t->send, n);
    assert_int_equal(t->seen.n, 1);
    assert_int_equal(t->seen.finding[0].rule, RULE_RPCR_4_1_2_04);
}

static void reply_garbage(struct rpcrdma_talk *t, uint32_t xid)
{
    struct rpcrdma_plan plan = talk_plan(t, S, xid);
    size_t n = talk_rpc_reply(t->rpc, sizeof t->rpc, xid, RPC_GARBAGE_ARGS, NULL, 0);

    talk_message(t, S, &plan, t->rpc, n);
}

static void reply_bad_list(struct rpcrdma_talk *t, uint32_t xid)
{
    struct rpcrdma_plan plan = talk_plan(t, S, xid);
    size_t n = talk_rpc_reply(t->rpc, sizeof t->rpc, xid, RPC_SUCCESS, NULL, 0);

    n = talk_put_message(t, &plan, t->rpc, n);
    put_be32(t->send + RPCRDMA_FIXED_LEN, 2);
    talk_send_octets(t, S, t->send, n);
}

/* Behind the stimulus, which is the first finding: exactly this. */
static void expect_second(struct rpcrdma_talk *t, enum rule_id rule, enum rule_severity severity)
{
    talk_finish(t);
    if (t->seen.n != 2 || t->seen.finding[1].rule != rule || t->seen.finding[1].severity != severity) {
        fprintf(stderr, "expected %s\n", rule_catalogue[rule].id);
        findings_show(&t->seen, __func__);
        fail();
    }
    talk_free(t);
}

static void expect_no_second(struct rpcrdma_talk *t)
{
    talk_finish(t);
    if (t->seen.n != 1) {
        findings_show(&t->seen, __func__);
        fail();
    }
    talk_free(t);
}

/* ---- Calls ---- */

static void test_right_answers(void **state)
{
    struct rpcrdma_talk *t = reacting();

    call_version_2(t, 0x10);
    refuse_version(t, 0x10);
    findings_passed(&t->seen, RULE_RPCR_4_5_1_01);
    expect_no_second(t);
    t = reacting();
    call_bad_list(t, 0x10);
    talk_error(t, S, 0x10, RPCRDMA_ERR_CHUNK);
    findings_passed(&t->seen, RULE_RPCR_4_5_2_01);
    expect_no_second(t);
}

static void test_served(void **state)
{
    struct rpcrdma_talk *t = reacting();

    call_version_2(t, 0x10);
    talk_reply(t, S, 0x10);
    expect_second(t, RULE_RPCR_4_5_1_01, SEVERITY_ERROR);
    t = reacting();
    call_bad_list(t, 0x10);
    reply_garbage(t, 0x10);
    expect_second(t, RULE_RPCR_4_5_2_01, SEVERITY_ERROR);
}

static void test_passed_over(void **state)
{
    struct rpcrdma_talk *t = reacting();

    call_bad_list(t, 0x10);
    talk_call(t, C, 0x11);
    talk_reply(t, S, 0x11);
    expect_second(t, RULE_RPCR_4_5_2_01, SEVERITY_ERROR);
    /* the connection closed later */
    t = reacting();
    call_bad_list(t, 0x10);
    talk_call(t, C, 0x11);
    talk_reply(t, S, 0x11);
    talk_close(t, C);
    expect_second(t, RULE_RPCR_4_5_2_01, SEVERITY_ERROR);
    t = reacting();
    call_bad_list(t, 0x10);
    talk_call(t, C, 0x11);
    talk_reply(t, S, 0x11);
    talk_close(t, S);
    expect_second(t, RULE_RPCR_4_5_2_01, SEVERITY_ERROR);
}

static void test_silence(void **state)
{
    struct rpcrdma_talk *t = reacting();

    call_bad_list(t, 0x10);
    talk_wait(t, 5 * (int64_t)SECOND);
    expect_second(t, RULE_RPCR_4_5_2_01, SEVERITY_ERROR);
    t = reacting();
    call_bad_list(t, 0x10);
    talk_wait(t, SECOND / 2); /* the capture ends too early */
    talk_finish(t);
    findings_inconclusive(&t->seen, RULE_RPCR_4_5_2_01);
    assert_int_equal(t->seen.n, 1);
    talk_free(t);
}

static void test_closed_over(void **state)
{
    struct rpcrdma_talk *t = reacting();

    call_bad_list(t, 0x10);
    talk_close(t, S);
    expect_second(t, RULE_RPCR_4_5_2_01, SEVERITY_WARNING);
    t = reacting();
    call_bad_list(t, 0x10);
    talk_terminate(t, S);
    expect_second(t, RULE_RPCR_4_5_2_01, SEVERITY_WARNING);
    t = reacting();
    call_bad_list(t, 0x10);
    talk_close(t, C); /* the client does not wait */
    talk_finish(t);
    findings_inconclusive(&t->seen, RULE_RPCR_4_5_2_01);
    assert_int_equal(t->seen.n, 1);
    talk_free(t);
}

static void test_a_hole_leaves_it_open(void **state)
{
    struct rpcrdma_talk *t = reacting();

    call_bad_list(t, 0x10);
    talk_hole(t, S);
    talk_call(t, C, 0x11);
    talk_reply(t, S, 0x11);
    talk_finish(t);
    findings_inconclusive(&t->seen, RULE_RPCR_4_5_2_01);
    assert_int_equal(t->seen.n, 1);
    talk_free(t);
}

static void test_midstream(void **state)
{
    static const struct rpcrdma_options ietf = {.profile = PROFILE_IETF};
    struct rpcrdma_talk *t = talk_new_bare(&ietf);

    t->seen.keeps = NULL;
    talk_midstream(t);
    talk_greet(t);
    call_bad_list(t, 0x10);
    talk_call(t, C, 0x11);
    talk_reply(t, S, 0x11);
    talk_close(t, S);
    talk_finish(t);
    findings_inconclusive(&t->seen, RULE_RPCR_4_5_2_01);
    assert_int_equal(t->seen.n, 1);
    talk_free(t);
}

/* By RFC 5666 section 4.2 an RPC error will do. */
static void test_old_profile(void **state)
{
    static const struct rpcrdma_options old = {.profile = PROFILE_RFC5666};
    struct rpcrdma_talk *t = talk_new_with(&old);

    t->seen.keeps = NULL;
    call_bad_list(t, 0x10);
    reply_garbage(t, 0x10);
    findings_passed(&t->seen, RULE_RPCR_4_5_2_01);
    expect_no_second(t);
}

/* ---- sound Calls of unusual forms ---- */

/* GETATTR in a Position-Zero Read chunk of so many segments of 20 octets. */
static void call_long(struct rpcrdma_talk *t, uint32_t xid, uint32_t segments)
{
    struct rpcrdma_read_segment reads[4];
    struct rpcrdma_plan plan = talk_plan(t, C, xid);

    for (uint32_t i = 0; i < segments; i++)
        reads[i] = (struct rpcrdma_read_segment){
            .target = {.handle = 0xC0FFEE10 + i, .length = 40 / segments, .offset = 0x1000 * i}};
    plan.proc = RPCRDMA_NOMSG;
    plan.reads = reads;
    plan.n_reads = segments;
    talk_message(t, C, &plan, NULL, 0);
}

static void test_forms_refused_unread(void **state)
{
    struct rpcrdma_talk *t = reacting();

    call_long(t, 0x10, 1);
    talk_expect(t, RULE_RPCR_3_5_3_15, SEVERITY_ERROR, talk_error(t, S, 0x10, RPCRDMA_ERR_CHUNK));
    t = reacting();
    call_long(t, 0x10, 2);
    talk_expect(t, RULE_RPCR_3_5_3_16, SEVERITY_ERROR, talk_error(t, S, 0x10, RPCRDMA_ERR_CHUNK));
}

static void test_forms_served(void **state)
{
    struct rpcrdma_talk *t = reacting();

    for (uint32_t segments = 1; segments <= 2; segments++) {
        size_t n = talk_rpc_call(t->rpc, sizeof t->rpc, 0x10 + segments, TALK_NFS, 3, 0, NULL, 0);

        call_long(t, 0x10 + segments, segments);
        for (uint32_t i = 0; i < segments; i++)
            talk_read(t, S, 0xC0FFEE10 + i, 0x1000 * i, t->rpc + n / segments * i, (uint32_t)n / segments);
        talk_reply(t, S, 0x10 + segments);
    }
    findings_passed(&t->seen, RULE_RPCR_3_5_3_15, RULE_RPCR_3_5_3_16);
    talk_expect_nothing(t);
}

/* ---- what is to be discarded ---- */

static void test_short_sends(void **state)
{
    static const uint8_t octets[24] = {0x5e, 0xed, 0, 1, 0, 0, 0, 1, 0, 0, 0, 32};
    struct rpcrdma_talk *t = reacting();

    talk_send_octets(t, C, octets, sizeof octets);
    talk_call(t, C, 0x10);
    talk_reply(t, S, 0x10);
    findings_passed(&t->seen, RULE_RPCR_4_5_01);
    expect_no_second(t);
    t = reacting();
    talk_send_octets(t, C, octets, sizeof octets);
    talk_error(t, S, 0x5eed0001, RPCRDMA_ERR_CHUNK);
    expect_second(t, RULE_RPCR_4_5_01, SEVERITY_ERROR);
}

static void test_unreadable_replies(void **state)
{
    struct rpcrdma_talk *t = reacting();

    talk_call(t, C, 0x10);
    reply_bad_list(t, 0x10);
    talk_call(t, C, 0x11);
    findings_passed(&t->seen, RULE_RPCR_4_5_03);
    talk_reply(t, S, 0x10);
    talk_reply(t, S, 0x11);
    expect_no_second(t);
    t = reacting();
    talk_call(t, C, 0x10);
    reply_bad_list(t, 0x10);
    talk_end(t, C, true);
    expect_second(t, RULE_RPCR_4_5_03, SEVERITY_ERROR);
    t = reacting();
    talk_call(t, C, 0x10);
    reply_bad_list(t, 0x10);
    talk_terminate(t, C);
    expect_second(t, RULE_RPCR_4_5_03, SEVERITY_ERROR);
    t = reacting();
    talk_call(t, C, 0x10);
    reply_bad_list(t, 0x10);
    talk_close(t, C); /* a FIN may be the upper layer's wish */
    expect_no_second(t);
}

static void test_done(void **state)
{
    struct rpcrdma_talk *t = reacting();
    struct rpcrdma_plan plan = talk_plan(t, C, 0x10);

    plan.proc = RPCRDMA_DONE;
    talk_call(t, C, 0x10);
    talk_reply(t, S, 0x10);
    talk_message(t, C, &plan, NULL, 0);
    talk_error(t, S, 0x10, RPCRDMA_ERR_CHUNK);
    expect_second(t, RULE_RPCR_4_6_2_02, SEVERITY_ERROR);
    t = reacting();
    talk_call(t, C, 0x10);
    talk_reply(t, S, 0x10);
    talk_message(t, C, &plan, NULL, 0);
    talk_call(t, C, 0x11);
    talk_reply(t, S, 0x11);
    findings_passed(&t->seen, RULE_RPCR_4_6_2_02);
    expect_no_second(t);
}

/* Sent before it had got what it was to discard: says nothing. */
static void test_what_crosses(void **state)
{
    struct rpcrdma_talk *t = reacting();

    talk_call(t, C, 0x10);
    reply_bad_list(t, 0x10);
    t->unreceived = t->end[S] - t->end[S] / 2;
    talk_call(t, C, 0x11);
    assert_int_equal(t->seen.counts.passed[RULE_RPCR_4_5_03], 0);
    t->unreceived = 0;
    talk_call(t, C, 0x12);
    findings_passed(&t->seen, RULE_RPCR_4_5_03);
    talk_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_right_answers),
        cmocka_unit_test(test_served),
        cmocka_unit_test(test_passed_over),
        cmocka_unit_test(test_silence),
        cmocka_unit_test(test_closed_over),
        cmocka_unit_test(test_a_hole_leaves_it_open),
        cmocka_unit_test(test_midstream),
        cmocka_unit_test(test_old_profile),
        cmocka_unit_test(test_forms_refused_unread),
        cmocka_unit_test(test_forms_served),
        cmocka_unit_test(test_short_sends),
        cmocka_unit_test(test_unreadable_replies),
        cmocka_unit_test(test_done),
        cmocka_unit_test(test_what_crosses),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
