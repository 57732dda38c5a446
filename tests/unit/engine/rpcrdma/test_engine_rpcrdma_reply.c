// SPDX-License-Identifier: GPL-2.0-or-later
/* Chunks that Replies return, against those of the Call, what was moved, and the results. */
#include "tests/unit/support/rpcrdma_talk.h"

#include <stdio.h>

enum { XID = 0x20, STAG = 0x7a31c002, STAG2 = 0x11f0c403, BASE = 0x1000, OP_PUTROOTFH = 24, OP_READ = 25 };
enum { OP_READLINK = 27, NFS4ERR_IO = 5 };

/* ---- Calls ---- */

struct chunk {
    struct rpcrdma_segment segments[4];
    uint32_t n;
};

/* One segment of this length at the usual place. */
static struct chunk chunk_of(uint32_t length)
{
    return (struct chunk){.segments = {{STAG, length, BASE}}, .n = 1};
}

static struct chunk chunk2_of(uint32_t length)
{
    return (struct chunk){.segments = {{STAG2, length, 0x90000}}, .n = 1};
}

static struct chunk halves(uint32_t first, uint32_t second)
{
    return (struct chunk){.segments = {{STAG, first, BASE}, {STAG2, second, 0x90000}}, .n = 2};
}

static struct rpcrdma_write_plan plan_of(const struct chunk *chunk)
{
    return (struct rpcrdma_write_plan){chunk->segments, chunk->n};
}

/* NFSv3 READ of count octets. */
static uint32_t call_read3(struct rpcrdma_talk *t, const struct chunk *write, const struct chunk *reply, uint32_t count)
{
    struct rpcrdma_plan plan = talk_plan(t, C, XID);
    struct rpcrdma_write_plan writes, chunk;
    uint32_t words[] = {4, 0x12345678, 0, 0, count};
    uint8_t args[64];

    if (write) {
        writes = plan_of(write);
        plan.writes = &writes;
        plan.n_writes = 1;
    }
    if (reply) {
        chunk = plan_of(reply);
        plan.reply = &chunk;
    }
    return talk_call_with(t, C, &plan, TALK_NFS, 3, 6, args, talk_words(args, sizeof args, words, 5));
}

/* Its Reply with a result of n octets, of which `in` are inline. */
static size_t read3_results(uint8_t *out, size_t size, uint32_t n, uint32_t in)
{
    uint32_t words[] = {0, 0, n, 1, n};
    size_t at = talk_words(out, size, words, 5);

    memset(out + at, 0, in);
    return at + in;
}

static uint32_t reply_with(struct rpcrdma_talk *t, const struct chunk *writes, uint32_t n_writes, const void *results,
                           size_t n)
{
    struct rpcrdma_plan plan = talk_plan(t, S, XID);
    struct rpcrdma_write_plan plans[4];

    for (uint32_t i = 0; i < n_writes; i++)
        plans[i] = plan_of(&writes[i]);
    plan.writes = plans;
    plan.n_writes = n_writes;
    return talk_reply_with(t, S, &plan, results, n);
}

static uint32_t reply_read3(struct rpcrdma_talk *t, struct chunk write, uint32_t n)
{
    uint8_t results[64];

    return reply_with(t, &write, 1, results, read3_results(results, sizeof results, n, 0));
}

static uint32_t reply_read3_inline(struct rpcrdma_talk *t, struct chunk write, uint32_t n_writes, uint32_t n)
{
    uint8_t results[4096];

    return reply_with(t, &write, n_writes, results, read3_results(results, sizeof results, n, (n + 3) / 4 * 4));
}

static uint32_t reply_failed3(struct rpcrdma_talk *t, struct chunk write, uint32_t n_writes)
{
    uint32_t words[] = {NFS4ERR_IO, 0};
    uint8_t results[8];

    return reply_with(t, &write, n_writes, results, talk_words(results, sizeof results, words, 2));
}

