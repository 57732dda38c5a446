// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How a Send from the peer is handled (RFC 8166 section 4.5): as a Call or a Reply, and whether its Transport header is
 * malformed.
 */
#include "traffic-gen/ends/stack/rpc_end_internal.h"

#include <string.h>

/* ---- direction ---- */

static bool has_body_chunk(const struct rpc_end_incoming *incoming)
{
    for (uint32_t i = 0; i < incoming->header->read.n; i++) {
        if (rpcrdma_read_segment_at(incoming->header, incoming->p, i).position == 0)
            return true;
    }
    return false;
}

static bool is_client(struct rpc_end *end)
{
    return qp_terms(end->qp)->role == MPA_END_INITIATOR;
}

/* The type of the inline RPC message; -1: none. */
static int64_t inline_type(const struct rpc_end_incoming *incoming)
{
    const struct rpcrdma_header *header = incoming->header;

    if (header->status != RPCRDMA_OK || (header->proc != RPCRDMA_MSG && header->proc != RPCRDMA_MSGP) ||
        incoming->n - header->header_len < 2 * sizeof(uint32_t))
        return -1;
    return get_be32(incoming->p + header->header_len + sizeof(uint32_t));
}

/*
 * If neither the RPC message nor the chunks show the type, a message with the XID of a Call in flight counts as its
 * Reply; otherwise servers receive Calls, and clients Replies.
 */
static bool is_call(struct rpc_end *end, const struct rpc_end_incoming *incoming)
{
    const struct rpcrdma_header *header = incoming->header;
    int64_t type = inline_type(incoming);

    if (type == RPC_CALL || type == RPC_REPLY)
        return type == RPC_CALL;
    if (header->status == RPCRDMA_OK && header->proc == RPCRDMA_NOMSG && has_body_chunk(incoming))
        return true;
    return !is_client(end) && !g_hash_table_contains(end->calls, GUINT_TO_POINTER(header->xid));
}

/* ---- the answer that is due ---- */

/* Whether chunks are impossible, or more than this side accepts. */
static bool bad_chunks(const struct rpc_end_incoming *incoming)
{
    const struct rpcrdma_header *header = incoming->header;
    uint64_t n = incoming->n;

    if ((uint64_t)header->read.n + header->write.segments + header->reply.segments > RPC_END_SEGMENTS_MAX)
        return true;
    for (uint32_t i = 0; i < header->read.n; i++) {
        const struct rpcrdma_read_segment read = rpcrdma_read_segment_at(header, incoming->p, i);

        n += read.target.length;
        if (read.position % 4 != 0 || n > RPC_END_CALL_MAX)
            return true;
    }
    return false;
}

static enum rpc_end_answer errors_judge_call(struct rpc_end *end, const struct rpc_end_incoming *call)
{
    const struct rpcrdma_header *header = call->header;
    bool body = header->status == RPCRDMA_OK && has_body_chunk(call);
    bool chunks = header->read.n > 0 || header->write.n > 0 || header->has_reply;

    if (header->vers != RPCRDMA_VERSION)
        return RPC_END_SAY_VERS;
    if (header->status != RPCRDMA_OK || header->proc == RPCRDMA_MSGP || bad_chunks(call))
        return RPC_END_SAY_CHUNK;
    if (chunks && is_client(end) && !end->options.backchannel_chunks) /* RFC 8167 section 5.3 */
        return RPC_END_SAY_CHUNK;
    if (header->proc == RPCRDMA_NOMSG)
        return body ? RPC_END_SERVE : RPC_END_SAY_CHUNK;
    if (body || call->n - header->header_len < sizeof(uint32_t) ||
        get_be32(call->p + header->header_len) != header->xid)
        return RPC_END_SAY_CHUNK;
    return RPC_END_SERVE;
}

enum rpc_end_answer rpc_end_decide(struct rpc_end *end, const struct rpc_end_incoming *incoming,
                                   enum rpc_end_answer due)
{
    return end->spoil.decide ? end->spoil.decide(end->spoil.ctx, incoming, due) : due;
}

