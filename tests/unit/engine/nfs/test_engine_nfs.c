// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/support/nfs_messages.h"
#include "tests/unit/support/rpcrdma_talk.h"

enum { NFS4_CALLBACK = 0x40000000, ACL = 1u << 12 };

/* ---- Calls and Replies of NFS ---- */

static uint32_t say(struct rpcrdma_talk *t, unsigned side, struct rpcrdma_plan plan, uint32_t version,
                    uint32_t procedure, const struct nfs_text *arguments)
{
    return talk_call_with(t, side, &plan, side == C ? NFS_PROGRAM : NFS4_CALLBACK, side == C ? version : 1, procedure,
                          arguments->p, arguments->n);
}

static uint32_t answer(struct rpcrdma_talk *t, unsigned side, uint32_t xid, const struct nfs_text *results)
{
    struct rpcrdma_plan plan = talk_plan(t, side, xid);

    return talk_reply_with(t, side, &plan, results->p, results->n);
}

/* A COMPOUND whose operations `more` gives, and its answer: each operation succeeded without results. */
static uint32_t talk_compound(struct rpcrdma_talk *t, uint32_t xid, const struct nfs_text *arguments)
{
    return say(t, C, talk_plan(t, C, xid), 4, 1, arguments);
}

static void putfh(struct nfs_text *t)
{
    text_put(t, NFS_OP_PUTFH);
    text_item(t, 28);
}

static void getattr(struct nfs_text *t, uint32_t mask)
{
    text_put(t, NFS_OP_GETATTR, 1, mask);
}

static void channel(struct nfs_text *t, uint32_t request, uint32_t response)
{
    text_put(t, 0, request, response, 0, 8, 16, 0);
}

/* CREATE_SESSION; text_words() gives the id, the same that text_sequence() uses. */
static void create_session(struct rpcrdma_talk *t, uint32_t xid, uint32_t flags, uint32_t fore_response,
                           uint32_t back_request, uint32_t back_response)
{
    struct nfs_text call = {0}, reply = {0};

    text_compound(&call, 1, 1);
    text_put(&call, NFS_OP_CREATE_SESSION);
    text_words(&call, 3);
    text_put(&call, flags);
    channel(&call, 1049620, 1049480);
    channel(&call, back_request, 4096);
    text_put(&call, NFS4_CALLBACK, 0);
    talk_compound(t, xid, &call);
    text_compounded(&reply, 0, 1);
    text_put(&reply, NFS_OP_CREATE_SESSION, 0);
    text_words(&reply, 4);
    text_put(&reply, 1, flags);
    channel(&reply, 1049620, fore_response);
    channel(&reply, back_request, back_response);
    answer(t, S, xid, &reply);
}

static void session(struct rpcrdma_talk *t)
{
    create_session(t, 0x50, 2, 1049480, 4096, 4096);
}

static struct nfs_text callback(void)
{
    struct nfs_text t = {0};

    text_put(&t, 0, 1, 1, 2, 11); /* CB_SEQUENCE */
    text_words(&t, 4);
    text_put(&t, 1, 0, 0, 0, 0, 4); /* CB_RECALL */
    text_words(&t, 4);
    text_put(&t, 0);
    text_item(&t, 28);
    return t;
}

static struct rpcrdma_plan with_reply_chunk(struct rpcrdma_plan plan, struct rpcrdma_write_plan *chunk,
                                            struct rpcrdma_segment *segment, uint32_t length)
{
    *segment = (struct rpcrdma_segment){.handle = 0x33, .length = length, .offset = 0x1000};
    *chunk = (struct rpcrdma_write_plan){segment, 1};
    plan.reply = chunk;
    return plan;
}

/* ---- sizes ---- */

static struct nfs_text readdir3(uint32_t count)
{
    struct nfs_text t = {0};

    text_item(&t, 28);
    text_words(&t, 4);
    text_put(&t, count);
    return t;
}

static void test_readdir_without_chunk(void **state)
{
    struct rpcrdma_talk *t = talk_new();
    struct nfs_text call = readdir3(8192);
    uint32_t frame;

    frame = say(t, C, talk_plan(t, C, 0x10), 3, 16, &call);
    talk_expect(t, RULE_RPCR_4_3_3_01, SEVERITY_ERROR, frame);
}

