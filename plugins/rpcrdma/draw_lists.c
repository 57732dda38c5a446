// SPDX-License-Identifier: GPL-2.0-or-later
/* The chunk lists of a header, each segment with the RDMA operations that moved it: RFC 8166 section 4.3. */
#include "plugins/common/text_before.h"
#include "plugins/rpcrdma/rpcrdma_plugin.h"

char *rpcrdma_chunk_name_before(char *at, const struct kept_chunk *chunk)
{
    switch (chunk->kind) {
    case RPCRDMA_READ_CHUNK:
        return text_before(uint_to_str_back(at, chunk->position), "Read chunk at Position ");
    case RPCRDMA_WRITE_CHUNK:
        return text_before(uint_to_str_back(at, chunk->number + 1), "Write chunk ");
    case RPCRDMA_REPLY_CHUNK:
        break;
    }
    return text_before(at, "Reply chunk");
}

const char *rpcrdma_chunk_name(wmem_allocator_t *pool, const struct kept_chunk *chunk)
{
    char name[64], *end = name + sizeof name - 1;

    *end = '\0';
    return wmem_strdup(pool, rpcrdma_chunk_name_before(end, chunk));
}

/* The transaction with the records of this message's chunks, or NULL. */
static const struct kept_transaction *recorded(const struct rpcrdma_canvas *canvas)
{
    return canvas->message->repeated && canvas->message->kind != RPCRDMA_KIND_CALL ? NULL
                                                                                   : canvas->message->transaction;
}

static const struct kept_chunk *kept_read_chunk(const struct rpcrdma_canvas *canvas, uint32_t position)
{
    const struct kept_transaction *t = recorded(canvas);

    if (!t || canvas->message->kind != RPCRDMA_KIND_CALL)
        return NULL;
    for (unsigned i = 0; i < t->n_chunks && t->chunks[i].kind == RPCRDMA_READ_CHUNK; i++) {
        if (t->chunks[i].position == position)
            return &t->chunks[i];
    }
    return NULL;
}

static const struct kept_chunk *kept_write_chunk(const struct rpcrdma_canvas *canvas, uint32_t number)
{
    const struct kept_transaction *t = recorded(canvas);

    return t && number < t->n_writes ? &t->chunks[t->first_write + number] : NULL;
}

static const struct kept_chunk *kept_reply_chunk(const struct rpcrdma_canvas *canvas)
{
    const struct kept_transaction *t = recorded(canvas);

    if (!t || t->n_chunks == 0 || t->chunks[t->n_chunks - 1].kind != RPCRDMA_REPLY_CHUNK)
        return NULL;
    return &t->chunks[t->n_chunks - 1];
}

/* ---- segments ---- */

void rpcrdma_draw_operation(struct rpcrdma_canvas *canvas, proto_tree *tree, const struct kept_operation *operation)
{
    proto_item *item = proto_tree_add_uint64(tree, rpcrdma_hf.operation, canvas->tvb, 0, 0, operation->number);
    proto_tree *below = proto_item_add_subtree(item, rpcrdma_ett.operation);

    proto_item_set_generated(item);
    proto_item_append_text(item, " (RDMA %s), %" PRIu64 " octets", operation->read ? "Read" : "Write",
                           operation->octets);
    if (operation->first_frame != 0)
        proto_item_append_text(item,
                               operation->first_frame != operation->last_frame ? " in frames %u to %u" : " in frame %u",
                               operation->first_frame, operation->last_frame);
    rpcrdma_number(below, rpcrdma_hf.operation_octets, canvas->tvb, operation->octets);
    rpcrdma_link(below, rpcrdma_hf.operation_request_in, canvas->tvb, operation->request_frame);
    rpcrdma_link(below, rpcrdma_hf.operation_first_in, canvas->tvb, operation->first_frame);
    rpcrdma_link(below, rpcrdma_hf.operation_last_in, canvas->tvb, operation->last_frame);
}

