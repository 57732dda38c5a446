// SPDX-License-Identifier: GPL-2.0-or-later
/* The payloads of Replies: what was removed from them, what they end with. */
#include "tests/unit/support/rpcrdma_talk.h"

enum {
    XID = 0x20,
    NFS3_GETATTR = 1,
    NFS3_LOOKUP = 3,
    NFS3_READ = 6,
    NFS3_READDIRPLUS = 17,
    STAG = 0x1000,
    REPLY_STAG = 0x2000,
    OP_READ_PLUS = 68,
};

struct words {
    uint8_t p[20000];
    struct xdr_writer w;
};

static struct words *fresh(void)
{
    static struct words a;

    memset(&a, 0, sizeof a);
    a.w = (struct xdr_writer){.p = a.p, .size = sizeof a.p};
    return &a;
}

static void put(struct words *a, const uint32_t *w, size_t n)
{
    for (size_t i = 0; i < n; i++)
        xdr_put_u32(&a->w, w[i]);
}

#define WORDS(a, ...) put((a), (const uint32_t[]){__VA_ARGS__}, sizeof((const uint32_t[]){__VA_ARGS__}) / 4)

static void octets(struct words *a, size_t n)
{
    assert_true(a->w.at + n <= a->w.size);
    memset(a->w.p + a->w.at, 0x5a, n);
    a->w.at += n;
}

static void zeros(struct words *a, size_t n)
{
    assert_true(a->w.at + n <= a->w.size);
    memset(a->w.p + a->w.at, 0, n);
    a->w.at += n;
}

static void handle(struct words *a)
{
    WORDS(a, 32);
    octets(a, 32);
}

/* What was asked for and offered. */
struct asked {
    uint32_t vers, proc;
    uint32_t offered[3]; /* octets of Write chunks, STag + index; 0: no more */
    uint32_t reply;      /* of the Reply chunk; 0: none */
};

static void lists(struct rpcrdma_plan *plan, const uint32_t *lengths, uint32_t reply)
{
    static struct rpcrdma_segment segments[4];
    static struct rpcrdma_write_plan writes[4];

    plan->writes = writes;
    for (plan->n_writes = 0; plan->n_writes < 3 && lengths[plan->n_writes] != UINT32_MAX; plan->n_writes++) {
        segments[plan->n_writes] = (struct rpcrdma_segment){STAG + plan->n_writes, lengths[plan->n_writes], 0};
        writes[plan->n_writes] = (struct rpcrdma_write_plan){&segments[plan->n_writes], 1};
    }
    if (reply != UINT32_MAX) {
        segments[3] = (struct rpcrdma_segment){REPLY_STAG, reply, 0};
        writes[3] = (struct rpcrdma_write_plan){&segments[3], 1};
        plan->reply = &writes[3];
    }
}

static const uint32_t no_chunks[3] = {UINT32_MAX, UINT32_MAX, UINT32_MAX};

static void call(struct rpcrdma_talk *t, uint32_t vers, uint32_t proc, const struct words *a, const uint32_t *offered,
                 uint32_t reply)
{
    struct rpcrdma_plan plan = talk_plan(t, C, XID);

    lists(&plan, offered, reply);
    talk_call_with(t, C, &plan, TALK_NFS, vers, proc, a->p, a->w.at);
}

static uint32_t answer(struct rpcrdma_talk *t, const struct words *a, const uint32_t *returned, uint32_t reply)
{
    struct rpcrdma_plan plan = talk_plan(t, S, XID);

    for (uint32_t i = 0; i < 3 && returned[i] != UINT32_MAX; i++) {
        if (returned[i] > 0)
            talk_write(t, S, STAG + i, 0, NULL, returned[i]);
    }
    lists(&plan, returned, reply);
    return talk_reply_with(t, S, &plan, a->p, a->w.at);
}

/* NFSv3 READ with one Write chunk as large as what is asked for. */
static void call_read3(struct rpcrdma_talk *t, uint32_t count)
{
    struct words *a = fresh();

    handle(a);
    WORDS(a, 0, 0, count);
    call(t, 3, NFS3_READ, a, (const uint32_t[]){count, UINT32_MAX, 0}, UINT32_MAX);
}

