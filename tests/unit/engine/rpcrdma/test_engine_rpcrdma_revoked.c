// SPDX-License-Identifier: GPL-2.0-or-later
/* Memory of an RPC that is over: an access to it is refused, or it was still in reach. */
#include "tests/unit/support/rpcrdma_talk.h"

enum { XID = 0x10, READLINK3 = 5, STAG = 0x7a31c002, TO = 0x1000 };

static const int64_t second = 1000000000;

/* A READLINK with a Write chunk of 100 octets that fails, answered; then so long nothing. */
static struct rpcrdma_talk *over(int64_t wait)
{
    static const uint32_t handle[] = {8, 1, 2}, failed[] = {5, 0};
    struct rpcrdma_segment segment = {STAG, 100, TO};
    struct rpcrdma_write_plan chunk = {&segment, 1};
    struct rpcrdma_talk *t = talk_new();
    struct rpcrdma_plan plan = talk_plan(t, C, XID);
    uint8_t octets[16];

    t->seen.keeps = NULL;
    plan.writes = &chunk;
    plan.n_writes = 1;
    talk_call_with(t, C, &plan, TALK_NFS, 3, READLINK3, octets, talk_words(octets, sizeof octets, handle, 3));
    segment.length = 0;
    plan.credit = t->credit[S];
    talk_reply_with(t, S, &plan, octets, talk_words(octets, sizeof octets, failed, 2));
    assert_int_equal(t->seen.n, 0);
    talk_wait(t, wait);
    return t;
}

/* The late RDMA Write, which is the first finding, or none when it is not late. */
static void write_late(struct rpcrdma_talk *t)
{
    talk_write(t, S, STAG, TO, NULL, 8);
    assert_int_equal(t->seen.n, 1);
    assert_int_equal(t->seen.finding[0].rule, RULE_RPCR_2_3_2_02);
}

static void exchange(struct rpcrdma_talk *t, uint32_t xid)
{
    talk_call(t, C, xid);
    talk_reply(t, S, xid);
}

static void expect_second(struct rpcrdma_talk *t, enum rule_severity severity)
{
    talk_finish(t);
    assert_int_equal(t->seen.n, 2);
    assert_int_equal(t->seen.finding[1].rule, RULE_RPCR_4_4_1_01);
    assert_int_equal(t->seen.finding[1].severity, severity);
    talk_free(t);
}

static void expect_none(struct rpcrdma_talk *t)
{
    talk_finish(t);
    assert_int_equal(t->seen.counts.failed[RULE_RPCR_4_4_1_01], 0);
    talk_free(t);
}

static void test_accepted(void **state)
{
    struct rpcrdma_talk *t = over(3 * second);

    write_late(t);
    exchange(t, XID + 1);
    exchange(t, XID + 2);
    expect_second(t, SEVERITY_ERROR);
    t = over(0); /* after another exchange */
    exchange(t, XID + 1);
    write_late(t);
    exchange(t, XID + 2);
    exchange(t, XID + 3);
    expect_second(t, SEVERITY_WARNING);
    t = over(3 * second); /* one message, which may have crossed with the refusal */
    write_late(t);
    exchange(t, XID + 1);
    expect_second(t, SEVERITY_WARNING);
}

static void test_refused(void **state)
{
    struct rpcrdma_talk *t = over(3 * second);

    write_late(t);
    talk_terminate_for(t, C, 1, 1, 0);
    findings_passed(&t->seen, RULE_RPCR_4_4_1_01);
    expect_none(t);
}

/* At once, the requester may still be busy with the Reply. */
static void test_too_soon(void **state)
{
    struct rpcrdma_talk *t = over(0);

    write_late(t);
    exchange(t, XID + 1);
    exchange(t, XID + 2);
    expect_none(t);
}

static void test_connection_breaks(void **state)
{
    struct rpcrdma_talk *t = over(3 * second);

    write_late(t);
    talk_end(t, C, true);
    expect_none(t);
    t = over(3 * second);
    write_late(t); /* the capture ends */
    expect_none(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_accepted),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_too_soon),
        cmocka_unit_test(test_connection_breaks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
