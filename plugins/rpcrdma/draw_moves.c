// SPDX-License-Identifier: GPL-2.0-or-later
/* RDMA operations on a Call's chunks, and the RPC-over-RDMA private data of start-up frames. */
#include "plugins/common/label.h"
#include "plugins/common/say.h"
#include "plugins/rpcrdma/rpcrdma_plugin.h"

static void moves_begin(struct rpcrdma_canvas *canvas, int length)
{
    if (!canvas->root)
        return;
    canvas->item = proto_tree_add_item(canvas->root, rpcrdma_proto, canvas->tvb, 0, length, ENC_NA);
    canvas->tree = proto_item_add_subtree(canvas->item, rpcrdma_ett.rpcrdma);
}

/* ---- Tagged segments and Read Requests ---- */

enum { ACCESS_MAX = 128 };

/* The text ends at text[ACCESS_MAX - 1]; returns its beginning. */
static char *access_text(char text[ACCESS_MAX], const struct kept_move *move)
{
    char *at = text + ACCESS_MAX - 1;

    *at = '\0';
    at = hex_to_str_back_len(text_before(at, ")"), move->transaction->xid, 8);
    return text_before(rpcrdma_chunk_name_before(text_before(at, " of XID "), move->chunk), " (");
}

static void say_access(struct rpcrdma_canvas *canvas, const struct kept_move *move)
{
    char text[ACCESS_MAX], *at;

    if (!col_get_writable(canvas->pinfo->cinfo, COL_INFO))
        return;
    at = access_text(text, move);
    say(canvas->pinfo->cinfo, at, (size_t)(text + ACCESS_MAX - 1 - at));
}

const char *rpcrdma_move_brief(const struct connection *connection, const struct place *place)
{
    static char text[ACCESS_MAX];
    const struct rpcrdma_flow *flow = connection->rpcrdma;
    const struct kept_segment *segment = flow ? rpcrdma_flow_segment(flow, place) : NULL;

    if (!segment)
        return flow ? "" : NULL;
    if (segment->message || segment->record.remarks)
        return NULL;
    if (!segment->move)
        return "";
    return segment->move->completes ? NULL : access_text(text, segment->move);
}

static void label_access(const struct rpcrdma_canvas *canvas, const struct kept_move *move)
{
    struct label label;

    if (!label_begin(&label, canvas->item))
        return;
    label_number(&label, move->offset);
    label_text(&label, " octets at ");
    label_number(&label, move->length);
    label_text(&label, ", ");
    label_hex(&label, move->transaction->xid, 8);
    label_text(&label, " of XID ");
    label.at = rpcrdma_chunk_name_before(label.at, move->chunk);
    label_text(&label, ", ");
    label_end(&label, canvas->item, rpcrdma_proto);
}

static void draw_access(struct rpcrdma_canvas *canvas, const struct kept_move *move)
{
    const struct kept_transaction *t = move->transaction;
    const struct kept_chunk *chunk = move->chunk;
    proto_tree *tree = canvas->tree;

    if (!proto_field_is_referenced(canvas->root, rpcrdma_proto))
        return;
    label_access(canvas, move);
    rpcrdma_number(tree, rpcrdma_hf.transaction, canvas->tvb, t->number);
    rpcrdma_tap_belongs(canvas, t);
    rpcrdma_number(tree, rpcrdma_hf.move_xid, canvas->tvb, t->xid);
    rpcrdma_number(tree, rpcrdma_hf.chunk_kind, canvas->tvb, chunk->kind);
    rpcrdma_number(tree, rpcrdma_hf.chunk_number, canvas->tvb, chunk->number + 1);
    if (chunk->kind == RPCRDMA_READ_CHUNK)
        rpcrdma_number(tree, rpcrdma_hf.chunk_position, canvas->tvb, chunk->position);
    rpcrdma_number(tree, rpcrdma_hf.move_segment, canvas->tvb, (uint64_t)(move->offer - chunk->offers) + 1);
    rpcrdma_number(tree, rpcrdma_hf.chunk_segments, canvas->tvb, chunk->n);
    rpcrdma_number(tree, rpcrdma_hf.move_offset, canvas->tvb, move->offset);
    rpcrdma_number(tree, rpcrdma_hf.move_octets, canvas->tvb, move->length);
    rpcrdma_number(tree, rpcrdma_hf.chunk_octets, canvas->tvb, chunk->length);
    if (canvas->flow->infiniband) /* on iWARP, RDMAP fields link them */
        rpcrdma_draw_operation(canvas, tree, move->operation);
    rpcrdma_link(tree, rpcrdma_hf.move_call_in, canvas->tvb, t->call_frame);
    rpcrdma_link(tree, rpcrdma_hf.move_answer_in, canvas->tvb, t->answer_frame);
    if (tvb_reported_length(canvas->tvb) > 0 && !move->request)
        proto_tree_add_item(tree, rpcrdma_hf.move_data, canvas->tvb, 0, -1, ENC_NA);
}