/* READ3res up to its data. */
static struct words *read3(uint32_t count)
{
    struct words *a = fresh();

    WORDS(a, 0, 0, count, 1, count);
    return a;
}

static void compound_call(struct rpcrdma_talk *t, uint32_t first, uint32_t second, const uint32_t *offered)
{
    struct words *a = fresh();

    if (first == OP_READ_PLUS) /* of minor version 2 */
        WORDS(a, 0, 2, 5, NFS_OP_SEQUENCE, 1, 2, 3, 4, 1, 0, 0, 0, NFS_OP_PUTFH);
    else
        WORDS(a, 0, 0, 4, NFS_OP_PUTFH);
    handle(a);
    for (unsigned i = 0; i < 2; i++) {
        uint32_t op = i == 0 ? first : second;

        if (op == OP_READ_PLUS || op == NFS_OP_READ)
            WORDS(a, op, 1, 2, 3, 4, 0, 0, 4096);
        else
            WORDS(a, op);
    }
    WORDS(a, NFS_OP_GETATTR, 1, 0x18);
    call(t, 4, 1, a, offered, UINT32_MAX);
}

static void getattr_result(struct words *a)
{
    WORDS(a, NFS_OP_GETATTR, 0, 1, 0x18, 16, 1, 2, 3, 4);
}

/* ---- conforming ---- */

static void test_reads(void **state)
{
    static const uint32_t lengths[] = {4096, 4095, 1001, 1, 0};

    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        struct rpcrdma_talk *t = talk_new();

        call_read3(t, 4096);
        answer(t, read3(lengths[i]), (const uint32_t[]){lengths[i], UINT32_MAX, 0}, UINT32_MAX);
        if (lengths[i] > 0) {
            findings_passed(&t->seen, RULE_RPCR_4_3_2_04, RULE_RPCR_3_4_4_1_01, RULE_NFSULB_4_05);
        }
        if (lengths[i] % 4 != 0)
            findings_passed(&t->seen, RULE_RPCR_3_4_4_4_02);
        findings_passed(&t->seen, RULE_RPCR_3_2_01, RULE_RPCR_6_1_06);
        talk_expect_nothing(t);
    }
}

static void test_compound(void **state)
{
    struct rpcrdma_talk *t = talk_new();
    struct words *a;

    compound_call(t, NFS_OP_READ, NFS_OP_READ, (const uint32_t[]){4096, 4096, UINT32_MAX});
    a = fresh();
    WORDS(a, 0, 0, 4, NFS_OP_PUTFH, 0, NFS_OP_READ, 0, 0, 1001, NFS_OP_READ, 0, 1, 7);
    getattr_result(a);
    answer(t, a, (const uint32_t[]){1001, 7, UINT32_MAX}, UINT32_MAX);
    findings_passed(&t->seen, RULE_RPCR_3_4_4_4_02, RULE_NFSULB_6_1_05);
    t->seen.n = 0; /* two Write chunks are more than every server takes */
    talk_expect_nothing(t);
}

/* A Long Reply has all its roundup. */
static void test_long_reply(void **state)
{
    struct rpcrdma_talk *t = talk_new();
    struct rpcrdma_plan plan = talk_plan(t, S, XID);
    struct words *a = fresh();
    uint8_t message[2048];
    size_t n;

    handle(a);
    WORDS(a, 0, 0, 8000);
    call(t, 3, NFS3_READ, a, no_chunks, 8192);
    a = read3(1001);
    octets(a, 1001);
    zeros(a, 3);
    n = talk_rpc_reply(message, sizeof message, XID, RPC_SUCCESS, a->p, a->w.at);
    talk_write(t, S, REPLY_STAG, 0, message, n);
    plan.proc = RPCRDMA_NOMSG;
    lists(&plan, no_chunks, (uint32_t)n);
    talk_message(t, S, &plan, NULL, 0);
    findings_passed(&t->seen, RULE_RPCR_3_5_3_13, RULE_RPCR_2_2_2_01);
    talk_expect_nothing(t);
}

/* ---- faults ---- */

