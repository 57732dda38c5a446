// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An RPC-over-RDMA end with a plain queue pair that sends anything: messages are answered, or discarded silently, as
 * RFC 8166 section 4.5 requires, and the connection continues.
 */
#include "tests/unit/support/rpc_ends.h"
#include "wire/rpcrdma_private_data.h"

enum { RAW, END, REGION = 8192, BASE = 0x1000, STAG = 0x77 };

struct bench {
    struct pair *pair;
    struct qp *raw;
    struct memory *memory;
    uint8_t region[REGION];
    struct rpc_end *end;
    GByteArray *heard; /* the last Send of the end */
    unsigned n_heard, called, replied, terminates;
    enum rpc_end_result result;
    bool invalidated, answers;
    uint32_t invalidated_stag;
};

static void on_received(void *ctx, const struct qp_message *message)
{
    struct bench *bench = ctx;

    g_byte_array_set_size(bench->heard, 0);
    g_byte_array_append(bench->heard, message->p, (guint)message->n);
    bench->n_heard++;
    bench->invalidated = message->invalidated;
    bench->invalidated_stag = message->invalidated_stag;
}

static void on_called(void *ctx, uint64_t id, const struct rpc_end_message *call, const struct rpc_message *header)
{
    struct bench *bench = ctx;
    struct xdr_writer w = {.p = g_malloc(24), .size = 24};
    struct rpc_end_message reply = {.p = w.p, .n = 24};

    bench->called++;
    rpc_reply_encode(&(struct rpc_message){.xid = header->xid}, NULL, &w);
    if (bench->answers)
        rpc_end_reply(bench->end, id, &reply);
    g_free(reply.p);
}

static void on_replied(void *ctx, uint64_t cookie, enum rpc_end_result result, const struct rpc_end_message *reply)
{
    struct bench *bench = ctx;

    bench->replied++;
    bench->result = result;
}

static void on_terminated(void *ctx, bool ours, const struct rdmap_terminate *terminate)
{
    struct bench *bench = ctx;

    bench->terminates++;
}

static void raw_receive(void *end, const uint8_t *p, size_t n)
{
    qp_receive(end, p, n);
}

static void raw_receive_fin(void *end)
{
    qp_receive_fin(end);
}

static void raw_send(struct bench *bench, const uint8_t *p, size_t n)
{
    assert_true(qp_post(bench->raw, &(struct qp_work){.kind = QP_SEND, .p = p, .n = n}));
    assert_true(pair_run(bench->pair, STEPS));
}

/* client: the plain queue pair is the server. tells: it sends private data with R. */
static void bench_open(struct bench *bench, bool client, uint32_t size, bool tells)
{
    static const struct rpcrdma_private_data data = {
        .version = 1, .remote_invalidation = true, .send_size = 4096, .receive_size = 4096};
    uint8_t private_data[RPCRDMA_PD_LEN];
    const struct rpc_end_events events = {
        .ctx = bench, .called = on_called, .replied = on_replied, .terminated = on_terminated};
    const struct qp_events raw_events = {.ctx = bench, .received = on_received};
    struct rpc_end_options options = ends_options(size, 4);
    struct qp_options raw = {
        .mpa = {.revision = 2, .crc = true}, .receives = 64, .receive_size = 4096, .repost = true, .ird = 8, .ord = 8};

    *bench = (struct bench){.heard = g_byte_array_new(), .memory = memory_new(9), .pair = pair_new(1460, 0)};
    memory_register_as(bench->memory, STAG, bench->region, REGION, BASE, 3, true);
    bench->answers = true;
    raw.mpa.role = client ? MPA_END_RESPONDER : MPA_END_INITIATOR;
    options.qp.mpa.role = client ? MPA_END_INITIATOR : MPA_END_RESPONDER;
    options.backchannel_chunks = false;
    if (tells) {
        raw.mpa.private_data = private_data;
        raw.mpa.private_length = (uint16_t)rpcrdma_private_data_encode(&data, private_data, sizeof private_data);
    }
    bench->raw = qp_new(&raw, bench->memory, pair_stream(bench->pair, RAW), &raw_events);
    bench->end = rpc_end_new(&options, pair_stream(bench->pair, END), &events, 3);
    pair_attach(bench->pair, RAW, &(struct pair_end){bench->raw, raw_receive, raw_receive_fin, NULL, NULL});
    pair_attach(bench->pair, END,
                &(struct pair_end){bench->end, ends_receive, ends_receive_fin, ends_receive_reset, ends_tick});
    qp_start(client ? bench->raw : rpc_end_qp(bench->end));
    qp_start(client ? rpc_end_qp(bench->end) : bench->raw);
    assert_true(pair_run(bench->pair, STEPS));
}

