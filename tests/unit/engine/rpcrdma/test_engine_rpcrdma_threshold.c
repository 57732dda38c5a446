// SPDX-License-Identifier: GPL-2.0-or-later
/* Blocks of RFC 8797, lengths of Sends, remote invalidation, the configuration protocol of RFC 5666. */
#include "tests/unit/support/rpcrdma_talk.h"

static const struct rpcrdma_options ietf = {.profile = PROFILE_IETF};
static const struct rpcrdma_options old = {.profile = PROFILE_RFC5666};

/* Startup frames with sizes in octets; 0: no block. The first Call is answered. */
static struct rpcrdma_talk *told(const struct rpcrdma_options *options, uint32_t client_send, uint32_t client_receive,
                                 uint32_t server_send, uint32_t server_receive)
{
    struct rpcrdma_talk *t = talk_new_bare(options);

    if (client_send > 0)
        talk_startup(t, C, true, client_send, client_receive);
    else
        talk_startup_octets(t, C, NULL, 0);
    if (server_send > 0)
        talk_startup(t, S, true, server_send, server_receive);
    else
        talk_startup_octets(t, S, NULL, 0);
    talk_greet(t);
    return t;
}

/* A Call or Reply whose Send has n octets in all. Arguments are those of no known program. */
static uint32_t call_long(struct rpcrdma_talk *t, unsigned side, uint32_t xid, uint32_t n)
{
    struct rpcrdma_plan plan = talk_plan(t, side, xid);
    static const uint8_t zeros[300 * 1024];

    return talk_call_with(t, side, &plan, 400000, 1, 1, zeros, n - RPCRDMA_HEADER_MIN - RPC_CALL_MIN);
}

static uint32_t reply_long(struct rpcrdma_talk *t, unsigned side, uint32_t xid, uint32_t n)
{
    struct rpcrdma_plan plan = talk_plan(t, side, xid);
    static const uint8_t zeros[300 * 1024];

    return talk_reply_with(t, side, &plan, zeros, n - RPCRDMA_HEADER_MIN - 24);
}

/* ---- lengths ---- */

static void test_at_the_threshold(void **state)
{
    struct rpcrdma_talk *t = told(&ietf, 4096, 2048, 8192, 3072);

    t->segment = 1000; /* what counts is the message, not its segments */
    call_long(t, C, 0x10, 3072);
    reply_long(t, S, 0x10, 2048);
    findings_passed(&t->seen, RULE_CMPD_4_2_04, RULE_CMPD_4_2_05, RULE_CMPD_4_11, RULE_RPCR_3_3_2_01, RULE_CMPD_4_05,
                    RULE_CMPD_4_06, RULE_CMPD_4_07, RULE_CMPD_4_08);
    talk_expect_nothing(t);
}

static void test_call_above_the_threshold(void **state)
{
    struct rpcrdma_talk *t = told(&ietf, 8192, 4096, 4096, 4096);
    uint32_t frame;

    t->segment = 1000;
    frame = call_long(t, C, 0x10, 4100);
    talk_expect(t, RULE_CMPD_4_2_04, SEVERITY_ERROR, frame);
}

static void test_reply_above_the_threshold(void **state)
{
    struct rpcrdma_talk *t = told(&ietf, 4096, 4096, 16384, 4096);
    uint32_t frame;

    call_long(t, C, 0x10, 100);
    frame = reply_long(t, S, 0x10, 8192);
    talk_expect(t, RULE_CMPD_4_2_05, SEVERITY_ERROR, frame);
}

static void test_above_the_own_send_size(void **state)
{
    struct rpcrdma_talk *t = told(&ietf, 1024, 4096, 4096, 4096);
    uint32_t frame = call_long(t, C, 0x10, 2000);

    talk_expect(t, RULE_CMPD_4_11, SEVERITY_ERROR, frame);
}

static void test_largest_sizes(void **state)
{
    struct rpcrdma_talk *t = told(&ietf, RPCRDMA_PD_SIZE_MAX, 1024, 1024, RPCRDMA_PD_SIZE_MAX);

    call_long(t, C, 0x10, RPCRDMA_PD_SIZE_MAX);
    talk_expect_nothing(t);
}

