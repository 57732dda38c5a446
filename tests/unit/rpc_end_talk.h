/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two RPC-over-RDMA ends in memory against each other, each of which answers the samples of the other one. */
#ifndef IWARP_TESTS_UNIT_RPC_END_TALK_H
#define IWARP_TESTS_UNIT_RPC_END_TALK_H

#include "tests/unit/support.h"
#include "traffic-gen/stack/pair.h"
#include "traffic-gen/stack/rpc_end.h"
#include "traffic-gen/stack/rpc_sample.h"

enum { CLIENT, SERVER, CALLS_MAX = 64, STEPS = 1000000 };

struct talk_call {
    struct rpc_sample sample;
    struct rpc_end_message message;
    unsigned called, replied; /* how often */
    enum rpc_end_result result;
    struct rpc_end_message reply; /* as it came; p is a copy */
    uint64_t id;                  /* at the responder, to be answered later */
};

struct talk;

struct talk_side {
    struct talk *talk;
    unsigned number;
    struct rpc_end *end;
    struct talk_call calls[CALLS_MAX]; /* made by this side; XID: number + 1 */
    unsigned n_calls, in_service, most_in_service, terminates;
    bool later; /* does not answer by itself */
    bool ended;
};

struct talk {
    struct pair *pair;
    struct talk_side side[2];
};

static inline void answer_call(struct talk_side *side, struct talk_call *call)
{
    struct rpc_end_message reply;

    assert_true(rpc_sample_reply(&call->sample, &call->message, &reply));
    side->in_service--;
    rpc_end_reply(side->end, call->id, &reply);
    assert_null(reply.p);
}

static inline void talk_called(void *ctx, uint64_t id, const struct rpc_end_message *message,
                               const struct rpc_message *header)
{
    struct talk_side *side = ctx, *peer = &side->talk->side[!side->number];
    struct talk_call *call = &peer->calls[(header->xid - 1) % CALLS_MAX];

    assert_int_equal(message->n, call->message.n);
    assert_memory_equal(message->p, call->message.p, message->n);
    for (unsigned i = 0; i < message->n_items; i++) /* some may be left inline */
        assert_true(message->items[i].n > 0 && message->items[i].at + message->items[i].n <= message->n);
    call->called++;
    call->id = id;
    side->in_service++;
    if (side->in_service > side->most_in_service)
        side->most_in_service = side->in_service;
    if (!side->later)
        answer_call(side, call);
}

static inline void talk_replied(void *ctx, uint64_t cookie, enum rpc_end_result result,
                                const struct rpc_end_message *reply)
{
    struct talk_side *side = ctx;
    struct talk_call *call = &side->calls[cookie];

    assert_int_equal(result == RPC_END_REPLIED, reply != NULL);
    call->replied++;
    call->result = result;
    if (reply) {
        call->reply = *reply;
        call->reply.p = g_memdup2(reply->p, reply->n);
    }
}

static inline void talk_terminated(void *ctx, bool ours, const struct rdmap_terminate *terminate)
{
    struct talk_side *side = ctx;

    (void)ours;
    (void)terminate;
    side->terminates++;
}

static inline void talk_ended(void *ctx, bool orderly)
{
    struct talk_side *side = ctx;

    (void)orderly;
    assert_false(side->ended);
    side->ended = true;
}

static inline void talk_receive(void *end, const uint8_t *p, size_t n)
{
    qp_receive(rpc_end_qp(end), p, n);
}

static inline void talk_receive_fin(void *end)
{
    qp_receive_fin(rpc_end_qp(end));
}

static inline void talk_receive_reset(void *end)
{
    qp_receive_reset(rpc_end_qp(end));
}

static inline void talk_tick(void *end)
{
    qp_tick(rpc_end_qp(end));
}

static inline struct rpc_end_options talk_options(uint32_t size, uint32_t credits)
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

static inline void talk_open(struct talk *talk, const struct rpc_end_options *client,
                             const struct rpc_end_options *server)
{
    const struct rpc_end_options *const wanted[] = {client, server};

    memset(talk, 0, sizeof *talk);
    talk->pair = pair_new(1460, 0);
    for (unsigned i = 0; i < 2; i++) {
        struct talk_side *side = &talk->side[i];
        const struct rpc_end_events events = {
            .ctx = side,
            .called = talk_called,
            .replied = talk_replied,
            .terminated = talk_terminated,
            .ended = talk_ended,
        };
        struct rpc_end_options options = *wanted[i];

        side->talk = talk;
        side->number = i;
        options.qp.mpa.role = i == CLIENT ? MPA_END_INITIATOR : MPA_END_RESPONDER;
        side->end = rpc_end_new(&options, pair_stream(talk->pair, i), &events, i + 1);
        pair_attach(talk->pair, i,
                    &(struct pair_end){side->end, talk_receive, talk_receive_fin, talk_receive_reset, talk_tick});
    }
    qp_start(rpc_end_qp(talk->side[SERVER].end));
    qp_start(rpc_end_qp(talk->side[CLIENT].end));
    assert_true(pair_run(talk->pair, STEPS));
}

static inline void talk_run(struct talk *talk)
{
    assert_true(pair_run(talk->pair, STEPS));
}

/* Makes a Call; the number is its index. */
static inline struct talk_call *talk_call(struct talk *talk, unsigned number, const struct rpc_sample *sample,
                                          const struct rpc_end_how *how)
{
    struct talk_side *side = &talk->side[number];
    unsigned index = side->n_calls++;
    struct talk_call *call = &side->calls[index];

    assert_true(index < CALLS_MAX);
    call->sample = *sample;
    assert_true(rpc_sample_call(sample, index + 1, &call->message));
    rpc_end_call(side->end, &call->message, how, index);
    return call;
}

/* The Reply is the one that the responder had made. */
static inline void assert_replied(const struct talk_call *call)
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

static inline void talk_close(struct talk *talk)
{
    talk_run(talk);
    for (unsigned i = 0; i < 2; i++) {
        struct talk_side *side = &talk->side[i];

        rpc_end_free(side->end);
        for (unsigned k = 0; k < side->n_calls; k++) {
            g_free(side->calls[k].message.p);
            g_free(side->calls[k].reply.p);
        }
    }
    pair_free(talk->pair);
}

#endif
