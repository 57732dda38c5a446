// SPDX-License-Identifier: GPL-2.0-or-later
/* Calls and Replies of all shapes between two RPC-over-RDMA ends: what was said arrives, within credits. */
#include "tests/unit/rpc_end_talk.h"

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

/* Both kinds of peers, in both directions: with larger thresholds and remote invalidation, and with none of that. */
static void in_all_settings(void (*test)(struct talk *talk, unsigned caller))
{
    for (unsigned i = 0; i < 8; i++) {
        const struct rpc_end_options plain = talk_options(0, 8), large = talk_options(4096, 8);
        struct talk talk;

        talk_open(&talk, i & 1 ? &plain : &large, i & 2 ? &plain : &large);
        /* The Responder of the MPA start-up may only speak when the Initiator has. */
        talk_call(&talk, CLIENT, &(struct rpc_sample){.procedure = "nfs3.null"}, NULL);
        talk_run(&talk);
        assert_replied(&talk.side[CLIENT].calls[0]);
        test(&talk, i & 4 ? SERVER : CLIENT);
        assert_int_equal(talk.side[CLIENT].terminates + talk.side[SERVER].terminates, 0);
        talk_close(&talk);
    }
}

static void chunk_forms(struct talk *talk, unsigned caller)
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
        {COMPOUND("putfh,read:3001,read:0,read:33"),
         {.results = {3001, 100, 100}, .many_writes = true, .segments = 2, .reply_max = 800}},
        {COMPOUND("putfh,read:3001,read:40,read:33"),
         {.results = {3001, SIZE_MAX, 100}, .many_writes = true, .reply_max = 800}},
        {COMPOUND("putfh,read:3001,read:40,read:33"), {.results = {3001}, .reply_max = 800}},
        {COMPOUND("putfh,read:3001,readlink"), {.reply_max = 4000}},
        {COMPOUND("putfh,write:5000,read:6000"), {.results = {6000}, .reply_max = 4000, .segments = 3}},
    };
    unsigned first = talk->side[caller].n_calls;

    for (unsigned i = 0; i < ARRAY_LENGTH(forms); i++) {
        talk_call(talk, caller, &forms[i].sample, &forms[i].how);
        if (i % 3 == 0) /* some alone, some together */
            talk_run(talk);
    }
    talk_run(talk);
    for (unsigned i = 0; i < ARRAY_LENGTH(forms); i++)
        assert_replied(&talk->side[caller].calls[first + i]);
    assert_int_equal(rpc_end_outstanding(talk->side[caller].end), 0);
}

static void test_chunk_forms(void **state)
{
    (void)state;
    in_all_settings(chunk_forms);
}

/* Octets of a Send with the Call or Reply of a sample whole in it. */
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

static void try_size(struct talk *talk, unsigned caller, const char *procedure, const char *field, bool is_reply,
                     size_t size, bool keep_inline)
{
    char fields[40];
    struct rpc_sample sample = {.procedure = procedure, .fields = fields};
    const struct rpc_end_how how = {.reply_max = is_reply ? size : 0, .keep_inline = keep_inline};
    struct talk_call *call = &talk->side[caller].calls[1];

    g_snprintf(fields, sizeof(fields), "%s=0", field);
    g_snprintf(fields, sizeof(fields), "%s=%zu", field, size - whole_size(&sample, is_reply));
    talk->side[caller].n_calls = 1; /* one after the other, in the same place */
    assert_ptr_equal(talk_call(talk, caller, &sample, &how), call);
    talk_run(talk);
    assert_replied(call);
    g_free(call->message.p);
    g_free(call->reply.p);
    *call = (struct talk_call){0};
    talk->side[caller].n_calls = 1;
}

/* Octets around the threshold, for Calls and for Replies: one too many would end the connection. */
static void thresholds(struct talk *talk, unsigned caller)
{
    static const size_t sizes[] = {1024, 4096};

    for (unsigned i = 0; i < ARRAY_LENGTH(sizes); i++) {
        for (size_t size = sizes[i] - 12; size <= sizes[i] + 12; size += 2) {
            try_size(talk, caller, "nfs3.write", "len", false, size, size % 4);
            try_size(talk, caller, "nfs3.read", "count", true, size, false);
        }
    }
}

static void test_thresholds(void **state)
{
    (void)state;
    in_all_settings(thresholds);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chunk_forms),
        cmocka_unit_test(test_thresholds),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