static void test_nobody_announced(void **state)
{
    struct rpcrdma_talk *t = told(&ietf, 0, 0, 0, 0);
    uint32_t frame;

    call_long(t, C, 0x10, 1024);
    reply_long(t, S, 0x10, 1024);
    frame = call_long(t, C, 0x11, 2048);
    talk_reply(t, S, 0x11);
    call_long(t, C, 0x12, 2048); /* once is enough */
    findings_passed(&t->seen, RULE_RPCR_3_3_3_08);
    talk_expect(t, RULE_RPCR_3_3_3_08, SEVERITY_WARNING, frame);
}

static void test_peer_announced_nothing(void **state)
{
    struct rpcrdma_talk *t = told(&ietf, 0, 0, 4096, 4096);
    uint32_t frame;

    call_long(t, C, 0x10, 100);
    reply_long(t, S, 0x10, 1024);
    call_long(t, C, 0x11, 100);
    frame = reply_long(t, S, 0x11, 4096);
    findings_passed(&t->seen, RULE_CMPD_5_1_01);
    talk_expect(t, RULE_CMPD_5_1_01, SEVERITY_ERROR, frame);
}

static void test_above_what_the_peer_receives(void **state)
{
    struct rpcrdma_talk *t = told(&ietf, 0, 0, 4096, 4096);
    uint32_t frame = call_long(t, C, 0x10, 5000);

    talk_expect(t, RULE_RPCR_3_3_2_01, SEVERITY_ERROR, frame);
}

static void test_midstream(void **state)
{
    struct rpcrdma_talk *t = talk_new_bare(&ietf);

    talk_midstream(t);
    call_long(t, C, 0x10, 5000);
    findings_inconclusive(&t->seen, RULE_RPCR_3_3_2_01);
    talk_expect_nothing(t);
}

static void test_assumed(void **state)
{
    const struct rpcrdma_options options = {.profile = PROFILE_IETF, .assume_inline = 4096};
    struct rpcrdma_talk *t = talk_new_bare(&options);
    uint32_t frame;

    talk_midstream(t);
    call_long(t, C, 0x10, 4096);
    talk_reply(t, S, 0x10);
    frame = call_long(t, C, 0x11, 4100);
    talk_expect(t, RULE_RPCR_3_3_2_01, SEVERITY_ERROR, frame);
}

static void test_reverse_call_above_the_threshold(void **state)
{
    struct rpcrdma_talk *t = talk_new();
    uint32_t frame = call_long(t, S, 0x10, 5000);

    talk_expect(t, RULE_BIDI_4_2_01, SEVERITY_ERROR, frame);
}

static void test_reverse_call_at_the_threshold(void **state)
{
    struct rpcrdma_talk *t = talk_new();

    call_long(t, S, 0x10, 4096);
    reply_long(t, C, 0x10, 4096);
    findings_passed(&t->seen, RULE_BIDI_4_2_01);
    talk_expect_nothing(t);
}

static void test_reply_chunk_left_alone(void **state)
{
    static const struct rpcrdma_segment segment = {0x77, 32768, 0}, returned = {0x77, 0, 0};
    static const struct rpcrdma_write_plan chunk = {&segment, 1}, unused = {&returned, 1};
    static const uint8_t zeros[5000];
    struct rpcrdma_talk *t = talk_new();
    struct rpcrdma_plan plan = talk_plan(t, C, 0x10);
    uint32_t frame;

    plan.reply = &chunk;
    talk_call_with(t, C, &plan, 400000, 1, 1, NULL, 0);
    plan.reply = &unused;
    frame = talk_reply_with(t, S, &plan, zeros, sizeof zeros);
    talk_expect(t, RULE_RPCR_3_5_3_11, SEVERITY_ERROR, frame);
}

static void test_old_has_no_default(void **state)
{
    struct rpcrdma_talk *t = told(&old, 0, 0, 0, 0);

    call_long(t, C, 0x10, 3000);
    talk_expect_nothing(t);
}

/* ---- blocks ---- */

static void expect_block(const char *hex, enum rule_id rule, enum rule_severity severity)
{
    struct rpcrdma_talk *t = talk_new_bare(&ietf);
    uint8_t octets[64];
    size_t n = octets_of(hex, octets, sizeof octets);
    uint32_t frame = talk_startup_octets(t, C, octets, n);

    talk_startup(t, S, true, 4096, 4096);
    talk_greet(t);
    talk_expect(t, rule, severity, frame);
}

