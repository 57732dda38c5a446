// SPDX-License-Identifier: GPL-2.0-or-later
/* Calls of NFSv2, v3 and v4 with Read and Write chunks: Positions, lengths, eligibility, what is inline. */
#include "tests/unit/support/rpcrdma_talk.h"

enum {
    XID = 0x20,
    NFS3_LOOKUP = 3,
    NFS3_READ = 6,
    NFS3_WRITE = 7,
    NFS3_GETATTR = 1,
    RPC_LEN = 40,    /* a Call header with AUTH_NONE */
    WRITE3_AT = 96,  /* where the data of an NFSv3 WRITE begins */
    LOOKUP3_AT = 80, /* the name of an NFSv3 LOOKUP */
    STAG = 0x1000,
};

/* Arguments, or a whole RPC message, under construction. */
struct args {
    uint8_t p[20000];
    struct xdr_writer w;
};

static struct args *fresh(void)
{
    static struct args args;

    memset(&args, 0, sizeof args);
    args.w = (struct xdr_writer){.p = args.p, .size = sizeof args.p};
    return &args;
}

static void words(struct args *a, const uint32_t *w, size_t n)
{
    for (size_t i = 0; i < n; i++)
        xdr_put_u32(&a->w, w[i]);
}

#define WORDS(a, ...) words((a), (const uint32_t[]){__VA_ARGS__}, sizeof((const uint32_t[]){__VA_ARGS__}) / 4)

static void octets(struct args *a, size_t n)
{
    assert_true(a->w.at + n <= a->w.size);
    memset(a->w.p + a->w.at, 0x5a, n);
    a->w.at += n;
}

static void padded(struct args *a, uint32_t n)
{
    octets(a, n);
    memset(a->w.p + a->w.at, 0, xdr_roundup(n));
    a->w.at += xdr_roundup(n);
}

static void handle(struct args *a)
{
    WORDS(a, 32);
    octets(a, 32);
}

static void name(struct args *a, const char *text)
{
    xdr_put_opaque(&a->w, text, (uint32_t)strlen(text));
}

/* WRITE3args up to its data. */
static struct args *write3(uint32_t count, uint32_t length)
{
    struct args *a = fresh();

    handle(a);
    WORDS(a, 0, 0, count, 2, length);
    return a;
}

static struct rpcrdma_read_segment segment(uint32_t position, uint32_t length)
{
    return (struct rpcrdma_read_segment){position, {STAG, length, 0x10000}};
}

static uint32_t call(struct rpcrdma_talk *t, uint32_t vers, uint32_t proc, const struct args *a,
                     const struct rpcrdma_read_segment *reads, uint32_t n)
{
    struct rpcrdma_plan plan = talk_plan(t, C, XID);

    plan.reads = reads;
    plan.n_reads = n;
    return talk_call_with(t, C, &plan, TALK_NFS, vers, proc, a->p, a->w.at);
}

static uint32_t call_write(struct rpcrdma_talk *t, uint32_t vers, uint32_t proc, const struct args *a,
                           const struct rpcrdma_write_plan *writes, uint32_t n)
{
    struct rpcrdma_plan plan = talk_plan(t, C, XID);

    plan.writes = writes;
    plan.n_writes = n;
    return talk_call_with(t, C, &plan, TALK_NFS, vers, proc, a->p, a->w.at);
}

/* A COMPOUND without tag: minor version 1, `operations` operations to follow. */
static struct args *compound(uint32_t operations)
{
    struct args *a = fresh();

    WORDS(a, 0, 1, operations);
    return a;
}

static void op_putfh(struct args *a)
{
    WORDS(a, NFS_OP_PUTFH);
    handle(a);
}

/* WRITE4args up to its data. */
static void op_write(struct args *a, uint32_t length)
{
    WORDS(a, NFS_OP_WRITE, 1, 2, 3, 4, 0, 0, 2, length);
}

static void op_getattr(struct args *a)
{
    WORDS(a, NFS_OP_GETATTR, 2, 0x18, 0x30a23a);
}

static void op_read(struct args *a, uint32_t count)
{
    WORDS(a, NFS_OP_READ, 1, 2, 3, 4, 0, 0, count);
}

static uint32_t here(const struct args *a)
{
    return RPC_LEN + (uint32_t)a->w.at;
}

/* ---- conforming ---- */

static void answer_error(struct rpcrdma_talk *t)
{
    struct rpcrdma_plan plan = talk_plan(t, S, XID);
    uint8_t results[12];

    /* NFS3ERR_IO, no attributes */
    talk_reply_with(t, S, &plan, results, talk_words(results, sizeof results, (const uint32_t[]){5, 0, 0}, 3));
}