/* ---- answers ---- */

static void send_rpc_error(struct rpc_end *end, const struct rpcrdma_header *call, enum rpc_end_answer answer)
{
    struct rpcrdma_plan plan = {.xid = call->xid, .vers = RPCRDMA_VERSION, .credit = end->options.credits};
    const struct rpc_message reply = {
        .xid = call->xid,
        .reply_stat = answer == RPC_END_SAY_MISMATCH ? RPC_MSG_DENIED : RPC_MSG_ACCEPTED,
        .accept_stat = answer == RPC_END_SAY_UNAVAIL ? RPC_PROG_UNAVAIL : RPC_GARBAGE_ARGS,
        .reject_stat = RPC_MISMATCH,
        .low = RPC_VERSION,
        .high = RPC_VERSION,
    };
    uint8_t octets[64];
    struct xdr_writer w = {.p = octets, .size = sizeof octets};

    rpc_reply_encode(&reply, NULL, &w);
    rpc_end_send(end, &plan, octets, w.at, 0, true);
}

static void send_error(struct rpc_end *end, const struct rpcrdma_header *call, enum rpcrdma_err err)
{
    struct rpcrdma_plan plan = {
        .xid = call->xid,
        .vers = call->vers,
        .credit = end->options.credits,
        .proc = RPCRDMA_ERROR,
        .err = err,
        .vers_low = RPCRDMA_VERSION,
        .vers_high = RPCRDMA_VERSION,
    };

    rpc_end_send(end, &plan, NULL, 0, 0, true);
}

void rpc_end_answer(struct rpc_end *end, const struct rpcrdma_header *call, enum rpc_end_answer answer)
{
    switch (answer) {
    case RPC_END_SERVE:
    case RPC_END_DISCARD:
        qp_repost(end->qp, 1);
        break;
    case RPC_END_SAY_VERS:
        send_error(end, call, RPCRDMA_ERR_VERS);
        break;
    case RPC_END_SAY_CHUNK:
        send_error(end, call, RPCRDMA_ERR_CHUNK);
        break;
    case RPC_END_SAY_GARBAGE:
    case RPC_END_SAY_UNAVAIL:
    case RPC_END_SAY_MISMATCH:
        send_rpc_error(end, call, answer);
        break;
    case RPC_END_HANG_UP:
    case RPC_END_RESET:
        qp_close(end->qp, answer == RPC_END_RESET);
        break;
    }
}

/* ---- received ---- */

/*
 * True for messages that are always discarded: RDMA_DONE (section 4.6.2), messages without a ULP message, and those
 * shorter than any header. RDMA_ERROR may be shorter than the 28 octets of section 4.5.
 */
static bool is_nothing(const struct qp_message *message, const struct rpcrdma_header *header)
{
    return !rdmap_opcode_info((uint8_t)message->opcode)->ulp_data || message->n < RPCRDMA_FIXED_LEN ||
           header->proc == RPCRDMA_DONE || (message->n < RPCRDMA_HEADER_MIN && header->proc != RPCRDMA_ERROR);
}

void rpc_end_receive(struct rpc_end *end, const struct qp_message *message)
{
    struct rpcrdma_header header;
    struct rpc_end_incoming incoming = {.p = message->p, .n = message->n, .header = &header};
    enum rpc_end_answer answer;

    rpcrdma_header_decode(&header, message->p, message->n);
    if (is_nothing(message, &header)) {
        answer = rpc_end_decide(end, &incoming, RPC_END_DISCARD);
    } else if (header.proc == RPCRDMA_ERROR) {
        answer = rpc_end_take_error(end, &incoming);
    } else if (!is_call(end, &incoming)) {
        answer = rpc_end_take_reply(end, &incoming);
    } else {
        incoming.call = true;
        answer = rpc_end_decide(end, &incoming, errors_judge_call(end, &incoming));
        if (answer == RPC_END_SERVE) {
            rpc_end_serve(end, &incoming); /* the Call keeps its Receive buffer */
            return;
        }
    }
    rpc_end_answer(end, &header, answer);
}
