// SPDX-License-Identifier: GPL-2.0-or-later
/* Answers against their Calls: refusals of sound Calls, RPC versions, results of COMPOUNDs, octets returned. */
#include "tests/unit/support/nfs_messages.h"
#include "tests/unit/support/rpcrdma_talk.h"

enum {
    GETATTR3 = 1,
    READ3 = 6,
    WRITE3 = 7,
    OP_GETFH = 10,
    OP_LOOKUPP = 16,
    OP_ALLOCATE = 59,
    OP_ILLEGAL = 10044,
    XID = 0x10
};

/* An answer, and what it is to be found for; RULE_COUNT: nothing. */
static void expect(struct rpcrdma_talk *t, enum rule_id rule, uint32_t frame)
{
    if (rule == RULE_COUNT)
        talk_expect_nothing(t);
    else
        talk_expect(t, rule, SEVERITY_ERROR, frame);
}

static uint32_t garbage(struct rpcrdma_talk *t, uint32_t xid)
{
    struct rpcrdma_plan plan = talk_plan(t, S, xid);

    return talk_message(t, S, &plan, t->rpc, talk_rpc_reply(t->rpc, sizeof t->rpc, xid, RPC_GARBAGE_ARGS, NULL, 0));
}

/* ---- refusals ---- */

/* READ of version 3 of so many octets: inline, or with a Write chunk. */
static void call_read(struct rpcrdma_talk *t, uint32_t count, bool chunk)
{
    struct rpcrdma_segment segment = {.handle = 0x77, .length = count, .offset = 0x1000};
    struct rpcrdma_write_plan write = {&segment, 1};
    struct rpcrdma_plan plan = talk_plan(t, C, XID);
    struct nfs_text call = {0};

    text_item(&call, 28);
    text_put(&call, 0, 0, count);
    plan.writes = &write;
    plan.n_writes = chunk;
    talk_call_with(t, C, &plan, TALK_NFS, 3, READ3, call.p, call.n);
}

static void test_err_chunk(void **state)
{
    struct rpcrdma_talk *t = talk_new();

    t->seen.keeps = NULL;
    call_read(t, 3900, false);
    expect(t, RULE_RPCR_4_5_12, talk_error(t, S, XID, RPCRDMA_ERR_CHUNK));
    t = talk_new();
    call_read(t, 8000, true);
    expect(t, RULE_RPCR_4_5_12, talk_error(t, S, XID, RPCRDMA_ERR_CHUNK));
}

/* The Reply may lack room, the Call may be another, or the first one on a new connection. */
static void test_err_chunk_in_doubt(void **state)
{
    struct rpcrdma_talk *t = talk_new();

    call_read(t, 8000, false);
    assert_int_equal(t->seen.n, 1);
    assert_int_equal(t->seen.finding[0].rule, RULE_RPCR_4_3_2_3_04);
    talk_error(t, S, XID, RPCRDMA_ERR_CHUNK); /* which is right for that Call */
    findings_passed(&t->seen, RULE_RPCR_4_5_12);
    assert_int_equal(t->seen.n, 1);
    talk_free(t);
    t = talk_new();
    call_read(t, 3000, false);
    talk_hole(t, C);
    talk_error(t, S, XID, RPCRDMA_ERR_CHUNK);
    findings_inconclusive(&t->seen, RULE_RPCR_4_5_12);
    talk_expect_nothing(t);
    t = talk_new_bare(&(struct rpcrdma_options){.profile = PROFILE_IETF});
    talk_startup(t, C, true, 4096, 4096);
    talk_startup(t, S, true, 4096, 4096);
    call_read(t, 3000, true);
    talk_expect(t, RULE_RPCR_4_5_12, SEVERITY_WARNING, talk_error(t, S, XID, RPCRDMA_ERR_CHUNK));
}

/* PUTFH, and six GETATTRs of these attributes. */
static void call_getattrs(struct rpcrdma_talk *t, uint32_t mask)
{
    struct rpcrdma_plan plan = talk_plan(t, C, XID);
    struct nfs_text call = {0};

    text_compound(&call, 0, 7);
    text_put(&call, NFS_OP_PUTFH);
    text_item(&call, 28);
    for (unsigned i = 0; i < 6; i++) {
        text_put(&call, NFS_OP_GETATTR, 1, mask);
    }
    talk_call_with(t, C, &plan, TALK_NFS, 4, 1, call.p, call.n);
}