static void test_write3(void **state)
{
    static const uint32_t lengths[] = {4096, 4095, 5, 1, 0x20001};

    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        struct rpcrdma_talk *t = talk_new();
        struct rpcrdma_read_segment read = segment(WRITE3_AT, lengths[i]);

        call(t, 3, NFS3_WRITE, write3(lengths[i], lengths[i]), &read, 1);
        talk_read(t, S, STAG, 0x10000, NULL, lengths[i]);
        answer_error(t);
        findings_passed(&t->seen, RULE_RPCR_3_4_5_02, RULE_RPCR_3_4_5_04, RULE_RPCR_3_4_5_2_02, RULE_RPCR_4_2_4_03,
                        RULE_NFSULB_4_05);
        if (lengths[i] % 4 != 0)
            findings_passed(&t->seen, RULE_RPCR_3_4_5_2_01);
        talk_expect_nothing(t);
    }
}

/* Data of no octets needs no chunk, and a chunk of none does no harm. */
static void test_no_data(void **state)
{
    struct rpcrdma_read_segment read = segment(WRITE3_AT, 0);
    struct rpcrdma_talk *t = talk_new();

    call(t, 3, NFS3_WRITE, write3(0, 0), NULL, 0);
    answer_error(t);
    call(t, 3, NFS3_WRITE, write3(0, 0), &read, 1);
    answer_error(t);
    talk_expect_nothing(t);
}

static void test_inline(void **state)
{
    struct rpcrdma_talk *t = talk_new();
    struct args *a = write3(1001, 1001);

    padded(a, 1001);
    call(t, 3, NFS3_WRITE, a, NULL, 0);
    answer_error(t);
    findings_passed(&t->seen, RULE_RPCR_2_2_4_01, RULE_RPCR_2_2_4_2_01, RULE_RPCR_2_2_4_2_02, RULE_RPCR_3_2_01,
                    RULE_RPCR_4_3_01);
    talk_expect_nothing(t);
}

/* Segments at any boundaries, all of the same Position. */
static void test_segments(void **state)
{
    struct rpcrdma_read_segment reads[] = {
        {WRITE3_AT, {STAG, 1, 0}}, {WRITE3_AT, {STAG + 1, 5, 0x123}}, {WRITE3_AT, {STAG + 2, 4090, 7}}};
    struct rpcrdma_talk *t = talk_new();

    call(t, 3, NFS3_WRITE, write3(4096, 4096), reads, 3);
    talk_read(t, S, STAG, 0, NULL, 1);
    talk_read(t, S, STAG + 1, 0x123, NULL, 5);
    talk_read(t, S, STAG + 2, 7, NULL, 4090);
    answer_error(t);
    findings_passed(&t->seen, RULE_RPCR_3_4_5_03, RULE_RPCR_3_4_5_11);
    talk_expect_nothing(t);
}

/* Two WRITEs with odd lengths: the second Position counts the first one's roundup, which is nowhere. */
static struct args *two_writes(uint32_t position[2])
{
    struct args *a = compound(5);

    op_putfh(a);
    op_write(a, 1001);
    position[0] = here(a);
    op_getattr(a);
    op_write(a, 2002);
    position[1] = here(a) + (uint32_t)xdr_padded(1001);
    op_getattr(a);
    return a;
}

static void test_two_writes(void **state)
{
    uint32_t position[2];
    struct args *a = two_writes(position);
    struct rpcrdma_read_segment reads[] = {{position[0], {STAG, 1001, 0}}, {position[1], {STAG + 1, 2002, 0}}};
    struct rpcrdma_talk *t = talk_new();

    call(t, 4, 1, a, reads, 2);
    talk_read(t, S, STAG, 0, NULL, 1001);
    talk_read(t, S, STAG + 1, 0, NULL, 2002);
    findings_passed(&t->seen, RULE_RPCR_3_4_5_02, RULE_RPCR_3_4_4_4_02, RULE_NFSULB_6_4_1_07, RULE_NFSULB_6_1_05);
    assert_int_equal(t->seen.counts.failed[RULE_RPCR_3_4_5_02], 0);
    t->seen.n = 0; /* two Read chunks are more than every server takes */
    talk_expect_nothing(t);
}

/* NFSv2 SYMLINK: what follows the text is inline, without the roundup of the text. */
static void test_symlink2(void **state)
{
    struct args *a = fresh();
    struct rpcrdma_talk *t = talk_new();
    struct rpcrdma_read_segment read;

    octets(a, 32);
    name(a, "link");
    WORDS(a, 13);
    read = segment(here(a), 13);
    WORDS(a, 0777, 0, 0, 13, 0, 0, 0, 0);
    call(t, 2, 13, a, &read, 1);
    talk_read(t, S, STAG, 0x10000, "/some/where/x", 13);
    findings_passed(&t->seen, RULE_RPCR_3_4_4_4_02, RULE_RPCR_3_4_5_2_02);
    talk_expect_nothing(t);
}

