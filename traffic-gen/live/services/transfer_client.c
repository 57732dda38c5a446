// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Clients that transfer octets to or from a service that advertises its memory, and print the rate. The time ends with
 * the answer to a final Read, which comes after all Writes and Sends (RFC 5040 section 5.5).
 */
#include "support/advert.h"
#include "traffic-gen/live/play/endpoint.h"

#include <stdio.h>
#include <string.h>

enum { DEPTH = 16, SEED = 5041, FLUSH = 1, MESSAGE = 0, COUNT_DEFAULT = 1000 };

static const uint64_t own_base = 0x10000;

struct transfer {
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

static void transfer_client_wrong(struct transfer *transfer, char *trouble)
{
    if (transfer->trouble)
        g_free(trouble);
    else
        transfer->trouble = trouble;
}

static void transfer_client_post(struct transfer *transfer, uint64_t cookie, enum qp_kind kind, size_t n)
{
    qp_post(transfer->qp, &(struct qp_work){.kind = kind,
                                            .cookie = cookie,
                                            .p = transfer->octets,
                                            .lent = true,
                                            .n = n,
                                            .remote_stag = transfer->remote.stag,
                                            .remote_to = transfer->remote.address,
                                            .sink_stag = transfer->stag,
                                            .sink_to = own_base});
}

static void transfer_client_go_on(struct transfer *transfer)
{
    const struct endpoint_options *options = transfer->options;

    while (transfer->posted < options->count && transfer->posted - transfer->done < DEPTH) {
        transfer->posted++;
        transfer_client_post(transfer, MESSAGE, transfer->kind, options->size);
    }
    if (transfer->done == options->count && !transfer->flushed) {
        transfer->flushed = true;
        transfer_client_post(transfer, FLUSH, QP_READ, 1);
    }
}

static void transfer_client_on_established(void *ctx, const struct mpa_end_terms *terms)
{
    struct transfer *transfer = ctx;
    struct advert advert;
    size_t n = transfer->kind == QP_SEND ? 1 : transfer->options->size;

    if (!advert_decode(&advert, terms->peer_data, terms->peer_length) || advert.n == 0) {
        transfer_client_wrong(
            transfer,
            g_strdup("the peer advertises no memory in its private data: is it iwarp-gen serve --service=sink?"));
    } else if (advert.regions[REGION_ALL].length < n) {
        transfer_client_wrong(
            transfer, g_strdup_printf("the peer's memory has only %u octets", advert.regions[REGION_ALL].length));
    } else {
        transfer->remote = advert.regions[REGION_ALL];
        transfer->ready = true;
        transfer->begun_at = transfer->stream->now(transfer->stream->ctx) + transfer->options->first_delay_ns;
        return;
    }
    qp_close(transfer->qp, false);
}

static void transfer_client_on_completed(void *ctx, uint64_t cookie, enum qp_status status, uint64_t original)
{
    struct transfer *transfer = ctx;

    (void)original;
    if (status != QP_OK) {
        transfer_client_wrong(
            transfer, g_strdup_printf("the connection ended after %lu messages", (unsigned long)transfer->done));
        return;
    }
    if (cookie == FLUSH) {
        transfer->ended_at = transfer->stream->now(transfer->stream->ctx);
        qp_close(transfer->qp, false);
        return;
    }
    transfer->done++;
    transfer_client_go_on(transfer);
}

static void transfer_client_on_terminated(void *ctx, bool ours, const struct rdmap_terminate *terminate)
{
    transfer_client_wrong(ctx, qp_terminate_text(ours, terminate));
}

static void transfer_client_on_failed(void *ctx, enum mpa_end_error error)
{
    transfer_client_wrong(ctx, g_strdup(mpa_end_error_text(error)));
}

static void transfer_client_on_ended(void *ctx, bool orderly)
{
    struct transfer *transfer = ctx;

    (void)orderly;
    if (!transfer->ended_at)
        transfer_client_wrong(transfer, g_strdup_printf("the peer ended the connection after %lu messages",
                                                        (unsigned long)transfer->done));
}

static void transfer_tick(void *endpoint)
{
    struct transfer *transfer = endpoint;

    if (transfer->ready && transfer->posted == 0 && transfer->stream->now(transfer->stream->ctx) >= transfer->begun_at)
        transfer_client_go_on(transfer);
}

static void *transfer_client_make(const struct endpoint_options *options, const struct stream *stream,
                                  enum qp_kind kind)
{
    struct transfer *transfer = g_new0(struct transfer, 1);
    const struct qp_events events = {.ctx = transfer,
                                     .established = transfer_client_on_established,
                                     .completed = transfer_client_on_completed,
                                     .terminated = transfer_client_on_terminated,
                                     .failed = transfer_client_on_failed,
                                     .ended = transfer_client_on_ended};
    const struct qp_options qp = {.mpa = endpoint_wish(options, MPA_END_INITIATOR, true), .ird = 16, .ord = 16};

    transfer->options = options;
    transfer->kind = kind;
    transfer->stream = stream;
    transfer->memory = memory_new(SEED);
    transfer->octets = g_malloc(MAX(options->size, 1));
    for (size_t i = 0; i < options->size; i++)
        transfer->octets[i] = (uint8_t)(i * 31 + (i >> 8));
    transfer->stag = memory_register(transfer->memory, transfer->octets, MAX(options->size, 1), own_base, 0, false);
    transfer->qp = qp_new(&qp, transfer->memory, stream, &events);
    return transfer;
}

static void *make_write(const struct endpoint_options *options, const struct stream *stream)
{
    return transfer_client_make(options, stream, QP_WRITE);
}

static void *make_read(const struct endpoint_options *options, const struct stream *stream)
{
    return transfer_client_make(options, stream, QP_READ);
}

static void *make_send(const struct endpoint_options *options, const struct stream *stream)
{
    return transfer_client_make(options, stream, QP_SEND);
}

static void transfer_free(void *endpoint)
{
    struct transfer *transfer = endpoint;

    if (!transfer->trouble) {
        double seconds = (double)(transfer->ended_at - transfer->begun_at) / 1e9;
        double octets = (double)transfer->done * (double)transfer->options->size;

        printf("%lu messages of %zu octets in %.3f s: %.0f messages/s, %.3f Gbit/s\n", (unsigned long)transfer->done,
               transfer->options->size, seconds, (double)transfer->done / seconds, octets * 8 / seconds / 1e9);
    }
    qp_free(transfer->qp);
    memory_free(transfer->memory);
    g_free(transfer->octets);
    g_free(transfer->trouble);
    g_free(transfer);
}

static struct qp *transfer_qp(void *endpoint)
{
    return ((struct transfer *)endpoint)->qp;
}

static const char *transfer_trouble(void *endpoint)
{
    return ((struct transfer *)endpoint)->trouble;
}

#define TRANSFER(what, text, make_what)                                                                                \
    {                                                                                                                  \
        .name = what, .summary = text, .make = make_what, .free = transfer_free, .qp = transfer_qp,                    \
        .tick = transfer_tick, .trouble = transfer_trouble                                                             \
    }

const struct endpoint_kind write_client = TRANSFER("write", "transfers octets by RDMA Writes", make_write);
const struct endpoint_kind read_client = TRANSFER("read", "transfers octets by RDMA Reads", make_read);
const struct endpoint_kind send_client = TRANSFER("send", "transfers octets by Sends", make_send);
