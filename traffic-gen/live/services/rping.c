// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * rping, compatible with the RDMA tools. The client advertises its buffer in a Send: address (8), STag (4), length (4).
 * The server reads the octets and confirms with a Send; the client advertises another buffer; the server writes the
 * octets there and confirms with a Send. The server's Sends hold 16 zero octets, which the client ignores.
 */
#include "traffic-gen/live/play/endpoint.h"
#include "wire/octets.h"

#include <stdio.h>
#include <string.h>

enum { INFO_LEN = 16, BUFFER_MAX = 16 << 20, RECEIVES = 4, RECEIVE_SIZE = 64, SEED = 5040 };

struct rping {
    const struct endpoint_options *options;
    bool client;
    struct memory *memory;
    struct qp *qp;
    uint8_t *start, *back; /* client: the buffers that the server reads, and writes. Server: start only */
    uint32_t start_stag, back_stag;
    size_t size; /* of the buffers */
    bool second; /* in the second half of a ping: the Write */
    uint64_t pings;
    bool idle; /* client: nothing is posted yet */
    int64_t begin_at;
    const struct stream *stream;
    char *trouble;
};

static const uint64_t start_base = 0x10000, back_base = UINT64_C(0x100000000);

static void rping_wrong(struct rping *rping, char *trouble)
{
    if (rping->trouble)
        g_free(trouble);
    else
        rping->trouble = trouble;
}

static void send_info(struct rping *rping, uint64_t base, uint32_t stag, size_t n)
{
    uint8_t info[INFO_LEN];

    put_be64(info, base);
    put_be32(info + 8, stag);
    put_be32(info + 12, (uint32_t)n);
    qp_post(rping->qp, &(struct qp_work){.kind = QP_SEND, .p = info, .n = sizeof info});
}

/* ---- server ---- */

enum { DONE_READ = 1, DONE_OTHER };

static uint32_t need_buffer(struct rping *rping, size_t n)
{
    if (rping->size < n) {
        if (rping->start_stag)
            memory_invalidate(rping->memory, rping->start_stag);
        rping->start = g_realloc(rping->start, n);
        rping->size = n;
        rping->start_stag = memory_register(rping->memory, rping->start, n, start_base, 0, false);
    }
    return rping->start_stag;
}

static void server_received(struct rping *rping, const struct qp_message *message)
{
    struct qp_work work = {.cookie = DONE_OTHER};

    if (message->n < INFO_LEN) {
        rping_wrong(rping, g_strdup_printf("expected an rping advertisement; found a Send of %zu octets", message->n));
        qp_close(rping->qp, false);
        return;
    }
    work.remote_to = get_be64(message->p);
    work.remote_stag = get_be32(message->p + 8);
    work.n = get_be32(message->p + 12);
    if (work.n > BUFFER_MAX || (rping->second && work.n > rping->size)) {
        rping_wrong(rping, g_strdup_printf("the client advertises %zu octets, which is too many", work.n));
        qp_close(rping->qp, false);
        return;
    }
    if (rping->second) {
        work.kind = QP_WRITE;
        work.p = rping->start;
        qp_post(rping->qp, &work);
        send_info(rping, 0, 0, 0);
        rping->pings++;
    } else {
        work.kind = QP_READ;
        work.cookie = DONE_READ;
        work.sink_stag = work.n ? need_buffer(rping, work.n) : 0;
        work.sink_to = start_base;
        qp_post(rping->qp, &work);
    }
    rping->second = !rping->second;
}

/* ---- client ---- */

/* The text that rping sends: "rdma-ping-N: ", then letters that advance with each ping, and a terminating zero. */
static void rping_fill(struct rping *rping)
{
    enum { FIRST = 65, LAST = 122 };
    char head[40];
    size_t n = (size_t)g_snprintf(head, sizeof head, "rdma-ping-%lu: ", (unsigned long)rping->pings);

    for (size_t i = 0; i < rping->size; i++)
        rping->start[i] = i < n ? (uint8_t)head[i] : (uint8_t)(FIRST + (rping->pings + i - n) % (LAST - FIRST + 1));
    rping->start[rping->size - 1] = 0;
    memset(rping->back, 0, rping->size);
}

static void begin_ping(struct rping *rping)
{
    rping_fill(rping);
    rping->second = false;
    send_info(rping, start_base, rping->start_stag, rping->size);
}

static void client_received(struct rping *rping)
{
    if (!rping->second) {
        rping->second = true;
        send_info(rping, back_base, rping->back_stag, rping->size);
        return;
    }
    if (rping->options->verify && memcmp(rping->start, rping->back, rping->size) != 0) {
        rping_wrong(rping, g_strdup_printf("ping %lu: expected the octets sent; others came back",
                                           (unsigned long)rping->pings));
        qp_close(rping->qp, false);
        return;
    }
    if (rping->options->verbose)
        printf("ping data: %.*s\n", (int)MIN(rping->size, 1000), (const char *)rping->start);
    rping->pings++;
    if (rping->options->count == 0 || rping->pings < rping->options->count)
        begin_ping(rping);
    else
        qp_close(rping->qp, false);
}

