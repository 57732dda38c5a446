// SPDX-License-Identifier: GPL-2.0-or-later
/* Calls and Replies of all shapes between two RPC-over-RDMA ends: everything arrives, within credits. */
#include "tests/unit/support/rpc_ends.h"

#define WRITE3(n)                                                                                                      \
    {                                                                                                                  \
        .procedure = "nfs3.write", .fields = "len=" #n                                                                 \
    }
#define READ3(n)                                                                                                       \
    {                                                                                                                  \
        .procedure = "nfs3.read", .fields = "count=" #n                                                                \
    }
#define COMPOUND(ops)                                                                                                  \
    {                                                                                                                  \
        .procedure = "nfs41.compound", .fields = ops                                                                   \
    }

/* Both kinds of peers, in both directions: with larger thresholds and remote invalidation, and with neither. */
static void in_all_settings(void (*test)(struct rpc_ends *ends, unsigned caller))
{
    for (unsigned i = 0; i < 8; i++) {
        const struct rpc_end_options plain = ends_options(0, 8), large = ends_options(4096, 8);
        struct rpc_ends ends;

        ends_open(&ends, i & 1 ? &plain : &large, i & 2 ? &plain : &large);
        /* The Responder of the MPA start-up may only send after the Initiator. */
        ends_call(&ends, CLIENT, &(struct rpc_sample){.procedure = "nfs3.null"}, NULL);
        ends_run(&ends);
        ends_assert_replied(&ends.side[CLIENT].calls[0]);
        test(&ends, i & 4 ? SERVER : CLIENT);
        assert_int_equal(ends.side[CLIENT].terminates + ends.side[SERVER].terminates, 0);
        ends_close(&ends);
    }
}

static void chunk_forms(struct rpc_ends *ends, unsigned caller)
{
    static const struct {
        struct rpc_sample sample;
        struct rpc_end_how how;
    } forms[] = {
        {{.procedure = "nfs3.getattr"}, {0}},
        {{.procedure = "nfs3.getattr"}, {.long_call = true}},
        {{.procedure = "nfs3.getattr"}, {.long_call = true, .segments = 3, .reply_max = 200}},
        {WRITE3(100), {0}},
        {WRITE3(100), {.reduce = true}},
        {WRITE3(101), {.reduce = true, .segments = 5}},
        {WRITE3(0), {.reduce = true}},
        {WRITE3(8191), {.reply_max = 300}},
        {WRITE3(8191), {.keep_inline = true}},
        {WRITE3(8190), {.keep_inline = true, .segments = 7}},
        {WRITE3(8189), {.reduce = true, .long_call = true, .segments = 2}},
        {WRITE3(1048576), {.segments = 4}},
        {{.procedure = "nfs3.symlink", .fields = "len=2001"}, {.reduce = true, .segments = 2}},
        {READ3(100), {0}},
        {READ3(101), {.results = {101}, .reply_max = 200}},
        {READ3(101), {.results = {200}, .segments = 3, .reply_max = 200}},
        {READ3(0), {.results = {200}, .reply_max = 200}},
        {READ3(101), {.results = {SIZE_MAX}, .reply_max = 400}},
        {READ3(8001), {.reply_max = 9000}},
        {READ3(8001), {.reply_max = 9000, .segments = 3}},
        {READ3(1048576), {.results = {1048576}, .segments = 8, .reply_max = 200}},
        {{"nfs3.read", "count=4096", "status=70"}, {.results = {4096}, .reply_max = 200}},
        {{.procedure = "nfs3.readlink"}, {.results = {1024}, .reply_max = 200}},
        {{.procedure = "nfs3.readdirplus", .fields = "maxcount=8192"}, {.reply_max = 8400}},
        {COMPOUND("putfh,write:3001,getattr"), {.reply_max = 600}},
        {COMPOUND("putfh,write:3001,write:0,write:77,getattr"), {.reduce = true, .segments = 2, .reply_max = 800}},
        {COMPOUND("putfh,write:3000,write:5000"), {.reduce = true, .long_call = true, .reply_max = 800}},
        {COMPOUND("putfh,read:3001,getattr"), {.results = {3001}, .reply_max = 800}},
        {COMPOUND("putfh,read:3001,read:0,read:33"), {.results = {3001, 100, 100}, .segments = 2, .reply_max = 800}},
        {COMPOUND("putfh,read:3001,read:40,read:33"), {.results = {3001, SIZE_MAX, 100}, .reply_max = 800}},
        {COMPOUND("putfh,read:3001,read:40,read:33"), {.results = {3001}, .reply_max = 800}},
        {COMPOUND("putfh,read:3001,readlink"), {.reply_max = 4000}},
        {COMPOUND("putfh,write:5000,read:6000"), {.results = {6000}, .reply_max = 4000, .segments = 3}},
    };
    unsigned first = ends->side[caller].n_calls;

    for (unsigned i = 0; i < ARRAY_LENGTH(forms); i++) {
        ends_call(ends, caller, &forms[i].sample, &forms[i].how);
        if (i % 3 == 0) /* some alone, some together */
            ends_run(ends);
    }
    ends_run(ends);
    for (unsigned i = 0; i < ARRAY_LENGTH(forms); i++)
        ends_assert_replied(&ends->side[caller].calls[first + i]);
    assert_int_equal(rpc_end_outstanding(ends->side[caller].end), 0);
}

