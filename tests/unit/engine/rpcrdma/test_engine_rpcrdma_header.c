// SPDX-License-Identifier: GPL-2.0-or-later
/* Transport headers octet by octet: what is wrong with them, and that nothing is wrong with those that are right. */
#include "tests/unit/support/rpcrdma_talk.h"

#include <stdio.h>
#include <stdlib.h>

#define FIXED "00000010 00000001 00000020 00000000 "
#define NOMSG "00000010 00000001 00000020 00000001 "
#define NONE  "00000000 00000000 00000000 "
/* NULL of NFS version 3 */
#define RPC     "00000010 00000000 00000002 000186a3 00000003 00000000 [16] "
#define HLOO    "c0ffee01 00001000 00007f12 34567000 "
#define HLOO_2  "c0ffee02 00000800 00007f12 99990000 "
#define P0      "00000000 "
#define P80     "00000080 "
#define PZRC    "00000001 " P0 "c0ffee03 00000028 00007f12 55550000 "
#define WRITE_1 "00000001 00000001 " HLOO
#define WRITE_2 "00000001 00000002 " HLOO HLOO_2
#define END     "00000000 "

static const struct {
    const char *octets;
    enum rule_id rule;
    enum rule_severity severity;
} wrong[] = {
    /* fixed words */
    {"00000010 00000001", RULE_RPCR_4_01, SEVERITY_ERROR},
    {"", RULE_RPCR_4_01, SEVERITY_ERROR},
    {"9f3c77d1 e0b2485a 6611ccf0 3d8e2a94", RULE_RPCR_4_01, SEVERITY_ERROR},
    {"10000000 01000000 20000000 00000000 " NONE RPC, RULE_RPCR_4_02, SEVERITY_ERROR},
    {"10000000 01000000 20000000 01000000 " NONE, RULE_RPCR_4_02, SEVERITY_ERROR},
    {"00000010 00000001 00000020 01000000 " PZRC END END END, RULE_RPCR_4_02, SEVERITY_ERROR},
    {FIXED "01000000 " P80 HLOO END END END RPC, RULE_RPCR_4_02, SEVERITY_ERROR},
    {"00000010 00000020 00000001 00000000 " NONE RPC, RULE_RPCR_4_1_2_01, SEVERITY_ERROR},
    {"00000010 00000020 00000001 00000001 " PZRC END END END, RULE_RPCR_4_1_2_01, SEVERITY_ERROR},
    {"00000010 00000001 00000000 00000020 " NONE RPC, RULE_RPCR_4_1_2_01, SEVERITY_ERROR},
    {"00000001 00000010 00000020 00000000 " NONE RPC, RULE_RPCR_4_1_2_01, SEVERITY_ERROR},
    {"00000020 00000001 00000010 00000000 " NONE RPC, RULE_RPCR_4_1_2_01, SEVERITY_ERROR},
    {"00000010 00000002 00000020 00000000 " NONE RPC, RULE_RPCR_4_2_2_01, SEVERITY_ERROR},
    {"00000010 00000002 00000001 00000000 " NONE RPC, RULE_RPCR_4_2_2_01, SEVERITY_ERROR},
    {"00000010 ffffffff 00000020 00000000 " NONE RPC, RULE_RPCR_4_2_2_01, SEVERITY_ERROR},
    {"00000010 00000000 00000020 00000000 " NONE RPC, RULE_RPCR_4_2_2_01, SEVERITY_ERROR},
    {"00000010 00000001 00000020 00000005 " NONE RPC, RULE_RPCR_4_1_2_02, SEVERITY_ERROR},
    {"00000010 00000001 00000020 ffffffff " NONE RPC, RULE_RPCR_4_1_2_02, SEVERITY_ERROR},
    {"00000010 00000001 00000020 00000002 00000400 00000400 " NONE RPC, RULE_RPCR_4_6_1_01, SEVERITY_ERROR},
    {"00000010 00000001 00000020 00000003", RULE_RPCR_4_6_2_01, SEVERITY_ERROR},
    {"00000010 00000001 00000020 00000003 " NONE, RULE_RPCR_4_6_2_01, SEVERITY_ERROR},
    /* lengths */
    {FIXED "00000000 00000000", RULE_RPCR_4_1_2_10, SEVERITY_ERROR},
    {NOMSG "00000000", RULE_RPCR_4_1_2_10, SEVERITY_ERROR},
    {FIXED NONE, RULE_RPCR_4_2_4_01, SEVERITY_ERROR},
    {FIXED NONE "00000010", RULE_RPCR_4_2_4_01, SEVERITY_ERROR},
    {FIXED "00000001 " P80 HLOO END END END, RULE_RPCR_3_5_2_02, SEVERITY_ERROR},
    /* lists */
    {FIXED "00000002 00000000 00000000 " RPC, RULE_RPCR_4_1_2_04, SEVERITY_ERROR},
    {FIXED "00000002 " P80 HLOO END END END RPC, RULE_RPCR_4_1_2_04, SEVERITY_ERROR},
    {FIXED END "ffffffff 00000001 " HLOO END END RPC, RULE_RPCR_4_1_2_04, SEVERITY_ERROR},
    {FIXED END END "00000007 00000001 " HLOO RPC, RULE_RPCR_4_1_2_04, SEVERITY_ERROR},
    {FIXED "00000002 " P80 HLOO P80 HLOO_2 END END RPC, RULE_RPCR_4_1_2_05, SEVERITY_ERROR},
    {FIXED "00000002 " P80 HLOO P80 HLOO_2 END END END RPC, RULE_RPCR_4_1_2_05, SEVERITY_ERROR},
    {FIXED "00000001 " P80 HLOO END END RPC, RULE_RPCR_4_1_2_05, SEVERITY_ERROR},
    {NOMSG "00000002 " P0 HLOO P0 HLOO_2 END END, RULE_RPCR_4_1_2_05, SEVERITY_ERROR},
    {FIXED END "00000001 " HLOO "00000001 " HLOO_2 END END RPC, RULE_RPCR_4_1_2_08, SEVERITY_ERROR},
    {FIXED END "00000001 " HLOO END END RPC, RULE_RPCR_4_1_2_08, SEVERITY_ERROR},
    {FIXED END WRITE_1 END RPC, RULE_RPCR_4_1_2_08, SEVERITY_ERROR},
    {FIXED END "00000002 00000001 " HLOO "00000001 " HLOO_2 END END RPC, RULE_RPCR_4_1_2_08, SEVERITY_ERROR},
    {FIXED END END WRITE_1 END RPC, RULE_RPCR_4_1_2_09, SEVERITY_ERROR},
    {FIXED END END WRITE_2 END RPC, RULE_RPCR_4_1_2_09, SEVERITY_ERROR},
    {FIXED END END "00000001 " HLOO RPC, RULE_RPCR_4_1_2_09, SEVERITY_ERROR},
    {NOMSG PZRC END END WRITE_1 END, RULE_RPCR_4_1_2_09, SEVERITY_ERROR},
    {FIXED END "00000001 00000001 " P0 HLOO END END RPC, RULE_RPCR_3_4_6_03, SEVERITY_ERROR},
    {FIXED END "00000001 00000002 " P0 HLOO P0 HLOO_2 END END RPC, RULE_RPCR_3_4_6_03, SEVERITY_ERROR},
    {FIXED END END "00000001 00000001 " P0 HLOO RPC, RULE_RPCR_3_4_6_03, SEVERITY_ERROR},
    {FIXED END END "00000001 00000001 " P80 "c0ffee01 00001000 00000000 00000000 " RPC, RULE_RPCR_3_4_6_03,
     SEVERITY_ERROR},
    {FIXED END "00000001 00000003 " HLOO HLOO_2 END END RPC, RULE_RPCR_3_4_6_01, SEVERITY_ERROR},
    {FIXED END "00000001 00000001 " HLOO HLOO_2 END END RPC, RULE_RPCR_3_4_6_01, SEVERITY_ERROR},
    {FIXED END END "00000001 00000003 " HLOO HLOO_2 RPC, RULE_RPCR_3_4_6_01, SEVERITY_ERROR},
    {FIXED WRITE_1 END END END RPC, RULE_RPCR_4_1_2_03, SEVERITY_ERROR},
    {FIXED WRITE_2 END "00000001 " P80 HLOO END END RPC, RULE_RPCR_4_1_2_03, SEVERITY_ERROR},
    {FIXED END WRITE_2 END RPC, RULE_RPCR_4_1_2_08, SEVERITY_ERROR},
    {FIXED WRITE_2 END END RPC, RULE_RPCR_4_1_2_03, SEVERITY_ERROR},
    {FIXED END END RPC, RULE_RPCR_4_1_2_03, SEVERITY_ERROR},
    {FIXED RPC, RULE_RPCR_4_1_2_03, SEVERITY_ERROR},
    {FIXED "00001000 00000400 " NONE RPC, RULE_RPCR_4_1_2_03, SEVERITY_ERROR},
    {FIXED "00000001 " HLOO END END END RPC, RULE_RPCR_4_1_2_06, SEVERITY_ERROR},
    {FIXED END "00000001 00000002 c0ffee01 00001000 34567000 c0ffee02 00001000 99990000 " END END RPC,
     RULE_RPCR_4_1_2_07, SEVERITY_ERROR},
    {FIXED END "00000001 10000001 " HLOO END END RPC, RULE_RPCR_4_1_2_11, SEVERITY_ERROR},
    {FIXED END "00000001 00000001 c0ffee01", RULE_RPCR_4_1_2_11, SEVERITY_ERROR},
    {FIXED "00000001 " P80 HLOO "00000001 " P80, RULE_RPCR_4_1_2_11, SEVERITY_ERROR},
    {NOMSG PZRC END END, RULE_RPCR_4_1_2_11, SEVERITY_ERROR},
    /* what lies after them */
    {FIXED NONE "00000000 " RPC, RULE_RPCR_3_2_03, SEVERITY_ERROR},
    {FIXED NONE "a5a5a5a5 " RPC, RULE_RPCR_3_2_03, SEVERITY_ERROR},
    {FIXED NONE "[32] " RPC, RULE_RPCR_3_2_03, SEVERITY_ERROR},
    {FIXED NONE "80000028 " RPC, RULE_RPCR_3_2_04, SEVERITY_ERROR},
    {FIXED NONE "00000011 00000000 00000002 000186a3 00000003 00000000 [16]", RULE_RPCR_4_2_1_01, SEVERITY_ERROR},
    {FIXED NONE "00000010 00000002 00000002 000186a3 00000003 00000000 [16]", RULE_RPCR_2_2_2_01, SEVERITY_ERROR},
    {FIXED "00000001 " P0 HLOO END END END RPC, RULE_RPCR_3_5_3_05, SEVERITY_WARNING},
    {NOMSG PZRC END END END RPC, RULE_RPCR_3_5_3_02, SEVERITY_ERROR},
    {NOMSG NONE, RULE_RPCR_4_2_4_04, SEVERITY_ERROR},
    {NOMSG END WRITE_1 END WRITE_1, RULE_RPCR_4_2_4_05, SEVERITY_ERROR},
    {NOMSG "00000001 " P80 HLOO END END END, RULE_RPCR_4_2_4_05, SEVERITY_ERROR},
    {NOMSG "00000001 " P0 "c0ffee03 00000020 00007f12 55550000 " END END END, RULE_RPCR_4_2_4_05, SEVERITY_ERROR},
};

