// SPDX-License-Identifier: GPL-2.0-or-later
/* Credits: how many Calls may be unanswered, and what the values of rdma_credit say. */
#include "tests/unit/support/rpcrdma_talk.h"

static const struct rpcrdma_options ietf = {.profile = PROFILE_IETF};
static const struct rpcrdma_options old = {.profile = PROFILE_RFC5666};

/* The first Call is still to come. */
static struct rpcrdma_talk *quiet(void)
{
    struct rpcrdma_talk *t = talk_new_bare(&ietf);

    talk_startup(t, C, true, 4096, 4096);
    talk_startup(t, S, true, 4096, 4096);
    return t;
}

/* Credits were granted. */
static struct rpcrdma_talk *granted(const struct rpcrdma_options *options, uint32_t grant)
{
    struct rpcrdma_talk *t = talk_new_bare(options);

    t->credit[S] = grant;
    talk_startup(t, C, true, 4096, 4096);
    talk_startup(t, S, true, 4096, 4096);
    talk_greet(t);
    return t;
}

static uint32_t call_with_credit(struct rpcrdma_talk *t, unsigned side, uint32_t xid, uint32_t credit)
{
    struct rpcrdma_plan plan = talk_plan(t, side, xid);

    plan.credit = credit;
    return talk_call_with(t, side, &plan, TALK_NFS, 3, 0, NULL, 0);
}

static uint32_t reply_with_credit(struct rpcrdma_talk *t, unsigned side, uint32_t xid, uint32_t credit)
{
    struct rpcrdma_plan plan = talk_plan(t, side, xid);

    plan.credit = credit;
    return talk_reply_with(t, side, &plan, NULL, 0);
}

static uint32_t call_of(struct rpcrdma_talk *t, unsigned side, uint32_t xid, uint32_t prog)
{
    struct rpcrdma_plan plan = talk_plan(t, side, xid);

    return talk_call_with(t, side, &plan, prog, 1, 0, NULL, 0);
}

static uint32_t done(struct rpcrdma_talk *t, uint32_t xid)
{
    struct rpcrdma_plan plan = talk_plan(t, C, xid);

    plan.proc = RPCRDMA_DONE;
    return talk_message(t, C, &plan, NULL, 0);
}

static uint32_t reply_with_read_list(struct rpcrdma_talk *t, uint32_t xid, uint32_t credit)
{
    static const struct rpcrdma_read_segment segment = {.position = 28, .target = {0x99, 1000, 0}};
    struct rpcrdma_plan plan = talk_plan(t, S, xid);

    plan.credit = credit;
    plan.reads = &segment;
    plan.n_reads = 1;
    return talk_reply_with(t, S, &plan, NULL, 0);
}

/* Octets of one NULL Reply on the wire. */
static uint64_t reply_octets(struct rpcrdma_talk *t, uint32_t xid, uint32_t credit)
{
    uint64_t before = t->end[S];

    reply_with_credit(t, S, xid, credit);
    return t->end[S] - before;
}

/* ---- the limit ---- */

static void test_within_the_grant(void **state)
{
    struct rpcrdma_talk *t = granted(&ietf, 3);

    talk_call(t, C, 0x10);
    talk_call(t, C, 0x11);
    talk_call(t, C, 0x12);
    talk_reply(t, S, 0x11);
    talk_call(t, C, 0x13);
    findings_passed(&t->seen, RULE_RPCR_3_3_1_01, RULE_RPCR_3_3_1_03, RULE_RPCR_3_3_1_04, RULE_RPCR_3_3_1_05,
                    RULE_RPCR_3_3_3_03);
    talk_expect_nothing(t);
}

static void test_over_the_grant(void **state)
{
    struct rpcrdma_talk *t = granted(&ietf, 2);
    uint32_t frame;

    talk_call(t, C, 0x10);
    talk_call(t, C, 0x11);
    frame = talk_call(t, C, 0x12);
    talk_call(t, C, 0x13); /* the same excess */
    talk_expect(t, RULE_RPCR_3_3_1_03, SEVERITY_ERROR, frame);
}