static void bench_close(struct bench *bench)
{
    qp_free(bench->raw);
    rpc_end_free(bench->end);
    memory_free(bench->memory);
    g_byte_array_unref(bench->heard);
    pair_free(bench->pair);
}

#define HEAD        "00000011 00000001 00000008 "
#define NULL_CALL   "00000011 00000000 00000002 000186a3 00000003 00000000 [16]"
#define LOOKUP_CALL "00000011 00000000 00000002 000186a3 00000003 00000003 [16]"
#define WRITE_CALL  "00000011 00000000 00000002 000186a3 00000003 00000007 [16]"
#define NO_LISTS    "00000000 00000000 00000000 "
#define SEGMENT     "00000077 00000064 00000000 00001000 "

enum { NOTHING, VERS, CHUNK, GARBAGE, MISMATCH, SUCCESS };

static const struct {
    const char *name, *octets;
    unsigned answer;
} calls[] = {
    {"sound", HEAD "00000000" NO_LISTS NULL_CALL, SUCCESS},
    {"nothing", "", NOTHING},
    {"shorter than a header", HEAD "00000000 00000000 00000000", NOTHING},
    {"its version is not looked at", "00000011 00000009 00000008 00000000", NOTHING},
    {"version 2", "00000011 00000002 00000008 00000000" NO_LISTS NULL_CALL, VERS},
    {"version 0 with lists that cannot be", "00000011 00000000 00000008 00000000 00000007 [64]", VERS},
    {"RDMA_DONE", HEAD "00000003", NOTHING},
    {"RDMA_DONE, longer", HEAD "00000003" NO_LISTS NULL_CALL, NOTHING},
    {"RDMA_ERROR", HEAD "00000004 00000002", NOTHING},
    {"RDMA_ERROR, longer", HEAD "00000004 00000001 00000001 00000001", NOTHING},
    {"RDMA_MSGP", HEAD "00000002 00000000 00000000" NO_LISTS NULL_CALL, CHUNK},
    {"rdma_proc 5", HEAD "00000005" NO_LISTS NULL_CALL, CHUNK},
    {"RDMA_NOMSG without chunks", HEAD "00000001" NO_LISTS, CHUNK},
    {"RDMA_NOMSG with a Reply chunk only", HEAD "00000001 00000000 00000000 00000001 00000001" SEGMENT, CHUNK},
    {"RDMA_NOMSG without Position 0", HEAD "00000001 00000001 00000040" SEGMENT "00000000 00000000 00000000", CHUNK},
    {"discriminator 2", HEAD "00000000 00000002 00000000 00000000" NULL_CALL, CHUNK},
    {"list that does not end", HEAD "00000000 00000001 00000040" SEGMENT "00000001 00000040", CHUNK},
    {"count beyond the Send", HEAD "00000000 00000000 00000001 ffffffff" NULL_CALL, CHUNK},
    {"XID of another message", "00000012 00000001 00000008 00000000" NO_LISTS NULL_CALL, CHUNK},
    {"no RPC message", HEAD "00000000" NO_LISTS, CHUNK},
    {"RDMA_MSG with Position 0", HEAD "00000000 00000001 00000000" SEGMENT "00000000 00000000 00000000" NULL_CALL,
     CHUNK},
    {"Position 42", HEAD "00000000 00000001 0000002a" SEGMENT "00000000 00000000 00000000" NULL_CALL, CHUNK},
    {"chunk of 4 GiB",
     HEAD "00000000 00000001 00000028 00000077 ffffffff 00000000 00001000 00000000 00000000 00000000" NULL_CALL, CHUNK},
    {"Position past the message", HEAD "00000000 00000001 00000100" SEGMENT "00000000 00000000 00000000" NULL_CALL,
     GARBAGE},
    {"file handle in a chunk",
     HEAD "00000000 00000001 0000002c" SEGMENT "00000000 00000000 00000000" LOOKUP_CALL "00000064 00000001 61000000",
     GARBAGE},
    {"chunk shorter than the data",
     HEAD "00000000 00000001 00000044" SEGMENT "00000000 00000000 00000000" WRITE_CALL
          "00000004 00000000 00000000 00000000 00000068 00000002 00000068",
     GARBAGE},
    {"data in a chunk",
     HEAD "00000000 00000001 00000044" SEGMENT "00000000 00000000 00000000" WRITE_CALL
          "00000004 00000000 00000000 00000000 00000064 00000002 00000064",
     SUCCESS},
    {"roundup in the chunk",
     HEAD "00000000 00000001 00000044" SEGMENT "00000000 00000000 00000000" WRITE_CALL
          "00000004 00000000 00000000 00000000 00000062 00000002 00000062",
     SUCCESS},
    {"RPC version 3", HEAD "00000000" NO_LISTS "00000011 00000000 00000003 000186a3 00000003 00000000 [16]", MISMATCH},
    {"Call cut short", HEAD "00000000" NO_LISTS "00000011 00000000 00000002 000186a3", GARBAGE},
    {"Long Call with the XID of another message",
     HEAD "00000001 00000001 00000000" SEGMENT "00000000 00000000 00000000", CHUNK},
};