UNIT_TEST(test_chunk_forms)
{
    in_all_settings(chunk_forms);
}

/* Octets of a Send with a sample's whole Call or Reply. */
static size_t whole_size(const struct rpc_sample *sample, bool is_reply)
{
    struct rpc_end_message call, reply = {0};
    size_t n;

    assert_true(rpc_sample_call(sample, 1, &call));
    assert_true(rpc_sample_reply(sample, &call, &reply));
    n = RPCRDMA_HEADER_MIN + (is_reply ? reply.n : call.n);
    g_free(call.p);
    g_free(reply.p);
    return n;
}

static void try_size(struct rpc_ends *ends, unsigned caller, const char *procedure, const char *field, bool is_reply,
                     size_t size, bool keep_inline)
{
    char fields[40];
    struct rpc_sample sample = {.procedure = procedure, .fields = fields};
    const struct rpc_end_how how = {.reply_max = is_reply ? size : 0, .keep_inline = keep_inline};
    struct rpc_ends_call *call = &ends->side[caller].calls[1];

    g_snprintf(fields, sizeof fields, "%s=0", field);
    g_snprintf(fields, sizeof fields, "%s=%zu", field, size - whole_size(&sample, is_reply));
    ends->side[caller].n_calls = 1; /* one at a time, in the same place */
    assert_ptr_equal(ends_call(ends, caller, &sample, &how), call);
    ends_run(ends);
    ends_assert_replied(call);
    g_free(call->message.p);
    g_free(call->reply.p);
    *call = (struct rpc_ends_call){0};
    ends->side[caller].n_calls = 1;
}

/* Octets around the threshold, for Calls and for Replies: one too many would end the connection. */
static void thresholds(struct rpc_ends *ends, unsigned caller)
{
    static const size_t sizes[] = {1024, 4096};

    for (unsigned i = 0; i < ARRAY_LENGTH(sizes); i++) {
        for (size_t size = sizes[i] - 12; size <= sizes[i] + 12; size += 2) {
            try_size(ends, caller, "nfs3.write", "len", false, size, size % 4);
            try_size(ends, caller, "nfs3.read", "count", true, size, false);
        }
    }
}

UNIT_TEST(test_thresholds)
{
    in_all_settings(thresholds);
}

static const struct rpc_sample getattr = {.procedure = "nfs3.getattr"};