/* The Reply has the attributes that were asked for, whose sizes are known, but for some. */
static void test_attributes(void **state)
{
    static const uint32_t unbounded[] = {1u << 12, 1u << 24, 1u << 31 | 1u << 12};
    struct rpcrdma_talk *t = talk_new();

    call_getattrs(t, 0x0010011a);
    expect(t, RULE_RPCR_4_5_12, talk_error(t, S, XID, RPCRDMA_ERR_CHUNK));
    for (size_t i = 0; i < sizeof unbounded / sizeof *unbounded; i++) {
        t = talk_new();
        t->seen.keeps = NULL;
        call_getattrs(t, unbounded[i]);
        t->seen.n = 0; /* RFC 8267 section 6.2.1 */
        talk_error(t, S, XID, RPCRDMA_ERR_CHUNK);
        findings_inconclusive(&t->seen, RULE_RPCR_4_5_12);
        talk_expect_nothing(t);
    }
}

static void test_garbage_args(void **state)
{
    struct rpcrdma_talk *t = talk_new();
    struct rpcrdma_plan plan = talk_plan(t, C, XID);
    struct nfs_text call = {0};

    call_read(t, 3000, false);
    talk_expect(t, RULE_RPC_9_05, SEVERITY_WARNING, garbage(t, XID));
    t = talk_new();
    text_item(&call, 28); /* WRITE, whose count is not that of its data */
    text_put(&call, 0, 0, 500, 2);
    text_item(&call, 400);
    talk_call_with(t, C, &plan, TALK_NFS, 3, WRITE3, call.p, call.n);
    garbage(t, XID);
    findings_inconclusive(&t->seen, RULE_RPC_9_05);
    talk_expect_nothing(t);
}

/* ---- RPC versions ---- */

static void call_version(struct rpcrdma_talk *t, uint32_t rpcvers, uint32_t version)
{
    struct rpcrdma_plan plan = talk_plan(t, C, XID);
    size_t n = talk_rpc_call(t->rpc, sizeof t->rpc, XID, TALK_NFS, version, 0, NULL, 0);

    put_be32(t->rpc + 8, rpcvers);
    talk_message(t, C, &plan, t->rpc, n);
}

/* MSG_DENIED, or PROG_MISMATCH: the words after msg_type. */
static uint32_t reply_words(struct rpcrdma_talk *t, const uint32_t *more, size_t n)
{
    struct rpcrdma_plan plan = talk_plan(t, S, XID);
    uint32_t all[8] = {XID, RPC_REPLY};

    memcpy(all + 2, more, n * sizeof *more);
    return talk_message(t, S, &plan, t->rpc, talk_words(t->rpc, sizeof t->rpc, all, n + 2));
}

static void versions_as(uint32_t rpcvers, uint32_t version, const uint32_t *more, size_t n, enum rule_id rule,
                        enum rule_severity severity)
{
    struct rpcrdma_talk *t = talk_new();
    uint32_t frame;

    t->seen.keeps = NULL;
    call_version(t, rpcvers, version);
    if (rpcvers != RPC_VERSION) {
        assert_int_equal(t->seen.n, 1);
        assert_int_equal(t->seen.finding[0].rule, RULE_RPC_9_01);
        t->seen.n = 0;
    }
    frame = reply_words(t, more, n);
    talk_expect(t, rule, severity, frame);
}

static void versions(uint32_t rpcvers, uint32_t version, const uint32_t *more, size_t n, enum rule_id rule)
{
    struct rpcrdma_talk *t = talk_new();
    uint32_t frame;

    if (rule != RULE_COUNT) {
        talk_free(t);
        versions_as(rpcvers, version, more, n, rule, SEVERITY_ERROR);
        return;
    }
    t->seen.keeps = NULL;
    call_version(t, rpcvers, version);
    t->seen.n = 0;
    frame = reply_words(t, more, n);
    expect(t, rule, frame);
}

#define WORDS(...) (const uint32_t[]){__VA_ARGS__}, sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t)