/* COMPOUND of NFSv4.0: PUTROOTFH and these operations. */
static uint32_t call_compound(struct rpcrdma_talk *t, const struct chunk *writes, uint32_t n_writes,
                              const uint32_t *ops, unsigned n_ops)
{
    struct rpcrdma_plan plan = talk_plan(t, C, XID);
    struct rpcrdma_write_plan plans[4];
    uint32_t words[64] = {0, 0, n_ops + 1, OP_PUTROOTFH};
    size_t n = 4;
    uint8_t args[256];

    for (unsigned i = 0; i < n_ops; i++) {
        words[n++] = ops[i];
        if (ops[i] == OP_READ) {
            n += 6; /* stateid, offset */
            words[n++] = 1000;
        }
    }
    for (uint32_t i = 0; i < n_writes; i++)
        plans[i] = plan_of(&writes[i]);
    plan.writes = plans;
    plan.n_writes = n_writes;
    return talk_call_with(t, C, &plan, TALK_NFS, 4, 1, args, talk_words(args, sizeof args, words, n));
}

struct outcome {
    uint32_t op, status, length;
    bool in; /* inline */
};

static uint32_t reply_compound(struct rpcrdma_talk *t, const struct chunk *writes, uint32_t n_writes,
                               const struct outcome *outcomes, unsigned n_outcomes)
{
    uint32_t words[1024] = {outcomes[n_outcomes - 1].status, 0, n_outcomes + 1, OP_PUTROOTFH, 0};
    size_t n = 5;
    uint8_t results[4096];

    for (unsigned i = 0; i < n_outcomes; i++) {
        words[n++] = outcomes[i].op;
        words[n++] = outcomes[i].status;
        if (outcomes[i].status != 0)
            continue;
        n += outcomes[i].op == OP_READ; /* eof */
        words[n++] = outcomes[i].length;
        n += outcomes[i].in ? (outcomes[i].length + 3) / 4 : 0;
    }
    return reply_with(t, writes, n_writes, results, talk_words(results, sizeof results, words, n));
}

/* ---- NFSv3, conforming ---- */

static void read_whole(void **state)
{
    struct chunk offered = chunk_of(4096);
    struct rpcrdma_talk *t = talk_new();

    call_read3(t, &offered, NULL, 4096);
    talk_write(t, S, STAG, BASE, NULL, 4096);
    reply_read3(t, offered, 4096);
    findings_passed(&t->seen, RULE_RPCR_3_4_6_06, RULE_RPCR_3_4_6_07, RULE_RPCR_3_4_6_08, RULE_RPCR_3_4_6_10,
                    RULE_RPCR_3_4_6_11, RULE_RPCR_3_4_6_2_03, RULE_RPCR_4_3_2_03, RULE_RPCR_4_3_2_01,
                    RULE_RPCR_3_4_1_02);
    talk_expect_nothing(t);
}

/* Fewer octets than were offered, an odd number, in two segments, written in pieces from the end. */
static void read_short(void **state)
{
    struct chunk offered = halves(1000, 3096), returned = halves(1000, 501);
    struct rpcrdma_talk *t = talk_new();

    call_read3(t, &offered, NULL, 4096);
    talk_write(t, S, STAG2, 0x90000, NULL, 501);
    talk_write(t, S, STAG, BASE + 400, NULL, 600);
    talk_write(t, S, STAG, BASE, NULL, 400);
    reply_read3(t, returned, 1501);
    findings_passed(&t->seen, RULE_RPCR_3_4_6_2_02);
    talk_expect_nothing(t);
}

static void read_nothing(void **state)
{
    struct chunk offered = chunk_of(4096);
    struct rpcrdma_talk *t = talk_new();

    call_read3(t, &offered, NULL, 4096);
    reply_read3(t, chunk_of(0), 0);
    talk_expect_nothing(t);
}

/* Memory after an unused chunk may have been written to (section 4.3.2.2). */
static void read_failed(void **state)
{
    struct chunk offered = halves(1000, 3096);
    struct rpcrdma_talk *t = talk_new();

    call_read3(t, &offered, NULL, 4096);
    talk_write(t, S, STAG, BASE, NULL, 700);
    reply_failed3(t, halves(0, 0), 1);
    findings_passed(&t->seen, RULE_RPCR_4_3_2_2_01, RULE_RPCR_4_3_2_2_03);
    talk_expect_nothing(t);
}

/* The Call was sent twice, with other memory: either may be answered. */
static void answer_to_the_first_of_two(void **state)
{
    struct chunk offered = chunk_of(4096), again = chunk2_of(4096);
    struct rpcrdma_talk *t = talk_new();
    unsigned n;

    call_read3(t, &offered, NULL, 4096);
    call_read3(t, &again, NULL, 4096);
    n = t->seen.n; /* of the retransmission */
    talk_write(t, S, STAG, BASE, NULL, 4096);
    reply_read3(t, offered, 4096);
    assert_int_equal(t->seen.n, n);
    talk_free(t);
}