static void assert_answer(const struct bench *bench, unsigned answer, uint32_t xid, uint32_t vers)
{
    const uint8_t *p = bench->heard->data;
    size_t n = bench->heard->len;

    assert_true(n >= RPCRDMA_ERR_CHUNK_LEN);
    assert_int_equal(get_be32(p), xid);
    assert_int_equal(get_be32(p + 4), answer == VERS ? vers : 1);
    assert_int_equal(get_be32(p + 8), 4); /* the grant */
    if (answer == VERS || answer == CHUNK) {
        assert_int_equal(get_be32(p + 12), RPCRDMA_ERROR);
        assert_int_equal(get_be32(p + 16), answer == VERS ? RPCRDMA_ERR_VERS : RPCRDMA_ERR_CHUNK);
        assert_int_equal(n, answer == VERS ? RPCRDMA_ERR_VERS_LEN : RPCRDMA_ERR_CHUNK_LEN);
        if (answer == VERS) {
            assert_int_equal(get_be32(p + 20), 1);
            assert_int_equal(get_be32(p + 24), 1);
        }
        return;
    }
    assert_int_equal(get_be32(p + 12), RPCRDMA_MSG);
    assert_true(n >= RPCRDMA_HEADER_MIN + 24);
    assert_int_equal(get_be32(p + 28), xid);
    assert_int_equal(get_be32(p + 32), RPC_REPLY);
    assert_int_equal(get_be32(p + 36), answer == MISMATCH ? RPC_MSG_DENIED : RPC_MSG_ACCEPTED);
    if (answer != MISMATCH)
        assert_int_equal(get_be32(p + 48), answer == GARBAGE ? RPC_GARBAGE_ARGS : RPC_SUCCESS);
}

UNIT_TEST(test_calls)
{
    struct bench bench;

    bench_open(&bench, false, 4096, false);
    for (size_t i = 0; i < 3 * ARRAY_LENGTH(calls); i++) { /* no Receive buffer is lost */
        uint8_t octets[1024];
        size_t n = octets_of(calls[i % ARRAY_LENGTH(calls)].octets, octets, sizeof octets);
        unsigned answer = calls[i % ARRAY_LENGTH(calls)].answer;

        bench.n_heard = 0;
        raw_send(&bench, octets, n);
        if (bench.n_heard != (answer != NOTHING))
            fail_msg("%s: %u answers", calls[i % ARRAY_LENGTH(calls)].name, bench.n_heard);
        if (answer != NOTHING)
            assert_answer(&bench, answer, get_be32(octets), get_be32(octets + 4));
    }
    assert_int_equal(bench.terminates, 0);
    bench_close(&bench);
}