static void test_versions(void **state)
{
    versions(3, 3, WORDS(RPC_MSG_DENIED, RPC_MISMATCH, 2, 2), RULE_COUNT);
    versions(3, 3, WORDS(RPC_MSG_DENIED, RPC_MISMATCH, 2, 3), RULE_RPC_9_03);
    versions_as(3, 3, WORDS(RPC_MSG_DENIED, RPC_MISMATCH, 4, 5), RULE_RPC_9_03, SEVERITY_WARNING);
    versions(3, 3, WORDS(RPC_MSG_ACCEPTED, 0, 0, RPC_SUCCESS), RULE_RPC_9_02);
    versions(3, 3, WORDS(RPC_MSG_DENIED, RPC_AUTH_ERROR, 1), RULE_RPC_9_02);
    versions(2, 3, WORDS(RPC_MSG_DENIED, RPC_MISMATCH, 2, 2), RULE_RPC_9_04);
    versions(2, 3, WORDS(RPC_MSG_DENIED, RPC_AUTH_ERROR, 0), RULE_RPC_9_06);
    versions(2, 3, WORDS(RPC_MSG_DENIED, RPC_AUTH_ERROR, 5), RULE_COUNT);
    versions(2, 3, WORDS(RPC_MSG_DENIED, RPC_AUTH_ERROR, 14), RULE_COUNT);
    versions_as(2, 3, WORDS(RPC_MSG_DENIED, RPC_AUTH_ERROR, 15), RULE_RPC_9_06, SEVERITY_WARNING);
    versions(2, 9, WORDS(RPC_MSG_ACCEPTED, 0, 0, RPC_PROG_MISMATCH, 2, 4), RULE_COUNT);
    versions(2, 9, WORDS(RPC_MSG_ACCEPTED, 0, 0, RPC_PROG_MISMATCH, 2, 9), RULE_RPC_9_03);
    versions(2, 9, WORDS(RPC_MSG_ACCEPTED, 0, 0, RPC_PROG_MISMATCH, 4, 2), RULE_RPC_9_03);
    versions(2, 3, WORDS(RPC_MSG_ACCEPTED, 0, 0, RPC_PROG_MISMATCH, 3, 4), RULE_RPC_9_03);
    versions_as(2, 3, WORDS(RPC_MSG_ACCEPTED, 0, 0, RPC_PROG_MISMATCH, 2, 4), RULE_RPC_9_03, SEVERITY_NOTE);
    versions_as(2, 9, WORDS(RPC_MSG_ACCEPTED, 0, 0, RPC_PROG_MISMATCH, 64860, 2820603906), RULE_RPC_9_03,
                SEVERITY_WARNING);
}

/* ---- versions and procedures that the program lacks ---- */

static void lacking(uint32_t program, uint32_t version, uint32_t proc, uint32_t stat, enum rule_id rule,
                    enum rule_severity severity)
{
    struct rpcrdma_talk *t = talk_new();
    struct rpcrdma_plan plan = talk_plan(t, C, XID);
    uint32_t frame;

    t->seen.keeps = NULL;
    talk_message(t, C, &plan, t->rpc, talk_rpc_call(t->rpc, sizeof t->rpc, XID, program, version, proc, NULL, 0));
    t->seen.n = 0; /* the arguments may be too short */
    plan = talk_plan(t, S, XID);
    frame = talk_message(t, S, &plan, t->rpc, talk_rpc_reply(t->rpc, sizeof t->rpc, XID, stat, NULL, 0));
    if (rule == RULE_COUNT)
        talk_expect_nothing(t);
    else
        talk_expect(t, rule, severity, frame);
}

static void test_lacking(void **state)
{
    lacking(NFS_PROGRAM, 5, 0, RPC_SUCCESS, RULE_RPC_9_07, SEVERITY_ERROR);
    lacking(NFS_PROGRAM, 1, 0, RPC_SUCCESS, RULE_RPC_9_07, SEVERITY_ERROR);
    lacking(NFS_PROGRAM, 5, 0, RPC_SYSTEM_ERR, RULE_COUNT, SEVERITY_ERROR);
    lacking(NFS_PROGRAM, 4, 2, RPC_SUCCESS, RULE_RPC_9_08, SEVERITY_ERROR);
    lacking(NFS_PROGRAM, 3, 22, RPC_SUCCESS, RULE_RPC_9_08, SEVERITY_ERROR);
    lacking(NFS_PROGRAM, 3, 22, RPC_PROC_UNAVAIL, RULE_COUNT, SEVERITY_ERROR);
    lacking(NFS_PROGRAM, 3, 0, RPC_SUCCESS, RULE_COUNT, SEVERITY_ERROR);
    lacking(NFS_PROGRAM_MOUNT, 4, 0, RPC_SUCCESS, RULE_RPC_9_07, SEVERITY_WARNING);
    lacking(NFS_PROGRAM_ACL, 3, 9, RPC_SUCCESS, RULE_RPC_9_08, SEVERITY_WARNING);
    lacking(200000, 9, 9, RPC_SUCCESS, RULE_COUNT, SEVERITY_ERROR);
}