static void test_over_the_grant_twice(void **state)
{
    struct rpcrdma_talk *t = granted(&ietf, 2);

    for (uint32_t xid = 0x10; xid < 0x13; xid++)
        talk_call(t, C, xid);
    for (uint32_t xid = 0x10; xid < 0x13; xid++)
        talk_reply(t, S, xid);
    for (uint32_t xid = 0x13; xid < 0x16; xid++)
        talk_call(t, C, xid);
    assert_int_equal(t->seen.counts.failed[RULE_RPCR_3_3_1_03], 2);
    talk_free(t);
}

/* The Reply that makes room is captured before the Call, but had not arrived where that was sent. */
static void test_reply_on_the_way(void **state)
{
    struct rpcrdma_talk *t = granted(&ietf, 2);
    uint32_t frame;

    talk_call(t, C, 0x10);
    talk_call(t, C, 0x11);
    t->unreceived = reply_octets(t, 0x10, 2);
    frame = talk_call(t, C, 0x12);
    talk_expect(t, RULE_RPCR_3_3_1_03, SEVERITY_ERROR, frame);
}

/* A lower grant that had not arrived yet binds nobody. */
static void test_lower_grant_on_the_way(void **state)
{
    struct rpcrdma_talk *t = granted(&ietf, 32);

    for (uint32_t xid = 0x10; xid < 0x15; xid++)
        talk_call(t, C, xid);
    t->unreceived = reply_octets(t, 0x10, 2);
    talk_call(t, C, 0x15);
    talk_expect_nothing(t);
}

static void test_lower_grant_arrived(void **state)
{
    struct rpcrdma_talk *t = granted(&ietf, 32);
    uint32_t frame;

    for (uint32_t xid = 0x10; xid < 0x15; xid++)
        talk_call(t, C, xid);
    reply_with_credit(t, S, 0x10, 2);
    frame = talk_call(t, C, 0x15);
    talk_expect(t, RULE_RPCR_3_3_1_03, SEVERITY_ERROR, frame);
}

static void test_grant_lowered_and_drained(void **state)
{
    struct rpcrdma_talk *t = granted(&ietf, 32);

    for (uint32_t xid = 0x10; xid < 0x15; xid++)
        talk_call(t, C, xid);
    for (uint32_t xid = 0x10; xid < 0x14; xid++)
        reply_with_credit(t, S, xid, 2);
    talk_call(t, C, 0x15);
    talk_expect_nothing(t);
}

static void test_unknown_acks(void **state)
{
    struct rpcrdma_talk *t = granted(&ietf, 32);

    for (uint32_t xid = 0x10; xid < 0x15; xid++)
        talk_call(t, C, xid);
    t->acked_unknown = true;
    reply_with_credit(t, S, 0x10, 2);
    talk_call(t, C, 0x15); /* may have crossed the Reply */
    talk_expect_nothing(t);
}

/* ACK numbers that never move say nothing. */
static void test_dead_acks(void **state)
{
    struct rpcrdma_talk *t = quiet();

    for (uint32_t xid = 0x10; xid < 0x15; xid++) {
        t->unreceived = t->end[S];
        talk_call(t, C, xid);
        t->unreceived = t->end[C];
        talk_reply(t, S, xid);
    }
    talk_expect_nothing(t);
}

static void test_answers_in_a_hole(void **state)
{
    struct rpcrdma_talk *t = granted(&ietf, 2);

    talk_call(t, C, 0x10);
    talk_call(t, C, 0x11);
    talk_hole(t, S);
    talk_call(t, C, 0x12);
    talk_call(t, C, 0x13);
    talk_call(t, C, 0x14);
    findings_inconclusive(&t->seen, RULE_RPCR_3_3_1_03);
    talk_expect_nothing(t);
}

/* Behind a hole grants and Calls are seen anew: an excess of them alone is proof enough. */
static void test_over_after_a_hole(void **state)
{
    struct rpcrdma_talk *t = granted(&ietf, 2);
    uint32_t frame;

    talk_call(t, C, 0x10);
    talk_hole(t, S);
    talk_call(t, C, 0x11);
    talk_reply(t, S, 0x11);
    talk_call(t, C, 0x12);
    talk_call(t, C, 0x13);
    frame = talk_call(t, C, 0x14);
    talk_expect(t, RULE_RPCR_3_3_1_03, SEVERITY_ERROR, frame);
}