/* A Long Call whose data is in a chunk of its own. */
static void long_call(struct rpcrdma_talk *t, const void *p, size_t n, const struct rpcrdma_read_segment *more,
                      uint32_t n_more)
{
    struct rpcrdma_read_segment reads[8] = {{0, {STAG + 0x100, (uint32_t)n, 0}}};
    struct rpcrdma_plan plan = talk_plan(t, C, XID);

    plan.proc = RPCRDMA_NOMSG;
    plan.reads = reads;
    plan.n_reads = n_more + 1;
    for (uint32_t i = 0; i < n_more; i++)
        reads[i + 1] = more[i];
    talk_message(t, C, &plan, NULL, 0);
    talk_read(t, S, STAG + 0x100, 0, p, (uint32_t)n);
}

static size_t rpc(uint8_t *out, size_t size, uint32_t vers, uint32_t proc, const struct args *a)
{
    return talk_rpc_call(out, size, XID, TALK_NFS, vers, proc, a->p, a->w.at);
}

static void test_long_call(void **state)
{
    struct rpcrdma_read_segment read = segment(WRITE3_AT, 4095);
    struct rpcrdma_talk *t = talk_new();
    uint8_t message[256];
    size_t n = rpc(message, sizeof message, 3, NFS3_WRITE, write3(4095, 4095));

    long_call(t, message, n, &read, 1);
    talk_read(t, S, STAG, 0x10000, NULL, 4095);
    answer_error(t);
    findings_passed(&t->seen, RULE_RPCR_3_5_3_03, RULE_RPCR_3_5_3_04, RULE_RPCR_3_5_3_13, RULE_RPCR_4_2_1_02,
                    RULE_RPCR_3_4_5_02);
    talk_expect_nothing(t);
}

/* ---- Positions and lengths of an NFSv3 WRITE ---- */

static void test_write3_faults(void **state)
{
    static const struct {
        enum rule_id rule;
        enum rule_severity severity;
        uint32_t count, length, is_inline; /* WRITE3args.count, the data's count, octets inline */
        uint32_t n_reads;
        struct rpcrdma_read_segment reads[3];
    } cases[] = {
        {RULE_RPCR_3_4_1_01, SEVERITY_ERROR, 2048, 2048, 2048, 1, {{WRITE3_AT, {1, 2048, 0}}}},
        {RULE_RPCR_3_4_1_01, SEVERITY_ERROR, 4096, 4096, 4096, 1, {{WRITE3_AT, {1, 4096, 0}}}}, /* too long as well */
        {RULE_RPCR_3_4_1_01, SEVERITY_ERROR, 1001, 1001, 1004, 1, {{WRITE3_AT, {1, 1001, 0}}}},
        {RULE_RPCR_3_4_4_1_02, SEVERITY_ERROR, 3000, 3000, 1000, 1, {{WRITE3_AT, {1, 2000, 0}}}},
        {RULE_RPCR_3_4_4_1_02, SEVERITY_ERROR, 3000, 3000, 1000, 1, {{WRITE3_AT + 1000, {1, 2000, 0}}}},
        {RULE_RPCR_3_4_4_4_02, SEVERITY_ERROR, 1001, 1001, 3, 1, {{WRITE3_AT, {1, 1001, 0}}}},
        {RULE_RPCR_3_4_5_01,
         SEVERITY_ERROR,
         8192,
         8192,
         0,
         2,
         {{WRITE3_AT, {1, 4096, 0}}, {WRITE3_AT + 2048, {1, 4096, 0}}}},
        {RULE_RPCR_3_4_5_03,
         SEVERITY_ERROR,
         8192,
         8192,
         0,
         2,
         {{WRITE3_AT, {1, 4096, 0}}, {WRITE3_AT + 4096, {1, 4096, 0}}}},
        {RULE_RPCR_3_4_5_02, SEVERITY_ERROR, 4096, 4096, 0, 1, {{WRITE3_AT + 52, {1, 4096, 0}}}}, /* from the Send */
        {RULE_RPCR_3_4_5_02, SEVERITY_ERROR, 4096, 4096, 0, 1, {{WRITE3_AT + 28, {1, 4096, 0}}}},
        {RULE_RPCR_3_4_5_02, SEVERITY_ERROR, 4096, 4096, 0, 1, {{WRITE3_AT - RPC_LEN, {1, 4096, 0}}}},
        {RULE_RPCR_4_3_1_1_01, SEVERITY_ERROR, 4096, 4096, 0, 1, {{WRITE3_AT - 4, {1, 4096, 0}}}},
        {RULE_RPCR_3_4_5_04, SEVERITY_ERROR, 4096, 4096, 0, 1, {{150, {1, 4096, 0}}}},
        {RULE_RPCR_6_1_06, SEVERITY_ERROR, 4096, 4096, 0, 1, {{WRITE3_AT - 16, {1, 4096, 0}}}},
        {RULE_RPCR_3_4_5_05, SEVERITY_ERROR, 4096, 4096, 0, 0, {{0, {0, 0, 0}}}},
        {RULE_RPCR_3_4_5_2_01, SEVERITY_WARNING, 5, 5, 0, 1, {{WRITE3_AT, {1, 8, 0}}}},
        {RULE_RPCR_3_4_5_2_02, SEVERITY_ERROR, 5, 5, 0, 1, {{WRITE3_AT, {1, 7, 0}}}},
        {RULE_RPCR_3_4_5_2_02, SEVERITY_ERROR, 4096, 4096, 0, 1, {{WRITE3_AT, {1, 4092, 0}}}},
        {RULE_RPCR_3_4_5_2_02,
         SEVERITY_ERROR,
         4000,
         4000,
         0,
         2,
         {{WRITE3_AT, {1, 2048, 0}}, {WRITE3_AT, {2, 2048, 0}}}},
        {RULE_RPCR_3_4_5_2_03, SEVERITY_ERROR, 5, 8, 0, 1, {{WRITE3_AT, {1, 8, 0}}}},
        {RULE_RPCR_4_2_4_03, SEVERITY_ERROR, 4096, 4096, 0, 2, {{WRITE3_AT, {1, 4096, 0}}, {8000, {1, 4096, 0}}}},
        {RULE_RPCR_4_3_01, SEVERITY_NOTE, 0, 0, 0, 1, {{8000, {1, 0, 0}}}},
        {RULE_RPCR_3_4_5_11,
         SEVERITY_NOTE,
         4096,
         4096,
         0,
         3,
         {{WRITE3_AT, {1, 96, 0}}, {WRITE3_AT + 4096, {2, 0, 0}}, {WRITE3_AT, {3, 4000, 0}}}},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct rpcrdma_talk *t = talk_new();
        struct args *a = write3(cases[i].count, cases[i].length);
        uint32_t frame;

        octets(a, cases[i].is_inline);
        if (cases[i].is_inline > 0 && cases[i].is_inline % 4 == 0 && cases[i].length % 4 != 0)
            memset(a->w.p + a->w.at - xdr_roundup(cases[i].length), 0, xdr_roundup(cases[i].length));
        frame = call(t, 3, NFS3_WRITE, a, cases[i].reads, cases[i].n_reads);
        if (t->seen.n == 2 && t->seen.finding[1].rule == RULE_RPCR_4_3_01) /* the empty segment in the midst */
            t->seen.n = 1;
        talk_expect(t, cases[i].rule, cases[i].severity, frame);
    }
}