/* ---- COMPOUND ---- */

/* PUTFH, LOOKUPP, GETFH in this minor version. */
static void call_compound(struct rpcrdma_talk *t, uint32_t minor)
{
    struct rpcrdma_plan plan = talk_plan(t, C, XID);
    struct nfs_text call = {0};

    text_compound(&call, minor, 3);
    text_put(&call, NFS_OP_PUTFH);
    text_item(&call, 28);
    text_put(&call, OP_LOOKUPP, OP_GETFH);
    talk_call_with(t, C, &plan, TALK_NFS, 4, 1, call.p, call.n);
}

struct result {
    uint32_t op, status;
};

static void results(uint32_t minor, uint32_t status, const struct result *result, unsigned n, enum rule_id rule)
{
    struct rpcrdma_talk *t = talk_new();
    struct rpcrdma_plan plan;
    struct nfs_text reply = {0};

    t->seen.keeps = NULL;
    call_compound(t, minor);
    text_compounded(&reply, status, n);
    for (unsigned i = 0; i < n; i++) {
        text_put(&reply, result[i].op, result[i].status);
        if (result[i].op == OP_GETFH && result[i].status == 0)
            text_item(&reply, 28);
    }
    plan = talk_plan(t, S, XID);
    expect(t, rule, talk_reply_with(t, S, &plan, reply.p, reply.n));
}

#define RESULTS(...)                                                                                                   \
    (const struct result[]){__VA_ARGS__}, sizeof((const struct result[]){__VA_ARGS__}) / sizeof(struct result)

static void test_compound_results(void **state)
{
    results(0, 0, RESULTS({22, 0}, {16, 0}, {10, 0}), RULE_COUNT);
    results(0, 2, RESULTS({22, 0}, {16, 2}), RULE_COUNT);
    results(0, 0, RESULTS({22, 0}, {10, 0}, {16, 0}), RULE_NFS4_15_2_01);
    results(0, 0, RESULTS({22, 0}, {16, 0}, {9, 0}), RULE_NFS4_15_2_01); /* which has more than is there */
    results(0, 0, RESULTS({22, 0}, {16, 0}), RULE_NFS4_15_2_02);
    results(0, 0, RESULTS({22, 0}, {16, 0}, {10, 0}, {16, 0}), RULE_NFS4_15_2_02);
    results(0, 0, RESULTS({22, 0}, {16, 2}, {10, 0}), RULE_NFS4_15_2_02);
    results(0, 0, NULL, 0, RULE_NFS4_15_2_02);
    results(0, 10021, NULL, 0, RULE_COUNT); /* a minor version that the server lacks */
    results(0, 0, RESULTS({22, 0}, {16, 2}), RULE_NFS4_15_2_03);
    results(0, 5, RESULTS({22, 0}, {16, 2}), RULE_NFS4_15_2_03);
    results(0, OP_ILLEGAL, RESULTS({22, 0}, {OP_ILLEGAL, OP_ILLEGAL}), RULE_NFS4_15_2_04);
    results(0, 10021, RESULTS({22, 0}, {16, 10021}), RULE_NFS4_15_2_05);
    results(7, 10021, NULL, 0, RULE_COUNT);
}

/* A COMPOUND of two operations, of which the first may be one that has no arguments. */
static void two(uint32_t minor, uint32_t op, const struct result *result, unsigned n, uint32_t status,
                enum rule_id rule, enum rule_severity severity)
{
    struct rpcrdma_talk *t = talk_new();
    struct rpcrdma_plan plan = talk_plan(t, C, XID);
    struct nfs_text call = {0}, reply = {0};
    uint32_t frame;