static void lost_writes(void **state)
{
    struct chunk offered = chunk_of(4096);
    struct rpcrdma_talk *t = talk_new();

    call_read3(t, &offered, NULL, 4096);
    talk_hole(t, S);
    reply_read3(t, offered, 4096);
    findings_inconclusive(&t->seen, RULE_RPCR_3_4_6_11);
    talk_expect_nothing(t);
}

static void mid_stream(void **state)
{
    struct rpcrdma_options options = {.profile = PROFILE_IETF};
    struct chunk offered = chunk_of(4096);
    struct rpcrdma_talk *t = talk_new_bare(&options);

    talk_midstream(t);
    talk_write(t, S, STAG, BASE, NULL, 4096);
    reply_read3(t, offered, 4096);
    call_read3(t, &offered, NULL, 4096);
    talk_write(t, S, STAG, BASE, NULL, 4096);
    reply_read3(t, offered, 4096);
    talk_expect_nothing(t);
}

/* ---- NFSv3, violations: one chunk of 4096 octets is offered ---- */

struct fault {
    const char *what;
    enum rule_id rule;
    struct chunk returned;
    uint32_t n;           /* octets of the result */
    uint32_t written, at; /* octets RDMA Written, and from where */
    enum rule_severity severity;
    struct chunk offered;
};

static void violations(void **state)
{
    const struct fault faults[] = {
        {"segment missing", RULE_RPCR_3_4_6_06, chunk_of(1000), 1000, 1000, 0, SEVERITY_ERROR, halves(1000, 3096)},
        {"segment added", RULE_RPCR_3_4_6_06, halves(1000, 0), 1000, 1000, 0, SEVERITY_ERROR, chunk_of(4096)},
        {"other place", RULE_RPCR_3_4_6_07, chunk2_of(1000), 1000, 1000, 0, SEVERITY_ERROR, chunk_of(4096)},
        {"other place of an unused segment",
         RULE_RPCR_3_4_6_07,
         {.segments = {{STAG, 1000, BASE}, {0, 0, 0}}, .n = 2},
         1000,
         1000,
         0,
         SEVERITY_WARNING,
         halves(1000, 3096)},
        {"longer than offered", RULE_RPCR_3_4_6_08, chunk_of(4100), 4096, 4096, 0, SEVERITY_ERROR, chunk_of(4096)},
        {"lengths as offered", RULE_RPCR_3_4_6_08, chunk_of(4096), 100, 100, 0, SEVERITY_ERROR, chunk_of(4096)},
        {"not contiguous", RULE_RPCR_3_4_6_10, halves(500, 500), 1000, 500, 0, SEVERITY_ERROR, halves(1000, 3096)},
        {"hole at the start", RULE_RPCR_3_4_6_10, chunk_of(1000), 1000, 1000, 64, SEVERITY_ERROR, chunk_of(4096)},
        {"more written", RULE_RPCR_3_4_6_11, chunk_of(2048), 2048, 4096, 0, SEVERITY_ERROR, chunk_of(4096)},
        {"more written than returned", RULE_RPCR_3_4_6_11, chunk_of(2048), 4096, 4096, 0, SEVERITY_ERROR,
         chunk_of(4096)},
        {"less written", RULE_RPCR_3_4_6_11, chunk_of(4096), 4096, 2048, 0, SEVERITY_ERROR, chunk_of(4096)},
        {"nothing written", RULE_RPCR_3_4_1_02, chunk_of(4096), 4096, 0, 0, SEVERITY_ERROR, chunk_of(4096)},
        {"roundup written", RULE_RPCR_3_4_6_2_02, chunk_of(1001), 1001, 1004, 0, SEVERITY_ERROR, chunk_of(4096)},
        {"roundup written and returned", RULE_RPCR_3_4_6_2_02, chunk_of(1004), 1001, 1004, 0, SEVERITY_ERROR,
         chunk_of(4096)},
        {"roundup returned", RULE_RPCR_3_4_6_2_03, chunk_of(1004), 1001, 1001, 0, SEVERITY_ERROR, chunk_of(4096)},
        {"other length", RULE_RPCR_3_4_6_2_03, chunk_of(900), 1000, 900, 0, SEVERITY_ERROR, chunk_of(4096)},
    };

    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        const struct fault *fault = &faults[i];
        struct rpcrdma_talk *t = talk_new();
        uint32_t frame;

        call_read3(t, &fault->offered, NULL, 4096);
        if (fault->written > 0)
            talk_write(t, S, STAG, BASE + fault->at, NULL, fault->written);
        frame = reply_read3(t, fault->returned, fault->n);
        if (t->seen.n > 1)
            fprintf(stderr, "%s:\n", fault->what);
        talk_expect(t, fault->rule, fault->severity, frame);
    }
}

