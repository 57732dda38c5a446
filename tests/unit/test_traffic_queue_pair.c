// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Queue pairs: all work between two of them under every framing, each error made by hand with the Terminate that
 * answers it, ends of the connection, octets at random.
 */
#include "tests/unit/support.h"
#include "traffic-gen/stack/pair.h"
#include "traffic-gen/stack/queue_pair.h"
#include "wire/octets.h"

#include <glib.h>
#include <inttypes.h>

enum {
    I,
    R,
    STEPS = 100000,
    REGION = 8192,
    BASE = 0x1000,
    STAG_ALL = 0x10,
    STAG_READ = 0x20,
    STAG_INV = 0x30,
    STAG_NONE = 0x40,
    STAG_FOREIGN = 0x50,
    NO_TERMINATE = -1,
};

struct side {
    struct qp *qp;
    struct memory *memory;
    uint8_t region[REGION];
    bool established, ended, orderly;
    int failed;
    unsigned received, completed, flushed, terminated;
    bool ours;
    struct rdmap_terminate terminate;
    GByteArray *got; /* payloads of messages */
    GString *log;
    uint64_t last_cookie, original;
};

struct talk {
    struct pair *pair;
    struct side side[2];
};

static void on_established(void *ctx, const struct mpa_end_terms *terms)
{
    struct side *side = ctx;

    (void)terms;
    side->established = true;
}

static void on_received(void *ctx, const struct qp_message *message)
{
    struct side *side = ctx;

    assert_false(side->ended);
    side->received++;
    g_byte_array_append(side->got, message->p, (guint)message->n);
    g_string_append_printf(side->log, "%s:%zu", rdmap_opcode_info(message->opcode)->token, message->n);
    if (message->invalidated)
        g_string_append_printf(side->log, ":%x", message->invalidated_stag);
    if (message->immediate)
        g_string_append_printf(side->log, ":%" PRIx64, message->immediate);
    g_string_append_c(side->log, ' ');
}

static void on_completed(void *ctx, uint64_t cookie, enum qp_status status, uint64_t original)
{
    struct side *side = ctx;

    assert_int_equal(cookie, side->last_cookie + 1); /* in the order of posting */
    side->last_cookie = cookie;
    side->original = original;
    if (status == QP_OK)
        side->completed++;
    else
        side->flushed++;
}

static void on_terminated(void *ctx, bool ours, const struct rdmap_terminate *terminate)
{
    struct side *side = ctx;

    assert_false(side->ended);
    side->terminated++;
    side->ours = ours;
    side->terminate = *terminate;
}

static void on_failed(void *ctx, enum mpa_end_error error)
{
    struct side *side = ctx;

    side->failed = (int)error;
}

static void on_ended(void *ctx, bool orderly)
{
    struct side *side = ctx;

    assert_false(side->ended);
    side->ended = true;
    side->orderly = orderly;
}

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

static size_t the_room;

static size_t room(void *ctx)
{
    (void)ctx;
    return the_room;
}

static void side_open(struct talk *talk, unsigned number, struct qp_options options)
{
    struct side *side = &talk->side[number];
    struct stream stream = *pair_stream(talk->pair, number);
    const struct qp_events events = {.ctx = side,
                                     .established = on_established,
                                     .received = on_received,
                                     .completed = on_completed,
                                     .terminated = on_terminated,
                                     .failed = on_failed,
                                     .ended = on_ended};

    stream.room = room;
    the_room = SIZE_MAX;
    options.mpa.role = number == I ? MPA_END_INITIATOR : MPA_END_RESPONDER;
    side->failed = -1;
    side->got = g_byte_array_new();
    side->log = g_string_new(NULL);
    side->memory = memory_new(number);
    for (unsigned i = 0; i < REGION; i++)
        side->region[i] = (uint8_t)(i * 7 + i / 256 + number);
    memory_register_as(side->memory, STAG_ALL, side->region, REGION, BASE,
                       MEMORY_REMOTE_READ | MEMORY_REMOTE_WRITE | MEMORY_REMOTE_ATOMIC, false);
    memory_register_as(side->memory, STAG_READ, side->region, REGION, BASE, MEMORY_REMOTE_READ, false);
    memory_register_as(side->memory, STAG_INV, side->region, REGION, BASE, MEMORY_REMOTE_WRITE, true);
    memory_register_as(side->memory, STAG_FOREIGN, side->region, REGION, BASE, 7, true);
    memory_bind(side->memory, STAG_FOREIGN, side->memory);
    side->qp = qp_new(&options, side->memory, &stream, &events);
    memory_bind(side->memory, STAG_ALL, side->qp);
    pair_attach(talk->pair, number,
                &(struct pair_end){
                    .end = side->qp,
                    .receive = receive,
                    .receive_fin = receive_fin,
                    .receive_reset = receive_reset,
                    .tick = tick,
                });
}

static const struct qp_options usual = {
    .mpa = {.revision = 1}, .receives = 2, .receive_size = 64, .repost = true, .ird = 2, .ord = 2};

static void open_both(struct talk *talk, const struct qp_options *initiator, const struct qp_options *responder)
{
    *talk = (struct talk){.pair = pair_new(1460, 1000)};
    side_open(talk, R, *responder);
    side_open(talk, I, *initiator);
    qp_start(talk->side[R].qp);
    qp_start(talk->side[I].qp);
}

static void run(struct talk *talk)
{
    assert_true(pair_run(talk->pair, STEPS));
}

static void close_all(struct talk *talk)
{
    for (unsigned i = 0; i < 2; i++) {
        struct side *side = &talk->side[i];

        if (!side->qp)
            continue;
        qp_free(side->qp);
        memory_free(side->memory);
        g_byte_array_unref(side->got);
        g_string_free(side->log, TRUE);
    }
    pair_free(talk->pair);
}

static uint64_t cookies[2];

/* Posted with the next cookie. */
static bool post(struct talk *talk, unsigned side, struct qp_work work)
{
    work.cookie = ++cookies[side];
    return qp_post(talk->side[side].qp, &work);
}

static void begin(void)
{
    cookies[I] = cookies[R] = 0;
}

/* ---- two queue pairs ---- */