/* A client accepts no chunks from the server (RFC 8167 section 5.3), and nothing that is neither Call nor Reply. */
UNIT_TEST(test_reverse_calls)
{
    static const struct {
        const char *octets;
        unsigned answer;
    } reverse[] = {
        {HEAD "00000000" NO_LISTS NULL_CALL, SUCCESS},
        {HEAD "00000000 00000000 00000000 00000001 00000001" SEGMENT NULL_CALL, CHUNK},
        {HEAD "00000001 00000001 00000000" SEGMENT "00000000 00000000 00000000", CHUNK},
        {"00000011 00000002 00000008 00000000" NO_LISTS NULL_CALL, VERS},
        {HEAD "00000007" NO_LISTS, NOTHING},
    };
    struct bench bench;
    uint8_t octets[1024];

    bench_open(&bench, true, 4096, false);
    assert_true(qp_post(rpc_end_qp(bench.end), &(struct qp_work){.kind = QP_WRITE})); /* a first FPDU */
    for (size_t i = 0; i < ARRAY_LENGTH(reverse); i++) {
        size_t n = octets_of(reverse[i].octets, octets, sizeof octets);

        bench.n_heard = 0;
        raw_send(&bench, octets, n);
        assert_int_equal(bench.n_heard, reverse[i].answer != NOTHING);
        if (reverse[i].answer != NOTHING)
            assert_answer(&bench, reverse[i].answer, 0x11, get_be32(octets + 4));
    }
    bench_close(&bench);
}

#define ACCEPTED "00000011 00000001 00000000 00000000 00000000 00000000 "
/* NFS3_OK without attributes, 100 octets, not the end, 100 octets in a chunk. */
#define READ_100    ACCEPTED "00000000 00000000 00000064 00000000 00000064"
#define CHUNK_OF(n) "00000001 00000001 00000000 " n " 00000000 00000000 00000000 "

enum { PENDING = 100 };

static const struct {
    const char *name, *octets;
    unsigned result;
} replies[] = {
    {"sound", HEAD "00000000 00000000" CHUNK_OF("00000064") "00000000" READ_100, RPC_END_REPLIED},
    {"unused", HEAD "00000000 00000000" CHUNK_OF("00000000") "00000000" ACCEPTED "0000000d 00000000", RPC_END_REPLIED},
    {"chunk without segments",
     HEAD "00000000 00000000 00000001 00000000 00000000 00000000" ACCEPTED "0000000d 00000000", RPC_END_REPLIED},
    {"no chunk", HEAD "00000000" NO_LISTS ACCEPTED "0000000d 00000000", RPC_END_REPLIED},
    {"ERR_CHUNK", HEAD "00000004 00000002", RPC_END_ERR_CHUNK},
    {"ERR_VERS", HEAD "00000004 00000001 00000002 00000003", RPC_END_ERR_VERS},
    {"fewer octets in the chunk", HEAD "00000000 00000000" CHUNK_OF("00000060") "00000000" READ_100, RPC_END_GARBAGE},
    {"octets in the chunk without a result",
     HEAD "00000000 00000000" CHUNK_OF("00000060") "00000000" ACCEPTED "0000000d 00000000", RPC_END_GARBAGE},
    {"result inline", HEAD "00000000 00000000" CHUNK_OF("00000000") "00000000" READ_100 "[100]", RPC_END_GARBAGE},
    {"nothing", "", PENDING},
    {"shorter than a header", HEAD "00000000 00000000", PENDING},
    {"another XID", "00000012 00000001 00000008 00000000" NO_LISTS ACCEPTED, PENDING},
    {"another XID within", HEAD "00000000" NO_LISTS "00000012 00000001 [16]", PENDING},
    {"version 2", "00000011 00000002 00000008 00000000" NO_LISTS ACCEPTED, PENDING},
    {"RDMA_MSGP", HEAD "00000002 00000000 00000000" NO_LISTS ACCEPTED, PENDING},
    {"RDMA_DONE", HEAD "00000003", PENDING},
    {"rdma_proc 5", HEAD "00000005" NO_LISTS, PENDING},
    {"Read list", HEAD "00000000 00000001 00000040" SEGMENT "00000000 00000000 00000000" ACCEPTED, PENDING},
    {"more chunks than offered",
     HEAD "00000000 00000000 00000001 00000000 00000001 00000000 00000000 00000000" ACCEPTED, PENDING},
    {"more octets than offered", HEAD "00000000 00000000" CHUNK_OF("00000065") "00000000" READ_100, PENDING},
    {"more segments than offered", HEAD "00000000 00000000 00000001 00000002 [32] 00000000 00000000" ACCEPTED, PENDING},
    {"Reply chunk that was not offered", HEAD "00000000 00000000 00000000 00000001 00000001 [16]" ACCEPTED, PENDING},
    {"RDMA_NOMSG without Reply chunk", HEAD "00000001" NO_LISTS, PENDING},
    {"list that does not end", HEAD "00000000 00000001 00000040 [12]", PENDING},
    {"RDMA_ERROR of no kind", HEAD "00000004 00000003", PENDING},
    {"RDMA_ERROR cut short", HEAD "00000004 00000001 00000001", PENDING},
    {"RDMA_ERROR for another XID", "00000012 00000001 00000008 00000004 00000002", PENDING},
    {"no RPC message", HEAD "00000000" NO_LISTS, PENDING},
};