static void test_read_faults(void **state)
{
    static const struct {
        enum rule_id rule;
        uint32_t count, returned, is_inline, zeros;
    } cases[] = {
        {RULE_RPCR_4_3_2_04, 2048, 2048, 2048, 0},   /* in the chunk and inline */
        {RULE_RPCR_4_3_2_04, 4096, 4096, 4096, 0},   /* too long as well */
        {RULE_RPCR_4_3_2_04, 1001, 1001, 1001, 3},   /* likewise with roundup */
        {RULE_RPCR_3_4_4_4_02, 1001, 1001, 0, 3},    /* roundup left inline */
        {RULE_RPCR_3_4_4_1_02, 3000, 2000, 1000, 0}, /* in two parts */
        {RULE_RPCR_3_2_01, 4096, 4096, 0, 8},        /* more after it */
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct rpcrdma_talk *t = talk_new();
        struct words *a;
        uint32_t frame;

        call_read3(t, 4096);
        a = read3(cases[i].count);
        octets(a, cases[i].is_inline);
        zeros(a, cases[i].zeros);
        frame = answer(t, a, (const uint32_t[]){cases[i].returned, UINT32_MAX, 0}, UINT32_MAX);
        talk_expect(t, cases[i].rule, SEVERITY_ERROR, frame);
    }
}

static void test_compound_faults(void **state)
{
    struct rpcrdma_talk *t;
    struct words *a;
    uint32_t frame;

    { /* roundup before the next operation */
        t = talk_new();
        compound_call(t, NFS_OP_READ, NFS_OP_PUTROOTFH, (const uint32_t[]){4096, UINT32_MAX, 0});
        a = fresh();
        WORDS(a, 0, 0, 4, NFS_OP_PUTFH, 0, NFS_OP_READ, 0, 0, 5, 0, NFS_OP_PUTROOTFH, 0);
        getattr_result(a);
        a->w.p[a->w.at] = 0;
        memmove(a->p + 39, a->p + 40, a->w.at - 40); /* three octets of roundup, not four */
        frame = answer(t, (a->w.at--, a), (const uint32_t[]){5, UINT32_MAX, 0}, UINT32_MAX);
        talk_expect(t, RULE_RPCR_3_4_4_4_02, SEVERITY_ERROR, frame);
    }
    { /* the count went with the data */
        t = talk_new();
        compound_call(t, NFS_OP_READ, NFS_OP_PUTROOTFH, (const uint32_t[]){8192, UINT32_MAX, 0});
        a = fresh();
        WORDS(a, 0, 0, 4, NFS_OP_PUTFH, 0, NFS_OP_READ, 0, 0, NFS_OP_PUTROOTFH, 0);
        getattr_result(a);
        frame = answer(t, a, (const uint32_t[]){4100, UINT32_MAX, 0}, UINT32_MAX);
        talk_expect(t, RULE_RPCR_3_4_4_1_01, SEVERITY_ERROR, frame);
    }
    { /* READ_PLUS looks like READ, and is not eligible */
        t = talk_new();
        compound_call(t, OP_READ_PLUS, NFS_OP_READ, (const uint32_t[]){4096, UINT32_MAX, 0});
        a = fresh();
        WORDS(a, 0, 0, 5, NFS_OP_SEQUENCE, 0, 1, 2, 3, 4, 1, 0, 0, 0, 0);
        WORDS(a, NFS_OP_PUTFH, 0, OP_READ_PLUS, 0, 0, 1, 0, 0, 0, 2000, NFS_OP_READ, 0, 1, 0);
        getattr_result(a);
        frame = answer(t, a, (const uint32_t[]){2000, UINT32_MAX, 0}, UINT32_MAX);
        talk_expect(t, RULE_NFSULB_6_1_05, SEVERITY_ERROR, frame);
    }
}