static void all_work(struct talk *talk, unsigned side)
{
    static uint8_t pattern[7000];
    const uint8_t *there = talk->side[!side].region;
    uint8_t *here = talk->side[side].region;

    for (unsigned i = 0; i < sizeof(pattern); i++)
        pattern[i] = (uint8_t)(i * 13 + side);
    for (unsigned n = 0; n < 7000; n = n * 2 + 1)
        post(talk, side, (struct qp_work){.kind = QP_SEND, .p = pattern, .n = n, .solicited = n & 2});
    post(talk, side,
         (struct qp_work){.kind = QP_WRITE, .p = pattern, .n = 3000, .remote_stag = STAG_ALL, .remote_to = BASE + 8});
    post(talk, side, (struct qp_work){.kind = QP_IMMEDIATE, .immediate = 0x1122334455667788});
    post(talk, side,
         (struct qp_work){.kind = QP_READ,
                          .n = 2500,
                          .remote_stag = STAG_READ,
                          .remote_to = BASE + 8,
                          .sink_stag = STAG_ALL,
                          .sink_to = BASE + 4096});
    post(talk, side, (struct qp_work){.kind = QP_READ, .n = 0, .remote_stag = STAG_NONE});
    for (unsigned i = 0; i < 6; i++)
        post(talk, side,
             (struct qp_work){.kind = i & 1 ? QP_CMP_SWAP : QP_FETCH_ADD,
                              .remote_stag = STAG_ALL,
                              .remote_to = BASE + 8000,
                              .add_swap = i,
                              .add_swap_mask = i & 1 ? UINT64_MAX : 0,
                              .compare_mask = 0});
    post(talk, side,
         (struct qp_work){.kind = QP_SEND, .p = pattern, .n = 20, .invalidate = true, .remote_stag = STAG_INV});
    post(talk, side, (struct qp_work){.kind = QP_WRITE, .remote_stag = STAG_NONE});
    run(talk);
    assert_int_equal(qp_pending(talk->side[side].qp), 0);
    assert_int_equal(talk->side[side].flushed, 0);
    assert_memory_equal(there + 8, pattern, 3000);
    assert_memory_equal(here + 4096, pattern, 2500);
    assert_false(memory_may_invalidate(talk->side[!side].memory, NULL, STAG_INV));
    assert_int_equal(get_be64(there + 8000), 5); /* each CmpSwap compares nothing, and swaps */
    assert_int_equal(talk->side[side].failed, -1);
    assert_true(g_str_has_suffix(talk->side[!side].log->str, "IMM:8:1122334455667788 SEND_INV:20:30 "));
}

static void everything(void **state)
{
    (void)state;
    for (unsigned bits = 0; bits < 32; bits++) {
        const struct qp_options options = {
            .mpa = {.revision = bits & 16 ? 2 : 1,
                    .markers = bits & 1,
                    .crc = bits & 2,
                    .enhanced = true,
                    .enhanced_data = {.peer_to_peer = bits & 8, .rtr = (uint8_t)(1u << bits % 3), .ird = 3, .ord = 3}},
            .receives = 1,
            .receive_size = 8000,
            .repost = true,
            .ird = 4,
            .ord = bits & 4 ? 1 : 4};
        struct talk talk;

        begin();
        open_both(&talk, &options, &options);
        all_work(&talk, I);
        all_work(&talk, R);
        qp_close(talk.side[bits & 1].qp, false);
        run(&talk);
        for (unsigned s = 0; s < 2; s++) {
            assert_true(talk.side[s].ended && talk.side[s].orderly && pair_finished(talk.pair, s));
            assert_int_equal(talk.side[s].completed, cookies[s]);
        }
        close_all(&talk);
    }
}

/* Posted before the connection is there: the Responder's waits for the Initiator's first FPDU. */
static void early_work(void **state)
{
    struct talk talk;

    (void)state;
    begin();
    talk = (struct talk){.pair = pair_new(1460, 0)};
    side_open(&talk, R, usual);
    side_open(&talk, I, usual);
    post(&talk, R, (struct qp_work){.kind = QP_SEND, .p = (const uint8_t *)"abc", .n = 3});
    qp_start(talk.side[R].qp);
    qp_start(talk.side[I].qp);
    run(&talk);
    assert_int_equal(talk.side[I].received, 0);
    post(&talk, I, (struct qp_work){.kind = QP_SEND});
    run(&talk);
    assert_int_equal(talk.side[I].received, 1);
    assert_int_equal(talk.side[R].received, 1);
    close_all(&talk);
}

static void revision_0(void **state)
{
    const struct qp_options options = {
        .mpa = {.revision = 0}, .receives = 1, .receive_size = 100, .repost = true, .ird = 1, .ord = 1};
    struct talk talk;

    (void)state;
    begin();
    open_both(&talk, &options, &options);
    post(&talk, I, (struct qp_work){.kind = QP_SEND, .p = (const uint8_t *)"abc", .n = 3});
    post(&talk, I, (struct qp_work){.kind = QP_FETCH_ADD, .remote_stag = STAG_ALL, .remote_to = BASE});
    post(&talk, I, (struct qp_work){.kind = QP_IMMEDIATE});
    post(&talk, I,
         (struct qp_work){.kind = QP_READ,
                          .n = 5,
                          .remote_stag = STAG_READ,
                          .remote_to = BASE,
                          .sink_stag = STAG_ALL,
                          .sink_to = BASE});
    run(&talk);
    assert_int_equal(talk.side[I].completed, 2);
    assert_int_equal(talk.side[I].flushed, 2);
    assert_string_equal(talk.side[R].log->str, "SEND:3 ");
    close_all(&talk);
}

/* FPDUs that side has written, from the index-th on: the ULPDU in out, its length returned; 0: there is none. */
static size_t fpdu_of(const struct talk *talk, unsigned side, unsigned index, const uint8_t **out)
{
    size_t n, at = MPA_STARTUP_HEADER_LEN, length;
    const uint8_t *p = pair_written(talk->pair, side, &n);
    static const uint8_t nothing[100];

    *out = nothing;
    for (;; at += (2 + length + 3) / 4 * 4 + 4) {
        if (at + 2 > n)
            return 0;
        length = get_be16(p + at);
        if (index-- == 0)
            break;
    }
    *out = p + at + 2;
    return length;
}