    t->seen.keeps = NULL;
    text_compound(&call, minor, 2);
    if (op == NFS_OP_SEQUENCE) {
        text_sequence(&call, 1, 0);
    } else {
        text_put(&call, op);
        for (unsigned i = 0; op == OP_ALLOCATE && i < 8; i++)
            text_put(&call, 0);
    }
    text_put(&call, OP_LOOKUPP);
    talk_call_with(t, C, &plan, TALK_NFS, 4, 1, call.p, call.n);
    text_compounded(&reply, status, n);
    for (unsigned i = 0; i < n; i++) {
        text_put(&reply, result[i].op, result[i].status);
        for (unsigned k = 0; result[i].op == NFS_OP_SEQUENCE && result[i].status == 0 && k < 9; k++)
            text_put(&reply, 0);
    }
    plan = talk_plan(t, S, XID);
    frame = talk_reply_with(t, S, &plan, reply.p, reply.n);
    if (rule == RULE_COUNT)
        talk_expect_nothing(t);
    else
        talk_expect(t, rule, severity, frame);
}

static void test_minor_versions(void **state)
{
    two(0, OP_ALLOCATE, RESULTS({OP_ALLOCATE, 0}, {OP_LOOKUPP, 0}), 0, RULE_NFS4_15_2_06, SEVERITY_ERROR);
    two(0, OP_ALLOCATE, RESULTS({OP_ALLOCATE, 10004}), 10004, RULE_NFS4_15_2_06, SEVERITY_WARNING);
    two(0, OP_ALLOCATE, RESULTS({OP_ILLEGAL, OP_ILLEGAL}), OP_ILLEGAL, RULE_COUNT, SEVERITY_ERROR);
    two(0, 24, RESULTS({24, 0}, {OP_LOOKUPP, 0}), 0, RULE_COUNT, SEVERITY_ERROR);
    two(0, 24, NULL, 0, 10018, RULE_COUNT, SEVERITY_ERROR); /* RESOURCE */
    two(0, 24, NULL, 0, 2, RULE_NFS4_15_2_02, SEVERITY_WARNING);
    two(7, 24, RESULTS({24, 0}, {OP_LOOKUPP, 0}), 0, RULE_NFS4_15_2_05, SEVERITY_WARNING);
    two(7, 24, RESULTS({OP_ILLEGAL, OP_ILLEGAL}), OP_ILLEGAL, RULE_NFS4_15_2_05, SEVERITY_WARNING);
}

static void test_sessions(void **state)
{
    two(1, 24, RESULTS({24, 0}, {OP_LOOKUPP, 0}), 0, RULE_NFS41_16_2_01, SEVERITY_WARNING);
    two(1, 24, RESULTS({24, 10071}), 10071, RULE_COUNT, SEVERITY_ERROR);
    two(1, NFS_OP_SEQUENCE, RESULTS({NFS_OP_SEQUENCE, 0}, {OP_LOOKUPP, 0}), 0, RULE_COUNT, SEVERITY_ERROR);
    two(1, NFS_OP_SEQUENCE, RESULTS({NFS_OP_SEQUENCE, 10071}), 10071, RULE_NFS41_16_2_01, SEVERITY_WARNING);
    two(0, NFS_OP_SEQUENCE, RESULTS({NFS_OP_SEQUENCE, 0}, {OP_LOOKUPP, 0}), 0, RULE_NFS4_15_2_06, SEVERITY_ERROR);
}

/* ---- credentials and verifiers ---- */

/* A NULL Call whose header has these words after the procedure. */
static void call_auth(const uint32_t *auth, size_t n, enum rule_id rule, enum rule_severity severity)
{
    struct rpcrdma_talk *t = talk_new();
    struct rpcrdma_plan plan = talk_plan(t, C, XID);
    uint32_t all[32] = {XID, RPC_CALL, RPC_VERSION, TALK_NFS, 3, 0};
    uint32_t frame;

    t->seen.keeps = NULL;
    memcpy(all + 6, auth, n * sizeof *auth);
    frame = talk_message(t, C, &plan, t->rpc, talk_words(t->rpc, sizeof t->rpc, all, n + 6));
    if (rule == RULE_COUNT)
        talk_expect_nothing(t);
    else
        talk_expect(t, rule, severity, frame);
}