/* Sections 3.3.1, 3.3.3: one Call before the first Reply, then the lower of what is requested and granted. */
static void credits(uint32_t requested, uint32_t granted, unsigned expected)
{
    const struct rpc_end_options client = ends_options(4096, requested), server = ends_options(4096, granted);
    struct rpc_ends ends;

    ends_open(&ends, &client, &server);
    ends.side[SERVER].later = true;
    for (unsigned i = 0; i < 30; i++)
        ends_call(&ends, CLIENT, &getattr, NULL);
    ends_run(&ends);
    assert_int_equal(ends.side[SERVER].in_service, 1);
    for (unsigned i = 0; i < 30; i++) {
        assert_int_equal(ends.side[CLIENT].calls[i].called, 1);
        ends_answer(&ends.side[SERVER], &ends.side[CLIENT].calls[i]);
        ends_run(&ends);
        assert_int_equal(rpc_end_outstanding(ends.side[CLIENT].end), ends.side[SERVER].in_service);
        ends_assert_replied(&ends.side[CLIENT].calls[i]);
    }
    assert_int_equal(ends.side[SERVER].most_in_service, expected);
    assert_int_equal(ends.side[CLIENT].terminates + ends.side[SERVER].terminates, 0);
    ends_close(&ends);
}

UNIT_TEST(test_credits)
{
    credits(8, 4, 4);
    credits(4, 8, 4);
    credits(1, 8, 1);
    credits(0, 0, 1);
    credits(20, 20, 20);
}

/* RFC 8167 section 4.1: a direction at its limit does not delay the other. */
UNIT_TEST(test_directions)
{
    const struct rpc_end_options options = ends_options(4096, 3);
    struct rpc_ends ends;

    ends_open(&ends, &options, &options);
    ends_call(&ends, CLIENT, &getattr, NULL);
    ends_call(&ends, SERVER, &getattr, NULL);
    ends_run(&ends);
    ends.side[SERVER].later = true;
    for (unsigned i = 0; i < 10; i++)
        ends_call(&ends, CLIENT, &getattr, NULL);
    for (unsigned i = 0; i < 10; i++)
        ends_call(&ends, SERVER, &getattr, NULL);
    ends_run(&ends);
    assert_int_equal(ends.side[SERVER].in_service, 3);
    for (unsigned i = 0; i <= 10; i++)
        ends_assert_replied(&ends.side[SERVER].calls[i]);
    ends_close(&ends);
}

/* The last credit is for the Call that checks whether the server is alive. */
UNIT_TEST(test_kept_credit)
{
    struct rpc_end_options client = ends_options(4096, 4);
    const struct rpc_end_options server = client;
    struct rpc_ends ends;

    client.keep_credit = true;
    ends_open(&ends, &client, &server);
    ends_call(&ends, CLIENT, &getattr, NULL);
    ends_run(&ends);
    ends.side[SERVER].later = true;
    for (unsigned i = 0; i < 10; i++)
        ends_call(&ends, CLIENT, &getattr, NULL);
    ends_run(&ends);
    assert_int_equal(ends.side[SERVER].in_service, 3);
    assert_int_equal(ends_call(&ends, CLIENT, &getattr, &(struct rpc_end_how){.urgent = true})->called, 0);
    ends_run(&ends);
    assert_int_equal(ends.side[SERVER].in_service, 4);
    assert_int_equal(ends.side[CLIENT].calls[11].called, 1);
    ends_close(&ends);
}

/* In flight, waiting, and made afterwards. */
UNIT_TEST(test_lost)
{
    for (unsigned reset = 0; reset < 2; reset++) {
        const struct rpc_end_options options = ends_options(4096, 4);
        struct rpc_ends ends;

        ends_open(&ends, &options, &options);
        ends.side[SERVER].later = true;
        for (unsigned i = 0; i < 10; i++)
            ends_call(&ends, CLIENT, &getattr, NULL);
        ends_run(&ends);
        qp_close(rpc_end_qp(ends.side[SERVER].end), reset);
        ends_run(&ends);
        ends_call(&ends, CLIENT, &getattr, NULL);
        for (unsigned i = 0; i < 11; i++) {
            assert_int_equal(ends.side[CLIENT].calls[i].replied, 1);
            assert_int_equal(ends.side[CLIENT].calls[i].result, RPC_END_LOST);
        }
        assert_true(ends.side[CLIENT].ended);
        ends_answer(&ends.side[SERVER], &ends.side[CLIENT].calls[0]); /* for nobody */
        ends_close(&ends);
    }
}

