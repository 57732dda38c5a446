// SPDX-License-Identifier: GPL-2.0-or-later
/* Entry points: connections and ULPDUs from the mpa plugin. */
#include "plugins/ddp_rdmap/rdmap_plugin.h"

static dissector_handle_t ulpdu_handle;
static heur_dissector_list_t listeners;
static struct rdmap_listeners upper; /* for a connection that begins: the same for all connections of a file */

/* Asks the upper layers which of them want to follow connections. */
static void dissect_ask(tvbuff_t *tvb, packet_info *pinfo)
{
    heur_dtbl_entry_t *entry;

    upper = (struct rdmap_listeners){.size = sizeof upper};
    dissector_try_heuristic(listeners, tvb, pinfo, NULL, &entry, &upper);
}

static void dissect_begin(struct mpa_listener *listener)
{
    struct rdmap_listeners all = upper;

    rdmap_flow_listen(listener);
    all.connection = listener->connection;
    all.tcp_stream = listener->tcp_stream;
    all.start_ns = listener->start_ns;
    for (unsigned side = 0; side < 2; side++) {
        all.port[side] = listener->port[side];
        all.host[side] = listener->host[side].host;
    }
    all.payload_only = listener->payload_only;
    for (unsigned i = 0; i < all.n; i++)
        all.of[i].begin(&all, &all.of[i]);
    rdmap_flow_tell(listener->connection, &all);
}

static bool brief(packet_info *pinfo, const struct mpa_ulpdu *ulpdu, const uint8_t *octets, size_t n)
{
    struct rdmap_canvas canvas = {.ulpdu = ulpdu, .pinfo = pinfo};
    struct ddp_segment ddp;

    if (!ddp_segment_decode(&ddp, octets, n) || !ddp.tagged)
        return false;
    canvas.ddp = &ddp;
    canvas.info = rdmap_opcode_info(ddp.opcode);
    canvas.flow = rdmap_flow_find(ulpdu->connection);
    canvas.seg = canvas.flow ? rdmap_flow_seg(canvas.flow, &ulpdu->place) : NULL;
    return rdmap_draw_brief(&canvas);
}

static int dissect_listen(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    struct mpa_listener *listener = data;

    (void)tree;
    if (!listener || listener->size != sizeof *listener)
        return 0;
    dissect_ask(tvb, pinfo);
    listener->begin = dissect_begin;
    listener->brief = brief;
    listener->handle = ulpdu_handle;
    listener->after_segment = rdmap_draw_bare;
    return 0;
}

static int rdmap_dissect_ulpdu(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    const struct mpa_ulpdu *ulpdu = data;
    struct rdmap_canvas canvas = {.tvb = tvb, .pinfo = pinfo, .root = tree};
    unsigned length = tvb_captured_length(tvb);
    struct ddp_segment ddp;

    canvas.fields = proto_field_is_referenced(tree, rddp_proto) || proto_field_is_referenced(tree, rdmap_proto);
    if (ulpdu && ulpdu->size == sizeof *ulpdu) {
        canvas.ulpdu = ulpdu;
        canvas.flow = rdmap_flow_find(ulpdu->connection);
        canvas.seg = canvas.flow ? rdmap_flow_seg(canvas.flow, &ulpdu->place) : NULL;
    }
    if (ddp_segment_decode(&ddp, tvb_get_ptr(tvb, 0, (int)length), length)) {
        ddp.lacking = tvb_reported_length(tvb) - length; /* cut by the snap length */
        canvas.ddp = &ddp;
        canvas.info = rdmap_opcode_info(ddp.opcode);
    }
    rdmap_draw(&canvas);
    return (int)length;
}

void rdmap_plugin_register(void)
{
    rdmap_fields_register();
    rdmap_flow_register();
    rdmap_payload_register();
    rdmap_tap_register();
    listeners = register_heur_dissector_list(RDMAP_LISTENER_LIST, rdmap_proto);
    ulpdu_handle = register_dissector("rddp", rdmap_dissect_ulpdu, rddp_proto);
    /* Registered for the first of our protocols: if it is disabled, the built-in dissector takes over. */
    register_dissector(MPA_LISTENER_DISSECTOR, dissect_listen, rddp_proto);
}

void rdmap_plugin_handoff(void)
{
    for (unsigned revision = 0; revision <= 2; revision++)
        dissector_add_uint(MPA_ULPDU_TABLE, revision, ulpdu_handle);
    rdmap_payload_handoff();
    rdmap_tap_handoff();
}