static unsigned count_of(const struct talk *talk, unsigned side)
{
    const uint8_t *p;
    unsigned n = 0;

    while (fpdu_of(talk, side, n, &p))
        n++;
    return n;
}

static void ord(void **state)
{
    struct qp_options asking = usual;
    struct talk talk;

    (void)state;
    begin();
    asking.ord = asking.ird = 3;
    open_both(&talk, &asking, &asking);
    run(&talk);
    the_room = SIZE_MAX;
    for (unsigned i = 0; i < 10; i++)
        assert_true(post(&talk, I,
                         (struct qp_work){.kind = QP_READ,
                                          .n = 1,
                                          .remote_stag = STAG_READ,
                                          .remote_to = BASE,
                                          .sink_stag = STAG_ALL,
                                          .sink_to = BASE}));
    post(&talk, I, (struct qp_work){.kind = QP_SEND});
    assert_int_equal(count_of(&talk, I), 3);
    run(&talk);
    assert_int_equal(talk.side[I].completed, 11);
    assert_false(post(&talk, I, (struct qp_work){.kind = QP_READ, .n = 1, .sink_stag = STAG_NONE}));
    assert_false(
        post(&talk, I, (struct qp_work){.kind = QP_READ, .n = 2, .sink_stag = STAG_ALL, .sink_to = BASE + REGION - 1}));
    cookies[I] -= 2;
    close_all(&talk);

    begin();
    asking.ord = 0;
    open_both(&talk, &asking, &asking);
    run(&talk);
    post(&talk, I, (struct qp_work){.kind = QP_READ, .remote_stag = STAG_READ});
    assert_int_equal(talk.side[I].flushed, 1);
    close_all(&talk);
}

static void patience(void **state)
{
    struct talk talk;
    uint8_t octets[64] = {0};

    (void)state;
    begin();
    open_both(&talk, &usual, &usual);
    run(&talk);
    the_room = 0;
    for (unsigned i = 0; i < 5; i++)
        post(&talk, I, (struct qp_work){.kind = QP_SEND, .p = octets, .n = 64});
    qp_close(talk.side[I].qp, false);
    run(&talk);
    assert_int_equal(count_of(&talk, I), 0);
    assert_int_equal(qp_pending(talk.side[I].qp), 5);
    assert_false(post(&talk, I, (struct qp_work){.kind = QP_SEND}));
    the_room = 1;
    qp_pump(talk.side[I].qp);
    run(&talk);
    assert_int_equal(talk.side[R].received, 5);
    assert_true(talk.side[I].ended && talk.side[I].orderly);
    close_all(&talk);
}

static void ends(void **state)
{
    struct talk talk;

    (void)state;
    /* A reset loses what is in flight. */
    begin();
    open_both(&talk, &usual, &usual);
    run(&talk);
    post(&talk, I,
         (struct qp_work){.kind = QP_READ,
                          .n = 1,
                          .remote_stag = STAG_READ,
                          .remote_to = BASE,
                          .sink_stag = STAG_ALL,
                          .sink_to = BASE});
    qp_close(talk.side[R].qp, true);
    run(&talk);
    assert_int_equal(talk.side[I].flushed, 1);
    assert_true(talk.side[I].ended && !talk.side[I].orderly && talk.side[R].ended);
    assert_false(post(&talk, I, (struct qp_work){.kind = QP_SEND}));
    close_all(&talk);

    /* A FIN that comes before the answer does so, too, and the side closes. */
    begin();
    open_both(&talk, &usual, &usual);
    run(&talk);
    post(&talk, I,
         (struct qp_work){.kind = QP_READ,
                          .n = 1,
                          .remote_stag = STAG_READ,
                          .remote_to = BASE,
                          .sink_stag = STAG_ALL,
                          .sink_to = BASE});
    post(&talk, I, (struct qp_work){.kind = QP_SEND});
    qp_close(talk.side[R].qp, false);
    run(&talk);
    assert_int_equal(talk.side[I].flushed, 1);
    assert_int_equal(talk.side[I].completed, 1);
    assert_true(talk.side[I].ended && !talk.side[I].orderly && pair_finished(talk.pair, I));
    assert_int_equal(talk.side[R].received, 1);
    close_all(&talk);

    /* A Terminate of the ULP. */
    begin();
    open_both(&talk, &usual, &usual);
    run(&talk);
    qp_terminate(talk.side[I].qp, 0, 0, 9);
    run(&talk);
    assert_int_equal(talk.side[R].terminated, 1);
    assert_false(talk.side[R].ours);
    assert_int_equal(talk.side[R].terminate.code, 9);
    assert_true(talk.side[I].ended && talk.side[R].ended && !talk.side[R].orderly);
    close_all(&talk);

    /* Left open on one side. */
    struct qp_options open_ended = usual;

    open_ended.keep_open = true;
    begin();
    open_both(&talk, &usual, &open_ended);
    run(&talk);
    post(&talk, I, (struct qp_work){.kind = QP_SEND});
    qp_close(talk.side[I].qp, false);
    run(&talk);
    assert_true(talk.side[R].ended && !pair_finished(talk.pair, R));
    post(&talk, R, (struct qp_work){.kind = QP_SEND});
    run(&talk);
    assert_int_equal(talk.side[I].received, 1);
    qp_close(talk.side[R].qp, false);
    run(&talk);
    assert_true(talk.side[I].ended && talk.side[I].orderly);
    close_all(&talk);
}

/* ---- octets by hand ---- */

/* A Responder in full operation, its peer played by hand. */
static void open_responder(struct talk *talk, const struct qp_options *options)
{
    uint8_t octets[MPA_STARTUP_HEADER_LEN];
    struct mpa_startup frame = {.kind = MPA_REQUEST, .revision = 1};

    begin();
    *talk = (struct talk){.pair = pair_new(1460, 0)};
    side_open(talk, R, *options);
    qp_start(talk->side[R].qp);
    pair_write(talk->pair, I, octets, mpa_startup_encode(&frame, octets, sizeof(octets)));
    run(talk);
    assert_true(talk->side[R].established);
}