/* The count fits, but not with the 56 octets of Transport header, RPC header and status around it. */
static void test_readdir_at_the_edge(void **state)
{
    struct rpcrdma_talk *t = talk_new();
    struct nfs_text call = readdir3(4096 - 56);
    uint32_t frame;

    say(t, C, talk_plan(t, C, 0x10), 3, 16, &call);
    findings_passed(&t->seen, RULE_RPCR_4_3_3_01);
    talk_expect_nothing(t);
    t = talk_new();
    call = readdir3(4096 - 55);
    frame = say(t, C, talk_plan(t, C, 0x10), 3, 16, &call);
    talk_expect(t, RULE_RPCR_4_3_3_01, SEVERITY_ERROR, frame);
}

static void test_readdir_with_chunk(void **state)
{
    struct rpcrdma_talk *t = talk_new();
    struct nfs_text call = readdir3(8192);
    struct rpcrdma_write_plan chunk;
    struct rpcrdma_segment segment;
    uint32_t frame;

    say(t, C, with_reply_chunk(talk_plan(t, C, 0x10), &chunk, &segment, 8300), 3, 16, &call);
    findings_passed(&t->seen, RULE_RPCR_4_3_3_01, RULE_RPCR_3_5_3_07);
    talk_expect_nothing(t);
    t = talk_new();
    frame = say(t, C, with_reply_chunk(talk_plan(t, C, 0x10), &chunk, &segment, 8000), 3, 16, &call);
    talk_expect(t, RULE_RPCR_3_5_3_07, SEVERITY_ERROR, frame);
}

/* Without startup frames no threshold is known, unless the user tells one. */
static void test_unknown_threshold(void **state)
{
    struct rpcrdma_options options = {.profile = PROFILE_IETF};
    struct rpcrdma_talk *t = talk_new_bare(&options);
    struct nfs_text call = readdir3(8192);
    uint32_t frame;

    talk_midstream(t);
    talk_greet(t);
    say(t, C, talk_plan(t, C, 0x10), 3, 16, &call);
    findings_inconclusive(&t->seen, RULE_RPCR_4_3_3_01);
    talk_expect_nothing(t);
    options.assume_inline = 4096;
    t = talk_new_bare(&options);
    talk_midstream(t);
    talk_greet(t);
    frame = say(t, C, talk_plan(t, C, 0x10), 3, 16, &call);
    talk_expect(t, RULE_RPCR_4_3_3_01, SEVERITY_ERROR, frame);
}

/* A session of whose limits nothing is known may allow small Replies only. */
static void test_session_limit(void **state)
{
    struct nfs_text call = {0};
    struct rpcrdma_talk *t;
    uint32_t frame;

    text_compound(&call, 1, 3);
    text_sequence(&call, 1, 0);
    putfh(&call);
    text_put(&call, NFS_OP_READDIR);
    text_words(&call, 4);
    text_put(&call, 8192, 32768, 0);
    t = talk_new();
    talk_compound(t, 0x10, &call);
    findings_inconclusive(&t->seen, RULE_RPCR_4_3_3_01);
    talk_expect_nothing(t);
    t = talk_new();
    session(t);
    frame = talk_compound(t, 0x10, &call);
    talk_expect(t, RULE_RPCR_4_3_3_01, SEVERITY_ERROR, frame);
    t = talk_new();
    create_session(t, 0x50, 2, 2048, 4096, 4096);
    talk_compound(t, 0x10, &call);
    findings_passed(&t->seen, RULE_RPCR_4_3_3_01);
    talk_expect_nothing(t);
}

static void test_reply_above_session_limit(void **state)
{
    struct nfs_text call = {0}, reply = {0};
    struct rpcrdma_talk *t = talk_new();
    uint32_t frame;

    text_compound(&call, 1, 3);
    text_sequence(&call, 1, 0);
    putfh(&call);
    getattr(&call, 1);
    text_compounded(&reply, 0, 3);
    text_sequenced(&reply);
    text_put(&reply, NFS_OP_PUTFH, 0, NFS_OP_GETATTR, 0, 0);
    text_item(&reply, 1000);
    create_session(t, 0x50, 2, 1000, 4096, 4096);
    talk_compound(t, 0x10, &call);
    frame = answer(t, S, 0x10, &reply);
    talk_expect(t, RULE_NFSULB_6_2_2_01, SEVERITY_NOTE, frame);
    /* Made on another connection, perhaps: */
    t = talk_new();
    talk_compound(t, 0x10, &call);
    answer(t, S, 0x10, &reply);
    findings_inconclusive(&t->seen, RULE_NFSULB_6_2_2_01);
    talk_expect_nothing(t);
}