/* A Write list for results of which none is eligible is the client's error, its use the server's. */
static void test_not_eligible(void **state)
{
    struct rpcrdma_talk *t = talk_new();
    struct words *a = fresh();
    uint32_t frame;

    handle(a);
    WORDS(a, 0, 0, 0, 0, 512, 4096);
    call(t, 3, NFS3_READDIRPLUS, a, (const uint32_t[]){4096, UINT32_MAX, 0}, UINT32_MAX);
    assert_int_equal(t->seen.n, 1);
    assert_int_equal(t->seen.finding[0].rule, RULE_RPCR_4_3_2_02);
    t->seen.n = 0;
    a = fresh();
    WORDS(a, 0, 0, 1, 2, 1);
    frame = answer(t, a, (const uint32_t[]){500, UINT32_MAX, 0}, UINT32_MAX);
    talk_expect(t, RULE_NFSULB_4_05, SEVERITY_ERROR, frame);
}

static void test_other_faults(void **state)
{
    struct rpcrdma_talk *t;
    struct words *a;
    uint32_t frame;

    { /* roundup that is not zero */
        t = talk_new();
        a = fresh();
        handle(a);
        call(t, 3, 5, a, no_chunks, UINT32_MAX);
        a = fresh();
        WORDS(a, 0, 0, 5);
        octets(a, 8);
        frame = answer(t, a, no_chunks, UINT32_MAX);
        talk_expect(t, RULE_RPCR_2_2_4_2_02, SEVERITY_WARNING, frame);
    }
    { /* a Reply without results that has some */
        struct rpcrdma_plan plan;
        uint8_t message[64], results[8] = {0};
        size_t n;

        t = talk_new();
        a = fresh();
        handle(a);
        call(t, 3, NFS3_GETATTR, a, no_chunks, UINT32_MAX);
        plan = talk_plan(t, S, XID);
        n = talk_rpc_reply(message, sizeof message, XID, RPC_GARBAGE_ARGS, results, sizeof results);
        frame = talk_message(t, S, &plan, message, n);
        talk_expect(t, RULE_RPCR_3_2_01, SEVERITY_ERROR, frame);
    }
    { /* an accept_stat that does not exist */
        struct rpcrdma_plan plan;
        uint8_t message[64];
        size_t n;

        t = talk_new();
        a = fresh();
        handle(a);
        call(t, 3, NFS3_GETATTR, a, no_chunks, UINT32_MAX);
        plan = talk_plan(t, S, XID);
        n = talk_rpc_reply(message, sizeof message, XID, 9, NULL, 0);
        frame = talk_message(t, S, &plan, message, n);
        talk_expect(t, RULE_RPCR_4_03, SEVERITY_ERROR, frame);
    }
}

/* The message is in the Reply chunk. */
static uint32_t long_answer(struct rpcrdma_talk *t, uint32_t n)
{
    struct rpcrdma_plan plan = talk_plan(t, S, XID);

    plan.proc = RPCRDMA_NOMSG;
    lists(&plan, no_chunks, n);
    return talk_message(t, S, &plan, NULL, 0);
}

/* NFSv3 READDIR that answers with three names in the Reply chunk; less takes octets off, name: one without roundup. */
static void test_long_reply_faults(void **state)
{
    static const struct {
        enum rule_id rule;
        size_t less, without;
        uint32_t xid;
    } cases[] = {{RULE_RPCR_3_5_3_13, 0, 2, XID},
                 {RULE_RPCR_3_5_3_13, 0, 1, XID},
                 {RULE_RPCR_4_3_3_07, 8, 3, XID},
                 {RULE_RPCR_4_2_1_02, 0, 3, XID + 1}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct rpcrdma_talk *t = talk_new();
        struct words *a = fresh();
        uint8_t message[512];
        uint32_t frame;
        size_t n;

        handle(a);
        WORDS(a, 0, 0, 0, 0, 4096);
        call(t, 3, 16, a, no_chunks, 8192);
        a = fresh();
        WORDS(a, 0, 0, 1, 2);
        for (size_t k = 0; k < 3; k++) {
            WORDS(a, 1, 0, (uint32_t)k + 1, 5);
            octets(a, 5);
            zeros(a, k == cases[i].without ? 0 : 3);
            WORDS(a, 0, (uint32_t)k + 1);
        }
        WORDS(a, 0, 1);
        n = talk_rpc_reply(message, sizeof message, cases[i].xid, RPC_SUCCESS, a->p, a->w.at - cases[i].less);
        talk_write(t, S, REPLY_STAG, 0, message, n);
        frame = long_answer(t, (uint32_t)n);
        talk_expect(t, cases[i].rule, SEVERITY_ERROR, frame);
    }
}

