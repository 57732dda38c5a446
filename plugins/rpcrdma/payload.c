// SPDX-License-Identifier: GPL-2.0-or-later
/* Passes RPC messages to Wireshark's RPC dissector, and through it to those of NFS and other programs. */
#include "plugins/rpcrdma/rpcrdma_plugin.h"

#include <epan/exceptions.h>
#include <epan/show_exception.h>

enum {
    PORT_REVERSE = 1 << 16,
    PORT_CONNECTION_SHIFT = 17,
    LATER_PACKETS_MAX = 1 << 20, /* octets after the first packet of a Send; no Send has as many */
};

static dissector_handle_t rpc_handle;

/*
 * The RPC dissector matches Calls and Replies by XID within a conversation, which it looks up by addresses and ports.
 * XIDs are independent in the two directions of calling (RFC 8167 section 2.3), and in connections that use the same
 * ports. Therefore bits that port numbers do not use distinguish them.
 */
static uint32_t rpcrdma_payload_port_of(uint32_t port, const struct rpcrdma_flow *flow, bool reverse)
{
    return port | (reverse ? PORT_REVERSE : 0u) | flow->connection->number << PORT_CONNECTION_SHIFT;
}

/* InfiniBand packets name only the destination queue pair, so the sides serve as port numbers. */
static uint32_t base_of(const struct rpcrdma_canvas *canvas, uint32_t port, bool sender)
{
    if (!canvas->flow->infiniband)
        return port;
    return ((canvas->segment ? canvas->segment->side : canvas->side) == 0) == sender ? 1 : 2;
}

static void swap_addresses(packet_info *pinfo)
{
    address source = pinfo->src;

    pinfo->src = pinfo->dst;
    pinfo->dst = source;
}

static void call_rpc(struct rpcrdma_canvas *canvas, tvbuff_t *message, proto_tree *tree, bool reverse)
{
    packet_info *pinfo = canvas->pinfo;
    uint32_t source = pinfo->srcport, destination = pinfo->destport;
    port_type type = pinfo->ptype;
    const char *volatile protocol = pinfo->current_proto;
    volatile bool taken = false;

    pinfo->ptype = PT_IWARP_MPA; /* for RPC, a connection that preserves message boundaries */
    pinfo->srcport = rpcrdma_payload_port_of(base_of(canvas, source, true), canvas->flow, reverse);
    pinfo->destport = rpcrdma_payload_port_of(base_of(canvas, destination, false), canvas->flow, reverse);
    if (canvas->against)
        swap_addresses(pinfo);
    TRY
    {
        taken = call_dissector_only(rpc_handle, message, pinfo, tree, NULL) > 0;
    }
    /* An incomplete message must not prevent the others of the frame from being dissected. */
    CATCH_BOUNDS_AND_DISSECTOR_ERRORS
    {
        taken = true;
        show_exception(message, pinfo, tree, EXCEPT_CODE, GET_MESSAGE);
    }
    FINALLY
    {
        if (canvas->against)
            swap_addresses(pinfo);
        pinfo->srcport = source;
        pinfo->destport = destination;
        pinfo->ptype = type;
        pinfo->current_proto = protocol;
    }
    ENDTRY;
    if (!taken)
        call_data_dissector(message, pinfo, tree);
}

/* ---- how the message was put together ---- */

static tvbuff_t *source(struct rpcrdma_canvas *canvas, const uint8_t *octets, uint32_t have, uint32_t length,
                        const char *name)
{
    tvbuff_t *tvb = tvb_new_child_real_data(canvas->tvb, octets, have, (int)length);

    add_new_data_source(canvas->pinfo, tvb, name);
    return tvb;
}