/* ---- COMPOUNDs ---- */

static void test_getattr_companions(void **state)
{
    static const struct {
        uint32_t minor, op, mask;
        enum rule_id rule;
    } cases[] = {
        {0, NFS_OP_REMOVE, ACL, RULE_NFSULB_6_2_1_02},
        {0, 15 /* LOOKUP */, ACL, RULE_NFSULB_6_2_1_03},
        {0, NFS_OP_REMOVE, 0x1a, RULE_COUNT},
        {1, NFS_OP_REMOVE, ACL, RULE_COUNT},
        {0, 0, ACL, RULE_COUNT},
    };

    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct nfs_text call = {0};
        struct rpcrdma_talk *t = talk_new();
        uint32_t frame;

        text_compound(&call, cases[i].minor, cases[i].op ? 3 : 2);
        putfh(&call);
        if (cases[i].op) {
            text_put(&call, cases[i].op);
            text_item(&call, 5);
        }
        getattr(&call, cases[i].mask);
        frame = talk_compound(t, 0x10, &call);
        if (cases[i].rule == RULE_COUNT)
            talk_expect_nothing(t);
        else
            talk_expect(t, cases[i].rule, rule_catalogue[cases[i].rule].severity, frame);
    }
}

static void test_port(void **state)
{
    struct nfs_text call = {0};
    struct rpcrdma_talk *t = talk_new();
    uint32_t frame;

    text_compound(&call, 0, 1);
    text_put(&call, NFS_OP_PUTROOTFH);
    nfs_connection_ports(t->nfs, 45678, 2050);
    frame = talk_compound(t, 0x10, &call);
    talk_compound(t, 0x11, &call);
    talk_expect(t, RULE_NFSULB_6_3_01, SEVERITY_ERROR, frame);
    t = talk_new();
    talk_compound(t, 0x10, &call);
    findings_passed(&t->seen, RULE_NFSULB_6_3_01);
    talk_expect_nothing(t);
    /* Other versions may use any. */
    t = talk_new();
    nfs_connection_ports(t->nfs, 45678, 2050);
    talk_call(t, C, 0x10);
    talk_expect_nothing(t);
}

static void setclientid(struct nfs_text *t, const char *netid, const char *address)
{
    text_compound(t, 0, 1);
    text_put(t, NFS_OP_SETCLIENTID);
    text_words(t, 2);
    text_item(t, 24);
    text_put(t, NFS4_CALLBACK);
    text_item(t, (uint32_t)strlen(netid));
    memcpy(t->p + t->n - xdr_padded(strlen(netid)), netid, strlen(netid));
    text_item(t, (uint32_t)strlen(address));
    memcpy(t->p + t->n - xdr_padded(strlen(address)), address, strlen(address));
    text_put(t, 1);
}

static void test_netid(void **state)
{
    static const struct {
        const char *netid, *address;
        bool fails;
    } cases[] = {{"rdma", "192.0.2.1.78.81", false},
                 {"rdma6", "fe80::1.78.81", false},
                 {"rdma", "fe80::1.78.81", true},
                 {"rdma6", "192.0.2.1.78.81", true},
                 {"tcp", "fe80::1.78.81", false}};

    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct nfs_text call = {0};
        struct rpcrdma_talk *t = talk_new();
        uint32_t frame;

        setclientid(&call, cases[i].netid, cases[i].address);
        frame = talk_compound(t, 0x10, &call);
        if (cases[i].fails)
            talk_expect(t, RULE_RPCR_9_01, SEVERITY_NOTE, frame);
        else
            talk_expect_nothing(t);
    }
}

/* ---- the backchannel ---- */

static void exchange_id(struct rpcrdma_talk *t, uint32_t xid)
{
    struct nfs_text call = {0};

    text_compound(&call, 1, 1);
    text_put(&call, NFS_OP_EXCHANGE_ID);
    text_words(&call, 2);
    text_item(&call, 20);
    text_put(&call, 0, 0, 0);
    talk_compound(t, xid, &call);
}

