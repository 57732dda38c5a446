// SPDX-License-Identifier: GPL-2.0-or-later
/* Mutants for suite rpcrdma: credits, sizes of Sends, private data. */
#include "traffic-gen/test/misbehave.h"

#include "wire/octets.h"

enum { FORGOTTEN_XID = 0x4100DEAD };

/* ---- credits ---- */

/* The last Call of a burst, the first or the second one of the test, finds no Receive buffer. */
static enum rpc_end_answer lack_buffer(void *ctx, const struct rpc_end_incoming *incoming, enum rpc_end_answer due)
{
    struct mutant *mutant = ctx;

    if (incoming->header->xid != (uint32_t)mutant->how->variant)
        return due;
    qp_terminate(mutant->qp, 1, 2, 2);
    return RPC_END_DISCARD;
}

static enum rpc_end_answer note_request(void *ctx, const struct rpc_end_incoming *incoming, enum rpc_end_answer due)
{
    struct mutant *mutant = ctx;

    mutant->seen = incoming->header->credit == (uint32_t)mutant->how->variant;
    return due;
}

static void grant_none(void *ctx, struct rpcrdma_plan *plan)
{
    const struct mutant *mutant = ctx;

    if (mutant->seen)
        plan->credit = 0;
}

static bool forget(void *ctx, struct qp_work *work)
{
    (void)ctx;
    return work->kind != QP_SEND || get_be32(work->p) != FORGOTTEN_XID;
}

/* ---- sizes ---- */

static enum rpc_end_answer refuse_first(void *ctx, const struct rpc_end_incoming *incoming, enum rpc_end_answer due)
{
    struct mutant *mutant = ctx;

    return mutant->seen++ == 0 && incoming->n == 1024 ? RPC_END_HANG_UP : due;
}

static enum rpc_end_answer refuse_1024(void *ctx, const struct rpc_end_incoming *incoming, enum rpc_end_answer due)
{
    struct mutant *mutant = ctx;
    bool later = mutant->seen++ > 0 || !incoming->call;

    return later && incoming->n == 1024 ? RPC_END_HANG_UP : due;
}

static enum rpc_end_answer refuse_as_told(void *ctx, const struct rpc_end_incoming *incoming, enum rpc_end_answer due)
{
    (void)ctx;
    return incoming->n == 4096 ? RPC_END_HANG_UP : due;
}

/* ---- private data ---- */

static void keep_sizes(void *ctx, struct rpcrdma_private_data *peer, const uint8_t *p, size_t n)
{
    (void)ctx;
    (void)p;
    (void)n;
    if (peer->receive_size == 2048)
        peer->receive_size = 4096;
}

static void refuse_reserved(void *ctx, struct rpcrdma_private_data *peer, const uint8_t *p, size_t n)
{
    struct mutant *mutant = ctx;

    (void)p;
    (void)n;
    if (peer->flags & RPCRDMA_PD_FLAGS_RESERVED)
        qp_close(mutant->qp, true);
}

static void misread_size(void *ctx, struct rpcrdma_private_data *peer, const uint8_t *p, size_t n)
{
    (void)ctx;
    (void)p;
    if (n == RPCRDMA_PD_LEN && !peer->remote_invalidation && peer->receive_size == 4096)
        peer->receive_size = 3072;
}

static void refuse_none(void *ctx, struct rpcrdma_private_data *peer, const uint8_t *p, size_t n)
{
    struct mutant *mutant = ctx;

    (void)peer;
    (void)p;
    if (n == 0)
        qp_close(mutant->qp, true);
}

static void look_at_start(void *ctx, struct rpcrdma_private_data *peer, const uint8_t *p, size_t n)
{
    (void)ctx;
    (void)p;
    (void)n;
    if (peer->offset > 0)
        peer->receive_size = 1024;
}

static void take_foreign(void *ctx, struct rpcrdma_private_data *peer, const uint8_t *p, size_t n)
{
    (void)ctx;
    if (n > RPCRDMA_PD_LEN && p[6] == 0xFF)
        peer->receive_size = 4096;
}

static void take_version_2(void *ctx, struct rpcrdma_private_data *peer, const uint8_t *p, size_t n)
{
    (void)ctx;
    if (n == RPCRDMA_PD_LEN && p[0] == 0xF6 && p[4] == 2)
        peer->receive_size = 4096;
}

static void take_cut(void *ctx, struct rpcrdma_private_data *peer, const uint8_t *p, size_t n)
{
    (void)ctx;
    if (n == RPCRDMA_PD_LEN && p[1] == 0xF6)
        peer->receive_size = 4096;
}

const struct misbehaviour misbehave_rpcrdma_sizes[] = {
    {.id = "RPCR-3.3.1-08",
     .roles = DUT_RESPONDER,
     .what = "has one Receive buffer less than its first Reply grants",
     .rpc.decide = lack_buffer,
     .variant = 0x4100000F},
    {.id = "EXP-4.5.1-01",
     .roles = DUT_RESPONDER,
     .what = "lacks a Receive buffer when all credits are used again",
     .rpc.decide = lack_buffer,
     .variant = 0x4100004F},
    {.id = "RPCR-3.3.1-13/zero",
     .roles = DUT_RESPONDER,
     .what = "grants 0 credits when 0 are requested",
     .rpc = {.decide = note_request, .header = grant_none},
     .variant = 0},
    {.id = "RPCR-3.3.1-13/max",
     .roles = DUT_RESPONDER,
     .what = "grants 0 credits when 4294967295 are requested",
     .rpc = {.decide = note_request, .header = grant_none},
     .variant = -1},
    {.id = "RPCR-4.5.4-03", .roles = DUT_RESPONDER, .what = "forgets one XID in 2^32", .rpc.work = forget},
    {.id = "RPCR-3.3.3-01",
     .roles = DUT_RESPONDER,
     .what = "closes when the first Call has 1024 octets",
     .rpc.decide = refuse_first},
    {.id = "RPCR-3.3.3-05",
     .roles = DUT_ANY,
     .what = "closes when a later Send has 1024 octets",
     .rpc.decide = refuse_1024},
    {.id = "CMPD-4-12",
     .roles = DUT_ANY,
     .what = "closes when a Send has the size that it tells",
     .rpc.decide = refuse_as_told},
    {.id = "CMPD-4-03", .roles = DUT_ANY, .what = "keeps the sizes of the connection before", .rpc.peer = keep_sizes},
    {.id = "CMPD-4-09", .roles = DUT_ANY, .what = "closes when reserved bits are set", .rpc.peer = refuse_reserved},
    {.id = "CMPD-4.2-03", .roles = DUT_RESPONDER, .what = "takes a size of 3 for 3072", .rpc.peer = misread_size},
    {.id = "CMPD-5-01", .roles = DUT_ANY, .what = "closes without private data", .rpc.peer = refuse_none},
    {.id = "CMPD-5.2-01",
     .roles = DUT_RESPONDER,
     .what = "looks for the block at the start only",
     .rpc.peer = look_at_start},
    {.id = "CMPD-5.2-02", .roles = DUT_ANY, .what = "takes other data for sizes", .rpc.peer = take_foreign},
    {.id = "CMPD-5.2-03", .roles = DUT_ANY, .what = "does not look at the version", .rpc.peer = take_version_2},
    {.id = "CMPD-5.2-04", .roles = DUT_ANY, .what = "reads behind the private data", .rpc.peer = take_cut},
    {0},
};