static void send_hex(struct rpcrdma_talk *t, unsigned side, const char *hex)
{
    uint8_t octets[512];
    size_t n = octets_of(hex, octets, sizeof octets);

    talk_send_octets(t, side, octets, n);
}

static void test_each_mistake_is_distinguished(void **state)
{
    for (size_t i = 0; i < ARRAY_LENGTH(wrong); i++) {
        struct rpcrdma_talk *t = talk_new();

        send_hex(t, C, wrong[i].octets);
        if (t->seen.n != 1 || t->seen.finding[0].rule != wrong[i].rule ||
            t->seen.finding[0].severity != wrong[i].severity) {
            fprintf(stderr, "%s\n  expected %s; found %u\n", wrong[i].octets, rule_catalogue[wrong[i].rule].id,
                    t->seen.n);
            findings_show(&t->seen, __func__);
            fail();
        }
        talk_free(t);
    }
}

/* Shapes of RFC 8166 section 4.7, and numbers at the edges: nothing to say about the headers. */
static void test_sound_headers(void **state)
{
    static const char *const sound[] = {
        FIXED NONE RPC,
        "00000010 00000001 00000001 00000000 " NONE RPC,
        NOMSG PZRC END END END,
        NOMSG PZRC END WRITE_2 END END,
        NOMSG PZRC END END WRITE_2,
        FIXED END "00000001 00000000 " END END RPC,
    };

    for (size_t i = 0; i < ARRAY_LENGTH(sound); i++) {
        struct rpcrdma_talk *t = talk_new();

        send_hex(t, C, sound[i]);
        for (unsigned k = 0; k < t->seen.n; k++) {
            const char *id = rule_catalogue[t->seen.finding[k].rule].id;

            if (strncmp(id, "RPCR-4.1", 8) == 0 || strncmp(id, "RPCR-4-", 7) == 0 || strncmp(id, "RPCR-3.2", 8) == 0) {
                findings_show(&t->seen, __func__);
                fail();
            }
        }
        findings_passed(&t->seen, RULE_RPCR_4_01, RULE_RPCR_4_02, RULE_RPCR_4_1_2_01, RULE_RPCR_4_1_2_11);
        talk_free(t);
    }
}