/* at: of the handle; index: in the chunk. */
static void lists_draw_segment(struct rpcrdma_canvas *canvas, proto_tree *tree, uint32_t at,
                               const struct rpcrdma_segment *segment, const struct kept_chunk *chunk, uint32_t index)
{
    proto_item *item = proto_tree_add_item(tree, rpcrdma_hf.segment, canvas->tvb, (int)at, RPCRDMA_SEGMENT_LEN, ENC_NA);
    proto_tree *below = proto_item_add_subtree(item, rpcrdma_ett.segment);

    proto_item_append_text(item, " %u: handle 0x%08x, %u octets at offset 0x%" PRIx64, index + 1, segment->handle,
                           segment->length, segment->offset);
    proto_tree_add_item(below, rpcrdma_hf.handle, canvas->tvb, (int)at, 4, ENC_BIG_ENDIAN);
    proto_tree_add_item(below, rpcrdma_hf.length, canvas->tvb, (int)at + 4, 4, ENC_BIG_ENDIAN);
    proto_tree_add_item(below, rpcrdma_hf.offset, canvas->tvb, (int)at + 8, 8, ENC_BIG_ENDIAN);
    if (!chunk || index >= chunk->n)
        return;
    for (const struct kept_operation *operation = chunk->offers[index].operations; operation;
         operation = operation->next)
        rpcrdma_draw_operation(canvas, below, operation);
}

/* Sums of a chunk: octets in this message, octets offered by the answered Call, octets moved. */
static void draw_sums(struct rpcrdma_canvas *canvas, proto_item *item, proto_tree *tree, const struct kept_chunk *chunk,
                      uint64_t octets)
{
    bool answer = canvas->message->kind != RPCRDMA_KIND_CALL;

    rpcrdma_number(tree, rpcrdma_hf.chunk_octets, canvas->tvb, octets);
    proto_item_append_text(item, ", %" PRIu64 " octets", octets);
    if (!chunk)
        return;
    if (answer) {
        rpcrdma_number(tree, rpcrdma_hf.chunk_offered, canvas->tvb, chunk->length);
        proto_item_append_text(item, " of %" PRIu64 " offered", chunk->length);
    }
    if (chunk->octets > 0 || answer)
        rpcrdma_number(tree, rpcrdma_hf.chunk_moved, canvas->tvb, chunk->octets);
}

/* ---- Read list ---- */

/* Consecutive segments of one Position, from segment *i on. */
static void draw_read_chunk(struct rpcrdma_canvas *canvas, proto_tree *tree, uint32_t *i, wmem_map_t *seen)
{
    const struct rpcrdma_header *header = &canvas->header;
    uint32_t first = *i, entry = 4 + RPCRDMA_READ_SEGMENT_LEN, at = header->read.at + first * entry, index;
    struct rpcrdma_read_segment segment = rpcrdma_read_segment_at(header, canvas->p, first);
    uint32_t position = segment.position;
    const struct kept_chunk *chunk = kept_read_chunk(canvas, position);
    proto_item *item = proto_tree_add_item(tree, rpcrdma_hf.chunk, canvas->tvb, (int)at, (int)entry, ENC_NA);
    proto_tree *below = proto_item_add_subtree(item, rpcrdma_ett.chunk);
    uint64_t octets = 0;

    index = GPOINTER_TO_UINT(wmem_map_lookup(seen, GUINT_TO_POINTER(position)));
    proto_item_set_text(item, "Read chunk at Position %u%s", position, index > 0 ? " (continued)" : "");
    for (;; at += entry) {
        proto_tree_add_item(below, rpcrdma_hf.present, canvas->tvb, (int)at, 4, ENC_BIG_ENDIAN);
        proto_tree_add_item(below, rpcrdma_hf.position, canvas->tvb, (int)at + 4, 4, ENC_BIG_ENDIAN);
        lists_draw_segment(canvas, below, at + 8, &segment.target, chunk, index++);
        octets += segment.target.length;
        if (++*i == header->read.n)
            break;
        segment = rpcrdma_read_segment_at(header, canvas->p, *i);
        if (segment.position != position)
            break;
    }
    wmem_map_insert(seen, GUINT_TO_POINTER(position), GUINT_TO_POINTER(index));
    proto_item_set_len(item, (int)((*i - first) * entry));
    proto_item_append_text(item, ": %u segment%s", *i - first, *i - first == 1 ? "" : "s");
    draw_sums(canvas, item, below, chunk, octets);
}

static proto_tree *draw_list(struct rpcrdma_canvas *canvas, int field, const struct rpcrdma_list *list,
                             const char *unit)
{
    proto_item *item =
        proto_tree_add_item(canvas->tree, field, canvas->tvb, (int)list->at, (int)(list->end - list->at), ENC_NA);

    if (list->n == 0)
        proto_item_append_text(item, ": empty");
    else
        proto_item_append_text(item, ": %u %s%s", list->n, unit, list->n == 1 ? "" : "s");
    return proto_item_add_subtree(item, rpcrdma_ett.list);
}

static void draw_end(struct rpcrdma_canvas *canvas, proto_tree *tree, uint32_t at)
{
    if (at + 4 <= canvas->n)
        proto_tree_add_item(tree, rpcrdma_hf.present, canvas->tvb, (int)at, 4, ENC_BIG_ENDIAN);
}

