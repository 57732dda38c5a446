// SPDX-License-Identifier: GPL-2.0-or-later
/* Mutants for suite rpcrdma that are clients, or can be. */
#include "traffic-gen/mutants/misbehave.h"

#include "traffic-gen/ends/rpc_header.h"
#include "wire/ddp.h"
#include "wire/octets.h"
#include "wire/rdmap.h"
#include "wire/rpc.h"

enum {
    XID_MASK = 0xFFF, /* as in rpc_talker.h */
    FIRST_XID = 0x200,
    BURST_XID = 0x400,
    GRANTED = 16, /* by the device */
    OWN_XIDS = 0x0C000000,
    OWN_MASK = 0x7F000000,
    TOGETHER_CREDITS = 32,
    TOGETHER_REPLIES = 14,
    SPARE_BUFFERS = 8,
    NO_BUFFER = 1 << 12 | 2 << 8 | 2, /* of DDP */
    INVALID_STAG = 1 << 8,            /* layer 0, error type 1, code 0 */
};

/* ---- messages ---- */

/* The current message, when it is one Send in one segment. */
static bool read_send(struct rpcrdma_header *header, const uint8_t *p, size_t n)
{
    struct ddp_segment ddp;

    return ddp_segment_decode(&ddp, p, n) && !ddp.tagged && ddp.qn == DDP_QN_SEND && ddp.mo == 0 &&
           rpcrdma_header_decode(header, ddp.payload, ddp.payload_len) != RPCRDMA_SHORT;
}

/* Of the Replies that come at once after the first ones, one finds no buffer. */
static unsigned lack_buffers(void *ctx, unsigned cause, const uint8_t *p, size_t n)
{
    struct mutant *mutant = ctx;
    struct rpcrdma_header header;

    if (!read_send(&header, p, n) || header.credit != TOGETHER_CREDITS || ++mutant->seen != TOGETHER_REPLIES)
        return cause;
    return NO_BUFFER;
}

/* Of a few malformed Replies it has the Receive buffers, which it does not post again. */
static unsigned lose_buffers(void *ctx, unsigned cause, const uint8_t *p, size_t n)
{
    struct mutant *mutant = ctx;
    struct rpcrdma_header header;

    return cause == 0 && read_send(&header, p, n) && header.vers == 2 && header.xid == 0x7B7B7B7B &&
                   ++mutant->seen > SPARE_BUFFERS
               ? NO_BUFFER
               : cause;
}

/* A Send that holds a Call, the server's; Replies to our own can have any XID of its. */
static bool holds_call(const struct rpcrdma_header *header, const uint8_t *p, size_t n)
{
    struct ddp_segment ddp;

    return header->proc == RPCRDMA_MSG && ddp_segment_decode(&ddp, p, n) &&
           ddp.payload_len >= header->header_len + (size_t)RPC_CALL_MIN &&
           get_be32(ddp.payload + header->header_len + 4) == RPC_CALL;
}

static unsigned lack_buffer(void *ctx, unsigned cause, const uint8_t *p, size_t n)
{
    struct mutant *mutant = ctx;
    struct rpcrdma_header header;

    return read_send(&header, p, n) && holds_call(&header, p, n) &&
                   (header.xid & XID_MASK) == (uint32_t)mutant->how->variant
               ? NO_BUFFER
               : cause;
}

static void post_null(const struct mutant *mutant, uint32_t xid)
{
    uint8_t octets[RPC_NULL_SEND];

    rpc_null_send(octets, xid);
    qp_post(mutant->qp, &(struct qp_work){.kind = QP_SEND, .p = octets, .n = sizeof octets});
}

static bool is_error(const struct rpc_end_incoming *in, enum rpcrdma_err err)
{
    return in->header->status == RPCRDMA_OK && in->header->proc == RPCRDMA_ERROR && in->header->err == err;
}

static enum rpc_end_answer call_again(void *ctx, const struct rpc_end_incoming *in, enum rpc_end_answer due)
{
    const struct mutant *mutant = ctx;

    if (is_error(in, RPCRDMA_ERR_CHUNK) && in->header->credit == (uint32_t)mutant->how->variant)
        post_null(mutant, in->header->xid);
    return due;
}

