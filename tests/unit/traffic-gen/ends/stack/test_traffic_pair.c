// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Random work between two queue pairs: everything sent arrives, all of it is completed, and the simulated TCP can play
 * the conversation on any network.
 */
#include "tests/unit/support/support.h"
#include "traffic-gen/ends/stack/pair.h"
#include "traffic-gen/ends/stack/queue_pair.h"

#include <glib.h>

enum { I, R, ROUNDS = 300, STEPS = 1000000, REGION = 16384, HALF = REGION / 2, STAG = 7 };

struct side {
    struct qp *qp;
    struct memory *memory;
    uint8_t *region; /* the peer's Writes and Reads: lower half; sinks of Reads: upper half */
    GByteArray *sent, *got;
    unsigned posted, completed;
    bool orderly;
};

static void on_received(void *ctx, const struct qp_message *message)
{
    struct side *side = ctx;

    g_byte_array_append(side->got, message->p, (guint)message->n);
}

static void on_completed(void *ctx, uint64_t cookie, enum qp_status status, uint64_t original)
{
    struct side *side = ctx;

    assert_int_equal(status, QP_OK);
    assert_int_equal(cookie, side->completed++);
}

static void on_terminated(void *ctx, bool ours, const struct rdmap_terminate *terminate)
{
    fail_msg("Terminate %u/%u/%02x, %s", terminate->layer, terminate->etype, terminate->code, ours ? "sent" : "got");
}

static void on_ended(void *ctx, bool orderly)
{
    struct side *side = ctx;

    side->orderly = orderly;
}

static void side_open(struct side *side, struct pair *pair, unsigned number, struct qp_options options)
{
    const struct qp_events events = {.ctx = side,
                                     .received = on_received,
                                     .completed = on_completed,
                                     .terminated = on_terminated,
                                     .ended = on_ended};

    *side = (struct side){.memory = memory_new(number),
                          .region = g_malloc(REGION),
                          .sent = g_byte_array_new(),
                          .got = g_byte_array_new()};
    memset(side->region, (int)number + 1, REGION);
    memory_register_as(side->memory, STAG, side->region, REGION, 0, 7, false);
    options.mpa.role = number == I ? MPA_END_INITIATOR : MPA_END_RESPONDER;
    side->qp = qp_new(&options, side->memory, pair_stream(pair, number), &events);
    pair_attach_qp(pair, number, side->qp);
}

static void side_free(struct side *side)
{
    qp_free(side->qp);
    memory_free(side->memory);
    g_free(side->region);
    g_byte_array_unref(side->sent);
    g_byte_array_unref(side->got);
}

static void post_something(struct side *side, uint64_t *seed)
{
    uint8_t octets[HALF];
    struct qp_work work = {.kind = next_random(seed) % 6,
                           .cookie = side->posted++,
                           .p = octets,
                           .n = next_random(seed) % 4 ? next_random(seed) % 300 : next_random(seed) % HALF,
                           .solicited = next_random(seed) & 1,
                           .remote_stag = STAG,
                           .sink_stag = STAG,
                           .sink_to = HALF,
                           .immediate = next_random(seed)};

    if (work.kind == QP_FETCH_ADD || work.kind == QP_CMP_SWAP)
        work.remote_to = next_random(seed) % (HALF / 8) * 8;
    else
        work.remote_to = next_random(seed) % (HALF - work.n + 1);
    fill_random(seed, octets, work.n);
    if (work.kind == QP_SEND)
        g_byte_array_append(side->sent, octets, (guint)work.n);
    else if (work.kind == QP_IMMEDIATE)
        for (int shift = 56; shift >= 0; shift -= 8)
            g_byte_array_append(side->sent, &(uint8_t){(uint8_t)(work.immediate >> shift)}, 1);
    assert_true(qp_post(side->qp, &work));
}

/* Reads after Writes see their results: the last piece of work of a side reads everything it may read. */
static void check(struct side *side, const struct side *peer)
{
    assert_int_equal(side->completed, side->posted);
    assert_int_equal(qp_pending(side->qp), 0);
    assert_true(side->orderly);
    assert_int_equal(side->sent->len, peer->got->len);
    if (side->sent->len > 0)
        assert_memory_equal(side->sent->data, peer->got->data, side->sent->len);
    assert_memory_equal(side->region + HALF, peer->region, HALF);
}

static void play(const struct pair *pair, uint16_t mss, uint64_t seed)
{
    const struct sim_trouble trouble = {.loss = 0.05, .reorder = 0.1, .dup = 0.05, .resegment = 0.1};
    const struct sim_connection_options options = {
        .path = {.host = {1, 2}, .port = {40000, 7174}}, .isn = {1, 2}, .mss = {mss, mss}};
    struct capture_file *file = capture_file_open("/dev/null", CAPTURE_PCAPNG, 0);
    struct sim *sim = sim_new(file, 0, seed, seed % 2 ? &trouble : NULL);
    const char *why = NULL;

    pair_play(pair, sim_connect(sim, &options), seed % 4 / 2);
    if (!sim_run(sim, &why))
        fail_msg("%s", why);
    sim_free(sim);
    capture_file_close(file);
}

UNIT_TEST(random_conversations)
{
    for (uint64_t round = 0; round < ROUNDS; round++) {
        uint64_t seed = round;
        uint16_t mss = (uint16_t)(next_random(&seed) % 4 ? 1460 : 200 + next_random(&seed) % 9000);
        struct pair *pair = pair_new(mss, 0);
        struct side side[2];

        for (unsigned s = 0; s < 2; s++) {
            const uint64_t bits = next_random(&seed);
            const struct qp_options options = {.mpa = {.revision = 2,
                                                       .markers = bits & 1,
                                                       .crc = bits & 2,
                                                       .enhanced = bits & 4,
                                                       .enhanced_data = {.peer_to_peer = bits & 8,
                                                                         .rtr = s == R ? 0 : 1 << bits / 16 % 3,
                                                                         .ird = 5,
                                                                         .ord = 3},
                                                       .private_data = (const uint8_t *)"random",
                                                       .private_length = bits / 64 % 7},
                                               .receives = 1,
                                               .receive_size = HALF,
                                               .repost = true,
                                               .ird = 4,
                                               .ord = 4};

            side_open(&side[s], pair, s, options);
        }
        qp_start(side[R].qp);
        qp_start(side[I].qp);
        post_something(&side[I], &seed); /* the Responder waits for a first FPDU */
        for (unsigned n = (unsigned)(next_random(&seed) % 60); n > 0; n--) {
            post_something(&side[next_random(&seed) & 1], &seed);
            for (unsigned steps = (unsigned)(next_random(&seed) % 8); steps > 0; steps--)
                pair_step(pair);
            if (next_random(&seed) % 16 == 0)
                pair_wait(pair, 50000000);
        }
        assert_true(pair_run(pair, STEPS));
        for (unsigned s = 0; s < 2; s++) {
            const struct qp_work last = {.kind = QP_READ,
                                         .cookie = side[s].posted++,
                                         .n = HALF,
                                         .remote_stag = STAG,
                                         .sink_stag = STAG,
                                         .sink_to = HALF};

            assert_true(qp_post(side[s].qp, &last));
        }
        assert_true(pair_run(pair, STEPS));
        qp_close(side[round % 2].qp, false);
        assert_true(pair_run(pair, STEPS));
        check(&side[I], &side[R]);
        check(&side[R], &side[I]);
        play(pair, mss, round);
        side_free(&side[I]);
        side_free(&side[R]);
        pair_free(pair);
    }
}
