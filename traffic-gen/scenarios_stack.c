// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Conversations between two queue pairs of the stack: what the other scenarios say by script, these ends say by
 * themselves. Played in memory first, then by the simulated TCP.
 */
#include "traffic-gen/random.h"
#include "traffic-gen/scenario.h"
#include "traffic-gen/stack/pair.h"
#include "traffic-gen/stack/queue_pair.h"

#include <string.h>

enum {
    REGION = 65536,
    BASE = 0x4000,
    STEPS_MAX = 1000000,
    RECEIVES = 16,
    RECEIVE_SIZE = 8192,
    ALL_RIGHTS = MEMORY_REMOTE_READ | MEMORY_REMOTE_WRITE | MEMORY_REMOTE_ATOMIC,
    RTR_ALL = MPA_RTR_SEND | MPA_RTR_WRITE | MPA_RTR_READ,
};

static const int64_t start_ns = INT64_C(1700000000) * 1000000000;

/* Two queue pairs, each with a region that the other one may use, and one that the other one may invalidate. */
struct stack_talk {
    struct conversation *conversation;
    struct pair *pair;
    struct {
        struct memory *memory;
        struct qp *qp;
        uint8_t *region;
        uint32_t stag, read_only, passing;
    } end[2];
};

static void receive(void *end, const uint8_t *p, size_t n)
{
    qp_receive(end, p, n);
}

static void receive_fin(void *end)
{
    qp_receive_fin(end);
}

static void receive_reset(void *end)
{
    qp_receive_reset(end);
}

static void tick(void *end)
{
    qp_tick(end);
}

static void run(struct stack_talk *talk)
{
    pair_run(talk->pair, STEPS_MAX);
}

static void end_open(struct stack_talk *talk, enum role role, const struct qp_options *wanted)
{
    static const struct qp_events none;
    struct qp_options options = *wanted;
    struct memory *memory = memory_new(talk->conversation->stage->seed * 2 + role);
    struct random_source random = {.state = role};
    uint8_t *region = g_malloc(REGION);

    for (unsigned i = 0; i < REGION; i++)
        region[i] = (uint8_t)random_next(&random);
    options.mpa.role = role == INITIATOR ? MPA_END_INITIATOR : MPA_END_RESPONDER;
    options.receives = RECEIVES;
    options.receive_size = RECEIVE_SIZE;
    options.repost = true;
    talk->end[role].memory = memory;
    talk->end[role].region = region;
    talk->end[role].stag = memory_register(memory, region, REGION, BASE, ALL_RIGHTS, false);
    talk->end[role].read_only = memory_register(memory, region, REGION, BASE, MEMORY_REMOTE_READ, false);
    talk->end[role].passing = memory_register(memory, region, REGION, BASE, MEMORY_REMOTE_WRITE, true);
    talk->end[role].qp = qp_new(&options, memory, pair_stream(talk->pair, role), &none);
    pair_attach(talk->pair, role,
                &(struct pair_end){
                    .end = talk->end[role].qp,
                    .receive = receive,
                    .receive_fin = receive_fin,
                    .receive_reset = receive_reset,
                    .tick = tick,
                });
}

static void talk_open(struct stack_talk *talk, struct stage *stage, const struct qp_options *initiator,
                      const struct qp_options *responder)
{
    static const struct conversation_setup setup;

    *talk = (struct stack_talk){.conversation = conversation_new(stage, &setup)};
    talk->pair = pair_new((uint16_t)talk->conversation->emss, start_ns);
    end_open(talk, INITIATOR, initiator);
    end_open(talk, RESPONDER, responder);
    qp_start(talk->end[RESPONDER].qp);
    qp_start(talk->end[INITIATOR].qp);
    run(talk);
}

/* Plays what was said, and forgets the ends. */
static void talk_play(struct stack_talk *talk)
{
    const struct conversation *c = talk->conversation;

    run(talk);
    pair_play(talk->pair, c->tcp, c->side[INITIATOR]);
    for (unsigned role = 0; role < 2; role++) {
        qp_free(talk->end[role].qp);
        memory_free(talk->end[role].memory);
        g_free(talk->end[role].region);
    }
    pair_free(talk->pair);
}

