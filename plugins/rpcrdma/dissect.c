// SPDX-License-Identifier: GPL-2.0-or-later
/* Entry points on iWARP: connections, Sends and segments from the ddp_rdmap plugin, private data from the mpa plugin.
 */
#include "plugins/rpcrdma/rpcrdma_plugin.h"

static dissector_handle_t send_handle, segment_handle;
static dissector_table_t ports;

/*
 * Whether the user has assigned one of the ports to this protocol ("Decode As"). The registered port alone is not
 * enough evidence for judging: messages on it are only shown as RPC-over-RDMA.
 */
static bool user_says_so(const struct rdmap_listeners *listeners)
{
    for (unsigned i = 0; i < 2; i++) {
        if (listeners->port[i] != RPCRDMA_PORT && dissector_get_uint_handle(ports, listeners->port[i]) == send_handle)
            return true;
    }
    return false;
}

static bool is_assigned(const packet_info *pinfo)
{
    return dissector_get_uint_handle(ports, pinfo->srcport) == send_handle ||
           dissector_get_uint_handle(ports, pinfo->destport) == send_handle;
}

static void rpcrdma_dissect_begin(const struct rdmap_listeners *connection, struct rdmap_listener *listener)
{
    rpcrdma_flow_listen(connection, listener, user_says_so(connection));
}

static compat_bool rpcrdma_dissect_listen(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    struct rdmap_listeners *listeners = data;

    (void)tvb, (void)pinfo, (void)tree;
    if (listeners && listeners->size == sizeof *listeners)
        rdmap_listeners_add(listeners, &(struct rdmap_listener){.begin = rpcrdma_dissect_begin,
                                                                .brief = rpcrdma_move_brief,
                                                                .segment = segment_handle,
                                                                .after_segment = rpcrdma_draw_bare});
    return 0; /* others are asked, too */
}

static int rpcrdma_dissect_send(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    const struct rdmap_payload *payload = data;
    struct rpcrdma_canvas canvas = {.tvb = tvb, .pinfo = pinfo, .root = tree, .n = tvb_captured_length(tvb)};

    if (!payload || payload->size != sizeof *payload)
        return 0;
    canvas.flow = rpcrdma_flow_find(payload->ulpdu.connection);
    if (!canvas.flow || canvas.n == 0)
        return 0;
    canvas.segment = rpcrdma_flow_segment(canvas.flow, &payload->ulpdu.place);
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
    const struct rdmap_segment *segment = data;
    struct rpcrdma_canvas canvas = {.tvb = tvb, .pinfo = pinfo, .root = tree};

    if (!segment || segment->size != sizeof *segment)
        return RDMAP_SEGMENT_FOREIGN;
    canvas.flow = rpcrdma_flow_find(segment->ulpdu.connection);
    if (!canvas.flow)
        return RDMAP_SEGMENT_FOREIGN;
    canvas.segment = rpcrdma_flow_segment(canvas.flow, &segment->ulpdu.place);
    if (!canvas.segment)
        return RDMAP_SEGMENT_OURS;
    canvas.message = canvas.segment->message;
    if (canvas.message && canvas.message->empty) /* without payload, the Send is passed to no dissector */
        rpcrdma_draw_empty(&canvas);
    if (canvas.message) /* the segment is drawn with its Send */
        return RDMAP_SEGMENT_OURS;
    return rpcrdma_draw_move(&canvas) ? RDMAP_SEGMENT_SHOWN : RDMAP_SEGMENT_OURS;
}

static compat_bool dissect_startup(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    const struct mpa_private_data *private_data = data;
    struct rpcrdma_canvas canvas = {.tvb = tvb, .pinfo = pinfo, .root = tree};

    if (!private_data || private_data->size != sizeof *private_data)
        return 0;
    canvas.flow = rpcrdma_flow_find(private_data->connection);
    if (!canvas.flow)
        return 0;
    canvas.segment = rpcrdma_flow_segment(canvas.flow, &private_data->place);
    rpcrdma_draw_startup(&canvas, private_data->kind);
    return canvas.item != NULL;
}

void rpcrdma_plugin_register(void)
{
    rpcrdma_fields_register();
    rpcrdma_flow_register();
    rpcrdma_tap_register();
    rpcrdma_ib_register();
    send_handle = register_dissector("rpcrdma", rpcrdma_dissect_send, rpcrdma_proto);
    segment_handle = create_dissector_handle(dissect_segment, rpcrdma_proto);
}

void rpcrdma_plugin_handoff(void)
{
    ports = find_dissector_table(RDMAP_PORT_TABLE);
    if (ports) {
        /* Also adds the port preference and the entry for "Decode As". */
        dissector_add_uint_range_with_preference(RDMAP_PORT_TABLE, "20049", send_handle);
        heur_dissector_add(RDMAP_LISTENER_LIST, rpcrdma_dissect_listen, "RPC-over-RDMA connections", "rpcrdma_listener",
                           rpcrdma_proto, HEURISTIC_ENABLE);
        heur_dissector_add(RDMAP_SEND_LIST, offered_send, "RPC-over-RDMA", "rpcrdma_rdmap", rpcrdma_proto,
                           HEURISTIC_ENABLE);
    }
    if (has_heur_dissector_list(MPA_STARTUP_LIST))
        heur_dissector_add(MPA_STARTUP_LIST, dissect_startup, "RPC-over-RDMA private data (RFC 8797)",
                           "rpcrdma_mpa_private_data", rpcrdma_proto, HEURISTIC_ENABLE);
    rpcrdma_payload_handoff();
    rpcrdma_tap_handoff();
    rpcrdma_ib_handoff();
}