static void test_backchannel(void **state)
{
    struct nfs_text cb = callback();
    struct rpcrdma_talk *t = talk_new();

    session(t);
    say(t, S, talk_plan(t, S, 0x900), 1, 1, &cb);
    findings_passed(&t->seen, RULE_BIDI_6_01, RULE_BIDI_6_02, RULE_BIDI_3_2_02, RULE_NFSULB_6_5_2_06);
    talk_expect_nothing(t);
}

static void test_backchannel_too_early(void **state)
{
    struct nfs_text cb = callback();
    struct rpcrdma_talk *t = talk_new();
    uint32_t frame;

    frame = say(t, S, talk_plan(t, S, 0x900), 1, 1, &cb);
    talk_expect(t, RULE_BIDI_6_01, SEVERITY_WARNING, frame);
    t = talk_new();
    exchange_id(t, 0x10);
    frame = say(t, S, talk_plan(t, S, 0x900), 1, 1, &cb);
    talk_expect(t, RULE_BIDI_6_02, SEVERITY_ERROR, frame);
    t = talk_new();
    create_session(t, 0x50, 0, 4096, 4096, 4096);
    frame = say(t, S, talk_plan(t, S, 0x900), 1, 1, &cb);
    talk_expect(t, RULE_BIDI_3_2_02, SEVERITY_ERROR, frame);
}

/* The client asked for it: it has to be ready, whatever the server says later (RFC 8167 section 6). */
static void test_backchannel_before_the_reply(void **state)
{
    struct nfs_text cb = callback(), call = {0};
    struct rpcrdma_talk *t = talk_new();

    text_compound(&call, 1, 1);
    text_put(&call, NFS_OP_BIND_CONN_TO_SESSION);
    text_words(&call, 4);
    text_put(&call, 7, 0);
    talk_compound(t, 0x10, &call);
    say(t, S, talk_plan(t, S, 0x900), 1, 1, &cb);
    findings_passed(&t->seen, RULE_BIDI_6_02);
    talk_expect_nothing(t);
}

/* What lies in a hole, or before the capture, may have been the permission. */
static void test_backchannel_with_a_hole(void **state)
{
    struct rpcrdma_options options = {.profile = PROFILE_IETF};
    struct nfs_text cb = callback();
    struct rpcrdma_talk *t = talk_new();

    exchange_id(t, 0x10);
    talk_hole(t, C);
    say(t, S, talk_plan(t, S, 0x900), 1, 1, &cb);
    findings_inconclusive(&t->seen, RULE_BIDI_6_02);
    talk_expect_nothing(t);
    t = talk_new_bare(&options);
    talk_midstream(t);
    talk_greet(t);
    say(t, S, talk_plan(t, S, 0x900), 1, 1, &cb);
    findings_inconclusive(&t->seen, RULE_BIDI_6_01);
    talk_expect_nothing(t);
}

/* The whole session is set up under privacy: nothing of it is seen. */
static void test_backchannel_of_an_unknown_session(void **state)
{
    struct nfs_text cb = callback(), call = {0};
    struct rpcrdma_talk *t = talk_new();

    text_compound(&call, 2, 1);
    text_put(&call, 999);
    talk_compound(t, 0x10, &call);
    say(t, S, talk_plan(t, S, 0x900), 1, 1, &cb);
    findings_inconclusive(&t->seen, RULE_BIDI_6_02);
    talk_expect_nothing(t);
}

static void test_long_callback(void **state)
{
    static const struct {
        uint32_t request;
        bool fails;
    } cases[] = {{4096, true}, {4097, false}, {65536, false}};
    struct nfs_text cb = callback();

    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct rpcrdma_talk *t = talk_new();
        struct rpcrdma_write_plan chunk;
        struct rpcrdma_segment segment;
        uint32_t frame;

        create_session(t, 0x50, 2, 4096, cases[i].request, 4096);
        frame = say(t, S, with_reply_chunk(talk_plan(t, S, 0x900), &chunk, &segment, 8192), 1, 1, &cb);
        if (cases[i].fails)
            talk_expect(t, RULE_NFSULB_6_5_2_06, SEVERITY_ERROR, frame);
        else
            talk_expect_nothing(t);
    }
}

/* ---- retries ---- */