static void talk_close(struct stack_talk *talk, enum role first)
{
    run(talk);
    qp_close(talk->end[first].qp, false);
    talk_play(talk);
}

/* ---- work ---- */

static void post(struct stack_talk *talk, enum role role, struct qp_work work)
{
    qp_post(talk->end[role].qp, &work);
}

static void post_send(struct stack_talk *talk, enum role role, size_t n)
{
    post(talk, role, (struct qp_work){.kind = QP_SEND, .p = talk->end[role].region, .n = n, .solicited = n % 3 == 0});
}

static void post_write(struct stack_talk *talk, enum role role, size_t n, uint64_t at)
{
    post(talk, role,
         (struct qp_work){
             .kind = QP_WRITE,
             .p = talk->end[role].region,
             .n = n,
             .remote_stag = talk->end[!role].stag,
             .remote_to = BASE + at,
         });
}

static void post_read(struct stack_talk *talk, enum role role, size_t n, uint64_t at)
{
    post(talk, role,
         (struct qp_work){
             .kind = QP_READ,
             .n = n,
             .remote_stag = talk->end[!role].read_only,
             .remote_to = BASE + at,
             .sink_stag = talk->end[role].stag,
             .sink_to = BASE + REGION / 2,
         });
}

static void post_atomics(struct stack_talk *talk, enum role role, unsigned n)
{
    struct qp_work work = {.remote_stag = talk->end[!role].stag, .remote_to = BASE + 64, .compare_mask = 0xFF};

    for (unsigned i = 0; i < n; i++) {
        work.kind = i % 2 ? QP_CMP_SWAP : QP_FETCH_ADD;
        work.add_swap = 0x0101 * i;
        work.add_swap_mask = i % 2 ? UINT64_MAX : i % 4 * UINT64_C(0x80000000);
        work.compare = i;
        post(talk, role, work);
    }
}

static void post_immediate(struct stack_talk *talk, enum role role, uint64_t data)
{
    post(talk, role, (struct qp_work){.kind = QP_IMMEDIATE, .immediate = data, .solicited = data & 1});
}

static void post_invalidating(struct stack_talk *talk, enum role role, size_t n)
{
    post(talk, role,
         (struct qp_work){
             .kind = QP_SEND,
             .p = talk->end[role].region,
             .n = n,
             .invalidate = true,
             .remote_stag = talk->end[!role].passing,
         });
}

static void a_bit_of_everything(struct stack_talk *talk, enum role role)
{
    post_send(talk, role, 40);
    post_write(talk, role, 3000, 0);
    post_read(talk, role, 2000, 512);
    post_send(talk, role, 0);
    run(talk);
}

/* ---- scenarios ---- */

static const struct qp_options enhanced = {
    .mpa = {.revision = 2, .crc = true, .enhanced = true, .enhanced_data = {.ird = 8, .ord = 4}}};

/* Everything that a queue pair does, in both directions and with many Reads and atomics in flight. */
static void play_stack(struct stage *stage)
{
    struct stack_talk talk;

    talk_open(&talk, stage, &enhanced, &enhanced);
    post_send(&talk, INITIATOR, 100);
    run(&talk);
    for (enum role role = INITIATOR; role <= RESPONDER; role++) {
        post_send(&talk, role, 5000);
        post_write(&talk, role, 10000, 1000);
        post_immediate(&talk, role, 0x1122334455667700 + role);
        post_read(&talk, role, 7000, 1000);
        post_atomics(&talk, role, 8);
    }
    run(&talk);
    for (unsigned i = 0; i < 12; i++) {
        post_read(&talk, INITIATOR, i * 300, i * 1024);
        post_atomics(&talk, RESPONDER, 1 + i % 2);
        post_send(&talk, i % 2 ? RESPONDER : INITIATOR, i * 77);
        pair_step(talk.pair);
        post_write(&talk, RESPONDER, i * 111, 20000);
        pair_step(talk.pair);
    }
    run(&talk);
    post_invalidating(&talk, RESPONDER, 30);
    post_invalidating(&talk, INITIATOR, 3000);
    talk_close(&talk, INITIATOR);
}

