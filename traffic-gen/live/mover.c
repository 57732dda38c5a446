// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Clients that move octets to a service that tells its memory, or from it, and say how fast. The time ends with the
 * answer to a last Read, which no Write or Send can be behind (RFC 5040 section 5.5).
 */
#include "support/advert.h"
#include "traffic-gen/live/endpoint.h"

#include <stdio.h>
#include <string.h>

enum { DEPTH = 16, SEED = 5041, FLUSH = 1, MESSAGE = 0, COUNT_DEFAULT = 1000 };

static const uint64_t own_base = 0x10000;

struct mover {
    const struct endpoint_options *options;
    enum qp_kind kind;
    const struct stream *stream;
    struct memory *memory;
    struct qp *qp;
    uint8_t *octets;
    uint32_t stag;
    struct advert_memory remote;
    uint64_t posted, done;
    int64_t begun_at, ended_at;
    bool ready, flushed;
    char *trouble;
};

static void wrong(struct mover *mover, char *trouble)
{
    if (mover->trouble)
        g_free(trouble);
    else
        mover->trouble = trouble;
}

static void post(struct mover *mover, uint64_t cookie, enum qp_kind kind, size_t n)
{
    qp_post(mover->qp, &(struct qp_work){.kind = kind,
                                         .cookie = cookie,
                                         .p = mover->octets,
                                         .lent = true,
                                         .n = n,
                                         .remote_stag = mover->remote.stag,
                                         .remote_to = mover->remote.address,
                                         .sink_stag = mover->stag,
                                         .sink_to = own_base});
}

static void go_on(struct mover *mover)
{
    const struct endpoint_options *options = mover->options;

    while (mover->posted < options->count && mover->posted - mover->done < DEPTH) {
        mover->posted++;
        post(mover, MESSAGE, mover->kind, options->size);
    }
    if (mover->done == options->count && !mover->flushed) {
        mover->flushed = true;
        post(mover, FLUSH, QP_READ, 1);
    }
}

static void on_established(void *ctx, const struct mpa_end_terms *terms)
{
    struct mover *mover = ctx;
    struct advert advert;
    size_t n = mover->kind == QP_SEND ? 1 : mover->options->size;

    if (!advert_decode(&advert, terms->peer_data, terms->peer_length) || advert.n == 0) {
        wrong(mover, g_strdup("the peer tells no memory in its private data: is it iwarp-gen serve --service=sink?"));
    } else if (advert.regions[REGION_ALL].length < n) {
        wrong(mover, g_strdup_printf("the peer's memory has %u octets only", advert.regions[REGION_ALL].length));
    } else {
        mover->remote = advert.regions[REGION_ALL];
        mover->ready = true;
        mover->begun_at = mover->stream->now(mover->stream->ctx) + mover->options->first_delay_ns;
        return;
    }
    qp_close(mover->qp, false);
}

static void on_completed(void *ctx, uint64_t cookie, enum qp_status status, uint64_t original)
{
    struct mover *mover = ctx;

    (void)original;
    if (status != QP_OK) {
        wrong(mover, g_strdup_printf("the connection ended after %lu messages", (unsigned long)mover->done));
        return;
    }
    if (cookie == FLUSH) {
        mover->ended_at = mover->stream->now(mover->stream->ctx);
        qp_close(mover->qp, false);
        return;
    }
    mover->done++;
    go_on(mover);
}

static void on_terminated(void *ctx, bool ours, const struct rdmap_terminate *terminate)
{
    wrong(ctx, endpoint_terminate_text(ours, terminate));
}

static void on_failed(void *ctx, enum mpa_end_error error)
{
    wrong(ctx, g_strdup(mpa_end_error_text(error)));
}

static void on_ended(void *ctx, bool orderly)
{
    struct mover *mover = ctx;

    (void)orderly;
    if (!mover->ended_at)
        wrong(mover, g_strdup_printf("the peer ended the connection after %lu messages", (unsigned long)mover->done));
}

static void mover_tick(void *endpoint)
{
    struct mover *mover = endpoint;

    if (mover->ready && mover->posted == 0 && mover->stream->now(mover->stream->ctx) >= mover->begun_at)
        go_on(mover);
}

static void *make(const struct endpoint_options *options, const struct stream *stream, enum qp_kind kind)
{
    struct mover *mover = g_new0(struct mover, 1);
    const struct qp_events events = {.ctx = mover,
                                     .established = on_established,
                                     .completed = on_completed,
                                     .terminated = on_terminated,
                                     .failed = on_failed,
                                     .ended = on_ended};
    const struct qp_options qp = {.mpa = endpoint_wish(options, MPA_END_INITIATOR, true), .ird = 16, .ord = 16};

    mover->options = options;
    mover->kind = kind;
    mover->stream = stream;
    mover->memory = memory_new(SEED);
    mover->octets = g_malloc(MAX(options->size, 1));
    for (size_t i = 0; i < options->size; i++)
        mover->octets[i] = (uint8_t)(i * 31 + (i >> 8));
    mover->stag = memory_register(mover->memory, mover->octets, MAX(options->size, 1), own_base, 0, false);
    mover->qp = qp_new(&qp, mover->memory, stream, &events);
    return mover;
}

static void *make_write(const struct endpoint_options *options, const struct stream *stream)
{
    return make(options, stream, QP_WRITE);
}

static void *make_read(const struct endpoint_options *options, const struct stream *stream)
{
    return make(options, stream, QP_READ);
}

static void *make_send(const struct endpoint_options *options, const struct stream *stream)
{
    return make(options, stream, QP_SEND);
}

static void print_rate(const struct mover *mover)
{
    double seconds = (double)(mover->ended_at - mover->begun_at) / 1e9;
    double octets = (double)mover->done * (double)mover->options->size;

    printf("%lu messages of %zu octets in %.3f s: %.0f messages/s, %.3f Gbit/s\n", (unsigned long)mover->done,
           mover->options->size, seconds, (double)mover->done / seconds, octets * 8 / seconds / 1e9);
}

static void mover_free(void *endpoint)
{
    struct mover *mover = endpoint;

    if (!mover->trouble)
        print_rate(mover);
    qp_free(mover->qp);
    memory_free(mover->memory);
    g_free(mover->octets);
    g_free(mover->trouble);
    g_free(mover);
}

static struct qp *mover_qp(void *endpoint)
{
    return ((struct mover *)endpoint)->qp;
}

static const char *mover_trouble(void *endpoint)
{
    return ((struct mover *)endpoint)->trouble;
}

#define MOVER(what, text, make_what)                                                                                   \
    {                                                                                                                  \
        .name = what, .summary = text, .make = make_what, .free = mover_free, .qp = mover_qp, .tick = mover_tick,      \
        .trouble = mover_trouble                                                                                       \
    }

const struct endpoint_kind write_client = MOVER("write", "moves octets by RDMA Writes", make_write);
const struct endpoint_kind read_client = MOVER("read", "moves octets by RDMA Reads", make_read);
const struct endpoint_kind send_client = MOVER("send", "moves octets by Sends", make_send);