/* ---- COMPOUNDs ---- */

static void test_compound_faults(void **state)
{
    uint32_t position[2];
    struct args *a;
    struct rpcrdma_talk *t;
    uint32_t frame;

    { /* the second Position counted in the reduced stream */
        a = two_writes(position);
        t = talk_new();
        frame =
            call(t, 4, 1, a,
                 (struct rpcrdma_read_segment[]){{position[0], {1, 1001, 0}}, {position[1] - 1004, {2, 2002, 0}}}, 2);
        talk_expect(t, RULE_RPCR_3_4_5_02, SEVERITY_ERROR, frame);
    }
    { /* Positions exchanged */
        a = two_writes(position);
        t = talk_new();
        frame = call(t, 4, 1, a,
                     (struct rpcrdma_read_segment[]){{position[1], {1, 1001, 0}}, {position[0], {2, 2002, 0}}}, 2);
        talk_expect(t, RULE_NFSULB_6_4_1_07, SEVERITY_ERROR, frame);
    }
    { /* one chunk for both, and what is between them */
        a = compound(4);
        op_putfh(a);
        op_write(a, 1000);
        position[0] = here(a);
        op_getattr(a);
        t = talk_new();
        frame = call(t, 4, 1, a, (struct rpcrdma_read_segment[]){{position[0], {1, 1000 + 36 + 2000, 0}}}, 1);
        talk_expect(t, RULE_RPCR_3_4_4_4_01, SEVERITY_ERROR, frame);
    }
    { /* roundup left inline, before the next operation */
        a = compound(3);
        op_putfh(a);
        op_write(a, 5);
        position[0] = here(a);
        octets(a, 3);
        memset(a->w.p + a->w.at - 3, 0, 3);
        op_getattr(a);
        t = talk_new();
        frame = call(t, 4, 1, a, (struct rpcrdma_read_segment[]){{position[0], {1, 5, 0}}}, 1);
        talk_expect(t, RULE_RPCR_3_4_4_4_02, SEVERITY_ERROR, frame);
    }
    { /* the count moved into the chunk */
        a = compound(3);
        op_putfh(a);
        op_write(a, 1000);
        a->w.at -= 4;
        position[0] = here(a);
        op_getattr(a);
        t = talk_new();
        frame = call(t, 4, 1, a, (struct rpcrdma_read_segment[]){{position[0], {1, 1004, 0}}}, 1);
        talk_expect(t, RULE_RPCR_3_4_4_1_01, SEVERITY_ERROR, frame);
    }
    { /* a name is not eligible */
        a = compound(2);
        op_putfh(a);
        WORDS(a, 15, 200);
        position[0] = here(a);
        t = talk_new();
        frame = call(t, 4, 1, a, (struct rpcrdma_read_segment[]){{position[0], {1, 200, 0}}}, 1);
        talk_expect(t, RULE_NFSULB_6_1_05, SEVERITY_ERROR, frame);
    }
    { /* an operation that the tables do not know: nothing is said of what follows it */
        a = compound(3);
        op_putfh(a);
        WORDS(a, 4000, 1, 2, 3);
        t = talk_new();
        call(t, 4, 1, a, (struct rpcrdma_read_segment[]){{here(a) + 20, {1, 200, 0}}}, 1);
        talk_expect_nothing(t);
    }
}

