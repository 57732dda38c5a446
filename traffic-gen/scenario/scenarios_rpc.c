// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * RPC-over-RDMA between two ends of the stack (traffic-gen/ends/stack/rpc_end.h): the ends choose chunks, credits and
 * thresholds by themselves, which other scenarios say in statements. These scenarios are C because scenarios of work
 * have jobs of NFS clients, not single Calls that are answered late and in random order, and because the table of Calls
 * would be as long there.
 */
#include "traffic-gen/ends/stack/pair_roce.h"
#include "traffic-gen/ends/stack/rpc_sample.h"
#include "traffic-gen/scenario/scenario.h"
#include "traffic-gen/speak/sim/random.h"

enum { STEPS_MAX = 1000000, CREDITS = 8, WAITING_MAX = 64 };

static const int64_t start_ns = INT64_C(1700000000) * 1000000000;

struct rpc_side {
    struct rpc_talk *talk;
    struct rpc_end *end;
    unsigned number;
    /* This side's Calls by XID: their samples and whole messages. */
    GArray *samples; /* of struct rpc_sample */
    GPtrArray *calls;
    uint32_t first_xid;
    bool late; /* answers wait for scenarios_rpc_answer_all() */
    uint64_t ids[WAITING_MAX];
    uint32_t xids[WAITING_MAX];
    unsigned n_waiting;
};

struct rpc_talk {
    struct conversation *conversation;
    struct pair *pair;
    struct rpc_side side[2];
};

/* ---- answers ---- */

static void scenarios_rpc_answer(struct rpc_side *side, uint64_t id, uint32_t xid)
{
    const struct rpc_side *peer = &side->talk->side[!side->number];
    uint32_t index = xid - peer->first_xid;
    struct rpc_end_message reply;

    if (rpc_sample_reply(&g_array_index(peer->samples, struct rpc_sample, index), g_ptr_array_index(peer->calls, index),
                         &reply))
        rpc_end_reply(side->end, id, &reply);
    else
        rpc_end_refuse(side->end, id);
}

static void scenarios_rpc_on_called(void *ctx, uint64_t id, const struct rpc_end_message *call,
                                    const struct rpc_message *header)
{
    struct rpc_side *side = ctx;

    (void)call;
    if (side->late && side->n_waiting < WAITING_MAX) {
        side->ids[side->n_waiting] = id;
        side->xids[side->n_waiting++] = header->xid;
    } else {
        scenarios_rpc_answer(side, id, header->xid);
    }
}

/* Replies come in any order. */
static void scenarios_rpc_answer_all(struct rpc_side *side, struct random_source *random)
{
    while (side->n_waiting > 0) {
        unsigned i = (unsigned)random_below(random, side->n_waiting);
        uint64_t id = side->ids[i];
        uint32_t xid = side->xids[i];

        side->n_waiting--;
        side->ids[i] = side->ids[side->n_waiting];
        side->xids[i] = side->xids[side->n_waiting];
        scenarios_rpc_answer(side, id, xid);
    }
}

/* ---- the two ends ---- */

static void scenarios_rpc_run(struct rpc_talk *talk)
{
    pair_run(talk->pair, STEPS_MAX);
}

static void free_call(void *call)
{
    g_free(((struct rpc_end_message *)call)->p);
    g_free(call);
}

static void scenarios_rpc_call(struct rpc_talk *talk, enum role role, const struct rpc_sample *sample,
                               const struct rpc_end_how *how)
{
    struct rpc_side *side = &talk->side[role];
    struct rpc_end_message *message = g_new0(struct rpc_end_message, 1);

    rpc_sample_call(sample, side->first_xid + side->calls->len, message);
    g_array_append_val(side->samples, *sample);
    g_ptr_array_add(side->calls, message);
    rpc_end_call(side->end, message, how, side->calls->len);
}