/* What is in the Reply chunk is not the header of a Reply. */
static void test_broken_headers(void **state)
{
    static const struct {
        enum rule_id rule;
        uint32_t words[12];
        size_t n;
    } cases[] = {
        {RULE_RPCR_2_2_2_01, {XID, 2, 0, 0, 0, 0, 0}, 7},                  /* neither Call nor Reply */
        {RULE_RPCR_2_2_2_01, {XID, 0, 2, TALK_NFS, 3, 0, 0, 0, 0, 0}, 10}, /* a Call */
        {RULE_RPCR_4_3_3_07, {XID, 1, 0, 0}, 4},                           /* less than any Reply has */
        {RULE_RPCR_4_03, {XID, 1, 0, 1, 300, 1, 2, 3}, 8},                 /* it ends within its verifier */
        {RULE_RPCR_4_03, {XID, 1, 2, 0, 0, 0, 0}, 7},                      /* no reply_stat */
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct rpcrdma_talk *t = talk_new();
        struct words *a = fresh();
        uint32_t frame;

        handle(a);
        WORDS(a, 0, 0, 0, 0, 4096);
        call(t, 3, 16, a, no_chunks, 8192);
        a = fresh();
        put(a, cases[i].words, cases[i].n);
        talk_write(t, S, REPLY_STAG, 0, a->p, a->w.at);
        frame = long_answer(t, (uint32_t)a->w.at);
        talk_expect(t, cases[i].rule, SEVERITY_ERROR, frame);
    }
}

/* Of a Reply with RPCSEC_GSS neither the verifier nor what is protected goes into a Write chunk. */
static void test_gss(void **state)
{
    static const struct {
        enum rule_id rule;
        uint32_t service;
        bool verifier;
    } cases[] = {
        {RULE_RPCR_8_2_2_01, RPC_GSS_SVC_NONE, false},
        {RULE_RPCR_8_2_2_3_01, RPC_GSS_SVC_INTEGRITY, true},
        {RULE_RPCR_8_2_2_3_01, RPC_GSS_SVC_PRIVACY, true},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct rpcrdma_talk *t = talk_new();
        struct rpcrdma_plan asks = talk_plan(t, C, XID), answers = talk_plan(t, S, XID);
        struct words *a = fresh();
        uint8_t message[512];
        uint32_t frame;
        size_t n;

        lists(&asks, (const uint32_t[]){4096, UINT32_MAX}, UINT32_MAX);
        handle(a);
        WORDS(a, 0, 0, 4096);
        n = talk_rpc_gss_call(message, sizeof message, XID, RPC_GSS_DATA, cases[i].service, NFS3_READ, a->p, a->w.at);
        talk_message(t, C, &asks, message, n);
        talk_write(t, S, STAG, 0, NULL, 24);
        a = fresh();
        WORDS(a, XID, 1, 0, RPC_AUTH_GSS, 24);
        if (cases[i].verifier) {
            zeros(a, 24);
            WORDS(a, 0, 200);
            octets(a, 200);
        }
        lists(&answers, (const uint32_t[]){24, UINT32_MAX}, UINT32_MAX);
        frame = talk_message(t, S, &answers, a->p, a->w.at);
        assert_int_equal(t->seen.counts.failed[cases[i].rule], 1);
        assert_true(t->seen.n > 0 && t->seen.n <= FINDINGS_MAX);
        assert_int_equal(t->seen.finding[t->seen.n - 1].place.frame, frame);
        talk_free(t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reads),           cmocka_unit_test(test_compound),
        cmocka_unit_test(test_long_reply),      cmocka_unit_test(test_read_faults),
        cmocka_unit_test(test_compound_faults), cmocka_unit_test(test_not_eligible),
        cmocka_unit_test(test_other_faults),    cmocka_unit_test(test_long_reply_faults),
        cmocka_unit_test(test_broken_headers),  cmocka_unit_test(test_gss),
    };

    return cmocka_run_group_tests_name("engine_rpcrdma_result", tests, NULL, NULL);
}