static void say(struct talk *talk, const uint8_t *ulpdu, size_t n)
{
    static const struct mpa_framing framing;
    static uint8_t octets[70000];
    struct mpa_fpdu_plan plan;

    mpa_fpdu_plan_init(&plan, &framing, 0, ulpdu, (uint16_t)n, false);
    pair_write(talk->pair, I, octets, mpa_fpdu_encode(&plan, octets, sizeof(octets)));
    run(talk);
}

static size_t say_hex(struct talk *talk, const char *text, uint8_t *ulpdu, size_t size)
{
    size_t n = octets_of(text, ulpdu, size);

    say(talk, ulpdu, n);
    return n;
}

#define SEND_1       "4143 00000000 00000000 00000001 00000000"
#define READ_1       "4141 00000000 00000001 00000001 00000000"
#define ATOMIC_1     "414a 00000000 00000001 00000001 00000000"
#define SINK         "00000099 0000000000000000"
#define FETCH_ADD(w) "00000000 00000007 " w " 0000000000000001 [8] [8] ffffffffffffffff"

/*
 * What the peer says wrongly, and the Terminate that it gets: layer, type and code, and which of M, D, R. The last
 * ULPDU of a case is the guilty one. before: work that this side has in flight.
 */
static const struct {
    const char *what;
    enum { NOTHING, A_READ, AN_ATOMIC } before;
    const char *ulpdus[3];
    int cause;
    const char *mdr;
} wrong[] = {
    /* Tagged, RFC 5041 section 7.1 */
    {"Write, no such STag", NOTHING, {"c140 00000040 0000000000001000 aa"}, 0x1100, "110"},
    {"Write, of another stream", NOTHING, {"c140 00000050 0000000000001000 aa"}, 0x1102, "110"},
    {"Read, of another stream", NOTHING, {READ_1 SINK "00000001 00000050 0000000000001000"}, 0x0103, "111"},
    {"atomic, of another stream", NOTHING, {ATOMIC_1 FETCH_ADD("00000050 0000000000001000")}, 0x0103, "110"},
    {"Invalidate, of another stream", NOTHING, {"4144 00000050 00000000 00000001 00000000 aa"}, 0x0109, "110"},
    {"Read Response, of another stream", A_READ, {"c142 00000050 0000000000001000 aabbccdd"}, 0x1102, "110"},
    {"Write, below the region", NOTHING, {"c140 00000010 0000000000000fff aa"}, 0x1101, "110"},
    {"Write, beyond the region", NOTHING, {"c140 00000010 0000000000002fff aabb"}, 0x1101, "110"},
    {"Write, TO wraps", NOTHING, {"c140 00000010 ffffffffffffffff aabb"}, 0x1103, "110"},
    {"Write, no right", NOTHING, {"c140 00000020 0000000000001000 aa"}, 0x0102, "110"},
    {"Write, DDP version 0", NOTHING, {"c040 00000010 0000000000001000 aa"}, 0x1104, "110"},
    {"Write, DDP version 3", NOTHING, {"c340 00000010 0000000000001000 aa"}, 0x1104, "110"},
    {"Write, RDMAP version 2", NOTHING, {"c180 00000010 0000000000001000 aa"}, 0x0205, "110"},
    {"Write, RDMAP version 0", NOTHING, {"c100 00000010 0000000000001000 aa"}, 0x0205, "110"},
    {"Send that is Tagged", NOTHING, {"c143 00000010 0000000000001000 aa"}, 0x0206, "110"},
    {"opcode 12, Tagged", NOTHING, {"c14c 00000010 0000000000001000 aa"}, 0x0206, "110"},
    {"Read Response to nothing", NOTHING, {"c142 00000010 0000000000001000 aa"}, 0x0206, "110"},
    {"Read Response to an atomic", AN_ATOMIC, {"c142 00000010 0000000000001000 aa"}, 0x0206, "110"},
    {"Read Response, no such STag", A_READ, {"c142 00000040 0000000000001000 aa"}, 0x1100, "110"},
    {"Read Response, another STag", A_READ, {"c142 00000020 0000000000001000 aa"}, 0x1101, "110"},
    {"Read Response, too long", A_READ, {"c142 00000010 0000000000001000 aabbccddee"}, 0x1101, "110"},
    {"Read Response, too early", A_READ, {"c142 00000010 0000000000000ffe aabbccdd"}, 0x1101, "110"},
    {"Read Response, TO wraps", A_READ, {"c142 00000010 fffffffffffffffe aabbccdd"}, 0x1103, "110"},
    {"Read Response, too short", A_READ, {"c142 00000010 0000000000001000 aa"}, 0x02FF, "110"},
    {"Read Response, DDP version 2", A_READ, {"c242 00000010 0000000000001000 aabbccdd"}, 0x1104, "110"},
    {"second Read Response",
     A_READ,
     {"c142 00000010 0000000000001000 aabbccdd", "c142 00000010 0000000000001000 aabbccdd"},
     0x0206,
     "110"},
    {"Write behind a sound one",
     NOTHING,
     {"8140 00000010 0000000000001000 aa", "c140 00000010 0000000000003000 aa"},
     0x1101,
     "110"},
    /* Untagged, RFC 5041 section 7.1 */
    {"Send, DDP version 0", NOTHING, {"4043 00000000 00000000 00000001 00000000 aa"}, 0x1206, "110"},
    {"Send, queue 4", NOTHING, {"4143 00000000 00000004 00000001 00000000 aa"}, 0x1201, "110"},
    {"Send, queue 0xFFFFFFFF", NOTHING, {"4143 00000000 ffffffff 00000001 00000000 aa"}, 0x1201, "110"},
    {"Send, MSN 0", NOTHING, {"4143 00000000 00000000 00000000 00000000 aa"}, 0x1203, "110"},
    {"Send, MSN 2", NOTHING, {"4143 00000000 00000000 00000002 00000000 aa"}, 0x1203, "110"},
    {"Send, MSN far ahead", NOTHING, {"4143 00000000 00000000 00001001 00000000 aa"}, 0x1203, "110"},
    {"Send, MSN again", NOTHING, {SEND_1, SEND_1}, 0x1203, "110"},
    {"Send, MO beyond the buffer", NOTHING, {"4143 00000000 00000000 00000001 00000041 aa"}, 0x1204, "110"},
    {"Send, MO 4 at the beginning", NOTHING, {"4143 00000000 00000000 00000001 00000004 aa"}, 0x1204, "110"},
    {"Send, hole",
     NOTHING,
     {"0143 00000000 00000000 00000001 00000000 aaaaaaaa", "4143 00000000 00000000 00000001 00000005 aa"},
     0x1204,
     "110"},
    {"Send, octets twice",
     NOTHING,
     {"0143 00000000 00000000 00000001 00000000 aaaaaaaa", "4143 00000000 00000000 00000001 00000003 aa"},
     0x1204,
     "110"},
    {"Send, too long", NOTHING, {SEND_1 "[65]"}, 0x1205, "110"},
    {"Send, too long at the end",
     NOTHING,
     {"0143 00000000 00000000 00000001 00000000 [64]", "4143 00000000 00000000 00000001 00000040 aa"},
     0x1205,
     "110"},
    {"Send, RDMAP version 3", NOTHING, {"41c3 00000000 00000000 00000001 00000000 aa"}, 0x0205, "110"},
    {"opcode 14", NOTHING, {"414e 00000000 00000000 00000001 00000000 aa"}, 0x0206, "110"},
    {"Write that is Untagged", NOTHING, {"4140 00000000 00000000 00000001 00000000 aa"}, 0x0206, "110"},
    {"Send on queue 1", NOTHING, {"4143 00000000 00000001 00000001 00000000 aa"}, 0x0206, "110"},
    {"Read Request on queue 0", NOTHING, {"4141 00000000 00000000 00000001 00000000 [28]"}, 0x0206, "110"},
    {"Send that becomes another",
     NOTHING,
     {"0143 00000000 00000000 00000001 00000000 aa", "4145 00000000 00000000 00000001 00000001 aa"},
     0x0206,
     "110"},
    /* Read Requests, RFC 5040 section 7.2 */
    {"Read, no such STag", NOTHING, {READ_1 SINK "00000001 00000040 0000000000001000"}, 0x0100, "111"},
    {"Read, below the region", NOTHING, {READ_1 SINK "00000001 00000010 0000000000000fff"}, 0x0101, "111"},
    {"Read, beyond the region", NOTHING, {READ_1 SINK "00002001 00000010 0000000000001000"}, 0x0101, "111"},
    {"Read, no right", NOTHING, {READ_1 SINK "00000001 00000030 0000000000001000"}, 0x0102, "111"},
    {"Read, TO wraps", NOTHING, {READ_1 SINK "00000002 00000010 ffffffffffffffff"}, 0x0104, "111"},
    {"Read, too short", NOTHING, {READ_1 "[27]"}, 0x02FF, "110"},
    {"Read, too long", NOTHING, {READ_1 "[29]"}, 0x02FF, "110"},
    {"Read, longer than any request", NOTHING, {READ_1 "[53]"}, 0x1205, "110"},
    {"Read, MSN 2", NOTHING, {"4141 00000000 00000001 00000002 00000000 [28]"}, 0x1203, "110"},
    {"Read, MO 4", NOTHING, {"4141 00000000 00000001 00000001 00000004 [28]"}, 0x1204, "110"},
    {"Read, RDMAP version 2", NOTHING, {"4181 00000000 00000001 00000001 00000000 [28]"}, 0x0205, "110"},
    {"Read, DDP version 0", NOTHING, {"4041 00000000 00000001 00000001 00000000 [28]"}, 0x1206, "110"},
    /* Invalidation */
    {"Invalidate, no such STag", NOTHING, {"4144 00000040 00000000 00000001 00000000 aa"}, 0x0109, "110"},
    {"Invalidate, not to be ended so", NOTHING, {"4146 00000010 00000000 00000001 00000000 aa"}, 0x0109, "110"},
    {"Invalidate, again",
     NOTHING,
     {"4144 00000030 00000000 00000001 00000000 aa", "4144 00000030 00000000 00000002 00000000 aa"},
     0x0109,
     "110"},
    {"Invalidated, then written",
     NOTHING,
     {"4144 00000030 00000000 00000001 00000000 aa", "c140 00000030 0000000000001000 aa"},
     0x1100,
     "110"},
    /* RFC 7306 section 8.2 */
    {"atomic, no such STag", NOTHING, {ATOMIC_1 FETCH_ADD("00000040 0000000000001000")}, 0x0100, "110"},
    {"atomic, beyond the region", NOTHING, {ATOMIC_1 FETCH_ADD("00000010 0000000000003000")}, 0x0101, "110"},
    {"atomic, no right", NOTHING, {ATOMIC_1 FETCH_ADD("00000020 0000000000001000")}, 0x0102, "110"},
    {"atomic, TO wraps", NOTHING, {ATOMIC_1 FETCH_ADD("00000010 fffffffffffffffc")}, 0x0104, "110"},
    {"atomic, not aligned", NOTHING, {ATOMIC_1 FETCH_ADD("00000010 0000000000001004")}, 0x0207, "110"},
    {"atomic, AOpCode 1", NOTHING, {ATOMIC_1 "00000001 00000007 00000010 0000000000001000 [32]"}, 0x0206, "110"},
    {"atomic, AOpCode 15", NOTHING, {ATOMIC_1 "0000000f 00000007 00000010 0000000000001000 [32]"}, 0x0206, "110"},
    {"atomic, too short", NOTHING, {ATOMIC_1 "[51]"}, 0x02FF, "110"},
    {"atomic, too long", NOTHING, {ATOMIC_1 "[53]"}, 0x1205, "110"},
    {"atomic, MSN 6", NOTHING, {"414a 00000000 00000001 00000006 00000000 [52]"}, 0x1203, "110"},
    {"atomic, MO 4", NOTHING, {"414a 00000000 00000001 00000001 00000004 [52]"}, 0x1204, "110"},
    {"atomic on queue 0", NOTHING, {"414a 00000000 00000000 00000001 00000000 [52]"}, 0x0206, "110"},
    {"atomic, RDMAP version 0", NOTHING, {"410a 00000000 00000001 00000001 00000000 [52]"}, 0x0205, "110"},
    {"Atomic Response to nothing", NOTHING, {"414b 00000000 00000003 00000001 00000000 [12]"}, 0x1202, "110"},
    {"Atomic Response to a Read", A_READ, {"414b 00000000 00000003 00000001 00000000 [12]"}, 0x02FF, "110"},
    {"Atomic Response of another", AN_ATOMIC, {"414b 00000000 00000003 00000001 00000000 00000055 [8]"}, 0x02FF, "110"},
    {"Atomic Response, too short", AN_ATOMIC, {"414b 00000000 00000003 00000001 00000000 00000001 [7]"}, 0x02FF, "110"},
    {"Immediate Data of 4 octets", NOTHING, {"4148 00000000 00000000 00000001 00000000 [4]"}, 0x02FF, "110"},
    {"Immediate Data of 9 octets", NOTHING, {"4148 00000000 00000000 00000001 00000000 [9]"}, 0x02FF, "110"},
    /* No whole header */
    {"one octet", NOTHING, {"41"}, 0x02FF, "000"},
    {"short Tagged header", NOTHING, {"c140 00000010 00000000000010"}, 0x02FF, "000"},
    {"short Untagged header", NOTHING, {"4143 00000010 00000000 00000001 000000"}, 0x02FF, "000"},
    /* What is right, however odd */
    {"Write of nothing anywhere", NOTHING, {"c140 00000040 ffffffffffffffff"}, NO_TERMINATE, ""},
    {"Write to the last octet", NOTHING, {"c140 00000010 0000000000002fff aa"}, NO_TERMINATE, ""},
    {"Read of nothing anywhere", NOTHING, {READ_1 SINK "00000000 00000040 ffffffffffffffff"}, NO_TERMINATE, ""},
    {"Send of nothing", NOTHING, {SEND_1}, NO_TERMINATE, ""},
    {"reserved bits of DDP and RDMAP", NOTHING, {"7d73 ffffffff 00000000 00000001 00000000 aa"}, NO_TERMINATE, ""},
    {"reserved bits of a Write", NOTHING, {"fd70 00000010 0000000000001000 aa"}, NO_TERMINATE, ""},
    {"Send that fills the buffer", NOTHING, {SEND_1 "[64]"}, NO_TERMINATE, ""},
    {"Send in descending order",
     NOTHING,
     {"0143 00000000 00000000 00000001 00000004 aaaa", "0143 00000000 00000000 00000001 00000000 bbbbbbbb",
      "4143 00000000 00000000 00000001 00000006"},
     NO_TERMINATE,
     ""},
    {"Read Request in two segments",
     NOTHING,
     {"0141 00000000 00000001 00000001 00000000 [20]", "4141 00000000 00000001 00000001 00000014 [8]"},
     NO_TERMINATE,
     ""},
    {"reserved bits of an atomic",
     NOTHING,
     {ATOMIC_1 "fffffff0 00000007 00000010 0000000000001008 [32]"},
     NO_TERMINATE,
     ""},
    {"Immediate Data", NOTHING, {"4149 ffffffff 00000000 00000001 00000000 0000000000000001"}, NO_TERMINATE, ""},
    {"Read Response in two",
     A_READ,
     {"8142 00000010 0000000000001000 aabb", "c142 00000010 0000000000001002 ccdd"},
     NO_TERMINATE,
     ""},
    {"Atomic Response",
     AN_ATOMIC,
     {"414b 00000000 00000003 00000001 00000000 00000001 0000000000000042"},
     NO_TERMINATE,
     ""},
};