static void lists(void **state)
{
    struct chunk offered = chunk_of(4096), two[2] = {chunk_of(0), chunk2_of(0)};
    struct rpcrdma_talk *t = talk_new();
    uint8_t results[64];
    uint32_t frame;

    call_read3(t, &offered, NULL, 4096);
    frame = reply_with(t, two, 2, results, read3_results(results, sizeof results, 0, 0));
    talk_expect(t, RULE_RPCR_4_3_2_01, SEVERITY_ERROR, frame);

    t = talk_new();
    call_read3(t, &offered, NULL, 4096);
    frame = reply_failed3(t, offered, 0);
    talk_expect(t, RULE_RPCR_4_3_2_01, SEVERITY_ERROR, frame);

    t = talk_new();
    call_read3(t, NULL, NULL, 400);
    frame = reply_read3_inline(t, chunk_of(0), 1, 400);
    talk_expect(t, RULE_RPCR_4_3_2_3_01, SEVERITY_ERROR, frame);

    t = talk_new();
    call_read3(t, &offered, NULL, 400);
    frame = reply_read3_inline(t, chunk_of(0), 1, 400);
    talk_expect(t, RULE_RPCR_4_3_2_03, SEVERITY_ERROR, frame);

    t = talk_new();
    call_read3(t, &offered, NULL, 400);
    frame = reply_read3_inline(t, offered, 0, 400);
    talk_expect(t, RULE_RPCR_4_3_2_03, SEVERITY_ERROR, frame);

    t = talk_new();
    call_read3(t, NULL, NULL, 400);
    frame = reply_with(t, NULL, 0, results, read3_results(results, sizeof results, 400, 0));
    talk_expect(t, RULE_RPCR_3_4_1_02, SEVERITY_ERROR, frame);
}

static void failed_reads(void **state)
{
    struct chunk offered = halves(1000, 3096), none = {.n = 0};
    struct rpcrdma_talk *t = talk_new();
    uint32_t frame;

    call_read3(t, &offered, NULL, 4096);
    frame = reply_failed3(t, offered, 1);
    talk_expect(t, RULE_RPCR_4_3_2_2_03, SEVERITY_ERROR, frame);

    t = talk_new();
    call_read3(t, &offered, NULL, 4096);
    frame = reply_failed3(t, none, 1);
    talk_expect(t, RULE_RPCR_3_4_6_06, SEVERITY_ERROR, frame);

    t = talk_new();
    call_read3(t, &offered, NULL, 4096);
    talk_write(t, S, STAG, BASE, NULL, 500);
    frame = reply_failed3(t, halves(500, 0), 1);
    talk_expect(t, RULE_RPCR_4_3_2_2_01, SEVERITY_ERROR, frame);
}

/* ---- Reply chunks ---- */

/* The Reply in the Reply chunk: RDMA Writes and Send. */
static uint32_t reply_long(struct rpcrdma_talk *t, struct chunk write, struct chunk reply, uint32_t at, uint32_t n,
                           uint32_t in, uint32_t xid)
{
    struct rpcrdma_plan plan = talk_plan(t, S, XID);
    struct rpcrdma_write_plan writes = plan_of(&write), chunk = plan_of(&reply);
    uint8_t results[4096];
    size_t length;

    length =
        talk_rpc_reply(t->rpc, sizeof t->rpc, xid, RPC_SUCCESS, results, read3_results(results, sizeof results, n, in));
    talk_write(t, S, reply.segments[0].handle, reply.segments[0].offset + at, t->rpc, length);
    plan.proc = RPCRDMA_NOMSG;
    plan.writes = &writes;
    plan.n_writes = write.n > 0;
    plan.reply = &chunk;
    return talk_message(t, S, &plan, NULL, 0);
}