/* ---- other Calls ---- */

static void test_not_eligible(void **state)
{
    struct args *a = fresh();
    struct rpcrdma_talk *t = talk_new();
    struct rpcrdma_read_segment read = segment(LOOKUP3_AT, 8);
    uint32_t frame;

    handle(a);
    WORDS(a, 8);
    frame = call(t, 3, NFS3_LOOKUP, a, &read, 1);
    talk_expect(t, RULE_NFSULB_4_05, SEVERITY_ERROR, frame);

    t = talk_new();
    a = fresh();
    handle(a);
    read = segment(200, 100);
    frame = call(t, 3, NFS3_GETATTR, a, &read, 1);
    talk_expect(t, RULE_RPCR_4_2_4_03, SEVERITY_ERROR, frame);
}

/* A Read list of nothing. */
static void test_empty_list(void **state)
{
    struct rpcrdma_read_segment read = segment(0, 0);
    struct args *a = fresh();
    struct rpcrdma_talk *t = talk_new();
    uint32_t frame;

    handle(a);
    frame = call(t, 3, NFS3_GETATTR, a, &read, 1);
    talk_expect(t, RULE_RPCR_4_3_01, SEVERITY_NOTE, frame);
}

static void test_auxiliary(void **state)
{
    struct rpcrdma_read_segment read = segment(44, 16);
    struct rpcrdma_talk *t = talk_new();
    struct rpcrdma_plan plan = talk_plan(t, C, XID);
    struct args *a = fresh();
    uint32_t frame;

    WORDS(a, 16);
    plan.reads = &read;
    plan.n_reads = 1;
    frame = talk_call_with(t, C, &plan, NFS_PROGRAM_MOUNT, 3, 1, a->p, a->w.at);
    talk_expect(t, RULE_NFSULB_5_1_02, SEVERITY_ERROR, frame);
}

static void test_surplus(void **state)
{
    struct rpcrdma_talk *t = talk_new();
    struct args *a = fresh();
    uint8_t second[64];
    size_t n = talk_rpc_call(second, sizeof second, XID + 1, TALK_NFS, 3, 0, NULL, 0);
    uint32_t frame;

    handle(a);
    memcpy(a->w.p + a->w.at, second, n);
    a->w.at += n;
    frame = call(t, 3, NFS3_GETATTR, a, NULL, 0);
    talk_expect(t, RULE_RPCR_3_2_01, SEVERITY_ERROR, frame);
}

/* ---- items ---- */