/* The Terminate in the last FPDU of side R, against the ULPDU p[0..n) that it is about. */
static void check_terminate(const struct talk *talk, unsigned cause, const char *mdr, const uint8_t *p, size_t n)
{
    const struct side *side = &talk->side[R];
    const uint8_t *last;
    size_t length = fpdu_of(talk, R, count_of(talk, R) - 1, &last);
    static const uint8_t head[] = {0x41, 0x47, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 0};
    size_t copied = mdr[1] == '1' ? (p[0] & 0x80 ? 14 : 18) : 0;

    assert_true(length >= 22);
    assert_memory_equal(last, head, sizeof(head));
    assert_int_equal(get_be16(last + 18), cause);
    assert_int_equal(last[20], (mdr[0] == '1') << 7 | (mdr[1] == '1') << 6 | (mdr[2] == '1') << 5);
    assert_int_equal(last[21], 0);
    assert_int_equal(length, 22 + (copied ? 2 + copied : 0) + (mdr[2] == '1' ? 28 : 0));
    if (copied) {
        assert_int_equal(get_be16(last + 22), n);
        assert_memory_equal(last + 24, p, copied);
    }
    if (mdr[2] == '1')
        assert_memory_equal(last + 24 + copied, p + 18, 28);
    assert_int_equal(side->terminated, 1);
    assert_true(side->ours);
    assert_true(pair_finished(talk->pair, R));
}