enum { LONG = 24 + 20 };

static void long_replies(void **state)
{
    struct chunk write = chunk_of(4096), offered = chunk2_of(8192), none = {.n = 0};
    struct rpcrdma_talk *t = talk_new();
    uint32_t frame;

    call_read3(t, &write, &offered, 4096);
    talk_write(t, S, STAG, BASE, NULL, 4096);
    reply_long(t, write, chunk2_of(LONG), 0, 4096, 0, XID);
    findings_passed(&t->seen, RULE_RPCR_3_5_3_10, RULE_RPCR_3_5_3_12, RULE_RPCR_3_5_3_14, RULE_RPCR_4_2_1_02,
                    RULE_RPCR_4_2_4_05, RULE_RPCR_4_3_3_04, RULE_RPCR_4_3_3_05, RULE_RPCR_4_3_3_07);
    assert_int_equal(t->seen.counts.failed[RULE_RPCR_4_3_3_07], 0);
    talk_free(t);

    t = talk_new(); /* the data in the Reply chunk, too */
    call_read3(t, &write, &offered, 3000);
    frame = reply_long(t, chunk_of(0), chunk2_of(LONG + 3000), 0, 3000, 3000, XID);
    assert_int_equal(t->seen.finding[t->seen.n - 1].rule, RULE_RPCR_3_5_3_10);
    assert_int_equal(t->seen.finding[t->seen.n - 1].place.frame, frame);
    talk_free(t);

    t = talk_new();
    call_read3(t, NULL, &offered, 4092);
    reply_long(t, none, chunk2_of(LONG), 0, 0, 0, XID + 1);
    talk_expect(t, RULE_RPCR_4_2_1_02, SEVERITY_ERROR, t->frame);

    t = talk_new();
    call_read3(t, NULL, &offered, 4092);
    reply_long(t, none, chunk2_of(LONG), 64, 0, 0, XID);
    talk_expect(t, RULE_RPCR_4_3_3_07, SEVERITY_ERROR, t->frame);

    t = talk_new();
    call_read3(t, NULL, &offered, 4092);
    reply_long(t, none, chunk2_of(8192), 0, 0, 0, XID);
    talk_expect(t, RULE_RPCR_4_3_3_05, SEVERITY_ERROR, t->frame);

    t = talk_new();
    call_read3(t, NULL, &offered, 4092);
    reply_long(t, none, chunk2_of(LONG - 4), 0, 0, 0, XID);
    talk_expect(t, RULE_RPCR_4_3_3_05, SEVERITY_ERROR, t->frame);

    t = talk_new();
    call_read3(t, NULL, NULL, 400);
    {
        struct rpcrdma_plan plan = talk_plan(t, S, XID);
        struct rpcrdma_write_plan chunk = plan_of(&offered);

        plan.proc = RPCRDMA_NOMSG;
        plan.reply = &chunk;
        talk_message(t, S, &plan, NULL, 0);
    }
    talk_expect(t, RULE_RPCR_3_5_3_12, SEVERITY_ERROR, t->frame);
}

/* ---- COMPOUNDs ---- */

struct compound {
    const char *what;
    enum rule_id rule; /* RULE_COUNT: conforms */
    uint32_t ops[3];
    unsigned n_ops;
    struct chunk offered[3];
    uint32_t n_offered;
    struct chunk returned[3];
    struct outcome outcomes[3];
    unsigned n_outcomes;
};

#define A(n)                                                                                                           \
    {                                                                                                                  \
        {{STAG, n, BASE}}, 1                                                                                           \
    }
#define B(n)                                                                                                           \
    {                                                                                                                  \
        {{STAG2, n, 0x90000}}, 1                                                                                       \
    }
#define E()                                                                                                            \
    {                                                                                                                  \
        {{0}}, 0                                                                                                       \
    }