/* Like a client whose Call is over: makes the next. */
static enum rpc_end_answer go_on_after_reads(void *ctx, const struct rpc_end_incoming *in, enum rpc_end_answer due)
{
    struct mutant *mutant = ctx;

    if (in->p && !in->call && in->header->status == RPCRDMA_OK && in->header->proc == RPCRDMA_MSG &&
        in->header->read.n > 0)
        post_null(mutant, 0x7D000000 + mutant->seen++);
    return due;
}

static enum rpc_end_answer take_credit_of_call(void *ctx, const struct rpc_end_incoming *in, enum rpc_end_answer due)
{
    for (uint32_t i = 0; in->p && in->call && in->header->credit == 1000 && i < 3; i++)
        post_null(ctx, 0x7D000000 + i);
    return due;
}

static bool is_err_vers(const struct rpc_end_incoming *in)
{
    return is_error(in, RPCRDMA_ERR_VERS);
}

static bool is_error_without_credit(const struct rpc_end_incoming *in)
{
    return is_error(in, RPCRDMA_ERR_CHUNK) && in->header->credit == 0;
}

static bool is_call_with_own_xid(const struct rpc_end_incoming *in)
{
    return in->call && (in->header->xid & OWN_MASK) == OWN_XIDS;
}

static bool is_chunked_call(const struct rpc_end_incoming *in)
{
    return in->p && in->call && in->header->has_reply;
}

static struct rpcrdma_chunk first_write(const struct rpc_end_incoming *in)
{
    struct rpcrdma_chunk chunk = rpcrdma_write_begin(in->header);

    return rpcrdma_write_next(in->header, in->p, &chunk) ? chunk : (struct rpcrdma_chunk){.n = UINT32_MAX};
}

static bool is_failed_read(const struct rpc_end_incoming *in)
{
    return in->p && !in->call && in->header->status == RPCRDMA_OK && in->header->proc == RPCRDMA_MSG &&
           in->header->write.n == 1 && in->n == in->header->header_len + 32;
}

static bool is_unmodified(const struct rpc_end_incoming *in)
{
    struct rpcrdma_chunk chunk;

    if (!is_failed_read(in))
        return false;
    chunk = first_write(in);
    return chunk.n == 2 && rpcrdma_segment_at(&chunk, in->p, 0).length == 1500;
}

static bool is_empty(const struct rpc_end_incoming *in)
{
    return is_failed_read(in) && first_write(in).n == 0;
}

/* Our READ offers two segments, the larger one of 1500 octets. */
static bool is_too_long(const struct rpc_end_incoming *in)
{
    struct rpcrdma_chunk chunk;

    if (!is_failed_read(in))
        return false;
    chunk = first_write(in);
    return chunk.n == 2 && rpcrdma_segment_at(&chunk, in->p, 0).length > 1500;
}

static bool is_too_many(const struct rpc_end_incoming *in)
{
    return is_failed_read(in) && first_write(in).n == 3;
}

static bool requests_one(const struct rpc_end_incoming *in)
{
    return in->p && in->call && in->header->credit == 1;
}

static bool grants_one(const struct rpc_end_incoming *in)
{
    return in->p && !in->call && in->header->credit == 1;
}

/* ---- memory ---- */

static unsigned take_late_write(void *ctx, unsigned cause, const uint8_t *p, size_t n)
{
    const struct mutant *mutant = ctx;
    struct ddp_segment ddp;

    return cause && ddp_segment_decode(&ddp, p, n) && ddp.tagged && ddp.opcode == RDMAP_WRITE &&
                   ddp.payload_len == (size_t)mutant->how->variant
               ? QP_DROP
               : cause;
}

static unsigned refuse_late_read(void *ctx, unsigned cause, const uint8_t *p, size_t n)
{
    const struct mutant *mutant = ctx;
    struct rdmap_read_request read;
    struct ddp_segment ddp;

    if (ddp_segment_decode(&ddp, p, n) && !ddp.tagged && ddp.opcode == RDMAP_READ_REQUEST &&
        rdmap_read_request_decode(&read, ddp.payload, ddp.payload_len) && read.size == (uint32_t)mutant->how->variant)
        return INVALID_STAG;
    return cause;
}