/* A Transport header that is too long for the threshold, and a Reply without room. */
UNIT_TEST(test_no_room)
{
    static const struct rpc_sample read = {.procedure = "nfs3.read", .fields = "count=4000"};
    const struct rpc_end_options options = ends_options(0, 4);
    struct rpc_ends ends;

    ends_open(&ends, &options, &options);
    ends_call(&ends, CLIENT, &read, &(struct rpc_end_how){.results = {4000}, .segments = 70, .reply_max = 200});
    ends_call(&ends, CLIENT, &read, &(struct rpc_end_how){.results = {3999}, .segments = 3, .reply_max = 200});
    ends_call(&ends, CLIENT, &read, NULL);
    ends_call(&ends, CLIENT, &read, &(struct rpc_end_how){.reply_max = 1100});
    ends_call(&ends, CLIENT, &read, &(struct rpc_end_how){.reply_max = 5000});
    ends_run(&ends);
    assert_int_equal(ends.side[CLIENT].calls[0].result, RPC_END_UNSENT);
    for (unsigned i = 1; i < 4; i++)
        assert_int_equal(ends.side[CLIENT].calls[i].result, RPC_END_ERR_CHUNK);
    ends_assert_replied(&ends.side[CLIENT].calls[4]);
    ends_close(&ends);
}

static bool drop_sends(void *ctx, struct qp_work *work)
{
    unsigned *posted = ctx;

    ++*posted;
    return work->kind != QP_SEND;
}

static enum rpc_end_answer refuse(void *ctx, const struct rpc_end_incoming *incoming, enum rpc_end_answer due)
{
    unsigned *asked = ctx;

    ++*asked;
    assert_true(incoming->call);
    assert_int_equal(due, RPC_END_SERVE);
    return RPC_END_SAY_CHUNK;
}

static void spoil_version(void *ctx, struct rpcrdma_plan *plan)
{
    plan->vers = 7;
}

UNIT_TEST(test_spoil)
{
    const struct rpc_end_options options = ends_options(4096, 4);
    unsigned asked = 0, posted = 0;
    struct rpc_ends ends;

    ends_open(&ends, &options, &options);
    rpc_end_set_spoil(ends.side[SERVER].end, &(struct rpc_end_spoil){.ctx = &asked, .decide = refuse});
    ends_call(&ends, CLIENT, &getattr, NULL);
    ends_run(&ends);
    assert_int_equal(asked, 1);
    assert_int_equal(ends.side[CLIENT].calls[0].result, RPC_END_ERR_CHUNK);
    rpc_end_set_spoil(ends.side[SERVER].end, NULL);
    rpc_end_set_spoil(ends.side[CLIENT].end, &(struct rpc_end_spoil){.header = spoil_version});
    ends_call(&ends, CLIENT, &getattr, NULL);
    ends_run(&ends);
    /* ERR_VERS copies that version, which the client does not know. */
    assert_int_equal(ends.side[CLIENT].calls[1].called + ends.side[CLIENT].calls[1].replied, 0);
    rpc_end_set_spoil(ends.side[CLIENT].end, &(struct rpc_end_spoil){.ctx = &posted, .work = drop_sends});
    ends_call(&ends, CLIENT, &getattr, NULL);
    ends_run(&ends);
    assert_int_equal(posted, 0); /* no credit */
    assert_int_equal(rpc_end_outstanding(ends.side[CLIENT].end), 1);
    ends_close(&ends);
}