static void test_items(void **state)
{
    struct rpcrdma_talk *t;
    struct args *a;
    uint32_t frame;

    { /* roundup counted in */
        a = fresh();
        handle(a);
        xdr_put_opaque(&a->w, "abcde\0\0", 8);
        t = talk_new();
        frame = call(t, 3, NFS3_LOOKUP, a, NULL, 0);
        talk_expect(t, RULE_RPCR_2_2_4_2_01, SEVERITY_ERROR, frame);
    }
    { /* no roundup */
        a = fresh();
        handle(a);
        WORDS(a, 5);
        octets(a, 5);
        t = talk_new();
        frame = call(t, 3, NFS3_LOOKUP, a, NULL, 0);
        talk_expect(t, RULE_RPCR_2_2_4_2_01, SEVERITY_ERROR, frame);
    }
    { /* a count that runs past the end */
        a = fresh();
        handle(a);
        WORDS(a, 50);
        octets(a, 8);
        t = talk_new();
        frame = call(t, 3, NFS3_LOOKUP, a, NULL, 0);
        talk_expect(t, RULE_RPCR_2_2_4_2_01, SEVERITY_ERROR, frame);
    }
    { /* a count in the midst of a COMPOUND, too small and too large */
        for (int by = -4; by <= 8; by += 12) {
            a = compound(3);
            op_putfh(a);
            put_be32(a->p + 16, (uint32_t)(32 + by));
            WORDS(a, 15);
            name(a, "somename");
            op_getattr(a);
            t = talk_new();
            frame = call(t, 4, 1, a, NULL, 0);
            talk_expect(t, RULE_RPCR_2_2_4_2_01, SEVERITY_ERROR, frame);
        }
    }
    { /* roundup that is not zero */
        a = fresh();
        handle(a);
        WORDS(a, 5);
        octets(a, 8);
        t = talk_new();
        frame = call(t, 3, NFS3_LOOKUP, a, NULL, 0);
        talk_expect(t, RULE_RPCR_2_2_4_2_02, SEVERITY_WARNING, frame);
    }
    { /* in the credential */
        static const uint8_t body[] = {0, 0, 0, 1, 0, 0, 0, 5, 'h', 'o', 's', 't', '5', 0,
                                       1, 0, 0, 0, 0, 0, 0, 0, 0,   0,   0,   0,   0,   0};
        struct rpc_message header = {
            .xid = XID, .type = RPC_CALL, .rpcvers = RPC_VERSION, .prog = TALK_NFS, .vers = 3, .proc = NFS3_GETATTR};
        struct rpc_body cred = {RPC_AUTH_SYS, body, sizeof body};
        struct rpcrdma_plan plan;
        uint8_t message[256];
        struct xdr_writer w = {.p = message, .size = sizeof message};

        a = fresh();
        handle(a);
        rpc_call_encode(&header, &cred, NULL, &w);
        t = talk_new();
        plan = talk_plan(t, C, XID);
        frame = talk_message(t, C, &plan, message, talk_append(&w, a->p, a->w.at));
        talk_expect(t, RULE_RPCR_2_2_4_2_02, SEVERITY_WARNING, frame);
    }
    { /* one octet more */
        a = fresh();
        handle(a);
        octets(a, 1);
        t = talk_new();
        frame = call(t, 3, NFS3_GETATTR, a, NULL, 0);
        talk_expect(t, RULE_RPCR_2_2_4_01, SEVERITY_ERROR, frame);
    }
    { /* cut off where the threshold ends */
        a = write3(8000, 8000);
        octets(a, 4096 - 28 - WRITE3_AT);
        t = talk_new();
        frame = call(t, 3, NFS3_WRITE, a, NULL, 0);
        talk_expect(t, RULE_RPCR_6_1_06, SEVERITY_ERROR, frame);
    }
}

/* ---- Long Calls ---- */

static void test_long_call_faults(void **state)
{
    uint8_t message[4096];
    struct rpcrdma_talk *t;
    struct args *a;
    size_t n;

    { /* another XID */
        n = rpc(message, sizeof message, 3, NFS3_WRITE, write3(0, 0));
        message[3] ^= 1;
        t = talk_new();
        long_call(t, message, n, NULL, 0);
        talk_expect(t, RULE_RPCR_4_2_1_02, SEVERITY_ERROR, t->frame);
    }
    { /* neither Call nor Reply */
        n = rpc(message, sizeof message, 3, NFS3_WRITE, write3(0, 0));
        message[7] = 2;
        t = talk_new();
        long_call(t, message, n, NULL, 0);
        talk_expect(t, RULE_RPCR_2_2_2_01, SEVERITY_ERROR, t->frame);
    }
    { /* a Reply */
        a = fresh();
        octets(a, 64);
        n = talk_rpc_reply(message, sizeof message, XID, RPC_SUCCESS, a->p, a->w.at);
        t = talk_new();
        long_call(t, message, n, NULL, 0);
        talk_expect(t, RULE_RPCR_3_5_3_04, SEVERITY_ERROR, t->frame);
    }
    { /* only its first part */
        a = write3(1000, 1000);
        octets(a, 1000);
        n = rpc(message, sizeof message, 3, NFS3_WRITE, a);
        t = talk_new();
        long_call(t, message, n - 600, NULL, 0);
        talk_expect(t, RULE_RPCR_3_5_3_04, SEVERITY_ERROR, t->frame);
    }
    { /* only its second part */
        t = talk_new();
        long_call(t, message + n - 600, 600, NULL, 0);
        talk_expect(t, RULE_RPCR_3_5_3_04, SEVERITY_ERROR, t->frame);
    }
    { /* its second part at a Position of its own */
        struct rpcrdma_read_segment read = segment((uint32_t)n - 600, 600);

        t = talk_new();
        long_call(t, message, n - 600, &read, 1);
        talk_expect(t, RULE_RPCR_3_5_3_03, SEVERITY_ERROR, t->frame);
    }
    { /* without the last roundup */
        a = write3(1001, 1001);
        octets(a, 1001);
        n = rpc(message, sizeof message, 3, NFS3_WRITE, a);
        t = talk_new();
        long_call(t, message, n, NULL, 0);
        talk_expect(t, RULE_RPCR_3_5_3_13, SEVERITY_ERROR, t->frame);
    }
    { /* without that of the first of two items */
        a = fresh();
        handle(a);
        WORDS(a, 5);
        octets(a, 5);
        handle(a);
        name(a, "abcdefg");
        n = rpc(message, sizeof message, 3, 14, a);
        t = talk_new();
        long_call(t, message, n, NULL, 0);
        talk_expect(t, RULE_RPCR_3_5_3_13, SEVERITY_ERROR, t->frame);
    }
    { /* four octets in front */
        n = rpc(message + 4, sizeof message - 4, 3, NFS3_WRITE, write3(0, 0));
        put_be32(message, 0);
        t = talk_new();
        long_call(t, message, n + 4, NULL, 0);
        talk_expect(t, RULE_RPCR_4_2_1_02, SEVERITY_ERROR, t->frame);
    }
    { /* a record mark in front */
        n = rpc(message + 4, sizeof message - 4, 3, NFS3_WRITE, write3(0, 0));
        put_be32(message, 0x80000000u | (uint32_t)n);
        t = talk_new();
        long_call(t, message, n + 4, NULL, 0);
        talk_expect(t, RULE_RPCR_3_2_04, SEVERITY_ERROR, t->frame);
    }
    { /* the verifier left out: the handle is taken for it */
        a = write3(0, 0);
        n = rpc(message, sizeof message, 3, NFS3_WRITE, a);
        memmove(message + 32, message + 40, n - 40);
        t = talk_new();
        long_call(t, message, n - 8, NULL, 0);
        talk_expect(t, RULE_RPCR_4_03, SEVERITY_ERROR, t->frame);
    }
}