static void draw_pieces(struct rpcrdma_canvas *canvas, proto_tree *tree, tvbuff_t *message, const struct kept_rpc *rpc)
{
    for (unsigned i = 0; i < rpc->n_pieces; i++) {
        const struct kept_piece *piece = &rpc->pieces[i];
        uint32_t at = piece->from < rpc->have ? piece->from : rpc->have;
        uint32_t have = rpc->have - at < piece->have ? rpc->have - at : piece->have;
        proto_item *item = proto_tree_add_item(tree, rpcrdma_hf.rpc_piece, message, (int)at, (int)have, ENC_NA);
        const struct kept_chunk *from = piece->chunk ? piece->chunk : rpc->from;
        const char *name = "inline";

        if (piece->roundup)
            name = "roundup";
        else if (from)
            name = rpcrdma_chunk_name(canvas->pinfo->pool, from);
        proto_item_set_generated(item);
        proto_item_set_text(item, "Octets %u-%u: %s", piece->from, piece->from + piece->length - 1, name);
        if (piece->chunk && have > 0)
            source(canvas, rpc->octets + piece->from, have, piece->length, name);
    }
}

static tvbuff_t *rpcrdma_payload_put_together(struct rpcrdma_canvas *canvas, const struct kept_rpc *rpc)
{
    static const uint8_t nothing[1];
    tvbuff_t *message =
        source(canvas, rpc->octets ? rpc->octets : nothing, rpc->have, rpc->length, "Reassembled RPC message");
    proto_item *item = proto_tree_add_item(canvas->tree, rpcrdma_hf.rpc, message, 0, (int)rpc->have, ENC_NA);
    proto_tree *tree = proto_item_add_subtree(item, rpcrdma_ett.rpc);

    proto_item_set_generated(item);
    proto_item_append_text(item, ": %u octets", rpc->length);
    proto_item_set_generated(proto_tree_add_uint(tree, rpcrdma_hf.rpc_length, message, 0, 0, rpc->length));
    draw_pieces(canvas, tree, message, rpc);
    proto_item_set_generated(proto_tree_add_item(tree, rpcrdma_hf.rpc_data, message, 0, (int)rpc->have, ENC_NA));
    if (rpc->have == rpc->length)
        rpcrdma_builtin_rebuilt(canvas, message, rpc);
    if (rpc->unplaced)
        expert_add_info_format(canvas->pinfo, item, &rpcrdma_ei.unplaced,
                               "The position of the contents of the %s in the message is not known",
                               rpcrdma_chunk_name(canvas->pinfo->pool, rpc->unplaced));
    if (rpc->have < rpc->length) {
        item = proto_tree_add_uint(tree, rpcrdma_hf.rpc_missing, message, 0, 0, rpc->length - rpc->have);
        proto_item_set_generated(item);
        expert_add_info_format(canvas->pinfo, item, &rpcrdma_ei.incomplete,
                               "The RPC message has %u octets; those from offset %u on were not moved, or not captured",
                               rpc->length, rpc->have);
    }
    return message;
}

/*
 * If the position of a chunk's octets in the results of a Reply is unknown, only the RPC header is certainly in place
 * (RFC 5531 section 9).
 */
static tvbuff_t *header_alone(tvbuff_t *message, const struct kept_rpc *rpc)
{
    uint64_t header = RPC_REPLY_MIN;

    if (rpc->have >= RPC_REPLY_MIN)
        header += 4 + (uint64_t)tvb_get_ntohl(message, 16); /* accept_stat; the body of the verifier */
    return tvb_new_subset_length_caplen(message, 0, (int)MIN(header, rpc->have), (int)rpc->length);
}

void rpcrdma_show_rpc(struct rpcrdma_canvas *canvas, const struct kept_rpc *rpc, bool reverse)
{
    tvbuff_t *message;

    if (rpc->plain)
        message = tvb_new_subset_remaining(canvas->tvb, (int)canvas->header.header_len);
    else if (rpc->length > 0)
        message = rpcrdma_payload_put_together(canvas, rpc);
    else
        return;
    if (rpc->unplaced && rpc->reply)
        message = header_alone(message, rpc);
    rpcrdma_tap_rpc(canvas, message);
    if (rpc->plain || rpc->have >= RPC_REPLY_MIN) /* fewer octets do not show the kind of message */
        call_rpc(canvas, message, canvas->root, reverse);
}