/* RFC 5666: RDMA_MSGP and RDMA_DONE may come, and an rdma_err of its own has 8 words after it. */
static void test_old_profile(void **state)
{
    static const struct rpcrdma_options old = {.profile = PROFILE_RFC5666};
    struct rpcrdma_talk *t = talk_new_with(&old);

    send_hex(t, C, "00000010 00000001 00000020 00000002 00000400 00000400 " NONE RPC);
    send_hex(t, S, "00000010 00000001 00000020 00000004 00000003 [32]");
    assert_int_equal(t->seen.n, 0);
    findings_passed(&t->seen, RULE_RPCR0_4_1_01, RULE_RPCR0_4_3_01);
    send_hex(t, C, "00000011 00000001 00000020 00000002 00000400 00000400 " NONE RPC);
    assert_int_equal(t->seen.n, 1);
    assert_int_equal(t->seen.finding[0].rule, RULE_RPCR0_4_1_01);
    talk_free(t);
}

/* ---- RDMA_ERROR ---- */

static const struct {
    const char *octets;
    enum rule_id rule;
} errors[] = {
    {"00000010 00000001 00000020 00000004", RULE_RPCR_4_1_2_13},
    {"00000010 00000001 00000020 00000004 00000000", RULE_RPCR_4_1_2_13},
    {"00000010 00000001 00000020 00000004 00000063", RULE_RPCR_4_1_2_13},
    {"00000010 00000001 00000020 00000004 00000001", RULE_RPCR_4_1_2_14},
    {"00000010 00000001 00000020 00000004 00000001 00000002 00000001", RULE_RPCR_4_1_2_14},
    {"00000010 00000001 00000020 00000004 00000002 " NONE, RULE_RPCR_4_1_2_15},
    {"00000010 00000001 00000020 00000004 00000002 00000010 00000001 [16]", RULE_RPCR_4_2_4_06},
    {"00000010 00000001 00000020 00000000 00000002", RULE_RPCR_4_5_06},
    {"00000010 00000001 00000020 00000000 00000001 00000001 00000001", RULE_RPCR_4_5_06},
    {"00000010 00000002 00000020 00000004 00000002", RULE_RPCR_4_5_05},
    {"00000010 00000001 00000020 00000004 00000001 00000001 00000001", RULE_RPCR_4_5_07},
    {"00000099 00000001 00000020 00000004 00000002", RULE_RPCR_4_5_04},
};