static void draw_read_list(struct rpcrdma_canvas *canvas)
{
    const struct rpcrdma_list *list = &canvas->header.read;
    proto_tree *tree = draw_list(canvas, rpcrdma_hf.read_list, list, "segment");
    wmem_map_t *seen = list->n > 0 ? wmem_map_new(canvas->pinfo->pool, g_direct_hash, g_direct_equal) : NULL;

    for (uint32_t i = 0; i < list->n;)
        draw_read_chunk(canvas, tree, &i, seen);
    draw_end(canvas, tree, list->at + list->n * (4 + RPCRDMA_READ_SEGMENT_LEN));
}

/* ---- Write list and Reply chunk ---- */

static void draw_segments(struct rpcrdma_canvas *canvas, proto_item *item, proto_tree *tree,
                          const struct rpcrdma_chunk *from, const struct kept_chunk *chunk)
{
    uint64_t octets = 0;

    proto_tree_add_item(tree, rpcrdma_hf.chunk_segments, canvas->tvb, (int)from->at, 4, ENC_BIG_ENDIAN);
    for (uint32_t i = 0; i < from->n; i++) {
        struct rpcrdma_segment segment = rpcrdma_segment_at(from, canvas->p, i);

        lists_draw_segment(canvas, tree, from->at + 4 + i * RPCRDMA_SEGMENT_LEN, &segment, chunk, i);
        octets += segment.length;
    }
    proto_item_append_text(item, ": %u segment%s", from->n, from->n == 1 ? "" : "s");
    draw_sums(canvas, item, tree, chunk, octets);
}

static void draw_write_list(struct rpcrdma_canvas *canvas)
{
    const struct rpcrdma_list *list = &canvas->header.write;
    proto_tree *tree = draw_list(canvas, rpcrdma_hf.write_list, list, "chunk");
    struct rpcrdma_chunk from = rpcrdma_write_begin(&canvas->header);
    uint32_t number = 0, end = list->at;

    for (; rpcrdma_write_next(&canvas->header, canvas->p, &from); number++) {
        uint32_t length = 4 + from.n * RPCRDMA_SEGMENT_LEN;
        proto_item *item =
            proto_tree_add_item(tree, rpcrdma_hf.chunk, canvas->tvb, (int)from.at - 4, (int)length + 4, ENC_NA);
        proto_tree *below = proto_item_add_subtree(item, rpcrdma_ett.chunk);

        proto_item_set_text(item, "Write chunk %u", number + 1);
        proto_tree_add_item(below, rpcrdma_hf.present, canvas->tvb, (int)from.at - 4, 4, ENC_BIG_ENDIAN);
        draw_segments(canvas, item, below, &from, kept_write_chunk(canvas, number));
        end = from.at + length;
    }
    draw_end(canvas, tree, end);
}

static void draw_reply_chunk(struct rpcrdma_canvas *canvas)
{
    const struct rpcrdma_list *list = &canvas->header.reply;
    proto_item *item = proto_tree_add_item(canvas->tree, rpcrdma_hf.reply_chunk, canvas->tvb, (int)list->at,
                                           (int)(list->end - list->at), ENC_NA);
    proto_tree *tree = proto_item_add_subtree(item, rpcrdma_ett.list);
    struct rpcrdma_chunk from;

    draw_end(canvas, tree, list->at);
    if (!canvas->header.has_reply) {
        proto_item_append_text(item, ": none");
        return;
    }
    from = rpcrdma_reply_chunk(&canvas->header);
    draw_segments(canvas, item, tree, &from, kept_reply_chunk(canvas));
}

void rpcrdma_draw_lists(struct rpcrdma_canvas *canvas)
{
    const struct rpcrdma_header *header = &canvas->header;

    if (header->proc == RPCRDMA_MSGP) {
        if (canvas->n < RPCRDMA_FIXED_LEN + 8)
            return;
        proto_tree_add_item(canvas->tree, rpcrdma_hf.align, canvas->tvb, 16, 4, ENC_BIG_ENDIAN);
        proto_tree_add_item(canvas->tree, rpcrdma_hf.thresh, canvas->tvb, 20, 4, ENC_BIG_ENDIAN);
    }
    /* Lists after a fault were not decoded. */
    if (header->read.at == 0)
        return;
    draw_read_list(canvas);
    if (header->write.at == 0)
        return;
    draw_write_list(canvas);
    if (header->reply.at == 0)
        return;
    draw_reply_chunk(canvas);
}