/* A COMPOUND without verifier: its tag and minor version look like one. */
static void test_no_verifier(void **state)
{
    struct rpcrdma_talk *t = talk_new();
    struct rpcrdma_plan plan = talk_plan(t, C, XID);
    struct args *a = compound(2);
    uint8_t message[256];
    uint32_t frame;
    size_t n;

    op_putfh(a);
    op_getattr(a);
    n = rpc(message, sizeof message, 4, 1, a);
    memmove(message + 32, message + 40, n - 40);
    frame = talk_message(t, C, &plan, message, n - 8);
    talk_expect(t, RULE_RPCR_4_03, SEVERITY_ERROR, frame);
}

/* Roundup in a Read chunk. */
static void test_roundup_in_chunk(void **state)
{
    struct rpcrdma_read_segment read = segment(WRITE3_AT, 8);
    struct rpcrdma_talk *t = talk_new();

    call(t, 3, NFS3_WRITE, write3(5, 5), &read, 1);
    assert_int_equal(t->seen.n, 1); /* that it is there */
    t->seen.n = 0;
    talk_read(t, S, STAG, 0x10000, "abcde\0\0", 8);
    findings_passed(&t->seen, RULE_RPCR_2_2_4_2_02);
    answer_error(t);
    call(t, 3, NFS3_WRITE, write3(5, 5), &read, 1);
    t->seen.n = 0;
    talk_read(t, S, STAG, 0x10000, "abcdefgh", 8);
    talk_expect(t, RULE_RPCR_2_2_4_2_02, SEVERITY_WARNING, t->frame);
}

/* ---- Write chunks ---- */

static void test_write_lists(void **state)
{
    static const struct rpcrdma_segment segments[] = {{1, 4096, 0}, {2, 4096, 0}, {3, 8, 0}, {4, 5, 0}};
    static const struct {
        enum rule_id rule; /* RULE_COUNT: none */
        enum rule_severity severity;
        uint32_t count;
        uint32_t n;
        struct rpcrdma_write_plan writes[2];
    } cases[] = {
        {RULE_COUNT, 0, 4096, 1, {{segments, 1}}},
        {RULE_COUNT, 0, 4095, 1, {{segments, 2}}},
        {RULE_COUNT, 0, 8192, 1, {{segments, 0}}},
        {RULE_COUNT, 0, 5, 1, {{segments + 3, 1}}},
        {RULE_COUNT, 0, 8, 1, {{segments + 2, 1}}},
        {RULE_RPCR_3_4_6_02, SEVERITY_ERROR, 8192, 1, {{segments, 1}}},
        {RULE_RPCR_3_4_6_2_01, SEVERITY_WARNING, 5, 1, {{segments + 2, 1}}},
        {RULE_RPCR_4_3_2_1_01, SEVERITY_ERROR, 4096, 2, {{segments, 1}, {segments, 2}}},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct rpcrdma_write_plan reply = {(const struct rpcrdma_segment[]){{9, 60000, 0}}, 1};
        struct rpcrdma_talk *t = talk_new();
        struct rpcrdma_plan plan = talk_plan(t, C, XID);
        struct args *a = fresh();
        uint32_t frame;

        handle(a);
        WORDS(a, 0, 0, cases[i].count);
        plan.writes = cases[i].writes;
        plan.n_writes = cases[i].n;
        plan.reply = cases[i].writes[0].n == 0 ? &reply : NULL;
        frame = talk_call_with(t, C, &plan, TALK_NFS, 3, NFS3_READ, a->p, a->w.at);
        if (cases[i].rule == RULE_COUNT)
            talk_expect_nothing(t);
        else
            talk_expect(t, cases[i].rule, cases[i].severity, frame);
    }
    {
        const struct rpcrdma_write_plan one = {segments, 1};
        struct rpcrdma_talk *t = talk_new();
        struct args *a = fresh();
        uint32_t frame;

        handle(a);
        frame = call_write(t, 3, NFS3_GETATTR, a, &one, 1);
        talk_expect(t, RULE_RPCR_4_3_2_02, SEVERITY_ERROR, frame);

        t = talk_new();
        a = compound(3);
        op_putfh(a);
        op_read(a, 8192);
        op_getattr(a);
        frame = call_write(t, 4, 1, a, &one, 1);
        talk_expect(t, RULE_RPCR_3_4_6_02, SEVERITY_ERROR, frame);

        t = talk_new();
        a = compound(2);
        op_putfh(a);
        op_getattr(a);
        frame = call_write(t, 4, 1, a, &one, 1);
        talk_expect(t, RULE_RPCR_4_3_2_02, SEVERITY_ERROR, frame);
    }
}