bool rpcrdma_draw_move(struct rpcrdma_canvas *canvas)
{
    const struct kept_move *move = canvas->segment->move;

    if (!move && !canvas->segment->record.remarks && canvas->segment->refused_in == 0)
        return false;
    moves_begin(canvas, (int)tvb_captured_length(canvas->tvb));
    if (move) {
        say_access(canvas, move);
        draw_access(canvas, move);
        rpcrdma_builtin_move(canvas, move);
    }
    rpcrdma_draw_refused(canvas);
    rpcrdma_draw_remarks(canvas);
    if (!move || !move->completes)
        return move != NULL;
    /* Keep the text about the segment in the Info column: the RPC dissector clears the column up to the fence. */
    col_append_str(canvas->pinfo->cinfo, COL_INFO, " | ");
    col_set_fence(canvas->pinfo->cinfo, COL_INFO);
    rpcrdma_show_rpc(canvas, move->completes, move->transaction->reverse);
    return true;
}

/* ---- other packets of InfiniBand ---- */

static void draw_octets(struct rpcrdma_canvas *canvas)
{
    if (tvb_captured_length(canvas->tvb) > 0)
        proto_tree_add_item(canvas->tree, rpcrdma_hf.part_data, canvas->tvb, 0, -1, ENC_NA);
}

static void draw_link(struct rpcrdma_canvas *canvas, const char *text, int field, uint32_t frame)
{
    moves_begin(canvas, (int)tvb_captured_length(canvas->tvb));
    rpcrdma_builtin_rebuilt_in(canvas, frame);
    proto_item_append_text(canvas->item, ", %s", text);
    if (frame != 0)
        proto_item_append_text(canvas->item, " in frame %u", frame);
    rpcrdma_link(canvas->tree, field, canvas->tvb, frame);
    draw_octets(canvas);
    if (canvas->segment)
        rpcrdma_draw_remarks(canvas);
}

bool rpcrdma_draw_part(struct rpcrdma_canvas *canvas)
{
    const struct kept_message *whole = canvas->segment->packet->part_of;

    if (whole)
        draw_link(canvas, "part of a Send completed", rpcrdma_hf.send_complete_in, kept_sent_of(whole)->last_in);
    else
        draw_link(canvas, "part of a Send", rpcrdma_hf.send_complete_in, 0);
    return true;
}

void rpcrdma_draw_waiting(struct rpcrdma_canvas *canvas, uint32_t frame)
{
    draw_link(canvas, frame != 0 ? "out of order, dissected" : "out of order", rpcrdma_hf.taken_in, frame);
}

void rpcrdma_draw_repeated(struct rpcrdma_canvas *canvas, uint32_t copies, bool begins_send)
{
    wmem_allocator_t *pool = canvas->pinfo->pool;
    const char *text = copies ? wmem_strdup_printf(pool, "etransmission of frame %u", copies) : "etransmission";
    bool has_xid = begins_send && canvas->flow->recognised && tvb_captured_length(canvas->tvb) >= 4;

    moves_begin(canvas, (int)tvb_captured_length(canvas->tvb));
    if (has_xid)
        text = wmem_strdup_printf(pool, "%s, XID 0x%08x", text, tvb_get_ntohl(canvas->tvb, 0));
    proto_item_append_text(canvas->item, ", r%s", text);
    col_append_fstr(canvas->pinfo->cinfo, COL_INFO, " [R%s]", text);
    proto_item_set_generated(proto_tree_add_boolean(canvas->tree, rpcrdma_hf.packet_repeated, canvas->tvb, 0, 0, 1));
    rpcrdma_link(canvas->tree, rpcrdma_hf.packet_copies, canvas->tvb, copies);
    if (has_xid)
        proto_tree_add_item(canvas->tree, rpcrdma_hf.xid, canvas->tvb, 0, 4, ENC_BIG_ENDIAN);
    draw_octets(canvas);
}