/* size 0: no private data, and so thresholds of 1024 octets. */
static void scenarios_rpc_talk_open(struct rpc_talk *talk, struct stage *stage, uint32_t client_size,
                                    uint32_t server_size, bool invalidation)
{
    const struct conversation_setup setup = {.service_port = RPCRDMA_PORT};
    const uint32_t sizes[] = {client_size, server_size};

    *talk = (struct rpc_talk){.conversation = conversation_new(stage, &setup)};
    talk->pair = pair_new((uint16_t)talk->conversation->emss, start_ns);
    for (unsigned role = 0; role < 2; role++) {
        struct rpc_side *side = &talk->side[role];
        const struct rpc_end_events events = {.ctx = side, .called = scenarios_rpc_on_called};
        const struct rpc_end_options options = {
            .qp = {.mpa = {.role = role == INITIATOR ? MPA_END_INITIATOR : MPA_END_RESPONDER,
                           .revision = 2,
                           .enhanced = true,
                           .enhanced_data = {.ird = 8, .ord = 8},
                           .crc = true}},
            .send_size = sizes[role],
            .receive_size = sizes[role],
            .remote_invalidation = invalidation,
            .credits = CREDITS,
            .keep_credit = true,
            .backchannel_chunks = true,
        };

        side->talk = talk;
        side->number = role;
        side->samples = g_array_new(FALSE, FALSE, sizeof(struct rpc_sample));
        side->calls = g_ptr_array_new_with_free_func(free_call);
        side->first_xid = role == INITIATOR ? 0x6A000001 : 0x1B000001;
        side->end = rpc_end_new(&options, pair_stream(talk->pair, role), &events,
                                stage->seed * 1000 + 2 * stage->n_conversations + role);
        pair_attach_qp(talk->pair, role, rpc_end_qp(side->end));
    }
    qp_start(rpc_end_qp(talk->side[RESPONDER].end));
    qp_start(rpc_end_qp(talk->side[INITIATOR].end));
    scenarios_rpc_run(talk);
    scenarios_rpc_call(talk, INITIATOR, &(struct rpc_sample){.procedure = "nfs3.null"}, NULL);
    scenarios_rpc_run(talk);
}

static void talk_close(struct rpc_talk *talk)
{
    const struct conversation *c = talk->conversation;

    scenarios_rpc_run(talk);
    qp_close(rpc_end_qp(talk->side[INITIATOR].end), false);
    scenarios_rpc_run(talk);
    if (c->rc)
        pair_play_roce(talk->pair, c->rc);
    else
        pair_play(talk->pair, c->tcp, c->side[INITIATOR]);
    for (unsigned role = 0; role < 2; role++) {
        rpc_end_free(talk->side[role].end);
        g_array_unref(talk->side[role].samples);
        g_ptr_array_unref(talk->side[role].calls);
    }
    pair_free(talk->pair);
}

/* ---- scenarios ---- */

#define V3(name, words)                                                                                                \
    {                                                                                                                  \
        .procedure = "nfs3." name, .fields = words                                                                     \
    }
#define V4(words)                                                                                                      \
    {                                                                                                                  \
        .procedure = "nfs40.compound", .fields = words                                                                 \
    }

struct shape {
    struct rpc_sample sample;
    struct rpc_end_how how;
};

/* reply_max: room for RPC header and results, without the contents of Write chunks. */
static const struct shape shapes[] = {
    {V3("getattr", NULL), {0}},
    {V3("getattr", NULL), {.long_call = true}},
    {V3("lookup", NULL), {.long_call = true, .segments = 3}},
    {V3("write", "len=200"), {0}},
    {V3("write", "len=200"), {.reduce = true}},
    {V3("write", "len=201"), {.reduce = true, .segments = 3}},
    {V3("write", "len=12345"), {0}},
    {V3("write", "len=12345"), {.keep_inline = true, .segments = 2}},
    {V3("symlink", "len=900"), {.reduce = true}},
    {V3("read", "count=200"), {.reply_max = 400}},
    {V3("read", "count=4096"), {.results = {4096}, .reply_max = 200}},
    {V3("read", "count=4095"), {.results = {4095}, .segments = 3, .reply_max = 200}},
    {V3("read", "count=9000"), {.reply_max = 9200}},
    {{"nfs3.read", "count=4096", "status=70"}, {.results = {4096}, .reply_max = 200}},
    {V3("readlink", NULL), {.reply_max = 1200}},
    {V3("readlink", NULL), {.results = {1024}, .reply_max = 200}},
    {V3("readdir", "count=8192"), {.reply_max = 8300}},
    {V4("putfh,write:3001,getattr"), {0}},
    {V4("putfh,write:3001,getattr"), {.reduce = true, .long_call = true}},
    {V4("putfh,read:3000,getattr"), {.results = {3000}, .reply_max = 4000}},
    {V4("putfh,read:3000,getattr"), {.reply_max = 8000, .segments = 2}},
};