static void test_midstream(void **state)
{
    struct rpcrdma_talk *t = talk_new_bare(&ietf);

    talk_midstream(t);
    for (uint32_t xid = 0x10; xid < 0x18; xid++)
        talk_call(t, C, xid);
    talk_expect_nothing(t);
}

static void test_retransmissions_take_no_credit(void **state)
{
    struct rpcrdma_talk *t = granted(&ietf, 2);

    talk_call(t, C, 0x10);
    for (unsigned i = 0; i < 4; i++) {
        talk_wait(t, 3000000000);
        talk_call(t, C, 0x10);
    }
    talk_reply(t, S, 0x10);
    talk_call(t, C, 0x11);
    talk_call(t, C, 0x12);
    assert_int_equal(t->seen.counts.failed[RULE_RPCR_3_3_1_03], 0);
    talk_reply(t, S, 0x10); /* the duplicates are answered late */
    talk_call(t, C, 0x13);
    assert_int_equal(t->seen.counts.failed[RULE_RPCR_3_3_1_03], 1);
    talk_free(t);
}

static void test_rdma_error_ends_a_call(void **state)
{
    struct rpcrdma_talk *t = granted(&ietf, 1);

    talk_call(t, C, 0x10);
    talk_error(t, S, 0x10, RPCRDMA_ERR_CHUNK);
    talk_call(t, C, 0x11);
    assert_int_equal(t->seen.counts.failed[RULE_RPCR_3_3_1_03], 0);
    talk_free(t);
}

/* ---- the beginning ---- */

static void test_two_calls_at_first(void **state)
{
    struct rpcrdma_talk *t = quiet();
    uint32_t frame;

    talk_call(t, C, 0x10);
    frame = talk_call(t, C, 0x11);
    talk_call(t, C, 0x12);
    talk_expect(t, RULE_RPCR_3_3_3_03, SEVERITY_ERROR, frame);
}

static void test_second_call_before_the_reply_arrived(void **state)
{
    struct rpcrdma_talk *t = quiet();
    uint32_t frame;

    talk_call(t, C, 0x10);
    t->unreceived = reply_octets(t, 0x10, 32);
    frame = talk_call(t, C, 0x11);
    talk_expect(t, RULE_RPCR_3_3_3_03, SEVERITY_ERROR, frame);
}

/* ---- the reverse direction ---- */

static void test_directions_apart(void **state)
{
    struct rpcrdma_talk *t = granted(&ietf, 2);

    t->credit[C] = 4; /* what the client requests, and what it grants */
    talk_call(t, C, 0x10);
    talk_call(t, C, 0x11);
    call_of(t, S, 0x20, 500000);
    talk_reply(t, C, 0x20);
    for (uint32_t xid = 0x21; xid < 0x23; xid++)
        call_of(t, S, xid, 500000);
    talk_expect_nothing(t);
}

static void test_over_in_reverse(void **state)
{
    struct rpcrdma_talk *t = granted(&ietf, 32);
    uint32_t frame;

    call_of(t, S, 0x20, 500000);
    reply_with_credit(t, C, 0x20, 2);
    call_of(t, S, 0x21, 500000);
    call_of(t, S, 0x22, 500000);
    frame = call_of(t, S, 0x23, 500000);
    talk_expect(t, RULE_RPCR_3_3_1_03, SEVERITY_ERROR, frame);
}

static void test_first_in_reverse(void **state)
{
    struct rpcrdma_talk *t = granted(&ietf, 32);
    uint32_t frame;

    call_of(t, S, 0x20, 500000);
    frame = call_of(t, S, 0x21, 500000);
    talk_expect(t, RULE_RPCR_3_3_3_03, SEVERITY_ERROR, frame);
}

/* ---- requests ---- */

