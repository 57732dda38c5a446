// SPDX-License-Identifier: GPL-2.0-or-later
/* Sessions: what SEQUENCE and CB_SEQUENCE are answered with, and the minor version that sessions belong to. */
#include "tests/unit/support/nfs_messages.h"
#include "tests/unit/support/rpcrdma_talk.h"

enum {
    CALLBACK = 0x40000000,
    CONN_BACK = 2,
    SEQ_MISORDERED = 10063,
    RETRY_UNCACHED_REP = 10068,
    SEQ_FALSE_RETRY = 10076,
    MINOR_VERS_MISMATCH = 10021,
    XID = 0x60,
};

static void call(struct rpcrdma_talk *t, unsigned side, const struct nfs_text *text)
{
    struct rpcrdma_plan plan = talk_plan(t, side, XID);

    talk_call_with(t, side, &plan, side == C ? NFS_PROGRAM : CALLBACK, side == C ? 4 : 1, 1, text->p, text->n);
}

static uint32_t reply(struct rpcrdma_talk *t, unsigned side, const struct nfs_text *text)
{
    struct rpcrdma_plan plan = talk_plan(t, side, XID);

    return talk_reply_with(t, side, &plan, text->p, text->n);
}

static void channel(struct nfs_text *text)
{
    text_put(text, 0, 1049620, 1049480, 0, 8, 16, 0);
}

/* CREATE_SESSION of a session whose id is that of text_words(). */
static struct rpcrdma_talk *session(uint32_t minor)
{
    struct rpcrdma_talk *t = talk_new();
    struct nfs_text ask = {0}, grant = {0};

    t->seen.keeps = NULL;
    text_compound(&ask, minor, 1);
    text_put(&ask, NFS_OP_CREATE_SESSION);
    text_words(&ask, 3);
    text_put(&ask, CONN_BACK);
    channel(&ask);
    channel(&ask);
    text_put(&ask, CALLBACK, 0);
    call(t, C, &ask);
    text_compounded(&grant, 0, 1);
    text_put(&grant, NFS_OP_CREATE_SESSION, 0);
    text_words(&grant, 4);
    text_put(&grant, 1, CONN_BACK);
    channel(&grant);
    channel(&grant);
    reply(t, S, &grant);
    return t;
}

/* SEQUENCE and PUTROOTFH, or CB_SEQUENCE and CB_RECALL_SLOT, always in one slot. */
static void request(struct rpcrdma_talk *t, unsigned side, uint32_t minor, uint32_t sequence, bool cache)
{
    struct nfs_text text = {0};

    if (side == C) {
        text_compound(&text, minor, 2);
    } else {
        text_put(&text, 0, minor, 0, 2);
    }
    text_put(&text, side == C ? NFS_OP_SEQUENCE : NFS_OP_CB_SEQUENCE);
    text_words(&text, 4);
    text_put(&text, sequence);
    text_words(&text, 2);
    text_put(&text, cache);
    if (side == C) {
        text_put(&text, NFS_OP_PUTROOTFH);
    } else {
        text_put(&text, 0, NFS_OP_CB_RECALL_SLOT, 1);
    }
    call(t, side, &text);
}

/* With these two statuses; the first other than 0 is the last. */
static uint32_t answer(struct rpcrdma_talk *t, unsigned side, uint32_t first, uint32_t second)
{
    struct nfs_text text = {0};

    text_compounded(&text, first ? first : second, first ? 1 : 2);
    text_put(&text, side == S ? NFS_OP_SEQUENCE : NFS_OP_CB_SEQUENCE, first);
    if (first == 0) {
        text_words(&text, side == S ? 9 : 8);
        text_put(&text, side == S ? NFS_OP_PUTROOTFH : NFS_OP_CB_RECALL_SLOT, second);
    }
    return reply(t, side, &text);
}

static void expect(struct rpcrdma_talk *t, enum rule_id rule, uint32_t frame)
{
    if (rule == RULE_COUNT)
        talk_expect_nothing(t);
    else
        talk_expect(t, rule, rule_catalogue[rule].severity, frame);
}

/* After a request with sequence 1, one with this. */
static void second(uint32_t sequence, bool cache, uint32_t first_status, uint32_t second_status, enum rule_id rule)
{
    struct rpcrdma_talk *t = session(1);

    request(t, C, 1, 1, false);
    answer(t, S, 0, 0);
    request(t, C, 1, sequence, cache);
    expect(t, rule, answer(t, S, first_status, second_status));
}