static void terminates(void **state)
{
    uint8_t ulpdu[200] = {0};

    (void)state;
    for (size_t k = 0; k < ARRAY_LENGTH(wrong); k++) {
        struct talk talk;
        size_t n = 0;

        print_message("%s\n", wrong[k].what);
        open_responder(&talk, &usual);
        if (wrong[k].before != NOTHING) {
            /* Something that lets the Responder speak, but takes no MSN. */
            say_hex(&talk, "c140 00000001 [8]", ulpdu, sizeof(ulpdu));
            if (wrong[k].before == A_READ)
                post(&talk, R, (struct qp_work){.kind = QP_READ, .n = 4, .sink_stag = STAG_ALL, .sink_to = BASE});
            else
                post(&talk, R, (struct qp_work){.kind = QP_FETCH_ADD});
            assert_int_equal(count_of(&talk, R), 1);
        }
        for (unsigned i = 0; i < 3 && wrong[k].ulpdus[i]; i++) {
            assert_int_equal(talk.side[R].terminated, 0);
            n = say_hex(&talk, wrong[k].ulpdus[i], ulpdu, sizeof(ulpdu));
        }
        if (wrong[k].cause == NO_TERMINATE) {
            assert_int_equal(talk.side[R].terminated, 0);
            assert_false(pair_finished(talk.pair, R));
            assert_int_equal(talk.side[R].completed, wrong[k].before != NOTHING);
        } else {
            check_terminate(&talk, (unsigned)wrong[k].cause, wrong[k].mdr, ulpdu, n);
            assert_int_equal(talk.side[R].flushed + talk.side[R].completed, wrong[k].before != NOTHING);
            /* Then silence, whatever comes. */
            n = count_of(&talk, R);
            say_hex(&talk, READ_1 SINK "00000001 00000010 0000000000001000", ulpdu, sizeof(ulpdu));
            say_hex(&talk, "c140 00000010 0000000000001000 55", ulpdu, sizeof(ulpdu));
            assert_int_equal(count_of(&talk, R), n);
            assert_int_not_equal(talk.side[R].region[0], 0x55);
        }
        pair_close(talk.pair, I, false);
        run(&talk);
        assert_true(talk.side[R].ended);
        assert_int_equal(talk.side[R].orderly, wrong[k].cause == NO_TERMINATE);
        close_all(&talk);
    }
}

