// SPDX-License-Identifier: GPL-2.0-or-later
/* Mutants for suite rpcrdma: credits, sizes of Sends, private data. */
#include "traffic-gen/mutants/misbehave.h"

#include "wire/ddp.h"
#include "wire/octets.h"

enum {
    XID_MASK = 0xFFF, /* as in rpc_talker.h and suite_rpcrdma_sizes.c */
    FORGOTTEN_XID = 0xEAD,
    REPLY_TO_NOBODY = 0x7B7B7B7B,
    NO_BUFFER = 1 << 12 | 2 << 8 | 2, /* of DDP: layer 1, error type 2 */
    TOO_LONG = 1 << 12 | 2 << 8 | 5,
};

/* ---- credits ---- */

static bool is_send(struct ddp_segment *ddp, const uint8_t *p, size_t n)
{
    return ddp_segment_decode(ddp, p, n) && !ddp->tagged && ddp->qn == DDP_QN_SEND;
}

/* The last Call of a burst, the first or the second one of the case, finds no Receive buffer. */
static unsigned lack_buffer(void *ctx, unsigned cause, const uint8_t *p, size_t n)
{
    const struct mutant *mutant = ctx;
    struct ddp_segment ddp;

    return is_send(&ddp, p, n) && ddp.payload_len >= 4 &&
                   (get_be32(ddp.payload) & XID_MASK) == (uint32_t)mutant->how->variant
               ? NO_BUFFER
               : cause;
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
    return work->kind != QP_SEND || (get_be32(work->p) & XID_MASK) != FORGOTTEN_XID;
}

/* ---- sizes ---- */

/* A Send of that size does not fit its Receive buffers: the first one of a connection, or a later one. */
static unsigned too_long(const struct mutant *mutant, unsigned cause, const uint8_t *p, size_t n, bool later)
{
    struct ddp_segment ddp;

    return is_send(&ddp, p, n) && ddp.last && ddp.mo + ddp.payload_len == (size_t)mutant->how->variant &&
                   later == (ddp.msn > 1 || (ddp.payload_len >= 4 && get_be32(ddp.payload) == REPLY_TO_NOBODY))
               ? TOO_LONG
               : cause;
}

static unsigned refuse_first(void *ctx, unsigned cause, const uint8_t *p, size_t n)
{
    return too_long(ctx, cause, p, n, false);
}

static unsigned refuse_later(void *ctx, unsigned cause, const uint8_t *p, size_t n)
{
    return too_long(ctx, cause, p, n, true);
}

static unsigned refuse_advertised(void *ctx, unsigned cause, const uint8_t *p, size_t n)
{
    const struct mutant *mutant = ctx;
    struct ddp_segment ddp;

    return is_send(&ddp, p, n) && ddp.last && ddp.mo + ddp.payload_len == (size_t)mutant->how->variant ? TOO_LONG
                                                                                                       : cause;
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

static void refuse_largest(void *ctx, struct rpcrdma_private_data *peer, const uint8_t *p, size_t n)
{
    struct mutant *mutant = ctx;

    (void)p;
    (void)n;
    if (peer->receive_size == 262144)
        qp_close(mutant->qp, true);
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
    {RESPONDER("RPCR-3.3.1-08", "has one Receive buffer fewer than its first Reply grants"), .qp.judge = lack_buffer,
     .variant = 0x40F},
    {RESPONDER("EXP-4.5.1-01", "lacks a Receive buffer when all credits are used again"), .qp.judge = lack_buffer,
     .variant = 0x44F},
    {RESPONDER("RPCR-3.3.1-13/zero", "grants 0 credits when 0 are requested"),
     .rpc = {.decide = note_request, .header = grant_none}, .variant = 0},
    {RESPONDER("RPCR-3.3.1-13/max", "grants 0 credits when 4294967295 are requested"),
     .rpc = {.decide = note_request, .header = grant_none}, .variant = -1},
    {RESPONDER("RPCR-4.5.4-03", "forgets one XID in 4096"), .rpc.work = forget},
    {RESPONDER("RPCR-3.3.3-01", "has no room for a first Call of 1024 octets"), .qp.judge = refuse_first,
     .variant = 1024},
    {BOTH("RPCR-3.3.3-05", "has no room for a later Send of 1024 octets"), .qp.judge = refuse_later, .variant = 1024},
    {BOTH("CMPD-4-12", "has no room for a Send of the size that it advertises"), .qp.judge = refuse_advertised,
     .variant = 4096},
    {BOTH("CMPD-4-03", "keeps the sizes of the previous connection"), .rpc.peer = keep_sizes},
    {BOTH("CMPD-4-09", "closes when reserved bits are set"), .rpc.peer = refuse_reserved},
    {RESPONDER("CMPD-4.2-03", "takes a size of 3 as 3072"), .rpc.peer = misread_size},
    {BOTH("CMPD-4.2-03/max", "closes when sizes of 255 are advertised"), .rpc.peer = refuse_largest},
    {BOTH("CMPD-5-01", "closes without private data"), .rpc.peer = refuse_none},
    {RESPONDER("CMPD-5.2-01", "looks for the block at the start only"), .rpc.peer = look_at_start},
    {BOTH("CMPD-5.2-02", "takes other data as sizes"), .rpc.peer = take_foreign},
    {BOTH("CMPD-5.2-03", "ignores the version"), .rpc.peer = take_version_2},
    {BOTH("CMPD-5.2-04", "reads past the end of the private data"), .rpc.peer = take_cut},
    {0},
};
