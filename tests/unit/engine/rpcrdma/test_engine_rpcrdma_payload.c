// SPDX-License-Identifier: GPL-2.0-or-later
/* How rpcrdma_payload.c handles RPC messages: items, chunks, lengths, ways of reduction; bounded for any input. */
#include "engine/rpcrdma/rpcrdma_internal.h"
#include "tests/unit/support/rpcrdma_talk.h"

enum { XID = 0x20, RPC_LEN = 40, NFS3_READDIR = 16, NFS3_WRITE = 7 };

/* The latest body, and its parts that do not outlive the event. */
struct seen {
    unsigned calls, replies;
    struct rpcrdma_body body[2];
    struct rpcrdma_item items[2][16];
    struct nfs_value values[2][16];
    uint64_t hashes[8];
};

static void on_payload(void *ctx, const struct rpcrdma_payload *payload)
{
    struct seen *seen = ctx;
    unsigned which = payload->reply;

    if (!payload->reply && seen->calls < 8)
        seen->hashes[seen->calls] = payload->body->hash;
    *(payload->reply ? &seen->replies : &seen->calls) += 1;
    seen->body[which] = *payload->body;
    for (unsigned i = 0; i < payload->body->n_items && i < 16; i++)
        seen->items[which][i] = payload->body->items[i];
    for (unsigned i = 0; i < payload->body->n_values && i < 16; i++)
        seen->values[which][i] = payload->body->values[i];
}

static struct rpcrdma_talk *watched(struct seen *seen)
{
    struct rpcrdma_talk *t = talk_new();

    *seen = (struct seen){0};
    t->watch.ctx = seen;
    t->watch.payload = on_payload;
    return t;
}

static uint8_t space[400000];

static struct xdr_writer fresh(void)
{
    return (struct xdr_writer){.p = space, .size = sizeof space};
}

static void words(struct xdr_writer *w, const uint32_t *word, size_t n)
{
    for (size_t i = 0; i < n; i++)
        xdr_put_u32(w, word[i]);
}

#define WORDS(w, ...) words((w), (const uint32_t[]){__VA_ARGS__}, sizeof((const uint32_t[]){__VA_ARGS__}) / 4)

static void handle(struct xdr_writer *w)
{
    static const uint8_t octets[32] = {1, 2, 3};

    xdr_put_opaque(w, octets, sizeof octets);
}

/* Two READs and a READLINK between them; the second chunk is empty, the third has its intended contents. */
UNIT_TEST(pairing)
{
    static const struct rpcrdma_segment segments[] = {{1, 100, 0}, {2, 200, 0}};
    static const struct rpcrdma_write_plan writes[] = {{&segments[0], 1}, {NULL, 0}, {&segments[1], 1}};
    struct xdr_writer w = fresh();
    struct seen seen;
    struct rpcrdma_talk *t = watched(&seen);
    struct rpcrdma_plan plan = talk_plan(t, C, XID);
    const struct nfs_value *count;
    unsigned i = 0;

    WORDS(&w, 0, 1, 5, NFS_OP_PUTFH);
    handle(&w);
    WORDS(&w, NFS_OP_READ, 1, 2, 3, 4, 0, 0, 100, NFS_OP_READLINK, NFS_OP_READ, 1, 2, 3, 4, 0, 0, 200);
    WORDS(&w, NFS_OP_GETATTR, 1, 0x18);
    plan.writes = writes;
    plan.n_writes = 3;
    talk_call_with(t, C, &plan, TALK_NFS, 4, 1, space, w.at);
    assert_true(seen.body[0].known && seen.body[0].walked);
    assert_int_equal(seen.body[0].reduction, RPCRDMA_REDUCED_STANDARD);
    assert_int_equal(seen.body[0].n_operations, 5);
    assert_int_equal(seen.body[0].unreduced, RPC_LEN + w.at);
    seen.body[0].values = seen.values[0];
    count = rpcrdma_value(&seen.body[0], NFS_MARK_COUNT, NFS_OP_READ, &i);
    assert_non_null(count);
    assert_int_equal(count->value, 100);
    count = rpcrdma_value(&seen.body[0], NFS_MARK_COUNT, NFS_OP_READ, &i);
    assert_non_null(count);
    assert_int_equal(count->value, 200);
    assert_null(rpcrdma_value(&seen.body[0], NFS_MARK_COUNT, NFS_OP_READ, &i));

    w = fresh();
    WORDS(&w, 0, 0, 5, NFS_OP_PUTFH, 0, NFS_OP_READ, 0, 0, 99, NFS_OP_READLINK, 0);
    xdr_put_opaque(&w, "/some/where", 11);
    WORDS(&w, NFS_OP_READ, 0, 1, 7, NFS_OP_GETATTR, 0, 1, 0x18, 16, 1, 2, 3, 4);
    talk_write(t, S, 1, 0, NULL, 99);
    talk_write(t, S, 2, 0, NULL, 7);
    plan = talk_plan(t, S, XID);
    plan.writes = (const struct rpcrdma_write_plan[]){
        {(const struct rpcrdma_segment[]){{1, 99, 0}}, 1}, {NULL, 0}, {(const struct rpcrdma_segment[]){{2, 7, 0}}, 1}};
    plan.n_writes = 3;
    talk_reply_with(t, S, &plan, space, w.at);
    assert_true(seen.body[1].known && seen.body[1].walked);
    assert_int_equal(seen.body[1].reduction, RPCRDMA_REDUCED_STANDARD);
    assert_int_equal(seen.body[1].walk.left, 0);
    /* tag, three results, attributes */
    assert_int_equal(seen.body[1].n_items, 5);
    assert_int_equal(seen.items[1][1].chunk, 0);
    assert_int_equal(seen.items[1][2].chunk, -1);
    assert_int_equal(seen.items[1][3].chunk, 2);
    assert_int_equal(seen.items[1][2].read_class, 1);
    assert_int_equal(seen.items[1][3].read_class, 2);
    assert_int_equal(seen.body[1].unreduced, 24 + w.at + 100 + 8);
    t->seen.n = 0;
    talk_expect_nothing(t);
}