static void receive_buffers(void **state)
{
    struct qp_options options = usual;
    uint8_t ulpdu[100] = {0};
    struct talk talk;
    size_t n;

    (void)state;
    options.repost = false;
    open_responder(&talk, &options);
    say_hex(&talk, SEND_1, ulpdu, sizeof(ulpdu));
    say_hex(&talk, "4148 00000000 00000000 00000002 00000000 [8]", ulpdu, sizeof(ulpdu));
    qp_repost(talk.side[R].qp, 1);
    say_hex(&talk, "0143 00000000 00000000 00000003 00000000 aa", ulpdu, sizeof(ulpdu));
    say_hex(&talk, "4143 00000000 00000000 00000003 00000001 bb", ulpdu, sizeof(ulpdu));
    assert_int_equal(talk.side[R].received, 3);
    n = say_hex(&talk, "4143 00000000 00000000 00000004 00000000", ulpdu, sizeof(ulpdu));
    check_terminate(&talk, 0x1202, "110", ulpdu, n);
    close_all(&talk);
}

static void more_requests_than_ird(void **state)
{
    uint8_t ulpdu[100] = {0};
    struct talk talk;
    size_t n;

    (void)state;
    open_responder(&talk, &usual);
    the_room = 0; /* so that they wait */
    say_hex(&talk, READ_1 SINK "00000001 00000010 0000000000001000", ulpdu, sizeof(ulpdu));
    say_hex(&talk, "414a 00000000 00000001 00000002 00000000" FETCH_ADD("00000010 0000000000001000"), ulpdu,
            sizeof(ulpdu));
    assert_int_equal(talk.side[R].terminated, 0);
    n = say_hex(&talk, "4141 00000000 00000001 00000003 00000000 [28]", ulpdu, sizeof(ulpdu));
    check_terminate(&talk, 0x1202, "110", ulpdu, n);
    close_all(&talk);
}

/* Answers keep the order of the requests, and operations happen in it. */
static void answers_in_order(void **state)
{
    uint8_t ulpdu[100];
    const uint8_t *answer;
    struct talk talk;

    (void)state;
    open_responder(&talk, &usual);
    put_be64(talk.side[R].region, 41);
    the_room = 0;
    say_hex(&talk, ATOMIC_1 FETCH_ADD("00000010 0000000000001000"), ulpdu, sizeof(ulpdu));
    say_hex(&talk, "4141 00000000 00000001 00000002 00000000" SINK "00000008 00000010 0000000000001000", ulpdu,
            sizeof(ulpdu));
    the_room = 1;
    qp_pump(talk.side[R].qp);
    assert_int_equal(fpdu_of(&talk, R, 0, &answer), 30);
    assert_int_equal(answer[1], 0x4B);
    assert_int_equal(get_be32(answer + 6), 3);
    assert_int_equal(get_be32(answer + 10), 1);
    assert_int_equal(get_be32(answer + 18), 7);
    assert_int_equal(get_be64(answer + 22), 41);
    assert_int_equal(fpdu_of(&talk, R, 1, &answer), 22);
    assert_int_equal(answer[1], 0x42);
    assert_int_equal(get_be32(answer + 2), 0x99);
    assert_int_equal(get_be64(answer + 14), 42);
    close_all(&talk);
}

static unsigned segments_left;

static size_t room_for_some(void *ctx)
{
    (void)ctx;
    if (segments_left == 0)
        return 0;
    segments_left--;
    return 1;
}

/* The region ends while it is read: what is echoed is where the Read stands (RFC 5040 section 4.8). */
static void interrupted_read(void **state)
{
    uint8_t ulpdu[100], octets[MPA_STARTUP_HEADER_LEN];
    struct mpa_startup frame = {.kind = MPA_REQUEST, .revision = 1};
    const struct qp_options options = {.mpa = {.role = MPA_END_RESPONDER, .revision = 1}, .ird = 1};
    struct talk talk = {.pair = pair_new(1460, 0)};
    struct side *side = &talk.side[R];
    struct stream stream;
    const uint8_t *last;
    size_t n;

    (void)state;
    begin();
    side_open(&talk, R, options);
    qp_free(side->qp);
    memory_bind(side->memory, STAG_ALL, NULL);
    stream = *pair_stream(talk.pair, R);
    stream.room = room_for_some;
    segments_left = 1;
    side->qp = qp_new(&options, side->memory, &stream, &(struct qp_events){.ctx = side, .terminated = on_terminated});
    pair_attach(talk.pair, R, &(struct pair_end){.end = side->qp, .receive = receive, .receive_fin = receive_fin});
    qp_start(side->qp);
    pair_write(talk.pair, I, octets, mpa_startup_encode(&frame, octets, sizeof(octets)));
    n = say_hex(&talk, READ_1 "00000099 0000000000000100 00001000 00000010 0000000000001000", ulpdu, sizeof(ulpdu));
    assert_int_equal(count_of(&talk, R), 1);
    memory_invalidate(side->memory, STAG_ALL);
    segments_left = 1;
    qp_pump(side->qp);
    put_be64(ulpdu + 22, 0x100 + 1440);
    put_be32(ulpdu + 30, 0x1000 - 1440);
    put_be64(ulpdu + 38, 0x1000 + 1440);
    check_terminate(&talk, 0x0100, "111", ulpdu, n);
    assert_int_equal(fpdu_of(&talk, R, 0, &last), 1454);
    close_all(&talk);
}

