// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A queue pair with a hostile peer. The first octet chooses the framing, and whether octets after the start-up come as
 * they are or as ULPDUs (each after a length octet) in correct FPDUs, which random octets would not be. In every case
 * there is at most one Terminate, nothing is sent after it, and posted work is completed when the connection is over.
 */
#include "tests/fuzz/fuzz.h"
#include "traffic-gen/ends/stack/queue_pair.h"
#include "wire/octets.h"

enum { REGION = 256, BASE = 0x1000, STAG = 0x10, STAG_INV = 0x30, OCTETS_MAX = 2 * MPA_FPDU_OCTETS_MAX };

struct peer {
    unsigned terminates, completed, ended;
    bool closed;
    size_t room;
};

static void on_write(void *ctx, const uint8_t *p, size_t n)
{
    struct peer *peer = ctx;

    (void)p;
    HOLDS(n > 0 && !peer->closed);
}

static size_t on_room(void *ctx)
{
    const struct peer *peer = ctx;

    return peer->room;
}

static void on_close(void *ctx, bool reset)
{
    struct peer *peer = ctx;

    HOLDS(!peer->closed || reset);
    peer->closed = true;
}

static int64_t on_now(void *ctx)
{
    (void)ctx;
    return 1;
}

static void on_completed(void *ctx, uint64_t cookie, enum qp_status status, uint64_t original)
{
    struct peer *peer = ctx;

    (void)status;
    (void)original;
    HOLDS(cookie == ++peer->completed);
}

static void on_received(void *ctx, const struct qp_message *message)
{
    const struct peer *peer = ctx;
    unsigned sum = 0;

    for (size_t i = 0; i < message->n; i++) /* all octets can be read */
        sum += message->p[i];
    HOLDS(message->n <= 64 && sum <= 64 * 255 && !peer->ended);
}

static void on_terminated(void *ctx, bool ours, const struct rdmap_terminate *terminate)
{
    struct peer *peer = ctx;

    (void)terminate;
    HOLDS(peer->terminates++ == 0);
    HOLDS(ours || !peer->ended);
}

static void on_ended(void *ctx, bool orderly)
{
    struct peer *peer = ctx;

    (void)orderly;
    HOLDS(peer->ended++ == 0);
}

/* FPDUs with the input's ULPDUs. */
static size_t frame(uint8_t *out, size_t size, bool markers, bool crc, const uint8_t *p, size_t n)
{
    const struct mpa_framing framing = {.markers = markers}; /* the grid begins after the Request */
    uint64_t offset = 0;

    while (n > 0) {
        size_t length = *p++ % 100, octets;
        struct mpa_fpdu_plan plan;

        n--;
        if (length > n)
            length = n;
        mpa_fpdu_plan_init(&plan, &framing, offset, p, (uint16_t)length, crc);
        octets = mpa_fpdu_encode(&plan, out + offset, size - offset);
        if (octets == 0)
            break;
        offset += octets;
        p += length;
        n -= length;
    }
    return offset;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t octets[OCTETS_MAX], region[REGION];
    uint8_t request[MPA_STARTUP_HEADER_LEN];
    struct mpa_startup start = {.kind = MPA_REQUEST, .revision = 1};
    struct peer peer = {.room = SIZE_MAX};
    const struct stream stream = {
        .ctx = &peer, .write = on_write, .room = on_room, .close = on_close, .now = on_now, .mss = 536};
    const struct qp_events events = {.ctx = &peer,
                                     .received = on_received,
                                     .completed = on_completed,
                                     .terminated = on_terminated,
                                     .ended = on_ended};
    struct qp_options options = {.receives = 3, .receive_size = 64, .ird = 2, .ord = 2};
    static const uint8_t first[] = {0xC1, RDMAP_WRITE | 0x40, [13] = 0};
    struct memory *memory;
    struct qp *qp;
    size_t n, step;
    unsigned how, posted = 0;

    if (size < 2)
        return 0;
    how = data[0];
    step = 1 + data[1];
    data += 2;
    size -= 2;
    options.repost = how & 1;
    options.mpa.role = MPA_END_RESPONDER;
    options.mpa.revision = 1;
    options.mpa.markers = how & 2;
    options.mpa.crc = how & 4;
    peer.room = how & 8 ? 0 : SIZE_MAX;
    memory = memory_new(1);
    memory_register_as(memory, STAG, region, REGION, BASE, 7, false);
    memory_register_as(memory, STAG_INV, region, REGION, BASE, 2, true);
    qp = qp_new(&options, memory, &stream, &events);
    qp_start(qp);
    if (!(how & 16)) { /* otherwise the input has the start-up, too */
        qp_receive(qp, request, mpa_startup_encode(&start, request, sizeof request));
        for (unsigned i = 0; i < 4; i++) {
            struct qp_work work = {.kind = i % 2 ? QP_READ : QP_FETCH_ADD,
                                   .cookie = posted + 1,
                                   .n = i * 5,
                                   .sink_stag = STAG,
                                   .sink_to = BASE};

            posted += qp_post(qp, &work);
        }
    }
    if (how & 32) {
        n = size < sizeof octets ? size : sizeof octets;
        memcpy(octets, data, n);
    } else {
        /* This first FPDU only allows the Responder to send. */
        uint8_t input[4096] = {sizeof first};

        memcpy(input + 1, first, sizeof first);
        n = size < sizeof input - 1 - sizeof first ? size : sizeof input - 1 - sizeof first;
        memcpy(input + 1 + sizeof first, data, n);
        n = frame(octets, sizeof octets, options.mpa.markers, options.mpa.crc, input, n + 1 + sizeof first);
    }
    for (size_t at = 0; at < n; at += step) {
        qp_receive(qp, octets + at, step < n - at ? step : n - at);
        if (how & 64 && at > n / 2) {
            peer.room = SIZE_MAX;
            qp_pump(qp);
        }
    }
    if (how & 128)
        qp_receive_reset(qp);
    else
        qp_receive_fin(qp);
    peer.room = SIZE_MAX;
    qp_pump(qp);
    HOLDS(peer.ended == 1 && (peer.closed || how & 128));
    HOLDS(peer.completed == posted && qp_pending(qp) == 0);
    qp_free(qp);
    memory_free(memory);
    return 0;
}
