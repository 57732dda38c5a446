/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two queue pairs and a network between them; or one, whose peer is played by hand. */
#ifndef IWARP_TESTS_QUEUE_PAIR_TALK_H
#define IWARP_TESTS_QUEUE_PAIR_TALK_H

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

static inline void on_established(void *ctx, const struct mpa_end_terms *terms)
{
    struct side *side = ctx;

    (void)terms;
    side->established = true;
}

static inline void on_received(void *ctx, const struct qp_message *message)
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

static inline void on_completed(void *ctx, uint64_t cookie, enum qp_status status, uint64_t original)
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

static inline void on_terminated(void *ctx, bool ours, const struct rdmap_terminate *terminate)
{
    struct side *side = ctx;

    assert_false(side->ended);
    side->terminated++;
    side->ours = ours;
    side->terminate = *terminate;
}

static inline void on_failed(void *ctx, enum mpa_end_error error)
{
    struct side *side = ctx;

    side->failed = (int)error;
}

static inline void on_ended(void *ctx, bool orderly)
{
    struct side *side = ctx;

    assert_false(side->ended);
    side->ended = true;
    side->orderly = orderly;
}

static inline void receive(void *end, const uint8_t *p, size_t n)
{
    qp_receive(end, p, n);
}

static inline void receive_fin(void *end)
{
    qp_receive_fin(end);
}

static inline void receive_reset(void *end)
{
    qp_receive_reset(end);
}

static inline void tick(void *end)
{
    qp_tick(end);
}

static size_t the_room;

static inline size_t room(void *ctx)
{
    (void)ctx;
    return the_room;
}

static inline void side_open(struct talk *talk, unsigned number, struct qp_options options)
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

static inline void open_both(struct talk *talk, const struct qp_options *initiator, const struct qp_options *responder)
{
    *talk = (struct talk){.pair = pair_new(1460, 1000)};
    side_open(talk, R, *responder);
    side_open(talk, I, *initiator);
    qp_start(talk->side[R].qp);
    qp_start(talk->side[I].qp);
}

static inline void run(struct talk *talk)
{
    assert_true(pair_run(talk->pair, STEPS));
}

static inline void close_all(struct talk *talk)
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
static inline bool post(struct talk *talk, unsigned side, struct qp_work work)
{
    work.cookie = ++cookies[side];
    return qp_post(talk->side[side].qp, &work);
}

static inline void begin(void)
{
    cookies[I] = cookies[R] = 0;
}

/* FPDUs that side has written, from the index-th on: the ULPDU in out, its length returned; 0: there is none. */
static inline size_t fpdu_of(const struct talk *talk, unsigned side, unsigned index, const uint8_t **out)
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

static inline unsigned count_of(const struct talk *talk, unsigned side)
{
    const uint8_t *p;
    unsigned n = 0;

    while (fpdu_of(talk, side, n, &p))
        n++;
    return n;
}

/* ---- octets by hand ---- */

/* A Responder in full operation, its peer played by hand. */
static inline void open_responder(struct talk *talk, const struct qp_options *options)
{
    uint8_t octets[MPA_STARTUP_HEADER_LEN];
    struct mpa_startup frame = {.kind = MPA_REQUEST, .revision = 1};

    begin();
    *talk = (struct talk){.pair = pair_new(1460, 0)};
    side_open(talk, R, *options);
    qp_start(talk->side[R].qp);
    pair_write(talk->pair, I, octets, mpa_startup_encode(&frame, octets, sizeof octets));
    run(talk);
    assert_true(talk->side[R].established);
}

static inline void say(struct talk *talk, const uint8_t *ulpdu, size_t n)
{
    static const struct mpa_framing framing;
    static uint8_t octets[70000];
    struct mpa_fpdu_plan plan;

    mpa_fpdu_plan_init(&plan, &framing, 0, ulpdu, (uint16_t)n, false);
    pair_write(talk->pair, I, octets, mpa_fpdu_encode(&plan, octets, sizeof octets));
    run(talk);
}

static inline size_t say_hex(struct talk *talk, const char *text, uint8_t *ulpdu, size_t size)
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

/* The Terminate in the last FPDU of side R, against the ULPDU p[0..n) that it is about. */
static inline void check_terminate(const struct talk *talk, unsigned cause, const char *mdr, const uint8_t *p, size_t n)
{
    const struct side *side = &talk->side[R];
    const uint8_t *last;
    size_t length = fpdu_of(talk, R, count_of(talk, R) - 1, &last);
    static const uint8_t head[] = {0x41, 0x47, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 0};
    size_t copied = mdr[1] == '1' ? (p[0] & 0x80 ? 14 : 18) : 0;

    assert_true(length >= 22);
    assert_memory_equal(last, head, sizeof head);
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

#endif
