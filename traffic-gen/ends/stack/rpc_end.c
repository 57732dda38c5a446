// SPDX-License-Identifier: GPL-2.0-or-later
/* The life of an RPC-over-RDMA end: private data and thresholds (RFC 8797), Receive buffers, Sends. */
#include "traffic-gen/ends/stack/rpc_end_internal.h"

#include <string.h>

enum { SPARE_RECEIVES = 2 /* for messages other than Call and Reply */ };

/* ---- sending ---- */

bool rpc_end_post(struct rpc_end *end, struct qp_work *work)
{
    if (end->spoil.work && !end->spoil.work(end->spoil.ctx, work)) {
        if ((work->cookie & ((1 << RPC_COOKIE_BITS) - 1)) == RPC_COOKIE_ANSWER)
            qp_repost(end->qp, 1);
        return true;
    }
    return qp_post(end->qp, work);
}

static size_t plan_size(const struct rpcrdma_plan *plan)
{
    size_t n = RPCRDMA_HEADER_MIN + 2 * sizeof(uint32_t) /* RDMA_MSGP */ + RPCRDMA_ERR_EXTRA_WORDS * sizeof(uint32_t);

    n += rpc_read_list_size(plan->n_reads);
    for (uint32_t i = 0; i < plan->n_writes; i++)
        n += rpc_write_chunk_size(plan->writes[i].n);
    return n + (plan->reply ? rpc_write_chunk_size(plan->reply->n) : 0);
}

void rpc_end_send(struct rpc_end *end, struct rpcrdma_plan *plan, const uint8_t *payload, size_t n, uint32_t invalidate,
                  bool answer)
{
    struct qp_work work = {
        .kind = QP_SEND,
        .cookie = answer ? RPC_COOKIE_ANSWER : RPC_COOKIE_NONE,
        .invalidate = invalidate != 0,
        .remote_stag = invalidate,
    };
    GByteArray *octets = g_byte_array_new();
    struct xdr_writer w;

    if (end->spoil.header)
        end->spoil.header(end->spoil.ctx, plan);
    w = (struct xdr_writer){.size = plan_size(plan)};
    g_byte_array_set_size(octets, (guint)w.size);
    w.p = octets->data;
    rpcrdma_header_encode(plan, &w);
    g_byte_array_set_size(octets, (guint)w.at);
    if (n > 0)
        g_byte_array_append(octets, payload, (guint)n);
    if (end->spoil.octets)
        end->spoil.octets(end->spoil.ctx, octets);
    work.p = octets->data;
    work.n = octets->len;
    rpc_end_post(end, &work);
    g_byte_array_unref(octets);
}

/* ---- events of the queue pair ---- */

/* RFC 8797 section 5.1: a peer without private data sends and receives 1024 octets, and has R = 0. */
static void end_on_established(void *ctx, const struct mpa_end_terms *terms)
{
    struct rpc_end *end = ctx;
    const struct rpc_end_options *options = &end->options;
    struct rpcrdma_private_data peer = {0};

    if (rpcrdma_private_data_find(&peer, terms->peer_data, terms->peer_length) != RPCRDMA_PD_OK)
        peer =
            (struct rpcrdma_private_data){.send_size = RPCRDMA_INLINE_DEFAULT, .receive_size = RPCRDMA_INLINE_DEFAULT};
    if (end->spoil.peer)
        end->spoil.peer(end->spoil.ctx, &peer, terms->peer_data, terms->peer_length);
    end->inline_out = MIN(options->send_size, peer.receive_size);
    end->inline_in = MIN(options->receive_size, peer.send_size);
    end->invalidates = options->remote_invalidation && peer.remote_invalidation;
    end->up = true;
    if (end->events.established)
        end->events.established(end->events.ctx, terms);
    rpc_end_pump(end);
}

static void end_on_received(void *ctx, const struct qp_message *message)
{
    rpc_end_receive(ctx, message);
}

static void end_on_completed(void *ctx, uint64_t cookie, enum qp_status status, uint64_t original)
{
    struct rpc_end *end = ctx;

    (void)original;
    switch (cookie & ((1 << RPC_COOKIE_BITS) - 1)) {
    case RPC_COOKIE_READ:
        rpc_end_read_done(end, cookie >> RPC_COOKIE_BITS, status == QP_OK);
        break;
    case RPC_COOKIE_ANSWER: /* not earlier, so that answers cannot pile up for a peer that does not read */
        qp_repost(end->qp, 1);
        break;
    }
}

static void end_on_terminated(void *ctx, bool ours, const struct rdmap_terminate *terminate)
{
    struct rpc_end *end = ctx;

    if (end->events.terminated)
        end->events.terminated(end->events.ctx, ours, terminate);
}