static void test_request_of_zero(void **state)
{
    struct rpcrdma_talk *t = talk_new();
    uint32_t frame = call_with_credit(t, C, 0x10, 0);

    talk_expect(t, RULE_RPCR_3_3_1_01, SEVERITY_NOTE, frame);
}

static void test_more_than_requested(void **state)
{
    struct rpcrdma_talk *t = granted(&ietf, 32);
    uint32_t frame = 0;

    for (uint32_t xid = 0x10; xid < 0x16; xid++)
        frame = xid == 0x15 ? frame : call_with_credit(t, C, xid, 4);
    talk_expect(t, RULE_RPCR_3_3_1_05, SEVERITY_ERROR, frame);
}

/* The Call that asks for less is itself sent under what was asked for before. */
static void test_request_lowered(void **state)
{
    struct rpcrdma_talk *t = granted(&ietf, 32);

    for (uint32_t xid = 0x10; xid < 0x18; xid++)
        talk_call(t, C, xid);
    call_with_credit(t, C, 0x18, 4);
    talk_expect_nothing(t);
}

/* ---- grants ---- */

static void test_grant_of_zero(void **state)
{
    struct rpcrdma_talk *t = talk_new();
    uint32_t frame;

    talk_call(t, C, 0x10);
    frame = reply_with_credit(t, S, 0x10, 0);
    talk_call(t, C, 0x11); /* what follows is no finding of its own */
    talk_expect(t, RULE_RPCR_3_3_1_04, SEVERITY_ERROR, frame);
}

static void test_error_with_zero(void **state)
{
    struct rpcrdma_talk *t = talk_new();
    struct rpcrdma_plan plan = talk_plan(t, S, 0x10);

    talk_call(t, C, 0x10);
    plan.credit = 0;
    plan.proc = RPCRDMA_ERROR;
    plan.err = RPCRDMA_ERR_CHUNK;
    talk_message(t, S, &plan, NULL, 0);
    assert_int_equal(t->seen.counts.failed[RULE_RPCR_3_3_1_04], 0);
    talk_call(t, C, 0x11);
    talk_call(t, C, 0x12);
    assert_int_equal(t->seen.counts.failed[RULE_RPCR_3_3_1_03], 0);
    talk_free(t);
}

/* Calls come and go three at a time; value(i, in_flight) is granted. */
static uint32_t breathe(struct rpcrdma_talk *t, uint32_t total)
{
    uint32_t last = 0, xid = 0x100;

    for (unsigned round = 0; round < 5; round++) {
        for (unsigned i = 0; i < 3; i++)
            talk_call(t, C, xid + i);
        for (unsigned i = 0; i < 3; i++) {
            uint32_t frame = reply_with_credit(t, S, xid + i, total == 0 ? 32 : total - (3 - i));

            last = t->seen.n > 0 && last == 0 ? frame : last;
        }
        xid += 3;
    }
    return last;
}

static void test_grant_follows_the_calls(void **state)
{
    struct rpcrdma_talk *t = talk_new();
    uint32_t frame = breathe(t, 32);

    talk_expect(t, RULE_RPCR_3_3_1_06, SEVERITY_WARNING, frame);
}

static void test_grant_stays(void **state)
{
    struct rpcrdma_talk *t = talk_new();

    breathe(t, 0);
    findings_passed(&t->seen, RULE_RPCR_3_3_1_06);
    talk_expect_nothing(t);
}

static void test_grant_changes_now_and_then(void **state)
{
    struct rpcrdma_talk *t = granted(&ietf, 32);

    for (uint32_t i = 0; i < 40; i++) { /* a slow start */
        call_with_credit(t, C, 0x100 + i, 128);
        reply_with_credit(t, S, 0x100 + i, 32 + i);
    }
    talk_expect_nothing(t);
}

/* As many credits more with each Reply as there are Calls fewer: a burst is answered under a slow start. */
static void test_grant_rises_while_a_burst_is_answered(void **state)
{
    struct rpcrdma_talk *t = granted(&ietf, 12);

    for (uint32_t i = 0; i < 12; i++)
        talk_call(t, C, 0x100 + i);
    for (uint32_t i = 0; i < 12; i++)
        reply_with_credit(t, S, 0x100 + i, 13 + i);
    talk_expect_nothing(t);
}

