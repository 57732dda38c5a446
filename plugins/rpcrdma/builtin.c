// SPDX-License-Identifier: GPL-2.0-or-later
/* The fields of Wireshark's built-in rpcordma: plugins/common/builtin.h. */
#include "plugins/common/builtin.h"
#include "plugins/rpcrdma/ib_flow.h"
#include "plugins/rpcrdma/rpcrdma_plugin.h"

enum {
    FIXED = 1 << 0,
    PADDED = 1 << 1,
    FAILED = 1 << 2,
    OF_VERSION = 1 << 3,
    /* lists, part by part */
    READS = 1 << 4,
    WRITES = 1 << 5,
    REPLIES = 1 << 6,
    POSITION = 1 << 7,
    SEGMENT = 1 << 8,
    CHUNK = 1 << 9,
    /* messages in parts */
    REBUILT = 1 << 10,
    REBUILT_LENGTH = 1 << 11,
    REBUILT_IN = 1 << 12,
    PIECE = 1 << 13,
    PIECES = 1 << 14,
};

static struct builtin_field rpcrdma_builtin_fields[] = {
    {"rpcordma.xid", FIXED, 0, 4, NULL},
    {"rpcordma.version", FIXED, 4, 4, NULL},
    {"rpcordma.flow_control", FIXED, 8, 4, NULL},
    {"rpcordma.msg_type", FIXED, 12, 4, NULL},
    {"rpcordma.rdma_align", PADDED, 16, 4, NULL},
    {"rpcordma.rdma_thresh", PADDED, 20, 4, NULL},
    {"rpcordma.errcode", FAILED, 16, 4, NULL},
    {"rpcordma.vers_low", OF_VERSION, 20, 4, NULL},
    {"rpcordma.vers_high", OF_VERSION, 24, 4, NULL},
    {"rpcordma.reads_count", READS, 0, 0, NULL},
    {"rpcordma.writes_count", WRITES, 0, 0, NULL},
    {"rpcordma.reply_count", REPLIES, 0, 0, NULL},
    {"rpcordma.position", POSITION, 0, 4, NULL},
    {"rpcordma.rdma_handle", SEGMENT, 0, 4, NULL},
    {"rpcordma.rdma_length", SEGMENT, 4, 4, NULL},
    {"rpcordma.rdma_offset", SEGMENT, 8, 8, NULL},
    {"rpcordma.segment_count", CHUNK, 0, 4, NULL},
    {"rpcordma.fragments", REBUILT, 0, 0, NULL},
    {"rpcordma.fragment", PIECE, 0, 0, NULL},
    {"rpcordma.fragment.count", PIECES, 0, 0, NULL},
    {"rpcordma.reassembled.length", REBUILT_LENGTH, 0, 0, NULL},
    {"rpcordma.reassembled.data", REBUILT, 0, BUILTIN_REST, NULL},
    {"rpcordma.reassembled.in", REBUILT_IN, 0, 0, NULL},
};

static struct builtin rpcordma = {"rpcordma", rpcrdma_builtin_fields, array_length(rpcrdma_builtin_fields), NULL};

void rpcrdma_builtin_handoff(void)
{
    builtin_find(&rpcordma);
}

static void builtin_read_list(const struct rpcrdma_canvas *canvas, proto_tree *tree)
{
    const struct rpcrdma_list *list = &canvas->header.read;

    builtin_add_number(&rpcordma, READS, tree, canvas->tvb, list->n);
    for (uint32_t i = 0, at = list->at + 4; i < list->n; i++, at += 4 + RPCRDMA_READ_SEGMENT_LEN) {
        builtin_add(&rpcordma, POSITION, tree, canvas->tvb, (int)at, 0);
        builtin_add(&rpcordma, SEGMENT, tree, canvas->tvb, (int)at + 4, 0);
    }
}

static void builtin_chunk(const struct rpcrdma_canvas *canvas, proto_tree *tree, const struct rpcrdma_chunk *chunk)
{
    builtin_add(&rpcordma, CHUNK, tree, canvas->tvb, (int)chunk->at, 0);
    for (uint32_t i = 0, at = chunk->at + 4; i < chunk->n; i++, at += RPCRDMA_SEGMENT_LEN)
        builtin_add(&rpcordma, SEGMENT, tree, canvas->tvb, (int)at, 0);
}

static void builtin_write_list(const struct rpcrdma_canvas *canvas, proto_tree *tree)
{
    struct rpcrdma_chunk chunk = rpcrdma_write_begin(&canvas->header);

    builtin_add_number(&rpcordma, WRITES, tree, canvas->tvb, canvas->header.write.n);
    while (rpcrdma_write_next(&canvas->header, canvas->p, &chunk))
        builtin_chunk(canvas, tree, &chunk);
}

static void builtin_reply(const struct rpcrdma_canvas *canvas, proto_tree *tree)
{
    struct rpcrdma_chunk chunk;

    builtin_add_number(&rpcordma, REPLIES, tree, canvas->tvb, canvas->header.has_reply);
    if (!canvas->header.has_reply)
        return;
    chunk = rpcrdma_reply_chunk(&canvas->header);
    builtin_chunk(canvas, tree, &chunk);
}