static void end_on_failed(void *ctx, enum mpa_end_error error)
{
    struct rpc_end *end = ctx;

    if (end->events.failed)
        end->events.failed(end->events.ctx, error);
}

static void end_on_broken(void *ctx, enum qp_status status, const char *why)
{
    struct rpc_end *end = ctx;

    if (end->events.broken)
        end->events.broken(end->events.ctx, status, why);
}

static void end_on_ended(void *ctx, bool orderly)
{
    struct rpc_end *end = ctx;

    end->over = true;
    rpc_end_lose_calls(end);
    if (end->events.ended)
        end->events.ended(end->events.ctx, orderly);
}

/* ---- life ---- */

/* Advertised sizes: whole units of 1024 octets; the default without private data. */
static void set_sizes(struct rpc_end *end)
{
    struct rpc_end_options *options = &end->options;
    bool tells = !options->qp.mpa.private_data &&
                 (options->send_size > 0 || options->receive_size > 0 || options->remote_invalidation);
    uint32_t *const sizes[] = {&options->send_size, &options->receive_size};
    struct rpcrdma_private_data data = {.version = RPCRDMA_PD_VERSION,
                                        .remote_invalidation = options->remote_invalidation};

    for (unsigned i = 0; i < G_N_ELEMENTS(sizes); i++)
        *sizes[i] = CLAMP(*sizes[i] - *sizes[i] % RPCRDMA_PD_SIZE_UNIT, RPCRDMA_INLINE_DEFAULT, RPCRDMA_PD_SIZE_MAX);
    data.send_size = options->send_size;
    data.receive_size = options->receive_size;
    if (tells) {
        options->qp.mpa.private_data = end->private_data;
        options->qp.mpa.private_length =
            (uint16_t)rpcrdma_private_data_encode(&data, end->private_data, sizeof end->private_data);
    }
}

struct rpc_end *rpc_end_new(const struct rpc_end_options *options, const struct stream *stream,
                            const struct rpc_end_events *events, uint64_t seed)
{
    struct rpc_end *end = g_new0(struct rpc_end, 1);
    const struct qp_events qp_events = {
        .ctx = end,
        .established = end_on_established,
        .received = end_on_received,
        .completed = end_on_completed,
        .terminated = end_on_terminated,
        .failed = end_on_failed,
        .broken = end_on_broken,
        .ended = end_on_ended,
    };

    end->options = *options;
    end->options.remote_invalidation &= !stream->no_remote_invalidation;
    end->options.credits = CLAMP(options->credits, 1, UINT16_MAX);
    end->events = *events;
    end->random.state = seed;
    end->granted = 1; /* section 3.3.3 */
    end->inline_out = end->inline_in = RPCRDMA_INLINE_DEFAULT;
    set_sizes(end);
    /* A Call of the peer holds its Receive buffer until it is answered; Replies and others return theirs at once. */
    end->options.qp.receives = 2 * end->options.credits + SPARE_RECEIVES;
    end->options.qp.receive_size = end->options.receive_size;
    end->options.qp.repost = false;
    end->memory = memory_new(random_next(&end->random));
    end->calls = g_hash_table_new(NULL, NULL);
    end->served = g_hash_table_new(g_int64_hash, g_int64_equal);
    end->qp = qp_new(&end->options.qp, end->memory, stream, &qp_events);
    return end;
}

void rpc_end_free(struct rpc_end *end)
{
    GHashTableIter i;
    struct rpc_call *call;
    struct rpc_served *served;

    while ((call = g_queue_pop_head(&end->waiting)))
        rpc_call_free(end, call);
    g_hash_table_iter_init(&i, end->calls);
    while (g_hash_table_iter_next(&i, NULL, (void **)&call))
        rpc_call_free(end, call);
    g_hash_table_iter_init(&i, end->served);
    while (g_hash_table_iter_next(&i, NULL, (void **)&served))
        rpc_served_free(end, served);
    g_hash_table_unref(end->calls);
    g_hash_table_unref(end->served);
    qp_free(end->qp);
    memory_free(end->memory);
    g_free(end);
}

struct qp *rpc_end_qp(struct rpc_end *end)
{
    return end->qp;
}

struct memory *rpc_end_memory(struct rpc_end *end)
{
    return end->memory;
}

void rpc_end_hand_over(struct rpc_end *end, void *ctx)
{
    end->events.ctx = ctx;
    rpc_end_set_spoil(end, NULL);
}

void rpc_end_set_spoil(struct rpc_end *end, const struct rpc_end_spoil *spoil)
{
    end->spoil = spoil ? *spoil : (struct rpc_end_spoil){0};
}