/* It sets R, but offers memory that cannot be invalidated. */
static void announce_invalidation(struct rpc_end_options *options)
{
    static const uint8_t block[] = {0xF6, 0xAB, 0x0E, 0x18, 1, 1, 3, 3};

    options->remote_invalidation = false;
    options->qp.mpa.private_data = block;
    options->qp.mpa.private_length = sizeof block;
}

static void refuse_size(void *ctx, struct rpcrdma_private_data *peer, const uint8_t *p, size_t n)
{
    struct mutant *mutant = ctx;

    (void)p;
    (void)n;
    if (peer->receive_size == 3072)
        qp_close(mutant->qp, true);
}

const struct misbehaviour misbehave_rpcrdma_client[] = {
    ANSWERS(INITIATOR("NFSULB-6.6-03", "closes when one Call is refused"), is_err_vers, RPC_END_HANG_UP),
    ANSWERS(INITIATOR("BIDI-4.1-06", "waits for credits after an RDMA_ERROR that has none"), is_error_without_credit,
            RPC_END_DISCARD),
    ANSWERS(INITIATOR("BIDI-2.4.1-02", "mistakes a Call with one of its XIDs for a Reply"), is_call_with_own_xid,
            RPC_END_DISCARD),
    ANSWERS(INITIATOR("BIDI-5.3-04", "ignores Calls from the server that have chunks"), is_chunked_call,
            RPC_END_DISCARD),
    ANSWERS(INITIATOR("EXP-3.9-03/unmodified", "closes when an unused Write chunk is returned unchanged"),
            is_unmodified, RPC_END_HANG_UP),
    ANSWERS(INITIATOR("EXP-3.9-03/empty", "closes when a Write chunk is returned without segments"), is_empty,
            RPC_END_HANG_UP),
    ANSWERS(INITIATOR("RPCR-3.4.6-13/length", "closes when a Write chunk is returned longer"), is_too_long,
            RPC_END_HANG_UP),
    ANSWERS(INITIATOR("RPCR-3.4.6-13/count", "closes when a Write chunk is returned with more segments"), is_too_many,
            RPC_END_HANG_UP),
    ANSWERS(RESPONDER("RPCR-6.3-02", "ignores Calls that request one credit"), requests_one, RPC_END_DISCARD),
    ANSWERS(INITIATOR("RPCR-6.3-02", "closes when one credit is granted"), grants_one, RPC_END_HANG_UP),
    {INITIATOR("RPCR-3.3.1-09", "lacks a Receive buffer when Replies come at once"), .qp.judge = lack_buffers},
    {INITIATOR("RPCR-4.5-03/many", "does not post the Receive buffers of malformed Replies again"),
     .qp.judge = lose_buffers},
    {INITIATOR("RPCR-3.4.5.1-03", "withdraws its Read chunks before the Reply"), .qp.judge = refuse_late_read,
     .variant = 24},
    {INITIATOR("RPCR-4.4.1-01", "accepts Writes into a Write chunk after the Reply"), .qp.judge = take_late_write,
     .variant = 8},
    {INITIATOR("RPCR-8.1.3-02", "accepts Writes into a Reply chunk after the Reply"), .qp.judge = take_late_write,
     .variant = 16},
    {INITIATOR("RPCR-4.5-08", "repeats a refused Call with its XID"), .rpc.decide = call_again, .variant = 8},
    {INITIATOR("RPCR-4.3.1-04/pending", "treats a Reply with a Read list as the end of its Call"),
     .rpc.decide = go_on_after_reads},
    {INITIATOR("NFSULB-6.7.2-02", "repeats a refused NFS Call with its XID"), .rpc.decide = call_again, .variant = 9},
    {INITIATOR("BIDI-4.1-05", "mistakes what the server requests for a grant"), .rpc.decide = take_credit_of_call},
    {INITIATOR("BIDI-4.3.1-01", "has one Receive buffer fewer than it grants the server"), .qp.judge = lack_buffer,
     .variant = BURST_XID + GRANTED},
    {INITIATOR("BIDI-6-03", "has no Receive buffer for the server's first Call"), .qp.judge = lack_buffer,
     .variant = FIRST_XID},
    {INITIATOR("CMPD-3.2-03", "sets R, but offers memory that cannot be invalidated"),
     .rpc_options = announce_invalidation},
    {BOTH("EXP-6.3.1-01", "closes when sizes of 3072 are advertised"), .rpc.peer = refuse_size},
    {0},
};