/* Equal requests have equal hashes for any XID. */
UNIT_TEST(hash)
{
    struct xdr_writer w = fresh();
    struct seen seen;
    struct rpcrdma_talk *t = watched(&seen);

    handle(&w);
    for (uint32_t i = 0; i < 3; i++) {
        struct rpcrdma_plan plan = talk_plan(t, C, XID + i);

        if (i == 2)
            space[35] ^= 1;
        talk_call_with(t, C, &plan, TALK_NFS, 3, 1, space, w.at);
    }
    assert_int_equal(seen.calls, 3);
    assert_true(seen.hashes[0] == seen.hashes[1]);
    assert_true(seen.hashes[0] != seen.hashes[2]);
    talk_expect_nothing(t);
}

/* A directory with more names than are kept: still walked to its end. */
UNIT_TEST(bounds)
{
    struct rpcrdma_write_plan reply = {(const struct rpcrdma_segment[]){{1, 300000, 0}}, 1};
    struct xdr_writer w = fresh();
    struct seen seen;
    struct rpcrdma_talk *t = watched(&seen);
    struct rpcrdma_plan plan = talk_plan(t, C, XID);
    static uint8_t message[400000];
    size_t n;

    handle(&w);
    WORDS(&w, 0, 0, 0, 0, 290000);
    plan.reply = &reply;
    talk_call_with(t, C, &plan, TALK_NFS, 3, NFS3_READDIR, space, w.at);
    w = fresh();
    WORDS(&w, 0, 0, 1, 2);
    for (uint32_t i = 0; i < 8000; i++)
        WORDS(&w, 1, 0, i + 1, 4, 0x61626364, 0, i + 1);
    WORDS(&w, 0, 1);
    n = talk_rpc_reply(message, sizeof message, XID, RPC_SUCCESS, space, w.at);
    talk_write(t, S, 1, 0, message, n);
    plan = talk_plan(t, S, XID);
    plan.proc = RPCRDMA_NOMSG;
    plan.reply = &(struct rpcrdma_write_plan){(const struct rpcrdma_segment[]){{1, (uint32_t)n, 0}}, 1};
    talk_message(t, S, &plan, NULL, 0);
    assert_int_equal(seen.replies, 1);
    assert_true(seen.body[1].cut);
    assert_int_equal(seen.body[1].n_items, RPCRDMA_BODY_MAX);
    assert_int_equal(seen.body[1].walk.status, NFS_WALK_OK);
    assert_int_equal(seen.body[1].unreduced, n);
    talk_expect_nothing(t);
}

/* Unknown programs, protected arguments: known, but not walked. */
UNIT_TEST(not_walked)
{
    struct seen seen;
    struct rpcrdma_talk *t = watched(&seen);
    struct rpcrdma_plan plan = talk_plan(t, C, XID);
    struct rpcrdma_read_segment read = {60, {7, 100, 0}};

    memset(space, 1, 64);
    plan.reads = &read;
    plan.n_reads = 1;
    talk_call_with(t, C, &plan, 400000, 1, 3, space, 64);
    assert_true(seen.body[0].known && !seen.body[0].walked && !seen.body[0].wrapped);
    assert_null(seen.body[0].procedure);
    talk_expect(t, RULE_RPCR_3_4_2_02, SEVERITY_WARNING, t->frame);
}