static void test_request_follows_the_calls(void **state)
{
    struct rpcrdma_talk *t = talk_new();

    for (uint32_t round = 0; round < 4; round++) {
        for (uint32_t i = 0; i < 3; i++)
            call_with_credit(t, C, 0x100 + 3 * round + i, 32 - i);
        for (uint32_t i = 0; i < 3; i++)
            talk_reply(t, S, 0x100 + 3 * round + i);
    }
    assert_int_equal(t->seen.counts.failed[RULE_RPCR_3_3_1_06], 1);
    assert_int_equal(t->seen.n, 1);
    talk_free(t);
}

static void test_grant_follows_reverse_calls(void **state)
{
    struct rpcrdma_talk *t = talk_new();

    call_of(t, S, 0x80, 500000);
    talk_reply(t, C, 0x80);
    for (uint32_t i = 0; i < 12; i++) {
        uint32_t pending = i % 3;

        if (i > 0 && pending == 0) {
            talk_reply(t, C, 0x100 + i - 2);
            talk_reply(t, C, 0x100 + i - 1);
        } else if (pending > 0) {
            call_of(t, S, 0x100 + i, 500000);
        }
        talk_call(t, C, 0x200 + i);
        reply_with_credit(t, S, 0x200 + i, 32 - pending);
    }
    assert_int_equal(t->seen.counts.failed[RULE_BIDI_4_1_03], 1);
    assert_int_equal(t->seen.n, 1);
    talk_free(t);
}

/* ---- several programs ---- */

static void test_programs_share_the_grant(void **state)
{
    struct rpcrdma_talk *t = granted(&ietf, 4);
    uint32_t frame;

    for (uint32_t xid = 0x10; xid < 0x13; xid++)
        talk_call(t, C, xid);
    call_of(t, C, 0x20, 100227);
    frame = call_of(t, C, 0x21, 100227);
    talk_expect(t, RULE_RPCR_6_3_01, SEVERITY_ERROR, frame);
}

static void test_programs_within_the_grant(void **state)
{
    struct rpcrdma_talk *t = granted(&ietf, 4);

    talk_call(t, C, 0x10);
    call_of(t, C, 0x20, 100227);
    findings_passed(&t->seen, RULE_RPCR_6_3_01);
    talk_expect_nothing(t);
}

/* ---- RFC 5666 ---- */

static void test_old_zero_while_calls_are_in_progress(void **state)
{
    struct rpcrdma_talk *t = granted(&old, 4);

    talk_call(t, C, 0x10);
    talk_call(t, C, 0x11);
    reply_with_credit(t, S, 0x10, 0);
    reply_with_credit(t, S, 0x11, 1);
    findings_passed(&t->seen, RULE_RPCR0_3_3_01);
    talk_expect_nothing(t);
}

static void test_old_call_under_a_grant_of_zero(void **state)
{
    struct rpcrdma_talk *t = granted(&old, 4);
    uint32_t frame;

    talk_call(t, C, 0x10);
    talk_call(t, C, 0x11);
    reply_with_credit(t, S, 0x10, 0);
    frame = talk_call(t, C, 0x12);
    talk_expect(t, RULE_RPCR0_3_3_02, SEVERITY_ERROR, frame);
}

static void test_old_zero_at_the_end(void **state)
{
    struct rpcrdma_talk *t = granted(&old, 4);
    uint32_t frame;

    talk_call(t, C, 0x10);
    frame = reply_with_credit(t, S, 0x10, 0);
    talk_expect(t, RULE_RPCR0_3_3_01, SEVERITY_ERROR, frame);
}

static void test_old_limit_is_the_grant_only(void **state)
{
    struct rpcrdma_talk *t = granted(&old, 4);
    uint32_t frame;

    for (uint32_t xid = 0x10; xid < 0x14; xid++)
        call_with_credit(t, C, xid, 2);
    frame = call_with_credit(t, C, 0x14, 2);
    talk_expect(t, RULE_RPCR0_3_3_02, SEVERITY_ERROR, frame);
}