static void compounds(void **state)
{
    const struct compound cases[] = {
        {"both",
         RULE_COUNT,
         {OP_READ, OP_READ},
         2,
         {A(1000), B(1000)},
         2,
         {A(100), B(200)},
         {{OP_READ, 0, 100, false}, {OP_READ, 0, 200, false}},
         2},
        {"failed, without segments",
         RULE_COUNT,
         {OP_READ},
         1,
         {A(1000)},
         1,
         {E()},
         {{OP_READ, NFS4ERR_IO, 0, false}},
         1},
        {"failed, lengths 0", RULE_COUNT, {OP_READ}, 1, {A(1000)}, 1, {A(0)}, {{OP_READ, NFS4ERR_IO, 0, false}}, 1},
        {"failed, lengths as offered",
         RULE_NFSULB_6_4_1_05,
         {OP_READ},
         1,
         {A(1000)},
         1,
         {A(1000)},
         {{OP_READ, NFS4ERR_IO, 0, false}},
         1},
        {"second not reached",
         RULE_COUNT,
         {OP_READ, OP_READ},
         2,
         {A(1000), B(1000)},
         2,
         {E(), B(0)},
         {{OP_READ, NFS4ERR_IO, 0, false}},
         1},
        {"empty chunk",
         RULE_COUNT,
         {OP_READLINK, OP_READ},
         2,
         {E(), B(1000)},
         2,
         {E(), B(1000)},
         {{OP_READLINK, 0, 21, true}, {OP_READ, 0, 1000, false}},
         2},
        {"empty chunk returned with a segment",
         RULE_RPCR_4_3_2_3_03,
         {OP_READLINK},
         1,
         {E()},
         1,
         {A(0)},
         {{OP_READLINK, 0, 21, true}},
         1},
        {"more results than chunks",
         RULE_COUNT,
         {OP_READ, OP_READ},
         2,
         {A(1000)},
         1,
         {A(100)},
         {{OP_READ, 0, 100, false}, {OP_READ, 0, 200, true}},
         2},
        {"both in the only chunk",
         RULE_NFSULB_6_4_1_06,
         {OP_READ, OP_READ},
         2,
         {A(1000)},
         1,
         {A(300)},
         {{OP_READ, 0, 100, false}, {OP_READ, 0, 200, false}},
         2},
        {"both in the first chunk",
         RULE_RPCR_3_4_6_09,
         {OP_READ, OP_READ},
         2,
         {A(1000), B(1000)},
         2,
         {A(300), B(0)},
         {{OP_READ, 0, 100, false}, {OP_READ, 0, 200, false}},
         2},
        {"exchanged",
         RULE_RPCR_4_3_2_1_02,
         {OP_READ, OP_READ},
         2,
         {A(1000), B(1000)},
         2,
         {A(200), B(100)},
         {{OP_READ, 0, 100, false}, {OP_READ, 0, 200, false}},
         2},
        {"in the second chunk",
         RULE_NFSULB_6_4_1_02,
         {OP_READ, OP_READLINK},
         2,
         {A(1000), B(1000)},
         2,
         {A(0), B(100)},
         {{OP_READ, 0, 100, false}, {OP_READLINK, NFS4ERR_IO, 0, false}},
         2},
        {"inline", RULE_NFSULB_6_4_1_03, {OP_READ}, 1, {A(1000)}, 1, {A(0)}, {{OP_READ, 0, 100, true}}, 1},
        {"past the empty chunk",
         RULE_RPCR_4_3_2_3_02,
         {OP_READLINK, OP_READ},
         2,
         {E(), B(1000)},
         2,
         {E(), B(21)},
         {{OP_READLINK, 0, 21, false}, {OP_READ, 0, 100, true}},
         2},
        {"after an empty chunk, inline",
         RULE_NFSULB_6_4_3_01,
         {OP_READLINK, OP_READ},
         2,
         {E(), B(1000)},
         2,
         {E(), B(0)},
         {{OP_READLINK, 0, 21, true}, {OP_READ, 0, 100, true}},
         2},
        {"empty chunk, nowhere",
         RULE_NFSULB_6_4_1_04,
         {OP_READLINK},
         1,
         {E()},
         1,
         {E()},
         {{OP_READLINK, 0, 21, false}},
         1},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct compound *c = &cases[i];
        struct rpcrdma_talk *t = talk_new();
        unsigned mine = 0;

        call_compound(t, c->offered, c->n_offered, c->ops, c->n_ops);
        for (uint32_t k = 0; k < c->n_offered; k++) {
            if (c->returned[k].n > 0 && c->returned[k].segments[0].length > 0 && c->rule != RULE_NFSULB_6_4_1_05)
                talk_write(t, S, c->returned[k].segments[0].handle, c->returned[k].segments[0].offset, NULL,
                           c->returned[k].segments[0].length);
        }
        reply_compound(t, c->returned, c->n_offered, c->outcomes, c->n_outcomes);
        for (unsigned k = 0; k < t->seen.n; k++) /* of the Call, as it has two chunks: a note */
            mine += t->seen.finding[k].place.side == S;
        if (mine != (c->rule != RULE_COUNT) ||
            (c->rule != RULE_COUNT && t->seen.finding[t->seen.n - 1].rule != c->rule)) {
            fprintf(stderr, "%s: expected %s\n", c->what,
                    c->rule != RULE_COUNT ? rule_catalogue[c->rule].id : "nothing");
            findings_show(&t->seen, __func__);
            fail();
        }
        talk_free(t);
    }
}