/* Arguments with integrity can be read, with privacy they cannot. */
UNIT_TEST(integrity)
{
    for (uint32_t service = RPC_GSS_SVC_INTEGRITY; service <= RPC_GSS_SVC_PRIVACY; service++) {
        static const uint8_t mic[24];
        struct rpc_message header = {
            .xid = XID, .type = RPC_CALL, .rpcvers = RPC_VERSION, .prog = TALK_NFS, .vers = 3, .proc = 6};
        uint8_t body[20], message[512];
        struct rpc_body cred = {RPC_AUTH_GSS, body, sizeof body}, verf = {RPC_AUTH_GSS, mic, sizeof mic};
        struct xdr_writer w = {.p = message, .size = sizeof message}, args = fresh();
        struct seen seen;
        struct rpcrdma_talk *t = watched(&seen);
        struct rpcrdma_plan plan = talk_plan(t, C, XID);

        talk_words(body, sizeof body, (const uint32_t[]){1, RPC_GSS_DATA, 7, service, 0}, 5);
        rpc_call_encode(&header, &cred, &verf, &w);
        WORDS(&args, 7);
        handle(&args);
        WORDS(&args, 0, 0, 1000);
        xdr_put_opaque(&w, space, (uint32_t)args.at);
        if (service == RPC_GSS_SVC_INTEGRITY)
            xdr_put_opaque(&w, mic, sizeof mic);
        talk_message(t, C, &plan, message, w.at);
        assert_true(seen.body[0].known && seen.body[0].wrapped);
        assert_int_equal(seen.body[0].walked, service == RPC_GSS_SVC_INTEGRITY);
        if (seen.body[0].walked) {
            assert_int_equal(seen.values[0][0].mark, NFS_MARK_COUNT);
            assert_int_equal(seen.values[0][0].value, 1000);
        }
        talk_expect_nothing(t);
    }
}

/* How a payload is interpreted, and its items then. */
UNIT_TEST(ways)
{
    static const struct {
        enum rpcrdma_reduction reduction;
        uint32_t position, length, is_inline;
    } cases[] = {
        {RPCRDMA_REDUCED_STANDARD, 96, 1001, 0},  {RPCRDMA_REDUCED_STANDARD, 96, 1004, 0},
        {RPCRDMA_REDUCED_ROUNDUP, 96, 1001, 3},   {RPCRDMA_REDUCED_INLINE, 96, 1001, 1004},
        {RPCRDMA_REDUCED_IN_ORDER, 148, 1001, 0}, {RPCRDMA_REDUCED_PARTIAL, 96, 500, 504},
        {RPCRDMA_REDUCED_NONE, 500, 500, 20},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct xdr_writer w = fresh();
        struct seen seen;
        struct rpcrdma_talk *t = watched(&seen);
        struct rpcrdma_plan plan = talk_plan(t, C, XID);
        struct rpcrdma_read_segment read = {cases[i].position, {7, cases[i].length, 0}};

        handle(&w);
        WORDS(&w, 0, 0, 1001, 2, 1001);
        memset(space + w.at, 0, cases[i].is_inline);
        plan.reads = &read;
        plan.n_reads = 1;
        talk_call_with(t, C, &plan, TALK_NFS, 3, NFS3_WRITE, space, w.at + cases[i].is_inline);
        assert_int_equal(seen.body[0].reduction, cases[i].reduction);
        if (cases[i].reduction != RPCRDMA_REDUCED_NONE) {
            assert_int_equal(seen.body[0].unreduced, 96 + 1004);
            assert_int_equal(seen.items[0][1].item.position, 96);
            assert_int_equal(seen.items[0][1].chunk, cases[i].reduction == RPCRDMA_REDUCED_INLINE ? -1 : 0);
        }
        talk_free(t);
    }
}

/* Messages and lists with any octets changed: only findings result. */
UNIT_TEST(mutations)
{
    uint64_t seed = 1;

    for (unsigned round = 0; round < 4000; round++) {
        static uint8_t message[4096];
        struct rpcrdma_read_segment reads[2] = {{136, {7, 1001, 0}}, {140, {8, 60, 0}}};
        struct rpcrdma_write_plan write = {(const struct rpcrdma_segment[]){{9, 4096, 0}}, 1};
        struct xdr_writer w = fresh();
        struct seen seen;
        struct rpcrdma_talk *t = watched(&seen);
        struct rpcrdma_plan plan = talk_plan(t, C, XID);
        size_t n, from;

        WORDS(&w, 0, 1, 4, NFS_OP_PUTFH);
        handle(&w);
        WORDS(&w, NFS_OP_WRITE, 1, 2, 3, 4, 0, 0, 2, 1001, NFS_OP_READ, 1, 2, 3, 4, 0, 0, 4096);
        WORDS(&w, NFS_OP_GETATTR, 2, 0x18, 0x30);
        n = talk_rpc_call(message, sizeof message, XID, TALK_NFS, 4, 1, space, w.at);
        plan.reads = reads;
        plan.n_reads = 1 + round % 2;
        plan.writes = &write;
        plan.n_writes = 1;
        n = talk_put_message(t, &plan, message, n);
        from = round % 4 == 0 ? RPCRDMA_FIXED_LEN : RPCRDMA_HEADER_MIN + 24;
        for (unsigned k = 0; k <= round % 5; k++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            t->send[from + (seed >> 33) % (n - from)] = (uint8_t)(seed >> 24 & (round % 3 ? 7 : 255));
        }
        talk_send_octets(t, C, t->send, n - (round % 7 == 0 ? (seed >> 40) % 32 : 0));
        t->seen.n = 0;
        talk_free(t);
    }
}