static struct nfs_text getacl(void)
{
    struct nfs_text t = {0};

    text_item(&t, 28);
    text_put(&t, 0xf);
    return t;
}

static uint32_t say_getacl(struct rpcrdma_talk *t, uint32_t xid, uint32_t room)
{
    struct nfs_text call = getacl();
    struct rpcrdma_write_plan chunk;
    struct rpcrdma_segment segment;
    struct rpcrdma_plan plan = with_reply_chunk(talk_plan(t, C, xid), &chunk, &segment, room);

    return talk_call_with(t, C, &plan, NFS_PROGRAM_ACL, 3, 1, call.p, call.n);
}

static void test_retry(void **state)
{
    struct rpcrdma_talk *t = talk_new();
    uint32_t frame;

    say_getacl(t, 0x10, 100);
    talk_error(t, S, 0x10, RPCRDMA_ERR_CHUNK);
    say_getacl(t, 0x11, 10000);
    findings_passed(&t->seen, RULE_NFSULB_3_1_03, RULE_NFSULB_3_1_04, RULE_NFSULB_3_1_05);
    assert_int_equal(t->seen.counts.failed[RULE_NFSULB_3_1_03], 0);
    talk_free(t);
    t = talk_new();
    say_getacl(t, 0x10, 100);
    talk_error(t, S, 0x10, RPCRDMA_ERR_CHUNK);
    frame = say_getacl(t, 0x10, 10000);
    talk_finish(t);
    assert_int_equal(t->seen.counts.failed[RULE_NFSULB_3_1_03], 1);
    assert_int_equal(t->seen.finding[t->seen.n - 1].place.frame, frame);
    talk_free(t);
}

static void test_endless_retry(void **state)
{
    struct rpcrdma_talk *t = talk_new();

    for (uint32_t i = 0; i < 10; i++) {
        assert_int_equal(t->seen.counts.failed[RULE_NFSULB_3_1_04], i > 6);
        say_getacl(t, 0x10 + i, 100);
        talk_error(t, S, 0x10 + i, RPCRDMA_ERR_CHUNK);
    }
    talk_finish(t);
    assert_int_equal(t->seen.counts.failed[RULE_NFSULB_3_1_04], 1);
    talk_free(t);
}

/* In a session each request differs by its SEQUENCE; what follows it tells a retry. */
static void test_retry_in_session(void **state)
{
    struct rpcrdma_talk *t = talk_new();
    uint32_t xid = 0x10;

    session(t);
    for (unsigned i = 0; i < 2; i++, xid++) {
        struct nfs_text call = {0};
        struct rpcrdma_write_plan chunk;
        struct rpcrdma_segment segment;

        text_compound(&call, 1, 3);
        text_sequence(&call, 1 + i, 0);
        putfh(&call);
        getattr(&call, ACL);
        say(t, C, with_reply_chunk(talk_plan(t, C, xid), &chunk, &segment, 200 + 8000 * i), 4, 1, &call);
        if (i == 0)
            talk_error(t, S, xid, RPCRDMA_ERR_CHUNK);
    }
    talk_finish(t);
    assert_int_equal(t->seen.counts.failed[RULE_NFSULB_3_1_05], 1);
    talk_free(t);
}

static void test_repeated(void **state)
{
    struct nfs_text call = {0};
    struct rpcrdma_talk *t = talk_new();
    uint32_t frame;

    text_compound(&call, 0, 2);
    putfh(&call);
    getattr(&call, 1);
    talk_compound(t, 0x10, &call);
    frame = talk_compound(t, 0x10, &call);
    talk_expect(t, RULE_NFSULB_6_7_2_03, SEVERITY_ERROR, frame);
    t = talk_new();
    talk_compound(t, 0x10, &call);
    talk_hole(t, S);
    talk_compound(t, 0x10, &call);
    findings_inconclusive(&t->seen, RULE_NFSULB_6_7_2_03);
    talk_expect_nothing(t);
    t = talk_new();
    talk_call(t, C, 0x10);
    frame = talk_call(t, C, 0x10);
    talk_expect(t, RULE_NFSULB_6_7_2_03, SEVERITY_NOTE, frame);
}