static void test_blocks(void **state)
{
    expect_block("180eabf6 01 01 03 03", RULE_CMPD_4_05, SEVERITY_ERROR);
    expect_block("f6ab0e18 00 01 03 03", RULE_CMPD_4_06, SEVERITY_ERROR);
    expect_block("f6ab0e18 02 01 03 03", RULE_CMPD_4_06, SEVERITY_NOTE);
    expect_block("f6ab0e18 01 01", RULE_CMPD_4_07, SEVERITY_ERROR);
    expect_block("f6ab0e18 01 81 03 03", RULE_CMPD_4_08, SEVERITY_ERROR);
}

/* At an odd offset, with octets of others around it. */
static void test_block_anywhere(void **state)
{
    struct rpcrdma_talk *t = talk_new_bare(&ietf);
    uint8_t octets[64];
    bool negotiated;

    talk_startup_octets(t, C, octets, octets_of("aa f6ab0e18 01 00 07 07 bbbbbb", octets, sizeof octets));
    talk_startup(t, S, false, 8192, 8192);
    assert_int_equal(rpcrdma_connection_threshold(t->rpcrdma, C, &negotiated), 8192);
    assert_true(negotiated);
    talk_greet(t);
    talk_expect_nothing(t);
}

/* An unknown version counts as no block. */
static void test_unknown_version_is_no_block(void **state)
{
    struct rpcrdma_talk *t = talk_new_bare(&ietf);
    uint8_t octets[64];

    talk_startup_octets(t, C, octets, octets_of("f6ab0e18 02 01 ff ff", octets, sizeof octets));
    talk_startup(t, S, true, 4096, 4096);
    talk_greet(t);
    call_long(t, C, 0x10, 100);
    reply_long(t, S, 0x10, 2000);
    assert_int_equal(t->seen.counts.failed[RULE_CMPD_5_1_01], 1);
    talk_free(t);
}

/* ---- remote invalidation ---- */

static void call_with_chunk(struct rpcrdma_talk *t, bool r_client, bool r_server)
{
    static const struct rpcrdma_segment segment = {0x77, 32768, 0};
    static const struct rpcrdma_write_plan chunk = {&segment, 1};
    struct rpcrdma_plan plan = talk_plan(t, C, 0x10);

    talk_startup(t, C, r_client, 4096, 4096);
    talk_startup(t, S, r_server, 4096, 4096);
    talk_greet(t);
    plan.reply = &chunk;
    talk_call_with(t, C, &plan, 400000, 1, 1, NULL, 0);
}

static uint32_t reply_invalidate(struct rpcrdma_talk *t, bool r_client, bool r_server)
{
    static const struct rpcrdma_segment returned = {0x77, 0, 0};
    static const struct rpcrdma_write_plan unused = {&returned, 1};
    struct rpcrdma_plan plan = talk_plan(t, S, 0x10);
    uint8_t rpc[64];

    call_with_chunk(t, r_client, r_server);
    plan.reply = &unused;
    return talk_message_invalidate(t, S, 0x77, &plan, rpc, talk_rpc_reply(rpc, sizeof rpc, 0x10, 0, NULL, 0));
}

static void test_invalidation(void **state)
{
    for (unsigned i = 0; i < 4; i++) {
        struct rpcrdma_talk *t = talk_new_bare(&ietf);
        uint32_t frame = reply_invalidate(t, i & 1, i & 2);

        if (i == 3) {
            findings_passed(&t->seen, RULE_CMPD_4_1_03, RULE_CMPD_4_1_04);
            talk_expect_nothing(t);
        } else {
            talk_expect(t, RULE_CMPD_4_1_03, SEVERITY_ERROR, frame);
        }
    }
}

static void test_invalidation_by_a_call(void **state)
{
    struct rpcrdma_talk *t = talk_new();
    struct rpcrdma_plan plan = talk_plan(t, C, 0x10);
    uint8_t rpc[64];
    uint32_t frame =
        talk_message_invalidate(t, C, 0x77, &plan, rpc, talk_rpc_call(rpc, sizeof rpc, 0x10, TALK_NFS, 3, 0, NULL, 0));

    talk_expect(t, RULE_CMPD_4_1_04, SEVERITY_ERROR, frame);
}