static void test_auth(void **state)
{
    call_auth(WORDS(0, 0, 0, 0), RULE_COUNT, SEVERITY_ERROR);
    call_auth(WORDS(1, 24, 9, 1, 0x61000000, 0, 0, 0, 0, 0), RULE_COUNT, SEVERITY_ERROR);
    call_auth(WORDS(1, 24, 9, 1, 0x61000001, 0, 0, 0, 0, 0), RULE_RPCR_2_2_4_2_02, SEVERITY_WARNING);
    call_auth(WORDS(1, 20, 9, 1, 0x61000000, 0, 0, 0, 0), RULE_RPC_A_01, SEVERITY_ERROR);
    call_auth(WORDS(1, 28, 9, 1, 0x61000000, 0, 0, 0, 0, 0, 0), RULE_RPC_A_01, SEVERITY_ERROR);
    call_auth(WORDS(0, 4, 9, 0, 0), RULE_RPC_10_1_01, SEVERITY_WARNING);
    call_auth(WORDS(0, 0, 0, 4, 9), RULE_RPC_10_1_01, SEVERITY_WARNING);
    call_auth(WORDS(77, 4, 9, 0, 0), RULE_COUNT, SEVERITY_ERROR);
    call_auth(WORDS(0, 0, 1, 0), RULE_RPC_10_1_02, SEVERITY_WARNING);
    call_auth(WORDS(1, 20, 9, 0, 0, 0, 0, 2, 0), RULE_RPC_A_02, SEVERITY_WARNING);
    call_auth(WORDS(77, 0, 1, 0), RULE_COUNT, SEVERITY_ERROR);
}

/* A Reply whose verifier has this flavor, to a NULL Call with a credential of that one. */
static void reply_auth(uint32_t cred, uint32_t verf, enum rule_id rule)
{
    static const uint32_t calls[][9] = {
        {RPC_AUTH_NONE, 0, 0, 0}, {RPC_AUTH_SYS, 20, 9, 0, 0, 0, 0, 0, 0}, {77, 0, 0, 0}};
    struct rpcrdma_talk *t = talk_new();
    struct rpcrdma_plan plan = talk_plan(t, C, XID);
    uint32_t all[15] = {XID, RPC_CALL, RPC_VERSION, TALK_NFS, 3, 0}, frame;
    unsigned row = cred > RPC_AUTH_SYS ? 2 : cred;

    t->seen.keeps = NULL;
    memcpy(all + 6, calls[row], sizeof calls[row]);
    talk_message(t, C, &plan, t->rpc, talk_words(t->rpc, sizeof t->rpc, all, row == 1 ? 15 : 10));
    frame = reply_words(t, WORDS(RPC_MSG_ACCEPTED, verf, 0, RPC_SUCCESS));
    if (rule == RULE_COUNT)
        talk_expect_nothing(t);
    else
        talk_expect(t, rule, SEVERITY_WARNING, frame);
}

static void test_verifiers_of_replies(void **state)
{
    reply_auth(RPC_AUTH_NONE, RPC_AUTH_NONE, RULE_COUNT);
    reply_auth(RPC_AUTH_NONE, RPC_AUTH_SHORT, RULE_RPC_10_1_02);
    reply_auth(RPC_AUTH_SYS, RPC_AUTH_NONE, RULE_COUNT);
    reply_auth(RPC_AUTH_SYS, RPC_AUTH_SHORT, RULE_COUNT);
    reply_auth(RPC_AUTH_SYS, RPC_AUTH_SYS, RULE_RPC_A_02);
    reply_auth(77, 5, RULE_COUNT);
}

static void test_empty_compound(void **state)
{
    static const uint32_t status[] = {0, 10021, 22, 2};

    for (size_t i = 0; i < sizeof status / sizeof *status; i++) {
        struct rpcrdma_talk *t = talk_new();
        struct rpcrdma_plan plan = talk_plan(t, C, XID);
        struct nfs_text call = {0}, reply = {0};
        uint32_t frame;

        t->seen.keeps = NULL;
        text_compound(&call, 0, 0);
        talk_call_with(t, C, &plan, TALK_NFS, 4, 1, call.p, call.n);
        text_compounded(&reply, status[i], 0);
        plan = talk_plan(t, S, XID);
        frame = talk_reply_with(t, S, &plan, reply.p, reply.n);
        if (status[i] == 2)
            talk_expect(t, RULE_NFS4_15_2_02, SEVERITY_WARNING, frame);
        else
            talk_expect_nothing(t);
    }
}