static unsigned of_header(const struct rpcrdma_header *header)
{
    return FIXED | (header->proc == RPCRDMA_MSGP ? PADDED : 0) | (header->proc == RPCRDMA_ERROR ? FAILED : 0) |
           (header->proc == RPCRDMA_ERROR && header->err == RPCRDMA_ERR_VERS ? OF_VERSION : 0);
}

void rpcrdma_builtin_message(const struct rpcrdma_canvas *canvas)
{
    const struct rpcrdma_header *header = &canvas->header;
    proto_tree *tree = builtin_tree(&rpcordma, canvas->root, canvas->tvb, 0, -1, rpcrdma_ett.rpcrdma);

    if (!tree)
        return;
    builtin_add(&rpcordma, of_header(header), tree, canvas->tvb, 0, 0);
    if (header->proc > RPCRDMA_MSGP || header->read.at == 0)
        return;
    builtin_read_list(canvas, tree);
    if (header->write.at != 0)
        builtin_write_list(canvas, tree);
    if (header->reply.at != 0)
        builtin_reply(canvas, tree);
}

/* The frames from which a message is rebuilt. */
struct builtin_frames {
    const struct rpcrdma_canvas *canvas;
    tvbuff_t *message;
    uint32_t n;
};

static void builtin_frame(struct builtin_frames *frames, uint32_t frame)
{
    builtin_add_number(&rpcordma, PIECE, frames->canvas->root, frames->message, frame);
    frames->n++;
}

static void builtin_frames_of_chunk(struct builtin_frames *frames, const struct kept_chunk *chunk)
{
    for (unsigned i = 0; chunk->frames && i < wmem_array_get_count(chunk->frames); i++)
        builtin_frame(frames, *(uint32_t *)wmem_array_index(chunk->frames, i));
}

/* Roundup is made where the last octets come. */
static void builtin_frames_of_rpc(struct builtin_frames *frames, const struct kept_rpc *rpc)
{
    const struct rpcrdma_canvas *canvas = frames->canvas;
    uint32_t here = canvas->pinfo->num;
    uint32_t send = canvas->message ? here : canvas->segment->move->transaction->call_frame;
    bool whole = false;

    for (const struct kept_piece *piece = rpc->pieces; piece < rpc->pieces + rpc->n_pieces; piece++) {
        if (piece->roundup)
            builtin_frame(frames, here);
        else if (piece->chunk)
            builtin_frames_of_chunk(frames, piece->chunk);
        else if (!rpc->from)
            builtin_frame(frames, send);
        else if (!whole)
            builtin_frames_of_chunk(frames, rpc->from);
        whole |= !piece->roundup && !piece->chunk;
    }
}

static void builtin_rebuilt(const struct builtin_frames *frames)
{
    int n = (int)tvb_captured_length(frames->message);

    builtin_add(&rpcordma, REBUILT, frames->canvas->root, frames->message, 0, n);
    builtin_add_number(&rpcordma, REBUILT_LENGTH, frames->canvas->root, frames->message, (uint32_t)n);
    builtin_add_number(&rpcordma, PIECES, frames->canvas->root, frames->message, frames->n);
}

void rpcrdma_builtin_rebuilt(const struct rpcrdma_canvas *canvas, tvbuff_t *message, const struct kept_rpc *rpc)
{
    struct builtin_frames frames = {canvas, message, 0};

    builtin_frames_of_rpc(&frames, rpc);
    builtin_rebuilt(&frames);
}

void rpcrdma_builtin_sent(const struct rpcrdma_canvas *canvas)
{
    struct builtin_frames frames = {canvas, canvas->tvb, 0};
    const struct kept_segment *packet = rpcrdma_ib_segments(kept_sent_of(canvas->message)->first_in);

    while (packet && packet->packet->part_of != canvas->message)
        packet = packet->packet->next_in_frame;
    if (!packet) /* the Send has only one */
        return;
    for (; packet; packet = packet->packet->next_in_send)
        builtin_frame(&frames, kept_own_frame(packet));
    builtin_rebuilt(&frames);
}

void rpcrdma_builtin_rebuilt_in(const struct rpcrdma_canvas *canvas, uint32_t frame)
{
    if (frame != 0 && frame != canvas->pinfo->num)
        builtin_add_number(&rpcordma, REBUILT_IN, canvas->root, canvas->tvb, frame);
}

void rpcrdma_builtin_move(const struct rpcrdma_canvas *canvas, const struct kept_move *move)
{
    const struct kept_transaction *t = move->transaction;

    if (move->request)
        return;
    if (move->chunk->kind != RPCRDMA_READ_CHUNK)
        rpcrdma_builtin_rebuilt_in(canvas, t->answer_frame);
    else if (t->call)
        rpcrdma_builtin_rebuilt_in(canvas, t->call->complete_in);
}