/* An RDMA_ERROR is no RPC Reply. */
static void test_invalidation_by_an_error(void **state)
{
    struct rpcrdma_talk *t = talk_new_bare(&ietf);
    struct rpcrdma_plan plan = talk_plan(t, S, 0x10);
    uint32_t frame;

    call_with_chunk(t, true, true);
    plan.proc = RPCRDMA_ERROR;
    plan.err = RPCRDMA_ERR_CHUNK;
    frame = talk_message_invalidate(t, S, 0x77, &plan, NULL, 0);
    talk_expect(t, RULE_CMPD_4_1_04, SEVERITY_NOTE, frame);
}

static void test_invalidation_unknown(void **state)
{
    struct rpcrdma_talk *t = talk_new_bare(&ietf);
    struct rpcrdma_plan plan = talk_plan(t, S, 0x10);
    uint8_t rpc[64];

    talk_midstream(t);
    talk_call(t, C, 0x10);
    talk_message_invalidate(t, S, 0x77, &plan, rpc, talk_rpc_reply(rpc, sizeof rpc, 0x10, 0, NULL, 0));
    findings_inconclusive(&t->seen, RULE_CMPD_4_1_03);
    assert_int_equal(t->seen.counts.failed[RULE_CMPD_4_1_03], 0);
    talk_free(t);
}

/* ---- the configuration protocol ---- */

enum { CCP = 100417 };

static uint32_t ccp_call(struct rpcrdma_talk *t, uint32_t flavor)
{
    const uint32_t args[] = {2048, 3072, 8};
    static const uint8_t nobody[20]; /* stamp, no name, uid, gid, no gids */
    const struct rpc_body cred = {.flavor = flavor, .p = nobody, .n = flavor == RPC_AUTH_SYS ? sizeof nobody : 0};
    struct rpc_message call = {
        .xid = 0x10, .type = RPC_CALL, .rpcvers = RPC_VERSION, .prog = CCP, .vers = 1, .proc = 1};
    struct rpcrdma_plan plan = talk_plan(t, C, 0x10);
    uint8_t rpc[128];
    struct xdr_writer w = {.p = rpc, .size = sizeof rpc};

    rpc_call_encode(&call, &cred, NULL, &w);
    for (unsigned i = 0; i < 3; i++)
        xdr_put_u32(&w, args[i]);
    return talk_message(t, C, &plan, rpc, w.at);
}

static void ccp_reply(struct rpcrdma_talk *t, uint32_t maxcall, uint32_t reads)
{
    const uint32_t words[] = {maxcall, 0, reads};
    struct rpcrdma_plan plan = talk_plan(t, S, 0x10);
    uint8_t results[sizeof words];

    talk_words(results, sizeof results, words, 3);
    talk_reply_with(t, S, &plan, results, sizeof results);
}

static void test_ccp(void **state)
{
    struct rpcrdma_talk *t = told(&old, 0, 0, 0, 0);

    ccp_call(t, RPC_AUTH_SYS);
    ccp_reply(t, 2048, 8);
    call_long(t, C, 0x11, 2048 + RPCRDMA_HEADER_MIN);
    reply_long(t, S, 0x11, 3072 + RPCRDMA_HEADER_MIN);
    findings_passed(&t->seen, RULE_RPCR0_6_2_01, RULE_RPCR0_6_2_02, RULE_RPCR0_6_2_04, RULE_RPCR0_11_02);
    talk_expect_nothing(t);
}

static void test_ccp_call_too_long(void **state)
{
    struct rpcrdma_talk *t = told(&old, 0, 0, 0, 0);
    uint32_t frame;

    ccp_call(t, RPC_AUTH_SYS);
    ccp_reply(t, 2048, 8);
    frame = call_long(t, C, 0x11, 3000);
    talk_expect(t, RULE_RPCR0_6_2_01, SEVERITY_ERROR, frame);
}

static void test_ccp_reply_too_long(void **state)
{
    struct rpcrdma_talk *t = told(&old, 0, 0, 0, 0);
    uint32_t frame;

    ccp_call(t, RPC_AUTH_SYS);
    ccp_reply(t, 2048, 8);
    call_long(t, C, 0x11, 100);
    frame = reply_long(t, S, 0x11, 4000);
    talk_expect(t, RULE_RPCR0_6_2_02, SEVERITY_ERROR, frame);
}