/* A Long Call: nothing is known of what it asks for, so that ERR_CHUNK may have its reasons. */
static void test_each_error(void **state)
{
    for (size_t i = 0; i < ARRAY_LENGTH(errors); i++) {
        struct rpcrdma_talk *t = talk_new();

        send_hex(t, C, NOMSG PZRC END END END);
        send_hex(t, S, errors[i].octets);
        if (t->seen.n != 1 || t->seen.finding[0].rule != errors[i].rule) {
            fprintf(stderr, "%s\n  expected %s; found %u\n", errors[i].octets, rule_catalogue[errors[i].rule].id,
                    t->seen.n);
            findings_show(&t->seen, __func__);
            fail();
        }
        talk_free(t);
    }
}

static void test_err_chunk_of_20_octets(void **state)
{
    struct rpcrdma_talk *t = talk_new();

    send_hex(t, C, NOMSG PZRC END END END);
    talk_error(t, S, 0x10, RPCRDMA_ERR_CHUNK);
    findings_passed(&t->seen, RULE_RPCR_4_1_2_13, RULE_RPCR_4_1_2_15, RULE_RPCR_4_2_4_06, RULE_RPCR_4_5_04,
                    RULE_RPCR_4_5_05, RULE_RPCR_4_5_06, RULE_RPCR_4_5_07);
    talk_expect_nothing(t);
}

