// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/support/rpc_ends.h"

void ends_answer(struct rpc_ends_side *side, struct rpc_ends_call *call)
{
    struct rpc_end_message reply;

    assert_true(rpc_sample_reply(&call->sample, &call->message, &reply));
    side->in_service--;
    rpc_end_reply(side->end, call->id, &reply);
    assert_null(reply.p);
}

static void ends_called(void *ctx, uint64_t id, const struct rpc_end_message *message, const struct rpc_message *header)
{
    struct rpc_ends_side *side = ctx, *peer = &side->ends->side[!side->number];
    struct rpc_ends_call *call = &peer->calls[(header->xid - 1) % CALLS_MAX];

    assert_int_equal(message->n, call->message.n);
    assert_memory_equal(message->p, call->message.p, message->n);
    for (unsigned i = 0; i < message->n_items; i++) /* some may stay inline */
        assert_true(message->items[i].n > 0 && message->items[i].at + message->items[i].n <= message->n);
    call->called++;
    call->id = id;
    side->in_service++;
    if (side->in_service > side->most_in_service)
        side->most_in_service = side->in_service;
    if (!side->later)
        ends_answer(side, call);
}

static void ends_replied(void *ctx, uint64_t cookie, enum rpc_end_result result, const struct rpc_end_message *reply)
{
    struct rpc_ends_side *side = ctx;
    struct rpc_ends_call *call = &side->calls[cookie];

    assert_int_equal(result == RPC_END_REPLIED, reply != NULL);
    call->replied++;
    call->result = result;
    if (reply) {
        call->reply = *reply;
        call->reply.p = g_memdup2(reply->p, reply->n);
    }
}

static void ends_terminated(void *ctx, bool ours, const struct rdmap_terminate *terminate)
{
    struct rpc_ends_side *side = ctx;

    side->terminates++;
}

static void ends_ended(void *ctx, bool orderly)
{
    struct rpc_ends_side *side = ctx;

    assert_false(side->ended);
    side->ended = true;
}

void ends_receive(void *end, const uint8_t *p, size_t n)
{
    qp_receive(rpc_end_qp(end), p, n);
}

void ends_receive_fin(void *end)
{
    qp_receive_fin(rpc_end_qp(end));
}

void ends_receive_reset(void *end)
{
    qp_receive_reset(rpc_end_qp(end));
}

void ends_tick(void *end)
{
    qp_tick(rpc_end_qp(end));
}

struct rpc_end_options ends_options(uint32_t size, uint32_t credits)
{
    return (struct rpc_end_options){
        .qp = {.mpa = {.revision = 2, .crc = true}, .ird = 4, .ord = 4},
        .send_size = size,
        .receive_size = size,
        .remote_invalidation = size > 1024,
        .credits = credits,
        .backchannel_chunks = true,
    };
}

void ends_open(struct rpc_ends *ends, const struct rpc_end_options *client, const struct rpc_end_options *server)
{
    const struct rpc_end_options *const wanted[] = {client, server};

    memset(ends, 0, sizeof *ends);
    ends->pair = pair_new(1460, 0);
    for (unsigned i = 0; i < 2; i++) {
        struct rpc_ends_side *side = &ends->side[i];
        const struct rpc_end_events events = {
            .ctx = side,
            .called = ends_called,
            .replied = ends_replied,
            .terminated = ends_terminated,
            .ended = ends_ended,
        };
        struct rpc_end_options options = *wanted[i];

        side->ends = ends;
        side->number = i;
        options.qp.mpa.role = i == CLIENT ? MPA_END_INITIATOR : MPA_END_RESPONDER;
        side->end = rpc_end_new(&options, pair_stream(ends->pair, i), &events, i + 1);
        pair_attach(ends->pair, i,
                    &(struct pair_end){side->end, ends_receive, ends_receive_fin, ends_receive_reset, ends_tick});
    }
    qp_start(rpc_end_qp(ends->side[SERVER].end));
    qp_start(rpc_end_qp(ends->side[CLIENT].end));
    assert_true(pair_run(ends->pair, STEPS));
}

void ends_run(struct rpc_ends *ends)
{
    assert_true(pair_run(ends->pair, STEPS));
}

struct rpc_ends_call *ends_call(struct rpc_ends *ends, unsigned number, const struct rpc_sample *sample,
                                const struct rpc_end_how *how)
{
    struct rpc_ends_side *side = &ends->side[number];
    unsigned index = side->n_calls++;
    struct rpc_ends_call *call = &side->calls[index];

    assert_true(index < CALLS_MAX);
    call->sample = *sample;
    assert_true(rpc_sample_call(sample, index + 1, &call->message));
    rpc_end_call(side->end, &call->message, how, index);
    return call;
}

void ends_assert_replied(const struct rpc_ends_call *call)
{
    struct rpc_end_message reply;

    assert_int_equal(call->called, 1);
    assert_int_equal(call->replied, 1);
    assert_int_equal(call->result, RPC_END_REPLIED);
    assert_true(rpc_sample_reply(&call->sample, &call->message, &reply));
    assert_int_equal(call->reply.n, reply.n);
    assert_memory_equal(call->reply.p, reply.p, reply.n);
    g_free(reply.p);
}

void ends_close(struct rpc_ends *ends)
{
    ends_run(ends);
    for (unsigned i = 0; i < 2; i++) {
        struct rpc_ends_side *side = &ends->side[i];

        rpc_end_free(side->end);
        for (unsigned k = 0; k < side->n_calls; k++) {
            g_free(side->calls[k].message.p);
            g_free(side->calls[k].reply.p);
        }
    }
    pair_free(ends->pair);
}