void rpcrdma_show_beginning(struct rpcrdma_canvas *canvas)
{
    int at = (int)canvas->header.header_len;
    int length = tvb_reported_length_remaining(canvas->tvb, at) + (canvas->more ? LATER_PACKETS_MAX : 0);

    call_rpc(canvas,
             tvb_new_subset_length_caplen(canvas->tvb, at, tvb_captured_length_remaining(canvas->tvb, at), length),
             canvas->root, canvas->message->reverse);
}

/* Dissects without tree and columns, as if in frame `in_frame`. */
static void rpcrdma_payload_tell(struct rpcrdma_canvas *canvas, tvbuff_t *message, uint32_t in_frame, int64_t time_ns,
                                 bool reverse)
{
    packet_info *pinfo = canvas->pinfo;
    uint32_t frame = pinfo->num;
    nstime_t time = pinfo->abs_ts;
    gboolean writable = col_get_writable(pinfo->cinfo, -1);

    if (tvb_captured_length(message) < RPC_REPLY_MIN)
        return;
    col_set_writable(pinfo->cinfo, -1, FALSE);
    pinfo->num = in_frame;
    pinfo->abs_ts.secs = (time_t)(time_ns / 1000000000);
    pinfo->abs_ts.nsecs = (int)(time_ns % 1000000000);
    TRY
    {
        call_rpc(canvas, message, NULL, reverse);
    }
    FINALLY
    {
        pinfo->num = frame;
        pinfo->abs_ts = time;
        col_set_writable(pinfo->cinfo, -1, writable);
    }
    ENDTRY;
}

static tvbuff_t *rpcrdma_payload_whole_of(struct rpcrdma_canvas *canvas, const struct kept_rpc *rpc)
{
    return tvb_new_child_real_data(canvas->tvb, rpc->octets, rpc->have, (int)rpc->length);
}

void rpcrdma_tell_rpc(struct rpcrdma_canvas *canvas, const struct kept_transaction *transaction)
{
    if (transaction->call->have >= RPC_REPLY_MIN)
        rpcrdma_payload_tell(canvas, rpcrdma_payload_whole_of(canvas, transaction->call), transaction->call_frame,
                             transaction->call_time_ns, transaction->reverse);
}

void rpcrdma_tell_segment(struct rpcrdma_canvas *canvas, int64_t time_ns)
{
    const struct kept_segment *segment = canvas->segment;
    const struct kept_message *message = segment->message;
    const struct kept_sent *sent = message ? kept_sent_of(message) : NULL;
    const struct kept_rpc *rpc = NULL;
    bool reverse = false;

    if (message) {
        rpc = message->rpc;
        reverse = message->reverse;
    } else if (segment->move) {
        rpc = segment->move->completes;
        reverse = segment->move->transaction->reverse;
    }
    if (!rpc)
        return;
    if (!rpc->plain && rpc->have >= RPC_REPLY_MIN)
        rpcrdma_payload_tell(canvas, rpcrdma_payload_whole_of(canvas, rpc), segment->record.frame, time_ns, reverse);
    else if (rpc->plain && sent && sent->octets && message->header_len < sent->n)
        rpcrdma_payload_tell(canvas,
                             tvb_new_child_real_data(canvas->tvb, sent->octets + message->header_len,
                                                     sent->n - message->header_len,
                                                     (int)(sent->n - message->header_len)),
                             segment->record.frame, time_ns, reverse);
}

void rpcrdma_show_rest(struct rpcrdma_canvas *canvas)
{
    uint32_t at = canvas->header.header_len;
    proto_item *item =
        proto_tree_add_item(canvas->tree, rpcrdma_hf.beyond, canvas->tvb, (int)at, (int)(canvas->n - at), ENC_NA);

    if (canvas->message->kind == RPCRDMA_KIND_REPLY && canvas->header.read.n > 0)
        proto_item_append_text(item, " (the client reads parts of the RPC message)");
}

void rpcrdma_payload_handoff(void)
{
    rpc_handle = find_dissector("rpc");
}