/* ---- private data ---- */

/* Draws the private data; on iWARP they are in the tree of the start-up frame. */
static void draw_block(struct rpcrdma_canvas *canvas)
{
    struct rpcrdma_private_data data;
    uint32_t n = tvb_captured_length(canvas->tvb);
    int at;

    if (!canvas->flow->infiniband || n == 0 ||
        rpcrdma_private_data_find(&data, tvb_get_ptr(canvas->tvb, 0, (int)n), n) != RPCRDMA_PD_OK)
        return;
    at = (int)data.offset;
    proto_tree_add_item(canvas->tree, rpcrdma_hf.startup_identifier, canvas->tvb, at, 4, ENC_BIG_ENDIAN);
    proto_tree_add_item(canvas->tree, rpcrdma_hf.startup_version, canvas->tvb, at + 4, 1, ENC_NA);
    proto_tree_add_item(canvas->tree, rpcrdma_hf.startup_flags, canvas->tvb, at + 5, 1, ENC_NA);
    proto_tree_add_item(canvas->tree, rpcrdma_hf.startup_flags_r, canvas->tvb, at + 5, 1, ENC_NA);
}

/* Known once the private data of both sides were seen: RFC 8797 section 5. */
static void draw_agreed(struct rpcrdma_canvas *canvas)
{
    const struct kept_startup *request = &canvas->flow->startup[MPA_REQUEST];
    const struct kept_startup *reply = &canvas->flow->startup[MPA_REPLY];
    const struct rpcrdma_private_data *q = &request->data, *r = &reply->data;
    proto_tree *tree = canvas->tree;

    if (request->frame == 0 || reply->frame == 0)
        return;
    rpcrdma_number(tree, rpcrdma_hf.startup_to_responder, canvas->tvb,
                   q->send_size < r->receive_size ? q->send_size : r->receive_size);
    rpcrdma_number(tree, rpcrdma_hf.startup_to_initiator, canvas->tvb,
                   r->send_size < q->receive_size ? r->send_size : q->receive_size);
    proto_item_set_generated(proto_tree_add_boolean(tree, rpcrdma_hf.startup_invalidation, canvas->tvb, 0, 0,
                                                    q->remote_invalidation && r->remote_invalidation));
}

void rpcrdma_draw_startup(struct rpcrdma_canvas *canvas, enum mpa_startup_kind kind)
{
    const struct kept_startup *startup = &canvas->flow->startup[kind];
    bool remarks = canvas->segment && canvas->segment->record.remarks;

    if (startup->frame != canvas->pinfo->num || (!startup->told && !canvas->flow->recognised && !remarks))
        return;
    moves_begin(canvas, (int)tvb_captured_length(canvas->tvb));
    proto_item_append_text(canvas->item, ", connection set-up");
    draw_block(canvas);
    if (startup->told) {
        rpcrdma_number(canvas->tree, rpcrdma_hf.startup_send_size, canvas->tvb, startup->data.send_size);
        rpcrdma_number(canvas->tree, rpcrdma_hf.startup_receive_size, canvas->tvb, startup->data.receive_size);
    } else {
        proto_item_append_text(canvas->item, ", no private data: inline thresholds are %u octets",
                               RPCRDMA_INLINE_DEFAULT);
    }
    draw_agreed(canvas);
    rpcrdma_link(canvas->tree, kind == MPA_REQUEST ? rpcrdma_hf.startup_reply_in : rpcrdma_hf.startup_request_in,
                 canvas->tvb, canvas->flow->startup[kind == MPA_REQUEST ? MPA_REPLY : MPA_REQUEST].frame);
    rpcrdma_draw_remarks(canvas);
}