static void test_old_done_takes_a_credit(void **state)
{
    struct rpcrdma_talk *t = granted(&old, 1);

    talk_call(t, C, 0x10);
    reply_with_read_list(t, 0x10, 1);
    talk_read(t, C, 0x99, 0, NULL, 1000);
    done(t, 0x10);
    talk_call(t, C, 0x11);
    assert_int_equal(t->seen.counts.failed[RULE_RPCR0_3_8_03], 1);
    talk_free(t);
}

static void test_old_zero_while_done_is_awaited(void **state)
{
    struct rpcrdma_talk *t = granted(&old, 4);

    talk_call(t, C, 0x10);
    reply_with_read_list(t, 0x10, 0);
    assert_int_equal(t->seen.counts.failed[RULE_RPCR0_11_03], 1);
    talk_free(t);
}

static void test_old_no_room_for_done(void **state)
{
    struct rpcrdma_talk *t = granted(&old, 4);

    talk_call(t, C, 0x10);
    talk_call(t, C, 0x11);
    reply_with_read_list(t, 0x10, 1);
    assert_int_equal(t->seen.counts.failed[RULE_RPCR0_3_8_04], 1);
    talk_free(t);
}

static void test_old_room_for_done(void **state)
{
    struct rpcrdma_talk *t = granted(&old, 4);

    talk_call(t, C, 0x10);
    talk_call(t, C, 0x11);
    reply_with_read_list(t, 0x10, 4);
    done(t, 0x10);
    assert_int_equal(t->seen.counts.failed[RULE_RPCR0_3_8_03], 0);
    findings_passed(&t->seen, RULE_RPCR0_3_8_03, RULE_RPCR0_3_8_04);
    talk_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_within_the_grant),
        cmocka_unit_test(test_over_the_grant),
        cmocka_unit_test(test_over_the_grant_twice),
        cmocka_unit_test(test_reply_on_the_way),
        cmocka_unit_test(test_lower_grant_on_the_way),
        cmocka_unit_test(test_lower_grant_arrived),
        cmocka_unit_test(test_grant_lowered_and_drained),
        cmocka_unit_test(test_unknown_acks),
        cmocka_unit_test(test_dead_acks),
        cmocka_unit_test(test_answers_in_a_hole),
        cmocka_unit_test(test_over_after_a_hole),
        cmocka_unit_test(test_midstream),
        cmocka_unit_test(test_retransmissions_take_no_credit),
        cmocka_unit_test(test_rdma_error_ends_a_call),
        cmocka_unit_test(test_two_calls_at_first),
        cmocka_unit_test(test_second_call_before_the_reply_arrived),
        cmocka_unit_test(test_directions_apart),
        cmocka_unit_test(test_over_in_reverse),
        cmocka_unit_test(test_first_in_reverse),
        cmocka_unit_test(test_request_of_zero),
        cmocka_unit_test(test_more_than_requested),
        cmocka_unit_test(test_request_lowered),
        cmocka_unit_test(test_grant_of_zero),
        cmocka_unit_test(test_error_with_zero),
        cmocka_unit_test(test_grant_follows_the_calls),
        cmocka_unit_test(test_grant_stays),
        cmocka_unit_test(test_grant_changes_now_and_then),
        cmocka_unit_test(test_grant_rises_while_a_burst_is_answered),
        cmocka_unit_test(test_request_follows_the_calls),
        cmocka_unit_test(test_grant_follows_reverse_calls),
        cmocka_unit_test(test_programs_share_the_grant),
        cmocka_unit_test(test_programs_within_the_grant),
        cmocka_unit_test(test_old_zero_while_calls_are_in_progress),
        cmocka_unit_test(test_old_call_under_a_grant_of_zero),
        cmocka_unit_test(test_old_zero_at_the_end),
        cmocka_unit_test(test_old_limit_is_the_grant_only),
        cmocka_unit_test(test_old_done_takes_a_credit),
        cmocka_unit_test(test_old_zero_while_done_is_awaited),
        cmocka_unit_test(test_old_no_room_for_done),
        cmocka_unit_test(test_old_room_for_done),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