static void test_answers(void **state)
{
    second(2, false, 0, 0, RULE_COUNT);
    second(2, false, 10006, 0, RULE_COUNT);
    second(2, false, 0, RETRY_UNCACHED_REP, RULE_NFS41_18_46_3_01);
    second(2, true, 0, RETRY_UNCACHED_REP, RULE_NFS41_18_46_3_01);
    second(2, false, SEQ_FALSE_RETRY, 0, RULE_NFS41_18_46_3_01);
    second(2, false, SEQ_MISORDERED, 0, RULE_NFS41_18_46_3_01);
    second(2, false, RETRY_UNCACHED_REP, 0, RULE_NFS41_2_10_6_1_3_01);
    /* a retry, and what is out of order */
    second(1, false, 0, RETRY_UNCACHED_REP, RULE_COUNT);
    second(1, true, 0, RETRY_UNCACHED_REP, RULE_NFS41_2_10_6_1_3_02);
    second(1, false, SEQ_FALSE_RETRY, 0, RULE_COUNT);
    second(3, false, SEQ_MISORDERED, 0, RULE_COUNT);
    second(1, false, RETRY_UNCACHED_REP, 0, RULE_NFS41_2_10_6_1_3_01);
}

static void test_first_of_a_slot(void **state)
{
    struct rpcrdma_talk *t = session(1);

    request(t, C, 1, 1, false);
    expect(t, RULE_NFS41_18_46_3_01, answer(t, S, 0, RETRY_UNCACHED_REP));
    t = session(1);
    request(t, S, 1, 1, false);
    expect(t, RULE_NFS41_18_46_3_01, answer(t, C, SEQ_MISORDERED, 0));
    t = session(1);
    request(t, S, 1, 1, false);
    expect(t, RULE_NFS41_2_10_6_1_3_01, answer(t, C, RETRY_UNCACHED_REP, 0));
}

/* What was not seen may have been the first transmission. */
static void test_in_doubt(void **state)
{
    struct rpcrdma_talk *t = talk_new();

    t->seen.keeps = NULL;
    request(t, C, 1, 1, false); /* of a session that was created elsewhere */
    answer(t, S, 0, RETRY_UNCACHED_REP);
    findings_inconclusive(&t->seen, RULE_NFS41_18_46_3_01);
    talk_expect_nothing(t);
    t = session(1);
    talk_hole(t, C);
    request(t, C, 1, 1, false);
    answer(t, S, 0, RETRY_UNCACHED_REP);
    findings_inconclusive(&t->seen, RULE_NFS41_18_46_3_01);
    talk_expect_nothing(t);
    t = session(1);
    request(t, C, 1, 1, false);
    answer(t, S, 10008, 0); /* DELAY: it was not carried out */
    request(t, C, 1, 2, false);
    answer(t, S, SEQ_MISORDERED, 0);
    findings_inconclusive(&t->seen, RULE_NFS41_18_46_3_01);
    talk_expect_nothing(t);
}

static void test_minor_version(void **state)
{
    struct rpcrdma_talk *t = session(2);
    struct nfs_text mismatch = {0};

    request(t, C, 2, 1, false);
    answer(t, S, 0, 0);
    findings_passed(&t->seen, RULE_NFS41_2_7_01);
    talk_expect_nothing(t);
    t = session(1);
    request(t, C, 2, 1, false);
    expect(t, RULE_NFS41_2_7_01, t->frame);
    t = session(1);
    request(t, S, 2, 1, false);
    talk_expect(t, RULE_NFS41_2_7_01, SEVERITY_WARNING, t->frame);
    t = session(1);
    request(t, C, 1, 1, false);
    answer(t, S, 0, 0);
    request(t, C, 1, 2, false);
    text_compounded(&mismatch, MINOR_VERS_MISMATCH, 0);
    talk_expect(t, RULE_NFS4_15_2_05, SEVERITY_WARNING, reply(t, S, &mismatch));
}

/* CB_RECALL_SLOT alone, and its status. */
static void recalled(uint32_t status, enum rule_id rule)
{
    struct rpcrdma_talk *t = session(1);
    struct nfs_text ask = {0}, text = {0};

    text_put(&ask, 0, 1, 0, 1, NFS_OP_CB_RECALL_SLOT, 1);
    call(t, S, &ask);
    text_compounded(&text, status, 1);
    text_put(&text, NFS_OP_CB_RECALL_SLOT, status);
    expect(t, rule, reply(t, C, &text));
}

static void test_callback_without_a_session(void **state)
{
    recalled(0, RULE_NFS41_20_9_3_01);
    recalled(10071, RULE_COUNT); /* OP_NOT_IN_SESSION */
    recalled(10012, RULE_COUNT); /* an error is an error */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_answers),
        cmocka_unit_test(test_first_of_a_slot),
        cmocka_unit_test(test_in_doubt),
        cmocka_unit_test(test_minor_version),
        cmocka_unit_test(test_callback_without_a_session),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