UNIT_TEST(test_replies)
{
    static const struct rpc_sample read = {.procedure = "nfs3.read", .fields = "count=100"};
    static const struct rpc_end_how how = {.results = {100}, .reply_max = 200};

    for (size_t i = 0; i < ARRAY_LENGTH(replies); i++) {
        struct rpc_end_message call;
        struct bench bench;
        uint8_t octets[1024], again[1024];
        size_t n;

        bench_open(&bench, true, 4096, false);
        assert_true(rpc_sample_call(&read, 0x11, &call));
        rpc_end_call(bench.end, &call, &how, 1);
        g_free(call.p);
        assert_true(pair_run(bench.pair, STEPS));
        assert_int_equal(bench.n_heard, 1);
        for (unsigned k = 0; k < 3; k++) { /* discarded messages take no Receive buffer */
            n = octets_of(replies[i].octets, octets, sizeof octets);
            raw_send(&bench, octets, n);
        }
        assert_int_equal(bench.n_heard, 1); /* no answer in either case */
        assert_int_equal(bench.terminates, 0);
        if (bench.replied != (replies[i].result != PENDING))
            fail_msg("%s: %u results", replies[i].name, bench.replied);
        if (replies[i].result == PENDING) {
            n = octets_of(replies[0].octets, again, sizeof again);
            raw_send(&bench, again, n);
            assert_int_equal(bench.replied, 1);
            assert_int_equal(bench.result, RPC_END_REPLIED);
        } else {
            assert_int_equal(bench.result, replies[i].result);
        }
        assert_int_equal(rpc_end_outstanding(bench.end), 0);
        bench_close(&bench);
    }
}

/* RFC 8797 section 4.1: only when both ends set R, and only an STag of the Call. */
UNIT_TEST(test_invalidation)
{
    for (unsigned i = 0; i < 4; i++) {
        struct bench bench;
        uint8_t octets[1024];
        size_t n =
            octets_of(HEAD "00000000 00000000 00000000 00000001 00000001" SEGMENT NULL_CALL, octets, sizeof octets);

        bench_open(&bench, false, i & 1 ? 4096 : 0, i & 2);
        raw_send(&bench, octets, n);
        assert_int_equal(bench.n_heard, 1);
        assert_int_equal(bench.invalidated, i == 3);
        if (i == 3) {
            assert_int_equal(bench.invalidated_stag, STAG);
            n = octets_of(HEAD "00000000" NO_LISTS NULL_CALL, octets, sizeof octets);
            raw_send(&bench, octets, n);
            assert_false(bench.invalidated); /* no STag to choose */
        }
        bench_close(&bench);
    }
}

/* The queue pair refuses Calls beyond the grant; none of them piles up. */
UNIT_TEST(test_flood)
{
    struct bench bench;
    uint8_t octets[1024];
    size_t n = octets_of(HEAD "00000000" NO_LISTS NULL_CALL, octets, sizeof octets);

    bench_open(&bench, false, 4096, false);
    bench.answers = false;
    for (unsigned i = 0; i < 40 && bench.terminates == 0; i++)
        raw_send(&bench, octets, n);
    assert_int_equal(bench.terminates, 1);
    assert_true(bench.called >= 4 && bench.called <= 10);
    bench_close(&bench);
}