/* A connection for each start-up that two ends can agree on, and for those that they cannot. */
static void play_startups(struct stage *stage)
{
    static const struct {
        struct mpa_end_wish wish[2];
        bool refused;
    } startups[] = {
        {{{.revision = 1, .crc = true}, {.revision = 1}}, false},
        {{{.revision = 1, .markers = true}, {.revision = 2, .crc = true}}, false},
        {{{.revision = 1}, {.revision = 2, .crc = true, .markers = true}}, false},
        {{{.revision = 1, .markers = true, .crc = true}, {.revision = 1, .markers = true, .crc = true}}, false},
        {{{.revision = 2, .crc = true, .enhanced = true, .enhanced_data = {.ird = 2, .ord = 4}},
          {.revision = 2, .crc = true, .enhanced_data = {.ird = 4, .ord = 4}}},
         false},
        {{{.revision = 2, .crc = true, .enhanced = true, .enhanced_data = {.ird = 0x3FFF, .ord = 0x3FFF}},
          {.revision = 2, .crc = true, .enhanced_data = {.ird = 4, .ord = 4}}},
         false},
        {{{.revision = 2, .crc = true, .enhanced = true, .enhanced_data = {true, MPA_RTR_SEND, 4, 4}},
          {.revision = 2, .crc = true, .enhanced_data = {.ird = 4, .ord = 4}}},
         false},
        {{{.revision = 2, .crc = true, .enhanced = true, .enhanced_data = {true, RTR_ALL, 4, 4}},
          {.revision = 2, .crc = true, .enhanced_data = {.rtr = MPA_RTR_WRITE, .ird = 4, .ord = 4}}},
         false},
        {{{.revision = 2, .markers = true, .crc = true, .enhanced = true, .enhanced_data = {true, MPA_RTR_READ, 4, 4}},
          {.revision = 2, .markers = true, .crc = true, .enhanced_data = {.ird = 4, .ord = 4}}},
         false},
        {{{.revision = 1, .crc = true}, {.revision = 1, .crc = true, .reject = true}}, true},
        {{{.revision = 2, .crc = true, .enhanced = true, .enhanced_data = {.ird = 4, .ord = 4}},
          {.revision = 2, .crc = true, .enhanced_data = {.ird = 4, .ord = 4}, .reject = true}},
         true},
        {{{.revision = 2, .crc = true, .enhanced = true, .enhanced_data = {true, MPA_RTR_READ, 4, 4}},
          {.revision = 2, .crc = true, .enhanced_data = {.rtr = MPA_RTR_SEND, .ird = 4, .ord = 4}}},
         true},
        {{{.revision = 2, .crc = true, .enhanced = true, .enhanced_data = {.ird = 4, .ord = 4}},
          {.revision = 1, .crc = true}},
         true},
    };

    for (unsigned i = 0; i < sizeof(startups) / sizeof(startups[0]); i++) {
        struct qp_options options[2] = {{.ird = 4, .ord = 4}, {.ird = 4, .ord = 4}};
        struct stack_talk talk;

        for (unsigned role = 0; role < 2; role++) {
            options[role].mpa = startups[i].wish[role];
            options[role].mpa.private_data = (const uint8_t *)"a queue pair";
            options[role].mpa.private_length = 12;
        }
        talk_open(&talk, stage, &options[INITIATOR], &options[RESPONDER]);
        if (!startups[i].refused) {
            a_bit_of_everything(&talk, INITIATOR);
            a_bit_of_everything(&talk, RESPONDER);
        }
        talk_close(&talk, i % 2 ? RESPONDER : INITIATOR);
    }
}