static void client_tick(void *endpoint)
{
    struct rping *rping = endpoint;

    if (!rping->client || !rping->idle || rping->stream->now(rping->stream->ctx) < rping->begin_at)
        return;
    rping->idle = false;
    begin_ping(rping);
}

/* ---- both sides ---- */

static void rping_on_established(void *ctx, const struct mpa_end_terms *terms)
{
    struct rping *rping = ctx;

    (void)terms;
    if (!rping->client)
        return;
    rping->idle = true;
    rping->begin_at = rping->stream->now(rping->stream->ctx) + rping->options->first_delay_ns;
    client_tick(rping);
}

static void rping_on_received(void *ctx, const struct qp_message *message)
{
    struct rping *rping = ctx;

    if (rping->client)
        client_received(rping);
    else
        server_received(rping, message);
}

static void rping_on_completed(void *ctx, uint64_t cookie, enum qp_status status, uint64_t original)
{
    struct rping *rping = ctx;

    (void)original;
    if (status == QP_OK && cookie == DONE_READ)
        send_info(rping, 0, 0, 0);
}

static void rping_on_terminated(void *ctx, bool ours, const struct rdmap_terminate *terminate)
{
    rping_wrong(ctx, qp_terminate_text(ours, terminate));
}

static void rping_on_failed(void *ctx, enum mpa_end_error error)
{
    rping_wrong(ctx, g_strdup(mpa_end_error_text(error)));
}

static void rping_on_ended(void *ctx, bool orderly)
{
    struct rping *rping = ctx;

    if (!orderly)
        rping_wrong(rping, g_strdup("the connection was reset"));
    else if (rping->client && rping->pings < rping->options->count)
        rping_wrong(rping,
                    g_strdup_printf("the peer closed the connection after %lu pings", (unsigned long)rping->pings));
}

static void *rping_make(const struct endpoint_options *options, const struct stream *stream, bool client)
{
    struct rping *rping = g_new0(struct rping, 1);
    const struct qp_events events = {.ctx = rping,
                                     .established = rping_on_established,
                                     .received = rping_on_received,
                                     .completed = rping_on_completed,
                                     .terminated = rping_on_terminated,
                                     .failed = rping_on_failed,
                                     .ended = rping_on_ended};
    /* Linux's siw refuses a Reply with C = 1 when its Request had C = 0, so the client decides about CRC. */
    struct qp_options qp = {.mpa = endpoint_wish(options, client ? MPA_END_INITIATOR : MPA_END_RESPONDER, client),
                            .receives = RECEIVES,
                            .receive_size = RECEIVE_SIZE,
                            .repost = true,
                            .ird = 1,
                            .ord = 1};

    rping->options = options;
    rping->client = client;
    rping->stream = stream;
    rping->memory = memory_new(SEED);
    if (client) {
        rping->size = options->size;
        rping->start = g_malloc0(options->size);
        rping->back = g_malloc0(options->size);
        rping->start_stag =
            memory_register(rping->memory, rping->start, rping->size, start_base, MEMORY_REMOTE_READ, false);
        rping->back_stag =
            memory_register(rping->memory, rping->back, rping->size, back_base, MEMORY_REMOTE_WRITE, false);
    }
    rping->qp = qp_new(&qp, rping->memory, stream, &events);
    return rping;
}

static void *make_server(const struct endpoint_options *options, const struct stream *stream)
{
    return rping_make(options, stream, false);
}

static void *make_client(const struct endpoint_options *options, const struct stream *stream)
{
    return rping_make(options, stream, true);
}

static void rping_free(void *endpoint)
{
    struct rping *rping = endpoint;

    if (rping->client && !rping->trouble)
        printf("%lu pings of %zu octets%s\n", (unsigned long)rping->pings, rping->size,
               rping->options->verify ? ", verified" : "");
    qp_free(rping->qp);
    memory_free(rping->memory);
    g_free(rping->start);
    g_free(rping->back);
    g_free(rping->trouble);
    g_free(rping);
}

static struct qp *rping_qp(void *endpoint)
{
    return ((struct rping *)endpoint)->qp;
}

static const char *rping_trouble(void *endpoint)
{
    return ((struct rping *)endpoint)->trouble;
}

const struct endpoint_kind rping_server = {
    .name = "rping",
    .summary = "a server for rping of the RDMA tools; the client decides about CRC",
    .make = make_server,
    .free = rping_free,
    .qp = rping_qp,
    .trouble = rping_trouble,
};

const struct endpoint_kind rping_client = {
    .name = "rping",
    .summary = "pings an rping server, as of the RDMA tools",
    .make = make_client,
    .free = rping_free,
    .qp = rping_qp,
    .tick = client_tick,
    .trouble = rping_trouble,
};