/* ---- RPCSEC_GSS ---- */

static void test_gss(void **state)
{
    static const struct {
        enum rule_id rule;
        uint32_t gss_proc, service, position;
        bool write;
    } cases[] = {
        {RULE_COUNT, RPC_GSS_DATA, RPC_GSS_SVC_NONE, TALK_GSS_OCTETS + WRITE3_AT, false},
        {RULE_RPCR_8_2_2_3_01, RPC_GSS_DATA, RPC_GSS_SVC_INTEGRITY, TALK_GSS_OCTETS + WRITE3_AT + 8, false},
        {RULE_RPCR_8_2_2_3_01, RPC_GSS_DATA, RPC_GSS_SVC_PRIVACY, TALK_GSS_OCTETS + WRITE3_AT + 8, false},
        {RULE_RPCR_8_2_2_3_02, RPC_GSS_DATA, RPC_GSS_SVC_PRIVACY, 0, true},
        {RULE_RPCR_8_2_2_01, RPC_GSS_INIT, RPC_GSS_SVC_NONE, 60, false},
    };
    struct rpcrdma_write_plan write = {(const struct rpcrdma_segment[]){{1, 4096, 0}}, 1};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct rpcrdma_talk *t = talk_new();
        struct rpcrdma_plan plan = talk_plan(t, C, XID);
        struct rpcrdma_read_segment read = segment(cases[i].position, 4096);
        struct args *a = write3(4096, 4096);
        uint8_t message[512];
        size_t n;
        uint32_t frame;

        if (cases[i].service != RPC_GSS_SVC_NONE) {
            a = fresh();
            WORDS(a, 1000);
            octets(a, 200);
        }
        n = talk_rpc_gss_call(message, sizeof message, XID, cases[i].gss_proc, cases[i].service,
                              cases[i].gss_proc == RPC_GSS_DATA ? NFS3_WRITE : 0, a->p, a->w.at);
        plan.reads = &read;
        plan.n_reads = cases[i].position != 0;
        plan.writes = &write;
        plan.n_writes = cases[i].write;
        frame = talk_message(t, C, &plan, message, n);
        if (cases[i].rule == RULE_COUNT)
            talk_expect_nothing(t);
        else
            talk_expect(t, cases[i].rule, SEVERITY_ERROR, frame);
    }
}

/* The body of the credential and the verifier are in a Read chunk. */
static void test_gss_header_removed(void **state)
{
    struct rpcrdma_talk *t = talk_new();
    struct rpcrdma_plan plan = talk_plan(t, C, XID);
    uint8_t message[256];
    size_t n = talk_rpc_gss_call(message, sizeof message, XID, RPC_GSS_DATA, RPC_GSS_SVC_NONE, 0, NULL, 0);
    struct rpcrdma_read_segment read = segment(32, (uint32_t)n - 32);
    uint32_t frame;

    plan.reads = &read;
    plan.n_reads = 1;
    frame = talk_message(t, C, &plan, message, 32);
    talk_expect(t, RULE_RPCR_8_2_2_01, SEVERITY_ERROR, frame);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_write3),
        cmocka_unit_test(test_no_data),
        cmocka_unit_test(test_inline),
        cmocka_unit_test(test_segments),
        cmocka_unit_test(test_two_writes),
        cmocka_unit_test(test_symlink2),
        cmocka_unit_test(test_long_call),
        cmocka_unit_test(test_write3_faults),
        cmocka_unit_test(test_compound_faults),
        cmocka_unit_test(test_not_eligible),
        cmocka_unit_test(test_empty_list),
        cmocka_unit_test(test_auxiliary),
        cmocka_unit_test(test_surplus),
        cmocka_unit_test(test_items),
        cmocka_unit_test(test_long_call_faults),
        cmocka_unit_test(test_no_verifier),
        cmocka_unit_test(test_roundup_in_chunk),
        cmocka_unit_test(test_write_lists),
        cmocka_unit_test(test_gss),
        cmocka_unit_test(test_gss_header_removed),
    };

    return cmocka_run_group_tests_name("engine_rpcrdma_call", tests, NULL, NULL);
}