/* An unknown flavor may wrap the arguments, so that octets after what looks like them prove nothing. */
static void test_unknown_flavor(void **state)
{
    static const uint32_t flavors[] = {RPC_AUTH_NONE, 77};

    for (size_t i = 0; i < sizeof flavors / sizeof *flavors; i++) {
        struct rpcrdma_talk *t = talk_new();
        struct rpcrdma_plan plan = talk_plan(t, C, XID);
        const uint32_t all[] = {XID, RPC_CALL, RPC_VERSION, TALK_NFS, 3, GETATTR3, flavors[i], 0, 0, 0, 4, 9, 1, 2};
        uint32_t frame;

        t->seen.keeps = NULL;
        frame = talk_message(t, C, &plan, t->rpc, talk_words(t->rpc, sizeof t->rpc, all, sizeof all / sizeof *all));
        if (flavors[i] == RPC_AUTH_NONE) {
            talk_expect(t, RULE_RPCR_3_2_01, SEVERITY_ERROR, frame);
        } else {
            findings_inconclusive(&t->seen, RULE_RPCR_3_2_01);
            talk_expect_nothing(t);
        }
    }
}

/* STARTTLS in a verifier, which only a probe for TLS asks for. */
static void test_starttls(void **state)
{
    static const uint32_t flavors[] = {RPC_AUTH_NONE, 7};

    for (size_t i = 0; i < sizeof flavors / sizeof *flavors; i++) {
        struct rpcrdma_talk *t = talk_new();
        struct rpcrdma_plan plan = talk_plan(t, C, XID);
        const uint32_t call[] = {XID, RPC_CALL, RPC_VERSION, TALK_NFS, 3, 0, flavors[i], 0, 0, 0};
        uint32_t frame;

        t->seen.keeps = NULL;
        talk_message(t, C, &plan, t->rpc, talk_words(t->rpc, sizeof t->rpc, call, sizeof call / sizeof *call));
        frame = reply_words(t, WORDS(RPC_MSG_ACCEPTED, 0, 8, 0x53544152, 0x54544c53, RPC_SUCCESS));
        if (flavors[i] == RPC_AUTH_NONE)
            talk_expect(t, RULE_RPC_10_1_01, SEVERITY_WARNING, frame);
        else
            talk_expect_nothing(t);
    }
}

/* The shortest Reply has 20 octets; an accepted one has more. */
static void test_cut_replies(void **state)
{
    versions(2, 3, WORDS(RPC_MSG_ACCEPTED, 0, 0), RULE_RPCR_4_03);
    versions(2, 3, WORDS(RPC_MSG_DENIED, RPC_MISMATCH, 2), RULE_RPCR_4_03);
    versions(2, 3, WORDS(RPC_MSG_DENIED, RPC_AUTH_ERROR, 5), RULE_COUNT);
}

/* ---- octets ---- */

static void read_returns(uint32_t asked, uint32_t said, uint32_t octets, enum rule_id rule)
{
    struct rpcrdma_talk *t = talk_new();
    struct rpcrdma_plan plan;
    struct nfs_text reply = {0};

    call_read(t, asked, false);
    text_put(&reply, 0, 0); /* no attributes */
    text_put(&reply, said, 1);
    text_item(&reply, octets);
    plan = talk_plan(t, S, XID);
    expect(t, rule, talk_reply_with(t, S, &plan, reply.p, reply.n));
}

static void test_octets_returned(void **state)
{
    read_returns(1000, 1000, 1000, RULE_COUNT);
    read_returns(1000, 7, 7, RULE_COUNT);
    read_returns(1000, 1001, 1001, RULE_NFS3_3_3_6_01);
    read_returns(1000, 500, 1000, RULE_NFS3_3_3_6_02);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_err_chunk),
        cmocka_unit_test(test_err_chunk_in_doubt),
        cmocka_unit_test(test_attributes),
        cmocka_unit_test(test_garbage_args),
        cmocka_unit_test(test_versions),
        cmocka_unit_test(test_lacking),
        cmocka_unit_test(test_minor_versions),
        cmocka_unit_test(test_sessions),
        cmocka_unit_test(test_auth),
        cmocka_unit_test(test_verifiers_of_replies),
        cmocka_unit_test(test_starttls),
        cmocka_unit_test(test_empty_compound),
        cmocka_unit_test(test_unknown_flavor),
        cmocka_unit_test(test_cut_replies),
        cmocka_unit_test(test_compound_results),
        cmocka_unit_test(test_octets_returned),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
