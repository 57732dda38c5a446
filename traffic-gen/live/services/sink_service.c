// SPDX-License-Identifier: GPL-2.0-or-later
/* A service that accepts Writes, Sends and Reads from any client, and advertises its memory like the echo service. */
#include "support/advert.h"
#include "traffic-gen/live/play/endpoint.h"

enum { RECEIVES = 256, RECEIVE_SIZE = 16 << 20, REGION_SIZE = 1 << 20, SEED = 5040 };

static const uint64_t region_base = 0x10000;

/* One Protection Domain and one region for all connections: all clients share its contents. */
static struct {
    struct memory *memory;
    uint8_t *octets;
    struct advert advert;
} shared;

struct sink {
    struct qp *qp;
    char *trouble;
};

static bool sink_open(const struct endpoint_options *options, char **error)
{
    size_t size = MAX(options->size, REGION_SIZE);

    (void)error;
    shared.memory = memory_new(SEED);
    shared.octets = g_malloc0(size);
    shared.advert.n = 1;
    shared.advert.regions[REGION_ALL] = (struct advert_memory){
        .address = region_base,
        .length = (uint32_t)size,
        .stag = memory_register(shared.memory, shared.octets, size, region_base,
                                MEMORY_REMOTE_READ | MEMORY_REMOTE_WRITE | MEMORY_REMOTE_ATOMIC, false),
    };
    return true;
}

static void sink_close(void)
{
    memory_free(shared.memory);
    g_free(shared.octets);
}

static void service_on_terminated(void *ctx, bool ours, const struct rdmap_terminate *terminate)
{
    struct sink *sink = ctx;

    if (!sink->trouble)
        sink->trouble = qp_terminate_text(ours, terminate);
}

static void service_on_failed(void *ctx, enum mpa_end_error error)
{
    struct sink *sink = ctx;

    if (!sink->trouble)
        sink->trouble = g_strdup(mpa_end_error_text(error));
}

static void *sink_make(const struct endpoint_options *options, const struct stream *stream)
{
    struct sink *sink = g_new0(struct sink, 1);
    uint8_t words[ADVERT_MAX];
    struct qp_options qp = {
        .mpa = endpoint_wish(options, MPA_END_RESPONDER, true),
        .receives = RECEIVES,
        .receive_size = RECEIVE_SIZE,
        .repost = true,
        .ird = 16,
        .ord = 16,
    };

    qp.mpa.private_data = words;
    qp.mpa.private_length = (uint16_t)advert_encode(&shared.advert, words);
    sink->qp =
        qp_new(&qp, shared.memory, stream,
               &(struct qp_events){.ctx = sink, .terminated = service_on_terminated, .failed = service_on_failed});
    return sink;
}

static void sink_free(void *endpoint)
{
    struct sink *sink = endpoint;

    qp_free(sink->qp);
    g_free(sink->trouble);
    g_free(sink);
}

static struct qp *sink_qp(void *endpoint)
{
    return ((struct sink *)endpoint)->qp;
}

static const char *sink_trouble(void *endpoint)
{
    return ((struct sink *)endpoint)->trouble;
}

const struct endpoint_kind sink_server = {
    .name = "sink",
    .summary = "accepts Writes, Sends, Reads and atomics; advertises its memory in private data",
    .open = sink_open,
    .close = sink_close,
    .make = sink_make,
    .free = sink_free,
    .qp = sink_qp,
    .trouble = sink_trouble,
};
