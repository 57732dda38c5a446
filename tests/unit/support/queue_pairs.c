// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/support/queue_pairs.h"

#include <inttypes.h>

static void on_established(void *ctx, const struct mpa_end_terms *terms)
{
    struct qp_side *side = ctx;

    side->established = true;
}

static void on_received(void *ctx, const struct qp_message *message)
{
    struct qp_side *side = ctx;

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
    struct qp_side *side = ctx;

    assert_int_equal(cookie, side->last_cookie + 1); /* in the order of posting */
    side->last_cookie = cookie;
    side->original = original;
    if (status == QP_OK)
        side->completed++;
    else
        side->flushed++;
}

void qps_terminated(void *ctx, bool ours, const struct rdmap_terminate *terminate)
{
    struct qp_side *side = ctx;

    assert_false(side->ended);
    side->terminated++;
    side->ours = ours;
    side->terminate = *terminate;
}

static void on_failed(void *ctx, enum mpa_end_error error)
{
    struct qp_side *side = ctx;

    side->failed = (int)error;
}

static void on_ended(void *ctx, bool orderly)
{
    struct qp_side *side = ctx;

    assert_false(side->ended);
    side->ended = true;
    side->orderly = orderly;
}

void qps_receive(void *end, const uint8_t *p, size_t n)
{
    qp_receive(end, p, n);
}

void qps_receive_fin(void *end)
{
    qp_receive_fin(end);
}

size_t qps_room;

static size_t room(void *ctx)
{
    return qps_room;
}

void qps_open_side(struct qp_ends *ends, unsigned number, struct qp_options options)
{
    struct qp_side *side = &ends->side[number];
    struct stream stream = *pair_stream(ends->pair, number);
    const struct qp_events events = {.ctx = side,
                                     .established = on_established,
                                     .received = on_received,
                                     .completed = on_completed,
                                     .terminated = qps_terminated,
                                     .failed = on_failed,
                                     .ended = on_ended};

    stream.room = room;
    qps_room = SIZE_MAX;
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
    pair_attach_qp(ends->pair, number, side->qp);
}

const struct qp_options qps_usual = {
    .mpa = {.revision = 1}, .receives = 2, .receive_size = 64, .repost = true, .ird = 2, .ord = 2};

void qps_open(struct qp_ends *ends, const struct qp_options *initiator, const struct qp_options *responder)
{
    *ends = (struct qp_ends){.pair = pair_new(1460, 1000)};
    qps_open_side(ends, R, *responder);
    qps_open_side(ends, I, *initiator);
    qp_start(ends->side[R].qp);
    qp_start(ends->side[I].qp);
}

void qps_run(struct qp_ends *ends)
{
    assert_true(pair_run(ends->pair, STEPS));
}

void qps_close(struct qp_ends *ends)
{
    for (unsigned i = 0; i < 2; i++) {
        struct qp_side *side = &ends->side[i];

        if (!side->qp)
            continue;
        qp_free(side->qp);
        memory_free(side->memory);
        g_byte_array_unref(side->got);
        g_string_free(side->log, TRUE);
    }
    pair_free(ends->pair);
}

uint64_t qps_cookies[2];

bool qps_post(struct qp_ends *ends, unsigned side, struct qp_work work)
{
    work.cookie = ++qps_cookies[side];
    return qp_post(ends->side[side].qp, &work);
}

void qps_begin(void)
{
    qps_cookies[I] = qps_cookies[R] = 0;
}

size_t qps_fpdu(const struct qp_ends *ends, unsigned side, unsigned index, const uint8_t **out)
{
    size_t n, at = MPA_STARTUP_HEADER_LEN, length;
    const uint8_t *p = pair_written(ends->pair, side, &n);
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

unsigned qps_fpdu_count(const struct qp_ends *ends, unsigned side)
{
    const uint8_t *p;
    unsigned n = 0;

    while (qps_fpdu(ends, side, n, &p))
        n++;
    return n;
}

/* ---- octets by hand ---- */

void qps_open_responder(struct qp_ends *ends, const struct qp_options *options)
{
    uint8_t octets[MPA_STARTUP_HEADER_LEN];
    struct mpa_startup frame = {.kind = MPA_REQUEST, .revision = 1};

    qps_begin();
    *ends = (struct qp_ends){.pair = pair_new(1460, 0)};
    qps_open_side(ends, R, *options);
    qp_start(ends->side[R].qp);
    pair_write(ends->pair, I, octets, mpa_startup_encode(&frame, octets, sizeof octets));
    qps_run(ends);
    assert_true(ends->side[R].established);
}

void qps_say(struct qp_ends *ends, const uint8_t *ulpdu, size_t n)
{
    static const struct mpa_framing framing;
    static uint8_t octets[70000];
    struct mpa_fpdu_plan plan;

    mpa_fpdu_plan_init(&plan, &framing, 0, ulpdu, (uint16_t)n, false);
    pair_write(ends->pair, I, octets, mpa_fpdu_encode(&plan, octets, sizeof octets));
    qps_run(ends);
}

size_t qps_say_hex(struct qp_ends *ends, const char *text, uint8_t *ulpdu, size_t size)
{
    size_t n = octets_of(text, ulpdu, size);

    qps_say(ends, ulpdu, n);
    return n;
}

void qps_check_terminate(const struct qp_ends *ends, unsigned cause, const char *mdr, const uint8_t *p, size_t n)
{
    const struct qp_side *side = &ends->side[R];
    const uint8_t *last;
    size_t length = qps_fpdu(ends, R, qps_fpdu_count(ends, R) - 1, &last);
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
    assert_true(pair_finished(ends->pair, R));
}
