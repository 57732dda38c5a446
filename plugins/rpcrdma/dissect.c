// SPDX-License-Identifier: GPL-2.0-or-later
/* Entry points on iWARP: Sends and segments from the rdmap dissector, private data from the mpa dissector. */
#include "plugins/rpcrdma/rpcrdma_plugin.h"

static dissector_handle_t send_handle, segment_handle, startup_handle;
static dissector_table_t ports;

bool rpcrdma_is_enabled(void)
{
    return proto_is_protocol_enabled(find_protocol_by_id(rpcrdma_proto));
}

bool rpcrdma_is_chosen(const uint16_t port[2])
{
    for (unsigned i = 0; i < 2; i++) {
        if (port[i] != RPCRDMA_PORT && dissector_get_uint_handle(ports, port[i]) == send_handle)
            return true;
    }
    return false;
}

bool rpcrdma_knows(const struct connection *connection)
{
    return connection->rpcrdma && connection->rpcrdma->recognised;
}

static bool is_assigned(const packet_info *pinfo)
{
    return dissector_get_uint_handle(ports, pinfo->srcport) == send_handle ||
           dissector_get_uint_handle(ports, pinfo->destport) == send_handle;
}

static int rpcrdma_dissect_send(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    const struct passed *about = passed_of(data);
    struct rpcrdma_canvas canvas = {.tvb = tvb, .pinfo = pinfo, .root = tree, .n = tvb_captured_length(tvb)};

    canvas.flow = about ? about->connection->rpcrdma : NULL;
    if (!canvas.flow || canvas.n == 0)
        return 0;
    canvas.segment = rpcrdma_flow_segment(canvas.flow, &about->place);
    canvas.message = canvas.segment && canvas.flow->recognised ? canvas.segment->message : NULL;
    if (!canvas.message) {
        bool cut = canvas.n < tvb_reported_length(tvb), certain = is_assigned(pinfo) || canvas.flow->recognised;

        if ((!certain && !cut) || !rpcrdma_is_unrecorded(&canvas, certain))
            return 0;
        rpcrdma_draw_unrecorded(&canvas);
        return (int)canvas.n;
    }
    canvas.p = tvb_get_ptr(tvb, 0, (int)canvas.n);
    rpcrdma_header_decode(&canvas.header, canvas.p, canvas.n);
    rpcrdma_draw_message(&canvas);
    return (int)canvas.n;
}

static compat_bool offered_send(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    return rpcrdma_dissect_send(tvb, pinfo, tree, data) > 0;
}

static int dissect_segment(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    const struct passed *about = data;
    struct rpcrdma_canvas canvas = {.tvb = tvb, .pinfo = pinfo, .root = tree, .flow = about->connection->rpcrdma};

    canvas.segment = rpcrdma_flow_segment(canvas.flow, &about->place);
    if (!canvas.segment)
        return RPCRDMA_SEGMENT_OURS;
    canvas.message = canvas.segment->message;
    if (canvas.message && canvas.message->empty) /* without payload, the Send is passed to no dissector */
        rpcrdma_draw_empty(&canvas);
    if (canvas.message) /* the segment is drawn with its Send */
        return RPCRDMA_SEGMENT_OURS;
    return rpcrdma_draw_move(&canvas) ? RPCRDMA_SEGMENT_SHOWN : RPCRDMA_SEGMENT_OURS;
}

/* By a handle, so that Wireshark adds the protocol's layer. */
enum rpcrdma_segment_answer rpcrdma_call_segment(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree,
                                                 const struct passed *about)
{
    return (enum rpcrdma_segment_answer)call_dissector_only(segment_handle, tvb, pinfo, tree, (void *)about);
}

static int dissect_startup(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    const struct passed *about = data;
    struct rpcrdma_canvas canvas = {.tvb = tvb, .pinfo = pinfo, .root = tree, .flow = about->connection->rpcrdma};

    canvas.segment = rpcrdma_flow_segment(canvas.flow, &about->place);
    rpcrdma_draw_startup(&canvas, about->direction == DIR_TO_RESPONDER ? MPA_REQUEST : MPA_REPLY);
    return canvas.item != NULL;
}

void rpcrdma_call_startup(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, const struct passed *about)
{
    if (about->connection->rpcrdma)
        call_dissector_only(startup_handle, tvb, pinfo, tree, (void *)about);
}

void rpcrdma_plugin_register(void)
{
    rpcrdma_fields_register();
    rpcrdma_private_data_register();
    rpcrdma_flow_register();
    rpcrdma_tap_register();
    rpcrdma_ib_register();
    send_handle = register_dissector("rpcrdma", rpcrdma_dissect_send, rpcrdma_proto);
    segment_handle = create_dissector_handle(dissect_segment, rpcrdma_proto);
    startup_handle = create_dissector_handle(dissect_startup, rpcrdma_proto);
}

void rpcrdma_plugin_handoff(void)
{
    ports = find_dissector_table(RDMAP_PORT_TABLE);
    /* Also adds the port preference and the entry for "Decode As". */
    dissector_add_uint_range_with_preference(RDMAP_PORT_TABLE, "20049", send_handle);
    heur_dissector_add(RDMAP_SEND_LIST, offered_send, "RPC-over-RDMA", "rpcrdma_rdmap", rpcrdma_proto,
                       HEURISTIC_ENABLE);
    rpcrdma_payload_handoff();
    rpcrdma_builtin_handoff();
    rpcrdma_tap_handoff();
    rpcrdma_ib_handoff();
}