static void test_all_credits(void **state)
{
    struct nfs_text call = {0};
    struct rpcrdma_talk *t = talk_new();
    uint32_t frame = 0;

    text_compound(&call, 0, 2);
    putfh(&call);
    getattr(&call, 1);
    for (uint32_t i = 0; i < 32; i++)
        frame = talk_compound(t, 0x10 + i, &call);
    findings_passed(&t->seen, RULE_NFSULB_6_7_2_01);
    talk_expect(t, RULE_NFSULB_6_7_2_01, SEVERITY_WARNING, frame);
    t = talk_new();
    talk_call(t, C, 0x9);
    for (uint32_t i = 0; i < 31; i++)
        talk_compound(t, 0x10 + i, &call);
    talk_expect_nothing(t);
}

/* ---- what every server takes ---- */

/* GARBAGE_ARGS, its Write chunk returned unused. */
static uint32_t garbage_args(struct rpcrdma_talk *t, uint32_t xid, struct rpcrdma_segment segment)
{
    struct rpcrdma_plan plan = talk_plan(t, S, xid);
    struct rpcrdma_write_plan chunk = {&segment, 1};

    segment.length = 0;
    plan.writes = &chunk;
    plan.n_writes = 1;
    return talk_message(t, S, &plan, t->rpc, talk_rpc_reply(t->rpc, sizeof t->rpc, xid, RPC_GARBAGE_ARGS, NULL, 0));
}

static void refused(uint32_t op, bool negotiated, bool garbage, enum rule_id failed)
{
    struct rpcrdma_options options = {.profile = PROFILE_IETF};
    struct rpcrdma_segment segment = {.handle = 0x33, .length = 8192, .offset = 0x1000};
    struct rpcrdma_write_plan chunk = {&segment, 1};
    struct nfs_text call = {0};
    struct rpcrdma_talk *t = negotiated ? talk_new() : talk_new_bare(&options);
    struct rpcrdma_plan plan;
    uint32_t frame;

    if (!negotiated) {
        talk_midstream(t);
        talk_greet(t);
    }
    text_compound(&call, 0, 2);
    putfh(&call);
    text_put(&call, op);
    if (op == NFS_OP_READ) {
        text_words(&call, 6);
        text_put(&call, 8192);
    }
    plan = talk_plan(t, C, 0x10);
    plan.writes = &chunk;
    plan.n_writes = 1;
    t->seen.keeps = NULL;
    say(t, C, plan, 4, 1, &call);
    frame = garbage ? garbage_args(t, 0x10, segment) : talk_error(t, S, 0x10, RPCRDMA_ERR_CHUNK);
    if (failed != RULE_COUNT) {
        talk_expect(t, failed, SEVERITY_ERROR, frame);
        return;
    }
    assert_int_equal(t->seen.counts.inconclusive[RULE_NFSULB_6_4_2_05], 1);
    talk_expect_nothing(t);
}

/* A link, or a Reply where the threshold is not known, may just be too long. */
static void test_refused_within_limits(void **state)
{
    refused(NFS_OP_READ, true, false, RULE_NFSULB_6_4_2_05);
    refused(NFS_OP_READ, false, false, RULE_COUNT);
    refused(NFS_OP_READLINK, true, false, RULE_COUNT);
    refused(NFS_OP_READLINK, true, true, RULE_NFSULB_6_4_2_05); /* that is not about its length */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_readdir_without_chunk),
        cmocka_unit_test(test_readdir_at_the_edge),
        cmocka_unit_test(test_readdir_with_chunk),
        cmocka_unit_test(test_unknown_threshold),
        cmocka_unit_test(test_session_limit),
        cmocka_unit_test(test_reply_above_session_limit),
        cmocka_unit_test(test_getattr_companions),
        cmocka_unit_test(test_port),
        cmocka_unit_test(test_netid),
        cmocka_unit_test(test_backchannel),
        cmocka_unit_test(test_backchannel_too_early),
        cmocka_unit_test(test_backchannel_before_the_reply),
        cmocka_unit_test(test_backchannel_with_a_hole),
        cmocka_unit_test(test_backchannel_of_an_unknown_session),
        cmocka_unit_test(test_long_callback),
        cmocka_unit_test(test_retry),
        cmocka_unit_test(test_endless_retry),
        cmocka_unit_test(test_retry_in_session),
        cmocka_unit_test(test_repeated),
        cmocka_unit_test(test_all_credits),
        cmocka_unit_test(test_refused_within_limits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