/* The Call's version, which is wrong, is right in the RDMA_ERROR that rejects it. */
static void test_err_vers(void **state)
{
    static const struct {
        uint32_t vers, low, high;
        enum rule_id rule; /* RULE_COUNT: none */
    } cases[] = {
        {2, 1, 1, RULE_COUNT},
        {2, 2, 2, RULE_RPCR_4_5_1_02},
        {2, 1, 2, RULE_RPCR_4_5_1_02},
        {0x01000000, 1, 1, RULE_COUNT},
    };

    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct rpcrdma_talk *t = talk_new();
        struct rpcrdma_plan plan = talk_plan(t, C, 0x10);

        plan.vers = cases[i].vers;
        talk_call_with(t, C, &plan, TALK_NFS, 3, 0, NULL, 0);
        assert_int_equal(t->seen.n, 1); /* the version */
        plan.proc = RPCRDMA_ERROR;
        plan.err = RPCRDMA_ERR_VERS;
        plan.vers_low = cases[i].low;
        plan.vers_high = cases[i].high;
        talk_message(t, S, &plan, NULL, 0);
        assert_int_equal(t->seen.n, cases[i].rule == RULE_COUNT ? 1 : 2);
        if (cases[i].rule != RULE_COUNT)
            assert_int_equal(t->seen.finding[1].rule, cases[i].rule);
        else
            findings_passed(&t->seen, RULE_RPCR_4_5_1_02);
        talk_free(t);
    }
}

static void test_requesters_send_none(void **state)
{
    struct rpcrdma_talk *t = talk_new();

    talk_call(t, C, 0x10);
    talk_reply(t, S, 0x10);
    talk_expect(t, RULE_RPCR_4_2_4_07, SEVERITY_ERROR, talk_error(t, C, 0x10, RPCRDMA_ERR_CHUNK));
}

static void test_a_reply_after_an_error(void **state)
{
    struct rpcrdma_talk *t = talk_new();

    send_hex(t, C, NOMSG PZRC END END END);
    talk_error(t, S, 0x10, RPCRDMA_ERR_CHUNK);
    talk_expect(t, RULE_RPCR_4_5_09, SEVERITY_ERROR, talk_reply(t, S, 0x10));
}

static void test_an_error_without_reason(void **state)
{
    struct rpcrdma_talk *t = talk_new();

    talk_call(t, C, 0x10);
    talk_expect(t, RULE_RPCR_4_5_12, SEVERITY_ERROR, talk_error(t, S, 0x10, RPCRDMA_ERR_CHUNK));
}

/* Behind a hole the Call may have been anything, and may not have been the client's last word. */
static void test_holes_leave_it_open(void **state)
{
    struct rpcrdma_talk *t = talk_new();

    talk_call(t, C, 0x10);
    talk_hole(t, C);
    talk_error(t, S, 0x99, RPCRDMA_ERR_CHUNK);
    findings_inconclusive(&t->seen, RULE_RPCR_4_5_04);
    talk_error(t, S, 0x10, RPCRDMA_ERR_CHUNK);
    findings_inconclusive(&t->seen, RULE_RPCR_4_5_12);
    talk_expect_nothing(t);
}

/* A header in error is a Reply's, too: it is to be discarded, and the right one comes. */
static void test_the_right_reply_comes_after_it(void **state)
{
    static const char *const replies[] = {
        "00000010 00000002 00000020 00000000 " NONE "00000010 00000001 [16]",
        FIXED "00000002 00000000 00000000 00000010 00000001 [16]",
        FIXED NONE "80000018 00000010 00000001 [16]",
        FIXED NONE "00000011 00000001 [16]",
        FIXED NONE,
    };

    for (size_t i = 0; i < ARRAY_LENGTH(replies); i++) {
        struct rpcrdma_talk *t = talk_new();

        talk_call(t, C, 0x10);
        send_hex(t, S, replies[i]);
        assert_int_equal(t->seen.n, 1);
        talk_reply(t, S, 0x10);
        talk_call(t, C, 0x11);
        talk_reply(t, S, 0x11);
        talk_finish(t);
        assert_int_equal(t->seen.n, 1);
        talk_free(t);
    }
}