/* RDMA Consortium peers, with one another and with one that speaks both. */
static void play_rdmac(struct stage *stage)
{
    static const struct mpa_end_wish old = {.revision = 0}, both = {.revision = 1, .permissive = true, .crc = true};
    static const struct mpa_end_wish *const wishes[][2] = {{&old, &old}, {&old, &both}, {&both, &old}};

    for (unsigned i = 0; i < sizeof(wishes) / sizeof(wishes[0]); i++) {
        const struct qp_options options[2] = {{.mpa = *wishes[i][INITIATOR], .ird = 4, .ord = 4},
                                              {.mpa = *wishes[i][RESPONDER], .ird = 4, .ord = 4}};
        struct stack_talk talk;

        talk_open(&talk, stage, &options[INITIATOR], &options[RESPONDER]);
        a_bit_of_everything(&talk, INITIATOR);
        a_bit_of_everything(&talk, RESPONDER);
        post_invalidating(&talk, INITIATOR, 20);
        talk_close(&talk, RESPONDER);
    }
}

/*
 * Work that the other side cannot do, a connection each: it answers with the Terminate for it. Only such as a capture
 * cannot tell from sound work: it does not show which memory there is.
 */
static void play_refusals(struct stage *stage)
{
    const uint64_t end = BASE + REGION;
    enum { STAG, READ_ONLY, PASSING, NO_STAG };
    static const uint8_t octets[RECEIVE_SIZE + 1];
    const struct {
        unsigned where;
        struct qp_work work;
    } refused[] = {
        {NO_STAG, {.kind = QP_WRITE, .n = 100, .remote_to = BASE}},
        {STAG, {.kind = QP_WRITE, .n = 5000, .remote_to = end - 1000}},
        {READ_ONLY, {.kind = QP_WRITE, .n = 100, .remote_to = BASE}},
        {NO_STAG, {.kind = QP_READ, .n = 100, .remote_to = BASE}},
        {STAG, {.kind = QP_READ, .n = 100, .remote_to = end - 99}},
        {PASSING, {.kind = QP_READ, .n = 100, .remote_to = BASE}},
        {NO_STAG, {.kind = QP_FETCH_ADD, .remote_to = BASE}},
        {STAG, {.kind = QP_FETCH_ADD, .remote_to = end}},
        {READ_ONLY, {.kind = QP_CMP_SWAP, .remote_to = BASE}},
        {STAG, {.kind = QP_SEND, .n = 100, .invalidate = true}},
        {NO_STAG, {.kind = QP_SEND, .n = 100, .invalidate = true}},
        {STAG, {.kind = QP_SEND, .n = RECEIVE_SIZE + 1}},
    };

    for (unsigned i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        struct qp_work work = refused[i].work;
        enum role role = i % 2 ? RESPONDER : INITIATOR;
        struct stack_talk talk;

        talk_open(&talk, stage, &enhanced, &enhanced);
        a_bit_of_everything(&talk, INITIATOR);
        a_bit_of_everything(&talk, RESPONDER);

        const uint32_t stags[] = {talk.end[!role].stag, talk.end[!role].read_only, talk.end[!role].passing, 0x0BAD0BAD};

        work.remote_stag = stags[refused[i].where];
        work.sink_stag = talk.end[role].stag;
        work.sink_to = BASE;
        work.p = octets;
        post(&talk, role, work);
        talk_play(&talk);
    }
}

static const struct scenario scenarios[] = {
    {.name = "stack", .summary = "two queue pairs: all kinds of work in both directions", .play = play_stack},
    {.name = "stack-startups",
     .summary = "two queue pairs: each way in which revisions 1 and 2 begin, a connection each",
     .play = play_startups},
    {.name = "stack-rdmac", .summary = "two queue pairs: RDMA Consortium peers", .play = play_rdmac},
    {.name = "stack-refusals",
     .summary = "two queue pairs: work on memory that is not there or not open, answered by Terminates",
     .play = play_refusals},
};

const struct scenario_table stack_scenarios = {scenarios, sizeof(scenarios) / sizeof(scenarios[0])};