/* ---- errors of MPA ---- */

static void errors_of_mpa(void **state)
{
    const struct qp_options crc = {.mpa = {.revision = 1, .crc = true}, .receives = 4, .receive_size = 64};
    static const uint8_t send[] = {0, 18, 0x41, 0x43, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0};
    struct talk talk;
    uint8_t ulpdu[100] = {0};

    (void)state;
    /* In the first FPDU: the Responder has no word yet. */
    open_responder(&talk, &crc);
    pair_write(talk.pair, I, send, sizeof(send));
    pair_write(talk.pair, I, send, 4);
    run(&talk);
    assert_int_equal(talk.side[R].failed, MPA_END_BAD_CRC);
    assert_int_equal(count_of(&talk, R), 0);
    assert_true(pair_finished(talk.pair, R));
    close_all(&talk);

    /* Later. */
    open_responder(&talk, &crc);
    {
        static const struct mpa_framing framing;
        struct mpa_fpdu_plan plan;
        uint8_t octets[100];

        mpa_fpdu_plan_init(&plan, &framing, 0, send + 2, 18, true);
        pair_write(talk.pair, I, octets, mpa_fpdu_encode(&plan, octets, sizeof(octets)));
    }
    pair_write(talk.pair, I, send, sizeof(send));
    pair_write(talk.pair, I, send, 4);
    run(&talk);
    assert_int_equal(talk.side[R].received, 1);
    check_terminate(&talk, 0x2002, "000", ulpdu, 0);
    close_all(&talk);

    /* What an Initiator says of a Reply that it cannot live with. */
    static const struct {
        struct mpa_enhanced reply;
        unsigned cause;
    } replies[] = {
        {{.peer_to_peer = true, .rtr = MPA_RTR_SEND, .ird = 4, .ord = 4}, 0x2007},
        {{.peer_to_peer = true, .rtr = MPA_RTR_WRITE, .ird = 4, .ord = 5}, 0x2006},
        {{.peer_to_peer = false, .ird = 4, .ord = 4}, 0x2005},
    };

    for (size_t k = 0; k < ARRAY_LENGTH(replies); k++) {
        const struct qp_options asking = {
            .mpa = {.revision = 2,
                    .enhanced = true,
                    .enhanced_data = {.peer_to_peer = true, .rtr = MPA_RTR_WRITE, .ird = 4, .ord = 4}}};
        struct mpa_startup frame = {
            .kind = MPA_REPLY, .revision = 2, .flags = MPA_FLAG_S, .has_enhanced = true, .enhanced = replies[k].reply};
        uint8_t octets[40];
        const uint8_t *said;
        size_t n;

        talk = (struct talk){.pair = pair_new(1460, 0)};
        side_open(&talk, I, asking);
        qp_start(talk.side[I].qp);
        mpa_startup_fix_length(&frame);
        n = mpa_startup_encode(&frame, octets, sizeof(octets));
        pair_write(talk.pair, R, octets, n);
        run(&talk);
        said = pair_written(talk.pair, I, &n);
        assert_int_equal(n, 24 + 28);
        assert_int_equal(get_be16(said + 24), 22);
        assert_int_equal(get_be16(said + 24 + 20), replies[k].cause);
        assert_false(talk.side[I].established);
        assert_true(pair_finished(talk.pair, I));
        close_all(&talk);
    }
}

/* ---- hostile octets ---- */

static void truncated_ulpdus(void **state)
{
    uint8_t ulpdu[200];

    (void)state;
    for (size_t k = 0; k < ARRAY_LENGTH(wrong); k++) {
        size_t n = octets_of(wrong[k].ulpdus[0], ulpdu, sizeof(ulpdu));

        for (size_t cut = 1; cut <= n; cut++) {
            struct talk talk;

            open_responder(&talk, &usual);
            say(&talk, ulpdu, cut);
            say(&talk, ulpdu, n);
            assert_true(talk.side[R].terminated <= 1);
            close_all(&talk);
        }
    }
}

static void random_ulpdus(void **state)
{
    uint64_t seed = 9;

    (void)state;
    for (unsigned round = 0; round < 2000; round++) {
        struct talk talk;
        uint8_t ulpdu[200];

        open_responder(&talk, &usual);
        say_hex(&talk, "c140 00000001 [8]", ulpdu, sizeof(ulpdu));
        for (unsigned i = 0; i < next_random(&seed) % 4; i++)
            post(&talk, R,
                 (struct qp_work){
                     .kind = i & 1 ? QP_FETCH_ADD : QP_READ, .sink_stag = STAG_ALL, .n = 9, .sink_to = BASE});
        for (unsigned i = 0; i < 30; i++) {
            size_t n = octets_of(wrong[next_random(&seed) % ARRAY_LENGTH(wrong)].ulpdus[0], ulpdu, sizeof(ulpdu));

            if (n >= 18 && !(ulpdu[0] & 0x80))
                put_be32(ulpdu + 10, 1 + i / 4);
            if (next_random(&seed) % 3 == 0)
                ulpdu[next_random(&seed) % n] ^= (uint8_t)(1 << next_random(&seed) % 8);
            say(&talk, ulpdu, n);
        }
        assert_true(talk.side[R].terminated <= 1);
        assert_int_equal(talk.side[R].terminated == 1, pair_finished(talk.pair, R));
        close_all(&talk);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything),
        cmocka_unit_test(early_work),
        cmocka_unit_test(revision_0),
        cmocka_unit_test(ord),
        cmocka_unit_test(patience),
        cmocka_unit_test(ends),
        cmocka_unit_test(terminates),
        cmocka_unit_test(receive_buffers),
        cmocka_unit_test(more_requests_than_ird),
        cmocka_unit_test(answers_in_order),
        cmocka_unit_test(interrupted_read),
        cmocka_unit_test(errors_of_mpa),
        cmocka_unit_test(truncated_ulpdus),
        cmocka_unit_test(random_ulpdus),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