/* A word here and there, octets cut off or put in between, in whatever order: nothing but findings comes of it. */
static void test_at_random(void **state)
{
    static const char *const seeds[] = {
        FIXED NONE RPC,
        FIXED "00000001 " P80 HLOO END WRITE_2 WRITE_1 RPC,
        NOMSG PZRC END WRITE_1 WRITE_2,
        "00000010 00000001 00000020 00000004 00000001 00000001 00000001",
    };
    static const uint32_t words[] = {0,    1,          2,          3,          4,          5,
                                     0x10, 0x01000000, 0x10000001, 0x7fffffff, 0x80000028, UINT32_MAX};
    uint64_t random = 1;

    for (unsigned round = 0; round < 2000; round++) {
        struct rpcrdma_talk *t = talk_new();

        for (unsigned i = 0; i < 20; i++) {
            uint8_t octets[512];
            size_t n = octets_of(seeds[(random >> 20) % ARRAY_LENGTH(seeds)], octets, sizeof octets - 4);
            uint8_t *exact;

            for (unsigned k = 0; k < 3; k++) {
                size_t at;

                random = random * 6364136223846793005u + 1442695040888963407u;
                at = (random >> 33) % (n / 4 + 1) * 4;
                if ((random >> 60) < 4 && n >= 4)
                    n = at; /* cut off */
                else if ((random >> 60) < 8 && at + 4 <= n)
                    n -= 4, memmove(octets + at, octets + at + 4, n - at);
                else if (at + 4 <= n)
                    put_be32(octets + at, words[(random >> 50) % ARRAY_LENGTH(words)]);
            }
            exact = malloc(n + 1);
            assert_non_null(exact);
            memcpy(exact + 1, octets, n); /* so that reading after it does not go unnoticed */
            talk_send_octets(t, random >> 59 & 1, exact + 1, n);
            free(exact);
        }
        talk_finish(t);
        talk_free(t);
    }
}

static void count(void *ctx, const struct rpcrdma_message *message)
{
    (*(unsigned *)ctx)++;
}

/* The first segment had L = 1 and was taken for the whole: what comes after it is not a message of its own. */
static void test_last_twice_in_a_send(void **state)
{
    struct rpcrdma_talk *t = talk_new();
    struct rpcrdma_plan plan = talk_plan(t, C, 0x20);
    struct rdmap_operation op = {.number = ++t->operations, .kind = RDMAP_OP_SEND, .side = C, .msn = t->msn[C]};
    struct rdmap_segment_event part = {.message = t->messages[C]++};
    struct ddp_segment ddp = {.last = true, .opcode = RDMAP_SEND, .qn = DDP_QN_SEND, .msn = t->msn[C]++};
    unsigned messages = 0;
    uint8_t rpc[64];
    size_t n = talk_put_message(t, &plan, rpc, talk_rpc_call(rpc, sizeof rpc, 0x20, TALK_NFS, 3, 0, NULL, 0));

    t->watch = (struct rpcrdma_events){.ctx = &messages, .message = count};
    talk_part(t, C, ddp, &op, t->send, n, &part);
    assert_int_equal(messages, 1);
    assert_true(rpcrdma_whole(t->rpcrdma));
    ddp.mo = (uint32_t)n;
    talk_part(t, C, ddp, &op, t->send, n, &part);
    assert_int_equal(messages, 1);
    assert_false(rpcrdma_whole(t->rpcrdma));
    talk_finish(t);
    assert_int_equal(t->seen.n, 0);
    talk_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_mistake_is_distinguished),
        cmocka_unit_test(test_sound_headers),
        cmocka_unit_test(test_old_profile),
        cmocka_unit_test(test_each_error),
        cmocka_unit_test(test_err_chunk_of_20_octets),
        cmocka_unit_test(test_err_vers),
        cmocka_unit_test(test_requesters_send_none),
        cmocka_unit_test(test_a_reply_after_an_error),
        cmocka_unit_test(test_an_error_without_reason),
        cmocka_unit_test(test_holes_leave_it_open),
        cmocka_unit_test(test_the_right_reply_comes_after_it),
        cmocka_unit_test(test_last_twice_in_a_send),
        cmocka_unit_test(test_at_random),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