static void make_calls(struct rpc_talk *talk, enum role role, bool one_by_one)
{
    for (unsigned i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        scenarios_rpc_call(talk, role, &shapes[i].sample, &shapes[i].how);
        if (one_by_one)
            scenarios_rpc_run(talk);
    }
    scenarios_rpc_run(talk);
}

/* Each kind of Call alone, with each pair of thresholds. */
static void play_shapes(struct stage *stage)
{
    static const uint32_t sizes[][2] = {{0, 0}, {4096, 4096}, {1024, 8192}, {16384, 0}};

    for (unsigned i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct rpc_talk talk;

        scenarios_rpc_talk_open(&talk, stage, sizes[i][0], sizes[i][1], false);
        make_calls(&talk, INITIATOR, true);
        talk_close(&talk);
    }
}

/* As many Calls in parallel as credits allow; answers come late and in any order. */
static void play_together(struct stage *stage)
{
    struct random_source random = {.state = stage->seed};
    struct rpc_talk talk;

    scenarios_rpc_talk_open(&talk, stage, 4096, 4096, false);
    talk.side[RESPONDER].late = true;
    make_calls(&talk, INITIATOR, false);
    while (talk.side[RESPONDER].n_waiting > 0) {
        scenarios_rpc_answer_all(&talk.side[RESPONDER], &random);
        scenarios_rpc_run(&talk);
    }
    talk_close(&talk);
}

/* Both ends have announced support for it (RFC 8797 section 4.1). */
static void play_invalidation(struct stage *stage)
{
    struct rpc_talk talk;

    scenarios_rpc_talk_open(&talk, stage, 4096, 4096, true);
    make_calls(&talk, INITIATOR, false);
    talk_close(&talk);
}

/* Callbacks beside Calls (RFC 8167), once the client has announced support (section 6). */
static void play_callbacks(struct stage *stage)
{
    static const struct rpc_sample session = {.procedure = "nfs41.compound", .fields = "create_session"};
    struct rpc_talk talk;

    scenarios_rpc_talk_open(&talk, stage, 4096, 4096, false);
    scenarios_rpc_call(&talk, INITIATOR, &session, NULL);
    scenarios_rpc_run(&talk);
    for (unsigned i = 0; i < 20; i++) {
        char *fields = g_strdup_printf("cb_sequence:sequenceid=%u,cb_recall", i + 1);
        const struct rpc_sample callback = {.procedure = "cb41.cb_compound", .fields = g_intern_string(fields)};

        scenarios_rpc_call(&talk, RESPONDER, &callback, NULL);
        scenarios_rpc_call(&talk, INITIATOR, &shapes[i].sample, &shapes[i].how);
        scenarios_rpc_run(&talk);
        g_free(fields);
    }
    talk_close(&talk);
}

static const struct scenario scenarios[] = {
    {.name = "stack-rpc",
     .summary = "two RPC-over-RDMA ends: each kind of Call and Reply",
     .play = play_shapes,
     .rpc = true},
    {.name = "stack-rpc-credits",
     .summary = "two RPC-over-RDMA ends: as many Calls at once as credits allow, answered in any order",
     .play = play_together,
     .rpc = true},
    {.name = "stack-rpc-invalidation",
     .summary = "two RPC-over-RDMA ends: Replies by Send with Invalidate",
     .play = play_invalidation,
     .rpc = true},
    {.name = "stack-rpc-callbacks",
     .summary = "two RPC-over-RDMA ends: Calls in both directions at once",
     .play = play_callbacks,
     .rpc = true},
};

const struct scenario_table rpc_scenarios = {scenarios, sizeof scenarios / sizeof scenarios[0]};