static void test_ccp_without_reads(void **state)
{
    static const struct rpcrdma_read_segment segment = {.position = 44, .target = {0x99, 1000, 0}};
    struct rpcrdma_talk *t = told(&old, 0, 0, 0, 0);
    struct rpcrdma_plan plan = talk_plan(t, C, 0x11);
    uint8_t word[4] = {0, 0, 0x03, 0xE8};

    ccp_call(t, RPC_AUTH_SYS);
    ccp_reply(t, 2048, 0);
    plan.reads = &segment;
    plan.n_reads = 1;
    talk_call_with(t, C, &plan, 400000, 1, 1, word, sizeof word);
    assert_int_equal(t->seen.counts.failed[RULE_RPCR0_6_2_04], 1);
    talk_free(t);
}

static void test_ccp_reads(void **state)
{
    static const struct rpcrdma_read_segment segment = {.position = 44, .target = {0x99, 9000, 0}};
    struct rpcrdma_talk *t = told(&old, 0, 0, 0, 0);
    struct rpcrdma_plan plan = talk_plan(t, C, 0x11);
    uint8_t word[4] = {0, 0, 0x23, 0x28};

    ccp_call(t, RPC_AUTH_SYS);
    ccp_reply(t, 2048, 0);
    plan.reads = &segment;
    plan.n_reads = 1;
    ccp_call(t, RPC_AUTH_SYS);
    ccp_reply(t, 2048, 1);
    talk_call_with(t, C, &plan, 400000, 1, 1, word, sizeof word);
    for (unsigned i = 0; i < 8; i++)
        talk_read_request(t, S, 0x99, i * 1000, 1000);
    assert_int_equal(t->seen.counts.failed[RULE_RPCR0_6_2_03], 0); /* the client allows 8 */
    findings_passed(&t->seen, RULE_RPCR0_6_2_03);
    talk_read_request(t, S, 0x99, 8000, 1000);
    assert_int_equal(t->seen.counts.failed[RULE_RPCR0_6_2_03], 1);
    talk_free(t);
}

static void test_ccp_without_protection(void **state)
{
    struct rpcrdma_talk *t = told(&old, 0, 0, 0, 0);
    uint32_t frame = ccp_call(t, RPC_AUTH_NONE);

    talk_expect(t, RULE_RPCR0_11_02, SEVERITY_ERROR, frame);
}

static void test_ccp_was_taken_away(void **state)
{
    struct rpcrdma_talk *t = talk_new();
    uint32_t frame = ccp_call(t, RPC_AUTH_SYS);

    talk_expect(t, RULE_EXP_7_1_1_01, SEVERITY_NOTE, frame);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_at_the_threshold),
        cmocka_unit_test(test_call_above_the_threshold),
        cmocka_unit_test(test_reply_above_the_threshold),
        cmocka_unit_test(test_above_the_own_send_size),
        cmocka_unit_test(test_largest_sizes),
        cmocka_unit_test(test_nobody_announced),
        cmocka_unit_test(test_peer_announced_nothing),
        cmocka_unit_test(test_above_what_the_peer_receives),
        cmocka_unit_test(test_midstream),
        cmocka_unit_test(test_assumed),
        cmocka_unit_test(test_reverse_call_above_the_threshold),
        cmocka_unit_test(test_reverse_call_at_the_threshold),
        cmocka_unit_test(test_reply_chunk_left_alone),
        cmocka_unit_test(test_old_has_no_default),
        cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_block_anywhere),
        cmocka_unit_test(test_unknown_version_is_no_block),
        cmocka_unit_test(test_invalidation),
        cmocka_unit_test(test_invalidation_by_a_call),
        cmocka_unit_test(test_invalidation_by_an_error),
        cmocka_unit_test(test_invalidation_unknown),
        cmocka_unit_test(test_ccp),
        cmocka_unit_test(test_ccp_call_too_long),
        cmocka_unit_test(test_ccp_reply_too_long),
        cmocka_unit_test(test_ccp_without_reads),
        cmocka_unit_test(test_ccp_reads),
        cmocka_unit_test(test_ccp_without_protection),
        cmocka_unit_test(test_ccp_was_taken_away),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