/* ---- Read chunks ---- */

/* NFSv3 WRITE of 1000 octets in a Read chunk. */
static void call_write3(struct rpcrdma_talk *t)
{
    struct rpcrdma_plan plan = talk_plan(t, C, XID);
    uint32_t words[] = {4, 0x12345678, 0, 0, 1000, 2, 1000};
    struct rpcrdma_read_segment segment = {.position = 40 + 28, .target = {STAG, 1000, BASE}};
    uint8_t args[64];

    plan.reads = &segment;
    plan.n_reads = 1;
    talk_call_with(t, C, &plan, TALK_NFS, 3, 7, args, talk_words(args, sizeof args, words, 7));
}

static uint32_t reply_write3(struct rpcrdma_talk *t, uint32_t status, uint32_t count)
{
    uint32_t words[] = {status, 0, 0, count, 2, 0, 0};
    uint8_t results[64];

    return reply_with(t, NULL, 0, results, talk_words(results, sizeof results, words, status == 0 ? 7 : 3));
}

static void pulled(void **state)
{
    struct rpcrdma_talk *t = talk_new();
    uint32_t frame;

    call_write3(t);
    talk_read(t, S, STAG, BASE, NULL, 600);
    talk_read(t, S, STAG, BASE + 600, NULL, 400);
    reply_write3(t, 0, 1000);
    findings_passed(&t->seen, RULE_RPCR_3_4_5_1_01);
    talk_expect_nothing(t);

    t = talk_new(); /* an error needs no data */
    call_write3(t);
    reply_write3(t, 28, 0);
    talk_expect_nothing(t);

    t = talk_new();
    call_write3(t);
    talk_read(t, S, STAG, BASE, NULL, 600);
    frame = reply_write3(t, 0, 1000);
    talk_expect(t, RULE_RPCR_3_4_5_1_01, SEVERITY_ERROR, frame);

    t = talk_new(); /* two READ Requests ask for all of it, one Response is in a hole */
    call_write3(t);
    talk_read_request(t, S, STAG, BASE, 1000);
    talk_hole(t, C);
    reply_write3(t, 0, 1000);
    findings_inconclusive(&t->seen, RULE_RPCR_3_4_5_1_01);
    talk_expect_nothing(t);
}

/* ---- RFC 5666 ---- */

static void old_profile(void **state)
{
    struct rpcrdma_options options = {.profile = PROFILE_RFC5666};
    struct chunk offered = chunk_of(4096), none = {.n = 0};
    struct rpcrdma_talk *t = talk_new_with(&options);
    uint32_t frame;

    call_read3(t, &offered, NULL, 4096);
    talk_write(t, S, STAG, BASE, NULL, 1001);
    reply_read3(t, chunk_of(1004), 1001);
    talk_expect_nothing(t);

    t = talk_new_with(&options);
    call_read3(t, &offered, NULL, 4096);
    frame = reply_failed3(t, none, 1);
    talk_expect(t, RULE_RPCR0_3N_02, SEVERITY_ERROR, frame);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(read_whole),
        cmocka_unit_test(read_short),
        cmocka_unit_test(read_nothing),
        cmocka_unit_test(read_failed),
        cmocka_unit_test(answer_to_the_first_of_two),
        cmocka_unit_test(lost_writes),
        cmocka_unit_test(mid_stream),
        cmocka_unit_test(violations),
        cmocka_unit_test(lists),
        cmocka_unit_test(failed_reads),
        cmocka_unit_test(long_replies),
        cmocka_unit_test(compounds),
        cmocka_unit_test(pulled),
        cmocka_unit_test(old_profile),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
